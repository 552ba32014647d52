package views_test

import (
	"bytes"
	"context"
	"io"
	"maps"
	"reflect"
	"strings"
	"testing"

	"github.com/a-h/templ"
	"golang.org/x/net/html"

	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/trail"
)

const nonce = "n0nce"

func render(t *testing.T, c templ.Component) string {
	t.Helper()
	var page bytes.Buffer
	if err := c.Render(templ.WithNonce(context.Background(), nonce), &page); err != nil {
		t.Fatalf("render: %v", err)
	}

	return page.String()
}

// elements returns every element of a page or fragment, in order.
func elements(t *testing.T, page string) []*html.Node {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatalf("parse: %v", err)
	}
	var found []*html.Node
	for node := range root.Descendants() {
		if node.Type == html.ElementNode {
			found = append(found, node)
		}
	}

	return found
}

func attr(node *html.Node, name string) (string, bool) {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}

	return "", false
}

func text(node *html.Node) string {
	var all strings.Builder
	for child := range node.Descendants() {
		if child.Type == html.TextNode {
			all.WriteString(child.Data)
		}
	}

	return all.String()
}

// inside says that node or one of its ancestors has this id.
func inside(node *html.Node, id string) bool {
	for ; node != nil; node = node.Parent {
		if got, _ := attr(node, "id"); got == id {
			return true
		}
	}

	return false
}

func assets() views.Assets {
	return views.Assets{Early: "/static/early.js", Styles: []string{"/static/a.css"}, Scripts: []string{"/static/a.js"}, Last: "/static/last.js", Fonts: []string{"/static/a.woff2"}, Favicon: "/static/f.svg"}
}

func page(title string, here views.Place) views.Page {
	return views.Page{
		Title: title, Assets: assets(), Now: "2026-11-20T09:41:20.000Z", Home: "/t/acme/queue", Tenant: "acme",
		Tenants: []views.Link{{Label: "globex", URL: "/t/globex/queue"}},
		Nav:     []views.NavItem{{Place: views.PlaceQueue, URL: "/t/acme/queue", Count: 2}, {Place: views.PlaceHistory, URL: "/t/acme/history"}, {Place: views.PlaceAudit, URL: "/t/acme/audit"}},
		Here:    here, Person: &views.Person{Name: "Priya Raman", Initials: "PR", Email: "priya@acme.test"}, SignOut: "/sign-out", Help: "/t/acme/help",
		Palette: &views.Palette{
			Destinations: []views.Link{{Label: "Queue", URL: "/t/acme/queue"}}, Searches: []views.Link{{Label: "Search the queue for", URL: "/t/acme/queue?q="}},
			Requests: "/t/acme/approvals/",
		},
		Display: &views.Display{URL: "/t/acme/account/display", Advance: true, Sound: "high", Chosen: true}, Live: &views.Live{Feed: "/t/acme/live", Resync: "/t/acme/resync", Synced: "09:41:20", SyncedISO: "2026-11-20T09:41:20Z"},
	}
}

func row() review.QueueRow {
	return review.QueueRow{
		ID: "apr_1", URL: "/t/acme/approvals/apr_1", Level: views.LevelHigh, Sentence: views.Text("Delete user usr_123 in production"),
		Alike: "2 identical pending", Agent: "support-triage", Environment: "production", Production: true,
		Left:  views.TimeLeft{Expires: "2026-11-20T09:50:00Z", Start: "2026-11-20T09:35:00Z", Text: "8:40", Percent: 57},
		Given: "1 of 2", Looking: []views.Person{{Name: "Mei Tanaka", Initials: "MT"}},
	}
}

func queue() review.Queue {
	other := row()
	other.Claim, other.Claimed = "Claimed by Mei Tanaka", &views.Person{Name: "Mei Tanaka", Initials: "MT"}
	other.ID, other.Level, other.Done = "apr_2", views.LevelMedium, &review.RowDone{Text: "Denied by Mei Tanaka", When: "12 s ago", ISO: "2026-11-20T09:41:08Z"}

	return review.Queue{
		URL: "/t/acme/queue", Rows: "/t/acme/queue?open=apr_1", Count: 2,
		Today:  []views.Pair{{Label: "Decided", Value: views.Text("12")}, {Label: "Expired", Value: views.Text("3")}},
		Groups: []review.QueueGroup{{ID: "ses_1", Title: views.Text("Offboarding"), Note: "ses_1 · 2", Alert: &views.Link{Label: "score above 85", URL: "/t/acme/sessions/agt_1?session=ses_1#score"}, Rows: []review.QueueRow{row(), other}}},
	}
}

