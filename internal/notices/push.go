package notices

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/outbound"
)

const (
	// pushKind is the kind of channel that is a browser of one person.
	pushKind = "push"

	fieldEndpoint = "endpoint"
	fieldP256dh   = "p256dh"
	fieldAuth     = "auth"
	fieldDevice   = "device"  // by which the browser knows itself in the list
	fieldBrowser  = "browser" // "Chrome on Android"

	// endedFor is for how long a push service keeps what is no call for a device that is not
	// there: it replaces a call that waits with it, and the notification of one that came.
	endedFor = 24 * time.Hour
	// testedFor is the same for a test: who presses the button looks now.
	testedFor = 5 * time.Minute
	// maxShown bounds each text of a push, in characters: three of them, of four bytes each,
	// fit into one message.
	maxShown = 160
	// shown is the ref of a call that a push service took.
	shown = "shown"
)

// Push is a channel to a browser of one person, by Web Push (RFC 8030).
type Push struct {
	Client *outbound.Client
	Key    *PushKey
	// Subject is how push services reach whoever runs this server: https: or mailto:.
	Subject func() string
}

// About is what never changes about the kind.
func (Push) About() About {
	return About{Kind: pushKind, Label: fault.Textf("Push"), Tells: []Kind{Held, Escalated, Ending}, Retries: PeopleRetries(), Personal: true}
}

// Check refuses what is no subscription of a browser: a fault on the part of the page that
// made it.
func (p Push) Check(c Settings) error {
	if err := p.Client.CheckURL(pushKind, c.Secrets[fieldEndpoint]); err != nil {
		return err
	}
	if _, err := readSubscriber(c.Secrets[fieldP256dh], c.Secrets[fieldAuth]); err != nil {
		return fault.Member(fault.InvalidForm, pushKind, "the browser sent no usable key; turn push notifications on again")
	}
	return nil
}

// Shown is the name of the browser.
func (Push) Shown(c Settings) string { return c.Fields[fieldBrowser] }

// Follows: the notification says how the request ended.
func (Push) Follows(Settings) bool { return true }

// pushed is what the service worker gets (web/js/service-worker.js).
type pushed struct {
	Title string `json:"title"`
	Body  string `json:"body,omitempty"`
	Link  string `json:"link"`
	// Tag is the same for all about one request: a notification replaces the one before.
	Tag string `json:"tag"`
	// Until is when the request expires (RFC 3339); Ends is what to say about that, with
	// {time} in it for the time by the clock of the device.
	Until string `json:"until,omitempty"`
	Ends  string `json:"ends,omitempty"`
	// Quiet says that nobody has to come: no sound, and it may go by itself.
	Quiet bool `json:"quiet,omitempty"`
}

func pushedOf(m Message) pushed {
	p := pushed{Title: begin(inert(m.Title)), Link: m.Link, Tag: m.Approval, Quiet: !m.Kind.Calls() && m.Kind != Test}
	if p.Tag == "" {
		p.Tag = m.ID
	}
	var lines []string
	for _, l := range m.lines() {
		lines = append(lines, begin(l.label+": "+l.text))
	}
	p.Body = strings.Join(lines, "\n")
	if m.Kind.Calls() {
		p.Until, p.Ends = m.Expires.UTC().Format(time.RFC3339), "Expires at {time}"
	}
	return p
}

// begin is the beginning of a text.
func begin(text string) string {
	if runes := []rune(text); len(runes) > maxShown {
		return string(runes[:maxShown-1]) + "…"
	}
	return text
}

// keptFor is how long a push service keeps a message for a device that is not there: a call
// until its request expires.
func keptFor(m Message) time.Duration {
	switch {
	case m.Kind.Calls():
		return max(0, m.Expires.Sub(m.Now))
	case m.Kind == Test:
		return testedFor
	}
	return endedFor
}

// urgency is RFC 8030's: whether a device that saves its battery is woken.
func urgency(m Message) string {
	switch {
	case m.Kind == Test, m.Kind.Calls() && (m.Level == "HIGH" || m.Level == "CRITICAL"):
		return "high"
	case m.Kind.Calls() && m.Level == "LOW":
		return "low"
	}
	return "normal"
}

// topic names a request to a push service, which then keeps the newest message about it only.
// It is a hash: push services learn no ids.
func topic(m Message) string {
	sum := sha256.Sum256(bound(m.Tenant, m.Approval))
	return base64.RawURLEncoding.EncodeToString(sum[:24]) // 32 characters, the most there may be
}

// Send encrypts and posts.
func (p Push) Send(ctx context.Context, c Settings, m Message) (string, error) {
	to, err := readSubscriber(c.Secrets[fieldP256dh], c.Secrets[fieldAuth])
	if err != nil {
		return "", &Failure{Text: "the device's keys can't be read; turn push notifications on again there", Final: true}
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false) // three bytes less for each
	if err := encoder.Encode(pushedOf(m)); err != nil {
		return "", err
	}
	body, err := to.seal(bytes.TrimSpace(text.Bytes()))
	if err != nil {
		return "", &Failure{Text: "the message can't be encrypted: " + err.Error(), Final: true}
	}
	by, err := p.Key.authorization(c.Secrets[fieldEndpoint], p.Subject(), m.Now)
	if err != nil {
		return "", &Failure{Text: "the device's address can't be called", Final: true}
	}
	header := http.Header{}
	header.Set("Authorization", by)
	header.Set("Content-Type", "application/octet-stream")
	header.Set("Content-Encoding", "aes128gcm")
	header.Set("Ttl", strconv.Itoa(int(keptFor(m)/time.Second)))
	header.Set("Urgency", urgency(m))
	if m.Approval != "" {
		header.Set("Topic", topic(m))
	}
	status, back, err := call(ctx, p.Client, c.Secrets[fieldEndpoint], header, body)
	switch {
	case err != nil:
		return "", err
	case status == http.StatusNotFound, status == http.StatusGone: // RFC 8030, 7.3
		return "", &Failure{Text: "the push service answered " + strconv.Itoa(status) + ": the device takes no more notifications", Gone: true}
	}
	return shown, answered(status, back, m.Now)
}
