package settingsui

import (
	"net/http"
	"strings"

	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/notices"
)

// Browsers in which somebody turned push notifications on.

// renewURL is where a browser tells that its subscription has another address now. It is of
// no organisation: a browser has one subscription for all.
const renewURL = "/account/devices/renew"

// readDevice reads what push.js and the service worker send.
func readDevice(c edge.Call) notices.Device {
	return notices.Device{
		Name:     browserOf(c.Request().UserAgent()),
		Endpoint: c.Field(edge.SecretPrefix + "endpoint"), P256dh: c.Field(edge.SecretPrefix + "p256dh"), Auth: c.Field(edge.SecretPrefix + "auth"),
	}
}

func (s *Pages) addDevice(c edge.Call) error {
	return s.ownDid(c, edge.DeedSaved, func() error { return s.Notices.AddDevice(c.Request().Context(), c.Member, readDevice(c)) })
}

// renewDevice follows a browser wherever this person has it. It asks for no fresh sign-in:
// who knows the address before is the browser that had it.
func (s *Pages) renewDevice(c edge.Call) error {
	ctx, d := c.Request().Context(), readDevice(c)
	all, err := s.Tenants.Memberships(ctx, c.Visit.Person)
	if err != nil {
		return err
	}
	for _, m := range all {
		in, err := s.Tenants.Enter(ctx, m.Tenant, c.Visit.Person, c.Visit.SignedIn)
		if err == nil {
			err = s.Notices.RenewDevice(ctx, in.Member, c.Field(edge.SecretPrefix+"before"), d)
		}
		if err != nil && !fault.Is(err, fault.Missing) && !fault.Is(err, fault.Denied) && !fault.Is(err, fault.Unauthorized) {
			return err
		}
	}
	return c.NoContent(http.StatusNoContent)
}

// browsers and systems are told by what their User-Agent holds; the first that fits counts,
// since most of them also name others.
var (
	browsers = [][2]string{
		{"Edg", "Edge"},
		{"OPR/", "Opera"},
		{"SamsungBrowser/", "Samsung Internet"},
		{"Firefox/", "Firefox"},
		{"FxiOS/", "Firefox"},
		{"CriOS/", "Chrome"},
		{"Chrome/", "Chrome"},
		{"Safari/", "Safari"},
		{"AppleWebKit/", "Safari"},
	}
	systems = [][2]string{
		{"iPhone", "iPhone"}, {"iPad", "iPad"}, {"Android", "Android"}, {"CrOS", "ChromeOS"}, {"Windows", "Windows"}, {"Mac OS X", "macOS"}, {"Linux", "Linux"},
	}
)

// browserOf is for example "Chrome on Android".
func browserOf(agent string) string {
	find := func(in [][2]string) string {
		for _, one := range in {
			if strings.Contains(agent, one[0]) {
				return one[1]
			}
		}
		return ""
	}
	browser, system := find(browsers), find(systems)
	switch {
	case browser == "":
		return "A browser"
	case system == "":
		return browser
	}
	return browser + " on " + system
}
