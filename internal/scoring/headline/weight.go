package headline

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
)

// There is one order of what a call says: headlines and rows put the weightiest first, the window into
// a command shows it, and a quiz asks for it. Each value weighs what its name, its shape and the
// effects that were read from it say, whatever the tool.

// Where the order changes its meaning.
const (
	Decisive = 90 // it made the level
	Danger   = 84 // from here on: who gets access, which role, to where data goes, all of them, a control that is turned off
	OfTarget = 80 // what the call acts on
	Place    = 45 // where; what is heavier says what changes, who gets it and how much
	Cheap    = 25 // from here down it tells no act from another: an identifier of something around it, prose
)

// weights are those of a value of a role of which nothing else is known.
var weights = map[Role]int{
	Given: 88, Manner: 76, Recipient: 70, Amount: 66, Target: 62, Count: 60, Where: Place, Value: 40, Flag: 40, Text: 10,
}

const (
	weightEveryone   = 89 // anyone, 0.0.0.0/0
	weightOff        = 87 // a control that is turned off
	weightFar        = 86 // a flag that reaches further; where data goes
	weightOpen       = 78 // a port, a range, an address, what is stopped
	weightProduction = 72
	weightChosen     = 68 // which ones
	weightNew        = 64 // what something is set to
	weightSaid       = 60 // the text, where it is what is done
	weightNumber     = 50 // a limit, a day
	weightShort      = 48 // a text of a few words
	weightSecret     = 39 // that something secret is set, of which the name is said
	weightUnset      = 32 // a flag that isn't set
	weightNamed      = 22 // an identifier
	weightOpaque     = 12 // one of which nobody knows what it is of
	weightShown      = 5  // how the answer is shown
)

// weigh is an argument of these values, with its role and what it weighs. The path is that of its names,
// function are the words of the function's name, and all are the effects of the call.
func weigh(path string, values []*call.Node, function []string, all []effects.Effect) Argument {
	n := values[0]
	role, words, text := roleOf(n), n.Words, strings.ToLower(strings.TrimSpace(n.Text()))
	last := ""
	if len(words) > 0 {
		last = words[len(words)-1]
	}
	first := effects.Effect{}
	if len(all) > 0 {
		first = all[0]
	}
	in := func(words []string, list map[string]bool) bool {
		return slices.ContainsFunc(words, func(w string) bool { return list[w] || list[singular(w)] })
	}
	around := call.Words(path[:max(0, strings.LastIndexByte(path, '.'))])
	number := n.Kind() == canon.KindNumber || isNumber(text) && strings.Count(text, ".") < 2
	switch {
	case role != Amount && number && (last == "value" || last == "amount") && slices.ContainsFunc(around, func(w string) bool { return roles[w] == Amount }):
		role = Amount
	case role == Value && isProse(n):
		role = Text
	case role == Value && isAddress(text):
		role = Recipient
	case role == Given && naming[last] && len(words) > 1 && !in(function, granting) && slices.ContainsFunc(function, func(w string) bool {
		return singular(w) == words[len(stem(words))-1]
	}):
		role = Value // update_policy {policy_id}
	case role == Value && len(around) > 0 && (naming[last] || generic[last] || titles[last]): // patient: {reference: …}
		if of := roles[around[len(around)-1]]; of == Recipient || of == Where {
			role = of
		}
	}
	a := Argument{Name: path, Words: words, Role: role, Values: values}
	own := a.Own() || slices.ContainsFunc(around, func(w string) bool { return ownWords[w] })
	if own && role == Recipient {
		role, a.Role = Value, Value
	}
	set, off := n.Bool() || text == "true", n.Kind() == canon.KindBool && !n.Bool() || text == "false" || n.Kind() == canon.KindNull
	some := func(is func(text string) bool) bool {
		return role != Text && slices.ContainsFunc(values, func(n *call.Node) bool { return is(strings.ToLower(strings.TrimSpace(n.Text()))) })
	}
	a.Weight = weights[role]
	switch {
	case in(around, asides):
		a.Weight = Cheap
		return a
	case shown[last], role == Count && len(words) > 1 && chunks[words[len(words)-2]], n.Kind() == canon.KindString && text == "" && len(values) == 1:
		a.Weight = weightShown
		return a
	case n.Kind() == canon.KindNull, n.Kind() == canon.KindArray && len(n.Nodes) == 0 && first.Kind != effects.Permission:
		a.Weight = Cheap
	case role == Where && outermost[last]:
		a.Weight = Place - 1
	case off:
		a.Weight = weightUnset
	case role == Amount && first.Kind != effects.Money || role == Manner && (last == "method" || last == "mode"):
		a.Weight = weightSaid - 2
	case (role == Text || role == Value) && titles[last] && len(text) <= longestName && (first.Kind == effects.Message || in(function, making)):
		a.Weight = weightSaid + 2
	case role == Count && in(words, people):
		a.Weight = weights[Recipient]
	case role == Given && first.Kind != effects.Permission && !(in(words, ranks) && first.Kind != effects.Message):
		a.Weight = weightNumber
	case role == Text && (first.Kind == effects.Message || publishing[first.Verb]):
		a.Weight = weightSaid
	case role == Text && len(text) <= longest && !remarks[last]:
		a.Weight = weightShort
	case (role == Where || role == Value) && opaque(n.Text()):
		a.Weight = weightOpaque
	case (role == Value || role == Where) && naming[last] && (len(words) > 1 || keys[last]) && len(values) == 1 && machineMade(text):
		a.Weight = weightNamed
	case role == Value && number && !measures[last], isDate(text):
		a.Weight = weightNumber
	}
	raise := func(to int, holds bool) bool {
		if holds {
			a.Weight = max(a.Weight, to)
		}
		return holds
	}
	changes := first.Kind != effects.Read
	raise(weightNew, role != Text && a.Weight > Cheap && changes && !off && (in(words[:min(1, len(words))], newly) || becoming[last] || in(around, changed)))
	raise(weightChosen, role != Text && (in(words, choosing) || changes && text == "all"))
	raise(weightProduction, role == Where && slices.ContainsFunc(call.Words(n.Text()), facts.IsProduction))
	raise(weightOpen, opening[last] && first.Kind == effects.Permission)
	if !changes || len(words) == 0 {
		return a
	}
	raise(weightOpen, role == Value && some(isURL))
	raise(weightOpen, (role == Value || role == Manner) && some(effects.Stops))
	raise(weightNew, off && len(words) == 2 && (words[0] == "dry" || words[0] == "read"))
	switch does := effects.Does(strings.Join(words, "_")); {
	case set && (in(words, far) || does == effects.Delete || does == effects.Permission || does == effects.Money):
		raise(weightFar, true)
	case set && does == effects.Message:
		raise(weightNew, true)
	}
	to, money, access := in(words, towards), first.Kind == effects.Money, first.Kind == effects.Permission
	if raise(weightFar, role != Where && some(isURL) && (to || in(words, hooks) || in(function, hooks)) || to && some(isAddress) && first.Kind != effects.Message) {
		if some(isURL) || in(words, sending) {
			a.does = "Sends data to an address"
		}
	}
	raise(weightFar, access && (becoming[last] || to) && some(isHost)) // where a name leads
	raise(weightFar, !own && (money && (role == Amount || to && !number && role != Flag) || (money || access) && role == Recipient))
	raise(weights[Given], access && (role == Value || role == Manner) && some(func(v string) bool { return in(call.Words(v), far) }))
	if raise(weightOff, (set || off && n.Kind() != canon.KindNull) && effects.Weakens(set, words, around) ||
		role != Where && some(effects.Stops) && effects.Weakens(false, stem(words), around)) {
		a.does = "Switches off a control"
	}
	raise(weightOff, money && role == Amount)
	if access && some(func(v string) bool { return in(call.Words(v), everyoneWord) && len(call.Words(v)) < 3 }) {
		a.does = "Makes it public"
	}
	raise(weightEveryone, (role != Where || last != "schema") && some(func(v string) bool {
		return everyone[v] && (v != "*" || access || role == Given || role == Recipient) || in(call.Words(v), everyoneWord)
	}))
	raise(weightEveryone, len(n.Nodes) == 0 && (n.Kind() == canon.KindObject || n.Kind() == canon.KindArray) && in(words, choosing))
	if raise(weightEveryone, effects.Publishes(words, cmp.Or(text, strconv.FormatBool(n.Bool()))) ||
		some(func(v string) bool { return effects.Publishes(words, v) })) {
		a.does = "Makes it public"
	}
	for i, e := range all {
		if e.Kind != effects.Read && readFrom(e, values) {
			raise(map[bool]int{true: Decisive, false: weightFar}[i == 0], true)
		}
	}
	return a
}

