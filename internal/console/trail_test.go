package console

import (
	"encoding/csv"
	"encoding/hex"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/tenants"
)

var (
	olderLink  = regexp.MustCompile(`rel="next" href="([^"]*)"`)
	newerLink  = regexp.MustCompile(`rel="prev" href="([^"]*)"`)
	entryLinks = regexp.MustCompile(`<a class="mono" href="/t/\w+/audit/(\d+)"`)
	entryRows  = regexp.MustCompile(`<th scope="row"><a class="mono" href="/t/\w+/audit/(\d+)"`)
	requestIDs = regexp.MustCompile(`<tr id="approval-(apr_\w+)"`)
)

// link is the address that a link of a page leads to.
func link(a answer, r *regexp.Regexp) string {
	if m := r.FindStringSubmatch(a.body); m != nil {
		return html.UnescapeString(m[1])
	}
	return ""
}

func olderPage(a answer) string { return link(a, olderLink) }

func found(a answer, r *regexp.Regexp) (all []string) {
	for _, m := range r.FindAllStringSubmatch(a.body, -1) {
		all = append(all, m[1])
	}
	return all
}

// follow reads a list to its end and back again: both ways show the same.
func (b *browser) follow(path string, rows *regexp.Regexp) (all []string) {
	b.t.Helper()
	var pages [][]string
	var last answer
	for next := path; next != ""; {
		last = b.get(next).want(b.t, http.StatusOK)
		pages = append(pages, found(last, rows))
		all = append(all, pages[len(pages)-1]...)
		if next = olderPage(last); len(pages) > 20 {
			b.t.Fatal("the list has no end")
		}
	}
	for i := len(pages) - 2; i >= 0; i-- {
		next := link(last, newerLink)
		if next == "" {
			b.t.Fatalf("%s: page %d has no way back", path, i+1)
		}
		if last = b.get(next); last.status == http.StatusSeeOther {
			last = b.get(last.location())
		}
		if back := found(last.want(b.t, http.StatusOK), rows); !slices.Equal(back, pages[i]) {
			b.t.Errorf("%s: page %d is %v, and %v on the way back", path, i, pages[i], back)
		}
	}
	return all
}

// denies ends a request as a person does.
func (b *browser) denies(a approvals.Approval, reason string) {
	b.t.Helper()
	form := url.Values{"verdict": {"deny"}, "reason": {reason}, "digest": {a.ShownDigest}, "version": {"1"}}
	if got := b.post("/t/acme/approvals/"+a.ID+"/decide", form); got.status != http.StatusSeeOther {
		b.t.Fatalf("deny: %d %s", got.status, got.main())
	}
}

// matching are the indexes that a filter chooses, newest first.
func (s *site) matching(f audit.Filter) (all []string) {
	s.t.Helper()
	head, err := s.store.Audit().Head(s.t.Context(), "acme")
	must(s.t, err)
	must(s.t, s.store.Audit().Walk(s.t.Context(), "acme", f, head.Size, func(r audit.Record) error {
		all = append(all, strconv.FormatInt(r.Event.Index, 10))
		return nil
	}))
	slices.Reverse(all)
	return all
}

func TestTrailIsReadByPages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for range 60 {
		s.submit(medium)
	}
	b := s.signedIn("cleo")
	b.get("/t/acme/audit?show=any").want(t, http.StatusOK, "Not verified yet", "This page shows what's stored. It hasn't been verified", "approval.submitted", "Proposed “Deploy service” “checkout-api” · environment “staging” · version “4.18.2” · note “Zürich”", "support-triage", "just now")
	for path, filter := range map[string]audit.Filter{
		"/t/acme/audit?show=any": {},
		"/t/acme/audit?kind=approval.submitted&kind=sign_in.succeeded":  {Kinds: []audit.Kind{audit.Submitted, audit.SignedIn}},
		"/t/acme/audit?actor=agent%3A" + s.agent.ID:                     {Actor: audit.Actor{Kind: "agent", ID: s.agent.ID}},
		"/t/acme/audit?level=MEDIUM&function=deploy_&match=begins":      {Levels: []string{"MEDIUM"}, Function: "deploy_", Prefix: true},
		"/t/acme/audit?text=DEPLOY_service&agent=" + s.agent.ID:         {Text: "deploy_service", Agent: s.agent.ID},
		"/t/acme/audit?kind=approval.submitted&from=2001-01-01T00%3A00": {Kinds: []audit.Kind{audit.Submitted}},
	} {
		want := s.matching(filter)
		if got := b.follow(path, entryLinks); !slices.Equal(got, want) || len(want) == 0 {
			t.Errorf("%s shows %v\nwant %v", path, got, want)
		}
	}
	b.get("/t/acme/audit?before=0").want(t, http.StatusOK, "Nothing here")
	b.get("/t/acme/audit?show=any&before=99999999").want(t, http.StatusOK, "approval.submitted")
	b.get("/t/acme/audit?text=nothing-holds-this").want(t, http.StatusOK, "No matching entries", "Clear filters")
}

