package tenants_test

import (
	"database/sql"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/tenants"
)

// edit runs statements on the database of the town, past the guards of these tables, and
// puts the guards back: as somebody does who does not want to be seen.
func (v *town) edit(table string, statements ...string) {
	v.t.Helper()
	db, err := sql.Open("sqlite", v.path)
	must(v.t, err)
	defer func() { must(v.t, db.Close()) }()
	rows, err := db.Query("SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?", table)
	must(v.t, err)
	var drop, put []string
	for rows.Next() {
		var name, text string
		must(v.t, rows.Scan(&name, &text))
		drop, put = append(drop, "DROP TRIGGER "+name), append(put, text)
	}
	must(v.t, rows.Err())
	for _, s := range append(append(drop, statements...), put...) {
		r, err := db.Exec(s)
		if err != nil {
			v.t.Fatalf("%s: %v", s, err)
		}
		if n, err := r.RowsAffected(); (strings.HasPrefix(s, "UPDATE") || strings.HasPrefix(s, "DELETE") || strings.HasPrefix(s, "INSERT")) && (err != nil || n == 0) {
			v.t.Fatalf("%s: %d rows, %v", s, n, err)
		}
	}
}

// What the trail says of who may do what wins: whoever edits the tables past their guards
// is found.
func TestEditedAuthorityIsFound(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct{ table, edit, says string }{
		"who invited whom is deleted":       {"kinships", "DELETE FROM kinships WHERE how = 'invited'", "a tie between people is not stored of which the events tell"},
		"somebody else invited":             {"kinships", "UPDATE kinships SET by_id = person_id WHERE how = 'invited'", "a tie between people is stored of which no event tells"},
		"the tie is older":                  {"kinships", "UPDATE kinships SET tied_at = '2020-01-01 00:00:00+00:00'", "a tie between people is stored of which no event tells"},
		"a password link was not used":      {"kinships", "DELETE FROM kinships WHERE how = 'password'", "a tie between people is not stored"},
		"a loss is deleted":                 {"role_losses", "DELETE FROM role_losses", "a loss of roles is not stored"},
		"a role":                            {"memberships", "UPDATE memberships SET roles = 'operator,admin' WHERE roles = 'compliance'", "the stored roles is"},
		"a member":                          {"memberships", "INSERT INTO memberships (tenant_id, person_id, roles, created_at) SELECT 'acme', person_id, 'admin', created_at FROM memberships WHERE tenant_id = 'rival'", "is stored as a member, but no event says so"},
		"a member less":                     {"memberships", "DELETE FROM memberships WHERE roles = 'compliance'", "became a member and is not stored as one any more"},
		"a suspension":                      {"memberships", "UPDATE memberships SET suspended_at = NULL WHERE suspended_at IS NOT NULL", "the stored suspension is"},
		"since when they have rights":       {"memberships", "UPDATE memberships SET rights_from = '2020-01-01 00:00:00+00:00' WHERE roles = 'operator'", "the stored beginning of their rights is"},
		"single-person mode comes back":     {"single_person_ends", "DELETE FROM single_person_ends", "the stored end of single-person mode is"},
		"it ended at another time":          {"single_person_ends", "UPDATE single_person_ends SET ended_at = '2020-01-01 00:00:00+00:00'", "the stored end of single-person mode is"},
		"a look that nobody had":            {"openings", "INSERT INTO openings SELECT tenant_id, proposal_id, 'per_x', created_at FROM people_proposals WHERE state = 'open'", "a first look is stored of which no event tells"},
		"an earlier look":                   {"openings", "UPDATE openings SET opened_at = '2020-01-01 00:00:00+00:00'", "a first look is stored of which no event tells"},
		"a proposal of somebody else":       {"people_proposals", "UPDATE people_proposals SET author_id = 'per_x' WHERE state = 'open'", "the stored beginning is"},
		"a proposal of more":                {"people_proposals", "UPDATE people_proposals SET roles = 'operator,admin' WHERE act = 'roles'", "the stored beginning is"},
		"a proposal that nobody objected":   {"people_proposals", "UPDATE people_proposals SET state = 'accepted' WHERE state = 'rejected'", "the stored end is"},
		"a proposal is deleted":             {"people_proposals", "DELETE FROM people_proposals WHERE state = 'open'", "was made and is not stored any more"},
		"a weaker policy waits as a strict": {"policy_proposals", "UPDATE policy_proposals SET weakens = '[]'", "the stored beginning is"},
		"a binding of somebody else":        {"agents", "UPDATE agents SET asked_by = 'per_x'", "the stored person who asks, and when is"},
		"a link that waits for nobody":      {"tickets", "UPDATE tickets SET waits = false WHERE waits", "the stored waiting for somebody to accept it is"},
		"a link by somebody else":           {"tickets", "UPDATE tickets SET created_by = 'per_x' WHERE kind = 'join'", "the stored maker is"},
		"a link for more":                   {"tickets", "UPDATE tickets SET roles = 'operator,compliance,admin' WHERE kind = 'join'", "the stored roles is"},
		"a link for somebody else":          {"tickets", "UPDATE tickets SET person_id = 'per_x' WHERE kind = 'password'", "the stored person is"},
		"a link that lives on":              {"tickets", "UPDATE tickets SET expires_at = '2030-01-01 00:00:00+00:00'", "the stored end is"},
		"a link that was used":              {"tickets", "UPDATE tickets SET used_at = NULL WHERE used_at IS NOT NULL", "the stored use once more is"},
		"a link that was withdrawn":         {"tickets", "UPDATE tickets SET withdrawn_at = NULL WHERE withdrawn_at IS NOT NULL", "the stored use after its end is"},
		"a link is deleted":                 {"tickets", "DELETE FROM tickets WHERE kind = 'password'", "was made and is not stored any more"},
		"a link that nobody made":           {"tickets", "INSERT INTO tickets (tenant_id, ticket_id, token_hash, kind, email, person_id, roles, created_by, created_at, expires_at) SELECT tenant_id, 'tkt_x', 'x', kind, email, person_id, roles, created_by, created_at, expires_at FROM tickets WHERE kind = 'join' LIMIT 1", "is stored, but no event says that it was made"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			v := busy(t)
			v.verified()
			v.edit(c.table, c.edit)
			report, err := v.db.Audit().Verify(t.Context(), "acme")
			if err != nil || report.OK || !strings.Contains(report.Problem, c.says) {
				t.Errorf("it says %q, %v, want %q", report.Problem, err, c.says)
			}
		})
	}
}

