package lifetest

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/tenants"
)

// ahead is what a maker asks for who allows what a asks, exactly, so many times.
func ahead(a approvals.Approval, uses int) approvals.NewStanding {
	return approvals.NewStanding{From: a.ID, Uses: uses, Life: 24 * time.Hour, Reason: "every night"}
}

// allow previews and makes a standing grant.
func (h *house) allow(m auth.Member, in approvals.NewStanding) approvals.Standing {
	h.t.Helper()
	v, err := h.PreviewStanding(h.t.Context(), m, in)
	if err != nil {
		h.t.Fatalf("preview: %v", err)
	}
	in.Seen = v.Sum
	g, err := h.MakeStanding(h.t.Context(), m, in)
	if err != nil {
		h.t.Fatalf("make: %v", err)
	}
	return g
}

func (h *house) standing(id string) approvals.Standing {
	h.t.Helper()
	page, _, err := h.StandingGrant(h.t.Context(), h.ada, id)
	if err != nil {
		h.t.Fatal(err)
	}
	return page.Standing[0]
}

// roles gives somebody these roles in place of theirs.
func (h *house) roles(m auth.Member, roles ...auth.Role) {
	h.t.Helper()
	_, err := h.people().Grant(h.t.Context(), "acme", m.Person.Email, roles)
	if err != nil {
		h.t.Fatal(err)
	}
}

// ownedFromNowOn takes another agent, which is made with this owner.
func (h *house) ownedFromNowOn(m auth.Member) {
	h.t.Helper()
	var err error
	if _, h.agent, err = h.people().CreateAgent(h.t.Context(), "acme", "owned", m.Person.Email); err != nil {
		h.t.Fatal(err)
	}
}

