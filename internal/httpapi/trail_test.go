package httpapi

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"testing"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/headstest"
)

type noTrail struct{}

func (noTrail) Newest(string) []byte { return nil }
func (noTrail) Hear(string, []byte)  {}

// Each answer has the newest signed head. A head that goes further than the trail, which an agent can
// have of a server that was set back since, stops the organisation.
func TestAgentsRememberTheTrail(t *testing.T) {
	t.Parallel()
	r := newReal(t)
	submit := func(tenant string, note []byte) reply {
		t.Helper()
		return r.as(t, tenant, "/api/v1/approvals", harmless, checkpointHeader, base64.StdEncoding.EncodeToString(note))
	}
	first := r.as(t, "acme", "/api/v1/approvals", harmless)
	note, err := base64.StdEncoding.DecodeString(first.Header.Get(checkpointHeader))
	if err != nil {
		t.Fatal(err)
	}
	head, err := r.heads.Open(note)
	if err != nil || head.Tenant != "acme" {
		t.Fatalf("the answer has the head %q: %v", note, err)
	}
	sign := func(by *headstest.Heads, change func(*audit.Checkpoint)) []byte {
		t.Helper()
		c := head
		c.Size += 100
		change(&c)
		signed, err := by.Sign(c)
		if err != nil {
			t.Fatal(err)
		}
		return signed
	}
	stranger, err := audit.NewCheckpointKey()
	if err != nil {
		t.Fatal(err)
	}
	key, err := audit.ParseCheckpointKey(stranger)
	if err != nil {
		t.Fatal(err)
	}
	for name, note := range map[string][]byte{
		"its own":                  note,
		"of before a restore":      sign(r.heads, func(c *audit.Checkpoint) { c.Epoch-- }),
		"signed by another key":    sign(headstest.With(key), func(*audit.Checkpoint) {}),
		"of another organisation":  sign(r.heads, func(c *audit.Checkpoint) { c.Tenant = "other" }),
		"with an edited signature": append(sign(r.heads, func(*audit.Checkpoint) {})[:200], '\n'),
	} {
		if got := submit("acme", note); got.StatusCode != http.StatusCreated {
			t.Errorf("with a head %s: %d %s", name, got.StatusCode, got.body)
		}
	}
	for _, header := range []string{"no head", "bm8gaGVhZA=="} {
		r.as(t, "acme", "/api/v1/approvals", harmless, checkpointHeader, header).refused(t, http.StatusUnprocessableEntity, fault.InvalidParameter, checkpointHeader, "leave it out")
	}
	spendable := r.as(t, "acme", "/api/v1/approvals", harmless)
	further := sign(r.heads, func(*audit.Checkpoint) {})
	submit("acme", further).refused(t, http.StatusConflict, fault.GrantUnproven, "", "")
	// Whoever comes without a head finds the same, whatever he wants to have accepted.
	r.as(t, "acme", "/api/v1/approvals", harmless).refused(t, http.StatusConflict, fault.GrantUnproven, "", "")
	a := spendable.approvalOf(t, http.StatusCreated)
	r.as(t, "acme", fmt.Sprintf("/api/v1/approvals/%s/consume", a["id"]), fmt.Sprintf(`{"digest": %q}`, a["digest"])).refused(t, http.StatusConflict, fault.GrantUnproven, "", "")
	if got := r.as(t, "other", "/api/v1/approvals", harmless); got.StatusCode != http.StatusCreated {
		t.Errorf("another organisation: %d %s", got.StatusCode, got.body)
	}
}
