package console

import (
	"net/http"
	"regexp"

	"github.com/countersign/countersign/internal/approvals"
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

// anyDecider asks for everybody's decisions. An address that asks for nothing at all means
// what people decided: most of the rest is what the policy let through.
const anyDecider = "any"

// historyQuery reads which decisions are asked for.
func historyQuery(a *listAddress) approvals.HistoryQuery {
	q := approvals.HistoryQuery{Limit: historyPerPage}
	for _, status := range a.choices("status", statusForm, fault.Textf("a request ends approved, blocked, denied, changes_requested, expired or cancelled")) {
		q.Statuses = append(q.Statuses, approvals.Status(status))
	}
	q.Levels, q.Effects = a.levels(), a.effects()
	if by := actorFrom(a.form("decider", deciderForm, fault.Textf("choose someone from the list"))); by.Kind != anyDecider {
		q.Decider = approvals.Decider{Kind: approvals.DeciderKind(by.Kind), ID: by.ID}
	}
	q.Agent = a.form("agent", agentIDForm, fault.Textf("choose an agent from the list"))
	q.Function, q.Prefix = a.function()
	q.Session, q.Text = a.one("session"), a.one("q")
	q.From, q.To = a.span("from", "to")
	q.Edge, q.Upward = a.edge()
	return q
}

// historyPage lists what was decided.
func (s *Console) historyPage(c call) error {
	ctx, here := c.Request().Context(), "/t/"+c.member.Tenant+"/history"
	a := readAddress(c.say, c.Request().URL.RawQuery, historyOrder...)
	q := historyQuery(a)
	names, err := s.tenants.Names(ctx, c.member)
	if err != nil {
		return err
	}
	h := historyOf{say: c.say, member: c.member, address: a, names: names, now: s.now().UTC()}
	if !a.ok() {
		return show(c, http.StatusUnprocessableEntity, trail.HistoryPage(s.page(c, c.say.Say("History"), views.PlaceHistory), h.view()))
	}
	if !a.canonical(c.Request().URL.RawQuery) {
		return goTo(c, a.at(here))
	}
	if len(a.hidden()) == 0 {
		a.clean.Set("decider", "person")
		q.Decider.Kind, h.opening = approvals.ByPerson, true
	}
	h.query = q
	if h.saved, err = s.saved(c, savedHistory(), a); err != nil {
		return err
	}
	if h.opening && h.saved != nil { // what nobody narrowed needs no name
		h.saved.Fields = nil
	}
	if h.page, err = s.approvals.History(ctx, c.member, q); err != nil {
		return err
	}
	if q.Upward && h.page.Done && len(h.page.Decided) < q.Limit {
		return goTo(c, a.at(here, "after", ""))
	}
	return show(c, http.StatusOK, trail.HistoryPage(s.page(c, c.say.Say("History"), views.PlaceHistory), h.view()))
}
