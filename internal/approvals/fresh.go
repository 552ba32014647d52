package approvals

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Wrong options for a value that nothing else in the tenant holds: values that are
// made, which nothing else holds either. They differ from the right one in one or
// two places, each of which takes any of the letters, digits or words that could
// stand there, the right one among them. Which places and which alternatives there
// are follows from what all of the cell have in common.

// place is a stretch of a value that can be exchanged.
type place struct {
	from, to int // in runes
	any      []candidate
}

// fresh makes four values, v among them, none of which anything else holds; fewer
// where that cannot be.
func fresh(v, kind string, others *elsewhere, random *rand.Rand) (values []string, s strength) {
	if !utf8.ValidString(v) {
		return nil, weak
	}
	runes := []rune(v)
	if values = vary(runes, digitPlaces(runes), others, random); len(values) == quizOptions {
		return values, even
	}
	if values, ok := weighted(runes, others.places(kind, runes), others, random); len(values) == quizOptions && ok {
		return values, fair
	}
	if values, ok := weighted(runes, others.sounding(wordPlaces(runes)), others, random); len(values) == quizOptions && ok {
		return values, fair
	}
	// What is left is a guess at what people would write: asked when there is nothing else.
	if values, _ = weighted(runes, leadingPlaces(runes), others, random); len(values) == quizOptions {
		return values, weak
	}
	for _, places := range [][]place{wordPlaces(runes), digitPlaces(runes), leadingPlaces(runes), letterPlaces(runes)} {
		if values = vary(runes, places, nil, random); len(values) == quizOptions {
			return values, weak
		}
	}
	return nil, weak
}

// weighted exchanges one place, for what is there as often as its weight says.
func weighted(v []rune, places []place, others *elsewhere, random *rand.Rand) (values []string, ok bool) {
	if len(places) == 0 {
		return nil, false
	}
	p := places[random.IntN(len(places))]
	known := others.familiar(string(v))
	var cell []candidate
	right := -1
	for _, a := range p.any {
		made := string(v[:p.from]) + a.value + string(v[p.to:])
		if made == string(v) {
			right = len(cell)
		} else if others.all[made] > 0 || others.familiar(made) != known {
			continue
		}
		cell = append(cell, candidate{made, a.weight})
	}
	if right < 0 || len(cell) < quizOptions {
		return nil, false
	}
	return sample(cell, right, random)
}

// maxTries bounds how many values are made for three that will do.
const maxTries = 48

// vary exchanges two places, or one where there are no two or it leaves enough,
// each of them for anything that can stand there, with the same probability.
func vary(v []rune, places []place, others *elsewhere, random *rand.Rand) (values []string) {
	if len(places) == 0 {
		return nil
	}
	random.Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	if n := 2; len(places) > n || len(places[0].any) > 10 {
		if len(places[0].any) > 10 {
			n = 1
		}
		places = places[:n]
	}
	slices.SortFunc(places, func(a, b place) int { return a.from - b.from })
	values = []string{string(v)}
	known := 0
	if others != nil {
		known = others.familiar(string(v))
	}
	for range maxTries {
		var made strings.Builder
		at := 0
		for _, p := range places {
			made.WriteString(string(v[at:p.from]))
			made.WriteString(p.any[random.IntN(len(p.any))].value)
			at = p.to
		}
		made.WriteString(string(v[at:]))
		next := made.String()
		if slices.Contains(values, next) || others != nil && (others.all[next] > 0 || others.familiar(next) != known) {
			continue
		}
		if values = append(values, next); len(values) == quizOptions {
			return values
		}
	}
	return nil
}

// digits are candidates of equal weight.
func digits(all string) (any []candidate) {
	for _, d := range all {
		any = append(any, candidate{string(d), 1})
	}
	return any
}

// leading are the digits that a number begins with, by how often it does (Benford).
func leading() (any []candidate) {
	for d := 1; d <= 9; d++ {
		any = append(any, candidate{string(rune('0' + d)), math.Log10(1 + 1/float64(d))})
	}
	return any
}

