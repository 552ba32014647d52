package approvals

import (
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/scoring/facts"
)

// TestEnds: what chance made is asked by its end, and what people named is not.
func TestEnds(t *testing.T) {
	t.Parallel()
	for v, any := range map[string]string{
		"9a1c44f0-6e0b-4f5e-a7d1-0b6c9e2f81d3": hexadec, "3f786850e387550fdab836ed7e6dc881de23001b": hexadec, "pi_3MtwBwLkdIwHu7ix28a3tqPa": base62,
		"sub_01hv8x29kz0t586xy6zn1a62ny": crockford, "DE16370400440792337483": "0123456789", "r-2517278740340346417": "0123456789", "1k7sG1iu_Zy8UDBvMfPXBXJ7tChnhZ7f": base62,
	} {
		right := "…" + v[len(v)-endLength:]
		for i := range 50 {
			values := around{}.ends(subject{value: v, label: "id"}, seeded(uint64(i)))
			if len(values) != quizOptions || values[0] != right {
				t.Fatalf("%s: %q", v, values)
			}
			for _, o := range values {
				end, cut := strings.CutPrefix(o, "…")
				if again, ok := (subject{label: "id", value: v[:len(v)-endLength] + end}).end(); !cut || strings.Trim(end, any) != "" || !ok || again.value != o {
					t.Errorf("%s is offered as %q, which is none of its kind", v, o)
				}
			}
		}
		if values := (around{own: values{v: 1}}).ends(subject{value: v}, seeded(1)); values != nil {
			t.Errorf("%s was in an earlier call, and is asked by %q", v, values)
		}
		known := pool{{"", "id"}: {v: {"another"}}}
		if values := (around{pool: known}).ends(subject{value: v, label: "id"}, seeded(1)); values != nil {
			t.Errorf("%s is known to others, and is asked by %q", v, values)
		}
	}
	for _, v := range []string{
		"checkout-prod", "customer-exports", "release-2026-candidate", "prod2024backup1", "/srv/exports/2021/billing", "9a1c44f0-6e0b-4f5e-a7d1-000000000000",
		"3f786850e387550fdab836ed7e6dc881de232026", "/blobs/3f786850e387550fdab836ed7e6dc881/latest", "dana.wheeler@example.com", "4111111111111111", "pi_3MtwBwLkdIwHu7ix28a3prod", "documentation", "thisEventOnly", "usr_4821",
	} {
		if end, ok := (subject{value: v, label: "id"}).end(); ok {
			t.Errorf("%s is asked by its end %q", v, end.value)
		}
	}
	for label, prompt := range map[string]string{"payment intent": "How does the payment intent ID end?", "sha": "How does the SHA end?", "to": "How does the value of “to” end?"} {
		if end, _ := (subject{kind: valueKind, label: label, value: "pi_3MtwBwLkdIwHu7ix28a3tqPa"}).end(); end.prompt != prompt {
			t.Errorf("%q, want %q", end.prompt, prompt)
		}
	}
}

// TestLists: of a list its last value is asked for by options, of which no other one is in it,
// and never typed, since nobody could say which one is meant.
func TestLists(t *testing.T) {
	t.Parallel()
	for i := range 50 {
		a := proposed(t, "apr_l", "worker", body{"function": "delete_records", "session_id": "s", "arguments": args{
			"base_id": "base_48213", "records": []any{"rec_90217", "rec_90342", "rec_90587"}, "line_items": []any{args{"sku": "K-77193", "price": "12"}},
		}})
		w, all := newAround(a, nil), a.subjects()
		at := slices.IndexFunc(all, func(s subject) bool { return s.value == "rec_90587" })
		if at < 0 || slices.ContainsFunc(all, func(s subject) bool { return s.value == "rec_90217" || s.value == "rec_90342" }) {
			t.Fatalf("%+v", all)
		}
		s := all[at]
		if _, strength := s.part(false); strength > 0 || s.carries() {
			t.Errorf("%+v is typed, or tells the effect", s)
		}
		values := w.options(s, seeded(uint64(i)))
		if len(values) != quizOptions || slices.Contains(values, "rec_90217") || slices.Contains(values, "rec_90342") {
			t.Errorf("%q", values)
		}
		if !slices.ContainsFunc(all, func(s subject) bool { return s.label == "sku" }) {
			t.Errorf("nothing in an object of a list is asked for: %+v", all)
		}
	}
	near := "rec_90521" // which the list has, too
	s := subject{kind: valueKind, label: "records", value: "rec_90587", list: []string{near}}
	for i := range 500 {
		if slices.Contains(newAround(Approval{}, nil).options(s, seeded(uint64(i))), near) {
			t.Fatalf("%s is offered as wrong, and is in the list", near)
		}
	}
}

