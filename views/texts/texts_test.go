package texts

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/language"
)

// catalogueOf reads a language as a file holds it.
func catalogueOf(t *testing.T, name, source string) *catalogue {
	t.Helper()
	var entries map[string]entry
	if err := json.Unmarshal([]byte(source), &entries); err != nil {
		t.Fatal(err)
	}

	return newCatalogue(language.MustParse(name), entries)
}

const (
	english = `{
		"Deny": "Deny",
		"%d members": {"one": "%d member", "other": "%d members"},
		"%s has %d keys": {"one": "%s has %d key", "other": "%s has %d keys"},
		"%d of %d days": {"arg": 2, "one": "%d of %d day", "other": "%d of %d days"},
		"Approved by %s in %s": "Approved by %s in %s"
	}`
	polish = `{
		"Deny": "Odmów",
		"%d members": {"one": "%d członek", "few": "%d członkowie", "many": "%d członków", "other": "%d członka"},
		"%s has %d keys": {"one": "%s ma %d klucz", "few": "%s ma %d klucze", "many": "%s ma %d kluczy", "other": "%s ma %d klucza"},
		"%d of %d days": {"arg": 2, "one": "%d z %d dnia", "few": "%d z %d dni", "many": "%d z %d dni", "other": "%d z %d dnia"},
		"Approved by %s in %s": "W %[2]s zatwierdził(a) %[1]s",
		"Press {1} to go %s": "Aby iść %s, naciśnij {1}"
	}`
)

func TestSay(t *testing.T) {
	t.Parallel()
	en, pl := Printer{c: catalogueOf(t, "en", english)}, Printer{c: catalogueOf(t, "pl", polish)}
	for _, c := range []struct {
		p    Printer
		key  string
		args []any
		want string
	}{
		{en, "Deny", nil, "Deny"},
		{pl, "Deny", nil, "Odmów"},
		{en, "%d members", []any{1}, "1 member"},
		{en, "%d members", []any{0}, "0 members"},
		{en, "%d members", []any{12345}, "12,345 members"},
		{en, "%d members", []any{int64(1)}, "1 member"},
		{en, "%d members", []any{-1234}, "-1,234 members"},
		{en, "%d members", []any{uint64(1 << 63)}, "9,223,372,036,854,775,808 members"},
		{pl, "%d members", []any{1}, "1 członek"},
		{pl, "%d members", []any{3}, "3 członkowie"},
		{pl, "%d members", []any{5}, "5 członków"},
		{pl, "%d members", []any{12345}, "12\u00a0345 członków"},
		{en, "%s has %d keys", []any{"Mei", 1}, "Mei has 1 key"},
		{en, "%d of %d days", []any{1, 7}, "1 of 7 days"},
		{en, "%d of %d days", []any{1, 1}, "1 of 1 day"},
		{pl, "Approved by %s in %s", []any{"Mei", "3 s"}, "W 3 s zatwierdził(a) Mei"},
		{pl, "Not translated", nil, "Not translated"},
		{pl, "100 % of it", nil, "100 % of it"},
		{en, "Mark %s", []any{"%d {1} ⟦"}, "Mark %d {1} ⟦"},
		{Printer{}, "Mark %s", []any{"x"}, "Mark x"},
	} {
		if got := c.p.Say(c.key, c.args...); got != c.want {
			t.Errorf("%s: Say(%q, %v) = %q, want %q", c.p.Language(), c.key, c.args, got, c.want)
		}
	}
}

func TestPieces(t *testing.T) {
	t.Parallel()
	pl := Printer{c: catalogueOf(t, "pl", polish)}
	for _, c := range []struct {
		p    Printer
		key  Key
		args []any
		want string
	}{
		{Printer{}, "Press {1} or {2}.", nil, `[{"Press " 0} {"" 1} {" or " 0} {"" 2} {"." 0}]`},
		{Printer{}, "Press {1} to go %s", []any{"{1} up"}, `[{"Press " 0} {"" 1} {" to go {1} up" 0}]`},
		{pl, "Press {1} to go %s", []any{"{2}"}, `[{"Aby iść {2}, naciśnij " 0} {"" 1}]`},
		{Printer{}, "%s, {1} and %s", []any{"a", "b"}, `[{"a, " 0} {"" 1} {" and b" 0}]`},
		{Printer{}, "%[2]s, {1} and %[1]s", []any{"a", "b"}, `[{"b, " 0} {"" 1} {" and a" 0}]`},
		{Printer{}, "100 % of { {0} {x} {1", nil, `[{"100 % of { {0} {x} {1" 0}]`},
		{Printer{}, "", nil, `[]`},
	} {
		if got := plain(c.p.Pieces(c.key, c.args...)); got != c.want {
			t.Errorf("%s: Pieces(%q, %q) = %s, want %s", c.p.Language(), c.key, c.args, got, c.want)
		}
	}
}

func plain(pieces []Piece) string {
	all := make([]string, len(pieces))
	for i, p := range pieces {
		all[i] = fmt.Sprintf("{%q %d}", p.Text, p.Place)
	}

	return "[" + strings.Join(all, " ") + "]"
}

