// Package near is for tests only: it draws inputs near to given ones, for properties of what
// starts a server or a database. A fuzz test starts many processes, each with its own.
package near

import "pgregory.net/rapid"

// edits is how many edits are made of one input at most.
const edits = 6

// Text draws one of the seeds, or what a few edits make of it.
func Text(seeds ...string) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		s := rapid.SampledFrom(seeds).Draw(t, "seed")
		for range rapid.IntRange(0, edits).Draw(t, "edits") {
			before, stretch, after := cut(t, s)
			switch rapid.IntRange(0, 4).Draw(t, "edit") {
			case 0:
				s = before + after
			case 1:
				s = before + stretch + stretch + after
			case 2:
				_, other, _ := cut(t, rapid.SampledFrom(seeds).Draw(t, "other seed"))
				s = before + other + after
			case 3:
				s = before + rapid.String().Draw(t, "text") + after
			default:
				s = before + string(rapid.SliceOfN(rapid.Byte(), 1, 4).Draw(t, "bytes")) + after
			}
		}
		return s
	})
}

// cut draws a stretch of a text.
func cut(t *rapid.T, s string) (before, stretch, after string) {
	from := rapid.IntRange(0, len(s)).Draw(t, "from")
	to := rapid.IntRange(from, len(s)).Draw(t, "to")
	return s[:from], s[from:to], s[to:]
}

// Value draws a value of JSON with such texts as values and as names, at most so deep.
func Value(texts *rapid.Generator[string], depth int) *rapid.Generator[any] {
	plain := rapid.OneOf(
		rapid.Map(texts, func(s string) any { return s }),
		rapid.SampledFrom([]any{nil, true, false, 0, -1, 20.5, 1e-7, 5e-324, 48200, ""}),
	)
	if depth == 0 {
		return plain
	}
	inner := Value(texts, depth-1)
	return rapid.OneOf(plain,
		rapid.Map(rapid.SliceOfN(inner, 0, 4), func(list []any) any { return list }),
		rapid.Map(Object(texts, depth-1), func(o map[string]any) any { return o }),
	)
}

// Object draws an object of such values.
func Object(texts *rapid.Generator[string], depth int) *rapid.Generator[map[string]any] {
	return rapid.MapOfN(texts, Value(texts, depth), 0, 6)
}
