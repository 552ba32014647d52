package effects

import (
	"github.com/countersign/countersign/internal/scoring/act"
)

// acts adds what a command does that was understood: anywhere, that is.
func (x *commands) acts(all []act.Act) {
	for _, a := range all {
		option := ""
		if a.Reason.Code == "option" {
			option = " " + a.Reason.Args[1]
		}
		switch a.Verb {
		case act.Print:
			x.found("read", "print", "", x.name()+" prints")
		case act.Unknown:
			x.found("execute", "run", "option", x.name()+" has no option "+short(a.Target.Text)+" that is known")
		case act.Load:
			x.found("execute", "read", "settings", x.name()+option+" does what "+short(a.Target.Text)+" says")
		case act.Connect:
			x.found("write", "send", "request", x.name()+option+" decides where it connects")
		case act.Mail:
			x.found("message", "send", "mail", x.name()+" sends mail")
		case act.Command:
			x.found("delete", "command", "server", x.name()+" gives a server commands")
		case act.Request:
			x.transfers(a.HTTP, x.name())
		}
	}
}
