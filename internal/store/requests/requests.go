// Package requests is what agents asked for and what became of it: approvals with their edits,
// signatures, outcomes and grants, and what is remembered of an agent's calls.
package requests

import "github.com/countersign/countersign/internal/store/tables"

// How many rows a list has where nobody says, and at most.
const (
	DefaultLimit = 50
	MaxLimit     = 2000
)

// Requests are the statements of one transaction.
type Requests struct{ *tables.Tx }
