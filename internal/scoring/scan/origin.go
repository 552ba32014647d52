package scan

import (
	"math"
	"sort"
)

// origin says where the bytes of a copy came from, in order, without gaps in the copy.
// The copy of a hostile text has hundreds of thousands of pieces, so they are written
// down tightly: first the ends of the source and of the copy that were reached, then blocks
// of runs. A block begins with the ends that the block before it reached.
type origin []uint32

// A run is so many pieces of one size, one behind another: its upper half says how many
// they are, and one byte each how long they were in the source, and are in the copy. Where
// nothing changed, each byte is a piece. What was left out is bytes that are none in the copy.
//
// A longer piece is written as aLongPiece, its two lengths, and a run of nothing.
const (
	mostPieces   = math.MaxUint16
	longestPiece = math.MaxUint8
	aLongPiece   = 1 << 8
	longWords    = 4
	headWords    = 2 // of an origin, and of a block
	blockWords   = 32
)

// add appends a piece. same says that nothing changed in it.
func (o origin) add(from, fromEnd, to, toEnd int, same bool) origin {
	if same {
		return o.addSeveral(from, 1, 1, fromEnd-from)
	}
	return o.addSeveral(from, fromEnd-from, toEnd-to, 1)
}

// addSeveral appends pieces of one size, of which the first begins at byte from of the
// source.
func (o origin) addSeveral(from, wide, long, times int) origin {
	if len(o) == 0 {
		o = append(o, 0, 0)
	}
	if left := from - int(o[0]); left > 0 {
		o = o.put(1, 0, left)
	}
	if wide <= longestPiece && long <= longestPiece {
		return o.put(wide, long, times)
	}
	for range times {
		o = append(o.room(longWords), aLongPiece, uint32(wide), uint32(long), 0)
		o[0], o[1] = o[0]+uint32(wide), o[1]+uint32(long)
	}
	return o
}

// put appends short pieces to the last run, or as runs of their own.
func (o origin) put(wide, long, times int) origin {
	size := uint32(wide<<8 | long)
	if last := len(o) - 1; o[last]&0xffff == size && times+int(o[last]>>16) <= mostPieces {
		o[last] += uint32(times) << 16
		o[0], o[1] = o[0]+uint32(times*wide), o[1]+uint32(times*long)
		return o
	}
	for times > 0 {
		n := min(times, mostPieces)
		o = append(o.room(1), uint32(n)<<16|size)
		o[0], o[1] = o[0]+uint32(n*wide), o[1]+uint32(n*long)
		times -= n
	}
	return o
}

// room begins a new block where the last one has no room for so many words.
func (o origin) room(words int) origin {
	used := int(uint(len(o)-headWords) % blockWords)
	if used > 0 && used+words <= blockWords {
		return o
	}
	for ; 0 < used && used < blockWords; used++ {
		o = append(o, 0)
	}
	return append(o, o[0], o[1])
}

// back maps start..end of the copy to the smallest range of the source. Ranges
// outside the copy are cut to it.
func (o origin) back(start, end int) (int, int) {
	if len(o) == 0 {
		return 0, 0
	}
	last := int(o[1])
	start = min(max(start, 0), last)
	end = min(max(end, start), last)
	first := o.at(start)
	from := first.from
	if first.short {
		from += (start - first.to) / first.long * first.wide
	}
	if end == start {
		return from, from
	}
	final := o.at(end - 1)
	return from, final.from + ((end-1-final.to)/final.long+1)*final.wide
}

// pieces are those of a run.
type pieces struct {
	from, to   int // where the first begins in the source, and in the copy
	wide, long int // how long each is there, and here
	short      bool
}

// at is the run in which a byte of the copy stands; the last one behind the end.
func (o origin) at(i int) (p pieces) {
	before := (len(o) - headWords - 1) / blockWords // blocks before the last one
	o = o[headWords:]
	o = o[blockWords*sort.Search(before, func(n int) bool { return int(o[blockWords*(n+1)+1]) > i }):]
	from, to := int(o[0]), int(o[1])
	for k := headWords; k < min(len(o), blockWords); k++ {
		wide, long, times := int(o[k]>>8&0xff), int(o[k]&0xff), int(o[k]>>16)
		short := o[k] != aLongPiece
		if !short {
			wide, long, times = int(o[k+1]), int(o[k+2]), 1
			k += 2
		}
		if long > 0 {
			if p = (pieces{from, to, wide, long, short}); i < to+times*long {
				break
			}
		}
		from, to = from+times*wide, to+times*long
	}
	return p
}
