package workspace

import (
	"path"
	"strings"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// Programs that pack and unpack.

// archive is tar and the like: what they pack is read, and where they unpack is written.
func archive(w *walk, name string, args []shell.Word) {
	if name == "tar" && len(args) > 0 && args[0].Text != "" && args[0].Text[0] != '-' { // tar xzf
		args = append([]shell.Word{{Text: "-" + args[0].Text, Literal: args[0].Literal}}, args[1:]...)
	}
	if name == "tar" {
		w.tar(args)
		return
	}
	all, c := operands(name, args)
	if name == "zip" || name == "7z" || name == "jar" {
		if c.Has("-T", false) && c.Has("-TT", false) || c.Has("--unzip-command", false) || c.Has("-TT", false) {
			w.held(level.Medium, effects.Execute, "option", name+" runs a program")
			return
		}
	}
	switch name {
	case "unzip", "unrar":
		if c.Has("-l", true) || c.Has("-t", true) || c.Has("-p", true) || c.Has("-Z", false) || c.Has("-v", true) {
			w.harmless(effects.Read, "read", name+" only reads")
			return
		}
		to, ok := c.Value("-d")
		if !ok {
			to = shell.Word{Text: ".", Literal: true}
		}
		if len(all) > 0 {
			w.unpacks(all[0], to)
		}
	case "zip", "7z", "jar":
		if len(all) > 0 && (name == "zip" || name == "jar") {
			w.writes(all[0], "it writes")
			for _, o := range all[1:] {
				w.packs(o)
				if name == "zip" && (c.Has("-m", true) || c.Has("--move", false)) {
					w.deletes(o, true)
				}
			}
			if c.Has("-@", true) {
				w.packsListed(name, shell.Word{Text: "-", Literal: true})
			}
			w.packsInto(all[0], all[1:])
			return
		}
		if len(all) > 1 && (all[0].Text == "l" || all[0].Text == "t") {
			w.harmless(effects.Read, "read", name+" only reads")
			return
		}
		if len(all) > 1 && (all[0].Text == "x" || all[0].Text == "e") {
			to := shell.Word{Text: ".", Literal: true}
			for _, a := range args {
				if strings.HasPrefix(a.Text, "-o") && len(a.Text) > 2 { // 7z has no space there
					to = shell.Word{Text: a.Text[2:], Literal: a.Literal}
				}
			}
			w.unpacks(all[1], to)
			return
		}
		for _, o := range all[min(1, len(all)):] {
			w.packs(o)
		}
	default: // gzip, gunzip, xz, bzip2, zstd
		if c.Has("-c", true) || c.Has("-l", true) || c.Has("-t", true) || len(all) == 0 {
			for _, o := range all {
				w.reads(o)
			}
			return
		}
		for _, o := range all {
			w.writes(o, "it packs")
		}
	}
}

func (w *walk) tar(args []shell.Word) {
	file, to := shell.Word{}, shell.Word{Text: ".", Literal: true}
	letters := ""
	var all, lists []shell.Word
	for i := 0; i < len(args); i++ {
		a := args[i]
		next := func() shell.Word {
			if _, value, ok := strings.Cut(a.Text, "="); ok {
				return shell.Word{Text: value, Literal: a.Literal}
			}
			if i+1 < len(args) {
				i++
				return args[i]
			}
			return shell.Word{}
		}
		name, _, _ := strings.Cut(a.Text, "=")
		switch {
		case name == "--to-command" || name == "--checkpoint-action" || name == "--use-compress-program" || name == "--info-script" || name == "--rsh-command" || name == "--new-volume-script" || name == "-I" || name == "-F":
			value := next()
			if (name == "-I" || name == "--use-compress-program") && plainCompressor[strings.Fields(value.Text + " x")[0]] {
				continue
			}
			w.held(level.Medium, effects.Execute, "option", "tar "+name+" runs a program")
			return
		case name == "-C" || name == "--directory":
			to = next()
		case name == "-f" || name == "--file":
			file = next()
		case name == "-T" || name == "--files-from":
			lists = append(lists, next())
		case name == "-X" || name == "--exclude-from" || name == "--exclude" || name == "--transform" || name == "--strip-components" || name == "--owner" || name == "--group" || name == "--mtime" || name == "--mode":
			next()
		case name == "--extract" || name == "--get":
			letters += "x"
		case name == "--create":
			letters += "c"
		case name == "--list":
			letters += "t"
		case name == "--remove-files":
			w.held(level.Medium, effects.Delete, "delete", "tar deletes what it packs")
		case name == "-P" || name == "--absolute-names":
			letters += "P"
		case strings.HasPrefix(a.Text, "--"):
		case strings.HasPrefix(a.Text, "-"):
			letters += a.Text[1:]
			switch a.Text[len(a.Text)-1] {
			case 'f':
				file = next()
			case 'C':
				to = next()
			case 'T':
				lists = append(lists, next())
			}
		default:
			all = append(all, a)
		}
	}
	if host, _, ok := strings.Cut(file.Text, ":"); ok && host != "" && !strings.Contains(host, "/") {
		w.found(verdict{level: level.High, cause: "network", because: "tar keeps its archive on another machine", kind: effects.Execute, finding: Network})
		return
	}
	switch {
	case strings.ContainsAny(letters, "x"):
		if strings.Contains(letters, "O") {
			w.reads(file)
			return
		}
		if strings.Contains(letters, "P") {
			w.held(level.High, effects.Write, "outside", "tar unpacks to wherever the archive says")
			return
		}
		w.unpacks(file, to)
	case strings.ContainsAny(letters, "cruA"):
		if file.Text != "" && file.Text != "-" {
			w.writes(file, "it writes")
		}
		for _, o := range all {
			w.packs(o)
		}
		for _, list := range lists {
			w.packsListed("tar", list)
		}
		w.packsInto(file, all)
	default:
		w.reads(file)
	}
}

var plainCompressor = setOf("gzip pigz bzip2 pbzip2 xz zstd lz4 lzma")

// packsInto remembers of an archive what is known of the files in it.
func (w *walk) packsInto(file shell.Word, all []shell.Word) {
	to := w.word(file)
	if to.zone != inside && to.zone != temporary || to.glob {
		return
	}
	var f File
	for _, o := range all {
		s := w.word(o)
		of := w.k.below(s.path)
		if one, ok := w.k.look(s.path); ok {
			of = append(of, one)
		}
		for _, one := range of {
			f.Findings, f.Plain, f.Foreign = union(f.Findings, one.Findings), f.Plain || one.Plain, f.Foreign || one.Foreign
		}
	}
	if len(f.Findings) > 0 || f.Plain || f.Foreign {
		f.Path = to.path
		w.k.set(f, false)
	}
}

// packs judges that a path is put into an archive.
func (w *walk) packs(o shell.Word) {
	if w.reads(o) {
		s := w.word(o)
		if s.zone == outside && (s.path == w.b.home() || s.path == "/" || within("/etc", s.path) || within("/root", s.path)) {
			w.held(level.Medium, effects.Read, "secret", "it packs "+brief(o.Text)+", which isn't of the workspace")
		}
	}
}

// packsListed judges that the files are packed that a list names: it is let through where
// a command names them for it that finds files of the workspace.
func (w *walk) packsListed(name string, list shell.Word) {
	if list.Text == "-" || list.Text == "/dev/stdin" {
		if from := w.c.From; from >= 0 && from < len(w.script.Commands) {
			if f, ok := w.names(w.script.Commands[from]); ok && f.zone == inside && f.names {
				w.readsNamed()
				return
			}
		}
	} else if !w.reads(list) {
		return
	}
	w.held(level.Medium, effects.Read, "secret", name+" packs the files that "+brief(list.Text)+" names, and which those are couldn't be read")
}

// unpacks judges that an archive is unpacked: what was downloaded stays foreign.
func (w *walk) unpacks(file, to shell.Word) {
	s := w.writes(to, "it unpacks into")
	if s.zone != inside && s.zone != temporary {
		return
	}
	from := w.word(file)
	f, known := w.k.look(from.path)
	if known && !f.Foreign && (len(f.Findings) > 0 || f.Plain) && s.path != w.b.Folder {
		w.k.set(File{Path: s.path, Folder: true, Findings: f.Findings, Plain: f.Plain}, false)
	}
	if known && !f.Foreign || from.zone == inside && !known {
		return // the workspace's own
	}
	if file.Text == "" || file.Text == "-" {
		if w.c.From < 0 {
			return
		}
		if w.fromWeb() {
			w.found(verdict{level: level.Medium, cause: "foreign", because: "it unpacks what it downloads", kind: effects.Write, verb: "download", object: "archive", finding: Network})
		}
	}
	place := s.path
	if place == w.b.Folder {
		base := path.Base(from.path)
		if at := strings.IndexByte(base, '.'); at > 0 {
			base = base[:at]
		}
		place += "/" + base
	}
	w.k.foreign(place, true)
}
