package console

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/views/review"
)

// flood stores n copies of what was submitted, as changed by edit.
func (s *site) flood(n int, a approvals.Approval, edit func(i int, a *approvals.Approval)) {
	s.t.Helper()
	for first := 0; first < n; first += 500 {
		must(s.t, s.store.Approvals().Write(s.t.Context(), "acme", func(w approvals.Writer) error {
			for i := first; i < min(first+500, n); i++ {
				one := a
				one.ID = auth.NewID("apr")
				edit(i, &one)
				if err := w.Create(one, "", ""); err != nil {
					return err
				}
			}
			return nil
		}))
	}
}

func low(i int, a *approvals.Approval) {
	a.Assessment.Level, a.Treatment.Level = level.Low, level.Low
	a.ExpiresAt = a.CreatedAt.Add(time.Minute + time.Duration(i)*time.Millisecond)
}

var rowID = regexp.MustCompile(`<li id="approval-(apr_[0-9a-f]{32})"`)

func rowsOf(a answer) (ids []string) {
	for _, m := range rowID.FindAllStringSubmatch(a.body, -1) {
		ids = append(ids, m[1])
	}
	return ids
}

var linkTo = regexp.MustCompile(`<a class="btn" href="([^"]*)">More</a>`)

// In a flood of 5,000 the one that matters is on the first page, which has 50 rows,
// and every other one is on exactly one of the pages behind it.
func TestQueueInAFlood(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(medium)
	s.flood(5000, a, func(i int, a *approvals.Approval) {
		low(i, a)
		a.Digest = fmt.Sprintf("sha256:%064x", i) // identical ones are one row
	})
	c := s.submit(critical)
	ada := s.signedIn("ada")
	page := ada.get("/t/acme/queue").want(t, http.StatusOK, c.ID, "5,000+", "Showing 50 of 5,000+, highest level first", "here</span>")
	seen, few := map[string]bool{}, long.Count(5, 1000)
	for pages := 1; pages <= few; pages++ {
		ids := rowsOf(page)
		if len(ids) > request.QueuePerPage || pages > 102 {
			t.Fatalf("page %d has %d rows", pages, len(ids))
		}
		for _, id := range ids {
			if seen[id] {
				t.Fatalf("%s comes twice", id)
			}
			seen[id] = true
		}
		next := linkTo.FindStringSubmatch(page.body)
		if next == nil {
			break
		}
		if page = ada.get(strings.ReplaceAll(next[1], "&amp;", "&")); pages == 1 {
			page.want(t, http.StatusOK, "First page", "First page").without(t, `id="arrivals"`, c.ID)
		}
	}
	if want := min(few*request.QueuePerPage, 5002); len(seen) != want {
		t.Errorf("%d of 5,002 are on the pages, want %d on these", len(seen), want)
	}
	if ids := rowsOf(ada.get("/t/acme/queue/rows")); len(ids) != 2*request.QueuePerPage { // each as what replaces a row and as an arrival
		t.Errorf("a page that was out of touch is sent %d rows", len(ids))
	}
	ada.get("/t/acme/queue?level=CRITICAL").want(t, http.StatusOK, c.ID, "5,000+").without(t, a.ID, ">More<")
	ada.get("/t/acme/queue?q=billing").want(t, http.StatusOK, c.ID).without(t, a.ID)
	ada.get("/t/acme/queue?q=nowhere").want(t, http.StatusOK, "None of the first 5,000 match")
	ada.get("/t/acme/queue?select=1").want(t, http.StatusOK, "Showing 200 of 5,000+ pending requests.", c.ID)
}

// However large the actions are that wait, a page reads none of them. It runs alone,
// since what is allocated is counted for the whole program.
func TestQueueReadsNoActions(t *testing.T) {
	s := newSite(t)
	large := s.submit(strings.ReplaceAll(medium, "Zürich", strings.Repeat("Zürich ", 30_000)))
	s.flood(request.QueuePerPage, large, func(int, *approvals.Approval) {})
	must(t, s.readQueue(t.Context()))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	must(t, s.readQueue(t.Context()))
	runtime.ReadMemStats(&after)
	if spent := after.TotalAlloc - before.TotalAlloc; spent > 4<<20 {
		t.Errorf("a page of requests of %d bytes took %d bytes", len(large.Action), spent)
	}
}

