package outboxtest

import (
	"context"
	"encoding/json"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/notices"
)

// stub is a channel that does what a test says.
type stub struct {
	send func(ctx context.Context, m notices.Message) (string, error)
}

func (s *stub) About() notices.About {
	return notices.About{Kind: "stub", Tells: notices.Kinds(), Retries: notices.PeopleRetries(), Late: true}
}
func (s *stub) Check(notices.Settings) error  { return nil }
func (s *stub) Shown(notices.Settings) string { return "stub" }
func (s *stub) Follows(notices.Settings) bool { return false }
func (s *stub) Send(ctx context.Context, _ notices.Settings, m notices.Message) (string, error) {
	return s.send(ctx, m)
}

// One server is in charge. When it dies in the middle of sending, another takes over when
// the lease is over, and everything arrives: what was being sent a second time, with the
// same id, and nothing else twice.
func TestTwoServers(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	got := map[string]int{} // by id
	take := func(m notices.Message) {
		mu.Lock()
		defer mu.Unlock()
		got[m.ID]++
	}
	dies := make(chan struct{})
	first := &stub{}
	h := newHouse(t, first)
	h.add("stub", nil)
	second := h.server(&stub{send: func(_ context.Context, m notices.Message) (string, error) {
		take(m)
		return "", nil
	}})
	sent := 0
	first.send = func(_ context.Context, m notices.Message) (string, error) {
		take(m)
		if sent++; sent == 3 { // it took the third, and dies before it notes that
			<-dies
			return "", context.Canceled
		}
		return "", nil
	}
	const requests = 8
	for range requests {
		h.submit(medium)
	}
	ctx := t.Context()
	for range 2 {
		must(t, h.notices.Deliver(ctx))
		must(t, second.Deliver(ctx)) // it is not in charge
		h.notices.Wait()
		second.Wait()
	}
	must(t, h.notices.Deliver(ctx)) // the third hangs
	if mu.Lock(); len(got) > 3 {
		t.Errorf("while the first is in charge, %d arrived", len(got))
	}
	mu.Unlock()
	must(t, second.Deliver(ctx))
	h.pass(notices.LeaseFor + time.Second)
	for range requests + 2 {
		must(t, second.Deliver(ctx))
		second.Wait()
	}
	h.pass(2 * time.Minute) // what was taken and never noted is over
	must(t, second.Deliver(ctx))
	second.Wait()
	mu.Lock()
	defer mu.Unlock()
	twice := 0
	for _, n := range got {
		if n > 1 {
			twice++
		}
	}
	if len(got) != requests || twice > 1 {
		t.Errorf("%d of %d arrived, %d of them more than once; want all, and at most the one that was being sent twice", len(got), requests, twice)
	}
	close(dies)
}

// Two servers that both believe to be in charge take each attempt once.
func TestAnAttemptIsTakenOnce(t *testing.T) {
	t.Parallel()
	to := newReceiver(t, nil)
	h := newHouse(t)
	h.add("webhook", map[string]string{"url": to.URL})
	for range 20 {
		h.submit(medium)
	}
	other := h.server(notices.Webhook{Client: loopback(t)})
	for range 25 {
		must(t, h.notices.Deliver(t.Context()))
		h.pass(notices.LeaseFor + time.Second) // the lease is over while the first still sends
		must(t, other.Deliver(t.Context()))
		h.notices.Wait()
		other.Wait()
	}
	ids := map[string]int{}
	for _, c := range to.calls() {
		ids[c.header.Get("webhook-id")]++
	}
	for id, n := range ids {
		if n != 1 {
			t.Errorf("%s arrived %d times", id, n)
		}
	}
	if len(ids) != 20 {
		t.Errorf("%d of 20 arrived", len(ids))
	}
}

// A slow receiver delays nobody else.
func TestSlowChannels(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	slow, quick := newReceiver(t, func(http.ResponseWriter, *http.Request) { <-hold }), newReceiver(t, nil)
	arrived := make(chan struct{}, 10)
	quick.then(func(w http.ResponseWriter, _ *http.Request) {
		arrived <- struct{}{}
		w.WriteHeader(http.StatusNoContent)
	})
	h := newHouse(t)
	h.add("webhook", map[string]string{"url": slow.URL})
	h.add("webhook", map[string]string{"url": quick.URL})
	for range 3 {
		h.submit(medium)
		for here := false; !here; { // the quick one may still be noting what came before
			must(t, h.notices.Deliver(t.Context()))
			select {
			case <-arrived:
				here = true
			default:
				runtime.Gosched()
			}
		}
	}
	close(hold)
	h.notices.Wait()
}

// Operators and agents' owners change no channel, and read none; an admin who is none any
// more does not, either.
func TestWhoMayChangeChannels(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	d := notices.Draft{Kind: "webhook", Name: "#x", Tells: notices.Kinds(), Values: map[string]string{"url": "https://example.com"}}
	id, _, err := h.notices.Add(t.Context(), h.admin, d)
	must(t, err)
	stale := h.operator
	stale.Roles = h.admin.Roles // as a page of yesterday says
	for name, m := range map[string]struct{ err error }{
		"an operator adds":    {add(t, h, d, false)},
		"a stale admin adds":  {add(t, h, d, true)},
		"an operator tests":   {h.notices.SendTest(t.Context(), h.operator, id)},
		"an operator pauses":  {h.notices.Pause(t.Context(), h.operator, id)},
		"an operator removes": {h.notices.Remove(t.Context(), h.operator, id)},
	} {
		if !fault.Is(m.err, fault.Denied) {
			t.Errorf("%s: %v", name, m.err)
		}
	}
	o, err := h.notices.Overview(t.Context(), h.admin)
	must(t, err)
	if len(o.Channels) != 1 || o.Channels[0].Detailed || o.Channels[0].State != notices.Active {
		t.Errorf("channels are %+v", o)
	}
}

func add(t *testing.T, h *house, d notices.Draft, stale bool) error {
	t.Helper()
	m := h.operator
	if stale {
		m.Roles = h.admin.Roles
	}
	_, _, err := h.notices.Add(t.Context(), m, d)
	return err
}

// The database holds no secret of a channel; what another channel or organisation holds
// opens nothing.
func TestSecretsAreSealed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	one, secret := h.add("webhook", map[string]string{"url": "https://example.com/T0PS3CR3T"})
	two, _ := h.add("webhook", map[string]string{"url": "https://example.org/OTHER"})
	var sealed, other notices.SealedChannel
	must(t, h.store.Notices().Read(t.Context(), "acme", func(r notices.Reader) (err error) {
		if sealed, err = r.NoticeChannel(one); err != nil {
			return err
		}
		other, err = r.NoticeChannel(two)
		return err
	}))
	text, err := json.Marshal(sealed)
	must(t, err)
	if strings.Contains(string(text), "T0PS3CR3T") || strings.Contains(string(text), secret) {
		t.Errorf("the store holds %s", text)
	}
	other.Sealed = sealed.Sealed
	must(t, h.store.Notices().Write(t.Context(), "acme", func(w notices.Writer) error { return w.KeepNoticeChannel(other, other.Version) }))
	if c, _, err := h.notices.Channel(t.Context(), h.admin, two); err != nil || len(c.Set) != 0 {
		t.Errorf("a copied secret is read as %+v (%v)", c.Set, err)
	}
}
