package views_test

import (
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
)

// reviewSamples are the queue, requests and several of them.
func reviewSamples() map[string]sample {
	list := page("Bulk deny", views.PlaceQueue)
	confirm, explicit := request(review.AskConfirm), request(review.AskExplicit)
	confirm.Decision.Also = &review.Also{Value: "apr_2:1", Label: "Approve the identical request too (runs twice)"}
	explicit.Decision.Also = &review.Also{Value: "apr_2:1", Label: "Approve the identical request too (runs twice)", Checked: true, Runs: "It runs 2 times.", Name: "consequence-3"}
	critical := page("Request", views.PlaceQueue)
	critical.Critical = true
	denied := request(review.AskConfirm)
	denied.Newer = newerRequest()
	passed := request(review.AskQuizPassed)
	passed.Time = review.TimeBox{Left: row().Left, ID: "apr_1", May: true}
	passed.Decision.Extend = &review.Extend{URL: "/t/acme/approvals/apr_1/extend", Times: []views.Choice{{Value: "900", Label: "15 minutes", Checked: true}}}
	passed.Rail.Approvals = []views.Pair{{Label: "Approved", Value: views.Text("1 of 2")}}
	passed.Claim = &review.ClaimBox{ID: "apr_1", Claim: "/t/acme/approvals/apr_1/claim", Holder: "per_2", Name: "Mei Tanaka", Initials: "MT", State: "Claimed by Mei Tanaka"}
	denied.Card.Held.Bar.Raised, denied.Card.Held.Bar.Cause = views.LevelCritical, "rule user_deletion"
	denied.Decision.Deny.Open, denied.Decision.Deny.Error = true, "Say why."
	closed := request(review.AskConfirm)
	closed.Next, closed.Signed = "/t/acme/approvals/apr_2", true
	closed.Reviewed = []views.Reviewed{reviewed()}
	closed.Decision, closed.Notices = nil, []views.Notice{{Tone: views.ToneBad, Icon: views.IconX, Title: "Not saved", Text: views.Text("Try again."), Code: "req_1", Action: &views.Link{Label: "Try again", URL: "/t/acme/approvals/apr_1"}}}
	sealed := queue()
	sealed.Groups[0].Rows[0].Sealed, sealed.Groups[0].Rows[0].Sentence = true, views.Text("Delete a user")

	snoozed := queue()
	snoozed.Snoozed, snoozed.Done = []review.SnoozedRow{aside()}, "Snoozed, only in your queue."

	return map[string]sample{
		"edit":        of(review.EditPage, page("Edit", views.PlaceQueue), queue(), edit()),
		"queue":       of(review.QueuePage, page("Queue", views.PlaceQueue), snoozed),
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
		"select": of(review.SelectPage, list, review.Selecting{
			Live: "/t/acme/queue", Search: "/t/acme/queue", Query: "deploy", Note: "1 of the 1 that wait are here.", URL: "/t/acme/queue/deny",
			Errors: []views.FieldError{{Text: "Say why.", Field: "reason"}}, Reason: review.ReasonForm{Text: "Not now", Error: "Say why.", Reasons: []string{"Not now"}},
			Groups: []review.SelectGroup{{Title: views.Text("release"), Note: "bot", Rows: []review.SelectRow{
				{ID: "pick-apr_1", Pick: "apr_1 1 sha256:00", Checked: true, URL: "/t/acme/approvals/apr_1", Level: views.LevelMedium, Sentence: views.Text("Deploy checkout-api"), Sub: []string{"bot", "staging"}, Left: views.TimeLeft{Text: "11:24"}},
			}}},
		}),
		"select-empty": of(review.SelectPage, list, review.Selecting{Live: "/t/acme/queue", Search: "/t/acme/queue", URL: "/t/acme/queue/deny", Empty: &views.Empty{Title: "You're all caught up"}}),
		"batch": of(review.BatchPage, list, review.Batch{
			Title: "1 request denied", Summary: "1 request not denied.", Back: views.Link{Label: "Go to the queue", URL: "/t/acme/queue"}, Again: &views.Link{Label: "Deny more", URL: "/t/acme/queue?select=1"},
			Rows: []review.BatchRow{
				{URL: "/t/acme/approvals/apr_1", Level: views.LevelMedium, Sentence: views.Text("Deploy checkout-api"), State: "denied", Tone: views.ToneBad, Icon: views.IconCheck},
				{Level: views.LevelLow, Sentence: views.Text("Request not found"), State: "not found", Tone: views.ToneWarn, Icon: views.IconInfo, Note: views.Text("Open the list again.")},
			},
		}),
		"request-confirm-also":  of(review.RequestPage, list, queue(), confirm),
		"request-explicit-also": of(review.RequestPage, list, queue(), explicit),
	}
}