func (s *site) readQueue(ctx context.Context) error {
	in, err := s.tenants.Enter(ctx, "acme", s.personID("ada"), s.clock.now())
	if err == nil {
		_, err = s.approvals.Queue(ctx, in.Member, approvals.QueueQuery{Limit: request.QueuePerPage})
	}
	return err
}

// What is sealed is found by nothing: whether a search finds it would tell what it says.
func TestSearchDoesNotTellWhatIsSealed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(high)
	ada, bob := s.signedIn("ada"), s.signedIn("bob")
	path := "/t/acme/approvals/" + a.ID
	finds := func(b *browser, query string) bool {
		return strings.Contains(b.get("/t/acme/queue?"+query).want(t, http.StatusOK).body, `id="approval-`+a.ID)
	}
	for _, query := range []string{"q=usr_123", "q=delete_user", "q=production", "environment=production", "q=USR_1+delete", "q=ses_2", "effect=delete", "effect=delete&effect=read"} {
		if !finds(ada, query) {
			t.Errorf("%s finds nothing", query)
		}
	}
	ada.get(path)
	ada.post(path+"/start", nil).want(t, http.StatusSeeOther)
	for _, query := range []string{"q=usr_123", "q=delete_user", "q=production", "environment=production", "q=usr_", "q=ses_2", "effect=delete"} {
		if finds(ada, query) {
			t.Errorf("while she answers, %s finds it", query)
		}
		if !finds(bob, query) {
			t.Errorf("%s finds nothing for somebody else", query)
		}
	}
	if !finds(ada, "level=HIGH") || !finds(ada, "q=questions") {
		t.Error("what its row says does not find it")
	}
	for _, under := range []string{"queue?", "queue/rows?", "queue?open=" + a.ID + "&", "queue/rows?open=" + a.ID + "&"} {
		ada.get("/t/acme/"+strings.TrimRight(under, "?&")).want(t, http.StatusOK).without(t, "usr_123")
	}
}

// A filter stands in the address in one form, and what cannot be understood is said.
func TestQueueAddress(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a, b := s.submit(medium), s.submit(high)
	ada := s.signedIn("ada")
	if got := ada.get("/t/acme/queue?environment=&level=HIGH&q=&claim=").location(); got != "/t/acme/queue?level=HIGH" {
		t.Errorf("a form's address leads to %q", got)
	}
	page := ada.get("/t/acme/queue?level=HIGH&environment=production").want(t, http.StatusOK, b.ID, "/live?level=HIGH&amp;environment=production", "/rows?level=HIGH", `aria-label="Active filters"`)
	page.without(t, a.ID)
	ada.get("/t/acme/queue?effect=delete").want(t, http.StatusOK, b.ID, "/live?effect=delete").without(t, a.ID)
	ada.get("/t/acme/queue?effect=write").want(t, http.StatusOK, a.ID).without(t, b.ID)
	for _, wrong := range []string{"level=SOME", "effect=harm", "agent=%20x%20y", "claim=me", "after=1", "before=2", "open=x", "q=1&q=2"} {
		ada.get("/t/acme/queue?"+wrong).want(t, http.StatusUnprocessableEntity, "Pending approvals")
	}
	ada.post("/t/acme/approvals/"+a.ID+"/claim", ada.get("/t/acme/approvals/"+a.ID).form(t, `name="from"`)).want(t, http.StatusSeeOther)
	ada.get("/t/acme/queue?claim=mine").want(t, http.StatusOK, a.ID).without(t, b.ID)
	s.signedIn("bob").get("/t/acme/queue?claim=mine").want(t, http.StatusOK, "None of the 2 match")
}

