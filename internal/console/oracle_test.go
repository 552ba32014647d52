package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/scoring"
)

// The view oracle: it reads a request page back as docs/reading.md says, knowing
// nothing but the HTML, and gives the act that somebody must have submitted for
// this page to be drawn.

// readBack is what a page says about the act.
type readBack struct {
	raw  []byte                 // the JSON, without the white space between its tokens
	open map[string]canon.Value // by the member: what stands in the table, the blocks and the provenance
}

// bytes are the canonical bytes of the act as it stands in the open.
func (r readBack) bytes() []byte {
	var members []canon.Member
	for name, value := range r.open {
		members = append(members, canon.Member{Name: name, Value: value})
	}
	return canon.Object(members...).Canonical()
}

// readPages reads the pages of an act, in order: one page, or its sections.
func readPages(t *testing.T, pages ...answer) readBack {
	t.Helper()
	r := readBack{open: map[string]canon.Value{}}
	texts := map[string]string{}
	var rows []argument
	for _, page := range pages {
		root, err := html.Parse(strings.NewReader(page.body))
		must(t, err)
		for _, n := range elements(root, "data-act") {
			switch act := attr(n, "data-act"); act {
			case "json":
				var raw bytes.Buffer
				must(t, json.Compact(&raw, []byte(undoHTML(t, text(t, n)))))
				r.raw = raw.Bytes()
			case "argument":
				rows = append(rows, readRow(t, n))
			case "function", "action_type", "environment": // on every page
				texts[act] = undoHTML(t, text(t, n))
			case "code", "content":
				texts[act] += undoHTML(t, text(t, n))
			default:
				t.Errorf("the page has an element of the unknown kind %q", act)
			}
		}
	}
	for name, text := range texts {
		r.open[name] = canon.String(text)
	}
	if arguments := treeOf(t, rows); !arguments.IsAbsent() {
		r.open["arguments"] = arguments
	}
	return r
}

// pagesOf are the pages of an act: one, or all its sections and the one of the JSON.
func (b *browser) pagesOf(id string) []answer {
	b.t.Helper()
	url := urls.Request("acme", id)
	first := b.get(url).want(b.t, http.StatusOK)
	if !strings.Contains(first.body, url+"?section=json") {
		return []answer{first}
	}
	var pages []answer
	for n := 1; strings.Contains(first.body, url+"?section="+strconv.Itoa(n)+`"`); n++ {
		pages = append(pages, b.get(url+"?section="+strconv.Itoa(n)).want(b.t, http.StatusOK))
	}
	if len(pages) < 2 {
		b.t.Errorf("a large act has %d sections", len(pages))
	}
	return append(pages, b.get(url+"?section=json").want(b.t, http.StatusOK))
}

// argument is one row of the table.
type argument struct {
	whole      bool
	name, kind string
	value      string
}

func readRow(t *testing.T, tr *html.Node) argument {
	t.Helper()
	cells := elements(tr, "")
	var a argument
	for _, n := range cells {
		switch {
		case n.Data == "th":
			if a.whole = len(elements(n, "data-whole")) == 1; !a.whole {
				a.name = undoHTML(t, text(t, n))
			}
		case n.Data == "td" && attr(n, "class") == "type":
			a.kind = n.FirstChild.Data
		case n.Data == "td" && attr(n, "class") == "value":
			a.value = undoHTML(t, text(t, n))
		}
	}
	return a
}

// text is the one element that isolates a text, in n.
func text(t *testing.T, n *html.Node) *html.Node {
	t.Helper()
	for _, e := range elements(n, "class") {
		if e.Data == "bdi" && attr(e, "class") == "text" {
			return e
		}
	}
	t.Fatalf("%s holds no text", n.Data)
	return nil
}

// undoHTML reads a text back: characters stand for themselves, marked ones for
// the character whose code point the mark names, folds for what was folded.
func undoHTML(t *testing.T, n *html.Node) string {
	t.Helper()
	var b strings.Builder
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			for _, r := range c.Data {
				if deceives(r) {
					t.Errorf("%U is drawn as it is", r)
				}
			}
			if strings.Contains(c.Data, strings.Repeat(" ", 40)) || strings.Contains(c.Data, "\n\n\n\n\n") {
				t.Error("long white space is not folded")
			}
			b.WriteString(c.Data)
		case c.Type != html.ElementNode:
			t.Errorf("a text holds a node of type %d", c.Type)
		case c.Data == "mark" || c.Data == "ins": // they only tell something about what they hold
			b.WriteString(undoHTML(t, c))
		case c.Data == "span" && has(c, "data-token"):
			if len(c.Attr) != 1 || c.FirstChild == nil || c.FirstChild != c.LastChild || c.FirstChild.Type != html.TextNode {
				t.Errorf("a colour holds more than text: %q %v", c.Attr, c.FirstChild)
			}
			b.WriteString(undoHTML(t, c))
		case c.Data == "span" && has(c, "data-char"):
			n, err := strconv.ParseInt(strings.TrimPrefix(attr(c, "data-char"), "U+"), 16, 32)
			if err != nil || attr(c, "class") != "hidden-char" {
				t.Errorf("a mark names %q: %v", attr(c, "data-char"), err)
			}
			b.WriteRune(rune(n))
		case c.Data == "span" && has(c, "data-fold"):
			folded := attr(c, "data-fold")
			if strings.Trim(folded, " \t\n") != "" {
				t.Errorf("more than white space is folded: %q", folded)
			}
			b.WriteString(folded)
		default:
			t.Errorf("a text holds the element %s", c.Data)
		}
	}
	return b.String()
}

