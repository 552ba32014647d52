package console

import (
	"encoding/csv"
	"html"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/views/texts"
)

// busy makes something of everything happen, and counts it.
func (s *site) busy(ada *browser) {
	s.t.Helper()
	s.submit(`{"function":"get_user","arguments":{"user_id":"usr_1"},"session_id":"=1+1\u202e"}`)
	s.submit(high)
	a := s.submit(`{"function":"deploy_service","arguments":{"service":"checkout","env":"staging"},"docstring":"Deploy to production."}`)
	s.clock.pass(90 * time.Second)
	ada.denies(a, "no")
	must(s.t, s.approvals.RollUp(s.t.Context()))
}

func TestInsightsPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const path = "/t/acme/insights"
	ada, cleo, adam := s.signedIn("ada"), s.signedIn("cleo"), s.join("adam", auth.Admin)
	ada.get(path).want(t, http.StatusOK, "No activity in the last 30 days", `href="/t/acme/insights?days=90"`, "View the last 90 days").without(t, "<table", "CSV of", "Create an agent")
	adam.get(path).want(t, http.StatusOK, "No activity", `href="/t/acme/settings/agents/new"`)
	s.submit(`{"function":"get_user","arguments":{"user_id":"usr_1"}}`)
	must(t, s.approvals.RollUp(t.Context()))
	ada.get(path).want(t, http.StatusOK, "No decisions in this period", "No approvals or expiries in this period", "How actions ended, by day. No held requests ended in this period, so the chart shows what the policy approved or blocked").without(t, `id="table-times"`)
	s.busy(ada)

	page := ada.get(path).want(t, http.StatusOK, `aria-current="page"`, `data-goto="i"`, "uPlot.iife.min.js", `data-kind="stack"`, "<details", "deploy_service", "U+202E", "Score by day", "about 1 min 15 s").
		without(t, "Review by operator", "CSV of", "Quiz statistics", "usr_1")
	for _, style := range []string{"style=", "onclick", "<script>"} {
		if strings.Contains(page.body, style) {
			t.Errorf("the page has %q", style)
		}
	}
	adam.get(path).want(t, http.StatusOK, "Review by operator", "Ada", "Quiz statistics").without(t, "CSV of")
	cleo.get(path).want(t, http.StatusOK, "Review by operator", "Ada", "CSV of score by day", `href="/t/acme/insights/questions"`)
	cleo.get(path+"?days=7").want(t, http.StatusOK, `name="days" value="7"`, "previous 7 days")
	ada.get("/t/acme/queue").want(t, http.StatusOK, `href="`+path+`"`).without(t, "uPlot", "chart.js")
	if got := cleo.get(path+"?days=30").want(t, http.StatusSeeOther).location(); got != path {
		t.Errorf("the usual window leads to %q", got)
	}
	for _, query := range []string{"days=31", "days=7&days=90", "days=x", "colour=red", "days=%00"} {
		cleo.get(path+"?"+query).want(t, http.StatusUnprocessableEntity, "Last 7 days").without(t, "<table")
	}
}

var (
	figureForm = regexp.MustCompile(`(?s)<figure[^>]* id="figure-([a-z-]+)".*?</figure>`)
	rowForm    = regexp.MustCompile(`(?s)<tr>\s*<th\s*scope="row".*?</tr>`)
	cellForm   = regexp.MustCompile(`(?s)<td.*?</td>`)
	valueForm  = regexp.MustCompile(`<data value="([^"]*)"`)
)

// What a file has is what the table on the page has, and taking it is told first.
func TestFiguresAsFiles(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const path = "/t/acme/insights.csv"
	ada, cleo := s.signedIn("ada"), s.signedIn("cleo")
	s.busy(ada)
	told := func() []string { return s.matching(audit.Filter{Kinds: []audit.Kind{audit.Exported}}) }
	figures := figureForm.FindAllStringSubmatch(cleo.get("/t/acme/insights?days=7").body, -1)
	if len(figures) != 15 {
		t.Errorf("%d figures", len(figures))
	}
	for _, f := range figures {
		var want [][]string
		for _, row := range rowForm.FindAllString(f[0], -1) {
			var values []string
			for _, cell := range cellForm.FindAllString(row, -1) {
				value := ""
				if found := valueForm.FindStringSubmatch(cell); found != nil {
					value = html.UnescapeString(found[1])
				}
				values = append(values, value)
			}
			want = append(want, values)
		}
		if !strings.Contains(f[0], "CSV") {
			if len(want) > 0 {
				t.Errorf("%s has no file", f[1])
			}
			continue
		}
		before := len(told())
		file := cleo.post(path, url.Values{"figure": {f[1]}, "days": {"7"}}).want(t, http.StatusOK)
		rows, err := csv.NewReader(strings.NewReader(file.body)).ReadAll()
		must(t, err)
		if len(rows) != len(want)+1 || len(want) == 0 {
			t.Errorf("%s: %d rows in the file, %d on the page", f[1], len(rows)-1, len(want))
			continue
		}
		for n, row := range rows[1:] {
			if !slices.Equal(row[1:], want[n]) {
				t.Errorf("%s: the file says %q, the page %q", f[1], row, want[n])
			}
			if row[0] != audit.Harmless(row[0]) {
				t.Errorf("%s: the cell %q runs", f[1], row[0])
			}
		}
		if after := told(); len(after) != before+1 {
			t.Errorf("%s: taking it is told %d times", f[1], len(after)-before)
		}
		if !strings.HasPrefix(file.header.Get("Content-Disposition"), `attachment; filename="acme-insights-`+f[1]+`-`) {
			t.Errorf("%s: headers %v", f[1], file.header)
		}
	}
	before := told()
	r, err := s.store.Audit().Event(t.Context(), "acme", int64(must1(strconv.Atoi(before[0]))))
	must(t, err)
	if d := r.Event.Data; !strings.HasPrefix(d.Get("list").Text(), "insights-") || string(d.Get("filter").Canonical()) != `{"days":7}` {
		t.Errorf("the trail tells %s", r.Bytes)
	}
	cleo.get("/t/acme/audit").want(t, http.StatusOK, "Exported 7 entries of the insights (levels) as CSV")
	before = told()
	ada.post(path, url.Values{"figure": {"levels"}}).want(t, http.StatusForbidden)
	cleo.get(path).want(t, http.StatusMethodNotAllowed)
	for _, form := range []url.Values{{}, {"figure": {"none"}}, {"figure": {"levels"}, "days": {"8"}}, {"figure": {"levels"}, "colour": {"red"}}} {
		cleo.post(path, form).want(t, http.StatusUnprocessableEntity)
	}
	if !slices.Equal(told(), before) {
		t.Error("what was refused is told")
	}
}

