package storetest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/workspace"
)

// allowed is a standing grant for what an approval asks, as the service makes it.
func (p place) allowed(a approvals.Approval, uses int, now time.Time) approvals.Standing {
	return approvals.Standing{
		ID: auth.NewID("stg"), Agent: a.Agent, Function: a.Function, Uses: uses, Left: uses, Reason: "every night “é”", From: a.ID,
		Pattern: approvals.Pattern{
			Environment: canon.String("staging"), Arrays: []string{"/ids"},
			Terms: []approvals.Term{
				{Pointer: "/ids/0", Rule: approvals.RuleOneOf, Values: []canon.Value{canon.String("a<b"), canon.String("é")}},
				{Pointer: "/n", Rule: approvals.RuleAtMost, Values: []canon.Value{canon.Int(20)}},
				{Pointer: "/x", Rule: approvals.RuleAny},
			},
		},
		MadeBy:    approvals.Decider{Kind: approvals.ByPerson, ID: p.ada.ID, Name: "Ada"},
		CreatedAt: now, EndsAt: now.Add(time.Hour),
	}
}

func standingEvent(g approvals.Standing, k audit.Kind, person string, data ...canon.Member) audit.Event {
	actor := audit.Actor{Kind: "policy", ID: g.ID}
	if person != "" {
		actor = audit.Actor{Kind: "person", ID: person}
	}
	return audit.Event{
		Kind: k, Actor: actor, Agent: g.Agent.ID, Function: g.Function,
		Data: canon.Object(append([]canon.Member{{Name: "standing", Value: canon.String(g.ID)}}, data...)...),
	}
}

func standingMade(g approvals.Standing) audit.Event {
	sum := sha256.Sum256(g.Pattern.Canonical())
	data := []canon.Member{
		{Name: "pattern_sha256", Value: canon.String(hex.EncodeToString(sum[:]))},
		{Name: "uses", Value: canon.Int(int64(g.Uses))},
		{Name: "ends_at", Value: canon.String(audit.FormatTime(g.EndsAt))},
		{Name: "reason", Value: canon.String(g.Reason)},
		{Name: "from", Value: canon.String(g.From)},
		{Name: "agent_name", Value: canon.String(g.Agent.Name)},
		{Name: "agent_owner", Value: canon.String(g.Agent.Owner)},
		{Name: "single_person", Value: canon.Bool(g.SinglePerson)},
	}
	if g.Session != "" {
		data = append(data, canon.Member{Name: "session", Value: canon.String(g.Session)}, canon.Member{Name: "effects", Value: canon.String(g.EffectsText())})
	}
	if g.Scope != nil {
		data = append(data, canon.Member{Name: "scope", Value: canon.String(g.Scope.Text())})
	}
	return standingEvent(g, audit.StandingCreated, g.MadeBy.ID, data...)
}

// allow stores one, with its event.
func (p place) allow(t *testing.T, a approvals.Approval, uses int) (g approvals.Standing) {
	t.Helper()
	p.write(t, func(w approvals.Writer) error {
		g = p.allowed(a, uses, w.Now())
		if err := w.CreateStanding(g); err != nil {
			return err
		}
		return w.Append(standingMade(g))
	})
	return g
}

func (p place) use(ctx context.Context, g approvals.Standing) (left int, err error) {
	err = p.try(ctx, func(w approvals.Writer) (err error) {
		if left, err = w.UseStanding(g.ID); err != nil {
			return err
		}
		return w.Append(standingEvent(g, audit.StandingUsed, "", canon.Member{Name: "left", Value: canon.Int(int64(left))}))
	})
	return left, err
}

func (p place) revokeStanding(ctx context.Context, g approvals.Standing, reason string) error {
	return p.try(ctx, func(w approvals.Writer) error {
		if err := w.RevokeStanding(g.ID, approvals.Decider{ID: p.ben.ID, Name: "Ben"}, reason); err != nil {
			return err
		}
		return w.Append(standingEvent(g, audit.StandingRevoked, p.ben.ID, canon.Member{Name: "reason", Value: canon.String(reason)}))
	})
}

func (p place) standing(t *testing.T, id string) (g approvals.Standing) {
	t.Helper()
	p.read(t, func(r approvals.Reader) (err error) {
		g, err = r.Standing(id)
		return err
	})
	return g
}

func (p place) listed(t *testing.T, q approvals.StandingQuery) (ids []string) {
	t.Helper()
	p.read(t, func(r approvals.Reader) error {
		all, err := r.StandingGrants(q)
		for _, g := range all {
			ids = append(ids, g.ID)
		}
		return err
	})
	return ids
}

