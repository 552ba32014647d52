package console

import (
	"net/http"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/filter"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
)

// Several requests at once: denying what is ticked in the queue, and one yes for
// identical requests. What became of each is said one by one.

// showSelect draws the queue with boxes, narrowed as the address a says. ?pick=
// ticks one.
func (s *Console) showSelect(c edge.Call, status int, a *filter.Address, sel request.Selecting) error {
	q, err := s.waitingBy(c.Request().Context(), c.Member, request.FilterOf(a), approvals.QueueQuery{Limit: approvals.MaxBatch}) // each is chosen by itself
	if err != nil {
		return err
	}
	q.Address = a
	if sel.Ticked == nil {
		sel.Ticked = map[string]bool{a.Clean.Get("pick"): true}
	}
	own, err := s.Tenants.Reasons(c.Request().Context(), c.Member)
	if err != nil {
		return err
	}
	p := s.Page(c, c.Say.Say("Bulk deny"), views.PlaceQueue)
	p.Nav[0].Count = q.Page.Total
	if c.Locked {
		p.Banners = append(p.Banners, request.LockedBanner(c.Say, c.Member.Tenant))
	}
	return edge.Show(c, status, review.SelectPage(p, request.SelectingOf(q, own, sel)))
}

// denyAll denies what is ticked, for one reason.
func (s *Console) denyAll(c edge.Call) error {
	sel := request.Selecting{Reason: c.Field("reason"), Ticked: map[string]bool{}}
	picks, err := request.PicksOf(c.Request().PostForm["pick"])
	for _, p := range picks {
		sel.Ticked[p.ID] = true
	}
	if err == nil {
		err = c.Unlocked()
	}
	var all []approvals.Outcome
	if err == nil {
		_, all, err = s.Approvals.DenyAll(c.Request().Context(), c.Member, picks, sel.Reason)
	}
	if err != nil {
		f := fault.As(err)
		if f.Kind() == fault.Internal {
			return err
		}
		edge.NoteRefusal(c, f)
		sel.Fault = f
		return s.showSelect(c, httpserver.Status(f.Code), filter.Take(c.Say, nil, request.QueueOrder...), sel)
	}
	asking, err := s.Approvals.Answering(c.Request().Context(), c.Member)
	if err != nil {
		return err
	}
	p := s.Page(c, c.Say.Say("Denied"), views.PlaceQueue)
	return edge.Show(c, http.StatusOK, review.BatchPage(p, request.DenialsOf(c.Say, c.Member.Tenant, all, len(asking) > 0)))
}

// showAlike says what became of a request and of the identical ones.
func (s *Console) showAlike(c edge.Call, decided approvals.Approval, others []approvals.Outcome) error {
	all := append([]approvals.Outcome{{ID: decided.ID, Approval: decided}}, others...)
	asking, err := s.Approvals.Answering(c.Request().Context(), c.Member)
	if err != nil {
		return err
	}
	return edge.Show(c, http.StatusOK, review.BatchPage(s.Page(c, c.Say.Say("Identical requests"), views.PlaceQueue), request.AlikeOf(c.Say, c.Member.Tenant, all, len(asking) > 0)))
}
