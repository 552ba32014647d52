package request

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/console/filter"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/request/requesttest"
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
			fatal(t, err)
			v := requesttest.ReviewOf(t, string(body), approvals.StageReading)
			card := cardOf(texts.Printer{}, v, Reader{})

			raw := untrustedtest.Undo(t, card.Arguments.Raw)
			tree, err := canon.Parse([]byte(raw))
			fatal(t, err)
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
	v := requesttest.ReviewOf(t, `{"function":"f","arguments":{"a":{"b/c":[1,"x",null]},"e":"","n":20.0,"t":true}}`, approvals.StageReading)
	last := requesttest.ReviewOf(t, `{"function":"f","arguments":{"a":{"b/c":[1,"y"]},"gone":"z","t":"true"}}`, approvals.StageFinal).Approval
	v.LastApproved = &last
	table := cardOf(texts.Printer{}, v, Reader{}).Arguments
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
	if got := cardOf(texts.Printer{}, requesttest.ReviewOf(t, `{"function":"f","arguments":[]}`, approvals.StageReading), Reader{}).Arguments.Rows; len(got) != 1 || got[0].Type != "empty array" {
		t.Errorf("empty arguments: %v", got)
	}
	if got := cardOf(texts.Printer{}, requesttest.ReviewOf(t, `{"function":"f"}`, approvals.StageReading), Reader{}).Arguments; len(got.Rows) != 0 || got.Shown != "0 values, all shown" {
		t.Errorf("no arguments: %v", got)
	}
}

func TestMatchedStretchesAreMarked(t *testing.T) {
	t.Parallel()
	v := requesttest.ReviewOf(t, `{"function":"f","arguments":{"sql":"DROP TABLE x","key":"v"}}`, approvals.StageReading)
	v.Assessment.Patterns.MatchedPatterns, v.Assessment.Effects, v.Sealed = nil, nil, true
	v.Assessment.Rules.Evidence = []scan.Evidence{
		{Pattern: "drop", Why: "it drops", Places: []scan.Place{{Pointer: "/arguments/sql", Start: 0, End: 4}, {Pointer: "/arguments/key", Start: 1, End: 2, Key: true}}},
	}
	rows := cardOf(texts.Printer{}, v, Reader{}).Arguments.Rows
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
	v := requesttest.ReviewOf(t, requesttest.High, approvals.StageReading)
	v.Sealed = true
	r := Page(texts.Printer{}, v, Reader{}, Typed{})
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
	if r := Page(texts.Printer{}, v, Reader{}, Typed{}); r.Card.Held.Summary != "0.735" || len(r.Card.Held.Factors) != 5 {
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
		v := requesttest.ReviewOf(t, requesttest.High, tt.stage)
		v.Kind = tt.kind
		d := decisionOf(texts.Printer{}, v, tenants.Reasons{}, Typed{}, false)
		if d.Ask != tt.ask || (d.Deny != nil) != tt.deny || (d.Changes != nil) != tt.deny {
			t.Errorf("%s, %s: ask %d, deny %v", tt.stage, tt.kind, d.Ask, d.Deny != nil)
		}
		if d.Ask == review.AskNothing && d.Refused == "" {
			t.Errorf("%s, %s: closed without a word", tt.stage, tt.kind)
		}
		if got := untrusted.Plain(d.Object); got != "Delete user usr_123" {
			t.Errorf("%s: the button says %q", tt.stage, got)
		}
		locked := decisionOf(texts.Printer{}, v, tenants.Reasons{}, Typed{}, true)
		if locked.Ask != review.AskNothing || locked.Deny != nil && tt.deny || locked.Refused == "" {
			t.Errorf("%s: locked, and still %v", tt.stage, locked)
		}
	}
	for _, stage := range []approvals.Stage{approvals.StageFinal, approvals.StageObserving, approvals.StageOverdue, ""} {
		v := requesttest.ReviewOf(t, requesttest.High, stage)
		if d := decisionOf(texts.Printer{}, v, tenants.Reasons{}, Typed{}, false); d != nil {
			t.Errorf("%s: a decision area %v", stage, d)
		}
	}
}

