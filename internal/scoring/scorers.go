package scoring

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/rules"
)

// Scorers of an organisation's own: expressions that give a score, beside the score that
// the models and the strategy make, or in its place (docs/policy.md).

// ScorerMode says how the scores of own scorers come to the one of the models.
type ScorerMode string

const (
	ScorersBlend   ScorerMode = "blend"   // the weighted mean of both
	ScorersMax     ScorerMode = "max"     // the highest of both
	ScorersReplace ScorerMode = "replace" // the weighted mean of the own ones alone
)

// ScorerSettings are the scorers of a policy. Without any, they do nothing.
type ScorerSettings struct {
	Mode ScorerMode `json:"mode" yaml:"mode"`
	// BuiltInWeight weighs the score of the models where it is blended; above 0.
	BuiltInWeight float64 `json:"built_in_weight" yaml:"built_in_weight"`
	// MayLowerCritical lets scorers that replace the models lower what those call CRITICAL.
	MayLowerCritical bool        `json:"may_lower_critical" yaml:"may_lower_critical"`
	Own              []OwnScorer `json:"own,omitempty" yaml:"own,omitempty"`
}

// OwnScorer is one of them.
type OwnScorer struct {
	Name       string  `json:"name" yaml:"name"`             // a lower-case letter, then at most 63 of a-z, 0-9 and _
	Expression string  `json:"expression" yaml:"expression"` // CEL over the whole action; a number from 0 to 1
	Weight     float64 `json:"weight" yaml:"weight"`         // above 0; normalised
	Reason     string  `json:"reason,omitempty" yaml:"reason,omitempty"`
}

// Bounds of the scorers.
const (
	maxScorers      = 20
	maxScorerWeight = 1000
)

// DefaultScorers are none.
func DefaultScorers() ScorerSettings {
	return ScorerSettings{Mode: ScorersBlend, BuiltInWeight: 1}
}

// orDefault reads policies from before there were scorers.
func (s ScorerSettings) orDefault() ScorerSettings {
	if s.Mode == "" && s.BuiltInWeight == 0 && !s.MayLowerCritical && len(s.Own) == 0 {
		return DefaultScorers()
	}
	s.Own = orNil(s.Own)
	return s
}

// compile checks the scorers and makes them ready.
func (s ScorerSettings) compile(found *problems) []*rules.Scorer {
	s = s.orDefault()
	found.oneOf("/scorers/mode", string(s.Mode), string(ScorersBlend), string(ScorersMax), string(ScorersReplace))
	weight := func(at string, w float64) {
		if !(w > 0 && w <= maxScorerWeight) { // also refuses NaN
			found.add(at, "is %v; expected a number above 0 and at most %d", w, maxScorerWeight)
		}
	}
	weight("/scorers/built_in_weight", s.BuiltInWeight)
	if len(s.Own) > maxScorers {
		found.add("/scorers/own", "has %d entries; at most %d are accepted", len(s.Own), maxScorers)
		return nil
	}
	first, ready := map[string]int{}, make([]*rules.Scorer, 0, len(s.Own))
	for i, own := range s.Own {
		at := fmt.Sprintf("/scorers/own/%d", i)
		if !rules.IsName(own.Name) {
			found.add(at+"/name", "is %q; expected a lowercase letter followed by at most 63 lowercase letters, digits and underscores", cut(own.Name, 60))
		} else if j, taken := first[own.Name]; taken {
			found.add(at+"/name", "is also the name of entry %s; each needs a name of its own", strconv.Itoa(j))
		} else {
			first[own.Name] = i
		}
		weight(at+"/weight", own.Weight)
		if utf8.RuneCountInString(own.Reason) > rules.MaxReason || canon.String(own.Reason).Text() != own.Reason {
			found.add(at+"/reason", "has %d characters; expected at most %d, without U+0000 and non-characters", utf8.RuneCountInString(own.Reason), rules.MaxReason)
		}
		scorer, err := rules.NewScorer(own.Expression)
		if err != nil {
			found.below(at+"/expression", fault.As(err))
		}
		ready = append(ready, scorer)
	}
	return ready
}

// Scorers is what own scorers made of the score of the models.
type Scorers struct {
	Mode    ScorerMode  `json:"mode"`
	BuiltIn ScorerPart  `json:"built_in"` // what models and strategy made
	Own     []OwnScored `json:"own"`
}

