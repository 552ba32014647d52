package headline

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/countersign/countersign/internal/scoring/scan"
)

// Plain is parts on one line of text. What a caller chose stands between “ and ”, out of which
// it cannot break: those and the point that parts values have a backslash before them.
func Plain(parts []Part) string { return line(parts, true) }

// line is Plain, or what a page draws: a font in place of the quotes.
func line(parts []Part, quotes bool) string {
	var b strings.Builder
	open := false
	for i, p := range parts {
		if i > 0 {
			joint := Joint(parts[i-1], p)
			if open && joint != "" && quotes {
				b.WriteString("”")
				open = false
			}
			b.WriteString(joint)
		}
		quoted := p.By == Theirs && (p.Role != Name || !isIdentifier(p.Text))
		if quoted && !open && quotes {
			b.WriteString("“")
			open = true
		}
		if quoted && quotes {
			b.WriteString(writtenOut(escaped.Replace(p.Text)))
		} else {
			b.WriteString(writtenOut(p.Text))
		}
		if open && (i+1 == len(parts) || parts[i+1].By == Ours) {
			b.WriteString("”")
			open = false
		}
	}
	return b.String()
}

var escaped = strings.NewReplacer("“", `\“`, "”", `\”`, " · ", ` \· `)

// writtenOut is a text without characters that nobody sees: \u{202e} stands for them.
func writtenOut(text string) string {
	if !strings.ContainsFunc(text, scan.Invisible) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if scan.Invisible(r) {
			fmt.Fprintf(&b, `\u{%x}`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Joint is what stands between two parts.
func Joint(before, p Part) string {
	switch {
	case p.Role == More, p.Role == Name && (before.By == Theirs || !strings.HasSuffix(before.Text, ":")):
		return " · "
	case Written(p.Role) && p.Role == before.Role:
		return ""
	case p.By == Theirs && before.By == Theirs && before.Role != Function && before.Role != Tool && before.Role != Name:
		return ", "
	case p.By == Ours && strings.HasPrefix(p.Text, ","):
		return ""
	}
	return " "
}

// Written reports whether a part is a stretch of what is executed.
func Written(r Role) bool { return r == Command || r == Statement || r == Code }

// isIdentifier reports whether a name is one as programs have it, so that nobody reads it as
// words of ours: no_code, a.b, but not "approved by security".
func isIdentifier(name string) bool {
	for _, r := range name {
		if r > unicode.MaxASCII || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("_-.$", r) {
			return false
		}
	}
	return name != "" && len(name) <= 60
}

// legible is a text on one line: a line break is drawn, and so are control characters. Whoever
// shows it says where characters are that nobody sees.
func legible(s string) string {
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	for i, line := range strings.Split(s, "\n") {
		if i > 0 {
			line = strings.TrimLeft(line, " \t")
			b.WriteString(" ⏎ ")
		}
		for _, r := range line {
			switch {
			case r == '\t':
				b.WriteByte(' ')
			case r < 0x20:
				b.WriteRune(0x2400 + r)
			case r == 0x7f:
				b.WriteRune(0x2421)
			case unicode.IsControl(r), r == 0x2028, r == 0x2029:
				b.WriteRune(0x2424)
			default:
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

// group parts the thousands of a number.
func group(number string) string {
	sign := ""
	if strings.HasPrefix(number, "-") {
		sign, number = "-", number[1:]
	}
	whole, rest, dot := strings.Cut(number, ".")
	if len(whole) < 4 || strings.Trim(whole, "0123456789") != "" {
		return sign + number
	}
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if dot {
		whole += "." + rest
	}
	return sign + whole
}
