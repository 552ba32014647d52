package handbook

import (
	"regexp"
	"strings"
	"testing"
)

var (
	href = regexp.MustCompile(`href="([^"]*)"`)
	id   = regexp.MustCompile(` id="([^"]*)"`)
)

func TestEveryLinkLeadsToAPageAndAHeading(t *testing.T) {
	t.Parallel()
	pages, err := Pages()
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) < 20 {
		t.Fatalf("%d pages only", len(pages))
	}
	there := map[string]bool{}
	for _, p := range pages {
		there[p.Name] = true
		for _, m := range id.FindAllStringSubmatch(p.html, -1) {
			if there[p.Name+"#"+m[1]] {
				t.Errorf("%s has two headings %s", p.Name, m[1])
			}
			there[p.Name+"#"+m[1]] = true
		}
	}
	links := 0
	for _, p := range pages {
		for _, m := range href.FindAllStringSubmatch(p.html, -1) {
			to := m[1]
			if strings.HasPrefix(to, "https://") {
				continue
			}
			if strings.HasPrefix(to, "#") {
				to = p.Name + to
			}
			links++
			if !there[to] {
				t.Errorf("%s links to %q", p.Name, m[1])
			}
		}
		for _, part := range p.Parts {
			if !there[p.Name+"#"+part.ID] {
				t.Errorf("%s lists %q, which isn't there", p.Name, part.Title)
			}
		}
	}
	if links < 20 {
		t.Errorf("%d links only", links)
	}
}

func TestRender(t *testing.T) {
	t.Parallel()
	const source = "# A title\n\nSee [b](b.md#two), [here](#one), [b.md](b.md), [file](security/x.yaml) and [out](https://example.org).\n\n## One\n\n<script>alert(1)</script>\n\n| a |\n|--:|\n| 1 |\n\n[bad](javascript:alert)\n"
	p, err := render("a", []byte(source), map[string]string{"a": "A title", "b": "The other"})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`<a href="b#doc-two">b</a>`, `<a href="#doc-one">here</a>`, `<a href="b">The other</a>, file and`, `<a href="https://example.org">out</a>`, `<h2 id="doc-one">One</h2>`, `<div class="table-wrap" tabindex="0"><table class="table">`, `<td align="right">1</td>`, "<p>bad</p>"} {
		if !strings.Contains(p.html, want) {
			t.Errorf("no %q in\n%s", want, p.html)
		}
	}
	if strings.Contains(p.html, "script") || p.Title != "A title" || len(p.Parts) != 1 {
		t.Errorf("title %q, parts %v, html\n%s", p.Title, p.Parts, p.html)
	}
	if _, err := render("a", []byte("no title\n"), nil); err == nil {
		t.Error("a page without a title is rendered")
	}
}
