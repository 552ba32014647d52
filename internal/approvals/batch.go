package approvals

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// Several approvals at once: denials in one go, and one yes for identical requests.
// Each keeps a decision, an event and a fate of its own: what happens to one says
// nothing about the next.

// MaxBatch is how many approvals one form can deny.
const MaxBatch = 200

// Pick is an approval as somebody saw it when they chose it.
type Pick struct {
	ID      string
	Version int64
	Digest  string // the shown one
}

// Twin is an identical approval as somebody saw it.
type Twin struct {
	ID      string
	Version int64
}

// Outcome is what became of one approval of several.
type Outcome struct {
	ID       string
	Approval Approval // as it is now; zero where there is none of this id
	// Refused says why the decision was not taken; nil where it was.
	Refused *fault.Error
}

// DenyAll denies each of these for one reason. There is no way to approve like
// this. Each is decided by itself, as if somebody had opened it; the events share
// the batch. The error is about the form alone, and then nothing was denied.
func (s *Service) DenyAll(ctx context.Context, m auth.Member, picks []Pick, reason string) (batch string, all []Outcome, err error) {
	if err := may(m, auth.Refuse); err != nil {
		return "", nil, err
	}
	if len(picks) == 0 || len(picks) > MaxBatch {
		return "", nil, fault.Member(fault.InvalidForm, "pick", "select 1 to %d requests", MaxBatch)
	}
	batch = auth.NewID("bat")
	in := DecideInput{Verdict: VerdictDeny, Reason: reason, batch: batch}
	if err := in.check(); err != nil {
		return "", nil, err
	}
	ctx = context.WithoutCancel(ctx) // a reader who leaves does not stop it half way
	seen := map[string]bool{}
	for _, p := range picks {
		if seen[p.ID] {
			continue
		}
		seen[p.ID] = true
		in.Digest, in.Version = p.Digest, p.Version
		done, err := s.Decide(ctx, m, p.ID, in)
		all = append(all, s.outcome(ctx, m, p.ID, done, err))
	}
	return batch, all, nil
}

// outcome completes what became of one approval; of what was refused it reads how
// it is now.
func (s *Service) outcome(ctx context.Context, m auth.Member, id string, done Approval, err error) Outcome {
	o := Outcome{ID: id, Approval: done}
	if err == nil {
		return o
	}
	o.Refused = fault.As(err)
	if o.Refused.Kind() == fault.Internal {
		s.log.ErrorContext(ctx, "one of several was not decided", "tenant", m.Tenant, "approval", id, "error", err)
	}
	now, _, err := s.Peek(ctx, m, id)
	if err == nil {
		o.Approval = now
	}
	return o
}

// Runs is the consequence of a yes that stands for several.
func Runs(n int) string {
	return fmt.Sprintf("It runs %d times: this request and %d identical.", n, n-1)
}

// WaitingAct is what must be known of a request that waits to say whether the decision of
// an identical one can stand for it.
type WaitingAct struct {
	ID          string
	Version     int64
	ShownDigest string
	Treatment   scoring.Treatment
	ExpiresAt   time.Time
	Signers     []string // who approved this version, by their ids
}

// act is what a is an instance of.
func (a Approval) act() Act { return Act{Agent: a.Agent.ID, Digest: a.Digest} }

// alike fills in the identical requests, and those that the decision of a person
// can stand for.
func (v *Review) alike(all []WaitingAct, person string) {
	for _, a := range all {
		if a.ID == v.ID {
			continue
		}
		v.Identical = append(v.Identical, a.ID)
		if len(v.Twins) < maxAlso && a.ShownDigest == v.ShownDigest && !slices.Contains(a.Signers, person) && !a.Treatment.StricterThan(v.Treatment) && v.Now.Before(a.ExpiresAt) {
			v.Twins = append(v.Twins, Twin{ID: a.ID, Version: a.Version})
		}
	}
}

// maxAlso is for how many identical requests one yes can stand beside the one it is for.
const maxAlso = MaxIdentical - 1

