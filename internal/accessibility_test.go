package internal_test

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	criterion  = regexp.MustCompile(`^\| (\d\.\d\.\d+)`)
	specsNamed = regexp.MustCompile("`([a-z-]+\\.spec\\.js)`((?: and|,)? \"[^\"]+\")+")
	quoted     = regexp.MustCompile(`"([^"]+)"`)
)

// TestAccessibilityPage: docs/accessibility.md has every criterion of WCAG 2.2 A and AA in
// order, and each test that it names is there.
func TestAccessibilityPage(t *testing.T) {
	t.Parallel()
	page := read(t, filepath.Join("..", "docs", "accessibility.md"))
	rows := 0
	for line := range strings.Lines(page) {
		if criterion.MatchString(line) {
			rows++
			if cells := strings.Split(strings.TrimSpace(line), " | "); len(cells) != 3 || strings.TrimSuffix(cells[2], " |") == "" {
				t.Errorf("%q has no test, and doesn't say that none is needed", cells[0])
			}
		}
		for _, spec := range specsNamed.FindAllStringSubmatch(line, -1) {
			code := read(t, filepath.Join("..", "e2e", spec[1]))
			for _, title := range quoted.FindAllStringSubmatch(spec[0], -1) {
				if !strings.Contains(code, `test("`+title[1]+`"`) {
					t.Errorf("%s has no test %q", spec[1], title[1])
				}
			}
		}
	}
	// 55 criteria, of which three rows hold several: 1.2.1 to 1.2.5, 3.2.1 and 3.2.2, 3.2.3 and 3.2.4.
	if rows != 55-4-1-1 {
		t.Errorf("%d rows of criteria", rows)
	}
}
