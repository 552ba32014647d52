package approvals

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/canon"
	naming "github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
)

// What a quiz can ask for: the facts of a call, and what else its arguments say in one
// word or number. Never the environment, which is nearly always the same; a time, or a date
// but for its day; what was masked; the agent and the operation, which the row names.

// subject is one value that a quiz can ask for.
type subject struct {
	kind, label, prompt, value string

	pointer string
	list    []string // what else is in the list that it stands in
}

const (
	valueKind = "value" // of an argument that is no fact
	// maxAsked bounds a value that is asked for, in characters.
	maxAsked = 64
)

// subjects lists what can be asked about a. Two values of one name cannot, since nobody could
// say which is meant; but of a list it can be asked what is in it.
func (a Approval) subjects() []subject {
	var all []subject
	covered, said := map[string]bool{}, map[string]argument{}
	arguments := a.arguments()
	for _, arg := range arguments {
		said[arg.pointer] = arg
	}
	for _, f := range a.Assessment.Facts {
		if f.Kind == facts.Host && said[f.Pointer].partly(f) {
			continue
		}
		covered[f.Pointer] = true
		switch f.Kind {
		case facts.Flag, facts.Environment:
			continue
		case facts.Time:
			if !isDay(f.Value) {
				continue
			}
		}
		all = append(all, a.named(f, said[f.Pointer]))
	}
	for _, arg := range arguments {
		if words := arg.words; !covered[arg.pointer] && len(words) > 0 && len(words) < 5 && !slices.Contains(environments, words[len(words)-1]) {
			s := subject{kind: valueKind, label: strings.Join(words, " "), value: arg.text, pointer: arg.pointer}
			if plural(s.label) && strings.Trim(s.value, "0123456789") == "" {
				s.kind = string(facts.Count)
			}
			all = append(all, s)
		}
	}
	var kept []subject
	for i, s := range all {
		several := false
		for k, o := range all {
			switch {
			case o.label != s.label || o.value == s.value:
			case s.inList() != "" && s.inList() == o.inList():
				s.list = append(s.list, o.value)
				several = several || k > i // of a list the last one is asked for: the row says the first ones
			default:
				several = true
			}
		}
		twice := slices.ContainsFunc(kept, func(o subject) bool { return o.value == s.value || o.label == s.label })
		if !several && !twice && s.fit() {
			s.prompt = s.question()
			kept = append(kept, s)
		}
	}
	return kept
}

// inList is the pointer of the list that a value stands in; "" where it stands in none.
func (s subject) inList() string {
	at := strings.LastIndexByte(s.pointer, '/')
	if last := s.pointer[at+1:]; at < 0 || last == "" || strings.Trim(last, "0123456789") != "" {
		return ""
	}
	return s.pointer[:at]
}

// argument is one text or number of the arguments, and the words of its name.
type argument struct {
	pointer string
	words   []string
	text    string
}

// arguments are those of the call, in its order.
func (a Approval) arguments() (all []argument) {
	if action, err := a.Parsed(); err == nil {
		leaves(action.Arguments(), "/arguments", nil, func(pointer string, words []string, text string) { all = append(all, argument{pointer, words, text}) })
	}
	return all
}

// partly reports whether a fact is so little of an argument that nobody would know it by its
// label: the bucket of s3://logs/emr, or the host of a page.
func (arg argument) partly(f facts.Fact) bool {
	return arg.text != "" && arg.text != f.Value && !arg.ranges(f) && !strings.ContainsAny(arg.text, " \n\t")
}

// ranges reports whether an argument is the network of an address: 10.0.3.0/24.
func (arg argument) ranges(f facts.Fact) bool {
	mask, ok := strings.CutPrefix(arg.text, f.Value+"/")
	return ok && len(mask) < 4 && strings.Trim(mask, "0123456789") == ""
}

