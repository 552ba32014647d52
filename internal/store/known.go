package store

import (
	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/authority"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
)

// known is what a transaction has read already. One that only reads sees one state, and one
// that writes has the log for itself: what is decided by moves only where it writes itself, and
// then all of it is read again. So a page that shows many requests, and an act that asks for the
// policy in five places, read it once.
type known struct {
	policy    *policyRow
	parsed    *scoring.Policy // that of policy
	ends      *[]singleEndRow
	authority *authority.State
	agents    map[string][]agentRow    // of one agent: one row or none
	keys      map[string][]agentKeyRow // by agent
	halts     *[]haltRow
	ties      *[]kinshipRow
	losses    *[]lossRow
	tools     map[string][]tenants.Tool     // by agent
	denials   map[string][]approvals.Denial // by what was asked
}

// knows reports whether what was read is still so.
func (t *tx) knows() bool { return !t.writes || t.state != nil }

// once is what was read already, or what read returns.
func once[T any](t *tx, kept **T, read func() (T, error)) (T, error) {
	if *kept != nil && t.knows() {
		return **kept, nil
	}
	v, err := read()
	if err == nil {
		*kept = &v
	}
	return v, err
}

// onceOf is once for what there is one of for each agent.
func onceOf[T any](t *tx, kept *map[string]T, agent string, read func() (T, error)) (T, error) {
	if v, ok := (*kept)[agent]; ok && t.knows() {
		return v, nil
	}
	v, err := read()
	if err == nil {
		if *kept == nil {
			*kept = map[string]T{}
		}
		(*kept)[agent] = v
	}
	return v, err
}

// inTx is where a statement finds the transaction that it is part of.
type inTx struct{}

// knownTables are those of which a transaction keeps what it read.
var knownTables = map[string]bool{
	"": true, "policies": true, "agents": true, "agent_keys": true, "agent_halts": true, "memberships": true, "people": true, "kinships": true,
	"role_losses": true, "single_person_ends": true, "imported_tools": true, "denials": true,
}

// forgetWhatChanges makes a transaction read again what it writes.
func forgetWhatChanges(db *gorm.DB) error {
	forget := func(db *gorm.DB) {
		if t, ok := db.Statement.Context.Value(inTx{}).(*tx); ok && knownTables[db.Statement.Table] {
			t.known = known{}
		}
	}
	for _, register := range []func() error{
		func() error { return db.Callback().Create().After("gorm:create").Register("forget", forget) },
		func() error { return db.Callback().Update().After("gorm:update").Register("forget", forget) },
		func() error { return db.Callback().Delete().After("gorm:delete").Register("forget", forget) },
		func() error { return db.Callback().Raw().After("gorm:raw").Register("forget", forget) },
	} {
		if err := register(); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) haltRows() ([]haltRow, error) {
	return once(t, &t.known.halts, func() (rows []haltRow, err error) { return rows, t.of("agent_halts").Find(&rows).Error })
}

// endRows is the end of single-person mode: one row or none.
func (t *tx) endRows() ([]singleEndRow, error) {
	return once(t, &t.known.ends, func() (rows []singleEndRow, err error) { return rows, t.of("single_person_ends").Find(&rows).Error })
}

func (t *tx) tieRows() ([]kinshipRow, error) {
	return once(t, &t.known.ties, func() (rows []kinshipRow, err error) {
		return rows, t.of("kinships").Order("tied_at, person_id, by_id").Find(&rows).Error
	})
}

func (t *tx) lossRows() ([]lossRow, error) {
	return once(t, &t.known.losses, func() (rows []lossRow, err error) {
		return rows, t.of("role_losses").Order("lost_at, person_id").Find(&rows).Error
	})
}

// agentRows are those of an agent; "" are those of all.
func (t *tx) agentRows(agent string) ([]agentRow, error) {
	return onceOf(t, &t.known.agents, agent, func() (rows []agentRow, err error) {
		return rows, t.ofAgent("agents", agent).Order("agent_id").Find(&rows).Error
	})
}

// keyRows are those of an agent; "" are those of all.
func (t *tx) keyRows(agent string) ([]agentKeyRow, error) {
	return onceOf(t, &t.known.keys, agent, func() (rows []agentKeyRow, err error) {
		return rows, t.ofAgent("agent_keys", agent).Order("key_id").Find(&rows).Error
	})
}
