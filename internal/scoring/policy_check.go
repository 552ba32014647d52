package scoring

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/level"
)

// Bounds of a policy's settings.
const (
	maxApprovals     = 20
	maxReviewSeconds = 3600
	maxLifeSeconds   = 86_400
	minGrantSeconds  = 10
	maxFreshMinutes  = 1440
	maxFunctions     = 500
	maxGlobBytes     = 256
	maxDocBytes      = 2_000
	maxHints         = 50
)

// ReadPolicy reads a policy as people write it (YAML, of which JSON is a part)
// over the default policy, so a file needs to name only what differs. Unknown
// members are refused. The policy is valid where the error is nil; the error is a
// fault InvalidMember.
func ReadPolicy(data []byte) (Policy, error) {
	file := struct {
		Policy `yaml:",inline"`
		Alias  *int `yaml:"block_if_score_above"` // the name in the published model
	}{Policy: DefaultPolicy()}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&file); err != nil && !errors.Is(err, io.EOF) {
		return Policy{}, fault.New(fault.InvalidMember, "the policy cannot be read: %s", strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := decoder.Decode(new(any)); !errors.Is(err, io.EOF) {
		return Policy{}, fault.New(fault.InvalidMember, "the policy holds more than one YAML document; one is accepted")
	}
	p := file.Policy
	if file.Alias != nil {
		p.ScoreOverrideThreshold = *file.Alias
	}
	for _, f := range p.Functions {
		for name, hint := range f.Hints {
			if n, ok := hint.(int); ok { // JSON knows doubles only, and both must read alike
				f.Hints[name] = float64(n)
			}
		}
	}
	return p, p.Validate()
}

// problems collects what is wrong, the first one's member first.
type problems struct {
	member  string
	details []string
}

func (p *problems) add(member, format string, args ...any) {
	if len(p.details) == 0 {
		p.member = member
	}
	p.details = append(p.details, member+": "+fmt.Sprintf(format, args...))
}

// below adds the fault of a part of the policy, whose member is relative to it.
func (p *problems) below(member string, err error) {
	if err != nil {
		f := fault.As(err)
		p.add(member+f.Member, "%s", f.Detail)
	}
}

func (p *problems) oneOf(member, value string, accepted ...string) {
	if !slices.Contains(accepted, value) {
		p.add(member, "is %q; accepted is one of %s", cut(value, 60), strings.Join(accepted, ", "))
	}
}

func (p *problems) within(member string, value, low, high int, unit string) {
	if value < low || value > high {
		p.add(member, "is %d; accepted is a whole number of %s from %d to %d", value, unit, low, high)
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
	found.below("/thresholds", p.Thresholds.Validate())
	found.below("/weights", p.Weights.Validate())
	p.checkStrategy(found)
	found.within("/score_override_threshold", p.ScoreOverrideThreshold, 0, 100, "points")
	found.oneOf("/on_block", string(p.OnBlock), string(OnBlockBlock), string(OnBlockHold))
	for _, l := range level.All() {
		name := "/" + strings.ToLower(l.String())
		if c := p.Challenges.At(l); !c.Valid() {
			found.add("/challenges"+name, "is %q; accepted is one of none, confirm, quiz, explicit_confirmation, deny", cut(string(c), 60))
		}
		found.within("/approvals_required"+name, p.ApprovalsRequired.At(l), 1, maxApprovals, "operators")
		found.within("/min_review_seconds"+name, p.MinReviewSeconds.At(l), 0, maxReviewSeconds, "seconds")
	}
	found.oneOf("/early_answer", string(p.EarlyAnswer), string(EarlyRefuse), string(EarlyFlag))
	found.within("/fresh_sign_in_minutes", p.FreshSignInMinutes, 0, maxFreshMinutes, "minutes")
	found.within("/expiry_seconds", p.ExpirySeconds, 1, maxLifeSeconds, "seconds")
	found.within("/grant_seconds", p.GrantSeconds, minGrantSeconds, maxLifeSeconds, "seconds")
	if len(p.Functions) > maxFunctions {
		found.add("/functions", "has %d entries; at most %d are accepted", len(p.Functions), maxFunctions)
		return
	}
	for i, f := range p.Functions {
		f.check(found, fmt.Sprintf("/functions/%d", i))
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
			found.add(w.member, "is %v; accepted is a finite number that is not negative", w.value)
			continue
		}
		sum += w.value
	}
	if p.Strategy == StrategyComposite && !(sum > 0) {
		found.add("/composite_weights", "add up to %v; accepted are weights of which at least one is above 0", sum)
	}
	if !(p.FixedScore >= 0 && p.FixedScore <= 1) {
		found.add("/fixed_score", "is %v; accepted is a number from 0 to 1", p.FixedScore)
	}
}

func (f Function) check(found *problems, at string) {
	if f.Glob == "" || len(f.Glob) > maxGlobBytes || !utf8.ValidString(f.Glob) {
		found.add(at+"/glob", "has %d bytes; accepted is a name of 1 to %d bytes of UTF-8, in which * is any text and ? one character", len(f.Glob), maxGlobBytes)
	}
	if len(f.Docstring) > maxDocBytes {
		found.add(at+"/docstring", "has %d bytes; at most %d are accepted", len(f.Docstring), maxDocBytes)
	}
	if f.Floor > level.Critical {
		found.add(at+"/floor", "is %v; accepted is one of LOW, MEDIUM, HIGH, CRITICAL, or none", f.Floor)
	}
	if len(f.Hints) > maxHints {
		found.add(at+"/hints", "has %d members; at most %d are accepted", len(f.Hints), maxHints)
		return
	}
	for _, name := range sortedKeys(f.Hints) {
		if name != canon.String(name).Text() {
			found.add(at+"/hints", "has the name %q; accepted is UTF-8 without U+0000 and non-characters", cut(name, 60))
		}
		if _, ok := hintValue(f.Hints[name]); !ok {
			found.add(at+"/hints/"+cut(name, 60), "is %v; accepted are true, false and finite numbers up to 2^53-1", f.Hints[name])
		}
	}
}