// ScorerPart is what one part adds to the score.
type ScorerPart struct {
	Score        float64 `json:"score"`        // 0..1
	Weight       float64 `json:"weight"`       // its share, 0..1; 0 where it has no say
	Contribution float64 `json:"contribution"` // to the score of the assessment
}

// OwnScored is that of an own scorer.
type OwnScored struct {
	Name string `json:"name"`
	ScorerPart
	Reason string `json:"reason,omitempty"` // the policy's words for it
	Failed string `json:"failed,omitempty"` // why it gave no answer, which counts as 1
}

// blended is the score that comes of the models' one, and how.
func (e *Examination) blended(builtIn float64) (float64, *Scorers) {
	if len(e.scored) == 0 {
		return builtIn, nil
	}
	settings := e.compiled.policy.Scorers
	s := &Scorers{Mode: settings.Mode, BuiltIn: ScorerPart{Score: builtIn}}
	sum := 0.0
	if s.Mode == ScorersBlend {
		sum = settings.BuiltInWeight
	}
	for _, own := range settings.Own {
		sum += own.Weight
	}
	for i, own := range settings.Own {
		one := OwnScored{Name: own.Name, Reason: own.Reason, ScorerPart: ScorerPart{Score: round6(e.scored[i].Score), Weight: own.Weight / sum}}
		if failed := e.scored[i].Failed; failed != nil {
			one.Failed = failed.Error()
		}
		s.Own = append(s.Own, one)
	}
	if s.Mode == ScorersMax {
		return s.highest(), s
	}
	if s.Mode == ScorersBlend {
		s.BuiltIn.Weight = settings.BuiltInWeight / sum
	}
	score := s.BuiltIn.add()
	for i := range s.Own {
		score += s.Own[i].add()
	}
	return round6(score), s
}

// add is what the part adds.
func (p *ScorerPart) add() float64 {
	whole := float64(p.Score * p.Weight)
	p.Contribution, p.Weight = round6(whole), round6(p.Weight)
	return whole
}

// highest is the highest of all; it has all the weight, the first of several that are.
func (s *Scorers) highest() float64 {
	s.BuiltIn.Weight = 0
	best := &s.BuiltIn
	for i := range s.Own {
		if s.Own[i].Weight = 0; s.Own[i].Score > best.Score {
			best = &s.Own[i].ScorerPart
		}
	}
	best.Weight, best.Contribution = 1, best.Score
	return best.Score
}

// alone is the level of what own scorers say without the models: LOW where there are none.
func (e *Examination) alone() level.Level {
	score, s := e.blended(0)
	if s == nil {
		return level.Low
	}
	return e.compiled.policy.Thresholds.Level(score)
}

// combine is the strategy, and what own scorers make of it. A CRITICAL of the models stays,
// unless the scorers replace them and the policy says that it may be lowered; and but for
// those that replace them, what rules and severities ask for stays as the strategy has it.
func (e *Examination) combine(a *Assessment) (float64, level.Level) {
	p := &e.compiled.policy
	builtIn, l := p.combine(a)
	score, s := e.blended(builtIn)
	if s == nil {
		return builtIn, l
	}
	a.Scorers = s
	own := p.Thresholds.Level(score)
	switch {
	case l == level.Critical && !(s.Mode == ScorersReplace && p.Scorers.MayLowerCritical):
		return score, l
	case s.Mode == ScorersReplace:
		return score, own
	}
	return score, max(own, p.besidesScore(a))
}

// besidesScore is the level that the strategy takes from something else than the score, of
// what is not CRITICAL.
func (p *Policy) besidesScore(a *Assessment) level.Level {
	if p.Strategy != StrategyMax {
		return level.Low
	}
	return max(level.Low, a.Rules.Level, a.Patterns.CategoricalSeverity.Level())
}

