package outboxtest

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/internal/notices/pushtest"
	"github.com/countersign/countersign/internal/outbound"
)

// pushHouse is a house with push notifications and their service.
func pushHouse(t *testing.T, others ...notices.Sender) (*house, *pushtest.Service, string) {
	t.Helper()
	key, err := notices.ReadPushKey(notices.NewPushKey())
	must(t, err)
	h := newHouse(t, append(others, notices.Push{Client: loopback(t), Key: key, Subject: func() string { return base }})...)
	return h, pushtest.New(t, h.now), key.Public()
}

func deviceOf(d *pushtest.Device) notices.Device {
	return notices.Device{Name: "Chrome on Android", Endpoint: d.Endpoint, P256dh: d.P256dh(), Auth: d.Auth()}
}

// turnOn subscribes a device for somebody.
func (h *house) turnOn(m auth.Member, s *pushtest.Service) *pushtest.Device {
	h.t.Helper()
	d := s.Subscribe()
	must(h.t, h.notices.AddDevice(h.t.Context(), m, deviceOf(d)))
	return d
}

// devices are those of somebody.
func (h *house) devices(m auth.Member) []notices.Listed {
	h.t.Helper()
	o, err := h.notices.OwnNotices(h.t.Context(), m)
	must(h.t, err)
	return o.Devices
}

// A held request arrives at the device, with level, agent and link and nothing else of it;
// its end replaces it there without a sound.
func TestPushArrives(t *testing.T) {
	t.Parallel()
	h, service, key := pushHouse(t)
	device := h.turnOn(h.operator, service)
	a := h.submit(medium)
	h.round()
	got := service.Got()
	if len(got) != 1 {
		t.Fatalf("%d arrived, want 1", len(got))
	}
	want := pushtest.Notification{
		Title: "MEDIUM request from support-triage is waiting for a decision", Link: base + "/t/acme/approvals/" + a.ID, Tag: a.ID,
		Until: a.ExpiresAt.UTC().Format(time.RFC3339), Ends: "Expires at {time}",
	}
	p := got[0]
	if p.Notification != want || p.Device != device || p.PublicKey != key || p.Subject != base {
		t.Errorf("it says %s by %s for %s; want %+v", p.Text, p.PublicKey, p.Subject, want)
	}
	var members map[string]any
	must(t, json.Unmarshal(p.Text, &members))
	if len(members) != 5 {
		t.Errorf("it says %s: %d members, want title, link, tag, until and ends", p.Text, len(members))
	}
	if left := a.ExpiresAt.Sub(h.now()); p.TTL > int(left/time.Second)+1 || p.TTL < int(left/time.Second)-30 || p.Urgency != "normal" || len(p.Topic) != 32 {
		t.Errorf("the TTL is %d s of %v, the urgency %q, the topic %q", p.TTL, left, p.Urgency, p.Topic)
	}
	if d := h.told(a.ID); d.Reach != notices.Reached || len(d.All) != 1 || d.All[0].Person != h.operator.Person.ID {
		t.Errorf("of the request is told %+v", d)
	}
	h.turnOn(h.admin, service) // who was not called is not told of the end
	_, err := h.approvals.Cancel(t.Context(), h.agent, a.ID)
	must(t, err)
	h.round()
	if got = service.Got(); len(got) != 2 {
		t.Fatalf("after the end %d arrived, want 2", len(got))
	}
	last := got[1]
	if last.Device != device || last.Notification.Title != "MEDIUM request from support-triage was cancelled by the agent" || last.Notification.Tag != a.ID || last.Topic != p.Topic || !last.Notification.Quiet || last.Notification.Until != "" || last.Urgency != "normal" {
		t.Errorf("the end is told as %+v", last)
	}
	if n := len(h.told(a.ID).All); n != 2 {
		t.Errorf("the request lists %d deliveries, want the call and its end", n)
	}
}

// The level decides on the urgency, and each request has a topic of its own.
func TestPushUrgency(t *testing.T) {
	t.Parallel()
	h, service, _ := pushHouse(t)
	h.turnOn(h.operator, service)
	topics := map[string]string{}
	for body, want := range map[string]string{medium: "normal", high: "high"} {
		a := h.submit(body)
		h.round()
		p := service.Got()[len(service.Got())-1]
		if p.Notification.Tag != a.ID || p.Urgency != want {
			t.Errorf("%s has the urgency %q, want %q", p.Notification.Title, p.Urgency, want)
		}
		if other := topics[p.Topic]; other != "" {
			t.Errorf("%s and %s have one topic", other, a.ID)
		}
		topics[p.Topic] = a.ID
	}
}

