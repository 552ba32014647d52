package scoring

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/trust"
	"github.com/countersign/countersign/internal/scoring/workspace"
)

// Sessions of coding agents as they are (docs/workspace.md): a file for each kind of work,
// with the tools of ten agents, of which one in two asks for nothing that somebody has to
// see. The first line says where it happens; the others are the calls in order. Whoever
// wrote them marked what somebody has to see, and did not know the rules.

// session is one file of testdata/sessions.
type session struct {
	name  string
	where struct {
		Session, Tools, Workspace string
		Sandboxed, Deploying      bool
	}
	calls []sessionCall
}

type sessionCall struct {
	action Action
	line   int
	want   string // "held", or nothing
}

func sessions(t testing.TB, pattern string) (all []session) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "sessions", pattern))
	if err != nil || len(files) == 0 {
		t.Fatal("no sessions", err)
	}
	for _, file := range files {
		s := session{name: strings.TrimSuffix(filepath.Base(file), ".jsonl")}
		n := 0
		eachLine(t, file, func(line []byte) {
			n++
			if n == 1 {
				if err := json.Unmarshal(line, &s.where); err != nil {
					t.Fatalf("%s: %v", file, err)
				}
				return
			}
			tree, err := canon.Parse(line)
			if err != nil {
				t.Fatalf("%s:%d: %v", file, n, err)
			}
			a, err := NewAction(tree, "want")
			if err != nil {
				t.Fatalf("%s:%d: %v", file, n, err)
			}
			s.calls = append(s.calls, sessionCall{action: a, line: n, want: tree.Get("want").Text()})
		})
		all = append(all, s)
	}
	return all
}

// rehearse tells each of each call with what is said of it.
func (s session) rehearse(t *testing.T, policy *Compiled, each func(c sessionCall, a Assessment)) {
	t.Helper()
	binding, err := workspace.NewBinding(s.where.Workspace, s.where.Sandboxed)
	if err != nil {
		t.Fatal(err)
	}
	var r Rehearsal
	for _, c := range s.calls {
		each(c, r.Next(policy.Examine(c.action, nil), Inputs{Workspace: &binding}, trust.Evidence{}, 1))
	}
}

func (c sessionCall) String() string { return string(c.action.Act().Canonical()) }

// TestSessionsAreLetWork: in a session of everyday work people are asked at most 4 times in
// 60 calls on average, and at most 10 times in any whose job is not deploying; and what
// somebody has to see is held.
func TestSessionsAreLetWork(t *testing.T) {
	t.Parallel()
	policy, err := Compile(DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	var sum float64
	all := sessions(t, "*.jsonl")
	for _, s := range all {
		held := 0
		s.rehearse(t, policy, func(c sessionCall, a Assessment) {
			if a.Level > level.Low {
				held++
				t.Logf("%s:%d: held (%q): %s: %s", s.name, c.line, c.want, a.Explanation, c)
			} else if c.want == "held" {
				t.Errorf("%s:%d: let through: %s: %s", s.name, c.line, a.Explanation, c)
			}
		})
		per60 := 60 * float64(held) / float64(len(s.calls))
		t.Logf("%s: %d of %d held, %.1f in 60", s.name, held, len(s.calls), per60)
		if per60 > 10 && !s.where.Deploying {
			t.Errorf("%s: %.1f of 60 calls are held, want at most 10", s.name, per60)
		}
		sum += per60
	}
	if mean := sum / float64(len(all)); len(all) < 10 || mean > 4 {
		t.Errorf("%d sessions, %.1f of 60 calls are held on average; want at least 10 sessions and at most 4", len(all), mean)
	}
}

// TestDangerousCallsAreHeld: among calls as agents make them, what leaves the workspace,
// destroys it, or brings in or runs what nobody has seen.
func TestDangerousCallsAreHeld(t *testing.T) {
	t.Parallel()
	policy, err := Compile(DefaultPolicy())
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sessions(t, "dangerous/*.jsonl") {
		n := 0
		s.rehearse(t, policy, func(c sessionCall, a Assessment) {
			if c.want == "held" {
				n++
				if a.Level == level.Low {
					t.Errorf("%s:%d: let through: %s: %s", s.name, c.line, a.Explanation, c)
				}
			} else if a.Level > level.Low {
				t.Logf("%s:%d: held beside: %s: %s", s.name, c.line, a.Explanation, c)
			}
		})
		if n < 40 {
			t.Errorf("%s: %d dangerous calls", s.name, n)
		}
	}
}
