package console

import (
	"encoding/csv"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
)

// takeQuiz has ada answer the questions about a, the first one wrong or none.
func (s *site) takeQuiz(b *browser, a approvals.Approval, wrong bool) {
	s.t.Helper()
	path := "/t/acme/approvals/" + a.ID
	b.post(path+"/start", b.get(path).form(s.t, "Start questions")).want(s.t, http.StatusSeeOther)
	for n, option := range s.rightAnswers(a.ID, "ada") {
		page := b.get(path)
		form := page.answered(s.t, option, wrong && n == 0)
		s.clock.pass(2 * time.Second)
		b.post(path+"/answer", form)
	}
}

func TestItemsPage(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	const path = "/t/acme/insights/questions"
	ada, cleo, adam := s.signedIn("ada"), s.signedIn("cleo"), s.join("adam", auth.Admin)
	cleo.get(path).want(t, http.StatusOK, "No quizzes answered in the last 30 days", `href="/t/acme/insights/questions?days=90"`, `aria-current="page"`).without(t, "<table", "Export")
	cleo.get(path+"?days=90").want(t, http.StatusOK, "No quizzes answered in the last 90 days").without(t, "Look at the last")
	a := s.submit(high)
	ada.get("/t/acme/approvals/" + a.ID)
	s.clock.pass(11 * time.Second)
	s.takeQuiz(ada, a, true)
	s.takeQuiz(ada, a, false)
	cleo.get(path).want(t, http.StatusOK, "No quizzes answered") // nothing tells while it waits
	ada.denies(a, "no")
	cleo.get(path).want(t, http.StatusOK, "2 quizzes on closed requests", "<caption>", "Ada", "2.0 s", "Export questions as CSV", "Export operators as CSV").
		without(t, "usr_123", "too hard")
	adam.get(path).want(t, http.StatusOK, "2 quizzes").without(t, "Export")

	if got := cleo.get(path+"?days=30").want(t, http.StatusSeeOther).location(); got != path {
		t.Errorf("the usual window leads to %q", got)
	}
	for _, query := range []string{"days=31", "days=7&days=30", "days=x", "colour=red", "days=%00"} {
		cleo.get(path+"?"+query).want(t, http.StatusUnprocessableEntity, "Last 7 days").without(t, "<table")
	}
	cleo.get("/t/acme/history").want(t, http.StatusOK, `href="`+path+`"`)
	ada.get("/t/acme/history").want(t, http.StatusOK).without(t, path)
}

// What is taken out is told first, and no cell runs in a spreadsheet.
func TestItemsAsFiles(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada, cleo := s.signedIn("ada"), s.signedIn("cleo")
	a := s.submit(high)
	ada.get("/t/acme/approvals/" + a.ID)
	s.clock.pass(11 * time.Second)
	s.takeQuiz(ada, a, false)
	ada.denies(a, "no")
	told := func() []string { return s.matching(audit.Filter{Kinds: []audit.Kind{audit.Exported}}) }
	for list, first := range map[string]string{"questions": "kind", "operators": "operator"} {
		path := "/t/acme/insights/" + list + ".csv"
		file := cleo.post(path, url.Values{"days": {"7"}}).want(t, http.StatusOK)
		rows, err := csv.NewReader(strings.NewReader(file.body)).ReadAll()
		must(t, err)
		want := map[string]int{"questions": 4, "operators": 2}[list]
		if len(rows) != want || rows[0][0] != first {
			t.Errorf("%s: %q", list, rows)
		}
		for _, row := range rows {
			for _, cell := range row {
				if cell != audit.Harmless(cell) {
					t.Errorf("%s: the cell %q runs", list, cell)
				}
			}
		}
		if !strings.HasPrefix(file.header.Get("Content-Disposition"), `attachment; filename="acme-`+list+`-`) {
			t.Errorf("%s: headers %v", list, file.header)
		}
		r, err := s.store.Audit().Event(t.Context(), "acme", int64(must1(strconv.Atoi(told()[0]))))
		must(t, err)
		if d := r.Event.Data; d.Get("list").Text() != list || d.Get("count").Number() != strconv.Itoa(len(rows)-1) || string(d.Get("filter").Canonical()) != `{"days":7}` {
			t.Errorf("%s: the trail tells %s", list, r.Bytes)
		}
		cleo.get(path).want(t, http.StatusMethodNotAllowed)
		before := told()
		ada.post(path, nil).want(t, http.StatusForbidden)
		cleo.post(path, url.Values{"days": {"8"}}).want(t, http.StatusUnprocessableEntity)
		if !slices.Equal(told(), before) {
			t.Errorf("%s: what was refused is told", list)
		}
	}
	cleo.get("/t/acme/audit").want(t, http.StatusOK, "Exported 3 entries of the quiz statistics (questions) as CSV", "Exported 1 entry of the quiz statistics (operators) as CSV")
}
