package approvals

import (
	"context"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
)

const (
	// OverviewDays is how far back the page of an agent looks.
	OverviewDays = 30
	// overviewCalls is how many of its newest calls are counted by function, and
	// overviewFunctions how many functions are told.
	overviewCalls, overviewFunctions = 5000, 50
	overviewSessions                 = 20
	overviewGrants                   = 100
)

// AgentCalls is what became of an agent's calls of one function.
type AgentCalls struct {
	Function                                                             string
	Asked, Approved, Denied, ChangesRequested, Blocked, Expired, Waiting int
}

// AgentOverview is what an agent asked for lately, for those who decide about it.
type AgentOverview struct {
	Now      time.Time
	Total    Tally           // of what ended
	Calls    []AgentCalls    // those of its newest calls, what it asks most first
	Sessions []SessionRollup // the latest first
	Standing []Standing      // open ones, those of sessions too, the newest first
	Void     map[string]fault.Text
}

// AgentOverview reads it.
func (s *Service) AgentOverview(ctx context.Context, m auth.Member, agent string) (o AgentOverview, err error) {
	if err := may(m, auth.ReadQueue); err != nil {
		return o, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) error {
		o = AgentOverview{Now: r.Now()}
		since := o.Now.AddDate(0, 0, -OverviewDays)
		all, err := r.Rollups(RollupQuery{Dimension: ByAgentID, From: day(since), To: day(o.Now), Sum: true, Values: []string{agent}})
		if err != nil {
			return err
		}
		for _, one := range all {
			if !one.Others {
				o.Total.Add(one.Tally)
			}
		}
		if o.Calls, err = r.AgentCalls(agent, "", since, overviewCalls, overviewFunctions); err != nil {
			return err
		}
		if o.Sessions, err = r.SessionRollups(SessionRollupQuery{Agent: agent, From: since, Limit: overviewSessions}); err != nil {
			return err
		}
		if o.Standing, err = r.StandingGrants(StandingQuery{Agent: agent, Open: true, Limit: overviewGrants}); err != nil {
			return err
		}
		o.Void, err = voidOf(r, o.Standing)
		return err
	})
	return o, err
}

// FunctionCalls is what became lately of an agent's calls of one function.
func (s *Service) FunctionCalls(ctx context.Context, m auth.Member, agent, function string) (c AgentCalls, err error) {
	if err := may(m, auth.ReadQueue); err != nil {
		return c, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) error {
		all, err := r.AgentCalls(agent, function, r.Now().AddDate(0, 0, -OverviewDays), overviewCalls, 1)
		if len(all) > 0 {
			c = all[0]
		}
		return err
	})
	return c, err
}
