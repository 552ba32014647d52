package patterns

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/internal/fault"
)

func custom(id string) Pattern {
	return Pattern{
		ID: id, Severity: Medium, Description: "A project code name", Regex: []string{`\bproject\s+kestrel\b`},
		MustMatch: []string{"the project kestrel"}, MustNotMatch: []string{"a kestrel"},
	}
}

func TestATenantsLibrary(t *testing.T) {
	t.Parallel()
	o := Overrides{
		Disable: []string{"card-number"},
		Change:  []Change{{ID: "delete-recursively", Severity: High, Action: Block}, {ID: "iban", Action: Log}},
		Add:     []Pattern{custom("code-name")},
	}
	if err := o.Validate(); err != nil {
		t.Fatal(err)
	}
	before := Default().Version()
	l, err := Default().With(o)
	if err != nil {
		t.Fatal(err)
	}
	got := l.Scan(PreToolCall, segment("rm -rf /srv/x; pay 4111111111111111 for project kestrel"))
	if want := []string{"delete-recursively", "code-name"}; !reflect.DeepEqual(ids(got), want) {
		t.Errorf("matches %v, want %v", ids(got), want)
	}
	if m := byID(t, got, "delete-recursively"); m.Severity != High || m.Action != Block {
		t.Errorf("the changed pattern says %s %s", m.Severity, m.Action)
	}
	if m := byID(t, got, "code-name"); m.Category != Custom || m.Action != Confirm {
		t.Errorf("the added pattern says %s %s", m.Category, m.Action)
	}
	if l.Version() == before || Default().Version() != before {
		t.Errorf("versions: default %s, then %s, the tenant's %s", before, Default().Version(), l.Version())
	}
	if again, _ := Default().With(o); again.Version() != l.Version() {
		t.Error("the same overrides give another version")
	}
	if same, _ := Default().With(Overrides{}); same.Version() != before {
		t.Error("no overrides give another version")
	}
	old := Default().Scan(PreToolCall, segment("rm -rf /srv/x; 4111111111111111"))
	if want := []string{"card-number", "delete-recursively"}; !reflect.DeepEqual(ids(old), want) {
		t.Errorf("the default library changed: %v", ids(old))
	}
	if _, ok := l.Pattern("card-number"); ok {
		t.Error("the disabled pattern is still there")
	}
}

func TestAPatternFollowsItsNewSeverity(t *testing.T) {
	t.Parallel()
	l, err := Default().With(Overrides{Change: []Change{{ID: "aws-access-key", Severity: Low}, {ID: "jwt", Severity: Low}}})
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]Action{"aws-access-key": Warn, "jwt": Redact} { // the second names its own
		if p, _ := l.Pattern(id); p.EffectiveAction() != want {
			t.Errorf("%s says %s, want %s", id, p.EffectiveAction(), want)
		}
	}
}

func TestOverridesAreRefusedWithTheirReason(t *testing.T) {
	t.Parallel()
	edit := func(change func(*Pattern)) []Pattern {
		p := custom("code-name")
		change(&p)
		return []Pattern{p}
	}
	var many []Pattern
	for i := range MaxAdded + 1 {
		many = append(many, custom(fmt.Sprint("p", i)))
	}
	for _, c := range []struct {
		name         string
		o            Overrides
		member, want string
		needsLibrary bool
	}{
		{"unknown id disabled", Overrides{Disable: []string{"nope"}}, "/disable/0", `no pattern "nope"`, true},
		{"unknown id changed", Overrides{Change: []Change{{ID: "nope", Action: Log}}}, "/change/0/id", `no pattern "nope"`, true},
		{"taken id added", Overrides{Add: []Pattern{custom("jwt")}}, "/add/0/id", "has a pattern", true},
		{"critical made soft", Overrides{Change: []Change{{ID: "fork-bomb", Action: Warn}}}, "/change/0/action", "expected block, redact or confirm", true},
		{"soft made critical", Overrides{Change: []Change{{ID: "email-list", Severity: Critical}}}, "/change/0/action", "expected block, redact or confirm", true},
		{"changed and disabled", Overrides{Disable: []string{"jwt"}, Change: []Change{{ID: "jwt", Action: Log}}}, "/change/0/id", "appears twice", false},
		{"no change", Overrides{Change: []Change{{ID: "jwt"}}}, "/change/0", "sets nothing", false},
		{"unknown severity", Overrides{Change: []Change{{ID: "jwt", Severity: "grave"}}}, "/change/0/severity", "isn't one of", false},
		{"unknown action", Overrides{Change: []Change{{ID: "jwt", Action: "allow"}}}, "/change/0/action", "isn't one of", false},
		{"added twice", Overrides{Add: []Pattern{custom("a"), custom("a")}}, "/add/1/id", "appears twice", false},
		{"bad expression", Overrides{Add: edit(func(p *Pattern) { p.Regex[0] = "(" })}, "/add/0/regex/0", "valid RE2", false},
		{"missed example", Overrides{Add: edit(func(p *Pattern) { p.MustMatch = []string{"project", "x"} })}, "/add/0/must_match/0", "doesn't match", false},
		{"wrong example", Overrides{Add: edit(func(p *Pattern) { p.MustNotMatch = []string{"x", "project kestrel"} })}, "/add/0/must_not_match/1", "mustn't", false},
		{"critical and soft", Overrides{Add: edit(func(p *Pattern) { p.Severity, p.Action = Critical, Warn })}, "/add/0/action", "expected block, redact or confirm", false},
		{"long expression", Overrides{Add: edit(func(p *Pattern) { p.Regex[0] = strings.Repeat("a", MaxRegex+1) })}, "/add/0/regex/0", "characters", false},
		{"member without name", Overrides{Add: edit(func(p *Pattern) { p.Member = "x" })}, "/add/0/must", "name: value", false},
		{"too many", Overrides{Add: many}, "/add", "201 patterns", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			_, err := Default().With(c.o)
			f := fault.As(err)
			if err == nil || f.Code != fault.InvalidMember || !strings.HasPrefix(f.Member, c.member) || !strings.Contains(f.Detail, c.want) {
				t.Errorf("got %v, want an invalid member %s with %q", err, c.member, c.want)
			}
			if err := c.o.Validate(); (err == nil) != c.needsLibrary {
				t.Errorf("Validate alone says %v", err)
			}
		})
	}
}

func TestOverridesAreWrittenAndReadAlike(t *testing.T) {
	t.Parallel()
	o := Overrides{Disable: []string{"jwt"}, Change: []Change{{ID: "iban", Severity: High}}, Add: []Pattern{custom("code-name")}}
	var fromJSON, fromYAML Overrides
	j, _ := json.Marshal(o)
	if err := json.Unmarshal(j, &fromJSON); err != nil || !reflect.DeepEqual(o, fromJSON) {
		t.Errorf("JSON: %v %+v", err, fromJSON)
	}
	y, _ := yaml.Marshal(o)
	if err := yaml.Unmarshal(y, &fromYAML); err != nil || !reflect.DeepEqual(o, fromYAML) {
		t.Errorf("YAML: %v %+v", err, fromYAML)
	}
	if string(j) == "" || strings.Contains(string(j), "Regex") {
		t.Errorf("JSON members: %s", j)
	}
}
