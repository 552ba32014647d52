package scan

import (
	"strings"
	"testing"
)

// Long runs map as short ones, also where much was left out.
func TestOriginOfLongRuns(t *testing.T) {
	t.Parallel()
	const many = 140_000
	const few = 70_000
	normal, back, _ := Normal(strings.Repeat("a", many) + strings.Repeat("\u200b", many) + strings.Repeat("ｒ", many) + strings.Repeat("a", few) + "é" + strings.Repeat("a", few) + "ｒ")
	if want := strings.Repeat("a", many) + strings.Repeat("r", many) + strings.Repeat("a", few) + "é" + strings.Repeat("a", few) + "r"; normal != want {
		t.Fatalf("the copy has %d bytes, want %d", len(normal), len(want))
	}
	for i := range len(normal) {
		from, to := i, i+1
		switch {
		case i == len(normal)-1:
			from, to = i+5*many, i+5*many+3
		case i >= 2*many:
			from, to = i+5*many, i+5*many+1
		case i >= many:
			from, to = 4*many+3*(i-many), 4*many+3*(i-many+1)
		}
		if gotFrom, gotTo := back(i, i+1); gotFrom != from || gotTo != to {
			t.Fatalf("byte %d is %d to %d, want %d to %d", i, gotFrom, gotTo, from, to)
		}
	}
}