// busy is an organisation in which everything waits, and was done, that the tables of
// authority keep.
func busy(t *testing.T) *town {
	t.Helper()
	ctx := t.Context()
	v := several(t)
	adam, alma := v.people["adam"], v.people["alma"]
	invite := func(email string, role auth.Role) string {
		token, _, err := v.Invite(ctx, adam, auth.NewID("tkt"), email, []auth.Role{role})
		must(t, err)
		v.clock.pass(time.Second)
		return token
	}
	v.joins(invite("omar@example.com", auth.Compliance))
	withdrawn := invite("old@example.com", auth.Operator)
	must(t, v.RejectPeople(ctx, alma, v.waits("alma").ID, "no"))
	_, err := v.CheckTicket(ctx, tenants.TicketJoin, withdrawn)
	if err == nil {
		t.Fatal("a link that was objected to works")
	}
	token, _, err := v.PasswordTicket(ctx, adam, auth.NewID("tkt"), v.people["ada"].Person.ID)
	must(t, err)
	must(t, v.AcceptPeople(ctx, alma, v.waits("alma").ID))
	_, err = v.ChoosePassword(ctx, token, good)
	must(t, err)
	invite("later@example.com", auth.Admin) // waits
	_, err = v.Service.SetRoles(ctx, adam, v.people["cleo"].Person.ID, []auth.Role{auth.Operator})
	must(t, err)
	_, err = v.Waiting(ctx, alma)
	must(t, err)
	must(t, v.SetRoles(ctx, adam, v.people["ada"].Person.ID, []auth.Role{auth.Compliance}))
	asked, err := v.Service.SetRoles(ctx, adam, v.people["ada"].Person.ID, []auth.Role{auth.Operator})
	if must(t, err); !asked {
		t.Fatal("nobody has to accept it")
	}
	l, err := v.Waiting(ctx, v.people["cleo"])
	must(t, err)
	must(t, v.AcceptPeople(ctx, alma, l.People[len(l.People)-1].ID))
	must(t, v.Suspend(ctx, adam, v.people["ada"].Person.ID, "a leak"))
	_, _, err = v.SavePolicy(ctx, adam, tenants.Change{Base: 1, Policy: weaker(), Reason: "x"})
	must(t, err)
	_, agent, err := v.MakeAgent(ctx, adam, tenants.NewAgent{Name: "worker", KeyID: auth.NewID("key")})
	must(t, err)
	_, err = v.BindAgent(ctx, adam, agent.ID, tenants.NewBinding{Bound: tenants.Bound{Environment: "staging"}, Reason: "it tests"})
	must(t, err)
	return v
}
