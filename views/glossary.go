package views

import "github.com/countersign/countersign/views/texts"

// term is a number of the console and what it means: on the help page, and behind a
// question mark where it stands.
type term struct {
	id         string // of its place on the help page
	name, text texts.Key
}

var (
	aboutScore        = term{"score", texts.Key("Score"), texts.Key("0 to 1, and higher is riskier. Three models score the action: five factors (name, arguments, description, hints, how new the call is), patterns in its text, and rules. The policy says how they become one score; “highest” is usual. The score is not a probability.")}
	aboutPatternScore = term{"pattern-score", texts.Key("Pattern score"), texts.Key("0 to 100. Each pattern that matched counts once: the first of a severity adds the weight of that severity, each further one a share of the one before. Above the policy’s threshold the action is blocked, whatever the single patterns ask for. The score divided by 100 is one of the three that make the score of the action.")}
	aboutLabel        = term{"pattern-label", texts.Key("Clean, suspicious, dangerous"), texts.Key("The pattern model in one word. Clean: no pattern matched. Dangerous: a pattern score of 40 or more, a critical match, or a block. Suspicious: everything between. It decides nothing.")}
	aboutSealed       = term{"sealed", texts.Key("Sealed"), texts.Key("At HIGH the score, its reasons and what was approved before are hidden until you have passed the questions, so that they do not answer for you. At CRITICAL what was approved before is hidden throughout.")}
	aboutEntry        = term{"entry", texts.Key("Entry number, tree size and root"), texts.Key("Each event has a number in the organisation’s log. The root is one hash over all events up to a size (RFC 6962): whoever keeps a root can show later that nothing before it was changed.")}
)

// glossary is all of them, in the order of the help page.
var glossary = []term{
	aboutScore,
	aboutPatternScore,
	aboutLabel,
	aboutSealed,
	{"timeleft", texts.Key("Time left"), texts.Key("Minutes and seconds until the request expires, by the server’s clock. Expired means denied: silence is never consent. The ring shows the share that is left.")},
	{"given", texts.Key("1 of 2"), texts.Key("One of two people has approved. Each passes the challenge alone; one denial ends it.")},
	{"alike", texts.Key("3 identical pending"), texts.Key("So many requests with exactly the same bytes from the same agent wait. They can be decided together; each is recorded.")},
	{"new", texts.Key("2 new"), texts.Key("Requests that came since the list was drawn. They wait behind the button, so that no row moves under your pointer.")},
	{"digest", texts.Key("Digest"), texts.Key("SHA-256 of the action’s canonical bytes (RFC 8785), 64 hexadecimal digits. The approval is good for exactly these bytes, once.")},
	aboutEntry,
	{"times", texts.Key("Times"), texts.Key("Relative times (“4 min ago”) are for reading; the exact time in UTC stands behind them, on hover or focus, and in every export.")},
}
