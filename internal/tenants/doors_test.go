package tenants_test

import (
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/auth/authtest"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/tenants"
)

// gate is a town in which ada has a password, with what guessers do.
type gate struct {
	*town
	servers []*tenants.Service // of one database
	tries   int
}

const wrongPassword = "not this one at all"

// atTheGate runs a test over each database, with two servers.
func atTheGate(t *testing.T, test func(t *testing.T, g *gate)) {
	for db, open := range map[string]func(t *testing.T) *town{
		"sqlite":   newTown,
		"postgres": func(t *testing.T) *town { v, _ := newPostgresTown(t); return v },
	} {
		t.Run(db, func(t *testing.T) {
			t.Parallel()
			v := open(t)
			_, err := v.SetPassword(t.Context(), v.people["ada"].Person.Email, good)
			must(t, err)
			second := tenants.NewService(tenants.Config{Store: v.db.Tenants(), Passwords: passwords, Doors: doors, Log: slog.New(slog.DiscardHandler)})
			test(t, &gate{town: v, servers: []*tenants.Service{v.Service, second}})
		})
	}
}

// knock tries a password from an address that nobody used before, on either server in turn.
func (g *gate) knock(email, password, device string) error {
	g.t.Helper()
	g.tries++
	_, err := g.servers[g.tries%2].SignIn(g.t.Context(), tenants.SigningIn{Email: email, Password: password, From: fmt.Sprintf("198.51.%d.%d", g.tries/250, g.tries%250), Device: device})
	return err
}

func (g *gate) wantKnocks(what string, n int, email, password, device string, code fault.Code) {
	g.t.Helper()
	for i := range n {
		if err := g.knock(email, password, device); !fault.Is(err, code) {
			g.t.Errorf("%s, %d: %v, want %s", what, i+1, err, code)
		}
	}
}

// pause is what strangers do to an account, without the hashing.
func (g *gate) pause(email string, failures int) {
	g.t.Helper()
	for range failures {
		_, _, err := g.db.Tenants().CountFailures(g.t.Context(), doors.Account(email))
		must(g.t, err)
	}
}

func (g *gate) device(name string) string {
	g.t.Helper()
	cookie, err := g.Device(g.t.Context(), g.people[name].Person.ID)
	must(g.t, err)
	return cookie
}

// Strangers pause an account for strangers, from however many addresses and on whichever
// server. Its owner comes in with a browser that is known, and only with that.
func TestStrangersDoNotShutOut(t *testing.T) {
	t.Parallel()
	atTheGate(t, func(t *testing.T, g *gate) {
		ada := g.people["ada"].Person.Email
		device := g.device("ada")
		g.wantKnocks("a stranger", 5, ada, wrongPassword, "", fault.SignInFailed)
		g.wantKnocks("a stranger who is paused", 3, ada, wrongPassword, "", fault.RateLimited)
		g.wantKnocks("the owner as a stranger", 1, ada, good, "", fault.RateLimited)
		if err := g.knock(ada, good, device); err != nil {
			t.Errorf("the owner with a known browser: %v", err)
		}
		// Nobody has the same answer.
		g.wantKnocks("nobody", 5, "nobody@example.com", wrongPassword, "", fault.SignInFailed)
		g.wantKnocks("nobody, paused", 1, "nobody@example.com", wrongPassword, "", fault.RateLimited)
		g.wantKnocks("nobody with somebody's browser", 1, "nobody@example.com", wrongPassword, device, fault.RateLimited)
	})
}

// A cookie is worth ten guesses, once; one that is forged, of somebody else or of an old
// password is worth none.
func TestStolenDevice(t *testing.T) {
	t.Parallel()
	atTheGate(t, func(t *testing.T, g *gate) {
		ada := g.people["ada"].Person.Email
		device, fresh := g.device("ada"), g.device("ada")
		g.pause(ada, 5)
		for name, cookie := range map[string]string{"forged": device[:len(device)-2] + "xx", "of somebody else": g.device("adam"), "of another console": newDoors().Device(g.people["ada"].Person.ID, "", time.Now())} {
			g.wantKnocks(name, 1, ada, good, cookie, fault.RateLimited)
		}
		g.wantKnocks("the thief", 10, ada, wrongPassword, device, fault.SignInFailed)
		g.wantKnocks("the thief, as a stranger", 2, ada, wrongPassword, device, fault.RateLimited)
		g.wantKnocks("the right one with that cookie", 1, ada, good, device, fault.RateLimited)
		if err := g.knock(ada, good, fresh); err != nil {
			t.Errorf("another browser of the owner: %v", err)
		}
		_, err := g.SetPassword(t.Context(), ada, good+"!")
		must(t, err)
		g.wantKnocks("a browser from before the password changed", 1, ada, good+"!", fresh, fault.RateLimited)
		if err := g.knock(ada, good+"!", g.device("ada")); err != nil {
			t.Errorf("a browser since: %v", err)
		}
	})
}