// sentence says how the score came about.
func (s *Scorers) sentence(score float64) string {
	var parts []string
	if s.Mode != ScorersReplace {
		parts = append(parts, fmt.Sprintf("%.3f by the models", s.BuiltIn.Score))
	}
	own := slices.Clone(s.Own)
	slices.SortStableFunc(own, func(a, b OwnScored) int {
		switch {
		case a.Contribution > b.Contribution:
			return -1
		case a.Contribution < b.Contribution:
			return 1
		}
		return 0
	})
	for _, one := range own[:min(len(own), 3)] {
		part := fmt.Sprintf("%.3f by the scorer %s", one.Score, one.Name)
		if one.Failed != "" {
			part = fmt.Sprintf("1 for the scorer %s (%s)", one.Name, one.Failed)
		}
		parts = append(parts, part)
	}
	how := map[ScorerMode]string{ScorersBlend: "the mean of", ScorersMax: "the highest of", ScorersReplace: "in place of the models', of"}[s.Mode]
	return fmt.Sprintf("score %.3f, %s %s", score, how, strings.Join(parts, " and "))
}

// scorers compares the settings of own scorers.
func (c *comparison) scorers() {
	old, new := c.old.Scorers, c.new.Scorers
	c.differ("/scorers/mode", old.Mode, new.Mode, map[bool]effect{true: raises, false: weakens}[new.Mode == ScorersMax])
	c.differ("/scorers/built_in_weight", old.BuiltInWeight, new.BuiltInWeight, weakens)
	c.differ("/scorers/may_lower_critical", old.MayLowerCritical, new.MayLowerCritical, map[bool]effect{true: weakens, false: raises}[new.MayLowerCritical])
	// A mean with one more part may fall; the highest cannot.
	added := weakens
	if old.Mode == ScorersMax && new.Mode == ScorersMax {
		added = raises
	}
	find := func(all []OwnScorer, name string) (OwnScorer, bool) {
		i := slices.IndexFunc(all, func(s OwnScorer) bool { return s.Name == name })
		if i < 0 {
			return OwnScorer{}, false
		}
		return all[i], true
	}
	for _, a := range old.Own {
		at := "/scorers/own/" + canon.PointerEscape(a.Name)
		b, there := find(new.Own, a.Name)
		switch {
		case !there:
			c.differ(at, a, nil, weakens)
		case a.Expression == b.Expression && a.Weight == b.Weight:
			c.differ(at, a, b, tightens) // other words
		default: // what another expression says nobody can tell
			c.differ(at, a, b, weakens)
		}
	}
	for _, b := range new.Own {
		if _, there := find(old.Own, b.Name); !there {
			c.differ("/scorers/own/"+canon.PointerEscape(b.Name), nil, b, added)
		}
	}
}

// scorerLimits are the limits of policyLimits that concern scorers.
func scorerLimits() map[string]limits {
	return map[string]limits{
		"/scorers":                    {about: "your own scorers, in addition to the models' score or in its place"},
		"/scorers/mode":               {about: "blend: the weighted mean of both; max: the highest; replace: the own ones alone", words: wordsOf(ScorersBlend, ScorersMax, ScorersReplace)},
		"/scorers/built_in_weight":    {about: "of the models' score, where it is blended", above: true, high: maxScorerWeight},
		"/scorers/may_lower_critical": {about: "whether scorers that replace the models may lower what those call CRITICAL"},
		"/scorers/own":                {most: maxScorers},
		"/scorers/own/*":              {required: []string{"name", "expression", "weight"}},
		"/scorers/own/*/name":         {about: "a lowercase letter, then lowercase letters, digits and _", fewest: 1, most: rules.MaxNameBytes},
		"/scorers/own/*/expression":   {about: "CEL over the whole action: a number from 0 to 1; what fails counts as 1", fewest: 1, most: rules.MaxExpression},
		"/scorers/own/*/weight":       {about: "normalised", above: true, high: maxScorerWeight},
		"/scorers/own/*/reason":       {about: "a few words for the operator", most: rules.MaxReason},
	}
}

// hinted is the action as own scorers see it: with the hints of the function registry.
func hinted(tree, hints canon.Value) canon.Value {
	if hints.IsAbsent() || hints.Len() == 0 {
		return tree
	}
	members := make([]canon.Member, 0, tree.Len()+1)
	for name, v := range tree.Members() {
		if name != "hints" {
			members = append(members, canon.Member{Name: name, Value: v})
		}
	}
	return canon.Object(append(members, canon.Member{Name: "hints", Value: hints})...)
}
