package console

import (
	"net/http"

	"github.com/countersign/countersign/views/texts"
)

// A deed is what a settings form did. The page that the form leads to says it. A cookie carries it
// and not the address: no link has a page say what did not happen, and a reload does not say it again.
type deed string

const (
	deedSaved      deed = "saved"
	deedRemoved    deed = "removed"
	deedAsked      deed = "asked"
	deedAccepted   deed = "accepted"
	deedRejected   deed = "rejected"
	deedWithdrawn  deed = "withdrawn"
	deedStopped    deed = "stopped"
	deedIncident   deed = "incident"
	deedRevoked    deed = "revoked"
	deedSuspended  deed = "suspended"
	deedReinstated deed = "reinstated"
	deedSignedOut  deed = "signed-out"
	deedPaused     deed = "paused"
	deedResumed    deed = "resumed"
)

var deedTexts = map[deed]texts.Key{
	deedSaved:      texts.Key("Saved."),
	deedRemoved:    texts.Key("Removed."),
	deedAsked:      texts.Key("Another admin has to accept this change."),
	deedAccepted:   texts.Key("Accepted."),
	deedRejected:   texts.Key("Rejected."),
	deedWithdrawn:  texts.Key("Withdrawn."),
	deedStopped:    texts.Key("Agent stopped."),
	deedIncident:   texts.Key("Incident recorded."),
	deedRevoked:    texts.Key("Revoked."),
	deedSuspended:  texts.Key("Suspended."),
	deedReinstated: texts.Key("Reinstated."),
	deedSignedOut:  texts.Key("Signed out everywhere."),
	deedPaused:     texts.Key("Paused."),
	deedResumed:    texts.Key("Resumed."),
}

const (
	deedCookie = "done"
	deedLife   = 60 // seconds, in which the next page is there
)

// did has the next page say what was done; nothing of what the page shows itself, which is "".
func (s *Console) did(c call, what deed) {
	if what == "" {
		return
	}
	k := s.sessions.plainCookie(deedCookie)
	k.Value, k.MaxAge = string(what), deedLife
	c.SetCookie(&k)
}

// done says what the form before this page did; empty where there was none.
func (s *Console) done(c call) string {
	k := s.sessions.plainCookie(deedCookie)
	sent, err := c.Cookie(k.Name)
	if err != nil || c.Request().Method != http.MethodGet {
		return ""
	}
	k.MaxAge = -1
	c.SetCookie(&k)
	text, ok := deedTexts[deed(sent.Value)]
	if !ok {
		return ""
	}
	return c.say.Key(text)
}
