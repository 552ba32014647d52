package shell

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"mvdan.cc/sh/v3/syntax"
	"pgregory.net/rapid"
)

// example is a text and what must be read of it.
type example struct {
	Text       string
	Argv       []string
	Commands   []string // each as in line
	Unreadable string   // why the first part that cannot be read is none; "" where all can
}

func examples(t testing.TB) []example {
	t.Helper()
	raw, err := os.ReadFile("testdata/examples.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var all []example
	if err := yaml.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// line writes a command down: its wrappers, words, files, folder and what it reads.
func line(c Command) string {
	var b strings.Builder
	for _, w := range c.Wrappers {
		b.WriteString(w + ": ")
	}
	b.WriteString(map[Role]string{Function: "(function) ", Alias: "(alias) ", Outer: "(outer) "}[c.Role])
	for _, a := range c.Assigns {
		b.WriteString(a.Name + "=" + a.Value.Text + " ")
	}
	for i, w := range c.Words {
		if i > 0 {
			b.WriteString(" ")
		}
		text := w.Text
		if text == "" || strings.ContainsAny(text, " \n") {
			text = fmt.Sprintf("%q", text)
		}
		b.WriteString(text)
		if !w.Literal {
			b.WriteString("⁇")
		}
	}
	for _, d := range c.Redirects {
		b.WriteString(" " + d.Op + d.File.Text)
	}
	switch {
	case !c.DirKnown:
		b.WriteString(" @?")
	case c.Dir != "":
		b.WriteString(" @" + c.Dir)
	}
	return strings.TrimSpace(b.String())
}

func TestExamples(t *testing.T) {
	t.Parallel()
	for _, e := range examples(t) {
		s := Read(e.Text)
		if e.Argv != nil {
			s = ReadArgv(e.Argv)
		}
		var got []string
		for _, c := range s.Commands {
			got = append(got, line(c))
		}
		if !slices.Equal(got, e.Commands) {
			t.Errorf("%q%q\n\tgot  %q\n\twant %q", e.Text, e.Argv, got, e.Commands)
		}
		why := ""
		if len(s.Unreadable) > 0 {
			why = s.Unreadable[0].Why.String()
		}
		if why != e.Unreadable {
			t.Errorf("%q%q is unreadable because it %q, want %q", e.Text, e.Argv, why, e.Unreadable)
		}
	}
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"ls; sudo rm -rf '/x' > y":              {"ls", "sudo rm -rf '/x' > y"},
		"bash -c 'cd /x && rm a'":               {"cd /x", "rm a"},
		`bash -c "cd /x && rm \"a\""`:           {`"cd /x && rm \"a\""`, `"cd /x && rm \"a\""`},
		"echo $(rm a) | tail":                   {"rm a", "echo $(rm a)", "tail"},
		"sh <<'E'\nrm a\nE\n":                   {"sh <<'E'\nrm a\nE", "rm a"},
		"ssh host rm a;ssh host rm  b":          {"ssh host rm a", "rm a", "ssh host rm  b", "rm  b"},
		"ssh host 'sh -c \"rm a\"' && ls":       {"ssh host 'sh -c \"rm a\"'", "rm a", "ls"},
		"find . -exec sh -c 'rm \"$1\"' _ {} +": {"find . -exec sh -c 'rm \"$1\"' _ {} +", `rm "$1"`},
	} {
		var got []string
		for _, c := range Read(text).Commands {
			got = append(got, text[c.Start:c.End])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q stands at %q, want %q", text, got, want)
		}
	}
	word := Read(`rm -rf "/srv/a b"`).Commands[0].Words[2]
	if got := `rm -rf "/srv/a b"`[word.Start:word.End]; got != `"/srv/a b"` {
		t.Errorf("the word stands at %q", got)
	}
}

// covered holds the promise of the package: each call that the parser finds is listed,
// or is within what is said to be unreadable. It returns the first that is neither.
func covered(text string, s Script) string {
	f, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	if err != nil {
		if len(s.Unreadable) == 0 && !slices.ContainsFunc(s.Commands, func(c Command) bool { return IsCmdlet(c.Program()) }) {
			return "the whole: " + err.Error()
		}
		return ""
	}
	missing := ""
	syntax.Walk(f, func(n syntax.Node) bool {
		call, ok := n.(*syntax.CallExpr)
		if !ok || len(call.Args) == 0 {
			return true
		}
		start, end := int(call.Pos().Offset()), int(call.End().Offset())
		for _, c := range s.Commands {
			if c.Start < end && start < c.End {
				return true
			}
		}
		for _, u := range s.Unreadable {
			if u.Start < end && start < u.End {
				return true
			}
		}
		if onlyEmpty(call) {
			return true
		}
		missing = text[start:end]
		return false
	})
	return missing
}

// onlyEmpty reports whether a call is of variables, which may have no value.
func onlyEmpty(call *syntax.CallExpr) bool {
	for _, w := range call.Args {
		for _, p := range w.Parts {
			switch p.(type) {
			case *syntax.ParamExp, *syntax.CmdSubst, *syntax.DblQuoted:
			default:
				return false
			}
		}
	}
	return true
}

func TestEveryCallIsListed(t *testing.T) {
	t.Parallel()
	for _, e := range examples(t) {
		if missing := covered(e.Text, Read(e.Text)); missing != "" {
			t.Errorf("%q: %q is not listed", e.Text, missing)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, e := range examples(f) {
		f.Add(e.Text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := Read(text)
		for _, c := range s.Commands {
			if c.Start < 0 || c.End < c.Start || c.End > len(text) || c.From >= len(s.Commands) {
				t.Fatalf("%q: a command at %d to %d, from %d", text, c.Start, c.End, c.From)
			}
			for _, w := range c.Words {
				if w.Start < 0 || w.End < w.Start || w.End > len(text) {
					t.Fatalf("%q: %q at %d to %d", text, w.Text, w.Start, w.End)
				}
			}
		}
		for _, u := range s.Unreadable {
			if u.Start < 0 || u.End < u.Start || u.End > len(text) {
				t.Fatalf("%q: unreadable at %d to %d", text, u.Start, u.End)
			}
		}
		if missing := covered(text, s); missing != "" {
			t.Fatalf("%q: %q is not listed", text, missing)
		}
		ReadArgv(strings.Fields(text))
	})
}

// TestSpelling holds that how a command is spelled changes nothing: its spaces, quotes,
// backslashes and line breaks.
func TestSpelling(t *testing.T) {
	t.Parallel()
	spell := []func(string) string{
		func(w string) string { return w },
		func(w string) string { return "'" + w + "'" },
		func(w string) string { return `"` + w + `"` },
		func(w string) string { return `\` + w },
		func(w string) string { return w[:1] + "''" + w[1:] },
		func(w string) string { return w[:1] + "\\\n" + w[1:] },
		func(w string) string { return fmt.Sprintf(`$'\x%02x'%s`, w[0], w[1:]) },
	}
	word := rapid.SampledFrom([]string{"rm", "-rf", "/srv", "ls", "a", "sudo", "x.txt", "git", "push"})
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOfN(word, 1, 6).Draw(t, "words")
		plain, odd := strings.Join(words, " "), ""
		for i, w := range words {
			if i > 0 {
				odd += rapid.SampledFrom([]string{" ", "\t", "  ", " \\\n "}).Draw(t, "space")
			}
			odd += rapid.SampledFrom(spell).Draw(t, "spelling")(w)
		}
		odd = rapid.SampledFrom([]string{"%s", "\n%s\n", "%s;", "( %s )", "{ %s; }", "%s # no", "true; %s"}).Draw(t, "around")
		odd = strings.Replace(odd, "%s", spelled(t, words, spell), 1)
		want, got := Read(plain).Commands, Read(odd).Commands
		if len(got) > 0 && got[0].Program() == "true" {
			got = got[1:]
		}
		if len(got) != len(want) {
			t.Fatalf("%q: %d commands, want %d", odd, len(got), len(want))
		}
		for i := range want {
			if line(got[i]) != line(want[i]) {
				t.Fatalf("%q: %s, want %s", odd, line(got[i]), line(want[i]))
			}
		}
	})
}

func spelled(t *rapid.T, words []string, spell []func(string) string) string {
	text := ""
	for i, w := range words {
		if i > 0 {
			text += rapid.SampledFrom([]string{" ", "\t", "  ", " \\\n "}).Draw(t, "space")
		}
		text += rapid.SampledFrom(spell).Draw(t, "spelling")(w)
	}
	return text
}

// TestHostile reads what is made to be slow or deep. It ends, and says that it did not
// read all of it.
func TestHostile(t *testing.T) {
	t.Parallel()
	for name, text := range hostile(64 << 10) {
		if len(Read(text).Unreadable) == 0 && strings.HasPrefix(name, "deep") {
			t.Errorf("%s: all of it was read", name)
		}
	}
}

func hostile(size int) map[string]string {
	many := func(s string) string { return strings.Repeat(s, size/len(s)) }
	return map[string]string{
		"deep brackets":      many("( "),
		"deep substitutions": many("$("),
		"deep conditions":    many("if "),
		"deep loops":         many("while :;do "),
		"deep arithmetic":    "((" + many("!"),
		"deep quotes":        many(`"$(`),
		"pipes":              "ls" + many("|ls"),
		"lists":              "ls" + many("&&ls"),
		"sums":               "((1" + many("+1") + "))",
		"assignments":        "((a" + many("=a") + "))",
		"commands":           many("rm -rf /srv/data\n"),
		"doubled variables":  "a=aaaaaaaaaaaaaaaa;" + many("a=$a$a;"),
		"braces":             "rm " + many("{a,b}"),
		"loops":              strings.Repeat("for a in 1 2 3 4 5 6 7 8; do ", 90) + many("ls;") + strings.Repeat("done;", 90),
		"functions":          "f0() { ls; };" + chain() + many("f60;"),
		"documents":          many("cat <<a\nb\na\n"),
		"open documents":     many("cat <<a;"),
		"variables":          "a=rm;" + many("$a x;"),
		"subshells":          many("(a=1);"),
		"backquotes":         many("`ls` "),
		"words":              "echo " + many("a "),
		"quotes":             many(`'a'"b"`),
		"aliases":            "alias a='a a';" + many("a;"),
		"evals":              many("eval 'ls';"),
		"redirects":          "ls" + many(" >a"),
		"groups":             strings.Repeat("{ ", 150) + many("ls >a;") + strings.Repeat("} >b;", 150),
		"globs":              many("*?["),
		"commented":          many("# (((\n"),
		"parse errors":       many("ls )\n"),
	}
}

func chain() string {
	var b strings.Builder
	for i := range 60 {
		fmt.Fprintf(&b, "f%d() { f%d; f%d; };", i+1, i, i)
	}
	return b.String()
}

func BenchmarkHostile(b *testing.B) {
	for name, text := range hostile(256 << 10) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Read(text)
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	text := strings.Repeat("cd web && npm test 2>&1 | tail -20; X=$(git log --oneline -1); rm -rf \"$X\" 'a b'\n", 120)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Read(text)
	}
}
