package tenants_test

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/workspace"
	"github.com/countersign/countersign/internal/tenants"
)

// aKey is one of a documented form that belongs to nobody; small letters where a name has no
// others.
const (
	aKey      = "AKIAIOSFODNN7EXAMPLQ"
	aSmallKey = "glpat\x2dabcdefghijklmnopqrst"
)

// TestNamesHoldNoSecret: nor the mask that the console puts in place of one.
func TestNamesHoldNoSecret(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	ctx := t.Context()
	_, worker := v.make("worker")
	bind := func(b tenants.Bound) error {
		return v.BindFromOutside(ctx, "acme", worker.Name, tenants.NewBinding{Bound: b, Reason: "x"})
	}
	tools := func(in tenants.ToolImport) error {
		_, _, err := v.ImportToolsFor(ctx, "acme", worker.Name, in)
		return err
	}
	person := func(email, name string) error {
		_, err := v.CreatePerson(ctx, "acme", email, name, "", []auth.Role{auth.Operator})
		return err
	}
	agent := func(name string) error {
		_, _, err := v.CreateAgent(ctx, "acme", name, "")
		return err
	}
	for what, err := range map[string]error{
		"slug":        v.CreateTenant(ctx, aSmallKey),
		"name":        agent(aKey),
		"email":       person(aKey+"@acme.test", ""),
		"name of one": person("x@acme.test", "Ada "+aKey),
		"name masked": person("y@acme.test", "Ada [REDACTED:aws-access-key]"),
		"environment": bind(tenants.Bound{Environment: aSmallKey}),
		"workspace":   bind(tenants.Bound{Workspace: workspace.Binding{Folder: "/work/" + aKey}}),
		"server":      tools(tenants.ToolImport{Server: aKey, List: []byte(`[{"name":"x"}]`)}),
		"list":        tools(tenants.ToolImport{Server: "one", List: []byte(`[{"name":"` + aKey + `"}]`)}),
	} {
		f := fault.As(err)
		if f == nil || f.Code != fault.InvalidForm || !strings.HasPrefix(what, f.Member) || !strings.Contains(f.Detail, "secret") || strings.Contains(f.Detail, aKey) {
			t.Errorf("%s: %v; want it refused for its secret", what, err)
		}
	}
}

// TestWrittenTextsAreMasked: reasons and descriptions.
func TestWrittenTextsAreMasked(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	ctx := t.Context()
	_, worker := v.make("worker")
	must(t, v.RecordIncident(ctx, v.people["adam"], worker.ID, "it leaked "+aKey))
	_, _, err := v.SavePolicy(ctx, v.people["adam"], tenants.Change{Base: 1, Policy: tighter(), Reason: "for " + aKey})
	must(t, err)
	all, _, err := v.ImportToolsFor(ctx, "acme", worker.Name, tenants.ToolImport{Server: "one", List: []byte(`[{"name":"x","description":"sends ` + aKey + `"}]`)})
	if err != nil || len(all) != 1 || all[0].Description != "sends [REDACTED:aws-access-key]" {
		t.Errorf("the tools are %+v, %v", all, err)
	}
	masked := 0
	for _, e := range v.events("acme") {
		b := string(e.Data.Canonical())
		if strings.Contains(b, aKey) {
			t.Errorf("the trail is told %s", b)
		}
		masked += strings.Count(b, "[REDACTED:aws-access-key]")
	}
	if masked != 2 {
		t.Errorf("%d reasons are masked, want 2", masked)
	}
}

// TestPoliciesHoldNoSecret: whoever saves them, and from where.
func TestPoliciesHoldNoSecret(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	p := policy(func(p *scoring.Policy) { p.Functions = []scoring.Function{{Glob: "x", Docstring: "with " + aKey}} })
	_, _, err := v.SavePolicy(t.Context(), v.people["adam"], tenants.Change{Base: 1, Policy: p, Reason: "x"})
	wantFault(t, "saved", err, fault.InvalidMember)
	_, err = v.ImportPolicy(t.Context(), "acme", tenants.Change{Base: 1, Policy: p, Reason: "x"})
	wantFault(t, "imported", err, fault.InvalidMember)
}
