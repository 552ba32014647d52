package approvals

import (
	"slices"
	"strings"
	"unicode"
)

// Of a value that chance made (a UUID, a hash, pi_3MtwBwLkdIwHu7ix28a3tqPa) nobody keeps the
// middle in mind, and of a card or an IBAN the digits in front can be checked. It is asked how
// such a value ends. All four ends are the same draw: each character any of those that such a
// value can have there.

const (
	endLength = 4
	// What comes before the end says which characters there can be.
	leastStem = 8
	// How often the kind of character changes in the last ones of what chance made of letters
	// and digits, where words and years change seldom.
	mixedLength, leastChanges = 10, 4
)

// end is s asked by its end, where chance made that.
func (s subject) end() (subject, bool) {
	stem, any := s.stem()
	if any == "" || !endsByChance(stem, s.value[len(stem):], any) {
		return subject{}, false
	}
	return subject{kind: s.kind, label: s.label, prompt: s.endPrompt(), value: "…" + s.value[len(stem):]}, len(s.list) == 0
}

// stem is what comes before the end of a value, and the characters that its end can have: none
// where chance did not make it. It is read from the stem alone, so that the end says nothing.
func (s subject) stem() (stem, any string) {
	if len(s.value) < leastStem+endLength || s.isCounted() {
		return "", ""
	}
	stem = s.value[:len(s.value)-endLength]
	run := stem[len(strings.TrimRightFunc(stem, alphanumeric)):]
	whole := hashed.FindAllStringIndex(s.value, -1)
	digits := strings.Trim(stem, "0123456789") == "" || checked(s.value)
	switch {
	case digits:
		return stem, "0123456789"
	case len(whole) > 0 && whole[len(whole)-1][1] == len(s.value):
		if !strings.ContainsAny(strings.ToLower(stem[whole[len(whole)-1][0]:]), "abcdef") { // r-2517278740340340416
			return stem, "0123456789"
		}
		if strings.ContainsAny(stem, "ABCDEF") {
			return stem, "0123456789ABCDEF"
		}
		return stem, "0123456789abcdef"
	case len(run) < leastStem:
		return "", ""
	}
	any = "0123456789"
	for _, letters := range []string{"abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"} {
		if strings.ContainsAny(run, letters) {
			any += letters
		}
	}
	if const32 := "ilouILOU"; !strings.ContainsAny(run, const32) { // alphabets without them are usual
		any = strings.Map(func(r rune) rune {
			if strings.ContainsRune(const32, r) {
				return -1
			}
			return r
		}, any)
	}
	return stem, any
}

// isCounted reports whether a value is how much or how many.
func (s subject) isCounted() bool {
	_, ok := s.number()
	return ok
}

// endsByChance reports whether an end looks as chance makes it: no sequence, no year, and
// where letters are more than hexadecimal ones, no word.
func endsByChance(stem, end, any string) bool {
	if strings.Trim(end, any) != "" || !ordinary(end) || isYear(end) {
		return false
	}
	if len(any) <= len("0123456789abcdef") {
		return true
	}
	whole := stem + end
	last := whole[len(whole)-mixedLength:]
	return changes(end) > 0 && changes(last) >= leastChanges && strings.ContainsAny(last, "0123456789")
}

// changes is how often the kind of character changes.
func changes(v string) (n int) {
	kinds := []rune(shape(v))
	for i := 1; i < len(kinds); i++ {
		if kinds[i] != kinds[i-1] {
			n++
		}
	}
	return n
}

func alphanumeric(r rune) bool {
	return r < unicode.MaxASCII && (unicode.IsLetter(r) || unicode.IsDigit(r))
}

// ends are four ends, that of s among them; nil where others know the value.
func (w around) ends(s subject, random source) []string {
	stem, any := s.stem()
	if any == "" || w.own[s.value] > 0 || s.wellKnown() || w.pool[[2]string{s.kind, s.label}][s.value] != nil {
		return nil
	}
	all := []string{"…" + s.value[len(stem):]}
	for range maxTries {
		end := make([]byte, endLength)
		for i := range end {
			end[i] = any[random.IntN(len(any))]
		}
		if o := "…" + string(end); endsByChance(stem, string(end), any) && !slices.Contains(all, o) {
			if all = append(all, o); len(all) == quizOptions {
				return all
			}
		}
	}
	return nil
}
