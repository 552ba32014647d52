package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"slices"
	"time"

	"github.com/gorilla/websocket"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/filter"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views/texts"
)

// One open page. One goroutine reads (and ignores what it reads: nothing is decided
// over a socket), one writes. What is written is the business of feed.go.

const (
	socketWrite  = 10 * time.Second // how long one frame may take to a slow reader
	socketPing   = 25 * time.Second
	socketSilent = 60 * time.Second // no pong for so long: it is dead
	socketRead   = 1 << 10          // bytes of a message that is ignored anyway
)

// socket is one open page.
type socket struct {
	*Feed
	conn       *websocket.Conn
	session    string // under which the store keeps it
	visitor    tenants.Visitor
	broadcasts chan *broadcast
	ended      chan *ending

	say    texts.Printer
	halt   *tenants.Halt  // when the feed was opened: the page may be older
	member auth.Member    // as of the last wave
	open   string         // id of the request that the page shows; empty on the queue page
	over   bool           // nothing was left to come of it when the page was drawn
	unused bool           // it was approved when the page was drawn, and the yes unused
	filter request.Filter // of the list; the arrivals of a later page are nobody's
	state  feedState
}

// Why a feed ends; each is a close code that the page's script understands.
var (
	errRestart = &ending{websocket.CloseServiceRestart, "the server restarts"}
	errResync  = &ending{websocket.CloseServiceRestart, "reload what you have"}
	errRevoked = &ending{websocket.ClosePolicyViolation, "the session or the membership has ended"}
	errBroken  = &ending{websocket.CloseInternalServerErr, "something went wrong; try again"}
)

type ending struct {
	code int
	text string
}

func (e *ending) Error() string { return e.text }

// feed is GET /t/:tenant/live. The origin is checked here, exactly: an upgrade is
// a GET, which the cross-origin protection lets pass, and gorilla's own check
// would accept a missing Origin.
func (s *Feed) feed(c edge.Call) error {
	r := c.Request()
	allowed := func(r *http.Request) bool {
		return slices.Contains(httpserver.Origins(s.PublicURL()), r.Header.Get("Origin"))
	}
	if !websocket.IsWebSocketUpgrade(r) {
		return fault.New(fault.InvalidForm, "this address speaks the websocket protocol only")
	}
	if !allowed(r) {
		return fault.New(fault.CrossSite, "the feed can be opened from a page of %s only", s.PublicURL())
	}
	leave, err := s.sockets.enter(c.Visit.Person)
	if err != nil {
		return err
	}
	up := websocket.Upgrader{CheckOrigin: allowed, HandshakeTimeout: socketWrite, Error: func(http.ResponseWriter, *http.Request, int, error) {}}
	k := &socket{
		Feed: s, session: edge.StoredToken(c.Visit.Token), visitor: tenants.Visitor{Person: c.Member.Person, SignedIn: c.Visit.SignedIn},
		broadcasts: make(chan *broadcast, broadcastsHeld), ended: make(chan *ending, 1),
		say: c.Say, halt: c.Halt, member: c.Member, open: present.ApprovalID(c.QueryParam("open")), over: c.QueryParams().Has(overQuery), unused: c.QueryParams().Has(unusedQuery), filter: request.FilterOf(filter.Read(c.Say, r.URL.RawQuery, request.QueueOrder...)),
	}
	leaveRoom := s.enterHub(k)
	if k.conn, err = up.Upgrade(c.Response(), r, nil); err != nil {
		leaveRoom()
		leave()
		return fault.New(fault.InvalidForm, "the websocket handshake isn't acceptable")
	}
	// The connection is ours from here on. The handler returns, because what it had to
	// have for one request would be held for as long as the page is open.
	go func() {
		defer leave()
		defer leaveRoom()
		s.catch(texts.With(httpserver.PathFrom(r.Context(), context.Background()), k.say), k.serve, func() { _ = k.conn.Close() })
	}()
	return nil
}

// catch runs something that no request waits for. If it panics that is in the log, and
// whatever else is open goes on.
func (s *Feed) catch(ctx context.Context, run func(ctx context.Context), broke func()) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			s.Log.ErrorContext(ctx, "panic", "value", fmt.Sprint(p), "stack", string(debug.Stack()))
			broke()
		}
	}()
	run(ctx)
}

// serve runs until the page goes away or must go.
func (k *socket) serve(ctx context.Context) {
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		k.read()
	}()
	away := k.looking(ctx)
	why := k.write(ctx, gone)
	away(why)
	var end *ending
	if !errors.As(why, &end) {
		end = errBroken
		if why != nil {
			k.Log.ErrorContext(ctx, "live feed broke off", "tenant", k.member.Tenant, "cause", why.Error())
		}
	}
	_ = k.conn.WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(end.code, end.text), time.Now().Add(time.Second))
	_ = k.conn.Close()
	<-gone
}

// read ignores every message until the connection ends. Reading is what answers
// pings and notices that the page is gone.
func (k *socket) read() {
	k.conn.SetReadLimit(socketRead)
	alive := func(string) error { return k.conn.SetReadDeadline(time.Now().Add(socketSilent)) }
	_ = alive("")
	k.conn.SetPongHandler(alive)
	for {
		_, message, err := k.conn.NextReader()
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, message); err != nil {
			return
		}
	}
}

// write pushes what changed until the feed ends, and says why it did. It returns
// nil when the page went away.
func (k *socket) write(ctx context.Context, gone <-chan struct{}) error {
	// The feed is in its room already: a change in between is told twice, not missed.
	if err := k.begin(ctx); err != nil {
		return err
	}
	if err := k.sendHalt(ctx); err != nil {
		return err
	}
	ping := time.NewTicker(socketPing)
	defer ping.Stop()
	var look <-chan time.Time
	if k.open != "" {
		every := time.NewTicker(lookEvery)
		defer every.Stop()
		look = every.C
	}
	for {
		var err error
		select {
		case <-gone:
			return nil
		case <-k.sockets.stop:
			return errRestart
		case why := <-k.ended:
			return why
		case w := <-k.broadcasts:
			err = k.take(ctx, w)
		case <-look:
			if k.state.waits(k.open) {
				k.look(ctx, k.member, k.open)
			}
		case <-ping.C:
			if k.conn.WriteControl(websocket.PingMessage, nil, time.Now().Add(socketWrite)) != nil {
				return nil
			}
		}
		if err != nil {
			return err
		}
	}
}

// end has the feed end, whatever it is doing.
func (k *socket) end(why *ending) {
	select {
	case k.ended <- why:
	default: // it ends already
	}
}

// send writes one frame. A page that does not take it in time is gone: it comes
// back and reloads what it missed.
func (k *socket) send(frame *websocket.PreparedMessage) error {
	if frame == nil {
		return nil
	}
	_ = k.conn.SetWriteDeadline(time.Now().Add(socketWrite))
	if k.conn.WritePreparedMessage(frame) != nil {
		return errResync
	}
	return nil
}
