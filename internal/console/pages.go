package console

import (
	"context"
	"net/http"
	"regexp"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/views"
)

// The live queue, and what stands around every page.

// idForm is what an approval's id looks like; anything else is nobody's.
var idForm = regexp.MustCompile(`^apr_[0-9a-f]{32}$`)

// approvalID returns id if it can be one, else "".
func approvalID(id string) string {
	if !idForm.MatchString(id) {
		return ""
	}
	return id
}

// pageAssets are the addresses of styles and scripts.
func (s *Console) pageAssets() views.Assets {
	return views.Assets{Early: s.assets.Early(), Styles: s.assets.Styles(), Scripts: s.assets.Scripts(), Favicon: s.assets.Favicon()}
}

// page is what stands around every page of a tenant.
func (s *Console) page(c call, title string, here views.Place) views.Page {
	base := "/t/" + c.member.Tenant
	p := views.Page{
		Title: title, Assets: s.pageAssets(), Now: s.now().UTC().Format("2006-01-02T15:04:05.000Z"),
		Home: base + "/queue", Tenant: c.member.Tenant, Here: here,
		Person: personOf(c.member.Person), Account: accountURL, SignOut: signOutURL,
		Nav: []views.NavItem{{Place: views.PlaceQueue, URL: base + "/queue"}, {Place: views.PlaceHistory, URL: base + "/history"}},
	}
	if c.member.May(auth.ReadAudit) {
		p.Nav = append(p.Nav, views.NavItem{Place: views.PlaceAudit, URL: base + "/audit"})
	}
	p.Nav = append(p.Nav, views.NavItem{Place: views.PlaceInsights, URL: insightsURL(c.member.Tenant)})
	if items := settingsItems(c.member, ""); len(items) > 0 {
		p.Nav = append(p.Nav, views.NavItem{Place: views.PlaceSettings, URL: items[0].URL})
	}
	if c.halt != nil {
		p.Banners = append(p.Banners, haltBanner(c.member, *c.halt))
	}
	p.Help, p.Palette = helpURL(c.member.Tenant), paletteOf(c, p.Nav)
	for _, slug := range c.visit.tenants {
		if slug != c.member.Tenant {
			p.Tenants = append(p.Tenants, views.Link{Label: slug, URL: queueURL(slug)})
		}
	}
	return p
}

// livePage is page with the feed and the number of those that wait. open is the
// request that the page shows while it waits, or empty.
func (s *Console) livePage(c call, title string, q queueOf, open string) views.Page {
	p := s.page(c, title, views.PlaceQueue)
	base := "/t/" + c.member.Tenant
	p.Nav[0].Count = len(q.pending)
	p.Live = &views.Live{Feed: base + "/live", Resync: base + "/queue/rows", Synced: q.now.Format(clockForm)}
	if open != "" {
		p.Live.Feed += "?open=" + open
	}
	return p
}

// waiting reads the queue as this person may see it.
func (s *Console) waiting(ctx context.Context, m auth.Member) (queueOf, error) {
	pending, now, err := s.approvals.Queue(ctx, m)
	if err != nil {
		return queueOf{}, err
	}
	q := queueOf{tenant: m.Tenant, pending: pending, now: now, asking: map[string]bool{}, me: m.Person.ID}
	if q.at, err = s.approvals.Attention(ctx, m, ""); err != nil {
		return q, err
	}
	if !m.May(auth.Decide) {
		return q, nil
	}
	for _, a := range pending {
		if !mayAsk(a) {
			continue
		}
		_, asking, err := s.approvals.Peek(ctx, m, a.ID)
		if err != nil && !fault.Is(err, fault.Missing) {
			return q, err
		}
		q.asking[a.ID] = asking
	}
	return q, nil
}

// queuePage is the live queue. open keeps the mark of the row whose request is
// shown beside the list that asks for this page.
func (s *Console) queuePage(c call) error {
	ctx := c.Request().Context()
	if c.QueryParam("select") != "" && c.member.May(auth.Decide) {
		return s.showSelect(c, http.StatusOK, selecting{query: trim(c.QueryParam("q"), 200)})
	}
	q, err := s.waiting(ctx, c.member)
	if err != nil {
		return err
	}
	q.query = trim(c.QueryParam("q"), 200)
	q.opening(approvalID(c.QueryParam("open")))
	p := s.livePage(c, "Queue", q, "")
	if c.locked && c.member.May(auth.Decide) {
		p.Banners = append(p.Banners, lockedBanner(c.member.Tenant))
	}
	v := q.view()
	if v.First, err = s.firstSteps(c, q); err != nil {
		return err
	}
	if v.First != nil {
		v.Empty.Action = v.First.Steps[0].Action // a phone shows only the list
	}
	if c.member.May(auth.Decide) && len(q.pending) > 0 {
		v.Select = selectURL(c.member.Tenant, q.query)
	}
	return show(c, http.StatusOK, views.QueuePage(p, v))
}

// opening marks the request that is open beside the list.
func (q *queueOf) opening(id string) {
	q.open = id
	if id == "" || !q.asking[id] {
		return
	}
	for i := range q.pending {
		if q.pending[i].ID == id {
			q.opened = &q.pending[i]
		}
	}
}

// queueRows is every waiting row, for a page that was out of touch.
func (s *Console) queueRows(c call) error {
	q, err := s.waiting(c.Request().Context(), c.member)
	if err != nil {
		return err
	}
	rows, same := make([]views.QueueRow, len(q.pending)), q.identical()
	for i, a := range q.pending {
		rows[i] = attentionTo(q.at, a.ID, q.me).in(rowOf(a, q.now, q.asking[a.ID], same[actOf(a)]))
	}
	return show(c, http.StatusOK, views.PushQueue(len(rows), rows))
}

// trim bounds a text that is only echoed.
func trim(s string, runes int) string {
	for i := range s {
		if runes--; runes < 0 {
			return s[:i]
		}
	}
	return s
}

// mayAsk reports whether somebody could be answering a quiz about a.
func mayAsk(a approvals.Approval) bool { return a.Treatment.Challenge == scoring.ChallengeQuiz }
