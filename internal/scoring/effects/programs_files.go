package effects

import (
	"path"
	"slices"
	"strings"

	paths "github.com/countersign/countersign/internal/scoring/path"
	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// What commands do to files.

// at is a path as the command means it: in its own folder, normalised, lower-case.
func (x *commands) at(text string) string {
	text = strings.TrimPrefix(text, "file://")
	if x.current.Dir != "" && !strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "~") && !strings.HasPrefix(text, "$") {
		text = x.current.Dir + "/" + text
	}
	return cleanPath(text)
}

// readsFiles adds a sensitive read where an operand is a file of secrets.
func (x *commands) readsFiles(args []shell.Word) {
	for _, w := range args {
		text := w.Text
		if strings.HasPrefix(text, "-") {
			_, value, ok := strings.Cut(text, "=")
			if !ok {
				continue
			}
			text = value
		}
		text = strings.TrimPrefix(text, "@")
		if len(text) > 4096 || strings.ContainsAny(text, " \n") && !strings.HasSuffix(text, "/Login Data") {
			continue
		}
		if _, inside, ok := strings.Cut(text, ":"); ok && !strings.Contains(text, "://") && inside != "" && x.isSecret(inside) || x.isSecret(text) { // HEAD:.env
			x.found(sensitiveRead, "read", "secret file", x.name()+" reads "+short(text))
		}
	}
}

func (x *commands) name() string {
	if p := x.current.Program(); p != "" {
		return p
	}
	return "the command"
}

// redirected reads the files that a command is given or writes.
func (x *commands) redirected(c shell.Command) {
	for _, d := range c.Redirects {
		file := d.File
		switch {
		case strings.HasPrefix(file.Text, "/dev/tcp/") || strings.HasPrefix(file.Text, "/dev/udp/"):
			x.found("execute", "open", "connection", "a connection to "+short(file.Text)+" is opened")
		case d.Op == "<":
			x.readsFiles([]shell.Word{file})
		case d.Op == ">>" || d.Op == "&>>":
			x.writes(file, "appends to")
		case d.Op == ">|" && !isSink(file.Text) && !isScratch(cleanPath(file.Text)): // even a file that must not be
			x.overwrites(file, "overwrites")
		default:
			if len(c.Words) == 0 || empties(c) {
				x.overwrites(file, "empties")
			} else if isOld(file) {
				x.overwrites(file, "overwrites")
			} else {
				x.writes(file, "writes")
			}
		}
	}
}

// empties reports whether a command prints nothing into the file that it opens.
func empties(c shell.Command) bool {
	switch c.Program() {
	case ":", "true":
		return true
	case "cat":
		return len(c.Words) > 1 && c.Words[1].Text == "/dev/null"
	case "echo":
		return len(c.Words) == 1 || len(c.Words) == 2 && (c.Words[1].Text == "-n" || c.Words[1].Text == "")
	}
	return false
}

// isOld reports whether a file looks like one that was there before: it stands anywhere
// but in the folder at hand or a temporary one.
func isOld(w shell.Word) bool {
	clean := cleanPath(w.Text)
	return !isScratch(clean) && (strings.HasPrefix(clean, "/") || strings.HasPrefix(clean, "~") || strings.HasPrefix(clean, "..") || len(clean) > 1 && clean[1] == ':')
}

func isScratch(clean string) bool { return paths.Of().IsScratch(clean) }

func isSink(text string) bool { return paths.Of().IsSink(text) }

// guards adds what writing to a path does to access or to a disk; ok is false where it is
// a file like any.
func (x *commands) guards(w shell.Word, how string) bool {
	clean := x.at(w.Text)
	switch {
	case isSink(w.Text):
	case paths.Of().IsDisk(clean):
		e := x.found("delete", "overwrite", "disk", x.name()+" "+how+" the disk "+short(w.Text))
		e.Breadth = All
	case isGuardingPath(clean):
		x.found("permission", "change", "protected file", x.name()+" "+how+" "+short(w.Text)+", which decides who may do what, or what runs")
	default:
		return false
	}
	return true
}

// writes adds a write of a file.
func (x *commands) writes(w shell.Word, how string) {
	if !x.guards(w, how) {
		x.found("write", "write", "file", x.name()+" "+how+" "+short(w.Text))
	}
}

// overwrites adds that what a file held is gone.
func (x *commands) overwrites(w shell.Word, how string) {
	if !x.guards(w, how) {
		x.found("delete", "overwrite", "file", x.name()+" "+how+" "+short(w.Text)).Breadth = x.wide(w, false)
	}
}

