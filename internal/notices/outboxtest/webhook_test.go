package outboxtest

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/countersign/countersign/internal/notices"
)

// A held request arrives at a program, which checks it with the published library, and so
// does its end. The message says level, agent and link, and nothing else of the action.
func TestWebhookArrives(t *testing.T) {
	t.Parallel()
	h, to := newHouse(t), newReceiver(t, nil)
	_, secret := h.add("webhook", map[string]string{"url": to.URL + "/hook?token=abc"})
	hook, err := standardwebhooks.NewWebhook(secret)
	must(t, err)
	h.submit(harmless)
	a := h.submit(medium)
	h.round()
	calls := to.calls()
	if len(calls) != 1 {
		t.Fatalf("%d calls arrived, want that of the held request only", len(calls))
	}
	if err := hook.Verify(calls[0].body, calls[0].header); err != nil {
		t.Errorf("the library of Standard Webhooks refuses it: %v", err)
	}
	var got struct {
		Type      string
		Timestamp time.Time
		Data      map[string]string
	}
	must(t, json.Unmarshal(calls[0].body, &got))
	want := map[string]string{"organisation": "acme", "id": a.ID, "status": "pending", "level": "MEDIUM", "agent": "support-triage", "link": base + "/t/acme/approvals/" + a.ID, "expires_at": a.ExpiresAt.Format(time.RFC3339Nano)}
	for name, value := range want {
		if got.Data[name] != value {
			t.Errorf("%s is %q, want %q", name, got.Data[name], value)
		}
	}
	if got.Type != "request.held" || len(got.Data) != len(want) {
		t.Errorf("the message is %s %+v; want nothing but %v", got.Type, got.Data, want)
	}
	if id := calls[0].header.Get("webhook-id"); !strings.HasPrefix(id, "ntc_") || strings.Contains(id, ".") {
		t.Errorf("the id of the message is %q", id)
	}
	if d := h.told(a.ID); d.Reach != notices.Reached || len(d.All) != 1 || d.All[0].State != notices.Delivered || d.All[0].ChannelName != "#ops" {
		t.Errorf("of the request is told %+v", d)
	}
	if _, err := h.approvals.Cancel(t.Context(), h.agent, a.ID); err != nil {
		t.Fatal(err)
	}
	h.round()
	if calls = to.calls(); len(calls) != 2 || !strings.Contains(string(calls[1].body), `"request.decided"`) || !strings.Contains(string(calls[1].body), `"cancelled"`) {
		t.Errorf("after the end %d calls arrived, the last %s", len(calls), calls[len(calls)-1].body)
	}
}

// What fails is tried again after the published pauses, with the same id and a new time,
// and given up after the last.
func TestWebhookRetries(t *testing.T) {
	t.Parallel()
	h, to := newHouse(t), newReceiver(t, status(http.StatusInternalServerError))
	h.add("webhook", map[string]string{"url": to.URL})
	a := h.submit(medium)
	h.round()
	published := []time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour, 10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour}
	for i, wait := range published {
		d := h.told(a.ID).All[0]
		if d.State != notices.Waiting || d.Failures != i+1 || d.LastError != "the receiver answered 500" {
			t.Fatalf("after %d failures it is %+v", i+1, d)
		}
		if next := d.Next.Sub(*d.Last); next < wait || next > wait+wait/10+5*time.Second {
			t.Errorf("attempt %d comes %v after the one before, want %v and up to a tenth", i+2, next, wait)
		}
		if i == 0 && h.told(a.ID).Reach != notices.Unreached {
			t.Errorf("with no channel that took it, the reach is %q", h.told(a.ID).Reach)
		}
		h.pass(wait - time.Minute)
		before := len(to.calls())
		if wait > 2*time.Minute {
			if h.round(); len(to.calls()) != before {
				t.Errorf("attempt %d came too early", i+2)
			}
		}
		h.pass(time.Minute + wait/10 + time.Second)
		h.round()
	}
	calls := to.calls()
	if len(calls) != 10 {
		t.Fatalf("%d attempts, want 10", len(calls))
	}
	ids, times := map[string]bool{}, map[string]bool{}
	for _, c := range calls {
		ids[c.header.Get("webhook-id")], times[c.header.Get("webhook-timestamp")] = true, true
	}
	if len(ids) != 1 || len(times) != 10 {
		t.Errorf("%d ids and %d times, want 1 and 10", len(ids), len(times))
	}
	if d := h.told(a.ID).All[0]; d.State != notices.Failed || d.Attempts != 10 {
		t.Errorf("at the end it is %+v", d)
	}
}

// While a rotated secret is still good, both sign; later only the new one.
func TestWebhookRotation(t *testing.T) {
	t.Parallel()
	h, to := newHouse(t), newReceiver(t, nil)
	id, first := h.add("webhook", map[string]string{"url": to.URL})
	second, err := h.notices.Rotate(t.Context(), h.admin, id)
	must(t, err)
	verify := func(secret string, c received) error {
		t.Helper()
		hook, err := standardwebhooks.NewWebhook(secret)
		must(t, err)
		return hook.VerifyIgnoringTimestamp(c.body, c.header)
	}
	h.submit(medium)
	h.round()
	h.pass(notices.RotationOverlap + time.Second)
	h.submit(high)
	h.round()
	calls := to.calls()
	if first == second || len(calls) != 2 {
		t.Fatalf("%d calls", len(calls))
	}
	if verify(first, calls[0]) != nil || verify(second, calls[0]) != nil {
		t.Errorf("during the overlap the signatures are %q, which not both secrets verify", calls[0].header.Get("webhook-signature"))
	}
	if verify(first, calls[1]) == nil || verify(second, calls[1]) != nil {
		t.Errorf("after it they are %q", calls[1].header.Get("webhook-signature"))
	}
}

// A receiver that is gone ends its channel: nothing more is sent, and another channel is told.
func TestWebhookGone(t *testing.T) {
	t.Parallel()
	h, to, other := newHouse(t), newReceiver(t, status(http.StatusGone)), newReceiver(t, nil)
	id, _ := h.add("webhook", map[string]string{"url": to.URL})
	h.add("webhook", map[string]string{"url": other.URL})
	h.submit(medium)
	h.round()
	h.round()
	h.submit(high)
	h.round()
	h.pass(100 * time.Hour)
	h.round()
	if n := len(to.calls()); n != 1 {
		t.Errorf("who is gone was called %d times", n)
	}
	c, _, err := h.notices.Channel(t.Context(), h.admin, id)
	must(t, err)
	if c.State != notices.Off || c.Why == "" {
		t.Errorf("the channel is %s (%q)", c.State, c.Why)
	}
	found := false
	for _, c := range other.calls() {
		found = found || strings.Contains(string(c.body), `"channel.disabled"`)
	}
	if !found {
		t.Errorf("the other channel was not told; it got %d calls", len(other.calls()))
	}
	must(t, h.notices.Resume(t.Context(), h.admin, id))
	to.then(nil)
	h.submit(medium)
	if h.round(); len(to.calls()) != 2 {
		t.Errorf("a channel that is resumed is not told")
	}
}
