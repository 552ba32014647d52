package views_test

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// drawnElements are all that the views draw: another one came in with a text.
var drawnElements = strings.Fields(`html head meta title link script template body header main nav section article aside div p span h1 h2 h3 h4
	ul ol li dl dt dd table caption thead tbody tr th td a button form label input select option optgroup textarea fieldset legend details summary
	dialog strong small b bdi kbd code time mark ins del wbr noscript pre blockquote data output progress
	figure figcaption cs-chart svg g use path rect circle text tspan`)

// Every page and every push of every family has a sample, for the rules to see.
func TestEveryPageHasASample(t *testing.T) {
	t.Parallel()
	drawn := map[string]bool{}
	for _, all := range []map[string]sample{every(), parts()} {
		for _, s := range all {
			name := runtime.FuncForPC(s.component.Pointer()).Name()
			drawn[strings.TrimPrefix(name[strings.LastIndex(name, "/views")+1:], "views/")] = true
		}
	}
	files, err := filepath.Glob("*/*.templ")
	if err != nil {
		t.Fatal(err)
	}
	shared, err := filepath.Glob("*.templ")
	if err != nil {
		t.Fatal(err)
	}
	pages := 0
	for _, file := range append(files, shared...) {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		folder := filepath.Base(filepath.Dir(file))
		if folder == "." {
			folder = "views"
		}
		for _, name := range pageName.FindAllStringSubmatch(string(source), -1) {
			if pages++; !drawn[folder+"."+name[1]] {
				t.Errorf("%s of %s has no sample", name[1], file)
			}
		}
	}
	if pages < 50 {
		t.Errorf("found %d pages: the test no longer sees them", pages)
	}
}

var pageName = regexp.MustCompile(`(?m)^templ ((?:[A-Z]\w*)?Page|Push\w+)\(`)

func TestPagesAreWhole(t *testing.T) {
	t.Parallel()
	for name, c := range every() {
		if body := render(t, c); !strings.HasPrefix(body, "<!doctype html>") {
			t.Errorf("%s begins with %.20q", name, body)
		}
		count := map[string]int{}
		for _, node := range elements(t, render(t, c)) {
			count[node.Data]++
			switch id, _ := attr(node, "id"); {
			case !slices.Contains(drawnElements, node.Data):
				t.Errorf("%s: <%s>", name, node.Data)
			case node.Data == "main" && id == "main":
				count["#main"]++
			case node.Data == "html":
				if lang, _ := attr(node, "lang"); lang != "en" {
					t.Errorf("%s is in the language %q", name, lang)
				}
			case node.Data == "title" && node.Parent.Data == "head" && !strings.HasSuffix(text(node), " · Countersign"):
				t.Errorf("%s has the title %q", name, text(node))
			case node.Data == "a":
				if href, ok := attr(node, "href"); !ok || strings.TrimSpace(href) == "" {
					t.Errorf("%s: the link %q leads nowhere", name, text(node))
				} else if href == "#main" {
					count["skip"]++
				}
			case node.Data == "th":
				if scope, _ := attr(node, "scope"); scope == "" {
					t.Errorf("%s: the head %q is of no row and no column", name, text(node))
				}
			case node.Data == "svg" && node.Parent.Data != "svg" && node.Parent.Data != "g":
				if hidden, _ := attr(node, "aria-hidden"); hidden != "true" && said(node) == "" {
					t.Errorf("%s: a picture without words", name)
				}
			}
		}
		for _, one := range []string{"#main", "main", "h1", "skip"} {
			if count[one] != 1 {
				t.Errorf("%s has %d of %s", name, count[one], one)
			}
		}
	}
}

// said are the words for a control: its own, or those of an attribute.
func said(node *html.Node) string {
	all := text(node)
	for _, key := range []string{"aria-label", "aria-labelledby", "title"} {
		value, _ := attr(node, key)
		all += value
	}

	return strings.TrimSpace(all)
}

