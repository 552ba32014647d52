package scoring

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/fivefactor"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// Difference is one setting that two policies have otherwise.
type Difference struct {
	// Member is a JSON pointer in which an entry of a list stands under its name, as
	// in /functions/delete_*/floor, /pattern_overrides/disable/jwt and
	// /rules/removed/print_output.
	Member   string
	Old, New string // JSON; "" where it is absent
	// Weaker says that the new setting may treat some action less strictly than the
	// old one, or that nobody can rule it out (policy_weaker.go).
	Weaker bool
}

// Differences lists what q has otherwise than p, in the order of the structure.
// Lists are compared by the names of their entries; their order says nothing.
func (p Policy) Differences(q Policy) []Difference {
	c := comparison{old: p.tidy(), new: q.tidy()}
	c.climbs = c.old.climbsInto(c.new)
	c.scores()
	c.patternModel()
	c.scorers()
	c.people()
	c.deciders()
	c.functions()
	c.patterns()
	c.rules()
	c.judgement()
	c.trust()
	c.evaluations()
	c.authority()
	c.notices()
	return c.found
}

// Weakened lists the members of the differences that are weaker.
func Weakened(differences []Difference) []string {
	var members []string
	for _, d := range differences {
		if d.Weaker {
			members = append(members, d.Member)
		}
	}
	return members
}

// comparison collects the differences.
type comparison struct {
	old, new Policy
	climbs   bool // a higher level is never treated less strictly; see climbsInto
	found    []Difference
}

// differ compares one setting; nil is an absent one.
func (c *comparison) differ(member string, old, new any, e effect) {
	if reflect.DeepEqual(old, new) {
		return
	}
	c.found = append(c.found, Difference{Member: member, Old: asJSON(old), New: asJSON(new), Weaker: e == weakens || e == raises && !c.climbs})
}

// asJSON writes a setting. What is no JSON (a NaN, in a policy that is not valid)
// is absent.
func asJSON(v any) string {
	if v == nil {
		return ""
	}
	b, err := json.Marshal(v)
	if err != nil {
		return ""
	}
	return string(b)
}

func (c *comparison) scores() {
	old, new := c.old, c.new
	c.differ("/thresholds/medium", old.Thresholds.Medium, new.Thresholds.Medium, lower(old.Thresholds.Medium, new.Thresholds.Medium, raises))
	c.differ("/thresholds/high", old.Thresholds.High, new.Thresholds.High, lower(old.Thresholds.High, new.Thresholds.High, raises))
	c.differ("/thresholds/critical", old.Thresholds.Critical, new.Thresholds.Critical, lower(old.Thresholds.Critical, new.Thresholds.Critical, raises))
	// They add up to 1, so each that grows takes from another: some score falls.
	c.differ("/weights/function_name", old.Weights.FunctionName, new.Weights.FunctionName, weakens)
	c.differ("/weights/arguments", old.Weights.Arguments, new.Weights.Arguments, weakens)
	c.differ("/weights/docstring", old.Weights.Docstring, new.Weights.Docstring, weakens)
	c.differ("/weights/hints", old.Weights.Hints, new.Weights.Hints, weakens)
	c.differ("/weights/novelty", old.Weights.Novelty, new.Weights.Novelty, weakens)
	c.differ("/strategy", old.Strategy, new.Strategy, old.strategyTo(new))
	c.differ("/composite_weights/five_factor", old.CompositeWeights.FiveFactor, new.CompositeWeights.FiveFactor, weakens)
	c.differ("/composite_weights/patterns", old.CompositeWeights.Patterns, new.CompositeWeights.Patterns, weakens)
	c.differ("/fixed_score", old.FixedScore, new.FixedScore, higher(old.FixedScore, new.FixedScore, raises))
	blocks := tightens
	if new.OnBlock == OnBlockHold {
		blocks = raises // to CRITICAL
	}
	c.differ("/score_override_threshold", old.ScoreOverrideThreshold, new.ScoreOverrideThreshold, lower(old.ScoreOverrideThreshold, new.ScoreOverrideThreshold, blocks))
	c.differ("/on_block", old.OnBlock, new.OnBlock, weakensUnless(new.OnBlock == OnBlockBlock))
	requires := weakens
	if new.OnRequiresApproval == OnRequiresHold {
		requires = raises // to MEDIUM at least
	}
	c.differ("/on_requires_approval", old.OnRequiresApproval, new.OnRequiresApproval, requires)
}

