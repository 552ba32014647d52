package command

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"errors"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/auth/authtest"
	"github.com/countersign/countersign/internal/tenants"
)

// Who can write to the tables, and has no key of the servers, is nobody else by it: eve, who
// is an admin, writes rows that would let her in as bob or carol.

// writes changes something past every check of the store; it must change rows.
func (b *besieged) writes(raw *sql.DB, statement string, args ...any) {
	b.t.Helper()
	done, err := raw.ExecContext(b.t.Context(), statement, args...)
	if err != nil {
		b.t.Fatalf("%s: %v", statement, err)
	}
	if n, err := done.RowsAffected(); err != nil || n == 0 {
		b.t.Fatalf("%s changed %d rows, %v", statement, n, err)
	}
}

// entered reports whether somebody can work with the session of a cookie.
func (b *besieged) entered(name, token string) bool {
	b.t.Helper()
	at, err := url.Parse(b.servers[0].url)
	if err != nil {
		b.t.Fatal(err)
	}
	jar, err := cookiejar.New(nil)
	if err != nil {
		b.t.Fatal(err)
	}
	jar.SetCookies(at, []*http.Cookie{{Name: "countersign_session", Value: token}})
	b.people[name] = b.browsers()
	for _, o := range b.people[name] {
		o.http.Jar = jar
	}
	status, _, _ := b.people[name][0].get("/t/acme/queue")
	return status == http.StatusOK
}

// token is that of somebody's session.
func (b *besieged) token(name string) string {
	b.t.Helper()
	at, err := url.Parse(b.servers[0].url)
	if err != nil {
		b.t.Fatal(err)
	}
	for _, c := range b.people[name][0].http.Jar.Cookies(at) {
		if c.Name == "countersign_session" {
			return c.Value
		}
	}
	b.t.Fatalf("%s has no session", name)
	return ""
}

// signInLink is a link as the program makes them.
func (b *besieged) signInLink(email string) string {
	b.t.Helper()
	db, err := openStore(b.t.Context(), b.set, slog.New(slog.DiscardHandler))
	if err != nil {
		b.t.Fatal(err)
	}
	doors, err := openDoors(b.set.DataDir)
	if err != nil {
		b.t.Fatal(err)
	}
	s := tenants.NewService(tenants.Config{Store: db.Tenants(), Passwords: authtest.Passwords(1), Doors: doors, Log: slog.New(slog.DiscardHandler)})
	token, err := s.SignInLink(b.t.Context(), "acme", email, tenants.LinkSignIn)
	if err = errors.Join(err, db.Close()); err != nil {
		b.t.Fatal(err)
	}
	return token
}

