package program

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// optionList is a list of options in a text of Go or YAML: nine and more between spaces.
var optionList = regexp.MustCompile(`(?:^|["'` + "`" + `\s])-{1,2}[A-Za-z][\w-]*(?:[ \n\t]+-{1,2}[A-Za-z][\w-]*){8,}`)

// TestOptionsStandOnce: what options a program has, and what they take, stands in programs.yaml.
// What a reader makes of an option it says by its name.
func TestOptionsStandOnce(t *testing.T) {
	t.Parallel()
	looked := 0
	for _, room := range []string{"effects", "workspace", "facts", "headline", "program"} {
		files, err := filepath.Glob("../" + room + "/*")
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			base := filepath.Base(file)
			if strings.HasSuffix(base, "_test.go") || strings.Contains(base, "example") || strings.Contains(base, "attacks") || base == "programs.yaml" || !strings.HasSuffix(base, ".go") && !strings.HasSuffix(base, ".yaml") {
				continue
			}
			looked++
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if found := optionList.Find(text); found != nil {
				t.Errorf("%s has a list of options: %s", file, found)
			}
			if strings.HasSuffix(base, ".yaml") && (strings.Contains(string(text), "\nprograms:") || strings.Contains(string(text), "\noptions:")) {
				t.Errorf("%s is a second table of programs", file)
			}
		}
	}
	if looked < 100 {
		t.Errorf("looked at %d files only", looked)
	}
}

// TestProgramsStandOnce: a program has one entry in each part of the table.
func TestProgramsStandOnce(t *testing.T) {
	t.Parallel()
	table := Of()
	for part, entries := range map[string]map[string]map[string]string{"anywhere": table.Anywhere, "workspace": table.Workspace} {
		seen := map[string]bool{}
		for names := range entries {
			for name := range strings.FieldsSeq(names) {
				if seen[name] {
					t.Errorf("%s stands in %s twice", name, part)
				}
				seen[name] = true
			}
		}
	}
}
