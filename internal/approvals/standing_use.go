package approvals

import (
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/authority"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/patterns"
)

// standingGrantOf stands in front of the name of whoever made the grant that decided.
const standingGrantOf = "standing grant of "

// StandingOf is that name, of a decider that is a standing grant.
func (d Decider) StandingOf() string { return strings.TrimPrefix(d.Name, standingGrantOf) }

// How permission that was given ahead is used: at submission, in the transaction
// that stores the approval, and looked at once more when its grant is spent.

// blocks reports whether a pattern matched whose own action is block, whatever the
// policy makes of it.
func blocks(as scoring.Assessment) bool {
	return slices.ContainsFunc(as.Patterns.MatchedPatterns, func(m patterns.Match) bool { return m.Action == patterns.Block })
}

// maker returns the name of who made g, while they may still decide for its agent, as
// package authority says of a request of now; else why they may not. own are the people
// whose agent it is. Who made it alone, in single-person mode, stands for it until somebody
// else can decide.
func (g Standing) maker(own []string, s authority.State) (name string, why fault.Text) {
	v := s.Sign(authority.Request{Required: 1, Own: own}, g.MadeBy.ID)
	switch {
	case v.May && (!v.Single || g.SinglePerson):
		return s.Find(g.MadeBy.ID).Name, fault.Text{}
	case v.Why == authority.NoOperator:
		return "", fault.Textf("its creator is no longer an operator")
	case v.Why == authority.TiedToOwner:
		return "", fault.Textf("its creator may be the person who owns the agent or one of its keys, and others can now decide")
	}
	return "", fault.Textf("its creator owns the agent or one of its keys, and others can now decide")
}

// offer is a standing grant that covers an action, and the name of who stands for it.
type offer struct {
	grant   Standing
	maker   string
	problem string // why the log says that it is another one; "" where it does not
}

// offers are the open standing grants that cover a pending a, the oldest first. What was
// denied or blocked since is a person's to decide.
func (a Approval) offers(w Writer, action scoring.Action) (all []offer, err error) {
	if a.Status != Pending || a.Assessment.Remembered != nil {
		return nil, nil
	}
	var open []Standing
	if a.uncoverable().Empty() {
		if open, err = w.StandingGrants(StandingQuery{Agent: a.Agent.ID, Function: a.Function, Open: true, InSession: &a.Session, Limit: MaxStandingOpen}); err != nil {
			return nil, err
		}
	}
	if scope, why := a.Scope(action); scope != nil && why.Empty() && a.Session != "" {
		scoped, err := w.StandingGrants(StandingQuery{Agent: a.Agent.ID, Session: a.Session, Open: true, Scoped: true, Limit: maxScopes})
		if err != nil {
			return nil, err
		}
		open = append(open, scoped...)
	}
	if len(open) == 0 {
		return nil, nil
	}
	state, err := w.Authority()
	if err != nil {
		return nil, err
	}
	own, err := a.own(w)
	if err != nil {
		return nil, err
	}
	for _, g := range slices.Backward(open) {
		name, why := g.maker(own, state)
		if !why.Empty() || !g.covers(a, action) {
			continue
		}
		problem, err := w.StandingMismatch(g.ID)
		if err != nil {
			return nil, err
		}
		all = append(all, offer{g, name, problem})
	}
	return all, nil
}

// take approves a by an offer.
func (a Approval) take(o offer, now time.Time) Approval {
	if o.grant.Session != "" {
		a.Assessment.SessionGrant = &scoring.SessionGrant{ID: o.grant.ID, Covers: o.grant.Covers()}
	}
	return a.decided(Approved, VerdictApprove, "", Decider{Kind: ByPolicy, ID: o.grant.ID, Name: standingGrantOf + o.maker}, now)
}

// standing approves a pending a where permission was given for it ahead: the first
// open standing grant that covers it loses one use. The conditions on the use are
// in the statement that takes it, so of many at once no more get one than there are.
func (s *Service) standing(w Writer, a Approval, action scoring.Action) (Approval, []audit.Event, error) {
	all, err := a.offers(w, action)
	if err != nil {
		return a, nil, err
	}
	for _, o := range all {
		if o.problem != "" {
			s.log.Error("a standing grant lets nothing through: it is not what the audit trail says; somebody may have written to the database", "tenant", a.Tenant, "problem", o.problem)
			continue
		}
		left, err := w.UseStanding(o.grant.ID)
		if fault.Is(err, fault.Changed) {
			continue // the last use went to somebody else, or it was revoked
		}
		if err != nil {
			return a, nil, err
		}
		a = a.take(o, w.Now())
		return a, []audit.Event{a.event(audit.StandingUsed, audit.Actor{Kind: "policy", ID: o.grant.ID},
			member("standing", canon.String(o.grant.ID)), member("left", canon.Int(int64(left))))}, nil
	}
	return a, nil, nil
}

// foretold is a as standing would make it now, without using anything.
func (a Approval) foretold(w Writer, action scoring.Action) (Approval, error) {
	all, err := a.offers(w, action)
	if err != nil {
		return a, err
	}
	for _, o := range all {
		if o.problem == "" {
			return a.take(o, w.Now()), nil
		}
	}
	return a, nil
}

// StandingID is the standing grant that approved a, or "".
func (a Approval) StandingID() string {
	if a.Decision == nil || len(a.Decision.DecidedBy) != 1 {
		return ""
	}
	by := a.Decision.DecidedBy[0]
	if by.Kind != ByPolicy || !strings.HasPrefix(by.ID, "stg_") {
		return ""
	}
	return by.ID
}

// takenBack says why the grant of a may not be spent although nothing is treated
// more strictly by the policy: the standing grant that gave it was revoked, or its maker lost the
// right to decide. "" for every other approval. That uses or time ran out since
// takes nothing back.
func (a Approval) takenBack(w Writer) (fault.Text, error) {
	id := a.StandingID()
	if id == "" {
		return fault.Text{}, nil
	}
	g, err := w.Standing(id)
	if err != nil {
		return fault.Text{}, err
	}
	if g.RevokedAt != nil {
		return fault.Textf("its standing approval was revoked"), nil
	}
	state, err := w.Authority()
	if err != nil {
		return fault.Text{}, err
	}
	own, err := a.own(w)
	if err != nil {
		return fault.Text{}, err
	}
	if _, why := g.maker(own, state); !why.Empty() {
		return fault.Textf("its standing approval no longer applies: %s", why), nil
	}
	return fault.Text{}, nil
}

// takeBack voids the grant of a, and returns what its agent is told.
func (a Approval) takeBack(w Writer, why fault.Text) (told, err error) {
	if err := w.Revoke(a.ID, why.String()); err != nil {
		return nil, err
	}
	told = fault.New(fault.GrantVoid, "the grant is void: %s; submit the action again", why)
	return told, w.Append(a.event(audit.GrantVoided, audit.Actor{Kind: "policy", ID: a.StandingID()}, member("jti", canon.String(a.Grant.ID)), member("reason", canon.String(why.String()))))
}