func reasons() *review.ReasonForm {
	return &review.ReasonForm{Reasons: []string{"Wrong target", "Not now"}}
}

// request is one at the given step, with every part of the card filled.
func request(ask review.Ask) review.Request {
	r := review.Request{
		ID: "apr_1", Level: views.LevelHigh, Score: "0.720", Sentence: views.Text("Deletes user usr_123 in production."), Irreversible: true,
		Left: row().Left, Agent: "support-triage", Function: views.Text("delete_user"), Submitted: views.Text("submitted 09:35:00"), QueueURL: "/t/acme/queue", Waiting: 2,
		Card: card(),
		Decision: &review.Decision{
			URL: "/t/acme/approvals/apr_1/decide", Page: "/t/acme/approvals/apr_1", Digest: "sha256:4be1", Version: "3", Challenge: "chl_1", Ask: ask,
			Edit:   "/t/acme/approvals/apr_1/edit",
			Object: views.Text("delete this user"), Note: "One deliberate click.", Deny: reasons(), Changes: reasons(), Start: "/t/acme/approvals/apr_1/questions",
		},
		Rail: review.Rail{
			Looking: []views.Onlooker{{Person: views.Person{Name: "Priya Raman", Initials: "PR", You: true}, Doing: views.Text("reading")}},
			Past:    []views.Pair{{Label: "Last 30 days", Value: views.Text("42 calls")}},
			Session: &review.Session{
				All: views.Link{Label: "The whole session", URL: "/t/acme/sessions/agt_1?session=ses_1"}, Note: "the last 50 actions", Earlier: &views.Link{Label: "30 earlier actions or more", URL: "/t/acme/history?session=ses_1"},
				Steps: []views.TrailStep{{Text: views.Text("Looked up usr_123"), Note: "auto-approved", Level: views.LevelLow}, {Text: views.Text("Deletes user usr_9"), Note: "ended, hidden", URL: "/t/acme/approvals/apr_0"}},
				Later: &views.Link{Label: "1 later action", URL: "/t/acme/history?session=ses_1"}, Sealed: "How the other calls of this function ended is sealed.",
			},
			WhoMay: "You and 2 other operators.",
		},
	}
	switch ask {
	case review.AskQuiz:
		r.Decision.Quiz = &review.Quiz{
			URL: "/t/acme/approvals/apr_1/answer", Leave: "/t/acme/approvals/apr_1/leave", Challenge: "chl_1", Question: "2", Number: 2, Of: 3,
			Attempt: "Attempt 1 of 2 · 5 minutes", Text: "Which account does the call name?",
			Options: []review.Option{{Value: "0", Text: views.Text("usr_132")}, {Value: "1", Text: views.Text("usr_124")}, {Value: "2", Text: views.Text("usr_231")}, {Value: "3", Text: views.Text("usr_098")}},
		}
		r.Hidden = []review.HiddenPart{{Icon: "file", Name: "Facts", Count: "4"}}
	case review.AskExplicit:
		r.Level = views.LevelCritical
		r.Decision.Explicit = &review.Explicit{
			Say: "usr_123", Shown: views.Text("usr_123"),
			Consequences: []review.Consequence{{Text: views.Text("It can't be undone.")}, {Text: views.Text("It runs in production."), Checked: true}},
			Needed:       2, Given: 1, Signatures: []review.Signature{{Name: "Tomás Rey", Initials: "TR", Note: views.Text("approved 09:38:06"), Given: true}, {Name: "Priya Raman, you", Initials: "PR"}},
		}
	}

	return r
}

