package untrusted

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// How an untrusted text becomes something that can be read without being fooled.
//
// Every character of the text is in exactly one run, in order, so the runs read
// back to the text byte for byte (see views.Run). What cannot be seen, or bends
// what is seen around it, is shown by its name; what looks like another
// character is named too; long stretches of white space, which push the rest out
// of sight, are folded with their count. Nothing is cut.

const (
	foldLines  = 4  // so many blank lines in a row are folded
	foldSpaces = 40 // so many spaces and tabs in a row are folded
	// stackedMarks is how many combining marks may stand on one letter: more than
	// any living script needs, and few enough not to grow over the next line.
	stackedMarks = 6
)

// style is what is said about the stretches of a text. Each list is sorted, and what
// is in it lies apart from each other.
type style struct {
	marks   []mark
	tokens  []tokenSpan
	changes []changeSpan
}

// Runs turns a text into runs. It is linear in the text.
func Runs(s string) []views.Run { return styled(s, style{}) }

// styled turns a text into runs with all that is said about them. Whatever the style,
// the runs read back to the text.
func styled(s string, as style) []views.Run {
	if s == "" {
		return nil
	}
	w := runWriter{text: s, style: as, odd: newConfusables(s)}
	for w.at < len(s) {
		w.enter()
		if !w.fold() {
			w.character()
		}
	}
	w.flush()
	return w.out
}

// OrEmpty says of a text that has nothing in it that it is there and empty.
func OrEmpty(shown []views.Run) []views.Run {
	if len(shown) == 0 {
		return []views.Run{{Kind: views.RunFold, Text: "an empty text", Said: texts.Key("an empty text")}}
	}
	return shown
}

type runWriter struct {
	text string
	style
	odd confusables
	out []views.Run

	at    int       // the next byte
	from  int       // first byte of the ordinary text that was not written yet
	now   views.Run // what is said about the ordinary text
	stack int       // combining marks since the last base character; -1: there is no base
}

// flush writes the ordinary text up to at.
func (w *runWriter) flush() {
	if w.from < w.at {
		r := w.now
		r.Text = w.text[w.from:w.at]
		w.out = append(w.out, r)
	}
	w.from = w.at
}

// enter starts a new run where something that is said about the text begins or ends.
func (w *runWriter) enter() {
	var next views.Run
	if m := under(&w.marks, w.at); m != nil {
		next.Mark, next.Notes, next.Ends, next.Place = m.why, m.notes, m.ends, m.place
	}
	if c := under(&w.changes, w.at); c != nil {
		next.Change = c.change
	}
	if t := under(&w.tokens, w.at); t != nil {
		next.Token = t.token
	}
	if next != w.now {
		w.flush()
		w.now = next
	}
}

// stretched is a part of a text, in bytes.
type stretched interface{ bounds() (start, end int) }

// under drops those of a list that end before at, and is the one that covers it; nil
// where none does.
func under[S stretched](list *[]S, at int) *S {
	for len(*list) > 0 {
		switch start, end := (*list)[0].bounds(); {
		case at >= end:
			*list = (*list)[1:]
		case at < start:
			return nil
		default:
			return &(*list)[0]
		}
	}
	return nil
}

// special writes one run that is not ordinary text and goes on behind it.
func (w *runWriter) special(r views.Run, size int) {
	w.flush()
	r.Mark, r.Notes, r.Ends, r.Place, r.Change = w.now.Mark, w.now.Notes, w.now.Ends, w.now.Place, w.now.Change
	w.out = append(w.out, r)
	w.at += size
	w.from = w.at
	w.stack = -1
}

