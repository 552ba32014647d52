package approvals

import (
	"regexp"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
)

// How a value is asked for: in a whole sentence that names its label (a word of ours, or made
// from the name of an argument), never a value.

// prompts ask by kind.
var prompts = map[string]string{
	string(facts.Target): "Which %s would be affected?", string(facts.Recipient): "Which %s is this for?",
	string(facts.Table): "Which %s would be affected?", string(facts.Path): "Which %s would be affected?",
	string(facts.Host): "Which %s does the request name?", string(facts.Branch): "Which %s would change?",
}

// removals are verbs after which what is counted is deleted.
var removals = []string{"delete", "remove", "purge", "erase", "destroy", "wipe", "truncate"}

// measures are plural labels that count no things.
var measures = strings.Fields("seconds minutes hours days weeks months years retries attempts milliseconds bytes characters percent points")

// ordered are plural labels of what a call asks for more or fewer of.
var ordered = strings.Fields("replicas instances seats copies nodes workers passengers tickets licenses licences units items")

func (a Approval) prompt(s subject) string {
	say := func(sentence string) string { return strings.Replace(sentence, "%s", s.label, 1) }
	if s.quoted() {
		return say("What is the value of “%s” in this request?")
	}
	switch p, ok := prompts[s.kind]; {
	case ok && !strings.Contains(s.label, " "):
		return say(p)
	case len(s.list) > 0:
		return say("Which of these is one of the %s?")
	case !s.counts():
		return say("What is the %s in this request?")
	case slices.Contains(measures, s.label):
		return say("How many %s does the request set?")
	case slices.Contains(ordered, s.label) && (len(a.Assessment.Effects) == 0 || a.Assessment.Effects[0].Kind != effects.Delete):
		return say("How many %s does the request ask for?")
	}
	e := effects.Effect{}
	if len(a.Assessment.Effects) > 0 {
		e = a.Assessment.Effects[0]
	}
	switch {
	case e.Kind == effects.Message && s.label == "recipients":
		return say("How many %s will receive it?")
	case e.Kind == effects.Delete && slices.Contains(removals, strings.ToLower(e.Verb)):
		return say("How many %s will be deleted?")
	}
	return say("How many %s will be affected?")
}

// unnatural are names of arguments that make no noun.
var unnatural = strings.Fields("to from with by at on in of for as until since before after confirm confirmed set lt gt perm")

// quoted reports whether a label stands in quotes, since no sentence can be made with it.
func (s subject) quoted() bool {
	words := strings.Fields(s.label)
	if len(words) == 0 || len(s.list) > 0 {
		return false
	}
	last := words[len(words)-1]
	many := plural(s.label) && !s.counts() && prompts[s.kind] == "" && !slices.Contains(measures, last)
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
		return "How does the " + s.label + " end?"
	}
	return "How does the ID of the " + s.label + " end?"
}

var uuidForm = regexp.MustCompile(`^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$`)

func isUUID(v string) bool { return uuidForm.MatchString(v) }

// plural reports whether a label is of several things: rows, documents.
func plural(label string) bool {
	return strings.HasSuffix(label, "s") && !strings.HasSuffix(label, "ss") && !strings.HasSuffix(label, "us")
}

// counts reports whether a value is how many things there are: documents, or days, but not a
// pending window in days.
func (s subject) counts() bool {
	last := s.label[strings.LastIndexByte(s.label, ' ')+1:]
	return s.kind == string(facts.Count) && plural(s.label) && (last == s.label || !slices.Contains(measures, last))
}

// typedPrompt asks for a part of a value, or for all of it, to be typed.
func (s subject) typedPrompt(p part) string {
	label := s.label
	if s.quoted() {
		label = "value of “" + label + "”"
	}
	switch {
	case p.whole && s.counts():
		return "Type the number of " + label + "."
	case p.whole:
		return "Type the " + label + "."
	case p.word:
		return "Type the last word of the " + label + "."
	case p.first:
		return "Type the first four characters of the " + label + "."
	}
	return "Type the last four characters of the " + label + "."
}
