package workspace

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
)

// acts judges what a command does that was understood: here, that is.
func (w *walk) acts(all []act.Act, name string) {
	for _, a := range all {
		option := ""
		if a.Reason.Code == "option" {
			option = a.Reason.Args[1]
		}
		switch a.Verb {
		case act.Print:
			w.harmless(effects.Read, "read", name+" only prints")
		case act.Read:
			if a.Reason.Code == "links" {
				w.held(level.Medium, effects.Read, "http", name+" follows links to whatever they lead to")
			}
		case act.Unknown:
			w.held(level.Medium, effects.Execute, "option", name+" has no option "+brief(a.Target.Text)+" that is known")
		case act.Connect, act.Load:
			if to := a.Target.Text; strings.HasSuffix(to, ":127.0.0.1") || strings.HasSuffix(to, ":localhost") && (option == "--resolve" || option == "--connect-to") {
				continue
			}
			w.held(level.Medium, effects.Execute, "option", name+" "+option+" decides where it connects")
		case act.Mail:
			w.held(level.Medium, effects.Message, "email", name+" sends mail")
		case act.Request:
			w.requests(name, a.HTTP)
		}
	}
}
