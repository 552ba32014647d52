package workspace

import (
	"path"
	"strings"

	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// languageOf is the language of a text, by the name of its file and its first line; "" for
// data and prose, of which nothing is run.
func languageOf(name, text string) string {
	base := strings.ToLower(path.Base(name))
	if language, ok := namedFiles[base]; ok {
		return language
	}
	if strings.HasPrefix(base, "dockerfile") || strings.HasPrefix(base, "containerfile") {
		return "docker"
	}
	if language, ok := endings[path.Ext(base)]; ok {
		return language
	}
	first, _, _ := strings.Cut(text, "\n")
	if strings.HasPrefix(first, "#!") {
		return interpreterOf(first)
	}
	if path.Ext(base) == "" && name != "" && (strings.Contains(text, "\nset -e") || strings.HasPrefix(text, "set -e")) {
		return "shell"
	}
	return ""
}

// interpreterOf is the language that a first line names: #!/usr/bin/env python3.
func interpreterOf(line string) string {
	for word := range strings.FieldsSeq(strings.TrimPrefix(line, "#!")) {
		word = strings.TrimRight(path.Base(word), "0123456789.")
		if language, ok := interpreters[word]; ok {
			return language
		}
	}
	return "shell"
}

// interpreters are the languages of programs that run a text.
var interpreters = wordlist.Map("workspace.interpreters")

var namedFiles = wordlist.Map("workspace.namedFiles")

var endings = wordlist.Map("workspace.endings")

// isPlain reports whether a text is written as data: what it would do if it were run nobody
// has read.
func isPlain(name, text string) bool {
	return strings.TrimSpace(text) != "" && languageOf(name, text) == ""
}
