package command

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/workspace"
	"github.com/countersign/countersign/internal/tenants"
)

// acts are what people and an agent do in an organisation whose every table they fill.
type acts struct {
	*house
	key, agent       string
	olga, otto, abel auth.Member
}

// filledOrganisation fills a database with all that people, agents and settings leave in it,
// by the ways that they have, and leaves it.
func filledOrganisation(t *testing.T, set Settings) {
	t.Helper()
	busyOrganisation(t, set)
	h := acts{house: bootOn(t, set)}
	ctx := t.Context()
	must := h.must
	for name, m := range map[string]*auth.Member{"olga": &h.olga, "otto": &h.otto, "abel": &h.abel} {
		m.Tenant, m.Roles = "acme", []auth.Role{auth.Operator}
		if name == "abel" {
			m.Roles = []auth.Role{auth.Admin}
		}
		var err error
		m.Person, err = h.Tenants.CreatePerson(ctx, "acme", name+"@acme.test", strings.ToUpper(name[:1])+name[1:], testPassword, m.Roles)
		must(err)
		h.signIn(name + "@acme.test")
	}
	must(h.Tenants.Resume(ctx, h.abel, "to work"))
	now, err := h.Tenants.CurrentPolicy(ctx, h.abel)
	must(err)
	p := now.Policy
	p.MinReviewSeconds = scoring.PerLevel[int]{}
	p.EditBeforeApprove = scoring.PerLevel[bool]{Low: true, Medium: true, High: true, Critical: true}
	p.Challenges.High = scoring.ChallengeConfirm
	p.ApprovalsRequired = scoring.PerLevel[int]{Low: 1, Medium: 1, High: 2, Critical: 2}
	_, err = h.Tenants.ImportPolicy(ctx, "acme", tenants.Change{Base: now.Version, Policy: p, Reason: "the test reads fast"})
	must(err)
	key, agent, err := h.Tenants.CreateAgent(ctx, "acme", "actor", "olga@acme.test", auth.ScopeSubmit, auth.ScopeAssess)
	must(err)
	h.key, h.agent = key, agent.ID
	must(h.Tenants.BindFromOutside(ctx, "acme", "actor", tenants.NewBinding{Bound: tenants.Bound{Workspace: workspace.Binding{Folder: "/work/site"}}, Reason: "it codes"}))
	h.spends()
	h.decides()
	open, err := h.Tenants.Proposals(ctx, h.abel)
	must(err)
	must(h.Tenants.RejectProposal(ctx, h.abel, open[0].ID, "too long"))
	_, _, err = h.Approvals.Withdraw(ctx, h.abel, h.agent, "it leaked")
	must(err)
	must(h.Tenants.EndOwnSessions(ctx, h.otto.Person.ID))
	must(h.Tenants.StopAll(ctx, h.abel, "acme", "the day is over"))
}

func (h acts) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// asks submits an act.
func (h acts) asks(body string, status string) reply {
	h.t.Helper()
	r := h.call(h.key, "POST", "/api/v1/approvals", body)
	if r.Status != status {
		h.t.Fatalf("%s is %s, want %s: %.2000s", body, r.Status, status, r.raw)
	}
	return r
}

// runs spends a grant and says how it went.
func (h acts) runs(a reply, outcome string) {
	h.t.Helper()
	c := &agentClient{url: h.URL(), key: h.key}
	if r, ok := c.call("POST", "/api/v1/approvals/"+a.ID+"/consume", "spend-"+a.ID, fmt.Sprintf(`{"digest": %q}`, a.Digest)); !ok || r.status != http.StatusOK {
		h.t.Fatalf("consume: %s", r.raw)
	}
	if r := h.call(h.key, "POST", "/api/v1/approvals/"+a.ID+"/result", fmt.Sprintf(`{"status": %q, "detail": "as it went"}`, outcome)); r.status != http.StatusOK {
		h.t.Fatalf("report: %s", r.raw)
	}
}

// says opens a request and answers it.
func (h acts) says(m auth.Member, id string, change func(*approvals.DecideInput)) approvals.Approval {
	h.t.Helper()
	v, err := h.Approvals.Show(h.t.Context(), m, id)
	h.must(err)
	in := approvals.DecideInput{Verdict: approvals.VerdictApprove, Digest: v.ShownDigest, Version: v.Version, Challenge: v.Challenge.ID}
	if v.Kind == scoring.ChallengeExplicit {
		in.Target = v.Confirmation.Typed
		for i := range v.Confirmation.Consequences {
			in.Consequences = append(in.Consequences, i+1)
		}
	}
	if change != nil {
		change(&in)
	}
	if in.Verdict != approvals.VerdictApprove {
		in.Challenge, in.Target, in.Consequences = "", "", nil
	}
	a, err := h.Approvals.Decide(h.t.Context(), m, id, in)
	h.must(err)
	return a
}

