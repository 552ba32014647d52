// Package handbook renders the pages of docs/ for the console's Help.
package handbook

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/countersign/countersign/docs"
)

// Page is a page of the handbook.
type Page struct {
	Name  string // its file without ".md", and the last part of its address
	Title string
	Parts []Part
	html  string
}

// Render writes what follows the title, as HTML; links to other pages are relative to this one.
func (p Page) Render(_ context.Context, w io.Writer) error {
	_, err := io.WriteString(w, p.html)
	return err
}

// Part is a second-level heading of a page.
type Part struct{ ID, Title string }

// Pages are all pages, by title. They are rendered at the first call.
var Pages = sync.OnceValues(func() ([]Page, error) {
	files, err := docs.Pages.ReadDir(".")
	if err != nil {
		return nil, err
	}
	sources, titles := map[string][]byte{}, map[string]string{}
	for _, f := range files {
		source, err := docs.Pages.ReadFile(f.Name())
		if err != nil {
			return nil, err
		}
		first, _, _ := strings.Cut(string(source), "\n")
		name := strings.TrimSuffix(f.Name(), ".md")
		sources[name], titles[name] = source, strings.TrimPrefix(first, "# ")
	}
	var all []Page
	for name, source := range sources {
		p, err := render(name, source, titles)
		if err != nil {
			return nil, fmt.Errorf("handbook: %s.md: %w", name, err)
		}
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b Page) int { return strings.Compare(a.Title, b.Title) })
	return all, nil
})

// HTML in a page isn't rendered: goldmark leaves it out unless it's told otherwise.
var markdown = goldmark.New(
	goldmark.WithExtensions(extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute))),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
)

// What scrolls sideways can be reached with the keyboard.
var scrolls = strings.NewReplacer(
	"<table>", `<div class="table-wrap" tabindex="0"><table class="table">`, "</table>", "</table></div>",
	"<pre>", `<pre class="code" tabindex="0">`,
)

// render reads a page. titles are those of the pages that a link may lead to.
func render(name string, source []byte, titles map[string]string) (Page, error) {
	p := Page{Name: name, Title: titles[name]}
	root := markdown.Parser().Parse(text.NewReader(source), parser.WithContext(parser.NewContext(parser.WithIDs(ids{}))))
	title, ok := root.FirstChild().(*ast.Heading)
	if !ok || title.Level != 1 {
		return p, fmt.Errorf("it must begin with its title")
	}
	root.RemoveChild(root, title)
	var elsewhere []*ast.Link
	err := ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Heading:
			if n.Level == 2 {
				id, _ := n.AttributeString("id")
				p.Parts = append(p.Parts, Part{ID: string(id.([]byte)), Title: words(n, source)})
			}
		case *ast.Link:
			to, here := address(string(n.Destination), titles)
			if words(n, source) == string(n.Destination) { // in a file its name says enough
				n.RemoveChildren(n)
				n.AppendChild(n, ast.NewString([]byte(titles[to])))
			}
			if !here {
				elsewhere = append(elsewhere, n)
			}
			n.Destination = []byte(to)
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return p, err
	}
	for _, link := range elsewhere {
		unlink(link)
	}
	var b bytes.Buffer
	if err := markdown.Renderer().Render(&b, source, root); err != nil {
		return p, err
	}
	p.html = scrolls.Replace(b.String())
	return p, nil
}

// address is where a link of a file leads here, and whether it leads anywhere: files of the
// repository that are no pages are not part of the program.
func address(link string, titles map[string]string) (string, bool) {
	if strings.HasPrefix(link, "https://") {
		return link, true
	}
	file, anchor, has := strings.Cut(link, "#")
	page := strings.TrimSuffix(file, ".md")
	if file != "" && (page == file || titles[page] == "") {
		return "", false
	}
	if has {
		return page + "#" + prefix + anchor, true
	}
	return page, true
}

// unlink puts what a link says in the link's place.
func unlink(link *ast.Link) {
	parent := link.Parent()
	for child := link.FirstChild(); child != nil; child = link.FirstChild() {
		parent.InsertBefore(parent, link, child)
	}
	parent.RemoveChild(parent, link)
}

// words are the text of a node.
func words(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if t, ok := n.(*ast.Text); ok && entering {
			b.Write(t.Segment.Value(source))
		}
		return ast.WalkContinue, nil
	})
	return b.String()
}

// prefix keeps headings from having the name of a part of the console.
const prefix = "doc-"

// ids names headings as GitHub does, behind the prefix.
type ids struct{}

func (ids) Generate(value []byte, _ ast.NodeKind) []byte {
	return []byte(prefix + Anchor(string(value)))
}

func (ids) Put([]byte) {}

// Anchor is the name of a heading.
func Anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsNumber(r):
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}
