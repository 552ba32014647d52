package console

import (
	"bytes"
	"context"
	"slices"
	"time"

	"github.com/a-h/templ"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/views"
)

// What a live page is told. A hint carries an id only; everything is read here,
// with the rights of whoever is looking. What is remembered does not grow with the
// queue: what waited before the feed began is on the page, or is not, and a push about
// a row that is not there changes nothing.

const (
	rowsPerFrame = 200 // bounds one push
	// arrivalsHeld bounds how many arrivals a feed remembers; with more, the page
	// comes back and begins again.
	arrivalsHeld = 1000
	// commitLag is how old an approval can be when its transaction commits: one that
	// came in so shortly before the feed may be unknown to the page.
	commitLag = 10 * time.Second
)

// seen is what a page was told of a pending approval.
type seen struct {
	version int64
	signed  int
}

func seenOf(l approvals.Line) seen { return seen{l.Version, l.Signed} }

// feedState is what a feed remembers of its page.
type feedState struct {
	began time.Time         // by the database
	known map[string]seen   // what came in since and waits, and the open request while it waits
	ended map[string]bool   // whose end was told
	told  map[string]string // who looks at what and is on it, where there is somebody
	count int               // how many wait, as the page was told
}

func (s *feedState) waits(id string) bool {
	_, waits := s.known[id]
	return waits
}

// begin learns what is pending. The page itself reloads its list when the
// connection stands, so nothing is sent, except when the open request was decided
// while the page was on its way.
func (k *socket) begin(ctx context.Context) error {
	var ids []string
	if k.open != "" {
		ids = []string{k.open}
	}
	now, err := k.approvals.Lines(ctx, k.member, ids, "")
	if err != nil {
		return err
	}
	k.state = feedState{began: now.Now, known: map[string]seen{}, ended: map[string]bool{}, told: map[string]string{}, count: now.Total}
	for id := range now.Attention.Looks {
		k.tell(now.Attention, id)
	}
	for id := range now.Attention.Claims {
		k.tell(now.Attention, id)
	}
	if k.open == "" {
		return nil
	}
	// It reloads its list only, so that its people are told if there are any.
	delete(k.state.told, k.open)
	if len(now.Lines) > 0 {
		k.state.known[k.open] = seenOf(now.Lines[0])
		if !now.Lines[0].Status.Final() {
			return nil
		}
	}
	frame, err := k.frame(ctx, []string{k.open})
	if err != nil {
		return err
	}
	return k.send(frame)
}

// tell remembers who is told to be at a request.
func (k *socket) tell(at approvals.Attention, id string) {
	if text := attentionTo(at, id, k.member.Person.ID).print(); text != "" {
		k.state.told[id] = text
		return
	}
	delete(k.state.told, id)
}

// frame draws what became of these approvals, and of the identical ones that they
// join or leave.
func (k *socket) frame(ctx context.Context, ids []string) ([]byte, error) {
	var b bytes.Buffer
	q := queueOf{tenant: k.member.Tenant, me: k.member.Person.ID, filter: k.filter}
	if err := k.opened(ctx, &q); err != nil {
		return nil, err
	}
	page, err := k.approvals.Lines(ctx, k.member, ids, k.open)
	if err != nil {
		return nil, err
	}
	var moved []approvals.Act
	for _, l := range page.Lines {
		if l.Status.Final() && l.Identical > 0 || !l.Status.Final() && l.Identical > 1 && k.arrives(l) {
			moved = append(moved, l.Act())
		}
	}
	if err := k.draw(ctx, &b, q, page); err != nil {
		return nil, err
	}
	others, err := k.alike(ctx, moved, ids)
	if err == nil && len(others) > 0 {
		if page, err = k.approvals.Lines(ctx, k.member, others, k.open); err == nil {
			err = k.draw(ctx, &b, q, page)
		}
	}
	if err == nil && page.Total != k.state.count {
		k.state.count = page.Total
		err = views.PushCount(page.Total).Render(ctx, &b)
	}
	return b.Bytes(), err
}

// alike are the other requests whose count of identical ones changed, as many as a
// frame has place for.
func (k *socket) alike(ctx context.Context, moved []approvals.Act, but []string) ([]string, error) {
	if len(moved) == 0 {
		return nil, nil
	}
	slices.SortFunc(moved, func(a, b approvals.Act) int { return bytes.Compare([]byte(a.Agent+a.Digest), []byte(b.Agent+b.Digest)) })
	ids, err := k.approvals.Alike(ctx, k.member, slices.Compact(moved))
	ids = slices.DeleteFunc(ids, func(id string) bool { return slices.Contains(but, id) })
	return ids[:min(len(ids), rowsPerFrame)], err
}

