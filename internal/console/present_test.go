package console

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/untrusted/untrustedtest"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/scan"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

var noon = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// reviewOf is an action as a reader sees it, without a database.
func reviewOf(t *testing.T, body string, stage approvals.Stage) approvals.Review {
	t.Helper()
	tree, err := canon.Parse([]byte(body))
	must(t, err)
	action, err := scoring.NewAction(tree)
	must(t, err)
	policy, err := scoring.Compile(scoring.DefaultPolicy())
	must(t, err)
	as := policy.Assess(action, 1, nil)
	v := approvals.Review{
		Approval: approvals.Approval{
			Tenant: "acme", ID: "apr_" + strings.Repeat("1", 32), Agent: approvals.Agent{ID: "agt_1", Name: "bot"},
			Action: action.Canonical(), Digest: action.Digest(), ShownDigest: action.Digest(), Function: action.Function(), Session: action.SessionID(),
			Status: approvals.Pending, Version: 1, Assessment: as, Treatment: as.Treatment, PolicyVersion: 1,
			CreatedAt: noon.Add(-5 * time.Minute), ExpiresAt: noon.Add(10 * time.Minute),
		},
		Action: action, Now: noon, Stage: stage, Kind: as.Treatment.Challenge, Attempt: 1,
	}
	v.Reading = v.Approval.Reading(action)
	return v
}

// What the approver sees is a pure function of the hashed bytes: the table and
// the JSON of the page read back to them, whatever the agent wrote.
func TestTheCardReadsBackToTheBytes(t *testing.T) {
	t.Parallel()
	for _, h := range untrustedtest.Hostile {
		t.Run(h.Name, func(t *testing.T) {
			t.Parallel()
			text := canon.String(h.Text).Text() // the gate refuses what is not UTF-8
			args := map[string]any{"plain": text, "list": []any{text, 7, true, nil, map[string]any{}, []any{}}, "key " + text: 1.5}
			body, err := json.Marshal(map[string]any{"function": "f", "arguments": args, "code": text, "docstring": text, "environment": "e"})
			must(t, err)
			v := reviewOf(t, string(body), approvals.StageReading)
			card := cardOf(texts.Printer{}, v, reader{})

			raw := untrustedtest.Undo(t, card.Arguments.Raw)
			tree, err := canon.Parse([]byte(raw))
			must(t, err)
			if !bytes.Equal(tree.Canonical(), v.Action.Act().Canonical()) {
				t.Errorf("the raw JSON reads back to %s", tree.Canonical())
			}
			all := slices.DeleteFunc(slices.Clone(v.Reading.Sections[0]), func(p approvals.Piece) bool { return p.Pointer == "/code" })
			if len(card.Arguments.Rows) != len(all) || len(all) != 8 {
				t.Fatalf("%d rows for %d values", len(card.Arguments.Rows), len(all))
			}
			for i, row := range card.Arguments.Rows {
				if got := untrusted.ArgumentsRoot + "/" + untrustedtest.Undo(t, row.Name); got != all[i].Pointer {
					t.Errorf("row %d is called %q, want %q", i, got, all[i].Pointer)
				}
				if got := untrustedtest.Undo(t, row.Value); got != all[i].Text {
					t.Errorf("row %q reads back to %q, want %q", all[i].Pointer, got, all[i].Text)
				}
				if h.Named != "" && text == h.Text && all[i].Text == text && len(row.Findings) == 0 {
					t.Errorf("row %q says nothing about %s", all[i].Pointer, h.Named)
				}
			}
			if got := untrustedtest.Undo(t, card.Blocks[0].Text); got != text {
				t.Errorf("the code reads back to %q", got)
			}
		})
	}
}