func TestMatch(t *testing.T) {
	t.Parallel()
	all := []*catalogue{catalogueOf(t, "en", english), catalogueOf(t, "pl", polish), catalogueOf(t, "pt-BR", `{}`)}
	for header, want := range map[string]string{
		"":                         "en",
		"pl":                       "pl",
		"pl-PL,pl;q=0.9,en;q=0.8":  "pl",
		"de, pl;q=0.5":             "pl",
		"de":                       "en",
		"pt":                       "pt-BR",
		"*":                        "en",
		"en;q=0.1,pl;q=0.0":        "en",
		";;;,,=":                   "en",
		strings.Repeat("pl,", 999): "en",
	} {
		if got := match(all, header).Language(); got != want {
			t.Errorf("%.40q is answered in %s, want %s", header, got, want)
		}
		if got := match(all[:1], header).Language(); got != "en" {
			t.Errorf("%.40q is answered in %s where there is English only", header, got)
		}
	}
	if got := Match("xx").Language(); got != "en" {
		t.Errorf("an unknown language is answered in %s", got)
	}
	if got := Languages(); got[0] != "en" {
		t.Errorf("the languages are %q", got)
	}
}

func TestContext(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	if got := From(ctx); got != (Printer{}) {
		t.Errorf("an empty context says %s", got.Language())
	}
	pl := Printer{c: catalogueOf(t, "pl", polish)}
	ctx = With(ctx, pl)
	if got := Say(ctx, "Deny"); got != "Odmów" {
		t.Errorf("with Polish in the context: %q", got)
	}
	if got := From(ctx).Number(12345); got != "12\u00a0345" {
		t.Errorf("a number alone: %q", got)
	}
	if got := From(ctx).Key(Key("%d members"), 2); got != "2 członkowie" {
		t.Errorf("with a Key: %q", got)
	}
}

func TestPseudo(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Deny":               "⟦Deny⟧",
		"Press {1} to go %s": "⟦Press ⟧{1}⟦ to go %s⟧",
		"{1} {2}":            "{1} {2}",
		"":                   "",
	} {
		if got := bracket(in); got != want {
			t.Errorf("bracket(%q) = %q, want %q", in, got, want)
		}
	}
	if got := Pseudo().Language(); got != "en-x-pseudo" {
		t.Errorf("the language is %s", got)
	}
	if got := Pseudo().Say("not in any catalogue"); got != "not in any catalogue" {
		t.Errorf("what is not in the catalogue is said as %q", got)
	}
}

// TestSayCostsNothing: a page says hundreds of texts.
func TestSayCostsNothing(t *testing.T) {
	ctx := context.Background()
	if n := testing.AllocsPerRun(100, func() { _ = Say(ctx, "Deny") }); n != 0 {
		t.Errorf("a text in English takes %v allocations", n)
	}
}

// kept collects the complaints of a check.
type kept []string

func (k *kept) Helper()                           {}
func (k *kept) Errorf(format string, args ...any) { *k = append(*k, fmt.Sprintf(format, args...)) }

// TestLanguageFaultsAreFound: what is wrong in the file of a language is named.
func TestLanguageFaultsAreFound(t *testing.T) {
	t.Parallel()
	en := catalogueOf(t, "en", english).entries
	for name, c := range map[string]struct{ old, new, want string }{
		"a text is missing":     {`"Deny": "Odmów",`, ``, `has no "Deny"`},
		"a text too many":       {`"Deny": "Odmów",`, `"Deny": "Odmów", "Deny!": "x",`, `English has no "Deny!"`},
		"a verb is missing":     {`zatwierdził(a) %[1]s`, `zatwierdził(a)`, `has the verbs`},
		"another verb":          {`%d członek`, `%s członek`, `has the verbs`},
		"a category is missing": {`"many": "%d członków", `, ``, `has no form for 0`},
		"no number decides":     {`{"one": "%d członek", "few": "%d członkowie", "many": "%d członków", "other": "%d członka"}`, `"%d członków"`, `decided by a number`},
		"an empty text":         {`"Odmów"`, `" "`, `is empty`},
		"a space too many":      {`"Odmów"`, `"Odmów "`, `ends with a space`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source := strings.Replace(strings.Replace(polish, c.old, c.new, 1), `,
		"Press {1} to go %s": "Aby iść %s, naciśnij {1}"`, "", 1)
			var found kept
			compare(&found, "pl.json", en, catalogueOf(t, "pl", source).entries)
			if !slices.ContainsFunc(found, func(s string) bool { return strings.Contains(s, c.want) }) {
				t.Errorf("found %q, want %q", found, c.want)
			}
		})
	}
	var found kept
	compare(&found, "pl.json", en, catalogueOf(t, "pl", strings.Replace(polish, `,
		"Press {1} to go %s": "Aby iść %s, naciśnij {1}"`, "", 1)).entries)
	if len(found) > 0 {
		t.Errorf("a sound language has the faults %q", found)
	}
}
