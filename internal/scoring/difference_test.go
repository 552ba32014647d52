package scoring

import (
	"bufio"
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/rules"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// Every expression of the default library and rules finds the same with and without
// its short cuts, and none that matches is missed by the prefilter: in the examples of
// the patterns, the benign corpus, the destructive texts with their disguises, and
// what was made to be slow. Each expression meets every part'th text, because RE2 alone
// needs most of a minute for all pairs.
func TestShortCutsChangeNoAnswer(t *testing.T) {
	t.Parallel()
	const part = 11
	var fast []*scan.Regexp
	texts := realistic(t)
	for _, p := range patterns.Default().Patterns() {
		for _, expr := range p.Regex {
			fast = append(fast, scan.MustCompile(expr))
		}
		texts = append(texts, strings.Join(slices.Concat(p.MustMatch, p.MustNotMatch), "\n"))
	}
	for _, r := range rules.Default() {
		fast = append(fast, scan.MustCompile(`(?i)`+r.Pattern))
	}
	for _, d := range readDestructive(t) {
		texts = append(texts, d.Text)
		for _, v := range disguises(d) {
			texts = append(texts, v.text)
		}
	}
	for _, unit := range hostile {
		texts = append(texts, strings.Repeat(unit, 600/len(unit)))
	}
	texts = append(texts, corpus(t)...)
	var list [][]*scan.Regexp
	var slow []*scan.Regexp
	for _, re := range fast {
		list, slow = append(list, []*scan.Regexp{re}), append(slow, re.Plain())
	}
	prefilter := scan.NewPrefilter(list)
	matches := 0
	for k, text := range texts {
		normal, back, _ := scan.Normal(text)
		bare, _, _ := scan.BareOf(normal, back)
		for _, version := range slices.Compact([]string{text, normal, bare}) {
			s := scan.NewSubject(version)
			possible := prefilter.Possible(s)
			for i, re := range fast {
				if (i+k)%part != 0 {
					continue
				}
				want := slow[i].Find(s, -1)
				if got := re.Find(s, -1); !slices.Equal(got, want) {
					t.Fatalf("%s in %.300q: %v, without short cuts %v", re, version, got, want)
				}
				if len(want) > 0 && !possible.Has(i) {
					t.Fatalf("%s matches %.300q, and the prefilter says that it cannot", re, version)
				}
				matches += len(want)
			}
		}
	}
	if matches < 300 {
		t.Errorf("only %d matches: the test says little", matches)
	}
}

// corpus are the texts of the benign calls, each call as one.
func corpus(t *testing.T) []string {
	t.Helper()
	data, err := os.ReadFile("patterns/testdata/benign.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for lines := bufio.NewScanner(bytes.NewReader(data)); lines.Scan(); {
		v, err := canon.Parse(lines.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, s := range scan.Arguments(v, "") {
			if !s.Key {
				all = append(all, s.Text)
			}
		}
		texts = append(texts, strings.Join(all, " "))
	}
	return texts
}
