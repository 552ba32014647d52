package edits

import (
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/scan"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// The names of arguments, in lower case and without what parts their words. Of several that
// are there the first one counts.
var (
	pathKeys  = wordlist.List("edits.pathKeys")
	wholeKeys = wordlist.List("edits.wholeKeys")
	listKeys  = []string{"edits", "changes", "replacements", "operations", "replacementchunks", "files", "diffs", "patches"}
	// pairs are what is looked for and what comes in its place. Plain ones are of a tool
	// that edits files, by its name.
	pairs = []struct {
		old, now string
		plain    bool
	}{
		{"oldstring", "newstring", false},
		{"oldtext", "newtext", false},
		{"oldstr", "newstr", false},
		{"oldcontent", "newcontent", false},
		{"targetcontent", "replacementcontent", false},
		{"oldcode", "newcode", false},
		{"old", "new", true},
		{"search", "replace", true},
		{"find", "replace", true},
		{"pattern", "replacement", true},
	}
	// partKeys are what becomes a part of a file.
	partKeys = wordlist.List("edits.partKeys")
	// runKeys are what a shell may run: only a text that begins as a patch is one.
	runKeys = []string{"command", "cmd", "script", "shellcommand", "commandline"}
	// wrappers are arguments that hold the arguments of the tool that named names.
	wrappers = wordlist.List("edits.wrappers")
	named    = []string{"tool", "toolname", "name", "function", "functionname"}
)

func set(words string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		all[w] = true
	}
	return all
}

// The words of the names of tools that edit files. A name with any other word is of
// something else: create_issue {path, content} writes no file.
var (
	writes  = set("write create save new overwrite put push")
	creates = set("create new")
	partial = set(wordlist.Text("edits.partial"))
	changes = set(wordlist.Text("edits.changes"))
	about   = set(wordlist.Text("edits.about"))
	// looks are words of tools that only look at a patch, or talk about one.
	looks = set(wordlist.Text("edits.looks"))
)

// maxDepth is how deep wrappers are looked into.
const maxDepth = 3

// Read lists the files that a call edits, in the order of the call; none where it is no edit.
func Read(c *call.Call) []File {
	var fs files
	read(c.Function, c.Arguments, "/arguments", 0, &fs)
	return fs.all
}

func read(function string, args canon.Value, pointer string, depth int, fs *files) {
	if args.Kind() == canon.KindArray && args.Len() == 1 {
		args, pointer = args.Element(0), pointer+"/0"
	}
	if args.Kind() != canon.KindObject || depth > maxDepth {
		return
	}
	r := reader{object: objectOf(args, pointer), files: fs}
	r.tool(function)
	before := len(fs.all)
	r.read()
	if len(fs.all) > before {
		return
	}
	inner := function
	for _, key := range named {
		if name, _ := r.text(key); name != "" {
			inner = name
			break
		}
	}
	for _, key := range wrappers {
		if v, at := r.get(key); v.Kind() == canon.KindObject || v.Kind() == canon.KindArray {
			read(inner, v, at, depth+1, fs)
		}
	}
}

// object is an object of arguments by the simple names of its members.
type object struct {
	value   canon.Value
	pointer string
	names   map[string]string
}

func objectOf(v canon.Value, pointer string) object {
	o := object{v, pointer, map[string]string{}}
	for name := range v.Members() {
		key := simple(name)
		if _, twice := o.names[key]; !twice {
			o.names[key] = name
		}
	}
	return o
}

