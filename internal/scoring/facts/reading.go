package facts

import "slices"

// reading is a text that is read, and where it stands: the value itself, a
// stretch of it, or what its quotes and escapes mean, such as the script of
// bash -c "rm \"x\"".
type reading struct {
	text string
	of   *origin
	from int // where text begins: in the value, or in what was decoded of it
}

// origin is a value, or what was decoded of one.
type origin struct {
	path    *[]byte   // where pointer is not made yet, what it will be of
	pointer string    // of the value
	written []written // where what was decoded was written, in order; nil for the value itself, or where there is nothing
}

// written says where in the value the bytes from at on were written, up to those of
// the next one: one by one from byte from on, or all of them as bytes from to to.
type written struct {
	at, from, to int32
	same         bool
}

// whole is the reading of a value as it is.
func whole(text, pointer string) reading {
	return reading{text: text, of: &origin{pointer: pointer}}
}

// pointer is that of the value. Most values hold no fact, and need none.
func (r reading) pointer() string {
	if r.of == nil {
		return ""
	}
	if r.of.path != nil {
		r.of.pointer, r.of.path = string(*r.of.path), nil
	}
	return r.of.pointer
}

// standsAt reports whether a pointer is that of the value.
func (r reading) standsAt(pointer string) bool {
	if r.of != nil && r.of.path != nil {
		return string(*r.of.path) == pointer
	}
	return r.pointer() == pointer
}

// decoded reports whether the text stands in the value in other letters.
func (r reading) decoded() bool { return r.of != nil && r.of.written != nil }

// part is a stretch of a reading.
func (r reading) part(start, end int) reading {
	return reading{text: r.text[start:end], of: r.of, from: r.from + start}
}

// place is where a stretch stands in the value.
func (r reading) place(start, end int) (from, to int) {
	switch {
	case !r.decoded():
		return r.from + start, r.from + end
	case start < end:
		from, _ = r.of.byteAt(r.from + start)
		_, to = r.of.byteAt(r.from + end - 1)
	}
	return from, to
}

// index is which of written says where byte i was written.
func (o *origin) index(i int) int {
	n, found := slices.BinarySearchFunc(o.written, i, func(w written, i int) int { return int(w.at) - i })
	if !found {
		n--
	}
	return n
}

// byteAt is where byte i of what was decoded was written.
func (o *origin) byteAt(i int) (from, to int) {
	w := o.written[o.index(i)]
	if w.same {
		from = int(w.from) + i - int(w.at)
		return from, from + 1
	}
	return int(w.from), int(w.to)
}

// decoder writes down what quotes and escapes mean. As long as they mean nothing
// the result is a stretch of the original. Decoders share the memory of their room:
// the one that began last ends first.
type decoder struct {
	of    reading
	room  *room
	from  int  // where the text began
	plain int  // up to here it is the same as the original
	begun bool // the result differs; it stands in the room, from here on:
	text  int
	where int
}

func newDecoder(of reading, from int, room *room) decoder {
	return decoder{of: of, room: room, from: from, plain: from}
}

// copy takes bytes start to end of the original as they are.
func (d *decoder) copy(start, end int) {
	if !d.begun && d.from == d.plain {
		d.from, d.plain = start, end
		return
	}
	if !d.begun && start == d.plain {
		d.plain = end
		return
	}
	d.begin()
	d.take(start, end)
}

// take is copy once the result differs.
func (d *decoder) take(start, end int) {
	if start == end {
		return
	}
	at := len(d.room.text) - d.text
	d.room.text = append(d.room.text, d.of.text[start:end]...)
	if !d.of.decoded() {
		d.wrote(written{int32(at), int32(d.of.from + start), 0, true})
		return
	}
	shift := at - d.of.from - start // from the original to the result
	all := d.of.of.written
	for n := d.of.of.index(d.of.from + start); n < len(all) && int(all[n].at) < d.of.from+end; n++ {
		w := all[n]
		if skip := int32(d.of.from+start) - w.at; skip > 0 {
			w.at += skip
			if w.same {
				w.from += skip
			}
		}
		w.at += int32(shift)
		d.wrote(w)
	}
}

// wrote notes where bytes were written, together with those before where it can.
func (d *decoder) wrote(w written) {
	if n := len(d.room.written); n > d.where && w.same {
		if last := d.room.written[n-1]; last.same && last.from-last.at == w.from-w.at {
			return
		}
	}
	d.room.written = append(d.room.written, w)
}

// write takes bytes start to end of the original, which mean something else.
func (d *decoder) write(meaning string, start, end int) {
	d.begin()
	if meaning == "" {
		return
	}
	from, to := d.of.place(start, end)
	d.wrote(written{int32(len(d.room.text) - d.text), int32(from), int32(to), false})
	d.room.text = append(d.room.text, meaning...)
}

// begin makes the result differ from the original.
func (d *decoder) begin() {
	if d.begun {
		return
	}
	d.begun, d.text, d.where = true, len(d.room.text), len(d.room.written)
	d.take(d.from, d.plain)
}

func (d *decoder) reading() reading {
	if !d.begun {
		return d.of.part(d.from, d.plain)
	}
	r := reading{text: string(d.room.text[d.text:]), of: d.room.origin(d.of.pointer(), d.room.written[d.where:])}
	d.room.text, d.room.written = d.room.text[:d.text], d.room.written[:d.where]
	return r
}
