package approvals

import (
	"time"

	"github.com/countersign/countersign/internal/scoring"
)

// challengeLife is how long an issued challenge can be answered; afterwards the
// page issues another one without costing an attempt.
const challengeLife = 5 * time.Minute

// maxAttempts is how many failed quizzes one operator has for one approval.
const maxAttempts = 2

// ChallengeState is where a challenge is on its way.
type ChallengeState string

const (
	ChallengeOpen   ChallengeState = "open"   // issued, can be answered
	ChallengePassed ChallengeState = "passed" // a quiz with three right answers, waiting for the decision
	ChallengeFailed ChallengeState = "failed" // a quiz with a wrong answer: one attempt used
	ChallengeSpent  ChallengeState = "spent"  // an approval was given with it
	ChallengeLeft   ChallengeState = "left"   // the operator went back to reading: costs nothing
)

// Challenge is what one operator must pass to approve one version of one
// approval. It is issued and graded on the server; of a Question only Prompt
// and the option texts ever leave it.
type Challenge struct {
	ID        string // "chl_" + UUIDv7 in hex
	Approval  string
	Person    string
	Version   int64
	Digest    string // the shown one
	Kind      scoring.ChallengeKind
	State     ChallengeState
	Attempt   int // 1-based; counts failed quizzes of this operator on this approval, plus one
	Questions []Question
	IssuedAt  time.Time
	ExpiresAt time.Time
}

// Question is one of the three of a quiz.
type Question struct {
	Prompt  string   `json:"prompt"`
	Kind    string   `json:"kind"` // the fact's kind, or "agent" or "operation"
	Options []Option `json:"options"`
	Right   string   `json:"right"`  // id of the right option
	Answer  string   `json:"answer"` // id of the chosen one; empty until answered
	// AnsweredAt is when it was answered; the first question is put when the challenge is
	// issued, each other one when the one before is answered.
	AnsweredAt *time.Time `json:"answered_at,omitempty"`
}

// Option is one of the four answers. Its id is random and says nothing.
type Option struct {
	ID   string `json:"id"`
	Text string `json:"text"`
}
