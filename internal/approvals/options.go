package approvals

import (
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// How the wrong options of a question are chosen, so that nothing tells the right one:
//
//   - A value that requests of other agents had stands among values that such requests
//     had; one that nothing else holds among such. What the asking agent itself did before
//     is in none, so it cannot choose the options; what it named before is not asked by
//     options at all.
//   - What is made is made from the places of the value that can be any digit, each of
//     them drawn anew for each option. So all four are drawn in the same way, and none is the
//     one in the middle, from which the others were made.
//   - What people make up (repeated digits, sequences) is in no option, and how round a sum
//     ends is the same in all.

// source is where chance comes from.
type source = *rand.Rand

// values counts values.
type values map[string]int

// pool are the values of requests that people had to decide, by kind and label: each with
// the agents that asked for it.
type pool map[[2]string]map[string][]string

// newPool reads the requests of other agents than one, and not of its session.
func newPool(all []Approval, not Approval) pool {
	p := pool{}
	for _, a := range all {
		if a.ID == not.ID || a.Agent.ID == not.Agent.ID && a.Agent.Name == not.Agent.Name || !a.Held() || a.Session != "" && a.Session == not.Session {
			continue
		}
		for _, s := range a.subjects() {
			key := [2]string{s.kind, s.label}
			if p[key] == nil {
				p[key] = map[string][]string{}
			}
			if agent := a.Agent.ID + a.Agent.Name; !slices.Contains(p[key][s.value], agent) {
				p[key][s.value] = append(p[key][s.value], agent)
			}
		}
	}
	return p
}

// wellKnown are numbers of which everybody knows the usual ones, whatever they are of: a database's port.
var wellKnown = map[string]bool{"port": true, "ttl": true, "status": true, "code": true, "timeout": true, "year": true}

func (s subject) wellKnown() bool {
	return wellKnown[s.label[strings.LastIndexByte(s.label, ' ')+1:]]
}

// options are four values, s's among them; nil where no good ones can be had.
func (w around) options(s subject, random source) []string {
	if w.own[s.value] > 0 || s.wellKnown() {
		return nil
	}
	there := w.pool[[2]string{s.kind, s.label}]
	switch {
	case len(s.list) > 0 && (there[s.value] != nil || isDay(s.value)): // others may be of its list, too
		return nil
	case there[s.value] != nil:
		return pooled(s.value, there, random)
	case isDay(s.value) && w.month != "" && strings.HasPrefix(s.value, w.month): // half of its days are over
		return nil
	case isDay(s.value):
		return days(s.value, random)
	}
	said := w.shown.say(s.value)
	return made(s.value, func(v string) bool {
		return there[v] == nil && w.own[v] == 0 && !slices.Contains(s.list, v) && (said || !w.shown.say(v))
	}, random)
}

// pooled takes values that others had: of the same shape, each as likely as agents had it,
// and at most one wrong one of any agent.
func pooled(v string, there map[string][]string, random source) []string {
	var cell []candidate
	right := -1
	for _, o := range slices.Sorted(maps.Keys(there)) {
		if look(o) == look(v) {
			if o == v {
				right = len(cell)
			}
			cell = append(cell, candidate{o, float64(len(there[o]))})
		}
	}
	for range maxTries {
		chosen, strong := sample(cell, right, random)
		if !strong {
			return nil
		}
		var wrong [][]string
		for _, o := range chosen {
			if o != v {
				wrong = append(wrong, there[o])
			}
		}
		if apart(wrong, nil) {
			return chosen
		}
	}
	return nil
}

// apart reports whether each value can be had from another agent.
func apart(of [][]string, taken []string) bool {
	if len(of) == 0 {
		return true
	}
	return slices.ContainsFunc(of[0], func(agent string) bool {
		return !slices.Contains(taken, agent) && apart(of[1:], append(slices.Clone(taken), agent))
	})
}

// candidate is one value of a cell and how likely it is, in any unit.
type candidate struct {
	value  string
	weight float64
}

// sample chooses four of the cell's values, the one at index right among them, such
// that each of the four is equally likely to be the right one for somebody who
// knows the cell and its weights: systematic sampling with inclusion probabilities
// in proportion to the weights (Madow 1949). ok is false where a weight is too
// large for that, or there are fewer than four.
//
// Why it is even: a value v is right with probability p(v), is offered with 4p(v),
// and which others are offered with it depends on a number that is drawn uniformly
// and has nothing to do with v. So every set of four comes with each of its values
// as the right one equally often.
func sample(cell []candidate, right int, random source) (chosen []string, ok bool) {
	sum := 0.0
	for _, c := range cell {
		sum += c.weight
	}
	if len(cell) < quizOptions || slices.ContainsFunc(cell, func(c candidate) bool { return quizOptions*c.weight > sum*(1+1e-9) }) {
		return nil, false
	}
	width := func(i int) float64 { return quizOptions * cell[i].weight / sum }
	order := random.Perm(len(cell))
	start, at := 0.0, 0.0
	for _, i := range order {
		if i == right {
			start = at + random.Float64()*width(i)
		}
		at += width(i)
	}
	start -= float64(int(start))
	at = 0
	for _, i := range order {
		next := at + width(i)
		if hit := start + float64(len(chosen)); len(chosen) < quizOptions && at <= hit && hit < next {
			chosen = append(chosen, cell[i].value)
		}
		at = next
	}
	return chosen, len(chosen) == quizOptions && slices.Contains(chosen, cell[right].value)
}

// maxTries bounds how many values are made for three that will do.
const maxTries = 64

// made makes four values, v among them: two of its digits, or one where there are no two, are
// drawn anew for each. Nil where v has no such digits or is itself one that people make up.
func made(v string, fit func(string) bool, random source) []string {
	if !utf8.ValidString(v) || !ordinary(v) || checked(v) || hashed.MatchString(v) {
		return nil
	}
	runes, stem := []rune(v), stemOf(v)
	account := 0 // the number of an account of a cloud is the same in all that it holds
	if strings.HasPrefix(v, "arn:") {
		account = utf8.RuneCountInString(v[:strings.LastIndexByte(v, ':')])
	}
	places := slices.DeleteFunc(digitPlaces(runes), func(p place) bool { return p.at >= stem || p.at < account })
	random.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	places = places[:min(len(places), placesChanged)]
	all := []string{v}
	for range maxTries {
		next := slices.Clone(runes)
		for _, p := range places {
			next[p.at] = rune(p.any[random.IntN(len(p.any))])
		}
		if o := string(next); !slices.Contains(all, o) && ordinary(o) && stemOf(o) == stem && fit(o) {
			if all = append(all, o); len(all) == quizOptions {
				return all
			}
		}
	}
	return nil
}

// placesChanged is how many digits differ between made options.
const placesChanged = 2

// ordinary reports whether no number in a value looks made up: none counts up or down or
// repeats a digit three times, or ends with 00, and of a sum or a count three digits are left where its round
// end is taken off, or both of two.
func ordinary(v string) bool {
	runes := []rune(v)
	for _, n := range numbersIn(runes) {
		for i := n.from + 2; i < n.to; i++ {
			if d := runes[i] - runes[i-1]; d >= -1 && d <= 1 && d == runes[i-1]-runes[i-2] && runes[i] != '0' {
				return false
			}
		}
	}
	stem := stemOf(v)
	if !isSum(v) && slices.ContainsFunc(numbersIn(runes), func(n number) bool { return n.most == "" && n.to-n.from > 2 && string(runes[n.to-2:n.to]) == "00" }) { // 8000-9000
		return false
	}
	return !isSum(v) || stem > 2 || stem == len(v) && stem > 1
}

// isSum reports whether a value is a sum or a count: a number, with a currency at most.
func isSum(v string) bool {
	return v != "" && v[0] >= '0' && v[0] <= '9' && strings.Trim(v, "0123456789., ABCDEFGHIJKLMNOPQRSTUVWXYZ€$£") == ""
}

// stemOf is where the round end of a sum begins (00, .99, 50), which all its options have in
// common; of any other value, and where a sum has none, it is the end.
func stemOf(v string) int {
	if !isSum(v) {
		return len(v)
	}
	number := strings.TrimRight(v, " ABCDEFGHIJKLMNOPQRSTUVWXYZ€$£")
	return len(strings.TrimRight(number, "059.,"))
}

// checked reports whether a value may carry check digits, as an IBAN or the number of a card
// or an article does, by which whoever knows the rule finds the one that is valid.
func checked(v string) bool {
	digits := strings.Map(func(r rune) rune {
		if r == ' ' || r == '-' {
			return -1
		}
		return r
	}, v)
	if len(digits) < 12 {
		return false
	}
	rest := strings.TrimLeftFunc(digits, unicode.IsUpper)
	return len(digits)-len(rest) <= 2 && strings.Trim(rest, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" && len(strings.Trim(rest, "0123456789")) <= 8
}

// hashed are hashes and UUIDs, of which nobody keeps the middle in mind.
var hashed = regexp.MustCompile(`(?i)[0-9a-f][0-9a-f-]{14,}[0-9a-f]`)

// isDay reports whether a value is a date and nothing else.
func isDay(v string) bool {
	_, err := time.Parse(time.DateOnly, v)
	return err == nil
}

// days are four days of one month, v among them: all of them working days, or none. The
// first and the last days, the tenth, the fifteenth and the twentieth are the usual ones.
func days(v string, random source) []string {
	right, _ := time.Parse(time.DateOnly, v)
	weekend := func(t time.Time) bool { return t.Weekday() == time.Saturday || t.Weekday() == time.Sunday }
	var all []string
	for d := 2; d <= 27; d++ {
		if t := time.Date(right.Year(), right.Month(), d, 0, 0, 0, 0, time.UTC); d != 10 && d != 15 && d != 20 && weekend(t) == weekend(right) {
			all = append(all, t.Format(time.DateOnly))
		}
	}
	at := slices.Index(all, v)
	if at < 0 {
		return nil
	}
	all = slices.Delete(all, at, at+1)
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return append(all[:quizOptions-1], v)
}

// place is a digit that can be others.
type place struct {
	at  int // in runes
	any string
}

// digitPlaces are the digits that can be any other. Zeros before a number stay, and so
// does its first digit: it is seldom just any. An address stays an address.
func digitPlaces(v []rune) (places []place) {
	for _, n := range numbersIn(v) {
		if n.most == years || n.most == clock || n.most == network {
			continue
		}
		first := n.from
		for first < n.to-1 && v[first] == '0' {
			first++
		}
		for i := first + 1; i < n.to; i++ {
			any := "0123456789"
			if n.most != "" {
				any = below(n.most, string(v[n.from:i]), any)
			}
			if strings.ContainsRune(any, v[i]) && len(any) > 3 {
				places = append(places, place{i, any})
			}
		}
	}
	// The last ones: what comes first is often the same everywhere (a bank, a region).
	return places[max(0, len(places)-lastDigits):]
}

// lastDigits is how many of the digits of a value may change.
const lastDigits = 4

// below keeps the digits that may follow the beginning of a number of as many
// digits as most, whatever comes behind them.
func below(most, begin, any string) (kept string) {
	for _, d := range any {
		if begin+string(d) < most[:len(begin)+1] {
			kept += string(d)
		}
	}
	return kept
}

// number is a run of digits. most is the largest that it can be, of a part of a date,
// a time or an address; empty where it can be any.
type number struct {
	from, to int
	most     string
}

func numbersIn(v []rune) (all []number) {
	isDigit := func(i int) bool { return i >= 0 && i < len(v) && v[i] >= '0' && v[i] <= '9' }
	for i := 0; i < len(v); i++ {
		if !isDigit(i) {
			continue
		}
		n := number{from: i}
		for isDigit(i) {
			i++
		}
		n.to = i
		all = append(all, n)
	}
	limit(v, all)
	return all
}

// years, clock and network say that a number is a year, of a time or of the beginning of an
// address; none of them is ever changed.
const years, clock, network = "year", "time", "network"

// limit says which numbers are a year or a time (2026-03-01T12:00:00) or parts of an
// address (10.0.0.1).
func limit(v []rune, all []number) {
	between := func(i int) string {
		if i+1 < len(all) {
			return string(v[all[i].to:all[i+1].from])
		}
		return ""
	}
	width := func(i, n int) bool { return i < len(all) && all[i].to-all[i].from == n }
	for i := range all {
		switch {
		case width(i, 4) && isYear(string(v[all[i].from:all[i].to])), width(i, 8) && isDate(string(v[all[i].from:all[i].to])):
			all[i].most = years
		case width(i, 2) && width(i+1, 2) && between(i) == ":":
			all[i].most, all[i+1].most = clock, clock
		case i+3 < len(all) && between(i) == "." && between(i+1) == "." && between(i+2) == "." && all[i].most == "":
			all[i].most, all[i+1].most = network, network
			if between(i+3) == "/" {
				all[i+4].most = network // how much of it is the network
			}
			if last := all[i+3]; string(v[last.from:last.to]) != "0" {
				all[i+2].most = network
			}
			for k := i + 2; k < i+4; k++ {
				if all[k].most == "" && all[k].to-all[k].from == 3 {
					all[k].most = "256"
				}
			}
		}
	}
}

// isDate reports whether eight digits are a date: 20261002.
func isDate(digits string) bool {
	_, err := time.Parse("20060102", digits)
	return err == nil && isYear(digits[:4])
}

// isYear reports whether four digits are a year that people write.
func isYear(digits string) bool {
	return len(digits) == 4 && (digits >= "1990" && digits <= "2039")
}

// lastLatin is the end of Latin Extended-B; letters behind it look different.
const lastLatin = 'ɏ'

// look is what values of a pool have in common that stand together: the shape, or of words
// the order of words and signs, whatever their lengths. Those are drawn as often as they
// occur, so that none stands out that does not occur seldom.
func look(v string) string {
	of := shape(v)
	if strings.ContainsRune(of, '0') {
		return of
	}
	var kept []rune
	for _, r := range of {
		if len(kept) == 0 || r != kept[len(kept)-1] {
			kept = append(kept, r)
		}
	}
	return string(kept)
}

// shape is the classes of characters of a value: same shape, same look. Lengths
// count, so that no option stands out by its length.
func shape(v string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsDigit(r):
			return '0'
		case unicode.IsLetter(r) && r > lastLatin:
			return '文'
		case unicode.IsUpper(r):
			return 'A'
		case unicode.IsLetter(r):
			return 'a'
		default:
			return r
		}
	}, v)
}
