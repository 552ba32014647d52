package console

import (
	"net/http"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring/workspace"
	"github.com/countersign/countersign/internal/tenants"
)

// Every request of an agent that is bound to a workspace says in which, where the call
// starts, and which command of its text decided, marked where it stands; what was let
// through says why it is harmless, in the trail, too.
func TestARequestInAWorkspace(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada, adam := s.join("ada", auth.Operator), s.join("adam", auth.Admin)
	_, a := adam.create("bot")
	in := tenants.NewBinding{Bound: tenants.Bound{Workspace: workspace.Binding{Folder: "/srv/shop", Sandboxed: true}}, Reason: "x"}
	if err := s.tenants.BindFromOutside(t.Context(), "acme", "bot", in); err != nil {
		t.Fatal(err)
	}
	page := func(body string) answer {
		t.Helper()
		return ada.get("/t/acme/approvals/" + s.submitAs(a, body).ID)
	}
	held := page(`{"function":"Bash","arguments":{"command":"cd web && npm test && git push origin shop","cwd":"/srv/shop/app"}}`).
		want(t, http.StatusOK, "Workspace", "/srv/shop", "a sandbox; it runs in /srv/shop/app", "git push sends commits to others", `<code class="effect-command">`, "Show where")
	at := strings.Index(held.body, `<mark`)
	if at < 0 || !strings.Contains(held.body[at:at+600], "git push origin shop") {
		t.Error("the command that decided is not marked")
	}
	page(`{"function":"Bash","arguments":{"command":"ls","cwd":"/etc"}}`).want(t, http.StatusOK, "a sandbox; it runs outside, in /etc")
	page(`{"function":"create_ticket","arguments":{"title":"x"}}`).want(t, http.StatusOK, "held as usual")
	through := s.submitAs(a, `{"function":"Bash","arguments":{"command":"cd web && npm test 2>&1 | tail -20"}}`)
	ada.get("/t/acme/approvals/"+through.ID).want(t, http.StatusOK, "Approved automatically as LOW: npm test builds or tests the workspace.", `<code class="effect-command">`)
	ada.get("/t/acme/approvals/"+through.ID).want(t, http.StatusOK, "Runs code").without(t, "Runs what can't be read")
	adam.get("/t/acme/audit?approval="+through.ID).want(t, http.StatusOK, "npm test builds or tests the workspace")
	adam.get(agentsPath+"/"+a.ID+"/without-asking").want(t, http.StatusOK, "Workspace", "/srv/shop", "2 of its last 4 calls")
	adam.get(agentsPath).want(t, http.StatusOK, "bound to the workspace /srv/shop, a sandbox")
}
