package approvals

import (
	"cmp"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/headline"
)

// effectKind is the kind of a question about what the call does, and not about a value of it.
const effectKind = "effect"

// subject is something that a quiz can ask for. right is its value, as the page shows it.
type subject struct {
	kind    string // of the question
	about   string // the same for the same thing of other calls
	prompt  string
	natural string // what a person would ask, which may name the effect
	value   string
	worth   int
	ofCall  bool     // it is a value of the call
	not     []string // what no other option is: the call says it too
	words   []string // what stands for its words; nil for what organisations have
	name    []string // words of the argument's name
	set     *set     // of which it is one; nil for none
	of      string   // what has values of one kind, of other requests: about, and of a name like "id" the function too
	first   bool     // it stands in what makes the level
	// make makes n options, value among them; where it is nil they are made of the value.
	make func(w around, n int, random *rand.Rand) []string
}

// What is asked first: what makes the call dangerous, what it acts on, where, other values, what
// the effect is. What can always be asked comes last.
const (
	worthDanger = 100 - 10*iota
	worthTarget
	worthWhere
	worthValue
	worthEffect
	worthWhy
	worthRun
	worthAgent
	worthLast
)

// maxAsked bounds a value that is asked for, in characters, and maxWords in words.
const maxAsked, maxWords = 64, 3

// subjects lists what can be asked about a, the worthiest first.
func (a Approval) subjects(w around) []subject {
	all := a.values()
	all = append(all, a.ofEffect()...)
	all = append(all, a.why(), a.wouldRun(all), a.asking(w))
	all = slices.DeleteFunc(all, func(s subject) bool { return s.value == "" })
	slices.SortStableFunc(all, func(x, y subject) int { return cmp.Compare(y.worth, x.worth) })
	return all
}

// verb is that of the effect that decides.
func (a Approval) verb() string {
	if len(a.Assessment.Effects) == 0 {
		return ""
	}
	return a.Assessment.Effects[0].Verb
}

// ofEffect asks what the effect is, where it is certain and bad: whether it can be undone of what
// is deleted, and how much of what acts on all.
func (a Approval) ofEffect() []subject {
	if len(a.Assessment.Effects) == 0 || !a.Assessment.Effects[0].Certain {
		return nil
	}
	e := a.Assessment.Effects[0]
	var all []subject
	if r := a.Subject().Reversible; r != nil && !*r && slices.Contains([]string{"delete", "drop", "truncate", "destroy", "purge", "wipe", "remove", "empty"}, e.Verb) &&
		slices.Contains([]string{"file", "files", "folder", "table", "rows", "database", "branch", "user", "volume", "disk", "bucket", "collection", "snapshot", "backup", "record", "data"}, e.Object) {
		all = append(all, oneOf("undo", "Can it be undone?", "No, it can't", "No, it can't", "Yes, within a day", "Yes, by anyone", "There is nothing to undo", "Yes, by the agent alone", "Yes, by an admin"))
	}
	if e.Breadth == effects.All {
		all = append(all, oneOf("breadth", "How much does it act on?", "All of a kind", "All of a kind", "One thing", "Half of them", "Nothing", "The newest one", "Two of them"))
	}
	return all
}

// oneOf is a question with these options: the first ones, as many as are needed.
func oneOf(about, prompt, right string, texts ...string) subject {
	s := subject{kind: effectKind, about: about, prompt: prompt, value: right, worth: worthEffect}
	s.make = func(_ around, n int, _ *rand.Rand) []string { return texts[:n] }
	return s
}

// heldFor are the reasons for which a request waits, by cause or kind of effect, and near those of
// which somebody may say that they are true too.
var heldFor, near = lists.HeldFor, lists.Near

// why asks for the reason. What is true of the call beside that, or nearly, is no option.
func (a Approval) why() subject {
	cause := a.Cause()
	of := string(cause.Kind)
	if cause.Kind == CauseEffect {
		of = cause.Name
	}
	s := subject{kind: effectKind, about: "why", prompt: "Why is it held?", value: heldFor[of], worth: worthWhy}
	truths := []string{s.value}
	for _, e := range a.Assessment.Effects {
		truths = append(truths, heldFor[string(e.Kind)])
		for _, o := range near[string(e.Kind)] {
			truths = append(truths, heldFor[o])
		}
	}
	if len(a.Assessment.Rules.TriggeredRules)+len(a.Assessment.Patterns.MatchedPatterns) > 0 {
		truths = append(truths, heldFor[string(CauseRule)])
	}
	var wrong []string
	for _, o := range []string{
		string(effects.Delete), string(effects.Permission), string(effects.Money), string(effects.Message), string(effects.Execute), string(effects.Read), string(CauseDenied), string(CauseRule),
	} {
		if !slices.Contains(truths, heldFor[o]) {
			wrong = append(wrong, heldFor[o])
		}
	}
	s.make = func(_ around, n int, random *rand.Rand) []string {
		if len(wrong) < n-1 {
			wrong = append(wrong, lists.Never...)
		}
		return fromSet(s.value, wrong, nil, n, random)
	}
	return s
}

