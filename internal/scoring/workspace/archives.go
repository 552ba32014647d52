package workspace

import (
	"path"
	"strings"

	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// Programs that pack and unpack.

// archive is tar and the like: what they pack is read, and where they unpack is written.
func archive(w *walk, name string, args []shell.Word) {
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

// packed judges that files are packed into an archive.
func (w *walk) packed(a act.Act, name string) {
	switch {
	case a.Flags&act.Listed != 0:
		w.packsListed(name, a.From[0])
		return
	case ofAnotherMachine(a.Target.Text):
		w.found(verdict{level: level.High, cause: "network", because: name + " keeps its archive on another machine", kind: effects.Execute, finding: Network})
		return
	case a.Target.Text != "" && a.Target.Text != "-":
		w.writes(a.Target, "it writes")
	}
	for _, o := range a.From {
		w.packs(o)
	}
	w.packsInto(a.Target, a.From)
}

// ofAnotherMachine reports whether an archive is one of another machine: host:file.
func ofAnotherMachine(file string) bool {
	host, _, ok := strings.Cut(file, ":")
	return ok && host != "" && !strings.Contains(host, "/")
}

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
