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
// word or number. Never the environment, which is nearly always the same; a date, of which
// the year tells; what was masked; the agent and the operation, which the row names.

// subject is one value that a quiz can ask for.
type subject struct {
	kind, label, prompt, value string
	digest                     bool // it is no value of the call, but its digest
}

const (
	valueKind  = "value"  // of an argument that is no fact
	digestKind = "digest" // of the action
	// maxAsked bounds a value that is asked for, in characters.
	maxAsked = 64
)

// prompts ask by kind. They name the label (a word of ours, or made from the name of an
// argument), never a value.
var prompts = map[string]string{
	string(facts.Target): "Which %s would be affected?", string(facts.Recipient): "Which %s is this for?",
	string(facts.Table): "Which %s would be affected?", string(facts.Path): "Which %s would be affected?",
	string(facts.Host): "Which %s would be contacted?", string(facts.Branch): "Which %s would change?",
}

func prompt(kind, label string) string {
	p, ok := prompts[kind]
	if !ok {
		p = "What is the %s?"
	}
	if kind == string(facts.Count) && plural(label) {
		p = "How many %s?"
	}
	return strings.Replace(p, "%s", label, 1)
}

// plural reports whether a label is of several things: rows, documents.
func plural(label string) bool {
	return strings.HasSuffix(label, "s") && !strings.HasSuffix(label, "ss") && !strings.HasSuffix(label, "us")
}

// subjects lists what can be asked about a. Two values of one name cannot: nobody could
// say which is meant.
func (a Approval) subjects() []subject {
	var all []subject
	covered := map[string]bool{}
	for _, f := range a.Assessment.Facts {
		covered[f.Pointer] = true
		switch f.Kind {
		case facts.Flag, facts.Environment, facts.Time:
			continue
		}
		label := f.Label
		if label == "" || label == "target" {
			label = string(f.Kind)
		}
		all = append(all, subject{kind: string(f.Kind), label: label, value: f.Value})
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
		if s.prompt = prompt(s.kind, s.label); !several && !twice && s.fit() {
			kept = append(kept, s)
		}
	}
	return kept
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
		readable(s.label) && len(s.label) < 40 && !dated(s.value) && !strings.Contains(s.label, "date")
}

// dated reports whether a value holds a date or a time, or is a number of seconds.
func dated(v string) bool {
	runes := []rune(v)
	numbers := numbersIn(runes)
	for i, n := range numbers {
		if n.most == clock || n.most == years && i+1 < len(numbers) && string(runes[n.to:numbers[i+1].from]) == "-" {
			return true
		}
	}
	return len(v) >= 10 && (strings.HasPrefix(v, "16") || strings.HasPrefix(v, "17") || strings.HasPrefix(v, "18")) && len(strings.Trim(v, "0123456789.")) == 0
}

// askable reports whether s can be asked whatever is known, by options or typed.
func (s subject) askable(random source) bool {
	_, strength := s.part(false)
	return strength > 0 || len(around{}.options(s, random)) == quizOptions
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
func (w around) hidden(s subject) bool { return s.digest || !w.shown.say(s.value) }
