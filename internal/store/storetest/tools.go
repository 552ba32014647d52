package storetest

import (
	"fmt"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/toollist"
	"github.com/countersign/countersign/internal/tenants"
)

// imported is a tool of a server.
func imported(name, server string) tenants.Tool {
	no := false
	return tenants.Tool{
		Tool: toollist.Tool{
			Name: name, Own: "own_" + name, Description: "Books “a ride”.", Annotations: toollist.Annotations{Destructive: &no},
			SHA256: fmt.Sprintf("%064x", len(name)), Raises: effects.Money,
		},
		Server: server, News: tenants.ToolChanged, ImportedAt: time.Date(2026, 3, 1, 12, 0, 0, 5000, time.UTC), ImportedBy: "per_x",
	}
}

func (p place) tools(t *testing.T) (all []tenants.Tool) {
	t.Helper()
	p.house(t, func(w tenants.Writer) (err error) {
		all, err = w.ImportedTools(p.agent.ID)
		return err
	})
	return all
}

// tool is the one that a call is judged with.
func (p place) tool(t *testing.T, name string) (found *effects.Tool) {
	t.Helper()
	p.read(t, func(r approvals.Reader) (err error) {
		found, err = r.ImportedTool(p.agent.ID, name)
		return err
	})
	return found
}

func testImportedTools(t *testing.T, w world) {
	p := w.acme
	set := func(server string, tools ...tenants.Tool) {
		t.Helper()
		p.house(t, func(w tenants.Writer) error { return w.SetTools(p.agent.ID, server, tools) })
	}
	same(t, "before", p.tools(t), []tenants.Tool{})
	b, a, other := imported("b", "rides"), imported("a_long_name", "rides"), imported("c", "other")
	set("rides", b, a)
	set("other", other)
	same(t, "by name", p.tools(t), []tenants.Tool{a, b, other})
	same(t, "one", p.tool(t, "b"), &effects.Tool{Name: "b", SHA256: b.SHA256, Raises: effects.Money})
	for _, name := range []string{"B", "own_b", "d", ""} {
		if got := p.tool(t, name); got != nil {
			t.Errorf("%q: got %+v", name, got)
		}
	}
	if got := w.beta.tool(t, "b"); got != nil || len(w.beta.tools(t)) != 0 {
		t.Errorf("of another organisation: %+v", got)
	}

	b.SHA256, b.News, b.Raises = a.SHA256, tenants.ToolSame, ""
	set("rides", b)
	same(t, "in place of the others of its server", p.tools(t), []tenants.Tool{b, other})
	set("rides")
	same(t, "none of a server", p.tools(t), []tenants.Tool{other})

	many := make([]tenants.Tool, 501)
	for i := range many {
		many[i] = imported(fmt.Sprintf("n%03d", i), "rides")
	}
	set("rides", many...)
	same(t, "many", p.tools(t), append([]tenants.Tool{other}, many...))
	if err := p.tryHouse(t.Context(), func(w tenants.Writer) error {
		return w.SetTools(p.agent.ID, "third", []tenants.Tool{imported("c", "third")})
	}); err == nil {
		t.Error("two servers have a tool of one name")
	}
}
