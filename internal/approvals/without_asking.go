package approvals

import (
	"context"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/tenants"
)

// What of an agent runs without asking, and how often it did lately.

// withoutCalls is how many of an agent's newest calls are looked at.
const withoutCalls = 500

// WithoutAsking is all that lets calls of one agent through which would be held.
type WithoutAsking struct {
	Now     time.Time
	Policy  int64              // its version
	Entries []scoring.Function // of the registry, that are for this agent and change what a name says
	// Standing are the grants of the agent that are open, the newest first, and Void why
	// one covers nothing all the same.
	Standing []Standing
	Void     map[string]fault.Text
	Trust    scoring.TrustSettings
	// Calls of the agent were looked at, the newest; Oldest is when the first of them was.
	Calls    int
	Oldest   time.Time
	ByEntry  map[string]Use // by the entry's name
	ByRecord Use
	ByTool   Use // of tools that were imported, that nothing else let through
	// Bound is what the agent is bound to, and ByWorkspace of what its workspace let through.
	Bound       tenants.Bound
	ByWorkspace Use
}

// Use is how often something let a call through, and when the last time.
type Use struct {
	Count int
	Last  time.Time
}

func (u Use) again(at time.Time) Use {
	u.Count++
	if at.After(u.Last) {
		u.Last = at
	}
	return u
}

// WithoutAsking says what of an agent, which has this name, runs without asking.
func (s *Service) WithoutAsking(ctx context.Context, m auth.Member, agent, name string) (v WithoutAsking, err error) {
	if err := may(m, auth.ReadPolicy); err != nil {
		return v, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) (err error) {
		v = WithoutAsking{Now: r.Now(), ByEntry: map[string]Use{}}
		p, version, err := r.Policy()
		if err != nil {
			return err
		}
		if v.Bound, err = r.AgentBound(agent); err != nil {
			return err
		}
		v.Policy, v.Trust = version, p.Tidy().Trust
		for _, f := range p.Functions {
			if (f.Effect != "" || f.LowerTo != level.Safe) && (f.Agent == "" || f.Agent == name) {
				v.Entries = append(v.Entries, f)
			}
		}
		if v.Standing, err = r.StandingGrants(StandingQuery{Agent: agent, Open: true, Limit: 200}); err != nil {
			return err
		}
		if v.Void, err = voidOf(r, v.Standing); err != nil {
			return err
		}
		return v.count(ctx, r, agent)
	})
	return v, err
}

// count looks at the newest calls, a page at a time.
func (v *WithoutAsking) count(ctx context.Context, r Reader, agent string) error {
	before, bytes := "", 0
	for v.Calls < withoutCalls && bytes < replayBytes {
		page, err := r.Approvals(Filter{Agent: agent, Before: before, Limit: replayPage})
		if err != nil {
			return err
		}
		for _, a := range page {
			if err := ctx.Err(); err != nil {
				return err
			}
			v.Calls++
			bytes += len(a.Action)
			v.Oldest = a.CreatedAt
			v.add(a)
		}
		if len(page) < replayPage {
			return nil
		}
		before = page[len(page)-1].ID
	}
	return nil
}

// add counts what let a through.
func (v *WithoutAsking) add(a Approval) {
	if a.Status != Approved || a.byPerson() || a.StandingID() != "" { // grants count their own
		return
	}
	if w := a.Assessment.Workspace; w != nil && w.Decides {
		v.ByWorkspace = v.ByWorkspace.again(a.CreatedAt)
	}
	if entry := a.Assessment.Floor.Entry; entry != "" {
		v.ByEntry[entry] = v.ByEntry[entry].again(a.CreatedAt)
	}
	if a.Assessment.Inputs.Tool != nil && a.Assessment.Floor.Entry == "" {
		v.ByTool = v.ByTool.again(a.CreatedAt)
	}
	if t := a.Assessment.Trust; t != nil && t.Lowered {
		v.ByRecord = v.ByRecord.again(a.CreatedAt)
	}
}
