package patterns

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/scan"
)

// The numbers that states give to people. The expression finds the number's name,
// because the digits alone are anybody's; the checks here find the number behind
// it and try its check digits. The span that they return is the number.

// numberBehind reads n digits at a place, with at most one space, dot, hyphen or
// slash between two of them, and wants no further digit or letter after the last.
func numberBehind(text string, at, n int) (digits string, end int, ok bool) {
	var number []byte
	for end = at; end < len(text) && len(number) < n; end++ {
		c := text[end]
		switch {
		case isDigit(c):
			number = append(number, c)
		case len(number) > 0 && strings.IndexByte(" .-/", c) >= 0 && isDigit(text[end-1]):
		default:
			return "", at, false
		}
	}
	return string(number), end, len(number) == n && !startsWithWord(text[end:])
}

// germanTaxID wants eleven digits, the last by ISO/IEC 7064 (mod 11, 10).
func germanTaxID(text string, span scan.Span) (scan.Span, bool) {
	digits, end, ok := numberBehind(text, span.End, 11)
	if !ok || digits[0] == '0' {
		return span, false
	}
	product := 10
	for _, c := range []byte(digits[:10]) {
		sum := (int(c-'0') + product) % 10
		if sum == 0 {
			sum = 10
		}
		product = 2 * sum % 11
	}
	check := (11 - product) % 10
	return scan.Span{Start: span.End, End: end}, int(digits[10]-'0') == check
}

// spanishID wants eight digits, or X, Y or Z and seven, and the letter that their
// remainder by 23 stands for.
func spanishID(text string, span scan.Span) (scan.Span, bool) {
	const letters = "TRWAGMYFPDXBNJZSQVHLCKE"
	at, number, want := span.End, 0, 8
	if at < len(text) {
		if i := strings.IndexByte("XYZ", text[at]&^0x20); i >= 0 {
			number, want, at = i, 7, at+1
		}
	}
	read := 0
	for ; at < len(text) && read < want; at++ {
		if !isDigit(text[at]) {
			if read > 0 && (text[at] == '.' || text[at] == ' ') || read == 0 && text[at] == '-' {
				continue
			}
			return span, false
		}
		number = number*10 + int(text[at]-'0')
		read++
	}
	if at < len(text) && (text[at] == '-' || text[at] == ' ') {
		at++
	}
	if read < want || at >= len(text) || text[at]&^0x20 != letters[number%23] || startsWithWord(text[at+1:]) {
		return span, false
	}
	return scan.Span{Start: span.End, End: at + 1}, true
}

// frenchNIR wants thirteen digits and two that are 97 less their remainder.
func frenchNIR(text string, span scan.Span) (scan.Span, bool) {
	digits, end, ok := numberBehind(text, span.End, 15)
	if !ok || digits[0] != '1' && digits[0] != '2' {
		return span, false
	}
	return scan.Span{Start: span.End, End: end}, 97-remainder(digits[:13], 97) == remainder(digits[13:], 100)
}

// cpf wants eleven digits, not all alike, the last two by weighted sums.
func cpf(text string, span scan.Span) (scan.Span, bool) {
	digits, end, ok := numberBehind(text, span.End, 11)
	if !ok || strings.Count(digits, digits[:1]) == len(digits) {
		return span, false
	}
	for n := 9; n < 11; n++ {
		sum := 0
		for i := range n {
			sum += int(digits[i]-'0') * (n + 1 - i)
		}
		if sum*10%11%10 != int(digits[n]-'0') {
			return span, false
		}
	}
	return scan.Span{Start: span.End, End: end}, true
}

// aadhaar wants twelve digits that do not begin with 0 or 1, the last by Verhoeff.
func aadhaar(text string, span scan.Span) (scan.Span, bool) {
	digits, end, ok := numberBehind(text, span.End, 12)
	return scan.Span{Start: span.End, End: end}, ok && digits[0] >= '2' && verhoeff(digits)
}

// verhoeff multiplies in the dihedral group of order ten: digits 0 to 4 turn, 5 to
// 9 turn and mirror.
func verhoeff(digits string) bool {
	product := 0
	for i := range len(digits) {
		d := int(digits[len(digits)-1-i] - '0')
		for range i % 8 {
			d = int("1576283094"[d] - '0')
		}
		product = dihedral(product, d)
	}
	return product == 0
}

func dihedral(a, b int) int {
	switch {
	case a < 5 && b < 5:
		return (a + b) % 5
	case a < 5:
		return 5 + (a+b)%5
	case b < 5:
		return 5 + (a-b+5)%5
	default:
		return (a - b + 5) % 5
	}
}

// passport tries the check digits of the second line of a machine-readable zone:
// of the number, of the date of birth and of the date of expiry (ICAO Doc 9303).
func passport(text string, span scan.Span) (scan.Span, bool) {
	const line = 44
	found := text[span.Start:span.End]
	if len(found) < 2*line {
		return span, false
	}
	second := found[len(found)-line:]
	for _, field := range []struct{ from, to int }{{0, 9}, {13, 19}, {21, 27}} {
		if zoneDigit(second[field.from:field.to]) != second[field.to] {
			return span, false
		}
	}
	return span, true
}

func zoneDigit(field string) byte {
	sum := 0
	for i := range len(field) {
		value := 0
		switch c := field[i]; {
		case isDigit(c):
			value = int(c - '0')
		case 'A' <= c && c <= 'Z':
			value = int(c-'A') + 10
		}
		sum += value * []int{7, 3, 1}[i%3]
	}
	return byte('0' + sum%10)
}

// remainder is that of a decimal number.
func remainder(digits string, by int) int {
	rest := 0
	for i := range len(digits) {
		rest = (rest*10 + int(digits[i]-'0')) % by
	}
	return rest
}
