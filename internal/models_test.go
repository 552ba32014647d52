package internal_test

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/rules"
)

var (
	testFunc = regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	testName = regexp.MustCompile("`(Test\\w+)`")
)

// TestModels: each concept of the published models names tests, and they are there.
func TestModels(t *testing.T) {
	t.Parallel()
	tests := map[string]bool{}
	for _, top := range []string{".", "../cmd"} {
		err := filepath.WalkDir(top, func(path string, _ fs.DirEntry, err error) error {
			if err == nil && strings.HasSuffix(path, "_test.go") {
				for _, m := range testFunc.FindAllStringSubmatch(read(t, path), -1) {
					tests[m[1]] = true
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	concepts := 0
	for line := range strings.Lines(read(t, "../docs/models.md")) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) != 5 || strings.Contains(line, "| Concept |") || strings.HasPrefix(line, "|---") {
			continue
		}
		concepts++
		names := testName.FindAllStringSubmatch(cells[3], -1)
		if len(names) == 0 {
			t.Errorf("no test: %s", line)
		}
		for _, name := range names {
			if !tests[name[1]] {
				t.Errorf("there is no %s: %s", name[1], line)
			}
		}
	}
	if concepts < 50 {
		t.Errorf("%d concepts only: the test no longer sees them", concepts)
	}
}

// TestModelsInNumbers: the counts, defaults, presets and words of docs/models.md are those of the code.
func TestModelsInNumbers(t *testing.T) {
	t.Parallel()
	p := scoring.DefaultPolicy()
	want := map[string]string{
		"Weights: name, arguments, docstring, hints, novelty": fmt.Sprint(p.Weights),
		"Levels begin at: MEDIUM, HIGH, CRITICAL":             fmt.Sprint(p.Thresholds),
		"Shipped patterns": fmt.Sprint(len(patterns.Default().Patterns())),
		"Pattern weights: critical, high, medium, low": fmt.Sprint(p.PatternWeights),
		"What each further match counts":               fmt.Sprint(p.PatternDecay),
		"Actions: critical, high, medium, low":         fmt.Sprint(p.SeverityActions),
		"Blocks above a pattern score of":              fmt.Sprint(p.ScoreOverrideThreshold),
		"Bands of pattern scores":                      fmt.Sprint(len(patterns.Bands())),
		"Core rules":                                   fmt.Sprint(len(rules.Core())),
		"Extended rules":                               fmt.Sprint(len(rules.Extended())),
		"Kinds of effects":                             fmt.Sprint(len(effects.Kinds())),
		"Default preset":                               scoring.PresetOf(p.Challenges),
	}
	for _, name := range scoring.Presets() {
		challenges, _ := scoring.Preset(name)
		want["Preset `"+name+"`: LOW, MEDIUM, HIGH, CRITICAL"] = fmt.Sprint(challenges)
	}
	for _, l := range rules.Levels() {
		want["Recommendation at "+l.String()] = rules.Recommends(l)
	}
	_, table, found := strings.Cut(read(t, "../docs/models.md"), "\n## In numbers\n")
	got := map[string]string{}
	for line := range strings.Lines(table) {
		if cells := strings.Split(strings.TrimSpace(line), " | "); len(cells) == 2 && !strings.Contains(line, "| Number |") {
			got[strings.TrimPrefix(cells[0], "| ")] = strings.TrimSuffix(cells[1], " |")
		}
	}
	for name, value := range want {
		if value = strings.Trim(value, "{}"); got[name] != value {
			t.Errorf("%s: the page says %q, the code %q", name, got[name], value)
		}
	}
	for name := range got {
		if want[name] == "" {
			t.Errorf("the code has no %q", name)
		}
	}
	if !found {
		t.Error("there is no such table")
	}
}

// TestReadsAreSaidAlike: the console and the page of the policy say in the same words what raises a read.
func TestReadsAreSaidAlike(t *testing.T) {
	t.Parallel()
	_, reads, _ := strings.Cut(read(t, "../views/glossary.go"), `term{"reads", texts.Key("Reads"), texts.Key("`)
	reads, _, _ = strings.Cut(reads, `")`)
	if reads == "" || !strings.Contains(read(t, "../docs/policy.md"), reads) {
		t.Errorf("docs/policy.md does not say %q", reads)
	}
}
