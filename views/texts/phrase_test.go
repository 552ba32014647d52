package texts

import (
	"testing"
	"time"
)

// phrase is one as the rooms below have them.
type phrase struct {
	format string
	args   []any
}

func (p phrase) Phrase() (string, []any) { return p.format, p.args }

func TestPhrase(t *testing.T) {
	t.Parallel()
	pl := Printer{c: catalogueOf(t, "pl", polish)}
	for _, c := range []struct {
		p    Printer
		of   phrase
		want string
	}{
		{Printer{}, phrase{"Deny", nil}, "Deny"},
		{pl, phrase{"Deny", nil}, "Odmów"},
		{pl, phrase{"%d members", []any{3}}, "3 członkowie"},
		{pl, phrase{"Approved by %s in %s", []any{phrase{"Deny", nil}, phrase{"%d members", []any{5}}}}, "W 5 członków zatwierdził(a) Odmów"},
		{Printer{}, phrase{"%s", []any{phrase{"100 % of %s", nil}}}, "100 % of %s"},
		{pl, phrase{"Approved by %s in %s", []any{"%d {1} %[2]s", "%!s(x)"}}, "W %!s(x) zatwierdził(a) %d {1} %[2]s"},
		{Printer{}, phrase{"is %v and %s", []any{0.25, 90 * time.Second}}, "is 0.25 and 1m30s"},
		{Printer{}, phrase{"%.3q of %d", []any{"a%db", 1234}}, `"a%d" of 1,234`},
		{pl, phrase{"what an agent wrote: %s", nil}, "what an agent wrote: %s"},
	} {
		if got := c.p.Phrase(c.of); got != c.want {
			t.Errorf("%s: %q says %q, want %q", c.p.Language(), c.of, got, c.want)
		}
	}
}
