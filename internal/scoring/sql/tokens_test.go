package sql

import (
	"testing"
	"unicode"
)

func TestSpacesAreUnicodes(t *testing.T) {
	t.Parallel()
	for r := range rune(unicode.MaxRune + 1) {
		if got, want := SpaceAt(string(r), 0) > 0, unicode.IsSpace(r); got != want {
			t.Errorf("%U is a space: %v, want %v", r, got, want)
		}
	}
}
