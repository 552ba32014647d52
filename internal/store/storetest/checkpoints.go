package storetest

import (
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
)

// testSignedBefore cuts the end of a trail off together with its head, as somebody
// would who knows how: nothing in the database is wrong then, and what was signed
// before finds it.
func testSignedBefore(t *testing.T, w world) {
	p := w.acme
	p.varied(t, 300)
	checkpoint := func() audit.Checkpoint {
		t.Helper()
		head := must(w.Store.Audit().Head(t.Context(), p.tenant))
		return audit.Checkpoint{Tenant: p.tenant, Size: head.Size, Root: head.Root, At: time.Now().UTC()}
	}
	early := checkpoint()
	arm := w.Disarm(t, w.Raw)
	undo := w.keep(t, "audit_logs")
	arm()
	p.happen(t, 250, func(int) audit.Event { return happened(audit.SignedIn) })
	late := checkpoint()
	if r, err := w.Store.Audit().Verify(t.Context(), p.tenant, late, early); err != nil || !r.OK {
		t.Errorf("an untouched trail: %s, %v", r, err)
	}

	arm = w.Disarm(t, w.Raw)
	w.mustRaw(t, "DELETE FROM audit_events WHERE tenant_id = 'acme' AND idx >= %d", early.Size)
	w.mustRaw(t, "DELETE FROM audit_nodes WHERE tenant_id = 'acme' AND (pos + 1) * 256 > %d", early.Size)
	undo(t)
	arm()
	if r, err := w.Store.Audit().Verify(t.Context(), p.tenant); err != nil || !r.OK || r.Size != early.Size {
		t.Errorf("without a checkpoint: %s, %v; the test cuts less than it should", r, err)
	}
	if r, err := w.Store.Audit().Verify(t.Context(), p.tenant, early, late); err != nil || r.OK || r.FirstBroken != early.Size || !strings.Contains(r.Problem, "its end was cut off") {
		t.Errorf("a cut trail: %+v, %v", r, err)
	}
	// Nothing is appended to what is left: it isn't what this server has seen.
	err := p.try(t.Context(), func(w approvals.Writer) error { return w.Append(happened(audit.SignedOut)) })
	wantFault(t, "appending to a cut trail", err, fault.GrantUnproven)
}