func card() *review.Card {
	return &review.Card{
		Effects: &review.Effects{Items: []review.Effect{
			{Kind: "Deletes", What: views.Text("drop table"), Points: []string{"everything", "can't be undone"}, Evidence: []review.EffectEvidence{{Text: views.Text("the statement drops (arguments/sql)"), Place: 1}}},
			{Kind: "Sends a message", Points: []string{"one"}, Doubt: "by its name only", Evidence: []review.EffectEvidence{{Text: views.Text("the verb send (function)")}}},
		}, More: "and 1 more effect, in the record"},
		Facts: []views.Fact{{Label: "Target", Value: views.Text("usr_123"), Note: views.Text("user"), Change: views.Text("was usr_098 in the earlier call")}, {Label: "Environment", Value: views.Text("production")}},
		Arguments: &review.Arguments{
			Shown: "2 of 2 shown", Difference: "1 changed since the last similar call", Compared: true,
			Rows: []review.ArgumentRow{
				{Name: views.Text("user_id"), Type: "string", Value: views.Text("usr_123"), Differs: true, Was: views.Text("usr_098")},
				{
					Name: views.Text("sql"), Type: "string", ShownAs: "SQL", Differs: true, WasInPart: true,
					Value: []views.Run{
						{Text: "DROP", Token: views.TokenKeyword, Mark: "rule drop: it drops", Notes: "1", Place: 1},
						{Text: " ", Mark: "rule drop: it drops", Notes: "1", Place: 1},
						{Text: "orders", Token: views.TokenName, Change: views.ChangeAdded, Mark: "rule drop: it drops; pattern p: why", Notes: "1, 2", Ends: "1, 2", Place: 2},
						{Text: " -- x", Token: views.TokenComment},
						{Kind: views.RunHidden, Text: "ZWSP", Code: "U+200B", Name: "ZERO WIDTH SPACE", Token: views.TokenComment, Change: views.ChangeAdded},
					},
					Was:   []views.Run{{Text: "DROP "}, {Text: "users", Change: views.ChangeRemoved}},
					Notes: []views.Note{{Number: 1, Place: 1, Text: views.Text("rule drop: it drops"), Places: "2 places"}, {Number: 2, Place: 2, Text: views.Text("pattern p: why")}},
				},
				{Name: views.Text("cascade"), Type: "boolean", Value: views.Text("true"), WasNote: "the same", Findings: []string{"Deletes what depends on it"}},
			},
			Raw: views.Text(`{"cascade":true,"user_id":"usr_123"}`), RawSize: "36 bytes",
		},
		Blocks: []review.Block{{
			ID: "code", Title: "Code", Size: "1 line", Text: []views.Run{{Text: "DROP", Mark: "rule drop"}, {Text: " t"}}, Difference: "changed since the last similar call", Was: views.Text("SELECT 1"), WasSize: "1 line",
			Lines: []review.DiffLine{{Gap: "7 lines the same"}, {Number: 8, Text: views.Text("BEGIN")}, {Number: 9, Change: views.ChangeRemoved, Text: views.Text("SELECT 1")}, {Number: 9, Change: views.ChangeAdded, Text: views.Text("DROP t")}}, LinesNote: "1 line added, 1 line removed",
		}},
		Parts: &review.Parts{Now: 1, Of: 2, Items: []review.Part{{URL: "?section=1", Read: true}, {URL: "?section=2"}}, RawURL: "?section=json", RawSize: "9,216 bytes", Ack: "/t/acme/approvals/apr_1/acknowledge", Digest: "sha256:4be1", Version: "3", Left: "1 of 2 sections read"},
		Comparisons: []review.Comparison{{
			ID: "edited", Title: "Edited before approval", Chip: "1 differs", Column: "Proposed by the agent",
			Steps: []views.TrailStep{{Text: views.Text("Proposed by support-triage"), End: "09:31", EndISO: "2026-11-20T09:31:07Z"}, {Text: views.Text("Edited by Priya"), Note: "version 2", Current: true}},
			Rows:  []review.ArgumentRow{{Name: views.Text("user_id"), Type: "string", Value: views.Text("usr_123"), Differs: true, Was: views.Text("usr_000")}},
		}, {
			ID: "revised", Title: "Changes since the last request", Note: views.Text("Priya asked for changes: “no”"), Link: &views.Link{Label: "Show it", URL: "/t/acme/approvals/apr_0"}, None: "The same as before.",
		}},
		Held: review.Held{
			Title:   "Why it was held",
			Summary: "0.720, threshold HIGH, from 0.60", Bar: &review.ScoreBar{Score: 720, Medium: 300, High: 600, Critical: 800},
			Factors:  []review.Factor{{Name: "Function name", Thousandths: 950, Contribution: "+0.285", Why: views.Text("delete is destructive")}},
			Items:    []review.HeldItem{{Icon: views.IconRule, Kind: "Rule", Name: "user_deletion", Text: views.Text("Deleting users is irreversible"), Tag: "HIGH", Place: 1}},
			Patterns: patternModel(),
		},
		Claims:     []review.Claim{{Title: "Justification", Text: views.Text("The contract ended.")}},
		Provenance: review.Provenance{Facts: []views.Fact{{Label: "Digest", Value: views.Text("sha256:4be1"), Mono: true}}, Trail: []views.TrailStep{{Text: views.Text("Revision 1"), End: "09:31", EndISO: "2026-11-20T09:31:07Z", URL: "/t/acme/approvals/apr_0"}}},
	}
}

