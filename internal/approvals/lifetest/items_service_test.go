package lifetest

import (
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// While a request waits, no count may tell which of its answers was wrong.
func TestItemsCountWhatEnded(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	items := func() approvals.ItemReport {
		t.Helper()
		r, err := h.Items(t.Context(), h.eve, 7)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	a := h.waiting(asking, scoring.ChallengeQuiz)
	h.show(h.ada, a.ID)
	h.start(h.ada, a.ID)
	wantFault(t, "a wrong answer", h.answer(h.ada, a.ID, 2), fault.WrongAnswer)
	h.start(h.ada, a.ID)
	if err := h.answer(h.ada, a.ID, 0); err != nil {
		t.Fatal(err)
	}
	if r := items(); r.Quizzes != 0 || len(r.Questions) != 0 || len(r.Operators) != 0 {
		t.Errorf("a request that waits is counted: %+v", r)
	}
	in := form(h.show(h.ada, a.ID))
	in.Verdict, in.Reason = approvals.VerdictDeny, "no"
	if _, err := h.decide(h.ada, a.ID, in); err != nil {
		t.Fatal(err)
	}
	r := items()
	if r.Quizzes != 2 || len(r.Operators) != 1 {
		t.Fatalf("%+v", r)
	}
	if o := r.Operators[0]; o.Person != h.ada.Person.ID || o.Quizzes != 2 || o.PassedFirst != 0 || o.PassedSecond != 1 || o.LockedOut != 0 || o.Timed != 6 {
		t.Errorf("%+v", o)
	}
	asked, right := 0, 0
	for _, q := range r.Questions {
		asked, right = asked+q.Asked, right+q.Right
	}
	if asked != 6 || right != 5 {
		t.Errorf("%d of %d right, want 5 of 6", right, asked)
	}
}

func TestItemsAreForThoseWhoReadAboutPeople(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	for role, allowed := range map[auth.Role]bool{auth.Operator: false, auth.Compliance: true, auth.Admin: true} {
		_, err := h.Items(t.Context(), auth.Member{Tenant: "acme", Person: h.ada.Person, Roles: []auth.Role{role}}, 30)
		if fault.Is(err, fault.Denied) == allowed || allowed && err != nil {
			t.Errorf("%s: %v", role, err)
		}
	}
	for _, days := range []int{-7, 0, 31, 36500} {
		_, err := h.Items(t.Context(), h.eve, days)
		wantFault(t, "another window", err, fault.InvalidParameter)
	}
}
