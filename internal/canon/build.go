package canon

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gowebpki/jcs"

	"github.com/countersign/countersign/internal/fault"
)

// maxInteger is 2^53−1: up to here every integer is a double of its own.
const maxInteger = 1<<53 - 1

// Null is JSON null.
func Null() Value { return Value{kind: KindNull, text: "null"} }

// Bool is true or false.
func Bool(b bool) Value {
	if b {
		return Value{kind: KindBool, text: "true"}
	}
	return Value{kind: KindBool, text: "false"}
}

// String is a string. What Parse would refuse (bytes that are not UTF-8, U+0000
// and non-characters) becomes U+FFFD, so the result can always be read back;
// text that came out of a tree has none of it.
func String(s string) Value { return Value{kind: KindString, text: wellFormed(s)} }

// Int is a number; outside ±(2^53−1), where a double cannot hold every integer,
// it is the string of its digits, so that every reader of what we write has it whole.
func Int(n int64) Value {
	text := strconv.FormatInt(n, 10)
	if n > maxInteger || n < -maxInteger {
		return Value{kind: KindString, text: text}
	}
	return Value{kind: KindNumber, text: text}
}

// Float is a number; −0 becomes 0. It fails with InvalidMember for NaN, an
// infinity and anything outside ±(2^53−1).
func Float(f float64) (Value, error) {
	if !(math.Abs(f) <= maxInteger) { // not: > maxInteger, which NaN is not
		return Value{}, fault.New(fault.InvalidMember, "%v isn't a number that JSON can carry exactly", f)
	}
	return Value{kind: KindNumber, text: formatNumber(f)}, nil
}

// formatNumber prints a finite double as ECMAScript does.
func formatNumber(f float64) string {
	text, _ := jcs.NumberToJSON(f) // fails for NaN and infinities only
	return text
}

// Array is an array of a copy of the elements; Absent ones are left out.
func Array(elements ...Value) Value {
	return arrayOf(slices.DeleteFunc(slices.Clone(elements), Value.IsAbsent))
}

// arrayOf takes the slice over.
func arrayOf(elements []Value) Value {
	if len(elements) == 0 {
		return Value{kind: KindArray}
	}
	return Value{kind: KindArray, kids: &kids{elements: elements}}
}

// Object is an object of a copy of the members; those with an Absent value are
// left out, and names are made well-formed as String does. It panics when a name
// comes twice: names are written in our own code or taken from one object that
// Parse accepted, so this is a mistake of the programmer that no input can cause.
func Object(members ...Member) Value {
	own := make([]Member, 0, len(members))
	for _, m := range members {
		if !m.Value.IsAbsent() {
			own = append(own, Member{Name: wellFormed(m.Name), Value: m.Value})
		}
	}
	slices.SortFunc(own, byName)
	for i := 1; i < len(own); i++ {
		if own[i].Name == own[i-1].Name {
			panic("canon.Object: member " + strconv.Quote(own[i].Name) + " is given twice")
		}
	}
	return objectOf(own)
}

// objectOf takes over a slice that is sorted and free of duplicates.
func objectOf(members []Member) Value {
	if len(members) == 0 {
		return Value{kind: KindObject}
	}
	return Value{kind: KindObject, kids: &kids{members: members}}
}

func byName(a, b Member) int { return compareNames(a.Name, b.Name) }

// MapStrings returns a tree in which fn has replaced the value of every string;
// member names stay as they are. It is how secrets are masked. fn is called once
// per string, in canonical order, with the JSON pointer (RFC 6901) of the string
// below v; what it returns is made well-formed as String does. v stays as it is,
// and parts without a change are shared.
func (v Value) MapStrings(fn func(pointer, s string) string) Value {
	var pointer []byte
	return v.mapStrings(&pointer, fn)
}

func (v Value) mapStrings(pointer *[]byte, fn func(pointer, s string) string) Value {
	if v.kind == KindString {
		s := fn(string(*pointer), v.text)
		if s == v.text {
			return v
		}
		return String(s)
	}
	if v.kids == nil {
		return v
	}
	here := len(*pointer)
	changed := false
	elements, members := slices.Clone(v.kids.elements), slices.Clone(v.kids.members)
	for i := range elements {
		*pointer = strconv.AppendInt(append((*pointer)[:here], '/'), int64(i), 10)
		elements[i] = elements[i].mapStrings(pointer, fn)
		changed = changed || !elements[i].same(v.kids.elements[i])
	}
	for i := range members {
		*pointer = append(append((*pointer)[:here], '/'), PointerEscape(members[i].Name)...)
		members[i].Value = members[i].Value.mapStrings(pointer, fn)
		changed = changed || !members[i].Value.same(v.kids.members[i].Value)
	}
	*pointer = (*pointer)[:here]
	if !changed {
		return v
	}
	return Value{kind: v.kind, kids: &kids{elements: elements, members: members}}
}

// same reports whether mapStrings handed the value back untouched.
func (v Value) same(w Value) bool { return v.text == w.text && v.kids == w.kids }

// wellFormed replaces what Parse refuses inside a string by U+FFFD.
func wellFormed(s string) string {
	for i, r := range s {
		if !allowed(r) || r == utf8.RuneError {
			return s[:i] + strings.Map(func(r rune) rune {
				if !allowed(r) {
					return utf8.RuneError
				}
				return r
			}, s[i:])
		}
	}
	return s
}

// allowed reports whether a character may stand in a string: not U+0000 and not
// a non-character. Halves of surrogate pairs never get this far.
func allowed(r rune) bool {
	return r != 0 && r&0xFFFE != 0xFFFE && (r < 0xFDD0 || r > 0xFDEF)
}
