package approvals

import (
	"context"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// Submission is an action that an agent hands in.
type Submission struct {
	Action    scoring.Action
	ExpiresIn int    // seconds, 1–2,592,000; 0 = the policy's. Where the policy limits it, it can only shorten
	Revises   string // id of the approval whose requested changes this answers
	// IdempotencyKey, when not empty, makes a repeated submission return the same approval.
	IdempotencyKey string
	// Attach answers with an approval of the same act in the same session that this agent
	// still can use, instead of a new one: see attachable.
	Attach bool
	// Consume spends the grant at once where the policy approves the action by itself.
	Consume bool
}

// Submit scores an action and stores it: approved, blocked or pending. created
// is false when the idempotency key was used before with the same body, or when the
// submission was attached to an earlier one.
func (s *Service) Submit(ctx context.Context, agent auth.Agent, sub Submission) (a Approval, created bool, err error) {
	var ended []Approval
	for try := 0; ; try++ {
		a, ended, created, err = s.submit(ctx, agent, sub)
		// A parallel submission with the same key was faster: the next round reads it.
		if try > 0 || sub.IdempotencyKey == "" || !fault.Is(err, fault.AlreadyExists) {
			break
		}
	}
	if err != nil {
		return Approval{}, false, err
	}
	if created {
		s.meter.Submitted(a.Status, a.Assessment.Level)
		s.changed(a)
		for _, older := range ended {
			s.changed(older)
		}
		return s.tellingNew(ctx, a), true, nil
	}
	a, err = s.telling(ctx, a, nil)
	return a, created, err
}

func (s *Service) submit(ctx context.Context, agent auth.Agent, sub Submission) (a Approval, ended []Approval, created bool, err error) {
	// Scoring is the long part and depends on the database only through the policy
	// and the call number, so it runs outside the transaction.
	exam, err := s.examine(ctx, agent, sub.Action, sub.IdempotencyKey)
	if err != nil {
		return Approval{}, nil, false, err
	}
	err = s.writeCall(ctx, agent, callOf(sub.Action), func(w Writer) error {
		ended, created = nil, false
		if sub.IdempotencyKey != "" {
			a, err = s.replay(w, agent, sub, exam.Examination, exam.version)
			if !fault.Is(err, fault.Missing) {
				return err
			}
		}
		if err := s.checkRevises(w, agent, sub); err != nil {
			return err
		}
		if exam, err = s.underNow(w, agent, sub.Action, sub.IdempotencyKey, exam); err != nil {
			return err
		}
		policy := exam.policy
		calls, err := w.Calls(agent.ID, sub.Action.SessionID(), sub.Action.Function())
		if err != nil {
			return err
		}
		given, err := inputsOf(w, agent, sub.Action.Function())
		if err != nil {
			return err
		}
		if exam.Examination, err = remembering(w, exam.Examination, given, agent.ID, ""); err != nil {
			return err
		}
		if exam.Examination, err = trusting(w, exam.Examination, agent.ID, sub.Action.Function(), calls+1); err != nil {
			return err
		}
		a = s.propose(agent, sub, exam, calls+1, w.Now())
		held, like, err := a.recall(w, policy, sub.Action)
		if err != nil {
			return err
		}
		if held != nil {
			exam.Examination = exam.Remembering(held)
			a = s.propose(agent, sub, exam, calls+1, w.Now())
		}
		if earlier, err := s.attachable(w, a, sub); err != nil || earlier != nil {
			if earlier != nil {
				a = *earlier
			}
			return err
		}
		used, err := a.endScopes(w)
		if err != nil {
			return err
		}
		var by []audit.Event
		if a, by, err = s.standing(w, a, sub.Action); err != nil {
			return err
		}
		used = append(used, by...)
		if a.Status == Approved {
			if err := s.heldCall(w, a, a.readSet(w, policy, sub.Action)); err != nil {
				return err
			}
		}
		rose, err := a.evaluated(w, policy)
		if err != nil {
			return err
		}
		used = append(used, rose...)
		created = true
		if a, err = s.create(w, a, sub, exam.Examination, like, used); err == nil {
			ended, err = endOlder(w, a, policy)
		}
		return err
	})
	return a, ended, created, err
}

// checkRevises makes sure that a revision answers a request for changes to the
// same agent.
func (s *Service) checkRevises(r Reader, agent auth.Agent, sub Submission) error {
	if sub.Revises == "" {
		return nil
	}
	before, err := r.Approval(sub.Revises)
	if fault.Is(err, fault.Missing) || (err == nil && before.Agent.ID != agent.ID) {
		return fault.Member(fault.InvalidMember, "/revises", "this agent has no approval %.60q; name the one with requested changes, or leave it out", sub.Revises)
	}
	if err != nil {
		return err
	}
	if before.Status != ChangesRequested {
		return fault.Member(fault.InvalidMember, "/revises", "%s is %s; only one with status changes_requested can be revised", before.ID, before.Status)
	}
	return nil
}

// propose makes the approval as it will be stored. Pure but for the new ids.
func (s *Service) propose(agent auth.Agent, sub Submission, exam examined, n int, now time.Time) Approval {
	as := exam.Assess(n)
	expires := exam.Expiry(as.Level, sub.ExpiresIn)
	shown, carried, as := exam.Mask(as)
	a := Approval{
		Tenant: agent.Tenant, ID: auth.NewID("apr"), Revises: sub.Revises,
		Agent:  Agent{ID: agent.ID, Name: agent.Name, Owner: agent.Owner},
		Action: shown.Canonical(), Digest: sub.Action.Digest(), ShownDigest: shown.Digest(), Carried: carried,
		CallNumber: n, Function: sub.Action.Function(), Session: sub.Action.SessionID(),
		Version: 1, Assessment: as, Treatment: as.Treatment, PolicyVersion: exam.version,
		CreatedAt: now, ExpiresAt: exam.policy.WorkingHours.End(now, time.Duration(expires)*time.Second),
	}
	a.stampRecord(exam.took, now)
	return a.settle(now)
}

// stampRecord fills in what scoring, being pure, cannot know.
func (a *Approval) stampRecord(took time.Duration, now time.Time) {
	r := &a.Assessment.Patterns
	r.EvaluationID = auth.NewUUID()
	r.Timestamp = now
	r.ScanDurationMS = float64(took.Microseconds()) / 1000
	r.TenantID, r.AgentID = a.Tenant, a.Agent.ID
	if a.Session != "" {
		r.SessionID = &a.Session
	}
}

// MostOpen is how many approvals of an organisation can be open at once: waiting, or approved and
// not used. Each takes some 200 bytes of memory (internal/store/logstate).
const MostOpen = 100_000

// roomForOne refuses one more than mostOpen.
func (s *Service) roomForOne(w Writer) error {
	open, err := w.Open()
	if err != nil || open < s.mostOpen {
		return err
	}
	f := fault.New(fault.RateLimited, "this organisation has %d requests that wait for a decision or are approved and not used, and can't have more; cancel what isn't needed or have it decided, then submit again", open)
	f.RetryAfter = time.Minute
	return f
}

// create stores a new approval with its events, and with its grant where the
// policy or a standing grant approved it. like says in which ways it is like what was
// denied or blocked.
func (s *Service) create(w Writer, a Approval, sub Submission, exam scoring.Examination, like []string, used []audit.Event) (_ Approval, err error) {
	if !a.Status.Final() || a.Status == Approved && !sub.Consume {
		if err := s.roomForOne(w); err != nil {
			return a, err
		}
	}
	events := append([]audit.Event{a.submittedEvent(like)}, used...)
	if len(like) > 0 {
		if err := w.AskAgain(a.Agent.ID, like); err != nil {
			return a, err
		}
	}
	if a.Status == Approved {
		if a, err = s.grant(w, a); err != nil {
			return a, err
		}
	}
	if err := a.addFiles(w); err != nil {
		return a, err
	}
	if program, _ := exam.Shown().Client(); program != "" {
		if err := w.NoteClient(a.Agent.ID, program); err != nil {
			return a, err
		}
	}
	hash := "" // nothing is compared without a key
	if sub.IdempotencyKey != "" {
		hash = sub.bodyHash(exam.Shown(), a.PolicyVersion)
	}
	if err := w.Create(a, sub.IdempotencyKey, hash); err != nil {
		return a, err
	}
	if a.Status.Final() {
		learned, err := s.ended(w, a)
		if err != nil {
			return a, err
		}
		events = append(events, a.decisionEvent(learned...))
	}
	// All that Consume asks was asked in this transaction, but whether the trail is signed.
	if sub.Consume && a.Status == Approved {
		spent, err := a.spend(w, a.Assessment, sub.IdempotencyKey)
		if err != nil {
			return a, err
		}
		now := w.Now()
		a.Grant.ConsumedAt, a.Grant.ConsumeKey = &now, sub.IdempotencyKey
		events = append(events, spent)
	}
	return a, w.Append(events...)
}
