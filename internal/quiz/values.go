package quiz

import (
	"cmp"
	"math"
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
func (c Call) values() []subject {
	h := c.headline()
	said, whole := merged(c.Action.Said(c.Assessment)), writtenIn(h.Parts)
	all := c.ofFiles(c.Action.Files())
	for _, arg := range said {
		if s, ok := c.ofArgument(arg); ok && s.value != whole {
			all = append(all, s)
		}
		if n := len(arg.Values); n > 3 && !strings.Contains(whole, valueOf(arg, 0)) {
			all = append(all, numberOf(arg, n))
		}
	}
	all = append(append(all, flagged(said)...), c.ofTexts(said, h)...)
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
		if slices.ContainsFunc(all, func(o subject) bool { return s.label != "" && o.about != s.about && o.prompt == s.prompt }) {
			s.prompt, s.natural = "What is “"+s.about+"”?", "" // start.date, end.date
		}
		if !twice && s.fits() {
			kept = append(kept, s)
		}
	}
	return withPartner(kept)
}

// withPartner asks how a flag is set beside the least of the other values, where the flag is the only one
// and it isn't known which others there could be.
func withPartner(all []subject) []subject {
	flag := slices.IndexFunc(all, func(s subject) bool { return s.about == "flags" && s.make == nil })
	if flag < 0 {
		return all
	}
	least, n := -1, 0
	for i, s := range all {
		if s.label == "" || s.worth <= headline.Cheap {
			continue
		}
		if n++; least < 0 || s.worth < all[least].worth {
			least = i
		}
	}
	if s := &all[flag]; n > 1 && utf8.RuneCountInString(s.value+all[least].label+all[least].value) < maxAsked-4 {
		partner := all[least]
		name, on, _ := strings.Cut(s.value, ": ")
		s.prompt, s.value = "How are these set?", s.value+", "+partner.label+": "+partner.value
		s.make = func(w Corpus, n int, random *rand.Rand) []string {
			texts := slices.DeleteFunc(partner.options(w, quizOptions, random), func(t string) bool { return t == partner.value })
			if len(texts) == 0 || n != quizOptions {
				return nil
			}
			return beside(name+": "+on, name+": "+lists.Opposite[on], partner.label+": ", partner.value, texts)
		}
		return all
	}
	return slices.Delete(all, flag, flag+1)
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

// worst is the value of several that is asked for: one that makes the level, one that gives access, the
// largest sum, else the last.
func (c Call) worst(arg headline.Argument) (at int) {
	best := -1.0
	for i, n := range arg.Values {
		rank := 0.0
		if set := setOf(valueOf(arg, i), arg.Words); c.decides(n.Pointer, 0, 1<<30) {
			rank = math.Inf(1)
		} else if set != nil && set.Given {
			rank = math.MaxFloat64
		} else if sum, err := strconv.ParseFloat(valueOf(arg, i), 64); err == nil && arg.Role == headline.Amount {
			rank = sum
		}
		if rank >= best {
			at, best = i, rank
		}
	}
	return at
}

// ofArgument asks for a value of an argument, of several for the worst.
func (c Call) ofArgument(arg headline.Argument) (subject, bool) {
	if len(arg.Words) == 0 {
		return subject{}, false
	}
	at := c.worst(arg)
	s := subject{kind: string(arg.Role), about: arg.Name, of: strings.Join(arg.Words, " "), value: valueOf(arg, at), worth: arg.Weight, ofCall: true, name: arg.Words}
	for i := range arg.Values {
		if i != at {
			s.not = append(s.not, valueOf(arg, i))
		}
	}
	s.set = setOf(s.value, s.name)
	if s.set != nil && s.set.Given {
		s.worth = max(s.worth, headline.Danger)
	}
	var own, named bool // by its name, or by that of its function
	s.words, own = nouns(arg.Words)
	for _, w := range c.functionWords() {
		if !own && !named {
			s.words, named = nouns([]string{w})
		}
	}
	if slices.Equal(s.words, lists.Companies) { // whose it is says less than what it is
		s.worth--
	}
	if len(arg.Words) > 1 && strings.HasPrefix(arg.Words[len(arg.Words)-1], "id") && arg.Role == headline.Text {
		arg.Role, s.kind = headline.Value, string(headline.Value)
	}
	if arg.Role == headline.Amount {
		s.value, _, _ = strings.Cut(arg.Text(at), " (") // in its unit, and not in minor ones
	}
	header := strings.HasPrefix(strings.ToLower(arg.Name), "header")
	if slices.ContainsFunc(arg.Words, func(w string) bool { return slices.Contains(lists.Consent, w) }) || isCode(arg) || header || arg.Secret || arg.Role == headline.Text || arg.Role == headline.Flag || arg.Weight < 10 || arg.Own() || s.set == nil && !s.free(arg, own || named && isGeneric(arg.Words)) ||
		strings.Contains(s.value, " ") && arg.Role == headline.Value && s.set == nil && !slices.Equal(s.words, lists.People) {
		return s, false // prose in a few words, one of a few that the tool knows
	}
	s.prompt, s.natural = c.prompts(arg)
	s.label = lastName(arg)
	if len(arg.Words) == 1 && !own { // a name, an id, a path: of this function
		s.of = c.Action.Function() + " " + s.of
	}
	return s, true
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
	return n > 0 && n <= maxAsked && (len(strings.Fields(s.value)) <= maxWords || s.kind == lineKind || s.kind == string(headline.Flag)) && utf8.ValidString(s.value) && s.about != "" && len(s.about) < 60 &&
		!strings.Contains(s.value, "[REDACTED:") && !strings.ContainsFunc(s.value+s.about, func(r rune) bool { return !unicode.IsPrint(r) })
}

// free reports whether a value is one that nobody could list: not one of the few words that a tool
// knows, and nothing that says how a call is made.
func (s subject) free(arg headline.Argument, named bool) bool {
	if !arg.Target && slices.ContainsFunc(arg.Words, func(w string) bool { return slices.Contains(lists.Unasked, w) }) ||
		slices.Contains(lists.Common, s.value) {
		return false
	}
	digits := strings.ContainsAny(s.value, "0123456789")
	_, does := doing(s.value, nil)
	return named || digits || does || arg.Role != headline.Manner && strings.ContainsAny(s.value, "._-@:/#")
}

// prompts ask for an argument, by its name: in words where they are English ones, else as it is written.
func (c Call) prompts(arg headline.Argument) (plain, natural string) {
	label, quoted := labelOf(arg)
	done := lists.Participles[c.effect().Verb]
	of, _ := nouns(arg.Words)
	noun := slices.Contains([]headline.Role{headline.Given, headline.Recipient, headline.Where, headline.Target, headline.Count}, arg.Role)
	if one := !strings.Contains(label, " "); len(arg.Values) > 1 || one && (!noun || slices.Contains(lists.Naming, arg.Words[0])) || !noun && strings.HasSuffix(label, "s") {
		label, quoted = nameOf(arg), true
	}
	plain = "What is the " + label + "?"
	if quoted {
		plain = "What is " + label + "?"
	}
	switch {
	case len(arg.Values) > 1:
		plain = "Which of these is in " + label + "?"
	case arg.Role == headline.Given && !quoted:
		plain, natural = "Which "+label+"?", "Which "+label+" is "+cmp.Or(done, "given")+"?"
		if strings.HasSuffix(label, "s") && !strings.HasSuffix(label, "ss") {
			natural = strings.Replace(natural, " is ", " are ", 1)
		}
	case arg.Role == headline.Recipient && !slices.Equal(of, lists.People):
		plain = "What is " + nameOf(arg) + "?"
	case arg.Role == headline.Recipient && c.effect().Kind == effects.Permission:
		natural = "Who is it about (" + label + ")?"
	case arg.Role == headline.Recipient && c.effect().Kind == effects.Message:
		natural = "Who receives it (" + label + ")?"
	case arg.Role == headline.Amount && done != "" && c.effect().Kind == effects.Money && nameOf(arg) == "“amount”":
		natural = "How much is " + done + "?"
	case (arg.Role == headline.Where || arg.Role == headline.Recipient) && !quoted:
		plain = "Which " + label + "?"
	case arg.Role == headline.Count && !quoted && strings.HasSuffix(label, "s"):
		plain = "How many " + label + "?"
	}
	return plain, natural
}

// labelOf names an argument in a question.
func labelOf(arg headline.Argument) (label string, quoted bool) {
	words := slices.Clone(arg.Words)
	for i, w := range words {
		words[i] = cmp.Or(lists.Spelled[w], w)
	}
	label = strings.Join(words, " ")
	if n := len(words); n > 0 && n < 4 && effects.PlainWords(strings.ToLower(strings.Join(arg.Words, " "))) && !slices.Contains(lists.Prepositions, words[n-1]) {
		return label, false
	}
	return nameOf(arg), true
}

// nameOf is the name of an argument as it is written, between quotes.
func nameOf(arg headline.Argument) string {
	name := strings.Split(arg.Name, ".")
	return "“" + strings.Join(name[max(0, len(name)-2):], ".") + "”"
}

// flagged asks how flags are set, of two where the call has them, else beside one that it could have.
func flagged(all []headline.Argument) []subject {
	var set []headline.Argument
	for _, arg := range all {
		if toggle(arg) != "" && arg.Weight > 10 && !slices.ContainsFunc(arg.Words, func(w string) bool { return slices.Contains(lists.Consent, w) }) {
			set = append(set, arg)
		}
	}
	if len(set) == 0 {
		return nil
	}
	slices.SortStableFunc(set, func(x, y headline.Argument) int { return cmp.Compare(y.Weight, x.Weight) })
	var names []string
	for _, arg := range set {
		names = append(names, lastName(arg))
	}
	first, on := names[0], toggle(set[0])
	s := subject{kind: string(headline.Flag), about: "flags", prompt: "How is this set?", value: first + ": " + on, worth: set[0].Weight, ofCall: true}
	others := without(named(family(set[0].Words), names), names, nil)
	var two []string
	if len(set) > 1 {
		two = beside(first+": "+on, first+": "+lists.Opposite[on], names[1]+": ", toggle(set[1]), []string{lists.Opposite[toggle(set[1])]})
		if len(two[0]) > maxAsked || first == names[1] {
			two = nil
		} else {
			s.value, s.prompt = two[0], "How are these set?"
		}
	}
	if two == nil && len(others) < quizOptions/2-1 {
		return []subject{s}
	}
	s.make = func(_ Corpus, n int, random *rand.Rand) (texts []string) {
		if n == len(two) {
			return two
		}
		return settings(first, on, others, n, random)
	}
	return []subject{s}
}

// beside are the four ways in which a flag and another value can be set.
func beside(on, off, name, value string, others []string) []string {
	name = ", " + name
	return []string{on + name + value, off + name + value, on + name + others[0], off + name + others[0]}
}

// settings are n texts that set a flag, or one of others, to true or to false.
func settings(name, on string, others []string, n int, random *rand.Rand) (texts []string) {
	others = without(others, []string{name}, random)
	if len(others) < n/2-1 {
		return nil
	}
	for _, o := range append([]string{name}, others[:n/2-1]...) {
		texts = append(texts, o+": "+on, o+": "+lists.Opposite[on])
	}
	return texts
}

// toggle is how a flag is set; "" for what is none.
func toggle(arg headline.Argument) string {
	text := arg.Values[0].Text()
	switch {
	case len(arg.Values) > 1 || arg.Secret:
		return ""
	case arg.Role == headline.Flag:
		return strconv.FormatBool(arg.Values[0].Bool())
	case lists.Opposite[text] != "":
		return text
	}
	return ""
}

func lastName(arg headline.Argument) string { return arg.Name[strings.LastIndexByte(arg.Name, '.')+1:] }
