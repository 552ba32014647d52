package effects

import (
	"testing"

	"go.yaml.in/yaml/v3"
)

// Every entry of the catalogue can be read, says where it is from, and is needed: without
// it the name would say something else.
func TestCatalogue(t *testing.T) {
	t.Parallel()
	var list []catalogued
	if err := yaml.Unmarshal(catalogueYAML, &list); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range list {
		if c.Server == "" || c.Tool == "" || c.Source == "" || !c.Effect.Valid() {
			t.Errorf("%+v lacks something", c)
		}
		key := c.Server + " " + c.Tool
		if c.Own {
			continue // one for each shape
		}
		if seen[key] {
			t.Errorf("%s is there twice", key)
		}
		seen[key] = true
		if n := readName(c.Tool); n.kind == c.Effect && n.sensitive == c.Sensitive {
			t.Errorf("%s: its name says %s already", key, n.kind)
		}
	}
	if len(seen) < 80 {
		t.Errorf("only %d entries were looked at", len(seen))
	}
}

// What raises does so for everybody, in any spelling and behind a prefix; what lowers is
// only suggested where its server is imported.
func TestCatalogueRaisesAlone(t *testing.T) {
	t.Parallel()
	for function, want := range map[string]Kind{
		"mcp__supabase__reset_branch": Delete, "start_process": Execute, "helm_install": Execute, "mark_all_notifications_read": Write,
		"crawling_exa": Unknown, "jira_create_issue_link": Permission,
	} {
		if got := Examine(Input{Function: function}).Effects(Given{})[0].Kind; got != want {
			t.Errorf("%s: got %s, want %s", function, got, want)
		}
	}
	for _, c := range []struct {
		server, tool string
		want         Kind
	}{
		{"exa", "crawling_exa", Read},
		{"Exa", "crawling_exa", Read},
		{"elsewhere", "crawling_exa", ""},
		{"atlassian", "jira_create_issue_link", Write},
		{"supabase", "reset_branch", ""}, // its name is read so for everybody
	} {
		if got := Suggested(c.server, c.tool, false); got != c.want {
			t.Errorf("%s of %s: got %q, want %q", c.tool, c.server, got, c.want)
		}
	}
	if got := ServerOf([]string{"crawling_exa", "deep_researcher_start", "fork_repository", "x"}); got != "exa" {
		t.Errorf("the server is %q", got)
	}
	if got := ServerOf([]string{"fork_repository", "x"}); got != "" {
		t.Errorf("one tool makes the server %q", got)
	}
}