func testStanding(t *testing.T, w world) {
	p := w.acme
	a := p.submit(t, nil)
	g := p.allow(t, a, 2)
	same(t, "what comes back", p.standing(t, g.ID), g)
	second := p.allow(t, a, 1)
	query := approvals.StandingQuery{Agent: p.agent.ID, Function: a.Function, Open: true}
	same(t, "newest first", p.listed(t, query), []string{second.ID, g.ID})
	same(t, "a page", p.listed(t, approvals.StandingQuery{Limit: 1}), []string{second.ID})
	same(t, "the next page", p.listed(t, approvals.StandingQuery{Before: second.ID}), []string{g.ID})
	for _, q := range []approvals.StandingQuery{{Agent: "agt_no"}, {Function: "delete"}} {
		if ids := p.listed(t, q); len(ids) != 0 {
			t.Errorf("%+v lists %q", q, ids)
		}
	}

	for want := 1; want >= 0; want-- {
		if left, err := p.use(t.Context(), g); left != want || err != nil {
			t.Errorf("used: %d left, want %d, %v", left, want, err)
		}
	}
	_, err := p.use(t.Context(), g)
	wantFault(t, "one that is used up", err, fault.Changed)
	if got := p.standing(t, g.ID); got.LastUsedAt == nil || got.Left != 0 || got.Over(got.CreatedAt) != "used up" {
		t.Errorf("after two uses: %+v", got)
	}
	if err := p.revokeStanding(t.Context(), second, "no more"); err != nil {
		t.Fatal(err)
	}
	wantFault(t, "revoked twice", p.revokeStanding(t.Context(), second, "again"), fault.Changed)
	_, err = p.use(t.Context(), second)
	wantFault(t, "one that is revoked", err, fault.Changed)
	if got := p.standing(t, second.ID); got.RevokedAt == nil || got.RevokedBy.ID != p.ben.ID || got.RevokedBy.Name != "Ben" || got.RevokeReason != "no more" {
		t.Errorf("after the revocation: %+v", got)
	}
	same(t, "open ones", p.listed(t, query), []string(nil))

	over := g
	p.write(t, func(w approvals.Writer) error {
		over.ID, over.CreatedAt, over.EndsAt = auth.NewID("stg"), w.Now().Add(-2*time.Hour), w.Now()
		return w.CreateStanding(over)
	})
	err = p.try(t.Context(), func(w approvals.Writer) error { _, err := w.UseStanding(over.ID); return err })
	wantFault(t, "one that has ended", err, fault.Changed)

	for what, do := range map[string]func(w approvals.Writer) error{
		"reads": func(w approvals.Writer) error { _, err := w.Standing(g.ID); return err },
		"makes one from what is not theirs": func(w approvals.Writer) error {
			return w.CreateStanding(p.allowed(a, 1, w.Now()))
		},
	} {
		wantFault(t, "another organisation "+what, w.beta.try(t.Context(), do), fault.Missing)
	}
	wantFault(t, "another organisation uses", w.beta.try(t.Context(), func(w approvals.Writer) error { _, err := w.UseStanding(g.ID); return err }), fault.Changed)
	wantFault(t, "another organisation revokes", w.beta.try(t.Context(), func(w approvals.Writer) error {
		return w.RevokeStanding(g.ID, approvals.Decider{ID: "per_eve", Name: "Eve"}, "mine")
	}), fault.Changed)
}

// However many ask at once, no more get a use than there are.
func testStandingUses(t *testing.T, w world) {
	p := w.acme
	const uses = 20
	g := p.allow(t, p.submit(t, nil), uses)
	won := race(t, 200, fault.Changed, func(ctx context.Context, _ int) error {
		_, err := p.use(ctx, g)
		return err
	})
	if left := p.standing(t, g.ID).Left; won != uses || left != 0 {
		t.Errorf("%d uses of %d, %d left", won, uses, left)
	}
	report, err := w.Store.Audit().Verify(t.Context(), p.tenant)
	if err != nil || !report.OK {
		t.Errorf("the trail: %+v, %v", report, err)
	}
}

// A session grant is found with those of no session, and by no other session.
func testSessionGrants(t *testing.T, w world) {
	p := w.acme
	a := p.submit(t, nil)
	always := p.allow(t, a, 5)
	var session approvals.Standing
	p.write(t, func(w approvals.Writer) error {
		session = p.allowed(a, 5, w.Now())
		session.Session, session.Effects = "s1", []effects.Effect{{Kind: effects.Money, Verb: "refund", Breadth: effects.One, Amount: &effects.Amount{Value: 49.99, Currency: "EUR"}}}
		if err := w.CreateStanding(session); err != nil {
			return err
		}
		return w.Append(standingMade(session))
	})
	same(t, "what comes back", p.standing(t, session.ID), session)
	for in, want := range map[string][]string{"s1": {session.ID, always.ID}, "s2": {always.ID}, "": {always.ID}} {
		same(t, "open in "+in, p.listed(t, approvals.StandingQuery{Agent: p.agent.ID, Function: a.Function, Open: true, InSession: &in}), want)
	}
	var scoped approvals.Standing
	p.write(t, func(w approvals.Writer) error {
		scoped = p.allowed(a, 5, w.Now())
		scoped.Session, scoped.Pattern = "s1", approvals.Pattern{}
		scoped.Scope = &approvals.Scope{
			Scope:   workspace.Scope{Of: "compose", Files: []string{"/w/compose.yaml"}},
			Binding: workspace.Binding{Folder: "/w", Sandboxed: true}, Level: level.Medium,
		}
		if err := w.CreateStanding(scoped); err != nil {
			return err
		}
		return w.Append(standingMade(scoped))
	})
	same(t, "what comes back of a scope", p.standing(t, scoped.ID), scoped)
	in := "s1"
	same(t, "open by shape", p.listed(t, approvals.StandingQuery{Agent: p.agent.ID, Function: a.Function, Open: true, InSession: &in}), []string{session.ID, always.ID})
	same(t, "open by scope", p.listed(t, approvals.StandingQuery{Agent: p.agent.ID, Open: true, Scoped: true}), []string{scoped.ID})
	same(t, "of the session", p.listed(t, approvals.StandingQuery{Agent: p.agent.ID, Session: "s1"}), []string{scoped.ID, session.ID})
	p.write(t, func(w approvals.Writer) error {
		by := approvals.Decider{Kind: approvals.ByAgent, ID: p.agent.ID, Name: p.agent.Name}
		if err := w.RevokeStanding(scoped.ID, by, "it changed"); err != nil {
			return err
		}
		e := standingEvent(scoped, audit.StandingRevoked, p.agent.ID, canon.Member{Name: "reason", Value: canon.String("it changed")})
		e.Actor.Kind = "agent"
		return w.Append(e)
	})
	if by := p.standing(t, scoped.ID).RevokedBy; by.Kind != approvals.ByAgent {
		t.Errorf("ended by %+v", by)
	}
	if report, err := w.Store.Audit().Verify(t.Context(), p.tenant); err != nil || !report.OK {
		t.Errorf("the trail: %+v, %v", report, err)
	}
}

