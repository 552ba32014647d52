package storetest

import (
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
)

// How far an organisation is is read from what there is in it, and each person closes the
// guide for themselves.
func testGuide(t *testing.T, w world) {
	p := w.acme
	town := p.db.Store.Tenants()
	guide := func(tenant, person string) (g tenants.Guide) {
		t.Helper()
		if err := town.Read(t.Context(), tenant, func(r tenants.Reader) (err error) {
			g, err = r.Guide(person)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		return g
	}
	gina := auth.Person{ID: auth.NewID("per"), Email: "gina@gamma.test", Name: "Gina"}
	if err := town.CreateTenant(t.Context(), "gamma", scoring.DefaultPolicy(), func(w tenants.Writer) error {
		if err := w.CreatePerson(gina, ""); err != nil {
			return err
		}
		return w.Grant(gina.ID, auth.Roles())
	}); err != nil {
		t.Fatal(err)
	}
	if g := guide("gamma", gina.ID); g != (tenants.Guide{}) {
		t.Errorf("an empty organisation is at %+v", g)
	}
	if err := town.Write(t.Context(), "gamma", func(w tenants.Writer) error {
		return newAgent(w, auth.Agent{Tenant: "gamma", ID: auth.NewID("agt"), Name: tenants.SampleAgent, KeyID: auth.NewID("key")}, "sample")
	}); err != nil {
		t.Fatal(err)
	}
	if g := guide("gamma", gina.ID); g.Agent {
		t.Error("the agent of the samples is one of their own")
	}

	a := p.submit(t, nil)
	if g := guide("acme", p.ada.ID); !g.Asked || g.Decided || !g.Agent || !g.Colleague || g.Closed {
		t.Errorf("after a request it is %+v", g)
	}
	p.deny(t, a, "no")
	if g := guide("acme", p.ada.ID); !g.Decided {
		t.Errorf("after a decision it is %+v", g)
	}
	b := p.approve(t, p.submit(t, nil))
	if g := guide("acme", p.ada.ID); g.Used {
		t.Errorf("before an approval is used it is %+v", g)
	}
	p.write(t, func(w approvals.Writer) error { return w.Consume(b.ID, "") })
	if g := guide("acme", p.ada.ID); !g.Used {
		t.Errorf("after an approval is used it is %+v", g)
	}
	for range 2 {
		p.house(t, func(w tenants.Writer) error { return w.CloseGuide(p.ada.ID) })
	}
	if !guide("acme", p.ada.ID).Closed || guide("acme", p.ben.ID).Closed {
		t.Error("it is not closed for one of them alone")
	}
}
