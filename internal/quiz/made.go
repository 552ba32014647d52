package quiz

import (
	"fmt"
	"math/rand/v2"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Values that others could have are whole ones, and never one with another word inside. What a value is made
// of follows from its shape: an address has a mailbox and a host, a path folders and a file, a name as many
// words as it has.

// site is a place of a value at which it can be another one, and what can be there.
type site struct {
	from, to int
	others   []string
}

// noun is what a name is of, and of which words such names are made: the first ones (alone, too) and the
// last ones.
type noun struct {
	Kind            string // "person" and "company" have names of their own
	Named, Of, Ends []string
}

// nounOf is what these words name. named is false where nothing says it.
func nounOf(words []string) (of *noun, named bool) {
	for len(words) > 1 && slices.Contains(lists.Naming, words[len(words)-1]) {
		words = words[:len(words)-1]
	}
	for i, n := range lists.Nouns {
		if last := strings.Join(words[max(0, len(words)-1):], ""); slices.Contains(n.Named, last) || slices.Contains(n.Named, strings.TrimSuffix(last, "s")) {
			return &lists.Nouns[i], true
		}
	}
	return nil, false
}

// nounLike is the kind of things that a name is one of, by its last word; nil for none.
func nounLike(name string) *noun {
	all := pieces.FindAllString(name, -1)
	for i, n := range lists.Nouns {
		if len(all) > 0 && slices.Contains(n.Of, strings.ToLower(all[len(all)-1])) {
			return &lists.Nouns[i]
		}
	}
	return nil
}

// dated are dates and addresses: which places of them can be others, from what number to what, and in
// how many digits.
var dated = []dating{
	{regexp.MustCompile(`(?:\b|_)(?:19|20)\d\d-(\d\d)-(\d\d)`), 1, 29, 2},
	{regexp.MustCompile(`(?:\b|_)(?:19|20)\d\d[./-](0[1-9]|1[0-2])(?:\b|_)`), 1, 13, 2},
	{regexp.MustCompile(`\b(\d{1,3})(?:\.\d{1,3}){3}/\d`), 11, 220, 1},
	{regexp.MustCompile(`^now[-+](\d+)`), 1, 90, 1},
	{regexp.MustCompile(`\b\d{1,3}\.\d{1,3}\.(\d{1,3})\.(\d{1,3})\b`), 2, 250, 1},
}

type dating struct {
	what            *regexp.Regexp
	from, to, width int
}

var (
	// ofIdentifier is how an identifier says of what it is: sub_, CH-, app, 00g, 0x.
	ofIdentifier = regexp.MustCompile(`^(?:0x|[A-Za-z]{1,4}[_-]|0*[A-Za-z]{1,4}|[A-Za-z]+[_-])`)

	word6 = regexp.MustCompile(`[A-Z]{6,}|[a-z]{6,}`)
	short = regexp.MustCompile(`^\D{3,}(\d{2,4})\D?$`) // a number at the end of a name
	year  = regexp.MustCompile(`\b(?:19|20)[0-3]\d(?:[01]\d[0-3]\d)?\b`)

	units    = regexp.MustCompile(`[A-Za-z0-9](?:[\w.-]*[A-Za-z0-9]|(?:,\d{3})+(?:\.\d+)?)?`)
	run4     = regexp.MustCompile(`[A-Za-z]{4}`)
	pieces   = regexp.MustCompile(`[A-Z]{2,}|[A-Z]?[a-z]+|[A-Z]|\d+|[^A-Za-z0-9]+`)
	number   = regexp.MustCompile(`^\d[\d,]*(?:\.\d+)?$`)
	version  = regexp.MustCompile(`^v?\d+(?:\.\d+)+`)
	hostname = regexp.MustCompile(`^(?:[a-z0-9-]+\.)+([a-z]{2,})$`)
	moment   = regexp.MustCompile(`^\D?(?:19|20)\d{6}(T\d+)?Z?$`) // a day in digits
	compared = regexp.MustCompile(`\b([A-Za-z_][\w.]{1,30}\s*(<=|>=|<>|!=|<|>|\b(?:ne|eq)\b)\s*('[^']{1,40}'|"[^"]{1,40}"|-?\d[\w.:-]*|\w+\(\)))`)
	numbered = regexp.MustCompile(`^[A-Za-z]{3,}[A-Za-z_-]*[-_]v?(\d{1,5})$`)
	vowel    = regexp.MustCompile(`(?i)[aeiouy]`)
	digits   = regexp.MustCompile(`\d+`)
	upper    = regexp.MustCompile(`\p{Lu}+`)
	lower    = regexp.MustCompile(`\p{Ll}+`)
)

// opaque reports whether a value is an identifier that a machine made: nobody reads it.
func opaque(v string) bool {
	n := 0
	for _, p := range strings.FieldsFunc(v, func(r rune) bool { return strings.ContainsRune("-_.:/@ =", r) }) {
		plain := p == strings.ToLower(p) || p == strings.ToUpper(p) || p[1:] == strings.ToLower(p[1:])
		if letters := digits.ReplaceAllString(p, ""); len(p) > 3 && len(letters) >= len(p)-2 && vowel.MatchString(p) && (plain || camel.MatchString(letters)) && !hexadecimal(p) {
			return false
		}
		n += len(p)
	}
	return n > 6 && strings.ContainsAny(v, "0123456789")
}

// machineMade is where in a value an identifier is that a machine made: the whole, or a long one in it; nil for nowhere.
func machineMade(v string) []int {
	if strings.Contains(v, " ") || slices.ContainsFunc(dated, func(d dating) bool { return d.what.MatchString(v) }) {
		return nil
	}
	runs := units.FindAllStringIndex(v, -1)
	if opaque(v) && len(runs) == 1 {
		return runs[0]
	}
	for _, r := range slices.Backward(runs) {
		if text := v[r[0]:r[1]]; opaque(text) && !version.MatchString(text) && (len(text) > 11 || opaque(v) || strings.Trim(text, "0123456789") == "" && len(text) > 8) {
			return r
		}
	}
	return nil
}

func hexadecimal(p string) bool {
	return strings.Trim(p, "0123456789abcdef") == "" && strings.ContainsAny(p, "0123456789")
}

// made is how many values are made at a place.
const made = 9

// repeated are different texts that make returns, each of the shape of v.
func repeated(v string, make func() string) (all []string) {
	for range 4 * made {
		if t := make(); t != "" && t != v && len(all) < made && !slices.Contains(all, t) && alike(v, t) {
			all = append(all, t)
		}
	}
	return all
}

// alike reports whether another text has the shape of v: letters, digits and signs in the same order, the same end of a
// file, a number as round as it. Of what a machine made only the signs stay, and how long it is.
func alike(v, t string) bool {
	shape := look
	switch {
	case number.MatchString(v) && (len(v) < 9 || strings.ContainsAny(v, ",.")):
		zeros := func(n string) int { return len(n) - len(strings.TrimRight(n, "0.,")) }
		return len(v) == len(t) && (len(v) == 1 || zeros(v) == zeros(t)) && strings.IndexByte(v, '.') == strings.IndexByte(t, '.')
	case opaque(v) && len(v) == len(t):
		shape = func(v string) string {
			return strings.Map(func(r rune) rune {
				if r < 128 && (letter(string(r)) || r >= '0' && r <= '9') {
					return 'x'
				}
				return r
			}, v)
		}
	}
	return shape(v) == shape(t) && (path.Ext(v) == path.Ext(t) || len(path.Ext(v)) > 5 || strings.Count(v, ".") > 1)
}

// sites are the last two places of a value.
func sites(v string, of *noun, random *rand.Rand) []site {
	all := places(v, of, random)
	return all[max(0, len(all)-2):]
}

// places are those of a value at which it can be another one: of a date and an address their numbers, else each
// part that others of its kind can replace as a whole.
func places(v string, of *noun, random *rand.Rand) (all []site) {
	if at := compared.FindStringSubmatchIndex(v); at != nil && at[1]-at[0] == len(v) { // which way round it is, and with what
		all = []site{{from: at[4], to: at[5], others: without(lists.Operators[v[at[4]:at[5]]], nil, random)}}
		if inner := places(v[at[6]:], of, random); len(inner) > 0 {
			s := inner[len(inner)-1]
			all = append(all, site{s.from + at[6], s.to + at[6], s.others})
		}
		return all
	}
	for _, w := range dated {
		for at := w.what.FindStringSubmatchIndex(v); len(at) > 2; at = append(at[:2], at[4:]...) {
			to, day := w.to, w.to == 29 && len(all) > 0
			switch {
			case w.to == 29 && !day: // a month
				to = 13
			case day && v[at[2]:at[3]] > "28":
				to = 31
			}
			var others []string
			for _, n := range random.Perm(to - w.from) {
				others = append(others, fmt.Sprintf("%0*d", w.width, w.from+n))
			}
			all = append(all, site{from: at[2], to: at[3], others: without(others, []string{v[at[2]:at[3]]}, random)})
		}
		if len(all) == 2 && w.width == 2 && v[all[1].from:all[1].to] > "28" { // no month has it for sure
			all = all[1:]
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
	if s, ok := doing(v, random); ok && camel.MatchString(v) {
		return []site{s}
	}
	if of != nil && of.Kind == "person" && !strings.Contains(v, "@") && strings.Trim(v, "0123456789") != "" && !opaque(v) {
		return []site{{to: len(v), others: repeated(v, func() string { return person(v, random) })}}
	}
	runs := units.FindAllStringIndex(v, -1)
	if at := machineMade(v); at != nil { // it alone tells which one
		text := v[at[0]:at[1]]
		return []site{{from: at[0], to: at[1], others: repeated(text, func() string { return identifier(text, of, random) })}}
	}
	if first, _, ok := strings.Cut(v, " "); ok && run4.MatchString(v) { // a title: whatever is made reads like none, but for what it says to do
		if slices.ContainsFunc(lists.Verbs, func(o verbs) bool { return slices.Contains(o.Of, strings.ToLower(first)) }) {
			var others []string
			for _, o := range without(lists.Any, []string{strings.ToLower(first)}, random) {
				others = append(others, written(o, first))
			}
			return []site{{to: len(first), others: others}}
		}
		return nil
	}
	for i, r := range runs {
		if fixed(v, r[0], r[1]) {
			continue
		}
		unit := v[r[0]:r[1]]
		all = append(all, inUnit(v, unit, r[0], i, of, random)...)
	}
	return all
}

// fixed reports whether a part of a value says of what kind it is, and not which one: a protocol, a root folder, "arn".
func fixed(v string, from, to int) bool {
	text := strings.ToLower(v[from:to])
	return strings.HasSuffix(v[:from], ":") && strings.Trim(text, "0123456789") == "" && strings.Contains(v[:from], ".") || // a port
		strings.Contains(v, "://") && strings.HasSuffix(v[:from], ":") || strings.HasPrefix(v, "/") && camel.MatchString(v[from:to]) || slices.Contains(lists.Fixed, text) && len(text) < len(v) || moment.MatchString(v[from:to]) || strings.HasPrefix(v[to:], "://") || strings.HasPrefix(v[to:], "|") ||
		from == 1 && v[0] == '/' || strings.HasSuffix(v[:from], "home/") || strings.HasSuffix(v[:from], "Users/") || strings.HasPrefix(v, "arn:") && (strings.Count(v[:from], ":") < 5 || strings.HasPrefix(v[to:], "/")) || version.MatchString(text) && strings.HasPrefix(v[to:], "/")
}

// inUnit are the sites in a part of a value that begins at from.
func inUnit(v, unit string, from, nth int, of *noun, random *rand.Rand) []site {
	at := func(others []string) []site { return []site{{from: from, to: from + len(unit), others: others}} }
	named := func(of *noun) []site { return at(repeated(unit, func() string { return of.like(unit, random) })) }
	end := from + len(unit)
	mailbox := end < len(v) && v[end] == '@'
	if others := closed(unit, random); others != nil && !mailbox {
		return at(others)
	}
	file := of != &lists.Company && slices.Contains(lists.Files, strings.TrimPrefix(path.Ext(unit), "."))
	all := among(unit, from, random)
	switch {
	case number.MatchString(unit), version.MatchString(unit):
		if opaque(unit) && !strings.ContainsAny(unit, ",.") && len(v) > len(unit) || len(unit) == 4 && unit >= "1990" && unit <= "2039" && len(v) > len(unit) {
			return nil
		}
		if strings.HasPrefix(v[end:], "%") {
			return at(without([]string{"5", "10", "20", "25", "50", "75", "80", "90", "100"}, []string{unit}, random))
		}
		return at(repeated(unit, func() string { return like(unit, random) }))
	case mailbox:
		return at(repeated(unit, func() string { return person(unit, random) }))
	case isHost(unit) && !file && (from == 0 || v[from-1] != '/' || strings.HasSuffix(v[:from], "//")):
		return host(unit, from, random)
	case strings.HasPrefix(v, "http"):
		return all
	case from > 0 && v[from-1] == '@':
		return named(&lists.Company)
	case file:
		stem, ext, _ := strings.Cut(unit, ".")
		if from > 0 && v[from-1] == '.' {
			return nil // .env.local
		}
		return at(repeated(unit, func() string { return lists.File.like(stem, random) + "." + ext }))
	case opaque(unit):
		return all
	case (!run4.MatchString(unit) || mixed(unit)) && strings.ContainsAny(unit, "0123456789") && of != nil && (letter(unit) || len(unit) > 3): // XK412
		return at(repeated(unit, func() string { return identifier(unit, of, random) }))
	case strings.HasPrefix(v, "/") || strings.HasPrefix(v, "~/"):
		of = &lists.Folder
	case of == nil || of.Kind == "code":
		if at := numbered.FindStringSubmatchIndex(unit); len(all) == 0 && at != nil { // fraud-v3
			n, next := unit[at[2]:at[3]], amount
			if year.MatchString(n) {
				next = func(n string, random *rand.Rand) string { return n[:3] + strconv.Itoa(random.IntN(10)) }
			}
			return []site{{from: from + at[2], to: from + at[3], others: repeated(n, func() string { return next(n, random) })}}
		}
		return all
	case nth == 0 && end < len(v) && v[end] == '/' && of.Kind == "": // whose it is
		of = &lists.Company
	}
	if dot := strings.LastIndexByte(unit, '.'); dot > 0 && len(unit)-dot > 4 && len(all) == 0 { // lock.front_door
		text := unit[dot+1:]
		if slices.Contains(lists.Fixed, text) { // cups.service
			return []site{{from: from, to: from + dot, others: repeated(unit[:dot], func() string { return of.like(unit[:dot], random) })}}
		}
		return []site{{from: from + dot + 1, to: end, others: repeated(text, func() string { return of.like(text, random) })}}
	}
	switch {
	case len(all) > 0: // what is before or behind an environment
		first, last := all[0], all[len(all)-1]
		rest := site{from: last.to + 1, to: end}
		if last.to == end {
			rest = site{from: from, to: first.from - 1}
		}
		if rest.to-rest.from > 2 && words(v[rest.from:rest.to]) <= maxWords && (len(all) == 1 || last.to-first.from < 8) {
			text := v[rest.from:rest.to]
			rest.others = repeated(text, func() string { return of.like(text, random) })
			return []site{all[0], rest}
		}
		return all
	case words(unit) > maxWords:
		return nil
	}
	if at := short.FindStringSubmatchIndex(unit); at != nil && !year.MatchString(unit[at[2]:at[3]]) { // perceel-22N
		n := unit[at[2]:at[3]]
		return []site{{from: from + at[2], to: from + at[3], others: repeated(n, func() string { return amount(n, random) })}}
	}
	return named(of)
}

// words is of how many words a name is.
func words(name string) (n int) {
	for _, p := range pieces.FindAllString(name, -1) {
		if letter(p) && len(p) > 1 {
			n++
		}
	}
	return n
}

// among are the environments and regions inside a name.
func among(unit string, from int, random *rand.Rand) (all []site) {
	for _, p := range pieces.FindAllStringIndex(unit, -1) {
		word := unit[p[0]:p[1]]
		if others := closed(word, random); others != nil && word != unit && slices.ContainsFunc(lists.Words[:lists.Around], func(kind []string) bool { return slices.Contains(kind, strings.ToLower(word)) }) {
			all = append(all, site{from: from + p[0], to: from + p[1], others: others})
		}
	}
	return all
}

// closed are the other words of a set of which this is one, written as it is; nil for none.
func closed(word string, random *rand.Rand) (all []string) {
	lower := strings.ToLower(word)
	at := slices.IndexFunc(lists.Words, func(kind []string) bool { return slices.Contains(kind, lower) })
	if at < 0 {
		return nil
	}
	for _, w := range without(lists.Words[at], []string{lower}, random) {
		all = append(all, written(w, word))
	}
	return all
}

// written is a word written as another one is: in capitals, with a capital, or in small letters.
func written(w, as string) string {
	switch {
	case as == strings.ToUpper(as) && as != strings.ToLower(as) && len(as) > 1:
		return strings.ToUpper(w)
	case as[:1] != strings.ToLower(as[:1]):
		return capital(w)
	}
	return w
}

// host are the sites of the name of a machine: what it is called there, and whose it is.
func host(name string, from int, random *rand.Rand) (all []site) {
	labels := strings.Split(name, ".")
	own := len(labels) - 2                                          // the label that names the owner
	if own > 0 && len(labels[own]) < 4 && len(labels[own+1]) == 2 { // com.ar
		own--
	}
	if own < 0 || strings.ContainsAny(labels[own], "0123456789") {
		return nil
	}
	if slices.Contains(lists.Platforms, labels[own]) || len(labels) > 3 && len(labels[own]) < 4 {
		own = 0
		if len(labels) < 3 || slices.Contains(lists.Hosts.Of, labels[0]) || strings.HasSuffix(name, ".amazonaws.com") && !strings.ContainsAny(labels[0], "-0123456789") {
			return nil // api.github.com, sqs.eu-west-1.amazonaws.com
		}
	}
	at := from
	for i, l := range labels {
		of := &lists.Company
		switch {
		case i == 0 && own > 0 && slices.Contains(lists.Hosts.Of, l):
			of = &lists.Hosts
		case i != own:
			of = nil
		}
		if of != nil {
			all = append(all, site{from: at, to: at + len(l), others: repeated(l, func() string { return of.like(l, random) })})
		}
		at += len(l) + 1
	}
	return all
}

// isHost reports whether a value is the name of a machine.
func isHost(v string) bool {
	m := hostname.FindStringSubmatch(v)
	return m != nil && (slices.Contains(lists.Domains, m[1]) || len(m[1]) == 2 && !slices.Contains(lists.Files, m[1]))
}

// identifier is another one that a machine could have made: of the same classes of characters behind what
// says what it is of.
func identifier(text string, of *noun, random *rand.Rand) string {
	prefix := len(ofIdentifier.FindString(text))
	if hexadecimal(strings.ReplaceAll(text, "-", "")) {
		prefix = 0
	}
	for _, w := range word6.FindAllStringIndex(text, -1) { // a word of it people read
		if word := text[w[0]:w[1]]; len(vowel.FindAllString(word, -1))*10 >= len(word)*3 {
			if of == nil || len(of.Of) == 0 && of.Kind != "person" {
				return ""
			}
			list := slices.Concat(of.Of, map[bool][]string{true: lists.Last}[of.Kind == "person"])
			return identifier(text[:w[0]], nil, random) + written(list[random.IntN(len(list))], word) + identifier(text[w[1]:], nil, random)
		}
	}
	rest := text[prefix:]
	classes := []string{"0123456789", "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}
	if strings.Trim(rest, "0123456789abcdef-") == "" {
		classes = []string{"0123456789abcdef"}
		if strings.Trim(rest, "0123456789-") == "" {
			classes = []string{"0123456789"}
		}
	} else if strings.Trim(rest, "0123456789abcdefABCDEF") == "" {
		classes[1], classes[2] = "abcdef", "ABCDEF"
	}
	before := '0'
	years := year.FindAllStringIndex(rest, -1)
	at := -1
	return text[:prefix] + strings.Map(func(r rune) rune {
		at++
		if r == '0' && (before < '1' || before > '9') || slices.ContainsFunc(years, func(y []int) bool { return y[0] <= at && at < y[1] }) { // filled up with them
			return r
		}
		before = r
		for _, class := range classes {
			if strings.ContainsRune(class, r) {
				return rune(class[random.IntN(len(class))])
			}
		}
		return r
	}, rest)
}

// like is another number or version: an amount is as round and has the cents of a price, of 0.09 the cents change.
func like(text string, random *rand.Rand) string {
	whole, cents, ok := strings.Cut(text, ".")
	if !number.MatchString(text) || strings.Trim(whole, "0") == "" {
		kept := text[:len(text)-len(strings.TrimPrefix(text, "0."))]
		return kept + digits.ReplaceAllStringFunc(text[len(kept):], func(d string) string { return amount(d, random) })
	}
	plain := []byte(amount(strings.ReplaceAll(whole, ",", ""), random))
	for i := range whole {
		if whole[i] == ',' {
			plain = slices.Insert(plain, i, ',')
		}
	}
	switch {
	case !ok:
		return string(plain)
	case !slices.Contains([]string{"00", "0", "99", "95", "90", "50", "5"}, cents):
		cents = amount(cents, random)
	}
	return string(plain) + "." + cents
}

// amount is a number of the magnitude of another one, as round as it.
func amount(text string, random *rand.Rand) string {
	stem := strings.TrimRight(text, "0")
	b := []byte(text)
	for i := range max(1, len(stem)) {
		from := byte(0)
		if i == 0 && text[0] != '0' || i == len(stem)-1 && len(stem) < len(text) || len(text) == 1 && text != "0" {
			from = 1 // no number begins with 0
		}
		if text[i] != '0' || i > 0 || len(text) == 1 {
			b[i] = '0' + from + byte(random.IntN(10-int(from)))
		}
	}
	return string(b)
}
