package facts

import (
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// What has digits: bank accounts, sums of money, dates and times.

// isCurrency reports whether a word is the code of a currency.
func isCurrency(word string) bool {
	switch word {
	case wordlist.OneOf("facts.currencies", word):
		return true
	}
	return false
}

// symbols are those of currencies.
const symbols = "$€£¥₹"

// numbers looks for what has digits in it: IBANs, which may be written in groups of four,
// numbers beside a currency, and dates and times as RFC 3339 writes them. The digits stand
// in these stretches.
func (s *shaper) numbers(stretches []span) {
	text := s.r.text
	var account, sum, clock int // up to where each of them was looked for
	for _, stretch := range stretches {
		for i := stretch.start; i < stretch.end; i++ {
			if !isDigit(text[i]) {
				continue
			}
			start := i
			for i++; i < stretch.end && isDigit(text[i]); i++ {
			}
			if start-2 >= account && i-start >= 2 && isCapital(text[start-1]) && isCapital(text[start-2]) {
				account = s.account(start - 2)
			}
			if start >= sum {
				sum = s.sum(start, i)
			}
			if start >= clock && i-start == 4 && i < len(text) && text[i] == '-' {
				if label, n := readTime(text[start:]); n > 0 && isolated(text, start, start+n) {
					s.take(Time, label, start, start+n)
					clock = start + n
				}
			}
		}
	}
}

// account looks for an IBAN that begins at start, and is where it ends, or 0.
func (s *shaper) account(start int) (end int) {
	text := s.r.text
	if start+15 > len(text) || start > 0 && isWordByte(text[start-1]) {
		return 0
	}
	end = start + ibanIn(text[start:]) // what follows may be the next word
	if end == start || end < len(text) && isWordByte(text[end]) {
		return 0
	}
	s.take(Recipient, "IBAN", start, end)
	return end
}

func isCapital(b byte) bool { return b >= 'A' && b <= 'Z' }

func isDigit(b byte) bool { return b >= '0' && b <= '9' }

// sum looks for a currency beside the number that begins with the digits from start to
// end, and is where the number ends.
func (s *shaper) sum(start, end int) int {
	text := s.r.text
	for end+1 < len(text) && (text[end] == '.' || text[end] == ',' || text[end] == '\'') && isDigit(text[end+1]) {
		for end++; end < len(text) && isDigit(text[end]); end++ {
		}
	}
	from, to := start-currencyBefore(text[:start]), end+currencyBehind(text[end:])
	if from == start && to == end { // v5, too
		return end
	}
	isVariable := to == end && text[from] == '$' && end == start+1 && len(s.takenSpans()) > 0 // $1 of a command
	if isVariable || start > 0 && isWordByte(text[start-1]) && from == start || from > 0 && isWordByte(text[from-1]) && text[from-1] < utf8.RuneSelf || to < len(text) && isWordByte(text[to]) {
		return end
	}
	if from < start {
		to = end // one currency is enough
	}
	s.take(Amount, "amount", from, to)
	return end
}

// currencyBefore is how many bytes before a number name its currency.
func currencyBefore(text string) int {
	if r, size := utf8.DecodeLastRuneInString(text); size > 0 && (r == '$' || r >= utf8.RuneSelf && strings.ContainsRune(symbols, r)) {
		return size
	}
	trimmed := strings.TrimSuffix(text, " ")
	if n := len(trimmed); n >= 3 && isCapital(trimmed[n-1]) && isCurrency(trimmed[n-3:]) {
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
	if len(trimmed) >= 3 && isCapital(trimmed[0]) && isCurrency(trimmed[:3]) {
		return space + 3
	}
	return 0
}
