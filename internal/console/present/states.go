package present

import (
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// GateFact says how the gate of an agent was tested last.
func GateFact(say texts.Printer, a tenants.Agent, now time.Time) views.Fact {
	f := views.Fact{Label: say.Say("Gate"), Value: untrusted.Runs(say.Say("never tested"))}
	if c := a.Canary; c != nil {
		when, _ := LastUse(say, &c.At, now)
		if f.Value = untrusted.Runs(say.Say("refused a test call %s", when)); c.Failed != "" {
			f.Value, f.Note = untrusted.Runs(say.Say("let a test call run %s", when)), Headline(say, c.Failed)
		}
	}
	if since := a.SilentSince(now); since != nil && (a.Canary == nil || a.Canary.Failed == "") {
		f.Note = untrusted.Runs(say.Say("no calls for a day"))
	}
	return f
}

// StandingState is a chip: whether it may be used, and why not.
func StandingState(say texts.Printer, g approvals.Standing, page approvals.StandingPage) (word string, tone views.Tone, icon views.Icon) {
	switch over := g.Over(page.Now); {
	case over == "revoked":
		return say.Key(overWords[over]), views.ToneBad, views.IconBan
	case over != "":
		return say.Key(overWords[over]), views.TonePlain, views.IconHourglass
	case !page.Void[g.ID].Empty():
		return say.Say("no effect"), views.ToneWarn, views.IconAlert
	}
	return say.Say("open"), views.ToneOK, views.IconCheck
}

func UsedOf(say texts.Printer, g approvals.Standing) string {
	return say.Say("%d of %d", g.Uses-g.Left, g.Uses)
}

// overWords say why a standing grant covers nothing any more.
var overWords = map[string]texts.Key{"revoked": texts.Key("revoked"), "over": texts.Key("expired"), "used up": texts.Key("used up")}
