package facts

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/internal/scoring/rules"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// The quick looks that save a reader its work answer as what they stand for.

func TestRanksAreTheOrder(t *testing.T) {
	t.Parallel()
	for i, k := range kindOrder {
		if k.rank() != i {
			t.Errorf("%s has rank %d, want %d", k, k.rank(), i)
		}
	}
	for i, s := range sourceOrder {
		if s.rank() != i {
			t.Errorf("%s has rank %d, want %d", s, s.rank(), i)
		}
	}
}

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

func TestWordsOfNames(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		name := someText(t, "delete", "user", "_", "-", ".", "ID", "Id", "x", "2", "é", "É", " ")
		var want []string
		for _, s := range scan.AppendWords(nil, name) {
			want = append(want, strings.ToLower(name[s.Start:s.End]))
		}
		for n := 1; n < 6; n++ {
			if got, want := lowerWords(nil, name, n), want[max(len(want)-n, 0):]; !slices.Equal(got, want) {
				t.Fatalf("%q: %q, want %q", name, got, want)
			}
		}
	})
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
