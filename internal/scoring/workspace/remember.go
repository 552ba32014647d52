package workspace

import (
	"crypto/sha256"
	"encoding/hex"
	"path"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/code"
	"github.com/countersign/countersign/internal/scoring/level"
)

// known is what is remembered of files while the commands of a call are walked in order:
// what the agent wrote before, and on top of it what the commands so far would have done.
//
// It also notes what was looked for, so that a walk over an empty memory says what has to
// be known: which paths are looked for never depends on what is remembered of them.
type known struct {
	binding Binding
	full    bool
	files   map[string]File
	folders map[string]bool // those that files stand in
	asks    Asks
	looked  map[string]bool // what asks has already
	counted map[string]bool // of which files the memory counted
	wrote   []string        // in the order in which they were first written
	edited  map[string]bool // of those, the ones that were changed and not written anew
}

func newKnown(b Binding, m Memory) *known {
	k := &known{
		binding: b, full: m.Full, files: make(map[string]File, len(m.Files)), folders: map[string]bool{}, looked: map[string]bool{}, counted: map[string]bool{}, edited: map[string]bool{},
	}
	for _, f := range m.Files {
		k.put(f)
	}
	return k
}

// put sets what is known of a file.
func (k *known) put(f File) {
	if _, there := k.files[f.Path]; !there {
		for at := strings.LastIndexByte(f.Path, '/'); at > 0 && !k.folders[f.Path[:at]]; at = strings.LastIndexByte(f.Path[:at], '/') {
			k.folders[f.Path[:at]] = true
		}
	}
	k.files[f.Path] = f
}

// look says what is remembered of a file, or of a folder that holds it.
func (k *known) look(p string) (File, bool) {
	k.ask(p)
	f, ok := covering(k.files, p)
	if !ok || f.Gone {
		return File{}, false
	}
	k.count(f)
	return f, true
}

// count notes that what was remembered of files counts. What this call itself writes is
// no memory.
func (k *known) count(all ...File) {
	for _, f := range all {
		if _, own := k.edited[f.Path]; !own {
			k.counted[f.Path] = true
		}
	}
}

// unlisted reports whether a file is own code of which nobody knows what it holds, because
// the agent wrote more files than are kept.
func (k *known) unlisted(p string) bool {
	_, ok := k.look(p)
	return k.full && !ok
}

// unreviewed are the files of code and configuration that a build or a test may run, that
// this agent wrote or fetched since a person last approved one, and that have something
// to be seen.
func (k *known) unreviewed() []File {
	k.asks.Unreviewed = true
	all := k.all(File.isUnreviewed)
	k.count(all...)
	return all
}

// manifests are the manifests, lock files and index settings that this agent wrote since a
// person last approved an install.
func (k *known) manifests() []File {
	k.asks.Manifests = true
	all := k.all(File.isNewManifest)
	k.count(all...)
	return all
}

