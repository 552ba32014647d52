package storetest

import (
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
)

// Edit is what somebody writes to a table past its guards, and what is said of it.
type Edit struct{ Table, Statement, Says string }

// copied is a statement that adds a row made of the first one of a table.
func copied(table, columns string, other map[string]string, where string) string {
	values := strings.Split(columns, ", ")
	for i, c := range values {
		if v, ok := other[c]; ok {
			values[i] = v
		}
	}
	return fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s WHERE %s LIMIT 1", table, columns, strings.Join(values, ", "), table, where)
}

const (
	ticketColumns = "tenant_id, ticket_id, token_hash, kind, email, person_id, roles, created_by, created_at, expires_at"
	agentColumns  = "tenant_id, agent_id, name, owner_id, created_at, created_by, stopped_by, stop_reason"
	keyColumns    = "tenant_id, key_hash, key_id, agent_id, scopes, created_at, hint, created_by"
)

// AuthorityEdits are forgeries of the tables that say who may do what, in the
// organisation that Busy makes: of people, of what waits, of links, of agents and keys.
var AuthorityEdits = map[string]Edit{
	"who invited whom is deleted":       {"kinships", "DELETE FROM kinships WHERE how = 'invited'", "the events mention a tie between people that is missing"},
	"somebody else invited":             {"kinships", "UPDATE kinships SET by_id = person_id WHERE how = 'invited'", "the database has a tie between people that no event mentions"},
	"the tie is older":                  {"kinships", "UPDATE kinships SET tied_at = '2020-01-01 00:00:00+00:00'", "the database has a tie between people that no event mentions"},
	"a password link was not used":      {"kinships", "DELETE FROM kinships WHERE how = 'password'", "the events mention a tie between people that is missing"},
	"a loss is deleted":                 {"role_losses", "DELETE FROM role_losses", "the events mention a loss of roles that is missing"},
	"a role":                            {"memberships", "UPDATE memberships SET roles = 'operator,admin' WHERE roles = 'compliance' AND tenant_id = 'acme'", "the stored roles is"},
	"a member":                          {"memberships", "INSERT INTO memberships (tenant_id, person_id, roles, created_at) SELECT 'acme', person_id, 'admin', created_at FROM memberships WHERE tenant_id = 'rival'", "is a member in the database, but no event says so"},
	"a member less":                     {"memberships", "DELETE FROM memberships WHERE roles = 'compliance'", "became a member but is missing from the database as one"},
	"a suspension":                      {"memberships", "UPDATE memberships SET suspended_at = NULL WHERE suspended_at IS NOT NULL", "the stored suspension is"},
	"since when they have rights":       {"memberships", "UPDATE memberships SET rights_from = '2020-01-01 00:00:00+00:00' WHERE roles = 'operator'", "the stored beginning of their rights is"},
	"single-person mode comes back":     {"single_person_ends", "DELETE FROM single_person_ends", "the stored end of single-person mode is"},
	"it ended at another time":          {"single_person_ends", "UPDATE single_person_ends SET ended_at = '2020-01-01 00:00:00+00:00'", "the stored end of single-person mode is"},
	"a look that nobody had":            {"openings", "INSERT INTO openings SELECT tenant_id, proposal_id, 'per_x', created_at FROM people_proposals WHERE state = 'open'", "the database has a first look that no event mentions"},
	"an earlier look":                   {"openings", "UPDATE openings SET opened_at = '2020-01-01 00:00:00+00:00'", "the database has a first look that no event mentions"},
	"a proposal of somebody else":       {"people_proposals", "UPDATE people_proposals SET author_id = 'per_x' WHERE state = 'open'", "the stored beginning is"},
	"a proposal of more":                {"people_proposals", "UPDATE people_proposals SET roles = 'operator,admin' WHERE act = 'roles'", "the stored beginning is"},
	"a proposal that nobody objected":   {"people_proposals", "UPDATE people_proposals SET state = 'accepted' WHERE state = 'rejected'", "the stored end is"},
	"a proposal is deleted":             {"people_proposals", "DELETE FROM people_proposals WHERE state = 'open'", "was created but is missing from the database"},
	"a weaker policy waits as a strict": {"policy_proposals", "UPDATE policy_proposals SET weakens = '[]'", "the stored beginning is"},
	"a binding of somebody else":        {"agents", "UPDATE agents SET asked_by = 'per_x' WHERE asked_by <> ''", "the stored person who asks, when and why is"},
	"a link that waits for nobody":      {"tickets", "UPDATE tickets SET waits = FALSE WHERE waits", "the stored waiting for someone to accept it is"},
	"a link by somebody else":           {"tickets", "UPDATE tickets SET created_by = 'per_x' WHERE kind = 'join'", "the stored maker is"},
	"a link for more":                   {"tickets", "UPDATE tickets SET roles = 'operator,compliance,admin' WHERE kind = 'join'", "the stored roles is"},
	"a link for somebody else":          {"tickets", "UPDATE tickets SET person_id = 'per_x' WHERE kind = 'password'", "the stored person is"},
	"a link for another address":        {"tickets", "UPDATE tickets SET email = 'mallory@example.com' WHERE kind = 'join'", "the stored secret or address is"},
	"a link with another secret":        {"tickets", "UPDATE tickets SET token_hash = ticket_id", "the stored secret or address is"},
	"a link that lives on":              {"tickets", "UPDATE tickets SET expires_at = '2040-01-01 00:00:00+00:00'", "the stored end is"},
	"a link that was used":              {"tickets", "UPDATE tickets SET used_at = NULL WHERE used_at IS NOT NULL", "the stored use once more is"},
	"a link that was withdrawn":         {"tickets", "UPDATE tickets SET withdrawn_at = NULL WHERE withdrawn_at IS NOT NULL", "the stored use after its end is"},
	"a link is deleted":                 {"tickets", "DELETE FROM tickets WHERE kind = 'password'", "was created but is missing from the database"},
	"a link that nobody made":           {"tickets", copied("tickets", ticketColumns, map[string]string{"ticket_id": "'tkt_x'", "token_hash": "'x'"}, "kind = 'join'"), "is in the database, but no event says that it was created"},
	"an agent of nobody":                {"agents", "UPDATE agents SET owner_id = '' WHERE owner_id <> ''", "the stored name, owner, maker or beginning is"},
	"an agent of somebody else":         {"agents", "UPDATE agents SET owner_id = 'per_x' WHERE owner_id <> ''", "the stored name, owner, maker or beginning is"},
	"an agent that somebody else made":  {"agents", "UPDATE agents SET created_by = ''", "the stored name, owner, maker or beginning is"},
	"an agent by another name":          {"agents", "UPDATE agents SET name = name || 'x'", "the stored name, owner, maker or beginning is"},
	"an agent with another contact":     {"agents", "UPDATE agents SET contact = 'mallory'", "the stored contact or address of tickets is"},
	"an agent with other tickets":       {"agents", "UPDATE agents SET ticket_link = 'https://evil.example/{ticket}'", "the stored contact or address of tickets is"},
	"an agent that acts again":          {"agents", "UPDATE agents SET stopped_at = NULL, stopped_by = '', stop_reason = '' WHERE stopped_at IS NOT NULL", "the stored stop is"},
	"an agent that nobody made":         {"agents", copied("agents", agentColumns, map[string]string{"agent_id": "'agt_x'", "name": "'x'"}, "stopped_at IS NULL"), "the agent agt_x is in the database, but no event says that it was created"},
	"an agent is deleted":               {"agents", "DELETE FROM agents WHERE stopped_at IS NOT NULL", "was created but is missing from the database"},
	"a key that nobody made":            {"agent_keys", copied("agent_keys", keyColumns, map[string]string{"key_id": "'key_x'", "key_hash": "'x'"}, "revoked_at IS NULL"), "the key key_x"},
	"a key of somebody else":            {"agent_keys", "UPDATE agent_keys SET created_by = 'per_x'", "the stored maker is"},
	"a key of nobody":                   {"agent_keys", "UPDATE agent_keys SET created_by = ''", "the stored maker is"},
	"a key with another secret":         {"agent_keys", "UPDATE agent_keys SET key_hash = key_id", "the stored hash is"},
	"a key that may do more":            {"agent_keys", "UPDATE agent_keys SET scopes = 'approvals:submit,assess'", "the stored agent, scopes or beginning is"},
	"a key of before":                   {"agent_keys", "UPDATE agent_keys SET created_at = '2020-01-01 00:00:00+00:00'", "the stored agent, scopes or beginning is"},
	"a key that lives on":               {"agent_keys", "UPDATE agent_keys SET expires_at = NULL WHERE expires_at IS NOT NULL", "the stored end is"},
	"a key that was revoked":            {"agent_keys", "UPDATE agent_keys SET revoked_at = NULL WHERE revoked_at IS NOT NULL", "the stored revocation is"},
	"a key that is not revoked":         {"agent_keys", "UPDATE agent_keys SET revoked_at = created_at WHERE revoked_at IS NULL", "the stored revocation is"},
	"a key is deleted":                  {"agent_keys", "DELETE FROM agent_keys WHERE revoked_at IS NULL", "was created but is missing from the database"},
	"a tool as it was accepted":         {"imported_tools", "UPDATE imported_tools SET sha256 = 'x'", "the stored tools of the agent"},
	"a tool that raises nothing":        {"imported_tools", "UPDATE imported_tools SET raises = '' WHERE raises <> ''", "the stored tools of the agent"},
	"a tool is deleted":                 {"imported_tools", "DELETE FROM imported_tools", "the stored tools of the agent"},
	"a tool of another agent":           {"imported_tools", "UPDATE imported_tools SET agent_id = (SELECT agent_id FROM agents WHERE name = 'started')", "has tools in the database, but no event says that they were imported"},
	"all agents act again":              {"agent_halts", "DELETE FROM agent_halts", "the stored stop of all agents is"},
	"somebody else stopped all agents":  {"agent_halts", "UPDATE agent_halts SET halted_by = 'per_x'", "the stored stop of all agents is"},
}

