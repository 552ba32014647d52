package effects

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/shell"
)

func (x *commands) find(_ shell.Command, args []shell.Word) {
	why := "find lists files"
	for i, w := range args[:max(len(args)-1, 0)] {
		if strings.HasPrefix(w.Text, "-exec") || strings.HasPrefix(w.Text, "-ok") {
			why = "find runs " + short(args[i+1].Text) + " on the files that it finds"
			break
		}
	}
	x.found("read", "find", "file", why)
	x.findsSecrets(args)
	for i, w := range args {
		switch w.Text {
		case "-delete":
			start := shell.Word{Text: ".", Literal: true}
			if len(args) > 0 && !strings.HasPrefix(args[0].Text, "-") {
				start = args[0]
			}
			e := x.found("delete", "delete", "file", "find deletes what it finds in "+short(start.Text))
			e.Breadth = Several
			if x.wide(start, true) == All && i <= 2 {
				e.Breadth = All
			}
		case "-fprint", "-fprintf", "-fls", "-fprint0":
			if i+1 < len(args) {
				x.overwrites(args[i+1], "writes")
			}
		}
	}
}

// inner adds what a text does that stands in an argument and is run.
func (x *commands) inner(text string) {
	c := x.current
	for _, e := range shellEffects(x.source.Inner(text), x.pointer) {
		for i := range e.Evidence {
			e.Evidence[i].Start, e.Evidence[i].End = c.Start, c.End
		}
		x.all = append(x.all, e)
	}
}
