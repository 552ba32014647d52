package present

import (
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// ConsentFacts say what has to happen before something is in force.
func ConsentFacts(say texts.Printer, author string, c tenants.Consent) []views.Pair {
	var all []views.Pair
	if author != "" {
		all = append(all, views.Pair{Label: say.Say("Asked for by"), Value: untrusted.Runs(author)})
	}
	return append(all,
		views.Pair{Label: say.Say("Can accept it"), Value: untrusted.Runs(OrNobody(say, c.Acceptors))},
		views.Pair{Label: say.Say("Waiting time"), Value: WaitsOf(say, c), Left: leftOf(say, c)},
		views.Pair{Label: say.Say("Until then"), Value: untrusted.Runs(say.Say("any other admin can object, which stops it"))},
	)
}

func OrNobody(say texts.Printer, names []string) string {
	if len(names) == 0 {
		return say.Say("no one yet")
	}
	return strings.Join(names, ", ")
}

// WaitsOf is where the waiting time is.
func WaitsOf(say texts.Printer, c tenants.Consent) []views.Run {
	switch {
	case c.AuthorGone:
		return untrusted.Runs(say.Say("doesn't run: whoever requested it can't request it now"))
	case c.Over:
		return untrusted.Runs(say.Say("has passed; it takes effect within a minute"))
	case !c.Begun.IsZero():
		return SayAt(say, DateForm, texts.Key("%s saw it at %s; it takes effect automatically at %s"), c.SeenBy.Name, c.Begun, c.Ends)
	case len(c.Judges) == 0:
		return untrusted.Runs(say.Say("can't start: no admin is available to review it. Whoever runs this server can do it on the command line."))
	default:
		return untrusted.Runs(say.Say("%s hours, starting when one of them opens it: %s", strconv.Itoa(c.Hours), strings.Join(c.Judges, ", ")))
	}
}

// leftOf counts down to when a change takes effect by itself; nil while nothing runs.
func leftOf(say texts.Printer, c tenants.Consent) *views.TimeLeft {
	if c.AuthorGone || c.Over || c.Begun.IsZero() {
		return nil
	}
	left := TimeBetween(say, c.Begun, c.Ends, c.Now)
	return &left
}
