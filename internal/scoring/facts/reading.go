package facts

// reading is a text that is read, and where it stands: the value itself, a
// stretch of it, or what its quotes and escapes mean, such as the script of
// bash -c "rm \"x\"".
type reading struct {
	text    string
	pointer string
	start   int    // in the value at pointer, while units is nil
	units   []unit // else the stretch of the value that each byte of text was written as
}

// unit is where one byte of a decoded text was written.
type unit struct{ from, to int32 }

// whole is the reading of a value as it is.
func whole(text, pointer string) reading { return reading{text: text, pointer: pointer} }

// part is a stretch of a reading.
func (r reading) part(start, end int) reading {
	p := reading{text: r.text[start:end], pointer: r.pointer, start: r.start + start}
	if r.units != nil {
		p.units = r.units[start:end]
	}
	return p
}

// place is where a stretch stands in the value.
func (r reading) place(start, end int) (from, to int) {
	switch {
	case r.units == nil:
		return r.start + start, r.start + end
	case start < end:
		return int(r.units[start].from), int(r.units[end-1].to)
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
	return reading{text: string(d.text), pointer: d.of.pointer, units: d.units}
}
