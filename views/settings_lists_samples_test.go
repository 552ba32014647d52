package views_test

import (
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/policy"
)

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
