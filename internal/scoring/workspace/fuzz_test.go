package workspace

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
	"mvdan.cc/sh/v3/syntax"

	"github.com/countersign/countersign/internal/scoring/level"
)

// seeds are the examples of programs.yaml, and the vectors.
func seeds(f *testing.F) {
	f.Helper()
	var examples struct{ Low, Held, High []string }
	if err := yaml.Unmarshal(examplesYAML, &examples); err != nil {
		f.Fatal(err)
	}
	for _, all := range [][]string{examples.Low, examples.Held, examples.High} {
		for _, c := range all {
			f.Add(c)
		}
	}
	text, err := os.ReadFile("testdata/workspace_dev.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if _, after, ok := strings.Cut(line, `"command": "`); ok {
			command, _, _ := strings.Cut(after, `", "cwd"`)
			f.Add(strings.NewReplacer(`\n`, "\n", `\"`, `"`, `\\`, `\`).Replace(command))
		}
	}
	for _, c := range []string{"a() { rm -rf ~; }; a", "cat <<E\n$(rm -rf ~)\nE", "case x in a) rm b;; esac", "x=$(id) y=`id` z", "[[ $(id) ]] && (( a[$(id)] ))", "for ((i=0;i<$(id);i++)); do a; done"} {
		f.Add(c)
	}
}

func parse(text string) (*syntax.File, error) {
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
}

// FuzzWorkspace asks of any text that it is judged without a panic, that each command that
// the parser finds in it stands within what was judged, and that the walk over an empty
// memory asks for all that the walk over a full one looks for.
func FuzzWorkspace(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 4096 || !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\r\v\f") {
			return
		}
		r := Examine(sandboxed, bash(text))
		j := r.Judge(Memory{})
		if isKeys(text) {
			return
		}
		if !j.Applies || j.Level < level.Low || j.Because == "" || len(j.Effects) == 0 {
			t.Fatalf("%q: %+v", text, j)
		}
		k := newKnown(sandboxed, Memory{})
		all := r.walk(k).all
		for _, v := range all {
			if v.start < 0 || v.end < v.start || v.end > len(text) {
				t.Fatalf("%q: %d to %d", text, v.start, v.end)
			}
		}
		file, err := parse(text)
		if err != nil || len(all) > 500 {
			return
		}
		syntax.Walk(file, func(n syntax.Node) bool {
			c, ok := n.(*syntax.CallExpr)
			if !ok || len(c.Args) == 0 {
				return true
			}
			// What a shell is given to run stands for the shell.
			start, end := int(c.Pos().Offset()), int(c.End().Offset())
			for _, v := range all {
				if v.start <= end && start <= v.end {
					return true
				}
			}
			t.Fatalf("%q: nothing says what %q is", text, text[start:])
			return true
		})
	})
}

// FuzzWritten asks that a text is judged alike however it is written: with other spaces
// and line breaks, and with its words in quotes.
func FuzzWritten(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, text string) {
		file, err := parse(text)
		if err != nil || len(text) > 2048 || !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\r\v\f") {
			return
		}
		want := Examine(sandboxed, bash(text)).Judge(Memory{})
		same := func(how, other string) {
			if again, err := parse(other); err != nil || again == nil {
				return // the printer wrote what is none
			}
			if got := Examine(sandboxed, bash(other)).Judge(Memory{}); got.Level != want.Level {
				t.Fatalf("%q is %s (%s), %s %q is %s (%s)", text, want.Level, want.Because, how, other, got.Level, got.Because)
			}
		}
		var b strings.Builder
		if syntax.NewPrinter(syntax.Indent(4), syntax.SpaceRedirects(true)).Print(&b, file) != nil {
			return
		}
		same("indented", b.String())
		syntax.Walk(file, func(n syntax.Node) bool {
			c, ok := n.(*syntax.CallExpr)
			if !ok {
				return true
			}
			for _, word := range c.Args[min(1, len(c.Args)):] {
				lit := word.Lit()
				if lit == "" || strings.Trim(lit, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/.-_") != "" {
					continue
				}
				word.Parts = []syntax.WordPart{&syntax.SglQuoted{Value: lit}}
			}
			return true
		})
		b.Reset()
		if syntax.NewPrinter().Print(&b, file) != nil {
			return
		}
		same("quoted", b.String())
	})
}
