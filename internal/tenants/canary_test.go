package tenants_test

import (
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/tenants"
)

// A canary is kept as the newest of its agent, with its event, and one that was let through
// makes the gate silent until the next is refused.
func TestTryGate(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	_, a := v.make("bot")
	self := func() tenants.Agent {
		t.Helper()
		found, err := v.Self(t.Context(), a)
		must(t, err)
		return found
	}
	if found := self(); found.Canary != nil || found.SilentSince(v.clock.now()) != nil {
		t.Errorf("before: %+v", found)
	}
	failed, err := v.TryGate(t.Context(), a, "n-1", "the hook did not run")
	must(t, err)
	found := self()
	if *found.Canary != failed || failed.Failed != "the hook did not run" || failed.Nonce != "n-1" || found.SilentSince(v.clock.now()) == nil {
		t.Errorf("let through: %+v, canary %+v", failed, found.Canary)
	}
	if e := v.newest("acme", audit.AgentCanary); e.Agent != a.ID || e.Actor.Kind != "agent" || e.Data.Get("nonce").Text() != "n-1" || e.Data.Get("failed").Text() == "" {
		t.Errorf("the event is %+v", e)
	}
	_, err = v.TryGate(t.Context(), a, "n-2", "")
	must(t, err)
	if found := self(); found.Canary.Nonce != "n-2" || found.SilentSince(v.clock.now()) != nil {
		t.Errorf("refused: %+v", found.Canary)
	}
	for _, nonce := range []string{"", strings.Repeat("x", 129), "\xff", "ghp_16C7e42F292c6912E7710c838347Ae178B4a"} {
		_, err := v.TryGate(t.Context(), a, nonce, "")
		wantFault(t, "the nonce "+nonce, err, fault.InvalidMember)
	}
	_, err = v.TryGate(t.Context(), auth.Agent{Tenant: "rival", ID: a.ID}, "n-3", "")
	wantFault(t, "another tenant's agent", err, fault.Missing)
}

// An agent is silent when no call came for a day, and not when it was stopped or never called.
func TestSilentSince(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	at := func(ago time.Duration) *time.Time { then := now.Add(-ago); return &then }
	for name, c := range map[string]struct {
		a    tenants.Agent
		want *time.Time
	}{
		"never called":             {tenants.Agent{}, nil},
		"called lately":            {tenants.Agent{LastUsedAt: at(tenants.SilentAfter - time.Second)}, nil},
		"called a day ago":         {tenants.Agent{LastUsedAt: at(tenants.SilentAfter)}, at(tenants.SilentAfter)},
		"stopped":                  {tenants.Agent{LastUsedAt: at(48 * time.Hour), StoppedAt: at(time.Hour)}, nil},
		"a canary that was let in": {tenants.Agent{LastUsedAt: at(time.Second), Canary: &tenants.Canary{At: *at(time.Hour), Failed: "x"}}, at(time.Hour)},
		"a canary that was not":    {tenants.Agent{LastUsedAt: at(time.Second), Canary: &tenants.Canary{At: *at(time.Hour)}}, nil},
	} {
		if got := c.a.SilentSince(now); (got == nil) != (c.want == nil) || got != nil && !got.Equal(*c.want) {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

// What an agent says of its tools raises at once and lowers nothing; the same again is no news.
func TestImportOwnTools(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	_, a := v.make("bot")
	put := func(tools ...string) tenants.ToolsReceived {
		t.Helper()
		r, err := v.ImportOwnTools(t.Context(), a, tenants.ToolImport{Server: "rides", Prefix: "mcp__rides__", List: list(tools...)})
		must(t, err)
		return r
	}
	if r, want := put("find_ride:Finds rides.", "get_ride:Book a ride."), (tenants.ToolsReceived{New: 2, Waiting: 2}); r != want {
		t.Errorf("first: %+v, want %+v", r, want)
	}
	first := v.newest("acme", audit.ToolsImported)
	if first.Actor.Kind != "agent" || first.Actor.ID != a.ID {
		t.Errorf("imported by %+v", first.Actor)
	}
	if r, want := put("get_ride:Book a ride.", "find_ride:Finds rides."), (tenants.ToolsReceived{Waiting: 2}); r != want {
		t.Errorf("the same in another order: %+v, want %+v", r, want)
	}
	if again := v.newest("acme", audit.ToolsImported); again.Index != first.Index {
		t.Error("the same list made an event")
	}
	if r, want := put("find_ride:Finds all rides.", "book_ride:Books."), (tenants.ToolsReceived{New: 1, Changed: 1, Waiting: 2}); r != want {
		t.Errorf("another list: %+v, want %+v", r, want)
	}
	all, err := v.Tools(t.Context(), v.people["adam"], a.ID)
	must(t, err)
	if got := told(all); !strings.Contains(got, "mcp__rides__get_ride gone money") {
		t.Errorf("what a description raised fell away: %s", got)
	}
}

// People are told once of a gate that fell silent, and again when it was heard in between.
func TestWatchGates(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	_, a := v.make("bot")
	_, plain := v.make("plain")
	_, err := v.TryGate(t.Context(), a, "n-1", "")
	must(t, err)
	heard := func(id, key string) {
		t.Helper()
		must(t, v.db.Tenants().Write(t.Context(), "acme", func(w tenants.Writer) error { return w.Used(id, key, w.Now()) }))
	}
	told := func(want int) {
		t.Helper()
		must(t, v.WatchGates(t.Context()))
		must(t, v.WatchGates(t.Context())) // another server looks, too
		n := 0
		for _, e := range v.events("acme") {
			if e.Kind == audit.AgentSilent {
				n++
				if e.Agent != a.ID {
					t.Errorf("told of %s, whose gate was never tried", e.Agent)
				}
			}
		}
		if n != want {
			t.Errorf("told %d times, want %d", n, want)
		}
	}
	heard(a.ID, a.KeyID)
	heard(plain.ID, plain.KeyID)
	told(0)
	v.clock.pass(tenants.SilentAfter)
	told(1)
	if v.Silent() != 1 {
		t.Errorf("%d are silent, want 1", v.Silent())
	}
	v.clock.pass(time.Minute)
	heard(a.ID, a.KeyID)
	told(1)
	if v.Silent() != 0 {
		t.Errorf("%d are silent, want 0", v.Silent())
	}
	v.clock.pass(tenants.SilentAfter)
	told(2)
}
