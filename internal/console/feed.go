package console

import (
	"context"
	"slices"
	"time"

	"github.com/gorilla/websocket"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// What a live page is told. A hint carries an id only; everything is read, by its room
// for all who see the same, and here for who sees something else. What is remembered does not grow with the
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
	expires time.Time
}

func seenOf(l approvals.Line) seen { return seen{l.Version, l.Signed, l.ExpiresAt} }

// unusedQuery says that the page of an open request is that of a yes that was unused, and overQuery
// that it is the page of one that was over: of that only what people say is news.
const unusedQuery, overQuery = "unused", "over"

// feedState is what a feed remembers of its page.
type feedState struct {
	began time.Time       // by the database
	known map[string]seen // what came in since and waits, and the open request while it waits
	ended map[string]bool // whose end was told
	count int             // how many wait, as the page was told
	aside []string        // what its reader put aside, as the page was told
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
	now, err := k.Approvals.Lines(ctx, k.member, ids, "")
	if err != nil {
		return err
	}
	k.state = feedState{began: now.Now, known: map[string]seen{}, ended: map[string]bool{}, count: now.Total, aside: now.Attention.SnoozedBy(k.member.Person.ID)}
	if k.open == "" || k.over {
		return nil
	}
	if k.unused {
		k.state.ended[k.open] = true
		if a, _, err := k.Approvals.Peek(ctx, k.member, k.open); err != nil || a.Unused(now.Now) == nil {
			return err
		}
		return k.reread(ctx, ids)
	}
	if len(now.Lines) > 0 {
		k.state.known[k.open] = seenOf(now.Lines[0])
		if !now.Lines[0].Status.Final() {
			return nil
		}
	}
	return k.reread(ctx, ids)
}

// take tells the page of a wave.
func (k *socket) take(ctx context.Context, w *broadcast) error {
	k.member = w.members[k.visitor]
	if w.news != nil {
		return k.takeNews(ctx, w)
	}
	if slices.ContainsFunc(w.ids, func(id string) bool { return slices.Contains(k.state.aside, id) }) { // it may be back
		return k.reread(ctx, w.ids)
	}
	if w.mentions != nil {
		return k.takeMentions(ctx, w.mentions[k.member.Person.ID])
	}
	if w.involved[k.member.Person.ID] || slices.Contains(w.ids, k.open) {
		return k.reread(ctx, w.ids)
	}
	parts, err := k.parts(ctx, w.what.QueuePage, w.rowsIn(k.say), func(moved []approvals.Act) ([]approvals.Line, error) {
		var lines []approvals.Line
		for _, act := range moved {
			lines = append(lines, w.what.Alike[act]...)
		}
		return lines, nil
	})
	if err != nil {
		return err
	}
	frame, err := w.frame(ctx, parts)
	if err != nil {
		return err
	}
	return k.send(frame)
}

// reread tells what became of these approvals as this reader alone sees it.
func (k *socket) reread(ctx context.Context, ids []string) error {
	page, err := k.Approvals.Lines(ctx, k.member, ids, k.open)
	if err != nil {
		return err
	}
	rows := map[string]review.QueueRow{}
	draw := func(page approvals.QueuePage) {
		for _, l := range page.Lines {
			rows[l.ID] = request.AttentionTo(page.Attention, l.ID, k.member.Person.ID).In(k.say, request.RowOf(k.say, l, page.Now))
		}
	}
	draw(page)
	parts, err := k.parts(ctx, page, rows, func(moved []approvals.Act) ([]approvals.Line, error) {
		others, err := k.alike(ctx, moved, ids)
		if err != nil || len(others) == 0 {
			return nil, err
		}
		page, err := k.Approvals.Lines(ctx, k.member, others, k.open)
		draw(page)
		return page.Lines, err
	})
	if err != nil {
		return err
	}
	moved, err := k.aside(ctx, page, rows)
	if err != nil {
		return err
	}
	parts = append(parts, moved...)
	for _, l := range page.Lines {
		if !k.shows(l) {
			continue
		}
		told, err := k.toldOf(ctx, k.say, k.member, l.ID, l.Status.Final())
		if err != nil {
			return err
		}
		parts = append(parts, part{"told", review.PushTold(l.ID, told)})
	}
	return k.tell(ctx, parts)
}

// tell sends what this reader alone is told.
func (k *socket) tell(ctx context.Context, parts []part) error {
	b, err := rendered(ctx, parts)
	if err != nil || len(b) == 0 {
		return err
	}
	frame, err := websocket.NewPreparedMessage(websocket.TextMessage, b)
	if err != nil {
		return err
	}
	return k.send(frame)
}