// Every control has words, and what is wrong is said by the control that it is about.
func TestControlsHaveWords(t *testing.T) {
	t.Parallel()
	for name, c := range every() {
		nodes := elements(t, render(t, c))
		labels := map[string]bool{}
		for _, node := range nodes {
			if id, _ := attr(node, "for"); node.Data == "label" && text(node) != "" {
				labels[id] = true
			}
		}
		for _, node := range nodes {
			id, _ := attr(node, "id")
			kind, _ := attr(node, "type")
			words := said(node)
			switch node.Data {
			case "input", "select", "textarea":
				if node.Data != "input" {
					words = said(&html.Node{Attr: node.Attr}) // its options are no label
				}
				for n := node.Parent; n != nil && words == ""; n = n.Parent {
					if n.Data == "label" {
						words = text(n)
					}
				}
				if kind != "hidden" && words == "" && !labels[id] {
					t.Errorf("%s: <%s id=%q> has no label", name, node.Data, id)
				}
			case "button", "a", "summary":
				if _, hidden := attr(node, "hidden"); words == "" && !hidden { // a script says it, and shows it
					t.Errorf("%s: <%s id=%q> has no words", name, node.Data, id)
				}
			}
			if invalid, _ := attr(node, "aria-invalid"); invalid == "true" {
				if by, _ := attr(node, "aria-describedby"); by == "" {
					t.Errorf("%s: nothing says what is wrong with the control %q", name, id)
				}
			}
		}
	}
}

// Who only reads has nothing to send or to fill in, but for a search.
func TestReadersHaveNoControls(t *testing.T) {
	t.Parallel()
	pages := every()
	for _, name := range []string{"policy-read-only", "policy-version", "policy-versions", "list-read-only", "settings-reasons-read", "settings-routing-read", "settings-notices-read", "history", "audit-entry", "agent"} {
		for _, node := range elements(t, render(t, pages[name])) {
			if !inside(node, "main") {
				continue
			}
			method, _ := attr(node, "method")
			kind, _ := attr(node, "type")
			if node.Data == "form" && method != "get" || node.Data == "textarea" || node.Data == "input" && kind != "search" {
				t.Errorf("%s: a reader has a <%s>", name, node.Data)
			}
		}
	}
}

// What is pushed replaces something that the pages have.
func TestPushesHitTheirPage(t *testing.T) {
	t.Parallel()
	ids := map[string]bool{}
	for _, name := range []string{"queue", "request-passed", "request-explicit", "request-closed"} {
		for _, node := range elements(t, render(t, every()[name])) {
			if id, ok := attr(node, "id"); ok {
				ids["#"+id] = true
			}
		}
	}
	hits := 0
	for name, c := range parts() {
		if !strings.HasPrefix(name, "push-") {
			continue
		}
		for _, node := range elements(t, render(t, c)) {
			target, ok := attr(node, "hx-target")
			swap, _ := attr(node, "hx-swap")
			if !ok {
				continue
			}
			hits++
			if !ids[target] {
				t.Errorf("%s goes to %s, which is on no page", name, target)
			}
			if !slices.Contains([]string{"outerMorph", "beforeend"}, swap) {
				t.Errorf("%s is put in by %q", name, swap)
			}
			if swap == "outerMorph" && !slices.ContainsFunc(elements(t, render(t, c)), func(n *html.Node) bool { id, _ := attr(n, "id"); return "#"+id == target }) {
				t.Errorf("%s replaces %s by something with another id", name, target)
			}
		}
	}
	if hits < 12 {
		t.Errorf("found %d targets: the test no longer sees them", hits)
	}
}

// What an empty page says and offers is drawn whole.
func TestEmptyPagesSayWhatToDo(t *testing.T) {
	t.Parallel()
	seen := 0
	for name, c := range every() {
		for _, node := range elements(t, render(t, c)) {
			if class, _ := attr(node, "class"); class != "empty" {
				continue
			}
			seen++
			if paragraphs := children(node, "p"); len(paragraphs) == 0 || text(paragraphs[0]) == "" {
				t.Errorf("%s is empty and does not say so", name)
			}
		}
	}
	if seen < 8 {
		t.Errorf("found %d empty pages: the test no longer sees them", seen)
	}
}
