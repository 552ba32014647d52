package console

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gorilla/websocket"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/views/texts"
)

// consoles is how many pages the fan-out is measured with.
const consoles = 1000

// readers are pages that count what they are told.
type readers struct {
	conns []*websocket.Conn
	got   sync.WaitGroup
}

// read counts every message of a page that was opened, until it is closed.
func (r *readers) read(conn *websocket.Conn) {
	r.conns = append(r.conns, conn)
	go func() {
		buffer := make([]byte, 512)
		for {
			_, message, err := conn.NextReader()
			if err != nil {
				return
			}
			for err == nil {
				_, err = message.Read(buffer)
			}
			r.got.Done()
		}
	}()
}

func (r *readers) close() {
	for _, c := range r.conns {
		_ = c.Close()
	}
}

// inUse is the memory of the whole process that is in use, in bytes.
func inUse() float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc + m.StackInuse)
}

// signInMany makes that many people and signs them in.
func (s *site) signInMany(t testing.TB, n int) (cookies []string) {
	t.Helper()
	m := s.console.Visits.Manager()
	for i := range n {
		_, err := s.tenants.CreatePerson(t.Context(), "acme", fmt.Sprintf("p%d@example.com", i), "", "", []auth.Role{auth.Operator})
		must(t, err)
		ctx, err := m.Load(t.Context(), "")
		must(t, err)
		m.Put(ctx, edge.PersonKey, s.personID(fmt.Sprintf("p%d", i)))
		m.Put(ctx, edge.SignedInKey, s.clock.now().UnixMicro())
		token, _, err := m.Commit(ctx)
		must(t, err)
		cookies = append(cookies, m.Cookie.Name+"="+token)
	}
	return cookies
}

// openConsoles opens the queue of each.
func (s *site) openConsoles(t testing.TB, cookies []string) *readers {
	t.Helper()
	r := &readers{}
	for _, cookie := range cookies {
		conn, _, err := websocket.DefaultDialer.DialContext(t.Context(), strings.Replace(s.url, "http", "ws", 1)+"/t/acme/live", http.Header{"Origin": {s.url}, "Cookie": {cookie}})
		must(t, err)
		r.read(conn)
	}
	return r
}

// bareBroadcast is a server that sends its pages the same bytes and does nothing else.
func bareBroadcast(t testing.TB, n int) (*readers, func(*websocket.PreparedMessage)) {
	t.Helper()
	pages := make(chan chan *websocket.PreparedMessage, n)
	up := websocket.Upgrader{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := up.Upgrade(w, r, nil)
		if err != nil {
			return
		}
		messages := make(chan *websocket.PreparedMessage, 1)
		pages <- messages
		go func() {
			for m := range messages {
				_ = conn.WritePreparedMessage(m)
			}
		}()
		_, _, _ = conn.NextReader()
		close(messages)
	}))
	t.Cleanup(server.Close)
	r := &readers{}
	for range n {
		conn, _, err := websocket.DefaultDialer.DialContext(t.Context(), strings.Replace(server.URL, "http", "ws", 1), nil)
		must(t, err)
		r.read(conn)
	}
	all := make([]chan *websocket.PreparedMessage, n)
	for i := range all {
		all[i] = <-pages
	}
	return r, func(m *websocket.PreparedMessage) {
		for _, messages := range all {
			messages <- m
		}
	}
}

// BenchmarkFanOut compares telling a thousand consoles of one change, from the room
// that reads it to the last page that has it, with a server that only sends each page
// the same bytes.
func BenchmarkFanOut(b *testing.B) {
	const limit = 2.0
	s := newSite(b)
	a := s.submit(medium)
	pages := s.openConsoles(b, s.signInMany(b, consoles))
	defer pages.close()
	bare, broadcast := bareBroadcast(b, consoles)
	defer bare.close()
	room := s.console.feeds.hubs.of["acme"]
	ctx := b.Context()
	what, err := s.approvals.Changes(ctx, "acme", []string{a.ID})
	must(b, err)
	w := newBroadcast([]string{a.ID}, what, nil)
	same, err := w.frame(context.WithoutCancel(ctx), []part{rowPart(w.rowsIn(texts.Printer{})[a.ID])})
	must(b, err)
	var of, to time.Duration
	for b.Loop() {
		began := time.Now()
		pages.got.Add(consoles)
		must(b, room.tell(ctx, []string{a.ID}))
		pages.got.Wait()
		between := time.Now()
		bare.got.Add(consoles)
		broadcast(same)
		bare.got.Wait()
		of, to = of+between.Sub(began), to+time.Since(between)
	}
	b.ReportMetric(float64(of.Microseconds())/1000/float64(b.N), "ms/change")
	b.ReportMetric(float64(to.Microseconds())/1000/float64(b.N), "ms/bare-broadcast")
	b.ReportMetric(limit, "limit")
	b.ReportMetric(float64(of)/float64(to), "ratio")
}

// BenchmarkConsoleMemory is what an open console takes of the server's memory. Its
// client is in the same process and counts, too.
func BenchmarkConsoleMemory(b *testing.B) {
	const limit = 40.0
	s := newSite(b)
	s.submit(medium)
	cookies := s.signInMany(b, consoles)
	var each float64
	for b.Loop() {
		before := inUse()
		pages := s.openConsoles(b, cookies)
		each = max(each, (inUse()-before)/consoles/1024)
		pages.close()
		for s.console.feeds.sockets.open() > 0 {
			runtime.Gosched()
		}
	}
	b.ReportMetric(limit, "limit")
	b.ReportMetric(each, "KiB/console")
	b.ReportMetric(each, "ratio")
}