// EditEach makes each edit, one after the other, asks look what is said of it, and takes it
// back. Past the guards: as somebody does who does not want to be seen.
func EditEach(t *testing.T, raw *sql.DB, postgres bool, edits map[string]Edit, look func(t *testing.T, says string)) {
	t.Helper()
	d, beside := Database{Raw: raw}, "kept_"
	if postgres { // whose server wants every table of its own to be guarded
		d.mustRaw(t, "CREATE SCHEMA kept")
		beside = "kept."
	}
	kept := map[string]bool{}
	for _, what := range slices.Sorted(maps.Keys(edits)) {
		e := edits[what]
		if !kept[e.Table] {
			kept[e.Table] = true
			d.mustRaw(t, "CREATE TABLE %s%s AS SELECT * FROM %s", beside, e.Table, e.Table)
		}
		t.Run(what, func(t *testing.T) {
			e.Make(t, raw, postgres)
			look(t, e.Says)
			unguarded(t, d, postgres, e.Table, func() {
				d.mustRaw(t, "DELETE FROM %s", e.Table)
				d.mustRaw(t, "INSERT INTO %s SELECT * FROM %s%s", e.Table, beside, e.Table)
			})
		})
	}
}

// Make makes one edit, and puts the guards of its table back.
func (e Edit) Make(t *testing.T, raw *sql.DB, postgres bool) {
	t.Helper()
	unguarded(t, Database{Raw: raw}, postgres, e.Table, func() {
		r, err := raw.ExecContext(t.Context(), e.Statement)
		if err != nil {
			t.Fatalf("%s: %v", e.Statement, err)
		}
		if n, err := r.RowsAffected(); err != nil || n == 0 {
			t.Fatalf("%s: %d rows, %v", e.Statement, n, err)
		}
	})
}

