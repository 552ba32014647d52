package auth_test

import (
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
)

func TestPasswords(t *testing.T) {
	t.Parallel()
	p := auth.NewPasswords(2)
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
		if got, err := p.Verify(t.Context(), c.hash, c.password); got != c.want || err != nil {
			t.Errorf("%s: got %v, %v; want %v", c.name, got, err, c.want)
		}
	}
	if _, err := p.Verify(t.Context(), "$argon2id$v=19$m=8,t=1,p=1$AA$AA", "x"); err == nil {
		t.Error("a hash with weaker parameters was accepted")
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

func TestThrottle(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	th := auth.NewThrottle(func() time.Time { return now })
	for i := range 5 {
		if err := th.Try("ada@example.test", "192.0.2.1"); err != nil {
			t.Fatalf("attempt %d: %v", i+1, err)
		}
	}
	err := th.Try("ada@example.test", "192.0.2.9")
	if !fault.Is(err, fault.RateLimited) || fault.As(err).RetryAfter != 15*time.Minute {
		t.Errorf("the account after five attempts: %v, want rate-limited for 15 minutes", err)
	}
	if err := th.Try("eve@example.test", "192.0.2.1"); err != nil {
		t.Errorf("a colleague behind the same address: %v", err)
	}
	now = now.Add(15 * time.Minute)
	for range 4 {
		if err := th.Try("ada@example.test", "192.0.2.1"); err != nil {
			t.Errorf("after the window: %v", err)
		}
	}
	th.Succeeded("ada@example.test", "192.0.2.1")
	if err := th.Try("ada@example.test", "192.0.2.1"); err != nil {
		t.Errorf("after a success: %v", err)
	}
	for range 100 { // an office that signs in is never locked out
		if err := th.Try("eve@example.test", "192.0.2.1"); err != nil {
			t.Fatalf("a success counted: %v", err)
		}
		th.Succeeded("eve@example.test", "192.0.2.1")
	}
	for i := range 46 {
		if err := th.Try(string(rune('a'+i)), "192.0.2.1"); err != nil {
			t.Fatalf("account %d from one address: %v", i, err)
		}
	}
	if err := th.Try("new@example.test", "192.0.2.1"); !fault.Is(err, fault.RateLimited) {
		t.Errorf("the 51st attempt from one address: %v, want rate-limited", err)
	}
}

// The table of role × permission, written a second time: a permission changes
// hands only where both are changed.
func TestPermissions(t *testing.T) {
	t.Parallel()
	type set = map[auth.Permission]bool
	for _, c := range []struct {
		roles []auth.Role
		may   set
	}{
		{nil, set{}},
		{[]auth.Role{auth.Operator}, set{auth.ReadQueue: true, auth.Decide: true, auth.ReadAudit: true, auth.ReadPolicy: true, auth.ProposePolicy: true}},
		{[]auth.Role{auth.Compliance}, set{auth.ReadQueue: true, auth.ReadAudit: true, auth.ExportAudit: true, auth.ReadPolicy: true, auth.ReadAgents: true, auth.ReadPeople: true}},
		{[]auth.Role{auth.Admin}, set{
			auth.ReadQueue: true, auth.ReadAudit: true, auth.ReadPolicy: true, auth.ProposePolicy: true, auth.ChangePolicy: true,
			auth.ReadAgents: true, auth.ManageAgents: true, auth.ReadPeople: true, auth.ManagePeople: true,
		}},
		{[]auth.Role{"owner"}, set{}},
	} {
		for _, p := range []auth.Permission{
			auth.ReadQueue, auth.Decide, auth.ReadAudit, auth.ExportAudit, auth.ReadPolicy, auth.ProposePolicy, auth.ChangePolicy,
			auth.ReadAgents, auth.ManageAgents, auth.ReadPeople, auth.ManagePeople,
		} {
			if got := (auth.Member{Roles: c.roles}).May(p); got != c.may[p] {
				t.Errorf("%v may %s: %v", c.roles, p, got)
			}
		}
	}
}
