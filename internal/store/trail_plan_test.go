package store

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
)

// Every statement of a search is answered by an index, whichever filter stands
// alone: the statements that really run are explained, none is written here again.
func TestSearchPlans(t *testing.T) {
	t.Parallel()
	s, err := Open(t.Context(), Config{Path: filepath.Join(t.TempDir(), "x.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if err := s.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Tenants().CreateTenant(t.Context(), "acme", scoring.DefaultPolicy(), func(w tenants.Writer) error {
		return w.Append(audit.Event{Kind: audit.TenantCreated, Actor: audit.Actor{Kind: "system"}, Function: "f", Level: "LOW"})
	}); err != nil {
		t.Fatal(err)
	}
	type statement struct {
		sql  string
		vars []any
	}
	var ran []statement
	note := func(db *gorm.DB) {
		ran = append(ran, statement{db.Statement.SQL.String(), slices.Clone(db.Statement.Vars)})
	}
	for _, err := range []error{
		s.reader.Callback().Query().After("gorm:query").Register("note", note),
		s.reader.Callback().Raw().After("gorm:raw").Register("note", note),
		s.reader.Callback().Row().After("gorm:row").Register("note", note),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now().Add(-time.Hour)
	for name, c := range map[string]struct {
		filter audit.Filter
		index  string // of the leading condition
	}{
		"everything":       {audit.Filter{}, "sqlite_autoindex_audit_events_1"},
		"kind":             {audit.Filter{Kinds: []audit.Kind{audit.TenantCreated}}, "audit_events_kind"},
		"kinds":            {audit.Filter{Kinds: []audit.Kind{audit.TenantCreated, audit.Denied}}, "audit_events_kind"},
		"actor":            {audit.Filter{Actor: audit.Actor{Kind: "person", ID: "per_1"}}, "audit_events_actor "},
		"kind of actor":    {audit.Filter{Actor: audit.Actor{Kind: "system"}}, "audit_events_actor_kind"},
		"agent":            {audit.Filter{Agent: "agt_1"}, "audit_events_agent"},
		"approval":         {audit.Filter{Approval: "apr_1"}, "audit_events_approval"},
		"level":            {audit.Filter{Levels: []string{"LOW"}}, "audit_events_level"},
		"levels":           {audit.Filter{Levels: []string{"LOW", "HIGH"}}, "audit_events_level"},
		"function":         {audit.Filter{Function: "f"}, "audit_events_function"},
		"function, begins": {audit.Filter{Function: "f", Prefix: true}, "audit_events_function"},
		"from":             {audit.Filter{From: now}, "audit_events_at"},
		"to":               {audit.Filter{To: now.Add(2 * time.Hour)}, "audit_events_at"},
		"from and to":      {audit.Filter{From: now, To: now.Add(2 * time.Hour)}, "audit_events_at"},
		"text":             {audit.Filter{Text: "x"}, "sqlite_autoindex_audit_events_1"},
	} {
		ran = nil
		for _, q := range []audit.Query{{Edge: -1}, {Edge: 1}, {Edge: -1, Upward: true}} {
			q.Filter, q.Limit = c.filter, 50
			if _, err := s.Audit().Search(t.Context(), "acme", q); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		var plan []string
		for _, st := range ran {
			if !strings.Contains(st.sql, "audit_events") {
				continue
			}
			var steps []struct{ Detail string }
			if err := s.reader.Session(&gorm.Session{NewDB: true, SkipHooks: true}).Raw("EXPLAIN QUERY PLAN "+st.sql, st.vars...).Scan(&steps).Error; err != nil {
				t.Fatalf("%s: %s: %v", name, st.sql, err)
			}
			for _, step := range steps {
				plan = append(plan, step.Detail)
				if strings.HasPrefix(step.Detail, "SCAN audit_events") {
					t.Errorf("%s walks through the table: %q for %s", name, step.Detail, st.sql)
				}
				// What is sorted is a page of candidates or a merge of arms, never a leading index.
				if strings.Contains(step.Detail, "TEMP B-TREE") && !strings.Contains(st.sql, "IN (") && !strings.Contains(st.sql, "UNION ALL") {
					t.Errorf("%s sorts: %q for %s", name, step.Detail, st.sql)
				}
			}
		}
		if len(plan) == 0 || !slices.ContainsFunc(plan, func(step string) bool { return strings.Contains(step, c.index) }) {
			t.Errorf("%s: %q, want it to use %s", name, plan, c.index)
		}
	}
}
