package tenants_test

import (
	"context"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/auth/authtest"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/store/headstest"
	"github.com/countersign/countersign/internal/store/sqlitetest"
	"github.com/countersign/countersign/internal/tenants"
)

// clock is the database's clock.
type clock struct {
	mu sync.Mutex
	t  time.Time
}

func (c *clock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.t
}

func (c *clock) pass(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.t = c.t.Add(d)
}

// town is the service over a real database with two organisations. In acme adam
// and alma are admins, ada is operator, cleo compliance; in rival rita is admin.
type town struct {
	path, dsn string // of its database, one of them
	*tenants.Service
	t      *testing.T
	clock  *clock
	db     *store.Store
	people map[string]auth.Member
}

// SetRoles and RemoveMember are those of the service where nobody else has to accept it.
func (v *town) SetRoles(ctx context.Context, m auth.Member, person string, roles []auth.Role) error {
	asked, err := v.Service.SetRoles(ctx, m, person, roles)
	if asked {
		v.t.Errorf("the roles of %s wait for somebody else", person)
	}
	return err
}

func (v *town) RemoveMember(ctx context.Context, m auth.Member, person string) error {
	asked, err := v.Service.RemoveMember(ctx, m, person)
	if asked {
		v.t.Errorf("the removal of %s waits for somebody else", person)
	}
	return err
}

// passwords are those of every town: a hash takes 64 MiB.
var passwords = authtest.Passwords(4)

// doors are those of every test's service.
var doors = newDoors()

func newDoors() *auth.Doors {
	d, err := auth.NewDoors(auth.NewDoorsKey())
	if err != nil {
		panic(err)
	}
	return d
}

func newTown(t *testing.T) *town {
	t.Helper()
	long.NotUnderRace(t, "one call follows the other")
	v := &town{t: t, clock: &clock{t: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}, people: map[string]auth.Member{}}
	var err error
	v.path = sqlitetest.Create(t, filepath.Join(t.TempDir(), "x.db"))
	v.db, err = store.Open(t.Context(), store.Config{Path: v.path, Now: v.clock.now, Heads: headstest.New()})
	must(t, err)
	t.Cleanup(func() { _ = v.db.Close() })
	v.open()
	return v
}