func simple(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

// get is the first of some members that is there, and its pointer.
func (o object) get(keys ...string) (canon.Value, string) {
	for _, key := range keys {
		if name, ok := o.names[key]; ok {
			if v := o.value.Get(name); v.Kind() != canon.KindNull {
				return v, o.pointer + "/" + canon.PointerEscape(name)
			}
		}
	}
	return canon.Value{}, ""
}

func (o object) text(keys ...string) (string, string) {
	for _, key := range keys {
		if v, at := o.get(key); v.Kind() == canon.KindString {
			return v.Text(), at
		}
	}
	return "", ""
}

// path is the file that an object of arguments names, as one that is changed.
func (o object) path() File {
	path, at := o.text(pathKeys...)
	place := scan.Place{Pointer: at, End: len(path)}
	if rest, ok := strings.CutPrefix(path, "file://"); ok {
		path, place.Start = rest, len("file://")
	}
	return File{Path: path, Does: Change, At: place}
}

// reader reads the arguments of one tool.
type reader struct {
	object
	files   *files
	command string // of an editor: {command: "create", path: …}
	// What the tool does, by the words of its name or command.
	edits, writes, creates, part, looks bool
	patches                             bool // its name speaks of patches
}

// tool reads the name of a tool, what is in front of a server's prefix or a dot set aside.
func (r *reader) tool(name string) {
	r.command, _ = r.text("command", "editmode", "mode", "action", "operation")
	if strings.ContainsAny(r.command, " \n\t/") {
		r.command = ""
	}
	if at := strings.LastIndex(name, "__"); at >= 0 {
		name = name[at+2:]
	}
	if at := strings.LastIndexAny(name, "./:"); at >= 0 {
		name = name[at+1:]
	}
	words := call.Words(name)
	r.say(words)
	if slices.ContainsFunc(words, func(w string) bool { return !about[w] && !changes[w] && !writes[w] }) {
		r.edits, r.writes = false, false
	}
	if slices.Contains(words, "update") || slices.Contains(words, "overwrite") { // create_or_update_file
		r.creates = false
	}
	if r.command != "" && (slices.Contains(words, "editor") || slices.Contains(words, "edit")) { // str_replace_editor {command: view}
		words = call.Words(r.command)
		if r.say(words); slices.Contains(words, "view") || slices.Contains(words, "undo") {
			r.edits, r.writes, r.looks = false, false, true
		}
	}
}

func (r *reader) say(words []string) {
	for _, w := range words {
		r.edits = r.edits || changes[w]
		r.writes = r.writes || writes[w]
		r.creates = r.creates || creates[w]
		r.part = r.part || partial[w]
		r.looks = r.looks || looks[w]
		r.patches = r.patches || changes[w] || w == "diff"
	}
}

func (r *reader) read() {
	f := r.path()
	if path, at := r.text("notebookpath"); path != "" {
		f = File{Path: path, Does: Change, At: scan.Place{Pointer: at, End: len(path)}}
		r.cell(f)
		return
	}
	switch {
	case r.pair(r.object, f), r.list(f), r.blocks(f):
	case r.whole(r.object, f):
	default:
		r.patch(f)
	}
}

// cell is a cell of a notebook.
func (r *reader) cell(f File) {
	source, at := r.text("newsource", "source", "content", "newstring")
	if mode, _ := r.text("editmode", "mode"); at != "" {
		f.replaces(Hunk{New: text(source, at)})
		r.files.add(f)
	} else if mode == "delete" {
		r.files.add(f)
	}
}

// pair reads an old text and what comes in its place.
func (r *reader) pair(o object, f File) bool {
	if f.Path == "" {
		return false
	}
	for _, p := range pairs {
		old, oldAt := o.text(p.old)
		now, nowAt := o.text(p.now)
		if nowAt == "" || oldAt == "" || p.plain && !r.edits {
			continue
		}
		if old == "" && r.creates {
			f.Does = Create
		}
		f.replaces(Hunk{text(old, oldAt), text(now, nowAt)})
		r.files.add(f)
		return true
	}
	return false
}

// list reads several edits, each of which may name its own file.
func (r *reader) list(f File) bool {
	found := false
	for _, key := range listKeys {
		v, at := r.get(key)
		if v.Kind() == canon.KindString { // a list that is written as JSON has no places of its own
			continue
		}
		for i, e := range v.Elements() {
			at := at + "/" + strconv.Itoa(i)
			if e.Kind() == canon.KindString {
				if IsPatch(e.Text()) && r.takesPatches() {
					r.add(patchOf(e.Text(), at, f))
					found = true
				}
				continue
			}
			o := objectOf(e, at)
			of := o.path()
			if of.Path == "" {
				of = f
			}
			found = r.pair(o, of) || r.own(o, of, f) || found
		}
	}
	return found
}

// own is an element of a list that is a file by itself: a whole one, or a patch of one.
func (r *reader) own(o object, of, f File) bool {
	if of.At == f.At {
		return false
	}
	if diff, at := o.text("diff", "patch"); diff != "" {
		r.add(patchOf(diff, at, of))
		return true
	}
	return r.whole(o, of)
}

// whole is a text that is all of a file then, or becomes a part of it: a line that is put in,
// the body of a function.
func (r *reader) whole(o object, f File) bool {
	if f.Path == "" || r.looks || !r.writes && !r.edits {
		return false
	}
	_, line := o.get("insertline", "linenumber", "line", "startline", "namepath", "symbol")
	adds, _ := o.get("append")
	f.Whole = line == "" && !adds.Bool() && !r.part && r.command != "append" && r.command != "insert"
	s, at := o.text(wholeKeys...)
	if at == "" {
		s, at = o.text(partKeys...)
		f.Whole = false
	}
	if at == "" || strings.HasPrefix(strings.TrimSpace(s), "*** Begin Patch") {
		return false
	}
	f.replaces(Hunk{New: text(s, at)})
	switch {
	case r.creates && f.Whole:
		f.Does = Create
	case s == "" && f.Whole:
		f.Does = Empty
	}
	r.files.add(f)
	return true
}

func (r *reader) takesPatches() bool { return r.patches && !r.looks }

// patch is a patch under any member's name, or as an argument of apply_patch.
func (r *reader) patch(f File) {
	if !r.takesPatches() {
		if v, at := r.get("command", "cmd", "argv"); v.Kind() == canon.KindArray && v.Len() == 2 && slices.Contains([]string{"apply_patch", "applypatch"}, v.Element(0).Text()) {
			r.add(Patch(v.Element(1).Text(), at+"/1"))
		}
		return
	}
	for name, v := range r.value.Members() {
		switch s := v.Text(); {
		case v.Kind() != canon.KindString:
		case slices.Contains(runKeys, simple(name)) && !strings.HasPrefix(strings.TrimSpace(s), "*** "):
		case IsPatch(s):
			r.add(patchOf(s, r.pointer+"/"+canon.PointerEscape(name), f))
		case f.Path != "" && strings.HasPrefix(s, "@@"):
			r.add(patchOf(s, r.pointer+"/"+canon.PointerEscape(name), f))
		}
	}
}

// add takes the files of a patch in. The first of them is the one that an argument names,
// without hunks of its own where the patch names its files: it stands there for the file of
// the patch, for the folder that the patch is applied in, or for another file.
func (r *reader) add(all []File) {
	if len(all) > 1 && len(all[0].Hunks) == 0 && all[0].At.Pointer != all[1].At.Pointer {
		given := all[0]
		all = all[1:]
		switch base := given.Path[strings.LastIndexByte(given.Path, '/')+1:]; {
		case len(all) == 1 && all[0].Does != Move && strings.HasSuffix(given.Path, "/"+strings.TrimPrefix(all[0].Path, "./")):
			all[0].Path, all[0].At = given.Path, given.At
		case given.Path == "." || given.At.Pointer == r.pointer+"/path" && given.Path[0] == '/' && !strings.Contains(base, ".") && !strings.Contains(given.Path, "/."):
		default:
			r.files.add(given)
		}
	}
	for _, f := range all {
		r.files.add(f)
	}
}

// blocks reads the SEARCH/REPLACE blocks of a text.
func (r *reader) blocks(f File) bool {
	s, at := r.text("diff", "blocks", "edits", "content", "patch")
	if f.Path == "" || !r.edits || !strings.Contains(s, "SEARCH") {
		return false
	}
	const none, search, replace = 0, 1, 2
	in, from, middle := none, 0, [2]int{}
	found := false
	for rest, start := s, 0; rest != ""; {
		line, next, _ := strings.Cut(rest, "\n")
		end := len(s) - len(next)
		switch mark := strings.TrimRight(line, " \r"); {
		case strings.HasPrefix(mark, "<<<<<<<") || strings.HasPrefix(mark, "-------") && strings.HasSuffix(mark, "SEARCH"):
			in, from = search, end
		case in == search && strings.Trim(mark, "=") == "" && len(mark) >= 5:
			in, middle = replace, [2]int{start, end}
		case in == replace && (strings.HasPrefix(mark, ">>>>>>>") || strings.HasPrefix(mark, "+++++++")) && strings.HasSuffix(mark, "REPLACE"):
			side := func(a, b int) Side { return Side{s[a:b], []scan.Place{{Pointer: at, Start: a, End: b}}} }
			f.replaces(Hunk{side(from, middle[0]), side(middle[1], start)})
			in, found = none, true
		}
		rest, start = next, end
	}
	if found {
		r.files.add(f)
	}
	return found
}
