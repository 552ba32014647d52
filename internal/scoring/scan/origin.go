package scan

import "sort"

// origin says where the bytes of a copy came from, in order, without gaps in the copy. What
// was left out is bytes that are none in the copy.
type origin []run

// run is so many pieces of one size, one behind another. Where nothing changed, each byte is
// a piece.
type run struct {
	from, to   uint32 // where the first begins in the source, and in the copy
	wide, long uint32 // how long each is there, and here
	times      uint32
}

// unchanged appends bytes that stand in the copy as in the source.
func (o origin) unchanged(from, length int) origin { return o.pieces(from, 1, 1, length) }

// pieces appends some of one size, of which the first begins at byte from of the source.
func (o origin) pieces(from, wide, long, times int) origin {
	if times == 0 {
		return o
	}
	to := uint32(0)
	if n := len(o); n > 0 {
		last := &o[n-1]
		to = last.to + last.times*last.long
		if last.wide == uint32(wide) && last.long == uint32(long) && last.from+last.times*last.wide == uint32(from) {
			last.times += uint32(times)
			return o
		}
	}
	return append(o, run{uint32(from), to, uint32(wide), uint32(long), uint32(times)})
}

// back is the smallest range of the source from which all of a range of the copy came.
func (o origin) back(start, end int) (int, int) {
	if len(o) == 0 {
		return 0, 0
	}
	last := o[len(o)-1]
	most := int(last.to + last.times*last.long)
	start = min(max(start, 0), most)
	end = min(max(end, start), most)
	first := o.at(start)
	from := int(first.from) + (start-int(first.to))/int(first.long)*int(first.wide)
	if end == start {
		return from, from
	}
	final := o.at(end - 1)
	return from, int(final.from) + ((end-1-int(final.to))/int(final.long)+1)*int(final.wide)
}

// at is the run in which a byte of the copy stands; the last one behind the end.
func (o origin) at(i int) run {
	return o[max(sort.Search(len(o), func(n int) bool { return int(o[n].to) > i })-1, 0)]
}
