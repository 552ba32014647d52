package approvals

import (
	_ "embed"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"gopkg.in/yaml.v3"
)

// Options are of one kind, shape and length, and none is the one from which the others were made:
// values that other agents' requests had, a closed set that everybody knows, or what the value
// would be with two of its places changed, each of the four having one of two words or digits at
// each place.

// options are n texts, the value among them; nil where no good ones can be made.
func (s subject) options(w around, n int, random *rand.Rand) []string {
	if s.make != nil {
		return s.make(w, n, random)
	}
	for _, set := range closed {
		if slices.Contains(set, s.value) && (set[0] != "GET" || strings.Contains(s.about, "method")) {
			if all := fromSet(s.value, set, s.not, n, random); all != nil {
				return all
			}
		}
	}
	if day, err := time.Parse(time.DateOnly, s.value); err == nil {
		var days []string
		for d := -9; d < 10; d++ {
			days = append(days, day.AddDate(0, 0, d).Format(time.DateOnly))
		}
		return fromSet(s.value, days, s.not, n, random)
	}
	var alike []string
	for _, v := range w.pool[s.about] {
		if look(v) == look(s.value) && !w.own[v] && similar(v, s.value) {
			alike = append(alike, v)
		}
	}
	if all := fromSet(s.value, alike, s.not, n, random); all != nil {
		return all
	}
	return siblings(s.value, s.words, s.not, n, random)
}

// isClosed reports whether everybody knows a set that a value is of.
func isClosed(v string) bool {
	return slices.ContainsFunc(closed, func(set []string) bool { return slices.Contains(set, v) })
}

func similar(a, b string) bool {
	x, y := utf8.RuneCountInString(a), utf8.RuneCountInString(b)
	return max(x, y)-min(x, y) <= 2+max(x, y)/3
}

// fromSet is the right text and n-1 of a set, but for those of not; nil where there are too few.
func fromSet(right string, set, not []string, n int, random *rand.Rand) []string {
	all := slices.DeleteFunc(slices.Clone(set), func(v string) bool { return v == right || slices.Contains(not, v) })
	if len(all) < n-1 {
		return nil
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return append(all[:n-1], right)
}

// site is a place of a value at which it can be another one, and what can stand there.
type site struct {
	from, to int
	others   []string
}

// siblings are the value and n-1 others with one or two places changed.
func siblings(v string, like, not []string, n int, random *rand.Rand) []string {
	return changed(v, sites(v, like, random), not, n, random)
}

// changed chooses two of the sites, and n texts that differ in those: of four, each has one of two
// at either place.
func changed(v string, all []site, not []string, n int, random *rand.Rand) []string {
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if len(all) > 1 && len(all[1].others) >= n/2-1 {
		x, y := all[0], all[1]
		if x.from > y.from {
			x, y = y, x
		}
		if len(x.others) > 0 && x.to <= y.from && len(y.others) >= n/2-1 {
			var texts []string
			for _, p := range []string{v[x.from:x.to], x.others[0]} {
				for _, q := range append([]string{v[y.from:y.to]}, y.others[:n/2-1]...) {
					texts = append(texts, v[:x.from]+p+v[x.to:y.from]+q+v[y.to:])
				}
			}
			if !clashes(texts, not) {
				return texts
			}
		}
	}
	for _, s := range all {
		texts := []string{v}
		for _, o := range s.others {
			if t := v[:s.from] + o + v[s.to:]; len(texts) < n && !slices.Contains(not, t) && !slices.Contains(texts, t) {
				texts = append(texts, t)
			}
		}
		if len(texts) == n {
			return texts
		}
	}
	return nil
}

func clashes(texts, not []string) bool {
	for i, t := range texts {
		if slices.Contains(not, t) || slices.Contains(texts[:i], t) {
			return true
		}
	}
	return false
}

// octets are the last two numbers of an address of IPv4, and others that they may be.
func octets(v string, random *rand.Rand) (all []site) {
	address, _, _ := strings.Cut(v, "/")
	if ip, err := netip.ParseAddr(address); err != nil || !ip.Is4() {
		return nil
	}
	for _, r := range runsIn(address)[2:] {
		var others []string
		for len(others) < 5 {
			if o := strconv.Itoa(2 + random.IntN(250)); o != v[r[0]:r[1]] && !slices.Contains(others, o) {
				others = append(others, o)
			}
		}
		all = append(all, site{r[0], r[1], others})
	}
	return all
}

// sites are the places of a value: a word that could be another one of these words, a digit, and in
// the middle of what chance made any character.
func sites(v string, words []string, random *rand.Rand) (all []site) {
	if all = octets(v, random); all != nil {
		return all
	}
	runs := runsIn(v)
	for i, r := range runs {
		text := v[r[0]:r[1]]
		letters, digits := classes(text)
		switch {
		case r[1] < len(v) && v[r[1]] == ':' && digits == 0, letters > 0 && len(text) <= 3 && digits > 0 && len(runs) > 1: // user:…, s3:…
		case letters > 0 && strings.TrimRight(text, "0123456789") != text && len(strings.TrimRight(text, "0123456789")) == letters && digits < 5: // Cluster0
			all = append(all, numbers(text[letters:], r[0]+letters, false, random)...)
		case letters > 0 && digits > 0 && len(text) >= 8, letters == 0 && len(text) > 14: // by chance: four characters in the middle
			for _, at := range []int{r[0] + len(text)/4, r[0] + len(text)*5/8} {
				all = append(all, site{at, at + min(4, len(text)/4), chunks(text, v[at:at+min(4, len(text)/4)], random)})
			}
		case letters > 0 && digits > 0:
			for at := r[0]; at < r[1]; at++ {
				if v[at] >= '0' && v[at] <= '9' {
					all = append(all, site{at, at + 1, like(v[at], random)})
				}
			}
		case letters == 0 && digits > 0:
			all = append(all, numbers(text, r[0], len(runs) == 1, random)...)
		case digits == 0 && len(text) > 3 && !(i == len(runs)-1 && i > 0 && r[0] > 0 && v[r[0]-1] == '.'):
			if others := wordsLike(text, v, words, random); len(others) > 0 {
				all = append(all, site{r[0], r[1], others})
			}
		}
	}
	if len(all) == 0 { // short words: eu, db
		for _, r := range runs {
			if others := wordsLike(v[r[0]:r[1]], v, words, random); len(others) > 0 {
				all = append(all, site{r[0], r[1], others})
			}
		}
	}
	return all[max(0, len(all)-lastSites):]
}

// lastSites is how many places may change: what comes first is often the same everywhere.
const lastSites = 4

// runsIn are the runs of letters and digits.
func runsIn(v string) (all [][2]int) {
	start := -1
	for i, r := range v + " " {
		inside := r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r))
		switch {
		case inside && start < 0:
			start = i
		case !inside && start >= 0:
			all, start = append(all, [2]int{start, i}), -1
		}
	}
	return all
}

