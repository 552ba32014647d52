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
	comment      = regexp.MustCompile(`(?m)(?:^|[\t ])(?://|#|--|/?\*)\s.*$`)
	citesADR     = regexp.MustCompile(`\b(?:ADRs? |adr/)(\d+)`)
	citesPage    = regexp.MustCompile(`(^|[^\w/.:$-])((?:docs/[\w/-]+|[\w-]+)\.md)\b(?:, "([^"]+)")?`)
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

// inComments are names of pages in comments that cite no page of ours.
var inComments = map[string]bool{"AGENTS.md": true, "notes.md": true, "image-layout.md": true, "run.sh.md": true, "sh.md": true}

// TestCitations: a decision that a page or a comment cites is there; so is the page that
// a comment cites, with the heading that it names.
func TestCitations(t *testing.T) {
	t.Parallel()
	decisions, err := filepath.Glob("../docs/adr/*.md")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, path := range decisions {
		known[strings.TrimLeft(filepath.Base(path)[:4], "0")] = true
	}
	cited := 0
	err = filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "node_modules" || d.Name() == "sessions" || d.Name() == "fuzz" || len(d.Name()) > 2 && d.Name()[0] == '.'):
			return fs.SkipDir
		case !strings.Contains(" .md .go .templ .yaml .js .mjs .ts .py .sql .css .sh .txt ", " "+filepath.Ext(path)+" ") || filepath.Ext(path) == "":
			return nil
		}
		text := read(t, path)
		said := []string{text}
		if filepath.Ext(path) != ".md" {
			said = comment.FindAllString(text, -1)
		}
		for _, line := range said {
			for _, m := range citesADR.FindAllStringSubmatch(line, -1) {
				if cited++; !known[strings.TrimLeft(m[1], "0")] {
					t.Errorf("%s cites %s, which is not in docs/adr", path, m[0])
				}
			}
			if filepath.Ext(path) == ".md" {
				continue
			}
			for _, m := range citesPage.FindAllStringSubmatch(line, -1) {
				if inComments[m[2]] {
					continue
				}
				cited++
				if page, err := os.ReadFile(filepath.Join("..", m[2])); err != nil {
					t.Errorf("%s cites %s: %v", path, m[2], err)
				} else if m[3] != "" && !strings.Contains(string(page), "# "+m[3]+"\n") {
					t.Errorf("%s cites %s, which has no heading %q", path, m[2], m[3])
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if cited < 50 {
		t.Errorf("%d citations only: the test no longer sees them", cited)
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
