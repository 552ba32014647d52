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
	// State is what it says, with what this transaction appended.
	State() (*logstate.State, error)
	// RefsOf are the events of an open approval; none where it is over.
	RefsOf(approval string) []logstate.Ref
}

// asProblem turns an event that somebody edited into a problem.
func asProblem(problem string, err error) (string, error) {
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
	s, err := t.log.State()
	if err != nil {
		return "", err
	}
	for _, check := range checks {
		if _, problem, err := check(s); err != nil || problem != "" {
			return asProblem(problem, err)
		}
	}
	return "", nil
}

// Mismatch says what the tables have otherwise than the log of a pending approval, of how
// it was read, or of who may decide it; "" where they agree.
func (t Checks) Mismatch(approval, agent string) (problem string, err error) {
	one := []string{approval}
	err = t.Fetch(append(slices.Concat(t.org.AboutAgent(agent), t.org.AboutPeople()), t.requests.SignaturesOf(one), t.requests.EditsOf(one), t.requests.ExtensionsOf(one),
		t.requests.ViewsOf(one), t.requests.SectionReadsOf(one), t.requests.ChallengesOf(one))...)
	if err != nil {
		return "", err
	}
	return t.mismatch(t.policyMismatch, t.boundMismatch(agent), t.approvalMismatch(approval), t.agentMismatch(agent), t.peopleMismatch)
}

// AuthorityMismatch is Mismatch for what waits for somebody else, and who may accept it.
func (t Checks) AuthorityMismatch() (problem string, err error) {
	return t.mismatch(t.policyMismatch, t.peopleMismatch, t.boundMismatch(""),
		func(s *logstate.State) (int64, string, error) {
			return t.proposalsMismatch(logstate.StillOpen(s.Proposals), true, 0)
		})
}

// AgentMismatch is Mismatch for an agent, its keys, and whether it may act.
func (t Checks) AgentMismatch(agent string) (problem string, err error) {
	return t.mismatch(t.agentMismatch(agent))
}

// CallMismatch is Mismatch for what lets a call through without a person.
func (t Checks) CallMismatch(c approvals.ReadSet) (problem string, err error) {
	checks := []check{t.policyMismatch, t.boundMismatch(c.Agent)}
	if len(c.Like) > 0 {
		checks = append(checks, func(s *logstate.State) (int64, string, error) { return t.keptDenialsMismatch(s, c) })
	}
	if c.TrustFrom != "" {
		checks = append(checks, func(s *logstate.State) (int64, string, error) { return t.recordMismatch(s, c) })
	}
	return t.mismatch(checks...)
}

// StandingMismatch is Mismatch for a standing grant that would be used, and for who stands for it.
func (t Checks) StandingMismatch(id string) (problem string, err error) {
	return t.mismatch(t.peopleMismatch, func(s *logstate.State) (int64, string, error) {
		row, err := tables.One[requests.StandingRow](t.Of("standing_grants").Where("standing_id = ?", id), "no such standing approval")
		if err != nil {
			return 0, "", err
		}
		logged := s.Standing[id]
		if logged == nil {
			return 0, fmt.Sprintf("the standing grant %s is in the database, but the log doesn't tell of it, or it is over", id), nil
		}
		return logged.At, standingMismatch(row, logged), nil
	})
}

// PasswordMismatch is Mismatch for the password of one member.
func (t Checks) PasswordMismatch(person string) (problem string, err error) {
	return t.mismatch(func(s *logstate.State) (int64, string, error) {
		logged, ok := s.Authority.Passwords[person]
		if !ok {
			return 0, "", nil
		}
		hash, err := t.PasswordHash(person)
		if err != nil {
			return 0, "", err
		}
		return logged.At, passwordMismatch(logged, person, hash), nil
	})
}

// GrantTold is what the log says of the grant of an approval that is not over, oldest first.
func (t Checks) GrantTold(approval string) ([]audit.Event, error) {
	events, err := t.EventsAt(t.log.RefsOf(approval))
	return slices.DeleteFunc(events, func(e audit.Event) bool {
		return e.Kind != audit.Approved && e.Kind != audit.GrantConsumed && e.Kind != audit.GrantVoided
	}), err
}

func (t Checks) approvalMismatch(approval string) check {
	return func(*logstate.State) (int64, string, error) {
		rows, err := t.stored("approvals.approval_id = ?", approval)
		if err != nil {
			return 0, "", err
		}
		events, err := t.EventsAt(t.log.RefsOf(approval))
		if err != nil {
			return 0, "", err
		}
		logged := map[string]*loggedApproval{}
		for _, e := range events {
			apply(logged, e)
		}
		if at, problem, err := t.rowsMismatch(rows, logged, 0); err != nil || problem != "" {
			return at, problem, err
		}
		return t.reviewsMismatch([]string{approval}, applyReviews(events), 0)
	}
}

