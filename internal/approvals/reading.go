package approvals

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/facts"
)

// How an act is laid out for reading: in which order, and in how many sections. It
// is a pure function of the stored action and of the facts in its assessment, so
// that an auditor can lay it out again (docs/reading.md).

// A section holds at most this much. People who review code find the most in 200
// lines at a time, and little beyond 400 (Cohen et al., Best Kept Secrets of Peer
// Code Review, 2006, chapter 5: 2,500 reviews at Cisco); 200 lines of 40 characters
// are 8 KiB, about five minutes of reading at 238 words a minute (Brysbaert 2019).
const (
	SectionBytes = 8 << 10
	SectionLines = 200
	// sectionShares bounds how many sections there are: where they would be more, each
	// holds more. The gate admits 131,000 lines.
	sectionShares = 64
)

// Piece is a part of the act that stands in one place: a value, or some lines of a
// long one.
type Piece struct {
	Pointer string // JSON pointer in the action: "/arguments/user_id", "/code"
	Type    string // of the value, as in facts.Leaf
	Text    string // the part itself
	Start   int    // where in the value's text it begins, in bytes
	Last    bool   // the value ends with it
}

// Reading is an act laid out. Sections has at least one, which can be empty.
type Reading struct {
	Sections [][]Piece
	SHA256   string // hex, of the text as docs/reading.md defines it
}

// Large reports whether it is read in more than one section.
func (r Reading) Large() bool { return len(r.Sections) > 1 }

// Reading lays the act of a out.
func (a Approval) Reading(action scoring.Action) Reading {
	pieces := inReadingOrder(wholePieces(action), a.Assessment.Facts)
	total := size{}
	for _, p := range pieces {
		total = total.plus(p.size())
	}
	limit := size{max(SectionBytes, share(total.bytes)), max(SectionLines, share(total.lines))}
	r := Reading{}
	var section []Piece
	var held size
	end := func() {
		r.Sections = append(r.Sections, section)
		section, held = nil, size{}
	}
	for _, p := range pieces {
		if len(section) > 0 && !held.plus(p.size()).within(limit) {
			end()
		}
		for room := p.room(limit); !textSize(p.Text).within(room); {
			var head Piece
			head, p = p.cut(room)
			section = append(section, head)
			end()
		}
		section, held = append(section, p), held.plus(p.size())
	}
	end()
	r.SHA256 = digestOf(shortMembers(action), r.Sections)
	return r
}

func share(whole int) int { return (whole + sectionShares - 1) / sectionShares }

// size is how much room something takes on a page.
type size struct{ bytes, lines int }

func (s size) plus(o size) size { return size{s.bytes + o.bytes, s.lines + o.lines} }

func (s size) within(limit size) bool { return s.bytes <= limit.bytes && s.lines <= limit.lines }

// textSize counts a line break at the end as the end of its line.
func textSize(text string) size {
	s := size{len(text), strings.Count(text, "\n")}
	if !strings.HasSuffix(text, "\n") {
		s.lines++
	}
	return s
}

func (p Piece) size() size { return textSize(p.Text).plus(size{bytes: len(p.Pointer)}) }

// room is what a section leaves for the text of p. A name is never cut: one that
// fills a section by itself has half a section of text beside it.
func (p Piece) room(limit size) size {
	return size{max(limit.bytes/2, limit.bytes-len(p.Pointer)), limit.lines}
}

// cut takes from the front of a p that is larger than room as much as fits: whole
// lines where that is possible, else up to a space, else up to a character.
func (p Piece) cut(room size) (head, rest Piece) {
	at := min(len(p.Text), room.bytes)
	for at < len(p.Text) && !utf8.RuneStart(p.Text[at]) {
		at--
	}
	end, lines := -1, 0
	for i := range at {
		if p.Text[i] == '\n' {
			end = i + 1
			if lines++; lines == room.lines {
				break
			}
		}
	}
	if end < 0 {
		if end = at; at < len(p.Text) {
			if space := strings.LastIndexByte(p.Text[:at], ' '); space >= at/2 {
				end = space + 1
			}
		}
	}
	head, rest = p, p
	head.Text, head.Last = p.Text[:end], false
	rest.Text, rest.Start = p.Text[end:], p.Start+end
	return head, rest
}

// wholePieces are the values of the arguments, the code and the content, each in
// one piece. The other members of the act are short and stand on every page.
func wholePieces(action scoring.Action) []Piece {
	leaves := facts.Leaves(action.Arguments())
	pieces := make([]Piece, 0, len(leaves)+2)
	for _, l := range leaves {
		pieces = append(pieces, Piece{Pointer: l.Pointer, Type: l.Type, Text: l.Text, Last: true})
	}
	for _, name := range []string{"code", "content"} {
		if m := action.Tree().Get(name); !m.IsAbsent() {
			pieces = append(pieces, Piece{Pointer: "/" + name, Type: "string", Text: m.Text(), Last: true})
		}
	}
	return pieces
}

// inReadingOrder puts what bears a fact first: those are the values that make an
// act dangerous. Otherwise the order stays: arguments as in the canonical JSON, then
// code and content.
func inReadingOrder(pieces []Piece, found []facts.Fact) []Piece {
	bearing := make(map[string]bool, len(found))
	for _, f := range found {
		bearing[f.Pointer] = true
	}
	ordered := make([]Piece, 0, len(pieces))
	for _, first := range []bool{true, false} {
		for _, p := range pieces {
			if bearing[p.Pointer] == first {
				ordered = append(ordered, p)
			}
		}
	}
	return ordered
}

// shortMembers are the members of the act that stand on every page.
func shortMembers(action scoring.Action) (pieces []Piece) {
	for _, name := range []string{"function", "action_type", "environment"} {
		if m := action.Tree().Get(name); !m.IsAbsent() {
			pieces = append(pieces, Piece{Pointer: "/" + name, Type: "string", Text: m.Text()})
		}
	}
	return pieces
}

// digestOf is the SHA-256 of the text of an act: a line for each piece, the short
// members first, and an empty line after each section. A line is the canonical JSON
// of [pointer, type, start, text].
func digestOf(short []Piece, sections [][]Piece) string {
	h := sha256.New()
	var line []byte
	write := func(p Piece) {
		line = canon.Array(canon.String(p.Pointer), canon.String(p.Type), canon.Int(int64(p.Start)), canon.String(p.Text)).AppendCanonical(line[:0])
		h.Write(append(line, '\n'))
	}
	for _, p := range short {
		write(p)
	}
	for _, section := range sections {
		for _, p := range section {
			write(p)
		}
		h.Write([]byte{'\n'})
	}
	return hex.EncodeToString(h.Sum(nil))
}
