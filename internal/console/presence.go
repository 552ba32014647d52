package console

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
)

// Who looks at what, and who is on it. A look is written when the page of a request
// is loaded, and renewed by its feed.

const (
	lookEvery  = 20 * time.Second // how often a feed renews the look of its page
	awayWithin = 10 * time.Second // how long saying that a page was closed may take
)

// openPage is one request as one person has it open.
type openPage struct{ tenant, person, approval string }

// openPages counts the feeds of each, so that the first of two that closes does not
// end the look of the other.
type openPages struct {
	mu    sync.Mutex
	count map[openPage]int
}

func newOpenPages() *openPages { return &openPages{count: map[openPage]int{}} }

func (o *openPages) enter(p openPage) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.count[p]++
}

// leave reports whether nobody has it open here any more.
func (o *openPages) leave(p openPage) (last bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.count[p]--; o.count[p] > 0 {
		return false
	}
	delete(o.count, p)
	return true
}

// look notes that a page is open. Whoever is not seen looking may decide all the
// same, so that a failure is told to the log only.
func (s *Feed) look(ctx context.Context, m auth.Member, id string) {
	if err := s.Approvals.Look(ctx, m, id); err != nil && ctx.Err() == nil && !fault.Is(err, fault.Missing) {
		s.Log.WarnContext(ctx, "a look was not noted", "tenant", m.Tenant, "cause", err)
	}
}

// looking notes the look of this feed's page until the returned function is called.
func (k *socket) looking(ctx context.Context) (away func(why error)) {
	if k.open == "" || k.over {
		return func(error) {}
	}
	page := openPage{k.member.Tenant, k.member.Person.ID, k.open}
	k.openPages.enter(page)
	k.look(ctx, k.member, k.open)
	return func(why error) {
		if !k.openPages.leave(page) || why == errRestart { // after a restart the page comes back at once
			return
		}
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), awayWithin)
		defer cancel()
		if err := k.Approvals.LookAway(ctx, k.member, k.open); err != nil {
			k.Log.WarnContext(ctx, "a look was not ended; it ends by itself", "tenant", page.tenant, "cause", err)
		}
	}
}

// attended are the requests that somebody looks at or is on, and those of which pages
// were told so.
func attended(at approvals.Attention, told map[string]string) []string {
	var ids []string
	ids = slices.AppendSeq(ids, maps.Keys(at.Looks))
	ids = slices.AppendSeq(ids, maps.Keys(at.Claims))
	ids = slices.AppendSeq(ids, maps.Keys(at.Snoozes))
	ids = slices.AppendSeq(ids, maps.Keys(at.Unreached))
	ids = slices.AppendSeq(ids, maps.Keys(at.Waits))
	ids = slices.AppendSeq(ids, maps.Keys(told))
	slices.Sort(ids)
	return slices.Compact(ids)
}
