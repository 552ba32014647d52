package patterns

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/scoring/scan"
)

var updateLibrary = flag.Bool("update-library", false, "write docs/patterns.md")

func TestEveryExampleOfTheDefaultLibrary(t *testing.T) {
	t.Parallel()
	l := Default()
	if l.Len() < 120 {
		t.Errorf("the library has %d patterns, want at least 120", l.Len())
	}
	for _, m := range l.matchers {
		t.Run(m.ID, func(t *testing.T) {
			t.Parallel()
			if len(m.MustMatch) < 2 || len(m.MustNotMatch) < 2 {
				t.Errorf("%d examples must match and %d must not; at least 2 of each say what is meant", len(m.MustMatch), len(m.MustNotMatch))
			}
			if err := m.tryExamples(); err != nil {
				t.Error(err)
			}
		})
	}
}

// Each pattern recognises something that no other pattern of its category finds at
// least as bad: without it the answer would be softer, or no answer at all.
func TestEveryPatternAddsSomething(t *testing.T) {
	t.Parallel()
	for _, m := range Default().matchers {
		alone := func(example string) bool {
			return slices.ContainsFunc(m.Points(), func(point string) bool {
				return !slices.ContainsFunc(Default().Scan(point, []scan.Segment{m.example(example)}), func(other Match) bool {
					return other.ID != m.ID && other.Category == m.Category && !other.Severity.SofterThan(m.Severity)
				})
			})
		}
		if !slices.ContainsFunc(m.MustMatch, alone) {
			t.Errorf("%s: each of its examples is found by another pattern of %s that is at least as severe", m.ID, m.Category)
		}
	}
}

// The prefilter skips a pattern only where it knows a literal. Those without one
// run over every text, so each has another cheap filter, and a reason.
func TestEveryPatternHasALiteral(t *testing.T) {
	t.Parallel()
	reasons := map[string]string{
		"card-number":                       "digits are no literal; min_digits asks for a long number first",
		"hidden-tag-characters":             "only ASCII counts as a literal; non_ascii skips the rest",
		"ignore-instructions-other-scripts": "only ASCII counts as a literal; non_ascii skips the rest",
		"password-member":                   "the value may be anything; the name of its member is asked first",
	}
	l := Default()
	for i, m := range l.matchers {
		always := false
		for k := range m.regexes {
			always = always || l.possible.Always(l.first[i]+k)
		}
		if reason := reasons[m.ID]; always != (reason != "") {
			t.Errorf("%s: without a literal: %v, the reason for it: %q", m.ID, always, reason)
		}
		if always && m.MinDigits == 0 && m.member == nil && !m.NonASCII {
			t.Errorf("%s runs over every text", m.ID)
		}
	}
}

const libraryPage = "../../../docs/patterns.md"

// TestTheLibrarysPageIsCurrent holds docs/patterns.md against the library; with
// -update-library it writes it.
func TestTheLibrarysPageIsCurrent(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	fmt.Fprintf(&b, `# The pattern library

Generated from internal/scoring/patterns/library (`+"`go test ./internal/scoring/patterns -run TestTheLibrarysPage -update-library`"+`).

%d patterns come with the program. A policy can switch each of them off, change its severity or action, or add its own.
`, Default().Len())
	for _, category := range Categories() {
		rows := slices.DeleteFunc(Default().Patterns(), func(p Pattern) bool { return p.Category != category })
		if len(rows) == 0 {
			continue
		}
		where, times := "", map[string]int{}
		for _, p := range rows {
			if times[pointsOf(p)]++; times[pointsOf(p)] > times[where] {
				where = pointsOf(p)
			}
		}
		fmt.Fprintf(&b, "\n## %s\n\nLooked for %s.\n", category, where)
		slices.SortStableFunc(rows, func(p, q Pattern) int {
			return cmp.Or(slices.Index(Severities(), p.Severity)-slices.Index(Severities(), q.Severity), cmp.Compare(p.EffectiveAction(), q.EffectiveAction()))
		})
		does := ""
		for _, p := range rows {
			if now := fmt.Sprintf("%s, %s", p.Severity, p.EffectiveAction()); now != does {
				does = now
				fmt.Fprintf(&b, "\n**%s**\n\n", does)
			}
			also := ""
			if pointsOf(p) != where {
				also = " (" + pointsOf(p) + ")"
			}
			fmt.Fprintf(&b, "- `%s`: %s%s\n", p.ID, p.Description, also)
		}
	}
	if *updateLibrary {
		if err := os.WriteFile(libraryPage, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(libraryPage); err != nil || !bytes.Equal(got, b.Bytes()) {
		t.Errorf("%s is not what the library says (%v); run go test ./internal/scoring/patterns -run TestTheLibrarysPage -update-library", libraryPage, err)
	}
}

// pointsOf says at which points a pattern is looked for.
func pointsOf(p Pattern) string {
	if len(p.AppliesTo) == 0 {
		return "everywhere"
	}
	return "at " + strings.Join(p.Points(), ", ")
}
