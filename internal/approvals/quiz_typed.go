package approvals

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/countersign/countersign/internal/scoring/facts"
)

// One question of a quiz may be typed: a number, a word, or four characters of a value
// that only the request says. Nobody guesses them, so the other questions may then be about
// what can be guessed.

// How well what is typed holds against somebody who guesses.
const (
	anyTyped    = 1 + iota // one of a few words or numbers that somebody may think of
	wordsTyped             // the name of a thing or of somebody
	digitsTyped            // with two digits at least
)

// typedLength is how many characters of a value are typed. A number, a word of at most
// wholeLength characters, and what has at most shortLength, are typed as a whole, and of a few
// words, maxWords at most, the last.
const typedLength, shortLength, wholeLength, maxWords = 4, 6, 12, 4

// part is what of a value is typed.
type part struct {
	first bool // its beginning
	whole bool // all of it
	word  bool // its last word
	text  string
}

// part is the best part of a value to be typed: a number as a whole, else the end or the
// beginning. other prefers another one of those, where two can be. strength is 0 where none
// can be.
func (s subject) part(other bool) (p part, strength int) {
	for i, one := range s.parts() {
		if n := s.strength(one); n > strength || n > 0 && other && i == 1 {
			p, strength = one, n
		}
	}
	return p, strength
}

// parts are what of a value could be typed, the preferred one first.
func (s subject) parts() []part {
	v, words := s.value, strings.Fields(s.value)
	if len(s.list) > 0 { // which of them?
		return nil
	}
	if number, ok := s.number(); ok {
		return []part{{whole: true, text: number}}
	}
	all := []part{}
	switch {
	case len(words) > maxWords: // nobody learns a text by heart
		return nil
	case len(words) > 1:
		last, first := strings.Trim(words[len(words)-1], aroundWords), strings.Trim(words[0], aroundWords)
		if strings.ContainsAny(last, "0123456789") && (len(last) < 3 || isYear(last)) { // "Salary 4"
			return bounded(part{word: true, first: true, text: first})
		}
		return bounded(part{word: true, text: last})
	case len(v) <= shortLength || len(v) <= wholeLength && !strings.ContainsAny(v, "0123456789"):
		all = append(all, part{whole: true, text: v})
	}
	if len(v) > typedLength {
		all = append(all, part{text: v[len(v)-typedLength:]}, part{first: true, text: v[:typedLength]})
	}
	return all
}

// bounded is a word that is not too long to be typed.
func bounded(p part) []part {
	if len(p.text) > wholeLength {
		return nil
	}
	return []part{p}
}

// aroundWords is what stands around the last word of a sentence and is no part of it.
const aroundWords = `.,;:!?…"'()[]“”‘’`

// number is what of a sum or a count is typed: its digits, without a currency.
func (s subject) number() (string, bool) {
	if s.kind != string(facts.Amount) && s.kind != string(facts.Count) {
		return "", false
	}
	number := strings.TrimFunc(s.value, func(r rune) bool { return !unicode.IsDigit(r) })
	return number, number != "" && len(number) <= wholeLength && strings.Trim(number, "0123456789.") == ""
}

// things are what words without a digit are typed of: things and people that have names of
// their own, and not one of a few values that everybody knows, as a role or a reason.
var things = map[string]bool{
	string(facts.Target): true, string(facts.Recipient): true, string(facts.Table): true, string(facts.Host): true, string(facts.Branch): true,
}

var namedLabels = strings.Fields("username login member assignee team handle principal grantee invitee actor")

// guessable are the last words of labels of which everybody knows the usual few values, or
// everybody in the organisation the only one.
var guessable = strings.Fields("currency visibility method cabin status mode format type level priority language locale unit " +
	"role permission permissions perm access site owner kind operation action importance severity side style behavior behaviour platform provider region location plan " +
	"protocol duration resolution visibility encoding algorithm color claim")

// usualValues are words that everybody thinks of, whatever they are asked for.
var usualValues = strings.Fields("true false yes no on off none null all any primary default standard automatic manual tcp udp icmp http https www. inbox trash immediately anyone everyone public private internal admin editor viewer owner member")

