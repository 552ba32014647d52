package lifetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// onBoth runs a test over each database.
func onBoth(t *testing.T, test func(t *testing.T, h *house)) {
	for db, open := range map[string]func(t testing.TB) *house{"sqlite": newHouse, "postgres": newPostgresHouse} {
		t.Run(db, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// exec writes to the database past everything.
func (h *house) exec(statement string, args ...any) {
	h.t.Helper()
	if _, err := h.raw.ExecContext(h.t.Context(), statement, args...); err != nil {
		h.t.Fatal(err)
	}
}

// disarm takes the triggers of a table away, as the owner of the database can.
func (h *house) disarm(table string) {
	h.t.Helper()
	if h.clock == nil { // Postgres
		h.exec("ALTER TABLE " + table + " DISABLE TRIGGER USER")
		return
	}
	rows, err := h.raw.QueryContext(h.t.Context(), "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = $1", table)
	if err != nil {
		h.t.Fatal(err)
	}
	var names []string
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			h.t.Fatal(err)
		}
		names = append(names, name)
	}
	if err := rows.Close(); err != nil || len(names) == 0 {
		h.t.Fatalf("%d triggers on %s, %v", len(names), table, err)
	}
	for _, name := range names {
		h.exec("DROP TRIGGER " + name)
	}
}

// copyRow writes the row of an approval once more, with other values in some columns.
func (h *house) copyRow(table, approval string, other map[string]any) {
	h.t.Helper()
	rows, err := h.raw.QueryContext(h.t.Context(), "SELECT * FROM "+table+" WHERE approval_id = $1", approval)
	if err != nil {
		h.t.Fatal(err)
	}
	columns, err := rows.Columns()
	if err != nil || !rows.Next() {
		h.t.Fatalf("%s has no row of %s: %v", table, approval, err)
	}
	values, into, marks := make([]any, len(columns)), make([]any, len(columns)), make([]string, len(columns))
	for i := range values {
		into[i], marks[i] = &values[i], fmt.Sprintf("$%d", i+1)
	}
	if err := rows.Scan(into...); err != nil {
		h.t.Fatal(err)
	}
	if err := rows.Close(); err != nil {
		h.t.Fatal(err)
	}
	for i, c := range columns {
		if v, ok := other[c]; ok {
			values[i] = v
		}
	}
	h.exec("INSERT INTO "+table+" ("+strings.Join(columns, ", ")+") VALUES ("+strings.Join(marks, ", ")+")", values...)
}

// forged is an approval that nobody gave: rows that say what those of a real one say,
// of a call that a person had to decide. The columns of the grant may be others.
func (h *house) forged(like approvals.Approval, grant map[string]any) approvals.Approval {
	h.t.Helper()
	held := h.waiting(explicit, scoring.ChallengeExplicit)
	id := "apr_f" + held.ID[5:]
	h.copyRow("approvals", held.ID, map[string]any{"approval_id": id, "status": "approved"})
	h.copyRow("decisions", like.ID, map[string]any{"approval_id": id, "decided_by": `[{"kind":"person","id":"` + h.ada.Person.ID + `","name":"Ada"}]`})
	row := map[string]any{"approval_id": id, "grant_id": "grt_f" + held.ID[5:], "token": "forged.no.signature"}
	for column, v := range grant {
		row[column] = v
	}
	h.copyRow("grants", like.ID, row)
	return h.get(id)
}

// claims are those of the grant of a as its rows have them.
func claims(a approvals.Approval) approvals.GrantClaims {
	return approvals.GrantClaims{Issuer: "https://console.test", Subject: a.ID, Tenant: a.Tenant, Agent: a.Agent.ID, Digest: a.Digest, Expires: a.Grant.ExpiresAt, ID: a.Grant.ID}
}

// approvedEvent is the event that a decision has, as somebody would write it who can
// write to the tables and knows how.
func approvedEvent(a approvals.Approval, change func(e *audit.Event, grant *map[string]string)) audit.Event {
	grant := map[string]string{"jti": a.Grant.ID, "digest": a.Digest, "expires_at": audit.FormatTime(a.Grant.ExpiresAt)}
	e := audit.Event{Kind: audit.Approved, Actor: audit.Actor{Kind: "person", ID: "per_1"}, Approval: a.ID, Agent: a.Agent.ID, Function: a.Function}
	version := a.Version
	if change != nil {
		change(&e, &grant)
		if e.Index > 0 { // in place of the version
			version, e.Index = e.Index, 0
		}
	}
	var members []canon.Member
	for _, name := range []string{"jti", "digest", "expires_at"} {
		members = append(members, canon.Member{Name: name, Value: canon.String(grant[name])})
	}
	e.Data = canon.Object(
		canon.Member{Name: "version", Value: canon.Int(version)},
		canon.Member{Name: "shown_digest", Value: canon.String(a.ShownDigest)},
		canon.Member{Name: "grant", Value: canon.Object(members...)})
	return e
}

func (h *house) append(events ...audit.Event) {
	h.t.Helper()
	if err := h.db.Approvals().Write(h.t.Context(), "acme", func(w approvals.Writer) error { return w.Append(events...) }); err != nil {
		h.t.Fatal(err)
	}
}

// Rows that say that something was approved are no approval: they are spent neither the
// first time nor as the repetition of a call that never was.
func TestForgedRows(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		real := h.submit(harmless)
		other, err := approvals.NewSigningKey()
		if err != nil {
			t.Fatal(err)
		}
		foreign, err := approvals.NewEd25519Signer(other)
		if err != nil {
			t.Fatal(err)
		}
		for name, forge := range map[string]func() approvals.Approval{
			"no token": func() approvals.Approval { return h.forged(real, nil) },
			"the token of another approval, and the event": func() approvals.Approval {
				like := h.forged(real, map[string]any{"token": real.Grant.Token})
				h.appendApproved(like)
				return like
			},
			"a token of another key, and the event": func() approvals.Approval {
				like := h.forged(real, nil)
				token, err := foreign.Sign(claims(like))
				if err != nil {
					t.Fatal(err)
				}
				h.disarm("grants")
				h.exec("UPDATE grants SET token = $1 WHERE approval_id = $2", token, like.ID)
				h.appendApproved(like)
				return h.get(like.ID)
			},
			"an event, and no token": func() approvals.Approval {
				like := h.forged(real, nil)
				h.appendApproved(like)
				return like
			},
			"spent, as it says": func() approvals.Approval {
				return h.forged(real, map[string]any{"consumed_at": time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), "consume_key": "k"})
			},
		} {
			a := forge()
			_, err := h.consume(a, a.Digest, "k")
			wantFault(t, name, err, fault.GrantUnproven)
		}
		if _, err := h.consume(real, real.Digest, "k"); err != nil {
			t.Errorf("the real one: %v", err)
		}
	})
}

