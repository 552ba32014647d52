package console

import (
	"slices"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// The environment that an agent is bound to: what it says, and how it is changed.

// bindingBasis is what decides how a binding is made and what it does.
type bindingBasis struct {
	judgement effects.Settings
	alone     bool // nobody else could accept one
}

func (s *Console) bindingBasis(c call) (b bindingBasis, err error) {
	if !c.member.May(auth.ReadPolicy) {
		return b, nil
	}
	v, err := s.tenants.CurrentPolicy(c.Request().Context(), c.member)
	if err != nil {
		return b, err
	}
	admins, err := s.tenants.PolicyAdmins(c.Request().Context(), c.member)
	b.judgement = v.Policy.JudgedBy()
	b.alone = !slices.ContainsFunc(admins, func(p auth.Person) bool { return p.ID != c.member.Person.ID })
	return b, err
}

// does says what a binding to an environment does.
func (b bindingBasis) does(say texts.Printer, environment string) string {
	switch {
	case environment == "":
		return say.Say("counts as production")
	case !b.judgement.Floored():
		return say.Say("changes nothing: the policy has no floors")
	case b.judgement.IsNonproduction(environment):
		return say.Say("non-production: floors are lower")
	}
	return say.Say("not named as non-production in the policy: changes nothing")
}

func environmentFact(say texts.Printer, a tenants.Agent, b bindingBasis) views.Fact {
	name := a.Environment
	if name == "" {
		name = say.Say("bound to none")
	}
	return views.Fact{Label: say.Say("Environment"), Value: runs(name), Note: runs(b.does(say, a.Environment))}
}

// bindingPanels are the form, and the answer to what somebody asked.
func bindingPanels(say texts.Printer, m auth.Member, a tenants.Agent, l tenants.AgentList, b bindingBasis, f agentForm) (all []views.Panel) {
	url := agentURL(m.Tenant, a.ID) + "/bind"
	if a.Asked != nil {
		who := say.Say("Somebody who left")
		if p, ok := l.People[a.Asked.By]; ok {
			who = p.Name
		}
		text := append(runs(say.Say("%s asks to bind it to %s", who, a.Asked.Environment)+" ("+b.does(say, a.Asked.Environment)+"): "), runs(a.Asked.Reason)...)
		drop := views.PlainForm{URL: url + "/drop", Button: views.Button{Label: say.Say("Drop it"), Icon: views.IconBan}}
		if a.Asked.By != m.Person.ID && m.May(auth.ChangePolicy) {
			all = append(all, views.Panel{ID: "accept-binding", Title: say.Say("Accept the binding"), Text: text, Form: views.PlainForm{
				URL: url + "/accept", Hidden: []views.Hidden{{Name: "environment", Value: a.Asked.Environment}},
				Button: views.Button{Label: say.Say("Bind it to %s", a.Asked.Environment), Kind: "primary"},
			}})
			text = runs(say.Say("Nothing is changed then."))
		}
		all = append(all, views.Panel{ID: "drop-binding", Title: say.Say("Drop what was asked"), Text: text, Form: drop})
	}
	environment := f.environment
	if f.fault == nil {
		environment = a.Environment
	}
	lines := []views.LineField{
		{ID: "environment", Name: "environment", Label: say.Say("Environment (empty: none)"), Value: environment, Mono: true, Max: "64", Error: f.at(say, "environment"), Hint: say.Say("For example staging. What a call says itself can only raise.")},
		{ID: "bind-why", Name: "reason", Label: say.Say("Reason"), Value: f.reason, Required: true, Max: "500", Error: f.at(say, "reason")},
	}
	text := say.Say("Where nothing matters, what the agent does is held at lower floors. So another admin has to accept it; ending it needs nobody else.")
	if b.alone {
		text = say.Say("Where nothing matters, what the agent does is held at lower floors. Nobody else could look at that, so it is marked in the audit trail.")
		lines = append(lines, views.LineField{ID: "bind-typed", Name: "typed", Label: say.Say("Type %s to do it alone", m.Tenant), Value: f.typed, Mono: true, Max: "40", Error: f.at(say, "typed")})
	}
	return append(all, views.Panel{
		ID: "bind", Title: say.Say("Bind to an environment"), Text: runs(text),
		Form: views.PlainForm{URL: url, Lines: lines, Button: views.Button{Label: say.Say("Bind")}},
	})
}
