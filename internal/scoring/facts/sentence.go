package facts

import (
	"slices"
	"strings"
	"unicode"

	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/effects"
)

// maxShown is how many characters of a value a sentence shows; a longer one is
// cut in its middle. The fact has all of it.
const maxShown = 80

// noFunction is the sentence of the two lifecycle points at which no function is
// called.
const noFunction = "Pass content on to the agent"

// Sentence says in one line what an action does (judgement.md section 4): effect, object,
// target, how much, what tells it from others, and where: "Delete user usr_123 in
// production", "Update users where id = 7: role → admin". all are the effects, the worst
// first; without any nothing is called. It is one line whatever the values hold: a control
// character or line separator in it is shown as its picture (U+2400 and following). What
// the agent wrote stands there as a value, quoted where it is more than one word. Other
// characters that deceive the eye stay; the page marks them.
func Sentence(in *call.Call, facts []Fact, all []effects.Effect) string {
	if len(all) == 0 {
		return noFunction
	}
	return deedOf(in, facts, all).sentence(in, facts)
}

// Brief is the sentence without what only distinguishes the act from others: "Create role
// assignment". A list shows it of a request whose quiz asks for the rest.
func Brief(in *call.Call, facts []Fact, all []effects.Effect) string {
	if len(all) == 0 {
		return noFunction
	}
	d := deedOf(in, facts, all)
	d.brief, d.grant = true, ""
	if !d.named && d.verb != "Invite" {
		d.within = nil
	}
	return d.sentence(in, facts)
}

func (d deed) sentence(in *call.Call, facts []Fact) string {
	said := d.verb + d.what(facts) + d.more(in, facts)
	method, address, isRequest := d.request(in)
	if isRequest {
		said = method + " " + quoted(address)
	}
	if d.grant != "" {
		said = d.grant
	}
	where := ""
	if env := environment(facts); env != "" && (!d.specific || env != d.target.Value) {
		where = " in " + environmentNamed(env)
	}
	tail := ""
	if !isRequest {
		tail = d.tail(d.details(in, facts, said+where))
	}
	if said == d.verb && !d.text && tail == "" && len(call.Words(in.Function)) > 1 { // judged by something that has no name in the call
		said = "Run " + functionNamed(in.Function)
	}
	return said + where + tail
}

// jointTo is what stands between verb and object, and the value.
func (d deed) jointTo(object string, f Fact) string {
	words := strings.Fields(object)
	label := shown(f.Label)
	switch {
	case f.Kind == Recipient && d.effect.Kind == effects.Read:
		return " for " + cased(label) + " "
	case f.Kind == Recipient && slices.Contains([]string{"channel", "room", "group", "chat"}, label) && slices.Contains(words, label):
		return " " // notify channel #releases
	case f.Kind == Recipient && (d.verb == "Revoke" || d.verb == "Remove"):
		return " from "
	case f.Kind == Recipient:
		return " to "
	case slices.Contains(words, label), len(words) > 0 && singularOf(words[len(words)-1]) == label:
		return " "
	case object == "":
		if label == "target" || f.Kind == Path {
			return " "
		}
		return " " + cased(label) + " "
	case f.Kind == Table && object == "data":
		return " from "
	case f.Kind == Table || f.Kind == Host || f.Kind == Branch:
		return " on "
	case f.Kind == Path, label == "target", f.Label == object:
		return " "
	}
	if label == "page" {
		return " on " + label + " "
	}
	if isContainer(label) && label != "group" && label != "account" {
		return " in " + cased(label) + " "
	}
	// The value is no name of the object: "Reset password for user usr_1".
	return " for " + cased(label) + " "
}

// flagged reports whether a flag of this label is set.
func flagged(facts []Fact, label string) bool {
	return slices.ContainsFunc(facts, func(f Fact) bool { return f.Kind == Flag && f.Label == label && f.Value == "true" })
}

