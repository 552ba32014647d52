package workspace

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// asks judges a client of a database: what is asked of one on this machine is a read.
func (w *walk) asks(name string, all []act.Act) {
	remote, reads := false, true
	for _, a := range all {
		switch a.Verb {
		case act.Connect:
			remote = remote || !serverHere(a.Target)
		case act.Open:
			s := w.word(a.Target)
			if s.zone == outside {
				w.found(verdict{level: level.Medium, cause: "outside", because: name + " opens " + brief(a.Target.Text) + ", which is outside of the workspace", kind: effects.Write, finding: Outside})
			} else {
				w.b.guard(s)
			}
		case act.Statement:
			reads = reads && effects.Asks(name, a.Target)
		case act.Write:
			w.writes(a.Target, name+" writes")
		case act.Load:
			reads = false
		case act.Run:
			w.held(level.High, effects.Execute, "option", name+" is given "+brief(a.Target.Text)+", which may run a program")
		case act.Unknown:
			w.held(level.Medium, effects.Execute, "option", name+" has no option "+brief(a.Target.Text)+" that is known")
		}
	}
	switch {
	case remote:
		l := level.Medium
		if !reads {
			l = level.High
		}
		w.found(verdict{level: l, cause: "database", because: name + " works on a database that isn't on this machine", kind: effects.Write, finding: Network})
	case !reads:
		w.found(verdict{level: level.Medium, cause: "database", because: name + " changes a database, or does what couldn't be read", kind: effects.Write, verb: "change", object: "database", finding: Network, covers: &Scope{Of: "program", To: name}})
	case act.Has(all, act.Wait):
		w.held(level.Medium, effects.Execute, "interactive", name+" waits for what is typed")
	default:
		w.harmless(effects.Read, "read", name+" only reads a database of this machine")
	}
}

// serverHere reports whether what says a server leads to this machine.
func serverHere(to shell.Word) bool {
	text := to.Text
	switch {
	case !to.Literal && strings.ContainsAny(text, "$`"):
		return false
	case strings.Contains(text, "host="):
		return strings.Contains(text, "host=localhost") || strings.Contains(text, "host=127.0.0.1")
	case !strings.Contains(text, "://"):
		return isThisMachine(text)
	}
	host := hostOf(text)
	return host == "" || isThisMachine(host)
}
