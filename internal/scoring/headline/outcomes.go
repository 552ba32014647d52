package headline

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
)

// outcomes are what will be true once a call has run, one for each kind of thing that it does and
// that cannot be taken back: what is deleted, who gets which role on what, how much is paid, who
// outside receives it.
func (a *act) outcomes() (all []string) {
	seen := map[effects.Kind]bool{}
	for _, e := range a.Effects {
		if said := a.outcome(e); said != "" && !seen[e.Kind] {
			seen[e.Kind] = true
			all = append(all, said)
		}
	}
	return all
}

func (a *act) outcome(e effects.Effect) string {
	switch e.Kind {
	case effects.Delete:
		what, all := "What it names", "All that it names"
		if value, ok := a.specific(); ok && (a.written == nil || e.Object == "file" || e.Object == "disk" || !a.place(value)) {
			what, all = inQuotes(value), "All of "+inQuotes(value)
		} else if from, to := a.written.stretch(e); to > 0 && to-from <= longestName { // down -v deletes no docker-compose.yml
			what, all = "What "+inQuotes(a.written.text[from:to])+" names", "All that "+inQuotes(a.written.text[from:to])+" names"
		}
		if e.Breadth == effects.All {
			what = all
		}
		if a.takesOff(e) {
			return what + " loses access."
		}
		does := cmp.Or(vocabulary().Becomes[strings.TrimSuffix(a.deletes(effects.Effect{Verb: e.Verb}), " for good")], "deleted")
		if no := a.reversible(); no != nil && !*no {
			does += " for good"
		}
		if a.cascades() {
			does += ", and what depends on it"
		}
		return what + " is " + does + "."
	case effects.Permission:
		return a.granted(e)
	case effects.Money:
		if e.Amount != nil {
			return e.Amount.String() + " leave the account."
		}
		return "Money moves, or is promised."
	case effects.Message:
		if e.Audience == effects.Public {
			return "Everyone can read it."
		}
		if to := a.values(Recipient); e.Audience == effects.Outside && to != "" && a.leaves() {
			return to + " outside of the organisation receive it."
		}
	case effects.Execute:
		if a.written != nil || e.Certain {
			return "Code runs that no one read."
		}
	}
	return ""
}

// cascades reports whether what depends on something is deleted with it: DROP TABLE users CASCADE.
func (a *act) cascades() bool {
	return a.written != nil && cascade.MatchString(a.written.text) ||
		slices.ContainsFunc(a.arguments, func(arg Argument) bool { return cascade.MatchString(arg.Name) && arg.Values[0].Bool() })
}

var cascade = regexp.MustCompile(`(?i)(^|\s)cascade(\s|;|"|'|\)|$)`)

// place reports whether a value is a file or a machine, by which a command finds what it acts on.
func (a *act) place(value string) bool {
	return slices.ContainsFunc(a.Facts, func(f facts.Fact) bool { return f.Value == value && (f.Kind == facts.Path || f.Kind == facts.Host) })
}

// granted is who gets what, and on what.
func (a *act) granted(e effects.Effect) string {
	who, given, where := a.values(Recipient), a.values(Given), a.values(Where)
	switch {
	case who != "" && given != "" && where != "":
		return who + " has " + given + " on " + where + "."
	case who != "" && given != "":
		return who + " has " + given + "."
	}
	if from, to := a.written.stretch(e); to > longestName && len(e.Evidence) > 0 && a.Effects[0].Kind == e.Kind {
		if all := a.written.telling(a, a.written.places(a), MaxRow-10); len(all) == 1 {
			return inQuotes(a.written.text[all[0][0]:all[0][1]]) + " changes access or security."
		}
	} else if to > 0 && to-from <= longestName {
		return inQuotes(a.written.text[from:to]) + " changes access or security."
	}
	return "Access or security is changed."
}

// values are those of a role, in quotes.
func (a *act) values(of Role) string {
	var all []string
	for _, arg := range a.arguments {
		for _, n := range arg.Values {
			if v := text(n); arg.Role == of && !arg.Secret && v != "" && len(all) < mostPeople {
				all = append(all, inQuotes(v))
			}
		}
	}
	return strings.Join(all, ", ")
}

// inQuotes is a value within a sentence of ours.
func inQuotes(value string) string {
	return "“" + escaped.Replace(begin(legible(value), longestName)) + "”"
}