func patternModel() *views.PatternModel {
	return &views.PatternModel{
		Label: "Dangerous", Tone: views.ToneBad, Summary: "48 of 100, block",
		Facts: []views.Fact{{Label: "Pattern score", Value: views.Text("48 of 100"), Note: views.Text("the sum is 48")}, {Label: "Reason of the action", Value: views.Text("score_override_threshold"), Mono: true}},
		Terms: []views.PatternTerm{
			{Pattern: "card-number", Severity: "critical", Action: "block", Where: views.Text("/arguments/card, bytes 0 to 19"), Formula: "40", Points: "40"},
			{Pattern: "jwt", Severity: "medium", Action: "redact", Where: views.Text("/code, bytes 4 to 40"), Formula: "8", Points: "8"},
		},
		Sum: "40 + 8 = 48", Bands: []views.ScoreBand{{Scores: "0", Action: "allow"}, {Scores: "31–55", Action: "confirm", Here: true}},
	}
}

func edit() review.Edit {
	return review.Edit{
		URL: "/t/acme/approvals/apr_1/edit", Page: "/t/acme/approvals/apr_1", Digest: "sha256:4be1", Version: "3", Sentence: views.Text("Deletes user usr_123 in production."),
		Level: views.LevelHigh, Left: row().Left, Notices: []views.Notice{{Icon: views.IconAlert, Title: "It changed", Text: views.Text("Read it again.")}},
		Text: "{\n  \"note\": \"\\u202e</textarea><script>\"\n}", Error: "This is not strict JSON.", Rows: 8, Rules: []string{"It is scored again."},
	}
}

// sample is a component with what it is drawn from, which a rule may change.
type sample struct {
	component reflect.Value
	from      []reflect.Value
}

// of is the component that a function makes of these values.
func of(component any, from ...any) sample {
	s := sample{component: reflect.ValueOf(component)}
	for _, x := range from {
		v := reflect.New(reflect.TypeOf(x)).Elem()
		v.Set(reflect.ValueOf(x))
		s.from = append(s.from, v)
	}

	return s
}

// Render draws the sample as it is now.
func (s sample) Render(ctx context.Context, w io.Writer) error {
	return s.component.Call(s.from)[0].Interface().(templ.Component).Render(ctx, w)
}

