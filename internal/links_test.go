package internal_test

import (
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/handbook"
)

var (
	markdownLink = regexp.MustCompile(`\]\(([^()\s]+)\)`)
	heading      = regexp.MustCompile(`(?m)^#{1,6} +(.+?) *$`)
)

// TestLinks: every link of a page of ours to another file leads somewhere, and to a
// heading that is there.
func TestLinks(t *testing.T) {
	t.Parallel()
	var pages []string
	for _, top := range []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs", "examples"} {
		err := filepath.WalkDir(filepath.Join("..", top), func(path string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(path, ".md") {
				pages = append(pages, path)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	links := 0
	for _, page := range pages {
		for _, m := range markdownLink.FindAllStringSubmatch(read(t, page), -1) {
			to, err := url.Parse(m[1])
			if err != nil {
				t.Errorf("%s: %s: %v", page, m[1], err)
				continue
			}
			if to.IsAbs() {
				continue
			}
			links++
			target := page
			if to.Path != "" {
				target = filepath.Join(filepath.Dir(page), filepath.FromSlash(to.Path))
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s links to %s: %v", page, m[1], err)
			} else if to.Fragment != "" && !anchors(read(t, target))[to.Fragment] {
				t.Errorf("%s links to %s: there is no such heading", page, m[1])
			}
		}
	}
	if links < 20 || len(pages) < 20 {
		t.Errorf("%d links in %d pages only: the test no longer sees them", links, len(pages))
	}
}

// anchors are the names that a page's headings have.
func anchors(page string) map[string]bool {
	all := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(page, -1) {
		all[handbook.Anchor(m[1])] = true
	}
	return all
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
