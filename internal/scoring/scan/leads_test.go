package scan

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

func TestNeededLeads(t *testing.T) {
	t.Parallel()
	const of = "ж"
	for expr, want := range map[string]traits{
		`ж`: leads(of), `aжa`: leads(of), `(?i)ж`: leads("жЖ"), `(?:ж|я)a*`: leads("жя"), `(?:жя)+`: leads(of), `я{2,3}`: leads("я"), `[\x{E0020}-\x{E007E}]{8,}`: leads("\U000E0020"),
		`[\x{D800}-\x{E001}]`: leads("\ud000\ue001"), `a`: 0, `ж*`: 0, `ж?`: 0, `ж{0,3}`: 0, `ж|a`: 0, `[^a]`: 0, `[жa]`: 0, `[\x{FF00}-\x{FFFF}]`: 0, `\x{FFFD}`: 0, `(?i)\x{17F}`: 0, `(?i)ı`: 0, `(?i)ı|ж`: 0, `(?i)(?:İ|ж)a`: 0, `\S`: 0, `\w`: 0, ``: 0,
	} {
		if got := MustCompile(expr).leads; got != want {
			t.Errorf("%s needs %x, want %x", expr, got, want)
		}
	}
}

// An expression of characters beyond ASCII finds what it does when it is tried on every
// text.
func TestLeadsFindTheSame(t *testing.T) {
	t.Parallel()
	atoms := []string{"a", "ж", "Я", "忽", "ſ", "[а-я]", `[\x{7ff}-\x{801}]`, "[^ж]", "[жa]", `[\x{d7ff}-\x{e000}]`, `[\x{fffc}-\x{10000}]`, `\x{fffd}`, "(?i:ж)", "(?i:ſ)", "(?i:ı)", "(?i:İ|ж)", "."}
	letters := []string{"a", "ж", "Ж", "я", "忽", "ſ", "s", "S", "i", "ı", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\ufffd", "\U00010000", "\xff", "\xd0", "\xe5\xbf"}
	rapid.Check(t, func(t *rapid.T) {
		r, err := Compile(anExpression(t, atoms, rapid.IntRange(0, 3).Draw(t, "deep")))
		if err != nil {
			return // two repetitions in a row
		}
		for range 10 {
			text := ""
			for range rapid.IntRange(0, 5).Draw(t, "length") {
				text += rapid.SampledFrom(letters).Draw(t, "letter")
			}
			s := NewSubject(text)
			if got, want := r.Find(s, -1), r.Plain().Find(s, -1); !slices.Equal(got, want) {
				t.Fatalf("%s in %+q: %v, RE2 finds %v", r, text, got, want)
			}
		}
	})
}
