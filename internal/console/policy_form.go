package console

import (
	"fmt"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/views"
)

// The policy form: one table says which setting a field is, and everything else
// (drawing, reading back, words of a difference, places of errors) follows it.
// What the form has no field for is taken from the version it was made from.

// setting is one field of the form and its place in a policy.
type setting struct {
	// name is the member's JSON pointer with dots: "thresholds.medium". It names the
	// field, and is its id.
	name string
	// label stands at the control; words name the setting where it stands alone.
	label, words string
	level        level.Level // SAFE: it is about no level
	unit, hint   string
	// min, max and step help the browser; Problems of the policy decides.
	min, max, step string
	options        []views.Choice // of a choice; nil is a number
	// missing is what the form means where it does not send the field: a browser
	// leaves out a box that is not ticked.
	missing string
	get     func(scoring.Policy) string
	// set reads a text; where it cannot, it says what would be accepted.
	set func(*scoring.Policy, string) (accepted string)
}

func (s setting) member() string { return "/" + strings.ReplaceAll(s.name, ".", "/") }

// maxNumber is how long a number may be written; the longest that we write
// ourselves has 24 characters.
const maxNumber = 64

// readFloat takes what JSON takes and people write. Hexadecimal, underscores,
// infinity and what is no number are not among it.
func readFloat(text string) (float64, bool) {
	text = strings.TrimSpace(text)
	if text == "" || len(text) > maxNumber || strings.Trim(text, "0123456789.eE+-") != "" {
		return 0, false
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil && !math.IsInf(v, 0)
}

// realSetting is a number whose exact value the form carries: it is written as
// the shortest text that reads back to it.
func realSetting(name, words, hint, low, high, step string, at func(*scoring.Policy) *float64) setting {
	accepted := "a number from " + low + " to " + high
	if high == "" {
		accepted = "a number that is not negative"
	}
	return setting{
		name: name, label: words, words: words, hint: hint, min: low, max: high, step: step,
		get: func(p scoring.Policy) string { return strconv.FormatFloat(*at(&p), 'g', -1, 64) },
		set: func(p *scoring.Policy, text string) string {
			v, ok := readFloat(text)
			if !ok {
				return accepted + ", like 0.5"
			}
			*at(p) = v
			return ""
		},
	}
}

// wholeSetting is a whole number.
func wholeSetting(name, words, unit, hint string, low, high int, at func(*scoring.Policy) *int) setting {
	return setting{
		name: name, label: words, words: words, unit: unit, hint: hint, min: strconv.Itoa(low), max: strconv.Itoa(high), step: "1",
		get: func(p scoring.Policy) string { return strconv.Itoa(*at(&p)) },
		set: func(p *scoring.Policy, text string) string {
			text = strings.TrimSpace(text)
			v, err := strconv.Atoi(text)
			if err != nil || len(text) > maxNumber {
				return fmt.Sprintf("a whole number from %s to %s", grouped(int64(low)), grouped(int64(high)))
			}
			*at(p) = v
			return ""
		},
	}
}

// choiceSetting is one of a few words.
func choiceSetting[T ~string](name, words string, at func(*scoring.Policy) *T, options []views.Choice) setting {
	return setting{
		name: name, label: words, words: words, options: options,
		get: func(p scoring.Policy) string { return string(*at(&p)) },
		set: func(p *scoring.Policy, text string) string {
			if !slices.ContainsFunc(options, func(o views.Choice) bool { return o.Value == text }) {
				return "one of the options"
			}
			*at(p) = T(text)
			return ""
		},
	}
}

// boxSetting is a box that is ticked or not.
func boxSetting(name, label, words string, at func(*scoring.Policy) *bool) setting {
	return setting{
		name: name, label: label, words: words, missing: "false",
		options: []views.Choice{{Value: "true", Label: "yes"}, {Value: "false", Label: "no"}},
		get:     func(p scoring.Policy) string { return strconv.FormatBool(*at(&p)) },
		set: func(p *scoring.Policy, text string) string {
			if text != "true" && text != "false" {
				return "a box that is ticked or not"
			}
			*at(p) = text == "true"
			return ""
		},
	}
}

// ofLevel makes a setting that every level has for itself.
func ofLevel(l level.Level, s setting) setting {
	s.name += "." + strings.ToLower(l.String())
	s.words += " at " + l.String()
	s.level = l
	return s
}

// place is the field of a PerLevel that belongs to a level.
func place[T any](p *scoring.PerLevel[T], l level.Level) *T {
	switch l {
	case level.Low:
		return &p.Low
	case level.Medium:
		return &p.Medium
	case level.High:
		return &p.High
	default:
		return &p.Critical
	}
}

// challengeOptions are the challenges, least demanding first.
func challengeOptions() []views.Choice {
	return []views.Choice{
		{Value: string(scoring.ChallengeNone), Label: "Let through"},
		{Value: string(scoring.ChallengeConfirm), Label: "Confirm"},
		{Value: string(scoring.ChallengeQuiz), Label: "Quiz"},
		{Value: string(scoring.ChallengeExplicit), Label: "Typed target"},
		{Value: string(scoring.ChallengeDeny), Label: "Deny"},
	}
}

// policySettings is every field, in the order of the page.
func policySettings() []setting {
	type policy = scoring.Policy
	all := []setting{
		realSetting("thresholds.medium", "MEDIUM begins at", "", "0", "1", "any", func(p *policy) *float64 { return &p.Thresholds.Medium }),
		realSetting("thresholds.high", "HIGH begins at", "", "0", "1", "any", func(p *policy) *float64 { return &p.Thresholds.High }),
		realSetting("thresholds.critical", "CRITICAL begins at", "", "0", "1", "any", func(p *policy) *float64 { return &p.Thresholds.Critical }),
	}
	for i, l := range []level.Level{level.Medium, level.High, level.Critical} {
		all[i].label, all[i].level = "begins at", l
	}
	for _, l := range level.All() {
		all = append(all,
			ofLevel(l, choiceSetting("challenges", "Challenge", func(p *policy) *scoring.ChallengeKind { return place(&p.Challenges, l) }, challengeOptions())),
			ofLevel(l, wholeSetting("approvals_required", "People needed", "", "", 1, 20, func(p *policy) *int { return place(&p.ApprovalsRequired, l) })),
			ofLevel(l, wholeSetting("min_review_seconds", "Read at least", "seconds", "", 0, 3600, func(p *policy) *int { return place(&p.MinReviewSeconds, l) })),
			ofLevel(l, wholeSetting("expiry_seconds_by_level", "Waits at most", "seconds", "", 0, 86400, func(p *policy) *int { return place(&p.ExpirySecondsByLevel, l) })),
			ofLevel(l, boxSetting("edit_before_approve", "Operators may edit", "Operators may edit before they approve", func(p *policy) *bool { return place(&p.EditBeforeApprove, l) })),
		)
	}
	return append(all,
		choiceSetting("early_answer", "An approval before the reading time is over", func(p *policy) *scoring.EarlyAnswer { return &p.EarlyAnswer }, []views.Choice{
			{Value: string(scoring.EarlyRefuse), Label: "is refused", Hint: "The operator reads on and approves again. Denying is never too early."},
			{Value: string(scoring.EarlyFlag), Label: "counts, and is flagged", Hint: "The audit trail marks it; nobody is held back."},
		}),
		wholeSetting("fresh_sign_in_minutes", "Fresh sign-in", "minutes", "How young a sign-in must be for a typed target; 0 asks for none.", 0, 1440, func(p *policy) *int { return &p.FreshSignInMinutes }),
		wholeSetting("expiry_seconds", "A request expires after", "seconds", "Nobody decided by then: it is denied. An agent may ask for less, and for more where its level has no limit.", 1, 86400, func(p *policy) *int { return &p.ExpirySeconds }),
		wholeSetting("grant_seconds", "A grant lives", "seconds", "How long an agent may spend an approval, once.", 10, 86400, func(p *policy) *int { return &p.GrantSeconds }),

		choiceSetting("strategy", "Strategy", func(p *policy) *scoring.Strategy { return &p.Strategy }, []views.Choice{
			{Value: string(scoring.StrategyMax), Label: "Highest", Hint: "The most worried of the three models decides."},
			{Value: string(scoring.StrategyComposite), Label: "Weighted mean", Hint: "Of the five-factor and the pattern score, with the weights below. What one model calls CRITICAL stays CRITICAL."},
			{Value: string(scoring.StrategyFixed), Label: "Fixed score", Hint: "Every action has the score below: for tests and dry environments only."},
		}),
		realSetting("composite_weights.five_factor", "Weight of five-factor", "Counts for the weighted mean only.", "0", "", "any", func(p *policy) *float64 { return &p.CompositeWeights.FiveFactor }),
		realSetting("composite_weights.patterns", "Weight of patterns", "Counts for the weighted mean only.", "0", "", "any", func(p *policy) *float64 { return &p.CompositeWeights.Patterns }),
		realSetting("fixed_score", "Fixed score", "Counts for the fixed score only.", "0", "1", "any", func(p *policy) *float64 { return &p.FixedScore }),

		wholeSetting("score_override_threshold", "Block above a pattern score of", "points", "More than this blocks an action even if no single pattern does.", 0, 100, func(p *policy) *int { return &p.ScoreOverrideThreshold }),
		choiceSetting("on_block", "What the patterns block", func(p *policy) *scoring.OnBlock { return &p.OnBlock }, []views.Choice{
			{Value: string(scoring.OnBlockBlock), Label: "is blocked", Hint: "Nobody is asked; the agent is told at once."},
			{Value: string(scoring.OnBlockHold), Label: "is held as CRITICAL", Hint: "People are asked, and may let it through."},
		}),

		realSetting("weights.function_name", "Function name", "How destructive the function's name is.", "0", "1", "any", func(p *policy) *float64 { return &p.Weights.FunctionName }),
		realSetting("weights.arguments", "Arguments", "Credentials, SQL, shell and network in the values.", "0", "1", "any", func(p *policy) *float64 { return &p.Weights.Arguments }),
		realSetting("weights.docstring", "Docstring", "Warnings in the function's description.", "0", "1", "any", func(p *policy) *float64 { return &p.Weights.Docstring }),
		realSetting("weights.hints", "Hints", "What the agent or the registry says about the risk.", "0", "1", "any", func(p *policy) *float64 { return &p.Weights.Hints }),
		realSetting("weights.novelty", "Novelty", "How new this call is in its session.", "0", "1", "any", func(p *policy) *float64 { return &p.Weights.Novelty }),
	)
}

// draft is the form as text, by field name: what was typed, right or wrong.
type draft map[string]string

// draftOf is the form of a policy.
func draftOf(p scoring.Policy) draft {
	d := draft{}
	for _, s := range policySettings() {
		d[s.name] = s.get(p)
	}
	return d
}

// draftOn is the form of a policy as a draft on another one.
func draftOn(p, base scoring.Policy) draft {
	d := draftOf(p)
	d[fieldLists] = listsOf(p).field(base)
	return d
}

// The fields of a draft beside the settings.
const (
	fieldBase   = "base"   // the version it was made from
	fieldReason = "reason" // why
	fieldTyped  = "typed"  // the slug, where one has to be typed
	fieldPreset = "preset" // a button: fill in the challenges
	fieldEdit   = "edit"   // a button: back to the form
)

// readDraft takes every field once. A field that is none of the form is refused:
// whoever sends it means another page, or hopes that a setting without a field
// can be reached. A missing one is empty, which no setting accepts.
func readDraft(form url.Values) (draft, error) {
	known := draft{fieldBase: "", fieldReason: "", fieldTyped: "", fieldPreset: "", fieldEdit: "", fieldLists: "", fieldFrom: ""}
	for _, s := range policySettings() {
		known[s.name] = s.missing
	}
	for name, values := range form {
		if _, ok := known[name]; !ok {
			return nil, fault.Member(fault.InvalidForm, "form", "the form has a field %.60q, which is none of the policy page", name)
		}
		if len(values) != 1 {
			return nil, fault.Member(fault.InvalidForm, name, "the form has %d values for %s; one is accepted", len(values), name)
		}
		known[name] = strings.ReplaceAll(canon.String(values[0]).Text(), "\r\n", "\n")
	}
	return known, nil
}

// base is the number of the version that the draft was made from.
func (d draft) base() (int64, error) {
	n, err := strconv.ParseInt(d[fieldBase], 10, 64)
	if err != nil || n < 1 {
		return 0, fault.Member(fault.InvalidForm, fieldBase, "base is the number of the version that the page carries")
	}
	return n, nil
}

// fill sets the challenges to a preset.
func (d draft) fill(preset string) error {
	challenges, ok := scoring.Preset(preset)
	if !ok {
		return fault.Member(fault.InvalidForm, fieldPreset, "there is no preset %.60q; accepted is one of %s", preset, strings.Join(scoring.Presets(), ", "))
	}
	for _, l := range level.All() {
		d["challenges."+strings.ToLower(l.String())] = string(challenges.At(l))
	}
	return nil
}

// wrong is what cannot stay, by the field that it is about; "" is none.
type wrong struct{ field, text string }

// policy reads the draft over the version it was made from. With anything wrong
// the policy is not to be used.
func (d draft) policy(base scoring.Policy) (scoring.Policy, []wrong) {
	p := base
	var all []wrong
	failed := map[string]bool{}
	for _, s := range policySettings() {
		text := d[s.name]
		accepted := s.set(&p, text)
		if accepted == "" {
			continue
		}
		failed[s.member()] = true
		is := "is " + inQuotes(text)
		if strings.TrimSpace(text) == "" {
			is = "is empty"
		}
		all = append(all, wrong{s.name, is + "; accepted is " + accepted})
	}
	lists, err := d.lists(base)
	if err != nil {
		all = append(all, wrong{"", err.Error()})
	}
	p = lists.in(p)
	for _, problem := range p.Problems() {
		if failed[problem.Member] || below(failed, problem.Member) {
			continue // said already, or a sum of what could not be read
		}
		text, field := problem.Detail, fieldOf(problem.Member)
		if field == "" && problem.Member != "" {
			text = unknownSetting(problem.Member) + ": " + text
		}
		all = append(all, wrong{field, text})
	}
	return p, all
}

// inQuotes is what was typed, short enough for a message.
func inQuotes(text string) string {
	short := trim(text, 40)
	if short != text {
		short += "…"
	}
	return "“" + flat(short) + "”"
}

// below reports whether a part of the member failed.
func below(failed map[string]bool, member string) bool {
	for name := range failed {
		if strings.HasPrefix(name, member+"/") {
			return true
		}
	}
	return false
}

// fieldOf is the field that a member of the policy is about: its own, or the first
// below it ("/weights" is about all of them); empty where the form has none.
func fieldOf(member string) string {
	if member == "" {
		return ""
	}
	for _, s := range policySettings() {
		if s.member() == member || strings.HasPrefix(s.member(), member+"/") {
			return s.name
		}
	}
	return ""
}

// onto carries a draft over to a newer version: what the draft did not touch is
// as the newer version has it. both names the settings that both changed, where
// the draft's value stays.
func (d draft) onto(base, newer scoring.Policy) (moved draft, both []string) {
	moved = draft{fieldReason: d[fieldReason], fieldFrom: d[fieldFrom]}
	if lists, err := d.lists(base); err == nil && d[fieldLists] != "" {
		lists, both = lists.onto(listsOf(base), listsOf(newer))
		moved[fieldLists] = lists.field(newer)
	}
	for _, s := range policySettings() {
		typed, was, now := d[s.name], s.get(base), s.get(newer)
		moved[s.name] = typed
		switch {
		case typed == was:
			moved[s.name] = now
		case was != now && typed != now:
			both = append(both, s.words)
		}
	}
	return moved, both
}
