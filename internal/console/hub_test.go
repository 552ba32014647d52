package console

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/filter"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views/texts"
)

// listener is a feed that somebody has open and does not read.
func (s *site) listener(name string, held int) *socket {
	s.t.Helper()
	k := &socket{Feed: s.console.feeds, session: edge.StoredToken("of " + name), broadcasts: make(chan *broadcast, held), ended: make(chan *ending, 1)}
	in, err := s.tenants.Enter(s.t.Context(), "acme", s.personID(name), s.clock.now())
	must(s.t, err)
	k.member, k.visitor = in.Member, tenants.Visitor{Person: in.Member.Person, SignedIn: s.clock.now()}
	return k
}

// why it was told to end; nil if it was not.
func (k *socket) why() *ending {
	select {
	case why := <-k.ended:
		return why
	default:
		return nil
	}
}

// aRoom has these feeds, and tells nothing by itself.
func (s *site) aRoom(feeds ...*socket) *hub {
	r := &hub{Feed: s.console.feeds, tenant: "acme", watch: s.hub.Watch("acme"), leave: func() {}, gone: make(chan struct{}), feeds: map[*socket]struct{}{}}
	s.t.Cleanup(r.watch.Close)
	close(r.gone)
	for _, k := range feeds {
		r.feeds[k] = struct{}{}
	}
	return r
}

func (k *socket) begun(t *testing.T) *socket {
	t.Helper()
	must(t, k.begin(t.Context()))
	return k
}

func noAlike([]approvals.Act) ([]approvals.Line, error) { return nil, nil }

// names are those of the parts that a feed is told of a wave.
func (k *socket) names(t *testing.T, w *broadcast) (names []string) {
	t.Helper()
	parts, err := k.parts(t.Context(), w.what.QueuePage, w.rowsIn(k.say), noAlike)
	must(t, err)
	_, err = w.frame(t.Context(), parts)
	must(t, err)
	for _, p := range parts {
		names = append(names, p.name)
	}
	return names
}

// Those who see the same share one frame; what a filter leaves out is not in it.
func TestReadersOfTheSameShareAFrame(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ada, bob := s.listener("ada", 4).begun(t), s.listener("bob", 4).begun(t)
	cleo := s.listener("cleo", 4).begun(t)
	cleo.filter = request.FilterOf(filter.Read(texts.Printer{}, "q=nothing+like+it", request.QueueOrder...))
	r := s.aRoom(ada, bob, cleo)
	a := s.submit(medium)
	must(t, r.tell(t.Context(), []string{a.ID}))
	w := <-ada.broadcasts
	if w != <-bob.broadcasts || w != <-cleo.broadcasts {
		t.Fatal("each has a wave of its own")
	}
	arrives := []string{"arrival " + a.ID, "count"}
	for _, k := range []*socket{ada, bob} {
		if got := k.names(t, w); !slices.Equal(got, arrives) {
			t.Errorf("told %q, want %q", got, arrives)
		}
	}
	if got := cleo.names(t, w); !slices.Equal(got, []string{"count"}) {
		t.Errorf("under a filter that leaves it out: told %q", got)
	}
	if len(w.frames) != 2 {
		t.Errorf("%d frames were drawn for two things that are told", len(w.frames))
	}
	if got := bob.names(t, w); !slices.Equal(got, []string{"row " + a.ID}) {
		t.Errorf("of what they know already they are told %q", got)
	}
}

