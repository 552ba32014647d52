package request

import (
	"fmt"
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/request/requesttest"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// drawnEdits writes the lines of the files of a card: "- old", "+ new", "  both".
func drawnEdits(c *review.Card) string {
	var b strings.Builder
	for _, f := range c.Edits {
		fmt.Fprintf(&b, "%s %s %s (%s)\n", f.Does, untrusted.Plain(f.Path), untrusted.Plain(f.To), f.Size)
		for _, l := range f.Lines {
			switch {
			case l.Gap != "":
				b.WriteString(l.Gap + "\n")
			case l.Same:
				b.WriteString("  " + untrusted.Plain(l.New.Text) + "\n")
			default:
				if l.Old != nil {
					b.WriteString("- " + untrusted.Plain(l.Old.Text) + "\n")
				}
				if l.New != nil {
					b.WriteString("+ " + untrusted.Plain(l.New.Text) + "\n")
				}
			}
		}
	}
	return b.String()
}

// asSent are the names of the arguments that are folded away.
func asSent(c *review.Card) string {
	var names []string
	for _, row := range c.Arguments.Rows {
		if row.Folded != "" {
			names = append(names, untrusted.Plain(row.Name))
		}
	}
	return strings.Join(names, " ")
}

func TestEditsAreDrawn(t *testing.T) {
	t.Parallel()
	numbers := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%d\\n", i)
		}
		return b.String()
	}
	for _, test := range []struct{ name, body, want, folded string }{
		{"a pair", `{"function":"Edit","arguments":{"file_path":"a.ts","old_string":"a\nold\nz","new_string":"a\nnew\nmore\nz"}}`, "Changes a.ts  (2 lines added, 1 line removed)\n  a\n- old\n+ new\n+ more\n  z\n", "new_string old_string"},
		{"what stays is counted", `{"function":"Edit","arguments":{"file_path":"a","old_string":"` + numbers(40) + `x","new_string":"` + numbers(40) + `y"}}`, "Changes a  (1 line added, 1 line removed)\n… 37 more lines, covered by the digest\n  37\n  38\n  39\n- x\n+ y\n", "new_string old_string"},
		{"a line break at the end", `{"function":"Edit","arguments":{"file_path":"a","old_string":"x","new_string":"x\n"}}`, "Changes a  ()\n  x\n+ \n", "new_string old_string"},
		{"a whole file", `{"function":"Write","arguments":{"file_path":"a","content":"x\n"}}`, "Changes a  (1 line added)\n", ""},
		{"an emptied one", `{"function":"Write","arguments":{"file_path":"a","content":""}}`, "Empties a  ()\n", ""},
		{"a patch", `{"function":"apply_patch","arguments":{"input":"*** Begin Patch\n*** Add File: n\n+x\n*** Update File: a\n*** Move to: b\n@@\n x\n-y\n*** Delete File: d\n*** End Patch"}}`, "Creates n  (1 line added)\n+ x\nMoves a b (1 line removed)\n  x\n- y\nDeletes d  ()\n", "input"},
		{"a patch with more around it", `{"function":"apply_patch","arguments":{"input":"Read this.\n*** Begin Patch\n*** Update File: a\n-y\n*** End Patch"}}`, "Changes a  (1 line removed)\n- y\n", ""},
		{"too much", `{"function":"Edit","arguments":{"file_path":"a","old_string":"` + numbers(250) + `","new_string":"` + strings.ReplaceAll(numbers(450), `\n`, `x\n`) + `"}}`, "", ""},
		{"no edit", `{"function":"delete_user","arguments":{"user_id":"usr_1"}}`, "", ""},
	} {
		c := cardOf(texts.Printer{}, requesttest.ReviewOf(t, test.body, approvals.StageReading), Reader{})
		got := drawnEdits(c)
		if test.name == "too much" {
			if want := "… 50 more lines, covered by the digest\n"; !strings.HasSuffix(got, want) || strings.Count(got, "\n") > 2+2*400 {
				t.Errorf("%s: %s", test.name, got[max(0, len(got)-200):])
			}
		} else if got != test.want {
			t.Errorf("%s:\n%swant\n%s", test.name, got, test.want)
		}
		if got := asSent(c); got != test.folded {
			t.Errorf("%s: folded are %q, want %q", test.name, got, test.folded)
		}
	}
}

// A value with hidden characters or two scripts stands in the open, whatever is drawn of it.
func TestFoundEditsAreNotFolded(t *testing.T) {
	t.Parallel()
	c := cardOf(texts.Printer{}, requesttest.ReviewOf(t, `{"function":"Edit","arguments":{"file_path":"a","old_string":"pay","new_string":"p\u0430y\u202e"}}`, approvals.StageReading), Reader{})
	if got := asSent(c); got != "old_string" {
		t.Errorf("folded are %q", got)
	}
}
