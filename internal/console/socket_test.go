package console

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/long"
)

// dial opens the feed as the browser's page would.
func (b *browser) dial(path, origin string) (*websocket.Conn, int) {
	b.t.Helper()
	header := http.Header{}
	if origin != "" {
		header.Set("Origin", origin)
	}
	dialer := websocket.Dialer{Jar: b.client.Jar, HandshakeTimeout: time.Minute}
	conn, res, err := dialer.DialContext(b.t.Context(), strings.Replace(b.url, "http", "ws", 1)+path, header)
	if err != nil {
		if res == nil {
			b.t.Fatal(err)
		}
		return nil, res.StatusCode
	}
	b.t.Cleanup(func() { conn.Close() })
	must(b.t, conn.SetReadDeadline(time.Now().Add(90*time.Second)))
	return conn, res.StatusCode
}

func (b *browser) live(path string) *websocket.Conn {
	b.t.Helper()
	conn, status := b.dial(path, b.url)
	if conn == nil {
		b.t.Fatalf("the feed answers %d", status)
	}
	return conn
}

// next is the next frame.
func next(t testing.TB, conn *websocket.Conn) string {
	t.Helper()
	_, message, err := conn.ReadMessage()
	must(t, err)
	return string(message)
}

// closeCode reads until the server ends the feed.
func closeCode(t testing.TB, conn *websocket.Conn) int {
	t.Helper()
	for {
		if _, _, err := conn.ReadMessage(); err != nil {
			var end *websocket.CloseError
			if !errors.As(err, &end) {
				t.Fatalf("ended without a word: %v", err)
			}
			return end.Code
		}
	}
}

// settled waits until the server's side of a feed stands: what is published
// afterwards must arrive.
func (s *site) settled(conn *websocket.Conn) {
	s.t.Helper()
	a := s.submit(strings.ReplaceAll(medium, "checkout-api", "settle"))
	for {
		frame := next(s.t, conn)
		if strings.Contains(frame, a.ID) {
			return
		}
	}
}

func TestFeedTakesExactOriginsOnly(t *testing.T) {
	t.Parallel()
	long.Race(t)
	s := newSite(t)
	b := s.signedIn("ada")
	for origin, want := range map[string]int{
		"":                  http.StatusForbidden,
		"null":              http.StatusForbidden,
		"https://evil.test": http.StatusForbidden,
		strings.Replace(s.url, "http", "https", 1): http.StatusForbidden,
		s.url + "0":          http.StatusForbidden,
		s.url + ".evil.test": http.StatusForbidden,
		s.url:                http.StatusSwitchingProtocols,
		s.public:             http.StatusSwitchingProtocols,
	} {
		if _, got := b.dial("/t/acme/live", origin); got != want {
			t.Errorf("origin %q: %d, want %d", origin, got, want)
		}
	}
	if _, got := s.browser().dial("/t/acme/live", s.url); got != http.StatusUnauthorized {
		t.Errorf("nobody: %d", got)
	}
	if _, got := s.signedIn("eve").dial("/t/acme/live", s.url); got != http.StatusNotFound {
		t.Errorf("a stranger: %d", got)
	}
	b.get("/t/acme/live").want(t, http.StatusUnprocessableEntity)
}

func TestFeedFollowsAnApproval(t *testing.T) {
	t.Parallel()
	long.Race(t)
	s := newSite(t)
	ada := s.signedIn("ada")
	conn := ada.live("/t/acme/live")
	s.settled(conn)

	a := s.submit(medium)
	arrival := next(t, conn)
	for _, want := range []string{`hx-target="#arrivals"`, `id="approval-` + a.ID + `"`, ">Deploy service<", `hx-target="#nav-count"`, ">2<"} {
		if !strings.Contains(arrival, want) {
			t.Errorf("arrival without %q:\n%s", want, arrival)
		}
	}
	// The row is plain: a push cannot carry the page's nonce.
	row, _, _ := strings.Cut(arrival[strings.Index(arrival, "<li"):], "</li>")
	if strings.Contains(row, "hx-") || strings.Contains(row, "nonce") || strings.Contains(row, "<script") {
		t.Errorf("the row acts: %s", row)
	}

	bob := s.signedIn("bob")
	form := bob.get("/t/acme/approvals/"+a.ID).form(t, `value="deny"`)
	form.Set("reason", "no")
	page := ada.live("/t/acme/live?open=" + a.ID)
	s.hub.Publish("acme", a.ID)
	for frame := ""; !strings.Contains(frame, a.ID); frame = next(t, page) { // its server's side stands
		s.hub.Publish("acme", a.ID)
	}
	bob.post("/t/acme/approvals/"+a.ID+"/decide", form).want(t, http.StatusSeeOther)
	var end string
	for !strings.Contains(end, "data-done") {
		end = next(t, conn)
	}
	for _, want := range []string{`hx-target="#approval-` + a.ID + `"`, "Denied by Bob", ">1<"} {
		if !strings.Contains(end, want) {
			t.Errorf("outcome without %q:\n%s", want, end)
		}
	}
	if strings.Contains(end, "#outcome-") {
		t.Errorf("the queue is told what the page of the request is told:\n%s", end)
	}
	for end = ""; !strings.Contains(end, "data-done"); {
		end = next(t, page)
	}
	for _, want := range []string{`hx-target="#outcome-` + a.ID + `"`, "Bob denied this at"} {
		if !strings.Contains(end, want) {
			t.Errorf("outcome without %q:\n%s", want, end)
		}
	}
	// Its end is told once: what is published about it later changes nothing here.
	s.hub.Publish("acme", a.ID)
	s.hub.Publish("acme", "apr_"+strings.Repeat("0", 32))
	later := s.submit(strings.ReplaceAll(medium, "checkout-api", "later"))
	for frame := ""; !strings.Contains(frame, later.ID); {
		if frame = next(t, conn); strings.Contains(frame, a.ID) {
			t.Errorf("the end is told twice: %s", frame)
		}
	}
}