func TestArgumentsTable(t *testing.T) {
	t.Parallel()
	v := reviewOf(t, `{"function":"f","arguments":{"a":{"b/c":[1,"x",null]},"e":"","n":20.0,"t":true}}`, approvals.StageReading)
	last := reviewOf(t, `{"function":"f","arguments":{"a":{"b/c":[1,"y"]},"gone":"z","t":"true"}}`, approvals.StageFinal).Approval
	v.LastApproved = &last
	table := cardOf(texts.Printer{}, v, reader{}).Arguments
	want := []struct{ name, kind, value, was string }{
		{"n", "number", "20", "New"}, // a count: what bears a fact comes first
		{"a/b~1c/0", "number", "1", "the same"},
		{"a/b~1c/1", "string", "x", "y"},
		{"a/b~1c/2", "null", "null", "New"},
		{"e", "string", "", "New"},
		{"t", "boolean", "true", "true"}, // the text "true" is another value than the boolean
		{"gone", "absent", "", "z"},
	}
	if len(table.Rows) != len(want) {
		t.Fatalf("%d rows", len(table.Rows))
	}
	for i, w := range want {
		row := table.Rows[i]
		was := untrusted.Plain(row.Was) + row.WasNote
		if untrusted.Plain(row.Name) != w.name || row.Type != w.kind || untrusted.Plain(row.Value) != w.value || was != w.was || row.Differs != (w.was != "the same") {
			t.Errorf("row %d is %s %s %q, was %q (differs %v), want %v", i, untrusted.Plain(row.Name), row.Type, untrusted.Plain(row.Value), was, row.Differs, w)
		}
	}
	if table.Difference != "6 changes since the last similar call" || !table.Compared {
		t.Errorf("difference %q", table.Difference)
	}
	if got := cardOf(texts.Printer{}, reviewOf(t, `{"function":"f","arguments":[]}`, approvals.StageReading), reader{}).Arguments.Rows; len(got) != 1 || got[0].Type != "empty array" {
		t.Errorf("empty arguments: %v", got)
	}
	if got := cardOf(texts.Printer{}, reviewOf(t, `{"function":"f"}`, approvals.StageReading), reader{}).Arguments; len(got.Rows) != 0 || got.Shown != "0 values, all shown" {
		t.Errorf("no arguments: %v", got)
	}
}

func TestMatchedStretchesAreMarked(t *testing.T) {
	t.Parallel()
	v := reviewOf(t, `{"function":"f","arguments":{"sql":"DROP TABLE x","key":"v"}}`, approvals.StageReading)
	v.Assessment.Patterns.MatchedPatterns, v.Assessment.Effects, v.Sealed = nil, nil, true
	v.Assessment.Rules.Evidence = []scan.Evidence{
		{Pattern: "drop", Why: "it drops", Places: []scan.Place{{Pointer: "/arguments/sql", Start: 0, End: 4}, {Pointer: "/arguments/key", Start: 1, End: 2, Key: true}}},
	}
	rows := cardOf(texts.Printer{}, v, reader{}).Arguments.Rows
	if n := rows[0].Name; len(n) != 1 || n[0].Text != "key" || n[0].Mark == "" {
		t.Errorf("the name is %v", n)
	}
	if r := rows[1].Value[0]; r.Text != "DROP" || r.Mark != "rule drop: it drops" {
		t.Errorf("the first run is %+v", r)
	}
	if r := rows[0].Value[0]; r.Mark != "" {
		t.Errorf("the value of a matched name is marked: %+v", r)
	}
}

// While the score is sealed, no factor may show through the marks either.
func TestSealedMarksAndFactors(t *testing.T) {
	t.Parallel()
	v := reviewOf(t, high, approvals.StageReading)
	v.Sealed = true
	r := requestOf(texts.Printer{}, v, reader{}, typed{})
	if r.Score != "" || len(r.Card.Held.Factors) > 0 || r.Card.Held.Bar != nil || r.Card.Held.Sealed == "" || len(r.Rail.Past) > 0 || r.Rail.PastSealed == "" {
		t.Errorf("sealed page shows %q, %v, %v", r.Score, r.Card.Held, r.Rail.Past)
	}
	if by := factorsMarked(v); len(by) > 0 {
		t.Errorf("sealed values are marked by %q", by)
	}
	v.Sealed = false
	if len(factorsMarked(v)) == 0 {
		t.Error("no factor marks a value")
	}
	if r := requestOf(texts.Printer{}, v, reader{}, typed{}); r.Card.Held.Summary != "0.735" || len(r.Card.Held.Factors) != 5 {
		t.Errorf("open page shows %q with %d factors", r.Score, len(r.Card.Held.Factors))
	}
}