func sessionName(token string) string {
	sum := sha256.Sum256([]byte(token))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// TestForgedRowsLetNobodyIn: a session, a link and a password that somebody wrote into the
// tables sign nobody in, and a link that waits for another admin does not work because a row
// says that it waits no more.
func TestForgedRowsLetNobodyIn(t *testing.T) {
	t.Parallel()
	onBesieged(t, func(b *besieged) {
		t, raw := b.t, rawDatabase(b.t, b.set)
		eve := b.token("eve")
		if !b.entered("eve again", eve) {
			t.Fatal("control: eve's own session lets nobody in")
		}

		// A session of bob's, once more under a token that eve knows.
		const known = "a-token-that-eve-knows"
		b.writes(raw, "INSERT INTO sessions (token_hash, data, expires_at) SELECT $1, data, expires_at FROM sessions WHERE token_hash = $2", sessionName(known), sessionName(b.token("bob")))
		if b.entered("as bob", known) {
			t.Error("a copied session lets somebody in")
		}
		b.writes(raw, "DELETE FROM sessions WHERE token_hash = $1", sessionName(known))
		// Her own session, with bob's id in it.
		var stored string
		if err := raw.QueryRowContext(t.Context(), "SELECT data FROM sessions WHERE token_hash = $1", sessionName(eve)).Scan(&stored); err != nil {
			t.Fatal(err)
		}
		data, err := base64.StdEncoding.DecodeString(stored)
		if err != nil || !bytes.Contains(data, []byte(b.ids["eve"])) {
			t.Fatalf("a session is stored as %q, %v", data, err)
		}
		data = bytes.ReplaceAll(data, []byte(b.ids["eve"]), []byte(b.ids["bob"]))
		b.writes(raw, "UPDATE sessions SET data = $1 WHERE token_hash = $2", base64.StdEncoding.EncodeToString(data), sessionName(eve))
		if b.entered("as bob", eve) {
			t.Error("an edited session lets somebody in")
		}
		b.writes(raw, "UPDATE sessions SET data = $1 WHERE token_hash = $2", stored, sessionName(eve))

		// Links to sign in: one of eve's that becomes bob's, and one that nobody made.
		token := b.signInLink("eve@acme.test")
		enters := func(token string) int {
			t.Helper()
			b.people["by a link"] = b.browsers()
			status, _ := b.posts("by a link", "/sign-in", url.Values{"token": {token}})
			return status
		}
		b.writes(raw, "UPDATE sign_in_links SET person_id = $1 WHERE token_hash = $2", b.ids["bob"], auth.HashToken(token))
		if status := enters(token); status < http.StatusBadRequest {
			t.Errorf("a link with another person in it is answered %d", status)
		}
		b.writes(raw, "INSERT INTO sign_in_links (token_hash, kind, person_id, expires_at) SELECT $1, kind, person_id, expires_at FROM sign_in_links WHERE token_hash = $2", auth.HashToken("made-by-eve"), auth.HashToken(token))
		if status := enters("made-by-eve"); status < http.StatusBadRequest {
			t.Errorf("a link that nobody made is answered %d", status)
		}
		b.writes(raw, "UPDATE sign_in_links SET person_id = $1 WHERE token_hash = $2", b.ids["eve"], auth.HashToken(token))
		if status := enters(token); status != http.StatusSeeOther {
			t.Errorf("control: eve's own link is answered %d", status)
		}

		// A password link for carol, which waits for bob.
		_, page := b.posts("eve", "/t/acme/settings/people/"+b.ids["carol"]+"/password-link", ticketField())
		link := ticketLink.FindStringSubmatch(page)
		if link == nil {
			t.Fatalf("no password link: %.2000s", page)
		}
		ticket, err := url.QueryUnescape(link[1])
		if err != nil {
			t.Fatal(err)
		}
		b.writes(raw, "UPDATE tickets SET waits = FALSE WHERE kind = 'password'")
		b.people["nobody"] = b.browsers()
		if status, page := b.posts("nobody", "/new-password", url.Values{"ticket": {ticket}, "password": {"another horse battery"}}); status < http.StatusBadRequest {
			t.Errorf("a link that waits, but for its row, is answered %d %.300s", status, page)
		}
		b.writes(raw, "UPDATE tickets SET waits = TRUE WHERE kind = 'password'")

		// Carol's password becomes eve's.
		var own, others string
		for email, into := range map[string]*string{"eve@acme.test": &own, "carol@acme.test": &others} {
			if err := raw.QueryRowContext(t.Context(), "SELECT password_hash FROM people WHERE email = $1", email).Scan(into); err != nil {
				t.Fatal(err)
			}
		}
		b.people["as carol"] = b.browsers()
		sign := url.Values{"email": {"carol@acme.test"}, "password": {testPassword}}
		if status, _ := b.posts("as carol", "/sign-in", sign); status != http.StatusSeeOther {
			t.Errorf("control: carol's sign-in is answered %d", status)
		}
		b.writes(raw, "UPDATE people SET password_hash = $1 WHERE email = 'carol@acme.test'", own)
		if status, _ := b.posts("as carol", "/sign-in", sign); status < http.StatusBadRequest {
			t.Errorf("signing in with a password that somebody wrote into the table is answered %d", status)
		}
		r := b.asks()
		if status := b.signs("bob", r, nil); status < http.StatusBadRequest {
			t.Errorf("while a password is another one than the trail tells of, an approval is answered %d", status)
		}
		if code, out, _ := command(t, "", "audit", "verify", "--data-dir", b.set.DataDir, "--database-url", b.set.DatabaseURL); code != 1 || !strings.Contains(out, "the stored password isn't the one") {
			t.Errorf("the verification ends with %d: %s", code, out)
		}
		b.writes(raw, "UPDATE people SET password_hash = $1 WHERE email = 'carol@acme.test'", others)
		if status := b.signs("bob", r, nil); status != http.StatusSeeOther {
			t.Errorf("control: an approval afterwards is answered %d", status)
		}
	})
}