// every is every page in every state that differs in its parts.
func every() map[string]sample {
	critical := page("Request", views.PlaceQueue)
	critical.Critical = true
	denied := request(review.AskConfirm)
	passed := request(review.AskQuizPassed)
	passed.Time = review.TimeBox{Left: row().Left, ID: "apr_1", May: true}
	passed.Decision.Extend = &review.Extend{URL: "/t/acme/approvals/apr_1/extend", Times: []views.Choice{{Value: "900", Label: "15 minutes", Checked: true}}}
	denied.Card.Held.Bar.Raised, denied.Card.Held.Bar.Cause = views.LevelCritical, "rule user_deletion"
	denied.Decision.Deny.Open, denied.Decision.Deny.Error = true, "Say why."
	seen := reviewed()
	seen.Same, seen.Other = false, true
	closed := request(review.AskConfirm)
	closed.Next, closed.Signed = "/t/acme/approvals/apr_2", true
	closed.Reviewed = []views.Reviewed{reviewed()}
	closed.Decision, closed.Notices = nil, []views.Notice{{Tone: views.ToneBad, Icon: views.IconX, Title: "Not saved", Text: views.Text("Try again."), Code: "req_1", Action: &views.Link{Label: "Try again", URL: "/t/acme/approvals/apr_1"}}}
	sealed := queue()
	sealed.Groups[0].Rows[0].Sealed, sealed.Groups[0].Rows[0].Sentence = true, views.Text("Delete a user")

	all := map[string]sample{
		"edit": of(review.EditPage, page("Edit", views.PlaceQueue), queue(), edit()),
		"help": of(views.HelpPage, page("Help", views.PlaceNone), views.Help{
			Bands:  []views.ScoreBand{{Scores: "0", Action: "allow"}, {Scores: "1–15", Action: "log"}},
			Policy: "/t/acme/settings/policy",
			Levels: []views.HelpLevel{{Level: views.LevelLow, From: "0.000", Asks: "nothing"}, {Level: views.LevelHigh, From: "0.600", Asks: "three questions", People: "1", Read: "10 s", Waits: "15:00"}},
		}),
		"queue":       of(review.QueuePage, page("Queue", views.PlaceQueue), queue()),
		"queue-empty": of(review.QueuePage, page("Queue", views.PlaceQueue), review.Queue{URL: "/t/acme/queue", Rows: "/t/acme/queue", Empty: &views.Empty{Title: "You're all caught up", Text: views.Text("This page can stay open.")}}),
		"queue-first": of(review.QueuePage, page("Queue", views.PlaceQueue), review.Queue{
			URL: "/t/acme/queue", Rows: "/t/acme/queue", Empty: &views.Empty{Title: "You're all caught up", Text: views.Text("This page can stay open.")},
			Select: "/t/acme/queue?select=1", Mine: "/t/acme/queue?mine=1", First: &review.FirstSteps{Done: 1, Close: "/t/acme/guide/close", Steps: []review.Step{
				{Title: "Create an agent", Text: "A program.", Done: true, Action: &views.Link{Label: "See the agents", URL: "/t/acme/settings/agents"}},
				{Title: "Send a sample", Text: "Nothing happens.", Post: &views.Link{Label: "Send it", URL: "/t/acme/guide/sample"}},
				{Title: "Connect it", Text: "From a shell:", Examples: []views.Secret{{ID: "example", Label: "curl", Value: "curl"}, {ID: "example-go", Label: "Go", Value: "package main"}}},
				{Title: "Invite", Text: "Two see more.", Action: &views.Link{Label: "Invite", URL: "/t/acme/settings/people/new"}},
			}},
		}),
		"queue-none":       of(review.QueuePage, page("Queue", views.PlaceQueue), review.Queue{URL: "/t/acme/queue", Query: "redis", Empty: &views.Empty{Search: true, Title: "No matches", Action: &views.Link{Label: "Clear", URL: "/t/acme/queue"}}}),
		"queue-loading":    of(review.QueuePage, page("Queue", views.PlaceQueue), review.Queue{Loading: true}),
		"request-confirm":  of(review.RequestPage, page("Request", views.PlaceQueue), queue(), request(review.AskConfirm)),
		"request-start":    of(review.RequestPage, page("Request", views.PlaceQueue), queue(), request(review.AskQuizStart)),
		"request-quiz":     of(review.RequestPage, page("Request", views.PlaceQueue), sealed, request(review.AskQuiz)),
		"request-passed":   of(review.RequestPage, page("Request", views.PlaceQueue), queue(), passed),
		"request-explicit": of(review.RequestPage, critical, queue(), request(review.AskExplicit)),
		"request-locked":   of(review.RequestPage, page("Request", views.PlaceQueue), queue(), request(review.AskNothing)),
		"request-refused":  of(review.RequestPage, page("Request", views.PlaceQueue), queue(), denied),
		"request-closed":   of(review.RequestPage, page("Request", views.PlaceQueue), queue(), closed),
		"audit":            of(trail.AuditPage, page("Audit", views.PlaceAudit), auditList()),
		"audit-refused":    of(trail.AuditPage, page("Audit", views.PlaceAudit), auditRefused()),
		"audit-empty":      of(trail.AuditPage, page("Audit", views.PlaceAudit), auditEmpty()),
		"audit-verifying":  of(trail.VerificationPage, page("Verifying", views.PlaceAudit), trail.Verification{Note: "120,000 of 480,000 entries hold so far.", Percent: 25, TrailURL: "/t/acme/audit", URL: "/t/acme/audit/verification"}),
		"audit-entry": of(trail.AuditEntryPage, page("Entry 2", views.PlaceAudit), trail.AuditEntry{
			Title: views.Text("Entry 2"), When: "20 November 2026, 09:42:31.104 UTC", ISO: "2026-11-20T09:42:31.104Z", Ago: "3 min ago", Level: views.LevelHigh,
			Fields:    []views.Pair{{Label: "Kind", Value: views.Text("approval.approved"), Mono: true}, {Label: "Request", Value: views.Text("apr_1"), URL: "/t/acme/approvals/apr_1"}},
			Reviewed:  &seen,
			Patterns:  &views.PatternModel{Label: "Clean", Tone: views.ToneOK, Summary: "0 of 100: no pattern matched"},
			Canonical: views.Text(`{"index":2}`), Size: "11 bytes", TrailURL: "/t/acme/audit", Newer: "/t/acme/audit/3", Older: "/t/acme/audit/1",
			Neighbours: []views.TrailStep{{Text: views.Text("3 grant.consumed"), URL: "/t/acme/audit/3", End: "09:42:33"}, {Text: views.Text("2 approval.approved"), Current: true, End: "09:42:31"}},
			Proof: trail.AuditProof{
				Leaf: "5d0e", Stored: "5d0e", Root: "b7d1", Size: "4", Holds: true, Plain: true, Command: `printf '\000%s' '{"index":2}' | sha256sum`,
				Steps: []trail.ProofStep{{Hash: "a1b4"}, {Hash: "77f3", Left: true}},
			},
		}),
		"audit-entry-broken": of(trail.AuditEntryPage, page("Entry 2", views.PlaceAudit), trail.AuditEntry{
			Title: views.Text("Entry 2"), When: "20 November 2026", Canonical: views.Text(`{"index":2}`), Size: "11 bytes", TrailURL: "/t/acme/audit",
			Proof: trail.AuditProof{Leaf: "5d0e", Stored: "0000", Root: "b7d1", Size: "4", Wrong: "The bytes have another hash.", Command: "sha256sum"},
		}),
		"history": of(trail.HistoryPage, page("History", views.PlaceHistory), trail.History{
			Summary: "What was decided", Filter: views.Filter{URL: "/t/acme/history", Label: "Filter decisions"},
			Pages: trail.Pages{Label: "1 request", End: "This is the end of the list."},
			Rows: []trail.HistoryRow{{
				ID: "apr_9", URL: "/t/acme/approvals/apr_9", Level: views.LevelMedium, Sentence: views.Text("Restart search-indexer"), Agent: "release-pilot",
				Verdict: "Denied", Tone: views.ToneBad, Reason: views.Text("“Not now”"), Who: "Mei Tanaka", When: "20 Nov 09:42:19", ISO: "2026-11-20T09:42:19Z", Ago: "3 min ago", Entry: "/t/acme/audit/7",
			}},
		}),
		"sign-in":      of(views.SignInPage, views.SignIn{Assets: assets(), URL: "/sign-in", Next: "/t/acme/queue", Email: "priya@acme.test", Error: "Email or password is not right.", Hint: "Forgotten? Ask an admin."}),
		"sign-in-link": of(views.SignInLinkPage, views.SignInLink{Assets: assets(), URL: "/sign-in", Token: "tok", Person: "demo@example.test", Tenant: "demo"}),
		"first-run":    of(views.FirstRunPage, views.FirstRun{Assets: assets(), URL: "/first-run", Token: "tok", SlugError: "Small letters only.", NameError: "Too long.", EmailError: "No address.", PasswordError: "Too short."}),
		"no-tenant":    of(views.NoTenantPage, views.NoTenant{Assets: assets(), Email: "x@acme.test", SignOut: "/sign-out"}),
		"failure":      of(views.FailurePage, views.Failure{Assets: assets(), Status: 404, Title: "There is no such page", Meaning: "The address is wrong.", Do: "Go back.", RequestID: "req_1", Back: &views.Link{Label: "Go to the queue", URL: "/t/acme/queue"}}),
	}
	maps.Copy(all, policyPages())
	maps.Copy(all, settingsSamples())
	maps.Copy(all, listSamples())
	maps.Copy(all, severalSamples())
	maps.Copy(all, insightsSamples())
	maps.Copy(all, sessionSamples())
	maps.Copy(all, routingSamples())

	return all
}