// deletes adds that files are deleted.
func (x *commands) deletes(targets []shell.Word, recursive bool) {
	if len(targets) == 0 {
		x.found("delete", "delete", "file", x.name()+" deletes files")
		return
	}
	for i, w := range targets {
		how, object := "deletes "+short(w.Text), "file"
		if recursive {
			how, object = how+" recursively", "folder"
		}
		e := x.found("delete", "delete", object, x.name()+" "+how)
		e.Breadth = e.Breadth.wider(x.wide(w, recursive))
		if i == 0 && len(targets) > 1 {
			e.Breadth = e.Breadth.wider(Several)
		}
		if i == maxEvidence {
			break
		}
	}
	for _, w := range targets[min(len(targets), maxEvidence+1):] {
		if x.wide(w, recursive) == All {
			x.found("delete", "delete", "folder", x.name()+" deletes "+short(w.Text)).Breadth = All
		}
	}
}

// wide is how much a path names: everything, where it is a root, a home, or all that
// stands in one of these or at hand.
func (x *commands) wide(w shell.Word, recursive bool) Breadth {
	text := strings.ToLower(strings.ReplaceAll(w.Text, `\`, "/"))
	if !w.Literal && strings.Contains(text, "{}") {
		return Several
	}
	clean := path.Clean(text)
	if x.current.Dir != "" && !path.IsAbs(clean) && !strings.HasPrefix(clean, "~") {
		clean = path.Join(x.current.Dir, clean)
	}
	glob := strings.ContainsAny(clean, "*?")
	parent, last := path.Split(clean)
	parent = strings.TrimSuffix(parent, "/")
	isAll := strings.Trim(last, "*.?") == "" && strings.Contains(last, "*")
	switch {
	case clean == "/" || clean == "~" || clean == "." && recursive || clean == ".." || strings.HasSuffix(clean, "/..") || clean == "*" || clean == "/*":
		return All
	case strings.HasPrefix(clean, "~") && !strings.Contains(clean, "/"):
		return All // ~bob
	case isAll && parent == "" || isAll && (parent == "~" || parent == "." || parent == ".."):
		return All
	case isAll && strings.Count(parent, "/") <= 1 && (path.IsAbs(parent) || len(parent) > 1 && parent[1] == ':') && !isScratch(clean):
		return All // /srv/*, c:/users/*
	case recursive && path.IsAbs(clean) && strings.Count(clean, "/") == 1 && clean != "/tmp":
		return All // /etc
	case recursive && len(clean) >= 2 && clean[1] == ':' && len(clean) <= 3:
		return All // c:/
	case recursive && slices.Contains([]string{"/home/*", "/var/lib", "/usr/lib", "/usr/bin", "/var/log", "c:/windows", "c:/users"}, clean):
		return All
	case recursive && strings.HasPrefix(clean, "/home/") && strings.Count(clean, "/") == 2 || recursive && strings.HasPrefix(clean, "/users/") && strings.Count(clean, "/") == 2:
		return All
	case glob || w.Glob || !w.Literal:
		return Several
	}
	return One
}

// special are the programs whose operands decide.
var special map[string]func(x *commands, c shell.Command, args []shell.Word)

func init() { // its functions read it themselves
	special = map[string]func(x *commands, c shell.Command, args []shell.Word){}
	for names, read := range map[string]func(x *commands, c shell.Command, args []shell.Word){
		"gio srm trash-put del-cli grm": (*commands).trashes,
		"copy xcopy robocopy move ren":  (*commands).copiesWindows,
		"del erase rd":                  (*commands).removeWindows,
		"rsync":                         (*commands).syncs,
		"scp":                           (*commands).sends,
		"gfind":                         (*commands).finds,
		"kill":                          (*commands).kill,
		"echo printf":                   (*commands).echo,
		"env printenv":                  (*commands).environment,
		"export declare set typeset readonly unset": (*commands).exported,
		"ssh su sudo doas pkexec runuser":           (*commands).opensShell,
		"sh bash zsh dash ksh ash fish mksh":        (*commands).runsScript,
		"powershell pwsh cmd":                       (*commands).runsScript,
		wordlist.Text("effects.interpreters"):       (*commands).interprets,
		"ansible":                                   (*commands).ansible,
		"xargs":                                     (*commands).environment,
	} {
		for _, n := range strings.Fields(names) {
			special[n] = read
		}
	}
}

func (x *commands) kill(_ shell.Command, args []shell.Word) {
	if len(args) > 0 && (args[0].Text == "-l" || args[0].Text == "-L" || args[0].Text == "-0") {
		x.found("read", "list", "process", "kill asks")
		return
	}
	e := x.found("delete", "end", "process", "kill ends "+named1(args, "processes"))
	for i, w := range args {
		if w.Text == "-1" && (i > 0 || len(args) == 1) {
			e.Breadth = All
		}
	}
}
