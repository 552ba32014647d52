package present

import (
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/rules"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// RuleItems are what the rule model says beside its rules: how much an action may do, what
// it touches, what to think of, and that a person is to approve it. An assessor's words may
// hold the agent's.
func RuleItems(say texts.Printer, v approvals.Review) []review.HeldItem {
	r := v.Assessment.Rules
	if v.Action.LifecyclePoint() != scoring.PreToolCall || r.EstimatedImpact == "" {
		return nil
	}
	var items []review.HeldItem
	// Where no rule fired, the model expects no impact: that isn't said of what is held for another reason.
	if len(r.TriggeredRules) > 0 || v.Assessment.Level == level.Low {
		items = append(items, review.HeldItem{Icon: views.IconInfo, Kind: say.Say("Estimated impact"), Text: untrusted.Runs(BuiltIn(say, r.EstimatedImpact))})
	}
	if len(r.AffectedResources) > 0 {
		items = append(items, review.HeldItem{Icon: views.IconLayers, Kind: say.Say("Affected resources"), Text: untrusted.InEnglish(untrusted.Runs(strings.Join(r.AffectedResources, ", ")))})
	}
	for _, one := range r.Recommendations {
		items = append(items, review.HeldItem{Icon: views.IconInfo, Kind: say.Say("Recommendation"), Text: untrusted.Runs(BuiltIn(say, one))})
	}
	if len(r.TriggeredRules) > 0 {
		items = append(items, review.HeldItem{Icon: views.IconUser, Kind: say.Say("Approval recommendation"), Text: untrusted.Runs(BuiltIn(say, rules.Recommends(r.Level)))})
	}
	if r.RequiresApproval && r.Level < level.High { // an assessor's own word
		items = append(items, review.HeldItem{Icon: views.IconUser, Kind: say.Say("The rules require approval by a person")})
	}
	return items
}

// LevelsOfRules are the levels that a rule may have.
func LevelsOfRules(say texts.Printer, chosen string) []views.Choice {
	var all []views.Choice
	for _, l := range rules.Levels() {
		all = append(all, views.Choice{Value: l.String(), Label: LevelWord(say, l), Checked: chosen == l.String()})
	}
	return all
}
