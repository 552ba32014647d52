package tenants_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/tenants"
)

func TestUsage(t *testing.T) {
	t.Parallel()
	long.Race(t)
	v := newTown(t)
	key, a := v.make("bot")
	used := func() *time.Time {
		l, err := v.Agent(t.Context(), v.people["adam"], a.ID)
		must(t, err)
		if k := l.Keys[a.ID][0].LastUsedAt; (k == nil) != (l.Agents[0].LastUsedAt == nil) || k != nil && !k.Equal(*l.Agents[0].LastUsedAt) {
			t.Errorf("the key says %v, its agent %v", k, l.Agents[0].LastUsedAt)
		}
		return l.Keys[a.ID][0].LastUsedAt
	}
	must(t, v.WriteUsage(t.Context()))
	if used() != nil {
		t.Error("used before it was")
	}
	first := v.clock.now()
	for range 3 {
		v.works(key)
	}
	if used() != nil {
		t.Error("a request wrote by itself")
	}
	must(t, v.WriteUsage(t.Context()))
	if got := used(); got == nil || !got.Equal(first) {
		t.Errorf("last used %v, want %v", got, first)
	}
	v.clock.pass(tenants.UsageStep - time.Second)
	v.works(key)
	must(t, v.WriteUsage(t.Context()))
	if got := used(); !got.Equal(first) {
		t.Error("written twice within a minute")
	}
	v.clock.pass(time.Second)
	v.works(key)
	must(t, v.WriteUsage(t.Context()))
	if got := used(); !got.Equal(v.clock.now()) {
		t.Errorf("last used %v, want now", got)
	}

	// What the last requests noted is written when the keeper ends, and it ends.
	v.clock.pass(tenants.UsageStep)
	v.works(key)
	ctx, stop := context.WithCancel(t.Context())
	stop()
	v.KeepUsage(ctx)
	if got := used(); !got.Equal(v.clock.now()) {
		t.Errorf("last used %v, want now", got)
	}
}

// ledger is a store that remembers which uses were written, and fails when told to.
type ledger struct {
	tenants.Store
	fail error
	uses []string // agent and key, in the order of writing
}

func (l *ledger) Aside(ctx context.Context, tenant string, fn func(tenants.Writer) error) error {
	if l.fail != nil {
		return l.fail
	}
	return l.Store.Aside(ctx, tenant, func(w tenants.Writer) error { return fn(ledgerWriter{w, l}) })
}

type ledgerWriter struct {
	tenants.Writer
	ledger *ledger
}

func (w ledgerWriter) Used(agent, key string, at time.Time) error {
	w.ledger.uses = append(w.ledger.uses, agent+" "+key)
	return w.Writer.Used(agent, key, at)
}

// TestUsageThatWasNotWritten: a use that the database did not take counts as none, so
// that the next one within the minute is written.
func TestUsageThatWasNotWritten(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	key, _ := v.make("bot")
	l := &ledger{Store: v.db.Tenants(), fail: errors.New("down")}
	s := tenants.NewService(tenants.Config{Store: l, Log: slog.New(slog.DiscardHandler)})
	use := func() error {
		_, err := s.AuthenticateAgent(t.Context(), key)
		must(t, err)
		return s.WriteUsage(t.Context())
	}
	if err := use(); !errors.Is(err, l.fail) {
		t.Errorf("it says %v", err)
	}
	l.fail = nil
	must(t, use())
	must(t, use())
	if len(l.uses) != 1 {
		t.Errorf("written %d times, want once", len(l.uses))
	}
}

// TestUsageIsWrittenInOrder: every server writes the same keys in the same order.
func TestUsageIsWrittenInOrder(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	l := &ledger{Store: v.db.Tenants()}
	s := tenants.NewService(tenants.Config{Store: l, Log: slog.New(slog.DiscardHandler)})
	for i := range 10 {
		key, a := v.make(fmt.Sprintf("bot-%d", i))
		second, err := v.RotateKey(t.Context(), v.people["adam"], a.ID, tenants.NewKey{ID: auth.NewID("key")}, time.Hour)
		must(t, err)
		for _, k := range []string{second, key} {
			_, err := s.AuthenticateAgent(t.Context(), k)
			must(t, err)
		}
	}
	must(t, s.WriteUsage(t.Context()))
	if len(l.uses) != 20 || !slices.IsSorted(l.uses) {
		t.Errorf("written in this order: %v", l.uses)
	}
}
