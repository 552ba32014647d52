package quiz

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
func (s subject) options(w Corpus, n int, random *rand.Rand) []string {
	if s.make != nil {
		return s.make(w, n, random)
	}
	if s.set != nil {
		return fromSet(s.value, s.set.Of, s.not, n, random)
	}
	var alike []string
	for _, v := range w.values[s.of] {
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
	return []site{{to: len(s.value), others: without(s.set.Of, append(slices.Clone(s.not), s.value), random)}}
}

// set is values of one kind.
type set struct {
	Ask             string   // what is asked, of what runs
	After           string   // the program that is told so
	Less            bool     // it tells little
	Given           bool     // they say who may do what, or how far a call reaches
	Named, With, Of []string // words of the argument's name; words of the text
}

// setOf is the set that a value is of, under a name of these words, written as it is; nil for none.
func setOf(v string, name []string) *set {
	for i, write := range []func(string) string{strings.Clone, strings.ToUpper, capital} {
		for _, s := range lists.Sets {
			at := slices.IndexFunc(s.Of, func(o string) bool { return write(o) == v && (i == 0 || o == strings.ToLower(o)) })
			if at < 0 || s.Named != nil && !slices.ContainsFunc(name, func(w string) bool { return slices.Contains(s.Named, w) }) {
				continue
			}
			s.Of = slices.Clone(s.Of)
			for k, o := range s.Of {
				s.Of[k] = write(o)
			}
			return &s
		}
	}
	return nil
}

func capital(w string) string { return strings.ToUpper(w[:1]) + w[1:] }

// nouns are the words that could stand for one of which nothing is known, by what names it: who, which
// company, which table. named is false where these are for any name.
func nouns(words []string) (of []string, named bool) {
	for len(words) > 1 && slices.Contains(lists.Naming, words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	for _, n := range lists.Nouns {
		if len(words) > 0 && slices.Contains(n.Named, strings.TrimSuffix(words[len(words)-1], "s")) {
			return n.Of, true
		}
	}
	return lists.Nouns[len(lists.Nouns)-1].Of, false
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
	weak     bool // nothing is known of it: it stays as it is where anything else can change
}

// changed chooses two of the sites, and n texts that differ in those: of four, each has one of two
// at either place.
func changed(v string, all []site, not []string, n int, random *rand.Rand) []string {
	known := slices.DeleteFunc(slices.Clone(all), func(s site) bool { return s.weak })
	if len(known) > 0 && len(known) < len(all) {
		if texts := changed(v, known, not, n, random); texts != nil {
			return texts
		}
	}
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
	spoken = regexp.MustCompile(`[a-z]{5}|[A-Z]{5}`)            // a word
	moment = regexp.MustCompile(`^\D?(?:19|20)\d{6}(T\d+)?Z?$`) // a day in digits
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
			all = append(all, site{from: at[2], to: at[3], others: without(others, []string{v[at[2]:at[3]]}, random)})
		}
		if all != nil {
			return all
		}
	}
	for _, ends := range lists.Ends {
		for _, end := range ends {
			if stem, ok := strings.CutSuffix(v, end); ok && (stem == "" || strings.HasSuffix(stem, "/")) {
				return []site{{from: len(stem), to: len(v), others: without(ends, []string{end}, random)}}
			}
		}
	}
	if s, ok := doing(v, random); ok {
		return []site{s}
	}
	var unknown []site // the last one of which nothing is known
	runs := runs.FindAllStringIndex(v, -1)
	for i, r := range runs {
		text := v[r[0]:r[1]]
		digits := digits.FindAllStringIndex(text, -1)
		letters := len(strings.Trim(text, "0123456789")) > 0
		chance := len(digits) > 1 && len(text) >= 8 || letters && len(digits) > 0 && len(text) > 11 ||
			!letters && len(text) > 14
		switch _, known := wordsLike(text, v, nil, false, random); {
		case known && len(digits) > 0: // q2
			others, _ := wordsLike(text, v, nil, false, random)
			all = append(all, site{from: r[0], to: r[1], others: others})
		case slices.Contains(lists.Fixed, strings.ToLower(text)), moment.MatchString(text), r[1] < len(v) && (v[r[1]] == ':' && len(digits) == 0 || v[r[1]] == '|'), r[0] == 1 && v[0] == '/', strings.HasSuffix(v[:r[0]], "home/"), strings.HasSuffix(v[:r[0]], "Users/"),
			letters && len(digits) > 0 && len(text) <= 3 && len(runs) > 1: // user:…, s3:…
		case chance && !spoken.MatchString(text): // four characters in the middle
			for _, at := range []int{r[0] + len(text)/4, r[0] + len(text)*5/8} {
				all = append(all, site{from: at, to: at + min(4, len(text)/4), others: chunks(text, v[at:at+min(4, len(text)/4)], random)})
			}
		case len(digits) > 0:
			for _, d := range digits {
				all = append(all, numbers(text[d[0]:d[1]], r[0]+d[0], len(runs) == 1 || letters, random)...)
			}
		default:
			last := i > 0 && v[r[0]-1] == '.' && (r[1] == len(v) || strings.ContainsRune("/:?", rune(v[r[1]]))) // of a name of a host or file
			switch others, known := wordsLike(text, v, words, last, random); {
			case known:
				all = append(all, site{from: r[0], to: r[1], others: others})
			case len(others) == 0 && words != nil && part.MatchString(text): // OrganizationAccountAccess
				at := part.FindStringIndex(text)
				for _, w := range without(words, nil, random) {
					others = append(others, capital(w))
				}
				unknown = []site{{from: r[0] + at[0], to: r[0] + at[1], others: others, weak: true}}
			case len(others) > 0 && !strings.Contains(v, " "):
				unknown = []site{{from: r[0], to: r[1], others: others, weak: true}}
			}
		}
	}
	return append(unknown, all[max(0, len(all)-lastSites):]...)
}

