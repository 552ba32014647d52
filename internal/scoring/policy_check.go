package scoring

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/level"
)

// Bounds of a policy's settings. The schema (policy_schema.go) names the same.
const (
	maxPolicyBytes   = 256 << 10 // of the policy as JSON, as it is stored
	maxOverride      = 100
	maxApprovals     = 20
	maxReviewSeconds = 3600
	maxLifeSeconds   = 86_400 // of a grant
	maxExpirySeconds = 30 * 86_400
	maxRemindPercent = 99
	minGrantSeconds  = 10
	maxFreshMinutes  = 1440
	minIdleMinutes   = 5
	maxIdleMinutes   = 480
	maxFunctions     = 500
	maxGlob          = 256
	maxDoc           = 2_000
	maxHints         = 50
	maxHintNameBytes = 256
)

// maxProblems bounds what is said about one policy; more than that is another file.
const maxProblems = 200

// Problem is one setting that does not fit.
type Problem struct {
	Member string     // JSON pointer into the policy, "" for the policy as a whole
	Detail fault.Text // what is wrong with it, and what would be accepted
}

// Problems lists everything that is wrong with the policy, in the order of its
// members; none where it can be scored with.
func (p Policy) Problems() []Problem {
	_, wrong := p.models()
	return wrong
}

// asFault is all of them as one fault: its member is the first one's.
func asFault(wrong []Problem) error {
	if len(wrong) == 0 {
		return nil
	}
	details := make([]fault.Text, len(wrong))
	for i, w := range wrong {
		if details[i] = w.Detail; w.Member != "" {
			details[i] = fault.Textf("%s: %s", w.Member, w.Detail)
		}
	}
	return fault.Member(fault.InvalidMember, wrong[0].Member, "%s", fault.Join(details, "; "))
}

// problems collects what is wrong.
type problems []Problem

func (p *problems) add(member, format string, args ...any) {
	if len(*p) == maxProblems {
		return
	}
	*p = append(*p, Problem{Member: member, Detail: fault.Textf(format, args...)})
}

// below adds the faults of a part of the policy, whose members are relative to it.
func (p *problems) below(member string, faults ...*fault.Error) {
	for _, f := range faults {
		p.add(member+f.Member, "%s", f.Text())
	}
}

func (p *problems) oneOf(member, value string, accepted ...string) {
	if !slices.Contains(accepted, value) {
		p.add(member, "is %q; expected one of %s", told(value), strings.Join(accepted, ", "))
	}
}

func (p *problems) within(member string, value, low, high int, unit fault.Text) {
	if value < low || value > high {
		p.add(member, "is %d; expected a whole number of %s from %d to %d", value, unit, low, high)
	}
}

// orNone is within from 0 for a setting that 0 takes away.
func (p *problems) orNone(member string, value, high int, unit fault.Text) {
	if value < 0 || value > high {
		p.add(member, "is %d; expected a whole number of %s from 0 to %d, where 0 is none", value, unit, high)
	}
}

// Validate refuses a policy that cannot be scored with. The error is a fault
// InvalidMember: its member is the first setting that does not fit, its detail
// lists all of them with what would be accepted.
func (p Policy) Validate() error {
	_, err := Compile(p)
	return err
}

