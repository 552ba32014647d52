package approvals

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/trust"
)

// proven makes sure that the grant of a is one that this server gave, whoever wrote the
// rows that say so: its token is signed for exactly this act, and the log tells of the
// decision and of nothing that spent it or made it void but what the row says. The
// token is what nobody can make who only has the database; that it was handed out, and
// to what end it came, is in the log. Otherwise fault.GrantUnproven, and an alarm.
func (s *Service) proven(ctx context.Context, w Writer, a Approval) error {
	told, err := w.GrantTold(a.ID)
	if err != nil {
		return err
	}
	err = errors.Join(s.signed(a), a.grantTold(told))
	if id := a.StandingID(); err == nil && id != "" {
		problem, unread := w.StandingMismatch(id)
		if unread != nil {
			return unread
		}
		if problem != "" {
			err = errors.New(problem)
		}
	}
	if err == nil {
		g := ReadSet{Agent: a.Agent.ID, Function: a.Function}
		if a.Assessment.Trust != nil && a.Assessment.Trust.Lowered {
			g.TrustFrom = day(w.Now()) // whether it was lost since
		}
		return s.heldCall(w, a, g)
	}
	s.log.ErrorContext(ctx, "a grant is not what was signed and recorded; somebody may have written to the database", "tenant", a.Tenant, "approval", a.ID, "problem", err.Error())
	return fault.New(fault.GrantUnproven, "this server can't prove that it issued the grant for %s; don't act. Submit the action again and tell whoever runs this server", a.ID)
}

// ReadSet is what lets a call through without a person, besides the policy, and what its
// agent is bound to.
type ReadSet struct {
	Agent, Function string
	// Like are the ways in which the call can be like what was denied after DeniedSince;
	// none where nothing is remembered.
	Like        []string
	DeniedSince time.Time
	// TrustFrom is since which day the record of the agent counts; "" where it lowered nothing.
	TrustFrom string
}

// readSet is that of a call, as it is assessed now.
func (a Approval) readSet(r Reader, p scoring.Policy, action scoring.Action) ReadSet {
	g := ReadSet{Agent: a.Agent.ID, Function: a.Function}
	if since := p.Judgement.Remembers(); since > 0 && a.isCall() {
		g.Like, g.DeniedSince = a.like(action), r.Now().Add(-since)
	}
	if a.Assessment.Trust != nil && a.Assessment.Trust.Lowered {
		g.TrustFrom = trust.From(r.Now(), p.Tidy().Trust.HalfLifeDays)
	}
	return g
}

// heldCall makes sure that what lets a call through without a person is what the log says.
// Otherwise fault.GrantUnproven, and an alarm: nobody could approve it either.
func (s *Service) heldCall(w Writer, a Approval, g ReadSet) error {
	problem, err := w.CallMismatch(g)
	if err != nil || problem == "" {
		return err
	}
	s.log.Error("nothing is let through: the tables are not what the audit trail says; somebody may have written to the database", "tenant", a.Tenant, "agent", g.Agent, "problem", problem)
	return fault.New(fault.GrantUnproven, "the database doesn't match the audit trail, so no call is approved automatically; don't act, and tell whoever runs this server: “countersign audit verify” says what's wrong")
}

// writeAs is the store's, for an agent that is what the log says, with its keys: a key that
// nobody made asks for nothing, spends nothing and reports nothing.
func (s *Service) writeAs(ctx context.Context, agent auth.Agent, fn func(Writer) error) error {
	return s.writeCall(ctx, agent, Call{}, fn)
}

// Call is what an agent calls, and in which session.
type Call struct{ Session, Function string }

func callOf(action scoring.Action) Call { return Call{action.SessionID(), action.Function()} }

// writeCall is writeAs of an agent that calls something.
func (s *Service) writeCall(ctx context.Context, agent auth.Agent, of Call, fn func(Writer) error) error {
	return s.store.WriteAs(ctx, agent, of, func(w Writer) error {
		problem, err := w.AgentMismatch(agent.ID)
		if err != nil {
			return err
		}
		if problem != "" {
			s.log.ErrorContext(ctx, "nothing is done for an agent: the tables are not what the audit trail says; somebody may have written to the database", "tenant", agent.Tenant, "agent", agent.ID, "problem", problem)
			return fault.New(fault.GrantUnproven, "this agent and its keys don't match the audit trail, so nothing is done for the agent; don't act, and tell whoever runs this server: “countersign audit verify” says what's wrong")
		}
		return fn(w)
	})
}

// held makes sure that what an approval would go by is what the log says: the request, how
// it was read, the signatures so far, and who may decide it for this agent. Whoever wrote
// to the tables gets no grant; saying no stays open. Otherwise fault.GrantUnproven, and an
// alarm.
func (s *Service) held(w Writer, a Approval) error {
	problem, err := w.Mismatch(a.ID, a.Agent.ID)
	if err != nil || problem == "" {
		return err
	}
	s.log.Error("nothing is approved: the tables are not what the audit trail says; somebody may have written to the database", "tenant", a.Tenant, "approval", a.ID, "problem", problem)
	return fault.New(fault.GrantUnproven, "the database doesn't match the audit trail, so this can't be approved. You can still deny it. Tell whoever runs this server: “countersign audit verify” says what's wrong")
}

// signed reports why the token of a is not a grant for what the rows say, or nil.
func (s *Service) signed(a Approval) error {
	g := a.Grant
	claims, err := s.signer.Verify(g.Token)
	if err != nil {
		return fmt.Errorf("the token: %w", err)
	}
	// The public URL may have changed since; the key is this server's all the same.
	want := GrantClaims{Issuer: claims.Issuer, Subject: a.ID, Tenant: a.Tenant, Agent: a.Agent.ID, Digest: a.Digest, Expires: claims.Expires, ID: g.ID}
	if claims != want || !g.ExpiresAt.Equal(claims.Expires) {
		return errors.New("the token is for something else than the rows say")
	}
	return nil
}

// grantTold reports why these records do not tell of the grant as it is stored, or nil.
func (a Approval) grantTold(told []audit.Event) error {
	g := a.Grant
	var approved, spent, voided int
	for _, e := range told {
		switch e.Kind {
		case audit.Approved:
			said := e.Data.Get("grant")
			version, _ := e.Data.Get("version").Int64()
			if e.Approval != a.ID || e.Agent != a.Agent.ID || version != a.Version || e.Data.Get("shown_digest").Text() != a.ShownDigest ||
				said.Get("jti").Text() != g.ID || said.Get("digest").Text() != a.Digest || said.Get("expires_at").Text() != audit.FormatTime(g.ExpiresAt) {
				return fmt.Errorf("event %d tells of another approval than the rows", e.Index)
			}
			approved++
		case audit.GrantConsumed:
			spent++
		case audit.GrantVoided:
			voided++
		}
	}
	for _, c := range []struct {
		what         string
		told, stored int
	}{
		{"approved", approved, 1},
		{"spent", spent, times(g.ConsumedAt != nil)},
		{"made void", voided, times(g.VoidedAt != nil)},
	} {
		if c.told != c.stored {
			return fmt.Errorf("the log tells %d times that it was %s, the rows %d times", c.told, c.what, c.stored)
		}
	}
	return nil
}

func times(once bool) int {
	if once {
		return 1
	}
	return 0
}
