package console

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/notices/pushtest"
)

// subscription is what push.js sends.
func subscription(d *pushtest.Device) url.Values {
	return url.Values{"secret:endpoint": {d.Endpoint}, "secret:p256dh": {d.P256dh()}, "secret:auth": {d.Auth()}}
}

// A person turns push on, tests and removes it, each organisation apart; nobody else does. No
// page and no event shows the address of a device: it is a secret.
func TestDevices(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	service := pushtest.New(t, s.clock.now)
	device := service.Subscribe()
	ada, bob, adam := s.signedIn("ada"), s.signedIn("bob"), s.withAdmin()
	const page = "/t/acme/account/notices"
	secret := device.Endpoint[strings.LastIndex(device.Endpoint, "/")+1:]
	ada.get(page).want(t, http.StatusOK, "Push notifications", "allow JavaScript", `data-worker="/service-worker.js"`, "js/push.js").without(t, "Your devices")
	ada.post(page+"/devices", url.Values{"secret:endpoint": {"https://127.0.0.1/x"}}).want(t, http.StatusUnprocessableEntity, "The browser sent no usable key")
	ada.post(page+"/devices", subscription(device)).want(t, http.StatusSeeOther)
	list := ada.get(page).want(t, http.StatusOK, "Your devices", "A browser", "Added", "Remove").without(t, secret, device.Auth())
	id := regexp.MustCompile(`chn_[0-9a-f]{32}`).FindString(list.body)
	bob.get(page).want(t, http.StatusOK, "Push notifications").without(t, "Your devices", id)
	for _, act := range []string{"test", "pause", "resume", "delete"} {
		bob.post(page+"/"+id+"/"+act, nil).want(t, http.StatusNotFound)
		adam.post("/t/acme/settings/notices/channels/"+id+"/"+act, url.Values{"sure": {"yes"}}).want(t, http.StatusNotFound)
	}
	ada.post(page+"/"+id+"/test", nil).want(t, http.StatusSeeOther)
	s.deliver()
	ada.get(page).want(t, http.StatusOK, "The last test was delivered")
	if got := service.Got(); len(got) != 1 || got[0].Subject != "mailto:ops@example.com" {
		t.Errorf("%d arrived", len(got))
	}
	adam.get("/t/acme/audit").want(t, http.StatusOK, "Added the channel A browser").without(t, secret)
	ada.post(page+"/"+id+"/delete", nil).want(t, http.StatusSeeOther)
	ada.get(page).want(t, http.StatusOK).without(t, "Your devices")
}

// A browser whose address changed is followed wherever its person has it, and only for that
// person; without a session nothing is followed.
func TestDevicesAreRenewed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	service := pushtest.New(t, s.clock.now)
	before, after := service.Subscribe(), service.Subscribe()
	_, err := s.tenants.Grant(t.Context(), "rival", "ada@example.com", []auth.Role{auth.Operator})
	must(t, err)
	ada, bob := s.signedIn("ada"), s.signedIn("bob")
	for _, tenant := range []string{"acme", "rival"} {
		ada.post("/t/"+tenant+"/account/notices/devices", subscription(before)).want(t, http.StatusSeeOther)
	}
	form := subscription(after)
	form.Set("secret:before", before.Endpoint)
	s.browser().post("/account/devices/renew", form).want(t, http.StatusUnauthorized)
	bob.post("/account/devices/renew", form).want(t, http.StatusNoContent) // whoever asks learns nothing
	s.submit(medium)
	s.deliver()
	ada.post("/account/devices/renew", form).want(t, http.StatusNoContent)
	s.submit(medium)
	s.deliver()
	if got := service.Got(); len(got) != 2 || got[0].Device != before || got[1].Device != after {
		t.Errorf("%d arrived; want the first at the old address and the second at the new", len(got))
	}
	for _, tenant := range []string{"acme", "rival"} {
		page := "/t/" + tenant + "/account/notices"
		ada.post(page+"/devices", subscription(after)).want(t, http.StatusSeeOther)
		if list := ada.get(page); strings.Count(list.body, "data-device=") != 1 {
			t.Errorf("in %s ada has %d devices, want the one that was renewed", tenant, strings.Count(list.body, "data-device="))
		}
	}
}

// The service worker is at the root, for nobody in particular, and is asked for anew each time.
func TestServiceWorker(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	stranger := s.browser()
	got := stranger.get("/service-worker.js").want(t, http.StatusOK, "notificationclick")
	for name, want := range map[string]string{"Content-Type": "text/javascript; charset=utf-8", "Cache-Control": "no-cache"} {
		if value := got.header.Get(name); value != want {
			t.Errorf("%s is %q, want %q", name, value, want)
		}
	}
	for _, word := range []string{`"fetch"`, "caches", "importScripts"} {
		if strings.Contains(got.body, word) {
			t.Errorf("the service worker has %s: it answers no page's requests and keeps no copy", word)
		}
	}
	manifest := stranger.get("/static/manifest.webmanifest").want(t, http.StatusOK, `"start_url": "../"`)
	if kind := manifest.header.Get("Content-Type"); kind != "application/manifest+json" {
		t.Errorf("the manifest is %q", kind)
	}
}
