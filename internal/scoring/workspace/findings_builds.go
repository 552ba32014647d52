package workspace

import (
	"regexp"
	"strings"
)

// Commands in the files of builds, which a build runs by itself: go:generate, CMake's
// COMMAND, run_command of Meson, execute() of Gradle, cmd of Bazel.

// buildCommand is how a file of a build names a command.
type buildCommand struct {
	text *regexp.Regexp
	argv bool // its words stand in quotes, with commas between
}

var buildCommands = map[string][]buildCommand{
	"go":       {{text: regexp.MustCompile(`(?m)^//go:generate\s+(.+)$`)}},
	"cmake":    {{text: regexp.MustCompile(`\bCOMMAND\s+([^()]*?)\s*(?:\)|\b(?:COMMAND|WORKING_DIRECTORY|OUTPUT_VARIABLE|RESULT_VARIABLE|ERROR_VARIABLE|DEPENDS|COMMENT|VERBATIM|BYPRODUCTS|OUTPUT_QUIET|ERROR_QUIET)\b)`)}},
	"meson":    {{text: regexp.MustCompile(`\brun_command\(([^()]*)\)`), argv: true}},
	"java":     {{text: regexp.MustCompile(`["']([^"'\n]+)["']\.execute\(`)}, {text: regexp.MustCompile(`\bcommandLine[\s(]+([^()\n]+)`), argv: true}},
	"starlark": {{text: regexp.MustCompile(`\bcmd\s*=\s*"((?:[^"\\\\\n]|\\\\.)*)"`)}},
}

var quotedWord = regexp.MustCompile(`["']([^"'\n]*)["']`)

// readBuild judges the commands that a file of a build names. Programs that it finds by a
// variable of its own say nothing.
func readBuild(f *textFindings, language, text string, b Binding) {
	b.part = true
	for _, c := range buildCommands[language] {
		for _, m := range c.text.FindAllStringSubmatchIndex(text, maxFound) {
			command := strings.ReplaceAll(text[m[2]:m[3]], "\n", " ")
			if c.argv {
				var words []string
				for _, w := range quotedWord.FindAllStringSubmatch(command, -1) {
					words = append(words, "'"+w[1]+"'")
				}
				command = strings.Join(words, " ")
			}
			readShell(f, command, m[2], m[3], b)
		}
	}
	if language == "go" && strings.Contains(text, "#cgo") && strings.Contains(text, "-fplugin") {
		f.found(Hidden, 0, len(text), "the compiler of C loads a plugin")
	}
}
