package patterns

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/scan"
)

// check decides about what an expression found at span, and says where exactly
// the dangerous part stands: a card number is found by its first four digits and
// ends where its issuer says. It looks at a bounded stretch of the text, or it
// covers what it looked at, so that many candidates stay linear.
type check func(text string, span scan.Span) (scan.Span, bool)

// checks are the validators that a pattern can name.
var checks = map[string]check{
	"card":            cardNumber,
	"iban":            iban,
	"ssn":             socialSecurityNumber,
	"assigned-secret": assignedSecret,
	"member-secret":   memberSecret,
	"url-password":    urlPassword,
	"private-key":     privateKey,
	"private-file":    privateFile,
	"without-where":   withoutWhere,
	"token":           token,
	"checked-token":   checkedToken,
	"german-tax-id":   germanTaxID,
	"spanish-id":      spanishID,
	"french-nir":      frenchNIR,
	"cpf":             cpf,
	"aadhaar":         aadhaar,
	"passport":        passport,
}

// Checks lists the validators that a pattern can name.
func Checks() []string { return slices.Sorted(maps.Keys(checks)) }

// privateKey wants key material behind the line that begins a PEM block, which
// a text that only talks about such blocks does not have. It reaches to the line
// that ends the block, or to the end of the text where somebody cut it.
func privateKey(text string, span scan.Span) (scan.Span, bool) {
	body := text[span.End:]
	for {
		rest := strings.TrimLeft(body, " \t\r\n")
		rest = strings.TrimPrefix(strings.TrimPrefix(rest, `\r`), `\n`) // escaped in a string of code
		if len(rest) == len(body) {
			break
		}
		body = rest
	}
	material := 0
	for material < 4 && material < len(body) && isBase64(body[material]) {
		material++
	}
	if material < 4 {
		return span, false
	}
	span.End = len(text) - len(body)
	end := strings.Index(body, "-----END")
	if end < 0 {
		span.End = len(text)
		return span, true
	}
	span.End += end + len("-----END")
	// "-----END RSA PRIVATE KEY-----": to the closing dashes where they come soon.
	tail := text[span.End:min(len(text), span.End+80)]
	if dashes := strings.Index(tail, "-----"); dashes >= 0 {
		span.End += dashes + len("-----")
	}
	return span, true
}

func isBase64(c byte) bool {
	return 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '+' || c == '/'
}

// privateFile refuses the public half of a key pair, and a file that is only
// named alike: id_rsa.pub, id_rsa_backup_howto.
func privateFile(text string, span scan.Span) (scan.Span, bool) {
	rest := text[span.End:]
	return span, !strings.HasPrefix(rest, ".pub") && !startsWithWord(rest)
}

// setClause is what follows UPDATE in a statement, and not in a sentence.
var setClause = regexp.MustCompile(`(?i)\A(?:\s+only)?\s+[^\s;=]+(?:\s+(?:as\s+)?[a-z_]\w*)?\s+set\s+[^\s;=]+\s*=`)

// withoutWhere takes the word UPDATE that begins a statement whose SET is not
// followed by WHERE, and returns the statement. It reads at most 4 KiB on: a
// condition that comes later than that is not seen by a person either.
func withoutWhere(text string, span scan.Span) (scan.Span, bool) {
	const window, head = 4 << 10, 500
	rest := text[span.End:min(len(text), span.End+window)]
	equals := strings.IndexAny(rest[:min(len(rest), head)], "=;") // the clause ends at the first, and holds no other
	set := setClause.FindStringIndex(rest[:equals+1])
	if set == nil {
		return span, false
	}
	statement, _, _ := strings.Cut(rest[set[1]:], ";")
	if hasWhere(statement) {
		return span, false
	}
	span.End += set[1] + len(statement)
	return span, true
}

// hasWhere looks for the word in any case. It is a loop because it runs once per
// UPDATE, each time over the rest of a statement.
func hasWhere(statement string) bool {
	const word = "where"
	for i := range len(statement) - len(word) + 1 {
		if statement[i]|0x20 == 'w' && strings.EqualFold(statement[i:i+len(word)], word) &&
			!endsWithWord(statement[:i]) && !startsWithWord(statement[i+len(word):]) {
			return true
		}
	}
	return false
}
