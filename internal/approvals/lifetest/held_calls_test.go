package lifetest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/trust"
	"github.com/countersign/countersign/internal/tenants"
)

// refusedCall submits what somebody wrote to the tables for, and wants it let through by
// nothing.
func (h *house) refusedCall(what, body string) {
	h.t.Helper()
	a, _, err := h.Submit(h.t.Context(), h.agent, approvals.Submission{Action: action(h.t, body)})
	if !fault.Is(err, fault.GrantUnproven) {
		h.t.Errorf("%s: it is %s, %v, want that nothing is let through", what, a.Status, err)
	}
}

// stored is one text of the tables.
func (h *house) stored(query string) (text string) {
	h.t.Helper()
	if err := h.raw.QueryRowContext(h.t.Context(), query).Scan(&text); err != nil {
		h.t.Fatal(err)
	}
	return text
}

// asksNobody is a stored policy that asks nobody at MEDIUM.
func asksNobody(t *testing.T, policy string) string {
	t.Helper()
	var p scoring.Policy
	if err := json.Unmarshal([]byte(policy), &p); err != nil {
		t.Fatal(err)
	}
	p.Challenges.Medium = scoring.ChallengeNone
	b, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// Whoever writes another policy into the tables lets nothing through by it, and gets nothing
// approved; put back, everything is as it was.
func TestForgedPolicyLetsNothingThrough(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		h.hasty()
		open := h.waiting(confirm, scoring.ChallengeConfirm)
		v := h.show(h.ada, open.ID)
		h.disarm("policies")
		const newest = "version = (SELECT max(version) FROM policies)"
		real := h.stored("SELECT policy FROM policies WHERE " + newest)
		lax := asksNobody(t, real)
		h.exec("UPDATE policies SET policy = $1 WHERE "+newest, lax)
		h.refusedCall("an edited version", confirm)
		h.disarm("audit_events")
		sum := func(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }
		h.exec("UPDATE audit_events SET bytes = replace(bytes, $1, $2)", sum(real), sum(lax))
		h.refusedCall("an edited version, and its event", confirm)
		h.exec("UPDATE audit_events SET bytes = replace(bytes, $1, $2)", sum(lax), sum(real))
		_, err := h.decide(h.ada, open.ID, form(v))
		wantFault(t, "approved under an edited version", err, fault.GrantUnproven)
		h.exec("UPDATE policies SET policy = $1 WHERE "+newest, real)
		h.waiting(confirm, scoring.ChallengeConfirm)

		h.exec(`INSERT INTO policies (tenant_id, version, policy, reason, author_id, created_at, accepted_by, single_person)
			SELECT tenant_id, version + 1, $1, reason, author_id, created_at, accepted_by, single_person FROM policies WHERE `+newest, lax)
		h.refusedCall("a version that nobody made", confirm)
		h.exec("DELETE FROM policies WHERE " + newest)
		h.waiting(confirm, scoring.ChallengeConfirm)

		h.policy(func(p *scoring.Policy) { // one that is kept compiled
			p.Rules.Custom = []scoring.OwnRule{{Name: "ledger", Pattern: "/srv/ledger/", Level: level.High, Reason: "Touches the ledger"}}
		})
		real = h.stored("SELECT policy FROM policies WHERE " + newest)
		h.exec("UPDATE policies SET policy = $1 WHERE "+newest, asksNobody(t, real))
		h.refusedCall("an edited version with rules", confirm)
		h.exec("UPDATE policies SET policy = $1 WHERE "+newest, real)
		if a := h.submit(confirm); a.Status != approvals.Pending {
			t.Errorf("put back, it is %s", a.Status)
		}

		h.policy(func(p *scoring.Policy) { p.GrantSeconds = 60 })
		h.exec("DELETE FROM policies WHERE " + newest)
		h.refusedCall("an older version", harmless)
	})
}

