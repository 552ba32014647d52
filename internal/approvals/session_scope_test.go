package approvals

import (
	"fmt"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/deciders"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/rules"
	"github.com/countersign/countersign/internal/scoring/workspace"
)

// covered is a held call of a bound agent whose reading says that this scope covers it.
func covered(of, to string) Approval {
	a := Approval{
		ID: "apr_1", Agent: Agent{ID: "agt_1"}, Session: "s1", Function: "Bash", Digest: "d", ShownDigest: "d", Status: Pending,
		Treatment: scoring.Treatment{Level: level.Medium, Response: scoring.Hold, Challenge: scoring.ChallengeConfirm, ApprovalsRequired: 1},
	}
	a.Assessment = scoring.Assessment{
		Level: level.Medium, Effects: []effects.Effect{{Kind: effects.Write, Breadth: effects.One}}, Patterns: patterns.Record{LifecyclePoint: scoring.PreToolCall},
		Workspace: &scoring.Workspace{Decides: true, Binding: workspace.Binding{Folder: "/w"}, Judgement: workspace.Judgement{Level: level.Medium, Covers: &workspace.Scope{Of: of, To: to}}},
	}
	return a
}

func call(t *testing.T, body string) scoring.Action {
	t.Helper()
	tree, err := canon.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	action, err := scoring.NewAction(tree)
	if err != nil {
		t.Fatal(err)
	}
	return action
}

const bash = `{"function":"Bash","arguments":{"command":"git status"},"session_id":"s1"}`

// What may be allowed for a session, and what never is, whatever the reading offers.
func TestScopes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of, to string
		want   bool
	}{
		{"install", "", true},
		{"compose", "", true},
		{"code", "", true},
		{"push", "fix-4711", true},
		{"push", "refs/heads/feature/login", true},
		{"push", "", false},
		{"push", "HEAD", false},
		{"push", "main", false},
		{"push", "refs/heads/Master", false},
		{"push", "develop", false},
		{"push", "release-1.2", false},
		{"push", "releases/2026", false},
		{"push", "production", false},
		{"push", "prod/eu", false},
		{"push", "trunk", false},
		{"push", "+fix", false},
		{"push", "fix:main", false},
		{"ssh", "build.acme.test", true},
		{"ssh", "*", false},
		{"http", "api.acme.test", true},
		{"http", "", false},
		{"file", "/w/.github/workflows/ci.yml", true},
		{"file", "/w/.env.production", false},
		{"file", "/w/.npmrc", false},
		{"file", "/w/.git/config", false},
		{"file", "/home/dev/.ssh/config", false},
		{"file", "ci.yml", false},
		{"folder", "/srv/other", true},
		{"folder", "/srv", false},
		{"folder", "/", false},
		{"program", "gh pr create", true},
		{"program", "pkill", true},
		{"program", "bash", false},
		{"program", "python3 -m", false},
		{"program", "python3.12", false},
		{"program", "env", false},
		{"program", "sudo systemctl", false},
		{"program", "npx", false},
		{"program", "pnpm exec", false},
		{"program", "npm publish", false},
		{"program", "docker compose exec", false},
		{"program", "docker run", false},
		{"program", "docker build", true},
		{"program", "npm run migrate", true},
		{"program", "psql", false},
		{"program", "claude", false},
		{"program", "vercel deploy", false},
		{"program", "make release-eu", false},
		{"program", "./run", false},
		{"program", "", false},
		{"anything", "x", false},
	} {
		s, why := covered(c.of, c.to).Scope(call(t, bash))
		if got := s != nil && why.Empty(); got != c.want {
			t.Errorf("%s %q: got %v (%s)", c.of, c.to, got, why)
		}
	}
}

// A tool is covered by its name only where it does what it says: not one that is given a
// text to run.
func TestScopeOfATool(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]bool{
		`{"function":"create_issue","arguments":{"title":"x"},"session_id":"s1"}`:       true,
		`{"function":"run_shell","arguments":{"command":"ls"},"session_id":"s1"}`:       false,
		`{"function":"terminal","arguments":{"Cmd":["ls"]},"session_id":"s1"}`:          false,
		`{"function":"notebook","arguments":{"code":"1"},"session_id":"s1"}`:            false,
		`{"function":"sql","arguments":{"query":"select 1"},"session_id":"s1"}`:         false,
		`{"function":"python","arguments":{"x":1},"code":"print(1)","session_id":"s1"}`: false,
	} {
		s, why := covered("tool", "x").Scope(call(t, body))
		if got := s != nil && why.Empty(); got != want {
			t.Errorf("%s: got %v (%s)", body, got, why)
		}
	}
	runs := covered("tool", "x")
	runs.Assessment.Effects[0].Kind = effects.Execute
	if _, why := runs.Scope(call(t, `{"function":"x","session_id":"s1"}`)); why.Empty() {
		t.Error("a tool that runs what can't be read is allowed")
	}
}

