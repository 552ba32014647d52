package store

import (
	"context"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/store/tables"
)

// Search returns one page of what the query's filter chooses.
func (l *AuditLog) Search(ctx context.Context, tenant string, q audit.Query) (page audit.Page, err error) {
	err = l.s.read(ctx, tenant, func(t *tx) error {
		page, err = t.SearchEvents(q, "")
		return err
	})
	return page, err
}

// Walk calls fn for every event below the index below that the filter chooses,
// oldest first. It reads page by page and holds no transaction meanwhile: events
// below a size that the log once had do not change.
func (l *AuditLog) Walk(ctx context.Context, tenant string, f audit.Filter, below int64, fn func(audit.Record) error) error {
	q := audit.Query{Filter: f, Edge: -1, Upward: true, Limit: tables.Batch}
	for {
		page, err := l.Search(ctx, tenant, q)
		if err != nil {
			return err
		}
		for _, r := range page.Records {
			if r.Event.Index >= below {
				return nil
			}
			if err := fn(r); err != nil {
				return err
			}
		}
		if page.Done || page.Next >= below-1 {
			return nil
		}
		q.Edge = page.Next
	}
}