// spends is what needs nobody.
func (h acts) spends() {
	h.t.Helper()
	c := &agentClient{url: h.URL(), key: h.key}
	keyed, ok := c.call("POST", "/api/v1/approvals", "key-1", `{"function": "get_user", "arguments": {"user_id": "usr_1"}, "session_id": "s1"}`)
	if !ok || keyed.Status != "approved" {
		h.t.Fatalf("submit: %s", keyed.raw)
	}
	h.runs(keyed, "succeeded")
	h.runs(h.asks(`{"function": "get_user", "arguments": {"user_id": "usr_2"}, "session_id": "s1"}`, "approved"), "failed")
	h.runs(h.asks(`{"function": "Write", "arguments": {"file_path": "/work/site/tool.py", "content": "print(1)"}, "session_id": "s1"}`, "approved"), "succeeded")
	h.call(h.key, "POST", "/api/v1/assessments", `{"function": "get_user"}`)
	for n := range 80 { // a log of which inner nodes are kept
		h.asks(fmt.Sprintf(`{"function": "get_user", "arguments": {"user_id": "usr_%d"}}`, n), "approved")
	}
}

const (
	mediumAct = `{"function": "update_ticket", "arguments": {"ticket_id": %d, "status": "pending", "urgent": false}, "session_id": "s1"}`
	deployAct = `{"function": "deploy_service", "arguments": {"service": "s%d", "env": "production"}, "session_id": "s2"}`
)

// decides is what people do.
func (h acts) decides() {
	h.t.Helper()
	ctx := h.t.Context()
	next := h.asks(fmt.Sprintf(mediumAct, 1), "pending")
	h.says(h.otto, next.ID, func(in *approvals.DecideInput) { in.Next = 3 })
	h.runs(next, "succeeded")
	h.runs(h.asks(fmt.Sprintf(mediumAct, 1), "approved"), "succeeded")
	page, err := h.Approvals.Standing(ctx, h.otto, approvals.StandingQuery{Limit: 1})
	h.must(err)
	h.must(h.Approvals.RevokeStanding(ctx, h.otto, page.Standing[0].ID, "enough"))

	severally := h.asks(fmt.Sprintf(deployAct, 1), "pending")
	h.must(h.Approvals.Extend(ctx, h.otto, severally.ID, approvals.ExtendInput{Seconds: 60, Reason: "asking around"}))
	h.must(h.Approvals.Claim(ctx, h.otto, severally.ID, ""))
	shown, err := h.Approvals.Show(ctx, h.otto, severally.ID)
	h.must(err)
	_, err = h.Approvals.Edit(ctx, h.otto, severally.ID, approvals.EditInput{Arguments: `{"service": "s2", "env": "production"}`, Digest: shown.ShownDigest, Version: shown.Version})
	h.must(err)
	h.says(h.otto, severally.ID, nil)
	many := h.asks(`{"function": "delete_user", "arguments": {"user_id": "usr_1", "notes": "`+strings.Repeat(`keep the invoices\n`, 500)+`"}, "docstring": "Permanently remove a user."}`, "pending")
	for section := range 2 {
		h.must(h.Approvals.Acknowledge(ctx, h.otto, many.ID, approvals.AcknowledgeInput{Section: section + 1, Version: 1, Digest: many.ShownDigest}))
	}
	for section := 2; h.Approvals.Acknowledge(ctx, h.otto, many.ID, approvals.AcknowledgeInput{Section: section + 1, Version: 1, Digest: many.ShownDigest}) == nil; section++ {
	}
	h.says(h.otto, many.ID, nil)
	h.must(h.Approvals.Extend(ctx, h.otto, many.ID, approvals.ExtendInput{Seconds: 60, Reason: "asking around"}))

	denied := h.asks(fmt.Sprintf(deployAct, 3), "pending")
	h.says(h.otto, denied.ID, func(in *approvals.DecideInput) { in.Verdict, in.Reason = approvals.VerdictDeny, "not now" })
	h.asks(fmt.Sprintf(deployAct, 3), "pending")
	changed := h.asks(fmt.Sprintf(deployAct, 4), "pending")
	h.says(h.otto, changed.ID, func(in *approvals.DecideInput) {
		in.Verdict, in.Reason = approvals.VerdictRequestChanges, "name the version"
	})
	h.asks(fmt.Sprintf(`{"function": "deploy_service", "arguments": {"service": "s4", "env": "production", "version": "1"}, "session_id": "s2", "revises": %q}`, changed.ID), "pending")
}
