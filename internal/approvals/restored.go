package approvals

import (
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
)

// endedByRestore is told to agents.
const endedByRestore = "the server was restored from a backup, and what happened since isn't known"

// EndAll ends everything that is open in a copy of an organisation: what waits is cancelled,
// and grants that were not spent are void, whatever the clock says. For what the copy doesn't
// know, they may have been decided and spent.
func EndAll(w Writer) (cancelled, voided int, err error) {
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
			a = a.decided(Cancelled, VerdictCancel, endedByRestore, Decider{Kind: ByClock, Name: "System"}, w.Now())
			if err := w.Decide(a, a.Version); err != nil {
				return 0, 0, err
			}
			if err := w.Append(a.decisionEvent()); err != nil {
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