// owned makes the agent one of m's: they made a key of it.
func (h *house) owned(m auth.Member) {
	h.t.Helper()
	k := tenants.Key{ID: auth.NewID("key"), Agent: h.agent.ID, Scopes: []auth.Scope{auth.ScopeSubmit}, By: m.Person.ID}
	err := h.db.Tenants().Write(h.t.Context(), "acme", func(w tenants.Writer) error {
		if err := w.AddKey(k, k.ID); err != nil {
			return err
		}
		return w.Append(audit.Event{Kind: audit.AgentKeyRotated, Actor: audit.Actor{Kind: "person", ID: m.Person.ID}, Agent: k.Agent, Data: canon.Object(
			canon.Member{Name: "key", Value: canon.String(k.ID)}, canon.Member{Name: "scopes", Value: canon.String(auth.JoinScopes(k.Scopes))},
			canon.Member{Name: "key_sum", Value: canon.String(tenants.KeySum(k.ID))})})
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

func TestStandingGrant(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	first := h.waiting(confirm, scoring.ChallengeConfirm)
	in := ahead(first, 2)
	in.Terms = []approvals.TermInput{{Rule: approvals.RuleEquals}, {Rule: approvals.RuleOneOf, Text: "checkout\nbasket"}}
	g := h.allow(h.ada, in)
	h.status("what waited before", first.ID, approvals.Pending)

	a := h.submit(confirm)
	by := a.Decision.DecidedBy[0]
	if a.Status != approvals.Approved || by != (approvals.Decider{Kind: approvals.ByPolicy, ID: g.ID, Name: "standing grant of " + h.ada.Person.Name}) || a.Treatment.Challenge != scoring.ChallengeConfirm {
		t.Errorf("it is %s by %+v", a.Status, a.Decision)
	}
	h.wantTrail("a use", a.ID, audit.Submitted, audit.StandingUsed, audit.Approved)
	if _, err := h.consume(a, a.Digest, ""); err != nil {
		t.Errorf("its grant: %v", err)
	}
	_, err := h.consume(a, a.Digest, "")
	wantFault(t, "its grant again", err, fault.AlreadyConsumed)

	// Nothing but what it names.
	for what, body := range map[string]string{
		"another value":    strings.Replace(confirm, "checkout", "payments", 1),
		"another argument": strings.Replace(confirm, `"env"`, `"force":true,"env"`, 1),
		"an environment":   strings.Replace(confirm, `"function"`, `"environment":"staging","function"`, 1),
		"code":             strings.Replace(confirm, `"function"`, `"code":"deploy()","function"`, 1),
		"another function": strings.Replace(confirm, "deploy_service", "deploy_services", 1),
	} {
		if a := h.submit(body); a.Status != approvals.Pending {
			t.Errorf("%s: it is %s", what, a.Status)
		}
	}
	if a, _, err := h.Submit(t.Context(), h.other, approvals.Submission{Action: action(t, confirm)}); err != nil || a.Status != approvals.Pending {
		t.Errorf("another agent: %s, %v", a.Status, err)
	}
	if got := h.standing(g.ID); got.Left != 1 || !got.LastUsedAt.Equal(a.CreatedAt) {
		t.Errorf("%d left, last used %v", got.Left, got.LastUsedAt)
	}

	// One key, one use.
	key := approvals.Submission{Action: action(t, strings.Replace(confirm, "checkout", "basket", 1)), IdempotencyKey: "k"}
	for range 3 {
		if a, _, err := h.Submit(t.Context(), h.agent, key); err != nil || a.Status != approvals.Approved {
			t.Errorf("with a key: %s, %v", a.Status, err)
		}
	}
	if a := h.submit(confirm); a.Status != approvals.Pending || h.standing(g.ID).Left != 0 {
		t.Errorf("a third one: it is %s, %d left", a.Status, h.standing(g.ID).Left)
	}
	page, used, err := h.StandingGrant(t.Context(), h.eve, g.ID)
	if err != nil || len(used) != 2 || page.Standing[0].Over(page.Now) != "used up" {
		t.Errorf("who reads it sees %d uses, %v", len(used), err)
	}
}

// What is treated in any other way than one click of one person is never let
// through, whatever was allowed.
func TestStandingGrantStaysLow(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(*scoring.Policy){
		"HIGH":            func(p *scoring.Policy) { p.Thresholds.High = p.Thresholds.Medium + 0.0001 },
		"questions":       func(p *scoring.Policy) { p.Challenges.Medium = scoring.ChallengeQuiz },
		"two people":      func(p *scoring.Policy) { p.ApprovalsRequired.Medium = 2 },
		"the whole typed": func(p *scoring.Policy) { p.Challenges.Medium = scoring.ChallengeExplicit },
	} {
		h := newHouse(t)
		g := h.allow(h.ada, ahead(h.waiting(confirm, scoring.ChallengeConfirm), 5))
		spent := h.submit(confirm)
		h.policy(change)
		if a := h.submit(confirm); a.Status != approvals.Pending || h.standing(g.ID).Left != 4 {
			t.Errorf("%s: it is %s, %d left", what, a.Status, h.standing(g.ID).Left)
		}
		_, err := h.consume(spent, spent.Digest, "")
		wantFault(t, what+", at consume", err, fault.StricterNow)
	}
	for what, body := range map[string]string{
		"HIGH": asking, "CRITICAL": explicit, "harmless": harmless,
		"code":   strings.Replace(confirm, `"function"`, `"code":"deploy()","function"`, 1),
		"masked": strings.Replace(confirm, "checkout", "ghp_16C7e42F292c6912E7710c838347Ae178B4a", 1),
	} {
		h := newHouse(t)
		a := h.submit(body)
		d, err := h.Draft(t.Context(), h.ada, a.ID)
		if err != nil || d.Refused.Empty() {
			t.Errorf("%s (%s): a draft without a refusal, %v", what, a.Status, err)
		}
		_, err = h.MakeStanding(t.Context(), h.ada, ahead(a, 1))
		wantFault(t, what, err, fault.NotEligible)
	}
}

// Two hundred at once, and twenty of them go through.
func TestStandingGrantCount(t *testing.T) {
	t.Parallel()
	long.Race(t)
	h := newHouse(t)
	g := h.allow(h.ada, ahead(h.waiting(confirm, scoring.ChallengeConfirm), 20))
	var through atomic.Int32
	race(t, 200, "", func(ctx context.Context, _ int) error {
		a, _, err := h.Submit(ctx, h.agent, approvals.Submission{Action: action(t, confirm)})
		if a.Status == approvals.Approved {
			through.Add(1)
		}
		return err
	})
	if through.Load() != 20 || h.standing(g.ID).Left != 0 {
		t.Errorf("%d of 200 went through, %d are left; want 20 and 0", through.Load(), h.standing(g.ID).Left)
	}
}

// What ends it: its time, a person, its maker's role, the agent's stop.
func TestStandingGrantEnds(t *testing.T) {
	t.Parallel()
	for what, c := range map[string]struct {
		end  func(h *house, g approvals.Standing)
		void bool // what came from it and was not spent is void
	}{
		"its time": {end: func(h *house, g approvals.Standing) { h.clock.advance(g.EndsAt.Sub(h.clock.Now())) }},
		"revoked": {void: true, end: func(h *house, g approvals.Standing) {
			if err := h.RevokeStanding(h.t.Context(), h.ben, g.ID, "no more"); err != nil {
				h.t.Error(err)
			}
			wantFault(t, "twice", h.RevokeStanding(h.t.Context(), h.ben, g.ID, "no more"), fault.Changed)
		}},
		"its maker is no operator":   {void: true, end: func(h *house, _ approvals.Standing) { h.roles(h.ada, auth.Admin) }},
		"its maker owns the agent":   {end: func(h *house, _ approvals.Standing) { h.owned(h.ada) }},
		"the agent stopped and back": {end: func(h *house, _ approvals.Standing) { h.withdraw() }},
	} {
		h := newHouse(t)
		h.policy(func(p *scoring.Policy) { p.GrantSeconds = 86_400 })
		g := h.allow(h.ada, ahead(h.waiting(confirm, scoring.ChallengeConfirm), 5))
		h.clock.advance(23*time.Hour + 59*time.Minute)
		before := h.submit(confirm)
		c.end(h, g)
		if a := h.submit(confirm); a.Status != approvals.Pending {
			t.Errorf("%s: it is %s", what, a.Status)
		}
		_, err := h.consume(before, before.Digest, "")
		switch {
		case c.void:
			wantFault(t, what+": the grant from before", err, fault.GrantVoid)
			_, err = h.consume(before, before.Digest, "")
			wantFault(t, what+": the grant from before, again", err, fault.GrantVoid)
			h.wantTrail(what, before.ID, audit.Submitted, audit.StandingUsed, audit.Approved, audit.GrantVoided)
		case what == "its time" && err != nil:
			t.Errorf("%s: the grant from before: %v", what, err)
		case what == "the agent stopped and back" && (h.standing(g.ID).RevokedAt == nil || !fault.Is(err, fault.GrantVoid)):
			t.Errorf("%s: %+v, the grant from before: %v", what, h.standing(g.ID), err)
		}
	}
}

// withdraw is what happens when an agent is stopped.
func (h *house) withdraw() {
	h.t.Helper()
	if _, _, err := h.Withdraw(h.t.Context(), h.eve, h.agent.ID, "stopped"); err != nil {
		h.t.Fatal(err)
	}
}

// Who may make, revoke and read them.
func TestStandingAuthority(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.waiting(confirm, scoring.ChallengeConfirm)
	rita := h.eve
	rita.Roles = []auth.Role{auth.Compliance}
	stranger := auth.Member{Tenant: "beta", Person: h.ada.Person, Roles: auth.Roles()}
	for name, c := range map[string]struct {
		m    auth.Member
		code fault.Code
	}{"an admin": {h.eve, fault.Denied}, "compliance": {rita, fault.Denied}, "another organisation": {stranger, fault.Missing}} {
		_, err := h.Draft(t.Context(), c.m, a.ID)
		wantFault(t, name+" drafts", err, c.code)
		_, err = h.PreviewStanding(t.Context(), c.m, ahead(a, 1))
		wantFault(t, name+" previews", err, c.code)
		_, err = h.MakeStanding(t.Context(), c.m, ahead(a, 1))
		wantFault(t, name+" makes", err, c.code)
	}
	g := h.allow(h.ada, ahead(a, 1))
	wantFault(t, "an admin revokes", h.RevokeStanding(t.Context(), h.eve, g.ID, "x"), fault.Denied)
	wantFault(t, "another organisation revokes", h.RevokeStanding(t.Context(), stranger, g.ID, "x"), fault.Denied)
	wantFault(t, "without a reason", h.RevokeStanding(t.Context(), h.ben, g.ID, " "), fault.InvalidForm)
	if page, err := h.Standing(t.Context(), rita, approvals.StandingQuery{Limit: 10}); err != nil || len(page.Standing) != 1 {
		t.Errorf("compliance reads %d, %v", len(page.Standing), err)
	}
	if _, err := h.Standing(t.Context(), auth.Member{Tenant: "acme"}, approvals.StandingQuery{Limit: 10}); !fault.Is(err, fault.Denied) {
		t.Errorf("without a role: %v", err)
	}

	// The owner, while somebody else could; and alone.
	h.owned(h.ada)
	b := h.waiting(confirmWith("basket"), scoring.ChallengeConfirm)
	_, err := h.MakeStanding(t.Context(), h.ada, ahead(b, 1))
	wantFault(t, "the owner", err, fault.NotEligible)
	h.roles(h.ben, auth.Compliance)
	v, err := h.PreviewStanding(t.Context(), h.ada, ahead(b, 1))
	if err != nil || !v.SinglePerson {
		t.Fatalf("alone: single person %v, %v", v.SinglePerson, err)
	}
	in := ahead(b, 2)
	in.Seen = v.Sum
	_, err = h.MakeStanding(t.Context(), h.ada, in)
	wantFault(t, "what was not previewed", err, fault.Changed)
	in.Uses = 1
	_, err = h.MakeStanding(t.Context(), h.ada, in)
	wantFault(t, "without the name", err, fault.WrongAnswer)
	in.Typed = "deploy_service"
	made, err := h.MakeStanding(t.Context(), h.ada, in)
	if err != nil || !made.SinglePerson {
		t.Errorf("alone, typed: %+v, %v", made, err)
	}
	if a := h.submit(confirmWith("basket")); a.Status != approvals.Approved {
		t.Errorf("alone: it is %s", a.Status)
	}
	// With a second operator again, what the owner made alone covers nothing.
	more := in
	more.Seen = ""
	h.allowTyped(h.ada, b, "deploy_service")
	h.roles(h.ben, auth.Operator)
	if a := h.submit(confirmWith("basket")); a.Status != approvals.Pending {
		t.Errorf("no longer alone: it is %s", a.Status)
	}
}

func confirmWith(service string) string { return strings.Replace(confirm, "checkout", service, 1) }

func (h *house) allowTyped(m auth.Member, a approvals.Approval, typed string) {
	h.t.Helper()
	in := ahead(a, 3)
	in.Typed = typed
	h.allow(m, in)
}

// The bounds of what can be asked for.
func TestStandingBounds(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.waiting(confirm, scoring.ChallengeConfirm)
	for what, change := range map[string]func(*approvals.NewStanding){
		"no uses":      func(in *approvals.NewStanding) { in.Uses = 0 },
		"1,001 uses":   func(in *approvals.NewStanding) { in.Uses = 1001 },
		"no time":      func(in *approvals.NewStanding) { in.Life = 0 },
		"31 days":      func(in *approvals.NewStanding) { in.Life = 31 * 24 * time.Hour },
		"no reason":    func(in *approvals.NewStanding) { in.Reason = "\n" },
		"fewer values": func(in *approvals.NewStanding) { in.Terms = []approvals.TermInput{{Rule: approvals.RuleAny}} },
	} {
		in := ahead(a, 1)
		change(&in)
		_, err := h.PreviewStanding(t.Context(), h.ada, in)
		wantFault(t, what, err, fault.InvalidForm)
		_, err = h.MakeStanding(t.Context(), h.ada, in)
		wantFault(t, what, err, fault.InvalidForm)
	}
	for range approvals.MaxStandingOpen {
		h.allow(h.ada, ahead(a, 1))
	}
	in := ahead(a, 1)
	v, err := h.PreviewStanding(t.Context(), h.ada, in)
	if err != nil {
		t.Fatal(err)
	}
	in.Seen = v.Sum
	_, err = h.MakeStanding(t.Context(), h.ada, in)
	wantFault(t, "one more than can be open", err, fault.Changed)
}

// The preview says what waits and matches, and what of the past would have.
func TestStandingPreview(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.waiting(confirm, scoring.ChallengeConfirm)
	h.submit(confirm)
	far := h.submit(confirmWith("checkout-2"))
	near := h.submit(confirmWith("payments"))
	h.submit(strings.Replace(confirm, `"env"`, `"force":true,"env"`, 1))
	in := ahead(a, 5)
	in.Terms = []approvals.TermInput{{Rule: approvals.RuleEquals}, {Rule: approvals.RulePrefix, Text: "checkout"}}
	v, err := h.PreviewStanding(t.Context(), h.ben, in)
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Pending) != 3 || v.Calls != 5 || v.Matched != 3 || v.Covered != 3 {
		t.Errorf("%d wait, of %d calls %d match and %d would have gone through", len(v.Pending), v.Calls, v.Matched, v.Covered)
	}
	if v.Edge == nil || v.Edge.ID != far.ID || v.Near == nil || v.Near.ID != near.ID || len(v.Missed) != 1 || v.Missed[0].Value.Text() != "payments" {
		t.Errorf("the edge is %+v, the nearest %+v missed %+v", v.Edge, v.Near, v.Missed)
	}
	if far.Assessment.Level > level.Medium {
		t.Errorf("it is %s", far.Assessment.Level)
	}
	listed := h.submit(confirmWith("checkout,payments"))
	if v, err = h.PreviewStanding(t.Context(), h.ben, in); err != nil {
		t.Fatal(err)
	}
	if v.Matched != 3 || v.Near == nil || v.Near.ID != listed.ID || len(v.Missed) != 1 || v.Missed[0].Term.Why(v.Missed[0].Value).String() != `it contains ","; a name there has only letters, digits, “.”, “_” and “-”` {
		t.Errorf("a list: %d match, the nearest is %+v, missed %+v", v.Matched, v.Near, v.Missed)
	}
	for _, waiting := range v.Pending {
		h.status("after a preview", waiting.ID, approvals.Pending)
	}
}
