package untrusted

import (
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/scoring/edits"
	"github.com/countersign/countersign/internal/scoring/scan"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// maxEditLines is how many lines of edits a page draws. The others are counted.
const maxEditLines = 400

// Edits draws the files that an act edits, and says which values are drawn to their end.
// at is the text of a value.
func Edits(say texts.Printer, files []edits.File, at func(pointer string) string) (all []review.EditedFile, drawn map[string]bool) {
	drawn = map[string]bool{}
	partly, lines := map[string]bool{}, map[scan.Place]bool{}
	left := maxEditLines
	for i, f := range files {
		e := review.EditedFile{ID: "edit-" + strconv.Itoa(i+1), Does: editWord(say, f.Does), Path: Runs(f.Path), Size: editSize(say, f)}
		if f.To != "" {
			e.To = Runs(f.To)
		}
		for _, h := range f.Hunks {
			if len(h.Old.At) == 0 && len(h.New.At) == 1 && h.New.At[0].Pointer != f.At.Pointer {
				continue // a text without an old one stands among the arguments
			}
			now, ok := editLines(say, h)
			if more := len(now) - left; more > 0 || !ok {
				ok, now = false, append(slices.Clip(now[:min(len(now), left)]), review.EditLine{Gap: moreLines(say, max(more, 0)+unreadLines(h, ok))})
			}
			left = max(0, left-len(now))
			e.Lines = append(e.Lines, now...)
			for _, p := range slices.Concat(h.Old.At, h.New.At) {
				drawn[p.Pointer], lines[p] = true, true
				partly[p.Pointer] = partly[p.Pointer] || !ok
			}
		}
		all = append(all, e)
	}
	for pointer := range drawn {
		if partly[pointer] || saysMore(at(pointer), pointer, lines) {
			delete(drawn, pointer)
		}
	}
	return all, drawn
}

// unreadLines are those of a hunk that is too long to compare.
func unreadLines(h edits.Hunk, ok bool) int {
	if ok {
		return 0
	}
	return len(edits.Lines(h.Old.Text)) + len(edits.Lines(h.New.Text))
}

func moreLines(say texts.Printer, n int) string {
	return say.Say("… %d more lines, covered by the digest", n)
}

// saysMore reports whether a value has lines that are neither drawn nor the headers of a patch:
// what stands around a patch is read where the value is.
func saysMore(text, pointer string, drawn map[scan.Place]bool) bool {
	if drawn[scan.Place{Pointer: pointer, End: len(text)}] {
		return false
	}
	start := 0
	for line := range strings.Lines(text) {
		end := start + len(line)
		if !drawn[scan.Place{Pointer: pointer, Start: start, End: end}] && !drawn[scan.Place{Pointer: pointer, Start: start + 1, End: end}] &&
			strings.TrimSpace(line) != "" && !slices.ContainsFunc(patchHeaders, func(h string) bool { return strings.HasPrefix(line, h) }) {
			return true
		}
		start = end
	}
	return false
}

var patchHeaders = []string{
	"*** Begin Patch", "*** End ", "*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ", "@@", "--- ", "+++ ", `\ No newline`, "diff --git ", "index ", "new file mode ", "deleted file mode ",
	"old mode ", "new mode ", "rename from ", "rename to ", "copy from ", "copy to ", "similarity index ",
}

func editWord(say texts.Printer, does edits.Does) string {
	switch does {
	case edits.Create:
		return say.Say("Creates")
	case edits.Empty:
		return say.Say("Empties")
	case edits.Delete:
		return say.Say("Deletes")
	case edits.Move:
		return say.Say("Moves")
	default:
		return say.Say("Changes")
	}
}

// editSize says how many lines come and go, where the call says it.
func editSize(say texts.Printer, f edits.File) string {
	var parts []string
	if f.Added > 0 {
		parts = append(parts, say.Say("%d lines added", f.Added))
	}
	if f.Removed > 0 {
		parts = append(parts, say.Say("%d lines removed", f.Removed))
	}
	return strings.Join(parts, ", ")
}

// editLines draws a hunk: what was beside what is, with the words that differ. ok is false
// where it is too long to compare.
func editLines(say texts.Printer, h edits.Hunk) (lines []review.EditLine, ok bool) {
	before, after := splitLines(h.Old.Text, h.New.Text)
	if len(before) > maxParts || len(after) > maxParts {
		return nil, false
	}
	i, j := 0, 0
	for _, same := range append(common(before, after), pair{len(before), len(after)}) {
		for i < same.was || j < same.now {
			var l review.EditLine
			var gone, come []changeSpan
			if i < same.was && j < same.now {
				gone, come, _ = changedWords(before[i], after[j])
			}
			if i < same.was {
				l.Old = &review.EditText{Text: styled(before[i], style{changes: gone})}
				i++
			}
			if j < same.now {
				l.New = &review.EditText{Text: styled(after[j], style{changes: come})}
				j++
			}
			lines = append(lines, l)
		}
		if i < len(before) {
			text := &review.EditText{Text: Runs(before[i])}
			lines = append(lines, review.EditLine{Same: true, Old: text, New: text})
			i, j = i+1, j+1
		}
	}
	return foldSame(say, lines), true
}

// splitLines are the lines of both texts. A line break at the end begins a line only where the other
// text has none.
func splitLines(was, now string) (before, after []string) {
	if ends := func(s string) bool { return s == "" || strings.HasSuffix(s, "\n") }; ends(was) && ends(now) {
		was, now = strings.TrimSuffix(was, "\n"), strings.TrimSuffix(now, "\n")
	}
	split := func(s string) []string {
		if s == "" {
			return nil
		}
		return strings.Split(s, "\n")
	}
	return split(was), split(now)
}

// foldSame leaves out what stays and is far from what does not.
func foldSame(say texts.Printer, all []review.EditLine) (lines []review.EditLine) {
	last, next := -contextLines-1, 0 // lines that differ
	for i := 0; i < len(all); i++ {
		for next < len(all) && (next < i || all[next].Same) {
			next++
		}
		if !all[i].Same {
			last = i
		}
		if until := next - contextLines; next == len(all) && i-last > contextLines || i-last > contextLines && until-i > 1 {
			if next == len(all) {
				until = len(all)
			}
			if until-i > 1 {
				lines = append(lines, review.EditLine{Gap: moreLines(say, until-i)})
				i = until - 1
				continue
			}
		}
		lines = append(lines, all[i])
	}
	return lines
}