// A key that nobody made asks for nothing and spends nothing, nor does one that was given
// more time or rights, and a stopped agent does not act again.
func TestForgedKeysDoNothing(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		a := h.submit(harmless)
		h.exec("INSERT INTO agent_keys (tenant_id, key_hash, key_id, agent_id, scopes, created_at, hint, created_by) " +
			"SELECT tenant_id, 'x', 'key_x', agent_id, scopes, created_at, hint, created_by FROM agent_keys WHERE agent_id = '" + h.agent.ID + "'")
		real := h.agent
		h.agent.KeyID = "key_x"
		h.refusedCall("a key that nobody made", harmless)
		_, err := h.consume(a, a.Digest, "")
		wantFault(t, "spent with a key that nobody made", err, fault.GrantUnproven)
		h.exec("DELETE FROM agent_keys WHERE key_id = 'key_x'")
		h.agent = real
		for what, edit := range map[string][2]string{
			"another secret": {"key_hash = 'x' || key_hash", "key_hash = substr(key_hash, 2)"},
			"another maker":  {"created_by = 'per_x'", "created_by = ''"},
		} {
			h.exec("UPDATE agent_keys SET " + edit[0] + " WHERE agent_id = '" + h.agent.ID + "'")
			h.refusedCall(what, harmless)
			h.exec("UPDATE agent_keys SET " + edit[1] + " WHERE agent_id = '" + h.agent.ID + "'")
		}
		if _, err := h.consume(a, a.Digest, ""); err != nil {
			t.Errorf("control: with the real key: %v", err)
		}
	})
}

// Whoever writes to the tables that a call is judged by lets nothing through by it.
func TestForgedJudgementLetsNothingThrough(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		const staged = `{"function":"update_ticket","arguments":{"id":7}}`
		h.waiting(staged, scoring.ChallengeConfirm)
		h.exec("UPDATE agents SET environment = 'staging' WHERE agent_id = '" + h.agent.ID + "'")
		h.refusedCall("a binding that nobody made", staged)
		h.exec("UPDATE agents SET environment = '' WHERE agent_id = '" + h.agent.ID + "'")
		h.waiting(staged, scoring.ChallengeConfirm)

		const frob = `{"function":"frobnicate","arguments":{"id":7}}`
		tools := h.imports("frobnicate", "Frobs.")
		h.policy(func(p *scoring.Policy) {
			*p = tenants.AcceptTools(*p, h.agent.Name, tools, map[string]effects.Kind{"frobnicate": effects.Read})
		})
		if a := h.submit(frob); a.Status != approvals.Approved {
			t.Fatalf("accepted: %s", a.Status)
		}
		h.imports("frobnicate", "Frobs them all.")
		h.waiting(frob, scoring.ChallengeConfirm)
		h.exec("UPDATE imported_tools SET sha256 = '" + tools[0].SHA256 + "'")
		h.refusedCall("a tool as it was accepted", frob)
		h.exec("DELETE FROM imported_tools")
		h.exec("UPDATE agents SET environment = '' WHERE agent_id = '" + h.agent.ID + "'")
		h.refusedCall("no tools any more", harmless)
	})
}

// What was denied holds its like, whoever takes it out of the table, or makes the denial older.
func TestForgottenDenialLetsNothingThrough(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		h.policy(mindful)
		h.hasty()
		h.refuse(h.ada, h.waiting(confirm, scoring.ChallengeConfirm), approvals.VerdictDeny)
		if a := h.submit(alike); a.Status != approvals.Pending || a.Assessment.Remembered == nil {
			t.Fatalf("its like is %s", a.Status)
		}
		h.disarm("decisions")
		decided := h.stored("SELECT CAST(decided_at AS TEXT) FROM decisions WHERE verdict = 'deny'")
		h.exec("UPDATE decisions SET decided_at = '2020-01-01 00:00:00+00:00' WHERE verdict = 'deny'")
		h.refusedCall("an older denial", alike)
		h.exec("UPDATE decisions SET decided_at = '" + decided + "' WHERE verdict = 'deny'")
		if a := h.submit(alike); a.Status != approvals.Pending || a.Assessment.Remembered == nil {
			t.Fatalf("put back, its like is %s", a.Status)
		}
		h.exec("DELETE FROM denials")
		h.refusedCall("no denial any more", alike)
		if a := h.submit(harmless); a.Status != approvals.Approved {
			t.Errorf("control: another call is %s", a.Status)
		}
	})
}

// A record that nobody earned lets nothing through.
func TestForgedRecordLetsNothingThrough(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		h.policy(trusting)
		h.waiting(mail, scoring.ChallengeConfirm)
		from, err := time.Parse(time.DateOnly, trust.From(time.Now(), 1))
		if err != nil {
			t.Fatal(err)
		}
		if h.clock != nil {
			from = h.clock.Now()
		}
		for day := range 10 {
			h.exec(fmt.Sprintf("INSERT INTO trust_evidence VALUES ('acme', '%s', 'send_mail', '%s', '%s', 5, 0, 0)",
				h.agent.ID, from.AddDate(0, 0, -day).Format(time.DateOnly), h.ada.Person.ID))
		}
		h.refusedCall("successes that nobody had", mail)
		h.exec("DELETE FROM trust_evidence")
		h.waiting(mail, scoring.ChallengeConfirm)
	})
}