// check looks at every setting by itself; what needs the pattern library and the
// rules is checked by Compile.
func (p Policy) check(found *problems) {
	if stored, err := json.Marshal(p); err == nil && len(stored) > maxPolicyBytes { // what is no JSON is refused below
		found.add("", "as JSON, the policy has %d KB; at most %d KB are accepted", len(stored)>>10+1, maxPolicyBytes>>10)
		return
	}
	found.below("/thresholds", p.Thresholds.Problems()...)
	found.below("/weights", p.Weights.Problems()...)
	p.checkStrategy(found)
	found.within("/score_override_threshold", p.ScoreOverrideThreshold, 0, maxOverride, fault.Textf("points"))
	found.oneOf("/on_block", string(p.OnBlock), string(OnBlockBlock), string(OnBlockHold))
	found.below("/pattern", p.Weighing().Problems()...)
	found.below("/severity_actions", p.Acting().Problems()...)
	found.oneOf("/on_requires_approval", string(p.OnRequiresApproval.orDefault()), string(OnRequiresLevel), string(OnRequiresHold))
	for _, l := range level.All() {
		name := "/" + strings.ToLower(l.String())
		if c := p.Challenges.At(l); !c.Valid() {
			found.add("/challenges"+name, "is %q; expected one of none, confirm, quiz, explicit_confirmation, deny", told(string(c)))
		}
		found.within("/approvals_required"+name, p.ApprovalsRequired.At(l), 1, maxApprovals, fault.Textf("operators"))
		found.within("/min_review_seconds"+name, p.MinReviewSeconds.At(l), 0, maxReviewSeconds, fault.Textf("seconds"))
	}
	found.oneOf("/early_answer", string(p.EarlyAnswer), string(EarlyRefuse), string(EarlyFlag))
	found.within("/fresh_sign_in_minutes", p.FreshSignInMinutes, 0, maxFreshMinutes, fault.Textf("minutes"))
	found.within("/idle_lock_minutes", p.IdleLockMinutes, minIdleMinutes, maxIdleMinutes, fault.Textf("minutes"))
	found.within("/longest_expiry_seconds", p.LongestExpirySeconds, 1, maxExpirySeconds, fault.Textf("seconds"))
	found.below("/working_hours", p.WorkingHours.OrDefault().Problems()...)
	found.orNone("/remind_at_percent", p.RemindAtPercent, maxRemindPercent, fault.Textf("percent"))
	found.within("/expiry_seconds", p.ExpirySeconds, 1, maxExpirySeconds, fault.Textf("seconds"))
	for _, l := range level.All() {
		found.orNone("/expiry_seconds_by_level/"+strings.ToLower(l.String()), p.ExpirySecondsByLevel.At(l), maxExpirySeconds, fault.Textf("seconds"))
	}
	found.within("/grant_seconds", p.GrantSeconds, minGrantSeconds, maxLifeSeconds, fault.Textf("seconds"))
	checkJudgement(judgementOf(p.Judgement), found)
	p.Trust.orDefault().check(found)
	p.Evaluated().check(found)
	p.Authority.OrDefault().check(found)
	p.Notices.check(found)
	found.below("/deciders", p.Deciders.Problems()...)
	if len(p.Functions) > maxFunctions {
		found.add("/functions", "has %d entries; at most %d are accepted", len(p.Functions), maxFunctions)
		return
	}
	first := map[string]int{}
	for i, f := range p.Functions {
		at := fmt.Sprintf("/functions/%d", i)
		f.check(found, at)
		name := f.Name()
		if j, taken := first[name]; taken {
			found.add(at+"/glob", "is also the glob of entry %s, for the same agent and pattern; put both into one entry, because all matching entries count", strconv.Itoa(j))
			continue
		}
		first[name] = i
	}
}

func (p Policy) checkStrategy(found *problems) {
	found.oneOf("/strategy", string(p.Strategy), string(StrategyMax), string(StrategyComposite), string(StrategyFixed))
	sum := 0.0
	for _, w := range []struct {
		member string
		value  float64
	}{{"/composite_weights/five_factor", p.CompositeWeights.FiveFactor}, {"/composite_weights/patterns", p.CompositeWeights.Patterns}} {
		if !(w.value >= 0 && w.value <= math.MaxFloat32) { // also refuses NaN; the sum stays finite
			found.add(w.member, "is %v; expected a finite number of 0 or more", w.value)
			continue
		}
		sum += w.value
	}
	if p.Strategy == StrategyComposite && !(sum > 0) {
		found.add("/composite_weights", "add up to %v; at least one weight must be above 0", sum)
	}
	if !(p.FixedScore >= 0 && p.FixedScore <= 1) {
		found.add("/fixed_score", "is %v; expected a number from 0 to 1", p.FixedScore)
	}
}

func (f Function) check(found *problems, at string) {
	if f.Glob == "" {
		found.add(at+"/glob", "is empty; expected a name of 1 to %d characters, without U+0000 and non-characters, in which * is any text and ? one character", maxGlob)
	} else if utf8.RuneCountInString(f.Glob) > maxGlob || canon.String(f.Glob).Text() != f.Glob {
		found.add(at+"/glob", "has %d characters; expected a name of 1 to %d, without U+0000 and non-characters, in which * is any text and ? one character", utf8.RuneCountInString(f.Glob), maxGlob)
	}
	if utf8.RuneCountInString(f.Docstring) > maxDoc || canon.String(f.Docstring).Text() != f.Docstring {
		found.add(at+"/docstring", "has %d characters; expected at most %d, without U+0000 and non-characters", utf8.RuneCountInString(f.Docstring), maxDoc)
	}
	if f.Floor > level.Critical {
		found.add(at+"/floor", "is %v; expected one of LOW, MEDIUM, HIGH, CRITICAL, or none", f.Floor)
	}
	found.orNone(at+"/expiry_seconds", f.ExpirySeconds, maxExpirySeconds, fault.Textf("seconds"))
	f.checkEntry(found, at)
	if len(f.Hints) > maxHints {
		found.add(at+"/hints", "has %d members; at most %d are accepted", len(f.Hints), maxHints)
		return
	}
	for _, name := range sortedKeys(f.Hints) {
		if name != canon.String(name).Text() || len(name) > maxHintNameBytes {
			found.add(at+"/hints", "has the name %q; expected at most %d bytes of UTF-8 without U+0000 and non-characters", told(name), maxHintNameBytes)
			continue
		}
		if _, ok := hintValue(f.Hints[name]); !ok {
			found.add(at+"/hints/"+canon.PointerEscape(name), "is %v; expected true, false or a finite number up to 2^53-1", f.Hints[name])
		}
	}
}