// chunks are other stretches for one of a text that chance made, of the characters that it has.
func chunks(text, chunk string, random *rand.Rand) (all []string) {
	of := "0123456789"
	for _, class := range []string{"abcdefghjkmnpqrstuvwxyz", "ABCDEFGHJKMNPQRSTUVWXYZ"} {
		if strings.ContainsAny(text, class) {
			of += class
		}
	}
	if of != "0123456789" && strings.Trim(text, "0123456789abcdef") == "" {
		of = "0123456789abcdef"
	}
	for len(all) < 5 {
		b := make([]byte, len(chunk))
		for i := range b {
			b[i] = of[random.IntN(len(of))]
		}
		if o := string(b); o != chunk && !slices.Contains(all, o) {
			all = append(all, o)
		}
	}
	return all
}

func classes(text string) (letters, digits int) {
	for _, r := range text {
		if unicode.IsDigit(r) {
			digits++
		} else {
			letters++
		}
	}
	return letters, digits
}

// like are other characters of the kind of one.
func like(b byte, random *rand.Rand) []string {
	of := "0123456789"
	for _, class := range []string{"abcdefghijkmnpqrstuvwxyz", "ABCDEFGHJKLMNPQRSTUVWXYZ"} {
		if strings.IndexByte(class, b) >= 0 {
			of = class
		}
	}
	all := strings.Split(strings.ReplaceAll(of, string(b), ""), "")
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:5]
}

