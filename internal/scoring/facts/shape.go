package facts

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Source 5: what a value looks like, wherever it stands: e-mail addresses, URLs,
// IP addresses, absolute paths, bank accounts (IBAN), money, dates and times.

const currencies = "USD EUR GBP CHF JPY CNY INR AUD CAD SEK NOK DKK PLN CZK"

// symbols are those of currencies.
const symbols = "$€£¥₹"

// span is a stretch of a text.
type span struct{ start, end int }

// shaper looks through one text.
type shaper struct {
	*collector
	r     reading
	taken []span // where statements and commands found something, in order
	now   int    // the first of taken that may matter
}

// What stands between the stretches that are looked at, and in a list between its parts.
var (
	parts     = bytesOf(" \t\r\n\"'<>`")
	partsList = bytesOf(",;()[]{}|=")
	tells     = bytesOf("@:/.") // each address, host and path has one of them
)

// shapes adds what in a text looks like something, except inside of what a
// statement, a command or a program named there already.
func (c *collector) shapes(r reading) {
	if c.operationOnly || !strings.ContainsAny(r.text, "@:/.\\0123456789") {
		return
	}
	s := shaper{collector: c, r: r, taken: c.takenIn(r)}
	// What stands between spaces and quotes is looked at as one; accounts and sums
	// may have spaces in them.
	for i := 0; i < len(r.text); {
		if parts[r.text[i]] {
			i++
			continue
		}
		end, telling := i, false
		for ; end < len(r.text) && !parts[r.text[end]]; end++ {
			telling = telling || tells[r.text[end]]
		}
		if telling {
			s.chunk(i, end)
		}
		i = end
	}
	s.now = 0
	s.accounts()
	s.now = 0
	s.sums()
	s.now = 0
	s.times()
}

// take adds a stretch unless something was found there already. Stretches come in
// order.
func (s *shaper) take(kind Kind, label string, start, end int) {
	for s.now < len(s.taken) && s.taken[s.now].end <= start {
		s.now++
	}
	if start < end && (s.now == len(s.taken) || s.taken[s.now].start >= end) {
		s.add(kind, label, FromShape, s.r, start, end)
	}
}

// chunk looks at a stretch without spaces.
func (s *shaper) chunk(start, end int) {
	text := s.r.text[start:end]
	if at := strings.Index(text, "://"); at > 0 && (isLetter(text[at-1]) || isDigit(text[at-1])) {
		scheme := at
		for scheme > 0 && (isWordByte(text[scheme-1]) && text[scheme-1] < utf8.RuneSelf || strings.IndexByte("+.-", text[scheme-1]) >= 0) {
			scheme--
		}
		from, to := hostOf(text[scheme:])
		s.take(Host, "host", start+scheme+from, start+scheme+to)
		return // what stands in a URL belongs to it
	}
	// Parts of a list.
	for at := 0; at <= len(text); {
		n := 0
		for at+n < len(text) && !partsList[text[at+n]] {
			n++
		}
		s.part(start+at, start+at+n)
		at += n + 1
	}
}

// part looks at a stretch without spaces and commas.
func (s *shaper) part(start, end int) {
	text := s.r.text[start:end]
	switch {
	case text == "":
	case s.mail(text, start):
	case !s.full(Host, FromShape) && s.address(text, start): // what is one is no path
	default:
		s.path(text, start)
	}
}

func isMailRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_.+%-", r)
}

func isHostRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("_.-", r)
}

// Most of those are of one byte.
var (
	mailBytes = asciiOf(isMailRune)
	hostBytes = asciiOf(isHostRune)
	pathBytes = asciiOf(isPathRune)
)

func asciiOf(is func(rune) bool) *byteSet {
	var s byteSet
	for r := range rune(utf8.RuneSelf) {
		s[r] = is(r)
	}
	return &s
}