func (c *comparison) people() {
	old, new := c.old, c.new
	for _, l := range level.All() {
		a, b := old.Challenges.At(l), new.Challenges.At(l)
		e := weakensUnless(b.rank() > a.rank())
		heldAnyway := l == level.Critical && new.OnBlock == OnBlockHold || l >= level.Medium && new.OnRequiresApproval == OnRequiresHold
		if heldAnyway && heldAs(b).rank() < heldAs(a).rank() {
			e = weakens // what is held whatever its level asks for had the stricter challenge before
		}
		c.differ("/challenges/"+word(l), a, b, e)
	}
	for _, l := range level.All() {
		a, b := old.ApprovalsRequired.At(l), new.ApprovalsRequired.At(l)
		c.differ("/approvals_required/"+word(l), a, b, higher(a, b, tightens))
	}
	for _, l := range level.All() {
		a, b := old.MinReviewSeconds.At(l), new.MinReviewSeconds.At(l)
		c.differ("/min_review_seconds/"+word(l), a, b, higher(a, b, tightens))
	}
	c.differ("/early_answer", old.EarlyAnswer, new.EarlyAnswer, weakensUnless(new.EarlyAnswer == EarlyRefuse))
	for _, l := range level.All() {
		a, b := old.NoteRequired.At(l), new.NoteRequired.At(l)
		c.differ("/note_required/"+word(l), a, b, weakensUnless(b))
	}
	fresh := weakensUnless(old.FreshSignInMinutes == 0 || new.FreshSignInMinutes != 0 && new.FreshSignInMinutes < old.FreshSignInMinutes)
	c.differ("/fresh_sign_in_minutes", old.FreshSignInMinutes, new.FreshSignInMinutes, fresh)
	c.differ("/idle_lock_minutes", old.IdleLockMinutes, new.IdleLockMinutes, lower(old.IdleLockMinutes, new.IdleLockMinutes, tightens))
	for _, l := range level.All() {
		a, b := old.EditBeforeApprove.At(l), new.EditBeforeApprove.At(l)
		c.differ("/edit_before_approve/"+word(l), a, b, weakensUnless(!b))
	}
	// Silence denies, however long it lasts.
	c.differ("/expiry_seconds", old.ExpirySeconds, new.ExpirySeconds, tightens)
	for _, l := range level.All() {
		c.differ("/expiry_seconds_by_level/"+word(l), old.ExpirySecondsByLevel.At(l), new.ExpirySecondsByLevel.At(l), tightens)
	}
	c.differ("/longest_expiry_seconds", old.LongestExpirySeconds, new.LongestExpirySeconds, tightens)
	hours, newHours := old.WorkingHours, new.WorkingHours
	c.differ("/working_hours/enabled", hours.Enabled, newHours.Enabled, tightens)
	c.differ("/working_hours/zone", hours.Zone, newHours.Zone, tightens)
	for n, day := range newHours.Days() {
		c.differ("/working_hours/"+strings.ToLower(time.Weekday(n).String()), *hours.Days()[n], *day, tightens)
	}
	c.differ("/working_hours/holidays", hours.Holidays, newHours.Holidays, tightens)
	c.differ("/remind_at_percent", old.RemindAtPercent, new.RemindAtPercent, tightens)
	// It only ends what waits, which gives nobody anything: who decides the newer one is as before.
	c.differ("/newer_ends_older", old.NewerEndsOlder, new.NewerEndsOlder, tightens)
	c.differ("/grant_seconds", old.GrantSeconds, new.GrantSeconds, lower(old.GrantSeconds, new.GrantSeconds, tightens))
}

func word(l level.Level) string { return strings.ToLower(l.String()) }

