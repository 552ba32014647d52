package quiz

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/internal/scoring/headline"
)

// What is asked of two values of a call together.

// together asks what belongs together in that element of a list which the headline says first: what is done there, and
// to what. The wrong options have what it is done to in the others.
func (c Call) together(said []headline.Argument, parts []headline.Part) []subject {
	said = slices.Clone(said)
	slices.SortStableFunc(said, func(x, y headline.Argument) int { return y.Weight - x.Weight })
	for _, a := range said {
		i := first(a, parts)
		in, does := element.FindString(a.Values[i].Pointer), valueOf(a, i)
		if in == "" || len(a.Words) == 0 || a.Secret || a.Role == headline.Text || a.Weight < headline.Place {
			continue
		}
		for _, b := range said {
			at := slices.IndexFunc(b.Values, func(n *call.Node) bool { return element.FindString(n.Pointer) == in })
			if at < 0 || b.Name == a.Name || len(b.Words) == 0 || b.Secret || b.Role == headline.Flag {
				continue
			}
			of, asked := c.ofArgument(b, at)
			of.value = valueOf(b, at)
			s := subject{kind: string(headline.Flag), about: "together", of: "together", prompt: "Which of these belong together?", worth: max(a.Weight, b.Weight) + 1, ofCall: true}
			text := func(v string) string { return lastName(a) + ": " + does + ", " + lastName(b) + ": " + v }
			var wrong []string
			for k := range b.Values {
				other := element.FindString(b.Values[k].Pointer)
				if v := valueOf(b, k); v != of.value && v != "" && len(v) <= longestBeside && !slices.Contains(wrong, v) && !slices.ContainsFunc(a.Values, func(n *call.Node) bool {
					return element.FindString(n.Pointer) == other && (n.Text()+n.Digits() == does || n.Kind() == a.Values[i].Kind() && does == "")
				}) {
					wrong = append(wrong, v)
				}
			}
			if s.value = text(of.value); len(wrong) == 0 || of.value == "" || len(of.value) > longestBeside || !s.fits() {
				continue
			}
			s.make = func(w Corpus, n int, random *rand.Rand) (texts []string) {
				made := without(wrong, nil, random)
				if asked && len(made) < n-1 && machineMade(of.value) == nil {
					made = append(made, without(of.options(w, n, random), []string{of.value}, random)...)
				}
				if len(made) < n-1 {
					return nil
				}
				for _, v := range append(made[:n-1:n-1], of.value) {
					texts = append(texts, text(v))
				}
				return texts
			}
			if s.make(Corpus{}, quizOptions, rand.New(rand.NewPCG(1, 1))) != nil {
				return []subject{s}
			}
		}
	}
	return nil
}

// element is the pointer to an element of the outermost list, and longestBeside bounds what is said of it, in bytes.
var element = regexp.MustCompile(`^.*?/\d+(?:/|$)`)

const longestBeside = 50

// flagged asks how a flag of the call is set: beside one that matters less, or beside the least of its other
// values. Of the options most set the flag as the call does: what sounds worst is not what is right.
func (c Call) flagged(said []headline.Argument, kept []subject) []subject {
	set := c.settings(said)
	if len(set) == 0 {
		return nil
	}
	first, last := set[0], set[len(set)-1]
	on, off := first.name+": "+first.value, first.name+": "+lists.Opposite[first.value]
	s := subject{kind: string(headline.Flag), about: "flags", of: "flags", prompt: "How are these set?", worth: first.weight, ofCall: true}
	if first.weight >= headline.Danger {
		s.worth = headline.Decisive + 2
	}
	least := -1
	for i, o := range kept {
		if o.label == "" || o.make != nil || o.kind == string(headline.Amount) || strings.HasPrefix(o.prompt, "Which of these is in") || o.worth <= worthLast || utf8.RuneCountInString(on+o.label+o.value) >= maxAsked-4 {
			continue
		}
		if o.worth <= worthIdentifier || machineMade(o.value) != nil || number.MatchString(o.value) || o.noun != nil && o.noun.Kind == "company" {
			continue // people don't set a number, an identifier, whose it is
		}
		if least < 0 || o.worth < kept[least].worth {
			least = i
		}
	}
	if (last.weight < headline.Danger || least < 0) && last.name != first.name && len(on+last.name) < maxAsked-8 {
		name, other := ", "+last.name+": ", lists.Opposite[last.value]
		s.value = on + name + last.value
		s.make = func(_ Corpus, n int, _ *rand.Rand) []string {
			if n != quizOptions {
				return nil
			}
			return []string{s.value, off + name + last.value, on + name + other, off + name + other}
		}
		return []subject{s}
	}
	if least < 0 {
		return nil
	}
	beside := kept[least]
	name := ", " + beside.label + ": "
	s.value = on + name + beside.value
	s.make = func(w Corpus, n int, random *rand.Rand) (texts []string) {
		values := beside.options(w, n, random)
		if at := slices.IndexFunc(values, func(v string) bool { return v != beside.value }); at >= 0 {
			values = slices.Delete(slices.Clone(values), at, at+1)
		}
		for _, v := range values {
			texts = append(texts, on+name+v)
		}
		if texts != nil {
			texts = append(texts, off+name+values[random.IntN(len(values))])
		}
		return texts
	}
	return []subject{s}
}

