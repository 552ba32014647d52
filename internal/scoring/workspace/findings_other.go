package workspace

import (
	"regexp"
	"strings"

	"github.com/countersign/countersign/internal/scoring/shell"
)

// Programs in languages of which only words are known: less is seen of them, and less is
// taken for what it is not.

// maxOccurrences is at how many places one word is looked at.
const maxOccurrences = 32

func readWords(f *textFindings, words otherWords, text string, b Binding) {
	for _, list := range []struct {
		what  Finding
		words []string
		why   string
	}{
		{Network, words.Network, "it is a client of the network: "},
		{Outside, words.Outside, "it reads the environment as a whole: "},
		{Child, words.Child, "it starts a program that can't be read: "},
		{Hidden, words.Hidden, "it runs code that can't be read: "},
	} {
		for _, word := range list.words {
			eachWord(text, word, words.Comment, func(start, end int) {
				line := lineAround(text, start)
				switch {
				case list.what == Network && isOwnServer(line, text), list.what == Outside && containsAny(line, []string{".Env ", "append(os.Environ()"}):
				case list.what == Child:
					if command, ok := otherCommand(text, start, end, words); ok {
						readShell(f, command, start, end, b)
						return
					}
					fallthrough
				default:
					f.found(list.what, start, end, list.why+strings.Trim(word, "( \"'"))
				}
			})
		}
	}
	readLiterals(f, words, text, b)
}

// eachWord finds a word outside of comments, whole where it begins with a letter.
func eachWord(text, word, comment string, found func(start, end int)) {
	at := 0
	for range maxOccurrences {
		i := strings.Index(text[at:], word)
		if i < 0 {
			return
		}
		start := at + i
		at = start + len(word)
		if start > 0 && isNameByte(word[0]) && (isNameByte(text[start-1]) || text[start-1] == '.' && !strings.Contains(word, ".") && !strings.Contains(word, "Command")) {
			continue
		}
		if at < len(text) && isNameByte(text[at]) && isNameByte(word[len(word)-1]) && word[len(word)-1] != '_' && !strings.ContainsAny(word, "(\"':") {
			continue
		}
		lineStart := strings.LastIndexByte(text[:start], '\n') + 1
		if comment != "" && strings.HasPrefix(strings.TrimSpace(text[lineStart:]), comment) {
			continue
		}
		found(start, at)
		if word == "`" { // past the one that closes it
			at += strings.IndexByte(text[at:]+word, word[0]) + 1
			at = min(at, len(text))
		}
	}
}

func isNameByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// lineAround is the line in which a byte stands.
func lineAround(text string, at int) string {
	start := strings.LastIndexByte(text[:at], '\n') + 1
	line, _, _ := strings.Cut(text[start:], "\n")
	return line
}

// isOwnServer reports whether a line asks this machine, or what a test itself serves.
func isOwnServer(line, text string) bool {
	if containsAny(line, []string{"localhost", "127.0.0.1", "[::1]", "httptest.", `, "/`}) {
		return true
	}
	return strings.Contains(text, "httptest.") && containsAny(line, []string{".URL", ".url"})
}

