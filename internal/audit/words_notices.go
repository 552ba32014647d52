package audit

import (
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

// What the trail says of who is called.

func routingChanged(t teller) fault.Text {
	name := t.or("name", withoutName)
	was, is := t.Data.Get("before").Kind() != canon.KindNull, t.Data.Get("after").Kind() != canon.KindNull
	switch what := t.get("what"); {
	case what == "order":
		return fault.Textf("Moved the rule %s for notices", name)
	case what == "on-call":
		return fault.Textf("Changed who takes a day on call in the team %s", name)
	case what == "team" && !was:
		return fault.Textf("Added the team %s", name)
	case what == "team" && !is:
		return fault.Textf("Deleted the team %s", name)
	case what == "team":
		return fault.Textf("Changed the team %s", name)
	case !was:
		return fault.Textf("Added the rule %s for notices", name)
	case !is:
		return fault.Textf("Deleted the rule %s for notices", name)
	}
	return fault.Textf("Changed the rule %s for notices", name)
}

func ownNoticesChanged(teller) fault.Text {
	return fault.Textf("Changed their own notices")
}

func calledNext(t teller) fault.Text {
	return with(fault.Textf("Called the next in line about %s", t.what()), "%s, as step %s", t.get("step"))
}

func nobodyCame(t teller) fault.Text {
	return fault.Textf("No one was reached for %s: time ran out at every step", t.what())
}
