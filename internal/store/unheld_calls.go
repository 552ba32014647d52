package store

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/scoring/level"
)

// What lets a call through without a person is held against the trail where it does so: the
// policy, the agent and its keys, what it is bound to, its tools, its record, and what was
// denied to it. Each check reads the few events that tell of it, and no history.

// brokenEvent says that an event is not what its own hash says.
type brokenEvent struct {
	at      int64
	problem string
}

func (e brokenEvent) Error() string { return fmt.Sprintf("event %d: %s", e.at, e.problem) }

// unbroken turns an event that somebody edited into a problem.
func unbroken(problem string, err error) (string, error) {
	var broken brokenEvent
	if errors.As(err, &broken) {
		return broken.Error(), nil
	}
	return problem, err
}

// first runs checks until one finds a problem.
func first(checks ...func() (int64, string, error)) (problem string, err error) {
	for _, check := range checks {
		if _, problem, err := check(); err != nil || problem != "" {
			return unbroken(problem, err)
		}
	}
	return "", nil
}

// UnheldAgent says what the tables have otherwise than the log of an agent, its keys, and
// whether it may act; "" where they agree.
func (t *tx) UnheldAgent(agent string) (problem string, err error) {
	return first(func() (int64, string, error) { return t.replayAgents(0, agent) })
}

// unheldJudgement is what the tables have otherwise than the trail of what the calls of an
// agent are judged by.
func (t *tx) unheldJudgement(agent string) (problem string, err error) {
	return first(t.newestPolicy,
		func() (int64, string, error) { return t.replayBindings(0, agent) },
		func() (int64, string, error) { return t.replayTools(0, agent) })
}

// UnheldCall says what the tables have otherwise than the log of what lets a call through;
// "" where they agree.
func (t *tx) UnheldCall(c approvals.Ground) (problem string, err error) {
	if problem, err = t.unheldJudgement(c.Agent); problem != "" || err != nil {
		return problem, err
	}
	if len(c.Like) > 0 {
		if problem, err = unbroken(t.unheldDenials(c.Agent, c.Like, c.DeniedSince)); problem != "" || err != nil {
			return problem, err
		}
	}
	if c.TrustFrom != "" {
		return unbroken(t.unheldRecord(c.Agent, c.Function, c.TrustFrom))
	}
	return "", nil
}

// newestPolicy holds the policy in force against the newest event that made one.
func (t *tx) newestPolicy() (at int64, problem string, err error) {
	var rows []auditEventRow
	for _, kind := range []audit.Kind{audit.PolicyChanged, audit.TenantCreated} {
		if err := t.of("audit_events").Where("kind = ?", kind).Order("idx DESC").Limit(1).Find(&rows).Error; err != nil {
			return 0, "", err
		}
		if len(rows) > 0 {
			break
		}
	}
	if len(rows) == 0 {
		return 0, "no event says that the organisation was created", nil
	}
	events, err := t.heard(rows)
	if err != nil {
		return 0, "", err
	}
	row, err := one[policyRow](t.of("policies").Order("version DESC"), "no such organisation")
	if err != nil {
		return 0, "", err
	}
	if problem = row.contradicts(events[0]); problem != "" {
		problem = fmt.Sprintf("version %d of the policy: %s", row.Version, problem)
	}
	return events[0].Index, problem, nil
}

// unheldDenials finds a denial or a block that holds acts that are alike in one of these ways
// and is not kept any more, or for less.
func (t *tx) unheldDenials(agent string, like []string, since time.Time) (problem string, err error) {
	var denials []audit.Event
	for _, kind := range []audit.Kind{audit.Denied, audit.Blocked} {
		all, err := t.newestOf(agent, kind, since)
		if err != nil {
			return "", err
		}
		denials = append(denials, all...)
	}
	slices.SortFunc(denials, func(a, b audit.Event) int { return cmp.Compare(a.Index, b.Index) })
	told := map[string]toldDenial{}
	for _, e := range denials {
		hearDenial(told, e)
	}
	for l := range told {
		if !slices.Contains(like, l) {
			delete(told, l)
		}
	}
	if len(told) == 0 {
		return "", nil
	}
	kept, err := t.denials(agent, like, since)
	if err != nil {
		return "", err
	}
	for _, k := range kept {
		if d, ok := told[k.Likeness]; ok && k.Level >= levelOf(d.level) {
			delete(told, k.Likeness)
		}
	}
	return t.notForgotten(agent, told)
}

// newestOf are the events of an agent of one kind after a time. The index has them in order.
func (t *tx) newestOf(agent string, kind audit.Kind, since time.Time) (all []audit.Event, err error) {
	for before := int64(math.MaxInt64); ; {
		events, err := t.eventsIn(t.of("audit_events").Where("agent_id = ? AND kind = ? AND idx < ?", agent, kind, before).Order("idx DESC"), denialsBatch)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			if before = e.Index; !e.At.After(since) {
				return all, nil
			}
			all = append(all, e)
		}
		if len(events) < denialsBatch {
			return all, nil
		}
	}
}

// notForgotten names the first of these denials that no approval of a person ended.
func (t *tx) notForgotten(agent string, told map[string]toldDenial) (problem string, err error) {
	last := int64(math.MaxInt64)
	for _, d := range told {
		last = min(last, d.at)
	}
	for len(told) > 0 {
		events, err := t.eventsOf(t.of("audit_events").Where("agent_id = ? AND kind = ? AND idx > ? AND actor_kind = 'person'", agent, audit.Approved, last), denialsBatch)
		if err != nil {
			return "", err
		}
		for _, e := range events {
			last = e.Index
			for _, l := range e.DenialsForgotten() {
				if d, ok := told[l]; ok && d.at < e.Index {
					delete(told, l)
				}
			}
		}
		if len(events) < denialsBatch {
			break
		}
	}
	for l, d := range told {
		return fmt.Sprintf("denials of agent %s: %s is no longer kept as similar to %s", agent, l, d.approval), nil
	}
	return "", nil
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
func (t *tx) unheldRecord(agent, function, from string) (problem string, err error) {
	began, err := time.Parse(time.DateOnly, from)
	if err != nil {
		return "", err
	}
	told, err := t.toldTrust(agent, began.AddDate(0, 0, -1)) // a loss may be told just before midnight
	if err != nil {
		return "", err
	}
	loss, err := t.TrustLoss(agent)
	if err != nil {
		return "", err
	}
	stored := ""
	if loss != nil && (told.loss != "" || !loss.At.Before(began)) {
		stored = lossText(instant(&loss.At), string(loss.Cause), loss.Approval, loss.Person, loss.Reason)
	}
	if problem := firstDifference([]said{{"loss", stored, told.loss}}); problem != "" {
		return fmt.Sprintf("the record of the agent %s: %s", agent, problem), nil
	}
	days, err := t.TrustDays(agent, function, from)
	if err != nil {
		return "", err
	}
	got, want := trustCounts{}, trustCounts{}
	for _, d := range days {
		c := trustCounts{int64(d.Succeeded), int64(d.Failed), int64(d.Denied)}
		if told := told.counts[trustKey{function, d.Day, d.Person}]; c != told {
			got, want = c, told
		}
		delete(told.counts, trustKey{function, d.Day, d.Person})
	}
	for k, c := range told.counts {
		if k.function == function && k.day >= from {
			want = c
		}
	}
	if got != want {
		return fmt.Sprintf("the record of the agent %s: for %.80q the database has %s, but its events say %s", agent, function, got, want), nil
	}
	return "", nil
}
