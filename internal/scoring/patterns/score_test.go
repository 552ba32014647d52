package patterns

import (
	"bufio"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/internal/scoring/scan"
)

// TestConformance runs the recorded vectors of the published model.
func TestConformance(t *testing.T) {
	t.Parallel()
	f, err := os.Open("testdata/pattern_score.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	count := 0
	for lines.Scan() {
		var v struct {
			ID        string
			Note      string
			Threshold int
			Matches   []struct {
				Severity Severity
				Action   *Action
			}
			Expect struct {
				MatchCount            int     `json:"match_count"`
				RawScore              float64 `json:"raw_score"`
				NumericScore          int     `json:"numeric_score"`
				CategoricalSeverity   *string `json:"categorical_severity"`
				BaseAction            Action  `json:"base_action"`
				Action                Action  `json:"action"`
				ActionReason          string  `json:"action_reason"`
				ScoreOverrideExceeded bool    `json:"score_override_exceeded"`
			}
		}
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		count++
		var matches []Match
		for i, m := range v.Matches {
			action := m.Severity.DefaultAction()
			if m.Action != nil {
				action = *m.Action
			}
			matches = append(matches, Match{ID: fmt.Sprint("p", i), Severity: m.Severity, Action: action})
		}
		got := Score(matches, v.Threshold, Published())
		want := Record{
			MatchCount: v.Expect.MatchCount, RawScore: got.RawScore, NumericScore: v.Expect.NumericScore,
			BaseAction: v.Expect.BaseAction, Action: v.Expect.Action, ActionReason: v.Expect.ActionReason,
			Label: got.Label, SeverityCounts: got.SeverityCounts, Weights: got.Weights, Decay: got.Decay, // label_test.go
			ScoreOverrideExceeded: v.Expect.ScoreOverrideExceeded, ScoreOverrideThreshold: v.Threshold,
		}
		if v.Expect.CategoricalSeverity != nil {
			want.CategoricalSeverity = Severity(*v.Expect.CategoricalSeverity)
		}
		if math.Abs(got.RawScore-v.Expect.RawScore) > 1e-6 {
			t.Errorf("%s (%s): raw score %v, want %v", v.ID, v.Note, got.RawScore, v.Expect.RawScore)
		}
		got.MatchedPatterns = nil
		if gotJSON, wantJSON := asJSON(t, got), asJSON(t, want); gotJSON != wantJSON {
			t.Errorf("%s (%s):\n got %s\nwant %s", v.ID, v.Note, gotJSON, wantJSON)
		}
	}
	if err := lines.Err(); err != nil || count != 139 {
		t.Errorf("ran %d vectors (%v), want 139", count, err)
	}
}

func asJSON(t *testing.T, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestARecordOfACleanPassIsCompact(t *testing.T) {
	t.Parallel()
	got := asJSON(t, Score(nil, DefaultThreshold, Published()))
	want := `{"tool_call_id":null,"lifecycle_point":"","match_count":0,` +
		`"raw_score":0,"numeric_score":0,"categorical_severity":null,"base_action":"allow","action":"allow",` +
		`"action_reason":"no_match","score_override_exceeded":false,"score_override_threshold":85,"label":"clean","scan_duration_ms":0,` +
		`"pattern_library_version":"","session_id":null}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestARecordReadsBack(t *testing.T) {
	t.Parallel()
	session := "s1"
	r := Score(Default().Scan(PreToolCall, []scan.Segment{{Pointer: "/code", Text: "rm -rf / # AKIAIOSFODNN7EXAMPLE"}}), 40, Published())
	r.SessionID = &session
	text := asJSON(t, r)
	for _, want := range []string{
		`"field":"/code","start":11,"end":31`, `"id":"aws-access-key"`, `"action":"redact"`, `"occurrences":1`, `"session_id":"s1"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
	var back Record
	if err := json.Unmarshal([]byte(text), &back); err != nil {
		t.Fatal(err)
	}
	if again := asJSON(t, back); again != text {
		t.Errorf("read back:\n%s\nwant\n%s", again, text)
	}
}

func TestARecordShowsFewOfManyPlaces(t *testing.T) {
	t.Parallel()
	long := "/arguments/" + strings.Repeat("k", 3000)
	m := Match{ID: "x", Severity: Low, Action: Log}
	for i := range 100 {
		m.Places = append(m.Places, scan.Place{Pointer: "/a", Start: i, End: i + 1})
	}
	if n := strings.Count(asJSON(t, m), "pointer"); n != shownPlaces {
		t.Errorf("%d places are written, want %d", n, shownPlaces)
	}
	if !strings.Contains(asJSON(t, m), `"occurrences":100`) {
		t.Error("the record does not say how many there are")
	}
	for i := range m.Places {
		m.Places[i].Pointer = long
	}
	if size := len(asJSON(t, m)); size > 20_000 {
		t.Errorf("long pointers make a match of %d bytes", size)
	}
}

func TestOnePatternCountsOnce(t *testing.T) {
	t.Parallel()
	once := Match{ID: "a", Severity: High, Action: Redact, Places: []scan.Place{{Pointer: "/x", End: 1}}}
	again := Match{ID: "a", Severity: Critical, Action: Warn, Places: []scan.Place{{Pointer: "/y", End: 1}, {Pointer: "/x", End: 1}}}
	r := Score([]Match{once, once, again}, DefaultThreshold, Published())
	if r.MatchCount != 1 || r.NumericScore != 40 || r.Action != Redact {
		t.Errorf("got count %d score %d action %s, want 1, 40 and redact: the worst severity, the strictest action", r.MatchCount, r.NumericScore, r.Action)
	}
	if places := r.MatchedPatterns[0].Places; len(places) != 2 {
		t.Errorf("places %v, want /x and /y once each", places)
	}
	if len(once.Places) != 1 {
		t.Error("Score changed the match it was given")
	}
}

var genMatch = rapid.Custom(func(t *rapid.T) Match {
	return Match{
		ID:       rapid.StringMatching(`[a-f]`).Draw(t, "id"),
		Severity: rapid.SampledFrom(Severities()).Draw(t, "severity"),
		Action:   rapid.SampledFrom(Actions()).Draw(t, "action"),
		Category: rapid.SampledFrom([]string{Secrets, Shell}).Draw(t, "category"),
		Places: []scan.Place{{
			Pointer: rapid.SampledFrom([]string{"/a", "/b"}).Draw(t, "pointer"),
			Start:   rapid.IntRange(0, 9).Draw(t, "start"), End: rapid.IntRange(10, 20).Draw(t, "end"),
		}},
	}
})

func TestAddingAMatchSoftensNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		few := rapid.SliceOfN(genMatch, 0, 6).Draw(t, "few")
		more := append(few[:len(few):len(few)], genMatch.Draw(t, "one more"))
		threshold, w := rapid.IntRange(0, 100).Draw(t, "threshold"), Published()
		if rapid.Bool().Draw(t, "own weighing") { // under any, a pattern that became more severe could lower the sum; a library has it once
			w = genWeighing.Draw(t, "weighing")
			for i := range more {
				more[i].Severity = Severities()[int(more[i].ID[0])%4]
			}
			few = more[:len(few)]
		}
		before, after := Score(few, threshold, w), Score(more, threshold, w)
		if after.RawScore < before.RawScore || after.NumericScore < before.NumericScore {
			t.Errorf("the score fell from %v to %v", before.RawScore, after.RawScore)
		}
		if after.CategoricalSeverity.rank() < before.CategoricalSeverity.rank() {
			t.Errorf("the severity fell from %s to %s", before.CategoricalSeverity, after.CategoricalSeverity)
		}
		blocks := func(r Record) bool { return r.Action == Block || AnyBlock(r.MatchedPatterns) }
		if blocks(before) && !blocks(after) {
			t.Error("it does not block any more")
		}
		if AnyConfirm(few) && !AnyConfirm(more) || AnyBlock(few) && !AnyBlock(more) || AnyMasks(few) && !AnyMasks(more) {
			t.Error("the response became softer")
		}
		masks := Redactions(more)
		for pointer, spans := range Redactions(few) {
			for _, s := range spans {
				for at := s.Start; at < s.End; at++ {
					if !masks.Touches(pointer, at, at+1) {
						t.Errorf("byte %d of %s is not masked any more", at, pointer)
					}
				}
			}
		}
	})
}

func TestTheOrderOfMatchesChangesNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		matches := rapid.SliceOfN(genMatch, 0, 8).Draw(t, "matches")
		shuffled, w := rapid.Permutation(matches).Draw(t, "shuffled"), genWeighing.Draw(t, "weighing")
		a, b := Score(matches, 50, w), Score(shuffled, 50, w)
		if a.RawScore != b.RawScore || a.Action != b.Action || a.ActionReason != b.ActionReason {
			t.Errorf("%+v and %+v", a, b)
		}
		if x, y := fmt.Sprint(Redactions(matches)), fmt.Sprint(Redactions(shuffled)); x != y {
			t.Errorf("masks %s and %s", x, y)
		}
	})
}
