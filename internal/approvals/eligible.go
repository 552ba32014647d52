package approvals

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/authority"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/deciders"
)

// eligibility is whether this person may decide this approval, and under which
// challenge.
type eligibility struct {
	may          bool
	why          fault.Text // why not; empty when may
	blinded      bool       // a mask that nobody accepted, or how they signed in, keeps them from approving
	mayRefuse    bool       // saying no is open to every operator but those whose agent asks
	others       []string
	able         []Assignee // the same people, in the same order
	singlePerson bool       // excluded, but nobody else is there, in single-person mode: marked, and the target typed where there is no quiz
	challenge    scoring.ChallengeKind

	circle
}

// circle is what who may decide depends on.
type circle struct {
	state authority.State
	own   []string          // whose agent asks
	teams deciders.Settings // as they are now
}

func (a Approval) circle(r Deciding) (c circle, err error) {
	if c.own, err = a.own(r); err != nil {
		return c, err
	}
	if c.state, err = r.Authority(); err != nil || len(a.Treatment.Needs) == 0 {
		return c, err
	}
	p, _, err := r.Policy()
	c.teams = p.Deciders
	return c, err
}

// eligibleNow is eligible with who may do what now.
func (a Approval) eligibleNow(r Reader, m auth.Member) (eligibility, error) {
	c, err := a.circle(r)
	if err != nil {
		return eligibility{}, err
	}
	e := a.eligible(m, c)
	pattern, err := a.waitingMask(r)
	if e.may && pattern != "" {
		e.may, e.blinded = false, true
		e.why = fault.Textf("the pattern %s masks parts of this, and another admin has to accept that on the policy page before anyone can approve it", pattern)
	}
	return e, err
}

// waitingMask is a pattern that masked something in a, and that no other admin accepted so
// far; "" where there is none. What one person hid from all others nobody approves.
func (a Approval) waitingMask(r Reader) (pattern string, err error) {
	if len(a.Carried) == 0 {
		return "", nil
	}
	now, version, err := r.Policy()
	if err != nil || version == a.PolicyVersion {
		return now.Waiting(now, a.Carried), err
	}
	then, err := r.PolicyVersion(a.PolicyVersion)
	return now.Waiting(then.Policy, a.Carried), err
}

// own are the people whose agent asks: its owner as it was then, and whoever held a key
// with which it could ask.
func (a Approval) own(r Deciding) ([]string, error) {
	at := a.CreatedAt
	if at.IsZero() {
		at = r.Now()
	}
	own, err := r.KeyMakers(a.Agent.ID, at)
	if a.Agent.Owner != "" && !slices.Contains(own, a.Agent.Owner) {
		own = append(own, a.Agent.Owner)
	}
	return own, err
}

// request is what people sign, as package authority asks.
func (a Approval) request(c circle) authority.Request {
	r := authority.Request{Required: a.Treatment.ApprovalsRequired, Own: c.own, Needs: c.teams.Asked(a.Treatment.Needs)}
	for _, s := range a.Signatures {
		r.Signed = append(r.Signed, s.Person)
	}
	return r
}

// eligible applies the rules of who may decide (authority.State.Sign): an operator of the
// tenant, not one whose agent asks, no one twice, and no two who may be one person. The
// roles of m may be older than the state, so both must say that this is one.
func (a Approval) eligible(m auth.Member, c circle) eligibility {
	s := c.state
	v := s.Sign(a.request(c), m.Person.ID)
	e := eligibility{may: v.May, singlePerson: v.Single, challenge: a.Treatment.Challenge, circle: c}
	for _, p := range v.Others {
		e.able = append(e.able, Assignee{Person: p.ID, Name: p.Name})
	}
	slices.SortFunc(e.able, func(a, b Assignee) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.Person, b.Person))
	})
	for _, p := range e.able {
		e.others = append(e.others, p.Name)
	}
	if !m.May(auth.Refuse) {
		v.Why = authority.NoOperator
	}
	e.mayRefuse = v.Why != authority.NoOperator && v.Why != authority.OwnAgent
	if v.Single && e.challenge != scoring.ChallengeQuiz {
		e.challenge = scoring.ChallengeExplicit
	}
	switch v.Why {
	case authority.NoOperator:
		e.may, e.singlePerson, e.why = false, false, fault.Textf("you aren't an operator of this organisation")
	case authority.Signed:
		e.why = fault.Textf("you already approved it, and it needs different people")
	case authority.OwnAgent:
		if a.Agent.Owner == m.Person.ID {
			e.why = fault.Textf("you own the agent %s, so you can't decide its requests", a.Agent.Name)
		} else {
			e.why = fault.Textf("you created a key for the agent %s, so you can't decide its requests", a.Agent.Name)
		}
	case authority.TiedToSigner:
		e.why = fault.Textf("%s approved it, and one of you was invited by the other or by the same person, or used a password link of theirs; until %s that counts as one person",
			v.With.Name, s.RelatedUntil(m.Person.ID, v.With.ID).Format(time.RFC3339))
	case authority.NotNeeded:
		all, _ := a.needed(c)
		e.why = fault.Textf("you aren't one of the people who are missing: it needs %s", deciders.Missing(all))
	case authority.TiedToOwner:
		e.why = fault.Textf("the owner of the agent %s invited you or was invited by you, so you can't decide its requests until %s", a.Agent.Name, s.RelatedUntil(m.Person.ID, v.With.ID).Format(time.RFC3339))
	}
	if e.may && m.Unproven {
		e.may, e.blinded = false, true
		e.why = fault.Textf("you signed in while the audit trail wasn't what was signed, so it couldn't confirm your password; sign in again once it is")
	}
	return e
}

// counted are those of the signatures of a that count now.
func (e eligibility) counted(a Approval) []string { return e.state.Counted(a.request(e.circle)) }

// refusal is the fault for somebody who may not decide.
func (e eligibility) refusal() error {
	if e.blinded {
		return fault.New(fault.NotEligible, "%s; you can deny it or request changes now", e.why)
	}
	who := fault.Textf("no one else can decide yet; ask an admin to add another operator")
	if len(e.others) > 0 {
		who = fault.Textf("%s can", strings.Join(e.others, ", "))
	}
	return fault.New(fault.NotEligible, "%s; %s", e.why, who)
}

// refusable is a request that waits and that m may refuse now.
func refusable(w Writer, m auth.Member, id string) (a Approval, who eligibility, err error) {
	if a, err = w.Approval(id); err != nil {
		return a, who, err
	}
	if err = a.decidable(w.Now()); err != nil {
		return a, who, err
	}
	if who, err = a.eligibleNow(w, m); err == nil && !who.mayRefuse {
		err = who.refusal()
	}
	return a, who, err
}
