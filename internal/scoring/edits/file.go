package edits

import (
	"strings"

	"github.com/aymanbagabas/go-udiff/lcs"

	"github.com/countersign/countersign/internal/scoring/scan"
)

// Does is what happens to a file.
type Does string

// What happens to a file. A text that is written over a file is a change unless the tool or
// the patch says that it creates one.
const (
	Create Does = "create"
	Change Does = "change"
	Empty  Does = "empty" // nothing is left in it
	Delete Does = "delete"
	Move   Does = "move" // to another path, changed or not
)

// File is a file that a call edits. A call has one for each path.
type File struct {
	Path string `json:"path"`
	Does Does   `json:"does"`
	// To is the new path of what is moved.
	To string `json:"to,omitempty"`
	// Added and Removed count lines, as far as the call says them: what a file had that is
	// written anew, emptied or deleted as a whole is not known.
	Added   int `json:"added"`
	Removed int `json:"removed"`

	// At and ToAt are where the paths stand.
	At   scan.Place `json:"-"`
	ToAt scan.Place `json:"-"`
	// Whole says that the new text of the one hunk is all that the file has then.
	Whole bool   `json:"-"`
	Hunks []Hunk `json:"-"`
}

// Hunk is a stretch of a file and what comes in its place.
type Hunk struct{ Old, New Side }

// Side is a text of a hunk. Joined, the bytes at its places are the text.
type Side struct {
	Text string
	At   []scan.Place
}

// Text is all that the call puts into the file. The lines of a patch that stay are no part
// of it: both sides have them from one place.
func (f File) Text() string {
	var b strings.Builder
	for _, h := range f.Hunks {
		at, old := 0, h.Old.At
		for _, p := range h.New.At {
			for len(old) > 0 && old[0].Pointer == p.Pointer && old[0].Start < p.Start {
				old = old[1:]
			}
			if len(old) == 0 || old[0] != p {
				b.WriteString(h.New.Text[at : at+p.End-p.Start])
			}
			at += p.End - p.Start
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// text is a side that is a whole value.
func text(s, pointer string) Side {
	return Side{s, []scan.Place{{Pointer: pointer, End: len(s)}}}
}

// replaces puts a hunk into the file and counts the lines that differ.
func (f *File) replaces(h Hunk) {
	f.Hunks = append(f.Hunks, h)
	added, removed := counted(h.Old.Text, h.New.Text)
	f.Added, f.Removed = f.Added+added, f.Removed+removed
}

// Lines are those of a text, without their line breaks.
func Lines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

func counted(old, now string) (added, removed int) {
	before, after := Lines(old), Lines(now)
	switch {
	case old == now:
		return 0, 0
	case len(before) == 0 || len(after) == 0:
		return len(after), len(before)
	}
	for _, d := range lcs.DiffLines(before, after) {
		added, removed = added+d.ReplEnd-d.ReplStart, removed+d.End-d.Start
	}
	return added, removed
}

// files collects the files of a call, one for each path, in the order of the call.
type files struct {
	all []File
	at  map[string]int
}

// add takes a file in. Of one that is named again, the last word on what happens to it holds,
// but that something was taken away stays said.
func (fs *files) add(f File) {
	if f.Path == "" || f.Path == devNull {
		return
	}
	if fs.at == nil {
		fs.at = map[string]int{}
	}
	i, known := fs.at[f.Path]
	if !known {
		fs.at[f.Path] = len(fs.all)
		fs.all = append(fs.all, f)
		return
	}
	was := &fs.all[i]
	was.Added, was.Removed, was.Hunks = was.Added+f.Added, was.Removed+f.Removed, append(was.Hunks, f.Hunks...)
	was.Whole = false
	if f.Does != Change && was.Does != Delete && was.Does != Empty {
		was.Does, was.To, was.ToAt = f.Does, f.To, f.ToAt
	}
}
