package store

import (
	"errors"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/drivers"
)

// What a page asks one after the other is read at once before: it is known from then on.

// QueueAhead reads what a page of the queue asks first.
func (t *tx) QueueAhead(person string, q approvals.LineQuery, since time.Time) error {
	return t.Fetch(append(t.AboutQueue(person, q, since), t.UnreachedRows(), t.AwayRows())...)
}

// LinesAhead reads how many are alike, and which requests are newer.
func (t *tx) LinesAhead(acts []approvals.Act, ids []string) error {
	return t.Fetch(t.AboutLines(acts, ids)...)
}

// ReviewAhead reads what the page of an approval asks first.
func (t *tx) ReviewAhead(id string) error {
	err := t.Fetch(append(t.AboutRequest(id), t.NewestPolicy())...)
	if errors.Is(err, drivers.ErrNoText) { // nothing can have such a name
		return fault.New(fault.Missing, "no such approval")
	}
	return err
}

// AroundAhead reads what stands beside an approval, and who may decide it. These filters are asked.
func (t *tx) AroundAhead(a approvals.Approval, filters ...approvals.Filter) error {
	return t.Fetch(append(t.AboutAround(a, filters), t.WhoDecides(a.Agent.ID)...)...)
}
