// Package scripts has what the scripts of web/js say: the page brings it along.
package scripts

import (
	"slices"
	"strings"

	"github.com/a-h/templ"

	"github.com/countersign/countersign/views/texts"
)

// scriptTexts are what the scripts of web/js say, by the name under which they ask
// for it. The page brings them along, so that no script holds a sentence. A number
// that decides is the first one that the script gives.
var scriptTexts = map[string]map[string]texts.Key{
	everyPage:      commonTexts,
	"js/push.js":   pushTexts,
	"js/policy.js": policyTexts,
	"js/chart.js":  chartTexts,
	"js/verify.js": verifyTexts,
}

// everyPage names the texts of the scripts that every page loads; the others are of the one
// script that asks for them, and go with it.
const everyPage = ""

var commonTexts = map[string]texts.Key{
	"dark":  "Dark",
	"light": "Light",

	"just-now":        "just now",
	"in-seconds":      "in %d s",
	"utc":             "%s UTC",
	"typed-same":      "Matches",
	"typed-so-far":    "Matches so far",
	"typed-wrong":     "Doesn't match",
	"missing":         "To approve: %s.",
	"missing-target":  "type the target",
	"missing-boxes":   "accept %d consequences",
	"missing-reading": "wait %d s",
	"complete":        "Click or press Space to approve.",
	"unlocks":         "Approve unlocks in %d s. Click or press Space.",
	"no-pasting":      "Pasting is off. Type it instead.",
	"copied":          "Copied.",
	"selected":        "Selected. Copy it with the keyboard.",
	"ticked":          "%d selected",
	"deny-selected":   "Deny %d requests",
	"too-many":        "%d selected. You can deny up to %d at once.",

	"none-here":    "None of these %d match. Press Enter to search all.",
	"none":         "None of the %d match",
	"show-waiting": "Show pending requests",
	"new":          "%d new",
	"new-or-more":  "%d+ new",
	"arrived":      "New request, %s: %s",
	"assigned":     "Assigned to you: %s",
	"again":        "Again, %s: %s. %s",
	"came":         "%d new requests, the highest %s: %s",
	"closed":       "closed",
	"shown":        "%d shown.",
	"days":         "%d days",

	"signed-out":     "Signed out as of",
	"live":           "Live",
	"not-live":       "Offline since",
	"as-of":          "As of",
	"lost":           "Connection lost. Reconnecting.",
	"connected":      "Reconnected.",
	"session-ended":  "This session has ended.",
	"not-signed-in":  "You couldn't be signed in. Check your connection and try again.",
	"approve-closed": "Approve isn't available yet.",

	"notify":           "Notify me in this browser",
	"notify-stop":      "Stop notifications in this browser",
	"notify-off":       "Notifications are off in this browser.",
	"notify-on":        "Notifications are on in this browser.",
	"notify-forbidden": "Notifications are blocked. Allow them in your browser's settings for this site.",
	"wait":             "%d new requests are waiting",
	"wait-assigned":    "A request is assigned to you",
	"highest-low":      "The highest is LOW.",
	"highest-medium":   "The highest is MEDIUM.",
	"highest-high":     "The highest is HIGH.",
	"highest-critical": "The highest is CRITICAL.",

	"on-this-page": "On this page",
	"this-browser": "This browser",
	"command":      "Command",
	"go-to":        "Go to: %s",
	"shortcuts":    "Keyboard shortcuts",
	"waiting":      "Waiting",
	"page":         "Page",
	"queue":        "Queue",
	"search":       "Search",
	"search-for":   "%s “%s”",
	"request":      "Request",

	"people":  "People",
	"mention": "%d people match. Choose with the arrow keys and Enter.",

	"extended":       "This request has more time now.",
	"expires-in":     "%d s left to decide.",
	"setting-lost":   "Not saved. Try again.",
	"advance-off":    "After a decision: stay on the page",
	"advance-on":     "After a decision: open the next request",
	"sound-off":      "Sound: off",
	"sound-critical": "Sound: CRITICAL only",
	"sound-high":     "Sound: HIGH and CRITICAL",
	"sound-all":      "Sound: every new request",
}

var pushTexts = map[string]texts.Key{
	"push-unsupported": "This browser can't get push notifications here. They need HTTPS. On iPhone and iPad, add Countersign to the home screen first and open it from there.",
	"push-denied":      "Notifications are blocked. Allow them in your browser's settings for this site, then reload this page.",
	"push-off":         "Off in this browser.",
	"push-on":          "On in this browser. To turn them off, remove it from your devices.",
	"push-failed":      "Your browser couldn't turn on push notifications. Check your connection and try again.",
}

var policyTexts = map[string]texts.Key{
	"between":      "%d of them between the new and the old thresholds.",
	"mark":         "%s, threshold",
	"levels-begin": "Risk thresholds",
	"changes":      "%d changes",
	"no-changes":   "No changes",
	"was":          "was %s",
	"empty":        "none",
	"yes":          "yes",
	"no":           "no",
}

var chartTexts = map[string]texts.Key{
	"seconds":  "%s s",
	"minutes":  "%s min",
	"hours":    "%s h",
	"share":    "%s%%",
	"no-value": "none",
}

var verifyTexts = map[string]texts.Key{
	"hashing":     "Hashing…",
	"holds":       "Verified: your browser hashed these bytes and followed %d steps to the root. Compare the root with one you kept.",
	"other-bytes": "Failed: these bytes hash to %s, which isn't this entry's hash.",
	"other-root":  "Failed: %d steps lead to %s, not the root.",
	"insecure":    "Your browser only computes hashes over HTTPS or on localhost. The command on this page does the same.",
	"unverified":  "Couldn't verify: %s",
}

// Data are the texts of a page's scripts as attributes: data-text- and the name, and
// behind it the plural category where a number decides.
func Data(say texts.Printer, scripts []string) templ.Attributes {
	all := templ.Attributes{}
	for script, said := range scriptTexts {
		if script != everyPage && !slices.ContainsFunc(scripts, func(url string) bool { return strings.Contains(url, "/"+script) }) {
			continue
		}
		for name, key := range said {
			for category, text := range say.Forms(key) {
				if category != "" {
					category = "-" + category
				}
				all["data-text-"+name+category] = text
			}
		}
	}

	return all
}
