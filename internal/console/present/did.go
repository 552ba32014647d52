package present

import (
	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// What a policy did in some days, in a sentence and its causes.

// toldCauses is how many of what held calls a summary names.
const toldCauses = 3

// HeldAtOnce is how many of what was submitted a person was asked about, those that still wait among them:
// what the policy approves or blocks ends when it is submitted.
func HeldAtOnce(t approvals.Tally) int64 { return max(0, t.Submitted-t.Allowed-t.Blocked) }

// Did says what became of the actions that were submitted; nothing where none were.
func Did(say texts.Printer, i approvals.Insights) string {
	t := i.Total
	if t.Submitted == 0 {
		return ""
	}
	share := func(k int64) string { return Percent(float64(k) / float64(t.Submitted)) }
	return say.Say("Of %d actions submitted in %d days, %s were approved automatically, %s held for a person and %s blocked.", t.Submitted, len(i.Days), share(t.Allowed), share(HeldAtOnce(t)), share(t.Blocked))
}

// HeldMostBy are what held the most calls, each with its share and where one changes it.
func HeldMostBy(say texts.Printer, m auth.Member, i approvals.Insights) (all []views.Link) {
	for n, c := range i.Causes() {
		if n == toldCauses {
			break
		}
		words := CauseWords(say, c.Cause)
		if c.Cause.Kind == scoring.CauseEffect {
			words = LowerFirst(EffectWord(say, c.Cause.Name))
		}
		link := views.Link{Label: say.Say("%s (%s)", words, Percent(float64(c.Held())/float64(i.Total.Held())))}
		if to := CauseLink(say, m, c.Agent, c.Cause); to != nil {
			link.URL = to.URL
		}
		all = append(all, link)
	}
	return all
}
