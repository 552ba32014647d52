package storetest

import (
	"errors"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/workspace"
)

// What a session came to: counted, and listed by whether a person was asked.
func testSessionCalls(t *testing.T, w world) {
	p := w.acme
	ask := func(session string, change func(*approvals.Approval)) approvals.Approval {
		return p.submit(t, func(a *approvals.Approval) {
			a.Session = session
			if change != nil {
				change(a)
			}
		})
	}
	wrote := func(path string) func(*approvals.Approval) {
		return func(a *approvals.Approval) {
			a.Assessment.Workspace = &scoring.Workspace{Judgement: workspace.Judgement{Writes: []workspace.File{{Path: path, Findings: []workspace.Finding{workspace.Network}}}}}
		}
	}
	first := ask("s1", wrote("/w/a.py"))
	p.approve(t, first)
	waiting := ask("s1", wrote("/w/b.py"))
	through := ask("s1", wrote("/w/c.py"))
	ended := p.approved(through, through.CreatedAt)
	ended.Decision.Evidence, ended.Decision.DecidedBy = nil, []approvals.Decider{{Kind: approvals.ByPolicy, ID: "1"}}
	p.write(t, func(w approvals.Writer) error {
		return errors.Join(w.Decide(ended, through.Version), w.Append(about(ended, audit.Approved)))
	})
	ask("s2", nil)

	counts := func(session string, calls int) (c approvals.SessionCounts) {
		p.read(t, func(r approvals.Reader) (err error) {
			c, err = r.SessionCounts(p.agent.ID, session, calls)
			return err
		})
		return c
	}
	same(t, "all", counts("s1", 10), approvals.SessionCounts{Calls: 3, Held: 2, Waiting: 1, Began: first.CreatedAt})
	same(t, "the newest two", counts("s1", 2), approvals.SessionCounts{Calls: 2, Held: 1, Waiting: 1, Began: first.CreatedAt})
	same(t, "none", counts("s3", 2), approvals.SessionCounts{})

	listed := func(held approvals.HeldFilter) (ids []string) {
		p.read(t, func(r approvals.Reader) (err error) {
			ids, err = r.IDs(approvals.Filter{Agent: p.agent.ID, Session: "s1", Held: held})
			return err
		})
		return ids
	}
	same(t, "those that were held", listed(approvals.HeldOnly), []string{waiting.ID, first.ID})
	same(t, "those that were not", listed(approvals.ThroughOnly), []string{through.ID})

	var writes []approvals.CallWrites
	p.read(t, func(r approvals.Reader) (err error) {
		writes, err = r.SessionWrites(p.agent.ID, "s1", 10)
		return err
	})
	file := func(path string) []workspace.File {
		return []workspace.File{{Path: path, Findings: []workspace.Finding{workspace.Network}}}
	}
	same(t, "what was written", writes, []approvals.CallWrites{
		{Approval: through.ID, At: through.CreatedAt, Files: file("/w/c.py")}, {Approval: first.ID, At: first.CreatedAt, Files: file("/w/a.py")},
	})
}
