package quiz

import (
	"cmp"
	"math/rand/v2"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/headline"
)

// What is asked of the arguments of a call.

// values are the values of the call that can be asked for. Of two with one name nobody could say
// which is meant.
func (c Call) values() []subject {
	h := c.headline()
	said, whole := merged(c.Action.Said(c.Assessment)), writtenIn(h.Parts)
	all := c.ofFiles(c.Action.Files(), h.Parts)
	for _, arg := range said {
		if s, ok := c.ofArgument(arg, first(arg, h.Parts)); ok && s.value != whole {
			s.beside = beside(arg, s.value, said)
			all = append(all, s)
		}
		if at := sum.FindAllString(arg.Text(0), -1); arg.Role == headline.Text && !arg.Secret && len(at) == 1 && (c.effect().Kind == effects.Money || c.effect().Kind == effects.Message) {
			all = append(all, subject{kind: string(headline.Amount), about: "amount said in " + arg.Name, prompt: "Which amount does the text name?", value: at[0], worth: headline.Danger, ofCall: true})
		}
		if n := len(arg.Values); n > 3 && arg.Weight >= headline.Place && flat(arg.Values) && !strings.Contains(whole, valueOf(arg, 0)) {
			all = append(all, numberOf(arg, n))
		}
	}
	all = append(all, c.ofTexts(said, h)...)
	var kept []subject
	text := c.shown()
	shown := text + strings.ToLower(h.Text)
	for i, s := range all {
		if s.of == "" {
			s.of = s.about
		}
		if s.set == nil {
			s.set = setOf(s.value, s.name)
		}
		twice := slices.ContainsFunc(all, func(o subject) bool { return o.about == s.about && o.value != s.value }) ||
			slices.ContainsFunc(all[:i], func(o subject) bool { return o.value == s.value })
		if slices.ContainsFunc(all, func(o subject) bool {
			return s.label != "" && o.about != s.about && (o.prompt == s.prompt || o.natural != "" && o.natural == s.natural)
		}) {
			names := strings.Split(s.about, ".")
			s.prompt, s.natural = "What is “"+strings.Join(names[max(0, len(names)-2):], ".")+"” set to?", "" // start.date, end.date
		}
		ran := strings.HasSuffix(s.about, " of what runs") || s.about == s.prompt
		if ran && (!strings.Contains(shown, strings.ToLower(strings.Trim(strconv.Quote(s.value), `"`))) || c.elsewhere(s.value)) {
			continue // no words of the call, or the call has others too that it may be about
		}
		if at := saying(h.Parts, s.value); at < len(h.Parts) && s.worth > worthIdentifier {
			s.worth = max(s.worth, h.Parts[at].Weight)
		}
		if s.shown = text; s.set != nil {
			for _, o := range s.set.Of {
				if o != s.value && (says(text, o) || slices.ContainsFunc(environment(o), func(v string) bool { return says(text, v) })) {
					s.not = append(s.not, o)
				}
			}
		}
		if !twice && s.fits() {
			kept = append(kept, s)
		}
	}
	return slices.Concat(kept, c.flagged(said, kept), emptied(said), c.together(said, h.Parts))
}

// beside are the values of other arguments of the call of the same kind: of from_tank that of to_tank.
func beside(arg headline.Argument, value string, said []headline.Argument) (all []string) {
	directions := []string{"from", "to"}
	for _, o := range said {
		like := o.Role != headline.Text && slices.ContainsFunc(arg.Words, func(w string) bool { return slices.Contains(o.Words, w) && !slices.Contains(lists.Naming, w) }) ||
			len(arg.Words) == 1 && len(o.Words) == 1 && slices.Contains(directions, arg.Words[0]) && slices.Contains(directions, o.Words[0])
		if v := valueOf(o, 0); o.Name != arg.Name && like && !o.Secret && len(o.Values) == 1 && len(arg.Values) == 1 && look(v) == look(value) && v != value && !number.MatchString(v) && len(v) < 2*len(value) {
			all = append(all, v)
		}
	}
	return all
}

