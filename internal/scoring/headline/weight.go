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
	weightDate       = 36
	weightSecret     = 39 // that something secret is set, of which the name is said
	weightUnset      = 32 // a flag that isn't set
	weightNamed      = 22 // an identifier
	weightOpaque     = 12 // one of which nobody knows what it is of
	weightShown      = 5  // how the answer is shown
)

// value is an argument while it is weighed.
type value struct {
	*Argument
	n            *call.Node // the first of its values
	text, last   string     // of that, and the last word of the name, both in lower case
	around       []string   // the words of the names around it
	function     []string
	of           effects.Effect // the one that decides
	number       bool
	set, off     bool // it is a switch, which is on or off
	own, changes bool
}

// rule gives a weight to values of which something holds, and perhaps says what such a value does by itself.
type rule struct {
	weight int
	does   string
	holds  func(v *value) bool
}

// base are the rules of which the first that holds decides, in place of what the role says.
var base = []rule{
	{weight: weightShown, holds: func(v *value) bool {
		return shown[v.last] || v.Role == Count && len(v.Words) > 1 && chunks[v.Words[len(v.Words)-2]] || v.n.Kind() == canon.KindString && v.text == "" && len(v.Values) == 1 ||
			v.set && anyOf(v.Words, confirming) && !effects.Weakens(true, v.Words, v.around)
	}},
	{weight: Cheap, holds: func(v *value) bool {
		return v.last == "version" && (len(v.around) > 0 || isDate(v.text)) || v.n.Kind() == canon.KindNull || v.n.Kind() == canon.KindArray && len(v.n.Nodes) == 0 && v.of.Kind != effects.Permission
	}},
	{weight: Cheap, holds: func(v *value) bool { return v.Role != Flag && anyOf(v.Words, actors) && v.text != "" }},
	{weight: Place - 1, holds: func(v *value) bool { return v.Role == Where && outermost[v.last] }},
	{weight: weightUnset, holds: func(v *value) bool {
		return v.off || v.set && anyOf(v.Words, holding) && !anyOf(v.Words[:1], far) || (v.Role == Value || v.Role == Manner) && kinds[v.last] && len(v.Words) == 1 && v.of.Kind != effects.Money && !sides[v.text] && !records[v.text] && (len(call.Words(v.n.Text())) == 1 || effects.Does(v.n.Text()) == "")
	}},
	{weight: weightSaid - 2, holds: func(v *value) bool {
		return v.Role == Amount && v.of.Kind != effects.Money || v.Role == Manner && (v.last == "method" || v.last == "mode")
	}},
	{weight: weightSaid + 2, holds: func(v *value) bool {
		return (v.Role == Text || v.Role == Value) && titles[v.last] && len(v.text) <= longestName && (v.of.Kind == effects.Message || anyOf(v.function, making))
	}},
	{weight: weights[Recipient], holds: func(v *value) bool { return v.Role == Count && anyOf(v.Words, people) }},
	{weight: weightNumber, holds: func(v *value) bool {
		return v.Role == Given && v.of.Kind != effects.Permission && !(anyOf(v.Words, ranks) && v.of.Kind != effects.Message)
	}},
	{weight: weightSaid, holds: func(v *value) bool { return v.Role == Text && (v.of.Kind == effects.Message || publishing[v.of.Verb]) }},
	{weight: weightShort, holds: func(v *value) bool { return v.Role == Text && len(v.text) <= longest && !remarks[v.last] }},
	{weight: weightOpaque, holds: func(v *value) bool { return (v.Role == Where || v.Role == Value) && opaque(v.n.Text()) }},
	{weight: weightNumber, holds: func(v *value) bool {
		return v.Role == Recipient && opaque(v.n.Text()) && v.of.Kind != effects.Permission && v.of.Kind != effects.Money
	}},
	{weight: weightNamed, holds: func(v *value) bool {
		return (v.Role == Value || v.Role == Where) && naming[v.last] && (len(v.Words) > 1 || keys[v.last]) && len(v.Values) == 1 && machineMade(v.text)
	}},
	{weight: weightDate, holds: func(v *value) bool { return isDate(v.text) }},
	{weight: weightNumber, holds: func(v *value) bool { return v.Role == Value && v.number && !measures[v.last] }},
}

// raising are the rules of which each that holds raises the weight to its own.
var raising = []rule{
	{weight: weightNew, holds: func(v *value) bool {
		return v.Role != Text && v.Weight > Cheap && v.changes && !v.off && (anyOf(v.Words[:min(1, len(v.Words))], newly) || becoming[v.last] || anyOf(v.around, changed))
	}},
	{weight: weightChosen, holds: func(v *value) bool {
		return v.Role != Text && v.n.Kind() != canon.KindNull && (anyOf(v.Words, choosing) || v.changes && v.text == "all")
	}},
	{weight: weightProduction, holds: func(v *value) bool {
		return v.Role == Where && slices.ContainsFunc(call.Words(v.n.Text()), facts.IsProduction)
	}},
	{weight: weightOpen, holds: func(v *value) bool { return opening[v.last] && v.of.Kind == effects.Permission }},
}

