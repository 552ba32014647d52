package approvals

import (
	"context"
	"slices"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
)

// The coach says which functions people approve again and again without ever saying no,
// so that an entry of the registry could take the question away.

const (
	// CoachApprovals is how often people must have approved a function.
	CoachApprovals = 20
	// CoachDays is in how many days; HeldDays is of how many what was held is told.
	CoachDays, HeldDays = 90, 30

	coachCalls  = 20_000 // the newest are looked at
	coachGroups = 500    // functions of agents, those that were held most
	coachShown  = 10
	coachTried  = 40 // groups whose calls are read
)

// HeldCalls is what became of the calls of one function of one agent.
type HeldCalls struct {
	Agent    string // id
	Function string
	Approved int    // by people
	Against  int    // denied, withdrawn, asked to change, blocked or reported failed
	Held     int    // lately
	Highest  int    // level
	Newest   string // id of the newest that a person approved; "" for none
}

// Suggestion is a function that the coach suggests.
type Suggestion struct {
	HeldCalls
	AgentName string
}

// Coached is what the coach has to say.
type Coached struct {
	Suggestions []Suggestion // those that were held most first
	Held        int          // of all functions in the last HeldDays
	Saved       int          // of them, what the suggestions would have taken away at most
}

// Coach looks for functions to let through.
func (s *Service) Coach(ctx context.Context, m auth.Member) (c Coached, err error) {
	if err := may(m, auth.ReadQueue); err != nil {
		return c, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) error {
		c = Coached{}
		since := r.Now().AddDate(0, 0, -CoachDays)
		all, err := r.HeldCalls(since, r.Now().AddDate(0, 0, -HeldDays), coachCalls, coachGroups)
		if err != nil {
			return err
		}
		tried := 0
		for _, h := range all {
			c.Held += h.Held
			if !h.alwaysApproved() || len(c.Suggestions) == coachShown || tried == coachTried {
				continue
			}
			tried++
			name, ok, err := h.suggested(r, since)
			if err != nil {
				return err
			}
			if ok {
				c.Saved += h.Held
				c.Suggestions = append(c.Suggestions, Suggestion{h, name})
			}
		}
		return nil
	})
	return c, err
}

// alwaysApproved is what the counts alone say.
func (h HeldCalls) alwaysApproved() bool {
	return h.Approved >= CoachApprovals && h.Against == 0 && h.Held > 0 && h.Highest < int(level.Critical)
}

// suggested reports whether nothing happened to the agent meanwhile, and none of the
// newest of these calls does what no entry should let through.
func (h HeldCalls) suggested(r Reader, since time.Time) (name string, ok bool, err error) {
	if loss, err := r.TrustLoss(h.Agent); err != nil || loss != nil && loss.At.After(since) {
		return "", false, err
	}
	calls, err := r.Approvals(Filter{Agent: h.Agent, Function: h.Function, Statuses: []Status{Approved}, Limit: CoachApprovals})
	if err != nil || len(calls) == 0 {
		return "", false, err
	}
	serious := func(e effects.Effect) bool {
		return slices.Contains([]effects.Kind{effects.Execute, effects.Delete, effects.Money, effects.Permission}, e.Kind)
	}
	for _, a := range calls {
		if slices.ContainsFunc(a.Assessment.Effects, serious) {
			return "", false, nil
		}
	}
	newest, err := r.Approval(h.Newest)
	return newest.Agent.Name, err == nil && newest.unlowerable().Empty(), err
}