// named is the subject of a fact, by the name of the argument that it was read from where
// that says more than the fact's own label: a payment method is more than a method. What
// was read from how a value looks goes by the name of its argument, and so does what an
// argument "to" names where nobody gets anything: the version of a rollback.
func (a Approval) named(f facts.Fact, arg argument) subject {
	s := subject{kind: string(f.Kind), label: f.Label, value: f.Value, pointer: f.Pointer}
	words := memberWords(f.Pointer[strings.LastIndexByte(f.Pointer, '/')+1:])
	switch {
	case arg.ranges(f):
		s.label = "network " + f.Label
		return s
	case f.Source == facts.FromShape && arg.text == f.Value && len(arg.words) > 0 && len(arg.words) < 5:
		s.label = strings.Join(arg.words, " ")
		return s
	case f.Kind == facts.Recipient && len(words) == 1 && slices.Contains(unnatural, words[0]) && !a.reaches() && !strings.Contains(f.Value, "@"):
		s.kind, s.label = valueKind, words[0]
		return s
	}
	if slices.ContainsFunc(words, func(w string) bool { return strings.ContainsAny(w, "0123456789") }) && len(words) < 5 { // s3_bucket
		s.label = strings.Join(words, " ")
		return s
	}
	digits := strings.Trim(f.Value, "0123456789") == ""
	for n := len(words); f.Source == facts.FromKey && n > 0 && n < 5; n-- {
		label := strings.Join(words[:n], " ")
		switch {
		case n == len(words) && digits && f.Kind != facts.Amount && plural(label): // the number of them
			s.kind, s.label = string(facts.Count), label
			return s
		case words[n-1] == f.Label:
			s.label = label
			return s
		case n < len(words) || !slices.Contains([]string{"id", "ids", "name", "key", "number"}, words[n-1]):
			n = 0
		}
	}
	switch {
	case s.label != "" && s.label != "target":
	case f.Source == facts.FromKey && len(words) > 0 && len(words) < 5: // a name, an ID
		s.label = strings.Join(words, " ")
	default:
		s.label = string(f.Kind)
	}
	return s
}

// leaves calls found for each text and number, with the words of the name of its member, or of
// its list's. What says little by itself, as an id does, has the words of what it is in before it.
func leaves(v canon.Value, pointer string, name []string, found func(pointer string, name []string, value string)) {
	switch v.Kind() {
	case canon.KindObject:
		for member, of := range v.Members() {
			words := memberWords(member)
			switch {
			case strings.HasPrefix(member, "$"): // how two things compare
				words = nil
			case len(words) == 1 && slices.Contains(vague, words[0]):
				words = slices.Concat(name, words)
			}
			leaves(of, pointer+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(member), words, found)
		}
	case canon.KindArray:
		for i, of := range v.Elements() {
			leaves(of, pointer+"/"+strconv.Itoa(i), name, found)
		}
	case canon.KindString:
		found(pointer, name, v.Text())
	case canon.KindNumber:
		found(pointer, name, string(v.Canonical()))
	default:
	}
}

// environments are names of an environment, where a request says it more than once.
var environments = strings.Fields("env environment stage")

// memberWords are the words of an argument's name, with the digits that stand in them: s3_key.
func memberWords(name string) []string {
	if strings.ContainsAny(name, "0123456789") && strings.Trim(name, "0123456789") != "" && name == strings.ToLower(name) {
		return strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' || r == '.' || r == ' ' })
	}
	return naming.Words(name)
}

// reaches reports whether somebody gets something: a message, money, access.
func (a Approval) reaches() bool {
	return len(a.Assessment.Effects) > 0 && slices.Contains([]effects.Kind{effects.Message, effects.Money, effects.Permission}, a.Assessment.Effects[0].Kind)
}

// vague are names that say nothing without what they are in.
var vague = strings.Fields("id ids name key number value type code status text label ref uri url")

