package lifetest

import (
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/scoring"
)

// TestAgentsAreToldWhatWillBeAsked: wherever an agent reads of a request, it says what the
// operator gets, and not what the policy would have asked.
func TestAgentsAreToldWhatWillBeAsked(t *testing.T) {
	t.Parallel()
	const few = `{"function":"delete_users","docstring":"Permanently remove all.","hints":{"irreversible":true,"rows":20000}}`
	for _, c := range []struct {
		what, body string
		alone      bool // the agent's owner is the only operator
		want       scoring.ChallengeKind
	}{
		{"three things to ask for", asking, false, scoring.ChallengeQuiz},
		{"little to ask for", few, false, scoring.ChallengeQuiz},
		{"little to ask for, by one person", few, true, scoring.ChallengeQuiz},
		{"a confirmation", confirm, false, scoring.ChallengeConfirm},
		{"a confirmation by one person", confirm, true, scoring.ChallengeExplicit},
	} {
		h := newHouse(t)
		operator := h.ben
		if c.alone {
			operator = h.ada
			h.agent.Owner = h.ada.Person.ID
			if _, err := h.raw.ExecContext(t.Context(), "UPDATE memberships SET roles = 'admin' WHERE person_id = ?", h.ben.Person.ID); err != nil {
				t.Fatal(err)
			}
		}
		a := h.submit(c.body)
		if got := h.show(operator, a.ID).Kind; got != c.want {
			t.Fatalf("%s: the operator gets %s, want %s", c.what, got, c.want)
		}
		told := map[string]scoring.ChallengeKind{"submit": a.AgentView().Asks}
		read, err := h.Get(t.Context(), h.agent, a.ID)
		if err != nil {
			t.Fatal(err)
		}
		waited, err := h.Wait(t.Context(), h.agent, a.ID, 0)
		if err != nil {
			t.Fatal(err)
		}
		page, _, err := h.List(t.Context(), h.agent, approvals.Filter{Limit: 10})
		if err != nil || len(page) != 1 {
			t.Fatal(page, err)
		}
		dry, err := h.Assess(t.Context(), h.agent, action(t, c.body))
		if err != nil {
			t.Fatal(err)
		}
		told["get"], told["wait"], told["list"], told["a dry run"] = read.AgentView().Asks, waited.AgentView().Asks, page[0].Asks, dry.Asks
		for where, got := range told {
			if got != c.want {
				t.Errorf("%s: %s says %s, want %s", c.what, where, got, c.want)
			}
		}
	}
}
