package views

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/views/texts"
)

// RunKind says how a [Run] is drawn.
type RunKind uint8

const (
	// RunText is ordinary text, shown as it is with its white space.
	RunText RunKind = iota
	// RunHidden is a character that cannot be seen or that bends what is seen
	// (bidi control, zero width, tag, control, private use). It is shown as a
	// box with Code and Name instead of the character.
	RunHidden
	// RunOdd is a visible character that looks like another one (a homoglyph).
	// The character stays, in a box that names it.
	RunOdd
	// RunFold stands for white space that was folded, for example 40 blank
	// lines, or for a text that is empty; Text says how much. Nothing else may be
	// folded.
	RunFold
)

// Run is a stretch of text that is drawn in one way. A whole value is a slice
// of runs; the concatenation is the value.
//
// To read a value back from the page, take the text of the element, and for
// each element with data-char put the character of that code point in its
// place; for data-fold put the Raw text.
type Run struct {
	Kind RunKind
	// Text is what is shown: the text itself, for RunHidden a short name
	// ("RLO"), for RunFold how much was folded ("40 blank lines").
	Text string
	// Code is the code point as "U+202E", for RunHidden and RunOdd.
	Code string
	// Name is the character's full name ("RIGHT-TO-LEFT OVERRIDE").
	Name string
	// Like is what the character passes for, for RunOdd.
	Like Like
	// Raw is the folded text itself, for RunFold only.
	Raw string
	// English says, of the first run of a text, that the text was recorded in English,
	// whatever the language of the page.
	English bool
	// Said, where it is not empty, is what is said in place of Text, with Count in its
	// place where that is not 0.
	Said  texts.Key
	Count int
	// Mark, when not empty, marks the run as matched and says by what
	// ("pattern sql-drop-cascade"). Neighbours with the same Mark and Notes belong
	// together.
	Mark string
	// Notes are the numbers of the [Note]s about the value that say the same, for
	// example "3, 5"; empty where there is no such list. Ends are those of them whose
	// stretch ends here: they are drawn after it. Place, where it is not 0, makes this the
	// place that a note leads to: its mark has the focus in turn.
	Notes, Ends string
	Place       int
	// Token is what the run is in the language of its text.
	Token Token
	// Change says how the run differs from the other text beside it.
	Change Change
	// At, where it is not empty, is the time that the text says, as RFC 3339 in UTC: it is
	// shown by the reader's clock.
	At string
}

// Like says in a text with the character's name what it passes for: Of, or, where that
// is empty, what the text says.
type Like struct {
	Text texts.Key
	Of   string
}

// FullName is the name of the run's character, with what it passes for.
func (r Run) FullName(say texts.Printer) string {
	switch {
	case r.Like.Text == "":
		return r.Name
	case r.Like.Of == "":
		return say.Key(r.Like.Text, r.Name)
	}

	return say.Key(r.Like.Text, r.Name, r.Like.Of)
}

// Shown is what is drawn of the run: its text, or the words that stand for it.
func (r Run) Shown(say texts.Printer) string {
	switch {
	case r.Said == "":
		return r.Text
	case r.Count == 0:
		return say.Key(r.Said)
	}

	return say.Key(r.Said, r.Count)
}

// Token is a class of words of a language. It only colours: no text is in another
// place, or missing, because of it.
type Token uint8

// The classes.
const (
	TokenNone Token = iota
	TokenKeyword
	TokenName   // what the language, or the text, calls by a name: a function, a variable, a member
	TokenString // also the place where one is opened and closed
	TokenNumber
	TokenComment
	TokenHeading // where a part of a diff begins
	TokenInserted
	TokenDeleted
	TokenTool     // of a headline: the server or product of a function,
	TokenFunction // the words of its name,
	TokenArgument // the name of an argument,
	TokenSaid     // a value of the call,
	TokenDecisive // and one that made the level
)

var tokenNames = [...]string{"", "keyword", "name", "string", "number", "comment", "heading", "inserted", "deleted", "tool", "function", "argument", "said", "decisive"}

