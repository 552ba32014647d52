package policyui

import (
	"encoding/json"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/policyui/policytest"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/near"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/views/texts"
)

// posted is what a browser sends for a draft.
func posted(d Draft, more ...string) url.Values {
	form := url.Values{FieldBase: {"1"}, FieldReason: {""}}
	for name, text := range d {
		form.Set(name, text)
	}
	for i := 0; i+1 < len(more); i += 2 {
		form.Set(more[i], more[i+1])
	}
	return form
}

// A form posted unchanged makes no difference, whatever the policy.
func TestPolicyFormRoundTrips(t *testing.T) {
	t.Parallel()
	policies := []scoring.Policy{scoring.DefaultPolicy(), policytest.OddPolicy()}
	for _, name := range scoring.Presets() {
		p := scoring.DefaultPolicy()
		p.Challenges, _ = scoring.Preset(name)
		policies = append(policies, p)
	}
	for i, want := range policies {
		d, err := readDraft(texts.Printer{}, posted(DraftOf(texts.Printer{}, want)))
		fatal(t, err)
		got, wrong := d.Policy(texts.Printer{}, want)
		if len(wrong) > 0 {
			t.Errorf("policy %d: %v", i, wrong)
		}
		if changes := want.Differences(got); len(changes) > 0 {
			t.Errorf("policy %d: %v", i, changes)
		}
		// The same form over another version carries every setting that it has.
		base := scoring.DefaultPolicy()
		base.Functions, base.Rules, base.PatternOverrides, base.Notices, base.Deciders = want.Functions, want.Rules, want.PatternOverrides, want.Notices, want.Deciders
		over, wrong := d.Policy(texts.Printer{}, base)
		if len(wrong) > 0 || len(want.Differences(over)) > 0 {
			t.Errorf("policy %d over the default: %v, %v", i, wrong, want.Differences(over))
		}
	}
	if len(scoring.DefaultPolicy().Differences(policytest.OddPolicy())) < len(policySettings(texts.Printer{}))-5 {
		t.Error("the odd policy is hardly odd: the test proves little")
	}
}

// A setting that scoring gets later must get a field, or a line here.
func TestEverySettingHasAField(t *testing.T) {
	t.Parallel()
	elsewhere := []string{"functions", "pattern_overrides", "rules", "notices", "deciders"}
	b, err := json.Marshal(scoring.DefaultPolicy())
	fatal(t, err)
	var members map[string]any
	fatal(t, json.Unmarshal(b, &members))
	want := 4*len(effects.Rows()) + 2 // cells, own domains and own names, which the default has none of
	check := func(name string) {
		if _, ok := settingNamed(texts.Printer{}, name); !ok {
			t.Errorf("%s has no field", name)
		}
		want++
	}
	for name, v := range members {
		below, ok := v.(map[string]any)
		switch {
		case slices.Contains(elsewhere, name):
		case ok:
			for member := range below {
				check(name + "." + member)
			}
		default:
			check(name)
		}
	}
	if got := len(policySettings(texts.Printer{})); got != want {
		t.Errorf("%d fields for %d settings", got, want)
	}
	seen := map[string]bool{}
	for _, s := range policySettings(texts.Printer{}) {
		if seen[s.name] || seen[s.words] || s.words == "" {
			t.Errorf("%s, %q: twice, or without words", s.name, s.words)
		}
		seen[s.name], seen[s.words] = true, true
	}
}

func TestHostileNumbers(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one goroutine computes")
	const tooLong = "99999999999999999999"
	for _, text := range []string{
		"", " ", "1e999", "-1e999", "NaN", "nan", "Infinity", "-inf", "+Inf", "0x1p-2", "1_000", "1,5", "½", "١٢", "abc", "-1", "1e400", "--1", "1e", ".",
		tooLong, strings.Repeat("9", 5000), "0." + strings.Repeat("0", 5000) + "1", "1;DROP", "<b>", "\x00", "1\n2", "\u202e5",
	} {
		for _, s := range policySettings(texts.Printer{}) {
			list := s.name == "judgement.own_domains" || s.name == "judgement.nonproduction" || strings.HasPrefix(s.name, "working_hours.") && s.name != "working_hours.enabled"
			if list || strings.HasPrefix(s.name, "judgement.floors.") && s.name != cellName(effects.RowDelete, "one") {
				continue // a list takes any line that is a name, and one cell speaks for all
			}
			if s.step == "any" && text == tooLong {
				continue // a weight may be large; that they add up to 1 is said at the first one
			}
			d, err := readDraft(texts.Printer{}, posted(DraftOf(texts.Printer{}, scoring.DefaultPolicy()), s.name, text))
			fatal(t, err)
			_, wrong := d.Policy(texts.Printer{}, scoring.DefaultPolicy())
			if len(wrong) == 0 || wrong[0].field != s.name {
				t.Errorf("%s = %.20q: %v", s.name, text, wrong)
				continue
			}
			if len(wrong[0].Text) > 400 || strings.ContainsAny(wrong[0].Text, "\x00\n\u202e") {
				t.Errorf("%s = %.20q: the message is %q", s.name, text, wrong[0].Text)
			}
		}
	}
}

