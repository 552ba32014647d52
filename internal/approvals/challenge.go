package approvals

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"time"

	"github.com/countersign/countersign/internal/quiz"
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
	Core      string // Approval.Core; where it was issued before there was one, the digest
	Kind      scoring.ChallengeKind
	State     ChallengeState
	Attempt   int // 1-based; counts failed quizzes of this operator on this approval, plus one
	Questions []quiz.Question
	Salt      string // random, for Sum; it never leaves the server
	IssuedAt  time.Time
	ExpiresAt time.Time
}

// Sum is the SHA-256, in hex, of the questions with the right answers and those that
// were given. Who reads it in the trail, and knows the options, cannot try out which
// is right: the salt is part of it.
func (c Challenge) Sum() string {
	b, err := json.Marshal(c.Questions)
	if err != nil { // our own types can always be written
		return ""
	}
	sum := sha256.Sum256(append([]byte(c.Salt+"\n"), b...))
	return hex.EncodeToString(sum[:])
}

// Unanswered is the challenge as it was issued.
func (c Challenge) Unanswered() Challenge {
	c.Questions = slices.Clone(c.Questions)
	for i := range c.Questions {
		c.Questions[i].Answer, c.Questions[i].AnsweredAt = "", nil
	}
	return c
}
