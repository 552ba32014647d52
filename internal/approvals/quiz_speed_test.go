package approvals

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/long"
)

// How long a reader takes for three questions: silent reading of English, 238 words a minute
// (Brysbaert 2019), and the keystroke-level model (Card, Moran and Newell 1980) for thinking,
// pointing, pressing, moving the hand to the keys and typing, in seconds.
const (
	readsWords                                     = 238.0 / 60
	thinks, points, presses, reaches, typesOneMore = 1.35, 1.1, 0.2, 0.4, 0.28
)

// seconds is the time to answer with the keys, and with a pointer: of a question by options one
// key and Enter, or two presses; of a typed one its box, its characters and Enter.
func seconds(set []Question) (keys, pointer float64, words int) {
	for _, q := range set {
		words += len(strings.Fields(q.Prompt))
		for _, o := range q.Options {
			words += len(strings.Fields(o.Text))
		}
		if q.Typed {
			typed := reaches + float64(utf8.RuneCountInString(q.Right)+1)*typesOneMore
			keys, pointer = keys+thinks+typesOneMore+typed, pointer+thinks+points+presses+typed
			continue
		}
		keys, pointer = keys+thinks+2*typesOneMore, pointer+thinks+2*(points+presses)
	}
	reading := float64(words) / readsWords
	return keys + reading, pointer + reading, words
}

// TestAReaderIsQuick counts words and inputs of the three questions about varied actions.
func TestAReaderIsQuick(t *testing.T) {
	t.Parallel()
	long.NotUnderRace(t, oneGoroutine)
	var keys, pointer, words []float64
	for i, s := range scenes(t, varied) { // all of them: the bounds are what they take
		set := quiz(s.a, s.around(), asked{}, seeded(uint64(i)))
		if len(set) == 0 {
			continue
		}
		k, p, n := seconds(set)
		keys, pointer, words = append(keys, k), append(pointer, p), append(words, float64(n))
	}
	at := func(all []float64, share float64) float64 {
		slices.Sort(all)
		return all[int(share*float64(len(all)-1))]
	}
	for of, all := range map[string][]float64{"words": words, "seconds with the keys": keys, "seconds with a pointer": pointer} {
		t.Logf("of %d sets, half, nine of ten, 19 of 20, all: %s %.1f, %.1f, %.1f, %.1f", len(all), of, at(all, 0.5), at(all, 0.9), at(all, 0.95), at(all, 1))
	}
	for of, c := range map[string]struct{ seconds, most float64 }{
		"half of the sets, with the keys":     {at(keys, 0.5), 19},
		"19 of 20 sets, with the keys":        {at(keys, 0.95), 21},
		"the slowest set, with the keys":      {at(keys, 1), 25},
		"half of the sets, with a pointer":    {at(pointer, 0.5), 24},
		"nine of ten sets, with a pointer":    {at(pointer, 0.9), 25},
		"words of half of the sets, for 11 s": {at(words, 0.5) / readsWords, 11.5},
	} {
		if c.seconds > c.most {
			t.Errorf("%s: %.1f s, want at most %.1f", of, c.seconds, c.most)
		}
	}
}