// A push says more where the organisation lets it, in one message that every push service
// takes, and never of a request that asks questions.
func TestPushSaysMore(t *testing.T) {
	t.Parallel()
	h, service, _ := pushHouse(t)
	h.turnOn(h.operator, service)
	h.detail()
	long := strings.Repeat("𝔜", 3000)
	h.submit(fmt.Sprintf(`{"function":"deploy_service","arguments":{"service":%q,"env":"staging"},"docstring":"Deploy to production.","justification":%q}`, long, long))
	h.submit(high)
	h.round()
	h.round()
	got := service.Got()
	if len(got) != 2 {
		t.Fatalf("%d arrived, want 2", len(got))
	}
	slices.SortFunc(got, func(a, b pushtest.Push) int { return len(b.Notification.Body) - len(a.Notification.Body) })
	if lines := strings.Split(got[0].Notification.Body, "\n"); len(lines) < 2 || !strings.Contains(got[0].Notification.Body, "Reason, as the agent claims: 𝔜") {
		t.Errorf("where more is allowed it says %q", got[0].Notification.Body)
	}
	if got[1].Notification.Body != "" || strings.Contains(string(got[1].Text), "usr_829113") {
		t.Errorf("of a request that asks questions it says %s", got[1].Text)
	}
}

// A device that is gone is removed, with 404 as with 410, and called no more.
func TestPushGone(t *testing.T) {
	t.Parallel()
	for _, code := range []int{http.StatusNotFound, http.StatusGone} {
		h, service, _ := pushHouse(t)
		h.turnOn(h.operator, service)
		service.Then(status(code))
		a := h.submit(medium)
		h.round()
		if all := h.devices(h.operator); len(all) != 0 {
			t.Errorf("after %d there is still %+v", code, all)
		}
		if d := h.told(a.ID); d.Reach != notices.Unreached || d.All[0].State != notices.Failed {
			t.Errorf("after %d the request is told %+v", code, d)
		}
		h.submit(medium)
		h.pass(time.Hour)
		h.round()
		if n := len(service.Got()); n != 1 {
			t.Errorf("after %d it was called %d times", code, n)
		}
		h.sealedNothing(t)
	}
}

// sealedNothing holds that the database has no secret of a device.
func (h *house) sealedNothing(t *testing.T) {
	t.Helper()
	must(t, h.store.Notices().Read(t.Context(), "acme", func(r notices.Reader) error {
		all, err := r.NoticeChannels()
		for _, c := range all {
			if c.Sealed != "" {
				t.Errorf("%s still has its secrets", c.Name)
			}
		}
		return err
	}))
}

// A device that subscribed anew while the old address was called is not removed for it.
func TestPushRenewedMeanwhile(t *testing.T) {
	t.Parallel()
	h, service, _ := pushHouse(t)
	before := h.turnOn(h.operator, service)
	after := service.Subscribe()
	service.Then(func(w http.ResponseWriter, _ *http.Request) {
		must(t, h.notices.RenewDevice(t.Context(), h.operator, before.Endpoint, deviceOf(after)))
		w.WriteHeader(http.StatusGone)
	})
	h.submit(medium)
	h.round()
	service.Then(nil)
	h.pass(10 * time.Second)
	h.round()
	got := service.Got()
	if len(got) != 2 || got[0].Device != before || got[1].Device != after {
		t.Errorf("%d arrived; want one at the old address and one at the new", len(got))
	}
}

// What a push service asks to be sent later is sent then, and no sooner.
func TestPushRetries(t *testing.T) {
	t.Parallel()
	for _, code := range []int{http.StatusTooManyRequests, http.StatusServiceUnavailable} {
		h, service, _ := pushHouse(t)
		h.turnOn(h.operator, service)
		service.Then(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "300")
			w.WriteHeader(code)
		})
		a := h.submit(medium)
		h.round()
		d := h.told(a.ID)
		if wait := d.All[0].Next.Sub(*d.All[0].Last); d.Reach != notices.Unreached || d.All[0].State != notices.Waiting || wait < 5*time.Minute || wait > 6*time.Minute {
			t.Errorf("after %d it is %+v, %v later", code, d.All[0].Delivery, wait)
		}
		service.Then(nil)
		h.pass(4 * time.Minute)
		if h.round(); len(service.Got()) != 1 {
			t.Errorf("after %d it came sooner than asked", code)
		}
		h.pass(2 * time.Minute)
		if h.round(); len(service.Got()) != 2 || h.told(a.ID).Reach != notices.Reached {
			t.Errorf("after %d it did not come again: %+v", code, h.told(a.ID))
		}
		if last := service.Got()[1]; last.TTL > 9*60+1 {
			t.Errorf("after 6 of 15 minutes the TTL is %d s", last.TTL)
		}
	}
}

