package httpapi

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
)

// rules score what the desk is handed, so that real assessments go out.
var rules = sync.OnceValue(func() *scoring.Compiled {
	c, err := scoring.Compile(scoring.DefaultPolicy())
	if err != nil {
		panic(err)
	}
	return c
})

// desk stands where the approvals service does: it keeps what it is told and
// answers as it is told. What it decides is not under test here, only what the
// edge makes of it.
type desk struct {
	mu   sync.Mutex
	now  time.Time
	all  []approvals.Approval // newest last
	keys map[string]approvals.Submission
	// spent are the approvals that were consumed.
	spent map[string]bool
	// got is the last submission.
	got approvals.Submission
	// hold, when set, keeps Submit from going on; held is told that one waits there; there
	// may be one only.
	hold, held chan struct{}
	inside     atomic.Int32
	// fail, when set, is what every call answers.
	fail error
	// waiting is told about every wait that begins, gone about every one whose
	// caller went away; decide ends a wait.
	waiting chan time.Duration
	gone    chan error
	decide  chan struct{}
}

// stamped is an assessment with what the service knows.
func stamped(as scoring.Assessment) scoring.Assessment {
	r := &as.Patterns
	r.EvaluationID, r.TenantID, r.AgentID, r.Timestamp = "0192f3c4-7a1b-4def-8123-456789abcdef", "acme", "agt_1", time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	return as
}

func newDesk() *desk {
	return &desk{
		now:  time.Date(2026, 3, 4, 5, 6, 7, 89_000, time.FixedZone("somewhere", 3*3600)),
		keys: map[string]approvals.Submission{}, spent: map[string]bool{}, waiting: make(chan time.Duration, 1), gone: make(chan error, 1), decide: make(chan struct{}),
	}
}

