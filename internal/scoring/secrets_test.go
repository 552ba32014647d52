package scoring

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/patterns"
)

// A name or an id with a secret is refused with the member and the pattern, and without the
// secret.
func TestUnnamable(t *testing.T) {
	t.Parallel()
	c := compiled(t, nil)
	for body, member := range map[string]string{
		`{"function":"getKEYs"}`:                                                                         "", // a part of a longer name is none
		`{"function":"get_KEY"}`:                                                                         "/function",
		`{"function":"get KEY"}`:                                                                         "/function",
		`{"function":"get","action_type":"KEY"}`:                                                         "/action_type",
		`{"function":"get","environment":"KEY"}`:                                                         "/environment",
		`{"function":"get","session_id":"run KEY"}`:                                                      "/session_id",
		`{"function":"get","tool_call_id":"KEY"}`:                                                        "/tool_call_id",
		`{"function":"get","arguments":{"KEY":1}}`:                                                       "/arguments",
		`{"function":"get","arguments":[{"a":{"x KEY":1}}]}`:                                             "/arguments/0/a",
		`{"function":"get","arguments":{"KEY":{"KEY":1}}}`:                                               "/arguments",
		`{"function":"get","hints":{"KEY":true}}`:                                                        "/hints",
		`{"function":"get","metadata":{"a":{"KEY":null}}}`:                                               "/metadata/a",
		`{"lifecycle_point":"post-tool-result","content":"x","metadata":{"KEY":""}}`:                     "/metadata",
		`{"function":"get","arguments":{"x":"KEY"},"hints":{"x":"KEY"},"metadata":{"x":"KEY"}}`:          "",
		`{"function":"get","docstring":"KEY","code":"KEY","justification":"KEY","arguments":["KEY"]}`:    "",
		`{"function":"get","session_id":"run-7","tool_call_id":"toolu_01A09q90qw90lq917835lq9"}`:         "",
		`{"function":"get","session_id":"0192f3c4-7a1b-7def-8123-456789abcdef","environment":"staging"}`: "",
	} {
		err := c.Examine(action(t, strings.ReplaceAll(body, "KEY", awsKey)), nil).Unnamable()
		if member == "" {
			if err != nil {
				t.Errorf("%s: %v", body, err)
			}
			continue
		}
		f := fault.As(err)
		if f == nil || f.Code != fault.SecretInName || f.Member != member || !strings.Contains(f.Detail, "aws-access-key") || strings.Contains(f.Detail, awsKey[:12]) {
			t.Errorf("%s: %v; want it refused at %s", body, err, member)
		}
	}
	if err := c.UnnamableKey("k " + awsKey); !fault.Is(err, fault.SecretInName) {
		t.Errorf("an idempotency key: %v", err)
	}
	if err := c.UnnamableKey("0192f3c4-7a1b-7def"); err != nil {
		t.Errorf("an idempotency key: %v", err)
	}
}

// Hints and metadata are masked; what is found there counts nowhere, now or later.
func TestWhatIsBesideIsMasked(t *testing.T) {
	t.Parallel()
	c := compiled(t, nil)
	const plain = `{"function":"update_user","arguments":{"id":"u1"},"hints":{"rows":4111111111111111,"note":"NOTE"},"metadata":{"list":["NOTE"],"card":5555555555554444}}`
	a := action(t, strings.ReplaceAll(plain, "NOTE", "x "+awsKey))
	e := c.Examine(a, nil)
	shown, carried, as := e.Mask(e.Assess(1))
	stored, err := json.Marshal([]any{string(shown.Canonical()), carried, as})
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{awsKey, "4111111111111111", "5555555555554444"} {
		if strings.Contains(string(stored), secret) {
			t.Errorf("%s is stored: %s", secret, stored)
		}
	}
	if len(carried) != 2 || !strings.Contains(string(shown.Canonical()), "x [REDACTED:aws-access-key]") {
		t.Errorf("carried is %+v, shown %s", carried, shown.Canonical())
	}
	if want := c.Assess(action(t, plain), 1, nil); as.Patterns.MatchCount != 0 || as.Score != want.Score || as.Level != want.Level {
		t.Errorf("it counts: %d matches, %v %s; without secrets %v %s", as.Patterns.MatchCount, as.Score, as.Level, want.Score, want.Level)
	}
	again := c.Assess(shown, 1, carried)
	if again.Patterns.MatchCount != 0 || again.Treatment.StricterThan(as.Treatment) || again.Score > as.Score {
		t.Errorf("it counts later: %d matches, %v; before %v", again.Patterns.MatchCount, again.Score, as.Score)
	}
	if shown.Digest() != a.Digest() || e.Shown().Digest() != shown.Digest() {
		t.Error("the act is another one")
	}
}

