package request

import (
	"strconv"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/scoring/trust"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// What is known of an agent's calls: on its page, and on that of a request once it
// is decided.

// lossWords say why an agent begins again.
var lossWords = map[trust.Cause]texts.Key{
	trust.Incident:   texts.Key("an incident was recorded"),
	trust.DeniedHigh: texts.Key("a request of HIGH or CRITICAL was denied"),
	trust.Stopped:    texts.Key("the agent was stopped"),
	trust.KeyRevoked: texts.Key("a key was revoked"),
}

// tenths and shares are written as what they do not fall short of.
func tenths(f float64) string { return strconv.FormatFloat(float64(int(f*10))/10, 'f', 1, 64) }

func share(f float64) string { return strconv.FormatFloat(float64(thousandths(f))/1000, 'f', 3, 64) }

// RecordOf is what the agent's page says of its record.
func RecordOf(say texts.Printer, t approvals.AgentTrust, l tenants.AgentList, tenant string) views.AgentRecord {
	r := views.AgentRecord{
		Note: say.Say("Reviewed calls that succeeded, against those that failed or were denied. Calls from %d days ago count half.", t.Settings.HalfLifeDays),
		None: say.Say("No track record yet. A call counts once a person approves it at MEDIUM or above and the agent reports success."),
	}
	switch {
	case t.Settings.Enabled && t.Never:
		r.Use = say.Say("It's on, but has no effect: the policy fixes the score, also asks at LOW, or doesn't ask at MEDIUM.")
	case t.Settings.Enabled:
		r.Use = say.Say("In use: up to a score of %s, MEDIUM becomes LOW with at least %d successful calls and a confidence of %s or more.", share(t.Medium+t.Settings.Cap), t.Settings.Evidence, share(t.Settings.AtLeast))
	default:
		r.Use = say.Say("Shown for information. The policy doesn't use it.")
	}
	for _, f := range t.Functions {
		r.Rows = append(r.Rows, views.RecordRow{
			Function: untrusted.Runs(f.Function), Succeeded: tenths(f.Succeeded), Failed: tenths(f.Failed), Bound: share(f.Bound), Since: present.LongDay(say, f.Since), Does: doesWith(say, t, f),
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
		return say.Say("no effect: excluded by the policy")
	case f.Succeeded < float64(s.Evidence):
		return say.Say("too few calls yet")
	case f.Bound < s.AtLeast:
		return say.Say("no effect: confidence too low")
	default:
		return say.Say("MEDIUM lowered to LOW")
	}
}

func lossOf(say texts.Printer, loss trust.Loss, l tenants.AgentList, tenant string) *views.Notice {
	n := present.Titled(views.Notice{Tone: views.ToneWarn, Icon: views.IconAlert}, present.SayAt(say, present.DateForm, texts.Key("Restarted on %s"), loss.At))
	n.Text = untrusted.Runs(present.Sentence(say.Key(lossWords[loss.Cause])))
	if p, ok := l.People[loss.Person]; ok {
		n.Text = append(n.Text, untrusted.Runs(", "+say.Say("by %s", p.Name))...)
	}
	if loss.Reason != "" {
		n.Text = append(append(n.Text, views.Run{Text: ": "}), untrusted.Runs(loss.Reason)...)
	}
	n.Text = append(n.Text, views.Run{Text: ". " + say.Say("Its earlier track record no longer counts.")})
	if id := present.ApprovalID(loss.Approval); id != "" {
		n.Action = &views.Link{Label: say.Say("The request"), URL: urls.Request(tenant, id)}
	}
	return &n
}

// trustItem is what the record did to a request; ok is false where it had no say, or
// where it would speak before the person who decides: it stands there once that is done,
// or once the questions are answered.
func trustItem(say texts.Printer, v approvals.Review) (item review.HeldItem, ok bool) {
	t := v.Assessment.Trust
	if t == nil || v.Sealed || !v.Status.Final() {
		return item, false
	}
	item = review.HeldItem{Icon: views.IconInfo, Kind: say.Say("The agent's record"), Tag: say.Say("low end %s", share(t.Bound))}
	known := say.Say("%s calls of this function succeeded, %s didn't", tenths(t.Succeeded), tenths(t.Failed))
	if t.Lowered {
		item.Text = untrusted.Runs(known + "; " + say.Say("so MEDIUM became LOW") + ".")
	} else {
		item.Text = append(untrusted.Runs(known+"; "+say.Say("it changed nothing:")+" "), untrusted.Runs(t.Why+".")...)
	}
	return item, true
}