func TestLasting(t *testing.T) {
	t.Parallel()
	for seconds, want := range map[float64]string{
		0: "0.0 s", 9.94: "9.9 s", 9.96: "10 s", 59.4: "59 s", 59.6: "1 min", 75: "1 min 15 s", 3599.6: "1 h", 3660: "1 h 1 min", 86400: "24 h",
	} {
		if got := present.Lasting(texts.Printer{}, seconds); got != want {
			t.Errorf("%v s are %q, want %q", seconds, got, want)
		}
	}
}

// A filter stands in the address, narrows every figure and its file, and says what it cannot narrow.
func TestInsightsFilters(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const path = "/t/acme/insights"
	ada, cleo := s.signedIn("ada"), s.signedIn("cleo")
	s.busy(ada)
	ada.get(path).want(t, http.StatusOK, `name="from"`, `name="to"`, `name="function"`, `href="/t/acme/insights?function=deploy_service"`)
	page := ada.get(path+"?days=7&function=deploy_service").want(t, http.StatusOK, "Sessions can only be filtered by agent", `<input type="hidden" name="days" value="7"`, `aria-current="page"`, "Clear filters").
		without(t, "Could be approved automatically", "Evaluations as CSV")
	if functions := figureForm.FindAllString(page.body, -1); len(functions) == 0 || strings.Contains(strings.Join(functions, ""), "get_user") {
		t.Error("the figures of one function tell of another one")
	}
	cleo.get(path+"?function=deploy_service&person="+s.personID("ada")).want(t, http.StatusOK, "Only requests that Ada decided", "can&#39;t be filtered by person", "history?decider=person%3A").without(t, "Actions submitted</dt>", "Expired</dt>")
	ada.get(path+"?person="+s.personID("ada")).want(t, http.StatusOK, "Review by operator")
	ada.get(path+"?person="+s.personID("cleo")).want(t, http.StatusUnprocessableEntity, "You can only filter by your own decisions").without(t, "<table")
	ada.get(path+"?function=nothing").want(t, http.StatusOK, "No matching activity", `href="/t/acme/insights"`)
	today := s.clock.now().UTC().Format(time.DateOnly)
	ada.get(path+"?from="+today).want(t, http.StatusOK, "compared with the previous 1 day", "deploy_service")
	if got := ada.get(path+"?days=7&from="+today).want(t, http.StatusSeeOther).location(); got != path+"?from="+today {
		t.Errorf("days beside a day lead to %q", got)
	}
	for query, says := range map[string]string{"from=x": "Write a day like", "from=2020-01-01": "choose at most 90", "to=2999-01-01": "Choose a day up to today", "to=2026-13-99": "Write a day like", "agent=%21": "Choose an agent"} {
		ada.get(path+"?"+query).want(t, http.StatusUnprocessableEntity, says, `aria-invalid="true"`).without(t, "<table")
	}
	cleo.get(path+"?function=deploy_service").want(t, http.StatusOK, `name="function" value="deploy_service"`)
	file := cleo.post(path+".csv", url.Values{"figure": {"functions"}, "function": {"deploy_service"}}).want(t, http.StatusOK, "deploy_service")
	if strings.Contains(file.body, "get_user") {
		t.Errorf("the file of one function: %s", file.body)
	}
	told := s.matching(audit.Filter{Kinds: []audit.Kind{audit.Exported}})
	r, err := s.store.Audit().Event(t.Context(), "acme", int64(must1(strconv.Atoi(told[0]))))
	must(t, err)
	if got := string(r.Event.Data.Get("filter").Canonical()); got != `{"days":30,"function":"deploy_service"}` {
		t.Errorf("the trail tells %s", got)
	}
	cleo.post(path+".csv", url.Values{"figure": {"functions"}, "from": {"2020-01-01"}}).want(t, http.StatusUnprocessableEntity)
}