// payment is the first amount that has a currency.
func payment(facts []Fact) string {
	stated := ""
	weight := 1 << 10
	for _, f := range facts { // of several the one that stands furthest out, by the shortest name
		w := 8*strings.Count(f.Pointer, "/") + len(call.Words(lastName(f.Pointer)))
		if f.Label != "amount" {
			w += 4
		}
		if f.Kind == Amount && f.Source == FromKey && f.Label != "quantity" && f.Label != "limit" && w < weight {
			stated, weight = f.Pointer, w
		}
	}
	for _, f := range facts {
		if stated != "" && f.Pointer != stated {
			continue // a sum in prose, or of something else
		}
		if f.Kind == Amount && isSum(f.Value) && strings.ContainsFunc(f.Value, func(r rune) bool { return unicode.IsLetter(r) || unicode.Is(unicode.Sc, r) }) {
			if sum, currency, ok := strings.Cut(f.Value, " "); ok && isOneWord(sum) && isOneWord(currency) {
				if len(currency) == 3 {
					currency = strings.ToUpper(currency)
				}
				return shown(sum + " " + currency)
			}
			return quoted(f.Value)
		}
	}
	return ""
}

// payee is what stands between the sum and who or what it is about.
func payee(f Fact) string {
	if f.Kind == Recipient {
		return " to "
	}
	if at := call.Words(f.Pointer[strings.LastIndexByte(f.Pointer, '/')+1:]); len(at) > 0 && receiving[at[0]] && f.Label != "target" {
		return " to " + cased(shown(f.Label)) + " "
	}
	if f.Label == "target" {
		return " for "
	}
	if receiving[f.Label] {
		return " to "
	}
	return " for " + cased(shown(f.Label)) + " "
}

// environment is the one that the sentence names: production if any fact says
// so, and otherwise the first.
func environment(facts []Fact) string {
	first := ""
	for _, f := range facts {
		if f.Kind != Environment || strings.Contains(f.Value, "=") { // STRIPE=… is a variable
			continue
		}
		if IsProduction(f.Value) {
			return f.Value
		}
		if first == "" {
			first = f.Value
		}
	}
	return first
}

// IsProduction reports whether the name of an environment means production:
// production or live, or prod between other words.
func IsProduction(environment string) bool {
	return slices.ContainsFunc(call.Words(environment), func(w string) bool {
		return w == "prod" || w == "production" || w == "live" || w == "prd"
	})
}

// Hidden is the sentence while a quiz is answered: verb and kind, no value.
func Hidden(in *call.Call, facts []Fact, all []effects.Effect) string {
	if len(all) == 0 {
		return noFunction
	}
	d := deedOf(in, facts, all)
	method, _, isRequest := d.request(in)
	switch {
	case isRequest:
		return "Send a " + method + " request"
	case d.verb == "Run":
		return d.verb + " " + d.noun()
	case d.ofRows():
		return d.verb + " rows of a table"
	case d.object != "":
		return d.verb + " " + withArticle(d.noun())
	case d.specific:
		return d.verb + " " + withArticle(cased(shown(d.target.Label)))
	}
	return d.verb + " something"
}

// withArticle puts a or an before a noun that takes one.
func withArticle(noun string) string {
	first, _, _ := strings.Cut(noun, " ")
	switch first {
	case "to", "in", "on", "from", "for", "and", "by", "with", "all", "every", "the", "a", "an":
		return noun
	}
	last := noun[strings.LastIndexByte(noun, ' ')+1:]
	switch last {
	case "code", "sql", "data", "access", "traffic", "money", "infrastructure", "content", "text", "python", "software", "trash", "storage":
		return noun
	}
	if strings.HasSuffix(last, "s") && !strings.HasSuffix(last, "ss") && !strings.HasSuffix(last, "us") {
		return noun
	}
	vowels := "aeio"
	if capitals[strings.ToLower(first)] && first == strings.ToUpper(first) {
		vowels = "AEFHILMNORSX" // an SMS
	}
	if strings.ContainsRune(vowels, rune(noun[0])) {
		return "an " + noun
	}
	return "a " + noun
}

// Shown is a value as every sentence shows it: on one line, and of a value longer
// than 80 characters the beginning and the end.
func Shown(value string) string { return shown(value) }

func shown(value string) string { return legible(shorten(value, maxShown)) }

// legible replaces what would break the line by its picture.
func legible(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r < 0x20:
			return 0x2400 + r
		case r == 0x7f:
			return 0x2421
		case unicode.IsControl(r), r == 0x2028, r == 0x2029:
			return 0x2424
		}
		return r
	}, s)
}
