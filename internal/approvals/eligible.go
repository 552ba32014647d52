package approvals

import (
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// eligibility is whether this person may decide this approval, and under which
// challenge.
type eligibility struct {
	may          bool
	why          fault.Text // why not; empty when may
	mayRefuse    bool       // saying no is open to every operator but the owner
	others       []string
	singlePerson bool // excluded, but nobody else is there: typed target, and marked
	challenge    scoring.ChallengeKind
}

// eligible applies the rules of who may decide: an operator of the tenant, not
// the owner of the agent, and no one twice, unless nobody else could. The roles of
// m may be older than operators, so both must say that this is one.
func (a Approval) eligible(m auth.Member, operators []Operator) eligibility {
	e := eligibility{may: m.May(auth.Decide) && operates(m, operators), challenge: a.Treatment.Challenge}
	var owner []string // the owner, where somebody else is asking
	for _, o := range operators {
		switch {
		case o.ID == m.Person.ID || a.signedBy(o.ID) != nil:
		case o.ID == a.Agent.Owner:
			owner = append(owner, o.Name)
		default:
			e.others = append(e.others, o.Name)
		}
	}
	e.mayRefuse = e.may
	switch signed := a.signedBy(m.Person.ID); {
	case !e.may:
		e.why = fault.Textf("you are not an operator of this organisation")
	case signed != nil && len(e.others) == 0 && len(owner) == 0:
		e.singlePerson, e.challenge = true, scoring.ChallengeExplicit
	case signed != nil:
		// With nobody else the owner is a second person, which is more than the first one twice.
		if len(e.others) == 0 {
			e.others = owner
		}
		e.may, e.why = false, fault.Textf("you approved it at %s UTC, and it needs different people", signed.SignedAt.Format(time.TimeOnly))
	case a.Agent.Owner == "" || a.Agent.Owner != m.Person.ID:
	case len(e.others) == 0:
		e.singlePerson, e.challenge = true, scoring.ChallengeExplicit
	default:
		e.may, e.mayRefuse, e.why = false, false, fault.Textf("you own the agent %s, and nobody decides for their own agent", a.Agent.Name)
	}
	return e
}

// operates says whether m is among the operators.
func operates(m auth.Member, operators []Operator) bool {
	return slices.ContainsFunc(operators, func(o Operator) bool { return o.ID == m.Person.ID })
}

// refusal is the fault for somebody who may not decide.
func (e eligibility) refusal() error {
	who := fault.Textf("nobody else can decide yet; an admin can make somebody an operator")
	if len(e.others) > 0 {
		who = fault.Textf("%s can", strings.Join(e.others, ", "))
	}
	return fault.New(fault.NotEligible, "%s; %s", e.why, who)
}
