package views_test

import (
	"strconv"
	"strings"

	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/policy"
)

const policyURL = "/t/acme/settings/policy"

func number(name, label, value, unit string) policy.NumberField {
	return policy.NumberField{ID: name, Name: name, Label: label, Value: value, Unit: unit, Min: "0", Max: "100", Step: "1", Hint: "What it means."}
}

func at(f policy.NumberField, level string) policy.NumberField {
	f.Of = "at " + strings.ToUpper(level)

	return f
}

func choice(name, label string, options ...string) policy.ChoiceField {
	f := policy.ChoiceField{ID: name, Name: name, Label: label}
	for i, o := range options {
		f.Options = append(f.Options, views.Choice{Value: o, Label: strings.ToUpper(o), Hint: "What it means.", Checked: i == 0})
	}

	return f
}

func inForce() policy.Settings {
	f := policy.Form{
		Preview: policyURL + "/preview", Base: "15",
		Scale:    policy.Scale{Medium: 300, High: 650, Critical: 800, Was: [3]int{300, 600, 800}, Past: []int{0, 3, 0, 0, 0, 0, 2, 0}, Note: "Scores of the last 5 actions."},
		Weights:  []policy.NumberField{number("weights.function_name", "Function name", "0.3", "")},
		Sum:      "1",
		Strategy: choice("strategy", "Strategy", "max", "composite", "fixed"), Composite: []policy.NumberField{number("composite_weights.patterns", "Weight of patterns", "0.5", "")}, Fixed: number("fixed_score", "Fixed score", "0", ""), Discard: policyURL,
		HoursOnly: policy.LevelBox{ID: "working_hours.enabled", Name: "working_hours.enabled", Label: "Only working hours count", Checked: true},
		Week:      []views.LineField{{ID: "working_hours.monday", Name: "working_hours.monday", Label: "Monday", Value: "09:00-17:00", Mono: true, Max: "100", Setting: true}},
		Zone:      views.LineField{ID: "working_hours.zone", Name: "working_hours.zone", Label: "Time zone", Value: "UTC", Mono: true, Max: "64", Setting: true},
		Holidays:  policy.TextField{ID: "working_hours.holidays", Name: "working_hours.holidays", Label: "Holidays", Value: "2026-12-25 Christmas Day", Setting: true},
		Scorers:   choice("scorers.mode", "Custom scorers", "blend", "max", "replace"), ScorersWeight: number("scorers.built_in_weight", "Weight of the models", "1", ""), NewerEnds: policy.LevelBox{ID: "newer_ends_older", Name: "newer_ends_older", Label: "A newer request ends the older one"}, ScorersCritical: policy.LevelBox{ID: "scorers.may_lower_critical", Name: "scorers.may_lower_critical", Label: "May lower CRITICAL"},
		Override: number("score_override_threshold", "Block above", "85", "points"), OnBlock: choice("on_block", "On a block", "block", "hold"), OnRequires: choice("on_requires_approval", "On what requires approval", "level", "hold"),
		Presets: []policy.Preset{{Name: "deny_all", Label: "Deny all", Values: "deny deny deny deny"}, {Name: "confirm_medium", Label: "Review MEDIUM and above (default)", Values: "none confirm quiz explicit_confirmation", Current: true}, {Name: "custom", Label: "Custom"}},
		Early:   choice("early_answer", "An early answer", "refuse", "flag"),
		Times:   []policy.NumberField{number("expiry_seconds", "Expires after", "900", "seconds")},
		Reason:  policy.TextField{ID: "reason", Name: "reason", Label: "Reason", Hint: "Everybody reads it."},
	}
	for i, name := range []string{"medium", "high", "critical"} {
		n := number("thresholds."+name, "begins at", "0.3", "")
		n.Level = views.Level(i + 2)
		f.Thresholds = append(f.Thresholds, n)
	}
	limit := func(n policy.NumberField) policy.NumberField {
		n.Zero = "no limit"
		return n
	}
	f.Thresholds[1].Was, f.Thresholds[1].Now = "0.6", "0.6"
	f.Changes, f.Marks = 3, map[string]policy.SectionMark{"judgement": {Changed: 1}, "thresholds": {Changed: 1, Wrong: 1}, "patterns": {Changed: 1}}
	for i, name := range []string{"low", "medium", "high", "critical"} {
		f.Levels = append(f.Levels, policy.Level{
			Level: views.Level(i + 1), Challenge: choice("challenges."+name, "Challenge at "+strings.ToUpper(name), "none", "confirm"),
			People: at(number("approvals_required."+name, "People", "1", ""), name), Review: number("min_review_seconds."+name, "Minimum review time", "3", "s"),
			Expiry: limit(at(number("expiry_seconds_by_level."+name, "Expires after", strconv.Itoa(i*60), "s"), name)),
			Note:   policy.LevelBox{ID: "note_required." + name, Name: "note_required." + name, Label: "Note required", Of: "at " + strings.ToUpper(name)},
			Edit:   policy.LevelBox{ID: "edit_before_approve." + name, Name: "edit_before_approve." + name, Label: "May be edited", Of: "at " + strings.ToUpper(name), Checked: i == 1},
		})
	}

	cell := func(name string, level views.Level, own bool) policy.JudgementCell {
		return policy.JudgementCell{
			ID: "judgement.floors.delete." + name, Label: "Floor where it deletes, " + name, Column: name, Level: level, Own: own,
			Options: []views.Choice{{Value: "preset", Label: "Preset: HIGH", Checked: !own}, {Value: "HIGH", Label: "HIGH", Checked: own}},
		}
	}
	odd := cell("all", views.LevelHigh, true)
	odd.Was, odd.Now, odd.Note = "Preset: CRITICAL", "preset", "by amount; without one"
	f.OnBlock.Was, f.OnBlock.Now = "hold", "hold"
	f.Judgement = policy.Judgement{
		Preset: choice("judgement.preset", "Floors", "balanced", "published"), Columns: []string{"one", "all"},
		Rows:     []policy.JudgementRow{{Label: "Deletes", Cells: []policy.JudgementCell{cell("one", views.LevelHigh, false), odd}}},
		Money:    []policy.NumberField{number("judgement.small_amount", "Small amount", "100", "")},
		Currency: views.LineField{ID: "judgement.currency", Name: "judgement.currency", Label: "Currency", Value: "EUR", Mono: true, Max: "3", Setting: true, Was: "USD", Now: "USD"},
		Domains:  policy.TextField{ID: "judgement.own_domains", Name: "judgement.own_domains", Label: "Your domains", Value: "example.com", Hint: "One a line.", Setting: true, Was: "none", Now: "none"},
		Names:    policy.TextField{ID: "judgement.nonproduction", Name: "judgement.nonproduction", Label: "Own names"},
		Remember: number("judgement.remember_denials_hours", "Remember denials for", "24", "hours"),
	}

	f.Patterns = policy.Patterns{
		Severities: []views.Level{views.LevelCritical}, Decay: number("pattern_decay", "Decay", "0.85", ""),
		Weights:  []policy.NumberField{number("pattern_weights.critical", "Weight of a critical match", "40", "points")},
		Actions:  []policy.ChoiceField{choice("severity_actions.critical", "Critical patterns without their own action", "redact", "block")},
		Critical: policy.LevelBox{ID: "block_all_critical", Name: "block_all_critical", Label: "Block all critical", Was: "no", Now: "false", Checked: true}, CriticalNote: "Of 44 critical patterns 20 block.",
		Rewrite: policy.LevelBox{ID: "rewrite_calls", Name: "rewrite_calls", Label: "Hand calls back"}, RewriteNote: "The grant binds what was sent.",
		Bands: []views.ScoreBand{{Scores: "0", Action: "allow"}, {Scores: "1–15", Action: "log"}},
	}

	return policy.Settings{
		Items: policyItems(), Summary: views.Text("Version 15, in force since 20 Nov 09:31 UTC, by Jonas Lindqvist"),
		Export: policyURL + ".yaml", Schema: policyURL + ".schema.json", Form: f,
		Also:      []views.Pair{{Label: "Functions", Value: views.Text("2")}},
		Proposals: []policy.ProposalRow{{URL: policyURL + "/proposals/ppl_1", Title: "By Mei Tanaka", Note: views.Text("20 Nov 09:40, on version 15"), Weaker: "1 weaker"}},
		Versions:  []views.TrailStep{{Text: views.Text("15, Jonas Lindqvist"), Note: "HIGH from 0.65 to 0.60", End: "20 Nov", URL: policyURL + "/versions/15", Current: true}}, AllVersions: policyURL + "/versions",
	}
}

