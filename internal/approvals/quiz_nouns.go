package approvals

import (
	"cmp"
	"slices"
	"strings"

	naming "github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
)

// The noun of what a call is about, for the sentences that name no value. It is read from the
// name of the function, or from what the row says right behind its verb. Where neither is a
// noun that a person would use, it is an item.

// anything is the noun where no better one is known.
const anything = "item"

// rows is what is said of a statement of SQL. How many there are stands in no statement: whether a
// column is a key only the database knows, and a limit may be one. So the sentences say how
// rows are picked.
const rows = "rows"

// manners are words of a function's name that say how it does something, or that it does it,
// where they stand behind a noun: merge_pull_request_squash, create_campaign_send.
var manners = strings.Fields("squash rebase send update delete create remove merge bulk force forced now async batch limit charge change action operation request")

// pairs are nouns of two words whose second one is a manner otherwise.
var pairs = strings.Fields("pull merge change service")

// places are names of what something is in: who upgrades a chart in a namespace upgrades no namespace.
var places = strings.Fields("namespace region project workspace connection environment context")

// scripts are what is run, and not what that affects; neither is the client that a command opens.
var scripts = strings.Fields("script command code query program shell sql")

// audiences are who gets what is sent.
var audiences = strings.Fields("recipients subscribers contacts members users people customers addresses")

// nouns are how many things of a call are called.
func (a Approval) noun() string {
	e := a.Assessment.Effects[0]
	if e.Object != "table" && e.Object != "database" && slices.ContainsFunc(a.Assessment.Facts, func(f facts.Fact) bool { return f.Kind == facts.Table && f.Source == facts.FromSQL }) {
		return rows
	}
	sentence := a.Subject().Row
	_, behind, _ := strings.Cut(sentence, " ")
	files := slices.ContainsFunc(a.Assessment.Facts, func(f facts.Fact) bool { return f.Kind == facts.Path }) && (e.Object == "file" || e.Object == "folder")
	words := naming.Words(a.Function)
	name := " " + strings.Join(words, " ") + " "
	if slices.Contains(scripts, e.Object) || e.Kind == effects.Execute && !strings.Contains(name, " "+e.Object+" ") {
		if len(words) > 1 && plural(words[0]) { // pods_exec
			return cmp.Or(plainNoun(words[0]), anything)
		}
		return anything
	}
	if said := " " + e.Object + " "; e.Object != e.Verb && (files || strings.Contains(" "+sentence+" ", said) || strings.Contains(name, said)) {
		noun := plainNoun(e.Object)
		if noun != "" {
			return noun
		}
		behind = strings.Replace(behind, e.Object+" for ", "", 1) // a password: whose it is
	}
	// Behind the verb stands what the call acts on, and behind "for" what that belongs to. Where
	// it acts on several, it names several.
	for _, f := range a.Assessment.Facts {
		named := 0
		for _, o := range a.Assessment.Facts {
			if o.Label == f.Label {
				named++
			}
		}
		acted := f.Kind == facts.Target && f.Label != "target" || f.Kind == facts.Table || f.Kind == facts.Path || f.Kind == facts.Branch
		if acted && !slices.Contains(places, f.Label) && strings.HasPrefix(behind, f.Label+" ") && (e.Breadth == effects.One || e.Breadth == "" || named > 1) {
			if noun := plainNoun(f.Label); noun != "" {
				return noun
			}
		}
	}
	switch e.Kind {
	case effects.Money:
		return "payment"
	case effects.Permission:
		return "permission"
	}
	return anything
}

// namesSeveral reports whether a call acts on several things, though it names no list of them: as
// many as it says (1,888 rows), or those of a place (the objects of a bucket).
func (a Approval) namesSeveral() bool {
	e := a.Assessment.Effects[0]
	noun := plainNoun(e.Object)
	for _, arg := range a.arguments() {
		label, number := strings.Join(arg.words, " "), strings.Trim(arg.text, "0123456789") == "" && arg.text != ""
		if number && plural(label) && (singular(label) == noun || e.Kind == effects.Message && slices.Contains(audiences, label)) {
			return arg.text != "1" && arg.text != "0"
		}
	}
	if noun == "" || noun == rows {
		return false
	}
	last := noun[strings.LastIndexByte(noun, ' ')+1:]
	if several(last) == last || !slices.Contains(naming.Words(a.Function), several(last)) {
		return false
	}
	for _, arg := range a.arguments() {
		if len(arg.words) > 0 && slices.Contains(vague, arg.words[len(arg.words)-1]) || slices.Contains(arg.words, last) || slices.Contains(arg.words, several(last)) {
			return false
		}
	}
	return true
}

// plainNoun is what one of the things that an object names is called; "" where plain English
// words cannot say it: a name is made of what the agent, or who made its tools, wrote.
func plainNoun(object string) string {
	words := strings.Fields(object)
	for n := len(words); n > 1 && slices.Contains(manners, words[n-1]) && !slices.Contains(pairs, words[n-2]); n = len(words) {
		words = words[:n-1]
	}
	if len(words) == 0 || len(words) == 1 && slices.Contains(manners, words[0]) {
		return ""
	}
	last := &words[len(words)-1]
	if *last = singular(*last); *last == "db" {
		*last = "database"
	}
	noun := strings.Join(words, " ")
	if len(noun) >= 24 || strings.HasSuffix(noun, "s") && !strings.HasSuffix(noun, "ss") || strings.Trim(noun, "abcdefghijklmnopqrstuvwxyz ") != "" || slices.Contains(uncounted, *last) || words[0] == "place" {
		return ""
	}
	return noun
}

// uncounted are words that have no plural, or that say nothing of what there would be several of.
var uncounted = strings.Fields("data money access page command code network conversations ingress egress traffic cache sms email mail fund information content software password many all")

// singular is one of several things: branches, policies, pods.
func singular(word string) string {
	stem, es := strings.CutSuffix(word, "es")
	switch {
	case !plural(word) || len(word) < 4 || strings.HasSuffix(word, "is"):
		return word
	case strings.HasSuffix(word, "ies"):
		return strings.TrimSuffix(word, "ies") + "y"
	case es && (sibilant(stem) || strings.HasSuffix(stem, "us") || strings.HasSuffix(stem, "ias")) && stem != "cach":
		return stem
	}
	return strings.TrimSuffix(word, "s")
}

// several is more than one of a thing: branches, policies, pods.
func several(noun string) string {
	stem, ok := strings.CutSuffix(noun, "y")
	switch {
	case ok && stem != "" && !strings.ContainsAny(stem[len(stem)-1:], "aeiou"):
		return stem + "ies"
	case sibilant(noun) || strings.HasSuffix(noun, "us") || strings.HasSuffix(noun, "ias"):
		return noun + "es"
	}
	return noun + "s"
}

// sibilant reports whether a word ends in a sound behind which a plural has one more syllable.
func sibilant(word string) bool {
	return slices.ContainsFunc([]string{"ss", "x", "ch", "sh"}, func(end string) bool { return strings.HasSuffix(word, end) })
}
