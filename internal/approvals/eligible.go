package approvals

import (
	"strings"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// eligibility is whether this person may decide this approval, and under which
// challenge.
type eligibility struct {
	may          bool
	why          string // why not; empty when may
	others       []string
	singlePerson bool // excluded, but nobody else is there: typed target, and marked
	challenge    scoring.ChallengeKind
}

// eligible applies the rules of who may decide: an operator of the tenant, and
// not the owner of the agent, unless nobody else could.
func (a Approval) eligible(m auth.Member, operators []Operator) eligibility {
	e := eligibility{may: m.May(auth.Decide), challenge: a.Treatment.Challenge}
	for _, o := range operators {
		if o.ID != m.Person.ID && o.ID != a.Agent.Owner {
			e.others = append(e.others, o.Name)
		}
	}
	switch {
	case !e.may:
		e.why = "you are not an operator of this organisation"
	case a.Agent.Owner == "" || a.Agent.Owner != m.Person.ID:
	case len(e.others) == 0:
		e.singlePerson, e.challenge = true, scoring.ChallengeExplicit
	default:
		e.may, e.why = false, "you own the agent "+a.Agent.Name+", and nobody decides for their own agent"
	}
	return e
}

// refusal is the fault for somebody who may not decide.
func (e eligibility) refusal() error {
	who := "nobody else can decide yet; an admin can make somebody an operator"
	if len(e.others) > 0 {
		who = strings.Join(e.others, ", ") + " can"
	}
	return fault.New(fault.NotEligible, "%s; %s", e.why, who)
}
