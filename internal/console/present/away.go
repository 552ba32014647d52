package present

import (
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// Away says until when somebody is away and who decides in their place.
func Away(say texts.Printer, a tenants.Absence) []views.Run {
	switch {
	case a.Until.IsZero():
		return untrusted.Runs(AwayLabel(say, a))
	case a.Gone.Empty():
		return SayAt(say, DateForm, texts.Key("away until %s; %s decides"), a.Until, a.Deputy.Name)
	}
	return SayAt(say, DateForm, texts.Key("away until %s, and %s"), a.Until, say.Phrase(a.Gone))
}

// AwayLabel is that where no time can stand.
func AwayLabel(say texts.Printer, a tenants.Absence) string {
	if a.Gone.Empty() {
		return say.Say("away; %s decides", a.Deputy.Name)
	}
	return say.Say("away, and %s", say.Phrase(a.Gone))
}

// InPlaceOf is a name with that of who was away; of nobody it is the name.
func InPlaceOf(say texts.Printer, name string, who *tenants.Named) string {
	if who == nil {
		return name
	}
	return say.Say("%s for %s (away)", name, who.Name)
}
