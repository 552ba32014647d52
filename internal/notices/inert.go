package notices

import (
	"strings"
	"unicode"
)

// What agents wrote goes to receivers that read markup, mentions and links out of a text,
// each in its own way. Texts are made inert for all of them at once: what has a meaning in
// any is written with a sign that looks alike and has none.

// maxInert bounds an inert text, in characters.
const maxInert = 500

// lookalikes are written in place of what has a meaning: Markdown and Slack's mrkdwn, HTML,
// mentions (@everyone, <!channel>, <users/all>), and commands of a line (/invite).
var lookalikes = map[rune]rune{
	'<': '‹', '>': '›', '&': '＆', '@': '＠', '[': '［', ']': '］', '*': '∗', '_': '＿', '~': '∼', '`': 'ˋ', '#': '＃', '|': '｜', '\\': '＼', '!': 'ǃ',
}

// inert is one line of text that is nothing but text: no markup, no mention, no link, no
// character that is not seen or that turns the direction of others.
func inert(text string) string {
	var b strings.Builder
	runes := []rune(oneLine(text))
	for i, r := range runes {
		next := rune(0)
		if i+1 < len(runes) {
			next = runes[i+1]
		}
		switch other, ok := lookalikes[r]; {
		case i == maxInert:
			b.WriteRune('…')
			return b.String()
		case ok:
			b.WriteRune(other)
		case r == ':' && next != 0 && next != ' ' && !(i > 0 && unicode.IsDigit(runes[i-1]) && unicode.IsDigit(next)): // https://, mailto:, :emoji:, :+1:; not 12:30
			b.WriteRune('：')
		case r == '.' && (unicode.IsLetter(next) || unicode.IsDigit(next)): // evil.example, 10.0.0.1
			b.WriteRune('․')
		case r == '/' && i == 0:
			b.WriteRune('⁄')
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// oneLine is a text on one line, in which a character that is not seen is U+FFFD.
func oneLine(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector), r == '\u2800':
			return '\uFFFD'
		}
		return r
	}, text)
	return strings.Join(strings.Fields(text), " ")
}

// line is one line of what is said beside the title.
type line struct{ label, text string }

// lines are what an organisation lets notices say, inert.
func (m Message) lines() (all []line) {
	if m.More == nil {
		return nil
	}
	for _, l := range []line{{"What", m.More.Sentence}, {"Target", m.More.Target}, {"Reason, as the agent claims", m.More.Reason}, {"Needs", m.More.Needs}} {
		if text := inert(l.text); text != "" {
			all = append(all, line{l.label, text})
		}
	}
	return all
}

// until says when it ends; "" where it is over or about no request.
func (m Message) until() string {
	if m.Expires.IsZero() || m.Kind.Ends() {
		return ""
	}
	return "Expires " + m.Expires.UTC().Format("15:04 UTC, 2 January 2006")
}
