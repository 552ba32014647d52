package lifetest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
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

// TestAnsweredAtOnce: sets that one operator answers at the same moment are graded one after the
// other, also in requests for one act that each have another one beside them: each was edited
// from what that one says. The first counts, and the others are void.
func TestAnsweredAtOnce(t *testing.T) {
	t.Parallel()
	long.Race(t)
	h := newPostgresHouse(t)
	h.policy(func(p *scoring.Policy) {
		p.EditBeforeApprove = scoring.PerLevel[bool]{Low: true, Medium: true, High: true, Critical: true}
	})
	noted := func(note string) string {
		return `{"user_id":"usr_500","account":"acc_17","count":214,"env":"production","note":"` + note + `"}`
	}
	var sets []approvals.Challenge
	var asked []approvals.Approval
	sent := func(n int) string {
		return `{"function":"delete_user","arguments":` + noted(fmt.Sprintf("sent %d", n)) + `}`
	}
	for n := range 3 {
		beside := h.waiting(sent(n), scoring.ChallengeQuiz)
		h.start(h.ada, beside.ID)
		if err := h.LeaveQuiz(t.Context(), h.ada, beside.ID); err != nil {
			t.Fatal(err)
		}
	}
	for n := range 3 {
		a := h.mustEdit(h.ada, h.waiting(sent(n), scoring.ChallengeQuiz), noted("the same"))
		h.show(h.ada, a.ID)
		h.start(h.ada, a.ID)
		c := h.show(h.ada, a.ID).Challenge
		for q := 1; q <= 2; q++ {
			if err := h.Answer(t.Context(), h.ada, a.ID, answerTo(c, q, false)); err != nil {
				t.Fatal(err)
			}
		}
		sets, asked = append(sets, c), append(asked, a)
	}
	// Nobody can write to the log, so that all of them wait, wherever they do.
	release := h.hold("SELECT 1 FROM audit_logs FOR UPDATE")
	var done []func() error
	for i, a := range asked {
		answer := func() error { return h.Answer(t.Context(), h.ada, a.ID, answerTo(sets[i], 3, false)) }
		if i == 0 {
			done = append(done, h.blocked(answer))
		} else {
			done = append(done, later(answer))
		}
	}
	release()
	graded := 0
	for _, end := range done {
		if err := end(); fault.Is(err, fault.WrongAnswer) {
			graded++
		} else {
			wantFault(t, "what was answered at the same moment", err, fault.ChallengeRequired)
		}
	}
	if graded != 1 {
		t.Errorf("%d sets are graded as the first attempt, want 1", graded)
	}
}