// wouldRun asks for the function by its verb, or for the command: what no other value that is asked
// for tells.
func (a Approval) wouldRun(all []subject) subject {
	s := subject{kind: effectKind, about: "run", prompt: "Which of these would run?", worth: worthRun}
	parts := a.Subject().Parts
	for _, p := range parts {
		if p.Role == headline.Function || p.By == headline.Ours && p.Role == headline.Label && p.Text != "…" {
			return a.byVerb(s, p)
		}
		if headline.Written(p.Role) || p.Role == headline.Request {
			break
		}
	}
	s.value = firstWords(writtenIn(parts))
	inside := slices.DeleteFunc(slices.Clone(all), func(o subject) bool { return !o.ofCall })
	// What is cut before flags that run is no option: another question is asked.
	cut := slices.ContainsFunc(parts[min(1, len(parts)):], func(p headline.Part) bool {
		return p.Role == headline.Label && p.By == headline.Ours && p.Text == "…"
	})
	s.make = func(_ around, n int, random *rand.Rand) []string {
		if cut {
			return nil
		}
		if texts := commands(s.value, inside, n, random); texts != nil {
			return texts
		}
		return otherVerbs(s.value, n, random)
	}
	if commands(s.value, inside, quizOptions, rand.New(rand.NewPCG(1, 1))) == nil {
		s.worth = worthLast
	}
	return s
}

// acting is the word of a text that says what it does: what is called, what a program is told to do,
// or the first one.
var acting = regexp.MustCompile(`^(?:[^(\s]*?([A-Za-z_]\w*)\(|[\w-]+ ([a-z]{4,})(?: |$)|([\w-]+))`)

// otherVerbs are a text and n-1 others that do something else to the same; nil where nothing is done.
func otherVerbs(text string, n int, random *rand.Rand) []string {
	at, others := acting.FindStringSubmatchIndex(text), without(lists.Any, strings.Fields(text), random)
	if at == nil || len(others) < n-1 || strings.Contains(text, "<<") { // the program comes below that line
		return nil
	}
	from, to := max(at[2], at[4], at[6]), max(at[3], at[5], at[7])
	all := []string{text}
	for _, w := range others[:n-1] {
		all = append(all, text[:from]+w+text[to:])
	}
	return all
}

// writtenIn is the first stretch of what is executed.
func writtenIn(parts []headline.Part) (text string) {
	for i, p := range parts {
		if headline.Written(p.Role) || p.Role == headline.Request {
			text += p.Text
			if i+1 == len(parts) || parts[i+1].Role != p.Role {
				break
			}
		}
	}
	return text
}

// firstWords is so much of a command that it can be told from others.
func firstWords(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), " ⏎ ")
	if utf8.RuneCountInString(text) <= 90 {
		return text
	}
	words := strings.Fields(text)
	for len(words) > 1 && utf8.RuneCountInString(strings.Join(words, " ")) > 88 {
		words = words[:len(words)-1]
	}
	return strings.Join(words, " ") + " …"
}

// byVerb asks for the verb of a name, that by which the call was judged. Of a name without one, and
// of one with two of which either could be meant, the first word is asked for where nothing else can be.
func (a Approval) byVerb(s subject, p headline.Part) subject {
	words := strings.Fields(p.Text)
	s.value = p.Text
	at, by, found := 0, lists.Any, 0
	for i, w := range words {
		for _, like := range lists.Verbs {
			if w = strings.ToLower(w); !slices.Contains(like.Of, w) || found < 0 {
				continue
			}
			at, by, found = i, like.By, found+1
			if w == a.verb() {
				found = -1 // no other counts
			}
		}
	}
	if found == 0 || found > 1 || len(words) < 2 {
		at, by, s.worth = 0, lists.Any, worthLast
	}
	s.make = func(_ around, n int, random *rand.Rand) []string {
		texts := []string{s.value}
		for _, w := range without(by, words, random)[:n-1] {
			if at == 0 {
				w = strings.ToUpper(w[:1]) + w[1:]
			}
			changed := slices.Clone(words)
			changed[at] = w
			texts = append(texts, strings.Join(changed, " "))
		}
		return texts
	}
	return s
}

// asking asks which agent it is, where there are four.
func (a Approval) asking(w around) subject {
	s := subject{kind: effectKind, about: "agent", prompt: "Which agent asks?", worth: worthAgent}
	if len(w.agents) >= quizOptions && slices.Contains(w.agents, a.Agent.Name) {
		s.value = a.Agent.Name
		s.make = func(w around, n int, random *rand.Rand) []string {
			return fromSet(s.value, w.agents, nil, n, random)
		}
	}
	return s
}

// tells reports whether the question about one tells something about the other: they have a word
// or a number in common, or ask for the same thing.
func (s subject) tells(o subject) bool {
	if s.about == o.about {
		return true
	}
	mine := telling(s.value)
	return slices.ContainsFunc(telling(o.value), func(word string) bool { return slices.Contains(mine, word) })
}

// telling are the words and numbers of a value that tell it from others.
func telling(v string) []string {
	all := strings.FieldsFunc(strings.ToLower(v), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.DeleteFunc(all, func(p string) bool { return utf8.RuneCountInString(p) < 2 || slices.Contains(lists.Untold, p) })
}
