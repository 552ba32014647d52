package views

import "github.com/countersign/countersign/views/texts"

// term is a number of the console and what it means: on the help page, and behind a
// question mark where it stands.
type term struct {
	id         string // of its place on the help page
	name, text texts.Key
}

var (
	AboutScore        = term{"score", texts.Key("Score"), texts.Key("From 0 to 1; higher is riskier. Three models score each action: five factors (name, arguments, description, hints and novelty), text patterns, and rules. The policy combines them, usually by taking the highest. The score isn't a probability.")}
	aboutPatternScore = term{"pattern-score", texts.Key("Pattern score"), texts.Key("From 0 to 100. Each matched pattern counts once. The first match of a severity adds its full weight, and each further match adds less. Above the policy’s threshold the action is blocked, whatever the individual patterns ask for. Divided by 100, it’s one of the three scores behind the action’s score.")}
	aboutLabel        = term{"pattern-label", texts.Key("Clean, suspicious, dangerous"), texts.Key("The pattern model's verdict. Clean: no match. Dangerous: a pattern score of 40 or more, a critical match or a block. Suspicious: anything in between. For information only.")}
	AboutSealed       = term{"sealed", texts.Key("Hidden score"), texts.Key("At HIGH, the score, its reasons and past approvals stay hidden until you've answered the questions, so they don't answer for you. At CRITICAL, past approvals stay hidden throughout.")}
	aboutReads        = term{"reads", texts.Key("Reads"), texts.Key("A call that only reads is LOW unless something raises it: hints that the caller sets (the five-factor score then counts in full), your own patterns whose action is confirm or stricter, shipped patterns from high severity on (unless they found only text that nothing runs), rules, and the function registry. The five-factor score of its words alone and shipped patterns below high don't raise it.")}
	AboutEntry        = term{"entry", texts.Key("Entry number, tree size and root"), texts.Key("Each event has a number in the organisation’s log. The root is a single hash over all events so far (RFC 6962). Anyone who keeps a root can later prove that nothing before it changed.")}
)

// glossary is all of them, in the order of the help page.
var glossary = []term{
	AboutScore,
	aboutPatternScore,
	aboutLabel,
	AboutSealed,
	aboutReads,
	{"timeleft", texts.Key("Time left"), texts.Key("Minutes and seconds until the request expires, by the server’s clock. Expired requests are denied. The ring shows the share of time left.")},
	{"given", texts.Key("1 of 2"), texts.Key("One of two people has approved. Each completes the challenge alone. One denial ends it.")},
	{"alike", texts.Key("3 identical pending"), texts.Key("The number of pending requests from the same agent with exactly the same bytes. You can decide them together; each is recorded.")},
	{"new", texts.Key("2 new"), texts.Key("Requests that arrived since the list loaded. They wait behind the button so rows don't move under your pointer.")},
	{"claim", texts.Key("Claim"), texts.Key("Says that you're handling a request, for 10 minutes. Everyone who sees the queue sees your name, and the next step of notices waits. It decides nothing: others can take over, or decide.")},
	{"assign", texts.Key("Assign"), texts.Key("Asks one person to decide in your place. They're notified, and everyone who sees the queue sees their name. Everyone else can still decide.")},
	{"stop", texts.Key("Emergency stop"), texts.Key("Stops all agents of the organisation at once: they can't submit requests or use approvals until an admin resumes them. Operators and admins can stop; all pages show who stopped them and why.")},
	{"newer", texts.Key("Newer request"), texts.Key("The agent has since asked again for the same function and target, with other arguments. Decide the one that you mean. The policy can let the newer one end the older one.")},
	{"digest", texts.Key("Digest"), texts.Key("SHA-256 of the action’s canonical bytes (RFC 8785), as 64 hexadecimal digits. The approval is valid for exactly these bytes, once.")},
	AboutEntry,
	{"times", texts.Key("Times"), texts.Key("Hover over or focus a relative time (“4 min ago”) to see the exact time in UTC. Exports always use exact times.")},
}