// changing are those of calls that change something.
var changing = []rule{
	{weight: weightOpen, holds: func(v *value) bool {
		return v.Role == Value && v.some(isURL) || (v.Role == Value || v.Role == Manner) && (v.some(effects.Stops) || v.some(func(text string) bool { return undone[text] }))
	}},
	{weight: weightOpen, holds: func(v *value) bool { return v.n.Kind() == canon.KindNull && anyOf(v.Words, ends) }}, // it never ends
	{weight: weightFar, holds: func(v *value) bool { // nothing is required any more
		return v.n.Kind() == canon.KindNull && effects.Weakens(false, v.Words, v.around)
	}},
	{weight: weightChosen, holds: func(v *value) bool { return v.set && anyOf(v.Words, bold) }},
	{weight: weightSaid, holds: func(v *value) bool { // what should be true, and isn't
		return v.off && v.n.Kind() == canon.KindBool && (anyOf(v.Words, checked) || len(v.last) > 4 && strings.HasSuffix(v.last, "ed"))
	}},
	{weight: weightNew - 1, holds: func(v *value) bool { // what was only tried is done
		return v.off && v.n.Kind() != canon.KindNull && anyOf(v.Words[:1], trying)
	}},
	{weight: weightFar, holds: func(v *value) bool { // in which direction it goes
		on := v.set || v.off && v.n.Kind() != canon.KindNull || v.text == "0" || v.text == "1"
		return on && deciding[v.last] && len(v.Words) < 3 && !(v.set && anyOf(v.function, making)) && !(v.off && stopped[v.last]) || v.Role != Text && v.some(func(text string) bool { return sides[text] })
	}},
	{weight: weightFar, holds: func(v *value) bool { // what is kept, or held back, no more
		return v.off && v.n.Kind() != canon.KindNull && (anyOf(v.Words, keeps) || anyOf(v.Words, holding))
	}},
	{weight: weightOpen, holds: func(v *value) bool { // what is set by set_rate
		return anyOf(v.function[:max(0, len(v.function)-1)], setting) && len(v.Words) < 4 && slices.Contains(v.Words, singular(v.function[len(v.function)-1])) && v.Role != Text
	}},
	{weight: weightSaid, holds: func(v *value) bool {
		return v.off && v.n.Kind() != canon.KindNull && v.of.Kind == effects.Permission && len(v.Words) > 1 && effects.Does(strings.Join(v.Words, "_")) != effects.Message
	}},
	{weight: weightFar, holds: func(v *value) bool { return v.Role == Text && publishing[v.of.Verb] && !remarks[v.last] }},
	{weight: weightNew + 1, holds: func(v *value) bool { return v.Role == Amount && v.of.Kind != effects.Read }},
	{weight: weightChosen, holds: func(v *value) bool { return (programs[v.last] || executed[v.last]) && codeLine.MatchString(v.n.Text()) }},
	{weight: weightFar, holds: func(v *value) bool { return deciding[v.last] && v.Role == Manner && v.of.Kind == effects.Permission }},
	{weight: weightNew, holds: func(v *value) bool {
		return v.number && v.Role == Value && v.of.Kind == effects.Money && v.Weight > Cheap
	}},
	{weight: weightEveryone, holds: func(v *value) bool { return kinds[v.last] && records[v.text] }}, // all of a domain
	{weight: weightFar, does: "Changes where money goes", holds: func(v *value) bool {
		return v.of.Kind == effects.Write && isIBAN(strings.ReplaceAll(v.n.Text(), " ", ""))
	}},
	{weight: weightNew, holds: func(v *value) bool { // in what the target is
		of := stem(v.Words)
		return containers[of[len(of)-1]] && (v.Role == Where || v.Role == Value) && v.Weight > Cheap && !v.set && !v.off && !outermost[v.last]
	}},
	{weight: weightFar, holds: func(v *value) bool {
		does := effects.Does(strings.Join(v.Words, "_"))
		return v.set && (anyOf(v.Words, far) && !anyOf(v.Words, holding) || does == effects.Delete || does == effects.Permission || does == effects.Money) ||
			v.Role == Value && anyOf(v.Words[len(v.Words)-1:], far) && len(v.Words) < 3 && v.n.Kind() == canon.KindString && !v.off && !no[v.text]
	}},
	{weight: weightNew, holds: func(v *value) bool {
		return v.set && v.of.Kind != effects.Permission && effects.Does(strings.Join(v.Words, "_")) == effects.Message
	}},
	{weight: weightFar, does: "Sends data to an address", holds: func(v *value) bool {
		return (v.some(isURL) || anyOf(v.Words, sending) || anyOf(v.around, sending)) && v.leads()
	}},
	{weight: weightFar, holds: (*value).leads},
	{weight: weightFar, holds: func(v *value) bool { // where a name leads
		return v.of.Kind == effects.Permission && (becoming[v.last] || anyOf(v.Words, towards)) && v.some(isHost)
	}},
	{weight: weightFar, holds: func(v *value) bool { // who gets it
		money, access := v.of.Kind == effects.Money, v.of.Kind == effects.Permission
		to := anyOf(v.Words, towards) || anyOf(v.around, towards) || accounts[v.last] && v.last != "account"
		return !v.own && (money && (v.Role == Amount || to && !v.number && v.Role != Flag && v.Weight > Cheap) || (money || access) && v.Role == Recipient)
	}},
	{weight: weightFar, does: "Makes it public", holds: func(v *value) bool { return anyOf(v.Words, towards) && v.some(isServed) }},
	{weight: weightFar, holds: func(v *value) bool {
		return v.Role != Text && v.some(isServed) && !v.own || v.set && risky[strings.ToLower(v.n.Name)] || strings.Contains(v.Name, "hostPath.")
	}},
	{weight: weights[Given], holds: func(v *value) bool {
		return v.of.Kind == effects.Permission && (v.Role == Value || v.Role == Manner) && v.some(func(text string) bool {
			return anyOf(call.Words(text), far) || v.Role == Manner && strings.HasSuffix(text, "*")
		})
	}},
	{weight: weightOff, does: "Switches off a control", holds: func(v *value) bool {
		return (v.set || v.off && v.n.Kind() != canon.KindNull || v.text == "0") && effects.Weakens(v.set, v.Words, v.around) ||
			v.Role != Where && v.some(effects.Stops) && effects.Weakens(false, stem(v.Words), v.around)
	}},
	{weight: weightOff, does: "Switches off a control", holds: func(v *value) bool { // nobody is asked
		return (v.of.Kind == effects.Permission && v.n.Kind() == canon.KindArray && len(v.n.Nodes) == 0 || v.Role == Count && v.n.Number() == "0") && anyOf(v.Words, asked)
	}},
	{weight: weightOff, holds: func(v *value) bool { return v.of.Kind == effects.Money && v.Role == Amount }},
	{weight: weightOpen, holds: func(v *value) bool { return v.of.Kind == effects.Money && v.number && anyOf(v.Words, parts) }},
	{does: "Makes it public", holds: func(v *value) bool {
		return v.of.Kind == effects.Permission && v.some(func(text string) bool {
			return anyOf(call.Words(text), everyoneWord) && len(call.Words(text)) < 3 || everyone[text] && strings.Contains(text, "/0")
		})
	}},
	{weight: weightEveryone, holds: func(v *value) bool {
		return (v.Role != Where || v.last != "schema") && v.some(func(text string) bool {
			return everyone[text] && (text != "*" || v.of.Kind == effects.Permission || v.Role == Given || v.Role == Recipient) || anyOf(call.Words(text), everyoneWord)
		})
	}},
	{weight: weightEveryone, holds: func(v *value) bool {
		return len(v.n.Nodes) == 0 && (v.n.Kind() == canon.KindObject || v.n.Kind() == canon.KindArray) && anyOf(v.Words, choosing)
	}},
	{weight: weightEveryone, does: "Makes it public", holds: func(v *value) bool {
		return !anyOf(v.Words, holding) && effects.Publishes(v.Words, cmp.Or(v.text, strconv.FormatBool(v.n.Bool()))) || v.some(func(text string) bool { return effects.Publishes(v.Words, text) })
	}},
}