// numbers are the digits of a number that may be others: its magnitude stays, and how round it
// ends. A year is none.
func numbers(text string, at int, alone bool, random *rand.Rand) (all []site) {
	if len(text) == 4 && text >= "1990" && text <= "2039" && !alone {
		return nil
	}
	stem := strings.TrimRight(text, "0")
	for i := range len(stem) {
		others := like(stem[i], random)
		if i == 0 && len(text) > 1 { // no number begins with 0
			others = slices.DeleteFunc(others, func(o string) bool { return o == "0" })
		}
		if i == len(stem)-1 && len(stem) < len(text) {
			others = slices.DeleteFunc(others, func(o string) bool { return o == "0" })
		}
		all = append(all, site{at + i, at + i + 1, others})
	}
	if stem == "" {
		all = append(all, site{at, at + 1, []string{"1", "2", "3", "4", "5"}})
	}
	return all
}

// look is the classes of characters of a value, however many of each: values of one look stand
// together.
func look(v string) string {
	var kept []rune
	for _, r := range v {
		switch {
		case unicode.IsDigit(r):
			r = '0'
		case unicode.IsUpper(r):
			r = 'A'
		case unicode.IsLetter(r):
			r = 'a'
		}
		if len(kept) == 0 || r != kept[len(kept)-1] {
			kept = append(kept, r)
		}
	}
	return string(kept)
}

// wordsLike are other words that could stand for one in v: written as it is, and of its length but
// for three letters.
func wordsLike(word, v string, list []string, random *rand.Rand) []string {
	lower := strings.ToLower(word)
	write := func(w string) string { return w }
	switch {
	case word == lower:
	case word == strings.ToUpper(word): // a symbol, a code
		return nil
	case word[1:] == lower[1:]:
		write = func(w string) string { return strings.ToUpper(w[:1]) + w[1:] }
	default:
		return nil
	}
	switch {
	case strings.Contains(v, "@"):
		list = people
	case list == nil:
		list = nouns
	}
	var all []string
	for _, w := range list {
		if w != lower && !strings.Contains(strings.ToLower(v), w) && max(len(w), len(word))-min(len(w), len(word)) <= 3 {
			all = append(all, write(w))
		}
	}
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all[:min(len(all), 6)]
}

// commands are the command and n-1 others with other values inside, or with another flag or verb.
func commands(text string, inside []string, n int, random *rand.Rand) []string {
	var all []site
	for _, v := range inside {
		at := strings.Index(text, v)
		if slices.ContainsFunc(all, func(s site) bool { return at < s.to && s.from < at+len(v) }) {
			continue
		}
		for _, s := range sites(v, nil, random) {
			all = append(all, site{at + s.from, at + s.to, s.others})
			break
		}
	}
	at := 0
	for _, w := range strings.Fields(text) {
		from := at + strings.Index(text[at:], w)
		at = from + len(w)
		for _, set := range append([][]string{flagWords}, verbs...) {
			if slices.Contains(set, w) || slices.Contains(set, strings.ToLower(w)) && w == strings.ToUpper(w) {
				others := slices.DeleteFunc(slices.Clone(set), func(o string) bool { return o == strings.ToLower(w) })
				random.Shuffle(len(others), func(i, j int) { others[i], others[j] = others[j], others[i] })
				if w == strings.ToUpper(w) && w != strings.ToLower(w) {
					for i := range others {
						others[i] = strings.ToUpper(others[i])
					}
				}
				all = append(all, site{from, at, others})
				break
			}
		}
	}
	if program := strings.IndexByte(text, ' '); len(all) == 0 {
		all = slices.DeleteFunc(sites(text, nil, random), func(s site) bool { return s.from < program })
	}
	if texts := changed(text, all, nil, n, random); texts != nil {
		return texts
	}
	return []string{text, text + " --dry-run", text + " --help", "echo " + text, text + " --version", text + " --check"}[:n]
}

//go:embed quiz_options.yaml
var quizYAML []byte

// lists are what options are made of: sets that everybody knows, verbs of one danger, flags, and
// words that stand for others.
var lists = func() (l struct {
	Closed, Verbs            [][]string
	Any                      []string
	FlagNames                []string `yaml:"flag_names"`
	FlagWords                []string `yaml:"flag_words"`
	People, Companies, Nouns []string
},
) {
	if err := yaml.Unmarshal(quizYAML, &l); err != nil {
		panic("approvals: the embedded lists of the quiz: " + err.Error()) // a test loads them
	}
	return l
}()

var (
	closed, verbs            = lists.Closed, lists.Verbs
	anyVerb                  = lists.Any
	flagNames, flagWords     = lists.FlagNames, lists.FlagWords
	people, companies, nouns = lists.People, lists.Companies, lists.Nouns
)
