package reconcile

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/store/logstate"
	"github.com/countersign/countersign/internal/store/organisation"
	"github.com/countersign/countersign/internal/store/requests"
	"github.com/countersign/countersign/internal/store/tables"
)

// What an act goes by is held against what the log says (state.go), by the code that verifies
// the whole of it: whoever can write to the tables makes nobody an operator, no agent somebody
// else's, no signature that nobody gave, and lets no call through.

// Checks compares the tables with the log.
type Checks struct {
	*tables.Tx
	requests requests.Requests
	org      organisation.Organisation
	log      Log
}

// New are those of a transaction; of one that only reads, log is asked nothing.
func New(t *tables.Tx, of requests.Requests, org organisation.Organisation, log Log) Checks {
	return Checks{Tx: t, requests: of, org: org, log: log}
}

// Log is the log of a transaction that holds it.
type Log interface {
	// Logged is what it says, with what this transaction appended.
	Logged() (*logstate.State, error)
	// RefsOf are the events of an open approval; none where it is over.
	RefsOf(approval string) []logstate.Ref
}

// unbroken turns an event that somebody edited into a problem.
func unbroken(problem string, err error) (string, error) {
	var broken tables.BrokenEvent
	if errors.As(err, &broken) {
		return broken.Error(), nil
	}
	return problem, err
}

// check is one comparison of tables with what the log says.
type check func(s *logstate.State) (at int64, problem string, err error)

// mismatch runs comparisons until one finds a problem.
func (t Checks) mismatch(checks ...check) (problem string, err error) {
	s, err := t.log.Logged()
	if err != nil {
		return "", err
	}
	for _, check := range checks {
		if _, problem, err := check(s); err != nil || problem != "" {
			return unbroken(problem, err)
		}
	}
	return "", nil
}

// Unheld says what the tables have otherwise than the log of a pending approval, of how
// it was read, or of who may decide it; "" where they agree.
func (t Checks) Unheld(approval, agent string) (problem string, err error) {
	return t.mismatch(t.policyContradicts, t.boundContradicts(agent), t.approvalContradicts(approval), t.agentContradicts(agent), t.peopleContradict)
}

// UnheldAuthority is Unheld for what waits for somebody else, and who may accept it.
func (t Checks) UnheldAuthority() (problem string, err error) {
	return t.mismatch(t.policyContradicts, t.peopleContradict, t.boundContradicts(""),
		func(s *logstate.State) (int64, string, error) {
			return t.proposalsContradict(logstate.StillOpen(s.Proposals), true, 0)
		})
}

// UnheldAgent is Unheld for an agent, its keys, and whether it may act.
func (t Checks) UnheldAgent(agent string) (problem string, err error) {
	return t.mismatch(t.agentContradicts(agent))
}

// UnheldCall is Unheld for what lets a call through without a person.
func (t Checks) UnheldCall(c approvals.Ground) (problem string, err error) {
	checks := []check{t.policyContradicts, t.boundContradicts(c.Agent)}
	if len(c.Like) > 0 {
		checks = append(checks, func(s *logstate.State) (int64, string, error) { return t.unheldDenials(s, c) })
	}
	if c.TrustFrom != "" {
		checks = append(checks, func(s *logstate.State) (int64, string, error) { return t.unheldRecord(s, c) })
	}
	return t.mismatch(checks...)
}

// UnheldStanding is Unheld for a standing grant that would be used, and for who stands for it.
func (t Checks) UnheldStanding(id string) (problem string, err error) {
	return t.mismatch(t.peopleContradict, func(s *logstate.State) (int64, string, error) {
		row, err := tables.One[requests.StandingRow](t.Of("standing_grants").Where("standing_id = ?", id), "no such standing approval")
		if err != nil {
			return 0, "", err
		}
		told := s.Standing[id]
		if told == nil {
			return 0, fmt.Sprintf("the standing grant %s is in the database, but the log doesn't tell of it, or it is over", id), nil
		}
		return told.At, standingMismatch(row, told), nil
	})
}

// UnheldPassword is Unheld for the password of one member.
func (t Checks) UnheldPassword(person string) (problem string, err error) {
	return t.mismatch(func(s *logstate.State) (int64, string, error) {
		told, ok := s.Authority.Passwords[person]
		if !ok {
			return 0, "", nil
		}
		hash, err := t.PasswordHash(person)
		if err != nil {
			return 0, "", err
		}
		return told.At, passwordMismatch(told, person, hash), nil
	})
}

// GrantTold is what the log says of the grant of an approval that is not over, oldest first.
func (t Checks) GrantTold(approval string) ([]audit.Event, error) {
	events, err := t.EventsAt(t.log.RefsOf(approval))
	return slices.DeleteFunc(events, func(e audit.Event) bool {
		return e.Kind != audit.Approved && e.Kind != audit.GrantConsumed && e.Kind != audit.GrantVoided
	}), err
}

func (t Checks) approvalContradicts(approval string) check {
	return func(*logstate.State) (int64, string, error) {
		rows, err := t.stored("approvals.approval_id = ?", approval)
		if err != nil {
			return 0, "", err
		}
		events, err := t.EventsAt(t.log.RefsOf(approval))
		if err != nil {
			return 0, "", err
		}
		said := map[string]*told{}
		for _, e := range events {
			hear(said, e)
		}
		if at, problem, err := t.rowsContradict(rows, said, 0); err != nil || problem != "" {
			return at, problem, err
		}
		return t.reviewsContradict([]string{approval}, hearReviews(events), 0)
	}
}