func TestTypedTextIsKept(t *testing.T) {
	t.Parallel()
	v := requesttest.ReviewOf(t, requesttest.Critical, approvals.StageReading)
	v.Confirmation = approvals.Confirmation{Target: "billing", Typed: "billing", Specific: true, Consequences: []string{"one", "two"}}
	d := decisionOf(texts.Printer{}, v, tenants.Reasons{}, Typed{
		Fault: fault.Member(fault.WrongAnswer, "target", "no"), Verdict: approvals.VerdictApprove, Target: "biling", Ticked: []int{2},
	}, false)
	e := d.Explicit
	if e.Typed != "biling" || e.Error != "No." || e.Consequences[0].Checked || !e.Consequences[1].Checked || e.Tail || e.Paste || d.Deny.Open {
		t.Errorf("explicit %+v", e)
	}
	v.Confirmation.Target, v.Confirmation.Typed = strings.Repeat("é", 80), strings.Repeat("é", 24)
	if e := decisionOf(texts.Printer{}, v, tenants.Reasons{}, Typed{}, false).Explicit; !e.Tail || !e.Paste || e.Say != v.Confirmation.Typed {
		t.Errorf("explicit %+v", e)
	}
	d = decisionOf(texts.Printer{}, v, tenants.Reasons{}, Typed{Fault: fault.New(fault.TooEarly, "x"), Verdict: approvals.VerdictDeny, Reason: "because"}, false)
	if !d.Deny.Open || d.Deny.Text != "because" || d.Deny.Error != "" || d.Changes.Open {
		t.Errorf("deny %+v", d.Deny)
	}
}

func TestOutcomes(t *testing.T) {
	t.Parallel()
	by := func(k approvals.DeciderKind) []approvals.Decider {
		return []approvals.Decider{{Kind: k, Name: "Mei Tanaka"}}
	}
	spent := requesttest.Noon.Add(time.Minute)
	tests := []struct {
		status approvals.Status
		by     approvals.DeciderKind
		grant  *approvals.Grant
		done   *approvals.Execution
		title  string
		text   string
	}{
		{approvals.Approved, approvals.ByPerson, &approvals.Grant{ExpiresAt: requesttest.Noon}, nil, "Mei Tanaka approved this at 4 Mar 12:00:00 UTC", "until 4 Mar 12:00:00 UTC"},
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
		v := requesttest.ReviewOf(t, requesttest.Medium, approvals.StageFinal)
		v.Status, v.Grant, v.Execution = tt.status, tt.grant, tt.done
		v.Decision = &approvals.Decision{Reason: "wrong person", DecidedAt: requesttest.Noon, DecidedBy: by(tt.by)}
		n := OutcomeOf(texts.Printer{}, v.Approval)
		if !strings.Contains(n.Title, tt.title) || !strings.Contains(untrusted.Plain(n.Text), strings.ReplaceAll(tt.text, "\u2002", " ")) {
			t.Errorf("%s by %s: %q, %q", tt.status, tt.by, n.Title, untrusted.Plain(n.Text))
		}
		r := Page(texts.Printer{}, v, Reader{}, Typed{})
		if r.Decision != nil || r.Left.Text != "" || r.Card == nil {
			t.Errorf("%s: the page still asks: %+v", tt.status, r.Decision)
		}
		if row := RowOf(texts.Printer{}, v.Line(), requesttest.Noon.Add(12*time.Second)); row.Done == nil || row.Done.When != "12 s ago" {
			t.Errorf("%s: row %+v", tt.status, row.Done)
		}
	}
}

