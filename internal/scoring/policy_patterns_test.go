package scoring

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
)

// A policy that was stored before the model could be set is as published, and stays so
// when it is written again.
func TestThePatternModelOfAPolicyFromBefore(t *testing.T) {
	t.Parallel()
	var members map[string]any
	stored, err := DefaultPolicy().Stored()
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(stored, &members); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"pattern_weights", "pattern_decay", "severity_actions", "block_all_critical", "rewrite_calls"} {
		if _, there := members[name]; !there {
			t.Errorf("%s is not stored", name)
		}
		delete(members, name)
	}
	before, err := json.Marshal(members)
	if err != nil {
		t.Fatal(err)
	}
	var p Policy
	if err := json.Unmarshal(before, &p); err != nil {
		t.Fatal(err)
	}
	if d := p.Differences(DefaultPolicy()); len(d) > 0 || len(p.Problems()) > 0 || !p.CompilesAtOnce() {
		t.Errorf("it differs by %+v, is wrong by %v, compiles at once %v", d, p.Problems(), p.CompilesAtOnce())
	}
	if again, _ := p.Stored(); string(again) != string(stored) {
		t.Errorf("written again it is\n%s\nwant\n%s", again, stored)
	}
}

// tried is an action with one text in it.
func tried(t *testing.T, point, member string, text string) Action {
	t.Helper()
	members := []canon.Member{{Name: "function", Value: canon.String("note")}, {Name: "lifecycle_point", Value: canon.String(point)}}
	if name, value, _ := strings.Cut(text, ": "); member == "" {
		members = append(members, canon.Member{Name: "code", Value: canon.String(text)})
	} else {
		members = append(members, canon.Member{Name: "arguments", Value: canon.Object(canon.Member{Name: name, Value: canon.String(value)})})
	}
	a, err := NewAction(canon.Object(members...))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// patternPolicy is the default policy with one change.
func patternPolicy(t *testing.T, change func(*Policy)) *Compiled {
	t.Helper()
	p := DefaultPolicy()
	change(&p)
	c, err := Compile(p)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Weights and decay of the policy's own reach the record, the score and the level.
func TestOwnWeightsCount(t *testing.T) {
	t.Parallel()
	a := tried(t, PreToolCall, "", "card 4111 1111 1111 1111")
	usual := patternPolicy(t, func(*Policy) {}).Assess(a, 1, nil)
	heavy := patternPolicy(t, func(p *Policy) { p.PatternWeights.Critical, p.PatternWeights.High, p.PatternDecay = 90, 90, 0.5 }).Assess(a, 1, nil)
	if usual.Patterns.NumericScore != 20 || heavy.Patterns.NumericScore != 90 || heavy.Patterns.Weights.High != 90 || heavy.Patterns.Decay != 0.5 {
		t.Errorf("as published %+v, with own weights %+v", usual.Patterns, heavy.Patterns)
	}
	if heavy.Patterns.ActionReason != patterns.ReasonThreshold || !heavy.Patterns.ScoreOverrideExceeded || heavy.Response != Block {
		t.Errorf("90 is above 85: %+v, %s", heavy.Patterns, heavy.Response)
	}
	if usual.Response == Block || usual.Score >= heavy.Score {
		t.Errorf("as published it is %s at %v", usual.Response, usual.Score)
	}
}

// "Block all critical" is one switch: what asks, or only masks, blocks then, and what was
// masked stays so.
func TestBlockAllCritical(t *testing.T) {
	t.Parallel()
	off, on := patternPolicy(t, func(*Policy) {}), patternPolicy(t, func(p *Policy) { p.BlockAllCritical = true })
	count, blocked := 0, 0
	for _, p := range patterns.Default().Patterns() {
		if p.Severity != patterns.Critical {
			continue
		}
		for _, example := range p.MustMatch {
			a := tried(t, p.Points()[0], p.Member, example)
			was, is := off.Assess(a, 1, nil), on.Assess(a, 1, nil)
			if count++; is.Response != Block || is.Treatment.Challenge != ChallengeDeny || is.Patterns.BaseAction != patterns.Block {
				t.Errorf("%s in %q is %s (%s)", p.ID, example, is.Response, is.Explanation)
			}
			if was.Response == Block {
				blocked++
			}
			if is.Level < was.Level || level.Critical != is.Patterns.CategoricalSeverity.Level() {
				t.Errorf("%s in %q fell from %s to %s", p.ID, example, was.Level, is.Level)
			}
			before, _, _ := off.Examine(a, nil).Mask(was)
			after, _, _ := on.Examine(a, nil).Mask(is)
			if before.Digest() != after.Digest() {
				t.Errorf("%s in %q is stored as %s and was as %s", p.ID, example, after.Canonical(), before.Canonical())
			}
		}
	}
	if count < 44 || blocked == count {
		t.Errorf("%d examples were tried, %d of which blocked without the switch", count, blocked)
	}
}

// The policy says whether a call is handed back without secrets; nothing else changes.
func TestRewriteCalls(t *testing.T) {
	t.Parallel()
	secret, plain := "card 4111 1111 1111 1111", "hello"
	off, on := patternPolicy(t, func(*Policy) {}), patternPolicy(t, func(p *Policy) { p.RewriteCalls = true })
	for _, c := range []struct {
		name        string
		c           *Compiled
		point, text string
		want        bool
	}{
		{"as published", off, PreToolCall, secret, false},
		{"a call with a secret", on, PreToolCall, secret, true},
		{"a call without one", on, PreToolCall, plain, false},
		{"a result, which always is", on, PostToolResult, secret, false},
		{"a prompt", on, PreAgentStart, secret, false},
	} {
		a := tried(t, c.point, "", c.text)
		as := c.c.Assess(a, 1, nil)
		if as.Rewrites != c.want {
			t.Errorf("%s: %v", c.name, as.Rewrites)
		}
		shown, carried, masked := c.c.Examine(a, nil).Mask(as)
		if again := c.c.Assess(shown, 1, carried); again.Rewrites != c.want || masked.Rewrites != c.want {
			t.Errorf("%s: masked %v, scored again %v", c.name, masked.Rewrites, again.Rewrites)
		}
		as.Rewrites = false
		if other := off.Assess(a, 1, nil); !reflect.DeepEqual(other.Treatment, as.Treatment) || other.Score != as.Score {
			t.Errorf("%s: treated as %+v, without the setting %+v", c.name, as.Treatment, other.Treatment)
		}
	}
}
