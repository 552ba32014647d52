package console

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode"

	"golang.org/x/net/html"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/views/texts"
)

// inPseudo gives a site a second language, which puts each text between ⟦ and ⟧.
func (s *site) inPseudo() {
	s.console.choice = true
	s.console.match = func(accepted string) texts.Printer {
		if accepted == "en" {
			return texts.Printer{}
		}
		return texts.Pseudo()
	}
}

func TestEveryTextOfThePagesIsSaid(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.inPseudo()
	adam := s.join("adam", auth.Admin)
	s.invitation("somebody@new.example")
	a := s.submit(medium)
	s.submit(high)
	s.submit(critical)
	s.allowAhead("ada", a)
	proposal := s.proposal("ada")
	who := map[string]*browser{"adam": adam, "ada": s.signedIn("ada"), "cleo": s.signedIn("cleo"), "nobody": s.browser()}
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		for name, b := range who {
			for _, n := range Needs() {
				if n.Method != method || strings.HasSuffix(n.Path, "/live") || n.Path == staticPath || method == http.MethodPost && strings.Contains(n.Path, "sign-") {
					continue
				}
				path := strings.Replace(s.address(n.Path, "acme", a.ID), ":proposal", proposal, 1)
				var got answer
				if method == http.MethodGet {
					got = b.get(path)
				} else {
					got = b.post(path, nil)
				}
				if strings.HasPrefix(got.header.Get("Content-Type"), "text/html") {
					for _, raw := range unsaid(t, got.body) {
						t.Errorf("%s %s for %s: %s", n.Method, n.Path, name, raw)
					}
				}
			}
		}
	}
}

// unsaid are the texts of a page that do not come from the catalogue, and are no data.
func unsaid(t testing.TB, page string) []string {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	must(t, err)
	var all []string
	tell := func(n *html.Node, what, text string) {
		if raw := foreign(text); raw != "" && !isFault(t, raw) && !isName(raw) {
			all = append(all, n.Data+" "+what+": "+raw)
		}
	}
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			if n.Parent.Data == "noscript" { // whose content is text to the parser
				all = append(all, unsaid(t, n.Data)...)
			} else {
				tell(n.Parent, "text", n.Data)
			}
		}
		if n.Type == html.ElementNode {
			for _, a := range n.Attr {
				if slices.Contains([]string{"title", "aria-label", "aria-valuetext", "alt"}, a.Key) && n.Data != "time" {
					tell(n, a.Key, a.Val)
				}
			}
			if isData(n) {
				return
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(doc)
	return all
}

// isData reports whether what is in an element is no text of ours.
func isData(n *html.Node) bool {
	class := ""
	for _, a := range n.Attr {
		switch a.Key {
		case "class":
			class = a.Val
		case "id":
			if a.Val == "f-kind" { // the kinds of the record: it names them itself
				return true
			}
		}
	}
	for _, data := range []string{
		"mono", "member", // digests, ids and pointers
		"brand",
		"type", // of a JSON value
	} {
		if slices.Contains(strings.Fields(class), data) {
			return true
		}
	}
	switch n.Data {
	case "script", "style":
		return true
	case "kbd", "code": // keys and commands
		return true
	case "bdi": // the words of agents and people, and what is recorded
		return true
	}
	return false
}

// isName reports whether a text is made of the names that the site and the contract
// give: they are the same in every language.
func isName(raw string) bool {
	names := []string{"acme", "support-triage", "Countersign", "UTC", "Not found", "example"}
	for _, name := range []string{"Ada", "Adam", "Bob", "Cleo"} {
		names = append(names, name, name[:1], strings.ToLower(name)+"@example.com", name+" ("+strings.ToLower(name)+"@example.com)")
	}
	for _, c := range patterns.Categories() {
		names = append(names, sentence(strings.ReplaceAll(c, "-", " ")), c)
	}
	for _, a := range patterns.Actions() {
		names = append(names, string(a))
	}
	for _, name := range []string{"environment", "action_type", "code", "/version", "/service", "/note"} { // members of an action
		names = append(names, name)
	}
	return slices.Contains(names, strings.Trim(raw, " ,.:;"))
}

// faults are the details and titles of every refusal in the program, which are of the
// contract and read the same in every language: as expressions for what stands in
// their places.
var faults = sync.OnceValues(func() (*regexp.Regexp, error) {
	var all []string
	for _, code := range fault.Codes() {
		all = append(all, regexp.QuoteMeta(httpserver.Title(code)))
	}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			c, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if of, ok := c.Fun.(*ast.SelectorExpr); !ok || of.Sel.Name != "New" && of.Sel.Name != "Member" {
				return true
			}
			for _, arg := range c.Args {
				if l, ok := arg.(*ast.BasicLit); ok && l.Kind == token.STRING && strings.Contains(l.Value, " ") {
					text, _ := strconv.Unquote(l.Value)
					all = append(all, verb.ReplaceAllString(regexp.QuoteMeta(text), ".*"))
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return regexp.Compile("(?i)^(" + strings.Join(all, "|") + ")[.]?$")
})

var verb = regexp.MustCompile(`%[\\.0-9]*[a-z]`)

func isFault(t testing.TB, raw string) bool {
	t.Helper()
	known, err := faults()
	must(t, err)
	return known.MatchString(raw)
}

// foreign is what stands outside of ⟦ and ⟧ in a text, where it has letters.
func foreign(text string) string {
	var b strings.Builder
	deep := 0
	for _, r := range text {
		switch r {
		case '⟦':
			deep++
		case '⟧':
			deep--
		default:
			if deep == 0 {
				b.WriteRune(r)
			}
		}
	}
	if strings.IndexFunc(b.String(), unicode.IsLetter) < 0 {
		return ""
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