// usual reports whether the value is one of a few that everybody knows.
func (s subject) usual() bool {
	words := strings.Fields(s.label)
	return s.wellKnown() || s.label == "api version" || slices.Contains(usualValues, strings.ToLower(s.value)) || len(words) > 0 && slices.Contains(guessable, words[len(words)-1])
}

// strength says how well a part can be typed, and guessed: characters that every keyboard
// has, and no ending that many values share (.com, .json).
func (s subject) strength(p part) int {
	digits, letters := 0, 0
	for _, r := range p.text {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
			letters++
		case !strings.ContainsRune("-_./#", r):
			return 0
		}
	}
	shared := !p.first && !p.whole && !p.word && digits < 2 && (strings.Contains(s.value, "@") || strings.Contains(s.value[max(0, len(s.value)-typedLength-1):], ".") || domain.MatchString(s.value))
	switch {
	case digits+letters < 2, len(p.text) < 2, isYear(p.text), isDay(s.value), shared, s.usual():
		return 0
	case p.first && !p.word && (shared4.MatchString(s.value) || p.text == "www."): // what all paths and addresses of a place begin with
		return 0
	case s.kind == valueKind && enumerated.MatchString(s.value): // one of a few that the tool knows
		return 0
	case !p.whole && !p.word && digits+letters < typedLength-1: // "-3/a" is hard to tell and to type
		return 0
	case p.whole && digits == len(p.text) && digits < 3, s.fewDigits():
		return anyTyped
	case digits >= 2, digits == 1 && s.hex():
		return digitsTyped
	case (things[s.kind] || slices.Contains(namedLabels, s.label)) && len(s.value) >= 5:
		return wordsTyped
	}
	return anyTyped
}

// shared4 are addresses, paths and URLs; enumerated are words as programs write them.
var (
	shared4    = regexp.MustCompile(`^([0-9]+(\.[0-9]+){3}|/|[a-z0-9]+://)`)
	domain     = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+$`)
	enumerated = regexp.MustCompile(`^([a-z]+(_[a-z]+)+|[A-Z]+(_[A-Z]+)+|[a-z]+([A-Z][a-z]+)+)$`)
)

// hex reports whether a value ends with eight hexadecimal digits.
func (s subject) hex() bool {
	end := s.value[max(0, len(s.value)-8):]
	return len(end) == 8 && strings.Trim(end, "0123456789abcdef") == ""
}

// fewDigits reports whether a number is so round, or so regular, that somebody may guess it.
func (s subject) fewDigits() bool {
	if strings.Trim(s.value, "0123456789") != "" {
		return false
	}
	different := map[rune]bool{}
	for _, r := range s.value {
		different[r] = true
	}
	return len(different) < 3 || strings.HasSuffix(s.value, "00")
}

func (p part) question(s subject) Question {
	return Question{Prompt: s.typedPrompt(p), Kind: s.kind, About: s.label, Typed: true, Right: p.text, Exact: mixed(s.value)}
}

// characters is how many a typed question asks for, at most.
func (q Question) characters() int {
	switch {
	case !q.Typed:
		return 0
	case strings.Contains(q.Prompt, " four characters "):
		return typedLength
	}
	return wholeLength
}

// mixed reports whether a value has large letters and small ones, so that they count.
func mixed(v string) bool {
	return strings.ContainsFunc(v, unicode.IsUpper) && strings.ContainsFunc(v, unicode.IsLower)
}

// correct grades one answer. White space is no part of what is typed, and neither is the
// case of letters where the value has only one, nor what ends a sentence; of a sum, the currency and the commas
// between its thousands may be typed or not.
func (q Question) correct() bool {
	if !q.Typed {
		return q.Answer == q.Right
	}
	typed := strings.Join(strings.Fields(q.Answer), "")
	switch {
	case (q.Kind == string(facts.Amount) || q.Kind == string(facts.Count)) && strings.Trim(q.Right, "0123456789.") == "":
		typed = strings.ReplaceAll(strings.TrimFunc(typed, func(r rune) bool { return !unicode.IsDigit(r) }), ",", "")
		return typed == q.Right
	case q.Exact:
		return typed == q.Right || strings.Trim(typed, aroundWords) == q.Right
	}
	return strings.EqualFold(typed, q.Right) || strings.EqualFold(strings.Trim(typed, aroundWords), q.Right)
}
