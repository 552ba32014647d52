package effects

import (
	"path"
	"slices"
	"strings"

	paths "github.com/countersign/countersign/internal/scoring/path"
	"github.com/countersign/countersign/internal/scoring/program"
	"github.com/countersign/countersign/internal/scoring/shell"
)

func (x *commands) remove(c shell.Command, args []shell.Word) {
	if c.Program() == "gio" && (len(args) == 0 || args[0].Text != "trash" && args[0].Text != "remove") {
		x.found("write", "change", "file", "gio changes files")
		return
	}
	cut := taken(strings.ToLower(c.Program()), args)
	x.deletes(cut.Operands, recursive(cut))
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

// move is mv: the last operand is where to, and what stands there is gone.
func (x *commands) move(c shell.Command, args []shell.Word) {
	cut := taken("mv", args)
	to, from, ok := destination(cut, "-t", "--target-directory")
	if !ok {
		x.found("write", "move", "file", x.name()+" moves files")
		return
	}
	if to.Text == "/dev/null" {
		x.found("delete", "discard", "file", x.name()+" throws "+named1(from, "files")+" away")
		return
	}
	for _, w := range from {
		clean := x.at(w.Text)
		switch {
		case isGuardingPath(clean):
			x.found("permission", "move", "protected file", x.name()+" moves "+short(w.Text)+" away, which decides who may do what, or what runs")
		case x.wide(w, true) == All:
			x.found("delete", "move", "folder", x.name()+" moves all of "+short(w.Text)+" away").Breadth = All
		}
	}
	x.places(from, to, cut, "moves")
}

// destination is where files are put.
func destination(c cut, options ...string) (to shell.Word, from []shell.Word, ok bool) {
	if to, found := c.Value(options...); found {
		return to, c.Operands, true
	}
	if len(c.Operands) < 2 {
		return shell.Word{}, c.Operands, false
	}
	return c.Operands[len(c.Operands)-1], c.Operands[:len(c.Operands)-1], true
}

// places adds that files are put somewhere.
func (x *commands) places(from []shell.Word, to shell.Word, cut cut, how string) {
	if x.guards(to, how+" files to") {
		return
	}
	toFolder := strings.HasSuffix(to.Text, "/") || len(from) > 1 || slices.Contains([]string{".", "..", "~"}, to.Text) || path.Ext(to.Text) == ""
	d := deed("write")
	if isOld(to) && !toFolder && !cut.has("-n", true) && !cut.has("--no-clobber", false) {
		d = "delete" // what stands there is overwritten
	}
	why := x.name() + " " + how + " " + named1(from, "files") + " to " + short(to.Text)
	if how == "moves" && d == "write" && len(from) > 0 && isOld(from[0]) && path.Dir(cleanPath(from[0].Text)) != path.Dir(cleanPath(to.Text)) {
		d = "delete" // it is gone from where it was
	}
	x.found(d, map[string]string{"copies": "copy", "moves": "move"}[how], "file", why)
}

func (x *commands) copies(c shell.Command, args []shell.Word) {
	name := strings.ToLower(c.Program())
	if name == "install" && slices.ContainsFunc(args, func(w shell.Word) bool { return w.Text == "-d" }) {
		x.found("write", "create", "folder", "install creates folders")
		return
	}
	cut := taken(name, args)
	if name == "robocopy" && slices.ContainsFunc(cut.Operands, func(w shell.Word) bool {
		return strings.EqualFold(w.Text, "/mir") || strings.EqualFold(w.Text, "/purge")
	}) {
		x.found("delete", "mirror", "folder", "robocopy deletes what isn't in the source")
	}
	to, from, ok := destination(cut, "-t", "--target-directory")
	if name == "ln" && !ok && len(cut.Operands) == 1 {
		x.found("write", "link", "file", "ln links "+short(cut.Operands[0].Text))
		return
	}
	x.readsFiles(from)
	if !ok {
		x.found("write", "copy", "file", x.name()+" copies files")
		return
	}
	if len(from) > 0 && (from[0].Text == "/dev/null" || strings.HasPrefix(from[0].Text, "/dev/zero") || strings.HasPrefix(from[0].Text, "/dev/urandom")) {
		x.overwrites(to, "empties")
		return
	}
	if name == "ln" {
		x.writes(to, "links")
		return
	}
	x.places(from, to, cut, "copies")
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

func (x *commands) dd(_ shell.Command, args []shell.Word) {
	for _, w := range args {
		name, value, _ := strings.Cut(w.Text, "=")
		file := w
		file.Text = value
		switch name {
		case "of":
			if !isSink(value) {
				if isOld(file) {
					x.overwrites(file, "overwrites")
				} else {
					x.writes(file, "writes")
				}
			}
		case "if":
			x.readsFiles([]shell.Word{file})
			if paths.Of().IsDisk(x.at(value)) {
				x.found(sensitiveRead, "read", "disk", "dd reads the disk "+short(value))
			}
		}
	}
	x.found("read", "read", "", "dd reads")
}

func (x *commands) truncates(_ shell.Command, args []shell.Word) {
	for _, w := range taken("truncate", args).Operands {
		x.overwrites(w, "cuts")
	}
}

func (x *commands) tee(_ shell.Command, args []shell.Word) {
	cut := taken("tee", args)
	for _, w := range cut.Operands {
		switch {
		case cut.has("-a", true) || cut.has("--append", false):
			x.writes(w, "appends to")
		case isOld(w):
			x.overwrites(w, "overwrites")
		default:
			x.writes(w, "writes")
		}
	}
	if len(cut.Operands) == 0 {
		x.found("read", "print", "", "tee prints")
	}
}

func (x *commands) tar(_ shell.Command, args []shell.Word) {
	mode, to := "", ""
	for i, w := range args {
		text := w.Text
		if i == 0 && !strings.HasPrefix(text, "-") {
			text = "-" + text
		}
		switch {
		case strings.HasPrefix(text, "--to-command"), strings.HasPrefix(text, "--use-compress-program"), strings.HasPrefix(text, "--checkpoint-action"), strings.HasPrefix(text, "--rsh-command"), strings.HasPrefix(text, "--info-script"), strings.HasPrefix(text, "--new-volume-script"), text == "-I" || text == "-F":
			x.found("execute", "run", "command", "tar runs a command for what it packs or unpacks")
		case strings.HasPrefix(text, "--remove-files"), text == "--delete", text == "--overwrite":
			x.found("delete", "delete", "file", "tar deletes files")
		case text == "--list":
			mode = "t"
		case text == "--extract" || text == "--get":
			mode = "x"
		case text == "--create":
			mode = "c"
		case text == "-C" || text == "--directory":
			if i+1 < len(args) {
				to = args[i+1].Text
			}
		case strings.HasPrefix(text, "--directory="):
			to = strings.TrimPrefix(text, "--directory=")
		case len(text) > 1 && text[0] == '-' && text[1] != '-' && mode == "":
			for _, m := range "txcru" {
				if strings.ContainsRune(text[1:], m) {
					mode = string(m)
					break
				}
			}
		}
	}
	switch mode {
	case "t":
		x.found("read", "list", "archive", "tar lists an archive")
	case "x":
		w := shell.Word{Text: to, Literal: true}
		switch clean := x.at(to); {
		case to != "" && (clean == "/" || path.Clean(to) == "/" || isGuardingPath(clean)):
			x.found("permission", "unpack", "archive", "tar unpacks to "+short(to)+", over what the system runs")
		case to != "" && isOld(w):
			x.found("delete", "unpack", "archive", "tar unpacks to "+short(to)+", over what is already there")
		default:
			x.found("write", "unpack", "archive", "tar unpacks an archive")
		}
	default:
		x.found("write", "pack", "archive", "tar packs files")
		x.readsFiles(args)
	}
}