// A browser names the address, so it is held to what holds for every other: nothing private
// is called, nor anything over plain http.
func TestPushCallsNothingPrivate(t *testing.T) {
	t.Parallel()
	key, err := notices.ReadPushKey(notices.NewPushKey())
	must(t, err)
	push := notices.Push{Client: outbound.New(outbound.Config{}), Key: key, Subject: func() string { return base }}
	h := newHouse(t, push)
	service := pushtest.New(t, h.now)
	d := deviceOf(service.Subscribe())
	for _, endpoint := range []string{d.Endpoint, "https://127.0.0.1/x", "https://[::1]/x", "https://169.254.169.254/x", "http://example.com/x", "ftp://example.com/x", ""} {
		d.Endpoint = endpoint
		if err := h.notices.AddDevice(t.Context(), h.operator, d); !fault.Is(err, fault.InvalidForm) {
			t.Errorf("%q is taken: %v", endpoint, err)
		}
	}
	// A name is taken, and refused where the connection would be made.
	d.Endpoint = strings.Replace(strings.Replace(service.URL, "http:", "https:", 1), "127.0.0.1", "localhost", 1) + "/push/1"
	must(t, h.notices.AddDevice(t.Context(), h.operator, d))
	a := h.submit(medium)
	h.round()
	if got := h.told(a.ID).All[0]; got.Failures != 1 || !strings.Contains(got.LastError, "isn't a public internet address") || len(service.Got()) != 0 {
		t.Errorf("a private address by its name is called: %+v", got)
	}
}

// Keys that no browser gives are refused.
func TestPushKeysAreChecked(t *testing.T) {
	t.Parallel()
	h, service, _ := pushHouse(t)
	good := deviceOf(service.Subscribe())
	for name, change := range map[string]func(*notices.Device){
		"no key": func(d *notices.Device) { d.P256dh = "" }, "half a key": func(d *notices.Device) { d.P256dh = d.P256dh[:40] }, "no point": func(d *notices.Device) { d.P256dh = "BA" + strings.Repeat("A", len(d.P256dh)-2) },
		"no secret": func(d *notices.Device) { d.Auth = "" }, "half a secret": func(d *notices.Device) { d.Auth = d.Auth[:10] }, "no base64": func(d *notices.Device) { d.Auth = "!" },
	} {
		d := good
		change(&d)
		if err := h.notices.AddDevice(t.Context(), h.operator, d); !fault.Is(err, fault.InvalidForm) {
			t.Errorf("%s is taken: %v", name, err)
		}
	}
	for _, text := range []string{"", "x", base64.RawURLEncoding.EncodeToString(make([]byte, 32))} {
		if _, err := notices.ReadPushKey(text); err == nil {
			t.Errorf("%q is taken as a key", text)
		}
	}
}

