package scoring

import (
	"time"

	"github.com/countersign/countersign/internal/scoring/deciders"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/fivefactor"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/worktime"
)

// Policy is a tenant's settings: how an action is scored, and what a level asks
// of people. tenants versions it, the store keeps it as JSON, people write it as
// YAML; both have the same names. It is a plain value; what it takes to score
// with it is in Compiled. DefaultPolicy says what each setting is by default.
type Policy struct {
	// How the five-factor scorer counts.
	Thresholds fivefactor.Thresholds `json:"thresholds" yaml:"thresholds"`
	Weights    fivefactor.Weights    `json:"weights" yaml:"weights"`

	// How the three models become one score and one level.
	Strategy         Strategy         `json:"strategy" yaml:"strategy"`
	CompositeWeights CompositeWeights `json:"composite_weights" yaml:"composite_weights"` // strategy composite only
	FixedScore       float64          `json:"fixed_score" yaml:"fixed_score"`             // strategy fixed only; 0..1
	// Scorers are the organisation's own, beside that score or in its place.
	Scorers ScorerSettings `json:"scorers" yaml:"scorers"`

	// ScoreOverrideThreshold blocks an action whose pattern score (0..100) is
	// above it. ReadPolicy also takes it as block_if_score_above.
	ScoreOverrideThreshold int     `json:"score_override_threshold" yaml:"score_override_threshold"`
	OnBlock                OnBlock `json:"on_block" yaml:"on_block"`
	// OnRequiresApproval says what it does that the rule model requires approval.
	OnRequiresApproval OnRequiresApproval `json:"on_requires_approval" yaml:"on_requires_approval"`

	// How matches add up to the pattern score, and what a match does (patterns.Weighing,
	// patterns.Acting).
	PatternWeights   patterns.PerSeverity[float64]         `json:"pattern_weights" yaml:"pattern_weights"`
	PatternDecay     float64                               `json:"pattern_decay" yaml:"pattern_decay"`
	SeverityActions  patterns.PerSeverity[patterns.Action] `json:"severity_actions" yaml:"severity_actions"` // of patterns that name none
	BlockAllCritical bool                                  `json:"block_all_critical" yaml:"block_all_critical"`
	// RewriteCalls hands an approved call back without the secrets that were found in it.
	// The grant binds what was sent all the same.
	RewriteCalls bool `json:"rewrite_calls" yaml:"rewrite_calls"`

	// What each level asks of people.
	Challenges        PerLevel[ChallengeKind] `json:"challenges" yaml:"challenges"`
	ApprovalsRequired PerLevel[int]           `json:"approvals_required" yaml:"approvals_required"` // distinct operators, 1..20
	MinReviewSeconds  PerLevel[int]           `json:"min_review_seconds" yaml:"min_review_seconds"` // from the first view, 0..3600
	EarlyAnswer       EarlyAnswer             `json:"early_answer" yaml:"early_answer"`
	// NoteRequired asks whoever approves at a level for a note, which the agent receives.
	NoteRequired PerLevel[bool] `json:"note_required" yaml:"note_required"`
	// Deciders are teams and people who have to be among those who approve.
	Deciders deciders.Settings `json:"deciders" yaml:"deciders"`
	// FreshSignInMinutes is how young a sign-in must be for an explicit
	// confirmation; 0 asks for none.
	FreshSignInMinutes int `json:"fresh_sign_in_minutes" yaml:"fresh_sign_in_minutes"`
	// IdleLockMinutes is after how long without doing anything an operator signs in
	// again before they decide, 5..480.
	IdleLockMinutes int `json:"idle_lock_minutes" yaml:"idle_lock_minutes"`

	// EditBeforeApprove lets operators change the arguments of what waits at a level.
	EditBeforeApprove PerLevel[bool] `json:"edit_before_approve" yaml:"edit_before_approve"`

	ExpirySeconds int `json:"expiry_seconds" yaml:"expiry_seconds"` // how long an approval waits, 1..LongestExpirySeconds
	// ExpirySecondsByLevel limits that for what is held at a level; 0 is no limit of its own.
	ExpirySecondsByLevel PerLevel[int] `json:"expiry_seconds_by_level" yaml:"expiry_seconds_by_level"`
	// LongestExpirySeconds is the longest that any of them can be, and that an agent gets
	// where nothing else limits it, 1..2592000.
	LongestExpirySeconds int `json:"longest_expiry_seconds" yaml:"longest_expiry_seconds"`

	// WorkingHours are when the time of a request counts, where not all of it does.
	WorkingHours worktime.Settings `json:"working_hours" yaml:"working_hours"`

	// RemindAtPercent is after which share of its time a request is reminded of, 1..99; 0 is
	// never.
	RemindAtPercent int `json:"remind_at_percent" yaml:"remind_at_percent"`

	GrantSeconds int `json:"grant_seconds" yaml:"grant_seconds"` // how long a grant lives, 10..86400

	// NewerEndsOlder ends a request that waits when its agent asks again for the same function and
	// target with other arguments.
	NewerEndsOlder bool `json:"newer_ends_older" yaml:"newer_ends_older"`

	Functions        []Function         `json:"functions" yaml:"functions"`
	PatternOverrides patterns.Overrides `json:"pattern_overrides" yaml:"pattern_overrides"`
	Rules            RuleSettings       `json:"rules" yaml:"rules"`

	// Judgement says at which level each effect is held at least.
	Judgement effects.Settings `json:"judgement" yaml:"judgement"`

	// Trust says what an agent's record can do for its next calls.
	Trust TrustSettings `json:"trust" yaml:"trust"`

	// Evaluations say when the score of a session is told of, and how long the record of
	// what was scanned is kept.
	Evaluations EvaluationSettings `json:"evaluations" yaml:"evaluations"`
	// Authority says what one person cannot do alone.
	Authority AuthoritySettings `json:"authority" yaml:"authority"`
	// Notices say what leaves the organisation with a notice.
	Notices NoticeSettings `json:"notices" yaml:"notices"`
}