// factorsMarked are the reasons of the factors that mark a value.
func factorsMarked(v approvals.Review) (by []string) {
	values := untrusted.NewRenderer(texts.Printer{}, v.Action, marksOf(texts.Printer{}, v))
	for _, p := range v.Reading.Sections[0] {
		values.Value(p)
		values.Name(v.Action.Arguments(), p.Pointer)
	}
	for why := range values.Places() {
		for _, name := range factorNames {
			if strings.HasPrefix(why, string(name)+":") {
				by = append(by, why)
			}
		}
	}
	return by
}

func TestDecisionByStage(t *testing.T) {
	t.Parallel()
	tests := []struct {
		stage approvals.Stage
		kind  scoring.ChallengeKind
		ask   review.Ask
		deny  bool
	}{
		{approvals.StageReading, scoring.ChallengeConfirm, review.AskConfirm, true},
		{approvals.StageReading, scoring.ChallengeQuiz, review.AskQuizStart, true},
		{approvals.StageReading, scoring.ChallengeExplicit, review.AskExplicit, true},
		{approvals.StageReading, scoring.ChallengeDeny, review.AskNothing, true},
		{approvals.StageReading, "something new", review.AskNothing, true},
		{approvals.StagePassed, scoring.ChallengeQuiz, review.AskQuizPassed, true},
		{approvals.StageLocked, scoring.ChallengeQuiz, review.AskNothing, true},
		{approvals.StageBlinded, scoring.ChallengeConfirm, review.AskNothing, true},
		{approvals.StageNotEligible, scoring.ChallengeConfirm, review.AskNothing, false},
	}
	for _, tt := range tests {
		v := reviewOf(t, high, tt.stage)
		v.Kind = tt.kind
		d := decisionOf(texts.Printer{}, v, tenants.Reasons{}, typed{}, false)
		if d.Ask != tt.ask || (d.Deny != nil) != tt.deny || (d.Changes != nil) != tt.deny {
			t.Errorf("%s, %s: ask %d, deny %v", tt.stage, tt.kind, d.Ask, d.Deny != nil)
		}
		if d.Ask == review.AskNothing && d.Refused == "" {
			t.Errorf("%s, %s: closed without a word", tt.stage, tt.kind)
		}
		if got := untrusted.Plain(d.Object); got != "Delete user usr_123" {
			t.Errorf("%s: the button says %q", tt.stage, got)
		}
		locked := decisionOf(texts.Printer{}, v, tenants.Reasons{}, typed{}, true)
		if locked.Ask != review.AskNothing || locked.Deny != nil && tt.deny || locked.Refused == "" {
			t.Errorf("%s: locked, and still %v", tt.stage, locked)
		}
	}
	for _, stage := range []approvals.Stage{approvals.StageFinal, approvals.StageObserving, approvals.StageOverdue, ""} {
		v := reviewOf(t, high, stage)
		if d := decisionOf(texts.Printer{}, v, tenants.Reasons{}, typed{}, false); d != nil {
			t.Errorf("%s: a decision area %v", stage, d)
		}
	}
}

