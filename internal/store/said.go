package store

import (
	"context"
	"fmt"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
)

// While a log is refused, saying no goes on: a denial, a cancellation, a stop of all agents. The
// rows say so at once. The event waits where nobody can remove it who can only write to the
// database (Heads), and comes into the log before anything else does once the log is what was
// signed again; after a restore the command puts it there (approvals.EndAll).

// Said is an event that waits for its log.
type Said struct {
	Name  string // tells it from the others of its log; in the order in which they were said
	Event []byte // without its place in the log
}

// noes are the kinds that are accepted while a log is refused. They give nobody anything.
var noes = map[audit.Kind]bool{audit.Denied: true, audit.ChangesRequested: true, audit.Cancelled: true, audit.AgentsStopped: true}

// writeNo is write that goes on while the log is refused. Nothing can be asked of the log then,
// and nothing but noes can be said.
func (s *Store) writeNo(ctx context.Context, tenant string, fn func(*tx) error) error {
	return s.perform(oneAct(ctx, tenant, true, fn))
}

// noLog is why this transaction can ask nothing of the log.
func (t *tx) noLog() error {
	if t.refusal != nil {
		return t.refusal
	}
	return errNotHeld
}

// sayNo keeps events for later: on disk when it returns, so a no that isn't committed may come
// into the log all the same.
func (t *tx) sayNo(events []audit.Event) error {
	for _, e := range events {
		if !noes[e.Kind] {
			return t.refusal
		}
		e, err := t.withSums(e)
		if err != nil {
			return err
		}
		e.Tenant, e.At = t.Tenant, t.At
		e.Data = canon.Object(append([]canon.Member{{Name: "while_refused", Value: canon.Bool(true)}}, members(e.Data)...)...)
		b, err := e.Bytes()
		if err != nil {
			return err
		}
		if err := t.store.heads.Say(t.Tenant, b); err != nil {
			return fmt.Errorf("it can't be kept until the audit trail is accepted again: %w", err)
		}
	}
	return nil
}

func members(v canon.Value) (all []canon.Member) {
	for name, v := range v.Members() {
		all = append(all, canon.Member{Name: name, Value: v})
	}
	return all
}

// appendSaid appends what was said while the log was refused, as of when it was said. Somebody
// may have been faster: another server that shares the directory.
func (t *tx) appendSaid() error {
	said, err := t.store.heads.Said(t.Tenant)
	if err != nil {
		return err
	}
	over := map[string]bool{}
	var events []audit.Event
	for _, s := range said {
		e, err := audit.Parse(s.Event)
		if err != nil {
			return fmt.Errorf("what was said while the log was refused, %s: %w", s.Name, err)
		}
		t.said = append(t.said, s.Name)
		if e, ok := t.state.Fits(e); ok && !over[e.Approval] {
			events, over[e.Approval] = append(events, e), true
		}
	}
	return t.put(events, func(e audit.Event) time.Time { return e.At })
}
