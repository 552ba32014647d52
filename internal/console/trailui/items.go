package trailui

import (
	"io"
	"net/http"
	"regexp"
	"strconv"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/filter"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/trail"
)

// The report on the questions of quizzes: which of them measure nothing, and how
// operators fare with them.

// itemsPath is the page; its files stand beside it.
const itemsPath = "/t/:tenant/insights/questions"

// itemsOrder are the parameters of the report.
var itemsOrder = []string{"days"}

var daysForm = regexp.MustCompile(`^(7|30|90)$`)

// itemsDays is the chosen window; the usual one has the address without parameters.
func itemsDays(a *filter.Address) int {
	usual := approvals.ItemDays()[1]
	days, err := strconv.Atoi(a.Form("days", daysForm, fault.Textf("the report covers the last 7, 30 or 90 days")))
	if err != nil {
		days = usual
	}
	if days == usual {
		a.Clean.Del("days")
	}
	return days
}

// itemsPage shows the report.
func (s *Pages) itemsPage(c edge.Call) error {
	a := filter.Read(c.Say, c.Request().URL.RawQuery, itemsOrder...)
	i := itemsOf{say: c.Say, member: c.Member, address: a, days: itemsDays(a)}
	p := s.Page(c, c.Say.Say("Quiz questions"), views.PlaceInsights)
	if !a.OK() {
		return edge.Show(c, http.StatusUnprocessableEntity, trail.ItemStatisticsPage(p, i.view()))
	}
	if !a.Canonical(c.Request().URL.RawQuery) {
		return edge.GoTo(c, a.At(urls.Items(c.Member.Tenant)))
	}
	var err error
	if i.report, i.names, err = s.items(c, i.days); err != nil {
		return err
	}
	return edge.Show(c, http.StatusOK, trail.ItemStatisticsPage(p, i.view()))
}

// items reads the report and the names of whom it is about.
func (s *Pages) items(c edge.Call, days int) (approvals.ItemReport, tenants.Names, error) {
	ctx := c.Request().Context()
	report, err := s.Approvals.Items(ctx, c.Member, days)
	if err != nil {
		return report, tenants.Names{}, err
	}
	names, err := s.Tenants.Names(ctx, c.Member)
	if err != nil {
		return report, names, err
	}
	people := make([]string, len(report.Operators))
	for n, o := range report.Operators {
		people[n] = o.Person
	}
	return report, names, s.Tenants.FormerNames(ctx, names, people...)
}

// exportQuestions sends what the report says about questions as a table.
func (s *Pages) exportQuestions(c edge.Call) error {
	return s.exportItems(c, "questions", func(table *audit.CSV, r approvals.ItemReport, _ tenants.Names) int {
		table.Row("kind", "question", "asked", "right", "share right", "low 95", "high 95", "asked in first attempts", "right in first attempts", "median seconds", "answers with a time", "suspicion")
		for _, q := range r.Questions {
			share, low, high := q.Share()
			table.Row(q.Kind, q.Prompt, strconv.Itoa(q.Asked), strconv.Itoa(q.Right), present.Fraction(share), present.Fraction(low), present.Fraction(high),
				strconv.Itoa(q.AskedFirst), strconv.Itoa(q.RightFirst), timed(q.Seconds, q.Timed), strconv.Itoa(q.Timed), string(q.Suspicion))
		}
		return len(r.Questions)
	})
}

// exportOperators sends what the report says about operators as a table.
func (s *Pages) exportOperators(c edge.Call) error {
	return s.exportItems(c, "operators", func(table *audit.CSV, r approvals.ItemReport, names tenants.Names) int {
		table.Row("operator", "operator id", "quizzes", "passed first", "passed second", "locked out", "median seconds", "answers with a time")
		for _, o := range r.Operators {
			table.Row(names.Of("person", o.Person), o.Person, strconv.Itoa(o.Quizzes), strconv.Itoa(o.PassedFirst), strconv.Itoa(o.PassedSecond),
				strconv.Itoa(o.LockedOut), timed(o.Seconds, o.Timed), strconv.Itoa(o.Timed))
		}
		return len(r.Operators)
	})
}

// exportItems counts what will be sent, writes the event, and sends.
func (s *Pages) exportItems(c edge.Call, list string, write func(*audit.CSV, approvals.ItemReport, tenants.Names) int) error {
	ctx, tenant := c.Request().Context(), c.Member.Tenant
	a := filter.Take(c.Say, c.Request().PostForm, itemsOrder...)
	days := itemsDays(a)
	if err := refusal(a); err != nil {
		return err
	}
	report, names, err := s.items(c, days)
	if err != nil {
		return err
	}
	head, err := s.Audit.Head(ctx, tenant)
	if err != nil {
		return err
	}
	count := write(audit.NewCSV(io.Discard), report, names)
	filter := canon.Object(canon.Member{Name: "days", Value: canon.Int(int64(days))})
	if err := s.Tenants.TellExport(ctx, c.Member, s.exportedEvent(c, list, "csv", filter, int64(count), head)); err != nil {
		return err
	}
	return s.sendFile(c, list, "csv", func(w io.Writer) error {
		table := audit.NewCSV(w)
		write(table, report, names)
		return table.Flush()
	})
}

// timed is a median in seconds; empty where no time is known.
func timed(seconds float64, of int) string {
	if of == 0 {
		return ""
	}
	return strconv.FormatFloat(seconds, 'f', 1, 64)
}