func TestTypedTextIsKept(t *testing.T) {
	t.Parallel()
	v := reviewOf(t, critical, approvals.StageReading)
	v.Confirmation = approvals.Confirmation{Target: "billing", Typed: "billing", Specific: true, Consequences: []string{"one", "two"}}
	d := decisionOf(texts.Printer{}, v, tenants.Reasons{}, typed{
		fault: fault.Member(fault.WrongAnswer, "target", "no"), verdict: approvals.VerdictApprove, target: "biling", ticked: []int{2},
	}, false)
	e := d.Explicit
	if e.Typed != "biling" || e.Error != "No." || e.Consequences[0].Checked || !e.Consequences[1].Checked || e.Tail || e.Paste || d.Deny.Open {
		t.Errorf("explicit %+v", e)
	}
	v.Confirmation.Target, v.Confirmation.Typed = strings.Repeat("é", 80), strings.Repeat("é", 24)
	if e := decisionOf(texts.Printer{}, v, tenants.Reasons{}, typed{}, false).Explicit; !e.Tail || !e.Paste || e.Say != v.Confirmation.Typed {
		t.Errorf("explicit %+v", e)
	}
	d = decisionOf(texts.Printer{}, v, tenants.Reasons{}, typed{fault: fault.New(fault.TooEarly, "x"), verdict: approvals.VerdictDeny, reason: "because"}, false)
	if !d.Deny.Open || d.Deny.Text != "because" || d.Deny.Error != "" || d.Changes.Open {
		t.Errorf("deny %+v", d.Deny)
	}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	by := func(k approvals.DeciderKind) []approvals.Decider {
		return []approvals.Decider{{Kind: k, Name: "Mei Tanaka"}}
	}
	spent := noon.Add(time.Minute)
	tests := []struct {
		status approvals.Status
		by     approvals.DeciderKind
		grant  *approvals.Grant
		done   *approvals.Execution
		title  string
		text   string
	}{
		{approvals.Approved, approvals.ByPerson, &approvals.Grant{ExpiresAt: noon}, nil, "Mei Tanaka approved this at 4 Mar 12:00:00 UTC", "until 4 Mar 12:00:00 UTC"},
		{approvals.Approved, approvals.ByPolicy, &approvals.Grant{ConsumedAt: &spent}, nil, "The policy approved this", "Used at 4 Mar 12:01:00 UTC"},
		{approvals.Approved, approvals.ByPerson, &approvals.Grant{VoidedAt: &spent}, nil, "Mei Tanaka approved", "Void since"},
		{approvals.Approved, approvals.ByPerson, &approvals.Grant{ConsumedAt: &spent}, &approvals.Execution{Status: "failed", Detail: "no\u202eluck", ReportedAt: spent}, "Mei", "failure at 4 Mar 12:01:00 UTC. It says: “noRLOluck”"},
		{approvals.Denied, approvals.ByPerson, nil, nil, "Mei Tanaka denied this at 4 Mar 12:00:00 UTC", "“wrong\u2002person”"},
		{approvals.ChangesRequested, approvals.ByPerson, nil, nil, "Mei Tanaka requested changes", "wrong"},
		{approvals.Expired, approvals.ByClock, nil, nil, "Expired at 4 Mar 12:00:00 UTC", "No one decided in time"},
		{approvals.Cancelled, approvals.ByAgent, nil, nil, "The agent cancelled this", ""},
		{approvals.Blocked, approvals.ByPolicy, nil, nil, "The policy blocked this", "Wrong"},
	}
	for _, tt := range tests {
		v := reviewOf(t, medium, approvals.StageFinal)
		v.Status, v.Grant, v.Execution = tt.status, tt.grant, tt.done
		v.Decision = &approvals.Decision{Reason: "wrong person", DecidedAt: noon, DecidedBy: by(tt.by)}
		n := outcomeOf(texts.Printer{}, v.Approval)
		if !strings.Contains(n.Title, tt.title) || !strings.Contains(untrusted.Plain(n.Text), strings.ReplaceAll(tt.text, "\u2002", " ")) {
			t.Errorf("%s by %s: %q, %q", tt.status, tt.by, n.Title, untrusted.Plain(n.Text))
		}
		r := requestOf(texts.Printer{}, v, reader{}, typed{})
		if r.Decision != nil || r.Left.Text != "" || r.Card == nil {
			t.Errorf("%s: the page still asks: %+v", tt.status, r.Decision)
		}
		if row := rowOf(texts.Printer{}, v.Line(), noon.Add(12*time.Second)); row.Done == nil || row.Done.When != "12 s ago" {
			t.Errorf("%s: row %+v", tt.status, row.Done)
		}
	}
}

