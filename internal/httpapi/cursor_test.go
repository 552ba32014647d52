package httpapi

import "testing"

// A cursor goes on with the list that it came from, and with no other one.
func TestACursorCarriesItsFilter(t *testing.T) {
	t.Parallel()
	before := "apr_0123456789abcdef0123456789abcdef"
	first := &listInput{Status: "denied", Session: "a b&c=d?"}
	next := first.cursor(before)
	for name, c := range map[string]struct {
		in listInput
		ok bool
	}{
		"alone":                         {listInput{Cursor: next}, true},
		"with the same":                 {listInput{Cursor: next, Status: "denied", Session: "a b&c=d?"}, true},
		"with another status":           {listInput{Cursor: next, Status: "approved", Session: "a b&c=d?"}, false},
		"with one of two":               {listInput{Cursor: next, Status: "denied"}, false},
		"of everything, with a filter":  {listInput{Cursor: (&listInput{}).cursor(before), Status: "denied"}, false},
		"of everything, with no filter": {listInput{Cursor: (&listInput{}).cursor(before)}, true},
	} {
		f, err := c.in.filter()
		if (err == nil) != c.ok || c.ok && (f.Before != before || len(f.Statuses) > 0 && f.Session != first.Session || c.in.Status != "" && len(f.Statuses) != 1) {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
	}
	if f, err := (&listInput{Cursor: next}).filter(); err != nil || len(f.Statuses) != 1 || f.Statuses[0] != "denied" || f.Session != "a b&c=d?" {
		t.Errorf("alone it asks for %+v, %v", f, err)
	}
}