// One state has one address; what is no state keeps what was typed.
func TestTrailAddresses(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn("ada")
	for given, want := range map[string]string{
		"?match=begins": "",

		"?text=&kind=&actor=&agent=&approval=&level=&function=&match=&from=&to=": "",

		"?level=HIGH&level=LOW&level=HIGH&kind=approval.denied": "?kind=approval.denied&level=HIGH&level=LOW",

		"?to=2026-01-02&text=+x+":    "?text=x&to=2026-01-02T00%3A00",
		"?from=2026-01-02T03:04:05Z": "?from=2026-01-02T03%3A04%3A05",
	} {
		if got := b.get("/t/acme/audit" + given); got.status != http.StatusSeeOther || got.location() != "/t/acme/audit"+want {
			t.Errorf("%s: %d %s, want %q", given, got.status, got.location(), want)
		}
		b.get("/t/acme/audit"+want).want(t, http.StatusOK)
	}
	b.get("/t/acme/audit?text=a%20b").want(t, http.StatusOK) // another way to escape is no reason to go round in circles
	for given, says := range map[string]string{
		"?colour=red":                       `no filter &#34;colour&#34;`,
		"?text=hello&before=x":              `value="hello"`,
		"?before=-2":                        "number of an entry",
		"?before=5&after=7":                 "not both",
		"?from=yesterday":                   `value="yesterday"`,
		"?from=2026-02-02&to=2026-01-01":    "after the start",
		"?level=TERRIBLE":                   "LOW, MEDIUM",
		"?kind=Robert%27%29%3B":             "Choose kinds",
		"?actor=person%3A%2e%2e%2f":         "Choose someone from the list",
		"?approval=apr_1":                   `value="apr_1"`,
		"?agent=a&agent=b":                  "more than once",
		"?text=" + strings.Repeat("x", 201): "at most 200",
		"?text=%00":                         "ordinary characters",
		"?text=%ff":                         "ordinary characters",
		"?%zz":                              "can't be read",
		"?function=f&match=regexp":          "begins",
		"?before=00005":                     "number of an entry",
		"?before=9223372036854775808":       "number of an entry",
		"?from=0001-01-01":                  "Write a time",
		"?" + strings.Repeat("kind=a.b&", 10) + "x=1":              "no filter",
		"?kind=" + strings.Repeat("a", 50) + ".b":                  "Choose kinds",
		"?text=%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E&before=x": "&lt;script&gt;",
	} {
		b.get("/t/acme/audit"+given).want(t, http.StatusUnprocessableEntity, says, "Audit trail", "Filter entries").without(t, "<script>alert")
	}
	// What is set is said by name, each with a way to take it away.
	p := b.get("/t/acme/audit?kind=approval.denied&actor=person%3A"+s.personID("ada")+"&function=del&match=begins").want(t, http.StatusOK, "Function starts with", "Ada")
	for _, without := range []string{
		"/t/acme/audit?actor=person%3A" + s.personID("ada") + "&amp;function=del&amp;match=begins",
		"/t/acme/audit?kind=approval.denied&amp;actor=person%3A" + s.personID("ada") + `"`,
	} {
		p.want(t, http.StatusOK, `class="filter-chip" href="`+without)
	}
}

func TestEntryPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(strings.Replace(medium, "Zürich", "it's \u202eevil", 1))
	s.submit(`{"function":"it's","arguments":{}}`)
	s.signedIn("ada").denies(a, "nein, 'so' nicht 📁")
	b := s.signedIn("cleo")
	head, err := s.store.Audit().Head(t.Context(), "acme")
	must(t, err)
	plain, encoded := 0, 0
	for i := range head.Size {
		r, err := s.store.Audit().Event(t.Context(), "acme", i)
		must(t, err)
		leaf := audit.Leaf(r.Bytes)
		page := b.get("/t/acme/audit/"+strconv.FormatInt(i, 10)).want(t, http.StatusOK, "checked by the server", hex.EncodeToString(leaf[:]), hex.EncodeToString(head.Root), "js/verify.js")
		// The command on the page prints the leaf.
		_, rest, _ := strings.Cut(page.body, "Command for the hash\"><code>")
		shell, _, _ := strings.Cut(rest, "</code>")
		out, err := exec.CommandContext(t.Context(), "sh", "-c", html.UnescapeString(shell)).Output()
		if err != nil || !strings.HasPrefix(string(out), hex.EncodeToString(leaf[:])) {
			t.Errorf("entry %d: %s prints %s, %v", i, shell, out, err)
		}
		if strings.Contains(shell, "base64") {
			encoded++
		} else {
			plain++
		}
	}
	if plain == 0 || encoded == 0 {
		t.Errorf("%d plain commands and %d encoded ones: the test proves half only", plain, encoded)
	}
	b.get("/t/acme/audit/0").want(t, http.StatusOK, "tenant.created", "created the organisation", "rel=\"prev\"").without(t, `rel="next"`)
	denied := s.matching(audit.Filter{Kinds: []audit.Kind{audit.Denied}})
	b.get("/t/acme/audit/"+denied[0]).want(t, http.StatusOK, "Ada", "/t/acme/approvals/"+a.ID, "/t/acme/audit?approval="+a.ID, "nein, &#39;so&#39; nicht")
	for _, index := range []string{"-1", "x", strconv.FormatInt(head.Size, 10), "99999999999999999999"} {
		b.get("/t/acme/audit/"+index).want(t, http.StatusNotFound)
	}
}

// Whoever left is still named by what they did.
func TestFormerMembersKeepTheirNames(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada := s.signedIn("ada")
	ada.denies(s.submit(medium), "no")
	id := s.personID("ada")
	must(t, s.store.Tenants().Write(t.Context(), "acme", func(w tenants.Writer) error {
		if err := w.RemoveMember(id); err != nil {
			return err
		}
		return w.Append(audit.Event{Kind: audit.PersonRemoved, Actor: audit.Actor{Kind: "system"}, Data: canon.Object(canon.Member{Name: "person", Value: canon.String(id)})})
	}))
	ada.get("/t/acme/audit").want(t, http.StatusNotFound)
	cleo := s.signedIn("cleo")
	cleo.get("/t/acme/audit").want(t, http.StatusOK, "Ada (former member)", "Removed Ada (former member)").without(t, ">"+id)
	denied := s.matching(audit.Filter{Kinds: []audit.Kind{audit.Denied}})
	cleo.get("/t/acme/audit/"+denied[0]).want(t, http.StatusOK, "Ada (former member) denied “Deploy service” “checkout-api” · environment “staging” · version “4.18.2” · note “Zürich”")
	cleo.post("/t/acme/audit.csv", nil).want(t, http.StatusOK, `"Ada (former member)"`)
	// Somebody of another organisation is not told by a filter.
	cleo.get("/t/acme/audit?actor=person%3A"+s.personID("eve")).want(t, http.StatusOK, "No matching entries").without(t, "Eve")
}