// However many accounts somebody invents, what is counted of one stays.
func TestInventedAccountsResetNothing(t *testing.T) {
	t.Parallel()
	atTheGate(t, func(t *testing.T, g *gate) {
		ada := g.people["ada"].Person.Email
		g.pause(ada, 4)
		before, _, err := g.db.Tenants().Failures(t.Context(), doors.Account(ada).Name)
		must(t, err)
		for i := range 300 {
			_, _, err := g.db.Tenants().CountFailures(t.Context(), doors.Account(fmt.Sprintf("invented-%d@example.com", i)), doors.Address(fmt.Sprintf("2001:db8:0:%x::1", i)))
			must(t, err)
		}
		after, _, err := g.db.Tenants().Failures(t.Context(), doors.Account(ada).Name)
		must(t, err)
		if name := doors.Account(ada).Name; before[name].Count != 4 || after[name].Count < 4 || !after[name].Until.Equal(before[name].Until) {
			t.Errorf("it was counted %+v, and is %+v", before, after)
		}
		_ = g.knock(ada, wrongPassword, "") // the fifth
		g.wantKnocks("the owner as a stranger", 1, ada, good, "", fault.RateLimited)
	})
}

// One address pauses for everybody behind it, of IPv6 the network; not for who is known.
// What succeeds does not count.
func TestAddressIsPaused(t *testing.T) {
	t.Parallel()
	atTheGate(t, func(t *testing.T, g *gate) {
		ada := g.people["ada"].Person.Email
		from := func(n int, email, password, device string) error {
			_, err := g.servers[n%2].SignIn(t.Context(), tenants.SigningIn{Email: email, Password: password, From: fmt.Sprintf("2001:db8:7:7::%x", n+1), Device: device})
			return err
		}
		must(t, from(0, ada, good, "")) // somebody of the office
		store, address := g.db.Tenants(), doors.Address("2001:db8:7:7::1")
		for range 49 {
			_, _, err := store.CountFailures(t.Context(), address)
			must(t, err)
		}
		must(t, from(1, ada, good, ""))
		wantFault(t, "the fiftieth", from(2, "nobody@example.com", wrongPassword, ""), fault.SignInFailed)
		wantFault(t, "from the same network", from(3, ada, good, ""), fault.RateLimited)
		if err := from(4, ada, good, g.device("ada")); err != nil {
			t.Errorf("a known browser there: %v", err)
		}
	})
}

// Who is signed in changes their password whatever strangers try.
func TestOwnPasswordIsNotShutOut(t *testing.T) {
	t.Parallel()
	atTheGate(t, func(t *testing.T, g *gate) {
		ada := g.people["ada"].Person
		g.pause(ada.Email, 5)
		now, err := g.db.Tenants().Now(t.Context())
		must(t, err)
		change := func(current string) error {
			_, err := g.ChangePassword(t.Context(), tenants.PasswordChange{Person: ada.ID, SignedIn: now, Current: current, New: good + "!"})
			return err
		}
		wantFault(t, "another one", change(wrongPassword), fault.WrongPassword)
		if err := change(good); err != nil {
			t.Errorf("the right one: %v", err)
		}
	})
}

// A full line refuses before anything counts.
func TestFullLineCountsNothing(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	full := authtest.Passwords(1)
	for {
		if _, err := full.Enter(false); err != nil {
			break
		}
	}
	s := tenants.NewService(tenants.Config{Store: v.db.Tenants(), Passwords: full, Doors: doors, Log: slog.New(slog.DiscardHandler)})
	ada := v.people["ada"].Person
	for range 7 {
		_, err := s.SignIn(t.Context(), tenants.SigningIn{Email: ada.Email, Password: wrongPassword, From: "::1"})
		wantFault(t, "a full line", err, fault.RateLimited)
	}
	all, _, err := v.db.Tenants().Failures(t.Context(), doors.Account(ada.Email).Name)
	if err != nil || len(all) != 0 {
		t.Errorf("it counted %+v, %v", all, err)
	}
	device, err := s.Device(t.Context(), ada.ID)
	must(t, err)
	_, err = s.SignIn(t.Context(), tenants.SigningIn{Email: ada.Email, Password: wrongPassword, From: "::1", Device: device})
	wantFault(t, "a known browser", err, fault.SignInFailed)
}

// An address that nobody has costs exactly the hashing that one costs which somebody has:
// with a password, without one, wrong or right.
func TestUnknownAddressesCostTheSameHashing(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	hashes := authtest.Passwords(2)
	s := tenants.NewService(tenants.Config{Store: v.db.Tenants(), Passwords: hashes, Doors: doors, Log: slog.New(slog.DiscardHandler)})
	_, err := s.CreatePerson(t.Context(), "acme", "olga@example.com", "", good, []auth.Role{auth.Operator})
	must(t, err)
	cost := func(email, password string) int64 {
		before := hashes.Hashed()
		_, _ = s.SignIn(t.Context(), tenants.SigningIn{Email: email, Password: password, From: "192.0.2.7"})
		return hashes.Hashed() - before
	}
	for what, got := range map[string]int64{
		"the right password":           cost("olga@example.com", good),
		"a wrong one":                  cost("olga@example.com", "not the password at all"),
		"somebody without a password":  cost("ada@example.com", good),
		"nobody":                       cost("nobody@example.com", good),
		"no address":                   cost("nobody", good),
		"nobody, with a long password": cost("nobody@example.com", strings.Repeat("x", 5000)),
	} {
		if got != 1 {
			t.Errorf("%s: %d hashes, want 1", what, got)
		}
	}
}
