package console

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/gorilla/websocket"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/tenants"
)

// untilHouse reads until a frame replaces what is said of the organisation.
func untilHouse(t *testing.T, conn *websocket.Conn) string {
	t.Helper()
	for {
		if frame := next(t, conn); strings.Contains(frame, `hx-target="#house"`) {
			return html.UnescapeString(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(frame, " "))
		}
	}
}

// Open pages are told at once of the kill switch and of another policy, by whom and
// when, whoever did it and however; a page that comes back is told what holds.
func TestOpenPagesAreToldOfTheHouse(t *testing.T) {
	t.Parallel()
	long.Race(t)
	s := newSite(t)
	_, err := s.tenants.CreatePerson(t.Context(), "acme", "root@example.com", "Root", "", []auth.Role{auth.Admin})
	must(t, err)
	admin, ada := s.signedIn("root"), s.signedIn("ada")
	conn := ada.live("/t/acme/live")
	s.settled(conn)
	wants := func(what string, texts ...string) {
		t.Helper()
		told := untilHouse(t, conn)
		for _, text := range texts {
			if !strings.Contains(told, text) {
				t.Errorf("%s: the page was told %q, want %q in it", what, told, text)
			}
		}
	}
	admin.post("/t/acme/settings/agents/stop-all", url.Values{"slug": {"acme"}, "reason": {"a <b>leak"}}).want(t, http.StatusSeeOther)
	wants("the kill switch", "All agents are stopped", "Root stopped them at", "a <b>leak", "UTC")
	ada.get("/t/acme/queue/rows").want(t, http.StatusOK, "#house", "All agents are stopped")
	admin.post("/t/acme/settings/agents/resume", url.Values{"reason": {"fixed"}}).want(t, http.StatusSeeOther)
	wants("its end", "Agents resumed", "Root resumed agents at", "fixed")
	if back := ada.get("/t/acme/queue/rows").want(t, http.StatusOK, "#house"); strings.Contains(back.body, "All agents are stopped") {
		t.Error("a page that comes back is told of a stop that is over")
	}
	// The command line publishes nothing; the room looks by itself.
	now, err := s.tenants.CurrentPolicy(t.Context(), auth.Member{Tenant: "acme", Roles: []auth.Role{auth.Admin}})
	must(t, err)
	now.Policy.GrantSeconds++
	v, err := s.tenants.ImportPolicy(t.Context(), "acme", tenants.Change{Base: now.Version, Policy: now.Policy, Reason: "longer grants"})
	must(t, err)
	wants("a policy", "Version 2 of the policy is in force", "Command line saved it at", "longer grants", "What changed", "Agents resumed")
	if v.Version != 2 {
		t.Errorf("version %d", v.Version)
	}
	must(t, s.tenants.StopAllFromOutside(t.Context(), "acme", "from a terminal"))
	conn, also := ada.live("/t/acme/live"), conn
	wants("a page that came too late", "All agents are stopped", "from a terminal")
	conn = also
	wants("command line's kill switch", "All agents are stopped", "Command line stopped them at", "from a terminal", "Version 2 of the policy")
}
