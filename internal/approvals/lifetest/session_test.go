package lifetest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/scoring"
)

// A session's timeline holds the request that it stands beside, however much came
// after it, and is bounded.
func TestSessionTrailHoldsItsRequest(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	body := func(n int) string {
		return fmt.Sprintf(`{"function":"deploy_service","arguments":{"service":"checkout","env":"staging","replicas":%d},"docstring":"Deploy to production.","session_id":"ses_1"}`, n)
	}
	var all []string
	for n := range approvals.SessionTrail + 3 {
		all = append(all, h.waiting(body(n), scoring.ChallengeConfirm).ID)
	}
	other := h.waiting(`{"function":"deploy_service","arguments":{"service":"checkout","env":"staging"},"docstring":"Deploy to production.","session_id":"ses_2"}`, scoring.ChallengeConfirm)
	for _, c := range []struct {
		of   string
		want []string
	}{
		{all[len(all)-1], all[3:]},
		{all[3], all[3:]},
		{all[2], all[:3]}, // older than what is read: it and what led to it
		{other.ID, []string{other.ID}},
	} {
		if got := ids(h.show(h.ada, c.of).SessionTrail); !slices.Equal(got, c.want) {
			t.Errorf("beside %s stand %v, want %v", c.of, got, c.want)
		}
	}
}
