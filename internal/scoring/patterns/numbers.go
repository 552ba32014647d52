package patterns

import (
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/scoring/scan"
)

// cardNumber takes the first four digits of a payment card and wants the rest:
// the length and grouping of the issuer, and the check digit of ISO/IEC 7812
// (Luhn). Digits of a longer number, of a fraction or of an identifier are none.
func cardNumber(text string, span scan.Span) (scan.Span, bool) {
	if follows(text, span.Start, '.') {
		return span, false
	}
	if first := text[span.Start:min(len(text), span.Start+4)]; len(first) == 4 && strings.Trim(first, "0123456789") == "" {
		if length, _ := cardScheme(first); length == 0 { // nobody's, whatever follows
			return span, false
		}
	}
	digits, groups, end := cardDigits(text, span.Start)
	if !issued(digits, groups) || !luhn(digits) {
		return span, false
	}
	rest := text[end:]
	if startsWithWord(rest) || startsWithPart(rest, '.') || startsWithPart(rest, '-') {
		return span, false
	}
	return scan.Span{Start: span.Start, End: end}, true
}

// cardDigits reads at most 16 digits, in groups separated by one space or one
// hyphen each, always the same. groups says how long each is: "4444", "465".
func cardDigits(text string, at int) (digits, groups string, end int) {
	var few, fewer [16]byte
	number, shape := few[:0], fewer[:0]
	separator := byte(0)
	end = at
	for len(number) < 16 {
		group := 0
		for end < len(text) && len(number) < 16 && isDigit(text[end]) {
			number = append(number, text[end])
			group++
			end++
		}
		shape = append(shape, '0'+byte(group))
		if end+1 >= len(text) || text[end] != ' ' && text[end] != '-' || !isDigit(text[end+1]) {
			break
		}
		if separator == 0 {
			separator = text[end]
		}
		// A separator after a whole number belongs to what follows ("… 1111 12/27").
		if text[end] != separator || group > 6 || issued(string(number), string(shape)) {
			break
		}
		end++
	}
	return string(number), string(shape), end
}

// issued reports whether a large issuer gives out numbers that begin so and are
// that long, written without groups or in the usual ones.
func issued(digits, groups string) bool {
	length, usual := cardScheme(digits)
	return length > 0 && len(digits) == length && (len(groups) == 1 || groups == usual)
}

// cardScheme says how long a card number is that begins with these digits.
// Lengths that the schemes have given up (13 digits) or hardly use (19) are left
// out: too many ordinary numbers look like that.
func cardScheme(digits string) (length int, groups string) {
	if len(digits) < 4 {
		return 0, ""
	}
	two, three, four := digits[:2], digits[:3], digits[:4]
	switch {
	case two == "34", two == "37": // American Express
		return 15, "465"
	case two == "36", two == "38", "300" <= three && three <= "305": // Diners Club
		return 14, "464"
	case digits[0] == '4', // Visa
		"51" <= two && two <= "55", "2221" <= four && four <= "2720", // Mastercard
		four == "6011", two == "65", "644" <= three && three <= "649", // Discover
		"3528" <= four && four <= "3589", // JCB
		two == "62":                      // UnionPay
		return 16, "4444"
	}
	return 0, ""
}

func luhn(digits string) bool {
	sum := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		if i%2 == 1 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

// ibanLength is how long a country's IBAN is (ISO 13616 registry).
var ibanLength = map[string]int{
	"AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "BY": 28, "CH": 21,
	"CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18, "FO": 18, "FR": 27,
	"GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22, "IL": 23, "IQ": 23, "IS": 26,
	"IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LI": 21, "LT": 20, "LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24,
	"ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18, "NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29,
	"RO": 24, "RS": 22, "SA": 24, "SE": 24, "SI": 19, "SK": 24, "SM": 27, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24,
	"XK": 20,
}

// iban takes country and check digits and wants the rest: the country's length,
// written without a gap or in groups of four, and the remainder of ISO 7064
// (mod 97-10).
func iban(text string, span scan.Span) (scan.Span, bool) {
	length := ibanLength[strings.ToUpper(text[span.Start:span.Start+2])]
	if length == 0 {
		return span, false
	}
	account := make([]byte, 0, 34)
	end := span.Start
	grouped := false
	for len(account) < length && end < len(text) {
		c := text[end]
		if n := len(account); n > 0 && n%4 == 0 && c == ' ' && (grouped || n == 4) && text[end-1] != ' ' {
			grouped = true
			end++
			continue
		}
		if c |= 0x20; !isDigit(text[end]) && (c < 'a' || 'z' < c) { // |0x20 lowers a letter
			return span, false
		}
		account = append(account, text[end])
		end++
	}
	if len(account) < length || !mod97(account) || startsWithWord(text[end:]) {
		return span, false
	}
	return scan.Span{Start: span.Start, End: end}, true
}

// mod97 moves the first four characters to the end, reads letters as 10 to 35,
// and wants the remainder 1.
func mod97(account []byte) bool {
	remainder := 0
	for i := range account {
		c := account[(i+4)%len(account)]
		if isDigit(c) {
			remainder = (remainder*10 + int(c-'0')) % 97
			continue
		}
		remainder = (remainder*100 + int(c|0x20-'a') + 10) % 97
	}
	return remainder == 1
}

// socialSecurityNumber refuses numbers that the US administration never gives
// out: area 000, 666 and 900 to 999, group 00, serial 0000.
func socialSecurityNumber(text string, span scan.Span) (scan.Span, bool) {
	number := text[span.Start:span.End]
	area, group, serial := number[:3], number[4:6], number[7:]
	if area == "000" || area == "666" || area[0] == '9' || group == "00" || serial == "0000" {
		return span, false
	}
	rest := text[span.End:]
	return span, !startsWithPart(rest, '-') && !follows(text, span.Start, '-') && !follows(text, span.Start, '.')
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// startsWithWord reports whether a text goes on with a letter, digit or
// underscore: what stands before it is only part of something.
func startsWithWord(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return rest != "" && scan.IsWord(r)
}

// endsWithWord reports whether a text ends with a letter, digit or underscore.
func endsWithWord(before string) bool {
	r, _ := utf8.DecodeLastRuneInString(before)
	return before != "" && scan.IsWord(r)
}

// startsWithPart reports whether a mark and a digit follow, as in 1.5 and 1-5.
func startsWithPart(rest string, mark byte) bool {
	return len(rest) > 1 && rest[0] == mark && isDigit(rest[1])
}

// follows reports whether a digit and a mark stand before a place, as in 0.4111.
func follows(text string, at int, mark byte) bool {
	return at > 1 && text[at-1] == mark && isDigit(text[at-2])
}
