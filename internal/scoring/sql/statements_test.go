package sql

import (
	"slices"
	"strings"
	"testing"
)

// verbsOf are what the statements of a text begin with.
func verbsOf(text string, said bool) (all []string) {
	for _, s := range Read(text).Statements(said) {
		all = append(all, s.Tokens[s.At].Word())
	}
	return all
}

func TestStatements(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text string
		said bool
		want string
	}{
		{"SELECT a FROM b; DROP TABLE c", true, "SELECT DROP"},
		{"SELECT ';DROP TABLE c' FROM b", true, "SELECT"},
		{"SELECT a FROM b -- ; DROP TABLE c", true, "SELECT SELECT"}, // in both dialects
		{"/*!50000DROP*/ TABLE users", true, "DROP"},
		{"WITH d AS (DELETE FROM a RETURNING *) SELECT * FROM d", true, "DELETE"},
		{"SELECT 1 DELETE FROM a", true, "SELECT DELETE"},
		{"Update me on the move", false, ""},
		{"delete the old rows from the list", false, ""},
		{"drop table error in production", false, "DROP"},
		{"select one from the menu", false, ""},
	} {
		if got := verbsOf(test.text, test.said); !slices.Equal(got, strings.Fields(test.want)) {
			t.Errorf("%q: %q, want %q", test.text, got, test.want)
		}
	}
}

func TestEveryRow(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"DELETE FROM a":                                          true,
		"DELETE FROM a WHERE id = 1":                             false,
		"DELETE FROM a WHERE 1 = 1":                              true,
		"DELETE FROM a WHERE id = id":                            true,
		"DELETE FROM a WHERE id = 1 OR true":                     true,
		"DELETE FROM a WHERE 1=1 AND 2=2 AND true":               true,
		"DELETE FROM a WHERE 1=1 AND id = 2":                     false,
		"DELETE FROM a WHERE name LIKE '%'":                      true,
		"DELETE FROM a WHERE name LIKE 'b%'":                     false,
		"DELETE FROM a WHERE 1 <> 2":                             true,
		"DELETE FROM a WHERE NOT FALSE":                          true,
		"DELETE FROM a LIMIT 10":                                 false,
		"UPDATE a SET b = 1":                                     true,
		"UPDATE a SET b = (SELECT c FROM d WHERE e = 1)":         true,
		"WITH d AS (DELETE FROM a) SELECT * FROM d WHERE 1=2":    true,
		"UPDATE a SET b = 1 WHERE (id = 3)":                      false,
		"UPDATE a SET b = 1 WHERE ((TRUE))":                      true,
		"SELECT a FROM b":                                        false,
		"DELETE FROM a WHERE EXISTS (SELECT 1 FROM b WHERE 1=1)": false,
	} {
		all := Read(text).Statements(true)
		if len(all) == 0 || all[0].EveryRow() != want {
			t.Errorf("%q: every row is %v, want %v", text, !want, want)
		}
	}
}

func FuzzStatements(f *testing.F) {
	for _, text := range []string{"SELECT a FROM b; DROP TABLE c", "/*!50000DROP*/ TABLE users", "DO $$ BEGIN DELETE FROM a; END $$", "SELECT 'a\\'b' # c", `[a "b `} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, s := range Read(text).Statements(true) {
			s.EveryRow()
			end := 0
			for _, token := range s.Tokens {
				if token.Start() < end || token.End() <= token.Start() || token.End() > len(text) {
					t.Fatalf("%q: a token stands from %d to %d", text, token.Start(), token.End())
				}
				end = token.End()
			}
		}
	})
}
