package approvals

import (
	"context"
	"slices"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/trust"
)

// An agent's record: what is learned from decisions and reports, when it is lost, and
// how an assessment is given it. What it does is scoring's to say (scoring/trusted.go).
//
// The record is read in the transaction that admits an action, and held there: an
// incident either comes before, and is seen, or waits. What was let through on trust
// that was lost since is not spent.

// FunctionDays is what is known of one function of an agent.
type FunctionDays struct {
	Function string
	Days     []trust.Day
}

// record is what is known of an agent and a function now.
func record(r Reader, agent, function string, halfLifeDays int) (trust.Evidence, error) {
	days, err := r.TrustDays(agent, function, trust.From(r.Now(), halfLifeDays))
	return trust.Weigh(days, r.Now(), halfLifeDays), err
}

// trusting gives an examination the record of the agent, where it could matter.
func trusting(r Reader, exam scoring.Examination, agent, function string, call int) (scoring.Examination, error) {
	days, asked := exam.AsksForRecord(call)
	if !asked {
		return exam, nil
	}
	known, err := record(r, agent, function, days)
	return exam.Trusting(known), err
}

// recorded is the record that a was assessed with, as its assessment holds it; none
// where the trust was lost since.
func (a Approval) recorded(r Reader) (known trust.Evidence, lost bool, err error) {
	if a.Assessment.Trust == nil {
		return known, false, nil
	}
	if !a.Assessment.Trust.Lowered { // it raised nothing, so there is nothing to lose
		return a.Assessment.Trust.Evidence, false, nil
	}
	loss, err := r.TrustLoss(a.Agent.ID)
	if err != nil || loss != nil && !loss.At.Before(a.CreatedAt) {
		return known, true, err
	}
	return a.Assessment.Trust.Evidence, false, nil
}

// vouched reports whether the yes to a speaks for its agent: a person's own, after a
// look that was not fast, at an act as the agent sent it, of at least MEDIUM. The yes
// of somebody who owns the agent, and one that was given with another, say nothing.
func (a Approval) vouched() bool {
	if a.Status != Approved || a.Decision == nil || !a.byPerson() || a.Proposed != nil || max(a.Treatment.Level, a.Assessment.Level) < level.Medium {
		return false
	}
	owner := func(d Decider) bool { return d.ID == a.Agent.Owner }
	e := a.Decision.Evidence
	return e != nil && e.FirstViewedAt != nil && !a.fast(e) && !e.Early && !e.SinglePerson && e.With == "" &&
		!slices.ContainsFunc(a.Decision.DecidedBy, owner)
}

// isCall says whether a is about a function; the other lifecycle points are not.
func (a Approval) isCall() bool { return a.Assessment.Patterns.LifecyclePoint == scoring.PreToolCall }

// learnDecision counts what the end of a says of its agent: a no counts against it,
// and of HIGH or CRITICAL it is an incident; so does what the patterns block. A yes
// says nothing yet, and nothing is said by silence. It returns what the event tells of
// it, so that the record can be counted again from the trail.
func (a Approval) learnDecision(w Writer) ([]canon.Member, error) {
	at := a.Decision.DecidedAt
	switch a.Status {
	case Denied, ChangesRequested:
		by := a.Decision.DecidedBy[len(a.Decision.DecidedBy)-1].ID
		if a.Status == Denied && a.Assessment.Level >= level.High {
			lost, err := w.LoseTrust(a.Agent.ID, trust.Loss{Cause: trust.DeniedHigh, Approval: a.ID, Person: by})
			return []canon.Member{audit.TrustLost(lost)}, err
		}
		if a.isCall() {
			return a.learn(w, trust.Day{Day: day(at), Person: by, Denied: 1}, at)
		}
	case Blocked:
		if a.isCall() && (a.Assessment.Patterns.Action == patterns.Block || blocks(a.Assessment)) {
			return a.learn(w, trust.Day{Day: day(at), Denied: 1}, at)
		}
	}
	return nil, nil
}

