package quiz

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/headline"
)

// effectKind is the kind of a question about what the call does, and not about a value of it.
const effectKind = "effect"

// shown is what a call says, in lower case: of all of that nothing is a wrong option.
func (c Call) shown() string { return strings.ToLower(string(c.Action.Canonical())) }

// says reports whether a text in lower case has a word, in whatever case, and not in a longer one.
func says(text, word string) bool {
	in := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	word = strings.ToLower(word)
	for rest := text; word != ""; {
		_, after, ok := strings.Cut(rest, word)
		if !ok {
			return false
		}
		last, _ := utf8.DecodeLastRuneInString(text[:len(text)-len(after)-len(word)])
		next, _ := utf8.DecodeRuneInString(after)
		if !in(last) && !in(next) {
			return true
		}
		rest = after
	}
	return false
}

// subject is something that a quiz can ask for. right is its value, as the page shows it.
type subject struct {
	kind    string // of the question
	about   string // the same for the same thing of other calls
	prompt  string
	natural string // what a person would ask, which may name the effect
	value   string
	worth   int
	ofCall  bool     // it is a value of the call
	verb    bool     // it is what is done
	not     []string // what no other option is: the call says it too
	beside  []string // values of others of its kind that the call has: they are wrong, and make good options
	shown   string   // all that the call says
	noun    *noun    // what it names; nil where nothing says it
	name    []string // words of the argument's name
	label   string   // it, as it is written
	set     *set     // of which it is one; nil for none
	of      string   // what has values of one kind, of other requests: about, and of a name like "id" the function too
	at      int      // where in its text it stands
	rank    int      // how sure it is that it stands in what made the level
	// make makes n options, value among them; where it is nil they are made of the value.
	make func(w Corpus, n int, random *rand.Rand) []string
}

// Values are asked for by what they weigh, as headlines have it. Before the cheap ones comes what would run, and
// behind them what follows, and what else can always be asked.
const (
	worthVerb       = headline.OfTarget - 1 // what is done, where that says as much
	worthRun        = headline.Cheap + 1
	worthFollows    = 9
	worthAgent      = 8
	worthElsewhere  = 0 // in a command that didn't make the level
	worthIdentifier = 6 // that a machine made
	worthLast       = 1
)

// maxAsked bounds a value that is asked for, in characters, and maxWords in words.
const maxAsked, maxWords = 90, 3

// subjects lists what can be asked about a, the worthiest first.
func (c Call) subjects(w Corpus) []subject {
	all := c.values()
	follows, run := c.follows(), c.wouldRun()
	if c.acts() { // what is done to it matters as much as to what
		switch {
		case run.worth == worthRun && run.verb:
			run.worth = worthVerb
		case !run.verb && run.worth <= worthRun && follows.worth > 0:
			follows.worth = worthVerb
		}
	}
	all = append(all, follows, run, c.whole(), c.asking(w))
	all = slices.DeleteFunc(all, func(s subject) bool { return s.value == "" })
	slices.SortStableFunc(all, func(x, y subject) int { return cmp.Compare(y.worth, x.worth) })
	return all
}

// follows asks what the page says of what the call does. What may be true of the call, too, is no option.
func (c Call) follows() subject {
	said := c.headline().Consequence
	group := groupOf(said)
	s := subject{kind: effectKind, about: "follows", prompt: "What does the page say it does?", value: said, worth: worthFollows}
	if group == "" || slices.Contains(lists.Doubtful, said) { // it tells little, or isn't sure
		s.worth = 0
	}
	kinds := []string{group}
	for _, e := range c.Assessment.Effects {
		kinds = append(kinds, string(e.Kind))
	}
	may := append(kinds[:len(kinds):len(kinds)], lists.Near[group]...)
	var wrong, rest []string
	for other, of := range lists.Follows {
		if !slices.Contains(may, other) {
			wrong = append(wrong, of...)
		} else if other != group && !slices.Contains(kinds, other) {
			rest = append(rest, of...)
		}
	}
	slices.Sort(wrong)
	slices.Sort(rest)
	s.make = func(_ Corpus, n int, random *rand.Rand) []string {
		if n > quizOptions { // where there are two questions only
			return fromSet(said, append(wrong[:len(wrong):len(wrong)], rest...), nil, n, random)
		}
		return fromSet(said, wrong, nil, n, random)
	}
	return s
}

// acts reports whether what is done says as much as to what: something is deleted, access changes, money moves, people hear of it.
func (c Call) acts() bool {
	return slices.Contains(acting, c.effect().Kind)
}

var acting = []effects.Kind{effects.Delete, effects.Permission, effects.Money, effects.Message}

// groupOf is what a sentence of the page says, in a word; "" where that tells little.
func groupOf(said string) string {
	for group, of := range lists.Follows {
		if slices.Contains(of, said) {
			return group
		}
	}
	return ""
}

