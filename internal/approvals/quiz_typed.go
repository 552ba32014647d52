package approvals

import (
	"slices"
	"strings"
	"unicode"

	"github.com/countersign/countersign/internal/scoring/facts"
)

// One question of a quiz may be typed: four characters of a value. Nobody guesses them, so
// the other questions may then be about what can be guessed.

// How well what is typed holds against somebody who guesses.
const (
	anyTyped    = 1 + iota // it can be typed; only beside another one that is typed
	wordsTyped             // the name of a thing or of somebody
	digitsTyped            // with two digits at least
)

// typedLength is how many characters are typed.
const typedLength = 4

// part is what of a value is typed.
type part struct {
	first bool // its beginning; otherwise its end
	text  string
}

// part is the end of a value where it can be typed, and otherwise its beginning; other turns
// that round where both can be. strength is 0 where neither can be.
func (s subject) part(other bool) (p part, strength int) {
	ends := []part{s.at(false), s.at(true)}
	best := 0
	for i, one := range ends {
		n := s.strength(one)
		if n > best || n == best && n > 0 && other && i == 1 {
			p, best = one, n
		}
	}
	return p, best
}

// at are the characters at one end.
func (s subject) at(first bool) part {
	v := s.value
	if len(v) < typedLength || first && s.digest {
		return part{}
	}
	if first {
		return part{true, v[:typedLength]}
	}
	return part{false, v[len(v)-typedLength:]}
}

// named are what words without a digit are typed of: things and people that have names of
// their own, and not one of a few values that everybody knows, as a role or a reason.
var named = map[string]bool{
	string(facts.Target): true, string(facts.Recipient): true, string(facts.Table): true, string(facts.Host): true, string(facts.Branch): true,
}

var namedLabels = strings.Fields("username login member assignee team handle principal grantee invitee actor")

// strength says how well a part can be typed, and guessed: letters and digits of ASCII only,
// which every keyboard has, and no ending that many values share (.com, .json).
func (s subject) strength(p part) int {
	if len(p.text) != typedLength {
		return 0
	}
	digits := 0
	for _, r := range p.text {
		switch {
		case r >= '0' && r <= '9':
			digits++
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
		default:
			return 0
		}
	}
	common := strings.Contains(s.value[max(0, len(s.value)-12):], ".") || strings.Contains(s.value, "@")
	switch {
	case s.digest:
		return digitsTyped
	case isYear(p.text), !p.first && common && digits < 2:
		return 0
	case wellKnown[s.label]:
	case digits >= 2 && !s.fewDigits():
		return digitsTyped
	case (named[s.kind] || slices.Contains(namedLabels, s.label)) && len(s.value) >= 5 && strings.ContainsFunc(p.text, unicode.IsLetter):
		return wordsTyped
	}
	return anyTyped
}

// fewDigits reports whether a number is so round, or so regular, that somebody may guess it.
func (s subject) fewDigits() bool {
	if len(strings.Trim(s.value, "0123456789")) == 0 && strings.HasSuffix(s.value, "00") {
		return true
	}
	different := map[rune]bool{}
	for _, r := range s.value {
		different[r] = true
	}
	return len(different) < 3
}

// typedPrompt is how a value is asked for where its answer is typed.
func (s subject) typedPrompt() string { return part{}.prompt(s) }

func (p part) prompt(s subject) string {
	end := "last"
	if p.first {
		end = "first"
	}
	return "Type the " + end + " four characters of the " + s.label + "."
}

func (p part) question(s subject) Question {
	return Question{Prompt: p.prompt(s), Kind: s.kind, Typed: true, Right: p.text, Exact: mixed(s.value)}
}

// mixed reports whether a value has large letters and small ones, so that they count.
func mixed(v string) bool {
	return strings.ContainsFunc(v, unicode.IsUpper) && strings.ContainsFunc(v, unicode.IsLower)
}

// digestSubject asks for the digest of what is shown, where the call itself says nothing
// that the row does not.
func (a Approval) digestSubject() subject {
	return subject{kind: digestKind, label: "digest", value: a.ShownDigest, digest: true}
}

// correct grades one answer. White space is no part of what is typed, and neither is the
// case of letters where the value has only one.
func (q Question) correct() bool {
	if !q.Typed {
		return q.Answer == q.Right
	}
	typed := strings.Join(strings.Fields(q.Answer), "")
	if q.Exact {
		return typed == q.Right
	}
	return strings.EqualFold(typed, q.Right)
}
