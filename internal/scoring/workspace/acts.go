package workspace

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/program"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// acts judges what a command does that was understood: here, that is.
func (w *walk) acts(all []act.Act, name string) {
	if program.IsClient(name) {
		w.asks(name, all)
		return
	}
	var files []shell.Word
	prints := false
	for _, a := range all {
		option := ""
		if a.Reason.Code == "option" {
			option = a.Reason.Args[1]
		}
		switch a.Verb {
		case act.Print:
			prints = true
		case act.Read, act.Search:
			if a.Reason.Code == "links" {
				w.held(level.Medium, effects.Read, "http", name+" follows links to whatever they lead to")
				continue
			}
			if a.Reason.Code == "found" {
				if !tools().listing[a.Reason.Args[0]] && a.Flags&act.Keeps == 0 {
					w.reads(a.Target)
				}
				continue
			}
			files = append(files, a.Target)
		case act.Show:
			w.found(verdict{level: level.Medium, cause: "secret", because: name + " prints the environment, with the secrets in it", kind: effects.Read, sensitive: true, verb: "print", object: "environment", finding: Outside})
			return
		case act.Edit:
			if a.Reason.Code == "inplace" {
				w.held(level.Medium, effects.Write, "option", name+" changes its files in place")
				return
			}
			w.edits(a.Target, a.Text)
		case act.Folder:
			w.makesFolder(a.Target)
		case act.Empty:
			if s := w.writes(a.Target, "it makes"); !s.glob && (s.zone == inside || s.zone == temporary) {
				w.k.write(s.path, "", a.Reason.Code == "")
			}
		case act.Delete:
			switch {
			case a.Reason.Code == "found":
				w.deletesWhatItFinds()
			case option != "":
				w.held(level.Medium, effects.Delete, "delete", name+" "+option+" deletes files")
			case a.Target.Text == "":
			case a.Target.Text == "{}" || strings.Contains(a.Target.Text, "{}") && !a.Target.Literal:
				w.deletesFound(a.Target, a.Flags&act.Recursive != 0)
			default:
				w.deletes(a.Target, a.Flags&act.Recursive != 0)
			}
		case act.Copy, act.Move, act.Link:
			w.copied(a, name)
		case act.Pack:
			w.packed(a, name)
		case act.Unpack:
			switch {
			case ofAnotherMachine(a.From[0].Text):
				w.found(verdict{level: level.High, cause: "network", because: name + " takes its archive from another machine", kind: effects.Execute, finding: Network})
			case a.Flags&act.Anywhere != 0:
				w.held(level.High, effects.Write, "outside", name+" unpacks to wherever the archive says")
			default:
				w.unpacks(a.From[0], a.Target)
			}
		case act.Write, act.Overwrite:
			if a.Flags&act.Input != 0 {
				w.takes(a.Target, a.Flags&act.Adds != 0)
				continue
			}
			if a.Target.Text == "" {
				w.held(level.Medium, effects.Write, "option", name+" writes files")
				return
			}
			s := w.writes(a.Target, "it writes")
			if strings.HasPrefix(s.path, "/dev/") && s.zone == outside {
				w.held(level.High, effects.Delete, "system", name+" overwrites a device")
			}
			if a.Flags&act.Keeps == 0 && (s.zone == inside || s.zone == temporary) {
				w.k.changedByUnknown(s.path)
			}
		case act.Run:
			l := level.Medium
			if a.Reason.Code == "program" || a.Reason.Code == "pipe" || a.Reason.Code == "system" {
				l = level.High
			}
			w.held(l, effects.Execute, "option", strings.TrimSpace(name+" "+option)+" runs "+brief(a.Target.Text))
			return
		case act.Unknown:
			w.held(level.Medium, effects.Execute, "option", name+" has no option "+brief(a.Target.Text)+" that is known")
		case act.Load:
			if a.Reason.Code == "script" {
				if !w.runsFile(a.Target, name) {
					w.own("it runs a script of " + name)
				}
				continue
			}
			w.held(level.Medium, effects.Execute, "option", name+" "+option+" does what "+brief(a.Target.Text)+" says")
		case act.Connect:
			if to := a.Target.Text; (option == "--resolve" || option == "--connect-to" || option == "--unix-socket") && (strings.HasSuffix(to, ":127.0.0.1") || strings.HasSuffix(to, "localhost")) {
				continue
			}
			w.held(level.Medium, effects.Execute, "option", name+" "+option+" decides where it connects")
		case act.Mail:
			w.held(level.Medium, effects.Message, "email", name+" sends mail")
		case act.Request:
			if a.Reason.Code != "request" {
				w.forge(name+" api", a)
				continue
			}
			w.requests(name, a.HTTP)
		}
	}
	if prints {
		w.only(name, files)
		return
	}
	for _, f := range files {
		w.reads(f)
	}
}
