package rules

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/scoring/scan"
	"pgregory.net/rapid"
)

var words = []string{
	"rm", "-rf", "-r", " ", "\n", "'/a/b'", "DROP", "TABLE", "users", ";", "git", "push", "--force", "commit", "sudo", "print(", "open(", "'w'", "format", "x",
	"Path('", "')", ".unlink", "https://x.example", "curl", "|", "sh", "mkfs", "/dev/sda", "pip", "install", "kubectl", "delete", "os.remove",
}

func riskyText() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 0, 10).Draw(t, "words"), rapid.SampledFrom([]string{"", " "}).Draw(t, "between"))
	})
}

func TestAddingTextNeverLowers(t *testing.T) {
	t.Parallel()
	set := mustSet(t, Default())
	rapid.Check(t, func(t *rapid.T) {
		code, arg, more := riskyText().Draw(t, "code"), riskyText().Draw(t, "arg"), riskyText().Draw(t, "more")
		before := set.Assess(code, value(arg))
		for what, after := range map[string]Result{
			"code":     set.Assess(code+"\n"+more, value(arg)),
			"argument": set.Assess(code, append(value(arg), value(more)...)),
		} {
			if after.Level < before.Level || after.Reversible && !before.Reversible {
				t.Fatalf("%s %q took %v down to %v", what, more, before.Level, after.Level)
			}
		}
	})
}

// A set finds the same with its prefilter as without.
func TestThePrefilterLosesNothing(t *testing.T) {
	t.Parallel()
	set := mustSet(t, Default())
	open := *set
	open.possible = scan.NewPrefilter(make([][]*scan.Regexp, len(set.rules)+len(extractors))) // everything is possible
	rapid.Check(t, func(t *rapid.T) {
		code, arg := riskyText().Draw(t, "code"), riskyText().Draw(t, "arg")
		if rapid.Bool().Draw(t, "disguised") {
			code, arg = strings.ToUpper(code), disguise(t, "hide", arg)
		}
		if got, want := set.Assess(code, value(arg)), open.Assess(code, value(arg)); !reflect.DeepEqual(got, want) {
			t.Fatalf("%q and %q give %v, without the prefilter %v", code, arg, got.TriggeredRules, want.TriggeredRules)
		}
	})
}

func TestDisguiseNeverLowers(t *testing.T) {
	t.Parallel()
	set := mustSet(t, Default())
	rapid.Check(t, func(t *rapid.T) {
		code, arg := riskyText().Draw(t, "code"), riskyText().Draw(t, "arg")
		plain := set.Assess(code, value(arg))
		hidden := set.Assess(disguise(t, "code", code), value(disguise(t, "arg", arg)))
		if hidden.Level < plain.Level {
			t.Fatalf("the disguise took %v (%v) down to %v", plain.Level, plain.TriggeredRules, hidden.Level)
		}
	})
}

// disguise writes s so that a person still reads the same.
func disguise(t *rapid.T, label, s string) string {
	var b strings.Builder
	for i, r := range s {
		switch rapid.IntRange(0, 3).Draw(t, fmt.Sprintf("%s %d", label, i)) {
		case 0:
			b.WriteString(rapid.SampledFrom([]string{"\u200b", "\u00ad", "\u2060", "\ufeff", "\u202e"}).Draw(t, fmt.Sprintf("%s which %d", label, i)))
		case 1:
			switch {
			case r == ' ':
				r = '\u00a0'
			case '!' <= r && r <= '~':
				r += 0xff01 - '!' // full width
			}
		}
		b.WriteRune(r)
	}
	return b.String()
}

func FuzzRules(f *testing.F) {
	for _, s := range words {
		f.Add(s, s)
	}
	f.Add("rm\u00a0-rf '/x' https://é\xff", "r\u200bm -ｒf\xe2\x80 /")
	f.Add("DROP TABLE \"a\"", strings.Repeat("\u0301", 100)+"sudo rm")
	set := mustSet(f, Default())
	f.Fuzz(func(t *testing.T, code, arg string) {
		r := set.Assess(code, value(arg))
		if len(r.TriggeredRules) == 0 && (len(r.AffectedResources) > 0 || len(r.Evidence) > 0 || !r.Reversible) {
			t.Fatalf("nothing fired, but %+v", r)
		}
		if len(r.Evidence) < len(r.TriggeredRules) || len(r.AffectedResources) > maxResources || len(r.Resources) != len(r.AffectedResources) {
			t.Fatalf("%+v", r)
		}
		texts := map[string]string{"/code": code, "/arguments/x": arg}
		inside := func(p scan.Place) bool { return 0 <= p.Start && p.Start < p.End && p.End <= len(texts[p.Pointer]) }
		for _, e := range r.Evidence {
			if len(e.Places) == 0 {
				t.Fatalf("%s has no place", e.Pattern)
			}
			for _, p := range e.Places {
				if !inside(p) {
					t.Fatalf("%s at %+v", e.Pattern, p)
				}
			}
		}
		for _, x := range r.Resources {
			if !inside(x.Place) || texts[x.Place.Pointer][x.Place.Start:x.Place.End] != x.Value {
				t.Fatalf("resource %+v", x)
			}
			if n := utf8.RuneCountInString(x.String()); x.Kind == "url" && n > len("url:")+shownURL {
				t.Fatalf("a URL of %d code points is shown", n)
			}
		}
	})
}

// The hostile texts hold something of every rule, so that none is skipped, and
// much of what makes an expression start in vain.
func BenchmarkAssess(b *testing.B) {
	set := mustSet(b, Default())
	var everything strings.Builder
	for _, e := range examples {
		everything.WriteString(e.no[0] + "\n" + e.no[1] + "\n")
	}
	for name, text := range map[string]string{
		"ordinary": "print('hello')",
		"4KiB":     strings.Repeat("An ordinary sentence about invoices and customers. ", 80),
		"256KiB":   strings.Repeat("An ordinary sentence about invoices and customers. ", 5000),
		"open":     everything.String() + strings.Repeat("open('w ", 32<<10),
		"push":     everything.String() + strings.Repeat("git push -", 25<<10),
		"rm":       everything.String() + strings.Repeat("rm -", 64<<10),
		"quotes":   everything.String() + strings.Repeat("'/", 128<<10),
	} {
		for where, assess := range map[string]func(){
			"code":     func() { set.Assess(text, nil) },
			"argument": func() { set.Assess("", value(text)) },
		} {
			b.Run(name+"/"+where, func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					assess()
				}
			})
		}
	}
}

func BenchmarkNewSet(b *testing.B) {
	rules := Default()
	for i := range rules {
		rules[i].compiled = nil
	}
	for b.Loop() {
		mustSet(b, rules)
	}
}
