package approvals

import (
	"context"
	"slices"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/workspace"
)

// A session: all that an agent did under one name for it, what became of each call, what it
// wrote, and what it may do without asking.

const (
	// SessionCalls is how many of a session's newest calls its figures count.
	SessionCalls = 2000
	// sessionWrites is in how many of the newest calls written files are looked for, and
	// toldWrites how many of those files are told.
	sessionWrites, toldWrites = 500, 200
	// sessionGrants is how many of its grants are told, the newest.
	sessionGrants = 50
	// sessionWaiting is how many of those that wait are looked at for what they seal.
	sessionWaiting = 200
)

// HeldFilter keeps calls by whether a person was asked.
type HeldFilter string

const (
	HeldOnly    HeldFilter = "held"
	ThroughOnly HeldFilter = "through" // nobody was asked
)

// SessionQuery is one page of a session.
type SessionQuery struct {
	Agent, Session string
	Show           HeldFilter // "" keeps all
	Before         string     // the last id of the page before
	Limit          int
}

// SessionCounts is what became of the newest calls of a session, at most SessionCalls.
type SessionCounts struct {
	Calls, Held, Waiting, Blocked int
	Began                         time.Time // when the first call of all came
}

// Through is how many went through without asking.
func (c SessionCounts) Through() int { return c.Calls - c.Held - c.Blocked }

// Per60 is how many of 60 calls were held, on average.
func (c SessionCounts) Per60() float64 { return per60(int64(c.Held), int64(c.Calls)) }

func per60(held, calls int64) float64 { return 60 * float64(held) / float64(max(1, calls)) }

// SessionWrite is a file that a session wrote, as it was last.
type SessionWrite struct {
	workspace.File
	Approval string // the call
	At       time.Time
	Times    int // that the file was written, among those calls
}

// CallWrites is what one call that was allowed wrote.
type CallWrites struct {
	Approval string
	At       time.Time
	Files    []workspace.File
}

// SessionPage is a session as one person sees it now.
type SessionPage struct {
	Agent      Agent
	Session    string
	Now        time.Time
	Last       time.Time // when the newest call came
	Counts     SessionCounts
	Calls      []Approval // newest first
	Next       string     // Before of the next page; "" on the last
	Writes     []SessionWrite
	MoreWrites int // files that are not told
	Grants     []Standing
	Void       map[string]fault.Text
	// sealed are the kinds of those requests that wait and that this person still has to
	// answer questions about: how people decided on others like them is no argument.
	sealed map[sealedKind]bool
	// Scored is the score of the session.
	Scored SessionScored
}

// sealedKind is a function, and what it does.
type sealedKind struct {
	function string
	effect   effects.Kind
}

func (a Approval) sealedKind() sealedKind { return sealedKind{a.Function, a.Effect()} }

// Quiet reports that nothing of the session waits and nothing came for an hour.
func (p SessionPage) Quiet() bool {
	return p.Counts.Waiting == 0 && p.Now.Sub(p.Last) > time.Hour
}

// Session is one page of a session. fault.Missing where the agent named none like it.
func (s *Service) Session(ctx context.Context, m auth.Member, q SessionQuery) (p SessionPage, err error) {
	if err := may(m, auth.ReadQueue); err != nil {
		return p, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) error {
		p = SessionPage{Session: q.Session, Now: r.Now(), sealed: map[sealedKind]bool{}}
		if err := p.ends(r, q); err != nil {
			return err
		}
		for _, read := range []func(Reader, SessionQuery) error{p.calls, p.written, p.allowed} {
			if err := read(r, q); err != nil {
				return err
			}
		}
		return s.scoreSession(r, m, &p, q)
	})
	return p, err
}

// ends reads the first and the last call, and what became of all of them.
func (p *SessionPage) ends(r Reader, q SessionQuery) (err error) {
	newest, err := r.Approvals(Filter{Agent: q.Agent, Session: q.Session, Limit: 1})
	if err != nil {
		return err
	}
	if q.Session == "" || len(newest) == 0 {
		return fault.New(fault.Missing, "no agent in this organisation has a session with this name")
	}
	p.Agent, p.Last = newest[0].Agent, newest[0].CreatedAt
	p.Counts, err = r.SessionCounts(q.Agent, q.Session, SessionCalls)
	return err
}

func (p *SessionPage) calls(r Reader, q SessionQuery) (err error) {
	p.Calls, err = r.Approvals(Filter{Agent: q.Agent, Session: q.Session, Held: q.Show, Before: q.Before, Limit: q.Limit + 1})
	if len(p.Calls) > q.Limit {
		p.Calls = p.Calls[:q.Limit]
		p.Next = p.Calls[q.Limit-1].ID
	}
	return err
}

// written adds up what the calls that were allowed wrote, each file as it was last.
func (p *SessionPage) written(r Reader, q SessionQuery) error {
	all, err := r.SessionWrites(q.Agent, q.Session, sessionWrites)
	if err != nil {
		return err
	}
	at := map[string]int{}
	for _, c := range all { // newest first
		for _, f := range c.Files {
			n, known := at[f.Path]
			if !known {
				n = len(p.Writes)
				at[f.Path] = n
				p.Writes = append(p.Writes, SessionWrite{File: f, Approval: c.Approval, At: c.At})
			}
			p.Writes[n].Times++
		}
	}
	// What speaks against running it stands first.
	slices.SortStableFunc(p.Writes, func(a, b SessionWrite) int { return len(b.Findings) - len(a.Findings) })
	if p.MoreWrites = max(0, len(p.Writes)-toldWrites); p.MoreWrites > 0 {
		p.Writes = p.Writes[:toldWrites]
	}
	return nil
}

// allowed are the grants of the session, and those that cover nothing any more.
func (p *SessionPage) allowed(r Reader, q SessionQuery) (err error) {
	if p.Grants, err = r.StandingGrants(StandingQuery{Agent: q.Agent, Session: q.Session, Limit: sessionGrants}); err != nil {
		return err
	}
	p.Void, err = voidOf(r, p.Grants)
	return err
}

// scoreSession reads the score of the session, and what is sealed for this person.
func (s *Service) scoreSession(r Reader, m auth.Member, p *SessionPage, q SessionQuery) (err error) {
	var sealed []string
	if m.May(auth.Decide) {
		waiting, err := r.Approvals(Filter{Agent: q.Agent, Session: q.Session, Statuses: []Status{Pending}, Limit: sessionWaiting})
		if err != nil {
			return err
		}
		for _, a := range waiting {
			if a.Treatment.Challenge != scoring.ChallengeConfirm {
				p.sealed[a.sealedKind()] = true
			}
		}
		var all bool
		if sealed, all, err = s.sealedOfSession(r, m, waiting); err != nil || !all {
			p.Scored.Hidden = true
			return err
		}
	}
	p.Scored, err = scored(r, q.Agent, q.Session, sealed)
	return err
}

// Seals reports whether this person is not told how a ended.
func (p SessionPage) Seals(a Approval) bool { return a.byPerson() && p.sealed[a.sealedKind()] }

// SessionOf is the session of a request; "" where it has none, or is not there.
func (s *Service) SessionOf(ctx context.Context, m auth.Member, id string) (session string, err error) {
	if id == "" {
		return "", nil
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) error {
		a, err := r.Approval(id)
		if fault.Is(err, fault.Missing) {
			return nil
		}
		session = a.Session
		return err
	})
	return session, err
}
