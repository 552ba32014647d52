package views

import (
	"net/url"

	"github.com/countersign/countersign/views/texts"
)

// Place is a page of the main navigation.
type Place uint8

const (
	// PlaceNone is a page outside the navigation.
	PlaceNone Place = iota
	// PlaceQueue is the live queue.
	PlaceQueue
	// PlaceHistory lists what was decided.
	PlaceHistory
	// PlaceAudit is the audit trail.
	PlaceAudit
	// PlaceInsights shows figures.
	PlaceInsights
	// PlaceSettings holds policy, agents and people.
	PlaceSettings
)

// Page is what every page of a tenant has around its content.
//
// The nonce of the scripts is taken from the context (templ.WithNonce).
type Page struct {
	// Title is the page's own title; " · Countersign" follows it. While a quiz is
	// being answered it must hold no value of the action either.
	Title  string
	Assets Assets
	// Now is the server's time as RFC 3339 with milliseconds, in UTC. The script
	// counts with it, so a wrong clock in the browser shows no wrong time left.
	Now string
	// Home is where the brand leads, for example "/t/acme/queue".
	Home string
	// Tenant is the slug of the organisation shown; empty outside of one.
	Tenant string
	// Tenants are the person's other organisations.
	Tenants []Link
	// Nav holds the pages that exist and that this person's roles may see.
	Nav []NavItem
	// Here is the current page.
	Here Place
	// Person is who is signed in; nil shows neither mark nor sign-out.
	Person *Person
	// Account leads to the person's own page; empty shows no way to it.
	Account string
	// Help is the page of shortcuts and explanations; empty shows no way to it.
	Help string
	// Explained is the page of the handbook about this page; nil where there is none.
	Explained *Link
	// Palette is what Ctrl+K finds; nil for none.
	Palette *Palette
	// Again is how to sign in again without leaving the page; nil where nobody is signed in.
	Again *Again
	// SignOut is the address of the sign-out form (POST).
	SignOut string
	// Stop is the kill switch; nil for whoever may not press it, and where all are stopped.
	Stop *Stop
	// Live is the feed of this page; nil on pages that do not change by themselves.
	Live *Live
	// Display is what the person chose for the console itself; nil on pages that have no
	// use for it.
	Display *Display
	// Mentions are comments in which the reader is mentioned and that they haven't read yet.
	Mentions []Notice
	// House is what holds for the whole organisation, for example that all agents are
	// stopped; the feed replaces it.
	House []Notice
	// Banners stand under the top bar, for example "single-person".
	Banners []Notice
	// Done is what the form before this page did; empty where there was none.
	Done string
	// Critical turns the page into the CRITICAL room.
	Critical bool
	// SkipTo is the id of what the page is about, where its main part begins with something
	// else; empty for none.
	SkipTo string
}

// Display is how the console behaves for a person; decide.js does it.
type Display struct {
	URL     string // takes another choice (POST)
	Chosen  bool
	Advance bool   // go on to the next request after a decision
	Sound   string // from which level on an arrival is heard: off, critical, high, all
}

// value is what is chosen of one setting.
func (d Display) value(name string) string {
	switch {
	case name == "sound":
		return d.Sound
	case d.Advance:
		return "on"
	}
	return "off"
}

// Stop is the form that stops all agents (POST).
type Stop struct {
	URL, Slug string
}

// Again is the form with which somebody who is signed in proves once more who they are.
// Its address (POST) is that of the sign-in.
type Again struct {
	URL, Email string
	// Person is the id of the reader, whose forms say whose they are.
	Person string
	// Next is where the sign-in page leads back to.
	Next string
	// Session tells the script whether deciding is locked (GET), and is told that the
	// person is there (POST).
	Session string
	// LockAfter is after how many seconds without the person it is; "0" for never.
	LockAfter string
	// Locked says that it is now.
	Locked bool
	// SignedIn is the time of the sign-in (RFC 3339).
	SignedIn string
}

// SignInURL is the sign-in page, and back.
func (a Again) SignInURL() string { return a.URL + "?next=" + url.QueryEscape(a.Next) }

// NavItem is one entry of the main navigation.
type NavItem struct {
	Place Place
	URL   string
	// Count is shown behind the label; zero shows none: what waits in the queue, and the
	// changes in the settings that wait for this person.
	Count int
}

// Live says where a page gets its updates.
type Live struct {
	// Feed is the address of the websocket, for example "/t/acme/live?after=812".
	Feed string
	// Resync is a GET that answers with review.PushQueue. The script asks it after each
	// reconnect, and every ten seconds while the connection is lost.
	Resync string
	// As names the list as it was drawn: the first time it is asked with it, Resync
	// answers nothing (204) where nothing changed since.
	As string
	// Synced is the server's time of day, "09:41:20", SyncedISO the moment.
	Synced, SyncedISO string
}

// Assets are the addresses of the static files, with their version.
type Assets struct {
	// Early is the one script that runs before the page is drawn.
	Early string
	// Styles and Scripts are in the order in which they must load.
	Styles, Scripts []string
	// Last is the script that runs after all others.
	Last string
	// Fonts are those that the style sheets ask for: the page asks for them itself,
	// before it has those.
	Fonts   []string
	Favicon string
	// Manifest says how the console is installed as an app; Touch is its icon on phones that
	// read none from there.
	Manifest, Touch string
}

// MaxCount is how far those that wait are counted.
const MaxCount = 5000

// CountText draws how many wait: "2,000", "5,000+".
func CountText(say texts.Printer, n int) string {
	if n > MaxCount {
		return say.Number(MaxCount) + "+"
	}

	return say.Number(n)
}
