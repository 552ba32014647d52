package request

import (
	"strings"

	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// workspaceFact says in which folder the agent works, whether that is a sandbox, and where
// the call starts.
func workspaceFact(say texts.Printer, w scoring.Workspace) views.Fact {
	note := []string{say.Say("no sandbox")}
	if w.Sandboxed {
		note[0] = say.Say("a sandbox")
	}
	switch {
	case w.Cwd == "":
	case !w.Inside:
		note = append(note, say.Say("it runs outside, in %s", present.Flat(say, w.Cwd)))
	case w.Cwd != w.Folder:
		note = append(note, say.Say("it runs in %s", present.Flat(say, w.Cwd)))
	}
	if !w.Decides {
		note = append(note, say.Say("held as usual"))
	}
	return views.Fact{Label: say.Say("Workspace"), Value: untrusted.Runs(present.Flat(say, w.Folder) + " (" + strings.Join(note, "; ") + ")"), Mono: true}
}