// camel is a name that begins with a word, and part a word in it.
var (
	camel = regexp.MustCompile(`^([A-Z]?[a-z]+)[A-Z]\w+$`)
	part  = regexp.MustCompile(`[A-Z][a-z]{4,}`)
)

// doing is the verb of a name like DeleteDBInstance, and which others can stand there.
func doing(v string, random *rand.Rand) (site, bool) {
	if at := camel.FindStringSubmatchIndex(v); at != nil {
		verb := strings.ToLower(v[:at[3]])
		for _, like := range lists.Verbs {
			if !slices.Contains(like.Of, verb) {
				continue
			}
			others := without(like.others(), []string{verb}, random)
			for i, o := range others {
				if verb != v[:at[3]] {
					others[i] = capital(o)
				}
			}
			return site{to: at[3], others: others}, true
		}
	}
	return site{}, false
}

// lastSites is how many places may change: what comes first is often the same everywhere.
const lastSites = 4

// chunks are other stretches for one of a text that chance made, of the same classes of characters; of
// hexadecimal digits, such.
func chunks(text, chunk string, random *rand.Rand) (all []string) {
	hex := strings.TrimPrefix(text, "0x")
	classes := []string{"0123456789", "abcdefghjkmnpqrstuvwxyz", "ABCDEFGHJKMNPQRSTUVWXYZ"}
	if strings.Trim(hex, "0123456789abcdef") == "" && strings.ContainsAny(hex, "abcdef") {
		classes = []string{"0123456789abcdef"}
	} else if strings.Trim(hex, "0123456789abcdefABCDEF") == "" {
		classes[1], classes[2] = "abcdef", "ABCDEF"
	}
	for range 40 {
		o := strings.Map(func(r rune) rune {
			for _, class := range classes {
				if strings.ContainsRune(class, r) {
					r = rune(class[random.IntN(len(class))])
					break
				}
			}
			return r
		}, chunk)
		if o != chunk && !slices.Contains(all, o) && len(all) < 5 {
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
	stem, zeros := strings.TrimRight(text, "0"), len(text)-len(strings.TrimLeft(text, "0"))
	for i := zeros; i < len(stem); i++ {
		not := []string{stem[i : i+1]}
		if i == zeros || i == len(stem)-1 && len(stem) < len(text) { // no number begins with 0
			not = append(not, "0")
		}
		all = append(all, site{from: at + i, to: at + i + 1, others: without(strings.Split("0123456789", ""), not, random)[:5]})
	}
	if stem == "" && alone {
		all = append(all, site{from: at, to: at + 1, others: []string{"1", "2", "3", "4", "5"}})
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
	if random != nil {
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	}
	return all
}

// wordsLike are other words that could stand for one in v, written as it is: those of its kind, or
// of list where nothing says of what kind it is (known is false). The last part of a name with points
// is an ending, unless it names an environment.
func wordsLike(word, v string, list []string, last bool, random *rand.Rand) (all []string, known bool) {
	lower := strings.ToLower(word)
	write := func(w string) string { return w }
	switch {
	case word == lower:
	case word == strings.ToUpper(word):
		write = strings.ToUpper
	case word[1:] == lower[1:]:
		write = capital
	default:
		return nil, false
	}
	at := slices.IndexFunc(lists.Words, func(kind []string) bool { return slices.Contains(kind, lower) || slices.Contains(kind, word) })
	mail := strings.IndexByte(v, '@')
	known = true
	switch {
	case last && (at < 0 || at > 0 && len(word) < 5) && !slices.Contains(lists.People, lower), lower == "test" && strings.Contains(v, "."):
		return nil, false
	case slices.Contains(lists.People, lower):
		list = lists.People
	case at >= 0:
		list = lists.Words[at]
	case len(word) < 3, len(word) < len(v) && (len(word) < 4 || word != lower) && !slices.Equal(list, lists.People):
		return nil, false
	case strings.HasPrefix(v, word+"@"), strings.HasPrefix(v, word+" ") && slices.Equal(list, lists.People):
		list = lists.People
	case mail > 0 && strings.LastIndex(v, word) > mail:
		list = lists.Companies
	default:
		known = false
	}
	for _, w := range without(list, []string{lower, word}, random) {
		if !strings.Contains(strings.ToLower(v), w) && max(len(w), len(word))-min(len(w), len(word)) <= 6 {
			all = append(all, write(w))
		}
	}
	return all, known && len(all) > 0
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
			all = append(all, site{from: at + s.from, to: at + s.to, others: s.others})
			break
		}
	}
	if texts := changed(text, all, nil, n, random); texts != nil {
		return texts
	}
	program := strings.IndexByte(text, ' ')
	all = slices.DeleteFunc(sites(text, nil, random), func(s site) bool {
		was := text[s.from:s.to]
		return s.from < program || !digits.MatchString(was) && (len(was) < 3 || was == strings.ToUpper(was)) // a keyword
	})
	if texts := changed(text, all, nil, n, random); texts != nil {
		return texts
	}
	for _, kind := range lists.Instead { // what a program is told to do, or what is called
		for _, word := range kind.Of {
			if from := holds(text, strings.TrimSpace(kind.After+" "+word)); from >= 0 {
				from += len(kind.After) + min(1, len(kind.After))
				return changed(text, []site{{from: from, to: from + len(word), others: without(kind.Of, []string{word}, random)}}, nil, n, random)
			}
		}
	}
	return nil
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

//go:embed options.yaml
var quizYAML []byte

// lists are what options are made of; options.yaml says of each what it is.
var lists = func() (l struct {
	Sets, Said, Nouns, Instead              []set
	Words, Ends, Flags                      [][]string
	Verbs                                   []verbs
	HeldFor                                 map[string]string `yaml:"held_for"`
	Near                                    map[string][]string
	Fixed, Any, Never, Untold, Files, Prose []string
	Many                                    []string
	Consent, Unasked, Common                []string
	Naming, Generic, Prepositions           []string
	People, Companies                       []string
	Spelled, Participles, Opposite          map[string]string
},
) {
	if err := yaml.Unmarshal(quizYAML, &l); err != nil {
		panic("quiz: the embedded lists of the quiz: " + err.Error()) // a test loads them
	}
	l.Words = append(l.Words, l.Companies)
	return l
}()
