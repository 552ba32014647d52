package workspace

// known is what is known of files while a call is walked through: what was remembered of
// them, and over it what the commands before did.
type known struct {
	binding Binding
	memory  Memory
	files   map[string]File
	wrote   []string
	asks    Asks
	seen    []File
}

func newKnown(b Binding, m Memory) *known {
	k := &known{binding: b, memory: m, files: map[string]File{}}
	for _, f := range m.Files {
		k.files[f.Path] = f
	}
	return k
}

// write says that a file has this text now; readable is false where the text could not be
// computed.
func (k *known) write(path, text string, readable bool) {
	f := File{Path: path}
	if !readable {
		f.Findings = []Finding{Hidden}
	} else {
		f.Findings = names(findingsOf("", path, text, k.binding).all)
	}
	k.set(f)
}

// add says that a text was added to a file, or stands in it now beside what it had.
func (k *known) add(path, text string) {
	f := k.files[path]
	f.Path, f.Gone = path, false
	f.Findings = append(f.Findings, names(findingsOf("", path, text, k.binding).all)...)
	k.set(f)
}

// copy and move say that a file or folder stands elsewhere now, too, or only there.
func (k *known) copy(from, to string) {
	f, ok := k.look(from)
	if !ok {
		return
	}
	f.Path = to
	k.set(f)
}

func (k *known) move(from, to string) {
	k.copy(from, to)
	k.remove(from)
}

// remove says that a file or folder is gone.
func (k *known) remove(path string) { k.set(File{Path: path, Gone: true}) }

// foreign says that a file was downloaded, or a folder cloned or unpacked.
func (k *known) foreign(path string, folder bool) {
	k.set(File{Path: path, Foreign: true, Folder: folder})
}

func (k *known) set(f File) {
	k.files[f.Path] = f
	k.wrote = append(k.wrote, f.Path)
}

// look is what is known of a file, of its own or of a folder that it stands in; it counts
// as used.
func (k *known) look(path string) (File, bool) {
	k.asks.Paths = append(k.asks.Paths, path)
	f, ok := k.files[path]
	if ok && !f.Gone {
		k.seen = append(k.seen, f)
		return f, true
	}
	return File{}, false
}

// tasks are those of a file that this agent wrote.
func (k *known) tasks(path string) ([]Task, bool) {
	f, ok := k.look(path)
	return f.Tasks, ok && f.Tasks != nil
}

// unreviewed are the files with findings that this agent wrote since a person last
// approved a build, a test or an install; manifests are those of manifests, lock files and
// settings of indexes.
func (k *known) unreviewed() []File {
	k.asks.Unreviewed = true
	return nil
}

func (k *known) manifests() []File {
	k.asks.Manifests = true
	return nil
}

// used, writes and asked are what the walk left behind.
func (k *known) used() []File   { return k.seen }
func (k *known) writes() []File { return nil }
func (k *known) asked() Asks    { return k.asks }

// foundIn is one finding of a text, and where it stands there.
type foundIn struct {
	what       Finding
	start, end int
	why        string
}

// textFindings are what a text shows that would be run.
type textFindings struct {
	all []foundIn
	// harmless says that it was read to its end, and only reads and computes.
	harmless bool
	// writes are files that it writes by a literal name, as they stand in the text.
	writes []string
}

// findingsOf reads a text that is run, or could be. Language is "python", "javascript",
// "shell" or the like where the caller knows it; else the name and the first line say it.
func findingsOf(language, name, text string, b Binding) textFindings { return textFindings{} }

func names(all []foundIn) []Finding {
	var out []Finding
	for _, f := range all {
		out = append(out, f.what)
	}
	return out
}