// Change says how a stretch of a text differs from the other one.
type Change uint8

// What became of a stretch.
const (
	ChangeNone Change = iota
	ChangeAdded
	ChangeRemoved
)

// Note is one reason for which a part of a value is marked. The list of them stands
// below the value, with the numbers that stand in it.
type Note struct {
	Number int
	// Place is the run that it leads to, see [Run.Place].
	Place int
	Text  []Run
	// Places is for example "3 places"; empty for one.
	Places string
}

// stretch is what stands under one mark, or under none.
type stretch struct {
	mark Run // its Mark, Notes, Ends and Place
	runs []Run
}

// stretches puts neighbours under the same mark together.
func stretches(text []Run) []stretch {
	var all []stretch
	for i, r := range text {
		if i == 0 || r.Mark != text[i-1].Mark || r.Notes != text[i-1].Notes || r.Place != 0 && r.Place != text[i-1].Place {
			all = append(all, stretch{mark: r})
		}
		last := &all[len(all)-1]
		last.runs = append(last.runs, r)
	}
	return all
}

// describes are the ids of the notes with these numbers.
func describes(notes string) string {
	return "note-" + strings.ReplaceAll(notes, ", ", " note-")
}

// Text makes the runs of a text that needs no marks. Use it for our own words
// and for values that were already checked.
func Text(s string) []Run {
	if s == "" {
		return nil
	}

	return []Run{{Text: s}}
}

// Level is a risk level as the pages show it: rank, word and shape.
type Level uint8

const (
	// LevelNone means that no level is shown.
	LevelNone Level = iota
	// LevelLow is rank 1, a circle.
	LevelLow
	// LevelMedium is rank 2, a diamond.
	LevelMedium
	// LevelHigh is rank 3, a triangle.
	LevelHigh
	// LevelCritical is rank 4, an octagon.
	LevelCritical
)

// Tone colours a notice or a chip. It is never used for risk.
type Tone uint8

const (
	// TonePlain has no colour.
	TonePlain Tone = iota
	// ToneOK reports that something holds or went well.
	ToneOK
	// ToneWarn asks for attention.
	ToneWarn
	// ToneBad reports a failure or a refusal.
	ToneBad
	// ToneAccent says "act here" or "this changed".
	ToneAccent
)

// Icon is the name of a symbol in icons.svg, without its "i-".
type Icon string

// The icons that callers choose between.
const (
	IconAlert     Icon = "alert"
	IconBan       Icon = "ban"
	IconCheck     Icon = "check"
	IconClock     Icon = "clock"
	IconHourglass Icon = "hourglass"
	IconInfo      Icon = "info"
	IconLayers    Icon = "layers"
	IconLock      Icon = "lock"
	IconOffline   Icon = "offline"
	IconPattern   Icon = "pattern"
	IconRule      Icon = "rule"
	IconSettings  Icon = "settings"
	IconShield    Icon = "shield"
	IconUser      Icon = "user"
	IconX         Icon = "x"
)

// Link is an address of ours with its words.
type Link struct {
	Label string
	URL   string
}

// Notice says what happened, what it means and what to do.
type Notice struct {
	Tone Tone
	Icon Icon
	// Title is one short sentence without a full stop.
	Title string
	// Timed is the title with the times that it says; nil where it says none.
	Timed []Run
	// Text explains; it may quote a person or an agent.
	Text []Run
	// Action is a link that helps, nil when there is none.
	Action *Link
	// Undo takes back what the notice tells; nil for nothing.
	Undo *Link
	// Ends says that it is how a request ended.
	Ends bool
	// Leave leaves the questions that are open on the page, and leads there; nil for none.
	Leave *Link
	// Code is a number to pass on, for example a request id; may be empty.
	Code string
	// Stays says that what it stands over is as it was: nothing is closed by it.
	Stays bool
}

// title is what is drawn of it.
func (n Notice) title() []Run {
	if n.Timed != nil {
		return n.Timed
	}
	return Text(n.Title)
}

