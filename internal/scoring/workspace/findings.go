package workspace

import (
	"encoding/json"
	"strings"

	"github.com/countersign/countersign/internal/scoring/code"
)

// foundIn is one finding of a text, and where it stands there.
type foundIn struct {
	what       Finding
	start, end int
	why        string
}

// textFindings are what a text shows that would be run.
type textFindings struct {
	all []foundIn
	// harmless says that it was read to its end, and only reads and computes.
	harmless bool
	// writes are files that it writes by a literal name, as they stand in the text, and
	// literals the texts that it may write there. Where decodes is true it makes others.
	// texts are all that stand in it but what it prints.
	writes   []string
	literals []string
	texts    []string
	decodes  bool
}

// maxNested is how many texts inside of texts are followed: a script in a command of a
// script. maxRead is how much of a text is read: what is longer has the finding that it
// cannot be seen.
const (
	maxNested = 4
	maxRead   = 1 << 20
)

// findingsOf reads a text that is run, or could be. Language is "python", "javascript",
// "shell" or the like where the caller knows it; else the name and the first line say it.
func findingsOf(language, name, text string, b Binding) textFindings {
	if language == "" {
		language = code.OfFile(name, text)
	}
	language = code.Known(language)
	var f textFindings
	switch {
	case language == "":
		return f
	case len(text) > maxRead || b.nested == maxNested:
		f.found(Hidden, 0, len(text), "it is too long, or nested too deeply, to be read")
		return f
	}
	b.nested++
	if strings.HasSuffix(name, ".ipynb") {
		text = notebook(text)
	}
	readBuild(&f, language, text, b)
	switch language {
	case "python", "javascript":
		readCode(&f, language, name, text, b)
	case "shell":
		readScript(&f, name, text, b)
	case "make":
		readMakefile(&f, text, b)
	default:
		if code.Comment(language) != "" {
			readOther(&f, language, text, b)
		}
	}
	return f
}

// maxFound bounds how many findings of one text are told.
const maxFound = 64

func (f *textFindings) found(what Finding, start, end int, why string) {
	if len(f.all) < maxFound {
		f.all = append(f.all, foundIn{what, start, end, why})
		return
	}
	for _, g := range f.all {
		if g.what == what {
			return
		}
	}
	f.all[maxFound-1] = foundIn{what, start, end, why}
}

// names are the findings themselves, each once.
func names(all []foundIn) []Finding {
	var out []Finding
	for _, f := range all {
		out = union(out, []Finding{f.what})
	}
	return out
}

// notebook is the code of a notebook, cell by cell; of what is no notebook the text itself.
func notebook(text string) string {
	var file struct {
		Cells []struct {
			Type   string `json:"cell_type"`
			Source any
		}
	}
	if json.Unmarshal([]byte(text), &file) != nil {
		return text
	}
	var b strings.Builder
	for _, c := range file.Cells {
		if c.Type != "code" {
			continue
		}
		switch source := c.Source.(type) {
		case string:
			b.WriteString(source)
		case []any:
			for _, line := range source {
				text, _ := line.(string)
				b.WriteString(text)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}
