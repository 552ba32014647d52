package console

import (
	"strconv"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring/trust"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// What is known of an agent's calls: on its page, and on that of a request once it
// is decided.

// lossWords say why an agent begins again.
var lossWords = map[trust.Cause]texts.Key{
	trust.Incident:   texts.Key("an incident was recorded"),
	trust.DeniedHigh: texts.Key("a request of HIGH or CRITICAL was denied"),
	trust.Stopped:    texts.Key("the agent was stopped"),
	trust.KeyRevoked: texts.Key("a key was revoked at once"),
}

// tenths and shares are written as what they do not fall short of.
func tenths(f float64) string { return strconv.FormatFloat(float64(int(f*10))/10, 'f', 1, 64) }

func share(f float64) string { return strconv.FormatFloat(float64(thousandths(f))/1000, 'f', 3, 64) }

// recordOf is what the agent's page says of its record.
func recordOf(say texts.Printer, t approvals.AgentTrust, l tenants.AgentList, tenant string) views.AgentRecord {
	r := views.AgentRecord{
		Note: say.Say("Calls that people approved after reading, and that went well, against those that failed or were denied. Each counts half after %d days.", t.Settings.HalfLifeDays),
		None: say.Say("Nothing is known yet. A call counts once a person approved it at MEDIUM or above, and the agent reported that it went well."),
	}
	switch {
	case t.Settings.Enabled && t.Never:
		r.Use = say.Say("The policy switches it on, but it changes nothing: the policy fixes the score, asks at LOW, too, or does not ask at MEDIUM.")
	case t.Settings.Enabled:
		r.Use = say.Say("The policy uses it: up to a score of %s, MEDIUM becomes LOW where at least %d calls went well and the low end of the estimate is %s or more.", share(t.Medium+t.Settings.Cap), t.Settings.Evidence, share(t.Settings.AtLeast))
	default:
		r.Use = say.Say("The policy does not use it: it is shown, and changes nothing.")
	}
	for _, f := range t.Functions {
		r.Rows = append(r.Rows, views.RecordRow{
			Function: runs(f.Function), Succeeded: tenths(f.Succeeded), Failed: tenths(f.Failed), Bound: share(f.Bound), Since: f.Since, Does: doesWith(say, t, f),
		})
	}
	if t.Loss != nil {
		r.Loss = lossOf(say, *t.Loss, l, tenant)
	}
	return r
}

// doesWith says what the record of a function does now.
func doesWith(say texts.Printer, t approvals.AgentTrust, f approvals.FunctionTrust) string {
	switch s := t.Settings; {
	case !s.Enabled:
		return say.Say("No effect (off)")
	case t.Never:
		return say.Say("nothing: the policy keeps it out")
	case f.Succeeded < float64(s.Evidence):
		return say.Say("nothing yet: too few calls")
	case f.Bound < s.AtLeast:
		return say.Say("nothing: the estimate is too low")
	default:
		return say.Say("MEDIUM becomes LOW")
	}
}

func lossOf(say texts.Printer, loss trust.Loss, l tenants.AgentList, tenant string) *views.Notice {
	n := views.Notice{Tone: views.ToneWarn, Icon: views.IconAlert, Title: say.Say("It began again on %s", inWords(say, dateForm, loss.At))}
	n.Text = runs(sentence(say.Key(lossWords[loss.Cause])))
	if p, ok := l.People[loss.Person]; ok {
		n.Text = append(n.Text, runs(", "+say.Say("by %s", p.Name))...)
	}
	if loss.Reason != "" {
		n.Text = append(append(n.Text, views.Run{Text: ": "}), runs(loss.Reason)...)
	}
	n.Text = append(n.Text, views.Run{Text: ". " + say.Say("What was known before counts no more.")})
	if id := approvalID(loss.Approval); id != "" {
		n.Action = &views.Link{Label: say.Say("The request"), URL: requestURL(tenant, id)}
	}
	return &n
}

// incidentPanel takes away what is known; nil for those who may not.
func incidentPanel(say texts.Printer, m auth.Member, a tenants.Agent, f agentForm) *views.Panel {
	if !m.May(auth.ManageAgents) {
		return nil
	}
	line := views.LineField{ID: "incident-why", Name: "reason", Label: say.Say("What happened"), Required: true, Max: "500"}
	if f.incident {
		line.Value, line.Error = f.reason, f.at(say, "reason")
	}
	return &views.Panel{
		ID: "incident", Title: say.Say("Record an incident"), Text: runs(say.Say("It did what it should not have done, or went around the console. What is known in its favour is forgotten at once, for all functions, and what was let through because of it cannot be spent. It goes on working; stop it where it must not.")),
		Form: views.PlainForm{
			URL: agentURL(m.Tenant, a.ID) + "/incident", Lines: []views.LineField{line},
			Button: views.Button{Label: say.Say("Record the incident"), Icon: views.IconAlert},
		},
	}
}

// trustItem is what the record did to a request; ok is false where it had no say, or
// where it would speak before the person who decides: it stands there once that is done,
// or once the questions are answered.
func trustItem(say texts.Printer, v approvals.Review) (item views.HeldItem, ok bool) {
	t := v.Assessment.Trust
	if t == nil || v.Sealed || !v.Status.Final() {
		return item, false
	}
	item = views.HeldItem{Icon: views.IconInfo, Kind: say.Say("The agent's record"), Tag: say.Say("low end %s", share(t.Bound))}
	known := say.Say("%s calls of this function went well, %s did not", tenths(t.Succeeded), tenths(t.Failed))
	if t.Lowered {
		item.Text = runs(known + "; " + say.Say("so MEDIUM became LOW") + ".")
	} else {
		item.Text = append(runs(known+"; "+say.Say("it changed nothing:")+" "), runs(t.Why+".")...)
	}
	return item, true
}