// A device is of one person: who turns it on has it, its list has up to MaxDevices, and only
// whose it is removes or renews it.
func TestWhoseDeviceItIs(t *testing.T) {
	t.Parallel()
	h, service, _ := pushHouse(t)
	ctx := t.Context()
	d := h.turnOn(h.operator, service)
	must(t, h.notices.AddDevice(ctx, h.operator, deviceOf(d))) // again: nothing new
	if n := len(h.devices(h.operator)); n != 1 {
		t.Errorf("turning it on twice makes %d devices", n)
	}
	id := h.devices(h.operator)[0].ID
	if err := h.notices.RemoveOwn(ctx, h.admin, id); !fault.Is(err, fault.Missing) {
		t.Errorf("somebody else removes it: %v", err)
	}
	if err := h.notices.RenewDevice(ctx, h.admin, d.Endpoint, deviceOf(service.Subscribe())); !fault.Is(err, fault.Missing) {
		t.Errorf("somebody else renews it: %v", err)
	}
	must(t, h.notices.AddDevice(ctx, h.admin, deviceOf(d)))
	if mine, theirs := h.devices(h.operator), h.devices(h.admin); len(mine) != 0 || len(theirs) != 1 {
		t.Errorf("a browser that changed hands is %d times the first one's and %d times the second one's", len(mine), len(theirs))
	}
	for range notices.MaxDevices {
		h.turnOn(h.operator, service)
	}
	if err := h.notices.AddDevice(ctx, h.operator, deviceOf(service.Subscribe())); !fault.Is(err, fault.InvalidForm) {
		t.Errorf("one more than the most: %v", err)
	}
	fresh := service.Subscribe()
	must(t, h.notices.RenewDevice(ctx, h.admin, d.Endpoint, deviceOf(fresh)))
	h.submit(medium)
	for range 2 {
		h.round()
	}
	if !slices.ContainsFunc(service.Got(), func(p pushtest.Push) bool { return p.Device == fresh }) || slices.ContainsFunc(service.Got(), func(p pushtest.Push) bool { return p.Device == d }) {
		t.Error("a renewed device is called at its old address")
	}
}

// Who is removed or suspended is called no more, also not by what was on its way, and the
// secrets of who is removed are deleted.
func TestPushEndsWithTheMembership(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(h *house){
		"removed": func(h *house) {
			_, err := h.tenants.RemoveMember(t.Context(), h.admin, h.operator.Person.ID)
			must(t, err)
			h.sealedNothing(t)
		},
		"suspended": func(h *house) {
			must(t, h.tenants.Suspend(t.Context(), h.admin, h.operator.Person.ID, "for this test"))
		},
	} {
		h, service, _ := pushHouse(t)
		h.turnOn(h.operator, service)
		service.Then(status(http.StatusInternalServerError))
		h.submit(medium)
		h.round()
		service.Then(nil)
		end(h)
		h.submit(high)
		h.pass(10 * time.Second)
		h.round()
		if n := len(service.Got()); n != 1 {
			t.Errorf("who is %s was called %d times, want once: before it", name, n)
		}
	}
}

// Rules, quiet hours and a person's own settings hold for devices as for every channel of
// theirs.
func TestPushIsRouted(t *testing.T) {
	t.Parallel()
	h, service, _ := pushHouse(t)
	device, other := h.turnOn(h.operator, service), h.turnOn(h.admin, service)
	_, err := h.notices.KeepRule(t.Context(), h.admin, 0, notices.Rule{Name: "all", Steps: []notices.Step{
		{Targets: []notices.Target{notices.To(notices.ToPerson, h.operator.Person.ID)}, Minutes: 2}, {Targets: []notices.Target{notices.To(notices.ToPerson, h.admin.Person.ID)}, Minutes: 2},
	}})
	must(t, err)
	must(t, h.notices.SetOwn(t.Context(), h.operator, notices.Own{Levels: []string{"HIGH"}}))
	a := h.submit(medium)
	h.round()
	b := h.submit(high)
	h.round()
	h.pass(3 * time.Minute)
	h.round()
	h.round()
	var calls []string
	for _, p := range service.Got() {
		calls = append(calls, map[*pushtest.Device]string{device: "operator", other: "admin"}[p.Device]+" "+map[string]string{a.ID: "medium", b.ID: "high"}[p.Notification.Tag])
	}
	if want := []string{"admin medium", "operator high", "admin high"}; !slices.Equal(calls, want) {
		t.Errorf("called were %q, want %q", calls, want)
	}
}

// A test goes to the one device, whatever the hour.
func TestPushTest(t *testing.T) {
	t.Parallel()
	h, service, _ := pushHouse(t)
	device := h.turnOn(h.operator, service)
	h.turnOn(h.operator, service)
	for _, l := range h.devices(h.operator) {
		if l.CreatedAt.IsZero() || l.Shown != "Chrome on Android" {
			t.Errorf("the list says %+v", l)
		}
	}
	must(t, h.notices.TestOwn(t.Context(), h.operator, h.devices(h.operator)[0].ID))
	h.round()
	got := service.Got()
	if len(got) != 1 || got[0].Device != device || got[0].Topic != "" || got[0].Notification.Quiet || got[0].TTL != 300 {
		t.Errorf("%+v arrived", got)
	}
}
