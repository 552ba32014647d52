package policyui

import (
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
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
func realSetting(say texts.Printer, name, words, hint, low, high, step string, at func(*scoring.Policy) *float64) setting {
	accepted := say.Say("a number from %s to %s", low, high)
	if high == "" {
		accepted = say.Say("a number that isn't negative")
	}
	return setting{
		name: name, label: words, words: words, hint: hint, min: low, max: high, step: step,
		get: func(p scoring.Policy) string { return strconv.FormatFloat(*at(&p), 'g', -1, 64) },
		set: func(p *scoring.Policy, text string) string {
			v, ok := readFloat(text)
			if !ok {
				return say.Say("%s, for example 0.5", accepted)
			}
			*at(p) = v
			return ""
		},
	}
}

// wholeSetting is a whole number.
func wholeSetting(say texts.Printer, name, words, unit, hint string, low, high int, at func(*scoring.Policy) *int) setting {
	return setting{
		name: name, label: words, words: words, unit: unit, hint: hint, min: strconv.Itoa(low), max: strconv.Itoa(high), step: "1",
		get: func(p scoring.Policy) string { return strconv.Itoa(*at(&p)) },
		set: func(p *scoring.Policy, text string) string {
			text = strings.TrimSpace(text)
			v, err := strconv.Atoi(text)
			if err != nil || len(text) > maxNumber {
				return say.Say("a whole number from %d to %d", low, high)
			}
			*at(p) = v
			return ""
		},
	}
}

// choiceSetting is one of a few words.
func choiceSetting[T ~string](say texts.Printer, name, words string, at func(*scoring.Policy) *T, options []views.Choice) setting {
	return setting{
		name: name, label: words, words: words, options: options,
		get: func(p scoring.Policy) string { return string(*at(&p)) },
		set: func(p *scoring.Policy, text string) string {
			if !slices.ContainsFunc(options, func(o views.Choice) bool { return o.Value == text }) {
				return say.Say("one of the options")
			}
			*at(p) = T(text)
			return ""
		},
	}
}

// boxSetting is a box that is ticked or not.
func boxSetting(say texts.Printer, name, label, words string, at func(*scoring.Policy) *bool) setting {
	return setting{
		name: name, label: label, words: words, missing: "false",
		options: []views.Choice{{Value: "true", Label: say.Say("yes")}, {Value: "false", Label: say.Say("no")}},
		get:     func(p scoring.Policy) string { return strconv.FormatBool(*at(&p)) },
		set: func(p *scoring.Policy, text string) string {
			if text != "true" && text != "false" {
				return say.Say("a box that is checked or not")
			}
			*at(p) = text == "true"
			return ""
		},
	}
}

// ofLevel makes a setting that every level has for itself.
func ofLevel(say texts.Printer, l level.Level, s setting) setting {
	s.name += "." + strings.ToLower(l.String())
	s.words = say.Say("%s at %s", s.words, present.LevelWord(say, l))
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
func challengeOptions(say texts.Printer) []views.Choice {
	return []views.Choice{
		{Value: string(scoring.ChallengeNone), Label: say.Say("Approve automatically")},
		{Value: string(scoring.ChallengeConfirm), Label: say.Say("Confirm")},
		{Value: string(scoring.ChallengeQuiz), Label: say.Say("Quiz")},
		{Value: string(scoring.ChallengeExplicit), Label: say.Say("Typed target")},
		{Value: string(scoring.ChallengeDeny), Label: say.Say("Deny")},
	}
}

// policySettings is every field, in the order of the page.
func policySettings(say texts.Printer) []setting {
	type policy = scoring.Policy
	all := []setting{
		realSetting(say, "thresholds.medium", say.Say("MEDIUM from"), "", "0", "1", "any", func(p *policy) *float64 { return &p.Thresholds.Medium }),
		realSetting(say, "thresholds.high", say.Say("HIGH from"), "", "0", "1", "any", func(p *policy) *float64 { return &p.Thresholds.High }),
		realSetting(say, "thresholds.critical", say.Say("CRITICAL from"), "", "0", "1", "any", func(p *policy) *float64 { return &p.Thresholds.Critical }),
	}
	for i, l := range []level.Level{level.Medium, level.High, level.Critical} {
		all[i].label, all[i].level = say.Say("from"), l
	}
	for _, l := range level.All() {
		all = append(all,
			ofLevel(say, l, choiceSetting(say, "challenges", say.Say("Challenge"), func(p *policy) *scoring.ChallengeKind { return place(&p.Challenges, l) }, challengeOptions(say))),
			ofLevel(say, l, wholeSetting(say, "approvals_required", say.Say("People needed"), "", "", 1, 20, func(p *policy) *int { return place(&p.ApprovalsRequired, l) })),
			ofLevel(say, l, wholeSetting(say, "min_review_seconds", say.Say("Minimum review time"), say.Say("seconds"), "", 0, 3600, func(p *policy) *int { return place(&p.MinReviewSeconds, l) })),
			ofLevel(say, l, wholeSetting(say, "expiry_seconds_by_level", say.Say("Expires after"), say.Say("seconds"), "", 0, 2592000, func(p *policy) *int { return place(&p.ExpirySecondsByLevel, l) })),
			ofLevel(say, l, boxSetting(say, "note_required", say.Say("Note required"), say.Say("Approving requires a note to the agent"), func(p *policy) *bool { return place(&p.NoteRequired, l) })),
			ofLevel(say, l, boxSetting(say, "edit_before_approve", say.Say("Operators can edit"), say.Say("Operators can edit before approving"), func(p *policy) *bool { return place(&p.EditBeforeApprove, l) })),
		)
	}
	for n, day := range weekdays {
		all = append(all, lineSetting(dayName(n), say.Key(day), say.Say("Working hours: %s", say.Key(day)), "", func(p *policy) *string { return p.WorkingHours.Days()[n] }))
	}
	all = append(all, judgementSettings(say)...)
	all = append(all, patternSettings(say)...)
	return append(all,
		choiceSetting(say, "early_answer", say.Say("Approving before the review time is over"), func(p *policy) *scoring.EarlyAnswer { return &p.EarlyAnswer }, []views.Choice{
			{Value: string(scoring.EarlyRefuse), Label: say.Say("Refuse"), Hint: say.Say("The operator has to wait and approve again. Denying is always possible.")},
			{Value: string(scoring.EarlyFlag), Label: say.Say("Accept and flag"), Hint: say.Say("The audit trail flags it. The approval still counts.")},
		}),
		wholeSetting(say, "fresh_sign_in_minutes", say.Say("Require recent sign-in"), say.Say("minutes"), say.Say("Maximum minutes since sign-in before typing a target. 0 turns this off."), 0, 1440, func(p *policy) *int { return &p.FreshSignInMinutes }),
		wholeSetting(say, "idle_lock_minutes", say.Say("Lock when idle for"), say.Say("minutes"), say.Say("Deciding then needs a password. The page stays open."), 5, 480, func(p *policy) *int { return &p.IdleLockMinutes }),
		wholeSetting(say, "expiry_seconds", say.Say("Requests expire after"), say.Say("seconds"), say.Say("Undecided requests are then denied. Agents can ask for less time, or for more where the level has no limit."), 1, 2592000, func(p *policy) *int { return &p.ExpirySeconds }),
		wholeSetting(say, "longest_expiry_seconds", say.Say("Longest wait"), say.Say("seconds"), say.Say("No request waits longer, whatever the agent or another setting says. At most 2592000, which is 30 days."), 1, 2592000, func(p *policy) *int { return &p.LongestExpirySeconds }),
		wholeSetting(say, "remind_at_percent", say.Say("Remind after"), say.Say("% of the time"), say.Say("Before a request ends with no decision. Only for waits of an hour or longer. 0 turns this off."), 0, 99, func(p *policy) *int { return &p.RemindAtPercent }),
		boxSetting(say, "working_hours.enabled", say.Say("Only working hours count"), say.Say("Only working hours count"), func(p *policy) *bool { return &p.WorkingHours.Enabled }),
		lineSetting("working_hours.zone", say.Say("Time zone"), say.Say("Time zone of the working hours"), say.Say("An IANA name, such as Europe/Berlin."), func(p *policy) *string { return &p.WorkingHours.Zone }),
		linesSetting("working_hours.holidays", say.Say("Holidays"), say.Say("One date per line, with or without a name, such as 2026-12-25 Christmas Day. Your organisation's; none are built in."), func(p *policy) *[]string { return &p.WorkingHours.Holidays }),
		wholeSetting(say, "grant_seconds", say.Say("Approval valid for"), say.Say("seconds"), say.Say("How long the agent can use an approval. Each works once."), 10, 86400, func(p *policy) *int { return &p.GrantSeconds }),

		boxSetting(say, "newer_ends_older", say.Say("A newer request ends the older one"), say.Say("A newer request ends the older one"), func(p *policy) *bool { return &p.NewerEndsOlder }),

		wholeSetting(say, "authority.waiting_hours", say.Say("Weaker changes wait for"), say.Say("hours"), say.Say("If no other admin accepts, it applies this long after one first saw it. Any of them can object until then."), 1, 168, func(p *policy) *int { return &p.Authority.WaitingHours }),
		wholeSetting(say, "authority.kinship_days", say.Say("Separate inviter and invitee for"), say.Say("days"), say.Say("The same goes for two people invited by one person, or when one used the other's password link. They can't accept each other's proposals either."), 1, 90, func(p *policy) *int { return &p.Authority.KinshipDays }),

		choiceSetting(say, "strategy", say.Say("Strategy"), func(p *policy) *scoring.Strategy { return &p.Strategy }, []views.Choice{
			{Value: string(scoring.StrategyMax), Label: say.Say("Highest"), Hint: say.Say("The highest of the three scores wins.")},
			{Value: string(scoring.StrategyComposite), Label: say.Say("Weighted mean"), Hint: say.Say("Averages the five-factor and pattern scores with the weights below. CRITICAL from any model stays CRITICAL.")},
			{Value: string(scoring.StrategyFixed), Label: say.Say("Fixed score"), Hint: say.Say("Every action gets the score below. For testing only.")},
		}),
		realSetting(say, "composite_weights.five_factor", say.Say("Weight of five-factor"), say.Say("Counts for the weighted mean only."), "0", "", "any", func(p *policy) *float64 { return &p.CompositeWeights.FiveFactor }),
		realSetting(say, "composite_weights.patterns", say.Say("Weight of patterns"), say.Say("Counts for the weighted mean only."), "0", "", "any", func(p *policy) *float64 { return &p.CompositeWeights.Patterns }),
		realSetting(say, "fixed_score", say.Say("Fixed score"), say.Say("Counts for the fixed score only."), "0", "1", "any", func(p *policy) *float64 { return &p.FixedScore }),

		choiceSetting(say, "scorers.mode", say.Say("Custom scorers"), func(p *policy) *scoring.ScorerMode { return &p.Scorers.Mode }, []views.Choice{
			{Value: string(scoring.ScorersBlend), Label: say.Say("are blended"), Hint: say.Say("The weighted mean of the models' score and the scorers'.")},
			{Value: string(scoring.ScorersMax), Label: say.Say("count if higher"), Hint: say.Say("The highest of the models' score and the scorers'.")},
			{Value: string(scoring.ScorersReplace), Label: say.Say("replace the models"), Hint: say.Say("Their weighted mean alone. Blocks, and floors by what an action does, stay.")},
		}),
		realSetting(say, "scorers.built_in_weight", say.Say("Weight of the models"), say.Say("Used when scores are blended. Each scorer also has its own weight."), "0", "1000", "any", func(p *policy) *float64 { return &p.Scorers.BuiltInWeight }),
		boxSetting(say, "scorers.may_lower_critical", say.Say("Scorers that replace the models can lower CRITICAL"), say.Say("Scorers can lower CRITICAL"), func(p *policy) *bool { return &p.Scorers.MayLowerCritical }),

		boxSetting(say, "trust.enabled", say.Say("Let a good record lower MEDIUM to LOW"), say.Say("A good record lowers MEDIUM to LOW"), func(p *policy) *bool { return &p.Trust.Enabled }),
		realSetting(say, "trust.cap", say.Say("Maximum distance above the MEDIUM threshold"), say.Say("Up to 0.15. Above it, people decide whatever the track record."), "0", "0.15", "any", func(p *policy) *float64 { return &p.Trust.Cap }),
		realSetting(say, "trust.at_least", say.Say("Minimum confidence"), say.Say("How sure we must be that the next call succeeds: the lower bound of the estimate, at 95% confidence."), "0.8", "0.999", "any", func(p *policy) *float64 { return &p.Trust.AtLeast }),
		wholeSetting(say, "trust.evidence", say.Say("Successful calls"), "", say.Say("Minimum successful calls of a function. Older ones count less."), 10, 500, func(p *policy) *int { return &p.Trust.Evidence }),
		wholeSetting(say, "trust.half_life_days", say.Say("Half-life"), say.Say("days"), say.Say("Half-life: older calls count less."), 1, 90, func(p *policy) *int { return &p.Trust.HalfLifeDays }),

		wholeSetting(say, "evaluations.session_alert_above", say.Say("Alert above a session score of"), say.Say("points"), say.Say("A session's pattern matches add up to a score from 0 to 100. Above this value, the queue, the session and Insights show an alert. 100 turns alerts off. Nothing is blocked."), 0, 100, func(p *policy) *int { return &p.Evaluations.SessionAlertAbove }),
		wholeSetting(say, "evaluations.keep_days", say.Say("Keep evaluations for"), say.Say("days"), say.Say("Older evaluations are deleted every hour. Requests and the audit trail aren't affected."), 30, 3650, func(p *policy) *int { return &p.Evaluations.KeepDays }),

		wholeSetting(say, "score_override_threshold", say.Say("Block when the pattern score exceeds"), say.Say("points"), say.Say("A higher score blocks the action even if no single pattern does."), 0, 100, func(p *policy) *int { return &p.ScoreOverrideThreshold }),
		choiceSetting(say, "on_block", say.Say("What the patterns block"), func(p *policy) *scoring.OnBlock { return &p.OnBlock }, []views.Choice{
			{Value: string(scoring.OnBlockBlock), Label: say.Say("Block"), Hint: say.Say("No one is asked. The agent hears right away.")},
			{Value: string(scoring.OnBlockHold), Label: say.Say("Hold as CRITICAL"), Hint: say.Say("People are asked and can approve it.")},
		}),
		choiceSetting(say, "on_requires_approval", say.Say("What the rules require approval for"), func(p *policy) *scoring.OnRequiresApproval { return &p.OnRequiresApproval }, []views.Choice{
			{Value: string(scoring.OnRequiresLevel), Label: say.Say("has the approvals it needs"), Hint: say.Say("Rules raise the level. The level decides whether anyone is asked.")},
			{Value: string(scoring.OnRequiresHold), Label: say.Say("needs a person"), Hint: say.Say("Holds anything matched by a HIGH or CRITICAL rule, or by the assessor, at MEDIUM or above, even at levels that are approved automatically.")},
		}),

		realSetting(say, "weights.function_name", say.Say("Function name"), say.Say("How destructive the function's name is."), "0", "1", "any", func(p *policy) *float64 { return &p.Weights.FunctionName }),
		realSetting(say, "weights.arguments", say.Say("Arguments"), say.Say("Credentials, SQL, shell and network in the values."), "0", "1", "any", func(p *policy) *float64 { return &p.Weights.Arguments }),
		realSetting(say, "weights.docstring", say.Say("Docstring"), say.Say("Warnings in the function's description."), "0", "1", "any", func(p *policy) *float64 { return &p.Weights.Docstring }),
		realSetting(say, "weights.hints", say.Say("Hints"), say.Say("What the agent or the registry says about the risk."), "0", "1", "any", func(p *policy) *float64 { return &p.Weights.Hints }),
		realSetting(say, "weights.novelty", say.Say("Novelty"), say.Say("How new this call is in its session."), "0", "1", "any", func(p *policy) *float64 { return &p.Weights.Novelty }),
	)
}

// weekdays are the days of working hours, as time.Weekday counts.
var weekdays = [7]texts.Key{"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"}

func dayName(n int) string { return "working_hours." + strings.ToLower(time.Weekday(n).String()) }

// lineSetting is a text of one line; Problems of the policy says what is wrong with it.
func lineSetting(name, label, words, hint string, at func(*scoring.Policy) *string) setting {
	return setting{
		name: name, label: label, words: words, hint: hint,
		get: func(p scoring.Policy) string { return *at(&p) },
		set: func(p *scoring.Policy, text string) string { *at(p) = strings.TrimSpace(text); return "" },
	}
}

// Draft is the form as text, by field name: what was typed, right or wrong.
type Draft map[string]string

// DraftOf is the form of a policy.
func DraftOf(say texts.Printer, p scoring.Policy) Draft {
	d := Draft{}
	for _, s := range policySettings(say) {
		d[s.name] = s.get(p)
	}
	return d
}

// DraftOn is the form of a policy as a draft on another one.
func DraftOn(say texts.Printer, p, base scoring.Policy) Draft {
	d := DraftOf(say, p)
	d[edge.FieldLists] = ListsOf(p).Field(base)
	return d
}

// changed reports whether a draft would lose something with its page.
func (d Drafted) changed() bool {
	for name, was := range DraftOn(d.Say, d.Base.Policy, d.Base.Policy) {
		if d.Draft[name] != was {
			return true
		}
	}
	return d.Draft[FieldReason] != ""
}

// The fields of a draft beside the settings.
const (
	FieldBase   = "base"   // the version it was made from
	FieldReason = "reason" // why
	fieldTyped  = "typed"  // the slug, where one has to be typed
	fieldPreset = "preset" // a button: fill in the challenges
	fieldEdit   = "edit"   // a button: back to the form
)

// readDraft takes every field once. A field that is none of the form is refused:
// whoever sends it means another page, or hopes that a setting without a field
// can be reached. A missing one is empty, which no setting accepts.
func readDraft(say texts.Printer, form url.Values) (Draft, error) {
	known := Draft{FieldBase: "", FieldReason: "", fieldTyped: "", fieldPreset: "", fieldEdit: "", edge.FieldLists: "", FieldFrom: ""}
	for _, s := range policySettings(say) {
		known[s.name] = s.missing
	}
	for name, values := range form {
		if _, ok := known[name]; !ok {
			return nil, fault.Member(fault.InvalidForm, "form", "the form has an unknown field %.60q", name)
		}
		if len(values) != 1 {
			return nil, fault.Member(fault.InvalidForm, name, "the form has %d values for %s; one is accepted", len(values), name)
		}
		known[name] = strings.ReplaceAll(canon.String(values[0]).Text(), "\r\n", "\n")
	}
	return known, nil
}

// base is the number of the version that the draft was made from.
func (d Draft) base() (int64, error) {
	n, err := strconv.ParseInt(d[FieldBase], 10, 64)
	if err != nil || n < 1 {
		return 0, fault.Member(fault.InvalidForm, FieldBase, "base is the number of the version that the page carries")
	}
	return n, nil
}

// fill sets the challenges to a preset.
func (d Draft) fill(preset string) error {
	challenges, ok := scoring.Preset(preset)
	if !ok {
		return fault.Member(fault.InvalidForm, fieldPreset, "there is no preset %.60q; expected one of %s", preset, strings.Join(scoring.Presets(), ", "))
	}
	for _, l := range level.All() {
		d["challenges."+strings.ToLower(l.String())] = string(challenges.At(l))
	}
	return nil
}

// wrong is what cannot stay, by the field that it is about; "" is none.
type wrong struct{ field, Text string }

// Policy reads the draft over the version it was made from. With anything wrong
// the policy is not to be used.
func (d Draft) Policy(say texts.Printer, base scoring.Policy) (scoring.Policy, []wrong) {
	p := base
	var all []wrong
	failed := map[string]bool{}
	for _, s := range policySettings(say) {
		text := d[s.name]
		accepted := s.set(&p, text)
		if accepted == "" {
			continue
		}
		failed[s.member()] = true
		is := say.Say("is %s", inQuotes(say, text))
		if strings.TrimSpace(text) == "" {
			is = say.Say("is empty")
		}
		all = append(all, wrong{s.name, say.Say("%s; expected %s", is, accepted)})
	}
	lists, err := d.lists(base)
	if err != nil {
		all = append(all, wrong{"", say.Phrase(err)})
	}
	p = lists.in(p)
	for _, problem := range p.Problems() {
		if failed[problem.Member] || below(failed, problem.Member) {
			continue // said already, or a sum of what could not be read
		}
		text, field := say.Phrase(problem.Detail), fieldOf(say, problem.Member)
		if field == "" && problem.Member != "" {
			text = say.Say("%s: %s", unknownSetting(say, problem.Member), text)
		}
		all = append(all, wrong{field, text})
	}
	return p, all
}

// inQuotes is what was typed, short enough for a message.
func inQuotes(say texts.Printer, text string) string {
	short := present.Trim(text, 40)
	if short != text {
		short += "…"
	}
	return "“" + present.Flat(say, short) + "”"
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
func fieldOf(say texts.Printer, member string) string {
	if member == "" {
		return ""
	}
	for _, s := range policySettings(say) {
		if s.member() == member || strings.HasPrefix(s.member(), member+"/") || strings.HasPrefix(member, s.member()+"/") {
			return s.name
		}
	}
	return ""
}

// onto carries a draft over to a newer version: what the draft did not touch is
// as the newer version has it. both names the settings that both changed, where
// the draft's value stays.
func (d Draft) onto(say texts.Printer, base, newer scoring.Policy) (moved Draft, both []string) {
	moved = Draft{FieldReason: d[FieldReason], FieldFrom: d[FieldFrom]}
	if lists, err := d.lists(base); err == nil && d[edge.FieldLists] != "" {
		lists, both = lists.onto(say, ListsOf(base), ListsOf(newer))
		moved[edge.FieldLists] = lists.Field(newer)
	}
	for _, s := range policySettings(say) {
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
