package lifetest

import "testing"

// A call is compared with the last approved one that does the same.
func TestComparedWithTheSameDeed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	sql := func(statement string) string {
		return `{"function":"run_sql","arguments":{"database":"billing","statement":"` + statement + `"}}`
	}
	first := h.submit(sql("SELECT count(*) FROM invoices"))
	deletes := h.submit(sql("DELETE FROM sessions WHERE id = 7"))
	if got := h.show(h.ada, deletes.ID).LastApproved; got != nil {
		t.Errorf("a deletion is compared with %s", got.ID)
	}
	again := h.submit(sql("SELECT count(*) FROM customers"))
	if got := h.show(h.ada, again.ID).LastApproved; got == nil || got.ID != first.ID {
		t.Errorf("the second count is compared with %v, want %s", got, first.ID)
	}
}
