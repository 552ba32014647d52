package lifetest

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/facts"
)

func laidOut(t *testing.T, body map[string]any) (approvals.Reading, scoring.Action) {
	t.Helper()
	b, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := canon.Parse(b)
	if err != nil {
		t.Fatal(err)
	}
	action, err := scoring.NewAction(tree)
	if err != nil {
		t.Fatal(err)
	}
	a := approvals.Approval{}
	a.Assessment.Facts = []facts.Fact{{Pointer: "/arguments/user_id"}, {Pointer: "/arguments/z/0"}}
	return a.Reading(action), action
}

// Whatever the act, its sections hold all of it once and in order, each within its
// bounds, and there are not too many of them.
func TestSectionsHoldEverything(t *testing.T) {
	t.Parallel()
	lines := func(n int, text string) string { return strings.Repeat(text+"\n", n) }
	many := map[string]any{}
	for i := range 900 {
		many[fmt.Sprintf("k%03d", i)] = i
	}
	for _, test := range []struct {
		name     string
		act      map[string]any
		min, max int
	}{
		{"small", map[string]any{"arguments": map[string]any{"user_id": "usr_1"}}, 1, 1},
		{"nothing", map[string]any{}, 1, 1},
		{"200 lines", map[string]any{"code": strings.TrimSuffix(lines(200, "x"), "\n")}, 1, 1},
		{"201 lines", map[string]any{"code": strings.TrimSuffix(lines(201, "x"), "\n")}, 2, 2},
		{"8 KiB", map[string]any{"code": strings.Repeat("x", 8<<10-len("/code"))}, 1, 1},
		{"a byte more", map[string]any{"code": strings.Repeat("x", 8<<10-len("/code")+1)}, 2, 2},
		{"60 KiB of lines", map[string]any{"arguments": map[string]any{"user_id": "u", "z": []any{"w"}}, "code": lines(1500, strings.Repeat("y", 40))}, 8, 9},
		{"one long line", map[string]any{"code": strings.Repeat("ab c", 50<<8)}, 7, 8},
		{"one long word", map[string]any{"arguments": map[string]any{"a": strings.Repeat("é", 30<<10)}}, 8, 9},
		{"many values", map[string]any{"arguments": many}, 5, 5},
		{"a long name over a long text", map[string]any{"arguments": map[string]any{strings.Repeat("n", 60<<10): strings.Repeat("t ", 30<<10)}}, 2, 130},
		{"very many lines", map[string]any{"code": lines(100_000, "")}, 60, 130},
		{"short and long lines by turns", map[string]any{"code": lines(14, "a\n"+strings.Repeat("b", 9<<10))}, 14, 60},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.act["function"] = "f"
			r, action := laidOut(t, test.act)
			if n := len(r.Sections); n < test.min || n > test.max {
				t.Errorf("%d sections, want %d to %d", n, test.min, test.max)
			}
			values := map[string]string{}
			last := ""
			for _, section := range r.Sections {
				bytes, count := 0, 0
				for _, p := range section {
					if p.Start != len(values[p.Pointer]) || p.Start > 0 && p.Pointer != last {
						t.Errorf("%.40s goes on at %d after %d bytes of %.40s", p.Pointer, p.Start, len(values[p.Pointer]), last)
					}
					values[p.Pointer] += p.Text
					last = p.Pointer
					bytes, count = bytes+len(p.Text), count+strings.Count(p.Text, "\n")
				}
				if bytes > approvals.SectionBytes || count > approvals.SectionLines && !strings.HasPrefix(test.name, "very") {
					t.Errorf("a section of %d bytes and %d lines", bytes, count)
				}
			}
			want := map[string]string{}
			for _, l := range facts.Leaves(action.Arguments()) {
				want[l.Pointer] = l.Text
			}
			if action.Code() != "" {
				want["/code"] = action.Code()
			}
			if fmt.Sprint(values) != fmt.Sprint(want) {
				t.Error("the sections do not hold what the act holds")
			}
		})
	}
}

func TestFactsAreReadFirst(t *testing.T) {
	t.Parallel()
	r, _ := laidOut(t, map[string]any{"function": "f", "code": "x", "arguments": map[string]any{"a": 1, "user_id": "u", "z": []any{"w", "v"}}})
	var order []string
	for _, p := range r.Sections[0] {
		order = append(order, p.Pointer)
	}
	if got := strings.Join(order, " "); got != "/arguments/user_id /arguments/z/0 /arguments/a /arguments/z/1 /code" {
		t.Error(got)
	}
}