// What takes a call out of every scope.
func TestNoScope(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(a *Approval){
		"nothing":                          func(*Approval) {},
		"no workspace":                     func(a *Approval) { a.Assessment.Workspace = nil },
		"a workspace that does not decide": func(a *Approval) { a.Assessment.Workspace.Decides = false },
		"nothing covers it":                func(a *Approval) { a.Assessment.Workspace.Covers = nil },
		"HIGH": func(a *Approval) {
			a.Assessment.Level, a.Assessment.Workspace.Level, a.Treatment.Level = level.High, level.High, level.High
		},
		"raised by a rule":    func(a *Approval) { a.Assessment.Workspace.Level = level.Low },
		"blocked":             func(a *Approval) { a.Treatment.Response = scoring.Block },
		"two people":          func(a *Approval) { a.Treatment.ApprovalsRequired = 2 },
		"one of a team":       func(a *Approval) { a.Treatment.Needs = []deciders.Need{{Team: "security"}} },
		"questions":           func(a *Approval) { a.Treatment.Challenge = scoring.ChallengeQuiz },
		"masked":              func(a *Approval) { a.ShownDigest = "e" },
		"a blocking pattern":  func(a *Approval) { a.Assessment.Patterns.MatchedPatterns = []patterns.Match{{Action: patterns.Block}} },
		"no call":             func(a *Approval) { a.Assessment.Patterns.LifecyclePoint = scoring.PostToolResult },
		"secrets":             func(a *Approval) { a.Assessment.Effects[0].Sensitive = true },
		"other rights":        func(a *Approval) { a.Assessment.Effects[0].Kind = effects.Permission },
		"a deletion":          func(a *Approval) { a.Assessment.Effects[0].Kind = effects.Delete },
		"production":          func(a *Approval) { a.Assessment.Facts = []facts.Fact{{Kind: facts.Environment, Value: "production"}} },
		"bound to production": func(a *Approval) { a.Assessment.Inputs.Environment = "prod" },
	} {
		a := covered("http", "api.acme.test")
		change(&a)
		s, why := a.Scope(call(t, bash))
		if got := s != nil && why.Empty(); got != (what == "nothing") {
			t.Errorf("%s: got %v (%s)", what, got, why)
		}
	}
	ssh := covered("ssh", "build")
	ssh.Assessment.Level, ssh.Assessment.Workspace.Level, ssh.Treatment.Level, ssh.Treatment.Challenge = level.High, level.High, level.High, scoring.ChallengeQuiz
	if s, why := ssh.Scope(call(t, bash)); !why.Empty() || s.Level != level.High {
		t.Errorf("a host by ssh: %+v, %s", s, why)
	}
	boxed := covered("code", "")
	boxed.Assessment.Workspace.Sandboxed = true
	if _, why := boxed.Scope(call(t, bash)); why.Empty() {
		t.Error("own code in a sandbox is allowed")
	}
}

// A grant with a scope covers calls of the same scope, session, binding and effects, until
// the agent changes a file that it depends on.
func TestScopeCovers(t *testing.T) {
	t.Parallel()
	first := covered("compose", "")
	first.Assessment.Workspace.Covers.Files = []string{"/w/compose.yaml"}
	scope, why := first.Scope(call(t, bash))
	if !why.Empty() {
		t.Fatal(why)
	}
	g := Standing{Session: "s1", Function: "Bash", Effects: effects.Plain(first.Assessment.Effects), Scope: scope}
	for what, change := range map[string]func(a *Approval){
		"the same":        func(*Approval) {},
		"another session": func(a *Approval) { a.Session = "s2" },
		"another scope":   func(a *Approval) { a.Assessment.Workspace.Covers = &workspace.Scope{Of: "install"} },
		"another file":    func(a *Approval) { a.Assessment.Workspace.Covers.Files = []string{"/w/other.yaml"} },
		"no scope":        func(a *Approval) { a.Assessment.Workspace.Covers = nil },
		"a sandbox":       func(a *Approval) { a.Assessment.Workspace.Sandboxed = true },
		"another folder":  func(a *Approval) { a.Assessment.Workspace.Folder = "/v" },
		"another effect": func(a *Approval) {
			a.Assessment.Effects = append(a.Assessment.Effects, effects.Effect{Kind: effects.Message})
		},
		"a rule of one's own": func(a *Approval) {
			a.Assessment.Level, a.Assessment.Rules = level.High, rules.Result{Level: level.High}
		},
		"what it depends on": func(a *Approval) { a.Assessment.Workspace.Writes = []workspace.File{{Path: "/w/compose.yaml"}} },
		"the folder of it":   func(a *Approval) { a.Assessment.Workspace.Writes = []workspace.File{{Path: "/w", Folder: true}} },
	} {
		a := covered("compose", "")
		a.Assessment.Workspace.Covers.Files = []string{"/w/compose.yaml"}
		change(&a)
		if got := g.covers(a, call(t, bash)); got != (what == "the same") {
			t.Errorf("%s: got %v", what, got)
		}
	}
	if path, yes := g.dependsOn([]workspace.File{{Path: "/w/a"}, {Path: "/w/compose.yaml", Gone: true}}); !yes || path != "/w/compose.yaml" {
		t.Errorf("it depends on %q, %v", path, yes)
	}
	if back, err := ReadScope(scope.Text()); err != nil || fmt.Sprint(*back) != fmt.Sprint(*scope) {
		t.Errorf("it comes back as %+v, %v", back, err)
	}
}

// In a workspace a grant by the shape of a call covers nothing: a shell has one shape for
// all that it runs.
func TestShapeCoversNothingInAWorkspace(t *testing.T) {
	t.Parallel()
	a := covered("push", "fix-4711")
	action := call(t, bash)
	pattern, _ := scoring.PatternOf(action)
	a.Assessment.Floor = effects.Floor{Level: level.Medium}
	g := Standing{Session: "s1", Function: "Bash", Pattern: pattern, Effects: effects.Plain(a.Assessment.Effects)}
	if g.covers(a, action) {
		t.Error("it covers a call in a workspace")
	}
	a.Assessment.Workspace.Decides = false
	if g.covers(a, action) {
		t.Error("it covers a call in a workspace that does not decide")
	}
	a.Assessment.Workspace = nil
	if !g.covers(a, action) {
		t.Error("elsewhere it covers nothing, so this test says nothing")
	}
}