// deceives says by the tables of Unicode alone which characters may never be drawn as
// they are: they cannot be seen, or bend what is seen around them.
func deceives(r rune) bool {
	switch {
	case r == '\n' || r == '\t' || r == ' ' || unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	case unicode.In(r, unicode.Bidi_Control, unicode.Join_Control, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector, unicode.Z, unicode.C):
		return true
	}
	return !unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S) // unassigned
}

// elements are those below n with an attribute, in order; with "" all of them.
func elements(n *html.Node, attribute string) (found []*html.Node) {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode && (attribute == "" || has(d, attribute)) {
			found = append(found, d)
		}
	}
	return found
}

func has(n *html.Node, name string) bool {
	for _, a := range n.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

// branch is a container that is being built from the rows of a table.
type branch struct {
	list   bool
	leaf   canon.Value // of a branch without children
	names  []string
	places map[string]*branch
}

// treeOf builds the arguments from the rows of their table: Absent where there are none.
func treeOf(t *testing.T, rows []argument) canon.Value {
	t.Helper()
	if len(rows) == 0 {
		return canon.Value{}
	}
	root := &branch{}
	values := map[string]string{} // the pieces of one value follow each other over the sections
	for _, row := range rows {
		values[row.name] += row.value
		if row.whole {
			return leafOf(t, row)
		}
		row.value = values[row.name]
		at := root
		for _, step := range strings.Split(row.name, "/") {
			at = at.step(t, step)
		}
		at.leaf = leafOf(t, row)
	}
	return root.value(t)
}

// step is one step of a name, as docs/reading.md has it.
func (b *branch) step(t *testing.T, step string) *branch {
	t.Helper()
	name := strings.ReplaceAll(strings.ReplaceAll(step, "~1", "/"), "~0", "~")
	list := name != "" && strings.Trim(name, "0123456789") == ""
	if strings.HasPrefix(name, `"`) {
		quoted, err := canon.ParseStored([]byte(name))
		must(t, err)
		name = quoted.Text()
	}
	if b.places == nil {
		b.places, b.list = map[string]*branch{}, list
	}
	if b.list != list {
		t.Errorf("%q stands in a list and in an object", step)
	}
	next, ok := b.places[name]
	if !ok {
		next = &branch{}
		b.places[name] = next
		b.names = append(b.names, name)
	}
	return next
}

func (b *branch) value(t *testing.T) canon.Value {
	t.Helper()
	if b.places == nil {
		return b.leaf
	}
	if b.list {
		elements := make([]canon.Value, len(b.names))
		for i := range elements {
			e, ok := b.places[strconv.Itoa(i)]
			if !ok {
				t.Fatalf("a list of %d has no place %d", len(elements), i)
			}
			elements[i] = e.value(t)
		}
		return canon.Array(elements...)
	}
	var members []canon.Member
	for _, name := range b.names {
		members = append(members, canon.Member{Name: name, Value: b.places[name].value(t)})
	}
	return canon.Object(members...)
}

func leafOf(t *testing.T, row argument) canon.Value {
	t.Helper()
	switch row.kind {
	case "string":
		return canon.String(row.value)
	case "empty object":
		return canon.Object()
	case "empty array":
		return canon.Array()
	case "number", "boolean", "null":
		v, err := canon.ParseStored([]byte(row.value))
		must(t, err)
		if fmt.Sprint(v.Kind()) != row.kind {
			t.Errorf("%q is shown as a %s", row.value, row.kind)
		}
		return v
	}
	t.Fatalf("the type of %q is %q", row.name, row.kind)
	return canon.Value{}
}

// shownAct is the act of a body as the digest covers it.
func shownAct(t *testing.T, body string) []byte {
	t.Helper()
	tree, err := canon.Parse([]byte(body))
	must(t, err)
	action, err := scoring.NewAction(tree)
	must(t, err)
	return action.Act().Canonical()
}

// reads fails where pages do not read back to exactly the act that was shown.
func reads(t *testing.T, what string, shown []byte, pages ...answer) {
	t.Helper()
	got := readPages(t, pages...)
	if !bytes.Equal(got.raw, shown) {
		t.Errorf("%s: the JSON reads back to\n%.2000q, want\n%.2000q", what, got.raw, shown)
	}
	if open := got.bytes(); !bytes.Equal(open, shown) {
		t.Errorf("%s: what stands in the open reads back to\n%.2000q, want\n%.2000q", what, open, shown)
	}
}
