package canon_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/countersign/countersign/internal/canon"
)

// text draws strings full of what goes wrong: controls, quotes, both sides of
// the surrogates, characters of every length.
func text() *rapid.Generator[string] {
	special := rapid.SampledFrom([]rune{
		1, '\b', '\t', '\n', '\f', '\r', 0x1f, ' ', '"', '\\', '/', '~', 0x7f, 0x80, 0xe9, 'م', 0x200f, 0x202e, 0x2028, 0xd7ff, 0xe000, 0xfb33, 0xfeff, 0xfffd,
		0x10000, 0x1f600, 0x10fffd,
	})
	return rapid.StringOfN(rapid.OneOf(special, rapid.RuneFrom([]rune("abAB019{}[]:,ux"))), -1, 12, -1)
}

// tree draws values of every kind, at most depth arrays and objects deep.
func tree(depth int) *rapid.Generator[canon.Value] {
	scalars := []*rapid.Generator[canon.Value]{
		rapid.Just(canon.Null()),
		rapid.Map(rapid.Bool(), canon.Bool),
		rapid.Map(text(), canon.String),
		rapid.Map(rapid.Int64Range(-1<<53+1, 1<<53-1), canon.Int),
		rapid.Map(rapid.Float64Range(-1e15, 1e15), func(f float64) canon.Value {
			v, err := canon.Float(f)
			if err != nil {
				panic(err)
			}
			return v
		}),
	}
	if depth == 0 {
		return rapid.OneOf(scalars...)
	}
	return rapid.OneOf(append(scalars,
		rapid.Map(rapid.SliceOfN(tree(depth-1), 0, 5), func(e []canon.Value) canon.Value { return canon.Array(e...) }),
		rapid.Map(rapid.MapOfN(text(), tree(depth-1), 0, 5), func(m map[string]canon.Value) canon.Value {
			var members []canon.Member
			for name, v := range m {
				members = append(members, canon.Member{Name: name, Value: v})
			}
			return canon.Object(members...)
		}),
	)...)
}

// untidy writes v as another program might: members in any order, white space
// anywhere, characters escaped where nobody has to.
func untidy(t *rapid.T, v canon.Value) []byte {
	seed := rapid.Uint64().Draw(t, "untidiness")
	next := func(n int) int { // a small generator, so that a drawn tree shrinks on its own
		seed = seed*6364136223846793005 + 1442695040888963407
		return int(seed>>33) % n
	}
	var b bytes.Buffer
	space := func() { b.WriteString([]string{"", "", " ", "\n\t", "\r\n  "}[next(5)]) }
	quoted := func(s string) {
		b.WriteByte('"')
		for _, r := range s {
			switch {
			case next(3) == 0 || r < ' ' || r == '"' || r == '\\':
				for _, unit := range utf16.Encode([]rune{r}) {
					fmt.Fprintf(&b, []string{`\u%04x`, `\u%04X`}[next(2)], unit)
				}
			case r == '/' && next(2) == 0:
				b.WriteString(`\/`)
			default:
				b.WriteRune(r)
			}
		}
		b.WriteByte('"')
	}
	var write func(canon.Value)
	write = func(v canon.Value) {
		space()
		switch v.Kind() {
		case canon.KindString:
			quoted(v.Text())
		case canon.KindNumber:
			b.WriteString(v.Number())
			switch {
			case v.Number() == "0" || strings.Contains(v.Number(), "e"): // 000e-2 would be no JSON
			case strings.Contains(v.Number(), "."):
				b.WriteString([]string{"", "0", "000", "e0", "E+00"}[next(5)])
			default:
				b.WriteString([]string{"", ".0", "e0", "00e-2", ".0E+0"}[next(5)])
			}
		case canon.KindArray:
			b.WriteByte('[')
			for i, e := range v.Elements() {
				if i > 0 {
					b.WriteByte(',')
				}
				write(e)
			}
			space()
			b.WriteByte(']')
		case canon.KindObject:
			var names []string
			for name := range v.Members() {
				names = append(names, name)
			}
			for i := len(names) - 1; i > 0; i-- {
				j := next(i + 1)
				names[i], names[j] = names[j], names[i]
			}
			b.WriteByte('{')
			for i, name := range names {
				if i > 0 {
					b.WriteByte(',')
				}
				space()
				quoted(name)
				space()
				b.WriteByte(':')
				write(v.Get(name))
			}
			space()
			b.WriteByte('}')
		default:
			b.Write(v.Canonical())
		}
		space()
	}
	write(v)
	return b.Bytes()
}

func TestParseUndoesCanonical(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := tree(3).Draw(t, "tree")
		first := v.Canonical()
		again := mustParse(t, string(first))
		if !again.Equal(v) || !v.Equal(again) {
			t.Errorf("%s is not equal to the tree it was written from", first)
		}
		if second := again.Canonical(); !bytes.Equal(first, second) {
			t.Errorf("canonical form is no fixed point: %s became %s", first, second)
		}
		if _, err := canon.ParseStored(first); err != nil {
			t.Errorf("ParseStored refuses %s: %v", first, err)
		}
	})
}

