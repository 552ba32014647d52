package lifetest

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring"
)

func pick(a approvals.Approval) approvals.Pick {
	return approvals.Pick{ID: a.ID, Version: a.Version, Digest: a.ShownDigest}
}

// data is a text in the data of the events of one kind about an approval.
func (h *house) data(id string, k audit.Kind, path ...string) string {
	h.t.Helper()
	records, err := h.db.Audit().Events(h.t.Context(), "acme", -1, 1000)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, r := range records {
		if r.Event.Approval == id && r.Event.Kind == k {
			v := r.Event.Data
			for _, name := range path {
				v = v.Get(name)
			}
			return v.Text()
		}
	}
	h.t.Fatalf("no %s about %s", k, id)
	return ""
}

func wantOutcomes(t *testing.T, what string, all []approvals.Outcome, want ...fault.Code) {
	t.Helper()
	if len(all) != len(want) {
		t.Fatalf("%s: %d outcomes, want %d: %+v", what, len(all), len(want), all)
	}
	for i, o := range all {
		switch {
		case want[i] == "" && o.Refused != nil, want[i] != "" && (o.Refused == nil || o.Refused.Code != want[i]):
			t.Errorf("%s, number %d: %v, want %q", what, i, o.Refused, want[i])
		case want[i] != fault.Missing && o.Approval.ID != o.ID:
			t.Errorf("%s, number %d: the outcome of %s shows %q", what, i, o.ID, o.Approval.ID)
		}
	}
}

// Each of several is denied by itself, and what cannot be says why.
func TestDenyAll(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a, b := h.waiting(confirm, scoring.ChallengeConfirm), h.waiting(asking, scoring.ChallengeQuiz)
	gone, changed := h.waiting(confirmWith("one"), scoring.ChallengeConfirm), h.waiting(confirmWith("two"), scoring.ChallengeConfirm)
	h.refuse(h.ben, gone, approvals.VerdictDeny)
	seen := pick(changed)
	seen.Digest = a.ShownDigest
	older := pick(changed)
	older.Version = 7
	picks := []approvals.Pick{pick(a), pick(gone), seen, pick(b), pick(a), {ID: "apr_no", Version: 1}}
	batch, all, err := h.DenyAll(t.Context(), h.ada, picks, " a flood ")
	if err != nil {
		t.Fatal(err)
	}
	wantOutcomes(t, "six ticks", all, "", fault.AlreadyDecided, fault.Changed, "", fault.Missing)
	for _, one := range []approvals.Approval{a, b} {
		d := h.get(one.ID).Decision
		if d.Verdict != approvals.VerdictDeny || d.Reason != "a flood" || d.DecidedBy[0].ID != h.ada.Person.ID || d.Evidence.Batch != batch {
			t.Errorf("%s: %+v, %+v", one.Function, d, d.Evidence)
		}
		if got := h.data(one.ID, audit.Denied, "batch"); got != batch || batch == "" {
			t.Errorf("%s: the event's batch is %q, want %q", one.Function, got, batch)
		}
		h.wantTrail("denied", one.ID, audit.Submitted, audit.Denied)
	}
	h.status("another digest", changed.ID, approvals.Pending)
	_, all, err = h.DenyAll(t.Context(), h.ada, []approvals.Pick{older}, "x")
	if err != nil {
		t.Fatal(err)
	}
	wantOutcomes(t, "another version", all, fault.Changed)

	h.clock.advance(time.Hour)
	_, all, err = h.DenyAll(t.Context(), h.ada, []approvals.Pick{pick(changed)}, "x")
	if err != nil {
		t.Fatal(err)
	}
	wantOutcomes(t, "too late", all, fault.Expired)

	h.owned(h.ada)
	own := h.waiting(confirm, scoring.ChallengeConfirm)
	_, all, err = h.DenyAll(t.Context(), h.ada, []approvals.Pick{pick(own)}, "x")
	if err != nil {
		t.Fatal(err)
	}
	wantOutcomes(t, "the owner", all, fault.NotEligible)

	many := make([]approvals.Pick, approvals.MaxBatch+1)
	for what, err := range map[string]error{
		"none":      errorOf(h.DenyAll(t.Context(), h.ada, nil, "x")),
		"201":       errorOf(h.DenyAll(t.Context(), h.ada, many, "x")),
		"no reason": errorOf(h.DenyAll(t.Context(), h.ben, []approvals.Pick{pick(own)}, " ")),
	} {
		wantFault(t, what, err, fault.InvalidForm)
	}
	wantFault(t, "an admin", errorOf(h.DenyAll(t.Context(), h.eve, []approvals.Pick{pick(own)}, "x")), fault.Denied)
	h.status("after what was refused", own.ID, approvals.Pending)
	stranger := auth.Member{Tenant: "beta", Person: h.ada.Person, Roles: auth.Roles()}
	_, all, err = h.DenyAll(t.Context(), stranger, []approvals.Pick{pick(own)}, "x")
	if err != nil {
		t.Fatal(err)
	}
	wantOutcomes(t, "another organisation", all, fault.Missing)
}

