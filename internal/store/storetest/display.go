package storetest

import (
	"testing"

	"github.com/countersign/countersign/internal/tenants"
)

// What a person chose for the console is theirs alone, and the last choice holds.
func testDisplay(t *testing.T, w world) {
	p := w.acme
	read := func(person string) (d tenants.Display) {
		t.Helper()
		if err := p.db.Store.Tenants().Read(t.Context(), "acme", func(r tenants.Reader) (err error) {
			d, err = r.Display(person)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return d
	}
	if d := read(p.ada.ID); d != (tenants.Display{}) {
		t.Errorf("nothing chosen is %+v", d)
	}
	for _, d := range []tenants.Display{{Advance: true, Sound: "high"}, {Sound: "all"}} {
		p.house(t, func(w tenants.Writer) error { return w.SetDisplay(p.ada.ID, d) })
		d.Chosen = true
		if got := read(p.ada.ID); got != d {
			t.Errorf("read %+v, want %+v", got, d)
		}
	}
	if d := read(p.ben.ID); d != (tenants.Display{}) {
		t.Errorf("somebody else has %+v", d)
	}
}
