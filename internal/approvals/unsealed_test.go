package approvals_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// Who writes to the database without the key of the data directory makes no event that
// anything goes by, even where every hash of the trail is right: neither a new one at its end
// nor an older one that is changed with its leaf.
func TestUnsealedEventsTellNothing(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		h.hasty()
		open := h.waiting(confirm, scoring.ChallengeConfirm)
		v := h.show(h.ada, open.ID)
		h.disarm("policies")
		h.disarm("audit_events")
		h.disarm("audit_logs")

		// A server with another key writes rows, events, nodes and head as ours does.
		h.db.SealWith(audit.NewSealKey())
		h.policy(func(p *scoring.Policy) { p.Challenges.Medium = scoring.ChallengeNone })
		h.db.SealWith(sealKey)
		h.refusedCall("a version that a stranger made as a server does", confirm)
		_, err := h.decide(h.ada, open.ID, form(v))
		wantFault(t, "approved under it", err, fault.GrantUnproven)
		broken := func(what string) {
			t.Helper()
			if r, err := h.db.Audit().Verify(t.Context(), "acme"); err != nil || r.OK {
				t.Errorf("%s: %v, %v", what, r, err)
			}
		}
		broken("an event of a stranger's")
		h.exec("DELETE FROM policies WHERE version = (SELECT max(version) FROM policies)")
		h.exec("UPDATE audit_events SET kind = 'x', seal = '' WHERE idx = (SELECT max(idx) FROM audit_events)") // out of the way
		h.waiting(confirm, scoring.ChallengeConfirm)

		// The newest real version, its event and the leaf of that.
		var index int64
		var bytes, leaf, seal string
		err = h.raw.QueryRowContext(t.Context(), "SELECT idx, bytes, leaf, seal FROM audit_events WHERE kind = $1 ORDER BY idx DESC LIMIT 1", string(audit.PolicyChanged)).Scan(&index, &bytes, &leaf, &seal)
		if err != nil {
			t.Fatal(err)
		}
		const newest = "version = (SELECT max(version) FROM policies)"
		real := h.stored("SELECT policy FROM policies WHERE " + newest)
		lax := asksNobody(t, real)
		edited := strings.Replace(bytes, sum(real), sum(lax), 1)
		other := audit.Leaf([]byte(edited))
		forge := func(bytes, leaf, seal, policy string) {
			t.Helper()
			h.exec("UPDATE audit_events SET bytes = $1, leaf = $2, seal = $3 WHERE idx = $4", bytes, leaf, seal, index)
			h.exec("UPDATE policies SET policy = $1 WHERE "+newest, policy)
		}
		for what, forged := range map[string]string{
			"the seal of what it was":  seal,
			"no seal":                  "",
			"the seal of another":      h.stored(fmt.Sprintf("SELECT seal FROM audit_events WHERE idx = %d", index-1)),
			"the seal of another key":  audit.NewSealKey().Seal("acme", index, other[:]),
			"that of another tenant's": sealKey.Seal("beta", index, other[:]),
			"that of another place":    sealKey.Seal("acme", index+1, other[:]),
		} {
			forge(edited, hex.EncodeToString(other[:]), forged, lax)
			h.refusedCall("edited with its leaf, "+what, confirm)
			broken("edited with its leaf, " + what)
		}
		forge(bytes, leaf, seal, real)
		h.waiting(confirm, scoring.ChallengeConfirm)
	})
}

func sum(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// What was there before its server had a key is sealed beside it, and counts again; what is
// added without it afterwards does not.
func TestSealStored(t *testing.T) {
	t.Parallel()
	onBoth(t, func(t *testing.T, h *house) {
		h.db.SealWith(nil)
		h.policy(func(p *scoring.Policy) { p.GrantSeconds = 60 })
		a := h.submit(harmless)
		h.db.SealWith(sealKey)
		h.refusedCall("nothing is sealed yet", harmless)
		if err := h.db.SealStored(t.Context(), sealKey, func(int, int) {}); err != nil {
			t.Fatal(err)
		}
		if _, err := h.consume(a, a.Digest, ""); err != nil {
			t.Errorf("sealed afterwards: %v", err)
		}
		if b := h.submit(harmless); b.Status != approvals.Approved {
			t.Errorf("sealed afterwards, a call is %s", b.Status)
		}
		if r, err := h.db.Audit().Verify(t.Context(), "acme"); err != nil || !r.OK {
			t.Errorf("sealed afterwards: %v, %v", r, err)
		}
		h.db.SealWith(nil)
		c := h.submit(harmless)
		h.db.SealWith(sealKey)
		_, err := h.consume(c, c.Digest, "")
		wantFault(t, "spent what nobody sealed", err, fault.GrantUnproven)
	})
}
