package storetest

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
)

func testTenants(t *testing.T, w world) {
	ctx, s := t.Context(), w.Store.Tenants()
	all, err := s.Tenants(ctx)
	if err != nil || !slices.Equal(all, []string{"acme", "beta"}) {
		t.Errorf("tenants are %q, %v", all, err)
	}
	other, err := w.Store.Approvals().Tenants(ctx)
	if err != nil || !slices.Equal(other, all) {
		t.Errorf("package approvals sees tenants %q, %v", other, err)
	}
	if err := w.Store.Ready(ctx); err != nil {
		t.Errorf("not ready: %v", err)
	}
	now, err := s.Now(ctx)
	if err != nil || now.Location() != time.UTC || now.Nanosecond()%1000 != 0 {
		t.Errorf("the clock says %v, %v; want UTC microseconds", now, err)
	}
	err = s.CreateTenant(ctx, "acme", scoring.DefaultPolicy(), func(tenants.Writer) error {
		t.Error("a second acme was begun")
		return nil
	})
	wantFault(t, "a slug that is taken", err, fault.AlreadyExists)
	if f := fault.As(err); f.Member != "slug" {
		t.Errorf("the refusal names %q", f.Member)
	}
	stop := errors.New("stop")
	if err := s.CreateTenant(ctx, "gone", scoring.DefaultPolicy(), func(w tenants.Writer) error {
		return errors.Join(w.Append(happened(audit.TenantCreated)), stop)
	}); !errors.Is(err, stop) {
		t.Errorf("the error of fn came back as %v", err)
	}
	if all, _ := s.Tenants(ctx); slices.Contains(all, "gone") {
		t.Error("a tenant whose creation failed exists")
	}
	if err := s.Read(ctx, "acme", func(r tenants.Reader) error {
		p, v, err := r.Policy()
		same(t, "the policy", p, scoring.DefaultPolicy())
		if v != 1 {
			t.Errorf("its version is %d", v)
		}
		return err
	}); err != nil {
		t.Error(err)
	}
	for _, unknown := range []string{"", "gone", "ACME", "acm_", "%"} {
		wantFault(t, "policy of "+unknown, s.Read(ctx, unknown, func(r tenants.Reader) error {
			_, _, err := r.Policy()
			return err
		}), fault.Missing)
		wantFault(t, "event of "+unknown, s.Write(ctx, unknown, func(w tenants.Writer) error {
			return w.Append(happened(audit.SignedIn))
		}), fault.Missing)
	}
}

func testPeople(t *testing.T, w world) {
	ctx, s, p := t.Context(), w.Store.Tenants(), w.acme
	if some, err := s.AnyPerson(ctx); err != nil || !some {
		t.Errorf("any person: %v, %v", some, err)
	}
	if some, err := w.open(t).Store.Tenants().AnyPerson(ctx); err != nil || some {
		t.Errorf("any person in an empty database: %v, %v", some, err)
	}
	got, hash, err := s.PersonByEmail(ctx, "ADA@acme.example")
	if err != nil || got != p.ada || hash != "$argon2id$" {
		t.Errorf("by address: %+v, %q, %v", got, hash, err)
	}
	if got, err := s.Person(ctx, p.ben.ID); err != nil || got != p.ben {
		t.Errorf("by id: %+v, %v", got, err)
	}
	for _, nobody := range []string{"", "%", "ada@acme.exampl_", "no@example.com"} {
		_, _, err := s.PersonByEmail(ctx, nobody)
		wantFault(t, "the address "+nobody, err, fault.Missing)
		_, err = s.Person(ctx, nobody)
		wantFault(t, "the id "+nobody, err, fault.Missing)
	}
	err = s.Write(ctx, p.tenant, func(w tenants.Writer) error {
		return w.CreatePerson(auth.Person{ID: auth.NewID("per"), Email: p.ada.Email, Name: "Another"}, "")
	})
	wantFault(t, "an address that is taken", err, fault.AlreadyExists)
	if f := fault.As(err); f.Member != "email" {
		t.Errorf("the refusal names %q", f.Member)
	}
	wantFault(t, "roles for nobody", s.Write(ctx, p.tenant, func(w tenants.Writer) error {
		return w.Grant("per_no", []auth.Role{auth.Admin})
	}), fault.Missing)

	err = s.Write(ctx, p.tenant, func(w tenants.Writer) error {
		if err := w.Grant(p.ben.ID, []auth.Role{auth.Operator}); err != nil {
			return err
		}
		m, err := w.Membership(p.ben.ID)
		if !slices.Equal(m.Roles, []auth.Role{auth.Operator}) || m.Tenant != p.tenant || m.Person != p.ben {
			t.Errorf("ben is %+v", m)
		}
		all, err2 := w.Members()
		if len(all) != 2 || all[0].Person != p.ada || !slices.Equal(all[0].Roles, []auth.Role{auth.Operator, auth.Admin}) {
			t.Errorf("members are %+v", all)
		}
		return errors.Join(err, err2)
	})
	if err != nil {
		t.Error(err)
	}
	wantOperators(t, p, p.ada.ID, p.ben.ID)
	wantOperators(t, w.beta, w.beta.ada.ID)
}