// Who answers questions, looks at the request or is on it sees something else, and
// reads for themselves.
func TestWhoIsInvolvedReadsForThemselves(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a, other := s.submit(high), s.submit(medium)
	involved := func(id string) map[string]bool {
		t.Helper()
		what, err := s.approvals.Changes(t.Context(), "acme", []string{id})
		must(t, err)
		return newBroadcast([]string{id}, what, nil).involved
	}
	ada, bob := s.personID("ada"), s.personID("bob")
	if all := involved(a.ID); len(all) > 0 {
		t.Fatalf("nobody came yet: %v", all)
	}
	in := func(person string) auth.Member {
		in, err := s.tenants.Enter(t.Context(), "acme", person, s.clock.now())
		must(t, err)
		return in.Member
	}
	must(t, s.approvals.Look(t.Context(), in(bob), other.ID))
	if all := involved(other.ID); !all[bob] || all[ada] {
		t.Errorf("who looks at it: %v", all)
	}
	must(t, s.approvals.Claim(t.Context(), in(ada), other.ID, ""))
	if all := involved(other.ID); !all[ada] {
		t.Errorf("who is on it: %v", all)
	}
	if all := involved(a.ID); len(all) > 0 {
		t.Errorf("they are at another request: %v", all)
	}
	browser := s.signedIn("ada")
	browser.get("/t/acme/approvals/" + a.ID)
	s.clock.pass(11 * time.Second)
	browser.post("/t/acme/approvals/"+a.ID+"/start", nil).want(t, http.StatusSeeOther)
	if all := involved(other.ID); !all[ada] {
		t.Errorf("who answers questions about another request: %v", all)
	}
}

// A page that does not take what it is told comes back later; the others are not kept waiting.
func TestSlowFeedIsEnded(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	slow, quick := s.listener("ada", 1), s.listener("bob", 4)
	r := s.aRoom(slow, quick)
	for range 2 {
		must(t, r.tell(t.Context(), []string{s.submit(medium).ID}))
	}
	if why := slow.why(); why != errResync {
		t.Errorf("it ends because of %v", why)
	}
	if len(quick.broadcasts) != 2 || len(quick.ended) > 0 {
		t.Errorf("the other got %d waves", len(quick.broadcasts))
	}
}

// session is the stored token of a session of somebody.
func (s *site) session(name string) string {
	s.t.Helper()
	m := s.console.Visits.Manager()
	ctx, err := m.Load(s.t.Context(), "")
	must(s.t, err)
	m.Put(ctx, edge.PersonKey, s.personID(name))
	token, _, err := m.Commit(ctx)
	must(s.t, err)
	return edge.StoredToken(token)
}

// Who was signed out is told nothing after the next look; who is no member any more, nothing at all.
func TestRoomAdmits(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	out, member := s.listener("ada", 4), s.listener("bob", 4)
	r := s.aRoom(out, member)
	member.session = s.session("bob")
	must(t, r.check(t.Context()))
	if why := member.why(); why != nil {
		t.Errorf("a session that exists is ended: %v", why)
	}
	if why := out.why(); why != errRevoked {
		t.Errorf("a session that does not exist: %v", why)
	}
	s.revoke("bob")
	must(t, r.tell(t.Context(), []string{s.submit(medium).ID}))
	if why := member.why(); why != errRevoked || len(member.broadcasts) > 0 {
		t.Errorf("a membership that does not exist: %v, %d waves", why, len(member.broadcasts))
	}
}

// The last one closes the room; one that broke ends its feeds and is in nobody's way.
func TestRoomsEnd(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	a, b := s.listener("ada", 1), s.listener("bob", 1)
	a.session, b.session = s.session("ada"), s.session("bob")
	leaveA, leaveB := s.console.feeds.enterHub(a), s.console.feeds.enterHub(b)
	r := s.console.feeds.hubs.of["acme"]
	leaveA()
	if s.console.feeds.hubs.of["acme"] != r {
		t.Fatal("the room closed with somebody in it")
	}
	leaveB()
	if _, there := s.console.feeds.hubs.of["acme"]; there {
		t.Error("an empty room stays")
	}
	if watched := s.hub.Watched(); len(watched) > 0 {
		t.Errorf("the hub is watched for %v", watched)
	}

	leaveA = s.console.feeds.enterHub(a)
	broken := s.console.feeds.hubs.of["acme"]
	s.console.feeds.catch(t.Context(), func(context.Context) { panic("a bug") }, broken.close)
	if why := a.why(); why != errBroken {
		t.Errorf("after a panic: %v", why)
	}
	leaveB = s.console.feeds.enterHub(b)
	if s.console.feeds.hubs.of["acme"] == broken {
		t.Error("who comes later is led into the room that broke")
	}
	leaveA()
	if s.console.feeds.hubs.of["acme"] == nil {
		t.Error("leaving the broken room closed the new one")
	}
	leaveB()
	if !strings.Contains(s.log.String(), "a bug") {
		t.Error("the panic is not in the log")
	}
}