// digitPlaces are the digits that can be any other. Zeros before a number stay, and
// so does its first digit: it is seldom just any. Zeros at its end stay, so that a
// round number stands among round ones, and the last digit before them is none. A
// date stays a date and an address an address.
func digitPlaces(v []rune) (places []place) {
	for _, n := range numbersIn(v) {
		first, end := n.from, n.to
		for first < end-1 && v[first] == '0' {
			first++
		}
		for end > first+1 && v[end-1] == '0' {
			end--
		}
		for i := first + 1; i < end; i++ {
			any := "0123456789"
			if i == end-1 && end < n.to {
				any = "123456789"
			}
			if n.most != "" {
				any = below(n.most, string(v[n.from:i]), any)
			}
			if strings.ContainsRune(any, v[i]) && len(any) > 1 {
				places = append(places, place{i, i + 1, digits(any)})
			}
		}
	}
	// The last ones: what comes first is often the same everywhere (a bank, a year, a region).
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

// leadingPlaces are the first digits, for values that have no others.
func leadingPlaces(v []rune) (places []place) {
	for _, n := range numbersIn(v) {
		if v[n.from] != '0' && (n.most == "" || n.most == years) {
			places = append(places, place{n.from, n.from + 1, leading()})
		}
	}
	return places
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

// years is what a year stays below.
const years = "2030"

// limit says which numbers are parts of a date and time (2026-03-01T12:00:00) or
// of an address (10.0.0.1).
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
		case width(i, 4) && width(i+1, 2) && between(i) == "-":
			all[i].most, all[i+1].most = years, "12"
			if width(i+2, 2) && between(i+1) == "-" {
				all[i+2].most = "28"
			}
		case width(i, 4) && (v[all[i].from] == '2' && v[all[i].from+1] == '0' || v[all[i].from] == '1' && v[all[i].from+1] == '9'):
			all[i].most = years
		case width(i, 2) && width(i+1, 2) && between(i) == ":":
			all[i].most, all[i+1].most = "24", "00"
			if width(i+2, 2) && between(i+1) == ":" {
				all[i+2].most = "00"
			}
		case i+3 < len(all) && between(i) == "." && between(i+1) == "." && between(i+2) == "." && all[i].most == "":
			for k := i; k < i+4; k++ {
				all[k].most = "256"[:min(3, all[k].to-all[k].from)]
				if all[k].to-all[k].from < 3 {
					all[k].most = ""
				}
			}
		}
	}
}

// wordPlaces are the words for which there are others.
func wordPlaces(v []rune) (places []place) {
	for _, w := range wordsIn(v) {
		if any := wordsLike(string(v[w[0]:w[1]])); len(any) >= quizOptions {
			places = append(places, place{w[0], w[1], any})
		}
	}
	return places
}

// letterPlaces are the letters.
func letterPlaces(v []rune) (places []place) {
	for i, r := range v {
		if unicode.IsLetter(r) {
			places = append(places, place{i, i + 1, lettersLike(r)})
		}
	}
	return places
}

// lettersLike are the letters that could stand for r: vowels for vowels, so that
// words stay readable, and of another script those of the same eight code points.
func lettersLike(r rune) (any []candidate) {
	const vowels, consonants = "aeiou", "bcdfghjklmnpqrstvwxyz"
	lower := unicode.ToLower(r)
	from := consonants
	switch {
	case lower < 'a' || lower > 'z':
		from = ""
		for n := r &^ 7; n <= r|7; n++ {
			if n == r || unicode.IsLetter(n) && shape(string(n)) == shape(string(r)) {
				from += string(n)
			}
		}
		return digits(from)
	case strings.ContainsRune(vowels, lower):
		from = vowels
	}
	for _, c := range from {
		if unicode.IsUpper(r) {
			c = unicode.ToUpper(c)
		}
		any = append(any, candidate{string(c), 1})
	}
	return any
}
