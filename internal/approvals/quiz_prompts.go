package approvals

import (
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
	switch p, ok := prompts[s.kind]; {
	case ok && !strings.Contains(s.label, " "):
		return say(p)
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
	switch {
	case p.whole && s.counts():
		return "Type the number of " + s.label + "."
	case p.whole:
		return "Type the " + s.label + "."
	case p.word:
		return "Type the last word of the " + s.label + "."
	case p.first:
		return "Type the first four characters of the " + s.label + "."
	}
	return "Type the last four characters of the " + s.label + "."
}