// Strategy says how the models' scores become one.
type Strategy string

const (
	StrategyMax       Strategy = "max"       // the highest of the models
	StrategyComposite Strategy = "composite" // the weighted mean of five-factor and pattern score
	StrategyFixed     Strategy = "fixed"     // always the configured score; for tests and dry environments
)

// CompositeWeights weigh the scores of the composite strategy; none below 0, not
// all 0. They are normalised.
type CompositeWeights struct {
	FiveFactor float64 `json:"five_factor" yaml:"five_factor"`
	Patterns   float64 `json:"patterns" yaml:"patterns"`
}

// OnBlock says what happens to an action that the pattern model blocks.
type OnBlock string

const (
	OnBlockBlock OnBlock = "block" // nobody is asked
	OnBlockHold  OnBlock = "hold"  // it is held as CRITICAL
)

// OnRequiresApproval says what happens to an action of which the rule model says that it
// requires approval: HIGH and CRITICAL, or what an assessor says.
type OnRequiresApproval string

const (
	OnRequiresLevel OnRequiresApproval = "level" // its level decides, as for any other
	OnRequiresHold  OnRequiresApproval = "hold"  // a person is asked, whatever its level
)

// orDefault reads policies from before there was the setting.
func (r OnRequiresApproval) orDefault() OnRequiresApproval {
	if r == "" {
		return OnRequiresLevel
	}
	return r
}

// OldIdleLockMinutes is what an organisation keeps whose policy was stored before there
// was the setting.
const OldIdleLockMinutes = 15

// IdleLock is IdleLockMinutes.
func (p Policy) IdleLock() time.Duration { return time.Duration(p.IdleLockMinutes) * time.Minute }

// EarlyAnswer says what happens to an approval before the minimum review time.
type EarlyAnswer string

const (
	EarlyRefuse EarlyAnswer = "refuse"
	EarlyFlag   EarlyAnswer = "flag" // accepted, and marked in the audit trail
)

// PerLevel is one setting for each level that an approval can have.
type PerLevel[T any] struct {
	Low      T `json:"low" yaml:"low"`
	Medium   T `json:"medium" yaml:"medium"`
	High     T `json:"high" yaml:"high"`
	Critical T `json:"critical" yaml:"critical"`
}

// At is the setting for a level; SAFE counts as LOW, and what is no level at all
// as CRITICAL.
func (p PerLevel[T]) At(l level.Level) T {
	switch l {
	case level.Safe, level.Low:
		return p.Low
	case level.Medium:
		return p.Medium
	case level.High:
		return p.High
	default:
		return p.Critical
	}
}

// Function is what a tenant knows about the functions that a glob matches, where
// the agent does not say it. Hints, docstring and floor can only raise: a hint or
// docstring that the agent sends counts where it is the riskier one, and the floor lifts
// the level. Effect and LowerTo can lower what the name says (policy_entry.go).
type Function struct {
	// Glob matches the whole function name, whatever its case: * is any text, ? is
	// one character. 1..256 bytes.
	Glob string `json:"glob" yaml:"glob"`
	// Hints are true, false or finite numbers, as an agent sends them.
	Hints     map[string]any `json:"hints,omitempty" yaml:"hints,omitempty"`
	Docstring string         `json:"docstring,omitempty" yaml:"docstring,omitempty"` // at most 2,000 bytes
	Floor     level.Level    `json:"floor,omitempty" yaml:"floor,omitempty"`         // SAFE: none
	// ExpirySeconds limits how long a call waits, in place of its level's limit; 0: none.
	// Of several entries that match, the shortest counts.
	ExpirySeconds int `json:"expiry_seconds,omitempty" yaml:"expiry_seconds,omitempty"`

	// Effect is what the function does, in place of what its name says; "": as it says.
	Effect effects.Kind `json:"effect,omitempty" yaml:"effect,omitempty"`
	// LowerTo is the level to which the floor of what its name says is lowered; SAFE: it
	// is not.
	LowerTo level.Level `json:"lower_to,omitempty" yaml:"lower_to,omitempty"`
	// Agent, Pattern and Until are for whom, for which calls and until when Effect and
	// LowerTo hold; none of them: for all, always.
	Agent string `json:"agent,omitempty" yaml:"agent,omitempty"`
	// Tool is the digest of a tool that was imported for the agent: the entry holds while
	// that tool is described as it was when the entry was accepted.
	Tool    string     `json:"tool,omitempty" yaml:"tool,omitempty"`
	Pattern *CallShape `json:"pattern,omitempty" yaml:"pattern,omitempty"`
	Until   string     `json:"until,omitempty" yaml:"until,omitempty"`   // RFC 3339
	Reason  string     `json:"reason,omitempty" yaml:"reason,omitempty"` // for people; at most 500 bytes
}

