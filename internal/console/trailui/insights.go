package trailui

import (
	"io"
	"maps"
	"net/http"
	"regexp"
	"slices"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/filter"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
	"github.com/countersign/countersign/views/trail"
)

// The insights page: what happened in a window of days, as figures. A figure is a
// table with a chart that the browser draws from it, and can be taken as a file;
// page and file come from the same cells.

// insightsPath is the page; its files stand beside it.
const insightsPath = "/t/:tenant/insights"

// insightsOrder are the parameters of the page.
var insightsOrder = []string{"days", "from", "to", "agent", "function", "person"}

var oneDayForm = regexp.MustCompile(`^\d{4}-\d{2}-\d{2}$`)

// insightsQuery reads what is asked for. Two days say more than a number of them.
func insightsQuery(a *filter.Address) (q approvals.InsightsQuery) {
	q.Days = itemsDays(a)
	like := fault.Textf("write a day like 2026-11-20")
	if q.From, q.To = a.Form("from", oneDayForm, like), a.Form("to", oneDayForm, like); q.From != "" || q.To != "" {
		q.Days = 0
		a.Clean.Del("days")
	}
	q.Agent = a.Form("agent", filter.AgentIDForm, fault.Textf("choose an agent from the list"))
	q.Function = a.One("function")
	q.Person = a.Form("person", filter.AgentIDForm, fault.Textf("choose someone from the list"))
	return q
}

// insightsPage shows the figures.
func (s *Pages) insightsPage(c edge.Call) error {
	a := filter.Read(c.Say, c.Request().URL.RawQuery, insightsOrder...)
	i := insightsOf{say: c.Say, member: c.Member, address: a, query: insightsQuery(a)}
	p := s.Page(c, c.Say.Say("Insights"), views.PlaceInsights)
	styles, scripts := s.Assets.Charts()
	p.Assets.Styles, p.Assets.Scripts = append(p.Assets.Styles, styles...), append(p.Assets.Scripts, scripts...)
	if a.OK() && !a.Canonical(c.Request().URL.RawQuery) {
		return edge.GoTo(c, a.At(urls.Insights(c.Member.Tenant)))
	}
	if err := s.readInsights(c, &i); err != nil {
		return err
	}
	if !a.OK() {
		return edge.Show(c, http.StatusUnprocessableEntity, trail.InsightsPage(p, i.view()))
	}
	return edge.Show(c, http.StatusOK, trail.InsightsPage(p, i.view()))
}

// readInsights reads the figures, and the names of whom they are about. What cannot be
// asked for stands in the address afterwards.
func (s *Pages) readInsights(c edge.Call, i *insightsOf) (err error) {
	ctx := c.Request().Context()
	if i.names, err = s.Tenants.Names(ctx, c.Member); err != nil || !i.address.OK() {
		return err
	}
	i.report, err = s.Approvals.Insights(ctx, c.Member, i.query)
	if f := fault.As(err); err != nil && (f.Code == fault.InvalidParameter || f.Member == "person") {
		if f.Member == "" {
			i.address.Problem = f.Text()
		} else {
			i.address.Fail(f.Member, f.Text())
		}
		return nil
	}
	if err != nil {
		return err
	}
	if i.coached, err = s.Approvals.Coach(ctx, c.Member); err != nil {
		return err
	}
	people := make([]string, len(i.report.Operators))
	for n, o := range i.report.Operators {
		people[n] = o.Value
	}
	return s.Tenants.FormerNames(ctx, i.names, people...)
}

// exportFigure sends one figure as a table.
func (s *Pages) exportFigure(c edge.Call) error {
	ctx, tenant := c.Request().Context(), c.Member.Tenant
	form := maps.Clone(c.Request().PostForm)
	id := form.Get("figure")
	delete(form, "figure")
	a := filter.Take(c.Say, form, insightsOrder...)
	i := insightsOf{say: edge.InFile, member: c.Member, address: a, query: insightsQuery(a)}
	if err := s.readInsights(c, &i); err != nil {
		return err
	}
	if err := refusal(a); err != nil {
		return err
	}
	figures := i.figures()
	at := slices.IndexFunc(figures, func(f figure) bool { return f.id == id })
	if at < 0 {
		return fault.Member(fault.InvalidForm, "figure", "there is no figure %.40q; use the buttons of the page", id)
	}
	head, err := s.Audit.Head(ctx, tenant)
	if err != nil {
		return err
	}
	if err := s.Tenants.TellExport(ctx, c.Member, s.exportedEvent(c, "insights-"+id, "csv", i.data(), int64(len(figures[at].rows)), head)); err != nil {
		return err
	}
	return s.sendFile(c, "insights-"+id, "csv", func(w io.Writer) error {
		table := audit.NewCSV(w)
		figures[at].write(table)
		return table.Flush()
	})
}

// insightsOf are the figures before they have words.
type insightsOf struct {
	say     texts.Printer
	member  auth.Member
	address *filter.Address
	query   approvals.InsightsQuery
	report  approvals.Insights
	coached approvals.Coached
	names   tenants.Names
}

// data is what was asked for, as the trail keeps it.
func (i insightsOf) data() canon.Value {
	var all []canon.Member
	if i.query.Days != 0 {
		all = append(all, canon.Member{Name: "days", Value: canon.Int(int64(i.query.Days))})
	}
	for _, h := range i.address.Hidden() {
		if h.Name != "days" {
			all = append(all, canon.Member{Name: h.Name, Value: canon.String(h.Value)})
		}
	}
	return canon.Object(all...)
}