// A page that was out of touch is told what became of the rows that it has.
func TestResyncTellsOfWhatThePageHas(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a, b := s.submit(medium), s.submit(high)
	s.flood(60, a, low)
	behind := s.submit(strings.ReplaceAll(medium, "checkout-api", "other"))
	ada := s.signedIn("ada")
	form := ada.get("/t/acme/approvals/"+a.ID).form(t, `value="deny"`)
	form.Set("reason", "no")
	ada.post("/t/acme/approvals/"+a.ID+"/decide", form).want(t, http.StatusSeeOther)
	short := func(id string) string { return strings.TrimPrefix(id, "apr_") }
	got := ada.get("/t/acme/queue/rows?level=HIGH&has="+short(a.ID)+"."+short(behind.ID)).want(t, http.StatusOK, "Denied by Ada", b.ID)
	_, waiting, _ := strings.Cut(got.body, `data-ids="`)
	waiting, _, _ = strings.Cut(waiting, `"`)
	if waiting != b.ID+" "+behind.ID {
		t.Errorf("waiting are %q", waiting)
	}
	if strings.Count(got.body, `id="approval-`+behind.ID) != 1 {
		t.Error("what the page has arrives again")
	}
	ada.get("/t/acme/queue/rows?has=x").want(t, http.StatusOK)
}

// A page that is as it was drawn is told nothing, and everything as soon as anything of
// it changed: a request, who is on one, how many wait.
func TestResyncOfWhatDidNotChange(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(medium)
	ada, bob := s.signedIn("ada"), s.signedIn("bob")
	print := regexp.MustCompile(`data-as="([0-9a-f]{32})"`)
	was := ""
	asked := func(status int) {
		t.Helper()
		if got := ada.get("/t/acme/queue/rows?as="+was).want(t, status); status == http.StatusNoContent && got.body != "" {
			t.Errorf("nothing is told as %q", got.body)
		}
		was = print.FindStringSubmatch(ada.get("/t/acme/queue").body)[1]
		ada.get("/t/acme/queue/rows?as="+was).want(t, http.StatusNoContent)
	}
	asked(http.StatusOK) // no page was drawn yet
	asked(http.StatusNoContent)
	s.submit(high)
	asked(http.StatusOK)
	bob.post("/t/acme/approvals/"+a.ID+"/claim", bob.get("/t/acme/approvals/"+a.ID).form(t, `name="from"`)).want(t, http.StatusSeeOther)
	asked(http.StatusOK)
	form := bob.get("/t/acme/approvals/"+a.ID).form(t, `value="deny"`)
	form.Set("reason", "no")
	bob.post("/t/acme/approvals/"+a.ID+"/decide", form).want(t, http.StatusSeeOther)
	asked(http.StatusOK)
	ada.get("/t/acme/queue/rows?as="+strings.Repeat("0", 32)).want(t, http.StatusOK)
	// A page that says that all agents are stopped must hear when they are not.
	must(t, s.tenants.StopAllFromOutside(t.Context(), "acme", "for the test"))
	ada.get("/t/acme/queue").want(t, http.StatusOK).without(t, "data-as=")
}

// Each person has filters of their own, by forms alone.
func TestSavedFilters(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.submit(medium)
	b := s.submit(high)
	ada, bob := s.signedIn("ada"), s.signedIn("bob")
	const queue, name = "/t/acme/queue", "Ada’s high ones"
	ada.get(queue).want(t, http.StatusOK).without(t, "Name this filter")
	form := ada.get(queue+"?q=delete&level=HIGH").want(t, http.StatusOK, b.ID).form(t, `action="`+queue+`/filters"`)
	form.Set("name", name)
	if done := ada.post(queue+"/filters", form).want(t, http.StatusSeeOther); done.location() != queue+"?q=delete&level=HIGH" {
		t.Errorf("it leads to %s", done.location())
	}
	ada.get(queue).want(t, http.StatusOK, name, `href="/t/acme/queue?q=delete&amp;level=HIGH"`).without(t, "Delete this filter")
	forget := ada.get(queue+"?q=delete&level=HIGH").want(t, http.StatusOK, "Delete this filter").without(t, "Name this filter").form(t, `/filters/forget"`)
	bob.get(queue).without(t, name)
	bob.post(queue+"/filters/forget", forget).want(t, http.StatusSeeOther)
	ada.get(queue).want(t, http.StatusOK, name)
	for _, wrong := range []url.Values{{"name": {" "}, "q": {"x"}}, {"name": {strings.Repeat("x", 41)}, "q": {"x"}}, {"name": {"a\u202eb"}, "q": {"x"}}, {"name": {"x"}}, {"name": {"x"}, "level": {"SOME"}}} {
		ada.post(queue+"/filters", wrong).want(t, http.StatusUnprocessableEntity)
	}
	for i := range approvals.MaxSaved {
		status := http.StatusSeeOther
		if i == approvals.MaxSaved-1 {
			status = http.StatusUnprocessableEntity
		}
		ada.post(queue+"/filters", url.Values{"name": {"f" + strings.Repeat("x", i)}, "q": {"x"}}).want(t, status)
	}
	ada.post(queue+"/filters/forget", forget).want(t, http.StatusSeeOther)
	ada.get(queue).want(t, http.StatusOK).without(t, name)
	s.signedIn("eve").post(queue+"/filters", form).want(t, http.StatusNotFound)
}