// DefaultPolicy is what a new tenant has (docs/policy.md, docs/models.md).
// It is valid.
func DefaultPolicy() Policy {
	challenges, _ := Preset(PresetConfirmMedium)
	return Policy{
		Thresholds:             fivefactor.DefaultThresholds(),
		Weights:                fivefactor.DefaultWeights(),
		Strategy:               StrategyMax,
		CompositeWeights:       CompositeWeights{FiveFactor: 0.7, Patterns: 0.3},
		FixedScore:             0,
		Scorers:                DefaultScorers(),
		ScoreOverrideThreshold: patterns.DefaultThreshold,
		OnBlock:                OnBlockBlock,
		PatternWeights:         patterns.Published().Weights,
		PatternDecay:           patterns.Published().Decay,
		SeverityActions:        patterns.PublishedActions(),
		OnRequiresApproval:     OnRequiresLevel,
		Challenges:             challenges,
		ApprovalsRequired:      PerLevel[int]{Low: 1, Medium: 1, High: 1, Critical: 1},
		MinReviewSeconds:       PerLevel[int]{Low: 0, Medium: 3, High: 10, Critical: 30},
		EarlyAnswer:            EarlyRefuse,
		FreshSignInMinutes:     15,
		IdleLockMinutes:        60,
		ExpirySeconds:          900,
		LongestExpirySeconds:   86_400,
		WorkingHours:           worktime.Default(),
		RemindAtPercent:        75,
		GrantSeconds:           300,
		Functions:              []Function{},
		Rules:                  RuleSettings{Extended: true},
		Judgement:              effects.Default(),
		Trust:                  DefaultTrust(),
		Evaluations:            DefaultEvaluations(),
		Authority:              DefaultAuthority(),
	}
}

// Weighing is how the matches of patterns add up to a score.
func (p Policy) Weighing() patterns.Weighing {
	return patterns.Weighing{Weights: p.PatternWeights, Decay: p.PatternDecay}.OrPublished()
}

// Acting is what a match of each pattern does.
func (p Policy) Acting() patterns.Acting {
	return patterns.Acting{Actions: p.SeverityActions, BlockCritical: p.BlockAllCritical}.OrPublished()
}

// MinReview is how many seconds an operator looks at least, before an approval
// of this level counts.
func (p Policy) MinReview(l level.Level) int { return p.MinReviewSeconds.At(l) }

// The presets of docs/models.md, by the names that the API and the console use.
const (
	PresetAutoApprove   = "auto_approve"
	PresetDenyAll       = "deny_all"
	PresetConfirmAll    = "confirm_all"
	PresetConfirmHigh   = "confirm_high"
	PresetConfirmMedium = "confirm_medium" // the default: medium and up
	PresetCustom        = "custom"         // what PresetOf says of any other choice
)

// Presets lists the names that Preset knows.
func Presets() []string {
	return []string{PresetAutoApprove, PresetDenyAll, PresetConfirmAll, PresetConfirmHigh, PresetConfirmMedium}
}

// Preset is the challenges that a preset stands for; ok is false for a name that
// is none.
func Preset(name string) (challenges PerLevel[ChallengeKind], ok bool) {
	const none, confirm, quiz, explicit, deny = ChallengeNone, ChallengeConfirm, ChallengeQuiz, ChallengeExplicit, ChallengeDeny
	switch name {
	case PresetAutoApprove:
		return PerLevel[ChallengeKind]{none, none, none, none}, true
	case PresetDenyAll:
		return PerLevel[ChallengeKind]{deny, deny, deny, deny}, true
	case PresetConfirmAll:
		return PerLevel[ChallengeKind]{confirm, confirm, quiz, explicit}, true
	case PresetConfirmHigh:
		return PerLevel[ChallengeKind]{none, none, quiz, explicit}, true
	case PresetConfirmMedium:
		return PerLevel[ChallengeKind]{none, confirm, quiz, explicit}, true
	}
	return PerLevel[ChallengeKind]{}, false
}

// PresetOf is the name of the preset that these challenges are, or PresetCustom.
func PresetOf(challenges PerLevel[ChallengeKind]) string {
	for _, name := range Presets() {
		if preset, _ := Preset(name); preset == challenges {
			return name
		}
	}
	return PresetCustom
}