// Where nothing is left to decide no time runs, and what ended with it waits no more.
func TestFeedEndsWhatStandsAroundARequest(t *testing.T) {
	t.Parallel()
	long.Race(t)
	s := newSite(t)
	a, other := s.submit(medium), s.submit(strings.ReplaceAll(medium, "checkout-api", "search-api"))
	ada := s.signedIn("ada")
	body := ada.get("/t/acme/approvals/"+a.ID).want(t, http.StatusOK, `id="head-`+a.ID+`"`, `id="rail-`+a.ID+`"`).body
	for part, want := range map[string]string{"header": "data-expires", "aside": "waiting"} {
		if !strings.Contains(lastElement(t, body, part), want) {
			t.Fatalf("the page's %s without %q: the test proves nothing", part, want)
		}
	}
	conn := ada.live("/t/acme/live?open=" + a.ID)
	s.settled(conn)
	stop := url.Values{"reason": {"it leaks"}, "sure": {"yes"}}
	s.join("adam", auth.Admin).post(agentsPath+"/"+s.agent.ID+"/stop", stop).want(t, http.StatusSeeOther)
	var end string
	for !strings.Contains(end, "#outcome-"+a.ID) {
		end = next(t, conn)
	}
	for part, want := range map[string]string{"header": "checkout-api", "aside": "search-api"} {
		target := map[string]string{"header": "#head-", "aside": "#rail-"}[part] + a.ID
		got := lastElement(t, end, part)
		if !strings.Contains(end, `hx-target="`+target+`"`) || !strings.Contains(got, want) || strings.Contains(got, "data-expires") || strings.Contains(got, "waiting") {
			t.Errorf("%s: %s", target, got)
		}
	}
	if got := lastElement(t, end, "aside"); !strings.Contains(got, other.ID) {
		t.Errorf("the session lost a step: %s", got)
	}
}

// lastElement is the last one of its name, with what is in it.
func lastElement(t testing.TB, page, name string) string {
	t.Helper()
	from, to := strings.LastIndex(page, "<"+name+" "), strings.LastIndex(page, "</"+name+">")
	if from < 0 || to < from {
		t.Fatalf("no %s in %s", name, page)
	}
	return page[from:to]
}

// A request that comes in again counts on both rows; a list shows the first, and the page of
// each leads to the other.
func TestFeedCountsIdenticalRequests(t *testing.T) {
	t.Parallel()
	long.Race(t)
	s := newSite(t)
	ada := s.signedIn("ada")
	conn := ada.live("/t/acme/live")
	s.settled(conn)
	a := s.submit(medium)
	for frame := ""; !strings.Contains(frame, a.ID); frame = next(t, conn) {
		if strings.Contains(frame, "identical") {
			t.Errorf("one alone is identical to nothing: %s", frame)
		}
	}
	b := s.submit(medium)
	var frame string
	for !strings.Contains(frame, b.ID) {
		frame = next(t, conn)
	}
	if strings.Count(frame, ">2 identical pending<") != 2 || !strings.Contains(frame, a.ID) {
		t.Errorf("the second one: %s", frame)
	}
	ada.get("/t/acme/queue").want(t, http.StatusOK, "2 identical pending", "approval-"+a.ID).without(t, "approval-"+b.ID)
	ada.get("/t/acme/approvals/"+b.ID).want(t, http.StatusOK, "2 identical pending", "/t/acme/approvals/"+a.ID, "decided on its own")

	form := ada.get("/t/acme/approvals/"+b.ID).form(t, `value="deny"`)
	form.Set("reason", "once is enough")
	ada.post("/t/acme/approvals/"+b.ID+"/decide", form).want(t, http.StatusSeeOther)
	for frame = ""; !strings.Contains(frame, "data-done"); {
		frame = next(t, conn)
	}
	if strings.Contains(frame, "identical") || !strings.Contains(frame, `id="approval-`+a.ID) {
		t.Errorf("the end of one: %s", frame)
	}
	ada.get("/t/acme/approvals/"+a.ID).want(t, http.StatusOK).without(t, "identical")
}