func errorOf[A, B any](_ A, _ B, err error) error { return err }

// Two who deny the same in one go: each request is denied once.
func TestDenyAllRaces(t *testing.T) {
	t.Parallel()
	long.Race(t)
	h := newHouse(t)
	var picks []approvals.Pick
	for range 20 {
		picks = append(picks, pick(h.waiting(confirm, scoring.ChallengeConfirm)))
	}
	denied := make(chan int, 2)
	race(t, 2, "", func(ctx context.Context, i int) error {
		_, all, err := h.DenyAll(ctx, []auth.Member{h.ada, h.ben}[i], picks, "x")
		n := 0
		for _, o := range all {
			if o.Refused == nil {
				n++
			} else if o.Refused.Code != fault.AlreadyDecided {
				t.Errorf("%s: %v", o.ID, o.Refused)
			}
		}
		denied <- n
		return err
	})
	if n := <-denied + <-denied; n != len(picks) {
		t.Errorf("%d denials of %d requests", n, len(picks))
	}
}

// What a page offers is taken, however many requests are identical.
func TestDecideAlikeTakesWhatIsShown(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	first := h.waiting(confirm, scoring.ChallengeConfirm)
	for range 100 { // more than are counted, so that the first one is not among them
		h.submit(confirm)
	}
	v := h.show(h.ada, first.ID)
	h.clock.advance(5 * time.Second)
	in := form(v)
	in.Also = v.Twins
	done, all, err := h.DecideAlike(t.Context(), h.ada, first.ID, in)
	if err != nil || done.Status != approvals.Approved || len(all) != 98 {
		t.Errorf("%s with %d others, %v", done.Status, len(all), err)
	}
}