// open makes the service over the database, and the two organisations.
func (v *town) open() {
	t := v.t
	t.Helper()
	v.Service = tenants.NewService(tenants.Config{
		Store: v.db.Tenants(), Passwords: passwords, Doors: doors, Log: slog.New(slog.DiscardHandler),
	})
	for tenant, members := range map[string]map[string]auth.Role{
		"acme":  {"adam": auth.Admin, "alma": auth.Admin, "ada": auth.Operator, "cleo": auth.Compliance},
		"rival": {"rita": auth.Admin},
	} {
		must(t, v.CreateTenant(t.Context(), tenant))
		for name, role := range members {
			p, err := v.CreatePerson(t.Context(), tenant, name+"@example.com", "", "", []auth.Role{role})
			must(t, err)
			v.people[name] = auth.Member{Tenant: tenant, Person: p, Roles: []auth.Role{role}}
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantFault(t *testing.T, what string, err error, code fault.Code) {
	t.Helper()
	if !fault.Is(err, code) {
		t.Errorf("%s: %v, want %s", what, err, code)
	}
}

// events are what a tenant's trail says, oldest first; it is verified first.
func (v *town) events(tenant string) (all []audit.Event) {
	v.t.Helper()
	report, err := v.db.Audit().Verify(v.t.Context(), tenant)
	if err != nil || !report.OK {
		v.t.Errorf("the trail of %s does not hold: %v, %v", tenant, report, err)
	}
	records, err := v.db.Audit().Events(v.t.Context(), tenant, -1, 1000)
	must(v.t, err)
	for _, r := range slices.Backward(records) {
		all = append(all, r.Event)
	}
	return all
}

// last is the newest event of acme, by its kind.
func (v *town) last(kind audit.Kind, by auth.Member) audit.Event {
	v.t.Helper()
	all := v.events("acme")
	e := all[len(all)-1]
	if e.Kind != kind || e.Actor != (audit.Actor{Kind: "person", ID: by.Person.ID}) {
		v.t.Errorf("the last event is %s by %+v, want %s by %s", e.Kind, e.Actor, kind, by.Person.ID)
	}
	return e
}

func (v *town) make(name string) (key string, a auth.Agent) {
	v.t.Helper()
	key, a, err := v.MakeAgent(v.t.Context(), v.people["adam"], tenants.NewAgent{Name: name, KeyID: auth.NewID("key")})
	must(v.t, err)
	return key, a
}

// works reports whether a key opens anything.
func (v *town) works(key string) bool {
	v.t.Helper()
	_, err := v.AuthenticateAgent(v.t.Context(), key)
	if err != nil && !fault.Is(err, fault.Unauthorized) {
		v.t.Fatal(err)
	}
	return err == nil
}

func newKey() tenants.NewKey { return tenants.NewKey{ID: auth.NewID("key")} }

func TestMakeAgent(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	adam, ada := v.people["adam"], v.people["ada"]
	in := tenants.NewAgent{Name: "invoice-reader", KeyID: auth.NewID("key"), Life: time.Hour}
	key, a, err := v.MakeAgent(t.Context(), adam, in)
	must(t, err)
	if a.Owner != adam.Person.ID {
		t.Errorf("it is owned by %q, want whoever made it", a.Owner)
	}
	e := v.last(audit.AgentCreated, adam)
	if e.Agent != a.ID || e.Data.Get("owner").Text() != adam.Person.ID || e.Data.Get("key").Text() != in.KeyID || e.Data.Get("expires_at").Text() != "2026-03-01T13:00:00.000000Z" {
		t.Errorf("the event says %s", e.Data.Canonical())
	}
	got, err := v.AuthenticateAgent(t.Context(), key)
	if err != nil || got.ID != a.ID || got.KeyID != in.KeyID || !got.May(auth.ScopeSubmit) || got.May(auth.ScopeAssess) {
		t.Errorf("its key opens %+v, %v", got, err)
	}
	for _, e := range v.events("acme") {
		b, err := e.Bytes()
		must(t, err)
		if secret := strings.TrimPrefix(key, "csk_acme_"); strings.Contains(string(b), secret) || strings.Contains(string(b), auth.HashToken(key)) {
			t.Errorf("the trail holds the secret: %s", b)
		}
	}
	v.clock.pass(time.Hour)
	if v.works(key) {
		t.Error("a key works after its time")
	}

	other := in
	other.Name = "second"
	_, _, err = v.MakeAgent(t.Context(), adam, other)
	wantFault(t, "the same form twice", err, fault.AlreadyExists)
	other.KeyID = auth.NewID("key")
	for what, c := range map[string]struct {
		by   string
		edit func(n *tenants.NewAgent)
		want fault.Code
		at   string
	}{
		"a name that is taken":  {"adam", func(n *tenants.NewAgent) { n.Name = in.Name }, fault.AlreadyExists, "name"},
		"a bad name":            {"adam", func(n *tenants.NewAgent) { n.Name = "a b" }, fault.InvalidForm, "name"},
		"no name":               {"adam", func(n *tenants.NewAgent) { n.Name = "" }, fault.InvalidForm, "name"},
		"an owner elsewhere":    {"adam", func(n *tenants.NewAgent) { n.Owner = v.people["rita"].Person.ID }, fault.InvalidForm, "owner"},
		"an owner of no kind":   {"adam", func(n *tenants.NewAgent) { n.Owner = "%" }, fault.InvalidForm, "owner"},
		"no key id":             {"adam", func(n *tenants.NewAgent) { n.KeyID = "" }, fault.InvalidForm, "key"},
		"an id of another kind": {"adam", func(n *tenants.NewAgent) { n.KeyID = auth.NewID("agt") }, fault.InvalidForm, "key"},
		"a life before now":     {"adam", func(n *tenants.NewAgent) { n.Life = -1 }, fault.InvalidForm, "expires"},
		"a life for ever":       {"adam", func(n *tenants.NewAgent) { n.Life = 1 << 62 }, fault.InvalidForm, "expires"},
		"an unknown scope":      {"adam", func(n *tenants.NewAgent) { n.Scopes = []auth.Scope{"decide"} }, fault.InvalidForm, "scopes"},
		"an operator":           {"ada", func(*tenants.NewAgent) {}, fault.Denied, ""},
		"compliance":            {"cleo", func(*tenants.NewAgent) {}, fault.Denied, ""},
	} {
		n := other
		c.edit(&n)
		_, _, err := v.MakeAgent(t.Context(), v.people[c.by], n)
		wantFault(t, what, err, c.want)
		if f := fault.As(err); f.Member != c.at {
			t.Errorf("%s: the refusal is at %q, want %q", what, f.Member, c.at)
		}
	}
	other.Owner, other.Scopes = ada.Person.ID, []auth.Scope{auth.ScopeSubmit, auth.ScopeAssess}
	if _, a, err = v.MakeAgent(t.Context(), adam, other); err != nil || a.Owner != ada.Person.ID || !a.May(auth.ScopeAssess) {
		t.Errorf("for another member: %+v, %v", a, err)
	}
}

func TestRotateKey(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	adam := v.people["adam"]
	old, a := v.make("bot")
	fresh, err := v.RotateKey(t.Context(), adam, a.ID, newKey(), time.Hour)
	must(t, err)
	e := v.last(audit.AgentKeyRotated, adam)
	if !v.works(old) || !v.works(fresh) || old == fresh {
		t.Error("while both overlap, both must work")
	}
	if got := string(e.Data.Get("replaced").Canonical()); got != `["`+a.KeyID+`"]` {
		t.Errorf("the event replaces %s", got)
	}
	v.clock.pass(time.Hour)
	if v.works(old) || !v.works(fresh) {
		t.Error("after the overlap only the new one works")
	}
	short := newKey()
	short.Life = time.Minute
	fleeting, err := v.RotateKey(t.Context(), adam, a.ID, short, 7*24*time.Hour)
	must(t, err)
	v.clock.pass(time.Minute)
	if v.works(fleeting) || !v.works(fresh) {
		t.Error("the new key's own time does not count")
	}
	last, err := v.RotateKey(t.Context(), adam, a.ID, newKey(), 0)
	must(t, err)
	if v.works(fresh) || !v.works(last) {
		t.Error("without overlap the old one must end at once")
	}
	in := newKey()
	_, err = v.RotateKey(t.Context(), adam, a.ID, in, 0)
	must(t, err)
	_, err = v.RotateKey(t.Context(), adam, a.ID, in, 0)
	wantFault(t, "the same form twice", err, fault.AlreadyExists)
	for what, overlap := range map[string]time.Duration{"before now": -1, "too long": 8 * 24 * time.Hour} {
		_, err := v.RotateKey(t.Context(), adam, a.ID, newKey(), overlap)
		wantFault(t, what, err, fault.InvalidForm)
	}
	_, err = v.RotateKey(t.Context(), v.people["ada"], a.ID, newKey(), 0)
	wantFault(t, "an operator", err, fault.Denied)
	_, err = v.RotateKey(t.Context(), v.people["rita"], a.ID, newKey(), 0)
	wantFault(t, "an admin elsewhere", err, fault.Missing)

	// An overlap never lengthens what ends before.
	k, b, err := v.MakeAgent(t.Context(), adam, tenants.NewAgent{Name: "ends-soon", KeyID: auth.NewID("key"), Life: time.Minute, Scopes: auth.Scopes()})
	must(t, err)
	next, err := v.RotateKey(t.Context(), adam, b.ID, newKey(), time.Hour)
	must(t, err)
	if got, err := v.AuthenticateAgent(t.Context(), next); err != nil || !got.May(auth.ScopeAssess) {
		t.Errorf("the new key has %v, %v; want the scopes of the old one", got.Scopes, err)
	}
	v.clock.pass(time.Minute)
	if v.works(k) {
		t.Error("rotating made an old key live longer")
	}
}

func TestExpiryAndRevocation(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	adam := v.people["adam"]
	key, a := v.make("bot")
	must(t, v.SetExpiry(t.Context(), adam, a.ID, a.KeyID, time.Hour))
	v.last(audit.AgentKeyExpiry, adam)
	must(t, v.SetExpiry(t.Context(), adam, a.ID, a.KeyID, 0))
	if e := v.last(audit.AgentKeyExpiry, adam); !e.Data.Get("expires_at").IsAbsent() {
		t.Errorf("a cleared end is recorded as %s", e.Data.Canonical())
	}
	v.clock.pass(2 * time.Hour)
	if !v.works(key) {
		t.Error("a cleared end still counts")
	}
	must(t, v.SetExpiry(t.Context(), adam, a.ID, a.KeyID, time.Hour))
	v.clock.pass(time.Hour)
	wantFault(t, "reviving an expired key", v.SetExpiry(t.Context(), adam, a.ID, a.KeyID, 0), fault.Changed)
	if v.works(key) {
		t.Error("an expired key works")
	}
	fresh, err := v.RotateKey(t.Context(), adam, a.ID, newKey(), 0)
	must(t, err)
	got, err := v.AuthenticateAgent(t.Context(), fresh)
	must(t, err)
	_, b := v.make("other")
	wantFault(t, "another agent's key", v.RevokeKey(t.Context(), adam, b.ID, got.KeyID), fault.Missing)
	wantFault(t, "no key", v.RevokeKey(t.Context(), adam, a.ID, ""), fault.Missing)
	wantFault(t, "an operator", v.RevokeKey(t.Context(), v.people["ada"], a.ID, got.KeyID), fault.Denied)
	wantFault(t, "an admin elsewhere", v.RevokeKey(t.Context(), v.people["rita"], a.ID, got.KeyID), fault.Missing)
	must(t, v.RevokeKey(t.Context(), adam, a.ID, got.KeyID))
	v.last(audit.AgentKeyRevoked, adam)
	if v.works(fresh) {
		t.Error("a revoked key works")
	}
	wantFault(t, "revoking twice", v.RevokeKey(t.Context(), adam, a.ID, got.KeyID), fault.Changed)
	wantFault(t, "reviving a revoked key", v.SetExpiry(t.Context(), adam, a.ID, got.KeyID, 0), fault.Changed)
}

func TestStopAndStart(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	adam := v.people["adam"]
	key, a := v.make("bot")
	wantFault(t, "without a reason", v.StopAgent(t.Context(), adam, a.ID, " \n"), fault.InvalidForm)
	wantFault(t, "an operator", v.StopAgent(t.Context(), v.people["ada"], a.ID, "x"), fault.Denied)
	wantFault(t, "an admin elsewhere", v.StopAgent(t.Context(), v.people["rita"], a.ID, "x"), fault.Missing)
	must(t, v.StopAgent(t.Context(), adam, a.ID, " it leaks "))
	if e := v.last(audit.AgentStopped, adam); e.Data.Get("reason").Text() != "it leaks" || e.Agent != a.ID {
		t.Errorf("the event says %s", e.Data.Canonical())
	}
	if v.works(key) {
		t.Error("a stopped agent's key works")
	}
	wantFault(t, "stopping twice", v.StopAgent(t.Context(), adam, a.ID, "x"), fault.Changed)
	_, err := v.RotateKey(t.Context(), adam, a.ID, newKey(), 0)
	wantFault(t, "rotating while stopped", err, fault.Changed)
	_, err = v.StartAgent(t.Context(), v.people["cleo"], a.ID, newKey())
	wantFault(t, "compliance", err, fault.Denied)
	fresh, err := v.StartAgent(t.Context(), adam, a.ID, newKey())
	must(t, err)
	v.last(audit.AgentStarted, adam)
	if !v.works(fresh) || v.works(key) {
		t.Error("after the start the new key works, and only that")
	}
	_, err = v.StartAgent(t.Context(), adam, a.ID, newKey())
	wantFault(t, "starting twice", err, fault.Changed)
	l, err := v.Agent(t.Context(), adam, a.ID)
	if err != nil || len(l.Agents) != 1 || len(l.Keys[a.ID]) != 2 || l.Agents[0].StoppedAt != nil {
		t.Errorf("it is %+v, %v; a refused start must leave no key", l, err)
	}
}

func TestStopAll(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	adam := v.people["adam"]
	key, _ := v.make("bot")
	theirs, _, err := v.MakeAgent(t.Context(), v.people["rita"], tenants.NewAgent{Name: "bot", KeyID: auth.NewID("key")})
	must(t, err)
	for _, typed := range []string{"", "rival", "ACME", "acme2"} {
		wantFault(t, "typed "+typed, v.StopAll(t.Context(), adam, typed, ""), fault.InvalidForm)
	}
	wantFault(t, "who only audits", v.StopAll(t.Context(), v.people["cleo"], "acme", ""), fault.Denied)
	ada := v.people["ada"] // an operator
	must(t, v.StopAll(t.Context(), ada, " acme ", ""))
	v.last(audit.AgentsStopped, ada)
	a, err := v.AuthenticateAgent(t.Context(), key)
	if err != nil || !strings.Contains(a.Halted, "acme") || strings.Contains(a.Halted, adam.Person.Name) {
		t.Errorf("the agent is told %q, %v", a.Halted, err)
	}
	if b, err := v.AuthenticateAgent(t.Context(), theirs); err != nil || b.Halted != "" {
		t.Errorf("rival's agent is told %q, %v", b.Halted, err)
	}
	if h, err := v.Halt(t.Context(), adam); err != nil || h == nil || h.By != ada.Person {
		t.Errorf("the halt is %+v, %v", h, err)
	}
	wantFault(t, "stopping twice", v.StopAll(t.Context(), adam, "acme", ""), fault.Changed)
	wantFault(t, "resuming without a reason", v.Resume(t.Context(), adam, ""), fault.InvalidForm)
	wantFault(t, "an operator", v.Resume(t.Context(), v.people["ada"], "x"), fault.Denied)
	wantFault(t, "an admin elsewhere", v.Resume(t.Context(), v.people["rita"], "x"), fault.Changed)
	must(t, v.Resume(t.Context(), adam, "fixed"))
	v.last(audit.AgentsResumed, adam)
	if a, err := v.AuthenticateAgent(t.Context(), key); err != nil || a.Halted != "" {
		t.Errorf("afterwards it is told %q, %v", a.Halted, err)
	}
}
