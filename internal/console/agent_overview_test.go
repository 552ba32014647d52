package console

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/scoring/workspace"
	"github.com/countersign/countersign/internal/tenants"
)

// The page of an agent says who answers for it, what it asks most and what became of that;
// a request leads to it and to its ticket.
func TestAgentOverview(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada, adam := s.signedIn("ada"), s.join("adam", auth.Admin)
	settings, page := "/t/acme/settings/agents/"+s.agent.ID, "/t/acme/agents/"+s.agent.ID
	adam.post(settings+"/describe", url.Values{"contact": {"#ops"}, "ticket_link": {"http://tracker.example/{ticket}"}}).
		want(t, http.StatusUnprocessableEntity, `value="#ops"`, `value="http://tracker.example/{ticket}"`, "starts with https://")
	form := adam.get(settings).want(t, http.StatusOK, page).form(t, "/describe")
	form.Set("contact", "#ops <b>")
	form.Set("ticket_link", "https://tracker.example/{ticket}")
	adam.post(settings+"/describe", form).want(t, http.StatusSeeOther)

	first := s.submit(medium)
	ada.denies(first, "not now, -1")
	named := s.submit(`{"function":"deploy_service","arguments":{"service":"checkout-api","ticket":"OPS-7/\"x"},"environment":"staging","session_id":"ses_1"}`)
	ada.get("/t/acme/approvals/"+named.ID).want(t, http.StatusOK, "#ops &lt;b&gt;", `href="`+page+`"`, `href="https://tracker.example/OPS-7%2F%22x"`, "1 of 2 calls of this function")
	must(t, s.approvals.RollUp(t.Context()))
	ada.get(page).want(t, http.StatusOK, "No standing or session approvals are open", `href="/t/acme/insights?agent=`+s.agent.ID).without(t, "Track record")
	adam.get(page).want(t, http.StatusOK, "Track record", "Record by function")
	ada.get(page).want(t, http.StatusOK, "#ops &lt;b&gt;", "deploy_service", "{ticket}", "ses_1", "not now, -1", "href=\"/t/acme/history?decider=any&amp;agent="+s.agent.ID+"&amp;function=deploy_service\"").without(t, `href="`+settings+`"`)
	adam.get(page).want(t, http.StatusOK, `href="`+settings+`"`)
	// What people decided and what changed for it; not what the policy let through.
	auto := s.submit(`{"function":"list_orders","arguments":{"limit":5}}`)
	ada.get(page).want(t, http.StatusOK, "Timeline", "Created the agent", "Denied ", "approval.denied", "agent.described", "/t/acme/approvals/"+first.ID, `href="/t/acme/audit?agent=`+s.agent.ID).
		without(t, "/t/acme/approvals/"+auto.ID, "Auto-approved", "approval.submitted")
	s.signedIn("eve").get(page).want(t, http.StatusNotFound)
	ada.get("/t/acme/agents/agt_0").want(t, http.StatusNotFound)
}

// A coding agent that isn't bound to a workspace is offered the folder that its call names.
func TestOfferToBind(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam := s.join("adam", auth.Admin, auth.Operator)
	shell := s.submit(`{"function":"Bash","arguments":{"command":"npm publish","cwd":"/srv/shop"}}`)
	sent := s.submit(`{"function":"Bash","arguments":{"command":"npm publish","cwd":"/srv/blog"},"client":{"name":"countersign-hook claude-code","version":"1.2.3","subagent":"explorer a1"}}`)
	adam.get(urls.Request("acme", sent.ID)).want(t, http.StatusOK, "Sent by", "countersign-hook claude-code 1.2.3 · subagent explorer a1")
	offer := urls.Agent("acme", s.agent.ID) + "?workspace=%2Fsrv%2Fshop#bind"
	adam.get(urls.Request("acme", shell.ID)).want(t, http.StatusOK, "Bind it to /srv/shop", `href="`+offer+`"`)
	s.signedIn("ada").get(urls.Request("acme", shell.ID)).want(t, http.StatusOK).without(t, offer) // who can't bind
	adam.get(urls.Agent("acme", s.agent.ID)+"?workspace=%2Fsrv%2Fshop").want(t, http.StatusOK, `value="/srv/shop"`)
	other := s.submit(`{"function":"delete_user","arguments":{"user_id":"1","cwd":"/srv/shop"}}`)
	adam.get(urls.Request("acme", other.ID)).want(t, http.StatusOK).without(t, "Bind it to")
	_, err := s.tenants.BindAgent(t.Context(), s.member("adam"), s.agent.ID, tenants.NewBinding{Bound: tenants.Bound{Workspace: workspace.Binding{Folder: "/srv/shop"}}, Reason: "a test", Typed: "acme"})
	must(t, err)
	adam.get(urls.Request("acme", shell.ID)).want(t, http.StatusOK).without(t, "Bind it to /srv/shop")
}
