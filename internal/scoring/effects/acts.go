package effects

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// acts adds what a command does that was understood: anywhere, that is.
func (x *commands) acts(all []act.Act) {
	for _, a := range all {
		option := ""
		if a.Reason.Code == "option" {
			option = " " + a.Reason.Args[1]
		}
		one := []shell.Word{a.Target}
		switch a.Verb {
		case act.Print:
			x.found("read", "print", "", x.name()+" prints")
		case act.Read, act.Look:
			x.readsFiles(one)
		case act.Search:
			x.readsFiles(one)
			x.searchesAll(a.Target)
		case act.Show:
			x.found(sensitiveRead, "print", "environment", x.name()+" prints the environment")
		case act.Edit, act.Write:
			if a.Target.Text == "" {
				x.found("write", "change", "file", x.name()+" changes files")
			} else if !isSink(a.Target.Text) {
				x.writes(a.Target, "writes")
			}
		case act.Overwrite:
			if isSink(a.Target.Text) {
				continue
			}
			if isOld(a.Target) {
				x.overwrites(a.Target, "overwrites")
			} else {
				x.writes(a.Target, "writes")
			}
		case act.Run:
			if a.Reason.Code == "system" {
				x.inner(a.Target.Text)
				continue
			}
			x.found("execute", "run", "command", x.name()+option+" runs "+short(a.Target.Text))
		case act.Feed:
			x.found("execute", "run", "command", x.name()+" runs commands")
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

// searchesAll adds that a search through a whole disk or home finds secrets, too.
func (x *commands) searchesAll(w shell.Word) {
	clean := x.at(w.Text)
	if (clean == "" || clean == "." || strings.HasPrefix(clean, "..") || strings.ContainsAny(clean, "*?")) && w.Text != "/" && clean != "/*" && clean != "~/*" {
		return
	}
	if clean == "" || x.wide(w, true) == All {
		x.found(sensitiveRead, "search", "file", x.name()+" searches all of "+short(w.Text))
	}
}
