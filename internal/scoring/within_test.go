package scoring

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/trust"
	"github.com/countersign/countersign/internal/scoring/workspace"
)

const (
	shop    = "/srv/shop"
	running = `{"function":"bash","arguments":{"command":"cd web && npm test 2>&1 | tail -20"}}`
)

// bound is an assessment of a call whose workspace says j of it.
func bound(t *testing.T, c *Compiled, body string, in Inputs, matches []patterns.Match, record trust.Evidence, j workspace.Judgement) Assessment {
	t.Helper()
	in.Workspace = &workspace.Binding{Folder: shop}
	e := c.Examine(action(t, body), matches).Given(in).Trusting(record)
	elsewhere := e
	elsewhere.within = nil
	return e.trusted(e.judged(elsewhere.Assess(1), j))
}

// One line for each sentence about what a workspace's judgement replaces, and what still
// raises.
func TestInAWorkspace(t *testing.T) {
	t.Parallel()
	const low, medium, high, critical = level.Low, level.Medium, level.High, level.Critical
	harmless := workspace.Judgement{Applies: true, Level: low, Cause: "test", Because: "it runs the tests of the workspace", Effects: []effects.Effect{{Kind: effects.Read, Evidence: []effects.Evidence{}}}}
	held := workspace.Judgement{Applies: true, Level: medium, Cause: "push", Because: "it pushes to a remote", Effects: []effects.Effect{{Kind: effects.Write, Evidence: []effects.Evidence{}}}}
	silent := workspace.Judgement{}
	shell := match(patterns.High, patterns.Confirm)
	shell.Category = patterns.Shell
	sql := match(patterns.Critical, patterns.Confirm)
	sql.Category = patterns.SQL
	of := func(category string, severity patterns.Severity, action patterns.Action) []patterns.Match {
		m := match(severity, action)
		m.Category = category
		return []patterns.Match{m}
	}
	for _, c := range []struct {
		name    string
		policy  func(*Policy)
		preset  effects.Preset
		action  string
		inputs  Inputs
		matches []patterns.Match
		said    workspace.Judgement
		level   level.Level
		because string // in the explanation
	}{
		{"a test", nil, effects.Balanced, running, Inputs{}, nil, harmless, low, "Approved automatically as LOW: it runs the tests of the workspace."},
		{"what has nothing to do with files", nil, effects.Balanced, running, Inputs{}, nil, silent, medium, "it changes something"},
		{"a push", nil, effects.Balanced, running, Inputs{}, nil, held, medium, "Held as MEDIUM: it pushes to a remote."},
		{"in place of the score", nil, effects.Balanced, deleting, Inputs{}, nil, harmless, low, "it runs the tests"},
		{"in place of an extended rule", nil, effects.Balanced, `{"function":"bash","arguments":{"command":"rm -rf dist"}}`, Inputs{}, nil, harmless, low, "it runs the tests"},
		{"in place of shell patterns", nil, effects.Balanced, running, Inputs{}, []patterns.Match{shell}, harmless, low, "it runs the tests"},
		{"and others about what is run", nil, effects.Balanced, running, Inputs{}, []patterns.Match{sql}, harmless, low, "it runs the tests"},
		{"under strict", nil, effects.Strict, running, Inputs{}, nil, harmless, low, "it runs the tests"},
		{"under published nothing changes", nil, effects.Published, deleting, Inputs{}, nil, harmless, high, "five-factor score 0.720"},
		{"where LOW is held", func(p *Policy) { p.Challenges.Low = ChallengeConfirm }, effects.Balanced, running, Inputs{}, nil, harmless, low, "Held as LOW: it runs the tests"},

		{"a block", nil, effects.Balanced, running, Inputs{}, of(patterns.Shell, patterns.Critical, patterns.Block), harmless, critical, "Blocked as CRITICAL: pattern"},
		{"a secret", nil, effects.Balanced, running, Inputs{}, of(patterns.Secrets, patterns.High, patterns.Redact), harmless, high, "pattern test-high-redact"},
		{"an injection", nil, effects.Balanced, running, Inputs{}, of(patterns.Injection, patterns.Medium, patterns.Warn), harmless, medium, "pattern test-medium-warn"},
		{"an exfiltration", nil, effects.Balanced, running, Inputs{}, of(patterns.Exfiltration, patterns.High, patterns.Confirm), harmless, high, "pattern test-high-confirm"},
		{"one that asks for a person", nil, effects.Balanced, running, Inputs{}, of(patterns.Exfiltration, patterns.Low, patterns.Confirm), harmless, medium, "pattern test-low-confirm"},
		{"a rule of one's own", func(p *Policy) { p.Rules.Custom = []OwnRule{own("tests", "npm")} }, effects.Balanced, running, Inputs{}, nil, harmless, high, "rule tests"},
		{"an assessor of one's own", func(p *Policy) { p.Rules.Assessor = `action.function == "bash" ? "HIGH" : "LOW"` }, effects.Balanced, running, Inputs{}, nil, harmless, high, "assessor"},
		{"a pattern of one's own about SQL", func(p *Policy) {
			p.PatternOverrides.Add = []patterns.Pattern{{ID: "npm", Category: patterns.SQL, Severity: patterns.High, Action: patterns.Warn, Description: "npm", Regex: []string{"npm"}, MustMatch: []string{"npm"}, MustNotMatch: []string{"x"}}}
		}, effects.Balanced, running, Inputs{}, nil, harmless, high, "pattern npm"},
		{"a floor of the registry's", func(p *Policy) { p.Functions = []Function{{Glob: "bash", Floor: high}} }, effects.Balanced, running, Inputs{}, nil, harmless, high, "function registry"},
		{"a fixed score", func(p *Policy) { p.Strategy, p.FixedScore = StrategyFixed, 0.7 }, effects.Balanced, running, Inputs{}, nil, harmless, high, "fixes the score"},

		{"an environment too", nil, effects.Balanced, running, Inputs{Environment: "staging"}, []patterns.Match{shell}, harmless, high, "pattern test-high-confirm"},
		{"an environment in which it is harmless", nil, effects.Balanced, updating, Inputs{Environment: "staging"}, nil, held, medium, "it pushes to a remote"},
	} {
		got := bound(t, judging(t, c.preset, c.policy), c.action, c.inputs, c.matches, trust.Evidence{}, c.said)
		if got.Level != c.level || !strings.Contains(got.Explanation, c.because) {
			t.Errorf("%s: got %v, want %v with %q: %s", c.name, got.Level, c.level, c.because, got.Explanation)
		}
		if got.Workspace == nil || got.Workspace.Folder != shop || got.Workspace.Cause != c.said.Cause {
			t.Errorf("%s: got %+v", c.name, got.Workspace)
		}
		plain := judging(t, c.preset, c.policy).Examine(action(t, c.action), c.matches).Assess(1)
		if got.Score != plain.Score || got.Rules.Level != plain.Rules.Level || got.Patterns.NumericScore != plain.Patterns.NumericScore {
			t.Errorf("%s: what the models said changed", c.name)
		}
	}
}

