package console

import (
	"fmt"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/views"
)

// What a draft of the policy would have made of the newest actions.

// replayOf says what a draft would have made of the newest actions.
func replayOf(tenant string, r approvals.Replayed) *views.Replay {
	if r.Actions == 0 {
		return &views.Replay{None: "No action was submitted yet, so there is nothing to replay."}
	}
	moved := 0
	v := views.Replay{
		Of:   "of the last " + plural(r.Actions, "action") + " would move to another level",
		Note: "the newest actions since " + r.Oldest.Format(policyDay) + ", scored again under both policies",
		Facts: []views.Fact{
			{Label: "Treated more strictly", Value: runs(grouped(int64(r.Stricter)))},
			{Label: "Treated less strictly", Value: runs(grouped(int64(r.Looser)))},
			{Label: "Would pass without a person", Value: runs(grouped(int64(r.AutoApproved))), Note: runs("of those that are held or blocked now")},
		},
	}
	for i, from := range level.All() {
		row := views.ReplayRow{Level: levelOf(from)}
		for j, to := range level.All() {
			n := r.Moves[i][j]
			cell := views.ReplayCell{Level: levelOf(to)}
			switch {
			case n == 0:
			case j > i:
				cell.Text, cell.Tone = count(n, "goes up", "go up"), views.ToneAccent
			case j < i:
				cell.Text, cell.Tone = count(n, "goes down", "go down"), views.ToneWarn
			default:
				cell.Text = count(n, "stays", "stay")
			}
			if i != j {
				moved += n
			}
			row.Cells = append(row.Cells, cell)
		}
		v.Rows = append(v.Rows, row)
	}
	v.Moved = grouped(int64(moved))
	for _, a := range r.DeniedPassing {
		v.Denied = append(v.Denied, deniedOf(tenant, a))
	}
	if n := len(v.Denied); n > 0 {
		v.Passing = &views.Notice{
			Tone: views.ToneBad, Icon: views.IconAlert, Title: count(n, "action that was refused would pass", "actions that were refused would pass"),
			Text: runs("People denied them, or the policy blocked them. With this change nobody would be asked."),
		}
		if n >= deniedShown {
			v.Passing.Title = "At least " + v.Passing.Title
			v.More = fmt.Sprintf("The newest %d.", n)
		}
	}
	return &v
}

// deniedShown is how many approvals.Replayed lists.
const deniedShown = 50

func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return grouped(int64(n)) + " " + many
}

func deniedOf(tenant string, a approvals.Approval) views.ReplayDenied {
	note := lowerFirst(verdictWords[a.Status])
	if a.Decision != nil {
		note += " " + a.Decision.DecidedAt.Format("2 Jan 2006")
	}
	if who := decidedBy(a); who != "" {
		note += " by " + who
	}
	return views.ReplayDenied{URL: requestURL(tenant, a.ID), Sentence: headline(subjectOf(a).sentence), Level: levelOf(a.Assessment.Level), Note: note}
}