// opened tells the list which request is open and answered: what comes in meanwhile
// must not name the values that its quiz asks for.
func (k *socket) opened(ctx context.Context, q *queueOf) error {
	if k.open == "" {
		return nil
	}
	a, asking, err := k.approvals.Peek(ctx, k.member, k.open)
	if fault.Is(err, fault.Missing) || err == nil && !asking {
		return nil
	}
	q.opened = &a
	return err
}

// draw writes what the page must be told about these lines.
func (k *socket) draw(ctx context.Context, b *bytes.Buffer, q queueOf, page approvals.QueuePage) error {
	secrets := q.secrets()
	for _, l := range page.Lines {
		who := attentionTo(page.Attention, l.ID, k.member.Person.ID)
		row := who.in(discreet(rowOf(l, page.Now), l, secrets))
		parts, err := k.changed(ctx, l, row, k.filter.after == nil && k.filter.keeps(l, page.Attention, q.me, secrets))
		if err != nil {
			return err
		}
		if k.tell(page.Attention, l.ID); l.Status.Final() {
			delete(k.state.told, l.ID)
		} else if l.ID == k.open {
			parts = append(parts, views.PushLooking(l.ID, who.people(onlookerMe(k.member.Person, l.Asking))), views.PushClaim(who.box(l.Tenant, l.ID, page.Attention.MayClaim)))
		}
		for _, part := range parts {
			if err := part.Render(ctx, b); err != nil {
				return err
			}
		}
	}
	return nil
}

// arrives reports whether a line that waits is new to the page.
func (k *socket) arrives(l approvals.Line) bool {
	return !k.state.waits(l.ID) && !l.CreatedAt.Before(k.state.began.Add(-commitLag))
}

// changed is what a page must be told about one approval, given what it knows.
// listed: the row belongs to the list of the page.
func (k *socket) changed(ctx context.Context, l approvals.Line, row views.QueueRow, listed bool) ([]templ.Component, error) {
	before, known := k.state.known[l.ID]
	switch {
	case l.Status.Final():
		delete(k.state.known, l.ID)
		if !k.ends(l, known) {
			return nil, nil
		}
		return k.withOutcome(ctx, l, row, outcomeOf)
	case k.arrives(l):
		k.state.known[l.ID] = seenOf(l)
		if len(k.state.known) > arrivalsHeld {
			return nil, errResync
		}
		var parts []templ.Component
		if l.CreatedAt.Before(k.state.began) { // it may be on the page already
			parts = append(parts, views.PushRow(row))
		}
		if listed {
			parts = append(parts, views.PushArrival(row))
		}
		return parts, nil
	case known && l.Signed > before.signed && l.Version == before.version:
		k.state.known[l.ID] = seenOf(l)
		return k.withOutcome(ctx, l, row, partlyNotice)
	case known && l.Version != before.version:
		k.state.known[l.ID] = seenOf(l)
		return k.withOutcome(ctx, l, row, changedNotice)
	default:
		return []templ.Component{views.PushRow(row)}, nil
	}
}

// ends reports whether the end of an approval is news: it waited while the page was
// there, and was not told before.
func (k *socket) ends(l approvals.Line, known bool) bool {
	if k.state.ended[l.ID] {
		return false
	}
	if !known && (l.Decision == nil || l.Decision.DecidedAt.Before(k.state.began.Add(-commitLag))) {
		return false
	}
	if len(k.state.ended) >= arrivalsHeld {
		clear(k.state.ended) // an end that is told again changes nothing
	}
	k.state.ended[l.ID] = true
	return true
}

// withOutcome adds what happened to the page of the request itself.
func (k *socket) withOutcome(ctx context.Context, l approvals.Line, row views.QueueRow, notice func(approvals.Approval) views.Notice) ([]templ.Component, error) {
	parts := []templ.Component{views.PushRow(row)}
	if l.ID != k.open {
		return parts, nil
	}
	a, _, err := k.approvals.Peek(ctx, k.member, l.ID)
	return append(parts, views.PushOutcome(l.ID, notice(a))), err
}