// parts are what goes to a page that is open, and a page that offers each character.
func parts() map[string]sample {
	done, sealed, hostile := row(), row(), row()
	done.Done = &review.RowDone{Text: "Denied by Mei Tanaka", When: "12 s ago", ISO: "2026-11-20T09:41:08Z"}
	sealed.Sealed, sealed.Current, sealed.Sentence, sealed.Environment = true, true, views.Text("Delete a user"), ""
	hostile.Sentence = []views.Run{
		{Text: `<script>alert("1")</script> `},
		{Kind: views.RunHidden, Text: "RLO", Code: "U+202E", Name: "RIGHT-TO-LEFT OVERRIDE"},
		{Kind: views.RunOdd, Text: "е", Code: "U+0435", Name: "CYRILLIC SMALL LETTER IE", Like: views.Like{Text: "%s, looks like %s", Of: "e"}, Mark: "pattern homoglyph"},
		{Kind: views.RunFold, Text: "3 blank lines", Said: "%d blank lines", Count: 3, Raw: "\n\n\n"},
	}
	typed, ended := request(review.AskQuiz), request(review.AskConfirm)
	typed.Decision.Quiz.Typed, typed.Decision.Quiz.Characters, typed.Decision.Quiz.Options = true, 2, nil
	ended.Left, ended.Decision = views.TimeLeft{}, nil
	queue := review.Queue{Groups: []review.QueueGroup{{ID: "s", Title: views.Text("Session"), Note: "s · 1", Rows: []review.QueueRow{sealed}}}}

	return map[string]sample{
		"request-typed":    of(review.RequestPage, page("Request", views.PlaceQueue), queue, typed),
		"push-row":         of(review.PushRow, row()),
		"push-row-done":    of(review.PushRow, done),
		"push-row-hostile": of(review.PushRow, hostile),
		"push-arrival":     of(review.PushArrival, row()),
		"push-count":       of(review.PushCount, 0),
		"push-queue":       of(review.PushQueue, review.Resync{Count: 1, Rows: []review.QueueRow{row()}}),
		"push-outcome":     of(review.PushOutcome, "apr_1", views.Notice{Tone: views.ToneAccent, Icon: views.IconUser, Title: "Mei Tanaka denied this", Text: views.Text("“Wrong person.”"), Action: &views.Link{Label: "Next in queue", URL: "/t/acme/queue"}}),
		"push-ended":       of(review.PushEnded, ended),
		"push-told":        of(review.PushTold, "apr_1", &review.ToldBlock{Summary: "No one was reached", Tone: views.ToneWarn, Icon: views.IconAlert, Rows: []review.ToldRow{{Channel: views.Text("Mei Tanaka (Chrome on Android)"), What: "A request waits for a decision", State: views.Text("retrying, next in 30 s"), Why: views.Text("the receiver answered 500")}}}),
		"push-told-none":   of(review.PushTold, "apr_1", (*review.ToldBlock)(nil)),
		"push-looking":     of(review.PushLooking, "apr_1", []views.Onlooker{{Person: views.Person{Name: "Mei Tanaka", Initials: "MT"}, Doing: views.Text("reading")}}),
		"rows-sealed":      of(review.QueueRows, queue, false),
	}
}

