package approvals

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/internal/scoring/level"
)

// Permission that is given ahead: making, listing and revoking it. How it is used
// is in standing_use.go, what it covers in standing_terms.go.

// Standing is permission given ahead: one agent may call one function, with
// arguments of one pattern, so many times until then. Its terms never change. A
// call that uses it is approved like any other and gets its own single-use grant.
type Standing struct {
	ID       string // "stg_" + UUIDv7 in hex
	Agent    Agent  // as it was then
	Function string
	Pattern  Pattern
	Uses     int // how many there are, 1–1,000
	Left     int // how many are left
	Reason   string
	From     string // id of the approval whose call it was made from
	// Session and Effects are of a session grant only: it covers calls of this session
	// that do what Effects say, and are like the one that Pattern equals.
	Session string
	Effects []effects.Effect // without evidence
	// Scope is of a session grant in a workspace only: it covers what this names, and
	// Pattern says nothing.
	Scope *Scope

	MadeBy       Decider // a person; the name as it was then
	SinglePerson bool    // the maker owned the agent, and nobody else could decide
	CreatedAt    time.Time
	EndsAt       time.Time // at most 30 days later
	LastUsedAt   *time.Time

	RevokedAt    *time.Time
	RevokedBy    Decider // zero until then
	RevokeReason string
}

// Over says why it covers nothing any more, whoever made it; "" while it may.
func (g Standing) Over(now time.Time) string {
	switch {
	case g.RevokedAt != nil:
		return "revoked"
	case !now.Before(g.EndsAt):
		return "over"
	case g.Left <= 0:
		return "used up"
	}
	return ""
}

// The bounds of a standing grant.
const (
	MaxStandingUses = 1000
	MaxStandingLife = 30 * 24 * time.Hour
	// MaxStandingOpen is how many may be open at once for one function of one agent.
	MaxStandingOpen = 20
)

// StandingQuery chooses standing grants, newest first. A field that is not set
// narrows nothing.
type StandingQuery struct {
	Agent, Function string
	Open            bool // only those that are not over
	// InSession keeps those of this session, and those of none, without a scope; nil: all.
	InSession *string
	Session   string // only those of this session
	Scoped    bool   // only those with a scope
	Before    string // continues a listing: the last id of the page before
	Limit     int    // 1–200
}

// NewStanding is what a maker asks for. Everything that it does not name is that of
// the call it is made from.
type NewStanding struct {
	From  string        // approval id
	Terms []TermInput   // one for each value of the call, in canonical order; none: all equal
	Uses  int           // 1–1,000
	Life  time.Duration // at least a minute, at most 30 days
	// Reason is for those who read the list: 1–2,000 characters.
	Reason string
	Typed  string // the function's name, where nobody else could decide
	// Seen is the Sum of the preview, so that what is made is what was looked at.
	Seen string
}

// TermInput is what was chosen for one value. Text holds the values of one_of, one
// a line; the beginning, the pattern with stars, or the number of the other rules.
type TermInput struct {
	Rule Rule
	Text string
}

// StandingDraft is what a maker begins with: a call, and who they are to its agent.
type StandingDraft struct {
	Standing
	Call         Approval
	Values       []canon.Value // of the call, one for each term
	Now          time.Time
	Refused      fault.Text // why none can be made from this call by this person; "" where one can
	Eligible     []string   // who else could
	SinglePerson bool       // the function's name must be typed
	Sum          string     // of the terms, uses and end as chosen; see NewStanding.Seen
}

// StandingPage is one page of the list.
type StandingPage struct {
	Standing []Standing
	Next     string // Before of the next page; "" on the last
	Now      time.Time
	// Void says, by id, why one that is not over covers nothing all the same: its maker
	// may no longer decide for its agent.
	Void map[string]fault.Text
}

// Standing lists standing grants, newest first.
func (s *Service) Standing(ctx context.Context, m auth.Member, q StandingQuery) (page StandingPage, err error) {
	if err := may(m, auth.ReadQueue); err != nil {
		return page, err
	}
	limit := q.Limit
	q.Limit++
	err = s.store.Read(ctx, m.Tenant, func(r Reader) (err error) {
		if page.Standing, err = r.StandingGrants(q); err != nil {
			return err
		}
		page.Now = r.Now()
		page.Void, err = voidOf(r, page.Standing)
		return err
	})
	if len(page.Standing) > limit {
		page.Standing = page.Standing[:limit]
		page.Next = page.Standing[limit-1].ID
	}
	return page, err
}

// StandingGrant is one of them, with the newest calls that used it.
func (s *Service) StandingGrant(ctx context.Context, m auth.Member, id string) (page StandingPage, used []Decided, err error) {
	if err := may(m, auth.ReadQueue); err != nil {
		return page, nil, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) error {
		g, err := r.Standing(id)
		if err != nil {
			return err
		}
		page.Standing, page.Now = []Standing{g}, r.Now()
		if page.Void, err = voidOf(r, page.Standing); err != nil {
			return err
		}
		latest, err := r.Decided(HistoryQuery{HistoryFilter: HistoryFilter{Decider: Decider{Kind: ByPolicy, ID: id}}, Edge: -1, Limit: 20})
		used = latest.Decided
		return err
	})
	return page, used, err
}