func row() review.QueueRow {
	return review.QueueRow{
		ID: "apr_1", URL: "/t/acme/approvals/apr_1", Level: views.LevelHigh, Sentence: views.Text("Delete user usr_123 in production"),
		Alike: "2 identical pending", Newer: "Newer request", Agent: "support-triage", Environment: "production", Production: true,
		Left:  views.TimeLeft{Expires: "2026-11-20T09:50:00Z", Start: "2026-11-20T09:35:00Z", Text: "8:40", Percent: 57},
		Given: "1 of 2", Needs: "Needs 1 of security", NeedsTone: views.ToneWarn, Looking: []views.Person{{Name: "Mei Tanaka", Initials: "MT"}},
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
		ID: "apr_1", Level: views.LevelHigh, Score: "0.720", Sentence: views.Text("Deletes user usr_123 in production."), Consequence: "Deletes for good",
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

	if ask != review.AskQuiz {
		r.Environment, r.Production = "production", true
	}

	return r
}

func card() *review.Card {
	return &review.Card{
		Effects: &review.Effects{Items: []review.Effect{
			{Kind: "Deletes", What: views.Text("drop table"), Points: []string{"everything", "can't be undone"}, Evidence: []review.EffectEvidence{{Text: views.Text("the statement drops (arguments/sql)"), Place: 1}}},
			{Kind: "Sends a message", Points: []string{"one"}, Doubt: "by its name only", Evidence: []review.EffectEvidence{{Text: views.Text("the verb send (function)")}}},
		}, More: "and 1 more effect, in the record"},
		Edits: []review.EditedFile{
			{ID: "edit-1", Does: "Changes", Path: views.Text("src/auth.ts"), Size: "1 line added, 1 line removed", Lines: []review.EditLine{
				{Gap: "… 34 more lines, covered by the digest"},
				{Same: true, Old: &review.EditText{Text: views.Text("check(user)")}, New: &review.EditText{Text: views.Text("check(user)")}},
				{Old: &review.EditText{Text: views.Text("deny()")}, New: &review.EditText{Text: views.Text("allow()")}},
				{New: &review.EditText{Text: views.Text("log()")}},
			}},
			{ID: "edit-2", Does: "Moves", Path: views.Text("a.go"), To: views.Text("b.go")},
		},
		Arguments: &review.Arguments{
			Shown: "2 of 2 shown", Difference: "1 changed since the last similar call", Compared: true,
			Rows: []review.ArgumentRow{
				{Name: views.Text("user_id"), Type: "string", Value: views.Text("usr_123"), Differs: true, Was: views.Text("usr_098")},
				{
					Name: views.Text("sql"), Type: "string", Folded: "As sent, 12 lines, 340 bytes", ShownAs: "SQL", Differs: true, WasInPart: true,
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
			Factors:  []review.Factor{{Name: "Function name", Thousandths: 950, Contribution: "destructive 0.95 × 0.30 = 0.285", Why: views.Text("delete is destructive")}},
			Items:    []review.HeldItem{{Icon: views.IconRule, Kind: "Rule", Name: "user_deletion", Text: views.Text("Deleting users is irreversible"), Tag: "HIGH", Place: 1}},
			Patterns: patternModel(),
		},
		Claims:     []review.Claim{{Title: "Justification", Text: views.Text("The contract ended.")}},
		Talk:       talk(),
		Provenance: review.Provenance{Facts: []views.Fact{{Label: "Digest", Value: views.Text("sha256:4be1"), Mono: true}}, Trail: []views.TrailStep{{Text: views.Text("Revision 1"), End: "09:31", EndISO: "2026-11-20T09:31:07Z", URL: "/t/acme/approvals/apr_0"}}},
	}
}

func edit() review.Edit {
	return review.Edit{
		URL: "/t/acme/approvals/apr_1/edit", Page: "/t/acme/approvals/apr_1", Digest: "sha256:4be1", Version: "3", Sentence: views.Text("Deletes user usr_123 in production."),
		Level: views.LevelHigh, Left: row().Left, Notices: []views.Notice{{Icon: views.IconAlert, Title: "It changed", Text: views.Text("Read it again.")}},
		Text: "{\n  \"note\": \"\\u202e</textarea><script>\"\n}", Error: "This is not strict JSON.", Rows: 8, Rules: []string{"It is scored again."},
	}
}

// parts are what goes to a page that is open.
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
	ended := request(review.AskConfirm)
	ended.Left, ended.Decision = views.TimeLeft{}, nil
	claim := review.ClaimBox{ID: "apr_1", Claim: "/t/acme/approvals/apr_1/claim", Holder: "per_2", Name: "Mei Tanaka", Initials: "MT", You: true, State: "Claimed by you", Release: "/t/acme/approvals/apr_1/release", Left: row().Left}
	queue := review.Queue{Groups: []review.QueueGroup{{ID: "s", Title: views.Text("Session"), Note: "s · 1", Rows: []review.QueueRow{sealed}}}}

	return map[string]sample{
		"push-row":         of(review.PushRow, row()),
		"push-row-done":    of(review.PushRow, done),
		"push-row-hostile": of(review.PushRow, hostile),
		"push-arrival":     of(review.PushArrival, row()),
		"push-count":       of(review.PushCount, 0),
		"push-queue":       of(review.PushQueue, review.Resync{Count: 1, Rows: []review.QueueRow{row()}}),
		"push-outcome":     of(review.PushOutcome, "apr_1", views.Notice{Tone: views.ToneAccent, Icon: views.IconUser, Title: "Mei Tanaka denied this", Text: views.Text("“Wrong person.”"), Action: &views.Link{Label: "Next in queue", URL: "/t/acme/queue"}}),
		"push-ended":       of(review.PushEnded, ended),
		"push-claim":       of(review.PushClaim, &claim),
		"push-aside":       of(review.PushAside, "apr_1"),
		"push-snoozed":     of(review.PushSnoozed, []review.SnoozedRow{aside()}),
		"push-house":       of(review.PushHouse, []views.Notice{{Icon: views.IconBan, Title: "All agents are stopped", Text: views.Text("By Ada.")}}),
		"push-given":       of(review.PushGiven, ended),
		"push-talk":        of(review.PushTalk, *talk()),
		"push-mentions":    of(review.PushMentions, []views.Notice{{Icon: views.IconUser, Title: "Mei Tanaka mentioned you in a comment", Action: &views.Link{Label: "Read it", URL: "/t/acme/approvals/apr_1"}}}),
		"push-time":        of(review.PushTime, review.TimeBox{Left: row().Left, ID: "apr_1", Extended: views.Text("Mei Tanaka gave it 15 minutes."), May: true}),
		"push-newer":       of(review.PushNewer, "apr_1", newerRequest()),
		"push-told":        of(review.PushTold, "apr_1", &review.ToldBlock{Summary: "No one was reached", Tone: views.ToneWarn, Icon: views.IconAlert, Rows: []review.ToldRow{{Channel: views.Text("Mei Tanaka (Chrome on Android)"), What: "A request waits for a decision", State: views.Text("retrying, next in 30 s"), Why: views.Text("the receiver answered 500")}}}),
		"push-told-none":   of(review.PushTold, "apr_1", (*review.ToldBlock)(nil)),
		"push-looking":     of(review.PushLooking, "apr_1", []views.Onlooker{{Person: views.Person{Name: "Mei Tanaka", Initials: "MT"}, Doing: views.Text("reading")}}),
		"rows-sealed":      of(review.QueueRows, queue, false),
	}
}

func aside() review.SnoozedRow {
	r := row()
	r.ID = "apr_aside"
	return review.SnoozedRow{QueueRow: r, Until: views.Text("until tomorrow"), Wake: "/t/acme/approvals/apr_aside/wake", Back: "/t/acme/queue"}
}

// sessionSamples are the page of a session in the states that differ in their parts.
func sessionSamples() map[string]sample {
	p := page("Session ses_1", views.PlaceHistory)
	back := views.Link{Label: "builder", URL: "/t/acme/settings/agents/agt_1"}
	return map[string]sample{
		"session": of(review.SessionPage, p, review.SessionOne{
			Title: []views.Run{{Text: "Session "}, {Kind: views.RunHidden, Text: "RLO", Code: "U+202E", Name: "RIGHT-TO-LEFT OVERRIDE"}}, Back: back, Summary: views.Text("of builder."),
			State: "1 waiting", Tone: views.ToneWarn, Icon: views.IconHourglass, Links: []views.Link{{Label: "Decisions of this session", URL: "/t/acme/history?session=ses_1"}},
			Stats: []views.Stat{{Label: "Held per 60 calls", Value: "3.4", Note: "2 of 35 calls"}}, Note: "The figures count the newest 2,000 calls.", Sealed: "Requests wait.",
			Problems:    []views.FieldError{{Text: "Which calls: choose.", Field: "f-show"}},
			Alert:       &views.Notice{Tone: views.ToneWarn, Icon: views.IconAlert, Title: "The score of this session is above 85", Text: views.Text("Look.")},
			Acknowledge: "/t/acme/sessions/agt_1/acknowledge", Session: "herd",
			Score: review.SessionScore{
				About: "All matches.", Note: "1 request is sealed.", Stats: []views.Stat{{Label: "Session score", Value: "87", Note: "of 100"}},
				Days: views.Figure{ID: "session-days", Title: "Pattern score by day", About: "By day.", Chart: views.ChartLines, Unit: views.UnitPoints, Wide: true, Heads: []views.FigureHead{{Label: "Day"}, {Label: "Mean", Hue: views.HueAccent}, {Label: "Change"}}, Rows: []views.FigureRow{
					{Name: views.Text("1 March 2026"), Day: "2026-03-01", Short: "1 Mar", Cells: []views.FigureCell{{Text: "2.0", Value: "2.00"}, {Text: "none"}}},
					{Name: views.Text("2 March 2026"), Day: "2026-03-02", Short: "2 Mar", Cells: []views.FigureCell{{Text: "22.5", Value: "22.50"}, {Text: "+20.5", Value: "20.50"}}},
				}},
			},
			Grants: views.SessionGrants{All: &views.Link{Label: "What runs without asking", URL: "/w"}, Rows: []views.SessionGrant{
				{URL: "/g", What: views.Text("push to fix-4711"), By: "Ada", Used: "1 of 10", Last: "now", LastISO: "2026-03-01T12:00:00Z", Ends: "1 Mar, 20:00", EndsISO: "2026-03-01T20:00:00Z", State: "open", Tone: views.ToneOK, Icon: views.IconCheck, End: &views.WithoutEnd{URL: "/g/revoke", Label: "End", Of: "push", Hidden: []views.Hidden{{Name: "reason", Value: "ended"}}}},
				{URL: "/g2", What: views.Text("install packages"), By: "Ada", Used: "0 of 10", Ends: "1 Mar, 20:00", EndsISO: "2026-03-01T20:00:00Z", State: "revoked", Tone: views.ToneBad, Icon: views.IconBan},
			}},
			Windows: []views.Window{{Label: "All calls", URL: "/s", Here: true}, {Label: "Held", URL: "/s?show=held"}},
			Rows: []review.SessionRow{
				{ID: "apr_1", URL: "/t/acme/approvals/apr_1", When: "1 Mar 12:00:00", ISO: "2026-03-01T12:00:00Z", Ago: "1 min ago", Sentence: views.Text("Push fix-4711"), Command: views.Text("git push origin fix-4711"), Level: views.LevelMedium, Why: views.Text("it leaves the workspace"), WhyURL: "/t/acme/settings/agents/agt_1", Verdict: "Waiting", Tone: views.ToneWarn, By: "for 1 min"},
				{ID: "apr_0", URL: "/t/acme/approvals/apr_0", When: "1 Mar 11:59:00", ISO: "2026-03-01T11:59:00Z", Sentence: views.Text("Edit main.go"), Level: views.LevelLow, Why: views.Text("an edit in the workspace"), Verdict: "Auto-approved", Tone: views.ToneOK, By: "by the policy", Writes: "writes 1 file"},
				{ID: "apr_00", URL: "/t/acme/approvals/apr_00", When: "1 Mar 11:58:00", ISO: "2026-03-01T11:58:00Z", Sentence: views.Text("The request in question"), Level: views.LevelHigh, Verdict: "Held"},
			},
			Label: "Newest first", Older: "/s?before=apr_00", Newest: "/s",
			Files: review.SessionFiles{Note: "Those with findings first.", More: "and 3 more files", Rows: []review.SessionFile{
				{Path: views.Text("/w/deploy.sh"), Findings: []string{"network: a client", "foreign"}, Times: "2 times", URL: "/t/acme/approvals/apr_0", Last: "1 Mar 11:59:00", LastISO: "2026-03-01T11:59:00Z"},
				{Path: views.Text("/w/a.go"), State: "deleted", Times: "1 time", URL: "/t/acme/approvals/apr_0", Last: "1 Mar 11:59:00", LastISO: "2026-03-01T11:59:00Z"},
			}},
		}),
		"session-none": of(review.SessionPage, p, review.SessionOne{
			Title: views.Text("Session ses_1"), Back: back, Summary: views.Text("of builder."), State: "quiet", Icon: views.IconClock,
			Grants: views.SessionGrants{None: "Nothing was allowed."}, Files: review.SessionFiles{None: "No file is known."},
			Empty: &views.Empty{Search: true, Title: "No matching calls", Action: &views.Link{Label: "All calls", URL: "/s"}},
		}),
	}
}

// talk is a question that was answered, one that was not, a comment, and the forms.
func talk() *review.Talk {
	return &review.Talk{
		ID: "apr_1", Ask: &review.TalkForm{URL: "/t/acme/approvals/apr_1/ask"}, Comment: &review.TalkForm{URL: "/t/acme/approvals/apr_1/comment"}, People: []string{"Mei Tanaka"},
		Said: []review.Said{
			{ID: "qst_1", ToAgent: true, By: views.Text("Mei Tanaka asked at 09:41:20"), Text: views.Text("Which ticket is it?"), Answer: views.Text("OPS-41"), When: views.Text("Answered at 09:41:30")},
			{ID: "cmt_1", By: views.Text("Mei Tanaka commented at 09:41:50"), Text: views.Text("Is it on the list?")},
			{ID: "qst_2", ToAgent: true, By: views.Text("Mei Tanaka asked at 09:42:20"), Text: views.Text("Who asked for it?")},
		},
	}
}

func newerRequest() *review.Newer {
	return &review.Newer{URL: "/t/acme/approvals/apr_2", Difference: views.Text("version → v42"), Notice: views.Notice{
		Tone: views.ToneWarn, Icon: views.IconLayers, Title: "Newer request, waiting", Text: views.Text("version → v42"), Action: &views.Link{Label: "Show the newer request", URL: "/t/acme/approvals/apr_2"},
	}}
}
