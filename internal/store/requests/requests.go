package requests

import "github.com/countersign/countersign/internal/store/tables"

const (
	DefaultLimit = 50
	MaxLimit     = 2000
)

// Requests is what agents asked for and what became of it.
type Requests struct{ *tables.Tx }