// fit reports whether a value can be asked for at all: short, on one line, no date, not
// masked, and with a label that can be read.
func (s subject) fit() bool {
	n := utf8.RuneCountInString(s.value)
	readable := func(t string) bool {
		return utf8.ValidString(t) && !strings.ContainsFunc(t, func(r rune) bool {
			return unicode.IsControl(r) || unicode.Is(unicode.Zl, r) || unicode.Is(unicode.Zp, r)
		})
	}
	return n > 1 && n <= maxAsked && readable(s.value) && strings.TrimSpace(s.value) == s.value && !strings.Contains(s.value, "[REDACTED:") &&
		readable(s.label) && len(s.label) < 40 && (isDay(s.value) || !dated(s.value) && !strings.Contains(s.label, "date"))
}

// dated reports whether a value holds a date or a time, or is a number of seconds.
func dated(v string) bool {
	runes := []rune(v)
	numbers := numbersIn(runes)
	for i, n := range numbers {
		if n.most == clock || n.most == years && i+1 < len(numbers) && string(runes[n.to:numbers[i+1].from]) == "-" && numbers[i+1].to-numbers[i+1].from == 2 {
			return true
		}
	}
	return len(v) >= 10 && (strings.HasPrefix(v, "16") || strings.HasPrefix(v, "17") || strings.HasPrefix(v, "18")) && len(strings.Trim(v, "0123456789.")) == 0
}

// related reports whether one of two values tells something of the other: they have a number
// in common, or a word that is asked for. What comes before the numbers of both (cus_, 2026)
// stands in all options and tells nothing.
func (s subject) related(o subject) bool {
	mine, words := telling(s.value), !s.numbered() || !o.numbered()
	return s.label == o.label || slices.ContainsFunc(telling(o.value), func(p string) bool { return slices.Contains(mine, p) && (words || aNumber(p)) })
}

// numbered reports whether a value has a number that is no year.
func (s subject) numbered() bool { return slices.ContainsFunc(telling(s.value), aNumber) }

func aNumber(part string) bool { return strings.ContainsAny(part, "0123456789") && !isYear(part) }

// telling are the words and numbers of a value that tell it from others.
func telling(v string) []string {
	return slices.DeleteFunc(partsIn(v), func(p string) bool { return utf8.RuneCountInString(p) < 2 })
}

// partsIn are the runs of letters and digits of a text, in lower case.
func partsIn(v string) []string {
	return strings.FieldsFunc(strings.ToLower(v), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

// texts are what can be seen without opening the request.
type texts struct {
	whole string
	parts map[string]bool
}

func newTexts(all ...string) texts {
	t := texts{whole: strings.ToLower(strings.Join(all, "\n")), parts: map[string]bool{}}
	for _, p := range partsIn(t.whole) {
		t.parts[p] = true
	}
	return t
}

// say reports whether the texts say a value, or so much of it that it can be told from
// others: all of it, one of its numbers, one that is close to it, or all of its words.
func (t texts) say(v string) bool {
	if t.whole == "" {
		return false
	}
	if strings.Contains(t.whole, strings.ToLower(v)) {
		return true
	}
	all, there := telling(v), 0
	for _, p := range all {
		if t.parts[p] {
			there++
			if strings.ContainsAny(p, "0123456789") {
				return true
			}
		}
		if strings.ContainsAny(p, "0123456789") && t.close(p) {
			return true
		}
	}
	return len(all) > 0 && there == len(all)
}

// close reports whether a number of the same look stands there that begins or ends alike.
func (t texts) close(p string) bool {
	half := len(p) / 2
	for o := range t.parts {
		if len(o) == len(p) && len(p) >= 3 && o != p && (o[:half] == p[:half] || o[half:] == p[half:]) && shape(o) == shape(p) {
			return true
		}
	}
	return false
}

// hidden reports whether only the request says this.
func (w around) hidden(s subject) bool { return !w.shown.say(s.value) }