// appendApproved writes events that say that a was asked for and approved.
func (h *house) appendApproved(a approvals.Approval) {
	h.t.Helper()
	h.append(audit.Event{Kind: audit.Submitted, Actor: audit.Actor{Kind: "agent", ID: a.Agent.ID}, Approval: a.ID, Agent: a.Agent.ID})
	h.append(approvedEvent(a, nil))
}

// A real token is not enough: the log must tell of this decision, and of nothing after it.
func TestGrantOfAnotherTrail(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		real := h.submit(harmless)
		signed := func() approvals.Approval {
			a := h.forged(real, nil)
			token, err := h.signer.Sign(claims(a))
			if err != nil {
				t.Fatal(err)
			}
			h.exec("UPDATE grants SET token = $1 WHERE approval_id = $2", token, a.ID)
			h.append(audit.Event{Kind: audit.Submitted, Actor: audit.Actor{Kind: "agent", ID: a.Agent.ID}, Approval: a.ID, Agent: a.Agent.ID})
			return h.get(a.ID)
		}
		h.disarm("grants")
		h.disarm("audit_events")

		a := signed()
		_, err := h.consume(a, a.Digest, "")
		wantFault(t, "no event tells of it", err, fault.GrantUnproven)
		h.append(approvedEvent(a, nil))
		if _, err := h.consume(a, a.Digest, "k"); err != nil {
			t.Errorf("control: with an event that tells of it: %v", err)
		}
		for name, change := range map[string]func(e *audit.Event, grant *map[string]string){
			"another grant":   func(_ *audit.Event, grant *map[string]string) { (*grant)["jti"] = real.Grant.ID },
			"another act":     func(_ *audit.Event, grant *map[string]string) { (*grant)["digest"] = real.Digest },
			"another end":     func(_ *audit.Event, grant *map[string]string) { (*grant)["expires_at"] = "2027-01-01T00:00:00.000000Z" },
			"another agent":   func(e *audit.Event, _ *map[string]string) { e.Agent = h.other.ID },
			"another version": func(e *audit.Event, _ *map[string]string) { e.Index = 7 },
		} {
			a := signed()
			h.append(approvedEvent(a, change))
			_, err := h.consume(a, a.Digest, "")
			wantFault(t, "an event of "+name, err, fault.GrantUnproven)
		}

		// Taken back, or spent, and then made to look as if it was not.
		again := func(set string) error {
			h.exec("UPDATE grants SET "+set+" WHERE approval_id = $1", a.ID)
			_, err := h.consume(a, a.Digest, "")
			return err
		}
		wantFault(t, "made unspent", again("consumed_at = NULL"), fault.GrantUnproven)
		h.exec("DELETE FROM audit_events WHERE approval_id = $1 AND kind = $2", a.ID, string(audit.GrantConsumed))
		h.exec("UPDATE audit_events SET bytes = replace(bytes, 'per_1', 'per_2') WHERE approval_id = $1", a.ID)
		wantFault(t, "an event that was edited", again("consumed_at = NULL"), fault.GrantUnproven)
		h.exec("UPDATE audit_events SET bytes = replace(bytes, 'per_2', 'per_1') WHERE approval_id = $1", a.ID)
		b := h.submit(harmless)
		h.withdraw()
		h.exec("UPDATE grants SET voided_at = NULL, void_reason = '' WHERE approval_id = $1", b.ID)
		_, err = h.consume(b, b.Digest, "")
		wantFault(t, "no longer void", err, fault.GrantUnproven)
	})
}

// What the rows say of a real grant must be what was signed.
func TestEditedGrant(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		h.disarm("grants")
		h.disarm("approvals")
		for set, to := range map[string]any{
			"grants SET expires_at":      time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC),
			"grants SET grant_id":        "grt_other",
			"approvals SET digest":       "sha256:aa",
			"approvals SET shown_digest": "sha256:aa",
			"approvals SET version":      2,
		} {
			a := h.submit(harmless)
			h.exec("UPDATE "+set+" = $1 WHERE approval_id = $2", to, a.ID)
			a = h.get(a.ID)
			_, err := h.consume(a, a.Digest, "")
			wantFault(t, set, err, fault.GrantUnproven)
		}
		a := h.submit(harmless)
		h.exec("UPDATE approvals SET agent_id = $1 WHERE approval_id = $2", h.other.ID, a.ID)
		_, err := h.Consume(t.Context(), h.other, a.ID, a.Digest, "")
		wantFault(t, "an approval that was moved to another agent", err, fault.GrantUnproven)
	})
}
