package quiz

import (
	_ "embed"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Options are of one kind, shape and length: a set of values of one kind, values that other agents' requests had
// under the same name, or whole values that are made like it (made.go). Where a value has two parts that
// can be others, a mailbox and a host, each of the four has one of two at either.

// options are n texts, the value among them; nil where no good ones can be made.
func (s subject) options(w Corpus, n int, random *rand.Rand) []string {
	if s.make != nil {
		return s.make(w, n, random)
	}
	if s.set != nil {
		return s.set.around(s.value, s.not, n, random)
	}
	same := slices.Clone(s.beside)
	for _, v := range w.values[s.of] {
		if alike(s.value, v) && !w.own[v] && !slices.Contains(same, v) && max(len(v), len(s.value)) <= min(len(v), len(s.value))*3/2+2 && !twins(v, s.value) {
			same = append(same, v)
		}
	}
	if all := fromSet(s.value, same, s.not, n, random); all != nil {
		return all
	}
	all := changed(s.value, s.sites(random), s.not, n, random)
	if at := slices.IndexFunc(all, func(v string) bool { return v != s.value }); at >= 0 && s.beside != nil && !slices.Contains(all, s.beside[0]) {
		all[at] = s.beside[0]
	}
	return all
}

// twins reports whether two identifiers begin alike and differ in a few characters only.
func twins(v, o string) bool {
	same, differ := 0, max(len(v), len(o))-min(len(v), len(o))
	for i := range min(len(v), len(o)) {
		if v[i] != o[i] {
			differ++
		} else if differ == 0 {
			same++
		}
	}
	return opaque(v) && same > len(v)/2 && differ < 4
}

// sites are the places at which the value can be another one.
func (s subject) sites(random *rand.Rand) []site {
	if s.set == nil {
		return sites(s.value, s.noun, random)
	}
	return []site{{to: len(s.value), others: without(s.set.Of, append(slices.Clone(s.not), s.value), random)}}
}

// set is values of one kind.
type set struct {
	Ask             string   // what is asked
	After           string   // the program that is told so
	Less            bool     // it tells little
	Like            string   // how each value of it begins
	Given           bool     // they say who may do what, or how far a call reaches
	Mild            []string // those of them that do least
	Slight          []string // those of them that are never asked about
	Named, With, Of []string // words of the argument's name; words of the text
}

// around is a value of the set and n-1 others, of which one at least does less, or more, than it.
func (s set) around(right string, not []string, n int, random *rand.Rand) []string {
	all := without(s.Of, append(slices.Clone(not), right), random)
	mild := func(v string) bool { return slices.Contains(s.Mild, v) }
	if len(s.Mild) == 0 || len(all) < n-1 {
		return fromSet(right, all, nil, n, random)
	}
	slices.SortStableFunc(all, func(x, y string) int { // those as dangerous as the right one first
		return strings.Compare(strconv.FormatBool(mild(x) != mild(right)), strconv.FormatBool(mild(y) != mild(right)))
	})
	if last := len(all) - 1; mild(all[last]) != mild(right) {
		all[min(n-2, last)], all[last] = all[last], all[min(n-2, last)]
	}
	return append(all[:n-1:n-1], right)
}

// setOf is the set that a value is of, under a name of these words, written as it is; nil for none.
func setOf(v string, name []string) *set {
	for i, write := range []func(string) string{strings.Clone, strings.ToUpper, capital} {
		for _, s := range lists.Sets {
			at := slices.IndexFunc(s.Of, func(o string) bool { return write(o) == v && (i == 0 || o == strings.ToLower(o)) })
			if at < 0 && (s.Like == "" || !strings.HasPrefix(v, s.Like)) || s.Named != nil && !slices.ContainsFunc(name, func(w string) bool { return slices.Contains(s.Named, w) }) {
				continue
			}
			written := func(list []string) (all []string) {
				for _, o := range list {
					all = append(all, write(o))
				}
				return all
			}
			s.Of, s.Mild = written(s.Of), written(s.Mild)
			return &s
		}
	}
	return nil
}

func capital(w string) string { return strings.ToUpper(w[:1]) + w[1:] }

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
	return append(all[:n-1:n-1], right)
}

// changed are n texts of which each has at one place another value, or, where two places can be changed, one
// of two at either.
func changed(v string, all []site, not []string, n int, random *rand.Rand) []string {
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	if len(all) > 1 {
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
		var others []string
		for _, o := range s.others {
			if t := v[:s.from] + o + v[s.to:]; t != v && !slices.Contains(others, t) && (machineMade(v) == nil || !twins(t, v)) {
				others = append(others, t)
			}
		}
		if texts := fromSet(v, others, not, n, random); texts != nil {
			return texts
		}
	}
	return nil
}

// look is the classes of characters of a value, however many of each: values of one look belong together.
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

// camel is a name that begins with a word and goes on with a thing, and worded one whose first word may be a verb, which
// in heroku's config:unset stands behind.
var (
	camel  = regexp.MustCompile(`^([A-Z]?[a-z]+)(?:-?[A-Z]|_[a-z])\w{3,}$`)
	worded = regexp.MustCompile(`^(?:[a-z]+:)?([A-Z]?[a-z]+)(?:$|-?[A-Z]\w{2,}|[-_:][a-z][\w-]{2,}$)`)
)

// doing is the verb of a name like DeleteDBInstance, and which others can stand there.
func doing(v string, random *rand.Rand) (site, bool) {
	at := worded.FindStringSubmatchIndex(v)
	if at == nil || at[3]-at[2] == len(v) {
		return site{}, false
	}
	verb := v[at[2]:at[3]]
	for _, like := range lists.Verbs {
		if slices.Contains(like.Of, strings.ToLower(verb)) {
			others := without(like.others(), []string{strings.ToLower(verb)}, random)
			for i, o := range others {
				others[i] = written(o, verb)
			}
			return site{from: at[2], to: at[3], others: others}, true
		}
	}
	return site{}, false
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

//go:embed options.yaml
var quizYAML []byte

// lists are what options are made of; options.yaml says of each what it is.
var lists = func() (l struct {
	Sets, Said                                     []set
	Nouns, Accounts                                []noun
	Company, Hosts, File, Folder                   noun
	First, Last, Platforms, Flags, Domains         []string
	Words, Ends                                    [][]string
	Verbs                                          []verbs
	Operators                                      map[string][]string // what else can stand between two values
	Follows, Implied                               map[string][]string // sentences of the page by what they say; what a word of a program does too
	Environments                                   [][]string
	Closed                                         []string
	Near                                           map[string][]string
	Fixed, Any, Untold, Files, Prose               []string
	Around                                         int // how many of Words are environments and regions
	Many, Consent, Unasked, Common                 []string
	Naming, Generic                                []string
	Spoken, Joining, Functions, Programs, Doubtful []string
	Titles, Languages                              []string
	Asks                                           map[string]string // by the name of an argument with addresses
	Spelled, Participles, Opposite                 map[string]string
},
) {
	if err := yaml.Unmarshal(quizYAML, &l); err != nil {
		panic("quiz: the embedded lists of the quiz: " + err.Error()) // a test loads them
	}
	return l
}()
