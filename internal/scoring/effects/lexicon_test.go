package effects

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

func TestLexiconLoads(t *testing.T) {
	t.Parallel()
	if _, err := loadLexicon(lexiconYAML); err != nil {
		t.Fatal(err)
	}
}

// TestNames holds the reader of names against lexicon_examples.yaml: each name is what
// its list says, and so it is in every spelling.
func TestNames(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("lexicon_examples.yaml")
	if err != nil {
		t.Fatal(err)
	}
	examples := map[Kind]string{}
	if err := yaml.Unmarshal(text, &examples); err != nil {
		t.Fatal(err)
	}
	for kind, names := range examples {
		for _, name := range strings.Fields(names) {
			for _, spelling := range spellings(name) {
				if got := readName(spelling); got.kind != kind {
					t.Errorf("%s is read as %s (%s), want %s", spelling, got.kind, got.why, kind)
				}
			}
		}
	}
}

// spellings writes a name of words between underscores as other programmers would.
func spellings(name string) []string {
	all := []string{name}
	if strings.Contains(name, "__") || strings.ContainsAny(name, "-.") || strings.ToLower(name) != name {
		return all
	}
	parts := strings.Split(name, "_")
	camel := parts[0]
	pascal := ""
	for i, p := range parts {
		_, n := utf8.DecodeRuneInString(p)
		title := strings.ToUpper(p[:n]) + p[n:]
		pascal += title
		if i > 0 {
			camel += title
		}
	}
	return append(all, strings.Join(parts, "-"), camel, pascal, "mcp__acme__"+name, strings.ToUpper(name))
}
