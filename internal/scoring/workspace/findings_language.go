package workspace

import (
	"path"
	"strings"
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
var interpreters = map[string]string{
	"python": "python", "pypy": "python", "ipython": "python", "uv": "python", "node": "javascript", "nodejs": "javascript", "deno": "javascript", "bun": "javascript", "tsx": "javascript", "ts-node": "javascript",
	"javascript": "javascript", "typescript": "javascript",
	"ruby": "ruby", "perl": "perl", "php": "php", "lua": "lua", "Rscript": "r", "make": "make", "sh": "shell", "bash": "shell", "zsh": "shell", "dash": "shell", "ksh": "shell", "fish": "shell", "shell": "shell",
}

var namedFiles = map[string]string{
	"makefile": "make", "gnumakefile": "make", "justfile": "just", ".justfile": "just", "rakefile": "ruby", "gemfile": "ruby", "guardfile": "ruby", "podfile": "ruby", "fastfile": "ruby", "vagrantfile": "ruby", "brewfile": "ruby",
	"sconstruct": "python", "sconscript": "python", "snakefile": "python", "cmakelists.txt": "cmake", ".envrc": "shell", ".bashrc": "shell", ".zshrc": "shell", ".profile": "shell", "pkgbuild": "shell",
	"meson.build": "meson", "build.bazel": "starlark",
	"jenkinsfile": "java", "procfile": "procfile",
}

var endings = map[string]string{
	".py": "python", ".pyw": "python", ".pyi": "python", ".pth": "python", ".ipynb": "python", ".js": "javascript", ".mjs": "javascript", ".cjs": "javascript", ".jsx": "javascript", ".ts": "javascript", ".mts": "javascript", ".cts": "javascript", ".tsx": "javascript",
	".vue": "javascript", ".svelte": "javascript", ".astro": "javascript", ".sh": "shell", ".bash": "shell", ".zsh": "shell", ".bats": "shell", ".rb": "ruby", ".rake": "ruby", ".gemspec": "ruby", ".podspec": "ruby",
	".pl": "perl", ".pm": "perl", ".t": "perl", ".php": "php", ".go": "go", ".rs": "rust", ".java": "java", ".kt": "java", ".kts": "java", ".groovy": "java", ".gradle": "java", ".scala": "java", ".cs": "java", ".csx": "java",
	".swift": "java", ".c": "c", ".h": "c", ".cc": "c", ".cpp": "c", ".hpp": "c", ".m": "c", ".lua": "lua", ".r": "r", ".mk": "make", ".mak": "make", ".just": "just", ".cmake": "cmake", ".bzl": "starlark",
}

// isPlain reports whether a text is written as data: what it would do if it were run nobody
// has read.
func isPlain(name, text string) bool {
	return strings.TrimSpace(text) != "" && languageOf(name, text) == ""
}
