package policyui

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// What the pages of rules, patterns and functions have in common.

// lines is a text line by line.
func lines(s string) [][]views.Run {
	var out [][]views.Run
	for _, l := range strings.Split(s, "\n") {
		out = append(out, untrusted.Runs(l))
	}
	return out
}

// useOf is how often something took part, in a few words.
func useOf(say texts.Printer, t approvals.Tally) string {
	if t.Ended() == 0 {
		return say.Say("no hits")
	}
	use := say.Say("%d hits", int(t.Ended()))
	if t.Decided() > 0 {
		use = say.Say("%s, %d of %d decided approved", use, int(t.Approved), int(t.Decided()))
	}
	return use
}

// useFields tell the same at length.
func useFields(say texts.Printer, t approvals.Tally) []views.Pair {
	text := say.Say("none")
	if t.Ended() > 0 {
		text = say.Say("%d: %d auto-approved, %d approved, %d denied, %d sent back, %d blocked, %d expired, %d cancelled", t.Ended(), t.Allowed, t.Approved, t.Denied, t.ChangesRequested, t.Blocked, t.Expired, t.Cancelled)
	}
	return []views.Pair{{Label: say.Say("Matches in %d days", approvals.UsageDays), Value: untrusted.Runs(text)}}
}

// changeWords is a change of a list, in words.
func changeWords(say texts.Printer, d scoring.Difference) string {
	name := unknownSetting(say, d.Member)
	switch {
	case d.Old == "":
		return say.Say("%s: added", name)
	case d.New == "":
		return say.Say("%s: removed", name)
	default:
		return say.Say("%s: changed", name)
	}
}

// listSetting names a setting of a list by its member, "" where it is of none.
func listSetting(say texts.Printer, member string) string {
	parts := strings.Split(strings.TrimPrefix(member, "/"), "/")
	for i, p := range parts {
		parts[i] = present.Flat(say, strings.NewReplacer("~1", "/", "~0", "~").Replace(p))
	}
	name := func(i int) string {
		if len(parts) > i+1 {
			parts[i+1] = present.Word(say, entryWords, parts[i+1])
		}
		return strings.Join(parts[i:], ", ")
	}
	switch {
	case len(parts) > 1 && parts[0] == "functions":
		return say.Say("Function %s", name(1))
	case len(parts) > 2 && parts[0] == "rules" && parts[1] == "removed":
		return say.Say("Turn off rule %s", name(2))
	case len(parts) > 2 && parts[0] == "rules" && parts[1] == "replaced":
		return say.Say("Replacement of rule %s", name(2))
	case len(parts) > 2 && parts[0] == "rules" && parts[1] == "custom":
		return say.Say("Custom rule %s", name(2))
	case len(parts) == 2 && parts[0] == "rules" && parts[1] == "extended":
		return say.Say("Extended rules")
	case len(parts) == 2 && parts[0] == "rules" && parts[1] == "assessor":
		return say.Say("Assessor in place of the rules")
	case len(parts) > 2 && parts[0] == "scorers" && parts[1] == "own":
		return say.Say("Custom scorer %s", name(2))
	case len(parts) > 2 && parts[0] == "deciders" && parts[1] == "teams":
		return say.Say("Team %s", parts[2])
	case len(parts) > 2 && parts[0] == "deciders":
		return say.Say("Who decides, rule %s", name(2))
	case member == "/notices/detail_to_people":
		return say.Say("Details in notices to people's own channels")
	case len(parts) > 2 && parts[0] == "notices":
		return say.Say("Details in notices to a channel")
	case len(parts) > 2 && parts[0] == "pattern_overrides" && parts[1] == "disable":
		return say.Say("Turn off pattern %s", name(2))
	case len(parts) > 2 && parts[0] == "pattern_overrides" && parts[1] == "change":
		return say.Say("Pattern %s", name(2))
	case len(parts) > 2 && parts[0] == "pattern_overrides" && parts[1] == "add":
		return say.Say("Custom pattern %s", name(2))
	}
	return ""
}

// entryWords are the members of an entry.
var entryWords = map[string]texts.Key{
	"severity": texts.Key("severity"), "action": texts.Key("action"), "floor": texts.Key("floor"), "docstring": texts.Key("docstring"), "hints": texts.Key("hints"), "expiry_seconds": texts.Key("expiry in seconds"),
	"effect": texts.Key("effect"), "lower_to": texts.Key("lowered to"), "until": texts.Key("ends"), "reason": texts.Key("reason"),
}

// objectWords is a JSON object as "level HIGH; pattern x", members by name; ok is
// false where it is none.
func objectWords(value string) (string, bool) {
	var members map[string]any
	if json.Unmarshal([]byte(value), &members) != nil || members == nil {
		return "", false
	}
	var out []string
	for name, v := range members {
		text, isText := v.(string)
		if !isText {
			b, err := json.Marshal(v)
			if err != nil {
				continue
			}
			text = string(b)
		}
		out = append(out, name+" "+text)
	}
	slices.Sort(out)
	return strings.Join(out, "; "), true
}