// mail looks for an e-mail address around each @; it ends with a letter or digit.
func (s *shaper) mail(text string, at int) bool {
	found, from := false, 0
	for {
		n := strings.IndexByte(text[from:], '@')
		if n < 0 {
			return found
		}
		middle := from + n
		start, end := middle, middle+1
		for start > from && mailBytes[text[start-1]] {
			start--
		}
		for start > from {
			r, size := utf8.DecodeLastRuneInString(text[from:start])
			if !isMailRune(r) {
				break
			}
			start -= size
		}
		for end < len(text) && hostBytes[text[end]] {
			end++
		}
		for end < len(text) {
			r, size := utf8.DecodeRuneInString(text[end:])
			if !isHostRune(r) {
				break
			}
			end += size
		}
		host := strings.TrimRight(text[middle+1:end], ".-_")
		end = middle + 1 + len(host)
		if dot := strings.LastIndexByte(host, '.'); start < middle && dot > 0 && host[0] != '.' && !strings.Contains(host, "..") {
			s.take(Recipient, "e-mail address", at+start, at+end)
			found = true
		}
		from = max(end, middle+1)
	}
}

// address looks for an IPv4 or IPv6 address, perhaps with a port or the size of a
// network.
func (s *shaper) address(text string, at int) bool {
	if first := text[0]; first != ':' && !isHex(first) {
		return false
	}
	end := 0
	for end < len(text) && (isHex(text[end]) || text[end] == ':' || text[end] == '.') {
		end++
	}
	if end < len(text) && text[end] != '/' && text[end] != '%' {
		return false
	}
	if end == 0 || !mayBeAddress(text[:end]) { // an error costs more than most texts
		return false
	}
	host := strings.TrimRight(text[:end], ".")
	if strings.Count(host, ".") == 3 && strings.Count(host, ":") == 1 {
		host, _, _ = strings.Cut(host, ":")
	}
	host = strings.TrimSuffix(host, ":")
	if strings.HasSuffix(text[:end], "::") {
		host = text[:end]
	}
	if len(host) > 64 || !strings.ContainsAny(host, ".:") {
		return false
	}
	if _, err := netip.ParseAddr(host); err != nil {
		return false
	}
	s.take(Host, "address", at, at+len(host))
	return true
}

// mayBeAddress reports whether a text of hexadecimal digits, dots and colons has as many
// of them as an address.
func mayBeAddress(text string) bool {
	dots, colons := 0, 0
	for i := range len(text) {
		switch text[i] {
		case '.':
			dots++
		case ':':
			colons++
		}
	}
	return dots >= 3 || colons >= 7 || strings.Contains(text, "::")
}

func isHex(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F'
}

func isLetter(b byte) bool { return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' }

func isPathRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(`_.@%+~/\:*-`, r)
}

// path looks for an absolute path.
func (s *shaper) path(text string, at int) {
	isDrive := len(text) > 3 && isLetter(text[0]) && text[1] == ':' && text[2] == '\\'
	if text[0] != '/' && !isDrive {
		return
	}
	end := 1
	if isDrive {
		end = 3
	}
	for end < len(text) {
		if pathBytes[text[end]] {
			end++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[end:])
		if r < utf8.RuneSelf || !isPathRune(r) {
			break
		}
		end += size
	}
	end = len(strings.TrimRight(text[:end], ".:"))
	first, _ := utf8.DecodeRuneInString(text[1:])
	if end > 1 && (isDrive || unicode.IsLetter(first) || unicode.IsDigit(first) || strings.ContainsRune("_.@%+~-", first)) {
		s.take(Path, "path", at, at+end)
	}
}

// accounts looks for IBANs, which may be written in groups of four.
func (s *shaper) accounts() {
	text := s.r.text
	for i := 0; i+15 <= len(text); i++ {
		if !isCapital(text[i]) || !isCapital(text[i+1]) || !isDigit(text[i+2]) || !isDigit(text[i+3]) || i > 0 && isWordByte(text[i-1]) {
			continue
		}
		end := i + 4
		for end < len(text) && end-i < 42 && (isCapital(text[end]) || isDigit(text[end]) || text[end] == ' ' && end+1 < len(text) && (isCapital(text[end+1]) || isDigit(text[end+1]))) {
			end++
		}
		end = i + ibanIn(text[i:end]) // what follows may be the next word
		if end > i && (end == len(text) || !isWordByte(text[end])) {
			s.take(Recipient, "IBAN", i, end)
			i = end
		}
	}
}

