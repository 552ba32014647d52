package edits

import (
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/scoring/scan"
)

const devNull = "/dev/null"

// The headers of the patches that agents write.
const (
	addHeader    = "*** Add File: "
	updateHeader = "*** Update File: "
	deleteHeader = "*** Delete File: "
	moveHeader   = "*** Move to: "
)

// IsPatch reports whether a text is a patch, or one stands in it.
func IsPatch(s string) bool {
	for _, header := range []string{"*** Begin Patch", addHeader, updateHeader, deleteHeader, "diff --git ", "--- "} {
		for at := 0; ; {
			found := strings.Index(s[at:], header)
			if found < 0 {
				break
			}
			at += found
			if at == 0 || s[at-1] == '\n' {
				if _, next, _ := strings.Cut(s[at:], "\n"); header != "--- " || strings.HasPrefix(next, "+++ ") {
					return true
				}
			}
			at += len(header)
		}
	}
	return false
}

// Patch reads the files of a patch that stands at a pointer: as diff and git write it, or
// as agents do (*** Update File: x).
func Patch(s, pointer string) []File { return patchOf(s, pointer, File{}) }

// patchOf reads a patch whose first hunks, where they have no header, are of a file.
func patchOf(s, pointer string, of File) []File {
	p := patch{text: s, pointer: pointer, file: of}
	for rest, start := s, 0; rest != ""; {
		line, next, _ := strings.Cut(rest, "\n")
		end := len(s) - len(next)
		p.line(strings.TrimSuffix(line, "\r"), start, end, next)
		rest, start = next, end
	}
	p.finish()
	return p.files.all
}

// patch is a patch that is read line by line.
type patch struct {
	text     string
	pointer  string
	files    files
	file     File
	old, now builder
	inHunk   bool
	before   string // of a unified diff: the file in its header ---
	beforeAt scan.Place
	git      string // the line diff --git of the file, until its header +++
}

// line reads one line, which ends, with its line break, at a byte. next is what follows.
func (p *patch) line(line string, start, end int, next string) {
	header, from := line, start
	if !p.inHunk { // programs that apply such patches take headers with white space around them
		header = strings.TrimSpace(line)
		from += strings.Index(line, header)
	}
	name := func(prefix string) (string, scan.Place) {
		given := header[len(prefix):]
		path, _, _ := strings.Cut(given, "\t")
		path = strings.TrimSpace(path)
		at := from + len(prefix) + strings.Index(given, path)
		return unquoted(path), scan.Place{Pointer: p.pointer, Start: at, End: at + len(path)}
	}
	begins := func(does Does, prefix string) {
		path, at := name(prefix)
		p.begin(File{Path: path, Does: does, At: at})
	}
	switch {
	case strings.HasPrefix(header, addHeader):
		begins(Create, addHeader)
	case strings.HasPrefix(header, updateHeader):
		begins(Change, updateHeader)
		p.inHunk = true
	case strings.HasPrefix(header, deleteHeader):
		begins(Delete, deleteHeader)
	case strings.HasPrefix(header, moveHeader):
		p.file.To, p.file.ToAt = name(moveHeader)
		p.file.Does = Move
	case strings.HasPrefix(header, "diff --git "):
		p.gitFile(header, from)
	case strings.HasPrefix(header, "--- ") && strings.HasPrefix(next, "+++ ") && (!p.inHunk || followsHunk(next)):
		p.before, p.beforeAt = name("--- ")
	case strings.HasPrefix(header, "+++ ") && p.before != "":
		p.unified(name("+++ "))
	case !p.inHunk && p.git != "" && p.header(header, name):
	case strings.HasPrefix(header, "@@"):
		p.endHunk()
		p.inHunk = true
		if strings.Contains(header, " +0,0 @@") && p.file.Does == Change {
			p.file.Does = Empty
		}
	case p.file.Path == "" || strings.HasPrefix(line, "*** ") || strings.HasPrefix(line, "\\"):
	case line == "-- " && ends(next): // the signature of git format-patch
	default:
		p.content(line, start, end)
	}
}

// ends reports whether a text is one line at most.
func ends(next string) bool {
	_, rest, _ := strings.Cut(next, "\n")
	return len(rest) < 2
}

// followsHunk reports whether a header +++ is followed by a hunk: no line of a hunk begins
// with @@, so both are no lines of the hunk that they stand in.
func followsHunk(next string) bool {
	_, hunk, _ := strings.Cut(next, "\n")
	return strings.HasPrefix(hunk, "@@")
}

// begin ends the file that was read, and begins the next one.
func (p *patch) begin(f File) {
	p.finish()
	p.file, p.inHunk, p.before, p.git = f, false, "", ""
}

