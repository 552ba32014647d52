package policyui

import (
	"slices"
	"strconv"

	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/policy"
	"github.com/countersign/countersign/views/texts"
)

// The fields of the pattern model: weights, decay, what severities do, and what is handed
// back.

func patternSettings(say texts.Printer) []setting {
	type policy = scoring.Policy
	var all []setting
	for _, s := range patterns.Severities() {
		least := "0"
		if s == patterns.Critical {
			least = strconv.Itoa(patterns.MinCritical)
		}
		w := realSetting(say, "pattern_weights."+string(s), say.Key(weightLabels[s]), "", least, strconv.Itoa(patterns.MaxWeight), "any", func(p *policy) *float64 { return p.PatternWeights.At(s) })
		w.words, w.unit = say.Say("%s, in the pattern score", w.label), say.Say("points")
		all = append(all, w)
	}
	all = append(all, realSetting(say, "pattern_decay", say.Say("Decay"), say.Say("How much each further match of a severity counts relative to the previous one: 0 counts only the first, 1 counts all equally."), "0", strconv.Itoa(patterns.MaxDecay), "any", func(p *policy) *float64 { return &p.PatternDecay }))
	for _, s := range patterns.Severities() {
		a := choiceSetting(say, "severity_actions."+string(s), say.Key(actionLabels[s]), func(p *policy) *patterns.Action { return p.SeverityActions.At(s) }, actionChoices(say, s))
		all = append(all, a)
	}
	all = append(all,
		boxSetting(say, "block_all_critical", say.Say("Block all critical"), say.Say("Every critical pattern blocks"), func(p *policy) *bool { return &p.BlockAllCritical }),
		boxSetting(say, "rewrite_calls", say.Say("Remove secrets from approved calls"), say.Say("Secrets are removed from approved calls"), func(p *policy) *bool { return &p.RewriteCalls }),
	)
	for i, get := range all { // of policies from before there were such settings, too
		all[i].get = func(p scoring.Policy) string {
			w := p.Weighing()
			p.PatternWeights, p.PatternDecay, p.SeverityActions = w.Weights, w.Decay, p.Acting().Actions
			return get.get(p)
		}
	}
	return all
}

var weightLabels = map[patterns.Severity]texts.Key{
	patterns.Critical: texts.Key("Weight of a critical match"), patterns.High: texts.Key("Weight of a high match"),
	patterns.Medium: texts.Key("Weight of a medium match"), patterns.Low: texts.Key("Weight of a low match"),
}

var actionLabels = map[patterns.Severity]texts.Key{
	patterns.Critical: texts.Key("Critical patterns without their own action"), patterns.High: texts.Key("High patterns without their own action"),
	patterns.Medium: texts.Key("Medium patterns without their own action"), patterns.Low: texts.Key("Low patterns without their own action"),
}

// actionChoices are what a severity may do: critical never less than ask.
func actionChoices(say texts.Printer, s patterns.Severity) []views.Choice {
	var all []views.Choice
	for _, a := range patterns.Actions() {
		if s != patterns.Critical || !a.SofterThan(patterns.Confirm) {
			all = append(all, views.Choice{Value: string(a), Label: present.ActionWord(say, a)})
		}
	}
	return all
}

// patterns draws them as the draft has them.
func (f formFields) patterns() policy.Patterns {
	v := policy.Patterns{
		Critical: f.box("block_all_critical"), CriticalNote: criticalNote(f.say, f.current.PatternOverrides),
		Rewrite:     f.box("rewrite_calls"),
		RewriteNote: f.say.Say("The agent receives decision.effective with each secret replaced by [REDACTED:…]. The approval still binds the original, so the agent consumes its original digest."),
		Bands:       present.BandsOf(f.say, -1),
	}
	for _, s := range slices.Backward(patterns.Severities()) {
		v.Severities = append(v.Severities, severityLevel(s))
		v.Weights = append(v.Weights, f.number("pattern_weights."+string(s)))
		v.Actions = append(v.Actions, f.choice("severity_actions."+string(s)))
	}
	v.Decay = f.number("pattern_decay")
	return v
}

// criticalNote says what the switch changes.
func criticalNote(say texts.Printer, o patterns.Overrides) string {
	block, all := 0, 0
	for _, p := range patterns.Default().Patterns() {
		if now, on := patterns.Default().Effective(o, p.ID); on && now.Severity == patterns.Critical {
			if all++; now.EffectiveAction() == patterns.Block {
				block++
			}
		}
	}
	return say.Say("Of %d critical patterns in the library, %d block on their own. The others ask for approval or mask the match.", all, block)
}
