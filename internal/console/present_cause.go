package console

import (
	"net/url"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// What held a call, in words, and where that can be changed.

// causeWords name a cause within a sentence; a name in it is shown as it is.
func causeWords(say texts.Printer, c approvals.Cause) string {
	switch c.Kind {
	case approvals.CauseWorkspace:
		return say.Say("workspace: %s", c.Name)
	case approvals.CauseDenied:
		if c.Name == "block" {
			return say.Say("blocked before")
		}
		return say.Say("denied before")
	case approvals.CauseRule:
		return say.Say("rule %s", c.Name)
	case approvals.CausePattern:
		return say.Say("pattern %s", c.Name)
	case approvals.CauseEntry:
		return say.Say("entry %s", c.Name)
	case approvals.CauseEffect:
		return say.Say("what it does: %s", lowerFirst(effectWord(say, c.Name)))
	default:
		return say.Say("score")
	}
}

// grantable are the rules of a workspace for which a session grant can often be made; what
// else is held there changes with the workspace alone.
var grantable = map[string]bool{
	"push": true, "install": true, "http": true, "remote": true, "compose": true, "settings": true, "outside": true, "outside-code": true,
	"own-code": true, "container": true, "review": true, "foreign": true, "process": true, "discard": true, "migrate": true, "unknown-program": true,
}

// causeLink leads to what would change it; nil where this reader may not see that.
func causeLink(say texts.Printer, m auth.Member, agent string, c approvals.Cause) *views.Link {
	switch c.Kind {
	case approvals.CauseWorkspace:
		if grantable[c.Name] && m.May(auth.ReadPolicy) {
			return &views.Link{Label: say.Say("a session approval"), URL: withoutURL(m.Tenant, agent) + "#grants"}
		}
		if m.May(auth.ReadAgents) {
			return &views.Link{Label: say.Say("the workspace of the agent"), URL: agentsURL(m.Tenant) + "/" + agent}
		}
		return nil
	case approvals.CauseDenied:
		return &views.Link{Label: say.Say("what was denied or blocked"), URL: "/t/" + m.Tenant + "/history?status=blocked&status=denied&agent=" + url.QueryEscape(agent)}
	default:
	}
	if !m.May(auth.ReadPolicy) {
		return nil
	}
	list := func(label, page, kind string) *views.Link {
		return &views.Link{Label: label, URL: settingsURL(m.Tenant, page) + "#" + entryID(kind, c.Name)}
	}
	switch c.Kind {
	case approvals.CauseRule:
		return list(say.Say("the rule"), settingsRules, "rule")
	case approvals.CausePattern:
		return list(say.Say("the pattern"), settingsPatterns, "pattern")
	case approvals.CauseEntry:
		return list(say.Say("the entry of the registry"), settingsFunctions, "function")
	case approvals.CauseEffect:
		if effects.Kind(c.Name) == effects.Execute { // no entry lowers it
			return &views.Link{Label: say.Say("the floors of the policy"), URL: policyURL(m.Tenant) + "#judgement"}
		}
		return &views.Link{Label: say.Say("a registry entry"), URL: settingsURL(m.Tenant, settingsFunctions)}
	default:
		return &views.Link{Label: say.Say("the thresholds of the policy"), URL: policyURL(m.Tenant) + "#thresholds"}
	}
}