func auditFilter() views.Filter {
	return views.Filter{
		URL: "/t/acme/audit", Label: "Filter entries", MoreLabel: "More filters", MoreOpen: true,
		Lead: []views.FilterField{
			{Kind: views.FieldSearch, ID: "f-text", Name: "text", Label: "Text", Value: "usr_123", Placeholder: "a reason"},
			{Kind: views.FieldBoxes, ID: "f-kind", Name: "kind", Label: "Kind", Summary: "1 kind", Groups: []views.ChoiceGroup{{Label: "Approval", Choices: []views.Choice{{Value: "approval.denied", Label: "denied", Checked: true}, {Value: "approval.viewed", Label: "viewed"}}}}},
			{Kind: views.FieldSelect, ID: "f-actor", Name: "actor", Label: "Who", Groups: []views.ChoiceGroup{{Choices: []views.Choice{{Label: "Anyone", Checked: true}}}, {Label: "People", Choices: []views.Choice{{Value: "person:per_1", Label: "Priya Raman"}}}}},
		},
		More: []views.FilterField{
			{Kind: views.FieldText, ID: "f-function", Name: "function", Label: "Function", Hint: "One word", Beside: &views.FilterField{ID: "f-match", Name: "match", Label: "How", Groups: []views.ChoiceGroup{{Choices: []views.Choice{{Label: "is"}}}}}},
			{Kind: views.FieldTime, ID: "f-from", Name: "from", Label: "From", Value: "2026-11-20T09:42"},
		},
		Spans: []views.Link{{Label: "hour", URL: "/t/acme/audit?from=2026-11-20T08%3A42"}},
		Chips: []views.FilterChip{{Name: "Text", Value: views.Text("usr_123"), Without: "/t/acme/audit?kind=approval.denied"}},
	}
}

