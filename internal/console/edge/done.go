package edge

import (
	"net/http"

	"github.com/countersign/countersign/views/texts"
)

// A deed is what a settings form did. The page that the form leads to says it. A cookie carries it
// and not the address: no link has a page say what did not happen, and a reload does not say it again.
type Deed string

const (
	DeedSaved      Deed = "saved"
	DeedRemoved    Deed = "removed"
	DeedAsked      Deed = "asked"
	DeedAccepted   Deed = "accepted"
	DeedRejected   Deed = "rejected"
	DeedWithdrawn  Deed = "withdrawn"
	DeedStopped    Deed = "stopped"
	DeedIncident   Deed = "incident"
	DeedRevoked    Deed = "revoked"
	DeedSuspended  Deed = "suspended"
	DeedReinstated Deed = "reinstated"
	DeedSignedOut  Deed = "signed-out"
	DeedPaused     Deed = "paused"
	DeedResumed    Deed = "resumed"
	DeedSnoozed    Deed = "snoozed"
)

var DeedTexts = map[Deed]texts.Key{
	DeedSaved:      texts.Key("Saved."),
	DeedRemoved:    texts.Key("Removed."),
	DeedAsked:      texts.Key("Another admin has to accept this change."),
	DeedAccepted:   texts.Key("Accepted."),
	DeedRejected:   texts.Key("Rejected."),
	DeedWithdrawn:  texts.Key("Withdrawn."),
	DeedStopped:    texts.Key("Agent stopped."),
	DeedIncident:   texts.Key("Incident recorded."),
	DeedRevoked:    texts.Key("Revoked."),
	DeedSuspended:  texts.Key("Suspended."),
	DeedReinstated: texts.Key("Reinstated."),
	DeedSignedOut:  texts.Key("Signed out everywhere."),
	DeedPaused:     texts.Key("Paused."),
	DeedResumed:    texts.Key("Resumed."),
	DeedSnoozed:    texts.Key("Snoozed, only in your queue."),
}

const (
	deedCookie = "done"
	deedLife   = 60 // seconds, in which the next page is there
)

// Did has the next page say what was done; nothing of what the page shows itself, which is "".
func (s *Console) Did(c Call, what Deed) {
	if what == "" {
		return
	}
	k := s.Visits.plainCookie(deedCookie)
	k.Value, k.MaxAge = string(what), deedLife
	c.SetCookie(&k)
}

// done says what the form before this page did; empty where there was none.
func (s *Console) done(c Call) string {
	k := s.Visits.plainCookie(deedCookie)
	sent, err := c.Cookie(k.Name)
	if err != nil || c.Request().Method != http.MethodGet {
		return ""
	}
	k.MaxAge = -1
	c.SetCookie(&k)
	text, ok := DeedTexts[Deed(sent.Value)]
	if !ok {
		return ""
	}
	return c.Say.Key(text)
}