// gitFile begins a file by the line diff --git a/x b/y. Later headers say more of it.
func (p *patch) gitFile(header string, start int) {
	names := header[len("diff --git "):]
	at := max(strings.LastIndex(names, " b/"), strings.LastIndex(names, ` "b/`))
	if half := len(names) / 2; len(names)%2 == 1 && names[half] == ' ' && strings.TrimPrefix(names[:half], "a/") == strings.TrimPrefix(names[half+1:], "b/") {
		at = half // the names are one, which may have " b/" in it
	}
	if at < 0 {
		at = strings.LastIndexByte(names, ' ')
	}
	start += len("diff --git ") + at + 1
	p.begin(File{Path: unprefixed(unquoted(names[at+1:])), Does: Change, At: scan.Place{Pointer: p.pointer, Start: start, End: start + len(names) - at - 1}})
	p.git = header
}

// header reads a line between diff --git and the first hunk.
func (p *patch) header(line string, name func(string) (string, scan.Place)) bool {
	switch {
	case strings.HasPrefix(line, "deleted file mode "):
		p.file.Does = Delete
	case strings.HasPrefix(line, "new file mode "):
		p.file.Does = Create
	case strings.HasPrefix(line, "rename from "):
		p.file.Path, p.file.At = name("rename from ")
	case strings.HasPrefix(line, "rename to "):
		p.file.To, p.file.ToAt = name("rename to ")
		p.file.Does = Move
	case strings.HasPrefix(line, "copy to "):
		p.file.Path, p.file.At = name("copy to ")
		p.file.Does = Create
	default:
		return false
	}
	return true
}

// unified reads the header +++ of a file: the one that git named already, or the next one.
func (p *patch) unified(after string, at scan.Place) {
	f, before, beforeAt := File{Path: unprefixed(after), Does: Change, At: at}, unprefixed(p.before), p.beforeAt
	switch {
	case after == devNull:
		f.Path, f.At, f.Does = before, beforeAt, Delete
	case before == devNull:
		f.Does = Create
	}
	p.before = ""
	if p.git != "" && (p.file.Path == f.Path || p.file.To == f.Path) {
		if p.git = ""; f.Does != Change {
			p.file.Does = f.Does
		}
		return
	}
	p.begin(f)
	if f.Does == Change && strings.TrimSuffix(before, ".orig") != f.Path { // a program that applies it may take either
		p.files.add(File{Path: before, Does: Change, At: beforeAt})
	}
}

// content reads a line of a hunk.
func (p *patch) content(line string, start, end int) {
	at := scan.Place{Pointer: p.pointer, Start: start + 1, End: end}
	added, removed := strings.HasPrefix(line, "+"), strings.HasPrefix(line, "-")
	switch {
	case !p.inHunk && !added && !removed: // what stands around a patch
		return
	case added:
		p.file.Added++
	case removed:
		p.file.Removed++
	}
	if line == "" || !strings.Contains("+- ", line[:1]) {
		at.Start = start // context without the space in front of it
	}
	if !added {
		p.old.add(p.text, at)
	}
	if !removed {
		p.now.add(p.text, at)
	}
}

func (p *patch) endHunk() {
	if old, now := p.old.side(), p.now.side(); len(old.At)+len(now.At) > 0 {
		p.file.Hunks = append(p.file.Hunks, Hunk{old, now})
	}
}

func (p *patch) finish() {
	p.endHunk()
	switch f := &p.file; {
	case f.Does == Create:
		f.Whole = true
	case f.Does == Move && f.To == devNull:
		f.Does, f.To, f.ToAt = Delete, "", scan.Place{}
	case f.Does == Move && (f.To == "" || f.To == f.Path):
		f.Does, f.To, f.ToAt = Change, "", scan.Place{}
	}
	p.files.add(p.file)
	p.file = File{}
}

// builder puts a side together of lines.
type builder struct {
	text strings.Builder
	at   []scan.Place
}

func (b *builder) add(text string, at scan.Place) {
	b.text.WriteString(text[at.Start:at.End])
	b.at = append(b.at, at)
}

func (b *builder) side() Side {
	s := Side{b.text.String(), b.at}
	b.text.Reset()
	b.at = nil
	return s
}

// unprefixed is a path without the a/ and b/ of diffs.
func unprefixed(path string) string {
	if rest, ok := strings.CutPrefix(path, "a/"); ok {
		return rest
	}
	return strings.TrimPrefix(path, "b/")
}

// unquoted is a path as git quotes it.
func unquoted(path string) string {
	if strings.HasPrefix(path, `"`) {
		if s, err := strconv.Unquote(path); err == nil {
			return s
		}
	}
	return path
}
