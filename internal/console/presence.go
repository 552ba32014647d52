package console

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// Who looks at what, and who is on it. A look is written when the page of a request
// is loaded, and renewed by its feed.

const (
	lookEvery  = 20 * time.Second // how often a feed renews the look of its page
	awayWithin = 10 * time.Second // how long saying that a page was closed may take
	rowAvatars = 3                // as many people are drawn in a row, the others counted
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
func (s *Console) look(ctx context.Context, m auth.Member, id string) {
	if err := s.approvals.Look(ctx, m, id); err != nil && ctx.Err() == nil && !fault.Is(err, fault.Missing) {
		s.log.WarnContext(ctx, "a look was not noted", "tenant", m.Tenant, "cause", err)
	}
}

// looking notes the look of this feed's page until the returned function is called.
func (k *socket) looking(ctx context.Context) (away func(why error)) {
	if k.open == "" {
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
		if err := k.approvals.LookAway(ctx, k.member, k.open); err != nil {
			k.log.WarnContext(ctx, "a look was not ended; it ends by itself", "tenant", page.tenant, "cause", err)
		}
	}
}

// attended are the requests that somebody looks at or is on, and those of which pages
// were told so.
func attended(at approvals.Attention, told map[string]string) []string {
	var ids []string
	ids = slices.AppendSeq(ids, maps.Keys(at.Looks))
	ids = slices.AppendSeq(ids, maps.Keys(at.Claims))
	ids = slices.AppendSeq(ids, maps.Keys(at.Unreached))
	ids = slices.AppendSeq(ids, maps.Keys(at.Waits))
	ids = slices.AppendSeq(ids, maps.Keys(told))
	slices.Sort(ids)
	return slices.Compact(ids)
}

// attending is who looks at one request, the reader left out, and who is on it.
type attending struct {
	looks []approvals.Look
	claim approvals.Claim
	me    string
	left  time.Duration
	// unreached: nobody was called to it, although somebody should have been.
	unreached bool
	// gone is since when the agent waits no more; nil while it does, or where it never did.
	gone *time.Time
	// waits: the agent waits for the answer.
	waits bool
	now   time.Time
}

func attentionTo(at approvals.Attention, id, me string) attending {
	w := attending{claim: at.Claims[id], me: me, now: at.Now, unreached: at.Unreached[id]}
	for _, l := range at.Looks[id] {
		if l.Person != me {
			w.looks = append(w.looks, l)
		}
	}
	if w.claim.Person != "" {
		w.left = w.claim.Until.Sub(at.Now)
	}
	if until, ever := at.Waits[id]; ever {
		if w.waits = until.After(at.Now); !w.waits {
			w.gone = &until
		}
	}
	return w
}

// print is equal for two that are drawn as the same.
func (w attending) print() string {
	var b strings.Builder
	for _, l := range w.looks {
		fmt.Fprintf(&b, "%q %q ", l.Person, l.Name)
	}
	if w.claim.Person != "" {
		fmt.Fprintf(&b, "on it: %q %q %q %s %s", w.claim.Person, w.claim.Name, w.claim.By, w.claim.Until.Format(time.RFC3339Nano), w.minutes(texts.Printer{}))
	}
	if w.unreached {
		b.WriteString("unreached")
	}
	b.WriteString(w.agent(texts.Printer{}))
	return b.String()
}

// agent says whether the agent waits; empty where it never did.
func (w attending) agent(say texts.Printer) string {
	if w.waits {
		return say.Say("waiting")
	}
	if ago, _ := lastUse(say, w.gone, w.now); ago != "" {
		return say.Say("left %s", ago)
	}
	return ""
}

// minutes is what is left of the claim, as a row says it.
func (w attending) minutes(say texts.Printer) string {
	if w.left < time.Minute {
		return say.Say("less than 1 min left")
	}
	return say.Say("%d min left", int(w.left/time.Minute))
}

// in tells a row.
func (w attending) in(say texts.Printer, row review.QueueRow) review.QueueRow {
	if row.Done != nil {
		return row
	}
	if w.unreached {
		row.Unreached = say.Say("No one was reached")
	}
	if w.gone != nil {
		row.Gone = w.agent(say)
	}
	for i, l := range w.looks {
		if i == rowAvatars {
			row.LookingMore = len(w.looks) - rowAvatars
			break
		}
		row.Looking = append(row.Looking, onlooker(l))
	}
	if w.claim.Person != "" {
		row.Claimed = &views.Person{Name: w.claim.Name, Initials: initials(w.claim.Name)}
	}
	switch w.claim.Person {
	case "":
	case w.me:
		row.Assigned = w.claim.By != ""
		row.Claim = w.state(say)
	default:
		row.Claim = w.state(say)
	}
	if row.Claim != "" && w.claim.By == "" {
		row.Claim += ", " + w.minutes(say)
	}
	return row
}

// state says whose it is.
func (w attending) state(say texts.Printer) string {
	by, you := w.claim.ByName, w.claim.Person == w.me
	switch {
	case w.claim.By == "" && you:
		return say.Say("Claimed by you")
	case w.claim.By == "":
		return say.Say("Claimed by %s", w.claim.Name)
	case you:
		return say.Say("Assigned to you by %s", by)
	case w.claim.By == w.me:
		return say.Say("Assigned to %s by you", w.claim.Name)
	}
	return say.Say("Assigned to %s by %s", w.claim.Name, by)
}

func onlooker(l approvals.Look) views.Person {
	return views.Person{Name: l.Name, Initials: initials(l.Name)}
}

// onlookerMe is the reader.
func onlookerMe(say texts.Printer, p auth.Person, asking bool) views.Onlooker {
	me := views.Onlooker{Person: *personOf(p)}
	if me.Person.You = true; asking {
		me.Doing = untrusted.Runs(say.Say("answering"))
	}
	return me
}

// people is the list beside the request: the reader, the others, and the agent where it waits
// or waited.
func (w attending) people(say texts.Printer, me views.Onlooker, agent string) []views.Onlooker {
	all := []views.Onlooker{me}
	for _, l := range w.looks {
		all = append(all, views.Onlooker{Person: onlooker(l), Doing: sayAt(say, clockForm, texts.Key("since %s"), l.Since)})
	}
	if state := w.agent(say); state != "" {
		all = append(all, views.Onlooker{Person: views.Person{Name: agent, Initials: initials(agent)}, Doing: untrusted.Runs(state)})
	}
	return all
}

// box is what a request page says about the claim. may: the reader may claim it.
func (w attending) box(say texts.Printer, tenant, id string, may bool) *review.ClaimBox {
	b := &review.ClaimBox{ID: id}
	if may {
		b.Claim = requestURL(tenant, id) + "/claim"
	}
	if w.claim.Person == "" {
		return b
	}
	b.Holder, b.You = w.claim.Person, w.claim.Person == w.me
	b.Name, b.Initials = w.claim.Name, initials(w.claim.Name)
	b.State, b.Assigned = w.state(say), w.claim.By != ""
	if b.You {
		b.Release = requestURL(tenant, id) + "/release"
	}
	if b.Assigned {
		return b
	}
	b.Left = views.TimeLeft{
		Expires: w.claim.Until.Format(isoForm), Start: w.claim.At.Format(isoForm), Text: duration(say, w.left),
		Percent: int(min(max(w.left, 0)*100/approvals.ClaimFor, 100)),
	}
	return b
}

// claim takes a request over from nobody, or from the person that the form names.
func (s *Console) claim(c call) error {
	return s.claiming(c, func(id string) error {
		return s.approvals.Claim(c.Request().Context(), c.member, id, trim(c.field("from"), 64))
	})
}

// assign asks somebody else to decide.
func (s *Console) assign(c call) error {
	return s.claiming(c, func(id string) error {
		return s.approvals.Assign(c.Request().Context(), c.member, id, trim(c.field("to"), 64), trim(c.field("from"), 64))
	})
}

// assignOf offers it; nil where there is nobody to ask.
func assignOf(v approvals.Review, holder string) *review.AssignBox {
	a := &review.AssignBox{URL: requestURL(v.Tenant, v.ID) + "/assign", From: holder}
	for _, p := range v.Assignees {
		if p.Person != holder {
			a.People = append(a.People, views.Choice{Value: p.Person, Label: p.Name})
		}
	}
	if len(a.People) == 0 {
		return nil
	}
	return a
}

// release gives it back.
func (s *Console) release(c call) error {
	return s.claiming(c, func(id string) error { return s.approvals.Release(c.Request().Context(), c.member, id) })
}

func (s *Console) claiming(c call, step func(id string) error) error {
	id, err := s.requestID(c)
	if err != nil {
		return err
	}
	if err = c.unlocked(); err == nil {
		err = step(id)
	}
	if err != nil {
		return s.refused(c, err, typed{})
	}
	return goTo(c, requestURL(c.member.Tenant, id))
}