// History and audit trail keep filters as the queue does, each their own.
func TestSavedFiltersOfTheLists(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada, cleo := s.signedIn("ada"), s.signedIn("cleo")
	ada.denies(s.submit(medium), "not now, -1")
	for list, query := range map[string]string{"history": "?status=denied&decider=any", "audit": "?kind=approval.denied&from=2020-01-01T00%3A00"} {
		here := "/t/acme/" + list
		form := cleo.get(here+query).want(t, http.StatusOK).form(t, `action="`+here+`/filters"`)
		form.Set("name", "the denied ones")
		if done := cleo.post(here+"/filters", form).want(t, http.StatusSeeOther); done.location() != here+query {
			t.Errorf("it leads to %s", done.location())
		}
		cleo.get(here).want(t, http.StatusOK, "the denied ones", `href="`+strings.ReplaceAll(here+query, "&", "&amp;")+`"`)
		ada.get(here).without(t, "the denied ones")
		for _, wrong := range []url.Values{{"name": {"x"}}, {"name": {"x"}, "level": {"SOME"}}, {"name": {"x"}, "before": {"3"}}} {
			cleo.post(here+"/filters", wrong).want(t, http.StatusUnprocessableEntity)
		}
	}
	cleo.get("/t/acme/queue").without(t, "the denied ones")
	forget := cleo.get("/t/acme/audit?kind=approval.denied&from=2020-01-01T00%3A00").want(t, http.StatusOK, "Delete this filter").form(t, `audit/filters/forget"`)
	cleo.post("/t/acme/audit/filters/forget", forget).want(t, http.StatusSeeOther)
	cleo.get("/t/acme/audit?show=any").without(t, "the denied ones")
	cleo.get("/t/acme/history").want(t, http.StatusOK, "the denied ones")
	s.signedIn("eve").post("/t/acme/history/filters", url.Values{"name": {"x"}, "status": {"denied"}}).want(t, http.StatusNotFound)
}

// A feed with a filter tells of arrivals that pass it, and counts every one.
func TestFeedUnderAFilter(t *testing.T) {
	t.Parallel()
	long.Race(t)
	s := newSite(t)
	ada := s.signedIn("ada")
	conn := ada.live("/t/acme/live?level=HIGH")
	until := func(id string, not ...string) (frame string) {
		for !strings.Contains(frame, id) {
			frame = next(t, conn)
			for _, other := range not {
				if strings.Contains(frame, other) {
					t.Errorf("it arrives all the same: %s", frame)
				}
			}
		}
		return frame
	}
	if frame := until(s.submit(high).ID); !strings.Contains(frame, "#arrivals") {
		t.Errorf("what passes does not arrive: %s", frame)
	}
	a := s.submit(medium)
	until(`id="queue-count">2<`, a.ID)
	until(s.submit(high).ID, a.ID)
}

