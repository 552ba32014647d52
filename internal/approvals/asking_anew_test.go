package approvals_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// TestFailuresFollowWhatWouldRun: whatever else a request says, and whichever agent sends it,
// it brings neither a third attempt nor other options for the same value.
func TestFailuresFollowWhatWouldRun(t *testing.T) {
	t.Parallel()
	says := func(more string) string { return strings.TrimSuffix(asking, "}") + "," + more + "}" }
	for name, c := range map[string]struct {
		body    string
		another bool // agent
	}{
		"another agent":        {asking, true},
		"the order of members": {`{"docstring":"Permanently remove a user account.", "arguments":{"env":"production","count":214.0,"account":"acc_17","user_id":"usr_500"},"function":"delete_user"}`, false},
		"an environment":       {says(`"environment":"production"`), false},
		"a kind of action":     {says(`"action_type":"data.delete"`), false},
		"a session":            {says(`"session_id":"s2"`), false},
		"another docstring":    {strings.Replace(asking, "Permanently remove", "Remove for good", 1), false},
		"a reason":             {says(`"justification":"They asked for it.","metadata":{"run":2},"tool_call_id":"call_2"`), false},
		"all of it":            {says(`"environment":"production","action_type":"data.delete","session_id":"s2"`), true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			again := func() approvals.Approval {
				agent := h.agent
				if c.another {
					agent = h.other
				}
				a, _, err := h.Submit(t.Context(), agent, approvals.Submission{Action: action(t, c.body)})
				if err != nil || a.Treatment.Challenge != scoring.ChallengeQuiz {
					t.Fatalf("it asks %s, %v", a.Treatment.Challenge, err)
				}
				return a
			}
			first, begun := h.waiting(asking, scoring.ChallengeQuiz), again()
			h.start(h.ada, begun.ID)
			held := h.show(h.ada, begun.ID).Challenge
			h.start(h.ada, first.ID)
			wantFault(t, "the first set", h.answer(h.ada, first.ID, 1), fault.WrongAnswer)
			wantFault(t, "one that was begun before", h.Answer(t.Context(), h.ada, begun.ID, answerTo(held, 1, true)), fault.ChallengeRequired)
			second := again()
			h.start(h.ada, second.ID)
			if v := h.show(h.ada, second.ID); v.Attempt != 2 {
				t.Errorf("this is attempt %d", v.Attempt)
			}
			wantFault(t, "the second set", h.answer(h.ada, second.ID, 2), fault.LockedOut)
			for i, a := range []approvals.Approval{first, second, again(), h.submit(asking)} {
				wantFault(t, fmt.Sprintf("request %d", i), h.StartQuiz(t.Context(), h.ada, a.ID), fault.LockedOut)
			}
			h.start(h.ben, second.ID) // for another operator nothing has failed
		})
	}
}
