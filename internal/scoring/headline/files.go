package headline

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/canon"
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
	for _, f := range all[:min(len(all), mostLines)] {
		if !f.Whole || len(all) == 1 && !slices.ContainsFunc(call.Words(f.Path), func(w string) bool { return keeping[w] }) {
			it.parts = append(it.parts, a.changedLines(f, max(1, mostLines/len(all)))...)
		}
	}
	it.unsaid += a.sayEdits(all, Plain(it.parts))
	return it, true
}

// mostLines is how many lines of what is edited are said.
const mostLines = 5

// changedLines are the lines that an edit puts in, or takes out where it puts in none, those first that decide.
func (a *act) changedLines(f edits.File, most int) (parts []Part) {
	type changed struct {
		label, line string
		weight      int
	}
	var all []changed
	for _, h := range f.Hunks {
		label, lines := "with", differing(h.New.Text, h.Old.Text)
		if len(lines) == 0 {
			label, lines = "without", differing(h.Old.Text, h.New.Text)
		}
		for _, line := range lines {
			if was := lost(line, edits.Lines(h.Old.Text)); was != "" {
				all = append(all, changed{"without", was, weightFar})
			}
			all = append(all, changed{label, line, a.weightOfLine(line)})
		}
	}
	slices.SortStableFunc(all, func(x, y changed) int { return y.weight - x.weight })
	before := ""
	for i, c := range all {
		if i == most {
			return append(parts, Part{Role: Label, Text: "+" + group(strconv.Itoa(len(all)-i)) + " lines", By: Ours, Weight: OfTarget})
		}
		if c.label != before {
			parts, before = append(parts, Part{Role: Label, Text: c.label, By: Ours, Weight: OfTarget}), c.label
		}
		if first := begin(c.line, max(longest+20, (MaxRow-longest)/len(all))); first != c.line {
			c.line = first + "…"
		}
		parts = append(parts, Part{Role: Text, Text: legible(c.line), By: Theirs, Weight: OfTarget})
	}
	return parts
}

// weightOfLine is what a line weighs that sets something, as an argument does; a comment weighs least.
func (a *act) weightOfLine(line string) int {
	name, value, sets := strings.Cut(strings.Replace(line, ": ", "=", 1), "=")
	switch {
	case strings.HasPrefix(line, "#") || strings.HasPrefix(line, "//"):
		return -1
	case anyOf(call.Words(line), far) || anyOf(call.Words(line), everyoneWord) || strings.Contains(line, `"*"`):
		return weightFar
	case decides.MatchString(line):
		return weightNew + 1
	case !sets:
		return weightShort
	}
	effect := a.Effects
	if a.kind() == effects.Read {
		effect = nil
	}
	o := weigh("", []*call.Node{{Value: canon.String(strings.Trim(value, ` "',;`)), Words: call.Words(name)}}, a.words, effect)
	if in := calling.FindStringSubmatch(value); in != nil && o.Weight < weightNew {
		return weightNew
	}
	return o.Weight
}

// decides matches a line that says under which condition something is done.
var decides = regexp.MustCompile(`\b(?:if|elif|unless|while|when|return)\b.*(?:&&|\|\||[!=]=| and | or | not )`)

// lost is what a line had of which nothing else is different.
func lost(line string, olds []string) string {
	for _, old := range olds[:min(len(olds), 500)] {
		from, to := 0, 0
		old = strings.Join(strings.Fields(old), " ")
		for from < min(len(old), len(line)) && old[from] == line[from] {
			from++
		}
		for to < min(len(old), len(line))-from && old[len(old)-1-to] == line[len(line)-1-to] {
			to++
		}
		if from+to == len(line) && from+to < len(old) && from+to > shortest && !slices.ContainsFunc(call.Words(old), namesSecret) && !coded(old[from:len(old)-to]) {
			return strings.TrimSpace(strings.ToValidUTF8(old[from:len(old)-to], ""))
		}
	}
	return ""
}

// differing are the lines of a text that another one has not. Of one that may keep a secret asterisks stand for that.
func differing(text, other string) (all []string) {
	others := edits.Lines(other)
	for _, line := range edits.Lines(text) {
		said := strings.Join(strings.Fields(line), " ")
		if !strings.ContainsFunc(said, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) || slices.Contains(others, line) || len(all) > 99 {
			continue
		}
		words := strings.Fields(said)
		for i, w := range words {
			if coded(w) {
				words[i] = "***"
			}
		}
		if slices.Contains(words, "***") {
			if said = strings.Join(words, " "); len(words) == 1 {
				continue
			}
		}
		if at := strings.IndexAny(said, "=:"); at > 0 && len(said)-at > 6 && (isSecret(call.Words(said[:at])) || slices.ContainsFunc(call.Words(said[:at]), namesSecret)) || strings.Contains(said, "://") && strings.Contains(said, "@") {
			said = said[:max(0, at)+1] + " ***"
		}
		all = append(all, fromWhere(said, others))
	}
	return all
}

// fromWhere is a long line from where it differs from one that was there.
func fromWhere(line string, others []string) string {
	same := 0
	for _, o := range others[:min(len(others), 500)] {
		o = strings.Join(strings.Fields(o), " ")
		n := 0
		for n < min(len(o), len(line)) && o[n] == line[n] {
			n++
		}
		same = max(same, n)
	}
	if same = strings.LastIndexByte(line[:same], ' ') + 1; len(line) <= longest || same < shortest {
		return line
	}
	return "…" + line[same:]
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
		within := arg.Values[0].Pointer
		for within != "" && !at[within] { // of a text that is a document its values are said with it
			within = within[:strings.LastIndexByte(within, '/')]
		}
		if a.said[i] = within != "" && (len(arg.Values) == 1 || within != arg.Values[0].Pointer); a.said[i] && within == arg.Values[0].Pointer {
			if value := arg.Values[0].Text(); utf8.RuneCountInString(value) <= longest && !strings.Contains(said, escaped.Replace(legible(value))) {
				unsaid++
			}
		}
	}
	return unsaid
}