func (c *comparison) functions() {
	find := func(all []Function, like Function) (Function, bool) {
		name := like.Name()
		i := slices.IndexFunc(all, func(f Function) bool { return f.Name() == name })
		if i < 0 {
			return Function{Glob: like.Glob, Agent: like.Agent, Tool: like.Tool, Pattern: like.Pattern}, false
		}
		return all[i], true
	}
	for _, a := range c.old.Functions {
		at := "/functions/" + canon.PointerEscape(a.Name())
		b, there := find(c.new.Functions, a)
		if !there {
			c.differ(at, a, nil, max(a.effect(b), c.loweringEffect(a, b)))
			continue
		}
		c.lowering(at, a, b)
		c.differ(at+"/docstring", absent(a.Docstring), absent(b.Docstring), docstringEffect(a.Docstring, b.Docstring))
		c.differ(at+"/floor", absent(a.Floor), absent(b.Floor), higher(a.Floor, b.Floor, raises).but(max(a.Floor, b.Floor) <= level.Low))
		c.differ(at+"/expiry_seconds", absent(a.ExpirySeconds), absent(b.ExpirySeconds), tightens)
		for _, name := range union(sortedKeys(a.Hints), sortedKeys(b.Hints)) {
			c.differ(at+"/hints/"+canon.PointerEscape(name), a.Hints[name], b.Hints[name], hintEffect(a.Hints[name], b.Hints[name]))
		}
	}
	for _, b := range c.new.Functions {
		if a, there := find(c.old.Functions, b); !there {
			c.differ("/functions/"+canon.PointerEscape(b.Name()), nil, b, max(a.effect(b), c.loweringEffect(a, b)))
		}
	}
}

// absent is v, or nil where it is the zero value, which stands for "not set".
func absent[T comparable](v T) any {
	var zero T
	if v == zero {
		return nil
	}
	return v
}

// union is a and then what b has besides.
func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, s := range b {
		if !slices.Contains(a, s) {
			all = append(all, s)
		}
	}
	return all
}

func (c *comparison) patterns() {
	const at = "/pattern_overrides/"
	old, new := c.old.PatternOverrides, c.new.PatternOverrides
	for _, id := range union(old.Disable, new.Disable) {
		named := func(list []string) any {
			if slices.Contains(list, id) {
				return id
			}
			return nil
		}
		c.differ(at+"disable/"+canon.PointerEscape(id), named(old.Disable), named(new.Disable), c.patternEffect(id))
	}
	ids := func(o patterns.Overrides) (changed, added []string) {
		for _, one := range o.Change {
			changed = append(changed, one.ID)
		}
		for _, one := range o.Add {
			added = append(added, one.ID)
		}
		return changed, added
	}
	oldChanged, oldAdded := ids(old)
	newChanged, newAdded := ids(new)
	for _, id := range union(oldChanged, newChanged) {
		find := func(all []patterns.Change) patterns.Change {
			if i := slices.IndexFunc(all, func(one patterns.Change) bool { return one.ID == id }); i >= 0 {
				return all[i]
			}
			return patterns.Change{}
		}
		a, b := find(old.Change), find(new.Change)
		c.differ(at+"change/"+canon.PointerEscape(id)+"/severity", absent(string(a.Severity)), absent(string(b.Severity)), c.patternEffect(id))
		c.differ(at+"change/"+canon.PointerEscape(id)+"/action", absent(string(a.Action)), absent(string(b.Action)), c.patternEffect(id))
		c.differ(at+"change/"+canon.PointerEscape(id)+"/waits", absent(a.Waits), absent(b.Waits), c.patternEffect(id))
	}
	for _, id := range union(oldAdded, newAdded) {
		find := func(all []patterns.Pattern) any {
			if i := slices.IndexFunc(all, func(one patterns.Pattern) bool { return one.ID == id }); i >= 0 {
				return all[i]
			}
			return nil
		}
		c.differ(at+"add/"+canon.PointerEscape(id), find(old.Add), find(new.Add), c.patternEffect(id))
	}
}

// docstringEffect compares what two docstrings are evidence of.
func docstringEffect(old, new string) effect {
	if old == new {
		return tightens
	}
	a, b := documented(old), documented(new)
	switch {
	case b.Score > a.Score:
		return raises
	case b.Score < a.Score:
		return weakens
	}
	for _, e := range a.Evidence { // which word it is shows in the consequences
		if !slices.ContainsFunc(b.Evidence, func(other scan.Evidence) bool { return other.Pattern == e.Pattern }) {
			return weakens
		}
	}
	return tightens
}

func documented(text string) fivefactor.Factor {
	p := DefaultPolicy()
	return fivefactor.Score(fivefactor.Input{Docstring: text}, p.Weights, p.Thresholds).Factors[2]
}
