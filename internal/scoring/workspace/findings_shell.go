package workspace

import (
	"path"
	"regexp"
	"strings"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// readScript reads a shell script. What its parts need of the rest cannot be seen in an
// edit: a part that does not parse is read line by line.
func readScript(f *textFindings, name, text string, b Binding) {
	if !b.part {
		if name != "" {
			text = inOwnFolder(text, path.Dir(name))
		}
		readShell(f, text, 0, len(text), b)
		return
	}
	if !unparsed(text, b) {
		readShell(f, text, 0, len(text), b)
		return
	}
	at := 0
	for line := range strings.Lines(text) {
		start := at
		at += len(line)
		line = strings.TrimSpace(line)
		for _, keyword := range wordlist.List("workspace.shellKeywords") {
			if rest, ok := strings.CutPrefix(line, keyword); ok && (rest == "" || rest[0] == ' ') {
				line = strings.TrimSpace(rest)
			}
		}
		line = strings.TrimSuffix(strings.TrimSuffix(line, "; then"), "; do")
		if isPattern := strings.HasSuffix(line, ")") && !strings.Contains(line, "("); line != "" && !isPattern && !unparsed(line, b) {
			readShell(f, line, start, at, b)
		}
	}
}

func unparsed(text string, b Binding) bool {
	for _, v := range judgeText(text, b.Folder, newKnown(b, Memory{})) {
		if v.cause == "unparsed" {
			return true
		}
	}
	return false
}

// readShell judges a text as the shell that it is: what a command of it is, is the finding
// of the text. Own code that it runs is no finding, as it has findings of its own. The text
// stands from start to end of what is read, maybe in another form.
func readShell(f *textFindings, text string, start, end int, b Binding) {
	part := b.part
	b.Sandboxed, b.part = true, false
	for _, v := range judgeText(text, b.Folder, newKnown(b, Memory{})) {
		what, ok := countsAs(v, text, part)
		if !ok {
			continue
		}
		from, to := start+v.start, start+v.end
		if end-start != len(text) {
			from, to = start, end
		}
		f.found(what, from, to, "it runs "+shown(v.command, text)+": "+v.because)
	}
}

// countsAs is what a command is for a text that runs it. In a part of a script a function,
// a variable or a folder of the rest is not known, which says nothing. A command of which a
// part is known only to the program that runs it cannot be read: that is no more than that.
func countsAs(v verdict, text string, part bool) (Finding, bool) {
	switch {
	case v.level <= level.Low:
		return "", false
	case part && (v.cause == "unknown-program" || v.cause == "unknown-folder" || v.cause == "unparsed"):
		return "", false
	case part && (v.cause == "unknown-target" || v.nameless):
		return Child, true
	case v.cause == "unreadable" && v.kind == effects.Execute && strings.Contains(text, unknownWord):
		return Child, true
	case v.level >= level.High && (v.finding == "" || levelOf([]Finding{v.finding}) < level.High):
		if v.kind == effects.Execute {
			return Hidden, true
		}
		return Outside, true
	case v.finding != "":
		return v.finding, true
	case strings.HasPrefix(v.cause, "unknown"):
		return Child, true
	}
	return Network, true
}

var (
	ownFolder = regexp.MustCompile(`\$\(\s*dirname\s+(?:--\s+)?"?\$\{?(?:0|BASH_SOURCE(?:\[0\])?(?::-\$0)?)\}?"?\s*\)|\$\{(?:0|BASH_SOURCE(?:\[0\])?)%/\*\}`)
	goneTo    = regexp.MustCompile(`\$\(\s*(?:CDPATH=\s*)?cd\s+(?:--\s+|-P\s+)?"?([^"$()\n]+)"?(?:\s*>\s*/dev/null(?:\s*2>&1)?)?\s*&&\s*pwd(?:\s+-P)?\s*\)`)
)

// inOwnFolder is a script with the folder in which it stands in the place of what finds
// that out.
func inOwnFolder(text, folder string) string {
	if !strings.Contains(text, "dirname") && !strings.Contains(text, "%/*}") || strings.ContainsAny(folder, "'\"$`\\ ") {
		return text
	}
	text = ownFolder.ReplaceAllLiteralString(text, folder)
	return goneTo.ReplaceAllString(text, "$1")
}

// shown is a command as it stands in a reason.
func shown(command, text string) string {
	if command == "" {
		command = text
	}
	if len(command) > 60 {
		return "“" + strings.ToValidUTF8(command[:57], "") + "…”"
	}
	return "“" + command + "”"
}
