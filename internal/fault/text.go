package fault

import (
	"fmt"
	"time"
)

// Text is a sentence of ours, or a part of one, that can be said again in another
// language: its English format and what stands in it, apart. The details of faults
// are made of it, and the sentences of the audit trail. Its String is English, and
// is what logs, exports and programs get.
//
// The format is always a literal of this program: the test of the catalogue
// (views/texts) collects it where it stands. What an agent or a person wrote can
// only be an argument.
type Text struct {
	format  string
	args    []any
	english string
}

// Textf is the text of a format and its arguments. An argument may be a Text, which
// is then said in the same language.
func Textf(format string, args ...any) Text {
	return Text{format: format, args: args, english: fmt.Sprintf(format, args...)}
}

// Join is texts one after the other. between has no letters.
func Join(all []Text, between string) Text {
	var t Text
	for i, one := range all {
		if i > 0 {
			t.format += between
			t.english += between
		}
		t.format += "%s"
		t.english += one.english
		t.args = append(t.args, one)
	}
	return t
}

// Verbatim is what reads the same in every language: words of a person or an agent,
// and names.
func Verbatim(words string) Text { return Text{format: "%s", args: []any{words}, english: words} }

// Empty reports whether there is no text.
func (t Text) Empty() bool { return t.english == "" }

// String is the text in English.
func (t Text) String() string { return t.english }

// Error is String: a text may be what a check of our own says is wrong.
func (t Text) Error() string { return t.english }

// Phrase is the format, and the arguments that stand in it. Without arguments the
// format is no format, and holds percent signs as they are.
func (t Text) Phrase() (format string, args []any) { return t.format, t.args }

// Moment is a time in a Text. In English, which programs read, it is RFC 3339 in UTC; a
// page shows it by its reader's clock.
type Moment struct{ time.Time }

func (m Moment) String() string { return m.UTC().Format("2006-01-02T15:04:05.000000Z07:00") }

// Moments are the times in t, in order.
func (t Text) Moments() (all []Moment) {
	for _, arg := range t.args {
		switch arg := arg.(type) {
		case Moment:
			all = append(all, arg)
		case Text:
			all = append(all, arg.Moments()...)
		}
	}
	return all
}
