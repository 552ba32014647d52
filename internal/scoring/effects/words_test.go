package effects

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Every class of lexicon.yaml and words.yaml is asked for, and every class that is asked for has words.
func TestWordsAreAskedFor(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	asks := regexp.MustCompile(`(?:says|saysAny|saysPart|saysSingular|about)\("(\w+)"`)
	asked, classes := map[string]bool{}, map[string]bool{}
	for _, all := range said() {
		for _, class := range all {
			classes[class] = true
		}
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, m := range asks.FindAllStringSubmatch(string(text), -1) {
			asked[m[1]] = true
			if !classes[m[1]] {
				t.Errorf("%s asks for %s, of which there are no words", name, m[1])
			}
		}
	}
	for class := range classes {
		if !asked[class] {
			t.Errorf("nobody asks for %s", class)
		}
	}
}
