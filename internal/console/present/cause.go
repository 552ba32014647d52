package present

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// What held a call, in words, and where that can be changed.

// CauseWords name a cause within a sentence; a name in it is shown as it is.
func CauseWords(say texts.Printer, c scoring.Cause) string {
	switch c.Kind {
	case scoring.CauseWorkspace:
		return say.Say("workspace: %s", c.Name)
	case scoring.CauseDenied:
		if c.Name == "block" {
			return say.Say("blocked before")
		}
		return say.Say("denied before")
	case scoring.CauseRule:
		return say.Say("rule %s", c.Name)
	case scoring.CausePattern:
		return say.Say("pattern %s", c.Name)
	case scoring.CauseEntry:
		return say.Say("entry %s", c.Name)
	case scoring.CauseEffect:
		return say.Say("what it does: %s", LowerFirst(EffectWord(say, c.Name)))
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

// CauseLink leads to what would change it; nil where this reader may not see that.
func CauseLink(say texts.Printer, m auth.Member, agent string, c scoring.Cause) *views.Link {
	switch c.Kind {
	case scoring.CauseWorkspace:
		if grantable[c.Name] && m.May(auth.ReadPolicy) {
			return &views.Link{Label: say.Say("a session approval"), URL: urls.WithoutAsking(m.Tenant, agent) + "#grants"}
		}
		if m.May(auth.ReadAgents) {
			return &views.Link{Label: say.Say("the workspace of the agent"), URL: urls.Agents(m.Tenant) + "/" + agent}
		}
		return nil
	case scoring.CauseDenied:
		return &views.Link{Label: say.Say("what was denied or blocked"), URL: "/t/" + m.Tenant + "/history?status=blocked&status=denied&agent=" + url.QueryEscape(agent)}
	default:
	}
	if !m.May(auth.ReadPolicy) {
		return nil
	}
	list := func(label, page, kind string) *views.Link {
		return &views.Link{Label: label, URL: urls.Settings(m.Tenant, page) + "#" + EntryID(kind, c.Name)}
	}
	switch c.Kind {
	case scoring.CauseRule:
		return list(say.Say("the rule"), urls.PlaceRules, "rule")
	case scoring.CausePattern:
		return list(say.Say("the pattern"), urls.PlacePatterns, "pattern")
	case scoring.CauseEntry:
		return list(say.Say("the entry of the registry"), urls.PlaceFunctions, "function")
	case scoring.CauseEffect:
		if effects.Kind(c.Name) == effects.Execute { // no entry lowers it
			return &views.Link{Label: say.Say("the floors of the policy"), URL: urls.Policy(m.Tenant) + "#judgement"}
		}
		return &views.Link{Label: say.Say("a registry entry"), URL: urls.Settings(m.Tenant, urls.PlaceFunctions)}
	default:
		return &views.Link{Label: say.Say("the thresholds of the policy"), URL: urls.Policy(m.Tenant) + "#thresholds"}
	}
}

// EntryID is the id of an entry on its page. A glob may hold anything, so what is no
// letter, digit, hyphen or underscore is written as its number.
func EntryID(kind, name string) string {
	var b strings.Builder
	b.WriteString(kind + "-")
	for _, r := range name {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, ".%x", r)
		}
	}
	return b.String()
}
