package lifetest

import (
	"context"
	"encoding/json"
	"log/slog"
	"reflect"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring"
)

// comparable is an assessment without what differs from one evaluation to the next.
func comparable(t *testing.T, as scoring.Assessment) string {
	t.Helper()
	as.Patterns.EvaluationID, as.Patterns.ScanDurationMS = "", 0
	b, err := json.Marshal(as)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func (h *house) assess(agent auth.Agent, body string) approvals.DryRun {
	h.t.Helper()
	d, err := h.Assess(h.t.Context(), agent, action(h.t, body))
	if err != nil {
		h.t.Fatal(err)
	}
	return d
}

// TestADryRunForetellsTheSubmission: asking twice first changes nothing of what
// the submission then gets, novelty included.
func TestADryRunForetellsTheSubmission(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.policy(func(p *scoring.Policy) { p.Judgement.RememberDenialsHours = 0 }) // it shows nothing of what was denied or blocked
	const counted = `{"function":"get_user","arguments":{"user_id":"usr_1"},"session_id":"s9"}`
	for round := range 3 { // what is spent makes the call number grow by one a round
		for _, body := range []string{harmless, counted, blocked, confirm, asking, explicit} {
			h.assess(h.agent, body)
			d, a := h.assess(h.agent, body), h.submit(body)
			if d.Status != a.Status || d.Digest != a.Digest || d.ShownDigest != a.ShownDigest || !reflect.DeepEqual(d.Treatment, a.Treatment) ||
				d.CallNumber != a.CallNumber || d.PolicyVersion != a.PolicyVersion {
				t.Errorf("foretold %+v, came %+v", d, a)
			}
			if told, came := comparable(t, d.Assessment), comparable(t, a.Assessment); told != came {
				t.Errorf("foretold %s\ncame %s", told, came)
			}
			if body == confirm && d.CallNumber != 1 || body == counted && d.CallNumber != round+1 {
				t.Errorf("round %d: %s has the call number %d", round, body, d.CallNumber)
			}
			if body == counted {
				if _, err := h.consume(a, a.Digest, ""); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if d := h.assess(h.other, confirm); d.CallNumber != 1 {
		t.Errorf("another agent's first call has the number %d", d.CallNumber)
	}
}

// TestADryRunIsRecordedAndNothingElse holds the trail and the tables.
func TestADryRunIsRecordedAndNothingElse(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	body := `{"function":"call_api","arguments":{"url":"https://a.example","token":"` + secret + `","user_id":"` + secret + `"},"session_id":"s9","environment":"production"}`
	d := h.assess(h.agent, body)
	if d.Digest == d.ShownDigest {
		t.Error("nothing is masked")
	}
	if told := comparable(t, d.Assessment); strings.Contains(told, secret) {
		t.Errorf("the assessment shows the secret: %s", told)
	}
	h.wantTrail("events about no approval", "", audit.TenantCreated, audit.PersonCreated, audit.PersonCreated, audit.PersonCreated, audit.AgentCreated, audit.AgentCreated, audit.AssessmentMade)
	records, err := h.db.Audit().Events(t.Context(), "acme", -1, 1)
	if err != nil {
		t.Fatal(err)
	}
	e := records[0].Event
	if e.Actor != (audit.Actor{Kind: "agent", ID: h.agent.ID}) || e.Agent != h.agent.ID || e.Function != "call_api" || e.Level != d.Assessment.Level.String() {
		t.Errorf("the event is %+v", e)
	}
	data := e.Data
	if !data.Get("dry_run").Bool() || data.Get("digest").Text() != d.Digest || data.Get("shown_digest").Text() != d.ShownDigest || data.Get("status").Text() != string(d.Status) ||
		data.Get("session").Text() != "s9" || data.Get("call_number").Number() != "1" || data.Get("treatment").Get("challenge").Text() != string(d.Treatment.Challenge) {
		t.Errorf("the event says %s", data.Canonical())
	}
	if r := data.Get("treatment").Get("rules"); r.Get("estimated_impact").Text() != d.Assessment.Rules.EstimatedImpact || r.Get("level").Text() != d.Assessment.Rules.Level.String() || r.Get("requires_approval").IsAbsent() {
		t.Errorf("of the rules the event says %s", r.Canonical())
	}
	var n int
	if err := h.raw.QueryRowContext(t.Context(), "SELECT (SELECT count(*) FROM approvals) + (SELECT count(*) FROM call_counts) + (SELECT count(*) FROM audit_events WHERE bytes LIKE '%"+secret+"%')").Scan(&n); err != nil || n != 0 {
		t.Errorf("%d rows hold an approval, a count or the secret, %v", n, err)
	}
}

// TestADryRunForetellsWhatIsAllowedAhead: it says that a standing grant would be used,
// and uses none.
func TestADryRunForetellsWhatIsAllowedAhead(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	g := h.allow(h.ada, ahead(h.waiting(confirm, scoring.ChallengeConfirm), 2))
	for round, want := range []approvals.Status{approvals.Approved, approvals.Approved, approvals.Pending} {
		left := h.standing(g.ID).Left
		for range 2 {
			if d := h.assess(h.agent, confirm); d.Status != want {
				t.Errorf("round %d is foretold to be %s, want %s", round, d.Status, want)
			}
		}
		if now := h.standing(g.ID); now.Left != left || round == 0 && now.LastUsedAt != nil {
			t.Errorf("round %d: asking used it: %d of %d are left", round, now.Left, left)
		}
		h.status("the submission", h.submit(confirm).ID, want)
	}
	if d := h.assess(h.other, confirm); d.Status != approvals.Pending {
		t.Errorf("another agent is told %s", d.Status)
	}
	h.trail("")
}

func TestADryRunAsksTheCurrentPolicy(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	if d := h.assess(h.agent, harmless); d.Status != approvals.Approved || d.PolicyVersion != 1 {
		t.Errorf("under the default policy: %+v", d)
	}
	h.policy(func(p *scoring.Policy) { p.Challenges.Low = scoring.ChallengeConfirm })
	if d := h.assess(h.agent, harmless); d.Status != approvals.Pending || d.Treatment.Challenge != scoring.ChallengeConfirm || d.PolicyVersion != 2 {
		t.Errorf("under a stricter one: %+v", d)
	}
}

// swiftStore changes something after a call was read and before it is written down, as
// another request could.
type swiftStore struct {
	approvals.Store
	after func()
}

func (s *swiftStore) WriteAs(ctx context.Context, agent auth.Agent, of approvals.Call, fn func(approvals.Writer) error) error {
	if after := s.after; after != nil {
		s.after = nil
		after()
	}
	return s.Store.WriteAs(ctx, agent, of, fn)
}

// TestAPolicyThatChangesDuringTheScan: what is answered is the policy's that is
// current when it is written down.
func TestAPolicyThatChangesDuringTheScan(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	stricter := func() {
		h.policy(func(p *scoring.Policy) { p.Challenges.Low = scoring.ChallengeConfirm })
	}
	looser := func() {
		h.policy(func(p *scoring.Policy) { p.Challenges.Low = scoring.ChallengeNone })
	}
	db := &swiftStore{Store: h.db.Approvals()}
	s := approvals.NewService(approvals.Config{Store: db, Live: h.hub, Signer: h.signer, Issuer: func() string { return "" }, Now: h.clock.Now, Log: slog.New(slog.DiscardHandler)})
	db.after = stricter
	d, err := s.Assess(t.Context(), h.agent, action(t, harmless))
	if err != nil || d.Status != approvals.Pending || d.PolicyVersion != 2 {
		t.Errorf("a dry run: %s under version %d, %v; want it held by version 2", d.Status, d.PolicyVersion, err)
	}
	looser()
	db.after = stricter
	a, _, err := s.Submit(t.Context(), h.agent, approvals.Submission{Action: action(t, harmless)})
	if err != nil || a.Status != approvals.Pending || a.PolicyVersion != 4 {
		t.Errorf("a submission: %s under version %d, %v; want it held by version 4", a.Status, a.PolicyVersion, err)
	}
}
