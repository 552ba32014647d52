// Package policytest has a policy for tests of forms.
package policytest

import (
	"math"
	"strings"

	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/deciders"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/fivefactor"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/worktime"
)

// OddPolicy is valid and differs from the default in every setting of the form,
// with numbers that are awkward to write.
func OddPolicy() scoring.Policy {
	p := scoring.DefaultPolicy()
	p.Thresholds = fivefactor.Thresholds{Medium: 5e-324, High: 0.1 + 0.2, Critical: 1}
	p.Weights = fivefactor.Weights{FunctionName: 1.0 / 3, Arguments: 1.0 / 3, Docstring: 1 - 2.0/3, Hints: 0, Novelty: 1e-12}
	p.Strategy, p.OnBlock, p.EarlyAnswer = scoring.StrategyComposite, scoring.OnBlockHold, scoring.EarlyFlag
	p.CompositeWeights = scoring.CompositeWeights{FiveFactor: 1e30, Patterns: 1e-300}
	p.FixedScore, p.ScoreOverrideThreshold = math.Nextafter(1, 0), 0
	p.Challenges, _ = scoring.Preset(scoring.PresetDenyAll)
	p.Challenges.High = scoring.ChallengeConfirm
	p.ApprovalsRequired = scoring.PerLevel[int]{Low: 20, Medium: 2, High: 3, Critical: 4}
	p.MinReviewSeconds = scoring.PerLevel[int]{Low: 3600, Medium: 1, High: 2, Critical: 3}
	p.IdleLockMinutes = 480
	p.FreshSignInMinutes, p.ExpirySeconds, p.LongestExpirySeconds, p.RemindAtPercent, p.GrantSeconds = 1440, 86400, 2592000, 0, 10
	p.ExpirySecondsByLevel = scoring.PerLevel[int]{Low: 1, Medium: 2, High: 3, Critical: 86400}
	p.EditBeforeApprove = scoring.PerLevel[bool]{Low: true, Medium: true, High: true, Critical: true}
	p.NewerEndsOlder = true
	p.WorkingHours = worktime.Settings{Enabled: true, Zone: "Asia/Tokyo", Sunday: "00:00-24:00", Saturday: "08:00-09:00, 09:00-10:00", Holidays: []string{"2026-12-25 Christmas Day", "2027-01-01"}}
	p.NoteRequired = scoring.PerLevel[bool]{Low: true, Medium: true, High: true, Critical: true}
	p.Functions = []scoring.Function{{Glob: "delete_*", Floor: level.High}}
	p.Rules.Extended = false
	p.Judgement = effects.Settings{Preset: effects.Strict, SmallAmount: 0.1, LargeAmount: 1e15, Currency: "JPY", OwnDomains: []string{"b.example", "a.example"}, Nonproduction: []string{"qa"}, RememberDenialsHours: 720, Floors: map[effects.Row]effects.Cells{}}
	for _, row := range effects.Rows() {
		p.Judgement.Floors[row] = effects.Cells{Nonproduction: level.High, One: level.Low, Several: level.Critical, All: level.Medium}
	}
	p.PatternWeights, p.PatternDecay = patterns.PerSeverity[float64]{Critical: 1.5, High: 1.0 / 3, Medium: 5e-324, Low: 0}, math.Nextafter(1, 0)
	p.SeverityActions = patterns.PerSeverity[patterns.Action]{Critical: patterns.Redact, High: patterns.Block, Medium: patterns.Log, Low: patterns.Confirm}
	p.BlockAllCritical, p.RewriteCalls = true, true
	p.Trust = scoring.TrustSettings{Enabled: true, Cap: 1e-9, AtLeast: 0.999, Evidence: 500, HalfLifeDays: 1}
	p.Notices = scoring.NoticeSettings{DetailToPeople: true, DetailToChannels: []scoring.DetailedChannel{
		{Channel: "chn_0123456789abcdef0123456789abcdef", Name: "#ops", To: "https://hooks.example.com", Settings: strings.Repeat("0f", 32)},
	}}
	ana := []deciders.Person{{Person: "per_0123456789abcdef0123456789abcdef", Name: "Ana"}}
	p.Deciders = deciders.Settings{
		Teams: []deciders.Team{{Name: "a/b ~", Members: ana}},
		Rules: []deciders.Rule{{Name: "all", Functions: []string{"deploy_*"}, Needs: []deciders.Need{{Team: "a/b ~", AtLeast: 2}, {People: ana, AtLeast: 1}}}},
	}
	return p
}