// character takes the character at at.
func (w *runWriter) character() {
	c := w.text[w.at]
	if ' ' <= c && c < 0x7f || c == '\n' || c == '\t' {
		w.at++
		w.stack = 0
		return
	}
	r, size := utf8.DecodeRuneInString(w.text[w.at:])
	switch {
	case r == utf8.RuneError && size == 1:
		// Text that passed the gate is valid; what people type may not be.
		code := "0x" + strconv.FormatUint(uint64(c), 16)
		w.special(views.Run{Kind: views.RunHidden, Text: "not UTF-8", Said: texts.Key("not UTF-8"), Code: code, Name: "a byte that is no character", Raw: w.text[w.at : w.at+1]}, 1)
	case unicode.In(r, unicode.Mn, unicode.Me) && !hidden(r):
		if w.at == 0 || w.stack < 0 || w.stack >= stackedMarks || strikes(r) && w.onLetter() {
			w.special(hiddenRun(r), size)
			return
		}
		w.stack++
		w.at += size
	case hidden(r):
		w.special(hiddenRun(r), size)
	default:
		if like, ok := w.odd.at(w.at, r); ok {
			w.special(views.Run{Kind: views.RunOdd, Text: string(r), Code: code(r), Name: fullName(r), Like: like}, size)
			w.stack = 0 // it is a base character all the same
			return
		}
		w.at += size
		w.stack = 0
	}
}

// strikes reports whether a mark is drawn over its letter, or around it.
func strikes(r rune) bool {
	const over = 1 // the combining class
	return unicode.Is(unicode.Me, r) || norm.NFC.PropertiesString(string(r)).CCC() == over
}

// onLetter reports whether the mark at at stands on a letter.
func (w *runWriter) onLetter() bool {
	before, _ := utf8.DecodeLastRuneInString(w.text[:w.at])
	return unicode.IsLetter(before)
}

// fold takes a long stretch of white space at at, if there is one.
func (w *runWriter) fold() bool {
	lineStart := w.at == 0 || w.text[w.at-1] == '\n'
	if lineStart {
		if end, lines := blankLines(w.text, w.at); lines >= foldLines {
			w.special(views.Run{Kind: views.RunFold, Text: strconv.Itoa(lines) + " blank lines", Said: texts.Key("%d blank lines"), Count: lines, Raw: w.text[w.at:end]}, end-w.at)
			return true
		}
	}
	if blank(w.text[w.at]) && (w.at == 0 || !blank(w.text[w.at-1])) {
		end := w.at
		for end < len(w.text) && blank(w.text[end]) {
			end++
		}
		if end-w.at >= foldSpaces {
			what, said := " spaces", texts.Key("%d spaces")
			if strings.Contains(w.text[w.at:end], "\t") {
				what, said = " spaces and tabs", texts.Key("%d spaces and tabs")
			}
			w.special(views.Run{Kind: views.RunFold, Text: strconv.Itoa(end-w.at) + what, Said: said, Count: end - w.at, Raw: w.text[w.at:end]}, end-w.at)
			return true
		}
	}
	return false
}

// blankLines counts the lines from at that hold nothing but spaces and tabs.
func blankLines(s string, at int) (end, lines int) {
	end = at
	for next := at; next < len(s); next++ {
		switch {
		case s[next] == '\n':
			lines++
			end = next + 1
		case !blank(s[next]):
			return end, lines
		}
	}
	return end, lines
}

func blank(c byte) bool { return c == ' ' || c == '\t' }

// hiddenRun shows a character by its name.
func hiddenRun(r rune) views.Run {
	return views.Run{Kind: views.RunHidden, Text: shortName(r), Code: code(r), Name: fullName(r)}
}

// code writes a code point as "U+202E".
func code(r rune) string {
	const digits = "0123456789ABCDEF"
	b := make([]byte, 0, 8)
	b = append(b, "U+"...)
	for shift := 20; shift >= 0; shift -= 4 {
		if d := r >> shift; d != 0 || shift < 16 {
			b = append(b, digits[d&15])
		}
	}
	return string(b)
}

// InEnglish marks a text as recorded in English, which it stays on every page
// (docs/adr/0026-one-catalogue-of-texts.md).
func InEnglish(text []views.Run) []views.Run {
	if len(text) > 0 {
		text[0].English = true
	}
	return text
}

// Plain is what stands in runs, without marks.
func Plain(shown []views.Run) string {
	var b strings.Builder
	for _, r := range shown {
		b.WriteString(r.Text)
	}
	return b.String()
}