func (d *desk) Submit(_ context.Context, agent auth.Agent, sub approvals.Submission) (approvals.Approval, bool, error) {
	if d.hold != nil {
		if d.inside.Add(1) > 1 {
			return approvals.Approval{}, false, errors.New("two are inside")
		}
		d.held <- struct{}{}
		<-d.hold
		d.inside.Add(-1)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.got = sub
	if d.fail != nil {
		return approvals.Approval{}, false, d.fail
	}
	if sub.Action.Function() == "panic" {
		panic("secret inside")
	}
	if before, ok := d.keys[sub.IdempotencyKey]; ok && sub.IdempotencyKey != "" {
		if before.ExpiresIn != sub.ExpiresIn || before.Revises != sub.Revises || !bytes.Equal(before.Action.Canonical(), sub.Action.Canonical()) {
			return approvals.Approval{}, false, fault.New(fault.IdempotencyReused, "used with another body; use a new key")
		}
		return d.all[0], false, nil
	}
	d.keys[sub.IdempotencyKey] = sub
	assessed := stamped(rules().Assess(sub.Action, 1, nil))
	assessed.Level, assessed.Score = level.High, 0.6875 // whatever it is, so that the tests can write it down
	a := approvals.Approval{
		Tenant: agent.Tenant, ID: fmt.Sprintf("apr_%032x", len(d.all)+1), Agent: approvals.Agent{ID: agent.ID, Name: agent.Name},
		Revises: sub.Revises, Digest: sub.Action.Digest(), ShownDigest: digestB, Status: approvals.Pending, Session: sub.Action.SessionID(),
		Assessment: assessed,
		Treatment:  scoring.Treatment{Level: level.High, Challenge: "quiz", ApprovalsRequired: 1},
		CreatedAt:  d.now, ExpiresAt: d.now.Add(time.Duration(sub.ExpiresIn) * time.Second),
	}
	if sub.Action.Function() == "harmless" {
		a.Status = approvals.Approved
		a.Treatment = scoring.Treatment{Level: level.Low, Challenge: "none"}
		a.Assessment.Level = level.Low
		a.Decision = &approvals.Decision{
			Verdict: approvals.VerdictApprove, DecidedAt: d.now,
			DecidedBy: []approvals.Decider{{Kind: approvals.ByPolicy, ID: "1", Name: "policy version 1"}},
		}
		a.Grant = &approvals.Grant{ID: "grt_1", Token: "head.body.signature", ExpiresAt: d.now.Add(time.Minute)}
	}
	d.all = append(d.all, a)
	return a, true, nil
}

func (d *desk) Get(_ context.Context, agent auth.Agent, id string) (approvals.Approval, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fail != nil {
		return approvals.Approval{}, d.fail
	}
	for _, a := range d.all {
		if a.ID == id && a.Tenant == agent.Tenant && a.Agent.ID == agent.ID {
			return a, nil
		}
	}
	return approvals.Approval{}, fault.New(fault.Missing, "no approval %q", id)
}

func (d *desk) Wait(ctx context.Context, agent auth.Agent, id string, patience time.Duration) (approvals.Approval, error) {
	a, err := d.Get(ctx, agent, id)
	if err != nil || a.Status.Final() {
		return a, err
	}
	d.waiting <- patience
	select {
	case <-ctx.Done():
		d.gone <- ctx.Err()
		return approvals.Approval{}, ctx.Err()
	case <-d.decide:
		return d.update(ctx, agent, id, func(a *approvals.Approval) {
			a.Status = approvals.Denied
			a.Decision = &approvals.Decision{
				Verdict: approvals.VerdictDeny, Reason: "not on a Friday", DecidedAt: d.now.Add(time.Second),
				DecidedBy: []approvals.Decider{{Kind: approvals.ByPerson, ID: "per_1", Name: "Ada"}},
			}
		})
	}
}

func (d *desk) update(ctx context.Context, agent auth.Agent, id string, change func(*approvals.Approval)) (approvals.Approval, error) {
	if _, err := d.Get(ctx, agent, id); err != nil {
		return approvals.Approval{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	i := slices.IndexFunc(d.all, func(a approvals.Approval) bool { return a.ID == id })
	change(&d.all[i])
	return d.all[i], nil
}

func (d *desk) List(_ context.Context, agent auth.Agent, f approvals.Filter) (page []approvals.AgentView, next string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fail != nil {
		return nil, "", d.fail
	}
	for _, a := range slices.Backward(d.all) {
		if a.Agent.ID != agent.ID || (f.Session != "" && a.Session != f.Session) || (f.Before != "" && a.ID >= f.Before) ||
			(len(f.Statuses) > 0 && !slices.Contains(f.Statuses, a.Status)) {
			continue
		}
		if len(page) == f.Limit {
			return page, page[len(page)-1].ID, nil
		}
		page = append(page, a.AgentView())
	}
	return page, "", nil
}

func (d *desk) Cancel(ctx context.Context, agent auth.Agent, id string) (approvals.Approval, error) {
	return d.update(ctx, agent, id, func(a *approvals.Approval) { a.Status = approvals.Cancelled })
}

func (d *desk) Consume(ctx context.Context, agent auth.Agent, id, digest, _ string) (approvals.Spent, error) {
	a, err := d.Get(ctx, agent, id)
	if err == nil && digest != a.Digest {
		err = fault.Member(fault.DigestMismatch, "/digest", "another digest was approved")
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	again := d.spent[id]
	d.spent[id] = err == nil
	return approvals.Spent{At: d.now, Replayed: again}, err
}

func (d *desk) Report(ctx context.Context, agent auth.Agent, id, status, detail string) (approvals.Approval, error) {
	return d.update(ctx, agent, id, func(a *approvals.Approval) {
		a.Execution = &approvals.Execution{Status: status, Detail: detail, ReportedAt: d.now}
	})
}

func (d *desk) AnswerQuestion(ctx context.Context, agent auth.Agent, id, question, answer string) (approvals.Approval, error) {
	return d.update(ctx, agent, id, func(a *approvals.Approval) {
		a.Questions = []approvals.AgentQuestion{
			{ID: question, Text: "Why?", Person: "usr_1", Name: "Ada", AskedAt: d.now, Answer: answer, AnsweredAt: &d.now},
			{ID: question, Text: "When?", Person: "usr_1", Name: "Ada", AskedAt: d.now},
		}
	})
}

// SessionScore knows one session, the one that the tests name s1.
func (d *desk) SessionScore(_ context.Context, _ auth.Agent, session string) (approvals.SessionScored, error) {
	if session != "s1" {
		return approvals.SessionScored{}, fault.New(fault.Missing, "nothing was submitted with this session_id")
	}
	return approvals.SessionScored{AlertAbove: 60, Exceeds: true, Weighing: patterns.Published(), SessionTotal: approvals.SessionTotal{
		Session: session, Evaluations: 4, Points: 90, Peak: 48, Counts: patterns.Counts{Critical: 1, High: 2, Medium: 1, Low: 1}, Last: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC),
	}}, nil
}

func (d *desk) Assess(_ context.Context, _ auth.Agent, action scoring.Action) (approvals.DryRun, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.got = approvals.Submission{Action: action}
	if d.fail != nil {
		return approvals.DryRun{}, d.fail
	}
	assessed := stamped(rules().Assess(action, 7, nil))
	return approvals.DryRun{
		Status: approvals.Pending, Digest: action.Digest(), ShownDigest: digestB, Assessment: assessed, PolicyVersion: 3, CallNumber: 7,
		Treatment: scoring.Treatment{Level: assessed.Level, Challenge: "quiz", ApprovalsRequired: 2},
	}, nil
}