// leads reports whether a value says where data goes from now on.
func (v *value) leads() bool {
	to := anyOf(v.Words, towards) || anyOf(v.around, towards)
	return v.Role != Where && v.some(isURL) && (to || anyOf(v.Words, hooks) || anyOf(v.function, hooks)) || to && v.some(isAddress) && v.of.Kind != effects.Message
}

// some reports whether something holds of one of the values, in lower case; of prose it never does.
func (v *value) some(is func(text string) bool) bool {
	return v.Role != Text && slices.ContainsFunc(v.Values, func(n *call.Node) bool { return is(strings.ToLower(strings.TrimSpace(n.Text()))) })
}

// anyOf reports whether a list has one of some words, or its singular.
func anyOf(words []string, list map[string]bool) bool {
	return slices.ContainsFunc(words, func(w string) bool { return list[w] || list[singular(w)] })
}

// weigh is an argument of these values, with its role and what it weighs. The path is that of its names,
// function are the words of the function's name, and all are the effects of the call.
func weigh(path string, values []*call.Node, function []string, all []effects.Effect) Argument {
	n := values[0]
	a := Argument{Name: path, Words: n.Words, Role: roleOf(n), Values: values}
	v := &value{Argument: &a, n: n, text: strings.ToLower(strings.TrimSpace(n.Text())), function: function, around: call.Words(path[:max(0, strings.LastIndexByte(path, '.'))])}
	if len(a.Words) > 0 {
		v.last = a.Words[len(a.Words)-1]
	}
	if len(all) > 0 {
		v.of = all[0]
	}
	v.number = n.Kind() == canon.KindNumber || isNumber(v.text) && strings.Count(v.text, ".") < 2
	v.changes = v.of.Kind != effects.Read
	v.set, v.off = n.Bool() || v.text == "true", n.Kind() == canon.KindBool && !n.Bool() || v.text == "false" || n.Kind() == canon.KindNull
	if n.Kind() == canon.KindNumber {
		v.text = n.Digits()
	}
	v.set = v.set || v.text == "1" && len(a.Words) > 0 && effects.Weakens(true, a.Words, v.around)
	a.Role = v.role()
	if v.own = a.Own(); v.own && a.Role == Recipient {
		a.Role = Value
	}
	a.Weight = weights[a.Role]
	if a.Role == Given && slices.ContainsFunc(values, func(n *call.Node) bool { return anyOf(call.Words(n.Text()), mild) }) {
		a.Weight = OfTarget + 2
	}
	if anyOf(v.around, asides) {
		a.Weight = Cheap
		return a
	}
	for _, r := range base {
		if r.holds(v) {
			if a.Weight = r.weight; r.weight == weightShown {
				return a
			}
			break
		}
	}
	apply := func(rules []rule) {
		for _, r := range rules {
			if r.holds(v) {
				a.Weight, a.does = max(a.Weight, r.weight), cmp.Or(r.does, a.does)
			}
		}
	}
	if apply(raising); v.changes && len(a.Words) > 0 {
		apply(changing)
		for i, e := range all {
			if e.Kind != effects.Read && readFrom(e, values) {
				a.Weight = max(a.Weight, map[bool]int{true: Decisive, false: weightFar}[i == 0])
			}
		}
	}
	return a
}

