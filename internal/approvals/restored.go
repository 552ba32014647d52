package approvals

import (
	"cmp"
	"slices"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

// endedByRestore is told to agents.
const endedByRestore = "the server was restored from a backup, and what happened since isn't known"

// EndAll ends everything that is open in a copy of an organisation: what waits is cancelled,
// and grants that were not spent are void, whatever the clock says. For what the copy doesn't
// know, they may have been decided and spent. What was said while the log was refused is how
// that of which it was said ends.
func (s *Service) EndAll(w Writer, said []audit.Event) (cancelled, voided int, err error) {
	open, err := w.StillOpen()
	if err != nil {
		return 0, 0, err
	}
	for _, id := range open {
		a, err := w.Approval(id)
		if err != nil {
			return 0, 0, err
		}
		switch g := a.Grant; {
		case !a.Status.Final():
			if a, err = a.endAsSaid(w, said); err != nil {
				return 0, 0, err
			}
			if err := w.Decide(a, a.Version); err != nil {
				return 0, 0, err
			}
			var learned []canon.Member
			if a.byPerson() {
				learned, err = s.ended(w, a)
			}
			if err != nil {
				return 0, 0, err
			}
			if err := w.Append(a.decisionEvent(learned...)); err != nil {
				return 0, 0, err
			}
			cancelled++
		case g != nil && g.ConsumedAt == nil && g.VoidedAt == nil:
			if err := w.Revoke(a.ID, endedByRestore); err != nil {
				return 0, 0, err
			}
			if err := w.Append(a.event(audit.GrantVoided, audit.Actor{Kind: "system"}, member("jti", canon.String(g.ID)), member("reason", canon.String(endedByRestore)))); err != nil {
				return 0, 0, err
			}
			voided++
		}
	}
	return cancelled, voided, nil
}

// endAsSaid is a pending a as it ends, by the first that somebody said of it.
func (a Approval) endAsSaid(w Writer, said []audit.Event) (Approval, error) {
	i := slices.IndexFunc(said, func(e audit.Event) bool { return e.Approval == a.ID && e.Agent == a.Agent.ID })
	if i < 0 {
		return a.decided(Cancelled, VerdictCancel, endedByRestore, Decider{Kind: ByClock, Name: "System"}, w.Now()), nil
	}
	e := said[i]
	if e.Actor.Kind != string(ByPerson) {
		return a.decided(Cancelled, VerdictCancel, "", Decider{Kind: ByAgent, ID: a.Agent.ID, Name: a.Agent.Name}, w.Now()), nil
	}
	m, err := w.Membership(e.Actor.ID)
	if err != nil && !fault.Is(err, fault.Missing) { // who joined since the backup has no name in it
		return a, err
	}
	s, v := Denied, VerdictDeny
	if e.Kind == audit.ChangesRequested {
		s, v = ChangesRequested, VerdictRequestChanges
	}
	return a.decided(s, v, e.Data.Get("reason").Text(), Decider{Kind: ByPerson, ID: e.Actor.ID, Name: cmp.Or(m.Person.Name, e.Actor.ID)}, w.Now()), nil
}
