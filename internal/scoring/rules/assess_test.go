package rules

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/scan"
)

func TestNothingFound(t *testing.T) {
	t.Parallel()
	for name, set := range map[string]*Set{"default": mustSet(t, Default()), "empty": mustSet(t, nil)} {
		got, err := json.Marshal(set.Assess("x = '/etc/passwd' # FROM t", nil))
		if err != nil {
			t.Fatal(err)
		}
		const want = `{"level":"SAFE","triggered_rules":[],"reasons":["No risk patterns detected"],"affected_resources":[],"reversible":true,` +
			`"estimated_impact":"No significant impact expected","recommendations":[],"requires_approval":false,"evidence":[],"resources":[]}`
		if string(got) != want {
			t.Errorf("%s: got  %s\nwant %s", name, got, want)
		}
	}
}

func TestObfuscatedCode(t *testing.T) {
	t.Parallel()
	set := mustSet(t, Core())
	code := "x = 1; r\u200bm -rf '/data'"
	got := set.Assess(code, nil)
	if !slices.Equal(got.TriggeredRules, []string{"rm_recursive"}) || got.Level != level.Critical {
		t.Fatalf("got %+v, want rm_recursive", got)
	}
	want := scan.Place{Pointer: "/code", Start: 7, End: strings.Index(code, "'")}
	for i, pattern := range []string{"rm_recursive", scan.Obfuscated} {
		if i >= len(got.Evidence) || got.Evidence[i].Pattern != pattern || !slices.Equal(got.Evidence[i].Places, []scan.Place{want}) {
			t.Errorf("evidence %+v, want %s at %+v", got.Evidence, pattern, want)
		}
	}
	if !slices.Equal(got.AffectedResources, []string{"file:/data"}) {
		t.Errorf("resources %v", got.AffectedResources)
	}
	// Resources are those of the original, which holds no such path.
	if got := set.Assess("rm -rf 'ｘ' '／data'", nil); len(got.AffectedResources) != 0 {
		t.Errorf("resources of the copy: %v", got.AffectedResources)
	}
	// What stands there plainly is not called obfuscated.
	if got := set.Assess("rm -rf x; r\u200bm -rf y", nil); len(got.Evidence) != 1 {
		t.Errorf("evidence %+v, want that of rm_recursive alone", got.Evidence)
	}
}

func TestResources(t *testing.T) {
	t.Parallel()
	long := "https://x.example/" + strings.Repeat("é", 100)
	set := mustSet(t, Default())
	got := set.Assess("print('/code/1') # FROM c1", []scan.Segment{
		{Pointer: "/arguments/0", Text: "sudo rm '/v/1' '/v/2' '/v/3' '/v/4' '/v/5' " + long + " FROM v1"},
		{Pointer: "/arguments/1", Text: "'/not/matched'"},
		{Pointer: "/arguments/2", Text: "DROP TABLE v2; DROP TABLE v3"},
	})
	want := []string{
		"file:/code/1", "file:/v/1", "file:/v/2", "file:/v/3", "file:/v/4",
		"url:https://x.example/" + strings.Repeat("é", 50-len("https://x.example/")),
		"table:c1", "table:v1", "table:v2",
	}
	if !slices.Equal(got.AffectedResources, want) {
		t.Errorf("got  %q\nwant %q", got.AffectedResources, want)
	}
	if len(got.Resources) != len(want) {
		t.Fatalf("%d resources, want %d", len(got.Resources), len(want))
	}
	url := got.Resources[5]
	if url.Value != long || url.Place.Pointer != "/arguments/0" || url.Place.End-url.Place.Start != len(long) {
		t.Errorf("the URL is kept as %+v, want it in full", url)
	}
}

func TestRecommendations(t *testing.T) {
	t.Parallel()
	const (
		review  = "Review carefully before approving"
		undo    = "This action cannot be easily undone"
		necess  = "Consider if this action is truly necessary"
		pattern = "boom"
	)
	for _, test := range []struct {
		level      level.Level
		reversible bool
		want       []string
	}{
		{level.Safe, true, nil},
		{level.Low, true, nil},
		{level.Medium, true, nil},
		{level.Medium, false, []string{undo}},
		{level.High, true, []string{review}},
		{level.High, false, []string{review, undo}},
		{level.Critical, true, []string{review, necess}},
		{level.Critical, false, []string{review, undo, necess}},
	} {
		set := mustSet(t, []Rule{{Name: "r", Group: GroupCustom, Pattern: pattern, Level: test.level, Reason: "why", Reversible: test.reversible}})
		got := set.Assess("", value("Boom"))
		if !slices.Equal(got.Recommendations, test.want) {
			t.Errorf("%v, reversible %v: %q, want %q", test.level, test.reversible, got.Recommendations, test.want)
		}
		if got.RequiresApproval != (test.level >= level.High) || got.Level != test.level || got.Reversible != test.reversible || !slices.Equal(got.Reasons, []string{"why"}) {
			t.Errorf("%v: got %+v", test.level, got)
		}
	}
}