// One yes for identical requests: each gets its own, and only while it is the same
// act, in the version that was seen.
func TestDecideAlike(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	first := h.waiting(confirm, scoring.ChallengeConfirm)
	second, third, fourth := h.submit(confirm), h.submit(confirm), h.submit(confirm)
	other := h.waiting(confirmWith("basket"), scoring.ChallengeConfirm)
	v := h.show(h.ada, first.ID)
	if len(v.Identical) != 3 || len(v.Twins) != 3 || v.Twins[0] != (approvals.Twin{ID: second.ID, Version: 1}) {
		t.Fatalf("identical %q, twins %+v", v.Identical, v.Twins)
	}
	h.clock.advance(5 * time.Second)
	in := form(v)
	in.Also = []approvals.Twin{{ID: second.ID, Version: 1}, {ID: third.ID, Version: 1}, {ID: fourth.ID, Version: 2}, {ID: other.ID, Version: 1}, {ID: "apr_no", Version: 1}, {ID: second.ID, Version: 1}}
	h.refuse(h.ben, third, approvals.VerdictDeny)
	done, all, err := h.DecideAlike(t.Context(), h.ada, first.ID, in)
	if err != nil || done.Status != approvals.Approved {
		t.Fatalf("%s, %v", done.Status, err)
	}
	wantOutcomes(t, "five others", all, "", fault.AlreadyDecided, fault.Changed, fault.Changed, fault.Missing)
	a, b := h.get(first.ID), h.get(second.ID)
	e := b.Decision.Evidence
	if b.Status != approvals.Approved || e.With != first.ID || e.Challenge != v.Challenge.ID || e.ReviewSeconds != 5 || a.Decision.Evidence.With != "" {
		t.Errorf("the second: %s, %+v", b.Status, e)
	}
	if a.Grant.ID == b.Grant.ID || a.Grant.Token == b.Grant.Token {
		t.Error("two approvals have one grant")
	}
	if got := h.data(second.ID, audit.Approved, "evidence", "with"); got != first.ID {
		t.Errorf("its event says it came with %q", got)
	}
	for _, one := range []approvals.Approval{a, b} {
		if _, err := h.consume(one, one.Digest, ""); err != nil {
			t.Errorf("consume: %v", err)
		}
	}
	h.status("another version", fourth.ID, approvals.Pending)
	h.status("another act", other.ID, approvals.Pending)
	h.wantTrail("the second", second.ID, audit.Submitted, audit.Approved, audit.GrantConsumed)

	in.Verdict, in.Reason = approvals.VerdictDeny, "no"
	_, _, err = h.DecideAlike(t.Context(), h.ada, fourth.ID, in)
	wantFault(t, "a denial of several", err, fault.InvalidForm)
	in = form(h.show(h.ada, fourth.ID))
	in.Also = make([]approvals.Twin, 99)
	_, _, err = h.DecideAlike(t.Context(), h.ada, fourth.ID, in)
	wantFault(t, "too many", err, fault.InvalidForm)
}

// What is refused for one is refused for all.
func TestDecideAlikeRefused(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	first, second := h.waiting(confirm, scoring.ChallengeConfirm), h.submit(confirm)
	in := form(h.show(h.ada, first.ID))
	in.Also = []approvals.Twin{{ID: second.ID, Version: 1}}
	_, all, err := h.DecideAlike(t.Context(), h.ada, first.ID, in)
	wantFault(t, "too early", err, fault.TooEarly)
	if len(all) != 0 {
		t.Errorf("outcomes of what was refused: %+v", all)
	}
	h.status("the first", first.ID, approvals.Pending)
	h.status("the second", second.ID, approvals.Pending)
}

// An identical act can be treated more strictly for what is said about it: the
// challenge of the milder one does not stand for it.
func TestDecideAlikeIsNoWayAround(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	mild := h.waiting(confirm, scoring.ChallengeConfirm)
	h.policy(func(p *scoring.Policy) { p.Challenges.Medium = scoring.ChallengeExplicit })
	strict := h.submit(confirm)
	h.policy(func(p *scoring.Policy) { p.Challenges.Medium = scoring.ChallengeConfirm })
	if strict.Digest != mild.Digest || strict.Treatment.Challenge != scoring.ChallengeExplicit {
		t.Fatalf("the second asks for %s", strict.Treatment.Challenge)
	}
	v := h.show(h.ada, mild.ID)
	if len(v.Identical) != 1 || len(v.Twins) != 0 {
		t.Errorf("identical %q, twins %+v", v.Identical, v.Twins)
	}
	h.clock.advance(5 * time.Second)
	in := form(v)
	in.Also = []approvals.Twin{{ID: strict.ID, Version: 1}}
	_, all, err := h.DecideAlike(t.Context(), h.ada, mild.ID, in)
	if err != nil {
		t.Fatal(err)
	}
	wantOutcomes(t, "the stricter one", all, fault.ChallengeRequired)
	h.status("the stricter one", strict.ID, approvals.Pending)

	// The current policy is asked again for each.
	first, second := h.submit(confirmWith("x")), h.submit(confirmWith("x"))
	in = form(h.show(h.ada, first.ID))
	in.Also = []approvals.Twin{{ID: second.ID, Version: 1}}
	h.clock.advance(5 * time.Second)
	h.policy(func(p *scoring.Policy) { p.Challenges.Medium = scoring.ChallengeDeny })
	_, _, err = h.DecideAlike(t.Context(), h.ada, first.ID, in)
	wantFault(t, "under a stricter policy", err, fault.StricterNow)
	h.status("its twin", second.ID, approvals.Pending)
}