// role is that of a value by its name, by what it is, and by what it stands in.
func (v *value) role() Role {
	switch role := v.Role; {
	case role == Recipient && v.number && len(v.text) < 7: // of the signers the first
		return Value
	case role == Manner && naming[v.last] && len(v.Words) > 1: // event_id
		return Value
	case role != Amount && v.number && (v.last == "value" || v.last == "amount") && slices.ContainsFunc(v.around, func(w string) bool { return roles[w] == Amount }):
		return Amount
	case role == Value && isProse(v.n):
		return Text
	case role == Value && isAddress(v.text):
		return Recipient
	case role == Given && naming[v.last] && len(v.Words) > 1 && !anyOf(v.function, granting) && slices.ContainsFunc(v.function, func(w string) bool {
		return singular(w) == v.Words[len(stem(v.Words))-1]
	}):
		return Value // update_policy {policy_id}
	case (v.n.Name == ".tag" || v.last == "value") && len(v.around) > 0 && roles[stem(v.around)[len(stem(v.around))-1]] == Given: // access_level: {.tag: editor}
		return Given
	case role == Value && len(v.around) > 0 && (naming[v.last] || generic[v.last] || titles[v.last] || strings.HasPrefix(v.text, "arn:")): // patient: {reference: …}
		if of := roles[v.around[len(v.around)-1]]; of == Recipient || of == Where {
			return of
		}
	}
	return v.Role
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

// isServed reports whether a value is a path from which a web server reads.
func isServed(text string) bool {
	return strings.Contains(text, "/") && !strings.Contains(text, "://") && slices.ContainsFunc(strings.Split(text, "/"), func(of string) bool { return served[of] })
}

// isURL and isAddress report whether a value is an address by itself: of another machine, of a person.
func isURL(text string) bool { return webAddress.MatchString(text) && !loopback.MatchString(text) }

var (
	webAddress = regexp.MustCompile(`^https?://`)
	loopback   = regexp.MustCompile(`^https?://(localhost|127\.\d+\.\d+\.\d+|\[::1\])([:/]|$)`)
)

// isIBAN reports whether a value is written as the number of a bank account is.
func isIBAN(text string) bool { return iban.MatchString(text) }

var iban = regexp.MustCompile(`^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$`)

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
