package lifetest

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
)

// anAWSKey is one of the documented form that belongs to nobody.
const anAWSKey = "AKIAIOSFODNN7EXAMPLQ"

// TestSecretsInNames: they are refused at every door, and leave nothing behind.
func TestSecretsInNames(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ctx := t.Context()
	named := action(t, `{"function":"get_user","session_id":"run `+anAWSKey+`"}`)
	_, _, err := h.Submit(ctx, h.agent, approvals.Submission{Action: named})
	wantFault(t, "submit", err, fault.SecretInName)
	_, err = h.Assess(ctx, h.agent, named)
	wantFault(t, "a dry run", err, fault.SecretInName)
	_, _, err = h.Submit(ctx, h.agent, approvals.Submission{Action: action(t, harmless), IdempotencyKey: anAWSKey})
	wantFault(t, "an idempotency key", err, fault.SecretInName)
	a := h.submit(harmless)
	_, err = h.Consume(ctx, h.agent, a.ID, a.Digest, anAWSKey)
	wantFault(t, "the key of consume", err, fault.SecretInName)
	if _, err := h.Consume(ctx, h.agent, a.ID, a.Digest, "k"); err != nil {
		t.Errorf("the grant is still there: %v", err)
	}
	h.nowhere(anAWSKey)
}

// nowhere makes sure that no row of what is kept holds a text.
func (h *house) nowhere(text string) {
	h.t.Helper()
	for _, table := range []string{"approvals", "audit_events", "decisions", "executions", "standing_grants", "saved_views"} {
		rows, err := h.raw.QueryContext(h.t.Context(), "SELECT * FROM "+table)
		if err != nil {
			h.t.Fatal(err)
		}
		columns, err := rows.Columns()
		if err != nil {
			h.t.Fatal(err)
		}
		for rows.Next() {
			values := make([]any, len(columns))
			for i := range values {
				values[i] = new(nullable)
			}
			if err := rows.Scan(values...); err != nil {
				h.t.Fatal(err)
			}
			for i, v := range values {
				if strings.Contains(string(*v.(*nullable)), text) {
					h.t.Errorf("%s.%s holds %s", table, columns[i], text)
				}
			}
		}
		if err := rows.Err(); err != nil {
			h.t.Fatal(err)
		}
		_ = rows.Close()
	}
}

// nullable is any column as text.
type nullable string

func (n *nullable) Scan(v any) error {
	switch v := v.(type) {
	case string:
		*n = nullable(v)
	case []byte:
		*n = nullable(v)
	}
	return nil
}

// TestPeoplesSecrets: what people write is masked where it is kept, whatever door it came
// through.
func TestPeoplesSecrets(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ctx := t.Context()
	a := h.submit(confirm)
	in := form(h.show(h.ada, a.ID))
	in.Verdict, in.Reason = approvals.VerdictDeny, "never with "+anAWSKey
	done, err := h.decide(h.ada, a.ID, in)
	if err != nil || done.Decision.Reason != "never with [REDACTED:aws-access-key]" {
		t.Errorf("the reason is %+v, %v", done.Decision, err)
	}
	if err := h.SaveFilter(ctx, h.ada, approvals.SavedFilter{List: approvals.QueueList, Name: "mine", Query: "q=" + anAWSKey}); err != nil {
		t.Error(err)
	}
	if _, _, err := h.Withdraw(ctx, h.eve, h.agent.ID, "stop "+anAWSKey); err != nil {
		t.Error(err)
	}
	h.nowhere(anAWSKey)
}

// TestEditWithASecret: neither a secret nor the mask that the console put in its place is
// written into a call.
func TestEditWithASecret(t *testing.T) {
	t.Parallel()
	h := editors(t)
	a := h.submit(confirm)
	for _, arguments := range []string{`{"service":"` + anAWSKey + `"}`, `{"` + anAWSKey + `":1}`, `{"service":"[REDACTED:aws-access-key]"}`} {
		_, err := h.edit(h.ada, a, arguments)
		wantFault(t, arguments, err, fault.InvalidForm)
	}
	h.nowhere(anAWSKey)
}

// TestBodyHash: what tells a repeated body from another one says nothing of a secret in it,
// and the answer stays the same when the policy changes in between.
func TestBodyHash(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	ctx := t.Context()
	submit := func(key, secret, note string) (approvals.Approval, bool, error) {
		body := `{"function":"get_user","arguments":{"user_id":"usr_1"},"justification":"password=` + secret + `","metadata":{"note":"` + note + `"}}`
		return h.Submit(ctx, h.agent, approvals.Submission{Action: action(t, body), IdempotencyKey: key})
	}
	hash := func(id string) (kept string) {
		if err := h.raw.QueryRowContext(ctx, "SELECT body_hash FROM approvals WHERE approval_id = ?", id).Scan(&kept); err != nil {
			t.Fatal(err)
		}
		return kept
	}
	first, _, err := submit("one", "hunter2", "n")
	if err != nil {
		t.Fatal(err)
	}
	second, _, err := submit("two", "hunter3", "n")
	if err != nil {
		t.Fatal(err)
	}
	if one, two := hash(first.ID), hash(second.ID); one != two || !strings.HasPrefix(one, "1 sha256:") {
		t.Errorf("another secret, another hash: %s and %s", one, two)
	}
	if again, created, err := submit("one", "hunter2", "n"); err != nil || created || again.ID != first.ID {
		t.Errorf("the same body: %s, %v, %v", again.ID, created, err)
	}
	_, _, err = submit("one", "hunter2", "another")
	wantFault(t, "another body", err, fault.IdempotencyReused)
	h.policy(func(p *scoring.Policy) {
		p.PatternOverrides.Disable = []string{"password-assignment"}
		p.Functions = []scoring.Function{{Glob: "x", Floor: level.High}}
	})
	if again, created, err := submit("one", "hunter2", "n"); err != nil || created || again.ID != first.ID {
		t.Errorf("the same body after the policy changed: %s, %v, %v", again.ID, created, err)
	}
	if kept := hash(h.submit(harmless).ID); kept != "" {
		t.Errorf("without a key there is nothing to compare, and kept is %s", kept)
	}
}