// What comes in while a quiz is answered does not name its answers.
func TestFeedIsDiscreetDuringAQuiz(t *testing.T) {
	t.Parallel()
	long.Race(t)
	s := newSite(t)
	a := s.submit(high)
	ada := s.signedIn("ada")
	path := "/t/acme/approvals/" + a.ID
	ada.get(path)
	conn := ada.live("/t/acme/live") // her queue, and not the request
	s.settled(conn)
	ada.post(path+"/start", nil).want(t, http.StatusSeeOther)
	for frame := ""; !strings.Contains(frame, "approval-"+a.ID); { // what the start itself changes was told
		frame = next(t, conn)
	}
	b := s.submit(high)
	for frame := ""; !strings.Contains(frame, b.ID); {
		if frame = next(t, conn); strings.Contains(frame, "usr_123") {
			t.Errorf("the answer comes in: %s", frame)
		}
	}
}

func TestFeedKeepsTenantsApart(t *testing.T) {
	t.Parallel()
	long.Race(t)
	s := newSite(t)
	eve := s.signedIn("eve")
	conn := eve.live("/t/rival/live")
	a := s.submit(medium)
	s.hub.Publish("rival", a.ID) // even a hint in the wrong place tells nothing
	var err error
	_, s.agent, err = s.tenants.CreateAgent(t.Context(), "rival", "their-own", "")
	must(t, err)
	own := s.submit(medium)
	// The hint from elsewhere may tell the new count before the own one tells its row.
	for frame := ""; !strings.Contains(frame, own.ID); {
		if frame = next(t, conn); strings.Contains(frame, a.ID) {
			t.Errorf("a stranger got %s", frame)
		}
	}
}

func TestFeedHidesTheQuizOfItsReader(t *testing.T) {
	t.Parallel()
	long.Race(t)
	s := newSite(t)
	a := s.submit(high)
	ada, bob := s.signedIn("ada"), s.signedIn("bob")
	path := "/t/acme/approvals/" + a.ID
	ada.get(path)
	hers, his := ada.live("/t/acme/live?open="+a.ID), bob.live("/t/acme/live")
	other := s.submit(strings.ReplaceAll(medium, "checkout-api", "settle"))
	for row, told := false, false; !row || !told; { // her page stands, and the look of hers is told to all
		frame := next(t, hers)
		row, told = row || strings.Contains(frame, other.ID), told || strings.Contains(frame, `id="approval-`+a.ID)
	}
	s.settled(his)
	ada.post(path+"/start", nil).want(t, http.StatusSeeOther)
	for {
		frame := next(t, hers)
		if strings.Contains(frame, "usr_123") {
			t.Errorf("the reader is told the answer: %s", frame)
		}
		if strings.Contains(frame, `id="approval-`+a.ID) && strings.Contains(frame, "facts hidden") {
			break
		}
	}
	ada.post(path+"/leave", nil).want(t, http.StatusSeeOther)
	for {
		if frame := next(t, hers); strings.Contains(frame, ">usr_123<") {
			break // her other pages show it again
		}
	}
	for {
		if frame := next(t, his); strings.Contains(frame, ">usr_123<") {
			break
		}
	}
}

// What was out of sight during a quiz stays so on the page when the request ends, and
// the way to it is shown; nowhere else is there anything to show.
func TestFeedShowsTheWayOutOfAQuiz(t *testing.T) {
	t.Parallel()
	long.Race(t)
	for body, way := range map[string]bool{high: true, medium: false} {
		s := newSite(t)
		a := s.submit(body)
		ada, bob := s.signedIn("ada"), s.signedIn("bob")
		path := "/t/acme/approvals/" + a.ID
		ada.get(path)
		conn := ada.live("/t/acme/live?open=" + a.ID)
		s.settled(conn)
		form := bob.get(path).form(t, `value="deny"`)
		form.Set("reason", "no")
		if way {
			ada.post(path+"/start", nil).want(t, http.StatusSeeOther)
		}
		bob.post(path+"/decide", form).want(t, http.StatusSeeOther)
		frame := ""
		for !strings.Contains(frame, "Bob denied this at") {
			frame = next(t, conn)
		}
		if strings.Contains(frame, "Refresh") != way {
			t.Errorf("quiz %v: %s", way, frame)
		}
	}
}