// aside tells of what its reader put aside, or what came back: that arrives as if it were new.
func (k *socket) aside(ctx context.Context, page approvals.QueuePage, rows map[string]review.QueueRow) (parts []part, err error) {
	me := k.member.Person.ID
	was, now := k.state.aside, page.Attention.SnoozedBy(me)
	if slices.Equal(was, now) {
		return nil, nil
	}
	k.state.aside = now
	for _, l := range page.Lines {
		switch is := slices.Contains(now, l.ID); {
		case is:
			parts = append(parts, part{"aside " + l.ID, review.PushAside(l.ID)})
		case slices.Contains(was, l.ID) && !l.Status.Final() && k.filter.After == nil && k.filter.Keeps(k.say, l, page.Attention, me):
			parts = append(parts, part{"arrival " + l.ID, review.PushArrival(rows[l.ID])})
		}
	}
	all, err := k.Approvals.Lines(ctx, k.member, now, "")
	return append(parts, part{"snoozed", review.PushSnoozed(request.SnoozedRows(k.say, all.Lines, all.Attention, me))}), err
}

// takeMentions tells somebody where they were mentioned, but for the page that they have open.
func (k *socket) takeMentions(ctx context.Context, all []tenants.Mention) error {
	return k.tell(ctx, []part{{"mentions", review.PushMentions(edge.MentionNotices(k.say, k.member.Tenant, all, k.open))}})
}

// alike are the other requests whose count of identical ones changed, as many as a
// frame has place for.
func (k *socket) alike(ctx context.Context, moved []approvals.Act, but []string) ([]string, error) {
	if len(moved) == 0 {
		return nil, nil
	}
	ids, err := k.Approvals.Alike(ctx, k.member, moved)
	ids = slices.DeleteFunc(ids, func(id string) bool { return slices.Contains(but, id) })
	return ids[:min(len(ids), rowsPerFrame)], err
}

// shows reports whether the page is that of l, and may tell more of it than its row: not
// while its reader answers questions about another request.
func (k *socket) shows(l approvals.Line) bool { return l.ID == k.open && (l.Asking || !l.Covered) }

// parts are what the page must be told about these lines, drawn as rows, and about the
// identical ones that they join or leave.
func (k *socket) parts(ctx context.Context, page approvals.QueuePage, rows map[string]review.QueueRow, alike func([]approvals.Act) ([]approvals.Line, error)) ([]part, error) {
	var moved []approvals.Act
	ended := map[approvals.Act]bool{}
	for _, l := range page.Lines {
		ended[l.Act()] = ended[l.Act()] || l.Status.Final()
		if l.Moves() && (l.Status.Final() || k.arrives(l)) && !slices.Contains(moved, l.Act()) {
			moved = append(moved, l.Act())
		}
	}
	others, err := alike(moved)
	if err != nil {
		return nil, err
	}
	var parts []part
	aside := page.Attention.SnoozedBy(k.member.Person.ID)
	for i, l := range slices.Concat(page.Lines, others) {
		listed := !slices.Contains(aside, l.ID) && k.filter.After == nil && k.filter.Keeps(k.say, l, page.Attention, k.member.Person.ID)
		urgent := page.Answering && l.ID != k.open && l.Level == level.Critical && !l.Status.Final() && k.arrives(l)
		some, err := k.changed(ctx, l, rows[l.ID], listed)
		if err != nil {
			return nil, err
		}
		parts = append(parts, some...)
		if urgent && k.open != "" {
			parts = append(parts, part{"outcome", review.PushOutcome(k.open, request.CriticalNotice(k.say, l, rows[l.ID]))})
		}
		if i >= len(page.Lines) && listed && ended[l.Act()] && rows[l.ID].Fold != "" {
			// Its row may have been folded into one that faded now. A page drops what it shows.
			parts = append(parts, part{"arrival " + l.ID, review.PushArrival(rows[l.ID])})
			ended[l.Act()] = false
		}
		if k.shows(l) {
			who := request.AttentionTo(page.Attention, l.ID, k.member.Person.ID)
			if !l.Status.Final() {
				parts = append(parts,
					part{"looking", review.PushLooking(l.ID, who.People(k.say, request.OnlookerMe(k.say, k.member.Person, l.Asking), l.Agent.Name))},
					part{"claim", review.PushClaim(who.Box(k.say, l.Tenant, l.ID, page.Attention.MayClaim))})
			}
			a, asking, err := k.Approvals.Peek(ctx, k.member, l.ID)
			if err != nil {
				return nil, err
			}
			if asking { // what is out of sight stays so
				continue
			}
			if len(a.Questions)+len(a.Comments) > 0 {
				parts = append(parts, part{"talk", review.PushTalk(request.TalkOf(k.say, a))})
			}
			if a.Newer != "" && !l.Status.Final() {
				newer, _, err := k.Approvals.Peek(ctx, k.member, a.Newer)
				if err != nil {
					return nil, err
				}
				parts = append(parts, part{"newer", review.PushNewer(a.ID, request.NewerOf(k.say, a, newer))})
			}
		}
	}
	if page.Total != k.state.count {
		k.state.count = page.Total
		parts = append(parts, part{"count", review.PushCount(page.Total)})
	}
	return parts, nil
}

