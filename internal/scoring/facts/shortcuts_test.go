package facts

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/internal/scoring/rules"
)

// The quick looks that save a reader its work answer as what they stand for.

func TestProgramsInAnyCase(t *testing.T) {
	t.Parallel()
	for name, p := range programs {
		for _, text := range []string{name, strings.ToUpper(name), "/usr/bin/" + name, `C:\x\` + name + ".EXE", strings.ReplaceAll(name, "k", "\u212a")} {
			if got, found, known := findProgram(text); !known || got != name || found != p {
				t.Errorf("%q is %q, want %q", text, got, name)
			}
		}
		if _, _, known := findProgram(name + "_"); known {
			t.Errorf("%q_ is known", name)
		}
	}
}

// someText draws a text of pieces.
func someText(t *rapid.T, pieces ...string) string {
	return strings.Join(rapid.SliceOfN(rapid.OneOf(rapid.SampledFrom(pieces), rapid.String()), 0, 8).Draw(t, "pieces"), "")
}

// Tables that are found in code are looked for.
func TestTablesStandBehindCapitals(t *testing.T) {
	t.Parallel()
	found := 0
	for _, verb := range strings.Fields("FROM from INTO into UPDATE update DROP drop RAINDROP") {
		for _, object := range strings.Fields("- TABLE table DATABASE database SCHEMA schema VIEW view INDEX index") {
			for _, exists := range []string{"", "IF EXISTS ", "if exists ", "if EXISTS "} {
				text := strings.ReplaceAll("x = '"+verb+" "+object+" "+exists+"users'", "- ", "")
				r := whole(text, "")
				quoted := literalsOf(r)
				for _, table := range rules.ResourcesIn(text, true) {
					at, ok := inside(r, quoted, table.Place.Start)
					if table.Kind != "table" || !ok || !isUpper(lastWord(text[at:table.Place.Start])) {
						continue
					}
					found++
					if !mayNameTable(quoted) {
						t.Errorf("%q: the table %q would not be looked for", text, table.Value)
					}
				}
			}
		}
	}
	if found == 0 {
		t.Error("no table was found")
	}
}