// emptied asks which argument is left empty: among others of the call that are not, the one of those that weighs most.
func emptied(said []headline.Argument) []subject {
	found, best := -1, headline.Place-1
	var filled []string
	for i, a := range said {
		empty := len(a.Values) == 1 && valueOf(a, 0) == "" && a.Values[0].Kind() != canon.KindBool
		weight := a.Weight
		if effects.Weakens(false, a.Words, nil) { // required_reviews: null
			weight = headline.Decisive
		}
		switch name := lastName(a); {
		case len(a.Words) == 0 || len(name) > longestBeside:
		case empty && weight > best:
			found, best = i, weight
		case !empty && !slices.Contains(filled, name):
			filled = append(filled, name)
		}
	}
	if found < 0 || slices.Contains(filled, lastName(said[found])) {
		return nil
	}
	s := subject{kind: string(headline.Flag), about: "empty", of: "empty", prompt: "Which of these is left empty?", value: lastName(said[found]), worth: best, ofCall: true}
	s.make = func(_ Corpus, n int, random *rand.Rand) []string { return fromSet(s.value, filled, nil, n, random) }
	return []subject{s}
}

// setting is a flag, how it is set, and what that weighs.
type setting struct {
	name, value string
	weight      int
}

// settings are the flags of the call, of its arguments and of what runs, the weightiest first.
func (c Call) settings(said []headline.Argument) (all []setting) {
	note := func(name, value string, words []string, weight int) {
		if set := strings.ToLower(value) != "false"; slices.Contains(lists.Flags, strings.Join(words, "_")) || set && slices.ContainsFunc(words, func(w string) bool { return slices.Contains(lists.Flags, w) }) {
			weight = max(weight, headline.Danger)
		}
		if lists.Opposite[value] != "" && weight > 10 && !slices.ContainsFunc(words, func(w string) bool { return slices.Contains(lists.Consent, w) }) &&
			!slices.ContainsFunc(all, func(s setting) bool { return s.name == name }) {
			all = append(all, setting{name, value, weight})
		}
	}
	shell := slices.Contains(slices.Collect(maps.Values(c.Action.Languages())), facts.Shell)
	for _, arg := range said {
		switch value := arg.Values[0].Text(); {
		case len(arg.Values) > 1 || arg.Secret || arg.Weight < headline.Danger && shell: // how the command is run
		case arg.Role == headline.Flag:
			note(lastName(arg), strconv.FormatBool(arg.Values[0].Bool()), arg.Words, arg.Weight)
		default:
			note(lastName(arg), value, arg.Words, arg.Weight)
		}
	}
	texts := c.executed(said, c.headline())
	for _, f := range c.Action.Files() {
		for _, h := range f.Hunks {
			texts = append(texts, stretch{text: h.New.Text})
		}
	}
	for _, t := range texts {
		for _, m := range flags.FindAllStringSubmatch(t.text, -1) {
			words, weight := strings.Fields(strings.ToLower(headline.Words(m[1]))), c.weighed(m[1], strings.ToLower(m[2]))
			note(m[1], m[2], words, weight)
		}
	}
	slices.SortStableFunc(all, func(x, y setting) int { return cmp.Compare(y.weight, x.weight) })
	return all
}

var flags = regexp.MustCompile(`\b([A-Za-z][\w-]{2,})["']?\s*[:=]\s*(true|false|True|False)\b`)