// unguarded runs fn while a table has no trigger.
func unguarded(t *testing.T, d Database, postgres bool, table string, fn func()) {
	t.Helper()
	if postgres { // foreign keys are triggers too
		d.mustRaw(t, "ALTER TABLE %s DISABLE TRIGGER ALL", table)
		defer d.mustRaw(t, "ALTER TABLE %s ENABLE TRIGGER ALL", table)
		fn()
		return
	}
	rows, err := d.Raw.QueryContext(t.Context(), "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = ?", table)
	if err != nil {
		t.Fatal(err)
	}
	guards := map[string]string{}
	for rows.Next() {
		var name, text string
		if err := rows.Scan(&name, &text); err != nil {
			t.Fatal(err)
		}
		guards[name] = text
	}
	if err := rows.Close(); err != nil {
		t.Fatal(err)
	}
	for name := range guards {
		d.mustRaw(t, "DROP TRIGGER %s", name)
	}
	defer func() {
		for _, text := range guards {
			d.mustRaw(t, "%s", text)
		}
	}()
	fn()
}

// Busy makes acme an organisation in which everything waits, and was done, that the
// tables of authority keep. people are the admins adam and alma, the operator ada and
// cleo, who reads for compliance, none of whom ever signed in; pass lets a moment pass.
func Busy(t *testing.T, s *tenants.Service, people map[string]auth.Member, pass func()) {
	t.Helper()
	ctx := t.Context()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		pass()
	}
	for _, who := range []string{"adam", "alma", "ada"} {
		token, err := s.SignInLink(ctx, "acme", people[who].Person.Email, tenants.LinkSignIn)
		must(err)
		_, err = s.RedeemLink(ctx, token)
		must(err)
	}
	adam, alma, ada := people["adam"], people["alma"], people["ada"].Person.ID
	const password = "correct horse battery"
	invite := func(email string, role auth.Role) string {
		token, _, err := s.Invite(ctx, adam, auth.NewID("tkt"), email, []auth.Role{role})
		must(err)
		return token
	}
	newest := func(as auth.Member) string {
		l, err := s.Waiting(ctx, as)
		must(err)
		return l.People[len(l.People)-1].ID
	}
	_, _, err := s.Join(ctx, tenants.Joining{Token: invite("omar@example.com", auth.Compliance), Password: password, From: "::1"})
	must(err)
	withdrawn := invite("old@example.com", auth.Operator)
	must(s.RejectPeople(ctx, alma, newest(alma), "no"))
	if _, err := s.CheckTicket(ctx, tenants.TicketJoin, withdrawn); err == nil {
		t.Fatal("a link that was objected to works")
	}
	token, _, err := s.PasswordTicket(ctx, adam, auth.NewID("tkt"), ada)
	must(err)
	must(s.AcceptPeople(ctx, alma, newest(alma)))
	_, err = s.ChoosePassword(ctx, token, password)
	must(err)
	invite("later@example.com", auth.Admin) // waits
	_, err = s.SetRoles(ctx, adam, people["cleo"].Person.ID, []auth.Role{auth.Operator})
	must(err)
	_, err = s.Waiting(ctx, alma)
	must(err)
	_, err = s.SetRoles(ctx, adam, ada, []auth.Role{auth.Compliance})
	must(err)
	asked, err := s.SetRoles(ctx, adam, ada, []auth.Role{auth.Operator})
	if must(err); !asked {
		t.Fatal("nobody has to accept it")
	}
	must(s.AcceptPeople(ctx, alma, newest(alma)))
	must(s.Suspend(ctx, adam, ada, "a leak"))
	weaker := scoring.DefaultPolicy()
	weaker.GrantSeconds = 3600
	_, _, err = s.SavePolicy(ctx, adam, tenants.Change{Base: 1, Policy: weaker, Reason: "x"})
	must(err)
	busyAgents(t, s, adam, must)
}