// An export is exactly what the list shows, and the trail tells of it.
func TestExportIsTheList(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for i := range 70 {
		s.submit(fmt.Sprintf(`{"function":"read_page","arguments":{"page":%d},"session_id":"s%d"}`, i, i%2))
	}
	hostile := s.submit(`{"function":"=HYPERLINK(\"http://evil.example\",\"x\")","arguments":{"a":"@SUM(1)"},"environment":"production","docstring":"Delete everything, irreversible"}`)
	b := s.signedIn("cleo")
	s.signedIn("ada").denies(s.submit(medium), "=1+1\r\n\"no\"")
	for query, filter := range map[string]audit.Filter{
		"show=any":                       {},
		"kind=approval.submitted":        {Kinds: []audit.Kind{audit.Submitted}},
		"level=LOW&function=read_page":   {Function: "read_page", Levels: []string{"LOW"}},
		"text=evil.example":              {Text: "evil.example"},
		"text=no-such-text&actor=person": {Actor: audit.Actor{Kind: "person"}, Text: "no-such-text"},
		"approval=" + hostile.ID:         {Approval: hostile.ID},
	} {
		want := s.matching(filter)
		listed := b.follow("/t/acme/audit?"+query, entryLinks)
		if !slices.Equal(listed, want) {
			t.Errorf("%s lists %v", query, listed)
		}
		slices.Reverse(want) // a file is oldest first
		form, _ := url.ParseQuery(query)

		table := b.post("/t/acme/audit.csv", form).want(t, http.StatusOK)
		rows, err := csv.NewReader(strings.NewReader(table.body)).ReadAll()
		if err != nil || len(rows) == 0 || rows[0][0] != "index" {
			t.Fatalf("%s: %v, %.200s", query, err, table.body)
		}
		var indexes []string
		for _, row := range rows[1:] {
			indexes = append(indexes, row[0])
			for _, cell := range row {
				if cell != "" && strings.ContainsRune("=+-@\t\r\n", rune(cell[0])) || strings.ContainsAny(cell, "\r\n\t") {
					t.Errorf("%s: the cell %q runs", query, cell)
				}
			}
		}
		if !slices.Equal(indexes, want) {
			t.Errorf("%s as CSV: %v\nwant %v", query, indexes, want)
		}
		told := s.matching(audit.Filter{Kinds: []audit.Kind{audit.Exported}})
		r, err := s.store.Audit().Event(t.Context(), "acme", int64(must1(strconv.Atoi(told[0]))))
		must(t, err)
		d := r.Event.Data
		if d.Get("count").Number() != strconv.Itoa(len(want)) || d.Get("format").Text() != "csv" || r.Event.Actor.ID != s.personID("cleo") ||
			string(d.Get("filter").Canonical()) != string(filter.Data().Canonical()) {
			t.Errorf("%s: the trail tells %s", query, r.Bytes)
		}

		want = s.matching(filter) // with the event of the first export, where it is chosen
		slices.Reverse(want)
		lines := b.post("/t/acme/audit.jsonl", form).want(t, http.StatusOK)
		indexes = nil
		for _, line := range strings.Split(strings.TrimSuffix(lines.body, "\n"), "\n") {
			if e, err := audit.Parse([]byte(line)); err == nil {
				indexes = append(indexes, strconv.FormatInt(e.Index, 10))
				stored, err := s.store.Audit().Event(t.Context(), "acme", e.Index)
				must(t, err)
				if string(stored.Bytes) != line {
					t.Errorf("entry %d is not its bytes", e.Index)
				}
			}
		}
		if !slices.Equal(indexes, want) {
			t.Errorf("%s as lines: %v\nwant %v", query, indexes, want)
		}
		report, err := audit.VerifyExport(strings.NewReader(lines.body))
		if whole := filter.Whole(); err != nil || report.OK != whole || whole && report.Size != int64(len(want)) {
			t.Errorf("%s: the file verifies as %+v, %v", query, report, err)
		}
		for _, got := range []answer{table, lines} {
			if d := got.header.Get("Content-Disposition"); !regexp.MustCompile(`^attachment; filename="acme-audit-\d{8}T\d{6}Z\.(csv|jsonl)"$`).MatchString(d) ||
				got.header.Get("X-Content-Type-Options") != "nosniff" || got.header.Get("Cache-Control") != "no-store" {
				t.Errorf("%s: headers %v", query, got.header)
			}
		}
	}
	count := len(s.matching(audit.Filter{Kinds: []audit.Kind{audit.Exported}}))
	for _, form := range []url.Values{{"colour": {"red"}}, {"from": {"x"}}, {"before": {"3"}}} {
		b.post("/t/acme/audit.csv", form).want(t, http.StatusUnprocessableEntity)
		b.post("/t/acme/audit.jsonl", form).want(t, http.StatusUnprocessableEntity)
		b.post("/t/acme/history.csv", form).want(t, http.StatusUnprocessableEntity)
	}
	for _, path := range []string{"/t/acme/audit.csv", "/t/acme/audit.jsonl", "/t/acme/history.csv"} {
		b.get(path).want(t, http.StatusMethodNotAllowed)
		s.signedIn("ada").post(path, nil).want(t, http.StatusForbidden)
	}
	if n := len(s.matching(audit.Filter{Kinds: []audit.Kind{audit.Exported}})); n != count {
		t.Errorf("what was refused is told %d times", n-count)
	}
}