// The bounds that the form tells the browser are those that the policy holds to.
func TestBoundsOfTheFormAreThoseOfThePolicy(t *testing.T) {
	t.Parallel()
	for _, s := range policySettings(texts.Printer{}) {
		if s.options != nil || s.step != "1" {
			continue
		}
		low, err := strconv.Atoi(s.min)
		fatal(t, err)
		high, err := strconv.Atoi(s.max)
		fatal(t, err)
		for value, fits := range map[int]bool{low: true, high: true, low - 1: false, high + 1: false} {
			d := DraftOf(texts.Printer{}, scoring.DefaultPolicy())
			d[s.name] = strconv.Itoa(value)
			_, wrong := d.Policy(texts.Printer{}, scoring.DefaultPolicy())
			if fits != (len(wrong) == 0) || !fits && wrong[0].field != s.name {
				t.Errorf("%s = %d: %v", s.name, value, wrong)
			}
		}
	}
}

func TestEveryProblemAtItsField(t *testing.T) {
	t.Parallel()
	d := DraftOf(texts.Printer{}, scoring.DefaultPolicy())
	d["thresholds.high"], d["weights.hints"], d["expiry_seconds"], d["challenges.low"] = "0.2", "0.5", "0", "maybe"
	_, wrong := d.Policy(texts.Printer{}, scoring.DefaultPolicy())
	var fields []string
	for _, w := range wrong {
		fields = append(fields, w.field)
	}
	for _, want := range []string{"thresholds.high", "weights.function_name", "expiry_seconds", "challenges.low"} {
		if !slices.Contains(fields, want) {
			t.Errorf("nothing is said at %s: %v", want, wrong)
		}
	}
	// A sum of what cannot be read is no second mistake.
	d = DraftOf(texts.Printer{}, scoring.DefaultPolicy())
	d["weights.hints"] = "x"
	if _, wrong := d.Policy(texts.Printer{}, scoring.DefaultPolicy()); len(wrong) != 1 {
		t.Errorf("one field is wrong, and this is said: %v", wrong)
	}
	for member, want := range map[string]string{"/weights": "weights.function_name", "/expiry_seconds": "expiry_seconds", "/functions/0/glob": "", "": ""} {
		if got := fieldOf(texts.Printer{}, member); got != want {
			t.Errorf("fieldOf(%q) = %q, want %q", member, got, want)
		}
	}
}

func TestForeignAndRepeatedFields(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"verdict", "functions", "rules.extended", "challenges", "challenges.safe", "Strategy", "", "typed ", "weights.0"} {
		if _, err := readDraft(texts.Printer{}, posted(DraftOf(texts.Printer{}, scoring.DefaultPolicy()), name, "x")); !fault.Is(err, fault.InvalidForm) {
			t.Errorf("field %q: %v", name, err)
		}
	}
	twice := posted(DraftOf(texts.Printer{}, scoring.DefaultPolicy()))
	twice.Add("expiry_seconds", "60")
	if _, err := readDraft(texts.Printer{}, twice); !fault.Is(err, fault.InvalidForm) {
		t.Errorf("a field with two values: %v", err)
	}
	for _, base := range []string{"", "0", "-1", "1.5", "x", "99999999999999999999"} {
		if _, err := (Draft{FieldBase: base}).base(); !fault.Is(err, fault.InvalidForm) {
			t.Errorf("base %q: %v", base, err)
		}
	}
}

func TestPresetsFillTheDraft(t *testing.T) {
	t.Parallel()
	for _, name := range scoring.Presets() {
		d := DraftOf(texts.Printer{}, policytest.OddPolicy())
		fatal(t, d.fill(name))
		p, wrong := d.Policy(texts.Printer{}, policytest.OddPolicy())
		if len(wrong) > 0 || scoring.PresetOf(p.Challenges) != name {
			t.Errorf("%s: %+v, %v", name, p.Challenges, wrong)
		}
		current := 0
		for _, preset := range presetsOf(texts.Printer{}, d) {
			if preset.Current {
				current++
				if preset.Name != name {
					t.Errorf("%s is drawn as %s", name, preset.Name)
				}
			}
			if strings.HasPrefix(preset.Label, "Approve") {
				t.Errorf("a button begins with %q", preset.Label)
			}
		}
		if current != 1 {
			t.Errorf("%s: %d presets are current", name, current)
		}
	}
	if err := (Draft{}).fill(scoring.PresetCustom); !fault.Is(err, fault.InvalidForm) {
		t.Errorf("custom is no preset to fill in: %v", err)
	}
}

