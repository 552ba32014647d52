package console

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/gorilla/websocket"
	"golang.org/x/net/html"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/views/texts"
)

// pseudo is what a browser says to read a second language, which puts each text of the
// catalogue between ⟦ and ⟧.
const pseudo = "en-x-pseudo"

// inTwo gives a site that language.
func (s *site) inTwo() {
	s.console.choice = true
	s.console.match = func(accepted string) texts.Printer {
		if accepted == pseudo {
			return texts.Pseudo()
		}
		return texts.Printer{}
	}
}

// in asks for a page in a language; nil reads and what is not nil is posted.
func (b *browser) in(language, path string, form url.Values) answer {
	b.t.Helper()
	method := http.MethodGet
	if form != nil {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(b.t.Context(), method, b.url+path, strings.NewReader(form.Encode()))
	must(b.t, err)
	r.Header.Set("Accept-Language", language)
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", b.url)
	}
	return b.do(r)
}

func TestPagesSpeakTheReadersLanguage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn("ada")
	if vary := b.in(pseudo, "/t/acme/queue", nil).want(t, http.StatusOK, "Nothing waits for you").without(t, "⟦").header.Values("Vary"); slices.Contains(vary, "Accept-Language") {
		t.Errorf("one language, and the answer varies by it: %q", vary)
	}
	s.inTwo()
	for path, text := range map[string]string{"/t/acme/queue": "Nothing waits for you", "/nowhere": page404, "/sign-in": "Sign in"} {
		for language, want := range map[string]string{pseudo: "⟦" + text, "en": text} {
			page := b.in(language, path, nil)
			if !strings.Contains(page.body, want) || strings.Contains(page.body, "⟦") != (language == pseudo) || strings.Contains(page.body, `<html lang="en-x-pseudo"`) != (language == pseudo) {
				t.Errorf("%s in %s:\n%.300s", path, language, page.body)
			}
			if vary := page.header.Values("Vary"); len(slices.DeleteFunc(vary, func(v string) bool { return v != "Accept-Language" })) != 1 {
				t.Errorf("%s: Vary %q", path, page.header.Values("Vary"))
			}
		}
	}
	if vary := b.in(pseudo, "/static/css/base.css", nil).header.Values("Vary"); slices.Contains(vary, "Accept-Language") {
		t.Errorf("a file varies by language: %q", vary)
	}
}

// Readers of one language share a frame; no other reader gets it.
func TestFramesAreOfOneLanguage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada, bob, cleo := s.listener("ada", 4).begun(t), s.listener("bob", 4).begun(t), s.listener("cleo", 4).begun(t)
	cleo.say = texts.Pseudo()
	a := s.submit(medium)
	what, err := s.approvals.Changes(t.Context(), "acme", []string{a.ID})
	must(t, err)
	w := newWave([]string{a.ID}, what, nil)
	frame := func(k *socket) *websocket.PreparedMessage {
		parts, err := k.parts(t.Context(), w.what.QueuePage, w.rowsIn(k.say), nil, noAlike)
		must(t, err)
		m, err := w.frame(texts.With(t.Context(), k.say), parts)
		must(t, err)
		return m
	}
	if english := frame(ada); english != frame(bob) || english == frame(cleo) {
		t.Error("frames are shared by something else than what their readers see")
	}
}

