package lifetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/patterns"
)

// animals are patterns of the organisation's own, one of each severity.
func (h *house) animals() {
	h.t.Helper()
	h.policy(func(p *scoring.Policy) {
		for word, severity := range map[string]patterns.Severity{"zebra": patterns.Critical, "yak": patterns.High, "wolf": patterns.Medium, "vole": patterns.Low} {
			p.PatternOverrides.Add = append(p.PatternOverrides.Add, patterns.Pattern{
				ID: "animal-" + word, Severity: severity, Action: patterns.Confirm, Description: "an animal",
				Regex: []string{`\b` + word + `\b`}, MustMatch: []string{"a " + word}, MustNotMatch: []string{"a cat"},
			})
		}
	})
}

// see submits a call that names animals, in a session.
func (h *house) see(session, animals string) approvals.Approval {
	h.t.Helper()
	return h.submit(fmt.Sprintf(`{"function":"get_note","arguments":{"text":%q},"session_id":%q,"tool_call_id":%q}`, animals, session, auth.NewUUID()))
}

func (h *house) total(session string) (s approvals.SessionTotal) {
	h.t.Helper()
	err := h.db.Approvals().Read(h.t.Context(), "acme", func(r approvals.Reader) (err error) {
		s, err = r.SessionTotal(h.agent.ID, session)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return s
}

func (h *house) evaluations(q approvals.EvaluationQuery) (all []approvals.Evaluation) {
	h.t.Helper()
	q.Limit = 100
	err := h.db.Approvals().Read(h.t.Context(), "acme", func(r approvals.Reader) (err error) {
		all, err = r.Evaluations(q)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	return all
}

// The published function over all matches of a session: a pattern counts once in an
// evaluation and again in the next; clean ones count for the mean.
func TestASessionAddsUpItsMatches(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.animals()
	for _, animals := range []string{"yak yak vole", "yak", "cat", "zebra wolf"} {
		h.see("s1", animals)
	}
	h.see("s2", "zebra") // another session
	h.see("", "zebra")   // none
	for range 3 {        // nothing is asked for
		h.assess(h.agent, `{"function":"get_note","arguments":{"text":"zebra"},"session_id":"s1"}`)
	}
	s := h.total("s1")
	if s.Counts != (patterns.Counts{Critical: 1, High: 2, Medium: 1, Low: 1}) || s.Evaluations != 4 {
		t.Fatalf("it counts %+v", s)
	}
	raw, score := s.Score(patterns.Published())
	if want := 40 + 20 + 20*0.85 + 8 + 2.0; raw != want || score != 87 { // 87
		t.Errorf("its score is %v, %d, want %v", raw, score, want)
	}
	// One by one: 22, 20, 0 and 48.
	if s.Peak != 48 || s.Mean() != 22.5 {
		t.Errorf("its peak is %d, its mean %v", s.Peak, s.Mean())
	}
	p := h.session(h.eve, approvals.SessionQuery{})
	if p.Scored.SessionTotal != s || !p.Scored.Exceeds || p.Scored.AlertAbove != 85 || len(p.Scored.Days) != 1 || p.Scored.Days[0].Mean() != 22.5 || p.Scored.Days[0].Counts != s.Counts {
		t.Errorf("its page says %+v", p.Scored)
	}
	got, err := h.SessionScore(t.Context(), h.agent, "s1")
	if err != nil || got.SessionTotal != s {
		t.Errorf("the agent reads %+v, %v", got, err)
	}
	for session, agent := range map[string]auth.Agent{"s3": h.agent, "s1": h.other} {
		_, err := h.SessionScore(t.Context(), agent, session)
		wantFault(t, "a session without evaluations", err, fault.Missing)
	}
}

// The score is that of one evaluation where a session has one, whatever matches.
func TestTheScoreOfOneEvaluationIsThatOfItsSession(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.animals()
	for n, animals := range []string{"cat", "vole", "wolf vole", "zebra yak wolf vole"} {
		a := h.see(fmt.Sprint(n), animals)
		s := h.total(fmt.Sprint(n))
		if raw, score := s.Score(patterns.Published()); raw != a.Assessment.Patterns.RawScore || score != a.Assessment.Patterns.NumericScore || s.Peak != score {
			t.Errorf("%s: %v, %d, want %v, %d", animals, raw, score, a.Assessment.Patterns.RawScore, a.Assessment.Patterns.NumericScore)
		}
	}
}

// rises are the sessions whose rise the trail tells of, oldest first, with their scores.
func (h *house) rises() (all []string) {
	h.t.Helper()
	records, err := h.db.Audit().Events(h.t.Context(), "acme", -1, 1000)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, r := range slices.Backward(records) {
		if e := r.Event; e.Kind == audit.SessionScoreRose {
			all = append(all, e.Data.Get("session").Text()+" "+e.Data.Get("session_score").Get("numeric_score").Number()+" > "+e.Data.Get("session_alert_above").Number())
		}
	}
	return all
}

// The trail tells once of each time that a session's score rises above what the policy
// accepts.
func TestASessionIsToldOfOnceForEachCrossing(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.animals()
	var want []string
	accepted := 85
	step := func(above int, tells string) {
		t.Helper()
		if above != accepted {
			accepted = above
			h.policy(func(p *scoring.Policy) { p.Evaluations.SessionAlertAbove = above })
		}
		h.see("s1", "yak")
		if tells != "" {
			want = append(want, tells)
		}
		if got := h.rises(); !slices.Equal(got, want) {
			t.Fatalf("the trail tells of %q, want %q", got, want)
		}
	}
	// One after the other: 20, 37, 51.45, 63.73, 74.17, 83.05, 90.59, 97.00.
	step(51, "")
	step(51, "")
	step(51, "") // 51.45 is 51, which is not above
	step(51, "s1 64 > 51")
	step(51, "")            // it stays above
	step(80, "s1 83 > 80")  // more is accepted, and that is exceeded
	step(10, "")            // it was above already
	step(100, "")           // never
	step(60, "s1 100 > 60") // it was not above what was accepted before
	h.see("s2", "zebra zebra")
	h.see("s2", "zebra")
	if got := h.rises(); got[len(got)-1] != "s2 74 > 60" || len(got) != len(want)+1 {
		t.Errorf("the trail tells of %q", got)
	}
	if report, err := h.db.Audit().Verify(t.Context(), "acme"); err != nil || !report.OK {
		t.Errorf("the trail: %v, %v", report, err)
	}

	alerts := func() (all []string) {
		p, err := h.Queue(t.Context(), h.ada, approvals.QueueQuery{Limit: 50})
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range p.Alerts.Sessions {
			all = append(all, s.Session)
		}
		slices.Sort(all)
		return all
	}
	if got := alerts(); !slices.Equal(got, []string{"s1", "s2"}) {
		t.Errorf("the queue tells of %v", got)
	}
	h.policy(func(p *scoring.Policy) { p.Evaluations.SessionAlertAbove = 90 })
	if got := alerts(); !slices.Equal(got, []string{"s1"}) {
		t.Errorf("with more accepted the queue tells of %v", got)
	}
	h.clock.advance(25 * time.Hour)
	if got := alerts(); got != nil {
		t.Errorf("a day later the queue tells of %v", got)
	}
}

// Whoever still has to answer questions about a request reads the score of its session
// without it.
func TestTheScoreOfASessionSeals(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.animals()
	h.see("s1", "vole")
	a := h.waiting(`{"function":"delete_user","arguments":{"user_id":"usr_1","account":"acc_17","count":214,"note":"yak"},"docstring":"Permanently remove a user account.","environment":"production","session_id":"s1"}`, scoring.ChallengeQuiz)
	if a.Assessment.Patterns.NumericScore != 20 {
		t.Fatalf("it scores %d", a.Assessment.Patterns.NumericScore)
	}
	whole, part := h.session(h.eve, approvals.SessionQuery{}).Scored, h.session(h.ada, approvals.SessionQuery{}).Scored
	if whole.Sealed != 0 || whole.Peak != 20 || whole.Evaluations != 2 || whole.Counts != (patterns.Counts{High: 1, Low: 1}) {
		t.Errorf("who decides nothing reads %+v", whole)
	}
	if part.Sealed != 1 || part.Peak != 2 || part.Evaluations != 1 || part.Points != 2 || part.Counts != (patterns.Counts{Low: 1}) || len(part.Days) != 1 || part.Days[0].Peak != 2 {
		t.Errorf("who has to answer reads %+v", part)
	}
	if _, err := h.Cancel(t.Context(), h.agent, a.ID); err != nil {
		t.Fatal(err)
	}
	if after := h.session(h.ada, approvals.SessionQuery{}).Scored; after.Sealed != 0 || after.SessionTotal != whole.SessionTotal {
		t.Errorf("after the end it is %+v", after)
	}
}

// Each scan has a record: what was submitted, and what was only tried.
func TestEvaluationsAreRecorded(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.animals()
	a := h.see("s1", "the yak and a vole")
	clean := h.see("s1", "cat")
	tried := h.assess(h.agent, `{"function":"get_note","arguments":{"text":"zebra"},"session_id":"s1"}`)
	after := h.submit(`{"content":"a wolf","lifecycle_point":"post-tool-result"}`)

	all := h.evaluations(approvals.EvaluationQuery{})
	if len(all) != 4 || all[3].Approval != a.ID || all[2].Approval != clean.ID || all[1].Approval != "" || all[0].Approval != after.ID {
		t.Fatalf("there are %+v", all)
	}
	r := a.Assessment.Patterns
	want := approvals.Evaluation{
		ID: r.EvaluationID, At: a.CreatedAt, Approval: a.ID, Agent: h.agent.ID, Session: "s1", ToolCall: *r.ToolCallID, LifecyclePoint: "pre-tool-call", Function: "get_note",
		PolicyVersion: 2, LibraryVersion: r.PatternLibraryVersion, Counts: patterns.Counts{High: 1, Low: 1}, RawScore: 22, NumericScore: 22,
		Severity: patterns.High, BaseAction: patterns.Confirm, Action: patterns.Confirm, ActionReason: patterns.ReasonSeverity, Threshold: 85,
		Matches: []approvals.EvaluationMatch{
			{ID: "animal-yak", Severity: patterns.High, Action: patterns.Confirm, Field: "/arguments/text", Start: 4, End: 7},
			{ID: "animal-vole", Severity: patterns.Low, Action: patterns.Confirm, Field: "/arguments/text", Start: 14, End: 18},
		},
	}
	if got := all[3]; fmt.Sprint(got) != fmt.Sprint(want) || r.EvaluationID == "" || r.PatternLibraryVersion == "" {
		t.Errorf("recorded %+v\nwant %+v", got, want)
	}
	if c := all[2]; !c.Clean() || c.Matches != nil || c.NumericScore != 0 || c.ActionReason != patterns.ReasonNoMatch || c.Severity != "" {
		t.Errorf("the clean pass is %+v", c)
	}
	if d := all[1]; !d.DryRun || d.ID != tried.Assessment.Patterns.EvaluationID || d.NumericScore != 40 || d.Session != "s1" {
		t.Errorf("the dry run is %+v", d)
	}
	if p := all[0]; p.LifecyclePoint != "post-tool-result" || p.Session != "" || p.Counts != (patterns.Counts{Medium: 1}) {
		t.Errorf("the result is %+v", p)
	}
	for _, c := range []struct {
		what string
		q    approvals.EvaluationQuery
		want []int
	}{
		{"dry runs", approvals.EvaluationQuery{DryRun: true}, []int{1}},
		{"matches", approvals.EvaluationQuery{Matched: true}, []int{0, 1, 3}},
		{"a session", approvals.EvaluationQuery{Agent: h.agent.ID, Session: "s1"}, []int{1, 2, 3}},
		{"an agent", approvals.EvaluationQuery{Agent: h.other.ID}, nil},
		{"a page", approvals.EvaluationQuery{Before: all[1].ID}, []int{2, 3}},
		{"until then", approvals.EvaluationQuery{To: a.CreatedAt}, nil},
		{"since then", approvals.EvaluationQuery{From: a.CreatedAt}, []int{0, 1, 2, 3}},
	} {
		got := h.evaluations(c.q)
		same := len(got) == len(c.want)
		for n := range min(len(got), len(c.want)) {
			same = same && got[n].ID == all[c.want[n]].ID
		}
		if !same {
			t.Errorf("%s: %d, want %v", c.what, len(got), c.want)
		}
	}
	if _, err := h.raw.ExecContext(t.Context(), "UPDATE evaluations SET numeric_score = 0"); err == nil || !strings.Contains(err.Error(), "evaluations do not change") {
		t.Errorf("a record was changed: %v", err)
	}
}

// Records go after the days that the policy says, and nothing else goes.
func TestEvaluationsAreForgotten(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.animals()
	h.policy(func(p *scoring.Policy) { p.Evaluations.KeepDays = 30 })
	old := h.see("s1", "yak")
	h.see("s2", "wolf")
	h.assess(h.agent, harmless)
	h.clock.advance(20 * 24 * time.Hour)
	h.see("s2", "vole")
	h.clock.advance(10 * 24 * time.Hour) // to the second: they are not older than 30 days
	forget := func() {
		t.Helper()
		if err := h.ForgetEvaluations(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if forget(); len(h.evaluations(approvals.EvaluationQuery{})) != 4 {
		t.Error("some went too early")
	}
	h.clock.advance(time.Second)
	forget()
	if left := h.evaluations(approvals.EvaluationQuery{}); len(left) != 1 || left[0].Session != "s2" || left[0].NumericScore != 2 {
		t.Errorf("left are %+v", left)
	}
	if s := h.total("s1"); s.Evaluations != 0 {
		t.Errorf("of a session that ended it keeps %+v", s)
	}
	if s := h.total("s2"); s.Evaluations != 2 || s.Counts != (patterns.Counts{Medium: 1, Low: 1}) {
		t.Errorf("of a session that goes on it keeps %+v", s)
	}
	if got := h.get(old.ID).Assessment.Patterns; got.EvaluationID != old.Assessment.Patterns.EvaluationID || len(got.MatchedPatterns) != 1 {
		t.Errorf("its request has %+v", got)
	}
	if report, err := h.db.Audit().Verify(t.Context(), "acme"); err != nil || !report.OK {
		t.Errorf("the trail: %v, %v", report, err)
	}
}
