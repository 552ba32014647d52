package approvals

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/headline"
)

// What is asked of the arguments of a call.

// values are the values of the call that can be asked for. Of two with one name nobody could say
// which is meant.
func (a Approval) values() []subject {
	action, err := a.Parsed()
	if err != nil {
		return nil
	}
	h := action.Headline(a.Assessment)
	said, whole := merged(action.Said(a.Assessment)), writtenIn(h.Parts)
	target, _ := action.Target(a.Assessment)
	all := a.ofFiles(action.Files())
	for _, arg := range said {
		if s, ok := a.ofArgument(arg, h, target); ok && s.value != whole {
			all = append(all, s)
		}
		if n := len(arg.Values); n > 3 && !strings.Contains(whole, valueOf(arg, 0)) {
			all = append(all, numberOf(arg, n))
		}
	}
	all = append(append(all, flagged(said)...), a.ofTexts(action, said, h)...)
	var kept []subject
	for i, s := range all {
		if s.of == "" {
			s.of = s.about
		}
		if s.set == nil {
			s.set = setOf(s.value, s.name)
		}
		twice := slices.ContainsFunc(all, func(o subject) bool { return o.about == s.about && o.value != s.value }) ||
			slices.ContainsFunc(all[:i], func(o subject) bool { return o.value == s.value })
		if !twice && s.fits() {
			kept = append(kept, s)
		}
	}
	return kept
}

// merged are the arguments with what a list of objects has under one name as one: records.0.id and
// records.1.id are records.id.
func merged(said []headline.Argument) (all []headline.Argument) {
	for _, arg := range said {
		arg.Name = index.ReplaceAllString(arg.Name, "")
		at := slices.IndexFunc(all, func(o headline.Argument) bool { return o.Name == arg.Name && !o.Secret && o.Role == arg.Role })
		if at < 0 {
			all = append(all, arg)
			continue
		}
		all[at].Values, all[at].Weight = append(slices.Clone(all[at].Values), arg.Values...), max(all[at].Weight, arg.Weight)
	}
	return all
}

var index = regexp.MustCompile(`\.\d+\b`)

// ofArgument asks for a value of an argument: of several for one that makes the level, else the last.
func (a Approval) ofArgument(arg headline.Argument, h headline.Headline, target string) (subject, bool) {
	at := len(arg.Values) - 1
	for i, n := range arg.Values {
		if a.decides(n.Pointer, 0, 1<<30) {
			at = i
		}
	}
	s := subject{kind: string(arg.Role), about: strings.Join(arg.Words, " "), value: valueOf(arg, at), ofCall: true, name: arg.Words}
	for i := range arg.Values {
		if i != at {
			s.not = append(s.not, valueOf(arg, i))
		}
	}
	s.set, s.worth = setOf(s.value, s.name), worthOf(arg, target)
	if s.set != nil && s.set.Given {
		s.worth = worthDanger
	}
	switch names := len(arg.Words) > 1 && strings.HasPrefix(arg.Words[len(arg.Words)-1], "id"); {
	case s.value != target && a.Effect() == effects.Permission && leads.MatchString(s.value):
		arg.Role, s.kind, s.worth = headline.Target, string(headline.Target), max(s.worth, worthTarget+5)
	case names && arg.Role == headline.Text:
		arg.Role, s.kind = headline.Value, string(headline.Value)
	}
	for _, p := range h.Parts { // in its unit, and not in minor ones
		if said, _, _ := strings.Cut(p.Text, " ("); arg.Role == headline.Amount && p.Role == headline.Amount && strings.Contains(onlyDigits(p.Text), onlyDigits(s.value)) {
			s.value = said
			break
		}
	}
	if arg.Secret || arg.Role == headline.Text || arg.Role == headline.Flag || arg.Weight < 10 || arg.Own() || s.set == nil && !s.free(arg) ||
		strings.Contains(s.value, " ") && arg.Role == headline.Value && s.set == nil {
		return s, false // prose in a few words, one of a few that the tool knows
	}
	s.prompt, s.natural = a.prompts(arg)
	if slices.ContainsFunc(arg.Words, func(w string) bool { return slices.Contains(lists.Owners, w) }) {
		s.words = lists.Companies
	}
	if len(arg.Words) == 1 && !slices.Contains(lists.Persons, arg.Words[0]) { // a name, an id, a path: of this function
		s.of = a.Function + " " + s.about
	}
	return s, true
}

func onlyDigits(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool { return !unicode.IsDigit(r) }), "")
}

// leads is where a name or a message is sent on: a host, an address of somebody.
var leads = regexp.MustCompile(`^(?:[^\s@/]+@)?[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}$`)

// numberOf asks how many values a list has.
func numberOf(arg headline.Argument, n int) subject {
	s := subject{kind: string(headline.Count), about: "number of " + arg.Name, prompt: "How many values has “" + arg.Name + "”?", value: strconv.Itoa(n), worth: worthTarget, ofCall: true}
	s.make = func(_ around, options int, random *rand.Rand) []string {
		var near []string
		for k := max(2, n-4); k < n+6; k++ {
			near = append(near, strconv.Itoa(k))
		}
		return fromSet(s.value, near, nil, options, random)
	}
	return s
}

func valueOf(arg headline.Argument, i int) string {
	n := arg.Values[i]
	return strings.TrimSpace(n.Text() + n.Digits())
}

