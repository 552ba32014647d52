package approvals

import (
	"context"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// Spent says when a grant was spent.
type Spent struct {
	At time.Time
	// Replayed says that it was not spent now: this call repeats one that was answered
	// before, so the act may have run already.
	Replayed bool
}

// Consume spends the grant: once, by the agent that asked, for the approved
// digest, before it expires, and only while the current policy treats the action
// no more strictly than the approval did. The grant must be what was signed and
// recorded: proven. With the same idempotency key a repeated call is told of the first.
func (s *Service) Consume(ctx context.Context, agent auth.Agent, id, digest, key string) (spent Spent, err error) {
	var void error // what is told after the void grant was committed
	err = s.writeAs(ctx, agent, func(w Writer) error {
		void = nil
		a, err := w.Approval(id)
		if a, err = own(a, agent, err); err != nil {
			return err
		}
		if spent, err = a.replayConsume(digest, key); err != nil {
			return err
		}
		if spent.Replayed && w.Now().Before(a.Grant.ExpiresAt) {
			return s.proven(ctx, w, a)
		} else if spent.Replayed { // the log needs to keep no more of it: nothing can be spent any more
			return s.signed(a)
		}
		if err := a.spendable(digest, w.Now()); err != nil {
			return err
		}
		if err := s.proven(ctx, w, a); err != nil {
			return err
		}
		if _, lost, err := a.recorded(w); err != nil {
			return err
		} else if lost {
			void, err = a.takeBack(w, lostTrust)
			return err
		}
		as, t, policy, err := s.reassess(w, a)
		if err != nil {
			return err
		}
		if err := s.unnamableKey(w, a, key); err != nil {
			return err
		}
		if t.StricterThan(a.Treatment) {
			void, err = a.stricter(w, as, policy)
			return err
		}
		if why, err := a.takenBack(w); err != nil {
			return err
		} else if !why.Empty() {
			void, err = a.takeBack(w, why)
			return err
		}
		spent = Spent{At: w.Now()}
		told, err := a.spend(w, as, key)
		if err != nil {
			return err
		}
		return w.Append(told)
	})
	if err != nil {
		return Spent{}, err
	}
	s.live.Publish(agent.Tenant, id)
	if void != nil {
		return Spent{}, void
	}
	return spent, nil
}

// spend marks the grant of a as spent, and returns the event that tells of it. as is what a
// is assessed as now.
func (a Approval) spend(w Writer, as scoring.Assessment, key string) (audit.Event, error) {
	if err := w.Consume(a.ID, key); err != nil {
		return audit.Event{}, err
	}
	told := a.event(audit.GrantConsumed, a.agentActor(), member("jti", canon.String(a.Grant.ID)), member("digest", canon.String(a.Digest)))
	return told, a.replaceFiles(w, as)
}

func stricterNow(moved fault.Text) error {
	return fault.New(fault.StricterNow, "%s: this action now needs stricter review, so the grant is void; submit the action again", moved)
}

// replayConsume answers a repeated call with what the first one was told.
func (a Approval) replayConsume(digest, key string) (Spent, error) {
	g := a.Grant
	if g == nil || g.ConsumedAt == nil {
		return Spent{}, nil
	}
	if key != "" && key == g.ConsumeKey && digest == a.Digest {
		return Spent{At: *g.ConsumedAt, Replayed: true}, nil
	}
	return Spent{}, fault.New(fault.AlreadyConsumed, "the grant was consumed at %s; submit the action again to run it again", g.ConsumedAt.Format(time.RFC3339))
}

// spendable reports why the grant of a cannot be spent for this digest now, or nil.
func (a Approval) spendable(digest string, now time.Time) error {
	g := a.Grant
	switch {
	case g == nil:
		return fault.New(fault.NotApproved, "the approval is %s, so there is no grant to consume", a.Status)
	case digest != a.Digest && a.Proposed != nil && digest == a.Proposed.Digest:
		return fault.Member(fault.DigestMismatch, "/digest", "an operator edited what you proposed before it was approved: run decision.effective in its place, and consume %s", a.Digest)
	case digest != a.Digest && digest == a.ShownDigest && a.Assessment.Rewrites:
		return fault.Member(fault.DigestMismatch, "/digest", "decision.effective is your call without the secrets that were found in it, and the grant is for what you sent: consume %s", a.Digest)
	case digest != a.Digest:
		return fault.Member(fault.DigestMismatch, "/digest", "the approval is for %s; what you're about to run is a different action, so submit that one", a.Digest)
	case g.VoidedAt != nil && g.VoidReason != "":
		return fault.New(fault.GrantVoid, "the grant was voided at %s: %s; submit the action again", g.VoidedAt.Format(time.RFC3339), g.VoidReason)
	case g.VoidedAt != nil:
		return stricterNow(fault.Textf("what it depends on changed")) // what, the first answer said
	case !now.Before(g.ExpiresAt):
		return fault.New(fault.GrantExpired, "the grant expired at %s; submit the action again", g.ExpiresAt.Format(time.RFC3339))
	}
	return nil
}