// busyAgents are agents that work, are stopped, and have keys in each state.
func busyAgents(t *testing.T, s *tenants.Service, adam auth.Member, must func(error)) {
	t.Helper()
	ctx := t.Context()
	key := func() tenants.NewKey { return tenants.NewKey{ID: auth.NewID("key"), Life: time.Hour} }
	made := func(name string) string {
		_, a, err := s.MakeAgent(ctx, adam, tenants.NewAgent{Name: name, KeyID: auth.NewID("key")})
		must(err)
		return a.ID
	}
	worker := made("worker")
	_, err := s.BindAgent(ctx, adam, worker, tenants.NewBinding{Bound: tenants.Bound{Environment: "staging"}, Reason: "it tests"})
	must(err)
	_, _, err = s.ImportTools(ctx, adam, worker, tenants.ToolImport{Server: "frobs", List: []byte(`[{"name":"get_frob","description":"Deletes all frobs.","annotations":{"destructiveHint":true}}]`)})
	must(err)
	rotated := key()
	_, err = s.RotateKey(ctx, adam, worker, rotated, time.Minute)
	must(err)
	must(s.SetExpiry(ctx, adam, worker, rotated.ID, 0))
	must(s.RevokeKey(ctx, adam, worker, rotated.ID))
	_, err = s.RotateKey(ctx, adam, worker, key(), 0)
	must(err)
	_, err = s.RotateKey(ctx, adam, worker, tenants.NewKey{ID: auth.NewID("key"), Scopes: []auth.Scope{auth.ScopeSubmit}}, 0)
	must(err)
	started, stopped := made("started"), made("stopped")
	must(s.StopAgent(ctx, adam, started, "it loops"))
	_, err = s.StartAgent(ctx, adam, started, key())
	must(err)
	must(s.StopAgent(ctx, adam, stopped, "it leaks"))
	_, _, err = s.CreateAgent(ctx, "acme", "from-outside", "")
	must(err)
	_, err = s.Sample(ctx, adam)
	must(err)
	must(s.StopAll(ctx, adam, "acme", ""))
	must(s.Resume(ctx, adam, "all is well"))
	must(s.StopAll(ctx, adam, "acme", "once more"))
}
