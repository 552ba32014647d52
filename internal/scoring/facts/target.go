package facts

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// A value longer than maxTyped characters asks for its last typedTail only.
const (
	maxTyped  = 64
	typedTail = 24
)

// Salient is the first fact that names a thing, from target to branch. Where there is
// none, ok is false, the target is the function's name and the page says "no specific
// target found".
func Salient(in *call.Call, facts []Fact) (f Fact, ok bool) {
	for i, f := range facts {
		if !f.Kind.salient() {
			continue
		}
		for _, other := range facts[i+1:] { // of two of one name, the one that stands further out: {a: {recipient}, recipient}
			if other.Kind == f.Kind && other.Source == f.Source && f.Source == FromKey && (other.Label == f.Label || sent(f)) && further(other, f) {
				f = other
			}
		}
		return f, true
	}
	return Fact{
		Kind: Target, Value: in.Function, Label: "function", Pointer: "/function", End: len(in.Function), Source: FromKey,
	}, false
}

// sent reports whether a fact is who does it: from_email.
func sent(f Fact) bool {
	all := call.Words(lastName(f.Pointer))
	return f.Kind == Recipient && len(all) > 1 && sending[all[0]]
}

// further reports whether a stands further out than b, by fewer names or one of fewer words.
func further(a, b Fact) bool {
	if sent(a) != sent(b) {
		return sent(b)
	}
	if out, in := strings.Count(a.Pointer, "/"), strings.Count(b.Pointer, "/"); out != in {
		return out < in
	}
	return len(call.Words(lastName(a.Pointer))) < len(call.Words(lastName(b.Pointer)))
}

// TypedTarget is what a person has to type for a value: all of it, or the last 24
// characters of one that is longer than 64. A text field can hold no control
// character, so where a value has some, its longest part without them is asked
// for (the last of equals).
func TypedTarget(value string) string {
	longest := ""
	for part := range strings.FieldsFuncSeq(value, unicode.IsControl) {
		if part = strings.TrimSpace(part); len(part) >= len(longest) {
			longest = part
		}
	}
	skip := utf8.RuneCountInString(longest) - typedTail
	if skip <= maxTyped-typedTail {
		return longest
	}
	for i := range longest {
		if skip == 0 {
			return longest[i:]
		}
		skip--
	}
	return longest
}

// TargetMatches reports whether what was typed is the TypedTarget of want, byte
// for byte once both are in Unicode NFC. Nothing else is forgiven: no spaces, no
// case. want may be the value or its TypedTarget already. Nothing matches a want
// that is empty.
func TargetMatches(typed, want string) bool {
	want = TypedTarget(want)
	return want != "" && norm.NFC.String(typed) == norm.NFC.String(want)
}

// sending are words before a name that say who does it.
var sending = words(wordlist.Text("facts.senders"))

// lastName is the last name of a pointer that is no index.
func lastName(pointer string) string {
	pointer = strings.TrimRight(pointer, "/0123456789")
	return pointer[strings.LastIndexByte(pointer, '/')+1:]
}