func worthOf(arg headline.Argument, target string) int {
	switch {
	case arg.Weight >= headline.Decisive-1 || arg.Role == headline.Given || arg.Role == headline.Amount:
		return worthDanger
	case valueOf(arg, 0) == target:
		return worthTarget
	case arg.Role == headline.Recipient:
		return worthTarget + 5
	case arg.Role == headline.Where:
		return worthWhere
	case arg.Role == headline.Manner || arg.Role == headline.Count:
		return worthWhere + 5
	}
	return worthValue
}

// fits reports whether a value can be asked for: short, on one line, and nothing that is masked.
func (s subject) fits() bool {
	n := utf8.RuneCountInString(s.value)
	if n > 3 && strings.Contains(strings.ToLower(s.prompt), strings.ToLower(s.value)) {
		return false
	}
	return n > 0 && n <= maxAsked && (len(strings.Fields(s.value)) <= maxWords || s.kind == lineKind) && utf8.ValidString(s.value) && s.about != "" && len(s.about) < 60 &&
		!strings.Contains(s.value, "[REDACTED:") && !strings.ContainsFunc(s.value+s.about, func(r rune) bool { return !unicode.IsPrint(r) })
}

// free reports whether a value is one that nobody could list: not one of the few words that a tool
// knows, and nothing that says how a call is made.
func (s subject) free(arg headline.Argument) bool {
	last := arg.Words[max(0, len(arg.Words)-1):]
	if slices.ContainsFunc(arg.Words, func(w string) bool { return slices.Contains(lists.Unasked, w) }) || strings.HasPrefix(strings.ToLower(arg.Name), "header") ||
		slices.Contains(lists.Common, s.value) {
		return false
	}
	switch digits := strings.ContainsAny(s.value, "0123456789"); {
	case len(last) == 0 || arg.Role == headline.Manner && !digits:
		return false
	case digits || strings.ContainsAny(s.value, "._-@:/#"):
		return true
	}
	return slices.Contains(lists.Named, last[0])
}

// prompts ask for an argument, by its name.
func (a Approval) prompts(arg headline.Argument) (plain, natural string) {
	label := labelOf(arg)
	plain = "What is “" + arg.Name + "”?"
	switch done := lists.Participles[a.verb()]; {
	case len(arg.Values) > 1:
		plain = "Which of these stands in “" + arg.Name + "”?"
	case arg.Role == headline.Given:
		plain, natural = "Which "+label+"?", "Which "+label+" is given?"
	case arg.Role == headline.Recipient && a.Effect() == effects.Permission:
		natural = "Who is it about (" + label + ")?"
	case arg.Role == headline.Recipient && a.Effect() == effects.Message:
		natural = "Who receives it (" + label + ")?"
	case arg.Role == headline.Amount && done != "" && a.Effect() == effects.Money:
		natural = "How much is " + done + "?"
	case arg.Role == headline.Where:
		plain = "Which " + label + "?"
	case arg.Role == headline.Count && strings.HasSuffix(label, "s"):
		plain = "How many " + label + "?"
	}
	return plain, natural
}

// labelOf names an argument in a question: in words where they are English ones, else as it is
// written, between quotes.
func labelOf(arg headline.Argument) string {
	words := arg.Words
	for i, w := range words {
		if full := lists.Spelled[w]; full != "" {
			words = slices.Clone(words)
			words[i] = full
		}
	}
	label := strings.Join(words, " ")
	if last := words[max(0, len(words)-1):]; len(words) > 0 && len(words) < 4 && effects.PlainWords(label) && !slices.Contains(lists.Prepositions, last[0]) {
		return strings.ReplaceAll(label, " id", " ID")
	}
	return "“" + arg.Name + "”"
}

// flagged asks which flag is set, by which a call reaches further or less far: what makes the level
// first. What only says that somebody agreed is none.
func flagged(all []headline.Argument) (asked []subject) {
	var names []string
	for _, arg := range all {
		if arg.Role == headline.Flag {
			names = append(names, lastName(arg))
		}
	}
	for _, arg := range all {
		of, far := family(arg.Words), arg.Weight > 80 && arg.Values[0].Bool()
		if of == nil && (far || arg.Weight >= headline.Decisive) {
			of = lists.Flags[0]
		}
		if arg.Role != headline.Flag || of == nil || len(arg.Values) > 1 {
			continue
		}
		s := subject{kind: string(headline.Flag), about: "flags", prompt: "Which of these is set to true?", value: lastName(arg), worth: worthWhere + 2, ofCall: true, not: names}
		on := arg.Values[0].Bool()
		if !on {
			s.prompt = "Which of these is set to false?"
		}
		if arg.Weight >= headline.Decisive {
			s.worth = worthDanger
		} else if far {
			s.worth = worthDanger - 1
		} else if !on && arg.Words[0] != "keep" {
			continue
		}
		others := named(of, append([]string{s.value}, names...))
		s.make = func(_ around, n int, random *rand.Rand) []string { return fromSet(s.value, others, s.not, n, random) }
		if len(asked) == 0 || s.worth > asked[0].worth {
			asked = []subject{s}
		}
	}
	return asked
}

func lastName(arg headline.Argument) string { return arg.Name[strings.LastIndexByte(arg.Name, '.')+1:] }
