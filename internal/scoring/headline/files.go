package headline

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/edits"
	"github.com/countersign/countersign/internal/scoring/effects"
)

// editing are words of the names of tools that do nothing but edit files: what happens to each
// says more.
var editing = words("editing")

// keeping are words of paths of files that keep secrets: no first line of a new one is said.
var keeping = words("keeping")

// files are those that a call edits: what happens to each, what is lost first, and the size of the
// change.
func (a *act) files() (item, bool) {
	all := edits.Read(a.in)
	if len(all) == 0 {
		return item{}, false
	}
	decides := func(f edits.File) int {
		if slices.ContainsFunc(a.Effects, func(e effects.Effect) bool {
			return e.Kind != effects.Write && readFrom(e, []*call.Node{{Pointer: f.At.Pointer}})
		}) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(all, func(x, y edits.File) int {
		return cmp.Or(cmp.Compare(losing[x.Does], losing[y.Does]), cmp.Compare(decides(x), decides(y)))
	})
	it := item{parts: a.editor()}
	ours := func(text string, weight int) {
		it.parts = append(it.parts, Part{Role: Label, Text: text, By: Ours, Weight: weight})
	}
	if len(all) > 1 {
		text := group(strconv.Itoa(len(all))) + " files:"
		if len(it.parts) == 0 {
			text = "Patch " + text
		}
		ours(text, OfTarget)
	}
	for i, f := range all {
		if i == mostPeople {
			ours("and "+group(strconv.Itoa(len(all)-i))+" more", OfTarget)
			it.parts[len(it.parts)-1].leaves = len(all) - i
			break
		}
		weight := OfTarget
		if losing[f.Does] == 0 {
			weight = Decisive
		}
		verb := oneFile[f.Does]
		if f.Whole && f.Does == edits.Change {
			verb = "Write"
		}
		switch {
		case len(all) > 1 && i > 0:
			verb = ", " + manyFiles[f.Does]
		case len(all) > 1:
			verb = manyFiles[f.Does]
		case len(it.parts) > 0:
			verb = ""
		}
		if verb != "" {
			ours(verb, weight)
		}
		it.parts = append(it.parts, Part{Role: File, Text: legible(f.Path), By: Theirs, Weight: weight, leaves: 1})
		if f.To != "" {
			ours("to", weight)
			it.parts = append(it.parts, Part{Role: File, Text: legible(f.To), By: Theirs, Weight: weight, leaves: 1})
		}
		if size := sizeOf(f); size != "" {
			ours(size, OfTarget)
		}
	}
	if f := all[0]; len(all) == 1 && (!f.Whole || !slices.ContainsFunc(call.Words(f.Path), func(w string) bool { return keeping[w] })) {
		it.parts = append(it.parts, changedLines(f)...)
	}
	it.unsaid += a.sayEdits(all, Plain(it.parts))
	return it, true
}

// changedLines are the first lines that an edit puts in, or takes out where it puts in none.
func changedLines(f edits.File) (parts []Part) {
	before := ""
	for _, h := range f.Hunks {
		label, all := "with", differing(h.New.Text, h.Old.Text)
		if len(all) == 0 {
			label, all = "without", differing(h.Old.Text, h.New.Text)
		}
		for _, line := range all {
			if len(parts) > 4 {
				return parts
			}
			if label != before {
				parts, before = append(parts, Part{Role: Label, Text: label, By: Ours, Weight: OfTarget}), label
			}
			if first := begin(line, longest+20); first != line {
				line = first + "…"
			}
			parts = append(parts, Part{Role: Text, Text: legible(line), By: Theirs, Weight: OfTarget})
		}
	}
	return parts
}

// differing are the lines of a text that another one has not, up to two, without those that may keep
// a secret.
func differing(text, other string) (all []string) {
	others := edits.Lines(other)
	for _, line := range edits.Lines(text) {
		said := strings.TrimSpace(line)
		_, value, _ := strings.Cut(strings.Replace(said, ":", "=", 1), "=")
		tells := strings.ContainsFunc(said, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) && !coded(said)
		if tells && !slices.Contains(others, line) && len(all) < 2 && (len(value) < 6 || !slices.ContainsFunc(call.Words(said), namesSecret)) {
			all = append(all, said)
		}
	}
	return all
}

// coded reports whether a line is nothing but a long stretch of base64 or the like: a key is.
func coded(line string) bool {
	return len(line) >= 32 && strings.ContainsAny(line, "0123456789") && !strings.ContainsFunc(line, func(r rune) bool {
		return r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("+/=_-", r)
	})
}

// losing orders what happens to files.
var losing = map[edits.Does]int{edits.Delete: 0, edits.Empty: 0, edits.Move: 1, edits.Change: 2, edits.Create: 3}

var (
	oneFile   = map[edits.Does]string{edits.Create: "Create", edits.Change: "Edit", edits.Empty: "Empty", edits.Delete: "Delete", edits.Move: "Move"}
	manyFiles = map[edits.Does]string{edits.Create: "creates", edits.Change: "changes", edits.Empty: "empties", edits.Delete: "deletes", edits.Move: "moves"}
)

// editor are the words of the function's name, where they say more than that it edits.
func (a *act) editor() []Part {
	if slices.ContainsFunc(a.words, func(w string) bool { return !editing[w] }) {
		return a.named()
	}
	return nil
}

// sizeOf is how many lines a change takes away and adds.
func sizeOf(f edits.File) string {
	switch {
	case f.Does == edits.Delete || f.Does == edits.Empty:
		return ""
	case f.Whole:
		if f.Added == 1 {
			return "1 line"
		}
		return group(strconv.Itoa(f.Added)) + " lines"
	}
	return "−" + group(strconv.Itoa(f.Removed)) + " +" + group(strconv.Itoa(f.Added))
}

// sayEdits leaves out the paths, which are said, and the texts, which the diff shows; it counts the
// short ones of which not all is said.
func (a *act) sayEdits(all []edits.File, said string) (unsaid int) {
	at := map[string]bool{}
	for _, f := range all {
		at[f.At.Pointer], at[f.ToAt.Pointer] = true, true
		for _, h := range f.Hunks {
			for _, p := range slices.Concat(h.Old.At, h.New.At) {
				at[p.Pointer] = true
			}
		}
	}
	for i, arg := range a.arguments {
		if a.said[i] = len(arg.Values) == 1 && at[arg.Values[0].Pointer]; a.said[i] {
			if value := arg.Values[0].Text(); utf8.RuneCountInString(value) <= longest && !strings.Contains(said, escaped.Replace(legible(value))) {
				unsaid++
			}
		}
	}
	return unsaid
}
