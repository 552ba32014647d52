package canon

import (
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/fault"
)

// MaxDigits is how many digits an integer may have: enough for the 38 of a column
// of a database, and for the smallest parts of any coin.
const MaxDigits = 40

// number reads a number that begins at pos, and accepts it only if its canonical form
// denotes the same decimal value: its shortest double, or of an integer all its digits.
func (p *parser) number() (Value, *fault.Error) {
	start := p.pos
	d, problem := p.decimal()
	if problem != nil {
		return Value{}, p.refuseFor(start, fault.Textf("number %s", p.numberToken(start)), *problem)
	}
	literal := p.src[start:p.pos]
	refused := func(problem fault.Text) (Value, *fault.Error) {
		return Value{}, p.refuseFor(start, fault.Textf("number %s", shorten(literal)), problem)
	}
	if d.count == 0 {
		if d.negative {
			return refused(fault.Textf("is minus zero, which loses its sign in canonical form; send 0"))
		}
		return p.numberOf(literal, "0")
	}
	if d.plain && len(literal) <= 15 { // an integer as it should be: the double is exact, the form canonical
		return p.numberOf(literal, literal)
	}
	f, same := d.double()
	switch {
	case d.point > MaxDigits && (d.plain || same):
		return refused(fault.Textf("is an integer of more than %d digits; send it as a string", MaxDigits))
	case same:
		return p.numberOf(literal, formatNumber(f))
	case d.plain:
		return p.numberOf(literal, literal)
	case int64(d.count) <= d.point && d.point <= MaxDigits:
		return refused(fault.Textf("loses precision as a double; send the integer without a fraction or exponent"))
	}
	return refused(fault.Textf("loses precision as a double; send it as a string"))
}

// numberOf keeps the part of the input when that is canonical already.
func (p *parser) numberOf(literal, canonical string) (Value, *fault.Error) {
	if literal == canonical {
		canonical = literal
	}
	p.growth += max(0, len(canonical)-len(literal))
	return Value{kind: KindNumber, text: canonical}, nil
}

// maxDigits is enough for every double: 17 significant digits tell all of them
// apart, so the shortest form of none has more (IEEE 754-2008 §5.12.2).
const maxDigits = 17

// decimal is the value 0.d1d2d3… × 10^point, exactly, with no zero at either end
// of the digits. A number with more than maxDigits digits is only counted.
type decimal struct {
	negative bool
	plain    bool // neither a decimal point nor an exponent was written
	digits   [maxDigits]byte
	count    int   // of significant digits; 0 is the number zero
	point    int64 // far outside the range of a double it is only that: far outside
}

// What can be wrong with a literal.
var (
	noDigit    = fault.Textf("has no digit after the minus sign; send a number such as -1")
	zeroFirst  = fault.Textf("begins with a zero; send it without, or as a string if the zero matters")
	noFraction = fault.Textf("has no digit after the decimal point; send one")
	noExponent = fault.Textf("has no digit in its exponent; send one")
)

// decimal steps over the literal at pos as RFC 8259 §6 spells it, in one pass,
// and collects its value; or it says what is wrong.
func (p *parser) decimal() (d decimal, problem *fault.Text) {
	d.negative = p.take('-')
	zeros := 0 // zeros after the last significant digit, which count if another follows
	digits := func(whole bool) (n int) {
		for ; p.pos < len(p.src) && '0' <= p.src[p.pos] && p.src[p.pos] <= '9'; p.pos++ {
			n++
			c := p.src[p.pos]
			if c == '0' && d.count == 0 {
				if !whole {
					d.point--
				}
				continue
			}
			if whole {
				d.point++
			}
			if c == '0' {
				zeros++
				continue
			}
			for ; zeros > 0; zeros-- {
				d.push('0')
			}
			d.push(c)
		}
		return n
	}

	first := p.pos
	switch n := digits(true); {
	case n == 0:
		return d, &noDigit
	case n > 1 && p.src[first] == '0':
		return d, &zeroFirst
	}
	fraction := p.take('.')
	if fraction && digits(false) == 0 {
		return d, &noFraction
	}
	if !p.take('e') && !p.take('E') {
		d.plain = !fraction
		return d, nil
	}
	exponent, ok := p.exponent()
	if !ok {
		return d, &noExponent
	}
	d.point += exponent
	return d, nil
}

// push appends a digit; beyond maxDigits it only counts.
func (d *decimal) push(c byte) {
	if d.count < maxDigits {
		d.digits[d.count] = c
	}
	d.count++
}

// exponent reads what follows the e. It stops growing at 10^15, more than any
// number of digits in the input could make up for.
func (p *parser) exponent() (e int64, ok bool) {
	negative := p.take('-')
	if !negative {
		p.take('+')
	}
	for ; p.pos < len(p.src) && '0' <= p.src[p.pos] && p.src[p.pos] <= '9'; p.pos++ {
		ok = true
		if e < 1e15 {
			e = 10*e + int64(p.src[p.pos]-'0')
		}
	}
	if negative {
		e = -e
	}
	return e, ok
}

// double is the double nearest to d, and whether the shortest decimal that reads
// back as it is d. It never looks at more than maxDigits digits: with more, no
// shortest decimal can be equal.
func (d *decimal) double() (f float64, same bool) {
	// Doubles lie between 0.4×10^-323 and 0.2×10^309.
	if d.count > maxDigits || d.point > 310 || d.point < -330 {
		return 0, false
	}
	buf := make([]byte, 0, 32)
	buf = append(buf, d.digits[:d.count]...)
	buf = append(buf, 'e')
	buf = strconv.AppendInt(buf, d.point-int64(d.count), 10)
	f, err := strconv.ParseFloat(string(buf), 64)
	if err != nil || f == 0 {
		return 0, false
	}
	// d.ddde±xx, the shortest digits without zeros at the end
	buf = strconv.AppendFloat(buf[:0], f, 'e', -1, 64)
	mantissa, exponent, _ := strings.Cut(string(buf), "e")
	point, err := strconv.ParseInt(exponent, 10, 64)
	same = err == nil && point+1 == d.point && strings.Replace(mantissa, ".", "", 1) == string(d.digits[:d.count])
	if d.negative {
		f = -f
	}
	return f, same
}

// numberToken shows the malformed number at an offset.
func (p *parser) numberToken(offset int) string {
	end := offset
	for end < len(p.src) && end-offset <= maxQuoted && wordByte(p.src[end]) {
		end++
	}
	return shorten(p.src[offset:end])
}
