package effects

import (
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// shorthand is what effects are in the examples: "delete all, read*".
func shorthand(all []Effect) string {
	var words []string
	for _, e := range all {
		word := string(e.Kind)
		if e.Sensitive {
			word += "*"
		}
		if e.Breadth != One {
			word += " " + string(e.Breadth)
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

// examplesOf reads an examples file.
func examplesOf(t *testing.T, file string, to any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.Unmarshal(text, to); err != nil {
		t.Fatal(err)
	}
}

func TestStatementExamples(t *testing.T) {
	t.Parallel()
	var examples []struct{ SQL, Want string }
	examplesOf(t, "statements_examples.yaml", &examples)
	for _, example := range examples {
		got := statementEffects(textOf(example.SQL), "/arguments/sql", 0)
		checkEffects(t, example.SQL, got)
		if got := shorthand(got); got != example.Want {
			t.Errorf("%s\ngot  %s\nwant %s", example.SQL, got, example.Want)
		}
	}
	if len(examples) < 100 {
		t.Errorf("%d examples, want at least 100", len(examples))
	}
}

// checkEffects holds what every effect has to be.
func checkEffects(t *testing.T, text string, all []Effect) {
	t.Helper()
	if len(all) == 0 {
		t.Fatalf("%q: no effect", text)
	}
	for _, e := range all {
		if !e.Kind.Valid() || e.Breadth.rank() < 0 || len(e.Evidence) == 0 {
			t.Fatalf("%q: %+v", text, e)
		}
		for _, place := range e.Evidence {
			if place.Start < 0 || place.End < place.Start || place.End > len(text) || place.Why == "" {
				t.Fatalf("%q: evidence %+v", text, place)
			}
		}
	}
}

func FuzzStatementEffects(f *testing.F) {
	for _, text := range []string{
		"SELECT a FROM b; DROP TABLE c", "/*!50000DROP*/ TABLE users", "DO $$ BEGIN EXECUTE 'DELETE FROM a'; END $$", `EXEC('DELETE FROM a WHERE b = ''c''')`,
		"WITH a (x) AS (SELECT 1) UPDATE b SET c = 1 WHERE (1=1)", "COPY a TO PROGRAM 'x'", "SELECT ((((", "MERGE INTO a USING b ON c WHEN MATCHED THEN DELETE", "EXPLAIN (ANALYZE) SELECT 1",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		checkEffects(t, text, statementEffects(textOf(text), "/code", 0))
		textOf(text).SQL().IsStatement()
	})
}