func policyItems() []views.SettingsItem {
	return []views.SettingsItem{{Label: "Policy", URL: policyURL, Icon: views.IconSettings, Here: true}, {Label: "People", URL: "/t/acme/settings/people", Icon: "users"}}
}

func policyDifferences() policy.Differences {
	return policy.Differences{Title: "What changes", Note: "2 settings, 1 becomes weaker", Old: "Version 15", New: "Draft", Rows: []policy.Difference{
		{Setting: "HIGH from", Member: "/thresholds/high", Old: views.Text("0.6"), New: views.Text("0.65"), Weaker: true},
		{Setting: "Expires after", Member: "/expiry_seconds", Old: views.Text("900 seconds"), New: views.Text("600 seconds")},
	}}
}

func policyReplay() *views.Replay {
	r := &views.Replay{
		Moved: "2", Of: "of the last 4 actions would move to another level", Note: views.Text("4 actions since 12 Nov"),
		Facts:   []views.Fact{{Label: "Stricter", Value: views.Text("0")}, {Label: "Would be approved automatically", Value: views.Text("1")}},
		Passing: &views.Notice{Tone: views.ToneBad, Icon: views.IconAlert, Title: "1 that was refused would pass"},
		Denied:  []views.ReplayDenied{{URL: "/t/acme/approvals/apr_9", Sentence: views.Text("Delete user usr_077"), Level: views.LevelHigh, Note: "denied 17 Nov by Mei Tanaka"}}, More: "The newest one.",
	}
	for i := range 4 {
		row := views.ReplayRow{Level: views.Level(i + 1), Cells: make([]views.ReplayCell, 4)}
		row.Cells[i] = views.ReplayCell{Text: "1 stays"}
		r.Rows = append(r.Rows, row)
	}
	r.Rows[2].Cells[1] = views.ReplayCell{Text: "2 go down", Tone: views.ToneWarn}

	return r
}

