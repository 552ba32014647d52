package auth_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/auth/authtest"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
)

func newDoors(t *testing.T) *auth.Doors {
	t.Helper()
	d, err := auth.NewDoors(auth.NewDoorsKey() + "\n")
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// The cookie of a device is good for one person with one password, until its end, where
// the key is.
func TestDevice(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	d, other := newDoors(t), newDoors(t)
	cookie := d.Device("per_1", "hash", now)
	limit, ok := d.Known(cookie, "per_1", "hash", now)
	if !ok || limit.Tries != 10 || limit.Last != auth.DeviceLife || !strings.HasPrefix(limit.Name, "device ") || strings.Contains(limit.Name, cookie[:20]) {
		t.Fatalf("it is %+v, %v", limit, ok)
	}
	if again, _ := d.Known(d.Device("per_1", "hash", now), "per_1", "hash", now); again.Name == limit.Name {
		t.Error("two sign-ins have one count")
	}
	parts := strings.Split(cookie, ".")
	for name, c := range map[string]struct {
		doors                *auth.Doors
		cookie, person, hash string
		at                   time.Time
	}{
		"another person":        {d, cookie, "per_2", "hash", now},
		"nobody":                {d, cookie, "", "hash", now},
		"another password":      {d, cookie, "per_1", "hash2", now},
		"parts that move":       {d, cookie, "per_1h", "ash", now},
		"another key":           {other, cookie, "per_1", "hash", now},
		"its end":               {d, cookie, "per_1", "hash", now.Add(auth.DeviceLife)},
		"a later end":           {d, parts[0] + "." + parts[1] + "0." + parts[2], "per_1", "hash", now},
		"another nonce":         {d, "A" + cookie, "per_1", "hash", now},
		"no signature":          {d, parts[0] + "." + parts[1] + ".", "per_1", "hash", now},
		"nothing":               {d, "", "per_1", "hash", now},
		"too many parts":        {d, cookie + ".x", "per_1", "hash", now},
		"a part that is no end": {d, parts[0] + ".." + parts[2], "per_1", "hash", now},
	} {
		if l, ok := c.doors.Known(c.cookie, c.person, c.hash, c.at); ok {
			t.Errorf("%s: known as %+v", name, l)
		}
	}
	for _, secret := range []string{"", "x", strings.Repeat("A", 30)} {
		if _, err := auth.NewDoors(secret); err == nil || secret != "" && strings.Contains(err.Error(), secret) {
			t.Errorf("the key %q: %v", secret, err)
		}
	}
}

// Addresses of one network count together, and all names are so few that no flood of
// invented ones has to be thrown out.
func TestNamesOfFailures(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one goroutine computes")
	d := newDoors(t)
	for _, same := range [][2]string{{"2001:db8:1:2::1", "2001:db8:1:2:ffff::9"}, {"192.0.2.1", "::ffff:192.0.2.1"}, {"fe80::1%eth0", "fe80::2%eth1"}} {
		if a, b := d.Address(same[0]), d.Address(same[1]); a != b || a.Tries != 50 {
			t.Errorf("%s counts as %+v, %s as %+v", same[0], a, same[1], b)
		}
	}
	for _, other := range [][2]string{{"2001:db8:1:2::1", "2001:db8:1:3::1"}, {"192.0.2.1", "192.0.2.2"}, {"x", "y"}} {
		if a, b := d.Address(other[0]), d.Address(other[1]); a == b {
			t.Errorf("%s and %s count as %+v", other[0], other[1], a)
		}
	}
	names := map[string]bool{}
	for i := range 400_000 {
		names[d.Account(fmt.Sprintf("invented-%d@example.test", i)).Name] = true
	}
	if len(names) > 1<<16 || len(names) < 60_000 {
		t.Errorf("%d names", len(names))
	}
	if d.Account("ada@example.test") == newDoors(t).Account("ada@example.test") {
		t.Error("which accounts count together can be known without the key")
	}
}

// A flood of strangers finds the line full at once; who proved something has another line.
func TestLinesForPasswords(t *testing.T) {
	t.Parallel()
	p := authtest.Passwords(2)
	places := 0
	for ; places < 1000; places++ {
		if _, err := p.Enter(false); err != nil {
			if f := fault.As(err); f.Code != fault.RateLimited || f.RetryAfter <= 0 {
				t.Errorf("the line is full: %v, after %v", err, f.RetryAfter)
			}
			break
		}
	}
	if places == 0 || places > 50 {
		t.Errorf("%d places", places)
	}
	g, err := p.Enter(true)
	if err != nil {
		t.Fatalf("somebody known: %v", err)
	}
	defer g.Leave()
	if hash, err := p.Hash(t.Context(), "correct horse battery"); err != nil {
		t.Errorf("a new password: %v", err)
	} else if ok, err := g.Verify(t.Context(), hash, "correct horse battery"); err != nil || !ok {
		t.Errorf("checked by somebody known: %v, %v", ok, err)
	}
}
