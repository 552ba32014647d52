package approvals

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Options are of one kind, shape and length, and none is the one from which the others were made:
// a set of values of one kind, values that other agents' requests had under the same name, or what
// the value would be with two of its places changed, each of the four having one of two at each
// place. A place changes into what could stand there: a digit, another day, a word of the same kind.

// options are n texts, the value among them; nil where no good ones can be made.
func (s subject) options(w around, n int, random *rand.Rand) []string {
	if s.make != nil {
		return s.make(w, n, random)
	}
	if s.set != nil {
		return fromSet(s.value, s.set.Of, s.not, n, random)
	}
	var alike []string
	for _, v := range w.pool[s.of] {
		if look(v) == look(s.value) && !w.own[v] && max(len(v), len(s.value)) <= min(len(v), len(s.value))*3/2+2 {
			alike = append(alike, v)
		}
	}
	if all := fromSet(s.value, alike, s.not, n, random); all != nil {
		return all
	}
	return changed(s.value, s.sites(random), s.not, n, random)
}

// sites are the places at which the value can be another one.
func (s subject) sites(random *rand.Rand) []site {
	if s.set == nil {
		return sites(s.value, s.words, random)
	}
	return []site{{0, len(s.value), without(s.set.Of, append(slices.Clone(s.not), s.value), random)}}
}

// set is values of one kind.
type set struct {
	Ask             string   // what is asked, of what runs
	Given           bool     // they say who may do what, or how far a call reaches
	Named, With, Of []string // words of the argument's name; words of the text
}

// setOf is the set that a value is of, under a name of these words; nil for none.
func setOf(v string, name []string) *set {
	at := slices.IndexFunc(lists.Sets, func(s set) bool {
		return slices.Contains(s.Of, v) && (s.Named == nil || slices.ContainsFunc(name, func(w string) bool { return slices.Contains(s.Named, w) }))
	})
	if at < 0 {
		return nil
	}
	return &lists.Sets[at]
}

// fromSet is the right text and n-1 of a set, but for those of not; nil where there are too few.
func fromSet(right string, set, not []string, n int, random *rand.Rand) []string {
	all := without(set, append(slices.Clone(not), right), random)
	if len(all) < n-1 {
		return nil
	}
	for i, fits := range []func(string) bool{func(v string) bool { return len(v) <= len(right) }, func(v string) bool { return len(v) >= len(right) }} {
		if at := slices.IndexFunc(all[i:], fits); at >= 0 { // the right one is neither the shortest nor the longest
			all[i], all[i+at] = all[i+at], all[i]
		}
	}
	return append(all[:n-1], right)
}