// The database refuses to change the terms, and the trail is held against the rest.
func testStandingHolds(t *testing.T, w world) {
	p := w.acme
	a := p.submit(t, nil)
	g, revoked := p.allow(t, a, 5), p.allow(t, a, 5)
	if _, err := p.use(t.Context(), g); err != nil {
		t.Fatal(err)
	}
	if err := p.revokeStanding(t.Context(), revoked, "no more"); err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		"UPDATE standing_grants SET uses = 1000",
		"UPDATE standing_grants SET pattern = '{}'",
		"UPDATE standing_grants SET ends_at = '2099-01-01 00:00:00'",
		"UPDATE standing_grants SET made_by = 'per_mallory'",
		"UPDATE standing_grants SET function = 'drop_everything'",
		"UPDATE standing_grants SET agent_id = 'agt_mallory'",
		"UPDATE standing_grants SET session_id = 's2'",
		"UPDATE standing_grants SET effects = '[]'",
		"UPDATE standing_grants SET scope = '{}'",
		"UPDATE standing_grants SET uses_left = 5",
		"UPDATE standing_grants SET uses_left = 2 WHERE revoked_at IS NULL",
		"UPDATE standing_grants SET revoked_at = NULL, revoked_by = '' WHERE revoked_at IS NOT NULL",
		"UPDATE standing_grants SET uses_left = uses_left - 1 WHERE revoked_at IS NOT NULL",
		"DELETE FROM standing_grants",
	} {
		if err := w.raw(t, statement); err == nil {
			t.Errorf("%s: nothing refused it", statement)
		}
	}
	wantReport := func(what, problem string) {
		t.Helper()
		report, err := w.Store.Audit().Verify(t.Context(), p.tenant)
		if err != nil || report.OK != (problem == "") || !strings.Contains(report.Problem, problem) {
			t.Errorf("%s: %+v, %v; want %q", what, report, err, problem)
		}
	}
	wantReport("untouched", "")
	edit := func(statement string) {
		t.Helper()
		restore := w.Disarm(t, w.Raw)
		w.mustRaw(t, statement, g.ID)
		restore()
	}
	for _, c := range []struct{ statement, back, problem string }{
		{"UPDATE standing_grants SET uses_left = uses_left + 1 WHERE standing_id = '%s'", "UPDATE standing_grants SET uses_left = uses_left - 1 WHERE standing_id = '%s'", "number of uses"},
		{"UPDATE standing_grants SET uses = 900 WHERE standing_id = '%s'", "UPDATE standing_grants SET uses = 5 WHERE standing_id = '%s'", "beginning"},
		{"UPDATE standing_grants SET pattern = pattern || ' ' WHERE standing_id = '%s'", "UPDATE standing_grants SET pattern = trim(pattern) WHERE standing_id = '%s'", "beginning"},
		{"UPDATE standing_grants SET session_id = 's2' WHERE standing_id = '%s'", "UPDATE standing_grants SET session_id = '' WHERE standing_id = '%s'", "beginning"},
		{"UPDATE standing_grants SET revoked_by = 'per_mallory' WHERE standing_id <> '%s'", "UPDATE standing_grants SET revoked_by = '" + p.ben.ID + "' WHERE standing_id <> '%s'", "end"},
	} {
		edit(c.statement)
		wantReport(c.statement, c.problem)
		edit(c.back)
	}
	wantReport("every edit taken back", "")
	edit("DELETE FROM standing_grants WHERE standing_id = '%s'")
	wantReport("one that was deleted", "missing from the database")
}

// another is the same once more.
func another(g approvals.Standing) approvals.Standing {
	g.ID = auth.NewID("stg")
	return g
}
