package effects

import (
	"path"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/program"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// trashes reads what is called in place of rm.
func (x *commands) trashes(c shell.Command, args []shell.Word) {
	if c.Program() == "gio" {
		if len(args) == 0 || args[0].Text != "trash" && args[0].Text != "remove" {
			x.found("write", "change", "file", "gio changes files")
			return
		}
		args = args[1:]
	}
	all, _ := program.Read("rm", args, c)
	x.acts(all)
}

// finds is find by another name.
func (x *commands) finds(c shell.Command, args []shell.Word) {
	all, _ := program.Read("find", args, c)
	x.acts(all)
}

func (x *commands) removeWindows(_ shell.Command, args []shell.Word) {
	recursive := false
	var targets []shell.Word
	for _, w := range args {
		if len(w.Text) == 2 && w.Text[0] == '/' {
			recursive = recursive || strings.EqualFold(w.Text, "/s")
			continue
		}
		targets = append(targets, w)
	}
	x.deletes(targets, recursive)
}

// copied adds what cp, mv, ln and their like do.
func (x *commands) copied(a act.Act) {
	to, from := a.Target, a.From
	if a.Verb != act.Move {
		x.readsFiles(from)
	}
	how := map[act.Verb]string{act.Copy: "copies", act.Move: "moves", act.Link: "links"}[a.Verb]
	switch {
	case to.Text == "":
		x.found("write", string(a.Verb), "file", x.name()+" "+how+" files")
	case a.Verb == act.Move && to.Text == "/dev/null":
		x.found("delete", "discard", "file", x.name()+" throws "+named1(from, "files")+" away")
	case a.Verb == act.Link:
		x.writes(to, how)
	case a.Verb == act.Copy && len(from) > 0 && (from[0].Text == "/dev/null" || strings.HasPrefix(from[0].Text, "/dev/zero") || strings.HasPrefix(from[0].Text, "/dev/urandom")):
		x.overwrites(to, "empties")
	default:
		if a.Verb == act.Move {
			x.movesAway(from)
		}
		x.places(from, to, a.Flags&act.Keeps != 0, how)
	}
}

// movesAway adds what it means that files are no longer where they were.
func (x *commands) movesAway(from []shell.Word) {
	for _, w := range from {
		switch clean := x.at(w.Text); {
		case isGuardingPath(clean):
			x.found("permission", "move", "protected file", x.name()+" moves "+short(w.Text)+" away, which decides who may do what, or what runs")
		case x.wide(w, true) == All:
			x.found("delete", "move", "folder", x.name()+" moves all of "+short(w.Text)+" away").Breadth = All
		}
	}
}

// destination is where files are put.
func destination(c cut) (to shell.Word, from []shell.Word, ok bool) {
	if len(c.Operands) < 2 {
		return shell.Word{}, c.Operands, false
	}
	return c.Operands[len(c.Operands)-1], c.Operands[:len(c.Operands)-1], true
}

// places adds that files are put somewhere.
func (x *commands) places(from []shell.Word, to shell.Word, keeps bool, how string) {
	if x.guards(to, how+" files to") {
		return
	}
	toFolder := strings.HasSuffix(to.Text, "/") || len(from) > 1 || slices.Contains([]string{".", "..", "~"}, to.Text) || path.Ext(to.Text) == ""
	d := deed("write")
	if isOld(to) && !toFolder && !keeps {
		d = "delete" // what stands there is overwritten
	}
	why := x.name() + " " + how + " " + named1(from, "files") + " to " + short(to.Text)
	if how == "moves" && d == "write" && len(from) > 0 && isOld(from[0]) && path.Dir(cleanPath(from[0].Text)) != path.Dir(cleanPath(to.Text)) {
		d = "delete" // it is gone from where it was
	}
	x.found(d, map[string]string{"copies": "copy", "moves": "move"}[how], "file", why)
}

// copiesWindows reads copy, xcopy, robocopy and ren.
func (x *commands) copiesWindows(c shell.Command, args []shell.Word) {
	cut := taken(strings.ToLower(c.Program()), args)
	if slices.ContainsFunc(cut.Operands, func(w shell.Word) bool {
		return strings.EqualFold(w.Text, "/mir") || strings.EqualFold(w.Text, "/purge")
	}) {
		x.found("delete", "mirror", "folder", "robocopy deletes what isn't in the source")
	}
	one := act.Act{Verb: act.Copy}
	if p := strings.ToLower(c.Program()); p == "move" || p == "ren" {
		one.Verb = act.Move
	}
	one.Target, one.From, _ = destination(cut)
	x.copied(one)
}

func isRemote(text string) bool {
	host, _, ok := strings.Cut(text, ":")
	return strings.Contains(text, "://") || ok && len(host) > 1 && !strings.ContainsAny(host, "/.\\ ") || ok && strings.Contains(host, "@") || ok && strings.Count(host, ".") > 0 && !strings.Contains(host, "/")
}

func (x *commands) syncs(_ shell.Command, args []shell.Word) {
	cut := taken("rsync", args)
	dry := cut.Has("--dry-run", false) && cut.Unknown == ""
	x.readsFiles(cut.Operands)
	if rsh, ok := cut.Value("--rsh"); ok && !strings.HasPrefix(rsh.Text, "ssh") {
		x.found("execute", "run", "command", "rsync -e runs a command")
	}
	to, from, ok := destination(cut)
	if cut.Any(true, "--read-batch", "--write-batch", "--only-write-batch", "--daemon", "--config") {
		x.found("write", "copy", "file", "rsync does what a file says, or writes one")
	}
	switch {
	case dry || !ok:
		x.found("read", "compare", "file", "rsync lists files")
	case slices.ContainsFunc(cut.Options, func(o program.Option) bool {
		return strings.HasPrefix(o.Name, "--del") || o.Name == "--remove-source-files" || o.Name == "--remove-sent-files"
	}):
		x.found("delete", "mirror", "folder", "rsync deletes what isn't in "+named1(from, "the source")+" from "+short(to.Text)).Breadth = x.wide(to, true)
	case isRemote(to.Text):
		x.leavesSecrets(from)
		x.found("message", "send", "file", "rsync sends "+named1(from, "files")+" to another machine").Audience = Outside
	default:
		x.writes(to, "copies files to")
	}
}

// leavesSecrets adds that files of secrets go to another machine.
func (x *commands) leavesSecrets(from []shell.Word) {
	for _, w := range from {
		if x.isSecret(w.Text) {
			e := x.found("permission", "send", "secret file", x.name()+" sends "+short(w.Text)+" away")
			e.Evidence[0].Start, e.Evidence[0].End = w.Start, w.End // this file, not where it goes
		}
	}
}

func (x *commands) sends(_ shell.Command, args []shell.Word) {
	cut := taken("scp", args)
	x.readsFiles(cut.Operands)
	to, from, ok := destination(cut)
	switch {
	case ok && isRemote(to.Text):
		x.leavesSecrets(from)
		x.found("message", "send", "file", "scp sends "+named1(from, "files")+" to another machine").Audience = Outside
	case ok:
		x.writes(to, "fetches files to")
	default:
		x.found("write", "copy", "file", "scp copies files")
	}
}

// unpacks adds that an archive is unpacked.
func (x *commands) unpacks(to shell.Word) {
	switch clean := x.at(to.Text); {
	case clean == "/" || isGuardingPath(clean):
		x.found("permission", "unpack", "archive", x.name()+" unpacks to "+short(to.Text)+", over what the system runs")
	case isOld(to):
		x.found("delete", "unpack", "archive", x.name()+" unpacks to "+short(to.Text)+", over what is already there")
	default:
		x.found("write", "unpack", "archive", x.name()+" unpacks an archive")
	}
}