func (k *known) all(wanted func(File) bool) []File {
	var list []File
	for _, f := range k.files {
		if !f.Gone && wanted(f) {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return list
}

// write notes that a file is written anew. Where the text cannot be computed, readable is
// false.
func (k *known) write(p, text string, readable bool) {
	was, there := k.files[p]
	if readable && !there && namesNoModules(p, text) {
		k.ask(p)
		return
	}
	f := File{Path: p, Before: was.had()}
	if readable {
		sum := sha256.Sum256([]byte(text))
		f.SHA256 = hex.EncodeToString(sum[:])
		f.Findings, f.Tasks = k.read(p, text, false)
		f.Plain = code.IsPlain(p, text)
	} else {
		f.Findings = []Finding{Hidden}
	}
	k.set(f, false)
}

// add notes that a text is put into a file, or appended to it. What was there may stay.
func (k *known) add(p, text string) {
	f := k.current(p) // which asks for it
	if _, there := k.files[p]; !there && namesNoModules(p, text) {
		return
	}
	found, tasks := k.read(p, text, true)
	f.Reviewed = f.Reviewed && len(found) == 0 && len(tasks) == 0 && !f.IsManifest()
	f.Findings, f.Tasks = union(f.Findings, found), worstTasks(f.Tasks, tasks)
	f.Plain = f.Plain || code.IsPlain(p, text)
	k.set(f, true)
}

// changedByUnknown notes that a file is changed by what cannot be read: a patch, a decoder.
func (k *known) changedByUnknown(p string) {
	f := k.current(p)
	f.Findings, f.Reviewed = union(f.Findings, []Finding{Hidden}), false
	if path.Base(p) == "package.json" {
		f.Tasks = worstTasks(f.Tasks, []Task{k.scripts(p, nil, false)})
	}
	k.set(f, true)
}

// foreign notes that a file or a folder was downloaded, cloned or unpacked.
func (k *known) foreign(p string, folder bool) {
	k.set(File{Path: p, Foreign: true, Folder: folder}, false)
}

// copy notes that a file or a folder is copied. Where nobody knows whether the target is a
// folder that is there already, what is remembered of the source counts for both places.
func (k *known) copy(from, to string) {
	k.ask(from)
	k.ask(to)
	inside := path.Join(to, path.Base(from))
	there, ok := k.files[to]
	isFolder := ok && there.Folder && !there.Gone || len(k.below(to)) > 0
	place := func(f File, rest string) {
		if !isFolder {
			k.carry(f, to+rest)
		}
		if isFolder || f.tells() || f.Plain {
			k.carry(f, inside+rest)
		}
	}
	below := k.below(from)
	f, ok := covering(k.files, from)
	switch {
	case ok && !f.Gone:
		f.Folder = f.Folder && (f.Path == from || f.Foreign) // what stands in a clone may be a folder
		place(f, "")
	case k.full:
		place(File{Findings: []Finding{Child}}, "")
	default:
		place(File{Foreign: !within(k.binding.Folder, from)}, "")
	}
	for _, row := range below {
		place(row, strings.TrimPrefix(row.Path, from))
	}
}

func (k *known) carry(f File, to string) {
	f.Path, f.Edited = to, false
	k.set(f, false)
}

// move is a copy of which the source is gone.
func (k *known) move(from, to string) {
	k.copy(from, to)
	k.remove(from)
}

// remove notes that a file, or a folder with all in it, is deleted.
func (k *known) remove(p string) {
	k.ask(p)
	for _, row := range k.below(p) {
		k.set(row.gone(), false)
	}
	f := k.files[p]
	f.Path = p
	f = f.gone()
	f.Folder = true
	k.set(f, false)
}

// everGone are the files that were deleted and had findings.
func (k *known) everGone() []File {
	var all []File
	for _, f := range k.files {
		if f.Gone && len(f.Before) > 0 {
			all = append(all, f)
		}
	}
	slices.SortFunc(all, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return all
}

// restore notes that version control brings back what a file, or the files of a folder, held
// before: what this agent wrote there may be among it.
func (k *known) restore(p string) {
	k.ask(p)
	var back []File
	for _, f := range k.files {
		if within(p, f.Path) && len(f.Before) > 0 {
			back = append(back, f)
		}
	}
	slices.SortFunc(back, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	for _, f := range back {
		k.set(File{Path: f.Path, Findings: union(f.Findings, f.Before), Before: f.Before, Tasks: f.Tasks, Foreign: f.Foreign, Plain: f.Plain, Reviewed: f.Reviewed}, true)
	}
}

// below are the files that are remembered in a folder.
func (k *known) below(folder string) []File {
	if !k.folders[folder] {
		return nil
	}
	prefix := strings.TrimSuffix(folder, "/") + "/"
	return k.all(func(f File) bool { return strings.HasPrefix(f.Path, prefix) })
}

// matching are the files and folders that are remembered and that a pattern names; none
// where the path is no pattern.
func (k *known) matching(pattern string) []File {
	at := strings.IndexAny(pattern, "*?[")
	if at < 0 {
		return nil
	}
	folder := pattern[:max(strings.LastIndexByte(pattern[:at], '/'), 0)]
	k.ask(folder)
	wide := strings.Contains(pattern, "**") || strings.Contains(pattern, "[") // as a shell may read it
	return slices.DeleteFunc(k.below(folder), func(f File) bool {
		named, err := path.Match(pattern, f.Path)
		return !named && err == nil && !wide
	})
}

func pathsOf(files []File) []string {
	all := make([]string, 0, len(files))
	for _, f := range files {
		all = append(all, f.Path)
	}
	return all
}

// current is what is remembered of a file that is about to be changed.
func (k *known) current(p string) File {
	k.ask(p)
	f, ok := covering(k.files, p)
	if !ok || f.Gone {
		return File{Path: p}
	}
	f.Folder = f.Folder && f.Path == p
	f.Path = p
	return f
}

func (k *known) set(f File, edited bool) {
	k.ask(f.Path)
	was, wrote := k.edited[f.Path]
	if !wrote {
		k.wrote = append(k.wrote, f.Path)
		was = true
	}
	k.edited[f.Path] = edited && was
	k.put(f)
}

func (k *known) ask(p string) {
	if !k.looked[p] {
		k.looked[p] = true
		k.asks.Paths = append(k.asks.Paths, p)
	}
}

// read is what the text of a file shows: of the whole file, or of a part of it.
func (k *known) read(p, text string, part bool) ([]Finding, []Task) {
	b := k.binding
	b.part = part
	found, tasks := names(findingsOf("", p, text, b).all), tasksOf(p, text, b)
	if path.Ext(p) == ".mk" || path.Base(p) == "tox.ini" || path.Base(p) == "Procfile" { // builds run it, whatever they make
		for _, t := range tasks {
			if t.Level >= level.High {
				found = union(found, []Finding{Outside})
			} else if t.Level > level.Low {
				found = union(found, []Finding{Network})
			}
		}
	}
	return found, tasks
}

// used are the files whose memory counted, writes what is to be remembered, and asked what
// was looked for.
func (k *known) used() []File {
	return k.all(func(f File) bool { return k.counted[f.Path] })
}

func (k *known) writes() []File {
	list := make([]File, 0, len(k.wrote))
	for _, p := range k.wrote {
		f := k.files[p]
		f.Edited = k.edited[p]
		list = append(list, f)
	}
	return list
}

func (k *known) asked() Asks { return k.asks }

// covering is what stands at a path, or at the nearest folder around it that is remembered
// with all that is in it.
func covering(rows map[string]File, p string) (File, bool) {
	for at := p; at != ""; {
		if f, ok := rows[at]; ok && (at == p || f.Folder) {
			return f, true
		}
		at = at[:max(strings.LastIndexByte(at, '/'), 0)]
	}
	return File{}, false
}

// within reports whether a path is a folder, or is in it.
func within(folder, p string) bool {
	return p == folder || strings.HasPrefix(p, strings.TrimSuffix(folder, "/")+"/")
}

// union are the findings of both, each once, in the order of the constants.
func union(a, b []Finding) []Finding {
	var all []Finding
	for _, f := range []Finding{Network, Outside, Child, Hidden} {
		if slices.Contains(a, f) || slices.Contains(b, f) {
			all = append(all, f)
		}
	}
	return all
}

// levelOf is how much the findings of a text speak against running it.
func levelOf(findings []Finding) level.Level {
	worst := level.Low
	for _, f := range findings {
		switch f {
		case Outside, Hidden:
			return level.High
		default:
			worst = level.Medium
		}
	}
	return worst
}

// scriptWrites notes that a script changes a file by a literal name. What it may put there
// are the texts that stand in it, unless it makes others of them.
func (k *known) scriptWrites(p, text string, script textFindings) {
	switch {
	case path.Base(p) == "package.json": // its scripts are no literals as they stand there
		f := k.current(p)
		f.Findings = union(f.Findings, []Finding{Hidden})
		k.set(f, true)
		texts, readable := scriptOf(text, script)
		k.putsScripts(p, texts, readable)
	case script.decodes:
		k.changedByUnknown(p)
	default:
		k.add(p, strings.Join(script.literals, "\n"))
	}
}
