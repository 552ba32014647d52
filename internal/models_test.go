package internal_test

import (
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
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
