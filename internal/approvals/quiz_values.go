package approvals

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/canon"
	naming "github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/facts"
)

// What a quiz can ask for: the facts of a call, and what else its arguments say in one
// word or number. Never the environment, which is nearly always the same; a time, or a date
// but for its day; what was masked; the agent and the operation, which the row names.

// subject is one value that a quiz can ask for.
type subject struct{ kind, label, prompt, value string }

const (
	valueKind = "value" // of an argument that is no fact
	// maxAsked bounds a value that is asked for, in characters.
	maxAsked = 64
)

// subjects lists what can be asked about a. Two values of one name cannot: nobody could
// say which is meant.
func (a Approval) subjects() []subject {
	var all []subject
	covered := map[string]bool{}
	for _, f := range a.Assessment.Facts {
		covered[f.Pointer] = true
		switch f.Kind {
		case facts.Flag, facts.Environment:
			continue
		case facts.Time:
			if !isDay(f.Value) {
				continue
			}
		}
		all = append(all, named(f))
	}
	if action, err := a.Parsed(); err == nil {
		leaves(action.Arguments(), "/arguments", "", func(pointer, name, value string) {
			words := naming.Words(name)
			if !covered[pointer] && len(words) > 0 && len(words) < 5 {
				s := subject{kind: valueKind, label: strings.Join(words, " "), value: value}
				if plural(s.label) && strings.Trim(value, "0123456789") == "" {
					s.kind = string(facts.Count)
				}
				all = append(all, s)
			}
		})
	}
	var kept []subject
	for _, s := range all {
		several := slices.ContainsFunc(all, func(o subject) bool { return o.label == s.label && o.value != s.value })
		twice := slices.ContainsFunc(kept, func(o subject) bool { return o.value == s.value || o.label == s.label })
		if s.prompt = a.prompt(s); !several && !twice && s.fit() {
			kept = append(kept, s)
		}
	}
	return kept
}

// named is the subject of a fact, by the name of the argument that it was read from where
// that says more than the fact's own label: a payment method is more than a method.
func named(f facts.Fact) subject {
	s := subject{kind: string(f.Kind), label: f.Label, value: f.Value}
	words := naming.Words(f.Pointer[strings.LastIndexByte(f.Pointer, '/')+1:])
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
	if s.label == "" || s.label == "target" {
		s.label = string(f.Kind)
	}
	return s
}

// leaves calls found for each text and number in objects, with the name of its member.
func leaves(v canon.Value, pointer, name string, found func(pointer, name, value string)) {
	switch v.Kind() {
	case canon.KindObject:
		for member, of := range v.Members() {
			leaves(of, pointer+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(member), member, found)
		}
	case canon.KindString:
		found(pointer, name, v.Text())
	case canon.KindNumber:
		found(pointer, name, string(v.Canonical()))
	default:
	}
}

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

// related reports whether one of two values tells something of the other: they have a
// part in common.
func (s subject) related(o subject) bool {
	mine := telling(s.value)
	return s.label == o.label || slices.ContainsFunc(telling(o.value), func(p string) bool { return slices.Contains(mine, p) })
}

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
