package storetest

import (
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/tenants"
)

// A filter belongs to one list of one person of one tenant, and goes with the membership.
func testSavedFilters(t *testing.T, w world) {
	p := w.acme
	save := func(person string, f approvals.SavedFilter) {
		t.Helper()
		p.write(t, func(w approvals.Writer) error { return w.SaveFilter(person, f) })
	}
	has := func(of place, person string, want ...approvals.SavedFilter) {
		t.Helper()
		of.read(t, func(r approvals.Reader) error {
			got, err := r.SavedFilters(person, approvals.QueueList)
			same(t, "the filters", append([]approvals.SavedFilter{}, got...), append([]approvals.SavedFilter{}, want...))
			return err
		})
	}
	mine, other := approvals.SavedFilter{List: approvals.QueueList, Name: "ein Ort 📁", Query: "q=1"}, approvals.SavedFilter{List: approvals.QueueList, Name: "b", Query: "level=HIGH"}
	save(p.ada.ID, mine)
	save(p.ada.ID, other)
	save(p.ben.ID, approvals.SavedFilter{List: approvals.QueueList, Name: "b", Query: "q=ben"})
	save(p.ada.ID, approvals.SavedFilter{List: approvals.AuditList, Name: "b", Query: "kind=x"}) // the same name of another list
	p.write(t, func(w approvals.Writer) error { return w.ForgetFilter(p.ada.ID, approvals.HistoryList, "b") })
	p.read(t, func(r approvals.Reader) error {
		got, err := r.SavedFilters(p.ada.ID, approvals.AuditList)
		same(t, "the filters of the trail", got, []approvals.SavedFilter{{List: approvals.AuditList, Name: "b", Query: "kind=x"}})
		return err
	})
	mine.Query = "q=2"
	save(p.ada.ID, mine)
	has(p, p.ada.ID, other, mine)
	has(p, p.ben.ID, approvals.SavedFilter{List: approvals.QueueList, Name: "b", Query: "q=ben"})
	has(w.beta, p.ada.ID)
	w.beta.write(t, func(w approvals.Writer) error { return w.ForgetFilter(p.ada.ID, approvals.QueueList, "b") })
	has(p, p.ada.ID, other, mine)
	p.write(t, func(w approvals.Writer) error { return w.ForgetFilter(p.ada.ID, approvals.QueueList, "b") })
	has(p, p.ada.ID, mine)
	has(p, p.ben.ID, approvals.SavedFilter{List: approvals.QueueList, Name: "b", Query: "q=ben"})
	if err := p.db.Store.Tenants().Write(t.Context(), p.tenant, func(w tenants.Writer) error {
		if err := w.RemoveMember(p.ada.ID); err != nil {
			return err
		}
		return w.Grant(p.ada.ID, []auth.Role{auth.Operator})
	}); err != nil {
		t.Fatal(err)
	}
	has(p, p.ada.ID)
}
