package console

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"time"

	"github.com/gorilla/websocket"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/live"
)

// The only file that knows websockets. One goroutine reads (and ignores what it
// reads: nothing is decided over a socket), one writes. What is written is the
// business of feed.go.

const (
	socketWrite  = 10 * time.Second // how long one frame may take to a slow reader
	socketPing   = 25 * time.Second
	socketSilent = 60 * time.Second // no pong for so long: it is dead
	socketCheck  = 2 * time.Second  // how long a revoked session or membership may live on
	socketRead   = 1 << 10          // bytes of a message that is ignored anyway
	coalesce     = 50 * time.Millisecond
)

// socket is one open page.
type socket struct {
	*Console
	conn   *websocket.Conn
	visit  visit
	member auth.Member
	open   string      // id of the request that the page shows; empty on the queue page
	filter queueFilter // of the list; the arrivals of a later page are nobody's
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
func (s *Console) feed(c call) error {
	r := c.Request()
	allowed := func(r *http.Request) bool {
		return slices.Contains(httpserver.Origins(s.publicURL()), r.Header.Get("Origin"))
	}
	if !websocket.IsWebSocketUpgrade(r) {
		return fault.New(fault.InvalidForm, "this address speaks the websocket protocol only")
	}
	if !allowed(r) {
		return fault.New(fault.CrossSite, "the feed can be opened from a page of %s only", s.publicURL())
	}
	leave, err := s.sockets.enter(c.visit.person)
	if err != nil {
		return err
	}
	defer leave()
	up := websocket.Upgrader{CheckOrigin: allowed, HandshakeTimeout: socketWrite, Error: func(http.ResponseWriter, *http.Request, int, error) {}}
	conn, err := up.Upgrade(c.Response(), r, nil)
	if err != nil {
		return fault.New(fault.InvalidForm, "the websocket handshake is not acceptable")
	}
	// From here on the connection is ours: whatever happens, nothing may be
	// returned that echo would want to write.
	k := &socket{Console: s, conn: conn, visit: c.visit, member: c.member, open: approvalID(c.QueryParam("open")), filter: queueFilterOf(readAddress(r.URL.RawQuery, queueOrder...))}
	k.serve(r.Context())
	return nil
}

// serve runs until the page goes away or must go.
func (k *socket) serve(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
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
			k.log.ErrorContext(ctx, "live feed broke off", "tenant", k.member.Tenant, "cause", why.Error())
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
	// Watching begins before reading what is pending: a change in between is seen twice, not missed.
	watch := k.hub.Watch(k.member.Tenant)
	defer watch.Close()
	if err := k.begin(ctx); err != nil {
		return err
	}
	check, ping := time.NewTicker(socketCheck), time.NewTicker(socketPing)
	look, notice := time.NewTicker(lookEvery), time.NewTicker(noticeEvery)
	defer check.Stop()
	defer ping.Stop()
	defer look.Stop()
	defer notice.Stop()
	var due <-chan time.Time // when the changes that wait are pushed
	var pushed time.Time
	for {
		var err error
		select {
		case <-gone:
			return nil
		case <-k.sockets.stop:
			return errRestart
		case <-watch.C():
			if due == nil {
				due = time.After(coalesce - time.Since(pushed))
			}
		case <-due:
			due, pushed = nil, time.Now()
			err = k.push(ctx, watch)
		case <-check.C:
			err = k.authorize(ctx)
		case <-notice.C:
			err = k.notice(ctx)
		case <-look.C:
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

// push takes what changed and sends it, at most rowsPerFrame rows a frame.
func (k *socket) push(ctx context.Context, watch *live.Watch) error {
	if err := k.authorize(ctx); err != nil {
		return err
	}
	ids, lost := watch.Take()
	if lost {
		return errResync
	}
	slices.Sort(ids) // oldest first
	for part := range slices.Chunk(ids, rowsPerFrame) {
		frame, err := k.frame(ctx, part)
		if err != nil {
			return err
		}
		if err := k.send(frame); err != nil {
			return err
		}
	}
	return nil
}

// send writes one frame. A page that does not take it in time is gone: it comes
// back and reloads what it missed.
func (k *socket) send(frame []byte) error {
	if len(frame) == 0 {
		return nil
	}
	_ = k.conn.SetWriteDeadline(time.Now().Add(socketWrite))
	if k.conn.WriteMessage(websocket.TextMessage, frame) != nil {
		return errResync
	}
	return nil
}

// authorize looks whether the session and the membership still exist.
func (k *socket) authorize(ctx context.Context) error {
	v, ok, err := k.sessions.find(ctx, k.visit.token)
	if err != nil {
		return err
	}
	if !ok || v.person != k.visit.person {
		return errRevoked
	}
	in, err := k.tenants.Enter(ctx, k.member.Tenant, v.person, v.signedIn)
	if fault.Is(err, fault.Missing) || fault.Is(err, fault.Unauthorized) || (err == nil && !in.Member.May(auth.ReadQueue)) {
		return errRevoked
	}
	k.member = in.Member
	return err
}