func policyPages() map[string]sample {
	settings := func() views.Page {
		p := page("Policy", views.PlaceSettings)
		p.Live = nil

		return p
	}
	wrong, readOnly, stale := inForce(), inForce(), inForce()
	wrong.Errors = []views.FieldError{{Text: "HIGH from: is “x”", Field: "thresholds.high"}, {Text: "Somewhere else"}}
	wrong.Form.Thresholds[1].Error, wrong.Form.Thresholds[1].Value = "is “x”; expected a number", "x"
	wrong.Form.Levels[0].Challenge.Error, wrong.Form.Reason.Error, wrong.Form.Reason.Value = "choose one", "write why", "  two\nlines"
	readOnly.Form.ReadOnly, readOnly.Form.Refused, readOnly.Proposals, readOnly.AllVersions = true, "You may read this.", nil, ""
	d := policyDifferences()
	stale.Meanwhile = &d
	hidden := []views.Hidden{{Name: "base", Value: "15"}, {Name: "thresholds.high", Value: "0.65"}}
	preview := policy.Preview{
		Items: policyItems(), Title: "Preview of version 16", Summary: "Made from version 15.", Back: policyURL, Differences: d, Replay: policyReplay(),
		Notices: []views.Notice{{Tone: views.ToneWarn, Icon: "users", Title: "This loosens the policy", Text: views.Text("Nothing changes until Amara Okafor accepts it.")}},
		Save:    &policy.Save{URL: policyURL, Hidden: hidden, Reason: policy.TextField{ID: "reason", Name: "reason", Label: "Reason", Value: "less noise"}, Button: "Send to a second admin", Note: "Nothing changes yet."},
		Edit:    policy.Edit{URL: policyURL + "/preview", Hidden: hidden},
	}
	single, same := preview, preview
	save := *preview.Save
	save.Typed, save.Button = &views.TypedWord{Say: "acme", Value: "acm", Error: "type acme", Why: "Nobody else can look at it."}, "Save as version 16"
	single.Save, single.Errors = &save, []views.FieldError{{Text: "type acme", Field: "typed"}}
	same.Save, same.Replay, same.Notices = nil, nil, nil
	same.Differences = policy.Differences{Title: "What changes", None: "Nothing."}
	proposal := policy.Proposal{
		Items: policyItems(), Title: "Proposal", Summary: views.Text("By Mei Tanaka"), Back: policyURL, Fields: []views.Pair{{Label: "Why", Value: views.Text("noise")}}, Differences: d, Replay: policyReplay(),
		Accept: &policy.ProposalAccept{URL: policyURL + "/proposals/ppl_1/accept", Button: "Accept as version 16", Note: "Takes effect right away.", Read: "I have read what becomes weaker", Error: "tick it"},
		Reject: &policy.ProposalReject{URL: policyURL + "/proposals/ppl_1/reject", Reason: policy.TextField{ID: "reason", Name: "reason", Label: "Reason"}},
		Errors: []views.FieldError{{Text: "tick it", Field: "read"}},
	}
	own := proposal
	own.Accept, own.Reject, own.Errors, own.Refused = nil, nil, nil, "Another admin has to accept it: Amara Okafor."
	own.Replay = &views.Replay{None: "No action was submitted yet."}
	own.Redo = &policy.ProposalRedo{Edit: policy.Edit{URL: policyURL + "/preview", Hidden: hidden}, Button: "Open as a draft on version 16", Note: "On top of what changed."}
	own.Withdraw = &policy.ProposalWithdraw{URL: policyURL + "/proposals/ppl_1/withdraw", Note: "It is yours."}
	version := policy.Version{
		Items: policyItems(), Title: "Version 15", Summary: views.Text("in force"), Back: policyURL, Notices: []views.Notice{{Tone: views.ToneWarn, Icon: views.IconUser, Title: "Not reviewed by anyone else"}},
		Fields: []views.Pair{{Label: "By", Value: views.Text("Jonas Lindqvist")}}, Differences: d, Text: views.Text("expiry_seconds: 600\n"), Size: "1 line", Newer: policyURL + "/versions/16", Older: policyURL + "/versions/14",
	}
	versions := policy.Versions{
		Items: policyItems(), Back: policyURL, Summary: "newest first", Range: "15 to 14", Older: policyURL + "/versions?before=14", Rows: []policy.VersionRow{
			{Number: "15", URL: policyURL + "/versions/15", When: "20 Nov 09:31:00", ISO: "2026-11-20T09:31:00Z", Who: "Jonas Lindqvist", Reason: views.Text("quieter"), Accepted: "Amara Okafor", Current: true},
			{Number: "14", URL: policyURL + "/versions/14", Who: "command line", Single: true},
		},
	}

	return map[string]sample{
		"policy-form": of(policy.Page, settings(), inForce()), "policy-wrong": of(policy.Page, settings(), wrong),
		"policy-read-only": of(policy.Page, settings(), readOnly), "policy-stale": of(policy.Page, settings(), stale),
		"policy-preview": of(policy.PreviewPage, settings(), preview), "policy-preview-single": of(policy.PreviewPage, settings(), single),
		"policy-preview-same": of(policy.PreviewPage, settings(), same),
		"policy-proposal":     of(policy.ProposalPage, settings(), proposal), "policy-proposal-own": of(policy.ProposalPage, settings(), own),
		"policy-version": of(policy.VersionPage, settings(), version), "policy-versions": of(policy.VersionsPage, settings(), versions),
		"policy-versions-none": of(policy.VersionsPage, settings(), policy.Versions{Back: policyURL, Empty: &views.Empty{Title: "None before this one"}}),
	}
}

