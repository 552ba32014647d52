package console

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/gorilla/websocket"
	"golang.org/x/net/html"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/policyui"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/rules"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views/texts"
)

// pseudo is what a browser says to read a second language, which puts each text of the
// catalogue between ⟦ and ⟧.
const pseudo = "en-x-pseudo"

// accented is what it says for one that has an accent on each letter of the catalogue.
const accented = "en-x-accented"

// Both change each text of the catalogue, once for all pages.
var inPseudo, inAccents = sync.OnceValue(texts.Pseudo), sync.OnceValue(texts.Accented)

// inTwo gives a site that language.
func (s *site) inTwo() {
	s.console.Choice = true
	s.console.Match = func(accepted string) texts.Printer {
		switch accepted {
		case pseudo:
			return inPseudo()
		case accented:
			return inAccents()
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
	if vary := b.in(pseudo, "/t/acme/queue", nil).want(t, http.StatusOK, "You're all caught up").without(t, "⟦").header.Values("Vary"); slices.Contains(vary, "Accept-Language") {
		t.Errorf("one language, and the answer varies by it: %q", vary)
	}
	s.inTwo()
	for path, text := range map[string]string{"/t/acme/queue": "You're all caught up", "/nowhere": page404, "/sign-in": "Sign in"} {
		for language, want := range map[string]string{pseudo: "⟦" + html.EscapeString(text), "en": html.EscapeString(text)} {
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
	w := newBroadcast([]string{a.ID}, what, nil)
	frame := func(k *socket) *websocket.PreparedMessage {
		parts, err := k.parts(t.Context(), w.what.QueuePage, w.rowsIn(k.say), noAlike)
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
	s.join("dora", auth.Admin)
	s.inTwo()
	said := 0
	check := func(b *browser, path string, form url.Values) {
		page := b.in(accented, path, form)
		if !strings.HasPrefix(page.header.Get("Content-Type"), "text/html") {
			return
		}
		said += strings.Count(page.body, "á")
		for _, raw := range english(t, page.body) {
			t.Errorf("%s: %s", path, raw)
		}
	}
	all := func(id, proposal string, form url.Values) {
		for _, b := range []*browser{adam, ada, cleo, s.browser()} {
			for _, n := range Routes() {
				if strings.HasSuffix(n.Path, "/live") || n.Path == edge.StaticPath || strings.Contains(n.Path, "sign-") || n.Method == http.MethodPost != (form != nil) {
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
	worst := s.submit(critical)
	s.allowAhead("ada", a)
	s.submit(medium) // which it lets through
	s.busy(ada)
	all(a.ID, s.proposal("ada"), nil)

	check(ada, "/t/acme/approvals/"+worst.ID, nil)
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
		for _, path := range []string{request, "/t/acme/history", "/t/acme/audit", urls.Items("acme"), urls.Insights("acme")} {
			check(b, path, nil)
		}
	}
	check(adam, policyPath+"/preview", adam.edited("thresholds.high", "0.9", "grant_seconds", "601"))
	check(adam, policyPath+"/preview", adam.edited("thresholds.high", "x", "grant_seconds", ""))
	for _, one := range []struct{ page, do string }{{"rules", "add"}, {"rules", "assessor"}, {"rules", "add-scorer"}, {"rules", "off:sudo_command"}, {"patterns", "add"}, {"functions", "add"}} {
		form := adam.get(settingsPath + one.page).typed(t)
		form.Set(policyui.FieldDo, one.do)
		check(adam, settingsPath+one.page, form)
	}
	draft := adam.press("patterns", "edit:sql-drop", adam.get(settingsPath+"patterns"))
	for _, do := range []struct{ do, severity string }{{"edit:sql-drop", ""}, {"put", "low"}, {"try", ""}} {
		form := draft.typed(t)
		form.Set(policyui.FieldDo, do.do)
		if do.severity != "" {
			form.Set(edge.EditPrefix+"severity", do.severity)
			form.Set(edge.EditPrefix+"action", "confirm")
		}
		form.Set(edge.TryPrefix+"code", "DROP DATABASE billing")
		check(adam, settingsPath+"patterns", form)
		draft = adam.post(settingsPath+"patterns", form)
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

// spokenIn tells every text of a page that people read or hear, and that is no data.
func spokenIn(t testing.TB, page string, tell func(n *html.Node, what, text string)) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	must(t, err)
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		if n.Type == html.TextNode {
			if n.Parent.Data == "noscript" { // whose content is text to the parser
				spokenIn(t, n.Data, tell)
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
}

// english are the words of a page in letters without an accent, where its texts have
// one on each: what no language says, unless it is data. An argument of a text is seen
// by it, which stands inside of ⟦ and ⟧.
func english(t testing.TB, page string) []string {
	t.Helper()
	var all []string
	spokenIn(t, page, func(n *html.Node, what, text string) {
		if n.Data == "title" || slices.Contains(members, text) { // of the window: it names the act as it is recorded
			return
		}
		for _, w := range asciiWord.FindAllString(data().Replace(identifier.ReplaceAllString(text, "")), -1) {
			all = append(all, n.Data+" "+what+": "+w+" in "+text)
		}
	})
	return all
}

var (
	asciiWord = regexp.MustCompile(`[A-Za-z]{2,}`)
	// identifier is an id, an address, or what stands in quotation marks: a reason, as it
	// was written or recorded.
	identifier = regexp.MustCompile(`(· [\w.$-]+ )?“[^”]*(?:”|…)|· \+[0-9]+ values?|\b(apr|stg|ses|usr|csk_acme)_[0-9A-Za-z_-]+|\b[0-9]\+[0-9a-f]{8}\b|\b[a-z]+@[a-z.]+`)
)

// members are those of the actions of the site, where one stands alone.
var members = []string{"environment", "action_type", "code", "/version", "/service", "/note", "version", "service", "note", "user_id", "table", "recipient", "reason", "irreversible", "amount", "database"}

// data takes out of a text what the site was given, and the names of the contract and
// of the library: they are the same in every language.
var data = sync.OnceValue(func() *strings.Replacer {
	names := []string{
		"acme", "support-triage", tenants.SampleAgent, "Countersign", "UTC",
		"deploy_service", "delete_user", "get_user", "run_sql", // functions
		"Deploy service checkout-api in staging", "Delete user usr_123 in production", // acts, in a text
		"checkout-api", "checkout", "staging", "production", "billing", "accounts", "Zürich", // what they are about
		"arguments/service", "arguments/user_id", "arguments/table", "arguments/recipient", "arguments/amount", "arguments/database", "íń environment", "íń code", "/code", // where
		"a value holds an email address", // what a factor noted
		"every night", "quieter", "“no”", // reasons
		"Not a name", "error parsing regexp: missing closing ): `(?i)(`", // as typed, and of RE2
		"/note", "/service", "/version", "colour", "show, q, text, kind, actor, agent, approval, level, effect, function, match, from, to, before, after", // of an address
		"RLO", "RIGHT-TO-LEFT OVERRIDE", // of Unicode
		"Adam", "Ada", "Bob", "Cleo", "Dora", "Zoe",
	}
	for _, p := range patterns.Default().Patterns() {
		names = append(names, p.ID)
	}
	for _, r := range rules.Default() {
		names = append(names, r.Name)
	}
	for _, k := range audit.Kinds() {
		names = append(names, string(k))
	}
	slices.SortFunc(names, func(a, b string) int { return len(b) - len(a) }) // the first that fits is taken
	var pairs []string
	for _, name := range names {
		pairs = append(pairs, name, "")
	}
	return strings.NewReplacer(pairs...)
})

// isData reports whether what is in an element is no text of ours.
func isData(n *html.Node) bool {
	class := ""
	for _, a := range n.Attr {
		switch a.Key {
		case "class":
			class = a.Val
		case "lang": // of what is recorded in English
			if a.Val == "en" && n.Data != "html" {
				return true
			}
		case "dir": // free text of agents and people
			if a.Val == "auto" {
				return true
			}
		}
	}
	for _, data := range []string{
		"code",           // of an agent, an organisation, and the YAML of a policy
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
	case "textarea": // what is recorded or typed
		return true
	case "bdi": // an answer of a quiz, which is what stands in an action
		return isOption(n.Parent) || isOption(n.Parent.Parent.Parent)
	}
	return false
}

func isOption(n *html.Node) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool {
		return a.Key == "class" && (a.Val == "option" || a.Val == "reviewed-options")
	})
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
