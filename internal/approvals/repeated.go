package approvals

import (
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// A submission that comes again under its idempotency key gets the first answer, if its
// body is the same.

// replay returns what this key stored before. exam is of the submission under a version of
// the policy.
func (s *Service) replay(w Writer, agent auth.Agent, sub Submission, exam scoring.Examination, version int64) (Approval, error) {
	a, kept, err := w.ApprovalByKey(agent.ID, sub.IdempotencyKey)
	if err != nil {
		return a, err
	}
	same, err := s.sameBody(w, a, sub, kept, exam, version)
	if err == nil && !same {
		return Approval{}, fault.New(fault.IdempotencyReused, "this Idempotency-Key was used for %s with another body; use a new key for a new submission", a.ID)
	}
	if err == nil && sub.Consume {
		err = s.spentBySubmission(w, a)
	}
	return a, err
}

// spentBySubmission makes sure that a spent grant, on which the agent may act where it got no
// answer to this submission before, is what the log says, with its keys: the key of another
// submission can be written into its row. When the grant has expired nothing is left to act on.
func (s *Service) spentBySubmission(w Writer, a Approval) error {
	if a.Grant == nil || a.Grant.ConsumedAt == nil {
		return nil
	}
	if !w.Now().Before(a.Grant.ExpiresAt) {
		return fault.New(fault.AlreadyConsumed, "the grant was consumed at %s; submit the action again, with a new Idempotency-Key, to run it again", a.Grant.ConsumedAt.Format(time.RFC3339))
	}
	return s.held(w, a)
}

// sameBody reports whether a submission is the one of which a hash was kept.
func (s *Service) sameBody(w Writer, a Approval, sub Submission, kept string, exam scoring.Examination, version int64) (bool, error) {
	number, _, versioned := strings.Cut(kept, " ")
	if !versioned { // of before there were versions: it says nothing that may be compared
		return a.Proposal().Digest == sub.Action.Digest(), nil
	}
	then, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return false, err
	}
	if then != version { // what is masked depends on the policy
		p, err := w.PolicyVersion(then)
		if err != nil {
			return false, err
		}
		c, err := scoring.Compile(p.Policy)
		if err != nil {
			return false, err
		}
		exam = c.Examine(sub.Action, nil)
	}
	return kept == sub.bodyHash(exam.Shown(), then), nil
}

// bodyHash is kept to tell a repeated body from another one: the version of the policy by
// which its secrets were masked, and a hash of what is left. A hash of the secrets would be
// one from which a short one could be guessed. What the digest covers is told by the digest.
func (sub Submission) bodyHash(shown scoring.Action, version int64) string {
	return strconv.FormatInt(version, 10) + " " + canon.Digest(canon.Object(
		member("action", shown.Tree()), member("digest", canon.String(sub.Action.Digest())),
		member("expires_in_seconds", canon.Int(int64(sub.ExpiresIn))), member("revises", text(sub.Revises)),
	))
}
