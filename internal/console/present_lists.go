package console

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/views"
)

// What the pages of rules, patterns and functions have in common.

// entryID is the id of an entry on its page. A glob may hold anything, so what is no
// letter, digit, hyphen or underscore is written as its number.
func entryID(kind, name string) string {
	var b strings.Builder
	b.WriteString(kind + "-")
	for _, r := range name {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, ".%x", r)
		}
	}
	return b.String()
}

// lines is a text line by line.
func lines(s string) [][]views.Run {
	var out [][]views.Run
	for _, l := range strings.Split(s, "\n") {
		out = append(out, runs(l))
	}
	return out
}

// useOf is how often something took part, in a few words.
func useOf(t approvals.Tally) string {
	if t.Ended() == 0 {
		return "no hits"
	}
	use := plural(int(t.Ended()), "hit")
	if share, _, _, ok := t.ApprovedShare(); ok {
		use += ", " + percent(share) + " approved"
	}
	return use
}

// useFields tell the same at length.
func useFields(t approvals.Tally) []views.Pair {
	text := "none"
	if t.Ended() > 0 {
		text = fmt.Sprintf("%d, of which %d let through, %d approved, %d denied, %d sent back, %d blocked", t.Ended(), t.Allowed, t.Approved, t.Denied, t.ChangesRequested, t.Blocked)
	}
	return []views.Pair{{Label: fmt.Sprintf("Hits in %d days", approvals.UsageDays), Value: runs(text)}}
}

// changeWords is a change of a list, in words.
func changeWords(d scoring.Difference) string {
	return unknownSetting(d.Member) + ": " + map[bool]string{true: "added", false: map[bool]string{true: "taken away", false: "changed"}[d.New == ""]}[d.Old == ""]
}

// listSetting names a setting of a list by its member, "" where it is of none.
func listSetting(member string) string {
	parts := strings.Split(strings.TrimPrefix(member, "/"), "/")
	for i, p := range parts {
		parts[i] = flat(strings.NewReplacer("~1", "/", "~0", "~").Replace(p))
	}
	name := func(i int) string { return strings.Join(parts[i:], ", ") }
	switch {
	case len(parts) > 1 && parts[0] == "functions":
		return "Function " + name(1)
	case len(parts) > 2 && parts[0] == "rules" && parts[1] == "removed":
		return "Switch-off of rule " + name(2)
	case len(parts) > 2 && parts[0] == "rules" && parts[1] == "replaced":
		return "Replacement of rule " + name(2)
	case len(parts) > 2 && parts[0] == "rules" && parts[1] == "custom":
		return "Own rule " + name(2)
	case len(parts) == 2 && parts[0] == "rules" && parts[1] == "extended":
		return "Extended rules"
	case len(parts) == 2 && parts[0] == "rules" && parts[1] == "assessor":
		return "Assessor in place of the rules"
	case len(parts) > 2 && parts[0] == "pattern_overrides" && parts[1] == "disable":
		return "Switch-off of pattern " + name(2)
	case len(parts) > 2 && parts[0] == "pattern_overrides" && parts[1] == "change":
		return "Pattern " + name(2)
	case len(parts) > 2 && parts[0] == "pattern_overrides" && parts[1] == "add":
		return "Own pattern " + name(2)
	}
	return ""
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
