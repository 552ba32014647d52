package console

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/net/html"

	"github.com/countersign/countersign/internal/auth"
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

// unsaid are the texts of a page that do not come from the catalogue.
func unsaid(t testing.TB, page string) []string {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	must(t, err)
	var all []string
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.ElementNode {
			for _, a := range n.Attr {
				if slices.Contains([]string{"title", "aria-label", "aria-valuetext", "placeholder", "alt"}, a.Key) && foreign(a.Val) != "" {
					all = append(all, n.Data+" "+a.Key+": "+foreign(a.Val))
				}
			}
			if isData(n) {
				return
			}
		}
		if n.Type == html.TextNode && foreign(n.Data) != "" {
			all = append(all, where(n.Parent)+": "+foreign(n.Data))
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			walk(c)
		}
	}
	walk(doc)
	return all
}

func where(n *html.Node) string {
	for _, a := range n.Attr {
		if a.Key == "class" {
			return n.Data + "." + a.Val
		}
	}
	return n.Data
}

func isData(n *html.Node) bool {
	for _, a := range n.Attr {
		if a.Key == "class" && slices.ContainsFunc(strings.Fields(a.Val), func(class string) bool { return slices.Contains([]string{"mono", "brand"}, class) }) {
			return true
		}
	}
	return slices.Contains([]string{"script", "style", "kbd", "code", "time", "bdi"}, n.Data)
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
