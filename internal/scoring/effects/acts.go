package effects

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/act"
	paths "github.com/countersign/countersign/internal/scoring/path"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// acts adds what a command does that was understood: anywhere, that is.
func (x *commands) acts(all []act.Act) {
	for i, a := range all {
		option := ""
		if a.Reason.Code == "option" {
			option = " " + a.Reason.Args[1]
		}
		one := []shell.Word{a.Target}
		switch a.Verb {
		case act.Print:
			x.found("read", "print", "", x.name()+" prints")
		case act.Read, act.Look:
			if a.Reason.Code == "found" {
				if runs := a.Reason.Args[0]; !x.tools.listing[runs] && x.named(a.Target.Text) {
					x.found(sensitiveRead, "read", "secret file", x.name()+" runs "+short(runs)+" on "+short(a.Target.Text))
				}
				continue
			}
			x.readsFiles(one)
			if paths.Of().IsDisk(x.at(a.Target.Text)) {
				x.found(sensitiveRead, "read", "disk", x.name()+" reads the disk "+short(a.Target.Text))
			}
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
		case act.Folder:
			x.writes(a.Target, "creates")
		case act.Empty:
			x.overwrites(a.Target, "cuts")
		case act.Delete:
			if a.Reason.Code == "found" {
				e := x.found("delete", "delete", "file", x.name()+" deletes what it finds in "+short(a.Target.Text))
				if e.Breadth = Several; a.Flags&act.Recursive != 0 && x.wide(a.Target, true) == All {
					e.Breadth = All
				}
			} else if option != "" {
				x.found("delete", "delete", "file", x.name()+option+" deletes files")
			} else if i == 0 || all[i-1].Verb != act.Delete {
				x.deletes(deleted(all[i:]), a.Flags&act.Recursive != 0)
			}
		case act.Copy, act.Move, act.Link:
			x.copied(a)
		case act.Pack:
			x.found("write", "pack", "archive", x.name()+" packs files")
			x.readsFiles(a.From)
			if a.Target.Text != "" && !isSink(a.Target.Text) {
				x.guards(a.Target, "writes")
			}
		case act.Unpack:
			x.unpacks(a.Target)
		case act.Overwrite:
			if isSink(a.Target.Text) {
				continue
			}
			if a.Flags&act.Adds == 0 && isOld(a.Target) {
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
		case act.Statement:
			x.asked(strings.ToLower(x.name()), a.Target)
		case act.Wait:
			x.found("execute", "open", "database", x.name()+" runs what is typed")
		case act.Load:
			if a.Reason.Code == "statements" {
				x.found("execute", "run", "statement", x.name()+" runs statements that aren't in the text")
				continue
			}
			x.found("execute", "read", "settings", x.name()+option+" does what "+short(a.Target.Text)+" says")
		case act.Connect:
			if a.Reason.Code == "server" {
				continue
			}
			x.found("write", "send", "request", x.name()+option+" decides where it connects")
		case act.Mail:
			x.found("message", "send", "mail", x.name()+" sends mail")
		case act.Command:
			x.found("delete", "command", "server", x.name()+" gives a server commands")
		case act.Request:
			if a.Reason.Code == "mutation" {
				x.found("write", "change", "", x.name()+" api sends a mutation")
				continue
			}
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

// deleted are the targets of the deletions that acts begin with.
func deleted(all []act.Act) (targets []shell.Word) {
	for _, a := range all {
		if a.Verb != act.Delete {
			break
		}
		if a.Target.Text != "" {
			targets = append(targets, a.Target)
		}
	}
	return targets
}
