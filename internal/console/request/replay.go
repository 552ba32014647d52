package request

import (
	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	shown "github.com/countersign/countersign/internal/scoring/headline"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// What a draft of the policy would have made of the newest actions.

// ReplayOf says what a draft would have made of the newest actions.
func ReplayOf(say texts.Printer, tenant string, r approvals.Replayed) *views.Replay {
	if r.Actions == 0 {
		return &views.Replay{None: say.Say("No actions yet, so there's nothing to replay.")}
	}
	moved := 0
	v := views.Replay{
		Of:   say.Say("of the last %d actions would change level", r.Actions),
		Note: present.SayAt(say, present.PolicyDay, texts.Key("the newest actions since %s, scored again under both policies"), r.Oldest),
		Hint: say.Say("Rows show the level under the current policy, columns the level with this change."),
		Facts: []views.Fact{
			{Label: say.Say("Stricter"), Value: untrusted.Runs(present.Grouped(say, r.Stricter))},
			{Label: say.Say("Less strict"), Value: untrusted.Runs(present.Grouped(say, r.Looser))},
			{Label: say.Say("Would be blocked"), Value: untrusted.Runs(present.Grouped(say, r.Blocked)), Note: untrusted.Runs(say.Say("of those held or approved automatically now"))},
			{Label: say.Say("Would be approved automatically"), Value: untrusted.Runs(present.Grouped(say, r.AutoApproved)), Note: untrusted.Runs(say.Say("of those held or blocked now"))},
		},
	}
	for i, from := range level.All() {
		row := views.ReplayRow{Level: present.LevelOf(from)}
		for j := range level.All() {
			n := r.Moves[i][j]
			var cell views.ReplayCell
			switch {
			case n == 0:
			case j > i:
				cell.Text, cell.Tone = say.Say("%d rise", n), views.ToneAccent
			case j < i:
				cell.Text, cell.Tone = say.Say("%d drop", n), views.ToneWarn
			default:
				cell.Text = say.Say("%d stay", n)
			}
			if i != j {
				moved += n
			}
			row.Cells = append(row.Cells, cell)
		}
		v.Rows = append(v.Rows, row)
	}
	v.Moved = present.Grouped(say, moved)
	if moved == 0 {
		v.Hint = say.Say("%d of these are above low. What they do, rules, patterns or the workspace put %d of them there, and the score %d: only those can move with thresholds and weights.", r.Held, r.Held-r.HeldByScore, r.HeldByScore)
	}
	for _, a := range r.DeniedPassing {
		v.Denied = append(v.Denied, deniedOf(say, tenant, a))
	}
	if n := len(v.Denied); n > 0 {
		v.Passing = &views.Notice{
			Tone: views.ToneBad, Icon: views.IconAlert, Title: say.Say("%d refused actions would now pass", n),
			Text: untrusted.Runs(say.Say("People denied these or the policy blocked them. With this change, no one would be asked.")),
		}
		if n >= deniedShown {
			v.Passing.Title = say.Say("At least %s", v.Passing.Title)
			v.More = say.Say("The newest %d.", n)
		}
	}
	return &v
}

// deniedShown is how many approvals.Replayed lists.
const deniedShown = 50

func deniedOf(say texts.Printer, tenant string, a approvals.Approval) views.ReplayDenied {
	note := say.Key(present.EndWords[a.Status])
	if a.Decision != nil {
		note += " " + present.InWords(say, texts.Key("2 Jan 2006"), a.Decision.DecidedAt)
	}
	if who := present.DecidedBy(say, a); who != "" {
		note = say.Say("%s by %s", note, who)
	}
	return views.ReplayDenied{URL: urls.Request(tenant, a.ID), Sentence: present.HeadlineOf(say, a.Subject().Row(shown.MaxLine)), Level: present.LevelOf(a.Assessment.Level), Note: note}
}
