package approvals

import (
	"context"
	crand "crypto/rand"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/quiz"
	"github.com/countersign/countersign/internal/scoring"
)

// A quiz from its start to its grading.

// AnswerInput is one answer of a quiz.
type AnswerInput struct {
	Challenge string
	Question  int // 1-based
	Option    string
}

// operating reads a pending approval that this person may decide.
func (s *Service) operating(w Writer, m auth.Member, id string) (Approval, eligibility, error) {
	a, err := w.Approval(id)
	if err != nil {
		return a, eligibility{}, err
	}
	if err := a.decidable(w.Now()); err != nil {
		return a, eligibility{}, err
	}
	who, err := a.eligibleNow(w, m)
	if err != nil {
		return a, eligibility{}, err
	}
	if !who.may {
		return a, who, who.refusal()
	}
	return a, who, nil
}

func lockedOut() error {
	return fault.New(fault.LockedOut, "two attempts failed, so you can't approve this action for 24 hours, in this or any other request. Another operator can. You can still deny it")
}

// StartQuiz issues a set of questions to this operator. A set that was still open is
// left, which costs nothing; it is asked again then, in another order, so that nothing
// is learned from that. A new attempt asks about other facts, where there are any.
func (s *Service) StartQuiz(ctx context.Context, m auth.Member, id string) error {
	return s.store.Write(ctx, m.Tenant, func(w Writer) error {
		a, who, err := s.operating(w, m, id)
		if err != nil {
			return err
		}
		if who.challenge != scoring.ChallengeQuiz {
			return fault.New(fault.ChallengeRequired, "this request asks no questions")
		}
		if err := s.allRead(w, m, a); err != nil {
			return err
		}
		failed, err := failures(w, m, a)
		if err != nil {
			return err
		}
		if failed >= maxAttempts {
			return lockedOut()
		}
		if err := s.leaveOpen(w, m, a); err != nil {
			return err
		}
		before, err := askedBefore(w, m, a, failed)
		if err != nil {
			return err
		}
		corpus, err := corpusOf(w, a)
		if err != nil {
			return err
		}
		call, err := a.call()
		if err != nil {
			return err
		}
		_, err = s.issue(w, m, a, scoring.ChallengeQuiz, failed+1, quiz.New(call, corpus, before, newRandom()))
		return err
	})
}

// failuresCount is how long a failed set counts.
const failuresCount = 24 * time.Hour

// failures counts the sets that this operator answered wrong about what a would run, in
// whatever request of whichever agent it came: who fails twice is not helped by asking again.
func failures(r Reader, m auth.Member, a Approval) (int, error) {
	return r.FailedAttempts(a, m.Person.ID, r.Now().Add(-failuresCount))
}

// askedBefore collects what was asked about what a would run, in whatever request.
func askedBefore(r Reader, m auth.Member, a Approval, failed int) (before quiz.Asked, err error) {
	all, err := r.Asked(a)
	for _, c := range all {
		if c.Kind != scoring.ChallengeQuiz {
			continue
		}
		before.Settled = append(before.Settled, c.Questions...)
		if c.Person != m.Person.ID {
			continue
		}
		switch c.State {
		case ChallengeFailed:
			before.Failed, before.Left = append(before.Failed, c.Questions...), nil
		case ChallengeLeft, ChallengeOpen: // an open one ran out, of another request maybe
			if c.Attempt == failed+1 && c.Digest == a.ShownDigest { // another environment may have another effect
				before.Left = c.Questions
			}
		default:
			before.Left = nil
		}
	}
	return before, err
}

// newRandom is seeded from the system's randomness: what it decides must not be guessed.
func newRandom() *rand.Rand {
	var seed [32]byte
	_, _ = crand.Read(seed[:]) // never fails (crypto/rand)
	return rand.New(rand.NewChaCha8(seed))
}

// recentActions is from how many of the latest requests that people had to decide the
// wrong options are taken, and ownActions how many of the agent's own calls are looked at.
const recentActions, ownActions = 200, 100

// corpusOf reads what other requests hold.
func corpusOf(r Reader, a Approval) (quiz.Corpus, error) {
	held, err := r.Approvals(Filter{Held: HeldOnly, Limit: recentActions})
	if err != nil {
		return quiz.Corpus{}, err
	}
	mine, err := r.Approvals(Filter{Agent: a.Agent.ID, Limit: ownActions})
	var agents []string
	var others, own []quiz.Call
	for _, o := range held {
		if !slices.Contains(agents, o.Agent.Name) {
			agents = append(agents, o.Agent.Name)
		}
		if c, err := o.call(); err == nil && o.Agent.ID != a.Agent.ID && o.Held() {
			others = append(others, c)
		}
	}
	for _, o := range mine {
		if c, err := o.call(); err == nil {
			own = append(own, c)
		}
	}
	return quiz.NewCorpus(others, own, agents), err
}

// call is what a quiz about a is made of.
func (a Approval) call() (quiz.Call, error) {
	action, err := a.Parsed()
	return quiz.Call{Action: action, Assessment: a.Assessment, Agent: a.Agent.Name}, err
}