// Every page that a site of ours has, in a language that marks what is said: nothing
// stands outside of its marks that is no data.
func TestEveryTextOfThePagesIsSaid(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	adam, ada, cleo := s.join("adam", auth.Admin), s.signedIn("ada"), s.signedIn("cleo")
	s.inTwo()
	said := 0
	check := func(b *browser, path string, form url.Values) {
		page := b.in(pseudo, path, form)
		if !strings.HasPrefix(page.header.Get("Content-Type"), "text/html") {
			return
		}
		said += strings.Count(page.body, "⟦")
		for _, raw := range unsaid(t, page.body) {
			t.Errorf("%s: %s", path, raw)
		}
	}
	all := func(id, proposal string, form url.Values) {
		for _, b := range []*browser{adam, ada, cleo, s.browser()} {
			for _, n := range Needs() {
				if strings.HasSuffix(n.Path, "/live") || n.Path == staticPath || strings.Contains(n.Path, "sign-") || n.Method == http.MethodPost != (form != nil) {
					continue
				}
				check(b, strings.Replace(s.address(n.Path, "acme", id), ":proposal", proposal, 1), form)
			}
		}
	}
	all("", "", nil) // where nothing has happened
	s.invitation("somebody@new.example")
	s.notes.keep(audit.SignedCheckpoint{Checkpoint: audit.Checkpoint{Tenant: "acme", Size: 1}, Note: []byte("countersign/acme\n1\n")})
	a := s.submit(medium)
	s.submit(medium)
	s.submit(critical)
	s.allowAhead("ada", a)
	s.busy(ada)
	all(a.ID, s.proposal("ada"), nil)

	asked := s.submit(high)
	request := "/t/acme/approvals/" + asked.ID
	check(ada, request, nil)
	s.clock.pass(11 * time.Second)
	ada.post(request+"/start", ada.get(request).form(t, "Start questions")).want(t, http.StatusSeeOther)
	check(ada, request, nil)
	check(ada, "/t/acme/queue", nil)
	ada.post(request+"/leave", ada.get(request).form(t, "leave")) // however it answers
	s.takeQuiz(ada, asked, true)
	check(ada, request, nil)
	ada.denies(asked, "no")
	for _, b := range []*browser{ada, cleo} {
		for _, path := range []string{request, "/t/acme/history", "/t/acme/audit", itemsURL("acme"), insightsURL("acme")} {
			check(b, path, nil)
		}
	}
	check(adam, policyPath+"/preview", adam.edited("thresholds.high", "0.9", "grant_seconds", "601"))
	check(adam, policyPath+"/preview", adam.edited("thresholds.high", "x", "grant_seconds", ""))
	for _, one := range []struct{ page, do string }{{"rules", "add"}, {"rules", "assessor"}, {"rules", "off:sudo_command"}, {"patterns", "add"}, {"functions", "add"}} {
		form := adam.get(settingsPath + one.page).typed(t)
		form.Set(fieldDo, one.do)
		check(adam, settingsPath+one.page, form)
	}
	for path, query := range map[string]string{
		"/t/acme/queue": "?level=HIGH&q=delete", "/t/acme/history": "?status=denied&decider=person&function=d&match=begins&from=2020-01-01",
		"/t/acme/audit": "?actor=policy&level=HIGH&colour=red", "/t/acme/insights": "?days=7",
	} {
		check(ada, path+query, nil)
		check(cleo, path+query, nil)
	}
	all(a.ID, s.proposal("ada"), url.Values{})
	if said < 10_000 {
		t.Errorf("%d texts were said: the test no longer sees them", said)
	}
}

// unsaid are the texts of a page that do not come from the catalogue, and are no data.
func unsaid(t testing.TB, page string) []string {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	must(t, err)
	var all []string
	tell := func(n *html.Node, what, text string) {
		if n.Data == "legend" && strings.HasSuffix(text, "?") {
			return // a question is recorded as it was asked
		}
		if raw := foreign(text); raw != "" && !isName(raw) {
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
			if isData(n) {
				return
			}
			for _, a := range n.Attr {
				if slices.Contains([]string{"title", "aria-label", "aria-valuetext", "alt"}, a.Key) && n.Data != "time" {
					tell(n, a.Key, a.Val)
				}
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
	case "kbd", "code", "pre": // keys, commands and signed notes
		return true
	case "bdi", "textarea": // the words of agents and people, and what is recorded or typed
		return true
	}
	return false
}

// isName reports whether a text is made of the names that the site and the contract
// give: they are the same in every language.
func isName(raw string) bool {
	names := []string{"acme", "support-triage", "Countersign", "UTC", "example"}
	for _, name := range []string{"Ada", "Adam", "Bob", "Cleo"} {
		names = append(names, name, name[:1], strings.ToLower(name)+"@example.com", name+" ("+strings.ToLower(name)+"@example.com)")
	}
	for _, c := range patterns.Categories() {
		names = append(names, sentence(strings.ReplaceAll(c, "-", " ")), c)
	}
	for _, a := range patterns.Actions() {
		names = append(names, string(a))
	}
	for _, l := range patterns.Severities() {
		names = append(names, string(l))
	}
	names = append(names, "environment", "action_type", "code", "/version", "/service", "/note") // members of an action

	raw = strings.Trim(raw, " ,.:;·0123456789")
	return slices.Contains(names, raw) || slices.Contains(names, sentence(raw))
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
