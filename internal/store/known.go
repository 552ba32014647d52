package store

import "github.com/countersign/countersign/internal/authority"

// known is what a transaction that only reads has read already: it sees one state, so
// nothing of it changes before its end, and a page that shows many requests asks the same
// of each. Whoever writes asks every time.
type known struct {
	policy    *policyRow
	single    *bool
	authority *authority.State
	keys      map[string][]agentKeyRow // by agent
}

// once is what was read already, or what read returns, which is kept where nothing changes.
func once[T any](t *tx, kept **T, read func() (T, error)) (T, error) {
	if *kept != nil && !t.writes {
		return **kept, nil
	}
	v, err := read()
	if err == nil {
		*kept = &v
	}
	return v, err
}
