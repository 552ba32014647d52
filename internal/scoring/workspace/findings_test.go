package workspace

import (
	"os"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// said are findings as the examples write them.
func said(all []foundIn) string {
	var words []string
	for _, f := range names(all) {
		words = append(words, string(f))
	}
	return strings.Join(words, ", ")
}

func TestFindingsExamples(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("findings_examples.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var examples map[string][]struct{ Text, Want string }
	if err := yaml.Unmarshal(text, &examples); err != nil {
		t.Fatal(err)
	}
	n := 0
	for key, list := range examples {
		language, part := strings.CutPrefix(strings.TrimPrefix(key, "cells of "), "part of ")
		for _, example := range list {
			n++
			b := shop
			b.part = part
			name := ""
			if language == "shell" {
				name = "/home/ana/shop/scripts/x.sh"
			}
			got := findingsOf(language, name, example.Text, b)
			if said(got.all) != example.Want {
				t.Errorf("%s: %s\ngot  %q %v\nwant %q", language, example.Text, said(got.all), got.all, example.Want)
			}
			for _, f := range got.all {
				if f.start < 0 || f.end < f.start || f.end > len(example.Text) || f.why == "" {
					t.Errorf("%s: %s\n%v stands nowhere, or says nothing", language, example.Text, f)
				}
			}
		}
	}
	if n < 210 {
		t.Errorf("%d examples, want at least 210", n)
	}
}
