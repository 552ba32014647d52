package tenants_test

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/store/headstest"
	"github.com/countersign/countersign/internal/tenants"
)

// onBothTowns runs a test over each database.
func onBothTowns(t *testing.T, test func(t *testing.T, v *town, raw func(statement string))) {
	t.Run("sqlite", func(t *testing.T) {
		t.Parallel()
		v := newTown(t)
		test(t, v, func(statement string) { _, err := v.raw().ExecContext(t.Context(), statement); must(t, err) })
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		v, db := newPostgresTown(t)
		test(t, v, func(statement string) { _, err := db.ExecContext(t.Context(), statement); must(t, err) })
	})
}

// opened is a token of acme.
func (v *town) opened(in tenants.NewEnrolment) (token string) {
	v.t.Helper()
	if in.Life == 0 {
		in.Life = time.Hour
	}
	if in.Prefix == "" {
		in.Prefix = "claude-code"
	}
	token, _, err := v.OpenEnrolment(v.t.Context(), "acme", in)
	must(v.t, err)
	return token
}

// enrols wants a key for a host.
func (v *town) enrols(token, host string) auth.Agent {
	v.t.Helper()
	key, a, err := v.Enrol(v.t.Context(), token, host)
	must(v.t, err)
	if who, err := v.AuthenticateAgent(v.t.Context(), key); err != nil || who.ID != a.ID || !who.May(auth.ScopeSubmit) {
		v.t.Errorf("the key of %s opens %+v, %v", host, who, err)
	}
	return a
}

// refuses wants no key for a host.
func (v *town) refuses(what, token, host string, code fault.Code) {
	v.t.Helper()
	key, _, err := v.Enrol(v.t.Context(), token, host)
	wantFault(v.t, what, err, code)
	if key != "" {
		v.t.Errorf("%s: it got a key", what)
	}
}

// A token gives each host an agent and a key, once, and the trail tells of all of it.
func TestEnrolment(t *testing.T) {
	t.Parallel()
	onBothTowns(t, func(t *testing.T, v *town, _ func(string)) {
		token := v.opened(tenants.NewEnrolment{Owner: "ada@example.com"})
		opened := v.newest("acme", audit.EnrolmentOpened)
		a := v.enrols(token, "Web-1.example.com.")
		if a.Name != "claude-code@web-1.example.com" || a.Owner != v.people["ada"].Person.ID {
			t.Errorf("the agent is %+v", a)
		}
		if e := v.newest("acme", audit.AgentCreated); e.Agent != a.ID || e.Data.Get("enrolment").Text() == "" || e.Data.Get("enrolment").Text() != opened.Data.Get("enrolment").Text() {
			t.Errorf("the agent came of %+v", e)
		}
		v.refuses("the same host", token, "web-1.example.com", fault.AlreadyExists)
		v.enrols(token, "web-2")
		for what, host := range map[string]string{"none": "", "a space": "a b", "another agent": "web@1", "too long": strings.Repeat("x", 60)} {
			v.refuses("host: "+what, token, host, fault.InvalidMember)
		}
		for what, bad := range map[string]string{"none": "", "a key": strings.Replace(token, "cse_", "csk_", 1), "another": token[:len(token)-4] + "AAAA", "another tenant's": strings.Replace(token, "acme", "rival", 1), "no tenant's": strings.Replace(token, "acme", "nobody", 1)} {
			v.refuses("token: "+what, bad, "web-3", fault.Unauthorized)
		}

		// No event tells enough to make the token again.
		for _, e := range v.events("acme") {
			b, err := e.Bytes()
			must(t, err)
			if secret := token[len("cse_acme_"):]; strings.Contains(string(b), secret) || strings.Contains(string(b), auth.HashToken(token)) {
				t.Errorf("%s holds the token, or what it is looked for by", e.Kind)
			}
		}
	})
}

// A token ends with its uses, its time, and by hand.
func TestEnrolmentEnds(t *testing.T) {
	t.Parallel()
	onBothTowns(t, func(t *testing.T, v *town, _ func(string)) {
		twice, ended := v.opened(tenants.NewEnrolment{Uses: 2}), v.opened(tenants.NewEnrolment{})
		var all sync.WaitGroup
		var mu sync.Mutex
		made := 0
		for _, host := range []string{"a", "b", "c", "d", "e"} {
			all.Go(func() {
				_, _, err := v.Enrol(t.Context(), twice, host)
				mu.Lock()
				defer mu.Unlock()
				if err == nil {
					made++
				} else if !fault.Is(err, fault.Unauthorized) {
					t.Errorf("%s: %v", host, err)
				}
			})
		}
		all.Wait()
		if made != 2 {
			t.Errorf("%d machines got a key with a token for 2", made)
		}
		v.enrols(ended, "f")
		n, err := v.EndEnrolments(t.Context(), "acme")
		if must(t, err); n != 2 {
			t.Errorf("ended %d", n)
		}
		v.newest("acme", audit.EnrolmentEnded)
		v.refuses("after its end", ended, "g", fault.Unauthorized)
		if n, err := v.EndEnrolments(t.Context(), "acme"); err != nil || n != 0 {
			t.Errorf("ended %d once more, %v", n, err)
		}

		late := v.opened(tenants.NewEnrolment{Life: time.Microsecond})
		v.clock.pass(time.Hour) // of SQLite; that of Postgres passes by itself
		v.refuses("after its time", late, "h", fault.Unauthorized)

		must(t, v.StopAllFromOutside(t.Context(), "acme", "an incident"))
		v.refuses("while all agents are stopped", v.opened(tenants.NewEnrolment{}), "i", fault.AgentsStopped)
	})
}

