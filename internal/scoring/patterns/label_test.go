package patterns

import (
	"encoding/json"
	"math"
	"testing"

	"pgregory.net/rapid"
)

func TestLabel(t *testing.T) {
	t.Parallel()
	m := func(id string, s Severity, a Action) Match { return Match{ID: id, Severity: s, Action: a} }
	soft := Weighing{Weights: PerSeverity[float64]{Critical: 1}}
	for _, c := range []struct {
		name      string
		matches   []Match
		threshold int
		w         Weighing
		want      Label
	}{
		{"nothing", nil, 0, Published(), Clean},
		{"a low one", []Match{m("a", Low, Log)}, 85, Published(), Suspicious},
		{"two high ones are 37", []Match{m("a", High, Redact), m("b", High, Redact)}, 85, Published(), Suspicious},
		{"three high ones are 51", []Match{m("a", High, Redact), m("b", High, Redact), m("c", High, Redact)}, 85, Published(), Dangerous},
		{"a critical one is 40", []Match{m("a", Critical, Confirm)}, 85, Published(), Dangerous},
		{"a critical one, whatever it weighs", []Match{m("a", Critical, Confirm)}, 85, soft, Dangerous},
		{"one that blocks", []Match{m("a", High, Block)}, 85, Published(), Dangerous},
		{"one that blocks below one that does not", []Match{m("a", High, Redact), m("b", Low, Block)}, 85, Published(), Dangerous},
		{"a score that blocks", []Match{m("a", Low, Log)}, 1, Published(), Dangerous},
		{"one that weighs nothing", []Match{m("a", High, Confirm)}, 85, soft, Suspicious},
	} {
		if got := Score(c.matches, c.threshold, c.w); got.Label != c.want {
			t.Errorf("%s: %s, want %s (%+v)", c.name, got.Label, c.want, got)
		}
	}
}

func TestAddingAMatchSoftensNoLabel(t *testing.T) {
	t.Parallel()
	order := map[Label]int{Clean: 0, Suspicious: 1, Dangerous: 2}
	rapid.Check(t, func(t *rapid.T) {
		few := rapid.SliceOfNDistinct(genMatch, 0, 5, func(m Match) string { return m.ID }).Draw(t, "few")
		one := genMatch.Draw(t, "one more")
		one.ID = "more"
		w, threshold := genWeighing.Draw(t, "w"), rapid.IntRange(0, 100).Draw(t, "threshold")
		if a, b := Score(few, threshold, w), Score(append(few[:len(few):len(few)], one), threshold, w); order[a.Label] > order[b.Label] {
			t.Errorf("%s became %s", a.Label, b.Label)
		}
	})
}

// The record tells how its sum was made, and its contributions are that sum.
func TestARecordTellsItsSum(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		w := genWeighing.Draw(t, "w")
		r := Score(rapid.SliceOfN(genMatch, 0, 8).Draw(t, "matches"), 85, w)
		sum, nth := 0.0, map[Severity]int{}
		for _, m := range r.MatchedPatterns {
			if want := r.Weights.Of(m.Severity) * math.Pow(r.Decay, float64(nth[m.Severity])); math.Abs(m.Contribution-want) > 1e-9 {
				t.Errorf("%s adds %v, want %v", m.ID, m.Contribution, want)
			}
			nth[m.Severity]++
			sum += m.Contribution
		}
		if math.Abs(sum-r.RawScore) > 1e-9 {
			t.Errorf("the terms make %v, the record says %v", sum, r.RawScore)
		}
		for _, s := range Severities() {
			if r.SeverityCounts.Of(s) != nth[s] {
				t.Errorf("%d are %s, the record says %d", nth[s], s, r.SeverityCounts.Of(s))
			}
		}
	})
}

// A record from before any of it was kept is told whole, and stays what it is: its JSON is
// what the trail has the sum of.
func TestARecordFromBefore(t *testing.T) {
	t.Parallel()
	want := Score([]Match{{ID: "a", Severity: High, Action: Redact}, {ID: "b", Severity: High, Action: Confirm}, {ID: "c", Severity: Low, Action: Log}}, 85, Published())
	old := want
	old.Label, old.SeverityCounts, old.Weights, old.Decay = "", PerSeverity[int]{}, PerSeverity[float64]{}, 0
	old.MatchedPatterns = append([]Match(nil), want.MatchedPatterns...)
	for i := range old.MatchedPatterns {
		old.MatchedPatterns[i].Contribution = 0
	}
	kept := asJSON(t, old)
	var members map[string]any
	if err := json.Unmarshal([]byte(kept), &members); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"label", "severity_counts", "weights", "decay"} {
		if _, there := members[name]; there {
			t.Errorf("a record without %s is written with it", name)
		}
	}
	if got := asJSON(t, old.Told()); got != asJSON(t, want) {
		t.Errorf("told is %s\nwant %s", got, asJSON(t, want))
	}
	if asJSON(t, old) != kept {
		t.Error("telling it changed it")
	}
	if got := (Record{}).Told(); got.Label != Clean {
		t.Errorf("a clean pass is %q", got.Label)
	}
	if got := asJSON(t, want.Told()); got != asJSON(t, want) {
		t.Errorf("told again it is %s", got)
	}
}

func TestBands(t *testing.T) {
	t.Parallel()
	next := 0
	for _, b := range Bands() {
		if b.From != next || b.To < b.From || BandOf(b.From) != b || BandOf(b.To) != b {
			t.Errorf("%+v follows on %d; of its ends are %+v and %+v", b, next, BandOf(b.From), BandOf(b.To))
		}
		next = b.To + 1
	}
	if next != 101 {
		t.Errorf("the table ends at %d", next-1)
	}
}