// The digest of the text is that which docs/reading.md says.
func TestTheDigestOfTheTextCanBeRecomputed(t *testing.T) {
	t.Parallel()
	r, _ := laidOut(t, map[string]any{"function": "f", "environment": "e", "code": "x\n", "arguments": map[string]any{"a": 1, "user_id": "u\u202e"}})
	sum := sha256.Sum256([]byte(`["/function","string",0,"f"]
["/environment","string",0,"e"]
["/arguments/user_id","string",0,"u` + "\u202e" + `"]
["/arguments/a","number",0,"1"]
["/code","string",0,"x\n"]

`))
	if want := hex.EncodeToString(sum[:]); r.SHA256 != want {
		t.Errorf("%s, want %s", r.SHA256, want)
	}
}

// largeAct is held for a confirmation by one click, and read in four sections.
var largeAct = strings.Replace(confirm, `"staging"`, fmt.Sprintf(`"staging","notes":%q`, strings.Repeat("echo step\n", 500)), 1)

// No operator approves a large act of which they have not acknowledged every
// section, in this version; to deny, nobody has to.
func TestALargeActIsReadBeforeItIsApproved(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.waiting(largeAct, scoring.ChallengeConfirm)
	approve := func(m auth.Member) error {
		v := h.show(m, a.ID)
		h.clock.advance(time.Minute)
		_, err := h.decide(m, a.ID, form(v))
		return err
	}
	read := func(m auth.Member, section int, version int64, digest string) error {
		return h.Acknowledge(t.Context(), m, a.ID, approvals.AcknowledgeInput{Section: section, Version: version, Digest: digest})
	}
	n := len(h.show(h.ada, a.ID).Reading.Sections)
	if n != 4 {
		t.Fatalf("%d sections", n)
	}
	wantFault(t, "nothing read", approve(h.ada), fault.Unread)
	for _, section := range []int{1, 3, 1, 4} {
		if err := read(h.ada, section, 1, a.ShownDigest); err != nil {
			t.Fatal(err)
		}
	}
	wantFault(t, "one is missing", approve(h.ada), fault.Unread)
	wantFault(t, "no such section", read(h.ada, 5, 1, a.ShownDigest), fault.InvalidForm)
	wantFault(t, "section 0", read(h.ada, 0, 1, a.ShownDigest), fault.InvalidForm)
	wantFault(t, "of another version", read(h.ada, 2, 2, a.ShownDigest), fault.Changed)
	wantFault(t, "of another act", read(h.ada, 2, 1, "sha256:"+strings.Repeat("0", 64)), fault.Changed)
	wantFault(t, "somebody who may not decide", read(h.eve, 2, 1, a.ShownDigest), fault.NotEligible)
	for section := range n { // what ben read is no reading of ada's
		if err := read(h.ben, section+1, 1, a.ShownDigest); err != nil {
			t.Fatal(err)
		}
	}
	wantFault(t, "read by somebody else", approve(h.ada), fault.Unread)
	if err := read(h.ada, 2, 1, a.ShownDigest); err != nil {
		t.Fatal(err)
	}
	if err := approve(h.ada); err != nil {
		t.Fatal(err)
	}
	wantFault(t, "after the end", read(h.ada, 2, 1, a.ShownDigest), fault.AlreadyDecided)
	h.wantTrail("read and approved", a.ID, audit.Submitted, audit.Viewed, audit.ChallengeIssued,
		audit.SectionRead, audit.SectionRead, audit.SectionRead, audit.SectionRead, audit.SectionRead, audit.SectionRead, audit.SectionRead, audit.SectionRead, audit.Approved)

	denied := h.waiting(strings.Replace(largeAct, "\"checkout\"", "\"other\"", 1), scoring.ChallengeConfirm)
	h.refuse(h.ada, denied, approvals.VerdictDeny)
	h.status("denied unread", denied.ID, approvals.Denied)
	small := h.waiting(confirm, scoring.ChallengeConfirm)
	wantFault(t, "a small one has none", h.Acknowledge(t.Context(), h.ada, small.ID, approvals.AcknowledgeInput{Section: 1, Version: 1, Digest: small.ShownDigest}), fault.InvalidForm)
}

// A quiz about a large act begins when all of it was read.
func TestALargeActIsReadBeforeItsQuiz(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.waiting(strings.Replace(asking, `"arguments":{`, fmt.Sprintf(`"arguments":{"notes":%q,`, strings.Repeat("line\n", 400)), 1), scoring.ChallengeQuiz)
	v := h.show(h.ada, a.ID)
	wantFault(t, "start unread", h.StartQuiz(t.Context(), h.ada, a.ID), fault.Unread)
	for n := range v.Reading.Sections {
		if err := h.Acknowledge(t.Context(), h.ada, a.ID, approvals.AcknowledgeInput{Section: n + 1, Version: 1, Digest: a.ShownDigest}); err != nil {
			t.Fatal(err)
		}
	}
	if err := h.StartQuiz(t.Context(), h.ada, a.ID); err != nil {
		t.Fatal(err)
	}
}
