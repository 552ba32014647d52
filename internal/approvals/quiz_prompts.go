package approvals

import (
	"regexp"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/facts"
)

// How a value is asked for: in a whole sentence that names its label (a word of ours, or made
// from the name of an argument), never a value.

// things and people are asked for by "which", where a number is asked for by "what".
var which = []string{string(facts.Target), string(facts.Recipient), string(facts.Table), string(facts.Path), string(facts.Host), string(facts.Branch)}

// measures are plural labels that count no things.
var measures = strings.Fields("seconds minutes hours days weeks months years retries attempts milliseconds bytes characters percent points")

// question asks which of four values it is.
func (s subject) question() string {
	label := spoken(s.label)
	switch number := strings.Trim(s.value, "0123456789., ABCDEFGHIJKLMNOPQRSTUVWXYZ€$£") == "" && strings.ContainsAny(s.value[:1], "0123456789€$£"); {
	case s.quoted():
		return "What is the value of “" + s.label + "”?"
	case len(s.list) > 0 && !slices.Contains(which, s.kind):
		return "Which is one of the " + label + "?"
	case s.counts() || s.kind == string(facts.Count) && slices.Contains(measures, s.label):
		return "How many " + label + "?"
	case number && s.kind == string(facts.Target) && len(s.value) <= 3 && strings.HasSuffix(strings.ToLower(s.pointer), "id"): // a colour has a name of its own
		return "What is the " + label + " ID?"
	case slices.Contains(which, s.kind), !number:
		return "Which " + label + "?"
	}
	return "What is the " + label + "?"
}

// unnatural are names of arguments that make no noun.
var unnatural = strings.Fields("cc bcc to from with by at on in of for as until since before after confirm confirmed set lt gt perm")

// quoted reports whether a label stands in quotes, since no sentence can be made with it.
func (s subject) quoted() bool {
	words := strings.Fields(s.label)
	if len(words) == 0 || len(s.list) > 0 {
		return false
	}
	last := words[len(words)-1]
	one := slices.Contains(which, s.kind) && s.kind != string(facts.Recipient) && s.kind != string(facts.Host)
	many := plural(s.label) && !s.counts() && !one && !slices.Contains(measures, last)
	return many || slices.Contains(unnatural, words[0]) || slices.Contains(unnatural, last)
}

// codes are labels of what has characters of its own, where others have an ID.
var codes = strings.Fields("sha uid token number hash digest key code reference arn sid iban card id reservation prefix")

// endPrompt asks how a value ends that nobody keeps in mind.
func (s subject) endPrompt() string {
	words := strings.Fields(s.label)
	switch {
	case s.quoted():
		return "How does the value of “" + s.label + "” end?"
	case slices.Contains(codes, words[len(words)-1]) && !isUUID(s.value): // a phone number ID
		return "How does the " + spoken(s.label) + " end?"
	}
	return "How does the " + spoken(s.label) + " ID end?"
}

var uuidForm = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

func isUUID(v string) bool { return uuidForm.MatchString(v) }

// plural reports whether a label is of several things: rows, documents.
func plural(label string) bool {
	return strings.HasSuffix(label, "s") && !strings.HasSuffix(label, "ss") && !strings.HasSuffix(label, "us")
}

// bounds are words before a number of things that may be there, and need not.
var bounds = strings.Fields("max maximum min minimum limit")

// counts reports whether a value is how many things there are: documents, or days, but not a
// pending window in days.
func (s subject) counts() bool {
	last := s.label[strings.LastIndexByte(s.label, ' ')+1:]
	first, _, _ := strings.Cut(s.label, " ")
	return s.kind == string(facts.Count) && plural(s.label) && (last == s.label || !slices.Contains(measures, last)) && !slices.Contains(bounds, first)
}

// typedPrompt asks for a part of a value, or for all of it, to be typed.
func (s subject) typedPrompt(p part) string {
	label := spoken(s.label)
	if s.quoted() {
		label = "value of “" + s.label + "”"
	}
	switch {
	case p.whole && s.counts():
		return "Type the number of " + label + "."
	case p.whole:
		return "Type the " + label + "."
	case s.quoted() && !p.whole:
		label = "“" + s.label + "”"
		return map[bool]string{true: "Type the first", false: "Type the last"}[p.first] + map[bool]string{true: " word", false: " four characters"}[p.word] + " of " + label + "."
	case p.word && p.first:
		return "Type the first word of the " + label + "."
	case p.word:
		return "Type the last word of the " + label + "."
	case p.first:
		return "Type the first four characters of the " + label + "."
	}
	return "Type the last four characters of the " + label + "."
}

// letters are words that are said letter by letter.
var letters = strings.Fields("id uid sid pid sha arn iban url uri ip cidr dns ttl db vm vpc sku bic vat sql api cpu gpu csv pdf sms emr s3 k8s cc bcc ec2")

// spoken is a label as people write it: "phone number ID".
func spoken(label string) string {
	words := strings.Fields(label)
	if n := len(words); n > 1 && slices.Contains(measures, words[n-1]) && words[n-2] != "in" && !slices.Contains(bounds, words[n-2]) { // grace period in seconds
		words = slices.Insert(words, n-1, "in")
	}
	for i, w := range words {
		if slices.Contains(letters, w) {
			words[i] = strings.ToUpper(w)
		}
	}
	return strings.Join(words, " ")
}
