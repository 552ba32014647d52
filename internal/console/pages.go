package console

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/filter"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// The live queue, and what stands around every page.

// pageAssets are the addresses of styles and scripts.
func (s *Console) pageAssets() views.Assets {
	return views.Assets{Early: s.assets.Early(), Styles: []string{s.assets.Style()}, Scripts: []string{s.assets.Script()}, Last: s.assets.Last(), Fonts: s.assets.Fonts(), Favicon: s.assets.Favicon(), Manifest: s.assets.Manifest(), Touch: s.assets.Touch()}
}

// page is what stands around every page of a tenant.
func (s *Console) page(c call, title string, here views.Place) views.Page {
	base := "/t/" + c.member.Tenant
	p := views.Page{
		Title: title, Assets: s.pageAssets(), Now: s.now().UTC().Format("2006-01-02T15:04:05.000Z"),
		Home: base + "/queue", Tenant: c.member.Tenant, Here: here,
		Person: present.PersonOf(c.member.Person), Account: urls.Account, SignOut: urls.SignOut,
		Nav: []views.NavItem{{Place: views.PlaceQueue, URL: base + "/queue"}, {Place: views.PlaceHistory, URL: base + "/history"}},
	}
	p.Again, p.Done = s.again(c), s.done(c)
	if c.member.May(auth.ReadAudit) {
		p.Nav = append(p.Nav, views.NavItem{Place: views.PlaceAudit, URL: base + "/audit"})
	}
	p.Nav = append(p.Nav, views.NavItem{Place: views.PlaceInsights, URL: urls.Insights(c.member.Tenant)})
	if items := settingsItems(c.say, c.member, ""); len(items) > 0 {
		settings := views.NavItem{Place: views.PlaceSettings, URL: items[0].URL, Count: c.waiting}
		if c.waiting > 0 {
			settings.URL = urls.Settings(c.member.Tenant, urls.PlaceWaiting)
		}
		p.Nav = append(p.Nav, settings)
	}
	if c.member.May(auth.StopAgents) && c.halt == nil {
		p.Stop = &views.Stop{URL: urls.Agents(c.member.Tenant) + "/stop-all", Slug: c.member.Tenant}
	}
	if c.locked && here == views.PlaceSettings && c.member.May(auth.ProposePolicy) {
		p.Banners = append(p.Banners, asleepBanner(c))
	}
	if err := s.trouble(); err != nil {
		p.Banners = append(p.Banners, views.Notice{
			Tone: views.ToneBad, Icon: views.IconAlert, Title: c.say.Say("Nothing can be stored at the moment"), Text: untrusted.Runs(present.Because(c.say, fault.As(err)) + "."),
		})
	}
	if s.signed.Newest(c.member.Tenant).Problem != "" {
		p.Banners = append(p.Banners, refusedBanner(c.say, c.member))
	}
	if c.single {
		p.Banners = append(p.Banners, singleBanner(c.say, c.member))
	}
	if c.halt != nil {
		p.House = append(p.House, haltBanner(c.say, c.member, *c.halt))
	}
	p.Help, p.Explained, p.Palette = urls.Help(c.member.Tenant), explained(c), paletteOf(c, p.Nav)
	for _, slug := range c.visit.tenants {
		if slug != c.member.Tenant {
			p.Tenants = append(p.Tenants, views.Link{Label: slug, URL: urls.Queue(slug)})
		}
	}
	return p
}

// livePage is page with the feed and the number of those that wait. open is the
// request that the page shows while it waits, or empty.
func (s *Console) livePage(c call, title string, q request.Queue, open string) views.Page {
	p := s.page(c, title, views.PlaceQueue)
	p.Assets.Scripts = append(p.Assets.Scripts, s.assets.HTMX())
	base := "/t/" + c.member.Tenant
	p.Nav[0].Count = q.Page.Total
	p.Live = &views.Live{Feed: q.Rows("", "open", open), Resync: q.Rows("/rows", "open", open), As: q.Print(), Synced: q.Page.Now.Format(present.ClockForm), SyncedISO: q.Page.Now.UTC().Format(present.IsoForm)}
	if c.halt != nil { // the answer says when that is over
		p.Live.As = ""
	}
	p.Live.Feed = base + "/live" + strings.TrimPrefix(p.Live.Feed, base+"/queue")
	return p
}

// waiting reads a page of the queue as this person may see it, with identical requests as
// one row. open is the request that is shown beside it, or empty.
func (s *Console) waiting(ctx context.Context, m auth.Member, f request.Filter, open string) (request.Queue, error) {
	return s.waitingBy(ctx, m, f, approvals.QueueQuery{Limit: request.QueuePerPage, Fold: request.FoldOf, Open: open})
}

