package canon

import (
	"cmp"
	"iter"
	"math/big"
	"slices"
	"strconv"
	"strings"
)

// Kind says what a Value is. (The constants carry the prefix because the
// builders String, Array and so on have the short names.)
type Kind uint8

const (
	KindAbsent Kind = iota // nothing is there: the zero Value
	KindNull
	KindBool
	KindNumber
	KindString
	KindArray
	KindObject
)

// String names the kind for a message: "must be a string, is an object" needs
// only the noun.
func (k Kind) String() string {
	switch k {
	case KindNull:
		return "null"
	case KindBool:
		return "boolean"
	case KindNumber:
		return "number"
	case KindString:
		return "string"
	case KindArray:
		return "array"
	case KindObject:
		return "object"
	default:
		return "absent"
	}
}

// Value is one JSON value with everything below it. It never changes. However
// it was made, it is I-JSON, so its canonical bytes denote it exactly. The zero
// Value is Absent, which is not null: nothing was there.
//
// Compare with Equal; == does not compile. A Value from Parse keeps the text of
// the whole input alive.
type Value struct {
	_    [0]func() // == would compare where the children lie, not what they are
	kind Kind
	text string // the text of a string; the canonical form of null, a boolean or a number
	kids *kids  // of an array or an object that is not empty
}

type kids struct {
	elements []Value
	members  []Member // in canonical order, names unique
}

// Member is a name with its value, to build an object from.
type Member struct {
	Name  string
	Value Value
}

// Kind says what v is.
func (v Value) Kind() Kind { return v.kind }

// IsAbsent reports whether nothing is there. null is not absent.
func (v Value) IsAbsent() bool { return v.kind == KindAbsent }

// Bool is the value of a boolean; false for every other kind.
func (v Value) Bool() bool { return v.kind == KindBool && v.text == "true" }

// Text is the value of a string; "" for every other kind.
func (v Value) Text() string {
	if v.kind != KindString {
		return ""
	}
	return v.text
}

// Number is the canonical form of a number: as ECMAScript prints the double
// (RFC 8785 §3.2.2.3), "20", "0.1", "1e-7", "1e+21"; of an integer that this would
// change, all its digits. "" for every other kind.
func (v Value) Number() string {
	if v.kind != KindNumber {
		return ""
	}
	return v.text
}

// Digits is Number without an exponent: "1e+21" with all its zeros, for people.
func (v Value) Digits() string {
	if strings.Contains(v.Number(), "e+") {
		return strconv.FormatFloat(v.Float(), 'f', -1, 64)
	}
	return v.Number()
}

// Float is the double nearest to a number; 0 for every other kind. Only of an integer
// beyond ±(2^53−1) can it be another number, so nothing may be allowed by it: see Compare.
func (v Value) Float() float64 {
	if v.kind != KindNumber {
		return 0
	}
	f, _ := strconv.ParseFloat(v.text, 64) // canonical text always parses
	return f
}

// Compare orders two numbers exactly, as cmp.Compare does. Rounding keeps the order,
// so that doubles decide unless they are equal.
func (v Value) Compare(w Value) int {
	if c := cmp.Compare(v.Float(), w.Float()); c != 0 {
		return c
	}
	a, _ := new(big.Rat).SetString(v.text)
	b, _ := new(big.Rat).SetString(w.text)
	if a == nil || b == nil { // one is no number
		return 0
	}
	return a.Cmp(b)
}

// Int64 is the value of a number that is an integer up to ±(2^53−1) (20, 20.0 and 2e1
// all are); false for any other number and every other kind.
func (v Value) Int64() (int64, bool) {
	if v.kind != KindNumber {
		return 0, false
	}
	n, err := strconv.ParseInt(v.text, 10, 64) // the canonical form of an integer has neither point nor exponent
	if err != nil || n > maxInteger || n < -maxInteger {
		return 0, false
	}
	return n, true
}

// Len is the number of elements or members; 0 for a scalar.
func (v Value) Len() int {
	if v.kids == nil {
		return 0
	}
	return len(v.kids.elements) + len(v.kids.members)
}

// Elements yields the elements of an array in order; nothing for other kinds.
func (v Value) Elements() iter.Seq2[int, Value] {
	return func(yield func(int, Value) bool) {
		if v.kids == nil {
			return
		}
		for i, element := range v.kids.elements {
			if !yield(i, element) {
				return
			}
		}
	}
}

// Element is the element of an array at a 0-based place; Absent where there is
// none, and for every kind but an array.
func (v Value) Element(place int) Value {
	if v.kids == nil || place < 0 || place >= len(v.kids.elements) {
		return Value{}
	}
	return v.kids.elements[place]
}

// Members yields the members of an object in the order in which Canonical
// writes them: by the UTF-16 code units of their names. Nothing for other kinds.
func (v Value) Members() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if v.kids == nil {
			return
		}
		for _, m := range v.kids.members {
			if !yield(m.Name, m.Value) {
				return
			}
		}
	}
}

// Get is the member with exactly this name; Absent where there is none, and for
// every kind but an object.
func (v Value) Get(name string) Value {
	if v.kids == nil {
		return Value{}
	}
	i, found := slices.BinarySearchFunc(v.kids.members, name, func(m Member, name string) int {
		return compareNames(m.Name, name)
	})
	if !found {
		return Value{}
	}
	return v.kids.members[i].Value
}

// Equal reports whether both are the same JSON value, which is when their
// canonical bytes are the same. Absent equals only Absent.
func (v Value) Equal(w Value) bool {
	if v.kind != w.kind || v.text != w.text || v.Len() != w.Len() {
		return false
	}
	if v.kids == nil || v.kids == w.kids {
		return true
	}
	return slices.EqualFunc(v.kids.elements, w.kids.elements, Value.Equal) &&
		slices.EqualFunc(v.kids.members, w.kids.members, func(a, b Member) bool {
			return a.Name == b.Name && a.Value.Equal(b.Value)
		})
}

// compareNames orders names by their UTF-16 code units (RFC 8785 §3.2.3)
// without encoding them. UTF-8 sorts by code point, and the two orders differ in
// one place only: a supplementary character begins with a surrogate (D800 to
// DFFF), so it comes before U+E000 to U+FFFF. In UTF-8 these begin with
// 0xF0 and more, and with 0xEE and 0xEF.
func compareNames(a, b string) int {
	for i := range min(len(a), len(b)) {
		x, y := a[i], b[i]
		if x == y {
			continue
		}
		if x >= 0xEE && y >= 0xEE && (x >= 0xF0) != (y >= 0xF0) {
			x, y = y, x
		}
		return int(x) - int(y)
	}
	return len(a) - len(b)
}

// PointerEscape makes a member name a token of a JSON pointer (RFC 6901 §3).
func PointerEscape(token string) string {
	if !strings.ContainsAny(token, "~/") {
		return token
	}
	return strings.ReplaceAll(strings.ReplaceAll(token, "~", "~0"), "/", "~1")
}
