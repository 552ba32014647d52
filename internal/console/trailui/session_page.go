package trailui

import (
	"net/http"
	"regexp"
	"time"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/filter"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// A session of an agent. Its name is the agent's text and may hold anything, so it stands
// in the query and not in the path.

const (
	sessionPath    = "/t/:tenant/sessions/:agent"
	sessionPerPage = 50
)

var (
	sessionOrder = []string{"session", "show", "before"}
	showForm     = regexp.MustCompile(`^(held|through)$`)
)

// sessionPage shows one session.
func (s *Pages) sessionPage(c edge.Call) error {
	ctx := c.Request().Context()
	agent, err := edge.AgentID(c)
	if err != nil {
		return err
	}
	a := filter.Read(c.Say, c.Request().URL.RawQuery, sessionOrder...)
	q := approvals.SessionQuery{Agent: agent, Session: a.Given.Get("session"), Limit: sessionPerPage}
	if !utf8.ValidString(q.Session) || len(q.Session) > scoring.MaxNameBytes {
		return fault.New(fault.Missing, "there is no session of this name")
	}
	a.Clean.Set("session", q.Session)
	q.Show = approvals.HeldFilter(a.Form("show", showForm, fault.Textf("it is held, or was approved for another reason")))
	if q.Before = a.One("before"); q.Before != "" && present.ApprovalID(q.Before) == "" {
		a.Problem = fault.Textf("the parameter before is the ID of a request, as the links to the other pages have it")
	}
	status := http.StatusOK
	if !a.OK() { // what cannot be understood narrows nothing
		status, q.Show, q.Before = http.StatusUnprocessableEntity, "", ""
	}
	v := sessionView{say: c.Say, member: c.Member, address: a, query: q, now: s.Now().UTC()}
	if v.page, err = s.Approvals.Session(ctx, c.Member, q); err != nil {
		return err
	}
	if v.withdrew, err = s.Withdrew(ctx, c.Member, v.page.Calls...); err != nil {
		return err
	}
	ids := make([]string, len(v.page.Calls))
	for i, one := range v.page.Calls {
		ids[i] = one.ID
	}
	if v.sealed, err = s.Approvals.Sealed(ctx, c.Member, ids); err != nil {
		return err
	}
	p := s.Page(c, c.Say.Say("Session %s", present.Flat(c.Say, q.Session)), views.PlaceHistory)
	styles, scripts := s.Assets.Charts()
	p.Assets.Styles, p.Assets.Scripts = append(p.Assets.Styles, styles...), append(p.Assets.Scripts, scripts...)
	return edge.Show(c, status, review.SessionPage(p, v.view()))
}

// acknowledgeSession says by name that somebody has looked at an alert.
func (s *Pages) acknowledgeSession(c edge.Call) error {
	agent, err := edge.AgentID(c)
	if err == nil {
		err = c.Unlocked()
	}
	session := c.Field("session")
	if err == nil {
		err = s.Approvals.AcknowledgeSession(c.Request().Context(), c.Member, agent, session)
	}
	if err != nil {
		return err
	}
	return edge.GoTo(c, urls.Session(c.Member.Tenant, agent, session))
}

// sessionView is a session before it has words.
type sessionView struct {
	say     texts.Printer
	member  auth.Member
	address *filter.Address
	query   approvals.SessionQuery
	page    approvals.SessionPage
	now     time.Time
	sealed  map[string]bool // requests whose score this person may not know yet
	// withdrew are the people who withdrew a yes of the page, by its id.
	withdrew map[string]string
}