// otherCommand is the shell text of what starts a program, where all that matters of it is
// a literal: exec.Command("git", "status").
func otherCommand(text string, start, end int, words otherWords) (string, bool) {
	rest := text[end:]
	if last := text[end-1]; strings.IndexByte("\"'`", last) >= 0 {
		rest = text[end-1:]
	}
	rest = rest[:min(len(rest), 2048)]
	var all []shell.Word
	for {
		rest = strings.TrimLeft(rest, " \t\n,[(")
		switch {
		case rest == "" || strings.IndexByte(")];}", rest[0]) >= 0:
			for _, chained := range []string{").arg(", ").args("} { // Command::new("git").arg("status")
				if after, ok := strings.CutPrefix(rest, chained); ok {
					rest = after
					goto next
				}
			}
			return joinedCommand(all, words)
		case strings.IndexByte("\"'`", rest[0]) >= 0:
			literal, after, ok := strings.Cut(rest[1:], rest[:1])
			if !ok || strings.Contains(literal, `\`) {
				return "", false
			}
			dynamic := rest[0] != '\'' && words.Puts != "" && strings.Contains(literal, words.Puts)
			all = append(all, shell.Word{Text: literal, Literal: !dynamic})
			rest = after
			if text[start] == '`' || words.Bare && strings.IndexByte("\"'", text[end-1]) >= 0 && !strings.HasPrefix(strings.TrimLeft(rest, " "), ",") {
				return joinedCommand(all, words)
			}
		default:
			to := strings.IndexAny(rest, ",)];\n")
			if to < 0 {
				return "", false
			}
			if name := strings.TrimSpace(rest[:to]); len(all) > 0 || name != "ctx" && !strings.HasPrefix(name, "context.") && !strings.HasSuffix(name, "Context()") {
				all = append(all, shell.Word{})
			}
			rest = rest[to:]
		}
	next:
		if len(all) > 64 {
			return "", false
		}
	}
}

func joinedCommand(all []shell.Word, words otherWords) (string, bool) {
	if len(all) == 0 || !all[0].Literal {
		return "", false
	}
	if len(all) == 1 && !words.Argv {
		return all[0].Text, true
	}
	return shellText(all)
}

// changing is a function that writes, deletes or changes a file, in front of its path.
var changing = regexp.MustCompile(`(?:\b(?:WriteFile|RemoveAll|Remove|Rename|MkdirAll|Mkdir|OpenFile|Create|Chmod|Chown|Symlink|Truncate|rm_rf|rm_r|unlink|rmdir|rename|mkdir|fopen|file_put_contents|deleteRecursively|writeText|removeItem|moveItem|createFile)|` +
	`fs::(?:write|rename|remove_\w+|create_dir\w*)|File::create|\bFile\.(?:write|delete|open|unlink|rename)|\bFileUtils\.\w+|\bIO\.write|\bFiles\.(?:write|delete|move|copy)\w*|\bopen)\s*\(?[^"'\x60]*$`)

// rooted is a path of a machine, which most texts with a slash in front are not: routes.
var rooted = regexp.MustCompile(`^(?:~/[.\w]|/(?:etc|usr|bin|sbin|lib|home|Users|root|var|opt|srv|boot|Library|mnt|media)/)`)

// readLiterals looks at the literals of a program: paths of secrets, and paths outside on
// lines that change a file.
func readLiterals(f *textFindings, words otherWords, text string, b Binding) {
	offset := 0
	for line := range strings.Lines(text) {
		from := offset
		offset += len(line)
		if words.Comment != "" && strings.HasPrefix(strings.TrimSpace(line), words.Comment) {
			continue
		}
		for at := 0; at < len(line); {
			open := strings.IndexAny(line[at:], "\"'`")
			if open < 0 {
				break
			}
			open += at
			literal, _, ok := strings.Cut(line[open+1:], line[open:open+1])
			if !ok {
				break
			}
			start, end := from+open, from+open+len(literal)+2
			at = open + len(literal) + 2
			if len(literal) < 2 || len(literal) > 512 || strings.ContainsAny(literal, " \t") {
				continue
			}
			switch {
			case strings.Contains(literal, "169.254.169.254"):
				f.found(Outside, start, end, "it asks the machine's own cloud for its identity")
			case strings.Contains(literal, "://"):
			case strings.Contains(literal, "/") && b.holdsSecrets(literal) && !strings.HasPrefix(literal[strings.LastIndexByte(literal, '/')+1:], ".env"):
				f.found(Outside, start, end, "it names "+shown(literal, "")+", which holds secrets")
			case rooted.MatchString(literal) && b.leavesFolder(literal) && changing.MatchString(line[:open]):
				f.found(Outside, start, end, "it changes what is outside of the workspace")
			}
		}
	}
}

func containsAny(text string, words []string) bool {
	for _, w := range words {
		if strings.Contains(text, w) {
			return true
		}
	}
	return false
}
