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

// span is a stretch of a text.
type span struct{ start, end int }

// shaper looks through one text.
type shaper struct {
	*collector
	r      reading
	looked bool   // taken is known
	taken  []span // where statements and commands found something, in order
}

// What a byte says about the stretch that it stands in.
const (
	partsStretch = 1 << iota // it stands between the stretches that are looked at
	partsList                // it stands between the parts of a list in one
	hasAt                    // each address, host and path has one of these
	hasColon
	hasSlash
	hasDot
	hasDigit // each number has
)

// says is that of each byte.
var says = func() (says [256]uint8) {
	for what, list := range map[uint8]string{
		partsStretch: " \t\r\n\"'<>`", partsList: ",;()[]{}|=", hasAt: "@", hasColon: ":", hasSlash: "/", hasDot: ".", hasDigit: "0123456789",
	} {
		for i := range len(list) {
			says[list[i]] = what
		}
	}
	return says
}()

// shapes adds what in a text looks like something, except inside of what a
// statement, a command or a program named there already.
func (c *collector) shapes(r reading) {
	s := shaper{collector: c, r: r}
	// What stands between spaces and quotes is looked at as one; accounts and sums
	// may have spaces in them.
	var digits []span
	for i := 0; i < len(r.text); {
		if says[r.text[i]] == partsStretch {
			i++
			continue
		}
		has, end := uint8(0), i
		for ; end < len(r.text); end++ {
			what := says[r.text[end]]
			if what == partsStretch {
				break
			}
			has |= what
		}
		if has&(hasAt|hasColon|hasSlash|hasDot) != 0 {
			s.chunk(i, end, has)
		}
		if has&hasDigit != 0 {
			digits = append(digits, span{i, end})
		}
		i = end + 1
	}
	s.numbers(digits)
}

// take adds a stretch unless something was found there already.
func (s *shaper) take(kind Kind, label string, start, end int) {
	if start >= end || s.full(kind, FromShape) || s.isTaken(start, end) {
		return
	}
	s.add(kind, label, FromShape, s.r, start, end)
}

// isTaken reports whether the first stretch that ends behind start begins before end.
func (s *shaper) isTaken(start, end int) bool {
	taken := s.takenSpans()
	i, _ := slices.BinarySearchFunc(taken, start+1, func(t span, end int) int { return t.end - end })
	return i < len(taken) && taken[i].start < end
}

func (s *shaper) takenSpans() []span {
	if !s.looked {
		s.taken, s.looked = s.takenIn(s.r), true
	}
	return s.taken
}

// chunk looks at a stretch without spaces; has is what its bytes say.
func (s *shaper) chunk(start, end int, has uint8) {
	text := s.r.text[start:end]
	if has&hasColon != 0 && has&hasSlash != 0 {
		if at := strings.Index(text, "://"); at > 0 && (isLetter(text[at-1]) || isDigit(text[at-1])) {
			scheme := at
			for scheme > 0 && (isWordByte(text[scheme-1]) && text[scheme-1] < utf8.RuneSelf || strings.IndexByte("+.-", text[scheme-1]) >= 0) {
				scheme--
			}
			from, to := hostOf(text[scheme:])
			s.take(Host, "host", start+scheme+from, start+scheme+to)
			return // what stands in a URL belongs to it
		}
	}
	if has&partsList == 0 {
		s.part(start, end, has)
		return
	}
	for at := start; at < end; at++ {
		from := at
		for at < end && says[s.r.text[at]] != partsList {
			at++
		}
		s.part(from, at, has)
	}
}

// part looks at a stretch without spaces and commas.
func (s *shaper) part(start, end int, has uint8) {
	text := s.r.text[start:end]
	switch {
	case text == "":
	case has&hasAt != 0 && s.mail(text, start):
	case s.address(text, start): // what is one is no path
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
		for start > from {
			r, size := utf8.DecodeLastRuneInString(text[from:start])
			if !isMailRune(r) {
				break
			}
			start -= size
		}
		for end < len(text) {
			r, size := utf8.DecodeRuneInString(text[end:])
			if !isHostRune(r) {
				break
			}
			end += size
		}
		for end > middle+1 && strings.IndexByte(".-_", text[end-1]) >= 0 {
			end--
		}
		host := text[middle+1 : end]
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
	if first := text[0]; first != ':' && !isHex(first) || s.full(Host, FromShape) {
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

// isWordByte takes every byte of a character beyond ASCII for a letter.
func isWordByte(b byte) bool {
	return b == '_' || isDigit(b) || isLetter(b) || b >= utf8.RuneSelf
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
		r, size := utf8.DecodeRuneInString(text[end:])
		if !isPathRune(r) {
			break
		}
		end += size
	}
	for end > 0 && (text[end-1] == '.' || text[end-1] == ':') {
		end--
	}
	first, _ := utf8.DecodeRuneInString(text[1:])
	if end > 1 && (isDrive || unicode.IsLetter(first) || unicode.IsDigit(first) || strings.ContainsRune("_.@%+~-", first)) {
		s.take(Path, "path", at, at+end)
	}
}

// takenIn lists, in order, where statements, commands and programs found something
// in the text that was read last.
func (c *collector) takenIn(r reading) []span {
	var taken []span
	for i := len(c.found) - 1; i >= 0 && r.pointer() == c.found[i].Pointer; i-- {
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
	return taken
}

// isolated reports whether no letter, digit or underscore touches the range.
func isolated(text string, start, end int) bool {
	return (start == 0 || !isWordByte(text[start-1])) && (end == len(text) || !isWordByte(text[end]))
}