// learnReport counts what the agent says became of a: a success where people vouched
// for it, on the day on which they did; a failure in any case.
func (a Approval) learnReport(w Writer) ([]canon.Member, error) {
	switch {
	case !a.isCall():
		return nil, nil
	case a.Execution.Status == "failed":
		at := a.Execution.ReportedAt
		return a.learn(w, trust.Day{Day: day(at), Failed: 1}, at)
	case a.vouched():
		at := a.Decision.DecidedAt
		by := a.Decision.DecidedBy[len(a.Decision.DecidedBy)-1].ID
		return a.learn(w, trust.Day{Day: day(at), Person: by, Succeeded: 1}, at)
	}
	return nil, nil
}

// learn counts d, decided at a time.
func (a Approval) learn(w Writer, d trust.Day, decided time.Time) ([]canon.Member, error) {
	counted, err := w.AddTrust(a.Agent.ID, a.Function, d, decided)
	if !counted {
		return nil, err
	}
	return []canon.Member{audit.TrustLearned(audit.Learned{
		Day: d.Day, Person: d.Person, Succeeded: int64(d.Succeeded), Failed: int64(d.Failed), Denied: int64(d.Denied),
	})}, err
}

// lostTrust is why a grant that trust gave may not be spent any more.
var lostTrust = fault.Textf("the agent lost the track record this approval relied on")

// records keeps what replays read of records, by agent, function and half-life.
type records map[recordKey]trust.Evidence

type recordKey struct {
	agent, function string
	halfLifeDays    int
}

// give gives an examination the record of today.
func (all records) give(r Reader, exam scoring.Examination, a Approval) (scoring.Examination, error) {
	days, asked := exam.AsksForRecord(a.CallNumber)
	if !asked {
		return exam, nil
	}
	key := recordKey{a.Agent.ID, a.Function, days}
	known, ok := all[key]
	if !ok {
		var err error
		if known, err = record(r, a.Agent.ID, a.Function, days); err != nil {
			return exam, err
		}
		all[key] = known
	}
	return exam.Trusting(known), nil
}

// AgentTrust is what is known of an agent's calls, for people.
type AgentTrust struct {
	Now       time.Time
	Settings  scoring.TrustSettings
	Never     bool            // another setting of the policy keeps every record from doing anything
	Medium    float64         // where MEDIUM begins
	Functions []FunctionTrust // those first that most speaks for, at most 20
	Loss      *trust.Loss     // the last one; nil for none
}

// FunctionTrust is what is known of one function.
type FunctionTrust struct {
	Function string
	trust.Evidence
	Bound float64
	Since string // the first day of it, 2006-01-02
}

// trustShown is how many functions of an agent are shown.
const trustShown = 20

// AgentTrust says what is known of an agent's calls, weighed as the policy does.
func (s *Service) AgentTrust(ctx context.Context, m auth.Member, agent string) (t AgentTrust, err error) {
	if err := may(m, auth.ReadAgents); err != nil {
		return t, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) error {
		p, _, err := r.Policy()
		if err != nil {
			return err
		}
		p = p.Tidy()
		t = AgentTrust{Now: r.Now(), Settings: p.Trust, Never: p.KeepsTrustOut(), Medium: p.Thresholds.Medium}
		days := p.Trust.HalfLifeDays
		all, err := r.TrustFunctions(agent, trust.From(t.Now, days), trustShown)
		if err != nil {
			return err
		}
		for _, f := range all {
			e := trust.Weigh(f.Days, t.Now, days)
			one := FunctionTrust{Function: f.Function, Evidence: e, Bound: e.Bound()}
			if len(f.Days) > 0 {
				one.Since = f.Days[0].Day
			}
			t.Functions = append(t.Functions, one)
		}
		t.Loss, err = r.TrustLoss(agent)
		return err
	})
	return t, err
}
