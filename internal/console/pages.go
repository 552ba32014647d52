package console

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/filter"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/trailui"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// The live queue, and what stands around every page.

// livePage is page with the feed and the number of those that wait. open is the
// request that the page shows while it waits, or empty.
func (s *Console) livePage(c edge.Call, title string, q request.Queue, open string) views.Page {
	p := s.Page(c, title, views.PlaceQueue)
	p.Assets.Scripts = append(p.Assets.Scripts, s.Assets.HTMX())
	base := "/t/" + c.Member.Tenant
	p.Nav[0].Count = q.Page.Total
	p.Live = &views.Live{Feed: q.Rows("", "open", open), Resync: q.Rows("/rows", "open", open), As: q.Print(), Synced: q.Page.Now.Format(present.ClockForm), SyncedISO: q.Page.Now.UTC().Format(present.IsoForm)}
	if c.Halt != nil { // the answer says when that is over
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
	q.Page, err = s.Approvals.Queue(ctx, m, query)
	if f.Soonest {
		slices.SortStableFunc(q.Page.Lines, func(a, b approvals.Line) int { return a.ExpiresAt.Compare(b.ExpiresAt) })
	}
	return q, err
}

// queuePage is the live queue. open keeps the mark of the row whose request is
// shown beside the list that asks for this page.
func (s *Console) queuePage(c edge.Call) error {
	ctx := c.Request().Context()
	a := filter.Read(c.Say, c.Request().URL.RawQuery, request.QueueOrder...)
	f := request.FilterOf(a)
	status := http.StatusOK
	if !a.OK() { // the list stands as it is without what was not understood
		status = http.StatusUnprocessableEntity
	} else if !a.Canonical(c.Request().URL.RawQuery) {
		return edge.GoTo(c, a.At(urls.Queue(c.Member.Tenant)))
	}
	if a.Clean.Get("select") != "" && c.Member.May(auth.Refuse) {
		return s.showSelect(c, status, a, request.Selecting{})
	}
	q, err := s.waiting(ctx, c.Member, f, a.Clean.Get("open"))
	if err != nil {
		return err
	}
	q.Address = a
	if q.Names, err = s.Tenants.Names(ctx, c.Member); err != nil {
		return err
	}
	p := s.livePage(c, c.Say.Say("Queue"), q, "")
	if err := s.ShowDisplay(c, &p); err != nil {
		return err
	}
	if c.Locked && c.Member.May(auth.Decide) {
		p.Banners = append(p.Banners, request.LockedBanner(c.Say, c.Member.Tenant))
	}
	if q.Page.Answering {
		answering, err := s.AnsweringBanner(c)
		if err != nil {
			return err
		}
		p.Banners = append(p.Banners, answering...)
	}
	if !q.Page.Answering {
		p.Banners = append(p.Banners, trailui.SessionNotices(c.Say, c.Member.Tenant, q.Page.Alerts, q.Names)...)
	}
	v := q.View()
	v.Tools, v.Done = q.Tools(), p.Done
	if v.Saved, err = s.trail.Saved(c, trailui.SavedQueue(), a); err != nil {
		return err
	}
	if v.First, err = s.firstSteps(c, q); err != nil {
		return err
	}
	v.TodayUTC = c.Zone() == time.UTC
	if v.Today, err = s.today(c, q); err != nil {
		return err
	}
	if c.Member.May(auth.Refuse) && q.Page.Total > 0 {
		v.Select, v.Mine = q.Rows("", "select", "1", "open", ""), urls.Queue(c.Member.Tenant)+"?claim=mine"
	}
	return edge.Show(c, status, review.QueuePage(p, v))
}

// today is what became of requests today; nothing while the reader answers questions.
func (s *Console) today(c edge.Call, q request.Queue) ([]views.Pair, error) {
	if q.Page.Answering {
		return nil, nil
	}
	t, err := s.Approvals.Today(c.Request().Context(), c.Member, c.Zone())
	return request.TodayOf(c.Say, t), err
}

// maxHad bounds how many rows a page may ask about.
const maxHad = 100

// queueRows is for a page that was out of touch: the rows that it should show, and
// what became of those that it has; nothing where the list is as it was when the page
// was drawn.
func (s *Console) queueRows(c edge.Call) error {
	ctx := c.Request().Context()
	a := filter.Read(c.Say, c.Request().URL.RawQuery, request.QueueOrder...)
	had := hadOf(a)
	q, err := s.waiting(ctx, c.Member, request.FilterOf(a), a.Clean.Get("open"))
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
	more, err := s.Approvals.Lines(ctx, c.Member, had, "")
	if err != nil {
		return err
	}
	var push review.Resync
	for _, l := range q.Page.Lines {
		push.Rows = append(push.Rows, q.Row(l))
	}
	aside := more.Attention.SnoozedBy(c.Member.Person.ID)
	for _, l := range more.Lines {
		if slices.Contains(aside, l.ID) {
			push.Aside = append(push.Aside, l.ID)
		} else {
			push.Had = append(push.Had, q.Row(l))
		}
	}
	push.Snoozed = request.SnoozedRows(c.Say, q.Page.Snoozed, q.Page.Attention, q.Me)
	push.Count = q.Page.Total
	if c.Halt != nil {
		push.House = append(push.House, edge.HaltBanner(c.Say, c.Member, *c.Halt))
	}
	push.Mentions = edge.MentionNotices(c.Say, c.Member.Tenant, c.Mentions, a.Clean.Get("open"))
	return edge.Show(c, http.StatusOK, review.PushQueue(push))
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
