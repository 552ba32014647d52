package command

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/countersign/countersign/internal/console"
)

// pages are the addresses that are read, as the organisation's person.
func (h *canaryHouse) pages() (all []string) {
	for _, n := range console.Routes() {
		if n.Method != http.MethodGet || !strings.HasPrefix(n.Path, "/t/:tenant") || strings.HasSuffix(n.Path, "/live") {
			continue
		}
		for _, id := range idsFor(n.Path, h.tenant.actions) {
			all = append(all, h.tenant.fill(h.t, n.Path, id))
		}
	}
	return append(all, "/account")
}

var (
	ownIDs = regexp.MustCompile(`[a-z]{3}_[0-9a-f]{32}`)
	digits = regexp.MustCompile(`[0-9]+`)
)

// webForm is a form of a page.
type webForm struct {
	method, action string
	fields         url.Values
}

// leaves are forms that would end what the test stands on.
var leaves = []string{"/sign-out", "/sign-out-everywhere", "/stop-all", "/password"}

// everyForm sends each form of each page with a secret in one of its fields after the other.
func (h *canaryHouse) everyForm() {
	h.t.Helper()
	done, kind := map[string]bool{}, 0
	for _, path := range h.pages() {
		_, page := h.get(path)
		for _, f := range formsOf(h.t, h.URL()+path, page) {
			if slices.ContainsFunc(leaves, func(end string) bool { return strings.HasSuffix(f.action, end) }) {
				continue
			}
			for _, name := range slices.Sorted(maps.Keys(f.fields)) {
				what := f.method + " " + ownIDs.ReplaceAllString(f.action, "*") + " " + digits.ReplaceAllString(name, "0")
				if done[what] {
					continue
				}
				done[what] = true
				sent := url.Values{}
				for n, v := range f.fields {
					sent[n] = slices.Clone(v)
				}
				which := kind % canaryKinds
				if which == ownKind && !strings.HasPrefix(f.action, "/t/") { // signing in knows no organisation's patterns
					which = 0
				}
				sent.Set(name, h.secret(which, what))
				kind++
				if f.method == http.MethodGet {
					h.get(f.action + "?" + sent.Encode())
				} else {
					h.post(f.action, sent)
				}
			}
		}
	}
	if len(done) < 150 {
		h.t.Errorf("only %d fields were found on the pages", len(done))
	}
}

// formsOf are the forms of a page, with what they would send as they stand.
func formsOf(t *testing.T, at, page string) (all []webForm) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	base, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	attribute := func(n *html.Node, name string) string {
		for _, a := range n.Attr {
			if a.Key == name {
				return a.Val
			}
		}
		return ""
	}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode || n.Data != "form" {
			continue
		}
		to, err := base.Parse(attribute(n, "action"))
		if err != nil {
			t.Fatal(err)
		}
		f := webForm{method: strings.ToUpper(attribute(n, "method")), action: to.Path, fields: url.Values{}}
		if f.method == "" {
			f.method = http.MethodGet
		}
		for field := range n.Descendants() {
			if name := attribute(field, "name"); field.Type == html.ElementNode && name != "" {
				f.fields.Set(name, attribute(field, "value"))
			}
		}
		all = append(all, f)
	}
	return all
}

// everyName sends a secret in every field that the console reads, whatever the address.
func (h *canaryHouse) everyName() {
	h.t.Helper()
	names := fieldNames(h.t)
	for _, n := range console.Routes() {
		if !strings.HasPrefix(n.Path, "/t/:tenant") || strings.HasSuffix(n.Path, "/live") || slices.ContainsFunc(leaves, func(end string) bool { return strings.HasSuffix(n.Path, end) }) {
			continue
		}
		form := url.Values{}
		for i, name := range names {
			form.Set(name, h.secret(i%canaryKinds, n.Path+" "+name))
		}
		form.Set(h.secret(0, n.Path+" (a name)"), h.secret(1, n.Path+" (its value)"))
		for _, id := range idsFor(n.Path, h.tenant.actions)[:1] {
			if path := h.tenant.fill(h.t, n.Path, id); n.Method == http.MethodGet {
				h.get(strings.SplitN(path, "?", 2)[0] + "?" + form.Encode())
			} else {
				h.post(path, form)
			}
		}
	}
}

// fieldNames are the names of fields and parameters in the console's own code.
func fieldNames(t *testing.T) []string {
	t.Helper()
	constants, found := map[string]string{}, map[string]bool{}
	var files []*ast.File
	sources, err := filepath.Glob("../../internal/console/*.go")
	if err != nil {
		t.Fatal(err)
	}
	inside, err := filepath.Glob("../../internal/console/*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	sources = append(sources, inside...)
	for _, source := range sources {
		if strings.HasSuffix(source, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), source, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	text := func(e ast.Expr) string {
		switch e := e.(type) {
		case *ast.BasicLit:
			s, _ := strconv.Unquote(e.Value)
			return s
		case *ast.Ident:
			return constants[e.Name]
		}
		return ""
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok && len(v.Names) == len(v.Values) {
				for i, name := range v.Names {
					constants[name.Name] = text(v.Values[i])
				}
			}
			return true
		})
	}
	reads := []string{"Field", "Get", "QueryParam", "Form", "One", "Choices"}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				if of, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains(reads, of.Sel.Name) && len(n.Args) > 0 {
					found[text(n.Args[0])] = true
				}
			case *ast.IndexExpr:
				found[text(n.Index)] = true
			}
			return true
		})
	}
	delete(found, "")
	if len(found) < 50 {
		t.Errorf("only %d names were found in the console's code", len(found))
	}
	return slices.Sorted(maps.Keys(found))
}