// Person is somebody of the organisation.
type Person struct {
	Name string
	// Initials are one or two letters for the round mark.
	Initials string
	Email    string
	// You marks the reader.
	You bool
}

// Onlooker is a person who has the request open.
type Onlooker struct {
	Person Person
	// Doing says what, for example "since 09:41:02"; may be empty.
	Doing []Run
}

// TimeLeft is a time that runs out. The script counts down to Expires; Text is
// what stands there until it does, and without it.
type TimeLeft struct {
	// Expires and Start are RFC 3339 in UTC; both empty means no countdown.
	Expires, Start string
	// Text is for example "11:24".
	Text string
	// Percent is how much of the time is left, 0 to 100.
	Percent int
	// Soon makes it bold: the last fifth, or less than two minutes.
	Soon bool
}

// Fact is one cell of a fact grid.
type Fact struct {
	Label string
	Value []Run
	// Note is a smaller line below; may be empty.
	Note []Run
	// Source says where in the call it stands, on hover; may be empty.
	Source string
	// Wide takes two columns, and a long value breaks behind its joints. Doubt draws it as
	// something that the call should have said.
	Wide, Doubt bool
	// Absent is drawn as one small line: what the call does not say.
	Absent bool
	// Change says how it differs from the last approved call; empty where it does
	// not, or nothing is compared.
	Change []Run
	// Mono sets the value in the machine's type.
	Mono bool
	// Act is the member of the action that the value is, "" where it is none, so
	// that the page can be read back.
	Act string
}

// Pair is a label and a value of a plain list.
type Pair struct {
	Label string
	Value []Run
	Mono  bool
	// URL links the value to one of our own pages; never set it from agent text.
	URL string
	// Left counts down before the value; nil for no countdown.
	Left *TimeLeft
	// Void strikes the value through, and says why it doesn't count any more.
	Void string
}

// Foreign says that a page is in another language than what is recorded.
func Foreign(ctx context.Context) bool { return texts.From(ctx).Language() != "en" }

// longestPiece is how much of a name stays together that has no place to break.
const longestPiece = 20

// pieces are the parts of a name between which a line may end. A short word is one.
func pieces(name string) []string {
	var all []string
	from, length := 0, 0
	var last rune
	long := longWord(name)
	for at, r := range name {
		joint := (last == '_' || last == '-') && r != last
		full := length >= longestPiece && (unicode.IsLetter(r) || unicode.IsDigit(r))
		if long && at > from && (joint || full) {
			all = append(all, name[from:at])
			from, length = at, 0
		}
		last = r
		if length++; unicode.IsSpace(r) {
			length = 0
		}
	}

	return append(all, name[from:])
}

func longWord(name string) bool {
	return slices.ContainsFunc(strings.Fields(name), func(word string) bool { return utf8.RuneCountInString(word) > longestPiece })
}

// brief reports whether a name is so short that it stays on one line: "0.2 to 0.3".
func brief(name []Run) bool {
	length := 0
	for _, r := range name {
		length += utf8.RuneCountInString(r.Text)
	}

	return length <= 14
}

// joints are the parts of a value between which a line may end: behind a ".", "_", "/" or "-".
func joints(value string) []string {
	var all []string
	from := 0
	if !longWord(value) {
		return []string{value}
	}
	for at, r := range value {
		if at > from && strings.ContainsRune("._/-", rune(value[at-1])) && !strings.ContainsRune("._/-", r) {
			all = append(all, value[from:at])
			from = at
		}
	}

	return append(all, value[from:])
}

// Empty is a list without anything in it.
type Empty struct {
	// Search draws a magnifying glass in place of a signed form.
	Search bool
	Title  string
	Text   []Run
	Action *Link
}

// TrailStep is one step of a session or of a chain of revisions.
type TrailStep struct {
	Text []Run
	// Note is for example "auto-approved" or "you are here".
	Note string
	// End stands at the right: a time, and EndISO the same as RFC 3339. Level is
	// shown there if it is set.
	End, EndISO string
	Level       Level
	// URL leads to that step's page; empty for none.
	URL     string
	Current bool
}
