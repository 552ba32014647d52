package tenants_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/tenants"
)

// list is a server's list: a name, and a description behind a colon.
func list(tools ...string) []byte {
	all := make([]string, len(tools))
	for i, tool := range tools {
		name, description, _ := strings.Cut(tool, ":")
		all[i] = fmt.Sprintf(`{"name":%q,"description":%q}`, name, description)
	}
	return []byte(`{"tools":[` + strings.Join(all, ",") + `]}`)
}

// told is what came of an import: names with their news and what they raise.
func told(all []tenants.Tool) string {
	var s []string
	for _, t := range all {
		s = append(s, strings.TrimRight(fmt.Sprintf("%s %s %s", t.Name, t.News, t.Raises), " "))
	}
	return strings.Join(s, ", ")
}

// Importing again says what changed, server by server. Nothing that a description raised
// falls away by it.
func TestImportTools(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	adam := v.people["adam"]
	_, a := v.make("bot")
	in := func(tools ...string) string {
		t.Helper()
		all, server, err := v.ImportTools(t.Context(), adam, a.ID, tenants.ToolImport{Prefix: "mcp__rides__", List: list(tools...)})
		must(t, err)
		if server != "rides" {
			t.Errorf("the server is %q", server)
		}
		return strings.ReplaceAll(told(all), "mcp__rides__", "")
	}
	for _, step := range []struct {
		tools []string
		want  string
	}{
		{[]string{"get_ride:Book a ride.", "get_map:Returns a map.", "frob:Frobs."}, "frob added, get_map added, get_ride added money"},
		{[]string{"get_ride:Book a ride.", "get_map:Returns a map.", "frob:Frobs."}, "frob, get_map, get_ride  money"},
		{[]string{"get_ride:Returns a ride.", "get_map:Buy a map."}, "get_map changed money, get_ride changed money"},
		{[]string{"get_map:Buy a map."}, "get_map  money, get_ride gone money"},
	} {
		if got := in(step.tools...); got != step.want {
			t.Errorf("after %q: got %q, want %q", step.tools, got, step.want)
		}
	}
	e := v.last(audit.ToolsImported, adam)
	if want := `{"added":[],"changed":[],"gone":["mcp__rides__get_ride"],"server":"rides"`; e.Agent != a.ID || !strings.HasPrefix(string(e.Data.Canonical()), want) || len(e.Data.Get("sha256").Text()) != 64 {
		t.Errorf("the event says %s, want %s…", e.Data.Canonical(), want)
	}

	for what, c := range map[string]struct {
		who    string
		agent  string
		in     tenants.ToolImport
		code   fault.Code
		member string
	}{
		"an operator":          {"ada", a.ID, tenants.ToolImport{List: list("a")}, fault.Denied, ""},
		"an admin elsewhere":   {"rita", a.ID, tenants.ToolImport{List: list("a")}, fault.Missing, ""},
		"no list":              {"adam", a.ID, tenants.ToolImport{}, fault.InvalidForm, "list"},
		"a name":               {"adam", a.ID, tenants.ToolImport{Server: "a b", List: list("a")}, fault.InvalidForm, "server"},
		"another server's one": {"adam", a.ID, tenants.ToolImport{Server: "other", List: list("mcp__rides__get_map")}, fault.InvalidForm, "prefix"},
	} {
		_, _, err := v.ImportTools(t.Context(), v.people[c.who], c.agent, c.in)
		if wantFault(t, what, err, c.code); fault.As(err).Member != c.member {
			t.Errorf("%s: it is about %q", what, fault.As(err).Member)
		}
	}
	all, server, err := v.ImportToolsFor(t.Context(), adam.Tenant, "bot", tenants.ToolImport{List: list("slack_post_message", "frob")})
	if must(t, err); server != "tools" || len(all) != 4 {
		t.Errorf("from outside: %q, %+v", server, all)
	}
	_, _, err = v.ImportToolsFor(t.Context(), adam.Tenant, "bot2", tenants.ToolImport{List: list("a")})
	wantFault(t, "no agent", err, fault.Missing)
}

// What a description raises is taken away after a second person accepted another effect,
// and not before.
func TestRemoveTools(t *testing.T) {
	t.Parallel()
	v := newTown(t)
	adam, alma := v.people["adam"], v.people["alma"]
	_, a := v.make("bot")
	all, _, err := v.ImportTools(t.Context(), adam, a.ID, tenants.ToolImport{Server: "rides", List: list("get_ride:Book a ride.", "frob")})
	must(t, err)
	_, err = v.RemoveTools(t.Context(), v.people["ada"], a.ID, "rides")
	wantFault(t, "an operator", err, fault.Denied)
	kept, err := v.RemoveTools(t.Context(), adam, a.ID, "rides")
	if must(t, err); told(kept) != "get_ride gone money" {
		t.Errorf("kept %q", told(kept))
	}

	now, err := v.CurrentPolicy(t.Context(), adam)
	must(t, err)
	accepting := tenants.AcceptTools(now.Policy, "bot", all, map[string]effects.Kind{"get_ride": effects.Read})
	made, proposed := v.save("adam", now.Version, accepting)
	if made != nil || proposed == nil {
		t.Fatalf("accepting a read needs nobody else: %+v, %+v", made, proposed)
	}
	if kept, err = v.RemoveTools(t.Context(), adam, a.ID, "rides"); err != nil || len(kept) != 1 {
		t.Errorf("while it is proposed: kept %q, %v", told(kept), err)
	}
	_, err = v.AcceptProposal(t.Context(), alma, proposed.ID)
	must(t, err)
	if kept, err = v.RemoveTools(t.Context(), adam, a.ID, "rides"); err != nil || len(kept) != 0 {
		t.Errorf("after it was accepted: kept %q, %v", told(kept), err)
	}
	if e := v.last(audit.ToolsRemoved, adam); e.Agent != a.ID || string(e.Data.Canonical()) != `{"gone":["get_ride"],"kept":[],"server":"rides","tools":1,"tools_sum":"`+tenants.ToolsSum(nil)+`","tools_whole":"`+tenants.ToolsWhole(nil)+`"}` {
		t.Errorf("the event says %s", e.Data.Canonical())
	}
	_, err = v.RemoveTools(t.Context(), adam, a.ID, "rides")
	wantFault(t, "twice", err, fault.Changed)
}

// What is accepted of tools is one entry for each, for the agent and the digest.
func TestAcceptTools(t *testing.T) {
	t.Parallel()
	tool := func(name, digit string) (t tenants.Tool) {
		t.Name, t.SHA256 = name, strings.Repeat(digit, 64)
		return t
	}
	tools := []tenants.Tool{tool("a", "1"), tool("b", "1"), tool("c", "1"), tool("d", "1")}
	p := tenants.AcceptTools(policy(nil), "bot", tools, map[string]effects.Kind{"a": effects.Read, "b": effects.Write, "c": "", "x": effects.Read})
	if len(p.Functions) != 2 || len(p.Problems()) > 0 {
		t.Fatalf("got %+v, %v", p.Functions, p.Problems())
	}
	again := []tenants.Tool{tool("a", "2"), tool("b", "2")}
	p = tenants.AcceptTools(p, "bot", again, map[string]effects.Kind{"a": effects.Read, "b": ""})
	if f, ok := tenants.AcceptedTool(p, "bot", "a"); len(p.Functions) != 1 || !ok || f.Tool != again[0].SHA256 || f.Effect != effects.Read {
		t.Errorf("got %+v", p.Functions)
	}
	if _, ok := tenants.AcceptedTool(p, "other", "a"); ok {
		t.Error("it counts for another agent")
	}
}
