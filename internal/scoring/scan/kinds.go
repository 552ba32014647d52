package scan

import (
	"slices"
	"sync"
	"unicode/utf8"
)

// farKinds parts the characters that UTF-8 writes in three or four bytes as nearly all
// expressions do: word characters, letters, spaces, and a few that look like something else.
// So they need one table together, and each only what it makes of a kind.
type farKinds struct {
	blocks    []uint16            // by r / blockRunes: which of kinds
	kinds     [][blockRunes]uint8 // equal ones once
	first     []rune              // of each kind
	stretches []stretch           // of one kind each, in order, from nearRunes on
}

type stretch struct {
	from rune
	kind uint8
}

const blockRunes = 128

// of is the kind of a character from nearRunes on.
func (f *farKinds) of(r rune) uint8 { return f.kinds[f.blocks[r/blockRunes]][r%blockRunes] }

var theKinds = sync.OnceValue(func() *farKinds {
	const (
		punctuation, behind = 0x2000, 0x2070 // each of these is a kind: quotes, dashes, spaces, marks that nobody sees
		kelvin              = 0x212a
		tags, lastTag       = 0xe0020, 0xe007e // letters that nobody sees
	)
	type sort struct {
		word, letter, space bool
		itself              rune
	}
	var (
		f       = &farKinds{blocks: make([]uint16, utf8.MaxRune/blockRunes+1)}
		known   = map[sort]uint8{}
		seen    = map[[blockRunes]uint8]uint16{}
		w, l, s int
		last    sort
		kind    uint8
	)
	for block := range f.blocks {
		var kinds [blockRunes]uint8
		for n := range kinds {
			r := rune(block*blockRunes + n)
			if r < nearRunes {
				continue
			}
			for w < len(wordRanges) && wordRanges[w+1] < r {
				w += 2
			}
			for l < len(letterRanges) && letterRanges[l+1] < r {
				l += 2
			}
			for s < len(spaceRanges) && spaceRanges[s+1] < r {
				s += 2
			}
			one := sort{
				word:   w < len(wordRanges) && wordRanges[w] <= r,
				letter: l < len(letterRanges) && letterRanges[l] <= r,
				space:  s < len(spaceRanges) && spaceRanges[s] <= r,
			}
			switch {
			case r == kelvin, punctuation <= r && r < behind:
				one.itself = r
			case tags <= r && r <= lastTag:
				one.itself = tags
			}
			if one != last || len(f.first) == 0 {
				var ok bool
				if kind, ok = known[one]; !ok {
					kind = uint8(len(f.first))
					known[one] = kind
					f.first = append(f.first, r)
				}
				last = one
			}
			kinds[n] = kind
			if n := len(f.stretches); n == 0 || f.stretches[n-1].kind != kind {
				f.stretches = append(f.stretches, stretch{r, kind})
			}
		}
		at, ok := seen[kinds]
		if !ok {
			at = uint16(len(f.kinds))
			seen[kinds] = at
			f.kinds = append(f.kinds, kinds)
		}
		f.blocks[block] = at
	}
	f.stretches = slices.Clip(f.stretches)
	return f
})