func TestTimeLeft(t *testing.T) {
	t.Parallel()
	a := approvals.Approval{Status: approvals.Pending, CreatedAt: noon, ExpiresAt: noon.Add(15 * time.Minute)}
	for after, want := range map[time.Duration]views.TimeLeft{
		0:                                    {Text: "15:00", Percent: 100},
		5*time.Minute - 500*time.Millisecond: {Text: "10:01", Percent: 66},
		12*time.Minute + time.Second:         {Text: "2:59", Percent: 19, Soon: true},
		14 * time.Minute:                     {Text: "1:00", Percent: 6, Soon: true},
		20 * time.Minute:                     {Text: "0:00", Soon: true},
	} {
		got := timeLeft(texts.Printer{}, a, noon.Add(after))
		want.Expires, want.Start = "2026-03-04T12:15:00Z", "2026-03-04T12:00:00Z"
		if got != want {
			t.Errorf("after %v: %+v, want %+v", after, got, want)
		}
	}
	if got := duration(texts.Printer{}, 25*time.Hour+time.Second); got != "25:00:01" {
		t.Error(got)
	}
	for d, want := range map[time.Duration]string{48*time.Hour - time.Second: "47:59:59", 48 * time.Hour: "2 days", 13*24*time.Hour - time.Second: "12 days", 30 * 24 * time.Hour: "30 days"} {
		if got := duration(texts.Printer{}, d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
	a.ExpiresAt = noon.Add(30 * 24 * time.Hour)
	if got := timeLeft(texts.Printer{}, a, noon.Add(27*24*time.Hour)); got.Soon || got.Text != "3 days" {
		t.Errorf("three of thirty days: %+v", got)
	}
	if got := timeLeft(texts.Printer{}, approvals.Approval{Status: approvals.Pending, CreatedAt: noon, ExpiresAt: noon}, noon); got.Percent != 0 {
		t.Errorf("no time at all: %+v", got)
	}
}

func TestQueueGroupsAndSearch(t *testing.T) {
	t.Parallel()
	one := func(id, session, service string, l level.Level) approvals.Line {
		v := reviewOf(t, `{"function":"deploy_service","arguments":{"service":"`+service+`"},"environment":"production","session_id":"`+session+`"}`, approvals.StageReading)
		v.ID, v.Assessment.Level = id, l
		return v.Line()
	}
	lines := []approvals.Line{one("apr_1", "a", "checkout", level.Critical), one("apr_2", "b", "mailer", level.High), one("apr_3", "a", "search", level.Medium)}
	q := queueOf{tenant: "acme", open: "apr_3", page: approvals.QueuePage{Now: noon, Total: 3, Lines: lines}}
	v := q.view()
	if len(v.Groups) != 2 || len(v.Groups[0].Rows) != 2 || v.Groups[0].Rows[1].ID != "apr_3" || !v.Groups[0].Rows[1].Current || v.Groups[0].Note != "bot · 2" || v.Empty != nil || v.Count != 3 {
		t.Errorf("groups %+v", v.Groups)
	}
	if v.Groups[0].ID == v.Groups[1].ID || !v.Groups[0].Rows[0].Production || v.Rows != "/t/acme/queue?open=apr_3" {
		t.Errorf("view %+v", v)
	}
	for text, want := range map[string]string{
		"PRODUCTION mail": "apr_2", "mailer": "apr_2", "deploy_service": "apr_1 apr_2 apr_3", "bot": "apr_1 apr_2 apr_3", "nothing like it": "", "search check": "",
		"level=HIGH": "apr_2", "level=LOW&level=MEDIUM": "apr_3", "environment=Production": "apr_1 apr_2 apr_3", "environment=prod": "", "agent=agt_no": "",
		"claim=mine": "apr_1", "claim=anybody": "apr_1 apr_3", "claim=nobody": "apr_2", "claim=anybody&level=MEDIUM": "apr_3",
	} {
		if !strings.Contains(text, "=") {
			text = "q=" + text
		}
		a := readAddress(texts.Printer{}, strings.ReplaceAll(text, " ", "+"), queueOrder...)
		at := approvals.Attention{Now: noon, Claims: map[string]approvals.Claim{"apr_1": {Person: "per_me"}, "apr_3": {Person: "per_you"}}}
		var found []string
		for _, l := range lines {
			if queueFilterOf(a).keeps(texts.Printer{}, l, at, "per_me") {
				found = append(found, l.ID)
			}
		}
		if got := strings.Join(found, " "); got != want || !a.ok() {
			t.Errorf("%s finds %q, want %q; %+v", text, got, want, a.errors)
		}
	}
	q.page.Lines = nil
	if v := q.view(); v.Empty == nil || !v.Empty.Search {
		t.Errorf("no match: %+v", v)
	}
	q.page.Total = 0
	if v := q.view(); v.Empty == nil || v.Empty.Search || v.Empty.Title != "You're all caught up" {
		t.Errorf("empty: %+v", v.Empty)
	}
}

// A name that an agent chose stays readable where only plain text fits.
func TestFlat(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"production":                   "production",
		"prod\u202euction":             "prod[RLO]uction",
		"a\nb\tc":                      "a b c",
		strings.Repeat(" ", 100) + "x": "[100 spaces]x",
		strings.Repeat("é", 250):       strings.Repeat("é", 200) + " … and 50 more characters",
		"Wh\u0435eler":                 "Wh\u0435[U+0435]eler",
		"":                             "",
	} {
		if got := flat(texts.Printer{}, text); got != want {
			t.Errorf("flat(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestInitials(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"Priya Raman": "PR", "ada": "A", "": "?", "Élodie van der Berg": "ÉB", "  ": "?"} {
		if got := initials(name); got != want {
			t.Errorf("initials(%q) = %q, want %q", name, got, want)
		}
	}
}

// 256 KiB of arguments are ordinary input, and shown in full.
func TestLargeActionsAreShown(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	text := strings.Repeat("x\u200bé<", 20_000)
	body, err := json.Marshal(map[string]any{"function": "deploy_service", "docstring": "Deploys; careful.", "environment": "staging", "arguments": map[string]any{"service": "checkout-api", "blob": text}})
	must(t, err)
	a := s.submit(string(body))
	n := 0
	for _, page := range s.signedIn("ada").pagesOf(a.ID) {
		n += strings.Count(page.want(t, http.StatusOK, "checkout-api").body, `data-char="U+200B"`)
	}
	if n < 2*20_000 {
		t.Errorf("%d of the hidden characters are named, want each of them in the table and in the JSON", n)
	}
}

// The reasons above lead to where they are marked, the number is below the value, and
// what is not on the page leads nowhere.
func TestReasonsLeadToTheirPlaces(t *testing.T) {
	t.Parallel()
	v := reviewOf(t, `{"function":"run_sql","arguments":{"statement":"DROP TABLE orders"}}`, approvals.StageReading)
	card := cardOf(texts.Printer{}, v, reader{})
	row := card.Arguments.Rows[0]
	if row.ShownAs != "SQL" || len(row.Notes) == 0 || row.Value[0].Place != 1 || row.Value[0].Token != views.TokenKeyword {
		t.Fatalf("the row is %+v", row)
	}
	led := 0
	for _, item := range card.Held.Items {
		if item.Place != 0 {
			led++
		}
	}
	if led == 0 {
		t.Errorf("no reason leads to its place: %+v", card.Held.Items)
	}
	if got := heldOf(texts.Printer{}, v, nil).Items; slices.ContainsFunc(got, func(i review.HeldItem) bool { return i.Place != 0 }) {
		t.Error("a reason leads to a place that is not there")
	}
}

// The page marks the whole path: half of it would read as another command.
func TestTheCallShownMarksWholeWords(t *testing.T) {
	t.Parallel()
	v := reviewOf(t, `{"function":"run_shell","arguments":{"command":"git push --force-with-lease origin main"}}`, approvals.StageReading)
	card := cardOf(texts.Printer{}, v, reader{})
	marked := ""
	for _, r := range card.Arguments.Rows[0].Value {
		if r.Mark != "" {
			marked += r.Text
		}
	}
	if !strings.Contains(marked, "--force-with-lease") {
		t.Fatalf("marked is %q", marked)
	}
}
