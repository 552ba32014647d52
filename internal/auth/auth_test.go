package auth_test

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/auth/authtest"
)

func TestPasswords(t *testing.T) {
	t.Parallel()
	p := auth.NewPasswords(2, auth.RFC9106())
	hash, err := p.Hash(t.Context(), "correct horse battery")
	if err != nil {
		t.Fatal(err)
	}
	again, _ := p.Hash(t.Context(), "correct horse battery")
	if hash == again || !strings.HasPrefix(hash, "$argon2id$v=19$m=65536,t=3,p=1$") {
		t.Errorf("hashes %q and %q: want two different argon2id strings", hash, again)
	}
	for _, c := range []struct {
		name, hash, password string
		want                 bool
	}{
		{"the right one", hash, "correct horse battery", true},
		{"a wrong one", hash, "correct horse batterz", false},
		{"empty", hash, "", false},
		{"nobody of that address", "", "correct horse battery", false},
	} {
		g, err := p.Enter(false)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := g.Verify(t.Context(), c.hash, c.password); got != c.want || err != nil {
			t.Errorf("%s: got %v, %v; want %v", c.name, got, err, c.want)
		}
		g.Leave()
	}
	g, err := p.Enter(true)
	if err != nil {
		t.Fatal(err)
	}
	defer g.Leave()
	if _, err := g.Verify(t.Context(), "$argon2id$v=19$m=8,t=1,p=1$AA$AA", "x"); err == nil {
		t.Error("a hash with weaker parameters was accepted")
	}
	if cheap, err := authtest.Passwords(1).Hash(t.Context(), "x"); err != nil {
		t.Error(err)
	} else if _, err := g.Verify(t.Context(), cheap, "x"); err == nil {
		t.Errorf("%s, a hash of tests, was accepted", cheap)
	}
}

func TestCheckPassword(t *testing.T) {
	t.Parallel()
	for password, ok := range map[string]bool{
		"twelve chars": true, "eleven char": false, "": false, strings.Repeat("é", 256): true, strings.Repeat("a", 257): false, "bad \xff utf8 here": false,
	} {
		if err := auth.CheckPassword(password); (err == nil) != ok {
			t.Errorf("%q: %v, want ok %v", password, err, ok)
		}
	}
}

func TestAgentKeys(t *testing.T) {
	t.Parallel()
	key, hash := auth.NewAgentKey("acme-2")
	tenant, got, ok := auth.SplitAgentKey(key)
	if !ok || tenant != "acme-2" || got != hash || strings.Contains(hash, key[12:]) {
		t.Fatalf("key %q split into %q %q %v", key, tenant, got, ok)
	}
	for _, bad := range []string{"", "csk_", "csk_acme", "csk_acme_short", key + "x", "csk_ACME_" + key[11:], strings.Replace(key, "csk_", "tok_", 1), "csk__" + key[11:]} {
		if _, _, ok := auth.SplitAgentKey(bad); ok {
			t.Errorf("%q passed as a key", bad)
		}
	}
}

// A name that can't be an organisation's short one is told the short one that is near it.
func TestSlugs(t *testing.T) {
	t.Parallel()
	for slug, offer := range map[string]string{"acme": "", "a1": "", "Acme Inc": "acme-inc", "Über GmbH & Co.": "ber-gmbh-co", "1": "acme", "": "acme", "x": "acme"} {
		err := auth.CheckSlug(slug)
		if (err == nil) != (offer == "") || err != nil && !strings.Contains(err.Error(), "for example "+offer+")") {
			t.Errorf("%q: %v, want it to offer %q", slug, err, offer)
		}
	}
}

func TestNewIDsSortByTime(t *testing.T) {
	t.Parallel()
	last := ""
	for range 2000 {
		id := auth.NewID("apr")
		if id <= last || len(id) != 36 {
			t.Fatalf("%q after %q", id, last)
		}
		last = id
	}
}

func TestPermissions(t *testing.T) {
	t.Parallel()
	type set = map[auth.Permission]bool
	for _, c := range []struct {
		roles []auth.Role
		may   set
	}{
		{nil, set{}},
		{[]auth.Role{auth.Operator}, set{auth.ReadQueue: true, auth.Decide: true, auth.ReadAudit: true, auth.ReadPolicy: true, auth.ProposePolicy: true, auth.StopAgents: true}},
		{[]auth.Role{auth.Compliance}, set{auth.ReadQueue: true, auth.ReadAudit: true, auth.ExportAudit: true, auth.ReadPolicy: true, auth.ReadAgents: true, auth.ReadPeople: true}},
		{[]auth.Role{auth.Admin}, set{
			auth.ReadQueue: true, auth.ReadAudit: true, auth.ReadPolicy: true, auth.ProposePolicy: true, auth.ChangePolicy: true,
			auth.ReadAgents: true, auth.ManageAgents: true, auth.StopAgents: true, auth.ReadPeople: true, auth.ManagePeople: true,
		}},
		{[]auth.Role{"owner"}, set{}},
	} {
		for _, p := range []auth.Permission{
			auth.ReadQueue, auth.Decide, auth.ReadAudit, auth.ExportAudit, auth.ReadPolicy, auth.ProposePolicy, auth.ChangePolicy,
			auth.ReadAgents, auth.ManageAgents, auth.StopAgents, auth.ReadPeople, auth.ManagePeople,
		} {
			if got := (auth.Member{Roles: c.roles}).May(p); got != c.may[p] {
				t.Errorf("%v may %s: %v", c.roles, p, got)
			}
		}
	}
}
