package facts

// reading is a text that is read, and where it stands: the value itself, a
// stretch of it, or what its quotes and escapes mean, such as the script of
// bash -c "rm \"x\"".
type reading struct {
	text string
	of   *origin
	from int // where text begins: in the value, or in the units of of
}

// origin is a value, or what was decoded of one.
type origin struct {
	pointer string // of the value
	units   []unit // the stretch of the value that each byte was written as; nil for the value itself
}

// unit is where one byte of a decoded text was written.
type unit struct{ from, to int32 }

// whole is the reading of a value as it is.
func whole(text, pointer string) reading {
	return reading{text: text, of: &origin{pointer: pointer}}
}

// pointer is that of the value.
func (r reading) pointer() string {
	if r.of == nil {
		return ""
	}
	return r.of.pointer
}

// decoded reports whether the text stands in the value in other letters.
func (r reading) decoded() bool { return r.of != nil && r.of.units != nil }

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
		return int(r.of.units[r.from+start].from), int(r.of.units[r.from+end-1].to)
	}
	return 0, 0
}

// unit is where bytes start to end of the text were written, as one unit.
func (r reading) unit(start, end int) unit {
	from, to := r.place(start, end)
	return unit{int32(from), int32(to)}
}

// decoder writes down what quotes and escapes mean. As long as they mean nothing
// the result is a stretch of the original.
type decoder struct {
	of    reading
	from  int // where the text began
	plain int // up to here it is the same as the original
	text  []byte
	units []unit
}

func newDecoder(of reading, from int) decoder { return decoder{of: of, from: from, plain: from} }

// copy takes bytes start to end of the original as they are.
func (d *decoder) copy(start, end int) {
	if d.text == nil && d.from == d.plain {
		d.from, d.plain = start, end
		return
	}
	if d.text == nil && start == d.plain {
		d.plain = end
		return
	}
	d.begin()
	d.text = append(d.text, d.of.text[start:end]...)
	for i := start; i < end; i++ {
		d.units = append(d.units, d.of.unit(i, i+1))
	}
}

// write takes bytes start to end of the original, which mean something else.
func (d *decoder) write(meaning string, start, end int) {
	d.begin()
	d.text = append(d.text, meaning...)
	for range len(meaning) {
		d.units = append(d.units, d.of.unit(start, end))
	}
}

// begin makes the result differ from the original.
func (d *decoder) begin() {
	if d.text != nil {
		return
	}
	d.text = append(make([]byte, 0, d.plain-d.from+16), d.of.text[d.from:d.plain]...)
	for i := d.from; i < d.plain; i++ {
		d.units = append(d.units, d.of.unit(i, i+1))
	}
}

func (d *decoder) reading() reading {
	if d.text == nil {
		return d.of.part(d.from, d.plain)
	}
	return reading{text: string(d.text), of: &origin{d.of.pointer(), d.units}}
}
