package lifetest

import (
	"fmt"
	"io/fs"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/migrations"
)

// beforeAuthority is the last schema without authority.
const beforeAuthority = 60

// down takes the newer tables away, with all that is in them.
func (h *house) down(to int64) {
	h.t.Helper()
	d, others := goose.DialectSQLite3, "*.postgres.sql"
	if h.clock == nil {
		d, others = goose.DialectPostgres, "*.sqlite.sql"
	}
	names, err := fs.Glob(migrations.Files, others)
	if err != nil {
		h.t.Fatal(err)
	}
	p, err := goose.NewProvider(d, h.raw, migrations.Files, goose.WithDisableGlobalRegistry(true), goose.WithExcludeNames(names))
	if err != nil {
		h.t.Fatal(err)
	}
	if _, err := p.DownTo(h.t.Context(), to); err != nil {
		h.t.Fatal(err)
	}
}

// An organisation of before: everybody keeps what they had, what was open goes on, and the
// mode is that of the people who had signed in.
func TestUpgradeToAuthority(t *testing.T) {
	t.Parallel()
	for _, signedIn := range []int{1, 2} {
		for database, open := range map[string]func(t testing.TB) *house{"sqlite": newOldHouse, "postgres": newOldPostgresHouse} {
			t.Run(fmt.Sprintf("%s, %d signed in", database, signedIn), func(t *testing.T) {
				t.Parallel()
				upgraded(t, open(t), signedIn)
			})
		}
	}
}

func upgraded(t *testing.T, h *house, signedIn int) {
	ctx := t.Context()
	h.policy(func(p *scoring.Policy) {
		p.MinReviewSeconds = scoring.PerLevel[int]{}
		p.ApprovalsRequired.Medium = 2
	})
	half := h.waiting(confirm, scoring.ChallengeConfirm)
	if _, err := h.decide(h.ada, half.ID, form(h.show(h.ada, half.ID))); err != nil {
		t.Fatal(err)
	}
	h.policy(func(p *scoring.Policy) { p.ApprovalsRequired.Medium = 1 })
	ahead := h.allow(h.ada, ahead(h.waiting(confirmWith("basket"), scoring.ChallengeConfirm), 3))
	granted := h.submit(harmless)
	join, _, err := h.people().Invite(ctx, h.eve, auth.NewID("tkt"), "new@acme.test", []auth.Role{auth.Operator})
	if err != nil {
		t.Fatal(err)
	}
	password, _, err := h.people().PasswordTicket(ctx, h.eve, auth.NewID("tkt"), h.ben.Person.ID)
	if err != nil {
		t.Fatal(err)
	}
	roles := h.told("SELECT person_id || ' ' || roles FROM memberships ORDER BY person_id")

	// These events were told by this program, with sums that need the salts.
	h.exec("CREATE TABLE kept_salts AS SELECT person_id, salt FROM people")
	h.down(beforeAuthority)
	for _, m := range []auth.Member{h.ada, h.ben}[:signedIn] {
		h.exec("UPDATE memberships SET last_sign_in_at = created_at WHERE person_id = '" + m.Person.ID + "'")
	}
	if err := h.db.Migrate(ctx); err != nil {
		t.Fatal(err)
	}
	h.exec("UPDATE people SET salt = (SELECT salt FROM kept_salts k WHERE k.person_id = people.person_id)")
	h.exec("DROP TABLE kept_salts")
	h.signedFirst()
	for range 2 { // two servers
		if err := h.people().TellMode(ctx, "acme"); err != nil {
			t.Fatal(err)
		}
	}
	h.wantVerified()

	if got := h.told("SELECT person_id || ' ' || roles FROM memberships ORDER BY person_id"); len(got) != 3 || got[0] != roles[0] || got[1] != roles[1] || got[2] != roles[2] {
		t.Errorf("they may %q, before %q", got, roles)
	}
	in, err := h.people().Enter(ctx, "acme", h.ada.Person.ID, time.Now())
	if err != nil || in.Single != (signedIn == 1) {
		t.Errorf("%d had signed in: single-person mode %v, %v", signedIn, in.Single, err)
	}
	if done, err := h.decide(h.ben, half.ID, form(h.show(h.ben, half.ID))); err != nil || done.Status != approvals.Approved {
		t.Errorf("the second signature of two: %s, %v", done.Status, err)
	}
	if _, err := h.consume(granted, granted.Digest, ""); err != nil {
		t.Errorf("a grant of before: %v", err)
	}
	if a := h.submit(confirmWith("basket")); a.Status != approvals.Approved || a.StandingID() != ahead.ID {
		t.Errorf("a standing grant of before: %s", a.Status)
	}
	if _, err := h.people().ChoosePassword(ctx, password, "correct horse battery staple"); err != nil {
		t.Errorf("a password link of before: %v", err)
	}
	h.joins(join)
	asked, err := h.people().SetRoles(ctx, h.eve, h.ben.Person.ID, []auth.Role{auth.Operator, auth.Compliance})
	if err != nil || asked {
		t.Errorf("the admin changes roles: waits %v, %v", asked, err)
	}
	h.wantVerified()
}

// signedFirst signs the trail as the first start of a program does that signs heads.
func (h *house) signedFirst() {
	h.t.Helper()
	first := store.FirstSignature{Event: headSigned, Progress: func(int64, int64) {}}
	if err := h.db.SignFirst(h.t.Context(), "acme", first); err != nil {
		h.t.Fatal(err)
	}
}

// told is one column of the database.
func (h *house) told(query string) (all []string) {
	h.t.Helper()
	rows, err := h.raw.QueryContext(h.t.Context(), query)
	if err != nil {
		h.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			h.t.Fatal(err)
		}
		all = append(all, s)
	}
	if err := rows.Err(); err != nil {
		h.t.Fatal(err)
	}
	return all
}

func newOldHouse(t testing.TB) *house         { return newHouseOf(t, old) }
func newOldPostgresHouse(t testing.TB) *house { return newPostgresHouseOf(t, old) }

// old makes the organisation as programs did that knew no single-person mode.
func old(t testing.TB, h *house) {
	t.Helper()
	p := scoring.DefaultPolicy()
	sum, err := p.SHA256()
	if err != nil {
		t.Fatal(err)
	}
	err = h.db.Tenants().CreateTenant(t.Context(), "acme", p, func(w tenants.Writer) error {
		return w.Append(audit.Event{Kind: audit.TenantCreated, Actor: audit.Actor{Kind: "system"}, Data: canon.Object(
			member("policy_version", canon.Int(1)), member("policy_sha256", canon.String(sum)))})
	})
	if err != nil {
		t.Fatal(err)
	}
}

func member(name string, v canon.Value) canon.Member { return canon.Member{Name: name, Value: v} }
