package policy

import "github.com/countersign/countersign/views/texts"

// policySection is a line of the index: the id of a heading, and what it is called there.
type policySection struct {
	id, label string
	mark      SectionMark
}

// sections are the parts of the page, in its order.
func (s Settings) sections(say texts.Printer) []policySection {
	all := []policySection{
		{id: "judgement", label: say.Say("Minimum levels")},
		{id: "thresholds", label: say.Say("Risk thresholds")},
		{id: "challenges", label: say.Say("Settings by level")},
		{id: "times", label: say.Say("Times and sign-in")},
		{id: "trust", label: say.Say("Track record")},
		{id: "evaluations", label: say.Say("Sessions")},
		{id: "combination", label: say.Say("Models and weights")},
		{id: "scorers", label: say.Say("Custom scorers")},
		{id: "blocks", label: say.Say("Blocking")},
		{id: "patterns", label: say.Say("Pattern scoring")},
	}
	if !s.Form.ReadOnly {
		all = append(all, policySection{id: s.Form.Reason.ID, label: s.Form.Reason.Label})
	}
	all = append(all, policySection{id: "versions", label: say.Say("Versions")})
	for i := range all {
		all[i].mark = s.Form.Marks[all[i].id]
	}

	return all
}

// levelNumbers are the numbers that every level has, a row for each setting.
func (f Form) levelNumbers() [][]NumberField {
	rows := make([][]NumberField, 3)
	for _, l := range f.Levels {
		for i, n := range []NumberField{l.People, l.Review, l.Expiry} {
			rows[i] = append(rows[i], n)
		}
	}
	if len(f.Levels) == 0 {
		return nil
	}

	return rows
}