func (t Checks) agentMismatch(agent string) check {
	return func(s *logstate.State) (int64, string, error) {
		if at, problem, err := t.agentsMismatch(s.Agents.One(agent), 0, agent); err != nil || problem != "" {
			return at, problem, err
		}
		return t.haltMismatch(s.Agents, 0)
	}
}

// boundMismatch is about what the calls of an agent are judged by; "" are all agents.
func (t Checks) boundMismatch(agent string) check {
	return func(s *logstate.State) (int64, string, error) {
		if at, problem, err := t.bindingsMismatch(s.Bindings, 0, agent); err != nil || problem != "" {
			return at, problem, err
		}
		return t.toolsMismatch(s.Tools, 0, agent)
	}
}

func (t Checks) peopleMismatch(s *logstate.State) (int64, string, error) {
	if at, problem, err := t.authorityMismatch(s.Authority.Copied(), 0); err != nil || problem != "" {
		return at, problem, err
	}
	tickets := s.Tickets
	tickets.Of, tickets.OpenOnly = maps.Clone(tickets.Of), true
	return t.ticketsMismatch(tickets, 0)
}

// policyMismatch holds the policy in force against the newest event that made one.
func (t Checks) policyMismatch(s *logstate.State) (at int64, problem string, err error) {
	if len(s.Policy) == 0 {
		return 0, "no event says that the organisation was created", nil
	}
	logged, err := audit.Parse(s.Policy)
	if err != nil {
		return 0, "", err
	}
	row, err := t.org.PolicyRow()
	if err != nil {
		return 0, "", err
	}
	if problem = policyMismatch(row, logged); problem != "" {
		problem = fmt.Sprintf("version %d of the policy: %s", row.Version, problem)
	}
	return logged.Index, problem, nil
}

// keptDenialsMismatch finds a denial or a block that holds acts that are alike in one of these ways
// and is not kept any more, or for less.
func (t Checks) keptDenialsMismatch(s *logstate.State, c approvals.ReadSet) (at int64, problem string, err error) {
	holds := func(like string) bool { return s.Denials[c.Agent][like].When.After(c.DeniedSince) }
	if !slices.ContainsFunc(c.Like, holds) {
		return 0, "", nil
	}
	kept, err := t.requests.Denials(c.Agent, c.Like, c.DeniedSince)
	if err != nil {
		return 0, "", err
	}
	levels := map[string]level.Level{}
	for _, k := range kept {
		levels[k.Likeness] = k.Level
	}
	for _, like := range c.Like {
		d := s.Denials[c.Agent][like]
		if !holds(like) {
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

// recordMismatch holds what is known of an agent and a function since a day.
func (t Checks) recordMismatch(s *logstate.State, c approvals.ReadSet) (at int64, problem string, err error) {
	logged := s.Trust[c.Agent]
	if logged == nil {
		logged = &logstate.Trust{}
	}
	loss, err := t.requests.TrustLoss(c.Agent)
	if err != nil {
		return 0, "", err
	}
	stored := ""
	if loss != nil {
		stored = logstate.LossText(tables.Instant(&loss.At), string(loss.Cause), loss.Approval, loss.Person, loss.Reason)
	}
	if problem := firstDifference([]comparison{{"loss", stored, logged.Loss}}); problem != "" {
		return logged.Last, fmt.Sprintf("the record of the agent %s: %s", c.Agent, problem), nil
	}
	days, err := t.requests.TrustDays(c.Agent, c.Function, c.TrustFrom)
	if err != nil {
		return 0, "", err
	}
	counts := map[logstate.TrustKey]logstate.TrustCounts{}
	for k, n := range logged.Counts {
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
		return logged.Last, fmt.Sprintf("the record of the agent %s: for %.80q the database has %s, but its events say %s", c.Agent, c.Function, got, want), nil
	}
	return 0, "", nil
}

// Verify holds every table against the whole log, whose events were verified before.
func (t Checks) Verify(size int64) (at int64, problem string, err error) {
	for _, verify := range []func(size int64) (at int64, problem string, err error){
		t.verifyNameless, t.verifyApprovals, t.verifyPolicies, t.verifyStanding, t.verifyTrust, t.verifyCalls, t.verifyDenials, t.verifyReviews,
		t.verifyBindings, t.verifyAuthority, t.verifyAgents, t.verifyTools, t.verifyFiles, t.verifyPeople,
	} {
		if at, problem, err := verify(size); err != nil || problem != "" {
			return at, problem, err
		}
	}
	return 0, "", nil
}