func must1[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// Nothing of another organisation is in a list, a search, a form or a file, with
// any filter, even by its ids.
func TestTrailsStayApart(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, err := s.tenants.CreatePerson(t.Context(), "rival", "spy@example.com", "Spy", "", []auth.Role{auth.Compliance})
	must(t, err)
	s.policy(func(p *scoring.Policy) { p.Judgement.Preset = effects.Published }) // so that the policy decides it
	a := s.submit(`{"function":"canary_function","arguments":{"x":"canary"},"session_id":"canary_session"}`)
	token, err := s.tenants.SignInLink(t.Context(), "rival", "spy@example.com", tenants.LinkSignIn)
	must(t, err)
	spy := s.browser()
	spy.post("/sign-in", url.Values{"token": {token}})
	control := s.signedIn("cleo")
	for _, query := range []string{
		"show=any", "text=canary", "function=canary_function", "function=canary&match=begins", "agent=" + s.agent.ID, "actor=agent%3A" + s.agent.ID, "approval=" + a.ID, "kind=approval.submitted",
	} {
		if page := control.get("/t/acme/audit?"+query).want(t, http.StatusOK); len(found(page, entryLinks)) == 0 || !strings.Contains(strings.ToLower(page.body), "canary function") {
			t.Errorf("%s finds nothing for its owner", query)
		}
		form, _ := url.ParseQuery(query)
		answers := []answer{spy.get("/t/rival/audit?"+query).want(t, http.StatusOK), spy.post("/t/rival/audit.csv", form), spy.post("/t/rival/audit.jsonl", form)}
		for _, got := range answers {
			body := strings.NewReplacer("text=canary", "", "canary&", "", "canary<", "", `value="canary"`, "", `value="canary_function"`, "", "=canary_function", "", "canary_function<", "", "=canary", "").Replace(got.body)
			if strings.Contains(body, "canary_function") || strings.Contains(body, "support-triage") || query != "show=any" && len(found(got, entryLinks)) > 0 {
				t.Errorf("%s shows something of acme: %.2000s", query, got.main())
			}
		}
	}
	for _, query := range []string{"decider=any", "session=canary_session", "agent=" + s.agent.ID, "function=canary_function", "decider=policy"} {
		if page := control.get("/t/acme/history?"+query).want(t, http.StatusOK); len(found(page, requestIDs)) != 1 {
			t.Errorf("history %s: the owner finds %v", query, found(page, requestIDs))
		}
		form, _ := url.ParseQuery(query)
		if page := spy.get("/t/rival/history?"+query).want(t, http.StatusOK); len(found(page, requestIDs)) != 0 {
			t.Errorf("history %s: another organisation finds %v", query, found(page, requestIDs))
		}
		if file := spy.post("/t/rival/history.csv", form).want(t, http.StatusOK); strings.Count(file.body, "\n") != 1 {
			t.Errorf("history %s as a file: %s", query, file.body)
		}
	}
}

func TestHistory(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada, cleo := s.signedIn("ada"), s.signedIn("cleo")
	ada.get("/t/acme/history").want(t, http.StatusOK, "No decisions yet").without(t, "Export")
	first := s.submit(medium)
	var low []string
	for i := range 50 + 3 {
		low = append(low, s.submit(fmt.Sprintf(`{"function":"read_page","arguments":{"page":"x"},"session_id":"s%d"}`, i%2)).ID)
	}
	s.clock.pass(time.Minute)
	ada.denies(first, "not now, -1") // submitted first, decided last
	var lowOf1 []string              // of the session s1
	for i, id := range low {
		if i%2 == 1 {
			lowOf1 = append([]string{id}, lowOf1...)
		}
	}
	slices.Reverse(low)
	for query, want := range map[string][]string{
		"":                                      {first.ID}, // what people decided
		"decider=any":                           append([]string{first.ID}, low...),
		"status=denied":                         {first.ID},
		"status=approved&status=denied":         append([]string{first.ID}, low...),
		"status=expired":                        nil,
		"level=MEDIUM":                          {first.ID},
		"level=LOW":                             low,
		"effect=write":                          {first.ID},
		"effect=delete&effect=read":             low,
		"effect=money":                          nil,
		"decider=policy":                        low,
		"decider=person":                        {first.ID},
		"decider=person%3A" + s.personID("ada"): {first.ID},
		"decider=person%3A" + s.personID("bob"): nil,
		"agent=" + s.agent.ID:                   append([]string{first.ID}, low...),
		"function=deploy_service":               {first.ID},
		"function=dep&match=begins":             {first.ID},
		"session=ses_1":                         {first.ID},
		"from=2001-01-01T00%3A00":               append([]string{first.ID}, low...),
		"to=2001-01-01T00%3A00":                 nil,
		"status=denied&session=s1":              nil,
		"q=CHECKOUT-api":                        {first.ID},
		"q=checkout-api&level=LOW":              nil,
		"q=read_page&decider=any&session=s1":    lowOf1,
		"q=nowhere":                             nil,
		"q=%25":                                 nil,
		"q=_":                                   append([]string{first.ID}, low...), // of the names; no wildcard
		"q=checkout_api":                        nil,
	} {
		if got := ada.follow("/t/acme/history?"+query, requestIDs); !slices.Equal(got, want) {
			t.Errorf("%s shows %v\nwant %v", query, got, want)
		}
		form, _ := url.ParseQuery(query)
		if query == "" {
			form = url.Values{"decider": {"person"}}
		}
		file := cleo.post("/t/acme/history.csv", form).want(t, http.StatusOK)
		rows, err := csv.NewReader(strings.NewReader(file.body)).ReadAll()
		must(t, err)
		var ids []string
		for _, row := range rows[1:] {
			ids = append(ids, row[0])
			want := []string{"read", "read", "it reads"}
			if row[0] == first.ID {
				want = []string{"write", "write", "it changes something"}
			}
			if got := row[slices.Index(rows[0], "effect"):]; got[0] != want[0] || got[1] != want[1] || !strings.HasPrefix(got[2], want[2]) {
				t.Errorf("%s has the effects %q, want %q", row[0], got, want)
			}
		}
		slices.Reverse(ids)
		if !slices.Equal(ids, want) {
			t.Errorf("%s as a file: %v", query, ids)
		}
	}
	denied := s.matching(audit.Filter{Kinds: []audit.Kind{audit.Denied}})
	ada.get("/t/acme/audit?q=checkout-API").want(t, http.StatusOK, "Denied", first.ID).without(t, low[0])
	ada.get("/t/acme/audit?q=nowhere").want(t, http.StatusOK, "No matching entries")
	if file := cleo.post("/t/acme/audit.csv", url.Values{"q": {"checkout-api"}}).want(t, http.StatusOK); !strings.Contains(file.body, first.ID) || strings.Contains(file.body, low[0]) {
		t.Errorf("the file of a search: %.900s", file.body)
	}
	ada.get("/t/acme/history").want(t, http.StatusOK, "Deploy service", "checkout-api", "Denied", "Ada", "not now, -1", "/t/acme/audit/"+denied[0]+`"`, `aria-current="page">Decided by people<`, `href="/t/acme/history?decider=any"`).without(t, "Name this filter").without(t, low[0])
	ada.get("/t/acme/history?status=denied&function=zzz").want(t, http.StatusOK, "No matching decisions", "Clear filters")
	for given, says := range map[string]string{
		"?before=x": "number of an entry", "?status=pending": "A request ends", "?effect=harm": "Effects are", "?kind=x.y": "no filter", "?decider=king": "Choose someone from the list", "?session=a%00": "ordinary",
	} {
		ada.get("/t/acme/history"+given).want(t, http.StatusUnprocessableEntity, says, "History", "Filter decisions")
	}
}