// voidOf says of each why its maker no longer stands for it.
func voidOf(r Reader, all []Standing) (map[string]fault.Text, error) {
	void := map[string]fault.Text{}
	if len(all) == 0 {
		return void, nil
	}
	state, err := r.Authority()
	if err != nil {
		return nil, err
	}
	owners := map[string][]string{}
	for _, g := range all {
		own, known := owners[g.Agent.ID]
		if !known {
			if own, err = (Approval{Agent: g.Agent}).own(r); err != nil {
				return nil, err
			}
			owners[g.Agent.ID] = own
		}
		if _, why := g.maker(own, state); !why.Empty() {
			void[g.ID] = why
		}
	}
	return void, nil
}

// Draft is what a standing grant made from this call would begin with: every value
// as it is.
func (s *Service) Draft(ctx context.Context, m auth.Member, from string) (d StandingDraft, err error) {
	if err := may(m, auth.Decide); err != nil {
		return d, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) (err error) {
		d, err = s.draft(r, m, from)
		return err
	})
	return d, err
}

func (s *Service) draft(r Reader, m auth.Member, from string) (d StandingDraft, err error) {
	if d.Call, err = r.Approval(from); err != nil {
		return d, err
	}
	action, err := d.Call.Parsed()
	if err != nil {
		return d, err
	}
	// Who may decide this agent's calls, whatever was decided of this one.
	who, err := Approval{Agent: d.Call.Agent, Treatment: scoring.Treatment{Challenge: scoring.ChallengeConfirm}}.eligibleNow(r, m)
	if err != nil {
		return d, err
	}
	d.Now, d.Eligible, d.SinglePerson = r.Now(), who.others, who.singlePerson
	d.Standing = Standing{
		Agent: d.Call.Agent, Function: d.Call.Function, From: d.Call.ID,
		MadeBy: decider(m), SinglePerson: who.singlePerson, CreatedAt: d.Now,
	}
	covered := false
	d.Pattern, covered = scoring.PatternOf(action)
	for _, t := range d.Pattern.Terms {
		d.Values = append(d.Values, t.Values[0])
	}
	switch {
	case !who.may:
		d.Refused = who.why
	case !covered:
		d.Refused = fault.Textf("standing approvals cover calls by name and arguments only: no code, and at most 64 short values")
	default:
		d.Refused = d.Call.uncoverable()
	}
	return d, nil
}

// uncoverable says why no standing grant is ever used for an action that is treated
// like this one; "" where one may be.
func (a Approval) uncoverable() fault.Text {
	t := a.Treatment
	switch {
	case max(t.Level, a.Assessment.Level) > level.Medium:
		return fault.Textf("it's %s; standing approvals cover LOW and MEDIUM only", max(t.Level, a.Assessment.Level))
	case t.Response != scoring.Hold || t.Challenge != scoring.ChallengeConfirm || t.ApprovalsRequired > 1:
		return fault.Textf("standing approvals cover only calls that one person approves with one click")
	case len(t.Needs) > 0:
		return fault.Textf("the policy says who has to decide it")
	case len(a.Carried) > 0 || a.Digest != a.ShownDigest:
		return fault.Textf("parts of this call are masked, and you can't approve in advance what you can't see")
	case a.Assessment.Patterns.LifecyclePoint != scoring.PreToolCall:
		return fault.Textf("it isn't a call")
	case blocks(a.Assessment):
		return fault.Textf("a pattern in it asks to block it")
	}
	return fault.Text{}
}

// chosen completes a draft with what the maker chose, or says what is wrong with it.
func (d *StandingDraft) chosen(in NewStanding) error {
	if !d.Refused.Empty() {
		return fault.New(fault.NotEligible, "this call can't have a standing approval: %s", d.Refused)
	}
	if len(in.Terms) != 0 && len(in.Terms) != len(d.Pattern.Terms) {
		return fault.New(fault.InvalidForm, "the form doesn't belong to this call; open it again from the request")
	}
	for i, t := range in.Terms {
		term, err := t.term(d.Pattern.Terms[i], i)
		if err != nil {
			return err
		}
		d.Pattern.Terms[i] = term
	}
	reason := strings.TrimSpace(in.Reason)
	switch {
	case len(d.Pattern.Canonical()) > scoring.MaxPatternLength:
		return fault.New(fault.InvalidForm, "these conditions are too long to store; list fewer values")
	case in.Uses < 1 || in.Uses > MaxStandingUses:
		return fault.Member(fault.InvalidForm, "uses", "enter 1 to %d times", MaxStandingUses)
	case in.Life < time.Minute || in.Life > MaxStandingLife:
		return fault.Member(fault.InvalidForm, "life", "it may last at most %d days", int(MaxStandingLife.Hours()/24))
	case !saysSomething(reason):
		return fault.Member(fault.InvalidForm, "reason", "enter a reason of 1 to %d characters; it's kept in the audit trail", maxReason)
	}
	d.Uses, d.Left, d.Reason, d.EndsAt = in.Uses, in.Uses, reasonOf(reason), d.Now.Add(in.Life)
	d.Sum = d.sum(in.Life)
	return nil
}