func TestNewSetRefuses(t *testing.T) {
	t.Parallel()
	good := Rule{Name: "good", Group: GroupCustom, Pattern: "x", Level: level.Low, Reason: "why"}
	with := func(change func(*Rule)) []Rule {
		r := good
		r.Name = "second"
		change(&r)
		return []Rule{good, r}
	}
	for name, test := range map[string]struct {
		rules  []Rule
		member string
		says   string
	}{
		"no name":        {with(func(r *Rule) { r.Name = "" }), "/1/name", "lowercase letter"},
		"a wild name":    {with(func(r *Rule) { r.Name = "Rm -rf" }), "/1/name", "lowercase letter"},
		"a taken name":   {with(func(r *Rule) { r.Name = "good" }), "/1/name", "unique"},
		"no group":       {with(func(r *Rule) { r.Group = "" }), "/1/group", "core, extended, custom"},
		"no level":       {with(func(r *Rule) { r.Level = 9 }), "/1/level", "SAFE, LOW"},
		"no reason":      {with(func(r *Rule) { r.Reason = "" }), "/1/reason", "1 to 300"},
		"a long reason":  {with(func(r *Rule) { r.Reason = strings.Repeat("x", 301) }), "/1/reason", "1 to 300"},
		"no pattern":     {with(func(r *Rule) { r.Pattern = "" }), "/1/pattern", "1 to 2000"},
		"a long pattern": {with(func(r *Rule) { r.Pattern = strings.Repeat("x", 2001) }), "/1/pattern", "1 to 2000"},
		"not RE2":        {with(func(r *Rule) { r.Pattern = "(?<=x)y" }), "/1/pattern", "valid RE2"},
		"empty match":    {with(func(r *Rule) { r.Pattern = "x*" }), "/1/pattern", "matches the empty string"},
		"empty choice":   {with(func(r *Rule) { r.Pattern = "x|" }), "/1/pattern", "matches the empty string"},
		"a dear pattern": {with(func(r *Rule) { r.Pattern = `(?:\w{20}x){49}\w{1000}` }), "/1/pattern", "shorter repetitions"},
		"too many":       {slices.Repeat([]Rule{good}, MaxRules+1), "", "at most 500"},
	} {
		set, err := NewSet(test.rules)
		if set != nil || !fault.Is(err, fault.InvalidMember) || fault.As(err).Member != test.member || !strings.Contains(fault.As(err).Detail, test.says) {
			t.Errorf("%s: set %v, error %v; want one about %q that says %q", name, set, err, test.member, test.says)
		}
	}
}

func TestOurRulesPassOurChecks(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one goroutine computes")
	for _, r := range Default() {
		r.compiled = nil
		if _, err := r.ready(); err != nil {
			t.Errorf("%s: %v", r.Name, err)
		}
	}
	if n := len(Core()); n != 14 {
		t.Errorf("%d core rules, want 14", n)
	}
}

func TestRulesCannotBeChangedFromOutside(t *testing.T) {
	t.Parallel()
	mine := Default()
	set := mustSet(t, mine)
	clear(mine)
	clear(set.Rules())
	clear(Core())
	clear(Extended())
	if got := set.Assess("rm -rf /x", nil); got.Level != level.Critical {
		t.Errorf("got %v", got.Level)
	}
	if n := len(Default()); n < 30 {
		t.Errorf("%d default rules", n)
	}
	// A changed pattern is the one that counts, not the compiled one beside it.
	edited := Core()[:1]
	edited[0].Pattern = "unicorn"
	if got := mustSet(t, edited).Assess("rm -rf /x", nil); len(got.TriggeredRules) != 0 {
		t.Errorf("the old pattern still fires: %v", got.TriggeredRules)
	}
}

func TestEvidenceIsBounded(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one goroutine computes")
	var args []scan.Segment
	for range 100 {
		args = append(args, scan.Segment{Pointer: "/arguments/x", Text: strings.Repeat("rm -rf '/x';", 50)})
	}
	got := mustSet(t, Default()).Assess(strings.Repeat("rm -rf '/x';\n", 100), args)
	for _, e := range got.Evidence {
		if len(e.Places) > maxPlaces {
			t.Errorf("%d places of %s", len(e.Places), e.Pattern)
		}
	}
	if len(got.AffectedResources) > maxResources {
		t.Errorf("%d resources", len(got.AffectedResources))
	}
}
