package organisation

import "github.com/countersign/countersign/internal/store/tables"

// Organisation is what an organisation is made of: its people, agents, policy, links and notices.
type Organisation struct{ *tables.Tx }