func testAgents(t *testing.T, w world) {
	ctx, s, p := t.Context(), w.Store.Tenants(), w.acme
	err := s.Read(ctx, p.tenant, func(r tenants.Reader) error {
		a, err := r.AgentByKeyHash(p.key)
		if err != nil || !reflect.DeepEqual(a, p.agent) {
			t.Errorf("by key: %+v, %v; want %+v", a, err, p.agent)
		}
		for _, hash := range []string{"", "%", p.key[:10], w.beta.key} {
			_, err := r.AgentByKeyHash(hash)
			wantFault(t, "the key hash "+hash, err, fault.Missing)
		}
		all, err := r.Agents()
		if len(all) != 1 || all[0].ID != p.agent.ID || all[0].Owner != p.ben.ID || all[0].LastUsedAt != nil ||
			all[0].CreatedAt.Location() != time.UTC || !all[0].CreatedAt.Before(r.Now().Add(time.Microsecond)) {
			t.Errorf("agents are %+v", all)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	again := p.agent
	again.ID = auth.NewID("agt")
	err = s.Write(ctx, p.tenant, func(w tenants.Writer) error { return newAgent(w, again, "h") })
	wantFault(t, "a name that is taken", err, fault.AlreadyExists)
	if f := fault.As(err); f.Member != "name" {
		t.Errorf("the refusal names %q", f.Member)
	}
	for column, past := range map[string]string{"expires_at": "2020-01-01 00:00:00+00:00", "revoked_at": "2020-01-01 00:00:00+00:00"} {
		w.mustRaw(t, "UPDATE agent_keys SET %s = '%s' WHERE tenant_id = 'acme'", column, past)
		wantFault(t, "a key with "+column, s.Read(ctx, p.tenant, func(r tenants.Reader) error {
			_, err := r.AgentByKeyHash(p.key)
			return err
		}), fault.Missing)
		w.mustRaw(t, "UPDATE agent_keys SET %s = NULL WHERE tenant_id = 'acme'", column)
	}
	w.mustRaw(t, "INSERT INTO agent_keys (tenant_id, key_hash, key_id, agent_id, created_at) VALUES ('acme', 'older', 'key_older', '%s', '2020-01-01 00:00:00+00:00')", p.agent.ID)
	if err := s.Read(ctx, p.tenant, func(r tenants.Reader) error {
		a, err := r.AgentByKeyHash("older")
		same(t, "the scopes of a key from before there were scopes", a.Scopes, []auth.Scope{auth.ScopeSubmit})
		return err
	}); err != nil {
		t.Error(err)
	}
	w.mustRaw(t, "UPDATE agent_keys SET expires_at = '2999-01-01 00:00:00+00:00' WHERE tenant_id = 'acme'")
	if err := s.Read(ctx, p.tenant, func(r tenants.Reader) error {
		_, err := r.AgentByKeyHash(p.key)
		return err
	}); err != nil {
		t.Errorf("a key that expires later: %v", err)
	}
}

func testLinks(t *testing.T, w world) {
	ctx, s, p := t.Context(), w.Store.Tenants(), w.acme
	now, err := s.Now(ctx)
	if err != nil {
		t.Fatal(err)
	}
	create := func(hash string, kind tenants.LinkKind, person string, life time.Duration, voidOthers bool) {
		t.Helper()
		if err := s.CreateLink(ctx, tenants.Link{Hash: hash, Kind: kind, Person: person, ExpiresAt: now.Add(life)}, voidOthers); err != nil {
			t.Fatal(err)
		}
	}
	create("first", tenants.LinkFirstRun, "", time.Hour, true)
	create("second", tenants.LinkFirstRun, "", time.Hour, true)
	create("sign", tenants.LinkSignIn, p.ada.ID, time.Hour, false)
	create("demo", tenants.LinkDemo, p.ada.ID, time.Hour, false)
	create("late", tenants.LinkSignIn, p.ada.ID, -time.Microsecond, false)

	for _, hash := range []string{"first", "late", "none", ""} {
		_, err := s.Link(ctx, hash)
		wantFault(t, "reading the link "+hash, err, fault.Missing)
		_, err = s.UseLink(ctx, hash)
		wantFault(t, "using the link "+hash, err, fault.Missing)
	}
	for range 2 { // reading uses nothing up
		l, err := s.Link(ctx, "sign")
		if err != nil || l.Person != p.ada.ID || l.Kind != tenants.LinkSignIn || l.UsedAt != nil || !l.ExpiresAt.Equal(now.Add(time.Hour)) {
			t.Fatalf("the sign-in link is %+v, %v", l, err)
		}
	}
	if l, err := s.UseLink(ctx, "sign"); err != nil || l.Person != p.ada.ID {
		t.Errorf("using it: %+v, %v", l, err)
	}
	_, err = s.UseLink(ctx, "sign")
	wantFault(t, "using it again", err, fault.Missing)
	_, err = s.Link(ctx, "sign")
	wantFault(t, "reading it afterwards", err, fault.Missing)
	for range 2 {
		if _, err := s.UseLink(ctx, "demo"); err != nil {
			t.Errorf("the demo's link: %v", err)
		}
	}
	stop := errors.New("stop")
	create("inside", tenants.LinkSignIn, p.ada.ID, time.Hour, false)
	_ = s.Write(ctx, p.tenant, func(w tenants.Writer) error {
		if l, err := w.UseLink("inside"); err != nil || l.Person != p.ada.ID {
			t.Errorf("inside a transaction: %+v, %v", l, err)
		}
		return stop
	})
	if _, err := s.UseLink(ctx, "inside"); err != nil {
		t.Errorf("a link whose transaction failed: %v", err)
	}
}

// testFirstRunLink: the link of the first person works while there is nobody, and is dead
// from the moment on when somebody is there, however they came.
func testFirstRunLink(t *testing.T, w world) {
	ctx, fresh := t.Context(), w.open(t)
	s := fresh.Store.Tenants()
	now, err := s.Now(ctx)
	if err != nil {
		t.Fatal(err)
	}
	create := func(hash string) {
		t.Helper()
		if err := s.CreateLink(ctx, tenants.Link{Hash: hash, Kind: tenants.LinkFirstRun, ExpiresAt: now.Add(time.Hour)}, false); err != nil {
			t.Fatal(err)
		}
	}
	create("before")
	if l, err := s.Link(ctx, "before"); err != nil || l.Kind != tenants.LinkFirstRun {
		t.Errorf("while there is nobody: %+v, %v", l, err)
	}
	eve := auth.Person{ID: auth.NewID("per"), Email: "eve@acme.test", Name: "Eve"}
	if err := s.CreateTenant(ctx, "acme", scoring.DefaultPolicy(), func(w tenants.Writer) error { return w.CreatePerson(eve, "") }); err != nil {
		t.Fatal(err)
	}
	create("after") // by another server, which looked before
	for _, hash := range []string{"before", "after"} {
		_, err = s.Link(ctx, hash)
		wantFault(t, "reading the link from "+hash, err, fault.Missing)
		_, err = s.UseLink(ctx, hash)
		wantFault(t, "using the link from "+hash, err, fault.Missing)
		_ = s.Write(ctx, "acme", func(w tenants.Writer) error {
			_, err := w.UseLink(hash)
			wantFault(t, "using the link from "+hash+" in a transaction", err, fault.Missing)
			return nil
		})
	}
	// Past the store, as a program of before wrote: the person counts, not how they were made.
	third := w.open(t)
	if err := third.Store.Tenants().CreateLink(ctx, tenants.Link{Hash: "raw", Kind: tenants.LinkFirstRun, ExpiresAt: now.Add(time.Hour)}, false); err != nil {
		t.Fatal(err)
	}
	if _, err := third.Raw.ExecContext(ctx, "INSERT INTO people (person_id, email, name, password_hash, created_at) VALUES ('per_raw', 'raw@acme.test', 'Raw', '', $1)", now); err != nil {
		t.Fatal(err)
	}
	_, err = third.Store.Tenants().UseLink(ctx, "raw")
	wantFault(t, "using the link where somebody was written into the table", err, fault.Missing)
}

// testFirstPersonRace: of a first-run link and a person made elsewhere at the same time,
// either comes first; never is the link used after the person.
func testFirstPersonRace(t *testing.T, w world) {
	ctx, fresh := t.Context(), w.open(t)
	s := fresh.Store.Tenants()
	now, err := s.Now(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.CreateTenant(ctx, "acme", scoring.DefaultPolicy(), func(tenants.Writer) error { return nil }); err != nil {
		t.Fatal(err)
	}
	if err := s.CreateLink(ctx, tenants.Link{Hash: "h", Kind: tenants.LinkFirstRun, ExpiresAt: now.Add(time.Hour)}, false); err != nil {
		t.Fatal(err)
	}
	won := race(t, 6, fault.Missing, func(ctx context.Context, i int) error {
		return s.Write(ctx, "acme", func(w tenants.Writer) error {
			if _, err := w.UseLink("h"); err != nil {
				return err
			}
			return w.CreatePerson(auth.Person{ID: auth.NewID("per"), Email: fmt.Sprintf("p%d@acme.test", i)}, "")
		})
	})
	if won != 1 {
		t.Errorf("%d people came by one link", won)
	}
}

// testSignInFailures: they count up to their end, then anew, in whichever server.
func testSignInFailures(t *testing.T, w world) {
	ctx, s := t.Context(), w.Store.Tenants()
	account, address := auth.Limit{Name: "account 1", Tries: 5, Last: time.Hour}, auth.Limit{Name: "address 1", Tries: 50, Last: time.Hour}
	race(t, 8, "", func(ctx context.Context, _ int) error {
		_, _, err := s.CountFailures(ctx, account, address)
		return err
	})
	if err := s.TakeBackFailures(ctx, account); err != nil {
		t.Fatal(err)
	}
	all, now, err := s.Failures(ctx, account.Name, address.Name, "account 2")
	if err != nil || len(all) != 2 || all[account.Name].Count != 7 || all[address.Name].Count != 8 || !all[account.Name].Until.After(now) || all[account.Name].Until.After(now.Add(time.Hour)) {
		t.Errorf("they are %+v at %v, %v", all, now, err)
	}
	if _, err := w.Raw.ExecContext(ctx, "UPDATE sign_in_failures SET ends_at = $1 WHERE name = 'account 1'", now.Add(-time.Microsecond)); err != nil {
		t.Fatal(err)
	}
	if all, _, err := s.Failures(ctx, account.Name); err != nil || len(all) != 0 {
		t.Errorf("after their end: %+v, %v", all, err)
	}
	if all, now, err = s.CountFailures(ctx, account); err != nil || all[account.Name].Count != 1 || !all[account.Name].Until.After(now) {
		t.Errorf("begun anew: %+v, %v", all, err)
	}
	for range 3 {
		if err := s.TakeBackFailures(ctx, account); err != nil {
			t.Fatal(err)
		}
	}
	if all, _, err := s.CountFailures(ctx, account); err != nil || all[account.Name].Count != 1 {
		t.Errorf("more was taken back than there was: %+v, %v", all, err)
	}
	own := auth.Limit{Name: "own per_1", Tries: 5, Last: time.Hour, Forgiving: true}
	for range 3 {
		if _, _, err := s.CountFailures(ctx, own); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.TakeBackFailures(ctx, own); err != nil {
		t.Fatal(err)
	}
	if all, _, err := s.Failures(ctx, own.Name); err != nil || all[own.Name].Count != 0 {
		t.Errorf("forgiven: %+v, %v", all, err)
	}
	// What counts no more is forgotten by and by.
	if _, err := w.Raw.ExecContext(ctx, "UPDATE sign_in_failures SET ends_at = $1", now.Add(-time.Hour)); err != nil {
		t.Fatal(err)
	}
	if err := s.TakeBackFailures(ctx, auth.Limit{Name: "none"}); err != nil {
		t.Fatal(err)
	}
	var left int
	if err := w.Raw.QueryRowContext(ctx, "SELECT count(*) FROM sign_in_failures").Scan(&left); err != nil || left != 0 {
		t.Errorf("%d rows are left, %v", left, err)
	}
}

func testLinkRace(t *testing.T, w world) {
	s := w.Store.Tenants()
	now, _ := s.Now(t.Context())
	if err := s.CreateLink(t.Context(), tenants.Link{Hash: "h", Kind: tenants.LinkSignIn, Person: w.acme.ada.ID, ExpiresAt: now.Add(time.Hour)}, false); err != nil {
		t.Fatal(err)
	}
	won := race(t, 20, fault.Missing, func(ctx context.Context, _ int) error {
		_, err := s.UseLink(ctx, "h")
		return err
	})
	if won != 1 {
		t.Errorf("%d used the link, want 1", won)
	}
}

// race runs fn n times at once and counts who won; whoever lost must say why.
func race(t *testing.T, n int, lost fault.Code, fn func(ctx context.Context, i int) error) (won int) {
	t.Helper()
	errs := make([]error, n)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-start
			errs[i] = fn(t.Context(), i)
		})
	}
	close(start)
	all.Wait()
	for _, err := range errs {
		switch {
		case err == nil:
			won++
		case !fault.Is(err, lost):
			t.Errorf("a loser was told %v, want %s", err, lost)
		}
	}
	return won
}

func testSessions(t *testing.T, w world) {
	ctx, s := t.Context(), w.Store.Sessions()
	later := time.Now().Add(time.Hour)
	if _, found, err := s.FindCtx(ctx, "a"); found || err != nil {
		t.Errorf("no session: %v, %v", found, err)
	}
	for _, data := range []string{"one\x00\xff", "two"} {
		if err := s.CommitCtx(ctx, "a", []byte(data), later); err != nil {
			t.Fatal(err)
		}
		if b, found, err := s.FindCtx(ctx, "a"); !found || err != nil || string(b) != data {
			t.Errorf("the session is %q, %v, %v; want %q", b, found, err, data)
		}
	}
	if err := s.CommitCtx(ctx, "old", []byte("x"), time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	if _, found, err := s.FindCtx(ctx, "old"); found || err != nil {
		t.Errorf("a session that has expired: %v, %v", found, err)
	}
	if err := s.CommitCtx(ctx, "b", []byte("b"), later); err != nil {
		t.Fatal(err)
	}
	var n int
	if err := w.Raw.QueryRowContext(ctx, "SELECT count(*) FROM sessions").Scan(&n); err != nil || n != 2 {
		t.Errorf("%d sessions are kept, %v; want 2 (the expired one cleared away)", n, err)
	}
	if err := s.CommitCtx(ctx, "over", []byte("x"), time.Now().Add(-time.Second)); err != nil {
		t.Fatal(err)
	}
	there, err := s.Existing(ctx, []string{"a", "b", "over", "nobody's"})
	slices.Sort(there)
	if err != nil || !slices.Equal(there, []string{"a", "b"}) {
		t.Errorf("of four, these exist: %v, %v", there, err)
	}
	if there, err := s.Existing(ctx, nil); len(there) > 0 || err != nil {
		t.Errorf("of none, these exist: %v, %v", there, err)
	}
	if err := s.DeleteCtx(ctx, "a"); err != nil {
		t.Fatal(err)
	}
	if there, err := s.Existing(ctx, []string{"a", "b"}); !slices.Equal(there, []string{"b"}) || err != nil {
		t.Errorf("after one was ended, these exist: %v, %v", there, err)
	}
	if _, found, _ := s.FindCtx(ctx, "a"); found {
		t.Error("a session that was ended is found")
	}
	if _, found, _ := s.FindCtx(ctx, "b"); !found {
		t.Error("ending one session ended another")
	}
	if err := s.DeleteCtx(ctx, strings.Repeat("x", 10)); err != nil {
		t.Errorf("ending a session that is not there: %v", err)
	}
}
