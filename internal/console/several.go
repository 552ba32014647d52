package console

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
)

// Several requests at once: denying what is ticked in the queue, and one yes for
// identical requests. What became of each is said one by one.

// selecting is the list with boxes: what was ticked and typed.
type selecting struct {
	reason string
	ticked map[string]bool
	fault  *fault.Error
}

func selectURL(tenant string) string { return queueURL(tenant) + "?select=1" }

// showSelect draws the queue with boxes, narrowed as the address a says. ?pick=
// ticks one.
func (s *Console) showSelect(c call, status int, a *listAddress, sel selecting) error {
	q, err := s.waitingBy(c.Request().Context(), c.member, queueFilterOf(a), approvals.QueueQuery{Limit: approvals.MaxBatch}) // each is chosen by itself
	if err != nil {
		return err
	}
	q.address = a
	if sel.ticked == nil {
		sel.ticked = map[string]bool{a.clean.Get("pick"): true}
	}
	own, err := s.tenants.Reasons(c.Request().Context(), c.member)
	if err != nil {
		return err
	}
	p := s.page(c, c.say.Say("Bulk deny"), views.PlaceQueue)
	p.Nav[0].Count = q.page.Total
	if c.locked {
		p.Banners = append(p.Banners, lockedBanner(c.say, c.member.Tenant))
	}
	return show(c, status, review.SelectPage(p, selectingOf(q, own, sel)))
}

// denyAll denies what is ticked, for one reason.
func (s *Console) denyAll(c call) error {
	sel := selecting{reason: c.field("reason"), ticked: map[string]bool{}}
	picks, err := picksOf(c.Request().PostForm["pick"])
	for _, p := range picks {
		sel.ticked[p.ID] = true
	}
	if err == nil {
		err = c.unlocked()
	}
	var all []approvals.Outcome
	if err == nil {
		_, all, err = s.approvals.DenyAll(c.Request().Context(), c.member, picks, sel.reason)
	}
	if err != nil {
		f := fault.As(err)
		if f.Kind() == fault.Internal {
			return err
		}
		noteRefusal(c, f)
		sel.fault = f
		return s.showSelect(c, httpserver.Status(f.Code), takeAddress(c.say, nil, queueOrder...), sel)
	}
	asking, err := s.approvals.Answering(c.Request().Context(), c.member)
	if err != nil {
		return err
	}
	p := s.page(c, c.say.Say("Denied"), views.PlaceQueue)
	return show(c, http.StatusOK, review.BatchPage(p, denialsOf(c.say, c.member.Tenant, all, len(asking) > 0)))
}

// picksOf reads the ticked boxes: id, version and digest of each.
func picksOf(values []string) ([]approvals.Pick, error) {
	picks := make([]approvals.Pick, 0, len(values))
	for _, value := range values {
		parts := strings.Fields(value)
		if len(parts) != 3 || approvalID(parts[0]) == "" {
			return nil, fault.Member(fault.InvalidForm, "pick", "one selection isn't in the list any more; reload it")
		}
		version, err := strconv.ParseInt(parts[1], 10, 64)
		if err != nil {
			return nil, fault.Member(fault.InvalidForm, "pick", "one selection isn't in the list any more; reload it")
		}
		picks = append(picks, approvals.Pick{ID: parts[0], Version: version, Digest: strings.TrimPrefix(parts[2], noDigest)})
	}
	return picks, nil
}

// noDigest stands for the digest of a request whose quiz is open: a question may ask for it.
const noDigest = "-"

func pickValue(l approvals.Line) string {
	if l.Asking {
		l.ShownDigest = noDigest
	}
	return fmt.Sprintf("%s %d %s", l.ID, l.Version, l.ShownDigest)
}

// twinsOf reads the box for identical requests: id:version of each. What is none
// names no request, and is answered as one that changed.
func twinsOf(value string) (twins []approvals.Twin) {
	for _, part := range strings.Fields(value) {
		id, version, _ := strings.Cut(part, ":")
		n, _ := strconv.ParseInt(version, 10, 64)
		twins = append(twins, approvals.Twin{ID: approvalID(id), Version: n})
	}
	return twins
}

func twinsValue(twins []approvals.Twin) string {
	parts := make([]string, len(twins))
	for i, t := range twins {
		parts[i] = t.ID + ":" + strconv.FormatInt(t.Version, 10)
	}
	return strings.Join(parts, " ")
}

// showAlike says what became of a request and of the identical ones.
func (s *Console) showAlike(c call, decided approvals.Approval, others []approvals.Outcome) error {
	all := append([]approvals.Outcome{{ID: decided.ID, Approval: decided}}, others...)
	asking, err := s.approvals.Answering(c.Request().Context(), c.member)
	if err != nil {
		return err
	}
	return show(c, http.StatusOK, review.BatchPage(s.page(c, c.say.Say("Identical requests"), views.PlaceQueue), alikeOf(c.say, c.member.Tenant, all, len(asking) > 0)))
}
