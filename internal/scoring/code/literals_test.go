package code

import (
	"slices"
	"strings"
	"testing"
)

func TestLiterals(t *testing.T) {
	t.Parallel()
	for code, want := range map[string][]string{
		`x = "DROP TABLE users"`:                                           {"DROP TABLE users"},
		"import os\n# don't\nos.system('rm \\'a\\'')\n":                    {`rm \'a\'`},
		"print(f'SELECT {\"a\"} FROM b')\nprint(r'''c\n'd' ''')\n":         {`SELECT {"a"} FROM b`, "c\n'd' "},
		"const x = `DELETE FROM ${table('t')} WHERE 1`;\nlet y = \"z\";":   {"DELETE FROM ", "t", " WHERE 1", "z"},
		"// the user's rows\ndb.Exec(\"DELETE FROM users\")\n":             {"DELETE FROM users"}, // of no language that is read
		"x = 'open\ny = \"closed\"\n":                                      {"closed"},
		"x = \"\"\ny = ''\n":                                               nil,
		"my $q = 'it\\'s'; # it's\n$dbh->do(\"DROP TABLE a\") or die 'b';": {`it\'s`, "DROP TABLE a", "b"},
	} {
		var got []string
		for _, l := range Literals(textOf(code)) {
			got = append(got, code[l.Start:l.End])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", code, got, want)
		}
	}
}

// A program in which no quote ends is read once, not once for each quote.
func TestQuotesThatCloseNothing(t *testing.T) {
	t.Parallel()
	code := strings.Repeat(`\'`, 1<<10) + "\n'x'"
	r := tokensOf(textOf(code), Way{Tolerant: true})
	if len(r.tokens) != 2<<10+2 || len(r.unquoted) != 1 || r.unquoted["'"] != 2<<10 {
		t.Errorf("%d tokens, %v", len(r.tokens), r.unquoted)
	}
	if all := Literals(textOf(code)); len(all) != 1 || code[all[0].Start:all[0].End] != "x" {
		t.Errorf("%v", all)
	}
}

func TestTokensOfAProgramAreMadeOnce(t *testing.T) {
	t.Parallel()
	text := textOf("import os\nos.remove('/srv/x')\n")
	program := Read("python", text)
	tokens := tokensOf(text, Way{}).tokens
	Literals(text)
	if again := tokensOf(text, Way{}).tokens; len(program.Acts) == 0 || len(tokens) == 0 || &tokens[0] != &again[0] {
		t.Errorf("%v and %v", tokens, again)
	}
	if other := tokensOf(text, Way{JS: true}).tokens; &other[0] == &tokens[0] {
		t.Error("another language has the same tokens")
	}
}