// What an organisation masks, it refuses in names too.
func TestUnnamableByPolicy(t *testing.T) {
	t.Parallel()
	c := compiled(t, func(p *Policy) {
		p.PatternOverrides.Add = []patterns.Pattern{{
			ID: "our-ticket", Severity: patterns.Low, Action: patterns.Redact, Category: "custom", Description: "ours",
			Regex: []string{`TICKET-[0-9]{6}`}, MustMatch: []string{"TICKET-123456"}, MustNotMatch: []string{"TICKET-1"},
		}}
	})
	for _, body := range []string{`{"function":"get","session_id":"TICKET-123456"}`, `{"function":"get","metadata":{"TICKET-123456":1}}`} {
		if err := c.Examine(action(t, body), nil).Unnamable(); !fault.Is(err, fault.SecretInName) {
			t.Errorf("%s: %v", body, err)
		}
	}
	if got := c.MaskText("see TICKET-123456"); got != "see [REDACTED:our-ticket]" {
		t.Errorf("masked is %q", got)
	}
	if got := MaskText("see TICKET-123456"); got != "see TICKET-123456" {
		t.Errorf("masked without the policy is %q", got)
	}
}

// A policy holds no secret that the one before does not hold.
func TestPolicyNoSecrets(t *testing.T) {
	t.Parallel()
	before := DefaultPolicy()
	for member, change := range map[string]func(p *Policy, secret string){
		"/functions/0/docstring":  func(p *Policy, s string) { p.Functions = []Function{{Glob: "x", Docstring: "use " + s}} },
		"/functions/0/glob":       func(p *Policy, s string) { p.Functions = []Function{{Glob: s}} },
		"/functions/0/hints":      func(p *Policy, s string) { p.Functions = []Function{{Glob: "x", Hints: map[string]any{s: true}}} },
		"/rules/custom/0/pattern": func(p *Policy, s string) { p.Rules.Custom = []OwnRule{{Name: "own", Pattern: s, Reason: "x"}} },
		"/rules/custom/0/reason":  func(p *Policy, s string) { p.Rules.Custom = []OwnRule{{Name: "own", Pattern: "y", Reason: s}} },
		"/pattern_overrides/add/0/must_match/0": func(p *Policy, s string) {
			p.PatternOverrides.Add = []patterns.Pattern{{ID: "own", MustMatch: []string{s}}}
		},
	} {
		for _, secret := range []string{awsKey, "[REDACTED:aws-access-key]"} {
			p := before
			change(&p, secret)
			f := fault.As(p.NoSecrets(before))
			if f == nil || f.Code != fault.InvalidMember || f.Member != member || strings.Contains(f.Detail, awsKey) {
				t.Errorf("%s with %s: %v", member, secret, f)
			}
			if err := p.NoSecrets(p); err != nil {
				t.Errorf("%s: what was there before is refused: %v", member, err)
			}
		}
	}
	if err := before.NoSecrets(Policy{}); err != nil {
		t.Errorf("the default policy: %v", err)
	}
}
