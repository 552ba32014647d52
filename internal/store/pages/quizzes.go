package pages

import (
	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/store/requests"
	"github.com/countersign/countersign/internal/store/tables"
)

// ended chooses the challenges whose request waits no more.
const ended = "EXISTS (SELECT 1 FROM approvals a WHERE a.tenant_id = challenges.tenant_id AND a.approval_id = challenges.approval_id AND a.status <> ?)"

// Quizzes lists graded quizzes about requests that ended, newest first.
func (t Pages) Quizzes(q approvals.QuizQuery) ([]approvals.Challenge, error) {
	graded := []string{string(approvals.ChallengeFailed), string(approvals.ChallengePassed), string(approvals.ChallengeSpent)}
	look := t.Of("challenges").Where("kind = ? AND issued_at >= ?", string(scoring.ChallengeQuiz), tables.Stamp(q.From)).
		Where("state IN ?", graded).Where(ended, string(approvals.Pending))
	if q.BeforeID != "" {
		at := tables.Stamp(q.Before)
		look = look.Where("issued_at <= ? AND (issued_at < ? OR challenge_id < ?)", at, at, q.BeforeID)
	}
	var rows []requests.ChallengeRow
	if err := look.Order("issued_at DESC, challenge_id DESC").Limit(max(0, q.Limit)).Find(&rows).Error; err != nil {
		return nil, err
	}
	all := make([]approvals.Challenge, len(rows))
	for i, r := range rows {
		c, err := r.Challenge()
		if err != nil {
			return nil, err
		}
		all[i] = c
	}
	return all, nil
}
