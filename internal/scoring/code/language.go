package code

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/call"
)

// LanguageOf is the language of a text that is a program: it says things that neither prose
// nor a command says.
func LanguageOf(t *call.Text) (language string, ok bool) {
	type key struct{}
	language = call.Made(t, key{}, languageOf)
	return language, language != ""
}

func languageOf(text string) string {
	if first, _, _ := strings.Cut(text, "\n"); strings.HasPrefix(first, "#!") {
		if language := Interpreter(first); language != "shell" {
			return language
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

// IsPython reports whether a text may be Python that calls something or gives a name a
// value, as no shell reads it: no two values stand side by side, and nothing that only a shell
// knows.
func IsPython(t *call.Text) bool {
	r, keywords := tokensOf(t, Way{}), tables().Python.Keywords
	gives := false
	for i, token := range r.tokens {
		value := token.Kind != Mark && token.Kind != Line
		if i > 0 && value && r.tokens[i-1].Kind != Mark && r.tokens[i-1].Kind != Line && !keywords[token.Text] && !keywords[r.tokens[i-1].Text] ||
			token.Kind == Mark && (oneOf(token.Text, "$ ` \\ ? ! && || ;;") || token.Text == "{" && i > 0 && r.tokens[i-1].Is(")")) {
			return false
		}
		gives = gives || i > 0 && r.tokens[i-1].Kind == Name && !keywords[r.tokens[i-1].Text] && (token.Is("(") || token.Is("=") && token.From > r.tokens[i-1].To)
	}
	return gives && r.broken == ""
}

// isDottedName reports whether a text is a name of code: a.b_c.
func isDottedName(text string) bool {
	return text != "" && !isDigit(text[0]) && !strings.ContainsFunc(text, func(r rune) bool { return r > 0x7f || r != '.' && !IsNameByte(byte(r)) })
}

// Cell is a cell of a notebook without the lines that are commands, which stand apart: those
// that begin with !, and with % where that is a command.
func Cell(text string) (program string, commands []Literal) {
	if first, script, ok := strings.Cut(strings.TrimSpace(text), "\n"); ok && tables().Shells[strings.Fields(first + " x")[0]] {
		return strings.Repeat(" ", len(text)), []Literal{{Text: script, End: len(text)}}
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "!")
		if rest, is := strings.CutPrefix(command, "%"); is {
			magic, behind, _ := strings.Cut(rest, " ")
			if command, ok = rest, tables().Magics[magic]; magic == "sx" || magic == "system" {
				command = behind
			}
		}
		if !ok || strings.HasPrefix(command, "=") {
			b.WriteString(line)
			continue
		}
		commands = append(commands, Literal{Text: command, Start: b.Len(), End: b.Len() + len(line)})
		b.WriteString(strings.Repeat(" ", len(line)-1) + "\n")
	}
	return b.String()[:len(text)], commands
}
