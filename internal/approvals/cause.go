package approvals

import (
	"cmp"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/rules"
)

// CauseKind says where that stands which held a call, and so what would change it.
type CauseKind string

const (
	// CauseWorkspace is a rule about an agent's workspace; its name is the rule's word.
	CauseWorkspace CauseKind = "workspace"
	// CauseDenied is a denial or a block of an act like it.
	CauseDenied CauseKind = "denied"
	// CauseRule and CausePattern are a rule and a pattern, shipped or the policy's own.
	CauseRule    CauseKind = "rule"
	CausePattern CauseKind = "pattern"
	// CauseEntry is an entry of the function registry that lowered what the name says, so
	// that nothing higher holds it.
	CauseEntry CauseKind = "entry"
	// CauseEffect is what the call does; its name is the kind of the effect.
	CauseEffect CauseKind = "effect"
	// CauseScore is what is left: the score, or a floor of the function registry.
	CauseScore CauseKind = "score"
)

// Cause is what held a call: the one that tells most, where several would have.
type Cause struct {
	Kind CauseKind
	Name string // "" where the kind has none
}

// heldValue is an agent and a cause as they stand in the rollups.
func heldValue(agent string, c Cause) string { return agent + " " + string(c.Kind) + ":" + c.Name }

// ofHeldValue reads what heldValue wrote.
func ofHeldValue(s string) (agent string, c Cause) {
	agent, cause, _ := strings.Cut(s, " ")
	kind, name, _ := strings.Cut(cause, ":")
	return agent, Cause{CauseKind(kind), name}
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

// Cause is what held a, or would have where something let it through.
func (a Approval) Cause() Cause {
	as := a.Assessment
	if as.Remembered != nil {
		return Cause{CauseDenied, as.Remembered.Verdict}
	}
	if w := as.Workspace; w != nil && w.Cause != "" && w.Level == as.Level {
		return Cause{CauseWorkspace, w.Cause}
	}
	matched := as.Patterns.MatchedPatterns
	asks := func(m patterns.Match) bool { return m.Action == patterns.Block }
	if at := slices.IndexFunc(matched, asks); at >= 0 {
		return Cause{CausePattern, matched[at].ID}
	}
	switch {
	case as.Rules.Level == as.Level && len(as.Rules.TriggeredRules) > 0:
		return Cause{CauseRule, decidingRule(as.Rules)}
	case as.Floor.Level == as.Level && as.Floor.Entry != "":
		return Cause{CauseEntry, as.Floor.Entry}
	case as.Floor.Level == as.Level && as.Floor.Level > level.Low:
		return Cause{CauseEffect, string(as.Floor.Effect)}
	case len(matched) > 0 && matched[0].Severity.Level() == as.Level:
		return Cause{CausePattern, matched[0].ID}
	}
	return Cause{Kind: CauseScore}
}

// decidingRule is the first rule that fired and reached the level. A result does not keep
// the level of each: shipped rules have theirs, and what is not shipped is the policy's own.
func decidingRule(r rules.Result) string {
	shipped := append(rules.Core(), rules.Extended()...)
	reached := func(name string) bool {
		at := slices.IndexFunc(shipped, func(r rules.Rule) bool { return r.Name == name })
		return at < 0 || shipped[at].Level == r.Level
	}
	return r.TriggeredRules[max(0, slices.IndexFunc(r.TriggeredRules, reached))]
}

// HeldBy is how often one thing held the calls of one agent.
type HeldBy struct {
	Agent string // id; "" where Others
	Cause Cause
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
