package canon_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/canon"
)

// action is an ordinary submission of about size bytes.
func action(size int) []byte {
	var b strings.Builder
	b.WriteString(`{"function":"update_rows","docstring":"Writes the rows back.","environment":"production","arguments":{"table":"users","rows":[`)
	for i := 0; b.Len() < size-200; i++ {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"name": "Person %d", "id": %d, "balance": %d.25, "note": "line one\nline two \u00e9 حذف: moved with the others from the old table on the second of May, as the ticket of the team asks", "tags": ["a", "b"]}`, i, i, i)
	}
	b.WriteString(`]}}`)
	return []byte(b.String())
}

// hostile are bodies of 256 KiB that aim at the worst case of one step each.
// Every one has to take a small part of 50 ms, accepted or not.
func hostile() map[string]string {
	const size = canon.MaxBytes
	var names, prefixed strings.Builder
	for i := 0; names.Len() < size-40 && i < canon.MaxNodes-1; i++ {
		fmt.Fprintf(&names, `,"%015x":1`, (i*7919)%canon.MaxNodes)
	}
	for i := 0; prefixed.Len() < size-1040; i++ {
		fmt.Fprintf(&prefixed, `,"%s%03d":1`, strings.Repeat("k", 1000), (i*97)%251)
	}
	fill := func(head, body, tail string) string {
		return head + strings.Repeat(body, (size-len(head)-len(tail))/len(body)) + tail
	}
	return map[string]string{
		"open arrays":            strings.Repeat("[", size),
		"deep then wide":         fill(strings.Repeat("[", 63), `"",`, ""),
		"names":                  "{" + names.String()[1:] + "}",
		"same name":              "{" + strings.Repeat(`"a":1,`, 9_000) + `"a":1}`,
		"names of one prefix":    "{" + prefixed.String()[1:] + "}",
		"digits":                 fill("[", "7", "]"),
		"digits after the point": fill("[0.", "7", "]"),
		"zeros":                  fill("[0.", "0", "1]"),
		"exponent":               fill("[1e", "9", "]"),
		"numbers":                "[" + strings.Repeat("1.7976931348623157e-300,", 9_990) + "1]",
		"escapes":                fill(`"`, `\u0041`, `"`),
		"surrogates":             fill(`"`, `\ud83d\ude00`, `"`),
		"controls":               fill(`"`, `\u0001`, `"`),
		"emoji":                  fill(`"`, "😀", `"`),
		"one quote short":        fill(`"`, "x", ""),
		"spaces":                 fill("[", " ", "]"),
		"slashes above values":   `{"` + strings.Repeat("/", 400) + `":[` + strings.Repeat(`"",`, 9_990) + `""]}`,
		"long name above values": `{"` + strings.Repeat("k", 200_000) + `":[` + strings.Repeat(`"",`, 9_990) + `""]}`,
	}
}

func BenchmarkParseCanonical(b *testing.B) {
	for _, size := range []int{2 << 10, 256 << 10} {
		data := action(size)
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				v, err := canon.Parse(data)
				if err != nil {
					b.Fatal(err)
				}
				v.Canonical()
			}
		})
	}
}

func BenchmarkHostile(b *testing.B) {
	for name, body := range hostile() {
		data := []byte(body)
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				if v, err := canon.Parse(data); err == nil {
					v.MapStrings(func(_, s string) string { return s })
					v.Canonical()
				}
			}
		})
	}
}

// The bodies of the benchmark are either refused or read back, at full size.
func TestHostileBodies(t *testing.T) {
	t.Parallel()
	for name, body := range hostile() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if len(body) > canon.MaxBytes {
				t.Fatalf("the body has %d bytes and is refused for that alone", len(body))
			}
			if v, err := canon.Parse([]byte(body)); err == nil {
				checkAccepted(t, []byte(body), v)
			}
		})
	}
}