// site is a place of a value at which it can be another one, and what can stand there.
type site struct {
	from, to int
	others   []string
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
			if !slices.ContainsFunc(texts, func(t string) bool { return slices.Contains(not, t) }) {
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

// whole are dates and addresses: which places of them can be others, from what number to what, and in
// how many digits.
var whole = []struct {
	what            *regexp.Regexp
	from, to, width int
}{
	{regexp.MustCompile(`\b(?:19|20)\d\d-\d\d-(\d\d)`), 1, 29, 2},
	{regexp.MustCompile(`\b(?:19|20)\d\d[./-](0[1-9]|1[0-2])\b`), 1, 13, 2},
	{regexp.MustCompile(`\b(\d{1,3})(?:\.\d{1,3}){3}/\d`), 11, 220, 1},
	{regexp.MustCompile(`\b\d{1,3}\.\d{1,3}\.(\d{1,3})\.(\d{1,3})\b`), 2, 250, 1},
}

var (
	runs   = regexp.MustCompile(`[A-Za-z0-9]+`)
	digits = regexp.MustCompile(`\d+`)
	upper  = regexp.MustCompile(`\p{Lu}+`)
	lower  = regexp.MustCompile(`\p{Ll}+`)
)

// sites are the places of a value: its day, numbers of an address, the end of a path that means
// something, a digit, a word that others of its kind can stand for, and in the middle of what chance
// made any character.
func sites(v string, words []string, random *rand.Rand) (all []site) {
	for _, w := range whole {
		for at := w.what.FindStringSubmatchIndex(v); len(at) > 2; at = append(at[:2], at[4:]...) {
			var others []string
			for _, n := range random.Perm(w.to - w.from)[:8] {
				others = append(others, fmt.Sprintf("%0*d", w.width, w.from+n))
			}
			all = append(all, site{at[2], at[3], without(others, []string{v[at[2]:at[3]]}, random)})
		}
		if all != nil {
			return all
		}
	}
	for _, ends := range lists.Ends {
		for _, end := range ends {
			if stem, ok := strings.CutSuffix(v, end); ok && (stem == "" || strings.HasSuffix(stem, "/")) {
				return []site{{len(stem), len(v), without(ends, []string{end}, random)}}
			}
		}
	}
	runs := runs.FindAllStringIndex(v, -1)
	for i, r := range runs {
		text := v[r[0]:r[1]]
		digits := digits.FindAllStringIndex(text, -1)
		switch letters := len(strings.Trim(text, "0123456789")) > 0; {
		case slices.Contains(lists.Fixed, strings.ToLower(text)), r[1] < len(v) && (v[r[1]] == ':' && len(digits) == 0 || v[r[1]] == '|'), r[0] == 1 && v[0] == '/', strings.HasSuffix(v[:r[0]], "home/"), strings.HasSuffix(v[:r[0]], "Users/"),
			letters && len(digits) > 0 && len(text) <= 3 && len(runs) > 1: // user:…, s3:…
		case len(digits) > 1 && len(text) >= 8, letters && len(digits) > 0 && len(text) > 11, !letters && len(text) > 14: // by chance: four characters in the middle
			for _, at := range []int{r[0] + len(text)/4, r[0] + len(text)*5/8} {
				all = append(all, site{at, at + min(4, len(text)/4), chunks(text, v[at:at+min(4, len(text)/4)], random)})
			}
		case len(digits) > 0:
			for _, d := range digits {
				all = append(all, numbers(text[d[0]:d[1]], r[0]+d[0], len(runs) == 1 || letters, random)...)
			}
		default:
			last := i == len(runs)-1 && i > 0 && v[r[0]-1] == '.' // of a name of a host or file
			if others := wordsLike(text, v, words, last, random); len(others) > 0 {
				all = append(all, site{r[0], r[1], others})
			}
		}
	}
	return all[max(0, len(all)-lastSites):]
}

// lastSites is how many places may change: what comes first is often the same everywhere.
const lastSites = 4

// chunks are other stretches for one of a text that chance made, of the characters that it has.
func chunks(text, chunk string, random *rand.Rand) (all []string) {
	of := "0123456789"
	hex := strings.Trim(strings.TrimPrefix(text, "0x"), "0123456789abcdefABCDEF") == ""
	for _, class := range []string{"abcdefghjkmnpqrstuvwxyz", "ABCDEFGHJKMNPQRSTUVWXYZ"} {
		if strings.ContainsAny(strings.TrimPrefix(text, "0x"), class) {
			if hex {
				class = class[:6]
			}
			of += class
		}
	}
	for len(all) < 5 {
		if o := strings.Map(func(rune) rune { return rune(of[random.IntN(len(of))]) }, chunk); o != chunk && !slices.Contains(all, o) {
			all = append(all, o)
		}
	}
	return all
}

// numbers are the digits of a number that may be others: its magnitude stays, and how round it
// ends. A year is none.
func numbers(text string, at int, alone bool, random *rand.Rand) (all []site) {
	if len(text) == 4 && text >= "1990" && text <= "2039" && !alone {
		return nil
	}
	stem := strings.TrimRight(text, "0")
	for i := range len(stem) {
		not := []string{stem[i : i+1]}
		if i == 0 || i == len(stem)-1 && len(stem) < len(text) { // no number begins with 0
			not = append(not, "0")
		}
		all = append(all, site{at + i, at + i + 1, without(strings.Split("0123456789", ""), not, random)[:5]})
	}
	if stem == "" && alone {
		all = append(all, site{at, at + 1, []string{"1", "2", "3", "4", "5"}})
	}
	return all
}

// look is the classes of characters of a value, however many of each: values of one look stand
// together.
func look(v string) string {
	return lower.ReplaceAllString(upper.ReplaceAllString(digits.ReplaceAllString(v, "0"), "A"), "a")
}

// without are those of a list but for some, in a random order.
func without(list, not []string, random *rand.Rand) []string {
	all := slices.DeleteFunc(slices.Clone(list), func(w string) bool { return slices.Contains(not, w) })
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	return all
}

// wordsLike are other words that could stand for one in v, written as it is: those of its kind, or
// of list. The last part of a name with points is an ending, unless it names an environment.
func wordsLike(word, v string, list []string, last bool, random *rand.Rand) []string {
	lower := strings.ToLower(word)
	write := func(w string) string { return w }
	switch {
	case word == lower:
	case word == strings.ToUpper(word):
		write = strings.ToUpper
	case word[1:] == lower[1:]:
		write = func(w string) string { return strings.ToUpper(w[:1]) + w[1:] }
	default:
		return nil
	}
	at := slices.IndexFunc(lists.Words, func(kind []string) bool { return slices.Contains(kind, lower) || slices.Contains(kind, word) })
	switch {
	case last && at != 0 && !slices.Contains(lists.People, lower), lower == "test" && strings.Contains(v, "."):
		return nil
	case slices.Contains(lists.People, lower):
		list = lists.People
	case at >= 0:
		list = lists.Words[at]
	case len(word) < 4 || word != lower || len(word) == len(v): // nothing says of what kind it is
		return nil
	case strings.HasPrefix(v, word+"@"):
		list = lists.People
	case strings.Contains(v, "@") && strings.LastIndex(v, word) > strings.IndexByte(v, '@'):
		list = lists.Companies
	}
	var all []string
	for _, w := range without(list, []string{lower, word}, random) {
		if !strings.Contains(strings.ToLower(v), w) && max(len(w), len(word))-min(len(w), len(word)) <= 6 {
			all = append(all, write(w))
		}
	}
	return all
}

// commands are the command and n-1 others, with other values inside, or other words of one kind.
func commands(text string, inside []subject, n int, random *rand.Rand) []string {
	var all []site
	for _, v := range inside {
		at := holds(text, v.value)
		if at < 0 || slices.ContainsFunc(all, func(s site) bool { return at < s.to && s.from < at+len(v.value) }) {
			continue
		}
		for _, s := range v.sites(random) {
			all = append(all, site{at + s.from, at + s.to, s.others})
			break
		}
	}
	if program := strings.IndexByte(text, ' '); len(all) == 0 {
		all = slices.DeleteFunc(sites(text, nil, random), func(s site) bool { return s.from < program })
	}
	return changed(text, all, nil, n, random)
}

// holds is where a word stands in a text, and not in a longer one; -1 for nowhere.
func holds(text, word string) int {
	in := func(b byte) bool {
		return b == '_' || b == '-' || b == '/' || b == '@' || b >= '0' && b <= '9' || b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z'
	}
	for from := 0; ; {
		at := strings.Index(text[from:], word)
		if at < 0 || word == "" {
			return -1
		}
		at, from = from+at, from+at+1
		end := at + len(word)
		if (at == 0 || !in(text[at-1]) || !in(word[0])) && (end == len(text) || !in(text[end]) || !in(word[len(word)-1])) {
			return at
		}
	}
}

// named are the words of a list as names of arguments are written, by the first of these that shows
// it: skipChecks, skip-checks.
func named(list, as []string) []string {
	style := as[max(0, slices.IndexFunc(as, func(n string) bool { return strings.ContainsAny(n, "_-") || n != strings.ToLower(n) }))]
	all := slices.Clone(list)
	for i, w := range all {
		switch {
		case style == strings.ToUpper(style):
			all[i] = strings.ToUpper(w)
		case strings.Contains(style, "-"):
			all[i] = strings.ReplaceAll(w, "_", "-")
		case !strings.Contains(style, "_") && style != strings.ToLower(style):
			all[i] = under.ReplaceAllStringFunc(w, func(m string) string { return strings.ToUpper(m[1:]) })
		}
	}
	return all
}

var under = regexp.MustCompile(`_.`)

// family are the flags of the kind of one.
func family(words []string) []string {
	name := strings.Join(words, "_")
	at := slices.IndexFunc(lists.Flags, func(kind []string) bool { return slices.Contains(kind, name) })
	if at < 0 {
		return nil
	}
	return lists.Flags[at]
}

//go:embed quiz_options.yaml
var quizYAML []byte

// lists are what options are made of; quiz_options.yaml says of each what it is.
var lists = func() (l struct {
	Sets, Said                                []set
	Words, Ends, Flags                        [][]string
	Verbs                                     []struct{ Of, By []string }
	HeldFor                                   map[string]string `yaml:"held_for"`
	Near                                      map[string][]string
	Fixed, Any, Never, Untold, Files, Toggles []string
	Unasked, Common, Named, Prose             []string
	Persons, Owners, Prepositions             []string
	People, Companies                         []string
	Spelled, Participles                      map[string]string
},
) {
	if err := yaml.Unmarshal(quizYAML, &l); err != nil {
		panic("approvals: the embedded lists of the quiz: " + err.Error()) // a test loads them
	}
	l.Words = append(l.Words, l.Companies)
	return l
}()