// The effects and the floor are those of the judgement.
func TestEffectsInAWorkspace(t *testing.T) {
	t.Parallel()
	j := workspace.Judgement{Applies: true, Level: level.High, Because: "it deletes the root", Effects: []effects.Effect{{Kind: effects.Delete, Evidence: []effects.Evidence{{Pointer: "/arguments/command", Command: "cd web", End: 6}}}}}
	got := bound(t, judging(t, effects.Balanced, nil), running, Inputs{}, nil, trust.Evidence{}, j)
	if got.Floor != (effects.Floor{Level: level.High, Effect: effects.Delete, Because: "it deletes the root"}) || len(got.Effects) != 1 || got.Effects[0].Evidence[0].Command != "cd web" {
		t.Errorf("got %+v, %+v", got.Floor, got.Effects)
	}
}

// No record makes LOW of what a workspace holds.
func TestTrustInAWorkspace(t *testing.T) {
	t.Parallel()
	j := workspace.Judgement{Applies: true, Level: level.Medium, Because: "it changes a CI file", Effects: []effects.Effect{{Kind: effects.Write, Breadth: effects.One}}}
	got := bound(t, judging(t, effects.Balanced, trusting(nil)), updating, Inputs{}, nil, trust.Evidence{Succeeded: 1000}, j)
	if got.Level != level.Medium || got.Trust == nil || !strings.Contains(got.Trust.Why, "workspace") {
		t.Errorf("got %v, %+v", got.Level, got.Trust)
	}
}

// Of a memory only what the call asks about is recorded.
func TestMemoryIsRecordedAsItIsAskedFor(t *testing.T) {
	t.Parallel()
	c := judging(t, effects.Balanced, nil)
	file := workspace.File{Path: shop + "/a.py", Findings: []workspace.Finding{workspace.Network}}
	in := Inputs{Workspace: &workspace.Binding{Folder: shop}, Memory: &workspace.Memory{Files: []workspace.File{file, {Path: shop + "/b.py"}}}}
	got := c.Examine(action(t, `{"function":"bash","arguments":{"command":"python a.py"}}`), nil).Given(in).Assess(1)
	if m := got.Inputs.Memory; m == nil || len(m.Files) != 1 || m.Files[0].Path != file.Path {
		t.Errorf("got %+v", m)
	}
	if got := c.Examine(action(t, `{"function":"bash","arguments":{"command":"ls"}}`), nil).Given(in).Assess(1); got.Inputs.Memory != nil {
		t.Errorf("got %+v", got.Inputs.Memory)
	}
}

// Nothing of what is masked stands in what a workspace says.
func TestMaskInAWorkspace(t *testing.T) {
	t.Parallel()
	c := judging(t, effects.Balanced, nil)
	e := c.Examine(action(t, `{"function":"bash","arguments":{"command":"cat x > `+awsKey+` && ./`+awsKey[:8]+`''`+awsKey[8:]+`"}}`), nil).In(&workspace.Binding{Folder: shop})
	with := "it writes " + awsKey
	j := workspace.Judgement{
		Applies: true, Level: level.Medium, Because: with, Cwd: "/srv/" + awsKey, Covers: &workspace.Scope{Of: "folder", To: "/srv/" + awsKey},
		Used:    []workspace.File{{Path: shop + "/" + awsKey}, {Path: shop + "/a"}},
		Writes:  []workspace.File{{Path: shop + "/" + awsKey}, {Path: shop + "/Makefile", Tasks: []workspace.Task{{Name: "x", Because: with}}}, {Path: "/x", Tasks: []workspace.Task{{Name: awsKey}}}},
		Effects: []effects.Effect{{Kind: effects.Write, Evidence: []effects.Evidence{{Pointer: "/arguments/command", Command: with, Why: with}}}},
	}
	elsewhere := e
	elsewhere.within = nil
	_, _, as := e.Mask(e.judged(elsewhere.Assess(1), j))
	record, err := json.Marshal([]any{as.Workspace, as.Effects, as.Floor, as.Inputs, as.Explanation})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(record), awsKey) || as.Workspace.Effects != nil || len(as.Workspace.Writes) != 1 || len(as.Workspace.Used) != 1 {
		t.Errorf("got %s", record)
	}
}