// environment are the words for the same environment as v.
func environment(v string) []string {
	for _, same := range lists.Environments {
		if slices.Contains(same, strings.ToLower(v)) {
			return same
		}
	}
	return nil
}

// elsewhere reports whether v is an environment and the call names another one, too.
func (c Call) elsewhere(v string) bool {
	own := environment(v)
	return own != nil && slices.ContainsFunc(slices.Concat(lists.Environments...), func(w string) bool {
		return !slices.Contains(own, w) && says(c.shown(), w)
	})
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

// first is the value of several that the headline says first. Of a list in which all are alike it is the last: people
// read the beginning.
func first(arg headline.Argument, parts []headline.Part) int {
	if len(arg.Values) > 1 && flat(arg.Values) && arg.Alike() {
		return len(arg.Values) - 1
	}
	at, best := 0, len(parts)
	for i := range arg.Values {
		if k := saying(parts, arg.Text(i)); k < best {
			at, best = i, k
		}
	}
	return at
}

// saying is the part of a headline that is this value, and else their number.
func saying(parts []headline.Part, text string) int {
	at := slices.IndexFunc(parts, func(p headline.Part) bool {
		return p.By == headline.Theirs && p.Role != headline.Name && p.Role != headline.Function && p.Text == text
	})
	if at < 0 {
		return len(parts)
	}
	return at
}

// ofArgument asks for a value of an argument, of several for one.
func (c Call) ofArgument(arg headline.Argument, at int) (subject, bool) {
	if len(arg.Words) == 0 {
		return subject{}, false
	}
	s := subject{kind: string(arg.Role), about: arg.Name, of: strings.Join(arg.Words, " "), value: valueOf(arg, at), worth: arg.Weight, ofCall: true, name: arg.Words}
	for i := range arg.Values {
		if i != at {
			s.not = append(s.not, valueOf(arg, i))
		}
	}
	s.set = setOf(s.value, s.name)
	if v := strings.ToLower(s.value); s.set == nil && (arg.Role == headline.Manner || arg.Weight >= headline.Danger) { // then: purge
		if like := slices.IndexFunc(lists.Verbs, func(o verbs) bool { return slices.Contains(o.Of, v) }); like >= 0 && v == s.value {
			s.set = &set{Of: append([]string{v}, lists.Verbs[like].others()...)}
		}
	}
	if isURL(s.value) { // where it leads tells more than its path
		if u, err := url.Parse(s.value); err == nil {
			if s.value = u.Hostname(); host(s.value, 0, rand.New(rand.NewPCG(1, 1))) == nil && closed(s.value, nil) == nil {
				s.value = path.Base(u.Path)
			}
		}
	}
	generic := isGeneric(arg.Words)
	of, named := nounOf(arg.Words)
	own := named && !generic
	for _, w := range c.functionWords() { // a name: of what its function is named after
		if generic && !named {
			of, named = nounOf([]string{w})
		}
	}
	if of == nil && generic { // or of what it acts on
		of, named = nounOf(strings.Fields(c.effect().Object))
	}
	if of == nil {
		of = nounLike(s.value)
		own, named = of != nil, of != nil
	}
	if arg.Words[len(arg.Words)-1] == "element" { // of a page: what it says
		if at := quoted.FindStringSubmatch(s.value); at != nil {
			s.value = at[1]
		}
		if s.sites(rand.New(rand.NewPCG(1, 1))) == nil { // else with another verb
			s.make = func(_ Corpus, n int, random *rand.Rand) []string {
				return fromSet(s.value, slices.DeleteFunc(slices.Clone(lists.Functions), func(o string) bool {
					return slices.ContainsFunc(telling(o), func(w string) bool { return says(c.shown(), w) })
				}), nil, n, random)
			}
		}
		s.prompt, s.worth = "Which element of the page is it?", headline.Decisive
		return s, true
	}
	coded := !run4.MatchString(s.value) && strings.ContainsAny(s.value, "0123456789_") || mixed(s.value)
	if s.noun = of; of == nil || coded && machineMade(s.value) == nil || of.Kind == "role" && s.value != strings.ToLower(s.value) || of.Kind == "" && capitals.MatchString(s.value) && !slices.Contains(of.Named, "secret") || of.Kind == "person" && len(digits.FindAllString(s.value, -1)) > 1 {
		s.noun = &noun{Kind: "code"} // another one can only be made where no word is in it
	}
	if len(arg.Words) > 1 && strings.HasPrefix(arg.Words[len(arg.Words)-1], "id") && arg.Role == headline.Text {
		arg.Role, s.kind = headline.Value, string(headline.Value)
	}
	if arg.Role == headline.Amount {
		s.value, _, _ = strings.Cut(arg.Text(at), " (") // in its unit, and not in minor ones
	}
	header := strings.HasPrefix(strings.ToLower(arg.Name), "header")
	names := func(list []string) bool {
		return slices.ContainsFunc(arg.Words, func(w string) bool { return slices.Contains(list, w) })
	}
	first, _, _ := strings.Cut(strings.ToLower(s.value), " ") // of a button
	says := (arg.Role == headline.Text || arg.Role == headline.Value && first != strings.ToLower(s.value)) && (number.MatchString(s.value) || len(strings.Fields(s.value)) <= maxWords && !names(lists.Prose) && slices.ContainsFunc(lists.Verbs, func(v verbs) bool { return slices.Contains(v.Of, first) }))
	if names(lists.Consent) || s.set == nil && names(lists.Closed) || !arg.Target && arg.Weight < headline.Danger && names(lists.Unasked) || isCode(arg) || header || arg.Secret || arg.Role == headline.Text && !says || arg.Role == headline.Flag || arg.Weight < 10 && !says || arg.Role == headline.Value && (s.value == "0" || s.value == "1") || arg.Own() || s.set == nil && !s.free(arg, own || named && generic) ||
		strings.Contains(s.value, " ") && arg.Role == headline.Value && s.set == nil && s.noun.Kind == "code" && !coded && !says || strings.HasPrefix(s.value, "-") || element1.MatchString(s.value) && names([]string{"ref"}) {
		return s, false // prose in a few words, one of a few that the tool knows
	}
	s.prompt, s.natural = c.prompts(arg, s)
	s.label = lastName(arg)
	if last := arg.Words[len(arg.Words)-1]; s.set == nil && (machineMade(s.value) != nil || last == "id" && strings.Trim(s.value, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" && len(s.value) > 3) && arg.Role != headline.Amount && arg.Role != headline.Count && (strings.Trim(s.value, "0123456789") != "" || len(s.value) > 8 || arg.Role != headline.Value || arg.Target || slices.Contains(lists.Naming, last)) {
		if machineMade(s.value) == nil {
			s.noun = nil
		}
		if s.worth = worthIdentifier; arg.Weight >= headline.Danger && arg.Role == headline.Recipient { // where money goes
			s.worth = headline.Place + 1
		}
	}
	if len(arg.Words) == 1 && !own { // a name, an id, a path: of this function
		s.of = c.Action.Function() + " " + s.of
	}
	return s, true
}

// sum is an amount of money in a text, with its currency.
var sum = regexp.MustCompile(`(?:\b(?:EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN)|[€$£])\s?\d(?:[\d,.]*\d)?\b|\b\d(?:[\d,.]*\d)?\s?(?:(?:EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN)\b|[€$£])`)

// quoted is what an element of a page says, and element1 is an element of a page, for this moment.
var (
	quoted   = regexp.MustCompile(`['"‘“]([^'"’”]{4,60})['"’”]`)
	element1 = regexp.MustCompile(`^[a-z]?\d+(?:e\d+)?$`)
)

// flat reports whether values are all of one list, and no lists inside of it.
func flat(values []*call.Node) bool {
	list, _, _ := strings.Cut(values[0].Pointer, "/0")
	for i, n := range values {
		if n.Pointer != list+"/"+strconv.Itoa(i) {
			return false
		}
	}
	return true
}

// numberOf asks how many values a list has.
func numberOf(arg headline.Argument, n int) subject {
	s := subject{kind: string(headline.Count), about: "number of " + arg.Name, prompt: "How many values does " + nameOf(arg) + " have?", value: strconv.Itoa(n), worth: headline.OfTarget - 1, ofCall: true}
	s.make = func(_ Corpus, options int, random *rand.Rand) []string {
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

// isURL reports whether a value is the address of a page.
func isURL(v string) bool { return strings.HasPrefix(v, "https://") || strings.HasPrefix(v, "http://") }

// isCode reports whether a value is digits that open something.
func isCode(arg headline.Argument) bool {
	return len(arg.Words) == 1 && arg.Words[0] == "code" && strings.Trim(valueOf(arg, 0), "0123456789") == ""
}

// isGeneric reports whether a name says only that it names something.
func isGeneric(words []string) bool {
	return len(words) == 1 && slices.Contains(lists.Generic, words[0])
}

// functionWords are those of the function's name, the last first: it says on what it acts.
func (c Call) functionWords() []string {
	words := strings.Fields(strings.ToLower(headline.Words(c.Action.Function())))
	slices.Reverse(words)
	for i, w := range words {
		words[i] = strings.TrimSuffix(w, "s")
	}
	return words
}

// fits reports whether a value can be asked for: short, on one line, and nothing that is masked.
func (s subject) fits() bool {
	n := utf8.RuneCountInString(s.value)
	if n > 3 && strings.Contains(strings.ToLower(s.prompt), strings.ToLower(s.value)) {
		return false
	}
	return n > 0 && s.value != "/dev/null" && (n <= maxAsked || s.kind == lineKind) && (len(strings.Fields(s.value)) <= maxWords || s.kind == lineKind || s.make != nil || s.kind == string(headline.Flag)) && utf8.ValidString(s.value) && s.about != "" && len(s.about) < 60 &&
		!strings.Contains(s.value, "[REDACTED:") && !strings.ContainsFunc(s.value+s.about, func(r rune) bool { return !unicode.IsPrint(r) })
}

// free reports whether a value is one that nobody could list: not one of the few words that a tool
// knows, and nothing that says how a call is made.
func (s subject) free(arg headline.Argument, named bool) bool {
	if slices.Contains(lists.Common, strings.ToLower(s.value)) {
		return false
	}
	digits := strings.ContainsAny(s.value, "0123456789")
	_, does := doing(s.value, nil)
	first, rest, _ := strings.Cut(strings.ToLower(s.value), " ") // of a button
	does = does || rest != "" && slices.ContainsFunc(lists.Verbs, func(v verbs) bool { return slices.Contains(v.Of, first) })
	return named || digits || does || arg.Role != headline.Manner && strings.ContainsAny(s.value, "._-@:/#")
}

// prompts ask for an argument as a person would: in words where its name is English, else by the name.
func (c Call) prompts(arg headline.Argument, s subject) (plain, natural string) {
	words := slices.Clone(arg.Words)
	quoted := len(words) > 2
	for i, w := range words {
		words[i] = cmp.Or(lists.Spelled[w], w)
		quoted = quoted || !slices.Contains(lists.Spoken, strings.TrimSuffix(w, "s")) && !slices.ContainsFunc(lists.Nouns, func(n noun) bool { return slices.Contains(n.Named, strings.TrimSuffix(w, "s")) })
	}
	label, last := strings.Join(words, " "), arg.Words[len(arg.Words)-1]
	if of := c.functionWords(); isGeneric(arg.Words) && !strings.Contains(arg.Name, ".") && len(of) > 1 { // whose ID
		if _, ok := nounOf(of[:1]); ok {
			label = of[0] + " " + label
		} else {
			quoted = true
		}
	}
	if inside := len(words) == 1 && slices.Contains(lists.Naming, last) && strings.Contains(arg.Name, "."); quoted || inside { // whose id
		label, quoted = nameOf(arg), true
	}
	done := lists.Participles[c.effect().Verb]
	mail := strings.Contains(s.value, "@") && !strings.Contains(s.value, " ")
	switch {
	case s.set != nil && s.set.Ask != "" && len(arg.Values) == 1:
		return s.set.Ask, ""
	case mail && len(arg.Words) == 1 && lists.Asks[last] != "":
		return lists.Asks[last], ""
	case len(arg.Values) > 1:
		return "Which of these is in " + nameOf(arg) + "?", ""
	case isURL(valueOf(arg, 0)) && !isHost(strings.TrimPrefix(s.value, "*.")):
		return "What does " + the(label) + " end in?", ""
	case isURL(valueOf(arg, 0)):
		return "Which host does " + the(strings.TrimSuffix(label, " URL")) + " name?", ""
	case quoted:
		plain = "What is " + label + " set to?"
	case arg.Role == headline.Count && number.MatchString(s.value) && strings.HasSuffix(last, "s") && !strings.HasSuffix(last, "ss") && len(words) < 3 && !slices.Contains(lists.Naming, last):
		plain = "How many " + strings.TrimPrefix(label, "num ") + "?"
	case !strings.HasSuffix(label, "s") && (slices.Contains(lists.Naming, last) || arg.Role == headline.Value || arg.Role == headline.Amount):
		plain = "What is the " + label + "?"
	case arg.Role == headline.Count:
		plain = "What is the " + label + "?"
	default:
		plain = "Which " + label + "?"
	}
	switch {
	case arg.Role == headline.Given && !quoted && strings.HasSuffix(label, "s") && !strings.HasSuffix(label, "ss"):
		natural = "Which " + label + " are " + cmp.Or(done, "given") + "?"
	case arg.Role == headline.Given && !quoted:
		natural = "Which " + label + " is " + cmp.Or(done, "given") + "?"
	case arg.Role == headline.Recipient && c.effect().Kind == effects.Message && last != "username": // under which it is sent
		natural = "Who receives it?"
	case arg.Role == headline.Recipient && mail:
		natural = "Which mail address is it about?"
	case arg.Role == headline.Amount && done != "" && c.effect().Amount != nil && last == "amount":
		natural = "How much is " + done + "?"
	}
	return plain, natural
}

// the is a word as it's said of one thing; a name between quotes is said as it is.
func the(label string) string {
	if strings.HasPrefix(label, "“") {
		return label
	}
	return "the " + label
}

// capitals is a name in them: it's one of few that its tool knows.
var capitals = regexp.MustCompile(`^[A-Z]{3,}[A-Z0-9_-]*$`)

// mixed reports whether letters and digits are written together as only machines do: S04ONCALL, 1aFinanceD.
func mixed(v string) bool {
	return slices.ContainsFunc(units.FindAllString(v, -1), func(u string) bool {
		return strings.ContainsAny(u, "0123456789") && upper.MatchString(u) && !strings.ContainsAny(u, "-_.") && !capitalised.MatchString(u)
	})
}

// capitalised is a word with a number: Room12, Q3.
var capitalised = regexp.MustCompile(`^(?:[A-Z]?[a-z]+|[A-Z])\d+$`)

// nameOf is the name of an argument as it is written, between quotes.
func nameOf(arg headline.Argument) string {
	name := strings.Split(arg.Name, ".")
	return "“" + strings.Join(name[max(0, len(name)-2):], ".") + "”"
}

func lastName(arg headline.Argument) string { return arg.Name[strings.LastIndexByte(arg.Name, '.')+1:] }
