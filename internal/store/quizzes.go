package store

import (
	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/scoring"
)

// ended chooses the challenges whose request waits no more.
const ended = "EXISTS (SELECT 1 FROM approvals a WHERE a.tenant_id = challenges.tenant_id AND a.approval_id = challenges.approval_id AND a.status <> ?)"

// Quizzes lists graded quizzes about requests that ended, newest first.
func (t *tx) Quizzes(q approvals.QuizQuery) ([]approvals.Challenge, error) {
	graded := []string{string(approvals.ChallengeFailed), string(approvals.ChallengePassed), string(approvals.ChallengeSpent)}
	look := t.of("challenges").Where("kind = ? AND issued_at >= ?", string(scoring.ChallengeQuiz), stamp(q.From)).
		Where("state IN ?", graded).Where(ended, string(approvals.Pending))
	if q.BeforeID != "" {
		at := stamp(q.Before)
		look = look.Where("issued_at <= ? AND (issued_at < ? OR challenge_id < ?)", at, at, q.BeforeID)
	}
	var rows []challengeRow
	if err := look.Order("issued_at DESC, challenge_id DESC").Limit(max(0, q.Limit)).Find(&rows).Error; err != nil {
		return nil, err
	}
	all := make([]approvals.Challenge, len(rows))
	for i, r := range rows {
		c, err := r.challenge()
		if err != nil {
			return nil, err
		}
		all[i] = c
	}
	return all, nil
}
