package approvals

import (
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/authority"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// decides is one of the operators of a test.
type decides struct{ ID, Name string }

// single is an organisation of these operators in single-person mode.
func single(operators []decides) authority.State {
	s := authority.State{Single: true}
	for _, o := range operators {
		s.People = append(s.People, authority.Person{ID: o.ID, Name: o.Name, Decides: true})
	}
	return s
}

func owned(id string) []string {
	if id == "" {
		return nil
	}
	return []string{id}
}

// TestEligible is who may decide, and with which challenge.
func TestEligible(t *testing.T) {
	t.Parallel()
	ada, ben, eve := decides{"per_ada", "Ada"}, decides{"per_ben", "Ben"}, decides{"per_eve", "Eve"}
	for name, c := range map[string]struct {
		who       decides
		roles     []auth.Role
		owner     string
		operators []decides
		may       bool
		single    bool
		others    []string
		told      []string // what a refusal says
	}{
		"an operator, agent without owner":      {who: ada, roles: []auth.Role{auth.Operator}, operators: []decides{ada, ben}, may: true, others: []string{"Ben"}},
		"the only operator, no owner":           {who: ada, roles: []auth.Role{auth.Operator}, operators: []decides{ada}, may: true},
		"an operator, somebody else's agent":    {who: ada, roles: []auth.Role{auth.Operator}, owner: ben.ID, operators: []decides{ada, ben, eve}, may: true, others: []string{"Eve"}},
		"the owner, another operator there":     {who: ada, roles: []auth.Role{auth.Operator}, owner: ada.ID, operators: []decides{ada, ben}, others: []string{"Ben"}, told: []string{"you own the agent worker", "Ben can"}},
		"the owner with all roles":              {who: ada, roles: auth.Roles(), owner: ada.ID, operators: []decides{ada, ben, eve}, others: []string{"Ben", "Eve"}, told: []string{"Ben, Eve can"}},
		"the owner, alone":                      {who: ada, roles: []auth.Role{auth.Operator}, owner: ada.ID, operators: []decides{ada}, may: true, single: true},
		"an admin":                              {who: ada, roles: []auth.Role{auth.Admin}, operators: []decides{ben}, others: []string{"Ben"}, told: []string{"you aren't an operator of this organisation", "Ben can"}},
		"compliance":                            {who: ada, roles: []auth.Role{auth.Compliance}, operators: []decides{ben}, others: []string{"Ben"}, told: []string{"you aren't an operator of this organisation"}},
		"an operator since they came in":        {who: ada, operators: []decides{ada, ben}, others: []string{"Ben"}, told: []string{"you aren't an operator of this organisation", "Ben can"}},
		"an operator when they came in":         {who: ada, roles: []auth.Role{auth.Operator}, operators: []decides{ben}, others: []string{"Ben"}, told: []string{"you aren't an operator of this organisation", "Ben can"}},
		"no role":                               {who: ada, operators: []decides{ben}, others: []string{"Ben"}, told: []string{"you aren't an operator of this organisation"}},
		"an admin who owns it, and nobody else": {who: ada, roles: []auth.Role{auth.Admin}, owner: ada.ID, told: []string{"you aren't an operator of this organisation", "no one else can decide yet"}},
		"an admin beside the owner only":        {who: ada, roles: []auth.Role{auth.Admin}, owner: ben.ID, operators: []decides{ben}, told: []string{"you aren't an operator of this organisation", "no one else"}},
	} {
		a := inStatus(Pending)
		a.Agent.Owner = c.owner
		a.Treatment.Challenge = scoring.ChallengeConfirm
		got := a.eligible(auth.Member{Tenant: "acme", Person: auth.Person{ID: c.who.ID, Name: c.who.Name}, Roles: c.roles}, circle{state: single(c.operators), own: owned(c.owner)})
		if got.may != c.may || got.singlePerson != c.single || !slices.Equal(got.others, c.others) || got.why.Empty() != c.may {
			t.Errorf("%s: %+v", name, got)
		}
		want := scoring.ChallengeConfirm
		if c.single {
			want = scoring.ChallengeExplicit // nobody looks over this shoulder, so it is typed
		}
		if got.challenge != want {
			t.Errorf("%s: the challenge is %s, want %s", name, got.challenge, want)
		}
		if c.may {
			continue
		}
		wantFault(t, name, got.refusal(), fault.NotEligible)
		for _, part := range c.told {
			if detail := fault.As(got.refusal()).Detail; !strings.Contains(detail, part) {
				t.Errorf("%s: told %q, want %q in it", name, detail, part)
			}
		}
	}
}

// TestEligibleAmongSeveral is who may still decide after somebody signed.
func TestEligibleAmongSeveral(t *testing.T) {
	t.Parallel()
	ada, ben, eve := decides{"per_ada", "Ada"}, decides{"per_ben", "Ben"}, decides{"per_eve", "Eve"}
	for name, c := range map[string]struct {
		who, owner        decides
		signed, operators []decides
		may, single       bool
		others            []string
	}{
		"a second person":                       {who: ben, signed: []decides{ada}, operators: []decides{ada, ben, eve}, may: true, others: []string{"Eve"}},
		"the signer, another one there":         {who: ada, signed: []decides{ada}, operators: []decides{ada, ben}, others: []string{"Ben"}},
		"the signer, everybody signed":          {who: ada, signed: []decides{ada, ben}, operators: []decides{ada, ben}, may: true, single: true},
		"the signer, only the owner is left":    {who: ada, owner: ben, signed: []decides{ada}, operators: []decides{ada, ben}, others: []string{"Ben"}},
		"the owner, the only other one signed":  {who: ben, owner: ben, signed: []decides{ada}, operators: []decides{ada, ben}, may: true, single: true},
		"the owner, somebody else is left":      {who: ben, owner: ben, signed: []decides{ada}, operators: []decides{ada, ben, eve}, others: []string{"Eve"}},
		"a signer who is no operator any more":  {who: eve, signed: []decides{ada}, operators: []decides{ben, eve}, may: true, others: []string{"Ben"}},
		"the owner who signed as single person": {who: ben, owner: ben, signed: []decides{ben}, operators: []decides{ben}, may: true, single: true},
	} {
		a := inStatus(Pending)
		a.Agent.Owner = c.owner.ID
		for _, s := range c.signed {
			a.Signatures = append(a.Signatures, Signature{Person: s.ID, Name: s.Name, Version: a.Version})
		}
		got := a.eligible(auth.Member{Tenant: "acme", Person: auth.Person{ID: c.who.ID, Name: c.who.Name}, Roles: []auth.Role{auth.Operator}}, circle{state: single(c.operators), own: owned(c.owner.ID)})
		if got.may != c.may || got.singlePerson != c.single || !slices.Equal(got.others, c.others) || got.why.Empty() != c.may {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
