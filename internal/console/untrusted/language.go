package untrusted

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/views/texts"
)

// language is one in which a text is shown.
type language string

const (
	languageNone   language = ""
	languageSQL    language = "sql"
	languageShell  language = "shell"
	languageJSON   language = "json"
	languagePython language = "python"
	languageDiff   language = "diff"
)

// languageWords name them for a reader.
var languageWords = map[language]texts.Key{
	languageSQL: texts.Key("SQL"), languageShell: texts.Key("a shell command"), languageJSON: texts.Key("JSON"),
	languagePython: texts.Key("Python"), languageDiff: texts.Key("a diff"),
}

// languages knows the languages of an action's texts.
type languages struct {
	read      map[string]facts.Language // what the facts were read from
	arguments canon.Value
}

func languagesOf(a scoring.Action) languages {
	return languages{read: a.Languages(), arguments: a.Arguments()}
}

// of is the language of a value: by its shape where that leaves no doubt, else what
// the facts read it as, else what the name over it says. A part of a longer text has
// none: what it begins in cannot be known.
func (l languages) of(p approvals.Piece) language {
	if p.Type != "string" || !(p.Start == 0 && p.Last) || p.Text == "" || len(p.Text) > maxColoured {
		return languageNone
	}
	switch name := lastName(p.Pointer); {
	case isDiff(p.Text):
		return languageDiff
	case isDocument(p.Text):
		return languageJSON
	case oneOf(name, "python", "py"), oneOf(name, "code", "script", "snippet", "program", "source") && (l.speaksPython() || isPython(p.Text)):
		return languagePython
	}
	switch l.read[p.Pointer] {
	case facts.SQL:
		return languageSQL
	case facts.Shell:
		return languageShell
	}
	return languageNone
}

// lastName is the last word of the name over a value, in lower case.
func lastName(pointer string) string {
	name := strings.ToLower(pointerUnescape(pointer[strings.LastIndexByte(pointer, '/')+1:]))
	return name[strings.LastIndexAny(name, "_-. ")+1:]
}

func oneOf(name string, names ...string) bool { return slices.Contains(names, name) }

// speaksPython reports whether an argument says that the others are Python.
func (l languages) speaksPython() bool {
	for _, name := range []string{"language", "lang", "interpreter", "runtime"} {
		switch strings.TrimRight(strings.ToLower(l.arguments.Get(name).Text()), "0123456789.") {
		case "python", "py", "ipython":
			return true
		}
	}
	return false
}

// isDiff reports whether a text has the marks of a unified diff.
func isDiff(text string) bool {
	return strings.HasPrefix(text, "diff --git ") || hasLine(text, "@@ -") && hasLine(text, "--- ") && hasLine(text, "+++ ")
}

// isDocument reports whether a text is a JSON object or array.
func isDocument(text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	return len(text) > 2 && (text[0] == '{' || text[0] == '[') && json.Valid([]byte(text))
}

// pythonLine is a line that hardly stands in anything but Python.
var pythonLine = regexp.MustCompile(`(?m)^\s*(from [\w.]+ import \w|import \w[\w.]*( as \w+)?\s*(#.*)?$|(async )?def \w+\(.*:\s*$|class \w+.*:\s*$|(if|for|while|with|try|elif|except)\b.*:\s*$|print\()`)

func isPython(text string) bool { return pythonLine.MatchString(text) }

// hasLine reports whether a line of the text begins like that.
func hasLine(text, beginning string) bool {
	return strings.HasPrefix(text, beginning) || strings.Contains(text, "\n"+beginning)
}
