package approvals

import (
	"cmp"
	"context"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/patterns"
)

// The score of a session, as people and agents read it.

const (
	// sessionDays is how many of the latest days of a session are told.
	sessionDays = 31
	// allDays is more days than evaluations are kept for.
	allDays = 4000
	// alertHours is for how many hours after its last call a session is told of.
	alertHours = 24
	// MaxAlerts is how many sessions are told of at once, the latest.
	MaxAlerts = 100
)

// SessionScored is the score of a session as one reader has it.
type SessionScored struct {
	SessionTotal
	// Sealed is how many requests are left out of everything here: they wait, and their
	// score is sealed for the reader. Hidden says that there are too many to leave out, so
	// that nothing is told.
	Sealed int
	Hidden bool
	// AlertAbove is what the policy accepts; Exceeds says that the score is above it now,
	// with what is left out.
	AlertAbove int
	Exceeds    bool
	Weighing   patterns.Weighing // that of the policy in force
	Days       []SessionDay      // the latest, oldest first
}

// Score is that of the session under the policy in force.
func (s SessionScored) Score() (raw float64, numeric int) { return s.SessionTotal.Score(s.Weighing) }

// scored reads the score of a session without these requests.
func scored(r Reader, agent, session string, without []string) (s SessionScored, err error) {
	p, _, err := r.Policy()
	if err != nil {
		return s, err
	}
	s.AlertAbove, s.Sealed, s.Weighing = p.Evaluated().SessionAlertAbove, len(without), p.Weighing()
	if s.SessionTotal, err = r.SessionTotal(agent, session); err != nil {
		return s, err
	}
	_, all := s.Score()
	s.Exceeds = all > s.AlertAbove
	limit := sessionDays
	if len(without) > 0 {
		limit = allDays
	}
	days, err := r.SessionDays(agent, session, without, limit)
	if err != nil {
		return s, err
	}
	if len(without) > 0 {
		s.SessionTotal = s.of(days)
	}
	for _, d := range days[:min(len(days), sessionDays)] {
		s.Days = append([]SessionDay{d}, s.Days...)
	}
	return s, nil
}

// of is the total of these days in place of all.
func (s SessionTotal) of(days []SessionDay) SessionTotal {
	s.Evaluations, s.Points, s.Peak, s.Counts = 0, 0, 0, patterns.Counts{}
	for _, d := range days {
		s.Evaluations += d.Evaluations
		s.Points += d.Points
		s.Peak = max(s.Peak, d.Peak)
		s.Counts = patterns.Plus(s.Counts, d.Counts)
	}
	return s
}

// sealedOfSession are the requests of a session whose score m may not know yet; all is
// false where more wait than are looked at.
func (s *Service) sealedOfSession(r Reader, m auth.Member, waiting []Approval) (sealed []string, all bool, err error) {
	for _, a := range waiting {
		is, err := s.sealed(r, m, a)
		if err != nil {
			return nil, false, err
		}
		if is {
			sealed = append(sealed, a.ID)
		}
	}
	return sealed, len(waiting) < sessionWaiting, nil
}

// SessionScore is the score of a session of this agent. fault.Missing where nothing was
// evaluated in it.
func (s *Service) SessionScore(ctx context.Context, agent auth.Agent, session string) (found SessionScored, err error) {
	err = s.store.Read(ctx, agent.Tenant, func(r Reader) (err error) {
		found, err = scored(r, agent.ID, session, nil)
		return err
	})
	if err == nil && found.Evaluations == 0 {
		return found, fault.New(fault.Missing, "this agent submitted nothing with this session_id, or did so long ago that the score is no longer kept")
	}
	return found, err
}

// AcknowledgeSession says that an operator has looked at a session whose score is above what the
// policy accepts. It is told of no more until another pattern matches in it.
func (s *Service) AcknowledgeSession(ctx context.Context, m auth.Member, agent, session string) error {
	return s.writeFor(ctx, m, auth.Refuse, func(w Writer) error {
		if called, err := w.Approvals(Filter{Agent: agent, Limit: 1}); err != nil || len(called) == 0 {
			return cmp.Or(err, error(fault.New(fault.Missing, "no such agent in this organisation, or it called nothing")))
		}
		total, err := w.SessionTotal(agent, session)
		if err != nil {
			return err
		}
		switch {
		case !total.Above:
			return fault.New(fault.Changed, "the score of this session isn't above what the policy accepts")
		case total.Acknowledged():
			return fault.New(fault.Changed, "%s acknowledged this session already", total.SeenName)
		}
		total.SeenName, total.SeenAt, total.SeenPoints = m.Person.Name, w.Now(), total.Points
		if err := w.MarkSession(total); err != nil {
			return err
		}
		return w.Append(audit.Event{Kind: audit.SessionAcknowledged, Actor: personActor(m), Agent: agent, Data: canon.Object(member("session", canon.String(session)))})
	})
}

// SessionAlerts are sessions whose score is above what the policy accepts.
type SessionAlerts struct {
	Above    int // what the policy accepts
	Sessions []SessionTotal
}

// Of reports whether a session is among them.
func (a SessionAlerts) Of(agent, session string) bool {
	for _, s := range a.Sessions {
		if s.Agent == agent && s.Session == session {
			return true
		}
	}
	return false
}

// alertsSince lists the sessions with a call since then that are above, the latest first.
func alertsSince(r Reader, since time.Time) (alerts SessionAlerts, err error) {
	marked, err := r.SessionsAbove(since, MaxAlerts)
	if err != nil || len(marked) == 0 {
		return alerts, err
	}
	p, _, err := r.Policy()
	if err != nil {
		return alerts, err
	}
	alerts.Above = p.Evaluated().SessionAlertAbove
	for _, s := range marked { // since then the policy may accept more
		if _, score := s.Score(p.Weighing()); score > alerts.Above {
			alerts.Sessions = append(alerts.Sessions, s)
		}
	}
	return alerts, nil
}
