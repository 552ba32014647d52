package storetest

import (
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
)

// An acknowledgement is one operator's, of one section of one version; it keeps its
// first time and is never changed or taken back.
func testSectionReads(t *testing.T, w world) {
	p := w.acme
	a := p.submit(t, nil)
	times := map[int]time.Time{}
	read := func(person string, version int64, section int, wantFirst bool) {
		t.Helper()
		p.write(t, func(w approvals.Writer) error {
			first, err := w.ReadSection(a.ID, person, version, section)
			if first != wantFirst {
				t.Errorf("%s reads section %d of version %d: first is %v", person, section, version, first)
			}
			if first && person == p.ada.ID && version == 1 {
				times[section] = w.Now()
			}
			return err
		})
	}
	read(p.ada.ID, 1, 2, true)
	read(p.ada.ID, 1, 1, true)
	read(p.ada.ID, 1, 2, false)
	read(p.ada.ID, 2, 3, true)
	read(p.ben.ID, 1, 4, true)
	p.read(t, func(r approvals.Reader) error {
		got, err := r.SectionsRead(a.ID, p.ada.ID, 1)
		same(t, "what ada read", got, times)
		for _, of := range []struct {
			approval, person string
			version          int64
		}{{a.ID, p.ada.ID, 3}, {a.ID, "", 1}, {"", p.ada.ID, 1}, {"apr_no", p.ada.ID, 1}} {
			if got, err := r.SectionsRead(of.approval, of.person, of.version); err != nil || len(got) != 0 {
				t.Errorf("%v: %v, %v", of, got, err)
			}
		}
		return err
	})
	wantFault(t, "a section of nothing", p.try(t.Context(), func(w approvals.Writer) error {
		_, err := w.ReadSection("apr_no", p.ada.ID, 1, 1)
		return err
	}), fault.Missing)
	for what, statement := range map[string]string{
		"moved":   "UPDATE section_reads SET acknowledged_at = '2020-01-01 00:00:00' WHERE tenant_id = 'acme'",
		"deleted": "DELETE FROM section_reads WHERE tenant_id = 'acme'",
	} {
		if _, err := w.Raw.ExecContext(t.Context(), statement); err == nil {
			t.Errorf("an acknowledgement was %s", what)
		}
	}
}