// BenchmarkQueuePage compares the whole page of 50 rows, from the session to the
// last byte, with reading the same lines and drawing them.
func BenchmarkQueuePage(b *testing.B) {
	const limit = 3.0
	s := newSite(b)
	a := s.submit(medium)
	s.flood(49, a, func(i int, a *approvals.Approval) {
		a.Digest, a.Session = a.Digest+strings.Repeat("x", i), a.Session+strings.Repeat("x", i%7)
	})
	ada := s.signedIn("ada")
	var cookies []*http.Cookie
	if u, err := url.Parse(s.url); err == nil {
		cookies = ada.client.Jar.Cookies(u)
	}
	in, err := s.tenants.Enter(b.Context(), "acme", s.personID("ada"), s.clock.now())
	must(b, err)
	page, err := s.approvals.Queue(b.Context(), in.Member, approvals.QueueQuery{Limit: request.QueuePerPage})
	must(b, err)
	view := request.Queue{Tenant: "acme", Page: page}.View()
	bare := func() {
		must(b, s.store.Approvals().Read(b.Context(), "acme", func(r approvals.Reader) error {
			_, err := r.Waiting(approvals.LineQuery{Levels: []level.Level{level.Medium}, Limit: request.QueuePerPage})
			return err
		}))
		var out bytes.Buffer
		must(b, review.QueueRows(view, true).Render(b.Context(), &out))
	}
	whole := func() {
		r := httptest.NewRequestWithContext(b.Context(), http.MethodGet, s.url+"/t/acme/queue", nil)
		for _, c := range cookies {
			r.AddCookie(c)
		}
		w := httptest.NewRecorder()
		if s.handler.ServeHTTP(w, r); w.Code != http.StatusOK || strings.Count(w.Body.String(), `class="q-row"`) != request.QueuePerPage {
			b.Fatalf("%d with %d rows", w.Code, strings.Count(w.Body.String(), `class="q-row"`))
		}
	}
	var of, to time.Duration
	for b.Loop() {
		began := time.Now()
		whole()
		between := time.Now()
		bare()
		of, to = of+between.Sub(began), to+time.Since(between)
	}
	b.ReportMetric(float64(of.Microseconds())/1000/float64(b.N), "ms/page")
	b.ReportMetric(float64(to.Microseconds())/1000/float64(b.N), "ms/query-and-render")
	b.ReportMetric(limit, "limit")
	b.ReportMetric(float64(of)/float64(to), "ratio")
}

// Two acts that read alike are told apart by the start of their digest, and one that reads
// like no other has none.
func TestRowsThatReadAlike(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	row := func(note string) approvals.Approval {
		return s.submit(`{"function":"update_ticket","arguments":{"ticket_id":"tic_1","note":"` + strings.Repeat("so long that a row says the beginning. ", 3) + note + `"}}`)
	}
	a, b, c := row("done"), row("not done"), s.submit(`{"function":"update_ticket","arguments":{"ticket_id":"tic_2"}}`)
	start := func(a approvals.Approval) string { return strings.TrimPrefix(a.ShownDigest, "sha256:")[:6] }
	page := s.signedIn("ada").get("/t/acme/queue").want(t, http.StatusOK, " · "+start(a), " · "+start(b), "tic_2")
	if strings.Contains(page.body, start(c)) {
		t.Errorf("a row that reads like no other has the start of its digest, %s", start(c))
	}
}

// Identical requests are one row with their number, and the open one is that row. Bulk deny
// shows each of them.
func TestIdenticalRequestsAreOneRow(t *testing.T) {
	t.Parallel()
	long.Race(t)
	s := newSite(t)
	a, b, c := s.submit(medium), s.submit(medium), s.submit(medium)
	other := s.submit(high)
	ada := s.signedIn("ada")
	row := func(id string) string { return `id="approval-` + id + `"` }
	ada.get("/t/acme/queue").want(t, http.StatusOK, row(a.ID), row(other.ID), "3 identical pending").without(t, row(b.ID), row(c.ID))
	ada.get("/t/acme/approvals/"+b.ID).want(t, http.StatusOK, row(b.ID), "Approve all 3:").without(t, row(a.ID), row(c.ID))
	ada.get("/t/acme/queue?select=1").want(t, http.StatusOK, "pick-"+a.ID, "pick-"+b.ID, "pick-"+c.ID)
	s.submit(strings.Replace(medium, `"staging"`, `"production"`, 1))
	ada.get("/t/acme/queue").want(t, http.StatusOK, row(a.ID), "3 identical pending")

	// Where the one that is shown ends, another one comes in its place.
	queue := ada.live("/t/acme/live")
	s.settled(queue)
	bob := s.signedIn("bob")
	bob.post("/t/acme/approvals/"+a.ID+"/decide", url.Values{"verdict": {"deny"}, "reason": {"no"}, "digest": {a.ShownDigest}, "version": {"1"}}).want(t, http.StatusSeeOther)
	until(t, func() string { return next(t, queue) }, `hx-target="#arrivals"`, row(b.ID), "2 identical pending")
}

