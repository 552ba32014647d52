package present

import (
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// How a request ended, and by whom.

// VerdictWords say how an approval ended.
var VerdictWords = map[approvals.Status]texts.Key{
	approvals.Approved: texts.Key("Approved"), approvals.Blocked: texts.Key("Blocked"), approvals.Denied: texts.Key("Denied"),
	approvals.ChangesRequested: texts.Key("Changes requested"), approvals.Expired: texts.Key("Expired"), approvals.Cancelled: texts.Key("Cancelled"),
	approvals.Pending: texts.Key("Waiting"),
}

// VerdictBy are the same with who decided.
var VerdictBy = map[approvals.Status]texts.Key{
	approvals.Approved: texts.Key("Approved by %s"), approvals.Blocked: texts.Key("Blocked by %s"), approvals.Denied: texts.Key("Denied by %s"),
	approvals.ChangesRequested: texts.Key("Changes requested by %s"), approvals.Expired: texts.Key("Expired by %s"), approvals.Cancelled: texts.Key("Cancelled by %s"),
	approvals.Pending: texts.Key("Waiting for %s"),
}

// EndWords are the same within a sentence, and endWordsBy with who decided.
var EndWords = map[approvals.Status]texts.Key{
	approvals.Approved: texts.Key("approved"), approvals.Blocked: texts.Key("blocked"), approvals.Denied: texts.Key("denied"),
	approvals.ChangesRequested: texts.Key("changes requested"), approvals.Expired: texts.Key("expired"), approvals.Cancelled: texts.Key("cancelled"),
	approvals.Pending: texts.Key("waiting"),
}

var endWordsBy = map[approvals.Status]texts.Key{
	approvals.Approved: texts.Key("approved by %s"), approvals.Blocked: texts.Key("blocked by %s"), approvals.Denied: texts.Key("denied by %s"),
	approvals.ChangesRequested: texts.Key("changes requested by %s"), approvals.Expired: texts.Key("expired by %s"), approvals.Cancelled: texts.Key("cancelled by %s"),
	approvals.Pending: texts.Key("waiting for %s"),
}

// EndedBy says within a sentence how an approval ended, and by whom.
func EndedBy(say texts.Printer, a approvals.Approval) string {
	if a.Decision == nil {
		return say.Key(EndWords[a.Status])
	}
	if a.Void() {
		return say.Say("approved by %s, now void", DecidedBy(say, a))
	}
	return say.Key(endWordsBy[a.Status], DecidedBy(say, a))
}

// VerdictOf says how an approval ended. A yes that became void before it was used is none any more;
// withdrew are the people who withdrew one, by its id.
func VerdictOf(say texts.Printer, a approvals.Approval, withdrew map[string]string) (string, views.Tone) {
	switch {
	case withdrew[a.ID] != "":
		return say.Say("Withdrawn"), views.ToneWarn
	case a.Void():
		return say.Say("Void"), views.ToneWarn
	}
	return say.Key(VerdictWords[a.Status]), VerdictTone(a.Status)
}

func VerdictTone(s approvals.Status) views.Tone {
	switch s {
	case approvals.Approved:
		return views.ToneOK
	case approvals.Denied, approvals.Blocked:
		return views.ToneBad
	case approvals.ChangesRequested, approvals.Expired:
		return views.ToneWarn
	default:
		return views.TonePlain
	}
}

// DecidedBy names who decided: people by name, everything else by what it is.
func DecidedBy(say texts.Printer, a approvals.Approval) string { return Deciders(say, a.Decision) }

func Deciders(say texts.Printer, by *approvals.Decision) string {
	if by == nil {
		return ""
	}
	names := make([]string, 0, len(by.DecidedBy))
	for _, d := range by.DecidedBy {
		switch d.Kind {
		case approvals.ByPolicy:
			if strings.HasPrefix(d.ID, "stg_") {
				names = append(names, say.Say("%s's standing approval", d.StandingOf()))
				continue
			}
			names = append(names, say.Say("the policy"))
		case approvals.ByClock:
			names = append(names, say.Say("System"))
		default:
			names = append(names, InPlaceOf(say, d.Name, d.For))
		}
	}
	return Listed(say, names)
}

// Listed is "Ada", or "Ada and Ben".
func Listed(say texts.Printer, names []string) string {
	if len(names) == 0 {
		return ""
	}
	all := names[0]
	for _, name := range names[1:] {
		all = say.Say("%s and %s", all, name)
	}
	return all
}