// meanwhile does something before the first write of a service.
type meanwhile struct {
	tenants.Store
	do func()
}

func (m *meanwhile) Write(ctx context.Context, tenant string, fn func(tenants.Writer) error) error {
	do := m.do
	m.do = func() {}
	do()
	return m.Store.Write(ctx, tenant, fn)
}

// A token that is ended while a machine enrols gives it no key.
func TestEnrolmentEndsMeanwhile(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	token := v.opened(tenants.NewEnrolment{})
	late := tenants.NewService(tenants.Config{Store: &meanwhile{v.db.Tenants(), func() { _, err := v.EndEnrolments(t.Context(), "acme"); must(t, err) }}, Passwords: passwords, Doors: doors, Log: slog.New(slog.DiscardHandler)})
	key, _, err := late.Enrol(t.Context(), token, "web-1")
	if wantFault(t, "ended in between", err, fault.Unauthorized); key != "" {
		t.Error("it got a key")
	}
}

// Whoever can write to the database, and has not the key that signs the trail, opens no
// enrolment, and no longer one that has ended.
func TestForgedEnrolmentLetsNobodyIn(t *testing.T) {
	t.Parallel()
	onBothTowns(t, func(t *testing.T, v *town, raw func(string)) {
		token := v.opened(tenants.NewEnrolment{})
		v.enrols(token, "a")

		// What is made here has to be what the trail says.
		raw("UPDATE memberships SET roles = 'operator,admin' WHERE tenant_id = 'acme' AND roles = 'operator'")
		v.refuses("with a forged right in the tables", token, "b", fault.GrantUnproven)
		raw("UPDATE memberships SET roles = 'operator' WHERE tenant_id = 'acme' AND roles = 'operator,admin'")
		v.enrols(token, "b")

		forged := v.forged() // a server with another key wrote all that ours would
		if key, _, err := v.Enrol(t.Context(), forged, "c"); err == nil || key != "" {
			t.Errorf("a forged enrolment gave a key: %v", err)
		}
	})
}

// forged opens an enrolment as a server with another key does.
func (v *town) forged() (token string) {
	v.t.Helper()
	stranger, err := store.Open(v.t.Context(), store.Config{Path: v.path, URL: v.dsn, Now: v.clock.now, Heads: &believing{headstest.With(headstest.NewKey())}})
	must(v.t, err)
	defer stranger.Close()
	token, _, err = tenants.NewService(tenants.Config{Store: stranger.Tenants(), Passwords: passwords, Doors: doors, Log: slog.New(slog.DiscardHandler)}).OpenEnrolment(v.t.Context(), "acme", tenants.NewEnrolment{Prefix: "a", Life: time.Hour})
	must(v.t, err)
	return token
}

// believing takes whatever signature there is.
type believing struct{ *headstest.Heads }

func (believing) Open(note []byte) (audit.Checkpoint, error) { return headstest.New().Open(note) }

// What was asked for has to make sense.
func TestOpenEnrolmentRefuses(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	for member, in := range map[string]tenants.NewEnrolment{
		"name":  {Prefix: "a@b", Life: time.Hour},
		"ttl":   {Prefix: "a", Life: 32 * 24 * time.Hour},
		"uses":  {Prefix: "a", Life: time.Hour, Uses: -1},
		"owner": {Prefix: "a", Life: time.Hour, Owner: "rita@example.com"},
	} {
		if _, _, err := v.OpenEnrolment(t.Context(), "acme", in); !fault.Is(err, fault.InvalidForm) || !strings.Contains(err.Error(), "("+member+")") {
			t.Errorf("%s: %v", member, err)
		}
	}
	_, _, err := v.OpenEnrolment(t.Context(), "nobody", tenants.NewEnrolment{Prefix: "a", Life: time.Hour})
	wantFault(t, "no such tenant", err, fault.Missing)
}