func TestDigestDependsOnMeaningOnly(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v := tree(3).Draw(t, "tree")
		text := untidy(t, v)
		w := mustParse(t, string(text))
		if canon.Digest(v) != canon.Digest(w) || !v.Equal(w) {
			t.Errorf("%s and %s have different digests", text, v.Canonical())
		}
	})
}

func TestEqualIsEqualCanonicalBytes(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		v, w := tree(1).Draw(t, "v"), tree(1).Draw(t, "w")
		if same := bytes.Equal(v.Canonical(), w.Canonical()); v.Equal(w) != same || w.Equal(v) != same {
			t.Errorf("Equal(%s, %s) = %v", v.Canonical(), w.Canonical(), v.Equal(w))
		}
	})
}

func TestNamesAreOrderedByUTF16(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfDistinct(text(), func(s string) string { return s }).Draw(t, "names")
		var members []canon.Member
		for i, name := range names {
			members = append(members, canon.Member{Name: name, Value: canon.Int(int64(i))})
		}
		object := canon.Object(members...)
		var got []string
		for name := range object.Members() {
			got = append(got, name)
		}
		want := slices.Clone(names)
		slices.SortFunc(want, func(a, b string) int {
			return slices.Compare(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)))
		})
		if !slices.Equal(got, want) {
			t.Errorf("order %q, want %q", got, want)
		}
		for i, name := range names {
			if n, ok := object.Get(name).Int64(); !ok || n != int64(i) {
				t.Errorf("Get(%q) = %s, want %d", name, object.Get(name).Canonical(), i)
			}
		}
	})
}

// FuzzParse: whatever comes in, nothing panics, and what is accepted means the
// same to us and to encoding/json.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		``, `{}`, `[1,2.50,1e3,-0,5e-324,9007199254740993]`, `[-9007199254740993,1234567890123456789012345678901234567890,1e39,1000000000000000000000]`, `{"a":{"b":[null,true,false]},"a":1}`, `"\ud83d\ude00\u0000"`,
		"\ufeff[]", "\"\xff\"", `{"\u0061":1,"a":2}`, `[[[[[[`, `{"":"\\\"\/\b\f\n\r\t"}`, `1e999999999`, "\"\ufffe\"", ` [ "x" , { "y" : 0.1 } ] `,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := canon.Parse(data)
		if err != nil {
			if !v.IsAbsent() {
				t.Errorf("a value came with error %v", err)
			}
			return
		}
		checkAccepted(t, data, v)
	})
}

// checkAccepted compares v with what encoding/json reads from the same bytes and
// from the canonical ones.
func checkAccepted(t *testing.T, data []byte, v canon.Value) {
	t.Helper()
	canonical := v.Canonical()
	again, err := canon.Parse(canonical)
	if err != nil || !again.Equal(v) {
		t.Fatalf("%q became %q, which does not read back: %v", data, canonical, err)
	}
	var theirs, ours any
	if err := json.Unmarshal(data, &theirs); err != nil {
		t.Fatalf("accepted %q, which encoding/json refuses: %v", data, err)
	}
	if err := json.Unmarshal(canonical, &ours); err != nil {
		t.Fatalf("wrote %q, which encoding/json refuses: %v", canonical, err)
	}
	if !agrees(v, theirs) || !agrees(v, ours) {
		t.Fatalf("%q: encoding/json reads %#v, we wrote %q", data, theirs, canonical)
	}
	if !bytes.Equal(bytes.ToValidUTF8(canonical, nil), canonical) {
		t.Fatalf("canonical form %q is not UTF-8", canonical)
	}
	if mapped := v.MapStrings(func(_, s string) string { return s }); !mapped.Equal(v) {
		t.Fatalf("MapStrings changed %q to %q", canonical, mapped.Canonical())
	}
}

func agrees(v canon.Value, x any) bool {
	switch x := x.(type) {
	case nil:
		return v.Kind() == canon.KindNull
	case bool:
		return v.Kind() == canon.KindBool && v.Bool() == x
	case float64:
		return v.Kind() == canon.KindNumber && v.Float() == x
	case string:
		return v.Kind() == canon.KindString && v.Text() == x
	case []any:
		if v.Kind() != canon.KindArray || v.Len() != len(x) {
			return false
		}
		for i, e := range v.Elements() {
			if !agrees(e, x[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		if v.Kind() != canon.KindObject || v.Len() != len(x) {
			return false
		}
		for name, m := range v.Members() {
			if value, found := x[name]; !found || !agrees(m, value) {
				return false
			}
		}
		return true
	}
	return false
}
