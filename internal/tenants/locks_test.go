package tenants_test

import (
	"database/sql"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/store/headstest"
	"github.com/countersign/countersign/internal/store/postgrestest"
	"github.com/countersign/countersign/internal/tenants"
)

// newPostgresTown is newTown over Postgres, with its clock, and a way past the store.
func newPostgresTown(t *testing.T) (*town, *sql.DB) {
	t.Helper()
	long.NotUnderRace(t, "one call follows the other")
	dsn := postgrestest.Migrated(t)
	v := &town{dsn: dsn, t: t, clock: &clock{t: time.Now()}, people: map[string]auth.Member{}}
	var err error
	v.db, err = store.Open(t.Context(), store.Config{URL: dsn, Heads: headstest.New()})
	must(t, err)
	t.Cleanup(func() { _ = v.db.Close() })
	v.open()
	return v, postgrestest.SQL(t, dsn)
}

// TestAgentBeforeItsKeys: whatever is done about an agent's keys holds the agent
// first. So of two who do something at once one waits, and none of them for the other.
func TestAgentBeforeItsKeys(t *testing.T) {
	t.Parallel()
	long.Race(t)
	for what, act := range map[string]func(v *town, m auth.Member, a auth.Agent) error{
		"revoke": func(v *town, m auth.Member, a auth.Agent) error { return v.RevokeKey(t.Context(), m, a.ID, a.KeyID) },
		"expiry": func(v *town, m auth.Member, a auth.Agent) error {
			return v.SetExpiry(t.Context(), m, a.ID, a.KeyID, time.Hour)
		},
		"rotate": func(v *town, m auth.Member, a auth.Agent) error {
			_, err := v.RotateKey(t.Context(), m, a.ID, tenants.NewKey{ID: auth.NewID("key")}, 0)
			return err
		},
		"stop": func(v *town, m auth.Member, a auth.Agent) error { return v.StopAgent(t.Context(), m, a.ID, "a leak") },
		"use":  func(v *town, _ auth.Member, _ auth.Agent) error { return v.WriteUsage(t.Context()) },
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			v, raw := newPostgresTown(t)
			key, a := v.make("bot")
			v.works(key) // which notes a use
			release := postgrestest.Hold(t, raw, "SELECT 1 FROM agents WHERE agent_id = $1 FOR NO KEY UPDATE", a.ID)
			done := postgrestest.Blocked(t, raw, func() error { return act(v, v.people["adam"], a) })
			postgrestest.Hold(t, raw, "SELECT 1 FROM agent_keys WHERE agent_id = $1 FOR UPDATE NOWAIT", a.ID)()
			release()
			must(t, done())
		})
	}
}

// TestStopBeforeRevoke: a key that was revoked with its agent is told to be revoked,
// and not to be none.
func TestStopBeforeRevoke(t *testing.T) {
	t.Parallel()
	long.Race(t)
	v, raw := newPostgresTown(t)
	_, a := v.make("bot")
	adam := v.people["adam"]
	release := postgrestest.Hold(t, raw, "SELECT 1 FROM agents WHERE agent_id = $1 FOR NO KEY UPDATE", a.ID)
	stopped := postgrestest.Blocked(t, raw, func() error { return v.StopAgent(t.Context(), adam, a.ID, "a leak") })
	revoked := make(chan error, 1)
	go func() { revoked <- v.RevokeKey(t.Context(), adam, a.ID, a.KeyID) }() // behind it
	release()
	must(t, stopped())
	wantFault(t, "revoking it", <-revoked, fault.Changed)
}