// A request that was decided while its page was on the way is told at once.
func TestFeedTellsWhatThePageMissed(t *testing.T) {
	t.Parallel()
	long.Race(t)
	s := newSite(t)
	a := s.submit(medium)
	ada, bob := s.signedIn("ada"), s.signedIn("bob")
	path := "/t/acme/approvals/" + a.ID
	ada.get(path).want(t, http.StatusOK, "live?open="+a.ID)
	form := bob.get(path).form(t, `value="deny"`)
	form.Set("reason", "no")
	bob.post(path+"/decide", form).want(t, http.StatusSeeOther)
	if frame := next(t, ada.live("/t/acme/live?open="+a.ID)); !strings.Contains(frame, "Bob denied this at") {
		t.Errorf("first frame %s", frame)
	}
	ada.get(path).want(t, http.StatusOK, "live?open="+a.ID+"&amp;over")
}

func TestFeedEnds(t *testing.T) {
	t.Parallel()
	long.Race(t)
	t.Run("at sign-out with 1008", func(t *testing.T) {
		t.Parallel()
		s := newSite(t)
		b := s.signedIn("ada")
		conn := b.live("/t/acme/live")
		b.post("/sign-out", nil).want(t, http.StatusSeeOther)
		if code := closeCode(t, conn); code != websocket.ClosePolicyViolation {
			t.Errorf("code %d", code)
		}
	})
	t.Run("without the membership with 1008, before anything is pushed", func(t *testing.T) {
		t.Parallel()
		s := newSite(t)
		conn := s.signedIn("ada").live("/t/acme/live")
		s.settled(conn)
		s.revoke("ada")
		s.submit(medium)
		_, message, err := conn.ReadMessage()
		if !websocket.IsCloseError(err, websocket.ClosePolicyViolation) {
			t.Errorf("got %s, %v", message, err)
		}
	})
	t.Run("at shutdown with 1012", func(t *testing.T) {
		t.Parallel()
		s := newSite(t)
		b := s.signedIn("ada")
		conn := b.live("/t/acme/live")
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		closed := make(chan error, 1)
		go func() { closed <- s.console.Close(ctx) }()
		if code := closeCode(t, conn); code != websocket.CloseServiceRestart {
			t.Errorf("code %d", code)
		}
		must(t, <-closed)
		if _, status := b.dial("/t/acme/live", s.url); status != http.StatusServiceUnavailable {
			t.Errorf("a closed console answers %d", status)
		}
	})
	t.Run("after a message that is too long", func(t *testing.T) {
		t.Parallel()
		s := newSite(t)
		conn := s.signedIn("ada").live("/t/acme/live")
		must(t, conn.WriteMessage(websocket.TextMessage, []byte("verdict=approve"))) // ignored
		s.settled(conn)
		must(t, conn.WriteMessage(websocket.TextMessage, make([]byte, socketRead+1)))
		closeCode(t, conn)
	})
}

func TestFeedsPerPerson(t *testing.T) {
	t.Parallel()
	long.Race(t)
	s := newSite(t)
	b := s.signedIn("ada")
	conns := make([]*websocket.Conn, socketsPerPerson)
	for i := range conns {
		conns[i] = b.live("/t/acme/live")
	}
	if _, status := b.dial("/t/acme/live", s.url); status != http.StatusTooManyRequests {
		t.Errorf("one more than %d: %d", socketsPerPerson, status)
	}
	if conn, _ := s.signedIn("bob").dial("/t/acme/live", s.url); conn == nil {
		t.Error("somebody else is refused, too")
	}
	must(t, conns[0].WriteControl(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""), time.Now().Add(time.Second)))
	closeCode(t, conns[0])
	// The place is free as soon as the handler has returned, shortly after the close.
	for deadline := time.Now().Add(time.Minute); ; {
		if conn, _ := b.dial("/t/acme/live", s.url); conn != nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatal("the place of a closed page stays taken")
		}
	}
}

// A page that is too far behind comes back and reloads.
func TestFeedThatLostHintsIsEnded(t *testing.T) {
	t.Parallel()
	long.Race(t)
	s := newSite(t)
	conn := s.signedIn("ada").live("/t/acme/live")
	s.settled(conn)
	for i := range 20_000 {
		s.hub.Publish("acme", fmt.Sprintf("apr_%032x", i))
	}
	if code := closeCode(t, conn); code != websocket.CloseServiceRestart {
		t.Errorf("code %d", code)
	}
}
