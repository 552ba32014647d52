package policyui

import (
	"context"

	"github.com/countersign/countersign/internal/scoring"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/views/texts"
)

// What the policy page says of the past.

// heldByScore is how many holds the score decided.
func heldByScore(say texts.Printer, i approvals.Insights) string {
	if i.Total.Held() == 0 {
		return ""
	}
	var n int64
	for _, c := range i.Causes() {
		if c.Cause.Kind == scoring.CauseScore {
			n = c.Held()
		}
	}
	return say.Say("In %d days the score decided %d of %d holds; thresholds and weights move no others.", len(i.Days), n, i.Total.Held())
}

// pastScores are the scores of the newest decided actions, for the scale.
func (s *Pages) pastScores(ctx context.Context, m auth.Member) ([]float64, error) {
	var scores []float64
	q := approvals.HistoryQuery{Edge: -1, Limit: scoresRead}
	for len(scores) < ReplayedActions {
		page, err := s.Approvals.History(ctx, m, q)
		if err != nil {
			return nil, err
		}
		for _, a := range page.Decided {
			scores = append(scores, a.Assessment.Score)
		}
		if q.Edge = page.Next; page.Done {
			break
		}
	}
	return scores, nil
}