// A page is full as it is drawn: what is folded takes no place of it, and behind the last
// row of a page nothing comes that is identical to one on it.
func TestAPageIsFullOfRows(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(medium)
	s.flood(300, a, func(i int, a *approvals.Approval) { // three of each, in turn
		low(i, a)
		a.Digest = fmt.Sprintf("sha256:%064x", i/3)
		a.Session = fmt.Sprint("release-", i%3)
	})
	ada := s.signedIn("ada")
	seen := map[string]bool{}
	path := "/t/acme/queue"
	for _, want := range []struct {
		rows  int
		label string
	}{{50, "Showing 148 of 301"}, {50, "Showing 150 of 301"}, {1, "Showing 3 of 301"}} {
		page := ada.get(path).want(t, http.StatusOK, want.label, "3 identical pending")
		ids := rowsOf(page)
		if len(ids) != want.rows {
			t.Errorf("%s has %d rows", path, len(ids))
		}
		for _, id := range ids {
			if seen[id] {
				t.Errorf("%s comes twice", id)
			}
			seen[id] = true
		}
		path = ""
		if next := linkTo.FindStringSubmatch(page.body); next != nil {
			path = strings.ReplaceAll(next[1], "&amp;", "&")
		}
	}
	if path != "" {
		t.Errorf("it goes on at %s", path)
	}
	ada.get("/t/acme/queue?sort=time").want(t, http.StatusOK, "All sessions")
	ada.get("/t/acme/queue?select=1").want(t, http.StatusOK, "Showing 200 of 301 pending requests.")
}

// A session whose requests are all folded into another's has no heading of its own.
func TestNoHeadingWithoutARow(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(medium)
	s.flood(1, a, func(_ int, a *approvals.Approval) { a.Session = "elsewhere" })
	page := s.signedIn("ada").get("/t/acme/queue").want(t, http.StatusOK, "2 identical pending")
	if groups := strings.Count(page.body, "data-group>"); groups != 1 {
		t.Errorf("%d headings for one row", groups)
	}
}

// Behind a request comes an identical one, though they are one row.
func TestTheNextOfIdenticalOnes(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a, b := s.submit(medium), s.submit(medium)
	ada := s.signedIn("ada")
	for from, to := range map[string]string{a.ID: b.ID, b.ID: a.ID} {
		if page := ada.get("/t/acme/approvals/" + from); !strings.Contains(page.body, `href="/t/acme/approvals/`+to+`"`) {
			t.Errorf("%s doesn't lead to %s", from, to)
		}
	}
}

// An agent in a loop makes no page slow: it looks at so many, and says how it goes on.
func TestAFloodOfOneAct(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a := s.submit(medium)
	s.flood(1500, a, func(i int, a *approvals.Approval) { a.ExpiresAt = a.ExpiresAt.Add(time.Duration(i) * time.Millisecond) })
	c := s.submit(strings.Replace(critical, "invoices", "refunds", 1))
	ada := s.signedIn("ada")
	page := ada.get("/t/acme/queue").want(t, http.StatusOK, c.ID, a.ID, "1,501 identical pending")
	if ids := rowsOf(page); len(ids) != 2 {
		t.Errorf("%d rows", len(ids))
	}
	if linkTo.FindStringSubmatch(page.body) == nil {
		t.Error("nothing leads to the rest")
	}
}
