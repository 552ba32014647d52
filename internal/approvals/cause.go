package approvals

import (
	"cmp"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring"
)

// heldValue is an agent and a cause as they stand in the rollups.
func heldValue(agent string, c scoring.Cause) string {
	return agent + " " + string(c.Kind) + ":" + c.Name
}

// ofHeldValue reads what heldValue wrote.
func ofHeldValue(s string) (agent string, c scoring.Cause) {
	agent, cause, _ := strings.Cut(s, " ")
	kind, name, _ := strings.Cut(cause, ":")
	return agent, scoring.Cause{Kind: scoring.CauseKind(kind), Name: name}
}

// Held reports whether a waits for a person, or waited until it ended.
func (a Approval) Held() bool {
	switch a.Status {
	case Pending, Denied, ChangesRequested, Expired, Cancelled:
		return true
	default:
		return a.byPerson()
	}
}

// HeldBy is how often one thing held the calls of one agent.
type HeldBy struct {
	Agent string // id; "" where Others
	Cause scoring.Cause
	Tally
	// Calls are those of the agent that ended, held or not; 0 where its calls are among
	// those of others, because too many agents were at work.
	Calls  int64
	Others bool // what is not kept apart
}

// Causes are what held calls of whatever agent, most of them first, each with the agent of which it held
// the most.
func (i Insights) Causes() (all []HeldBy) {
	for _, h := range i.HeldBy { // most first
		if h.Others {
			continue
		}
		at := slices.IndexFunc(all, func(a HeldBy) bool { return a.Cause == h.Cause })
		if at < 0 {
			all = append(all, HeldBy{Agent: h.Agent, Cause: h.Cause})
			at = len(all) - 1
		}
		all[at].Add(h.Tally)
	}
	slices.SortStableFunc(all, func(a, b HeldBy) int { return cmp.Compare(b.Held(), a.Held()) })
	return all
}

// Per60 is how many of 60 calls of the agent it held, on average; ok is false where nobody
// knows how many there were.
func (h HeldBy) Per60() (n float64, ok bool) { return per60(h.Held(), h.Calls), h.Calls > 0 }

// heldBy reads what held the calls in the window, what held most of them first.
func (i Insights) heldBy(r Reader) ([]HeldBy, error) {
	rows, err := i.most(r, ByCause)
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	of := i.window(ByAgentID)
	of.Sum = true
	agents, err := r.Rollups(of)
	if err != nil {
		return nil, err
	}
	calls := map[string]int64{}
	for _, a := range agents {
		if !a.Others {
			calls[a.Value] = a.Ended()
		}
	}
	all := make([]HeldBy, len(rows))
	for n, row := range rows {
		all[n] = HeldBy{Tally: row.Tally, Others: row.Others, Calls: i.Total.Ended()}
		if !row.Others {
			all[n].Agent, all[n].Cause = ofHeldValue(row.Value)
			if all[n].Calls = calls[all[n].Agent]; all[n].Calls < row.Held() { // some days are missing
				all[n].Calls = 0
			}
		}
	}
	return all, nil
}