// Nothing of a draft is lost when somebody else was first, and nothing of theirs.
func TestADraftMovesOntoANewerVersion(t *testing.T) {
	t.Parallel()
	base, newer := scoring.DefaultPolicy(), scoring.DefaultPolicy()
	newer.ExpirySeconds, newer.GrantSeconds, newer.MinReviewSeconds.High = 600, 60, 20
	d := DraftOf(texts.Printer{}, base)
	d[FieldReason], d["grant_seconds"], d["min_review_seconds.high"], d["thresholds.high"] = "why", "120", "20", "oops"
	moved, both := d.onto(texts.Printer{}, base, newer)
	for name, want := range map[string]string{"expiry_seconds": "600", "grant_seconds": "120", "min_review_seconds.high": "20", "thresholds.high": "oops", FieldReason: "why"} {
		if moved[name] != want {
			t.Errorf("%s is %q, want %q", name, moved[name], want)
		}
	}
	if len(both) != 1 || both[0] != "Approval valid for" {
		t.Errorf("both changed %v", both)
	}
}

// Whatever stands in a field: the draft is refused at some place, or the policy is
// one that scoring takes.
func TestAnyTextInAField(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, "one goroutine computes")
	holds := func(t rapid.TB, s setting, text string) {
		d, err := readDraft(texts.Printer{}, posted(DraftOf(texts.Printer{}, scoring.DefaultPolicy()), s.name, text))
		if err != nil {
			t.Fatal(err)
		}
		p, wrong := d.Policy(texts.Printer{}, scoring.DefaultPolicy())
		if err := p.Validate(); len(wrong) == 0 && err != nil {
			t.Errorf("%s = %q is taken: %v", s.name, text, err)
		}
	}
	seeds, all := []string{"", "0.5", "1e999", "NaN", "quiz", "-0", "900"}, policySettings(texts.Printer{})
	for _, seed := range seeds {
		holds(t, all[0], seed)
		holds(t, all[20], seed)
	}
	for range long.Count(1, 20) { // of a hundred
		rapid.Check(t, func(t *rapid.T) {
			holds(t, rapid.SampledFrom(all).Draw(t, "setting"), near.Text(seeds...).Draw(t, "text"))
		})
	}
}

func TestMerged(t *testing.T) {
	t.Parallel()
	lists := func(disable []string, custom ...scoring.OwnRule) policyLists {
		return policyLists{Functions: []scoring.Function{}, Patterns: patterns.Overrides{Disable: disable}, Rules: scoring.RuleSettings{Extended: true, Custom: custom}}
	}
	a, b, changed := scoring.OwnRule{Name: "a", Pattern: "x"}, scoring.OwnRule{Name: "b", Pattern: "x"}, scoring.OwnRule{Name: "a", Pattern: "y"}
	base, mine, newer := lists([]string{"one", "two"}, a), lists([]string{"two", "three"}, changed, b), lists([]string{"one", "two", "four"}, scoring.OwnRule{Name: "a", Pattern: "z"})
	got, both := mine.onto(texts.Pseudo(), base, newer)
	if !slices.Equal(got.Patterns.Disable, []string{"two", "four", "three"}) || !reflect.DeepEqual(got.Rules.Custom, []scoring.OwnRule{changed, b}) || !slices.Equal(both, []string{"⟦rule a⟧"}) {
		t.Errorf("%+v, %v", got, both)
	}
	if got, both := base.onto(texts.Printer{}, base, newer); !reflect.DeepEqual(got, newer) || both != nil {
		t.Errorf("untouched it is %+v, %v", got, both)
	}
}

// What people approved is told of what people decided: a request that ran out was
// approved by nobody.
func TestUseTellsWhatWasDecided(t *testing.T) {
	t.Parallel()
	for want, tally := range map[string]approvals.Tally{
		"no hits":                         {},
		"2 hits":                          {Expired: 2},
		"3 hits, 1 of 1 decided approved": {Approved: 1, Expired: 2},
		"4 hits, 1 of 3 decided approved": {Approved: 1, Denied: 1, ChangesRequested: 1, Blocked: 1},
	} {
		if got := useOf(texts.Printer{}, tally); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func fatal(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
