package scan

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestBare(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{`r"m" -rf /`, `rm -rf /`},
		{`'rm' "-rf" /`, `rm -rf /`},
		{`r\m \-rf /`, `rm -rf /`},
		{`r''m`, `rm`},
		{`$'rm' x`, `rm x`},
		{`d^el x`, `del x`},
		{`"r" + "m -rf /"`, `rm -rf /`},
		{`run('DR' || 'OP TABLE x')`, `run(DROP TABLE x)`},
		{`"rm" " -rf /"`, `rm -rf /`},
		{"rm \\\n-rf", "rm -rf"},
		{`rm${IFS}-rf$IFS$9/`, `rm -rf /`},
		{`DROP/**/TABLE x`, `DROP TABLE x`},
		{"rm \t  -rf", "rm -rf"},
		{`гm -гf`, `rm -rf`},
		{`SυDΟ`, `SuDO`},
		{`ᴅᴇʟᴇᴛᴇ ꓓelete ᎠᎬᏞᎬᎢᎬ ꭰꭼꮮꭼꭲꭼ`, `delete delete delete delete`},
		{`🇩🇪🇱🇪🇹🇪 🅳🅴🅻🅴🆃🅴 🅓el`, `delete delete del`},
		{"d̶e̶l̶e̶t̶e̶ d⃝el r\u0334\u0316m е\u0336", "delete del rm e"},
		{"ｒ\u200b\"ｍ\"", "rm"},
		// What stays as it is: a person's text, and words that are values.
		{"don't do it, it's late", ""},
		{`{"name": "x", "n": 1}`, ""},
		{`f('a', "b")`, ""},
		{"  indented\n\tcode", ""},
		{`say "two words" now`, ""},
		{`find . -name a`, ""},
		{`a /b/c 'x y' z`, ""},
		{"Größe und Maß", ""},
	} {
		got, _, changed := Bare(c.text)
		if !changed {
			got = ""
		}
		if got != c.want {
			t.Errorf("%q is read as %q, want %q", c.text, got, c.want)
		}
	}
}

func TestBareKnowsThePlace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, find, want string }{
		{`echo; r"m" -rf /x`, "rm -rf", `r"m" -rf`},
		{`a 'rm' b`, "rm", "rm"},
		{`run("r" + "m -rf /")`, "rm -rf", `r" + "m -rf`},
		{"é гm", "rm", "гm"},
		{"x ｒ\u200bｍ\\ -rf", "rm", "ｒ\u200bｍ"},
		{"x d̶e̶l̶ y", "del", "d̶e̶l"},
		{"x ᴅᴇʟ y", "el", "ᴇʟ"},
		{"DROP/* x */TABLE", "DROP TABLE", "DROP/* x */TABLE"},
	} {
		bare, back, _ := Bare(c.text)
		at := strings.Index(bare, c.find)
		if at < 0 {
			t.Fatalf("%q is not in %q", c.find, bare)
		}
		start, end := back(at, at+len(c.find))
		if got := c.text[start:end]; got != c.want {
			t.Errorf("%q in %q stands at %q, want %q", c.find, c.text, got, c.want)
		}
	}
}

var dressed = []string{
	"r", "m", " ", "  ", "\t", "\n", `"`, `'`, `\`, "\\\n", "$", "${IFS}", "$IFS", "$'", "/*", "*/", "/", "+", " + ", ".", "||", "&", "^", "а", "ρ", "ᴅ", "🇩", "\u0336", "\u0301", "\u0489", "\u200b", "ｒ", "é", "-rf", "\xff", "=", ":", "",
}

// Every range of the copy has one in the text, and a later one never begins before.
func TestBareIsSound(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		checkBare(t, strings.Join(rapid.SliceOfN(rapid.SampledFrom(dressed), 0, 30).Draw(t, "text"), ""))
	})
}

func FuzzBare(f *testing.F) {
	for _, s := range []string{`r"m" '/*' x */ -rf`, `"a" + 'b' . "c"`, "$'x'\\\n${IFS", `'/*' "*/"`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkBare(t, s) })
}

func checkBare(t interface {
	Fatalf(format string, args ...any)
}, text string,
) {
	bare, back, changed := Bare(text)
	if normal, _, _ := Normal(text); !changed && bare != text && bare != normal {
		t.Fatalf("%q is unchanged and reads %q", text, bare)
	}
	if len(bare) > len(text)*18+64 {
		t.Fatalf("%q grew to %d bytes", text, len(bare))
	}
	before := 0
	for i := range len(bare) {
		start, end := back(i, i+1)
		if start < before || end < start || end > len(text) || end == start && utf8.ValidString(text) {
			t.Fatalf("%q: byte %d of %q stands at %d to %d, after %d", text, i, bare, start, end, before)
		}
		before = start
	}
	if start, end := back(0, len(bare)); changed && (start < 0 || end > len(text) || start > end) {
		t.Fatalf("%q stands at %d to %d", text, start, end)
	}
}
