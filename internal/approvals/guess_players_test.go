package approvals

import (
	"slices"
	"strings"
	"unicode"
)

// distance is Levenshtein's, in characters.
func distance(a, b string) float64 {
	if a == b {
		return 0
	}
	x, y := []rune(a), []rune(b)
	row := make([]int, len(y)+1)
	for j := range row {
		row[j] = j
	}
	for i := range x {
		diagonal := row[0]
		row[0] = i + 1
		for j := range y {
			cost := diagonal
			if x[i] != y[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return float64(row[len(y)])
}

// common is how many characters two texts share, wherever they stand.
func common(a, b string) (n float64) {
	count := map[rune]int{}
	for _, r := range a {
		count[r]++
	}
	for _, r := range b {
		if count[r] > 0 {
			count[r]--
			n++
		}
	}
	return n
}

// numeral is what the digits of a text say.
func numeral(v string) (n float64) {
	for _, r := range v {
		if r >= '0' && r <= '9' {
			n = n*10 + float64(r-'0')
		}
	}
	return n
}

// roundness is how many zeros, or nines behind a point, a number ends with.
func roundness(v string) (n float64) {
	v = strings.TrimRightFunc(v, func(r rune) bool { return !unicode.IsDigit(r) })
	for ; strings.HasSuffix(v, "0"); v = v[:len(v)-1] {
		n++
	}
	return n
}

func repeats(v string) (n float64) {
	last := rune(-1)
	for _, r := range v {
		if r == last && unicode.IsDigit(r) {
			n++
		}
		last = r
	}
	return n
}

// parts are the words and numbers of a text.
func parts(v string) []string {
	return strings.FieldsFunc(strings.ToLower(v), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}

var _ = slices.Contains[[]string]