// sum names what was chosen, whatever the time is.
func (d StandingDraft) sum(life time.Duration) string {
	all := canon.Object(member("from", canon.String(d.From)), member("pattern", d.Pattern.Value()), member("uses", canon.Int(int64(d.Uses))), member("life", canon.String(life.String())))
	digest := sha256.Sum256(all.Canonical())
	return hex.EncodeToString(digest[:])
}

// MakeStanding makes a standing grant as it was previewed.
func (s *Service) MakeStanding(ctx context.Context, m auth.Member, in NewStanding) (Standing, error) {
	if err := may(m, auth.Decide); err != nil {
		return Standing{}, err
	}
	var made Standing
	err := s.store.Write(ctx, m.Tenant, func(w Writer) error {
		d, err := s.draft(w, m, in.From)
		if err != nil {
			return err
		}
		if err := d.chosen(in); err != nil {
			return err
		}
		if in.Seen != d.Sum {
			return fault.New(fault.Changed, "this isn't what the preview showed; look at it again")
		}
		if d.SinglePerson && !facts.TargetMatches(in.Typed, d.Function) {
			return fault.Member(fault.WrongAnswer, "typed", "what you typed isn't the function's name; no one else reviews this, so compare it letter by letter")
		}
		open, err := w.StandingGrants(StandingQuery{Agent: d.Agent.ID, Function: d.Function, Open: true, InSession: new(string), Limit: MaxStandingOpen})
		if err != nil {
			return err
		}
		if len(open) >= MaxStandingOpen {
			return fault.New(fault.Changed, "this function of this agent already has %d open standing approvals; revoke some first", len(open))
		}
		made = d.Standing
		made.ID = auth.NewID("stg")
		if err := w.CreateStanding(made); err != nil {
			return err
		}
		return w.Append(made.event(audit.StandingCreated, personActor(m), made.terms()...))
	})
	return made, err
}

// event is about this standing grant, and no single approval.
func (g Standing) event(k audit.Kind, by audit.Actor, data ...canon.Member) audit.Event {
	return audit.Event{
		Kind: k, Actor: by, Agent: g.Agent.ID, Function: g.Function,
		Data: canon.Object(append([]canon.Member{member("standing", canon.String(g.ID))}, data...)...),
	}
}

// terms are what the trail keeps of a new one; of the pattern only its sum, since
// there can be values of people in it.
func (g Standing) terms() []canon.Member {
	sum := sha256.Sum256(g.Pattern.Canonical())
	data := []canon.Member{
		member("pattern_sha256", canon.String(hex.EncodeToString(sum[:]))),
		member("uses", canon.Int(int64(g.Uses))),
		member("ends_at", canon.String(audit.FormatTime(g.EndsAt))),
		member("reason", canon.String(g.Reason)),
		member("from", text(g.From)),
		member("agent_name", canon.String(g.Agent.Name)),
		member("agent_owner", text(g.Agent.Owner)),
		member("single_person", canon.Bool(g.SinglePerson)),
	}
	if g.Session != "" {
		data = append(data, member("session", canon.String(g.Session)), member("effects", canon.String(g.EffectsText())))
	}
	if g.Scope != nil {
		data = append(data, member("scope", canon.String(g.Scope.Text())))
	}
	return data
}

// RevokeStanding ends a standing grant. What came from it and was not spent is void
// from now on.
func (s *Service) RevokeStanding(ctx context.Context, m auth.Member, id, reason string) error {
	if err := may(m, auth.Decide); err != nil {
		return err
	}
	reason = strings.TrimSpace(reason)
	if !saysSomething(reason) {
		return fault.Member(fault.InvalidForm, "reason", "enter a reason of 1 to %d characters; it's kept in the audit trail", maxReason)
	}
	return s.writeFor(ctx, m, auth.Decide, func(w Writer) error {
		g, err := w.Standing(id)
		if err != nil {
			return err
		}
		revoked, err := revokeStanding(w, m, g, reasonOf(reason))
		if err != nil {
			return err
		}
		return w.Append(revoked)
	})
}

// revokeStanding ends g, which is held, and returns the event that says so.
func revokeStanding(w Writer, m auth.Member, g Standing, reason string) (audit.Event, error) {
	err := w.RevokeStanding(g.ID, decider(m), reason)
	return g.event(audit.StandingRevoked, personActor(m), member("reason", canon.String(reason)), member("left", canon.Int(int64(g.Left)))), err
}