func isCapital(b byte) bool { return b >= 'A' && b <= 'Z' }
func isDigit(b byte) bool   { return b >= '0' && b <= '9' }

// sums looks for numbers beside a currency.
func (s *shaper) sums() {
	text := s.r.text
	for i := 0; i < len(text); {
		if !isDigit(text[i]) {
			i++
			continue
		}
		start := i
		for i < len(text) && (isDigit(text[i]) || strings.IndexByte(".,'", text[i]) >= 0 && i+1 < len(text) && isDigit(text[i+1])) {
			i++
		}
		from, to := start-currencyBefore(text[:start]), i+currencyBehind(text[i:])
		if start > 0 && isWordByte(text[start-1]) && from == start { // v5
			continue
		}
		isVariable := to == i && text[from] == '$' && i == start+1 && len(s.taken) > 0 // $1 of a command
		if from == start && to == i || isVariable || from > 0 && isWordByte(text[from-1]) && text[from-1] < utf8.RuneSelf || to < len(text) && isWordByte(text[to]) {
			continue
		}
		if from < start {
			to = i // one currency is enough
		}
		s.take(Amount, "amount", from, to)
	}
}

// currencyBefore is how many bytes before a number name its currency.
func currencyBefore(text string) int {
	if r, size := utf8.DecodeLastRuneInString(text); size > 0 && (r == '$' || r >= utf8.RuneSelf && strings.ContainsRune(symbols, r)) {
		return size
	}
	trimmed := strings.TrimSuffix(text, " ")
	if n := len(trimmed); n >= 3 && isCapital(trimmed[n-1]) && hasWord(currencies, trimmed[n-3:]) {
		return 3 + len(text) - n
	}
	return 0
}

// currencyBehind is how many bytes behind a number name its currency.
func currencyBehind(text string) int {
	trimmed := strings.TrimPrefix(text, " ")
	space := len(text) - len(trimmed)
	if r, size := utf8.DecodeRuneInString(trimmed); r >= utf8.RuneSelf && strings.ContainsRune(symbols, r) && size > 0 {
		return space + size
	}
	if len(trimmed) >= 3 && isCapital(trimmed[0]) && hasWord(currencies, trimmed[:3]) {
		return space + 3
	}
	return 0
}

// times looks for dates and times as RFC 3339 writes them.
func (s *shaper) times() {
	text := s.r.text
	for i := 0; i+10 <= len(text); i++ {
		if text[i+4] != '-' {
			continue
		}
		label, n := readTime(text[i:])
		if n > 0 && isolated(text, i, i+n) {
			s.take(Time, label, i, i+n)
			i += n - 1
		}
	}
}

// takenIn lists, in order, where statements, commands and programs found something
// in the text that was read last.
func (c *collector) takenIn(r reading) []span {
	taken := c.room.spans[:0]
	for i := len(c.found) - 1; i >= 0 && r.standsAt(c.found[i].Pointer); i-- {
		if f := &c.found[i]; f.Source == FromSQL || f.Source == FromShell || f.Source == FromCode {
			taken = append(taken, span{f.Start, f.End})
		}
	}
	for _, w := range c.covered {
		if w.of == r.of || w.pointer() == r.pointer() {
			start, end := w.place(0, len(w.text))
			taken = append(taken, span{start, end})
		}
	}
	slices.SortFunc(taken, func(a, b span) int { return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.start, b.start)) })
	c.room.spans = taken
	return taken
}

// isolated reports whether no letter, digit or underscore touches the range.
func isolated(text string, start, end int) bool {
	return (start == 0 || !isWordByte(text[start-1])) && (end == len(text) || !isWordByte(text[end]))
}
