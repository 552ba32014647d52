package effects

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/call"
)

// looksLikeCode reports whether a text is a program, and in which language: it says
// things that neither prose nor a command says.
func looksLikeCode(t *call.Text) (language string, ok bool) {
	type key struct{}
	language = call.Made(t, key{}, languageOf)
	return language, language != ""
}

func languageOf(text string) string {
	if first, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "#!") {
		for program, language := range map[string]string{"python": "python", "node": "javascript", "deno": "javascript", "bun": "javascript", "ruby": "ruby", "perl": "perl", "php": "php"} {
			if strings.Contains(first, program) {
				return language
			}
		}
		return ""
	}
	if strings.HasPrefix(strings.TrimSpace(text), "<?php") {
		return "php"
	}
	python, javascript := 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		first, rest, _ := strings.Cut(line, " ")
		switch first {
		case "import":
			if strings.HasSuffix(strings.TrimSuffix(rest, ";"), "'") || strings.HasSuffix(strings.TrimSuffix(rest, ";"), `"`) {
				javascript += 2
			} else if name, _, _ := strings.Cut(rest, " "); isDottedName(strings.TrimRight(name, ",;")) && (strings.Count(rest, " ") == 0 || strings.Contains(rest, " as ") || strings.ContainsAny(rest, ",;")) {
				python += 2
			}
		case "from":
			if strings.Contains(rest, " import ") {
				python += 2
			}
		case "def", "class", "with", "for", "if", "while", "elif", "try:", "else:", "except", "async", "except:", "finally:":
			if strings.HasSuffix(line, ":") {
				python += 2
			}
			if strings.HasSuffix(line, "{") && strings.Contains(line, "(") {
				javascript++
			}
		case "const", "let", "var":
			if strings.Contains(rest, "=") {
				javascript += 2
			}
		case "function":
			if strings.Contains(rest, "(") && strings.Contains(rest, ")") {
				javascript += 2
			}
		case "await", "return":
			if strings.HasSuffix(line, ";") {
				javascript++
			}
		}
		if strings.HasPrefix(line, "print(") && strings.HasSuffix(line, ")") {
			python += 2
		}
		for mark, weight := range map[string]int{"=> ": 1, "console.": 2, "===": 2, "require(": 2, "document.": 2, "JSON.": 2, "fs.": 1, ".forEach(": 2, "};": 1} {
			if strings.Contains(line, mark) && strings.ContainsAny(line, "();=") {
				javascript += weight
			}
		}
		if strings.HasSuffix(line, ";") && strings.Contains(line, "(") {
			javascript++
		}
		if name, value, ok := strings.Cut(line, "="); ok && isDottedName(strings.TrimSpace(name)) && strings.Contains(value, "(") && strings.HasSuffix(line, ")") {
			python++
		}
		if name, _, ok := strings.Cut(line, "("); ok && isDottedName(name) && strings.Contains(name, ".") && strings.HasSuffix(line, ")") {
			python++
			javascript++
		}
	}
	switch {
	case python >= 2 && python > javascript:
		return "python"
	case javascript >= 2 && javascript >= python:
		return "javascript"
	}
	return ""
}

// parsesAsPython reports whether a text may be Python that calls something or gives a name a
// value, as no shell reads it: no two values stand side by side, and nothing that only a shell
// knows.
func parsesAsPython(t *call.Text) bool {
	r, keywords := codeTokens(t, codeWay{}), codeLanguages().Python.Keywords
	gives := false
	for i, token := range r.tokens {
		value := token.kind != codeMark && token.kind != codeLine
		if i > 0 && value && r.tokens[i-1].kind != codeMark && r.tokens[i-1].kind != codeLine && !keywords[token.text] && !keywords[r.tokens[i-1].text] ||
			token.kind == codeMark && (oneOf(token.text, "$ ` \\ ? ! && || ;;") || token.text == "{" && i > 0 && r.tokens[i-1].is(")")) {
			return false
		}
		gives = gives || i > 0 && r.tokens[i-1].kind == codeName && !keywords[r.tokens[i-1].text] && (token.is("(") || token.is("=") && token.from > r.tokens[i-1].to)
	}
	return gives && r.broken == ""
}

// isDottedName reports whether a text is a name of code: a.b_c.
func isDottedName(text string) bool {
	return text != "" && !isDigit(text[0]) && !strings.ContainsFunc(text, func(r rune) bool { return r > 0x7f || r != '.' && !isCodeNameByte(byte(r)) })
}

// otherEffects reads a program in a language of which only words are known: by the worst
// of them outside of comments, and always execute.
func otherEffects(words map[string]Effect, code, pointer string) []Effect {
	var f findings
	f.add(Effect{Kind: Execute, Verb: "run", Object: "code", Breadth: One, Certain: true, Evidence: []Evidence{{Pointer: pointer, End: len(code), Why: "can't be read: a language that isn't read to its end"}}})
	isWord := func(b byte) bool { return isCodeNameByte(b) || b == '-' || b == '.' }
	for i := 0; i < len(code); {
		switch {
		case code[i] == '#':
			i += lineLength(code[i:])
		case isCodeNameByte(code[i]):
			end := i
			for end < len(code) && isWord(code[end]) {
				end++
			}
			word := strings.TrimRight(code[i:end], ".-")
			for _, name := range []string{word, word[strings.LastIndexByte(word, '.')+1:]} {
				if e, ok := words[name]; ok {
					e.Evidence = []Evidence{{Pointer: pointer, Start: i, End: end, Why: "uses " + name}}
					f.add(e)
					break
				}
			}
			i = end
		default:
			i++
		}
	}
	return f.worstFirst()
}