// wouldRun asks for the function by its verb, or for the command: what no other value that is asked
// for tells.
func (c Call) wouldRun() subject {
	s := subject{kind: effectKind, about: "run", prompt: "Which of these would run?", worth: worthRun}
	for _, one := range c.deciding() {
		if does := c.does(one); does.value != "" {
			return does
		}
	}
	for _, p := range c.headline().Parts {
		switch {
		case headline.Written(p.Role), p.Role == headline.Request, p.By == headline.Ours && p.Role == headline.Label && p.Text != "…": // a piece of a sentence
			return subject{}
		case p.Role == headline.Function:
			return c.byVerb(s, p)
		}
	}
	return subject{}
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

// byVerb asks for the verb of a name that has one and says of what it is. No word is put where the rest of the name belongs
// to the old one: "add user to group".
func (c Call) byVerb(s subject, p headline.Part) subject {
	words := strings.Fields(strings.ToLower(p.Text))
	at := -1
	for i, w := range words {
		verb := slices.ContainsFunc(lists.Verbs, func(v verbs) bool { return slices.Contains(v.Of, w) })
		switch {
		case slices.Contains(lists.Joining, w), verb && at >= 0:
			return subject{}
		case verb:
			at = i
		}
	}
	if at < 0 || len(words) == 1 || slices.Contains(lists.Many, words[min(at+1, len(words)-1)]) {
		return subject{}
	}
	verb := lists.Verbs[slices.IndexFunc(lists.Verbs, func(v verbs) bool { return slices.Contains(v.Of, words[at]) })]
	if at == len(words)-1 && at > 1 && verb.By != nil { // initiate sepa transfer
		return subject{}
	}
	s.value, s.verb = p.Text, true
	s.make = func(_ Corpus, n int, random *rand.Rand) []string {
		texts, written := []string{s.value}, strings.Fields(p.Text)
		for _, o := range without(verb.others(), append(slices.Clone(verb.Of), words...), random) {
			if at == 0 {
				o = capital(o)
			}
			other := slices.Clone(written)
			other[at] = o
			texts = append(texts, strings.Join(other, " "))
		}
		return texts[:min(n, len(texts))]
	}
	return s
}

// whole asks for the program or the function among others that do something else altogether: where little can be asked,
// that can.
func (c Call) whole() subject {
	s := subject{kind: effectKind, about: "tool", prompt: "Which tool is called?"}
	parts, others := c.headline().Parts, lists.Functions
	if ran := c.deciding(); len(ran) > 0 && len(ran[0].Program()) > 1 {
		s.about, s.prompt, s.worth, s.value, others = "program", "Which program does it run?", worthLast, ran[0].Program(), lists.Programs
	} else if text := strings.Fields(writtenIn(parts)); len(text) > 0 { // what a tool gets, and of a shell the program
		s.value = capital(headline.Words(c.Action.Function()))
		if slices.ContainsFunc(parts, func(p headline.Part) bool { return p.Role == headline.Command }) {
			s.about, s.prompt, s.value, others = "program", "Which program does it run?", text[0], lists.Programs
		}
	} else if at := slices.IndexFunc(parts, func(p headline.Part) bool { return p.Role == headline.Function }); at >= 0 {
		s.value = parts[at].Text
	}
	if slices.Contains(lists.Languages, s.value) {
		others = lists.Languages
	}
	text := c.shown() + strings.ToLower(s.value)
	others = slices.DeleteFunc(slices.Clone(others), func(o string) bool {
		return slices.ContainsFunc(telling(o), func(w string) bool { return says(text, w) })
	})
	s.make = func(_ Corpus, n int, random *rand.Rand) []string { return fromSet(s.value, others, nil, n, random) }
	return s
}

// verbs are such of functions, and which of others can stand for them.
type verbs struct{ Of, By []string }

func (v verbs) others() []string {
	if v.By != nil {
		return v.By
	}
	return without(lists.Any, v.Of, nil)
}

// asking asks which agent it is, where there are four.
func (c Call) asking(w Corpus) subject {
	s := subject{kind: effectKind, about: "agent", prompt: "Which agent asks?", worth: worthAgent}
	if len(w.agents) >= quizOptions && slices.Contains(w.agents, c.Agent) {
		s.value = c.Agent
		s.make = func(w Corpus, n int, random *rand.Rand) []string {
			return fromSet(s.value, w.agents, nil, n, random)
		}
	}
	return s
}

// tries is how often other options are made where a question gives another one away.
const tries = 4

// tells reports whether one of two questions gives the other away: what tells the right option of one
// from the others stands in the prompt or in an option of the other.
func (q Question) tells(o Question) bool {
	return q.gives(o) || o.gives(q)
}

// right is the text of the right option.
func (q Question) right() string {
	return q.Options[slices.IndexFunc(q.Options, func(o Option) bool { return o.ID == q.Right })].Text
}

func (q Question) gives(o Question) bool {
	said := telling(cmp.Or(q.natural, q.Prompt))
	for _, option := range q.Options {
		said = append(said, telling(option.Text)...)
	}
	right := telling(o.right())
	all := ""
	for _, option := range q.Options {
		all += option.Text + "\n"
	}
	all = strings.ToLower(all)
	if says(all, o.right()) { // it's one fact, or given away
		return true
	}
	return slices.ContainsFunc(right, func(w string) bool {
		return slices.Contains(said, w) && slices.ContainsFunc(o.Options, func(option Option) bool { return !slices.Contains(telling(option.Text), w) })
	})
}

// telling are the words and numbers of a value that tell it from others.
func telling(v string) []string {
	all := strings.FieldsFunc(strings.ToLower(v), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return slices.DeleteFunc(all, func(p string) bool { return utf8.RuneCountInString(p) < 2 || slices.Contains(lists.Untold, p) })
}
