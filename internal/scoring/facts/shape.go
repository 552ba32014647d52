package facts

import (
	"cmp"
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

// Source 5: what a value looks like, wherever it stands: e-mail addresses, URLs,
// IP addresses, absolute paths, bank accounts (IBAN) and money.

const currencies = `USD|EUR|GBP|CHF|JPY|CNY|INR|AUD|CAD|SEK|NOK|DKK|PLN|CZK`

var (
	urlShape   = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://[^\s'"<>` + "`" + `\\]+`)
	emailShape = regexp.MustCompile(`[\pL\pN_.+%-]+@[\pL\pN_-]+(?:\.[\pL\pN_-]+)+`)
	ipv4Shape  = regexp.MustCompile(`[0-9]+(?:\.[0-9]+)+`)
	ipv6Shape  = regexp.MustCompile(`[0-9A-Fa-f]*:[0-9A-Fa-f:]*:[0-9A-Fa-f.:]*`)
	pathShape  = regexp.MustCompile(`(?:^|[\s'"=(,;\[])((?:/|[A-Za-z]:\\)[\pL\pN_.@%+~-][\pL\pN_.@%+~/\\:*-]*)`)
	ibanShape  = regexp.MustCompile(`[A-Z]{2}[0-9]{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?`)
	moneyShape = regexp.MustCompile(`(?:[$€£¥₹]|(?:` + currencies + `) ?)[0-9](?:[0-9.,']*[0-9])?|[0-9](?:[0-9.,']*[0-9])? ?(?:[€£¥₹]|(?:` + currencies + `))`)
)

// maxShapes bounds how many of one shape are looked at in one text; maxPerKind of
// all of them are kept.
const maxShapes = 16 * maxPerKind

type span struct{ start, end int }

// shapes adds what in a text looks like something, except inside of what a
// statement or a command named there already.
func (c *collector) shapes(text, pointer string) {
	if c.operationOnly || !strings.ContainsAny(text, "@:/.\\0123456789") {
		return
	}
	taken := c.takenIn(pointer)
	free := func(start, end int) bool {
		i, _ := slices.BinarySearchFunc(taken, start, func(s span, start int) int { return cmp.Compare(s.end, start+1) })
		return i == len(taken) || taken[i].start >= end
	}
	add := func(kind Kind, label string, start, end int) {
		if free(start, end) {
			c.add(kind, label, FromShape, pointer, text, start, end)
		}
	}
	find := func(shape *regexp.Regexp, needs string) [][]int {
		if !strings.Contains(text, needs) {
			return nil
		}
		return shape.FindAllStringSubmatchIndex(text, maxShapes)
	}
	var urls []span
	for _, at := range find(urlShape, "://") {
		urls = append(urls, span{at[0], at[1]})
		start, end := hostOf(text[at[0]:at[1]])
		add(Host, "host", at[0]+start, at[0]+end)
	}
	inURL := func(start int) bool {
		i, _ := slices.BinarySearchFunc(urls, start, func(s span, start int) int { return cmp.Compare(s.end, start+1) })
		return i < len(urls) && urls[i].start <= start
	}
	for _, at := range find(emailShape, "@") {
		if !inURL(at[0]) {
			add(Recipient, "e-mail address", at[0], at[1])
		}
	}
	for _, shape := range []struct {
		*regexp.Regexp
		needs string
	}{{ipv4Shape, "."}, {ipv6Shape, ":"}} {
		for _, at := range find(shape.Regexp, shape.needs) {
			if _, err := netip.ParseAddr(text[at[0]:at[1]]); err == nil && isolated(text, at[0], at[1]) && !inURL(at[0]) {
				add(Host, "address", at[0], at[1])
			}
		}
	}
	// The expressions are slow where nothing in the text makes them pass by, so they
	// run only where a cheap look says that they may match.
	var paths, accounts, sums [][]int
	if strings.ContainsAny(text, `/\`) {
		paths = find(pathShape, "")
	}
	for _, at := range paths {
		start, end := at[2], at[2]+len(strings.TrimRight(text[at[2]:at[3]], ".:,"))
		if !inURL(start) && end > start+1 {
			add(Path, "path", start, end)
		}
	}
	if hasAccount(text) {
		accounts = find(ibanShape, "")
	}
	for _, at := range accounts {
		if isolated(text, at[0], at[1]) && isIBAN(text[at[0]:at[1]]) {
			add(Recipient, "IBAN", at[0], at[1])
		}
	}
	if hasCurrency(text) {
		sums = find(moneyShape, "")
	}
	for _, at := range sums {
		isVariable := at[1]-at[0] == 2 && text[at[0]] == '$' && len(taken) > 0 // $1 of a command
		if isolated(text, at[0], at[1]) && !inURL(at[0]) && !isVariable {
			add(Amount, "amount", at[0], at[1])
		}
	}
}

// hasAccount reports whether two capitals stand before two digits.
func hasAccount(text string) bool {
	isCapital := func(i int) bool { return text[i] >= 'A' && text[i] <= 'Z' }
	isDigit := func(i int) bool { return text[i] >= '0' && text[i] <= '9' }
	for i := 0; i+3 < len(text); i++ {
		if isCapital(i) && isCapital(i+1) && isDigit(i+2) && isDigit(i+3) {
			return true
		}
	}
	return false
}

// hasCurrency reports whether a currency is named.
func hasCurrency(text string) bool {
	return strings.ContainsAny(text, "$€£¥₹") ||
		slices.ContainsFunc(strings.Split(currencies, "|"), func(code string) bool { return strings.Contains(text, code) })
}

// takenIn lists, in order, where statements and commands found something in the
// text that was read last.
func (c *collector) takenIn(pointer string) []span {
	var taken []span
	for i := len(c.found) - 1; i >= 0 && c.found[i].Pointer == pointer; i-- {
		if f := c.found[i]; f.Source == FromSQL || f.Source == FromShell {
			taken = append(taken, span{f.Start, f.End})
		}
	}
	slices.SortFunc(taken, func(a, b span) int { return cmp.Compare(a.end, b.end) })
	return taken
}

// isolated reports whether no letter, digit or underscore touches the range.
func isolated(text string, start, end int) bool {
	return (start == 0 || !isWordByte(text[start-1])) && (end == len(text) || !isWordByte(text[end]))
}

// hostOf is where the host of a URL stands, without user, port and brackets; of
// a text that is no URL, all of it.
func hostOf(text string) (start, end int) {
	at := strings.Index(text, "://")
	if at < 0 {
		return 0, len(text)
	}
	start, end = at+len("://"), len(text)
	if i := strings.IndexAny(text[start:], "/?#\\"); i >= 0 {
		end = start + i
	}
	if i := strings.LastIndexByte(text[start:end], '@'); i >= 0 {
		start += i + 1
	}
	if strings.HasPrefix(text[start:end], "[") {
		if i := strings.IndexByte(text[start:end], ']'); i > 0 {
			return start + 1, start + i
		}
	}
	if i := strings.LastIndexByte(text[start:end], ':'); i >= 0 {
		end = start + i
	}
	end = start + len(strings.TrimRight(text[start:end], ".,;:)"))
	if start >= end { // file:///srv: no host
		return len(text), len(text)
	}
	return start, end
}

// isIBAN checks the two digits that ISO 13616 defines: the number, with its first
// four characters moved to the end and letters as 10 to 35, is 1 modulo 97.
func isIBAN(text string) bool {
	compact := strings.ReplaceAll(text, " ", "")
	if len(compact) < 15 || len(compact) > 34 {
		return false
	}
	rest := 0
	for _, r := range compact[4:] + compact[:4] {
		if r >= 'A' {
			rest = (rest*100 + int(r-'A') + 10) % 97
		} else {
			rest = (rest*10 + int(r-'0')) % 97
		}
	}
	return rest == 1
}
