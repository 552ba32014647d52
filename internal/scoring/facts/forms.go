package facts

import (
	"strings"
	"time"
)

// The forms of single values.

// readTime is the length of the date or time that a text begins with: 2006-01-02,
// with 15:04 behind it, seconds, a fraction and a zone where they are written.
// 0 means that there is none, or that the calendar has no such day.
func readTime(text string) (label string, length int) {
	if len(text) < 10 {
		return "", 0
	}
	if !isDigit(text[0]) || text[4] != '-' || text[7] != '-' { // an error costs more than most texts
		return "", 0
	}
	if _, err := time.Parse(time.DateOnly, text[:10]); err != nil {
		return "", 0
	}
	clock := text[10:]
	if len(clock) < 6 || strings.IndexByte("Tt ", clock[0]) < 0 {
		return "date", 10
	}
	n := 1
	switch {
	case len(clock) >= 9 && isClock(time.TimeOnly, clock[1:9]):
		n = 9
	case isClock("15:04", clock[1:6]):
		n = 6
	default:
		return "date", 10
	}
	if n == 9 && len(clock) > 10 && clock[9] == '.' && isDigit(clock[10]) {
		for n = 10; n < len(clock) && isDigit(clock[n]); n++ {
		}
	}
	zone := clock[n:]
	switch {
	case strings.HasPrefix(zone, "Z") || strings.HasPrefix(zone, "z"):
		n++
	case len(zone) >= 6 && (zone[0] == '+' || zone[0] == '-') && isClock("15:04", zone[1:6]):
		n += 6
	}
	return "time", 10 + n
}

func isClock(layout, text string) bool {
	if !isDigit(text[0]) || text[2] != ':' {
		return false
	}
	_, err := time.Parse(layout, text)
	return err == nil
}

// hostOf is where the host of a URL stands, without user, port and brackets; of
// a text that is no URL, all of it.
func hostOf(text string) (start, end int) {
	at := strings.Index(text, "://")
	if at < 0 || strings.ContainsAny(text[:at], "/?#\\") { // evil.example/?u=https://good.example
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

// ibanIn is how long the longest IBAN is with which the capitals, digits and single
// spaces begin that a text begins with, and behind which they end or have a space; 0 for
// none. It checks the two digits that ISO 13616 defines: the number, with its first four
// characters last and letters as 10 to 35, leaves 1 when divided by 97.
func ibanIn(text string) (longest int) {
	var (
		read        int           // characters
		rest        uint64        // the number behind the fourth; where that is large, what it leaves
		first, move uint64 = 0, 1 // the number of the first four, and the power of ten that moves another before it
	)
	for i := 0; ; i++ {
		value := uint64(noDigit)
		if i < len(text) {
			value = uint64(ibanDigit[text[i]])
		}
		if value == noDigit {
			if read >= 15 && (rest%97*move+first)%97 == 1 {
				longest = i
			}
			if i >= len(text)-1 || text[i] != ' ' || ibanDigit[text[i+1]] == noDigit {
				return longest
			}
			continue
		}
		if read == 34 {
			return longest
		}
		digits := uint64(10)
		if value >= 10 {
			digits = 100
		}
		if read < 4 {
			first, move = first*digits+value, move*digits
		} else if rest = rest*digits + value; rest > 1<<56 {
			rest %= 97
		}
		read++
	}
}

// ibanDigit is the number of a capital or digit in an IBAN, noDigit for any other byte.
var ibanDigit = func() (number [256]uint8) {
	for b := range len(number) {
		switch {
		case isDigit(byte(b)):
			number[b] = uint8(b - '0')
		case isCapital(byte(b)):
			number[b] = uint8(b-'A') + 10
		default:
			number[b] = noDigit
		}
	}
	return number
}()

const noDigit = 255