func auditList() trail.Audit {
	return trail.Audit{
		Summary: "2 entries", Filter: auditFilter(), Looked: "Searched entries 48,213 to 43,213, 2 found.",
		Integrity: trail.Integrity{Notice: views.Notice{Tone: views.ToneOK, Icon: views.IconShield, Title: "The trail holds", Text: views.Text("Verified 3 min ago.")}, Size: "48,214", Root: "b7d1", Verify: "/t/acme/audit/verification"},
		Checkpoint: &trail.Checkpoint{
			Size: "48,210 entries", When: "20 Nov 09:42:00 UTC", ISO: "2026-11-20T09:42:00.000Z", Ago: "31 s ago",
			Note: "countersign/acme\n48210\n47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n2026-11-20T09:42:00.000000Z\n\n— countersign x08go/ZJkuBS9UG\n",
			Keys: "countersign+1a2b3c4d+AYEKFALVFGyNhPJEMzD1QIDr", URL: "/t/acme/audit/checkpoint",
		},
		Downloads: []views.Download{{URL: "/t/acme/audit.csv", Label: "Export these as CSV", Fields: []views.HiddenField{{Name: "text", Value: "usr_123"}}}},
		Rows: []trail.AuditRow{
			{Index: "2", URL: "/t/acme/audit/2", Time: "20 Nov 09:42:31.104", ISO: "2026-11-20T09:42:31.104Z", Ago: "3 min ago", Kind: "approval.approved", Level: views.LevelHigh, Actor: views.Text("Priya Raman"), What: views.Text("Approved delete_user"), Request: "/t/acme/approvals/apr_1"},
			{Index: "1", URL: "/t/acme/audit/1", Kind: "policy.changed", Actor: views.Text("the policy"), ActorNote: "version 3"},
		},
		Pages: trail.Pages{Label: "Entries 2 to 1, newest first.", Newer: "/t/acme/audit?after=2", NewerLabel: "Newer", Older: "/t/acme/audit?before=1", OlderLabel: "Keep searching"},
	}
}

func auditRefused() trail.Audit {
	f := auditFilter()
	f.Chips = nil
	f.More[1].Error, f.More[1].Value = "Write a time in UTC.", "yesterday"
	f.Problems = []views.FieldError{{Text: "From: Write a time in UTC.", Field: "f-from"}, {Text: "This list has no filter called x."}}
	return trail.Audit{Summary: "2 entries", Filter: f, Integrity: trail.Integrity{Notice: views.Notice{Tone: views.ToneBad, Icon: views.IconAlert, Title: "Verification failed"}}}
}

func auditEmpty() trail.Audit {
	return trail.Audit{
		Summary: "2 entries", Filter: auditFilter(), Integrity: trail.Integrity{Notice: views.Notice{Icon: views.IconShield, Title: "Not verified yet"}},
		Empty: &views.Empty{Search: true, Title: "No matching entries", Action: &views.Link{Label: "Clear filters", URL: "/t/acme/audit"}},
	}
}

// reviewed is a review with every part.
func reviewed() views.Reviewed {
	return views.Reviewed{
		Title: views.Text("Priya Raman approved"), Summary: "after 1 min 12 s, 1 set of questions answered", Tags: []string{"single person"},
		Fields:   []views.Pair{{Label: "First opened", Value: views.Text("20 Nov 2026 09:41:20 UTC")}, {Label: "Typed", Value: views.Text("usr_123"), Mono: true}},
		Sections: []views.ReviewedSection{{Number: "1", When: "09:41:31", ISO: "2026-11-20T09:41:31Z"}}, SectionsOf: "1 of 2 sections acknowledged, times in UTC",
		Quizzes: []views.ReviewedQuiz{{
			Title: "Questions, attempt 1", Result: "0 of 1 right", When: "20 Nov 2026 09:41:40 UTC", ISO: "2026-11-20T09:41:40Z",
			Questions: []views.ReviewedQuestion{{
				Prompt: views.Text("Which account does the call name?"), Took: "answered after 7.0 s",
				Options: []views.ReviewedOption{{Text: views.Text("usr_132")}, {Text: views.Text("usr_123"), Right: true}, {Text: views.Text("usr_231"), Chosen: true}},
			}},
		}, {
			Title: "Questions, attempt 2", Result: "1 of 1 right", Passed: true, When: "20 Nov 2026 09:42:00 UTC", ISO: "2026-11-20T09:42:00Z",
			Questions: []views.ReviewedQuestion{{Prompt: views.Text("What does it do?"), Took: "answered after 4.0 s", Options: []views.ReviewedOption{{Text: views.Text("Delete a user"), Right: true, Chosen: true}}}},
		}},
		Ticked: [][]views.Run{views.Text("It can't be undone.")}, Hash: "9c1fa07e", Same: true,
	}
}
