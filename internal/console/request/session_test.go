package request

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/request/requesttest"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// inSession is a review whose session has so many steps, of which it is number here.
func inSession(t *testing.T, steps, here int) approvals.Review {
	t.Helper()
	v := requesttest.ReviewOf(t, `{"function":"delete_user","arguments":{"user_id":"usr_1"},"session_id":"ses_1"}`, approvals.StageReading)
	v.Agent.ID = "agt_1"
	for i := range steps {
		a := v.Approval
		a.ID = fmt.Sprintf("apr_%032d", i)
		a.Status, a.Decision = approvals.Approved, &approvals.Decision{Verdict: approvals.VerdictApprove, DecidedAt: requesttest.Noon.Add(time.Minute), DecidedBy: []approvals.Decider{{Kind: approvals.ByPerson, ID: "per_1", Name: "Ada"}}}
		if i%2 == 1 {
			a.Function = "get_user"
		}
		if i == here {
			a = v.Approval
		}
		v.SessionTrail = append(v.SessionTrail, a)
	}
	return v
}

func TestSessionIsBounded(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		steps, here           int
		first, last           int
		earlier, later, label string
	}{
		{3, 1, 0, 2, "", "", "3 actions"},
		{20, 0, 0, 19, "", "", "20 actions"},
		{30, 29, 10, 29, "10 earlier actions", "", "30 actions"},
		{30, 10, 0, 19, "", "10 later actions", "30 actions"},
		{30, 16, 2, 21, "2 earlier actions", "8 later actions", "30 actions"},
		{50, 49, 30, 49, "30 earlier actions or more", "", "the last 50 actions"},
	} {
		v := inSession(t, test.steps, test.here)
		s := sessionOf(texts.Printer{}, v, nil)
		label := func(l *views.Link) string {
			if l == nil {
				return ""
			}
			if l.URL != "/t/acme/sessions/agt_1?session=ses_1" {
				t.Errorf("the link leads to %s", l.URL)
			}
			return l.Label
		}
		if len(s.Steps) != test.last-test.first+1 || label(s.Earlier) != test.earlier || label(s.Later) != test.later || s.Note != test.label {
			t.Errorf("%d of %d: %d steps, %q, %q, %q", test.here, test.steps, len(s.Steps), label(s.Earlier), label(s.Later), s.Note)
		}
		for i, step := range s.Steps {
			if step.Current != (test.first+i == test.here) {
				t.Errorf("%d of %d: step %d is the current one: %v", test.here, test.steps, i, step.Current)
			}
		}
	}
}

// Before the answer, no step tells that a call of this kind was approved before.
func TestSessionSealsHowCallsOfTheFunctionEnded(t *testing.T) {
	t.Parallel()
	v := inSession(t, 4, 3)
	v.SessionTrail[2].Status, v.SessionTrail[2].Decision = approvals.Pending, nil
	notes := func() string {
		var all []string
		s := sessionOf(texts.Printer{}, v, nil)
		for _, step := range s.Steps {
			all = append(all, step.Note)
		}
		if s.Sealed != "" {
			all = append(all, "sealed")
		}
		return strings.Join(all, "|")
	}
	v.Assessment.Level = level.Medium
	if got := notes(); got != "approved by Ada|approved by Ada|waiting|you're here" {
		t.Errorf("at MEDIUM: %s", got)
	}
	for _, l := range []level.Level{level.High, level.Critical} {
		v.Assessment.Level = l
		if got := notes(); got != "ended, hidden|approved by Ada|waiting|you're here|sealed" {
			t.Errorf("at %s: %s", l, got)
		}
	}
	v.Assessment.Level, v.Sealed = level.Medium, true
	if got := notes(); got != "ended, hidden|approved by Ada|waiting|you're here|sealed" {
		t.Errorf("before the answer: %s", got)
	}
}
