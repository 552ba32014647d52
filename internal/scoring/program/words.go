package program

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// What words of a command say whatever program it is.

// AsksItself reports whether a command only asks a program for its version or help.
func AsksItself(args []shell.Word) bool {
	if len(args) == 0 || len(args) > 4 || slices.ContainsFunc(args, func(w shell.Word) bool {
		return !w.Literal || w.Text == "-c" || w.Text == "-e" || w.Text == "--" || strings.Contains(w.Text, "=")
	}) {
		return false
	}
	last := args[len(args)-1].Text
	return last == "--help" || len(args) == 1 && slices.Contains([]string{"--version", "-version", "-V", "-h", "-help"}, last)
}

// evaluating are builtins that run the substitutions in the index of an array that they
// are given as a name: test -v 'a[$(id)]'.
var evaluating = setOf(wordlist.Text("program.evaluating"))

// Evaluates reports whether a builtin runs what stands in the index of a name.
func Evaluates(name string, args []shell.Word) bool {
	if !evaluating[name] {
		return false
	}
	for i, w := range args {
		if name == "printf" && (i == 0 || args[i-1].Text != "-v") && !strings.HasPrefix(w.Text, "-v") {
			continue
		}
		_, index, found := strings.Cut(w.Text, "[")
		if found && strings.Contains(index, "]") && (strings.Contains(index, "$(") || strings.Contains(index, "`")) {
			return true
		}
	}
	return false
}

// IsSecretVariable reports whether a variable is named like a secret.
func IsSecretVariable(name string) bool {
	name = strings.ToUpper(name)
	parts := strings.Split(name, "_")
	for _, p := range parts {
		if secretWords[p] && name != "PWD" && name != "OLDPWD" || p == "KEY" && len(parts) > 1 {
			return true
		}
	}
	return slices.ContainsFunc(secretParts, func(s string) bool { return strings.Contains(name, s) })
}

// secretWords are words of names of variables that hold secrets, secretParts parts of them.
var (
	secretWords = setOf(wordlist.Text("program.secretWords"))
	secretParts = strings.Fields(wordlist.Text("program.secretParts"))
)

// VariablesIn are the variables that a word takes the value of; of ${#x} and ${x:+set}
// only what they say of it is printed.
func VariablesIn(text string) []string {
	var all []string
	for i := 0; i+1 < len(text); i++ {
		if text[i] != '$' {
			continue
		}
		j := i + 1
		braces := text[j] == '{'
		if braces {
			j++
			if j < len(text) && text[j] == '!' {
				j++
			}
			if j < len(text) && text[j] == '#' {
				continue
			}
		}
		start := j
		for j < len(text) && (text[j] == '_' || text[j] >= '0' && text[j] <= '9' || text[j]|0x20 >= 'a' && text[j]|0x20 <= 'z') {
			j++
		}
		if j == start || braces && strings.HasPrefix(text[j:], ":+") || braces && strings.HasPrefix(text[j:], "+") {
			continue
		}
		all = append(all, text[start:j])
	}
	return all
}

// MildGitSetting reports whether a setting of git runs nothing and leads nowhere else.
func MildGitSetting(setting string) bool {
	name, value, _ := strings.Cut(setting, "=")
	name, value = strings.ToLower(name), strings.ToLower(value)
	section, _, _ := strings.Cut(name, ".")
	switch section {
	case wordlist.OneOf("program.gitSections", section):
		for _, word := range wordlist.List("program.gitPrograms") {
			if strings.Contains(name, word) && name != "commit.gpgsign" {
				return false
			}
		}
		return section != "protocol" || name == "protocol.version"
	}
	switch name {
	case wordlist.OneOf("program.gitSettings", name):
		return true
	case "core.pager", "core.editor", "sequence.editor":
		return value == "cat" || value == "true" || value == ":" || value == "" || value == "less"
	case "core.fsmonitor", "core.hookspath":
		return value == "false" || value == "/dev/null"
	}
	return false
}
