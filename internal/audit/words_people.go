package audit

import "github.com/countersign/countersign/internal/fault"

// What the trail says of changes to people that wait for another admin.

// changes are what can be asked for about people.
var changes = map[string]fault.Text{"remove": fault.Textf("a removal"), "reinstate": fault.Textf("a reinstatement"), "roles": fault.Textf("other roles"), "invite": fault.Textf("an invitation"), "password": fault.Textf("a password link")}

// change is what was asked for, and about whom.
func (t teller) change() fault.Text {
	what := wordOf(changes, t.get("act"))
	if what.Empty() {
		what = fault.Textf("a change")
	}
	if t.get("person") != "" {
		what = fault.Textf("%s of %s", what, t.person("person"))
	}
	if t.Kind == PeopleProposed && !t.roles().Empty() {
		what = fault.Textf("%s: %s", what, t.roles())
	}
	return what
}