// listSamples are the pages of rules, patterns and functions: the list alone, a draft
// with an editor and something tried, and what those see who only read.
func listSamples() map[string]sample {
	const url = "/t/acme/settings/rules"
	items := []views.SettingsItem{{Label: "Policy", URL: "/t/acme/settings/policy", Icon: views.IconSettings}, {Label: "Rules", URL: url, Icon: views.IconRule, Here: true}}
	row := func(id string) policy.ListRow {
		return policy.ListRow{
			ID: "rule-" + id, Name: views.Text(id), Level: views.LevelHigh, About: views.Text("Elevated privileges can affect system stability"), Use: "12 hits, 83 % approved", Open: true,
			Chips:   []policy.ListChip{{Word: views.Text("replaced"), Icon: views.IconPattern, Tone: views.ToneAccent}, {Word: views.Text("off"), Icon: views.IconX, Tone: views.ToneWarn}},
			Fields:  []views.Pair{{Label: "Hits in 30 days", Value: views.Text("12")}},
			Texts:   []policy.ListText{{Label: "Pattern (RE2, in any case)", Lines: [][]views.Run{views.Text(`sudo\s+`), views.Text(`\bdoas\b`)}}},
			Buttons: []policy.ListButton{{Do: "off:" + id, Label: "Turn off", Of: "the rule " + id, At: "rule-" + id}},
		}
	}
	safe := row("print_output")
	safe.Level, safe.Safe, safe.Chips, safe.Open = views.LevelNone, "SAFE", nil, false
	switches := []policy.ListSwitch{
		{Label: "Extended rules", Note: "Ours.", Tone: views.ToneOK, State: "on", Buttons: []policy.ListButton{{Do: "extended:off", Label: "Turn off", Of: "the extended rules"}}},
		{Label: "Assessor", Tone: views.ToneWarn, State: "in place of all rules", Shown: views.Text(`action.code == "" ? "LOW" : "HIGH"`)},
		{Label: "Own", Tone: views.TonePlain, State: "0", Buttons: []policy.ListButton{{Do: "add", Label: "Add a rule", Icon: "plus", Kind: "primary", At: "edit"}}},
	}
	parts := []policy.EditorPart{
		{Line: &views.LineField{ID: "try-function", Name: "try-function", Label: "Function", Value: "copy", Mono: true}},
		{Area: &views.AreaField{ID: "try-arguments", Name: "try-arguments", Label: "Arguments", Rows: "2", Value: "{", Hint: "JSON", Error: "It ends too early."}},
	}
	list := policy.ListSettings{
		Items: items, Title: "Rules", Summary: "52 rules run.", URL: url, Search: "sudo", SearchLabel: "Search rules", Switches: switches,
		Hidden: []views.Hidden{{Name: "base", Value: "15"}},
		Groups: []policy.ListGroup{{ID: "core", Title: "Core", Note: "in code only", Rows: []policy.ListRow{row("sudo_command"), safe}}},
		Try:    &policy.TryOut{URL: url, Parts: parts},
	}
	draft := list
	draft.Draft, draft.Changes = "2 changes in this draft", []string{"Own rule backup_copies: added", "Extended rules: changed (weaker)"}
	draft.Notices = []views.Notice{{Tone: views.ToneWarn, Icon: views.IconAlert, Title: "The policy has changed"}}
	draft.Errors = []views.FieldError{{Text: "The pattern is empty", Field: "edit-text"}}
	draft.Editor = &policy.ListEditor{
		Title: "Add a rule", Note: "It runs besides.", Hidden: []views.Hidden{{Name: "edit-what", Value: "rule"}},
		Put: policy.ListButton{Do: "put", Label: "Add to draft", Kind: "primary"}, Cancel: policy.ListButton{Do: "cancel", Label: "Cancel", Kind: "quiet"},
		Parts: []policy.EditorPart{
			{Line: &views.LineField{ID: "edit-name", Name: "edit-name", Label: "Name"}},
			{Choice: &policy.ChoiceField{ID: "edit-kind", Name: "edit-kind", Label: "It runs with", Options: []views.Choice{{Value: "pattern", Label: "a pattern", Checked: true}, {Value: "expression", Label: "an expression", Hint: "CEL."}}}},
			{Area: &views.AreaField{ID: "edit-text", Name: "edit-text", Label: "Pattern or expression", Rows: "4", Error: "It is empty."}},
			{Select: &views.SelectField{ID: "edit-level", Name: "edit-level", Label: "Level", Options: []views.Choice{{Value: "HIGH", Label: "HIGH", Checked: true}}}},
			{Box: &views.BoxField{ID: "edit-reversible", Name: "edit-reversible", Value: "true", Label: "What it finds can be undone"}},
			{Note: "One sentence."},
		},
	}
	draft.Try = &policy.TryOut{URL: url, Parts: parts, Tried: &policy.Tried{
		Level: views.LevelCritical, Response: "would be held for a person", Sentence: views.Text("Held as CRITICAL: rule rm."),
		Found: []policy.TriedFinding{
			{Icon: views.IconRule, Kind: "rule", Name: views.Text("sudo_command"), URL: "#rule-sudo_command", Level: views.LevelHigh, About: views.Text("Elevated"), Where: views.Text("in code")},
			{Icon: views.IconPattern, Kind: "pattern", Name: views.Text("jwt"), About: views.Text("A token")},
		},
	}}
	readOnly := list
	readOnly.ReadOnly, readOnly.Refused, readOnly.Try = true, "Your roles let you read this.", nil
	empty := list
	empty.Groups, empty.Empty = nil, &views.Empty{Search: true, Title: "No matches"}
	empty.Try = &policy.TryOut{URL: url, Tried: &policy.Tried{Level: views.LevelLow, Response: "would be approved automatically", None: "No rules or patterns matched."}}
	wrong := empty
	wrong.Try = &policy.TryOut{URL: url, Tried: &policy.Tried{Error: "The arguments cannot be read."}}

	return map[string]sample{
		"list-rules": of(policy.ListPage, page("Rules", views.PlaceSettings), list), "list-draft": of(policy.ListPage, page("Rules", views.PlaceSettings), draft), "list-read-only": of(policy.ListPage, page("Rules", views.PlaceSettings), readOnly),
		"list-empty": of(policy.ListPage, page("Rules", views.PlaceSettings), empty), "list-wrong": of(policy.ListPage, page("Rules", views.PlaceSettings), wrong),
	}
}