// DecideAlike is Decide, and where that was a yes the same yes for each of in.Also:
// to the same act of the same agent, in the version that was seen, and treated no
// more strictly than the one whose challenge was passed. The outcomes are those of
// in.Also; there are none where the decision itself was refused.
func (s *Service) DecideAlike(ctx context.Context, m auth.Member, id string, in DecideInput) (Approval, []Outcome, error) {
	if len(in.Also) > maxAlso || in.Verdict != VerdictApprove && len(in.Also) > 0 {
		return Approval{}, nil, fault.Member(fault.InvalidForm, "also", "you can approve at most %d identical requests at once, and only approvals can be combined", maxAlso)
	}
	decided, err := s.Decide(ctx, m, id, in)
	if err != nil || len(in.Also) == 0 {
		return decided, nil, err
	}
	ctx = context.WithoutCancel(ctx)
	var all []Outcome
	seen := map[string]bool{id: true}
	for _, t := range in.Also {
		if seen[t.ID] {
			continue
		}
		seen[t.ID] = true
		done, err := s.decideTwin(ctx, m, decided, t, reasonOf(in.Reason))
		all = append(all, s.outcome(ctx, m, t.ID, done, err))
	}
	return decided, all, nil
}

// decideTwin gives a the yes that decided was given.
func (s *Service) decideTwin(ctx context.Context, m auth.Member, decided Approval, t Twin, note string) (done Approval, err error) {
	stricter := false
	err = s.store.Write(ctx, m.Tenant, func(w Writer) (err error) {
		done, stricter, err = s.twin(w, m, decided, t, note)
		return err
	})
	if err != nil {
		return Approval{}, err
	}
	s.changed(done)
	if stricter {
		return done, fault.New(fault.StricterNow, "this request now needs stricter review; open it")
	}
	return done, nil
}

func (s *Service) twin(w Writer, m auth.Member, decided Approval, t Twin, note string) (done Approval, stricter bool, err error) {
	a, err := w.Approval(t.ID)
	if err != nil {
		return a, false, err
	}
	if err := a.decidable(w.Now()); err != nil {
		return a, false, err
	}
	if a.Version != t.Version || a.Agent.ID != decided.Agent.ID || a.Digest != decided.Digest || a.ShownDigest != decided.ShownDigest || a.Proposed != nil {
		return a, false, fault.New(fault.Changed, "this request has changed (now version %s); open it", strconv.FormatInt(a.Version, 10))
	}
	who, err := a.eligibleNow(w, m)
	if err != nil {
		return a, false, err
	}
	if !who.may {
		return a, false, who.refusal()
	}
	if err := s.held(w, a); err != nil {
		return a, false, err
	}
	as, now, policy, err := s.reassess(w, a)
	if err != nil {
		return a, false, err
	}
	if now.StricterThan(a.Treatment) {
		done, err = s.restate(w, a, as, now, policy)
		return done, true, err
	}
	e := decided.yesOf(m.Person.ID)
	kind := who.challenge
	passed := scoring.Treatment{Challenge: scoring.ChallengeKind(e.Kind)}
	if a.Treatment.StricterThan(decided.Treatment) || (scoring.Treatment{Challenge: kind}).StricterThan(passed) {
		return a, false, fault.New(fault.ChallengeRequired, "this request needs more than the one you decided; open it")
	}
	failed, err := failures(w, m, a)
	if err == nil && failed >= maxAttempts {
		err = lockedOut()
	}
	if err != nil {
		return a, false, err
	}
	e.With, e.SinglePerson = decided.ID, who.singlePerson
	done, err = s.complete(w, m, a, who, &e, note)
	return done, false, err
}

// yesOf is how this person came to the yes that they gave: the decision where it
// was the last one that was needed, else their signature.
func (a Approval) yesOf(person string) Evidence {
	if a.Decision != nil && a.Decision.Evidence != nil {
		return *a.Decision.Evidence
	}
	if s := a.signedBy(person); s != nil {
		return s.Evidence
	}
	return Evidence{}
}