// The explicit confirmation asks for the number of runs too, and where several
// people are needed each of the identical requests gets the signature.
func TestDecideAlikeExplicit(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.policy(func(p *scoring.Policy) { p.ApprovalsRequired.Critical = 2 })
	first, second := h.waiting(explicit, scoring.ChallengeExplicit), h.submit(explicit)
	var ticks int
	for _, m := range []auth.Member{h.ada, h.ben} {
		v := h.show(m, first.ID)
		if len(v.Twins) != 1 {
			t.Fatalf("%s sees the twins %+v", m.Person.Name, v.Twins)
		}
		h.clock.advance(time.Minute)
		in := form(v)
		in.Also = v.Twins
		ticks = len(v.Confirmation.Consequences)
		_, _, err := h.DecideAlike(t.Context(), m, first.ID, in)
		if !fault.Is(err, fault.WrongAnswer) || fault.As(err).Member != "consequence" {
			t.Errorf("without the number of runs: %v", err)
		}
		in.Consequences = append(in.Consequences, ticks+1)
		done, all, err := h.DecideAlike(t.Context(), m, first.ID, in)
		if err != nil {
			t.Fatal(err)
		}
		wantOutcomes(t, m.Person.Name, all, "")
		if other := h.get(second.ID); other.Status != done.Status || len(other.Signatures) != len(done.Signatures) {
			t.Errorf("%s: one is %s with %d signatures, the other %s with %d", m.Person.Name, done.Status, len(done.Signatures), other.Status, len(other.Signatures))
		}
	}
	for _, id := range []string{first.ID, second.ID} {
		a := h.get(id)
		if a.Status != approvals.Approved || len(a.Decision.DecidedBy) != 2 || a.Grant == nil {
			t.Fatalf("%s: %s by %+v", id, a.Status, a.Decision)
		}
		if e := a.Decision.Evidence; len(e.Consequences) != ticks+1 || !strings.Contains(e.Consequences[ticks], "runs 2 times") {
			t.Errorf("the evidence has %q", e.Consequences)
		}
	}
	if got := h.get(second.ID).Signatures[0].Evidence.With; got != first.ID {
		t.Errorf("the first signature came with %q", got)
	}
	h.trail(second.ID)
}

// Whoever is locked out of a request does not get in by its twin.
func TestDecideAlikeLockedOut(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	first, second := h.waiting(asking, scoring.ChallengeQuiz), h.submit(asking)
	h.start(h.ada, first.ID)
	if err := h.answer(h.ada, first.ID, 0); err != nil {
		t.Fatal(err)
	}
	for range approvals.MaxAttempts {
		h.start(h.ada, second.ID)
		if err := h.answer(h.ada, second.ID, 3); err == nil {
			t.Fatal("wrong answers pass")
		}
	}
	h.clock.advance(time.Minute)
	in := form(h.show(h.ada, first.ID))
	in.Also = []approvals.Twin{{ID: second.ID, Version: 1}}
	_, all, err := h.DecideAlike(t.Context(), h.ada, first.ID, in)
	if err != nil {
		t.Fatal(err)
	}
	wantOutcomes(t, "the twin", all, fault.LockedOut)
	h.status("the twin", second.ID, approvals.Pending)
}
