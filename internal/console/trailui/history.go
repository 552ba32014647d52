package trailui

import (
	"net/http"
	"regexp"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/filter"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/trail"
)

const historyPerPage = 50

// historyOrder is the canonical order of the list's parameters.
var historyOrder = []string{"q", "status", "level", "effect", "decider", "agent", "function", "match", "session", "from", "to", "before", "after"}

var (
	statusForm  = regexp.MustCompile(`^(approved|blocked|denied|changes_requested|expired|cancelled)$`)
	deciderForm = regexp.MustCompile(`^(any|(person|policy|clock|agent)(:[A-Za-z0-9_-]{1,64})?)$`)
)

// historyQuery reads which decisions are asked for.
func historyQuery(a *filter.Address) approvals.HistoryQuery {
	q := approvals.HistoryQuery{Limit: historyPerPage}
	for _, status := range a.Choices("status", statusForm, fault.Textf("a request ends approved, blocked, denied, changes_requested, expired or cancelled")) {
		q.Statuses = append(q.Statuses, approvals.Status(status))
	}
	q.Levels, q.Effects = a.Levels(), a.Effects()
	if by := filter.ActorFrom(a.Form("decider", deciderForm, fault.Textf("choose someone from the list"))); by.Kind != filter.Any {
		q.Decider = approvals.Decider{Kind: approvals.DeciderKind(by.Kind), ID: by.ID}
	}
	q.Agent = a.Form("agent", filter.AgentIDForm, fault.Textf("choose an agent from the list"))
	q.Function, q.Prefix = a.Function()
	q.Session, q.Text = a.One("session"), a.One("q")
	q.From, q.To = a.Span("from", "to")
	q.Edge, q.Upward = a.Edge()
	return q
}

// historyPage lists what was decided.
func (s *Pages) historyPage(c edge.Call) error {
	ctx, here := c.Request().Context(), "/t/"+c.Member.Tenant+"/history"
	a := filter.Read(c.Say, c.Request().URL.RawQuery, historyOrder...)
	q := historyQuery(a)
	names, err := s.Tenants.Names(ctx, c.Member)
	if err != nil {
		return err
	}
	h := historyOf{say: c.Say, member: c.Member, address: a, names: names, now: s.Now().UTC()}
	if !a.OK() {
		return edge.Show(c, http.StatusUnprocessableEntity, trail.HistoryPage(s.Page(c, c.Say.Say("History"), views.PlaceHistory), h.view()))
	}
	if !a.Canonical(c.Request().URL.RawQuery) {
		return edge.GoTo(c, a.At(here))
	}
	if len(a.Hidden()) == 0 {
		a.Clean.Set("decider", "person")
		q.Decider.Kind, h.opening = approvals.ByPerson, true
	}
	h.query = q
	if h.saved, err = s.Saved(c, savedHistory(), a); err != nil {
		return err
	}
	if h.opening && h.saved != nil { // what nobody narrowed needs no name
		h.saved.Fields = nil
	}
	if h.page, err = s.Approvals.History(ctx, c.Member, q); err != nil {
		return err
	}
	ended := make([]approvals.Approval, len(h.page.Decided))
	for i, d := range h.page.Decided {
		ended[i] = d.Approval
	}
	if h.withdrew, err = s.Withdrew(ctx, c.Member, ended...); err != nil {
		return err
	}
	if q.Upward && h.page.Done && len(h.page.Decided) < q.Limit {
		return edge.GoTo(c, a.At(here, "after", ""))
	}
	return edge.Show(c, http.StatusOK, trail.HistoryPage(s.Page(c, c.Say.Say("History"), views.PlaceHistory), h.view()))
}