func (t Checks) agentContradicts(agent string) check {
	return func(s *logstate.State) (int64, string, error) {
		if at, problem, err := t.agentsContradict(s.Agents.One(agent), 0, agent); err != nil || problem != "" {
			return at, problem, err
		}
		return t.haltContradicts(s.Agents, 0)
	}
}

// boundContradicts is about what the calls of an agent are judged by; "" are all agents.
func (t Checks) boundContradicts(agent string) check {
	return func(s *logstate.State) (int64, string, error) {
		if at, problem, err := t.bindingsContradict(s.Bindings, 0, agent); err != nil || problem != "" {
			return at, problem, err
		}
		return t.toolsContradict(s.Tools, 0, agent)
	}
}

func (t Checks) peopleContradict(s *logstate.State) (int64, string, error) {
	if at, problem, err := t.authorityContradicts(s.Authority.Copied(), 0); err != nil || problem != "" {
		return at, problem, err
	}
	tickets := s.Tickets
	tickets.Of, tickets.OpenOnly = maps.Clone(tickets.Of), true
	return t.ticketsContradict(tickets, 0)
}

// policyContradicts holds the policy in force against the newest event that made one.
func (t Checks) policyContradicts(s *logstate.State) (at int64, problem string, err error) {
	if len(s.Policy) == 0 {
		return 0, "no event says that the organisation was created", nil
	}
	told, err := audit.Parse(s.Policy)
	if err != nil {
		return 0, "", err
	}
	row, err := t.org.PolicyRow()
	if err != nil {
		return 0, "", err
	}
	if problem = policyMismatch(row, told); problem != "" {
		problem = fmt.Sprintf("version %d of the policy: %s", row.Version, problem)
	}
	return told.Index, problem, nil
}

// unheldDenials finds a denial or a block that holds acts that are alike in one of these ways
// and is not kept any more, or for less.
func (t Checks) unheldDenials(s *logstate.State, c approvals.Ground) (at int64, problem string, err error) {
	kept, err := t.requests.Denials(c.Agent, c.Like, c.DeniedSince)
	if err != nil {
		return 0, "", err
	}
	levels := map[string]level.Level{}
	for _, k := range kept {
		levels[k.Likeness] = k.Level
	}
	for _, like := range c.Like {
		d, ok := s.Denials[c.Agent][like]
		if !ok || !d.When.After(c.DeniedSince) {
			continue
		}
		if l, ok := levels[like]; !ok || l < levelOf(d.Level) {
			return d.At, fmt.Sprintf("denials of agent %s: %s is no longer kept as similar to %s", c.Agent, like, d.Approval), nil
		}
	}
	return 0, "", nil
}

// levelOf is a level by its name; what is none is above all.
func levelOf(name string) level.Level {
	l, err := level.Parse(name)
	if err != nil {
		return level.Critical + 1
	}
	return l
}

// unheldRecord holds what is known of an agent and a function since a day.
func (t Checks) unheldRecord(s *logstate.State, c approvals.Ground) (at int64, problem string, err error) {
	told := s.Trust[c.Agent]
	if told == nil {
		told = &logstate.Trust{}
	}
	loss, err := t.requests.TrustLoss(c.Agent)
	if err != nil {
		return 0, "", err
	}
	stored := ""
	if loss != nil {
		stored = logstate.LossText(tables.Instant(&loss.At), string(loss.Cause), loss.Approval, loss.Person, loss.Reason)
	}
	if problem := firstDifference([]said{{"loss", stored, told.Loss}}); problem != "" {
		return told.Last, fmt.Sprintf("the record of the agent %s: %s", c.Agent, problem), nil
	}
	days, err := t.requests.TrustDays(c.Agent, c.Function, c.TrustFrom)
	if err != nil {
		return 0, "", err
	}
	counts := map[logstate.TrustKey]logstate.TrustCounts{}
	for k, n := range told.Counts {
		if k.Function == c.Function && k.Day >= c.TrustFrom {
			counts[k] = n
		}
	}
	got, want := logstate.TrustCounts{}, logstate.TrustCounts{}
	for _, d := range days {
		k, n := logstate.TrustKey{Function: c.Function, Day: d.Day, Person: d.Person}, logstate.TrustCounts{Succeeded: int64(d.Succeeded), Failed: int64(d.Failed), Denied: int64(d.Denied)}
		if counts[k] != n {
			got, want = n, counts[k]
		}
		delete(counts, k)
	}
	for _, n := range counts {
		want = n
	}
	if got != want {
		return told.Last, fmt.Sprintf("the record of the agent %s: for %.80q the database has %s, but its events say %s", c.Agent, c.Function, got, want), nil
	}
	return 0, "", nil
}

// Verify holds every table against the whole log, whose events were verified before.
func (t Checks) Verify(size int64) (at int64, problem string, err error) {
	for _, replay := range []func(size int64) (at int64, problem string, err error){
		t.replayNameless, t.verifyApprovals, t.replayPolicies, t.replayStanding, t.replayTrust, t.replayCalls, t.replayDenials, t.replayReviews,
		t.replayBindings, t.replayAuthority, t.replayAgents, t.replayTools, t.replayFiles, t.replayPeople,
	} {
		if at, problem, err := replay(size); err != nil || problem != "" {
			return at, problem, err
		}
	}
	return 0, "", nil
}