// arrives reports whether a line that waits is new to the page.
func (k *socket) arrives(l approvals.Line) bool {
	return !k.state.waits(l.ID) && !l.CreatedAt.Before(k.state.began.Add(-commitLag))
}

func rowPart(row review.QueueRow) part { return part{"row " + row.ID, review.PushRow(row)} }

// changed is what a page must be told about one approval, given what it knows.
// listed: the row belongs to the list of the page.
func (k *socket) changed(ctx context.Context, l approvals.Line, row review.QueueRow, listed bool) ([]part, error) {
	before, known := k.state.known[l.ID]
	switch {
	case l.Status.Final():
		delete(k.state.known, l.ID)
		if k.over && l.ID == k.open || !k.ends(l, known) && (l.ID != k.open || l.Status != approvals.Approved) { // of a yes the page is told what became of it
			return nil, nil
		}
		return k.withOutcome(ctx, l, row, request.OutcomeOf)
	case k.arrives(l):
		k.state.known[l.ID] = seenOf(l)
		if len(k.state.known) > arrivalsHeld {
			return nil, errResync
		}
		var parts []part
		if l.CreatedAt.Before(k.state.began) { // it may be on the page already
			parts = append(parts, rowPart(row))
		}
		if listed {
			parts = append(parts, part{"arrival " + l.ID, review.PushArrival(row)})
		}
		return parts, nil
	case known && l.Signed > before.signed && l.Version == before.version:
		k.state.known[l.ID] = seenOf(l)
		return k.withOutcome(ctx, l, row, request.PartlyNotice)
	case known && l.Version != before.version:
		k.state.known[l.ID] = seenOf(l)
		return k.withOutcome(ctx, l, row, request.ChangedNotice)
	case known && !l.ExpiresAt.Equal(before.expires):
		k.state.known[l.ID] = seenOf(l)
		return k.withTime(ctx, l, row)
	default:
		return []part{rowPart(row)}, nil
	}
}

// withTime adds that a request was given more time to the page of the request itself.
func (k *socket) withTime(ctx context.Context, l approvals.Line, row review.QueueRow) ([]part, error) {
	parts := []part{rowPart(row)}
	if !k.shows(l) {
		return parts, nil
	}
	a, asking, err := k.Approvals.Peek(ctx, k.member, l.ID)
	if err != nil {
		return nil, err
	}
	now, err := k.Visits.Now(ctx)
	return append(parts, part{"time", review.PushTime(request.TimeOf(k.say, a, now, false, asking))}), err
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
func (k *socket) withOutcome(ctx context.Context, l approvals.Line, row review.QueueRow, notice func(texts.Printer, approvals.Approval) views.Notice) ([]part, error) {
	parts := []part{rowPart(row)}
	if !k.shows(l) {
		return parts, nil
	}
	a, _, err := k.Approvals.Peek(ctx, k.member, l.ID)
	if err != nil {
		return nil, err
	}
	n := notice(k.say, a)
	if a.Status.Final() {
		withdrew, err := k.Withdrew(ctx, k.member, a)
		if err != nil {
			return nil, err
		}
		now, err := k.Visits.Now(ctx)
		if err != nil {
			return nil, err
		}
		n = request.OutcomeTo(k.say, approvals.Review{Approval: a, Now: now}, request.Reader{Member: k.member, Withdrew: withdrew})
	}
	if n.Action == nil && !k.unused && a.Status.Final() && a.Treatment.Challenge == scoring.ChallengeQuiz { // what was out of sight stays so here
		n.Action = &views.Link{Label: k.say.Say("Refresh"), URL: urls.Request(a.Tenant, a.ID)}
	}
	parts = append(parts, part{"outcome", review.PushOutcome(l.ID, n)})
	if given := request.SignaturePairs(k.say, a); n.Stays && len(given) > 0 {
		parts = append(parts, part{"given", review.PushGiven(review.Request{ID: l.ID, Rail: review.Rail{Approvals: given}})})
	}
	if !a.Status.Final() {
		return parts, nil
	}
	around, err := k.around(ctx, l.ID)
	return append(parts, part{"ended", review.PushEnded(around)}), err
}

// around is what stands around a request in which nothing is left to decide. To show one
// records nothing.
func (k *socket) around(ctx context.Context, id string) (review.Request, error) {
	v, err := k.Approvals.Show(ctx, k.member, id)
	if err != nil {
		return review.Request{}, err
	}
	r := request.AroundOf(k.say, v, request.Reader{Member: k.member})
	r.Rail.Told, err = k.toldOf(ctx, k.say, k.member, id, v.Status.Final())
	return r, err
}
