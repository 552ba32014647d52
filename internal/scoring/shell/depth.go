package shell

import "strings"

// maxOpen is how many brackets of a text may be open at once, and maxWords how many words
// that begin a compound command: the parser calls itself for each, and nothing that
// people write comes near.
const (
	maxOpen  = 200
	maxWords = 50
	// maxOperators is how many signs of arithmetic may follow each other.
	maxOperators = 1000
)

// tooDeep reports whether a text nests deeper than the parser should follow. It counts
// without regard to quotes, so it may say so of text that only looks nested.
func tooDeep(text string) bool {
	open, words, operators := 0, 0, 0
	begins := true // a command may begin here
	for i := 0; i < len(text); {
		c := text[i]
		if c >= 'a' && c <= 'z' {
			j := i
			for j < len(text) && (text[j] >= 'a' && text[j] <= 'z' || text[j] == '_') {
				j++
			}
			switch text[i:j] {
			case "if", "while", "until", "for", "case", "select", "function", "time", "coproc":
				words += btoi(begins)
			case "fi", "done", "esac":
				words = max(0, words-1)
			case "do", "then", "else", "elif":
			default:
				begins = false
			}
			i, operators = j, 0
			continue
		}
		i++
		switch c {
		case '(', '{', '[':
			open++
		case ')', '}', ']':
			open = max(0, open-1)
		case '!', '-', '+', '~', '=', '?', ':', '*':
			operators++
		}
		switch c {
		case '\n', ';', '&', '|', '(', '{', '`', '!':
			begins = true
		case ' ', '\t':
		default:
			begins = false
		}
		if strings.IndexByte("!-+~=?:* \t", c) < 0 {
			operators = 0
		}
		if open > maxOpen || words > maxWords || operators > maxOperators {
			return true
		}
	}
	return false
}