// TestNames: what says little by itself is asked for with what it is in, and what makes no
// noun stands between quotes.
func TestNames(t *testing.T) {
	t.Parallel()
	a := proposed(t, "apr_n", "worker", body{"function": "create_call", "arguments": args{
		"customer": args{"number": "K-4268"}, "filter": args{"orders": args{"$lt": 769}}, "ports": "8000-9000",
	}})
	var got []string
	for _, s := range a.subjects() {
		got = append(got, s.prompt)
	}
	for _, want := range []string{"Which customer number?", "What is the value of “ports”?"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is not among %q", want, got)
		}
	}
	if slices.ContainsFunc(a.subjects(), func(s subject) bool { return s.value == "769" }) {
		t.Error("an operator of a filter is asked for")
	}
}

// TestDaysOfThisMonth: in the month in which a request came, half of the days are over.
func TestDaysOfThisMonth(t *testing.T) {
	t.Parallel()
	s := subject{kind: string(facts.Time), label: "date", value: "2026-05-19"}
	if values := (around{month: "2026-05"}).options(s, seeded(1)); values != nil {
		t.Errorf("asked by %q", values)
	}
	if values := (around{month: "2026-03"}).options(s, seeded(1)); len(values) != quizOptions {
		t.Errorf("not asked: %q", values)
	}
}

// TestRelated: what two values have before their numbers tells nothing of either.
func TestRelated(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		one, other string
		want       bool
	}{
		{"cus_48213", "cus_90217", false},
		{"RE-2026-1808", "INV-2026-4417", false},
		{"cus_48213", "inv_48213", true},
		{"web-eu-1", "web-us", true},
		{"acme-payments", "acme-web", true},
		{"orders", "billing", false},
	} {
		if got := (subject{label: "a", value: c.one}).related(subject{label: "b", value: c.other}); got != c.want {
			t.Errorf("%s and %s: %v", c.one, c.other, got)
		}
	}
}

// TestNeverAsked: what is nearly always the same is never asked, and a year is never changed.
func TestNeverAsked(t *testing.T) {
	t.Parallel()
	a := proposed(t, "apr_v", "worker", body{"function": "delete_user", "environment": "production", "arguments": args{"user_id": "usr_4821", "env": "production", "note": "on leave"}})
	for _, s := range a.subjects() {
		if s.value == "production" {
			t.Errorf("%q is asked", s.prompt)
		}
	}
	for i := range 50 {
		for _, o := range made("report-2026", func(string) bool { return true }, seeded(uint64(i))) {
			t.Errorf("%s is made of a year", o)
		}
	}
}

// TestBesideAWord: where a word is typed, of which somebody may think, another value that only
// the request says is asked for, too.
func TestBesideAWord(t *testing.T) {
	t.Parallel()
	a := proposed(t, "apr_w", "worker", body{"function": "delete_user", "arguments": args{"user_id": "usr_48213", "reason": "abuse", "origin": "hotline"}})
	for i := range 20 {
		typed := 0
		for _, q := range quiz(a, newAround(a, nil), asked{}, seeded(uint64(i))) {
			if q.Typed {
				typed++
			}
		}
		if typed != 2 {
			t.Errorf("%d of the two words are typed", typed)
		}
	}
}

// TestTheSessionTellsNothing: of two values that only the request says of all requests, and
// its row does not, the one that another row of the session says is not typed.
func TestTheSessionTellsNothing(t *testing.T) {
	t.Parallel()
	call := func(id, function string, arguments args) Approval {
		a := proposed(t, id, "worker", body{"function": function, "session_id": "s", "arguments": arguments})
		a.Session = "s"
		return a
	}
	a := call("apr_a", "delete_user", args{"user_id": "usr_48213", "ticket": "SUP-77120", "badge": "B9-1364"})
	for _, beside := range []Approval{
		call("apr_b", "delete_ticket", args{"ticket": "SUP-77120"}),
		call("apr_b", "delete_file", args{"path": "/exports/SUP-77120.pdf"}), // in its row only
	} {
		for i := range 20 {
			typed := 0
			for _, q := range quiz(a, newAround(a, nil, []Approval{beside}), asked{}, seeded(uint64(i))) {
				if q.Typed {
					typed++
				}
				if q.Typed && q.About == "ticket" {
					t.Errorf("%s is in another row of the session: %s", q.Prompt, beside.Subject().Sentence)
				}
			}
			if typed == 0 { // the badge alone is said nowhere else
				t.Errorf("nothing is typed beside %s", beside.Subject().Sentence)
			}
		}
	}
}
