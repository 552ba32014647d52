package console

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
)

// under is the path of the public URL in these tests.
const under = "/tools/countersign"

// firstParts begin the addresses of the server; "" is the root's.
var firstParts = func() (all []string) {
	for _, r := range Routes() {
		first, _, _ := strings.Cut(r.Path[1:], "/")
		all = append(all, first)
	}
	slices.Sort(all)
	return append(slices.Compact(all), "api", "healthz", "readyz", "metrics", ".well-known")
}()

// quoted is the beginning of an address in a script or a style sheet.
var quoted = regexp.MustCompile("[\"'`(](/[a-z.][a-z.-]*)[/?\"'`)]")

// lacksPath reports whether an address of ours lacks the path.
func lacksPath(address string) bool {
	first, ok := strings.CutPrefix(address, "/")
	if i := strings.IndexAny(first, "/?#"); i >= 0 {
		first = first[:i]
	}
	return ok && slices.Contains(firstParts, first)
}

// lacking are the addresses in an answer that lack the path, with where each stands, and links are
// those that a page leads to or loads.
func (a answer) lacking() (all, links []string) {
	note := func(where, address string) {
		if lacksPath(address) {
			all = append(all, where+" "+address)
		}
	}
	for _, name := range []string{"Location", "Content-Location", "Refresh", "Link"} {
		note(name, a.header.Get(name))
	}
	for _, c := range (&http.Response{Header: a.header}).Cookies() {
		if !strings.HasSuffix(c.Name, strings.ReplaceAll(under, "/", ".")) {
			all = append(all, "Set-Cookie "+c.Name)
		}
	}
	switch kind, _, _ := strings.Cut(a.header.Get("Content-Type"), ";"); kind {
	case "text/html":
		for z := html.NewTokenizer(strings.NewReader(a.body)); z.Next() != html.ErrorToken; {
			for _, attr := range z.Token().Attr {
				if attr.Key != "value" { // of a field: the server reads it itself
					note(attr.Key, attr.Val)
				}
				if attr.Key == "href" || attr.Key == "src" {
					links = append(links, attr.Val)
				}
			}
		}
	case "text/javascript", "text/css":
		for _, m := range quoted.FindAllStringSubmatch(a.body, -1) {
			note(kind, m[1])
		}
	case "application/manifest+json":
		if strings.Contains(a.body, `"/`) {
			all = append(all, a.body)
		}
	}
	return all, links
}

// number is what tells two pages apart that are about things of one kind.
var number = regexp.MustCompile(`\?.*|[0-9a-f]{32}|/[0-9]+`)

// Every address that leaves a server under a path has it, and leads somewhere: of each page with an address of
// its own, of whatever is linked from there, and of all that these load.
func TestEveryAddressHasThePath(t *testing.T) {
	t.Parallel()
	s := newSiteUnder(t, under)
	adam, stranger := s.join("adam", auth.Admin, auth.Compliance, auth.Operator), s.browser()
	s.invitation("somebody@new.example")
	s.notes.keep(audit.SignedCheckpoint{Checkpoint: audit.Checkpoint{Tenant: "acme", Size: 1}, Note: []byte("countersign/acme\n1\n")})
	a := s.submit(medium)
	s.submit(high)
	s.submit(critical)
	s.allowAhead("ada", a)
	s.plan("adam")
	todo := []string{""} // without a slash at its end
	for _, r := range Routes() {
		if r.Method == http.MethodGet && !strings.HasSuffix(r.Path, "/live") {
			todo = append(todo, s.address(r.Path, "acme", a.ID))
		}
	}
	own, known := len(todo), map[string]bool{}
	for i := 0; i < len(todo); i++ {
		got := adam.get(todo[i])
		all, links := got.lacking()
		if i < own {
			more, _ := stranger.get(todo[i]).lacking()
			all = append(all, more...)
		} else if got.status >= 400 {
			t.Errorf("%s is linked, and answers %d", todo[i], got.status)
		}
		for _, said := range all {
			t.Errorf("%s: %s lacks %s", todo[i], said, under)
		}
		for _, link := range append(links, got.location()) {
			link, _, _ = strings.Cut(strings.TrimPrefix(link, under), "#")
			if kind := number.ReplaceAllString(link, ""); strings.HasPrefix(link, "/") && !known[kind] {
				known[kind] = true
				todo = append(todo, link)
			}
		}
	}
	t.Logf("%d addresses of routes, %d that are linked", own, len(todo)-own)
	if len(todo)-own < 50 {
		t.Error("the test doesn't find the pages")
	}
}

// A proxy may take the path off: what comes without it is answered alike. What a live page is told, a script
// and a sign-in have the path, too.
func TestPathThatAProxyTookOff(t *testing.T) {
	t.Parallel()
	s := newSiteUnder(t, under)
	ada, root := s.signedIn("ada"), strings.TrimSuffix(s.url, under)
	stripped := *s
	stripped.url = root
	bare := &browser{&stripped, ada.client}
	for _, b := range []*browser{ada, bare} {
		a := s.submit(medium)
		page := b.get("/t/acme/approvals/"+a.ID).want(t, http.StatusOK, `href="`+under+`/t/acme/queue"`)
		conn, status := b.dial("/t/acme/live", root)
		if conn == nil {
			t.Fatalf("the feed answers %d", status)
		}
		s.settled(conn)
		other := s.submit(medium)
		for frame := ""; !strings.Contains(frame, other.ID); {
			frame = next(t, conn)
			if all, _ := (answer{header: http.Header{"Content-Type": {"text/html"}}, body: frame}).lacking(); len(all) > 0 {
				t.Errorf("a live page is told of %q", all)
			}
		}
		form := page.form(t, `value="deny"`)
		form.Set("reason", "not now")
		if got := b.postFromScript("/t/acme/approvals/"+a.ID+"/decide", form); !strings.HasPrefix(got.header.Get("Content-Location"), under+"/") {
			t.Errorf("a script is led to %q", got.header.Get("Content-Location"))
		}
		stranger := &browser{b.site, s.browser().client}
		if got := stranger.get("/t/acme/queue?q=x").location(); got != under+"/sign-in?next="+url.QueryEscape("/t/acme/queue?q=x") {
			t.Errorf("a stranger is led to %q", got)
		}
		if got := b.get("/t/acme" + under).status; got != http.StatusNotFound { // only the beginning counts
			t.Errorf("a page inside of the path answers %d", got)
		}
	}
	if edge.LocalPath(under+"/t/acme/queue") != "" { // inside of the server no address has it
		t.Error("a sign-in leads to the path twice")
	}
}