// machineMade reports whether an identifier is none that people read: digits, and no word of five letters.
func machineMade(text string) bool {
	letters := 0
	for _, r := range strings.ToLower(text) {
		if letters++; r < 'a' || r > 'z' {
			letters = 0
		}
		if letters > 4 {
			return false
		}
	}
	return strings.ContainsAny(text, "0123456789")
}

// isDate reports whether a text begins with a date.
func isDate(text string) bool {
	return len(text) >= 10 && len(text) < 36 && text[4] == '-' && text[7] == '-' && strings.Trim(text[:10], "0123456789-") == ""
}

// isURL and isAddress report whether a value is an address by itself: of a page, of a person.
func isURL(text string) bool {
	return strings.HasPrefix(text, "https://") || strings.HasPrefix(text, "http://")
}

// isHost reports whether a value is the name of a machine.
func isHost(text string) bool { return host.MatchString(text) }

var host = regexp.MustCompile(`^(?:[a-z0-9_-]+\.)+[a-z]{2,}\.?$|^\d+\.\d+\.\d+\.\d+$`)

func isAddress(text string) bool {
	at := strings.IndexByte(text, '@')
	return at > 0 && !strings.ContainsAny(text, " \n/:") && strings.Contains(text[at:], ".")
}

// readFrom reports whether an effect was read from one of these values.
func readFrom(e effects.Effect, values []*call.Node) bool {
	return slices.ContainsFunc(e.Evidence, func(e effects.Evidence) bool {
		return slices.ContainsFunc(values, func(n *call.Node) bool { return n.Pointer == e.Pointer })
	})
}

// decides reports whether the effect that decides was read from one of these values.
func decides(all []effects.Effect, values []*call.Node) bool {
	return len(all) > 0 && all[0].Kind != effects.Read && readFrom(all[0], values)
}
