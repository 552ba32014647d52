// Package organisation is what an organisation is made of: its people and their rights, its agents
// and their keys, the policy, links, imported tools, and who is told of what.
package organisation

import "github.com/countersign/countersign/internal/store/tables"

// Organisation is the statements of one transaction.
type Organisation struct{ *tables.Tx }
