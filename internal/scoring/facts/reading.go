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

// word is a reading that is a word of a command.
type word struct {
	reading
	number bool // of a positional array: not a string
}

// pointer is that of the value.
func (r reading) pointer() string {
	if r.of == nil {
		return ""
	}
	return r.of.pointer
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

// meaning is another text that all of a reading means.
func (r reading) meaning(text string) reading {
	from, to := r.place(0, len(r.text))
	return reading{text: text, of: &origin{pointer: r.pointer(), written: []written{{0, int32(from), int32(to), false}}}}
}

// decoder writes down what escapes mean. As long as there are none the result is a stretch
// of the original.
type decoder struct {
	of      reading
	from    int // where the text began
	plain   int // up to here it is the same as the original
	begun   bool
	text    []byte // the result, where it differs
	written []written
}

// copy takes bytes start to end of the original as they are.
func (d *decoder) copy(start, end int) {
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
	at := len(d.text)
	d.text = append(d.text, d.of.text[start:end]...)
	if !d.of.decoded() {
		d.written = append(d.written, written{int32(at), int32(d.of.from + start), 0, true})
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
		d.written = append(d.written, w)
	}
}

// write takes bytes start to end of the original, which mean something else.
func (d *decoder) write(meaning string, start, end int) {
	d.begin()
	from, to := d.of.place(start, end)
	d.written = append(d.written, written{int32(len(d.text)), int32(from), int32(to), false})
	d.text = append(d.text, meaning...)
}

// begin makes the result differ from the original.
func (d *decoder) begin() {
	if !d.begun {
		d.begun = true
		d.take(d.from, d.plain)
	}
}

func (d *decoder) reading() reading {
	if !d.begun {
		return d.of.part(d.from, d.plain)
	}
	return reading{text: string(d.text), of: &origin{pointer: d.of.pointer(), written: d.written}}
}
