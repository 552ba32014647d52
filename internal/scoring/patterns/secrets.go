package patterns

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/scoring/scan"
)

const (
	minSecret = 6   // characters; what is shorter is a word or a number
	maxSecret = 256 // bytes that are looked at
)

// assignedSecret takes a name with its separator ("password = ") and wants a
// value behind it that is no placeholder, no variable and no call. The span that
// it returns is the value alone, so that a masked line still says what it sets.
func assignedSecret(text string, span scan.Span) (scan.Span, bool) {
	start := span.End
	quoted := start < len(text) && strings.IndexByte("\"'`", text[start]) >= 0
	if quoted {
		start++
	}
	// The decision looks at the beginning of the value only; how far the mask
	// reaches is read once it is made.
	rest := text[start:min(len(text), start+maxSecret)]
	value := upToDelimiter(rest)
	if quoted {
		if inside, _, closed := strings.Cut(rest, text[start-1:start]); closed {
			value = inside
		}
	} else if next := rest[len(value):]; next != "" && (next[0] == '(' || next[0] == '[') {
		return span, false // a call or an index: code that reads the secret from elsewhere
	}
	if !looksSecret(value) || !quoted && strings.Contains(text[span.Start:span.End], "\n") && nextName.MatchString(value) {
		return span, false
	}
	end := start + len(value)
	if len(value) == len(rest) {
		end = start + len(upToDelimiter(text[start:]))
	}
	return scan.Span{Start: start, End: end}, true
}

// nextName begins a line that sets something itself: the name above it was given no value.
var nextName = regexp.MustCompile(`^[A-Za-z_]\w*=`)

// upToDelimiter is the beginning of a text up to what ends an unquoted value in
// code, a shell, a URL or a connection string.
func upToDelimiter(s string) string {
	if i := strings.IndexFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || strings.ContainsRune("\"'`,;&<>(){}[]|\\", r)
	}); i >= 0 {
		return s[:i]
	}
	return s
}

// looksSecret is strict, because the name of the value is found anywhere in
// prose and code: there has to be a digit or a symbol, and it may not read like a
// path, a variable or an attribute.
func looksSecret(value string) bool {
	runes, letters, marked := 0, 0, false
	for _, r := range value {
		runes++
		switch {
		case unicode.IsLetter(r):
			letters++
		case r != '.' && r != '-' && r != '_' && r != ':' && r != ' ':
			marked = true
		}
	}
	return runes >= minSecret && letters > 0 && marked && strings.IndexFunc(value, unicode.IsSpace) < 0 &&
		!isPlaceholder(value) && !isPath(value) && !isAttribute(value)
}

// memberSecret takes the whole value of a member whose name says what it is, so
// any text will do that does not stand for a value.
func memberSecret(text string, _ scan.Span) (scan.Span, bool) {
	whole := scan.Span{Start: 0, End: len(text)}
	if len(text) < 4*minSecret && utf8.RuneCountInString(text) < minSecret {
		return whole, false
	}
	return whole, !isPlaceholder(text) && !isPath(text)
}

// urlPassword takes scheme:// and wants user:password@ behind it. The span that it
// returns is the password.
func urlPassword(text string, span scan.Span) (scan.Span, bool) {
	authority := text[span.End:]
	if end := strings.IndexAny(authority, "/?#\"'<>` \t\r\n"); end >= 0 {
		authority = authority[:end]
	}
	host := strings.LastIndexByte(authority, '@') // a careless password may hold one, too
	if host < 0 {
		return span, false
	}
	user, password, found := strings.Cut(authority[:host], ":")
	if !found || len(password) < 3 || isPlaceholder(password) {
		return span, false
	}
	start := span.End + len(user) + len(":")
	return scan.Span{Start: start, End: start + len(password)}, true
}

// isPlaceholder reports whether a value stands for another one: a variable, a
// template, a reference into a vault, a row of stars, a word from a manual.
func isPlaceholder(value string) bool {
	if value == "" || strings.ContainsAny(value[:1], "$<{%*[(") {
		return true
	}
	lower := strings.ToLower(value)
	for _, prefix := range placeholderPrefixes {
		if strings.HasPrefix(lower, prefix) {
			return true
		}
	}
	for _, word := range placeholderWords {
		if lower == word {
			return true
		}
	}
	return strings.Contains(value, "${") || strings.Contains(value, "{{") || strings.Trim(lower, lower[:1]) == ""
}

var (
	placeholderPrefixes = []string{
		"your-", "your_", "xxx", "...", "changeme", "change-me", "change_me", "placeholder", "redacted",
		"arn:", "vault:", "secret://", "op://", "projects/", "env:", "file:", "ref:", "!ref", "process.env", "os.environ",
	}
	placeholderWords = []string{
		"password", "passwort", "passphrase", "secret", "token", "string", "required", "optional", "hidden", "masked", "none",
		"null", "true", "false", "undefined", "example", "unchanged", "removed", "expired", "invalid", "missing", "encrypted", "integer",
	}
)

// isPath reports whether a value reads like a file rather than like its content.
func isPath(value string) bool {
	for _, prefix := range []string{"/etc/", "/run/", "/var/", "/home/", "/tmp/", "/mnt/", "/opt/", "/usr/", "/root/", "~/", "./", "../"} {
		if strings.HasPrefix(value, prefix) {
			return true
		}
	}
	return false
}

// isAttribute reports whether a value is a dotted name: settings.db1.password.
func isAttribute(value string) bool {
	parts := strings.Split(value, ".")
	if len(parts) < 2 {
		return false
	}
	for _, part := range parts {
		if part == "" || len(part) > 24 || unicode.IsDigit(rune(part[0])) {
			return false
		}
		for _, r := range part {
			if !scan.IsWord(r) {
				return false
			}
		}
	}
	return true
}
