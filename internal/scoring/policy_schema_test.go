package scoring

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/internal/scoring/deciders"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
)

var update = flag.Bool("update", false, "write the published schema")

const published = "../../docs/policy.schema.json"

// What is published is what the program has: go test ./internal/scoring -update writes it.
func TestPublishedSchema(t *testing.T) {
	t.Parallel()
	if *update {
		if err := os.WriteFile(published, PolicySchema(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	file, err := os.ReadFile(published)
	if err != nil || string(file) != string(PolicySchema()) {
		t.Errorf("%s is not current (%v); run go test ./internal/scoring -update", published, err)
	}
}

// Schema and validation agree: what is valid fits the schema, and what does not
// fit it is refused at the same member.
func TestSchemaAgrees(t *testing.T) {
	t.Parallel()
	var schema map[string]any
	if err := json.Unmarshal(PolicySchema(), &schema); err != nil {
		t.Fatal(err)
	}
	full := fullPolicy()
	for name, p := range map[string]Policy{"default": DefaultPolicy(), "full": full} {
		file, err := p.YAML()
		if err != nil {
			t.Fatal(err)
		}
		if wrong := misfits(schema, plain(t, file), ""); len(wrong) > 0 || len(p.Problems()) > 0 {
			t.Errorf("%s: %q, %v", name, wrong, p.Problems())
		}
	}
	for _, name := range Presets() {
		p := DefaultPolicy()
		p.Challenges, _ = Preset(name)
		file, _ := p.YAML()
		if wrong := misfits(schema, plain(t, file), ""); len(wrong) > 0 {
			t.Errorf("%s: %q", name, wrong)
		}
	}
	for file, at := range wrongFiles() {
		wrong := misfits(schema, plain(t, []byte(file)), "")
		if len(wrong) == 0 {
			t.Errorf("%s: the schema takes it", file)
		}
		_, problems := ParsePolicy([]byte(file))
		if len(problems) == 0 || problems[0].Member != at || !strings.Contains(problems[0].Detail.String(), "expected") && !strings.Contains(problems[0].Detail.String(), "isn't one of") {
			t.Errorf("%s: got %+v, want it refused at %s, with what would be accepted", file, problems, at)
		}
	}
}

// wrongFiles are files that a schema can refuse, and where.
func wrongFiles() map[string]string {
	files := map[string]string{
		"strateggy: max":                    "/strateggy",
		"strategy: min":                     "/strategy",
		"strategy: ''":                      "/strategy",
		"strategy: 5":                       "/strategy",
		"strategy: [max]":                   "/strategy",
		"strategy: {a: max}":                "/strategy",
		"strategy:":                         "/strategy",
		"- a":                               "",
		"just text":                         "",
		"thresholds: 0.3":                   "/thresholds",
		"thresholds: {medium: 0}":           "/thresholds/medium",
		"thresholds: {critical: 1.01}":      "/thresholds/critical",
		"thresholds: {low: 0.1}":            "/thresholds/low",
		"thresholds: {high: '0.5'}":         "/thresholds/high",
		"weights: {hints: -0.1}":            "/weights/hints",
		"composite_weights: {patterns: -1}": "/composite_weights/patterns",
		"fixed_score: 1.5":                  "/fixed_score",
		"score_override_threshold: 101":     "/score_override_threshold",
		"block_if_score_above: -1":          "/score_override_threshold",
		"block_if_score_above: 1\nscore_override_threshold: 2": "/block_if_score_above",
		"on_block: allow":                                  "/on_block",
		"pattern_weights: {critical: 0}":                   "/pattern_weights/critical",
		"pattern_weights: {high: 100.1}":                   "/pattern_weights/high",
		"pattern_weights: {low: -1}":                       "/pattern_weights/low",
		"pattern_weights: {worst: 1}":                      "/pattern_weights/worst",
		"pattern_weights: 40":                              "/pattern_weights",
		"pattern_decay: 1.01":                              "/pattern_decay",
		"pattern_decay: half":                              "/pattern_decay",
		"severity_actions: {critical: warn}":               "/severity_actions/critical",
		"severity_actions: {high: allow}":                  "/severity_actions/high",
		"severity_actions: {low: ''}":                      "/severity_actions/low",
		"block_all_critical: 'yes'":                        "/block_all_critical",
		"rewrite_calls: 1":                                 "/rewrite_calls",
		"challenges: {high: ask}":                          "/challenges/high",
		"approvals_required: {low: 0}":                     "/approvals_required/low",
		"approvals_required: {low: 21}":                    "/approvals_required/low",
		"min_review_seconds: {high: 3601}":                 "/min_review_seconds/high",
		"min_review_seconds: {high: 1.5}":                  "/min_review_seconds/high",
		"early_answer: take":                               "/early_answer",
		"fresh_sign_in_minutes: 1441":                      "/fresh_sign_in_minutes",
		"idle_lock_minutes: 0":                             "/idle_lock_minutes",
		"idle_lock_minutes: 481":                           "/idle_lock_minutes",
		"expiry_seconds: 0":                                "/expiry_seconds",
		"expiry_seconds: 2592001":                          "/expiry_seconds",
		"remind_at_percent: -1":                            "/remind_at_percent",
		"remind_at_percent: 100":                           "/remind_at_percent",
		"longest_expiry_seconds: 0":                        "/longest_expiry_seconds",
		"longest_expiry_seconds: 2592001":                  "/longest_expiry_seconds",
		"expiry_seconds: soon":                             "/expiry_seconds",
		"expiry_seconds: 9.5e30":                           "/expiry_seconds",
		"trust: {cap: 0.2}":                                "/trust/cap",
		"trust: {at_least: 0.5}":                           "/trust/at_least",
		"trust: {evidence: 0}":                             "/trust/evidence",
		"trust: {half_life_days: 91}":                      "/trust/half_life_days",
		"trust: {enabled: 'yes'}":                          "/trust/enabled",
		"evaluations: {keep_days: 29}":                     "/evaluations/keep_days",
		"evaluations: {session_alert_above: -1}":           "/evaluations/session_alert_above",
		"evaluations: {session_alert_above: 101}":          "/evaluations/session_alert_above",
		"evaluations: {for_ever: true}":                    "/evaluations/for_ever",
		"notices: {detail: all}":                           "/notices/detail",
		"notices: {detail_to_people: 1}":                   "/notices/detail_to_people",
		"notices: {detail_to_channels: [{}]}":              "/notices/detail_to_channels/0/channel",
		"trust: true":                                      "/trust",
		"trust: {floor: LOW}":                              "/trust/floor",
		"grant_seconds: 9":                                 "/grant_seconds",
		"judgement: balanced":                              "/judgement",
		"judgement: {preset: lax}":                         "/judgement/preset",
		"judgement: {floors: {reads: {one: LOW}}}":         "/judgement/floors/reads",
		"judgement: {floors: {read: LOW}}":                 "/judgement/floors/read",
		"judgement: {floors: {read: {two: LOW}}}":          "/judgement/floors/read/two",
		"judgement: {floors: {delete: {one: SAFE}}}":       "/judgement/floors/delete/one",
		"judgement: {small_amount: -1}":                    "/judgement/small_amount",
		"judgement: {large_amount: 1.0e+16}":               "/judgement/large_amount",
		"judgement: {currency: EURO}":                      "/judgement/currency",
		"judgement: {own_domains: example.com}":            "/judgement/own_domains",
		"judgement: {own_domains: [a.example, a.example]}": "/judgement/own_domains/1",
		"judgement: {nonproduction: ['']}":                 "/judgement/nonproduction/0",
		"judgement: {remember_denials_hours: 721}":         "/judgement/remember_denials_hours",
		"functions: [{glob: a, effect: harm}]":             "/functions/0/effect",
		"functions: [{glob: a, lower_to: HIGH}]":           "/functions/0/lower_to",
		"functions: [{glob: a, lower_to: LOW, agent: 5}]":  "/functions/0/agent",
		"functions: [{glob: a, lower_to: LOW, pattern: {arguments: [{pointer: /a}]}}]":                              "/functions/0/pattern/arguments/0/rule",
		"functions: [{glob: a, lower_to: LOW, pattern: {arguments: [{pointer: /a, rule: like}]}}]":                  "/functions/0/pattern/arguments/0/rule",
		"functions: [{glob: a, lower_to: LOW, pattern: {arguments: [{pointer: /a, rule: equals, values: [[1]]}]}}]": "/functions/0/pattern/arguments/0/values/0",
		"deciders: {teams: [{members: []}]}":                           "/deciders/teams/0/name",
		"deciders: {teams: [{name: a, members: [{name: b}]}]}":         "/deciders/teams/0/members/0/person",
		"deciders: {rules: [{name: a, needs: []}]}":                    "/deciders/rules/0/needs",
		"deciders: {rules: [{name: a, needs: [{at_least: 21}]}]}":      "/deciders/rules/0/needs/0/at_least",
		"functions: {glob: a}":                                         "/functions",
		"functions: [{floor: HIGH}]":                                   "/functions/0/glob",
		"functions: [{glob: ''}]":                                      "/functions/0/glob",
		"functions: [{glob: 5}]":                                       "/functions/0/glob",
		"functions: [{glob: a}, b]":                                    "/functions/1",
		"functions: [{glob: a, floor: HUGE}]":                          "/functions/0/floor",
		"functions: [{glob: a, hints: {b: x}}]":                        "/functions/0/hints/b",
		"functions: [{glob: a, hints: {b: }}]":                         "/functions/0/hints/b",
		"pattern_overrides: {disable: [1]}":                            "/pattern_overrides/disable/0",
		"pattern_overrides: {disable: [jwt, jwt]}":                     "/pattern_overrides/disable/1",
		"pattern_overrides: {change: [{severity: low}]}":               "/pattern_overrides/change/0/id",
		"pattern_overrides: {change: [{id: jwt, severity: bad}]}":      "/pattern_overrides/change/0/severity",
		"pattern_overrides: {change: [{id: jwt, action: allow}]}":      "/pattern_overrides/change/0/action",
		"pattern_overrides: {add: [{id: x}]}":                          "/pattern_overrides/add/0/severity",
		"pattern_overrides: {add: [{id: x, severity: low, regex: a}]}": "/pattern_overrides/add/0/regex",
		"rules: {extended: 'yes'}":                                     "/rules/extended",
		"rules: {removed: [print_output, print_output]}":               "/rules/removed/1",
		"rules: {custom: [{name: x, level: HIGH, pattern: a}]}":        "/rules/custom/0/reason",
		"rules: {custom: [{name: x, reason: y, pattern: a}]}":          "/rules/custom/0/level",
		"rules: {custom: [{name: x, reason: y, level: NONE}]}":         "/rules/custom/0/level",
		"rules: {custom: [{reason: y, level: LOW, pattern: a}]}":       "/rules/custom/0/name",
		"rules: {replaced: [{name: sudo_command, level: LOW}]}":        "/rules/replaced/0/reason",
		"rules: {replaced: {sudo_command: x}}":                         "/rules/replaced",
		"rules: {assessor: 5}":                                         "/rules/assessor",
		"rules: {added: []}":                                           "/rules/added",
	}
	files["functions: [{glob: "+strings.Repeat("a", 257)+"}]"] = "/functions/0/glob"
	files["functions: [{glob: a, docstring: "+strings.Repeat("a", 2001)+"}]"] = "/functions/0/docstring"
	files["functions: ["+strings.Repeat("{glob: a},", 501)+"]"] = "/functions"
	return files
}

// fullPolicy has something in every member.
func fullPolicy() Policy {
	p := DefaultPolicy()
	p.Thresholds.Medium = 0.1 + 0.2 // 0.30000000000000004
	p.Weights.FunctionName, p.Weights.Arguments = 0.29, 0.26
	p.FreshSignInMinutes, p.ScoreOverrideThreshold = 15, 0
	detailed("a")(&p)
	p.Notices.DetailToPeople = true
	deciding("ab", deciders.Rule{
		Name: "null", Agents: []string{"2001-01-01"}, Functions: []string{"<<", "*"}, Environments: []string{"~"}, Level: level.High,
		Needs: []deciders.Need{{Team: "security", AtLeast: 2}, {People: []deciders.Person{{Person: "a@example.com"}}, AtLeast: 1}},
	})(&p)
	p.Trust = TrustSettings{Enabled: true, Cap: 0, AtLeast: 0.999, Evidence: 10, HalfLifeDays: 90}
	p.PatternWeights, p.PatternDecay = patterns.PerSeverity[float64]{Critical: 100, High: 0.1 + 0.2, Medium: 0.3, Low: 0}, 0
	p.SeverityActions = patterns.PerSeverity[patterns.Action]{Critical: patterns.Confirm, High: patterns.Log, Medium: patterns.Warn, Low: patterns.Block}
	p.BlockAllCritical, p.RewriteCalls = true, true
	p.EditBeforeApprove.High, p.ExpirySecondsByLevel.Critical, p.LongestExpirySeconds, p.RemindAtPercent = true, 86_400, 2_592_000, 0
	p.WorkingHours.Enabled, p.WorkingHours.Zone, p.WorkingHours.Saturday = true, "Asia/Tokyo", "22:00-24:00"
	p.WorkingHours.Holidays = []string{"2026-12-25 Christmas Day", "2027-01-01"}
	p.Functions = []Function{
		{Glob: "delete_*", Hints: map[string]any{"irreversible": true, "off": false, "rows": 1e15, "1": 0.1, "true": -1.5, "a/b~c": 1e-7}, Docstring: "Permanently.\n\tتحذير: # no comment\u2028\u0085 \"x\" 'y' \\ \r\n 🗑 ", Floor: level.High, ExpirySeconds: 120},
		{Glob: "delete_*", Effect: effects.Write, LowerTo: level.Low, Agent: "support \"triage\"", Until: "2026-05-31T18:00:00+02:00", Reason: "Only marks them: 2026-01-01", Pattern: &CallShape{
			Environment: new(string), Arrays: []string{"/ids"},
			Arguments: []ShapeTerm{
				{Pointer: "/ids/0", Rule: RuleAny},
				{Pointer: "/note", Rule: RuleOneOf, Values: []any{"", "null", "2026-01-01", "<<", nil, true, 7.0, 0.1, map[string]any{}, []any{}}},
				{Pointer: "/sum", Rule: RuleAtMost, Values: []any{20.5}},
			},
		}},
		{Glob: "delete_*", LowerTo: level.Medium, Pattern: &CallShape{Arguments: []ShapeTerm{}}},
		{Glob: "*"},
		{Glob: "null"},
		{Glob: "0x1F"},
		{Glob: "- a: b"},
		{Glob: " "},
		{Glob: "\u202e"},
		{Glob: "[REDACTED:x]"},
		{Glob: "~"},
		{Glob: "2001-01-01"},
		{Glob: "!!str"},
		{Glob: "&a"},
		{Glob: "<<"},
	}
	p.Judgement = effects.Settings{
		Preset: effects.Strict, Floors: map[effects.Row]effects.Cells{effects.RowDelete: {Nonproduction: level.Medium, All: level.High}, effects.RowReadSensitive: {One: level.Low}},
		SmallAmount: 0.5, LargeAmount: 0.5, Currency: "CHF", OwnDomains: []string{"example.com", "mail.example.org"}, Nonproduction: []string{"qa-7", "2001"}, RememberDenialsHours: 0,
	}
	p.PatternOverrides = patterns.Overrides{
		Disable: []string{"iban"},
		Change:  []patterns.Change{{ID: "jwt", Severity: patterns.Critical, Action: patterns.Block}, {ID: "card-number", Action: patterns.Confirm}},
		Add: []patterns.Pattern{{
			ID: "code-name", Severity: patterns.High, Action: patterns.Block, AppliesTo: []string{patterns.PreToolCall}, Category: patterns.Secrets,
			Description: "A code name: \"kestrel\"", Regex: []string{`\bkestrel\b`, "falcon #"}, Member: "note", MinDigits: 0, NonASCII: false,
			MustMatch: []string{"note: kestrel"}, MustNotMatch: []string{"note: k"},
		}},
	}
	p.Rules = RuleSettings{
		Extended: false, Removed: []string{"print_output", "sudo_command"},
		Replaced: []OwnRule{{Name: "format_disk", Pattern: `\b(?:mkfs|"quoted" # no comment)\b`, Level: level.Critical, Reason: "Formats: a disk"}},
		Custom: []OwnRule{
			{Name: "backup_copies", Expression: "action.code.contains(\"/backup/\") &&\n  size(action.arguments) > 3", Level: level.High, Reason: "Touches backups", Reversible: true},
			{Name: "null", Pattern: "~", Level: level.Low, Reason: "true"},
		},
		Assessor: `action.environment == "production" ? "HIGH" : "LOW"`,
	}
	return p
}

func plain(t *testing.T, file []byte) any {
	t.Helper()
	var v any
	if err := yaml.Unmarshal(file, &v); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return v
}

// misfits evaluates the part of JSON Schema that ours uses, and fails on any other.
func misfits(schema map[string]any, v any, at string) (wrong []string) {
	no := func(format string, args ...any) { wrong = append(wrong, at+" "+fmt.Sprintf(format, args...)) }
	object, isObject := v.(map[string]any)
	list, isList := v.([]any)
	text, isText := v.(string)
	n, isNumber := number(v)
	for keyword, want := range schema {
		limit, _ := want.(float64)
		switch keyword {
		case "$schema", "$id", "title", "description", "default", "deprecated":
		case "format":
			if _, err := time.Parse(time.RFC3339, text); isText && err != nil {
				no("is no %v", want)
			}
		case "type":
			if !slices.ContainsFunc(oneOrMore(want), func(name any) bool { return isType(name, v) }) {
				no("is no %v", want)
			}
		case "enum":
			if isText && !slices.Contains(want.([]any), any(text)) {
				no("is none of %v", want)
			}
		case "minimum", "exclusiveMinimum", "maximum":
			if isNumber && (keyword == "minimum" && n < limit || keyword == "exclusiveMinimum" && n <= limit || keyword == "maximum" && n > limit) {
				no("breaks %s %v", keyword, want)
			}
		case "minLength", "maxLength":
			if length := float64(utf8.RuneCountInString(text)); isText && (keyword == "minLength" && length < limit || keyword == "maxLength" && length > limit) {
				no("breaks %s", keyword)
			}
		case "minItems", "maxItems":
			if length := float64(len(list)); isList && (keyword == "minItems" && length < limit || keyword == "maxItems" && length > limit) {
				no("breaks %s", keyword)
			}
		case "uniqueItems":
			for i, one := range list {
				if slices.ContainsFunc(list[:i], func(other any) bool { return reflect.DeepEqual(one, other) }) {
					no("has %v twice", one)
				}
			}
		case "items":
			for i, one := range list {
				wrong = append(wrong, misfits(want.(map[string]any), one, fmt.Sprintf("%s/%d", at, i))...)
			}
		case "maxProperties":
			if float64(len(object)) > limit {
				no("has too many members")
			}
		case "propertyNames":
			for name := range object {
				wrong = append(wrong, misfits(want.(map[string]any), name, at)...)
			}
		case "properties":
			for name, one := range object {
				if below, known := want.(map[string]any)[name].(map[string]any); known {
					wrong = append(wrong, misfits(below, one, at+"/"+name)...)
				} else if schema["additionalProperties"] == false {
					no("has %s", name)
				}
			}
		case "additionalProperties":
			if below, ok := want.(map[string]any); ok {
				for name, one := range object {
					wrong = append(wrong, misfits(below, one, at+"/"+name)...)
				}
			}
		case "required":
			for _, name := range want.([]any) {
				if _, there := object[name.(string)]; isObject && !there {
					no("has no %v", name)
				}
			}
		case "not":
			if len(misfits(want.(map[string]any), v, at)) == 0 && isObject {
				no("is what it must not be")
			}
		default:
			no("the schema has %s, which this test does not know", keyword)
		}
	}
	return wrong
}

func oneOrMore(v any) []any {
	if list, ok := v.([]any); ok {
		return list
	}
	return []any{v}
}

func number(v any) (float64, bool) {
	switch n := v.(type) {
	case int:
		return float64(n), true
	case float64:
		return n, true
	}
	return 0, false
}

func isType(name, v any) bool {
	n, isNumber := number(v)
	switch v.(type) {
	case map[string]any:
		return name == "object"
	case []any:
		return name == "array"
	case string:
		return name == "string"
	case bool:
		return name == "boolean"
	case nil:
		return name == "null"
	}
	return isNumber && (name == "number" || name == "integer" && n == math.Trunc(n))
}
