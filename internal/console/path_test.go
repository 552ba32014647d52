package console

import (
	"encoding/json"
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

// quoted is an address at the beginning of a text, in a script or a style sheet.
var quoted = regexp.MustCompile("[\"'`(](/[a-z.][a-z.-]*)(?:[/?\"'`)])")

// lacksPath reports whether an address of firstParts lacks the path.
func lacksPath(address string) bool {
	first, ok := strings.CutPrefix(address, "/")
	if i := strings.IndexAny(first, "/?#"); i >= 0 {
		first = first[:i]
	}
	return ok && slices.Contains(firstParts, first) && !strings.HasPrefix(address+"/", under+"/")
}

// lacking are the addresses in an answer that lack the path, with where each stands.
func (a answer) lacking(t *testing.T) (all []string, links []string) {
	t.Helper()
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
		var m struct {
			Start string `json:"start_url"`
			Scope string
			Icons []struct{ Src string }
		}
		must(t, json.Unmarshal([]byte(a.body), &m))
		note("start_url", m.Start)
		note("scope", m.Scope)
		for _, icon := range m.Icons {
			note("icon", icon.Src)
			links = append(links, under+"/static/"+icon.Src)
		}
	}
	return all, links
}

// Every address that leaves a server under a path has it, and leads somewhere: of each page with an address of
// its own, of whatever is linked from there, and of all that these load.
func TestEveryAddressHasThePath(t *testing.T) {
	t.Parallel()
	s := newSiteUnder(t, under)
	adam := s.join("adam", auth.Admin, auth.Compliance, auth.Operator)
	s.invitation("somebody@new.example")
	s.notes.keep(audit.SignedCheckpoint{Checkpoint: audit.Checkpoint{Tenant: "acme", Size: 1}, Note: []byte("countersign/acme\n1\n")})
	a := s.submit(medium)
	s.submit(high)
	s.submit(critical)
	s.allowAhead("ada", s.submit(medium))
	s.plan("adam")
	root := strings.TrimSuffix(s.url, under)
	var todo []string
	known := map[string]bool{"": true}
	add := func(address string) {
		address, _, _ = strings.Cut(address, "#")
		if !known[address] && strings.HasPrefix(address, "/") {
			known[address] = true
			todo = append(todo, address)
		}
	}
	for _, r := range Routes() {
		if r.Method == http.MethodGet && !strings.HasSuffix(r.Path, "/live") {
			add(under + s.address(r.Path, "acme", a.ID))
		}
	}
	add(under) // without a slash at its end
	linked := len(todo)
	for _, who := range []*browser{s.browser(), adam} {
		for i := 0; i < len(todo); i++ {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, root+todo[i], nil)
			must(t, err)
			got := who.do(r)
			all, links := got.lacking(t)
			for _, said := range all {
				t.Errorf("%s: %s lacks %s", todo[i], said, under)
			}
			if who != adam {
				continue
			}
			if i >= linked && got.status >= 400 && !strings.Contains(todo[i], "/guide/") {
				t.Errorf("%s is linked, and answers %d", todo[i], got.status)
			}
			for _, link := range append(links, got.location()) {
				add(link)
			}
		}
	}
	if len(todo) < 2*len(Routes())/3 {
		t.Errorf("%d addresses only: the test doesn't find the pages", len(todo))
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
			if all, _ := (answer{header: http.Header{"Content-Type": {"text/html"}}, body: frame}).lacking(t); len(all) > 0 {
				t.Errorf("a live page is told of %q", all)
			}
		}
		form := page.form(t, `value="deny"`)
		form.Set("reason", "not now")
		if got := b.postFromScript("/t/acme/approvals/"+a.ID+"/decide", form); got.header.Get("Content-Location") == "" || lacksPath(got.header.Get("Content-Location")) {
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
