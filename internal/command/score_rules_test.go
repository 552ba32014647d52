package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
)

// An organisation's own rules are the same code on the command line and behind the
// API: one file, one answer.
func TestScoreAndTheServerRunTheSameRules(t *testing.T) {
	t.Parallel()
	h := boot(t)
	key := h.organisation("acme", nil)
	for name, file := range map[string]string{
		"rules": `
rules:
  replaced: [{name: format_disk, pattern: mkfs, level: CRITICAL, reason: Formats a disk}]
  custom:
    - {name: ledger_path, pattern: /srv/ledger/, level: HIGH, reason: Touches the ledger, reversible: true}
    - {name: backup_copies, expression: 'action.code.contains("/backup/") && size(action.arguments) > 3', level: HIGH, reason: Copies backups}
    - {name: needs_ticket, expression: 'action.arguments.ticket == ""', level: MEDIUM, reason: Has no ticket}
`,
		"assessor": `rules: {assessor: '{"level": action.environment == "production" ? "CRITICAL" : "SAFE", "reasons": ["Production"]}'}`,
	} {
		p, err := scoring.ReadPolicy([]byte(file))
		if err != nil {
			t.Fatal(err)
		}
		now, err := h.Tenants.PolicyOf(t.Context(), "acme")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := h.Tenants.ImportPolicy(t.Context(), "acme", tenants.Change{Base: now.Version, Policy: p, Reason: name}); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "policy.yaml")
		if err := os.WriteFile(path, []byte(file), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, body := range []string{
			`{"function": "copy", "code": "cp /backup/a b", "arguments": {"a": 1, "b": 2, "c": 3, "ticket": "T-1"}}`,
			`{"function": "read", "arguments": {"path": "/SRV/ledger/7", "ticket": "T-1"}, "environment": "production"}`,
			`{"function": "read", "code": "information", "arguments": {"ticket": "T-1"}}`,
			`{"function": "read"}`,
		} {
			sent := h.call(key, "POST", "/api/v1/approvals", body)
			_, printed, _ := command(t, body, "score", "--policy", path)
			var served, scored struct {
				Assessment, Rules json.RawMessage
				Explanation       string
			}
			if err := json.Unmarshal([]byte(sent.raw), &served); err != nil {
				t.Fatalf("%s %v", sent.raw, err)
			}
			if err := json.Unmarshal(served.Assessment, &served); err != nil {
				t.Fatalf("%s %v", sent.raw, err)
			}
			if err := json.Unmarshal([]byte(printed), &scored); err != nil {
				t.Fatalf("%s %v", printed, err)
			}
			if sent.status != 201 || len(served.Rules) == 0 || string(served.Rules) != string(scored.Rules) || served.Explanation != scored.Explanation {
				t.Errorf("%s: %s\nthe server says       %s %s\nthe command line says %s %s", name, body, served.Explanation, served.Rules, scored.Explanation, scored.Rules)
			}
		}
	}
}