// issue stores a challenge for this operator, this version and this treatment.
func (s *Service) issue(w Writer, m auth.Member, a Approval, kind scoring.ChallengeKind, attempt int, questions []quiz.Question) (Challenge, error) {
	core, err := a.Core()
	if err != nil {
		return Challenge{}, err
	}
	c := Challenge{
		ID: auth.NewID("chl"), Approval: a.ID, Person: m.Person.ID, Version: a.Version, Digest: a.ShownDigest, Core: core,
		Kind: kind, State: ChallengeOpen, Attempt: attempt, Questions: questions, Salt: crand.Text(),
		IssuedAt: w.Now(), ExpiresAt: w.Now().Add(challengeLife),
	}
	if err := w.Issue(c); err != nil {
		return c, err
	}
	return c, w.Append(a.event(audit.ChallengeIssued, personActor(m),
		member("challenge", canon.String(c.ID)), member("kind", canon.String(string(kind))), member("version", canon.Int(a.Version)), member("attempt", canon.Int(int64(attempt))),
		member("shown_digest", canon.String(c.Digest)), member("core", canon.String(c.Core)), member("expires_at", canon.String(audit.FormatTime(c.ExpiresAt))), member("questions_sha256", canon.String(c.Sum()))))
}

// LeaveQuiz goes back to reading. The questions are void; no attempt is used.
func (s *Service) LeaveQuiz(ctx context.Context, m auth.Member, id string) error {
	return s.writeFor(ctx, m, auth.Decide, func(w Writer) error {
		a, err := w.Approval(id)
		if err != nil {
			return err
		}
		return s.leaveOpen(w, m, a)
	})
}

func (s *Service) leaveOpen(w Writer, m auth.Member, a Approval) error {
	c, err := w.LatestChallenge(a.ID, m.Person.ID)
	if fault.Is(err, fault.Missing) || (err == nil && c.State != ChallengeOpen) {
		return nil
	}
	if err != nil {
		return err
	}
	c.State = ChallengeLeft
	return w.Progress(c, ChallengeOpen)
}

// Answer takes the answer to the next question. After the third the set is
// graded as a whole: nil, or fault.WrongAnswer (nothing tells which), or
// fault.LockedOut after the last attempt.
func (s *Service) Answer(ctx context.Context, m auth.Member, id string, in AnswerInput) error {
	var graded error
	err := s.store.Write(ctx, m.Tenant, func(w Writer) (err error) {
		graded, err = s.answer(w, m, id, in)
		return err
	})
	if err != nil {
		return err
	}
	return graded
}

// answer is Answer inside its transaction; graded is committed like anything else.
func (s *Service) answer(w Writer, m auth.Member, id string, in AnswerInput) (graded, err error) {
	a, _, err := s.operating(w, m, id)
	if err != nil {
		return nil, err
	}
	c, err := w.Challenge(a.ID, in.Challenge)
	if fault.Is(err, fault.Missing) || (err == nil && !c.valid(a, m.Person.ID, scoring.ChallengeQuiz, ChallengeOpen, w.Now())) {
		return nil, fault.New(fault.ChallengeRequired, "these questions expired after five minutes; start again (this doesn't use an attempt)")
	}
	if err != nil {
		return nil, err
	}
	failed, err := failures(w, m, a)
	switch {
	case err != nil:
		return nil, err
	case failed >= maxAttempts: // answered wrong meanwhile, in another request for the same act
		return nil, lockedOut()
	case c.Attempt != failed+1:
		return nil, fault.New(fault.ChallengeRequired, "these questions are void because others about the same action were answered wrong; start again")
	}
	if err := c.take(in, w.Now()); err != nil {
		return nil, err
	}
	if c.next() != 0 {
		return nil, w.Progress(c, ChallengeOpen)
	}
	kind := audit.ChallengePassed
	c.State = ChallengePassed
	if !c.right() {
		kind, c.State = audit.ChallengeFailed, ChallengeFailed
		graded = fault.New(fault.WrongAnswer, "at least one answer was wrong. Reread the request and try again: %d attempt left", maxAttempts-c.Attempt)
		if c.Attempt >= maxAttempts {
			graded = lockedOut()
		}
	} else {
		c.ExpiresAt = w.Now().Add(challengeLife)
	}
	if err := w.Progress(c, ChallengeOpen); err != nil {
		return nil, err
	}
	return graded, w.Append(a.event(kind, personActor(m),
		member("challenge", canon.String(c.ID)), member("attempt", canon.Int(int64(c.Attempt))), member("version", canon.Int(a.Version)),
		member("expires_at", canon.String(audit.FormatTime(c.ExpiresAt))), member("questions_sha256", canon.String(c.Sum()))))
}

// next is the 1-based number of the question to answer now; 0 when all are answered.
func (c Challenge) next() int {
	for i, q := range c.Questions {
		if q.Answer == "" {
			return i + 1
		}
	}
	return 0
}

// take writes one answer down. Questions are answered in order and once.
func (c *Challenge) take(in AnswerInput, now time.Time) error {
	if in.Question != c.next() {
		return fault.New(fault.Changed, "this is question %d; answer question %d next", in.Question, c.next())
	}
	q := &c.Questions[in.Question-1]
	if !slices.ContainsFunc(q.Options, func(o quiz.Option) bool { return o.ID == in.Option }) {
		return fault.Member(fault.InvalidForm, "option", "choose one of the answers")
	}
	q.Answer = in.Option
	q.AnsweredAt = &now
	return nil
}

// right grades the whole set, without stopping at the first wrong answer.
func (c Challenge) right() bool {
	wrong := 0
	for _, q := range c.Questions {
		if !q.Correct() {
			wrong++
		}
	}
	return wrong == 0 && quiz.Complete(c.Questions)
}