func TestTimeLeft(t *testing.T) {
	t.Parallel()
	a := approvals.Approval{Status: approvals.Pending, CreatedAt: requesttest.Noon, ExpiresAt: requesttest.Noon.Add(15 * time.Minute)}
	for after, want := range map[time.Duration]views.TimeLeft{
		0:                                    {Text: "15:00", Percent: 100},
		5*time.Minute - 500*time.Millisecond: {Text: "10:01", Percent: 66},
		12*time.Minute + time.Second:         {Text: "2:59", Percent: 19, Soon: true},
		14 * time.Minute:                     {Text: "1:00", Percent: 6, Soon: true},
		20 * time.Minute:                     {Text: "0:00", Soon: true},
	} {
		got := present.TimeLeft(texts.Printer{}, a, requesttest.Noon.Add(after))
		want.Expires, want.Start = "2026-03-04T12:15:00Z", "2026-03-04T12:00:00Z"
		if got != want {
			t.Errorf("after %v: %+v, want %+v", after, got, want)
		}
	}
	if got := present.Duration(texts.Printer{}, 25*time.Hour+time.Second); got != "25:00:01" {
		t.Error(got)
	}
	for d, want := range map[time.Duration]string{48*time.Hour - time.Second: "47:59:59", 48 * time.Hour: "2 days", 13*24*time.Hour - time.Second: "12 days", 30 * 24 * time.Hour: "30 days"} {
		if got := present.Duration(texts.Printer{}, d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
	a.ExpiresAt = requesttest.Noon.Add(30 * 24 * time.Hour)
	if got := present.TimeLeft(texts.Printer{}, a, requesttest.Noon.Add(27*24*time.Hour)); got.Soon || got.Text != "3 days" {
		t.Errorf("three of thirty days: %+v", got)
	}
	if got := present.TimeLeft(texts.Printer{}, approvals.Approval{Status: approvals.Pending, CreatedAt: requesttest.Noon, ExpiresAt: requesttest.Noon}, requesttest.Noon); got.Percent != 0 {
		t.Errorf("no time at all: %+v", got)
	}
}

func TestQueueGroupsAndSearch(t *testing.T) {
	t.Parallel()
	one := func(id, session, service string, l level.Level) approvals.Line {
		v := requesttest.ReviewOf(t, `{"function":"deploy_service","arguments":{"service":"`+service+`"},"environment":"production","session_id":"`+session+`"}`, approvals.StageReading)
		v.ID, v.Assessment.Level = id, l
		return v.Line()
	}
	lines := []approvals.Line{one("apr_1", "a", "checkout", level.Critical), one("apr_2", "b", "mailer", level.High), one("apr_3", "a", "search", level.Medium)}
	q := Queue{Tenant: "acme", Open: "apr_3", Page: approvals.QueuePage{Now: requesttest.Noon, Total: 3, Lines: lines}}
	v := q.View()
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
		a := filter.Read(texts.Printer{}, strings.ReplaceAll(text, " ", "+"), QueueOrder...)
		at := approvals.Attention{Now: requesttest.Noon, Claims: map[string]approvals.Claim{"apr_1": {Person: "per_me"}, "apr_3": {Person: "per_you"}}}
		var found []string
		for _, l := range lines {
			if FilterOf(a).Keeps(texts.Printer{}, l, at, "per_me") {
				found = append(found, l.ID)
			}
		}
		if got := strings.Join(found, " "); got != want || !a.OK() {
			t.Errorf("%s finds %q, want %q; %+v", text, got, want, a.Errors)
		}
	}
	q.Page.Lines = nil
	if v := q.View(); v.Empty == nil || !v.Empty.Search {
		t.Errorf("no match: %+v", v)
	}
	q.Page.Total = 0
	if v := q.View(); v.Empty == nil || v.Empty.Search || v.Empty.Title != "You're all caught up" {
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
		if got := present.Flat(texts.Printer{}, text); got != want {
			t.Errorf("flat(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestInitials(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"Priya Raman": "PR", "ada": "A", "": "?", "Élodie van der Berg": "ÉB", "  ": "?"} {
		if got := present.Initials(name); got != want {
			t.Errorf("initials(%q) = %q, want %q", name, got, want)
		}
	}
}

// The reasons above lead to where they are marked, the number is below the value, and
// what is not on the page leads nowhere.
func TestReasonsLeadToTheirPlaces(t *testing.T) {
	t.Parallel()
	v := requesttest.ReviewOf(t, `{"function":"run_sql","arguments":{"statement":"DROP TABLE orders"}}`, approvals.StageReading)
	card := cardOf(texts.Printer{}, v, Reader{})
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
	v := requesttest.ReviewOf(t, `{"function":"run_shell","arguments":{"command":"git push --force-with-lease origin main"}}`, approvals.StageReading)
	card := cardOf(texts.Printer{}, v, Reader{})
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

// The last approved call is told with the time of its approval, which may be long after
// it was submitted.
func TestLastApprovedTellsWhenItWasApproved(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	last := approvals.Approval{ID: "apr_1", CreatedAt: at, Decision: &approvals.Decision{
		DecidedAt: at.Add(14 * time.Minute), DecidedBy: []approvals.Decider{{Kind: approvals.ByPerson, Name: "Olga"}},
	}}
	rail := railOf(texts.Printer{}, approvals.Review{LastApproved: &last}, Reader{Member: auth.Member{}})
	if len(rail.Past) != 1 || untrusted.Plain(rail.Past[0].Value) != "1 Mar 12:14:00 UTC, by Olga" {
		t.Errorf("past: %+v", rail.Past)
	}
}

func fatal(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