func (s *Console) waitingBy(ctx context.Context, m auth.Member, f request.Filter, query approvals.QueueQuery) (request.Queue, error) {
	say := texts.From(ctx)
	q := request.Queue{Say: say, Tenant: m.Tenant, Filter: f, Me: m.Person.ID, Open: query.Open}
	query.Levels, query.After = f.Levels, f.After
	if f.Soonest {
		query.Limit = approvals.MaxBatch // what expires first may stand far down by level
	}
	if f.Reads() {
		query.Keep = func(l approvals.Line, at approvals.Attention) bool { return f.Keeps(say, l, at, m.Person.ID) }
	}
	var err error
	q.Page, err = s.approvals.Queue(ctx, m, query)
	if f.Soonest {
		slices.SortStableFunc(q.Page.Lines, func(a, b approvals.Line) int { return a.ExpiresAt.Compare(b.ExpiresAt) })
	}
	return q, err
}

// queuePage is the live queue. open keeps the mark of the row whose request is
// shown beside the list that asks for this page.
func (s *Console) queuePage(c call) error {
	ctx := c.Request().Context()
	a := filter.Read(c.say, c.Request().URL.RawQuery, request.QueueOrder...)
	f := request.FilterOf(a)
	status := http.StatusOK
	if !a.OK() { // the list stands as it is without what was not understood
		status = http.StatusUnprocessableEntity
	} else if !a.Canonical(c.Request().URL.RawQuery) {
		return goTo(c, a.At(urls.Queue(c.member.Tenant)))
	}
	if a.Clean.Get("select") != "" && c.member.May(auth.Refuse) {
		return s.showSelect(c, status, a, request.Selecting{})
	}
	q, err := s.waiting(ctx, c.member, f, a.Clean.Get("open"))
	if err != nil {
		return err
	}
	q.Address = a
	if q.Names, err = s.tenants.Names(ctx, c.member); err != nil {
		return err
	}
	p := s.livePage(c, c.say.Say("Queue"), q, "")
	if err := s.showDisplay(c, &p); err != nil {
		return err
	}
	if c.locked && c.member.May(auth.Decide) {
		p.Banners = append(p.Banners, request.LockedBanner(c.say, c.member.Tenant))
	}
	if q.Page.Answering {
		answering, err := s.answeringBanner(c)
		if err != nil {
			return err
		}
		p.Banners = append(p.Banners, answering...)
	}
	if !q.Page.Answering {
		p.Banners = append(p.Banners, sessionNotices(c.say, c.member.Tenant, q.Page.Alerts, q.Names)...)
	}
	v := q.View()
	v.Tools = q.Tools()
	if v.Saved, err = s.saved(c, savedQueue(), a); err != nil {
		return err
	}
	if v.First, err = s.firstSteps(c, q); err != nil {
		return err
	}
	if v.Today, err = s.today(c, q); err != nil {
		return err
	}
	if c.member.May(auth.Refuse) && q.Page.Total > 0 {
		v.Select, v.Mine = q.Rows("", "select", "1", "open", ""), urls.Queue(c.member.Tenant)+"?claim=mine"
	}
	return show(c, status, review.QueuePage(p, v))
}

// today is what became of requests today; nothing while the reader answers questions.
func (s *Console) today(c call, q request.Queue) ([]views.Pair, error) {
	if q.Page.Answering {
		return nil, nil
	}
	t, err := s.approvals.Today(c.Request().Context(), c.member)
	return request.TodayOf(c.say, t), err
}

// maxHad bounds how many rows a page may ask about.
const maxHad = 100

// queueRows is for a page that was out of touch: the rows that it should show, and
// what became of those that it has; nothing where the list is as it was when the page
// was drawn.
func (s *Console) queueRows(c call) error {
	ctx := c.Request().Context()
	a := filter.Read(c.say, c.Request().URL.RawQuery, request.QueueOrder...)
	had := hadOf(a)
	q, err := s.waiting(ctx, c.member, request.FilterOf(a), a.Clean.Get("open"))
	if err != nil {
		return err
	}
	if as := a.Given["as"]; len(as) == 1 && as[0] != "" && as[0] == q.Print() {
		return c.NoContent(http.StatusNoContent)
	}
	listed := map[string]bool{}
	for _, l := range q.Page.Lines {
		listed[l.ID] = true
	}
	had = slices.DeleteFunc(had, func(id string) bool { return listed[id] })
	more, err := s.approvals.Lines(ctx, c.member, had, "")
	if err != nil {
		return err
	}
	var push review.Resync
	for _, l := range q.Page.Lines {
		push.Rows = append(push.Rows, q.Row(l))
	}
	for _, l := range more.Lines {
		push.Had = append(push.Had, q.Row(l))
	}
	push.Count = q.Page.Total
	if c.halt != nil {
		push.House = append(push.House, haltBanner(c.say, c.member, *c.halt))
	}
	return show(c, http.StatusOK, review.PushQueue(push))
}

// hadOf are the ids of the rows that a page has: hexadecimal, between points.
func hadOf(a *filter.Address) (ids []string) {
	all := a.Given["has"]
	if len(all) != 1 || !request.HasForm.MatchString(all[0]) {
		return nil
	}
	for _, id := range strings.SplitN(all[0], ".", maxHad+1) {
		if len(ids) < maxHad {
			ids = append(ids, "apr_"+id)
		}
	}
	return ids
}
