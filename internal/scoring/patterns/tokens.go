package patterns

import (
	"hash/crc32"
	"math"
	"strings"

	"github.com/countersign/countersign/internal/scoring/scan"
)

// leastEntropy is how many bits a character of a token carries at least. Random
// hexadecimal digits, the poorest alphabet in use, carry about 3.5 where there are
// 32 of them; a row of one letter, as manuals write it, 0.
const leastEntropy = 2.7

// token wants what was found to look drawn at random: a prefix and a row of
// letters is how manuals write where a token goes.
func token(text string, span scan.Span) (scan.Span, bool) {
	body := tokenBody(text[span.Start:span.End])
	return span, entropy(body) >= leastEntropy
}

// checkedToken takes a token whose last six characters are the CRC-32 of those
// between them and the prefix, written in base 62 (GitHub and npm publish that).
// One whose checksum is right is a token whatever it looks like. One whose checksum
// is wrong has to look drawn at random: a letter lost in copying is no reason to
// store the rest of it.
func checkedToken(text string, span scan.Span) (scan.Span, bool) {
	body := tokenBody(text[span.Start:span.End])
	return span, hasChecksum(body) || entropy(body) >= leastEntropy
}

// tokenBody is a token without its prefix, which ends at the first mark that is
// no letter or digit, and without what glues it to a word.
func tokenBody(token string) string {
	const longest = 300 // characters that say enough
	token = strings.Trim(token, "_")
	i := strings.IndexAny(token, "_-.")
	return token[i+1 : min(len(token), longest)]
}

func hasChecksum(body string) bool {
	const sum = 6
	if len(body) <= sum {
		return false
	}
	payload, want := body[:len(body)-sum], body[len(body)-sum:]
	return base62(crc32.ChecksumIEEE([]byte(payload))) == want
}

// base62 writes a number in six digits, 0 to 9, A to Z, a to z.
func base62(n uint32) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	var b [6]byte
	for i := len(b) - 1; i >= 0; i-- {
		b[i] = digits[n%62]
		n /= 62
	}
	return string(b[:])
}

// entropy is Shannon's, in bits per byte.
func entropy(s string) float64 {
	var count [256]int
	for i := range len(s) {
		count[s[i]]++
	}
	bits := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			bits -= float64(p * math.Log2(p))
		}
	}
	return bits
}
