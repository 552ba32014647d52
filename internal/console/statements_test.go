package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/auth"
)

// statements are those that a page costs the database, each with how often it was made.
func (b *browser) statements(path string) (total int, each map[string]int) {
	b.t.Helper()
	b.level.Set(slog.LevelDebug)
	before := b.site.log.Len()
	if p := b.get(path); p.status != http.StatusOK {
		b.t.Fatalf("%s: %d", path, p.status)
	}
	b.level.Set(slog.LevelInfo)
	each = map[string]int{}
	for line := range bytes.Lines(b.site.log.Bytes()[before:]) {
		var said struct{ Msg, SQL string }
		if err := json.Unmarshal(line, &said); err != nil {
			b.t.Fatal(err)
		}
		if said.Msg == "statement" {
			total++
			each[said.SQL]++
		}
	}
	return total, each
}

// crowded is an organisation of twenty people with this many open requests.
func crowded(t testing.TB, requests int) *site {
	t.Helper()
	s := newSite(t)
	for i := range 17 {
		role := []auth.Role{auth.Operator}
		if i < 2 {
			role = append(role, auth.Admin)
		}
		_, err := s.tenants.CreatePerson(t.Context(), "acme", fmt.Sprintf("p%d@example.com", i), "", "", role)
		must(t, err)
	}
	for i := range requests {
		switch body := strings.Replace(medium, "4.18.2", fmt.Sprint("4.18.", i), 1); i % 3 {
		case 0:
			s.submit(strings.Replace(body, "ses_1", fmt.Sprint("ses_", i%10), 1))
		case 1:
			s.submit(strings.Replace(high, "usr_123", fmt.Sprint("usr_", i), 1))
		default:
			s.submit(strings.Replace(critical, "billing;", fmt.Sprintf("billing%d;", i), 1))
		}
	}
	return s
}

// TestStatementsOfThePages: what a page asks of the database does not grow with what it
// shows, and nothing is asked again and again. Sixty requests are more than a page.
func TestStatementsOfThePages(t *testing.T) {
	t.Parallel()
	cost := map[int]map[string]int{}
	for _, requests := range []int{60, 200} {
		s := crowded(t, requests)
		b := s.signedIn("p0")
		a := s.submit(medium)
		cost[requests] = map[string]int{}
		for _, path := range []string{"queue", "history", "approvals/" + a.ID, "settings/policy", "settings/people", "settings/agents", "audit"} {
			b.get("/t/acme/" + path) // the first look is written down
			total, each := b.statements("/t/acme/" + path)
			name, _, _ := strings.Cut(path, "/apr_")
			cost[requests][name] = total
			t.Logf("%d requests, %s: %d statements", requests, name, total)
			if most := pageCosts[name]; total > most {
				t.Errorf("%s asks %d statements, at most %d are allowed", name, total, most)
			}
			for sql, n := range each {
				if strings.Contains(sql, "acme") {
					t.Errorf("a value is in the log: %s", sql)
				}
				if n > mostAlike {
					t.Errorf("%s asks %d times: %s", name, n, sql)
				}
			}
		}
	}
	for name, few := range cost[60] {
		if many := cost[200][name]; few == 0 || many > few {
			t.Errorf("%s: %d statements with 60 requests, %d with 200", name, few, many)
		}
	}
}

// pageCosts is how many statements a page may ask: what it needs.
var pageCosts = map[string]int{"queue": 18, "history": 9, "approvals": 17, "settings/policy": 14, "settings/people": 5, "settings/agents": 8, "audit": 11}

// mostAlike is how often a page may ask the same: once for each of its parts.
const mostAlike = 3
