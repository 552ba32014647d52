package program

import (
	"path"
	"strings"

	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// Programs that create, change, copy, move and delete files.

// each is the same act on each of some things.
func each(v act.Verb, targets []shell.Word, flags act.Flags) []act.Act {
	all := make([]act.Act, 0, len(targets))
	for _, t := range targets {
		all = append(all, act.Act{Verb: v, Target: t, Flags: flags})
	}
	return all
}

// remove reads rm and its like.
func remove(name string, args []shell.Word, _ shell.Command) []act.Act {
	c := OptionsOf(name).Take(args)
	var flags act.Flags
	if name == "rimraf" || (name == "rm" || name == "trash") && c.Any(true, "-r", "-R", "--recursive", "-d") {
		flags = act.Recursive
	}
	all := each(act.Delete, c.Operands, flags)
	if name == "rm" && c.Has("--no-preserve-root", true) {
		all = append(all, act.Act{Verb: act.Delete, Target: shell.Word{Text: "/", Literal: true}, Flags: act.Recursive})
	}
	if len(c.Operands) == 0 {
		all = append(all, act.Act{Verb: act.Delete})
	}
	return all
}

// makes reads touch, mkdir, tee and truncate.
func makes(name string, args []shell.Word, _ shell.Command) []act.Act {
	c := OptionsOf(name).Take(args)
	var all []act.Act
	if len(c.Operands) == 0 && name != "tee" {
		all = append(all, act.Act{Verb: act.Edit})
	}
	if reference, ok := c.Value("--reference"); ok {
		all = append(all, does(act.Read, reference, ""))
	}
	switch name {
	case "tee", "sponge":
		flags := act.Input
		if c.Has("--append", true) {
			flags |= act.Adds
		}
		return append(append(all, act.Act{Verb: act.Print}), each(act.Overwrite, c.Operands, flags)...)
	case "truncate":
		return append(all, each(act.Empty, c.Operands, 0)...)
	case "mkdir", "mkfifo":
		return append(all, each(act.Folder, c.Operands, 0)...)
	}
	return append(all, each(act.Write, c.Operands, act.Keeps)...)
}

// dd reads dd: of= is written, if= is read.
func dd(_ string, args []shell.Word, _ shell.Command) []act.Act {
	all := []act.Act{{Verb: act.Print}}
	for _, w := range args {
		name, value, _ := strings.Cut(w.Text, "=")
		w.Text = value
		switch name {
		case "of":
			all = append(all, does(act.Overwrite, w, ""))
		case "if":
			all = append(all, does(act.Read, w, ""))
		}
	}
	return all
}

// copies reads cp, mv, install and ln.
func copies(name string, args []shell.Word, _ shell.Command) []act.Act {
	c := OptionsOf(name).Take(args)
	verb := map[string]act.Verb{"mv": act.Move, "gmv": act.Move, "ln": act.Link}[name]
	if verb == "" {
		verb = act.Copy
	}
	if _, into := c.Value("--target-directory"); name == "install" && c.Has("--directory", true) && !into {
		return each(act.Folder, c.Operands, 0)
	}
	one := act.Act{Verb: verb, From: c.Operands}
	if to, ok := c.Value("--target-directory"); ok {
		one.Target = to
	} else if n := len(c.Operands); n > 1 {
		one.Target, one.From = c.Operands[n-1], c.Operands[:n-1]
	} else if n == 1 && name == "ln" {
		one.Target = shell.Word{Text: path.Base(c.Operands[0].Text), Literal: c.Operands[0].Literal}
	}
	if c.Any(false, "--symbolic", "--symbolic-link") {
		one.Flags |= act.Symbolic
	}
	if c.Has("--no-clobber", false) {
		one.Flags |= act.Keeps
	}
	return []act.Act{one}
}

// tar reads tar.
func tar(name string, args []shell.Word, _ shell.Command) []act.Act {
	c := OptionsOf(name).Take(oldStyle(OptionsOf(name), args))
	var all []act.Act
	one := act.Act{Verb: act.Print, Target: shell.Word{Text: ".", Literal: true}}
	file, looks := shell.Word{}, false
	for _, o := range c.Options {
		switch o.Role() {
		case "starts":
			if o.Name == "--use-compress-program" && compressors[strings.Fields(o.Value.Text + " x")[0]] {
				continue
			}
			all = append(all, act.Act{Verb: act.Run, Target: o.Value, Reason: act.Because("option", name, o.Name)})
		case "reads":
			all = append(all, does(act.Read, o.Value, ""))
		case "output":
			all = append(all, does(act.Write, o.Value, ""))
		case "unpacks":
			one.Verb = act.Unpack
		case "packs":
			one.Verb = act.Pack
		case "lists":
			looks = true
		case "deletes":
			all = append(all, act.Act{Verb: act.Delete, Reason: act.Because("option", name, o.Name)})
		}
		switch o.Name {
		case "--directory":
			one.Target = o.Value
		case "--file":
			file = o.Value
		case "--files-from":
			all = append(all, act.Act{Verb: act.Pack, From: []shell.Word{o.Value}, Flags: act.Listed})
		case "--absolute-names":
			one.Flags |= act.Anywhere
		}
	}
	switch one.Verb {
	case act.Unpack:
		one.From = []shell.Word{file}
		if c.Has("--to-stdout", false) {
			return append(all, prints(file)...)
		}
	case act.Pack:
		one.Target, one.From = file, c.Operands
	case act.Print:
		if looks {
			return append(all, prints(file)...)
		}
		one = act.Act{Verb: act.Pack, From: append(c.Operands, file)}
	}
	return append(all, one)
}

// oldStyle are words of tar whose letters stand without a dash, each with its value in one of
// the next words: tar cfT a.tar list.
func oldStyle(o *Options, args []shell.Word) []shell.Word {
	if len(args) == 0 || args[0].Text == "" || args[0].Text[0] == '-' {
		return args
	}
	all, rest := []shell.Word{}, args[1:]
	for _, letter := range args[0].Text {
		w := args[0]
		w.Text = "-" + string(letter)
		k, ok := o.find(w.Text)
		if !ok {
			return args
		}
		all = append(all, w)
		if k.takes == next && len(rest) > 0 {
			all, rest = append(all, rest[0]), rest[1:]
		}
	}
	return append(all, rest...)
}

var compressors = setOf("gzip pigz bzip2 pbzip2 xz zstd lz4 lzma")

// find reads find: what it deletes and writes by itself, and what that it runs is given.
func find(_ string, args []shell.Word, _ shell.Command) []act.Act {
	all := []act.Act{{Verb: act.Print}}
	start := shell.Word{Text: ".", Literal: true}
	if len(args) > 0 && !strings.HasPrefix(args[0].Text, "-") {
		start = args[0]
	}
	runs := ""
	for i, w := range args {
		if (strings.HasPrefix(w.Text, "-exec") || strings.HasPrefix(w.Text, "-ok")) && i+1 < len(args) {
			runs = args[i+1].Text
		}
	}
	for i, w := range args {
		switch w.Text {
		case "-delete":
			one := act.Act{Verb: act.Delete, Target: start, Reason: act.Because("found")}
			if i <= 2 {
				one.Flags = act.Recursive
			}
			all = append(all, one)
		case "-fprint", "-fprintf", "-fls", "-fprint0":
			if i+1 < len(args) {
				all = append(all, does(act.Empty, args[i+1], "found"))
			}
		case "-name", "-iname", "-path", "-ipath", "-wholename":
			if runs != "" && i+1 < len(args) {
				one := act.Act{Verb: act.Read, Target: args[i+1], Reason: act.Because("found", runs)}
				if i > 0 && (args[i-1].Text == "!" || args[i-1].Text == "-not") {
					one.Flags = act.Keeps // all but these
				}
				all = append(all, one)
			}
		}
	}
	return all
}
