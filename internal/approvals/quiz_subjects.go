package approvals

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
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

// values are the values of the call that can be asked for. Of two with one name nobody could say
// which is meant.
func (a Approval) values() []subject {
	action, err := a.Parsed()
	if err != nil {
		return nil
	}
	var all []subject
	h := action.Headline(a.Assessment)
	said, whole := action.Said(a.Assessment), writtenIn(h.Parts)
	target, _ := action.Target(a.Assessment)
	for _, arg := range said {
		if arg.Secret || arg.Role == headline.Text || arg.Role == headline.Flag {
			continue
		}
		s := subject{kind: string(arg.Role), about: strings.Join(arg.Words, " "), value: valueOf(arg, len(arg.Values)-1), ofCall: true, worth: worthOf(arg, target)}
		for i := range arg.Values[:len(arg.Values)-1] {
			s.not = append(s.not, valueOf(arg, i))
		}
		if strings.Contains(s.value, " ") && arg.Role == headline.Value || s.value == whole || arg.Weight < 10 || arg.Own() || !s.free(arg) {
			continue // prose in a few words, what is executed, one of a few that the tool knows
		}
		if s.prompt, s.natural = a.prompts(arg); len(arg.Words) > 0 {
			s.words = wordsFor(arg)
		}
		all = append(all, s)
	}
	if s, ok := flagged(said); ok {
		all = append(all, s)
	}
	for _, f := range a.Assessment.Facts {
		if s, ok := touched(f, h); ok {
			all = append(all, s)
		}
	}
	var kept []subject
	for i, s := range all {
		twice := slices.ContainsFunc(all, func(o subject) bool { return o.about == s.about && o.value != s.value }) ||
			slices.ContainsFunc(all[:i], func(o subject) bool { return o.value == s.value })
		if !twice && s.fits() {
			kept = append(kept, s)
		}
	}
	return kept
}

func valueOf(arg headline.Argument, i int) string {
	n := arg.Values[i]
	return strings.TrimSpace(n.Text() + n.Digits())
}

func worthOf(arg headline.Argument, target string) int {
	switch {
	case arg.Weight >= headline.Decisive || arg.Role == headline.Given || arg.Role == headline.Amount:
		return worthDanger
	case valueOf(arg, 0) == target:
		return worthTarget
	case arg.Role == headline.Recipient:
		return worthTarget + 5
	case arg.Role == headline.Where:
		return worthWhere
	case arg.Role == headline.Manner || arg.Role == headline.Count:
		return worthWhere + 5
	}
	return worthValue
}

// fits reports whether a value can be asked for: short, on one line, and nothing that is masked.
func (s subject) fits() bool {
	n := utf8.RuneCountInString(s.value)
	if n > 3 && strings.Contains(strings.ToLower(s.prompt), strings.ToLower(s.value)) {
		return false
	}
	return n > 0 && n <= maxAsked && len(strings.Fields(s.value)) <= maxWords && utf8.ValidString(s.value) && s.about != "" && len(s.about) < 60 &&
		!strings.Contains(s.value, "[REDACTED:") && !strings.ContainsFunc(s.value+s.about, func(r rune) bool { return !unicode.IsPrint(r) })
}

// free reports whether a value is one that nobody could list: not one of the few words that a tool
// knows, unless everybody knows the set.
func (s subject) free(arg headline.Argument) bool {
	if isClosed(s.value) || strings.ContainsAny(s.value, "0123456789._-@:/#") {
		return true
	}
	last := arg.Words[max(0, len(arg.Words)-1):]
	if len(last) == 0 || slices.Contains([]string{"audience", "list", "segment"}, last[0]) {
		return false
	}
	return slices.Contains([]string{
		"name", "id", "slug", "title", "key", "user", "username", "member", "owner", "repo", "repository", "project", "service", "database", "collection", "table",
		"namespace", "cluster", "bucket", "branch", "queue", "topic", "index", "group", "team", "org", "account", "workspace", "app", "domain", "host",
	}, last[0])
}

// prompts ask for an argument, by its name.
func (a Approval) prompts(arg headline.Argument) (plain, natural string) {
	label := labelOf(arg)
	done := participles[a.verb()]
	if len(arg.Values) > 1 {
		return "Which of these stands in “" + arg.Name + "”?", ""
	}
	switch kind := a.Effect(); arg.Role {
	case headline.Given:
		return "Which " + label + "?", "Which " + label + " is given?"
	case headline.Recipient:
		switch kind {
		case effects.Permission:
			natural = "Who is it about (" + label + ")?"
		case effects.Message:
			natural = "Who receives it (" + label + ")?"
		}
		if last := arg.Words[len(arg.Words)-1]; strings.HasPrefix(label, "“") || !persons[last] {
			return "What is “" + arg.Name + "”?", natural
		}
		return "Who is the " + label + "?", natural
	case headline.Amount:
		if done != "" && kind == effects.Money {
			natural = "How much is " + done + "?"
		}
		return "What is the " + label + "?", natural
	case headline.Where:
		return "Which " + label + "?", ""
	case headline.Count:
		if strings.HasSuffix(label, "s") {
			return "How many " + label + "?", ""
		}
		return "What is the " + label + "?", ""
	}
	if done != "" && arg.Role == headline.Value && !strings.HasPrefix(label, "“") && len(arg.Words) == 1 && strings.Contains(strings.ToLower(a.Function), a.verb()+"_"+arg.Words[0]) {
		natural = "Which " + label + " is " + done + "?"
	}
	return "What is “" + arg.Name + "”?", natural
}

// wordsFor are the words of which values like this one are made.
func wordsFor(arg headline.Argument) []string {
	for _, w := range arg.Words {
		switch w {
		case "owner", "org", "organization", "organisation", "account", "tenant", "company", "workspace", "team":
			return companies
		}
	}
	if arg.Role == headline.Recipient {
		return people
	}
	return nil
}

// persons are names of arguments by which somebody is asked for by "who".
var persons = map[string]bool{"user": true, "member": true, "assignee": true, "recipient": true, "grantee": true, "principal": true, "reviewer": true, "guest": true, "customer": true, "collaborator": true, "invitee": true, "payee": true}

// verb is that of the effect that decides.
func (a Approval) verb() string {
	if len(a.Assessment.Effects) == 0 {
		return ""
	}
	return a.Assessment.Effects[0].Verb
}

// participles are what is done, for questions.
var participles = map[string]string{
	"delete": "deleted", "remove": "removed", "drop": "dropped", "refund": "refunded", "pay": "paid", "transfer": "transferred", "charge": "charged",
	"revoke": "revoked", "disable": "disabled", "suspend": "suspended", "purge": "purged", "cancel": "cancelled", "reset": "reset", "merge": "merged",
}

// labelOf names an argument in a question: in words where they are English ones, else as it is
// written, between quotes.
func labelOf(arg headline.Argument) string {
	words := arg.Words
	for i, w := range words {
		if full := spelled[w]; full != "" {
			words = slices.Clone(words)
			words[i] = full
		}
	}
	label := strings.Join(words, " ")
	if last := words[max(0, len(words)-1):]; len(words) > 0 && len(words) < 4 && effects.PlainWords(label) && !prepositions[last[0]] {
		return strings.ReplaceAll(label, " id", " ID")
	}
	return "“" + arg.Name + "”"
}

var (
	spelled      = map[string]string{"repo": "repository", "env": "environment", "db": "database", "org": "organisation", "qty": "quantity", "dir": "folder", "src": "source", "dst": "destination"}
	prepositions = map[string]bool{"to": true, "cc": true, "bcc": true, "from": true, "by": true, "on": true, "in": true, "at": true, "id": true, "n": true}
)

// flagged asks which flag is set, by which a call reaches further.
func flagged(all []headline.Argument) (subject, bool) {
	s := subject{kind: string(headline.Flag), about: "flags", prompt: "Which of these is set?", worth: worthDanger - 1, ofCall: true}
	for _, arg := range all {
		if arg.Role == headline.Flag {
			s.not = append(s.not, arg.Name)
			if arg.Values[0].Bool() && s.value == "" {
				s.value = arg.Name
			}
		}
	}
	s.make = func(_ around, n int, random *rand.Rand) []string {
		return fromSet(s.value, flagNames, s.not, n, random)
	}
	return s, s.value != "" && !strings.Contains(s.value, ".")
}

// touched asks for what a command, a statement or a program names.
func touched(f facts.Fact, h headline.Headline) (subject, bool) {
	if f.Source == facts.FromKey || f.Source == facts.FromShape || len(h.Parts) == 0 || strings.HasPrefix(f.Value, "-") {
		return subject{}, false
	}
	s := subject{kind: string(headline.Target), about: string(f.Kind) + " of what runs", value: f.Value, worth: worthTarget, ofCall: true}
	switch f.Kind {
	case facts.Path:
		s.prompt = "Which path does it name?"
	case facts.Host:
		s.prompt, s.kind = "Which host does it name?", string(headline.Where)
	case facts.Table:
		s.prompt = "Which " + f.Label + " does it name?"
	case facts.Branch:
		s.prompt, s.kind = "Which branch or revision?", string(headline.Where)
	case facts.Target, facts.Recipient:
		s.prompt = "Which " + f.Label + " does it name?"
	default:
		return s, false
	}
	if f.Label != "" && (f.Kind == facts.Table || f.Kind == facts.Target || f.Kind == facts.Recipient) {
		s.about = f.Label + " of what runs"
	}
	return s, true
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

// heldFor are the reasons for which a request waits, by cause or kind of effect.
var heldFor = map[string]string{
	string(effects.Delete): "It deletes, overwrites or ends something", string(effects.Permission): "It changes access or security",
	string(effects.Money): "It moves or promises money", string(effects.Message): "It reaches people", string(effects.Execute): "It runs code that isn't understood",
	string(effects.Read): "It reads what is sensitive", string(effects.Write): "It changes something", string(effects.Unknown): "No one knows what it does",
	string(CauseWorkspace): "It reaches outside of the agent's workspace", string(CauseDenied): "A call like it was denied before",
	string(CauseRule): "A rule or a pattern found something dangerous in it", string(CausePattern): "A rule or a pattern found something dangerous in it",
	string(CauseEntry): "The function registry asks for it", string(CauseScore): "Its score is high",
}

// near are reasons of which somebody may say that they are true too: who is removed loses access, and
// what nobody understood may do anything that changes something.
var near = map[string][]string{
	string(effects.Delete): {string(effects.Permission)}, string(effects.Permission): {string(effects.Delete), string(effects.Money), string(effects.Message)},
	string(effects.Money): {string(effects.Delete)}, string(effects.Message): {string(effects.Money)},
	string(effects.Execute): {string(effects.Delete), string(effects.Permission), string(effects.Message)},
	string(effects.Write):   {string(effects.Delete), string(effects.Permission), string(effects.Money), string(effects.Message)},
	string(effects.Unknown): {string(effects.Delete), string(effects.Permission), string(effects.Money), string(effects.Execute)},
}

// why asks for the reason. What is true of the call beside that, or nearly, is no option.
func (a Approval) why() subject {
	cause := a.Cause()
	of := string(cause.Kind)
	if cause.Kind == CauseEffect {
		of = cause.Name
	}
	if of == string(effects.Execute) && !a.Assessment.Effects[0].Certain { // a click, a task
		of = string(effects.Unknown)
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
			wrong = append(wrong, never...)
		}
		return fromSet(s.value, wrong, nil, n, random)
	}
	return s
}

// never are reasons for which nothing is held, where too few others are false.
var never = []string{"It came outside of working hours", "Too many requests were waiting", "An operator asked to see such calls"}

// wouldRun asks for the function by its verb, or for the command: what no other value that is asked
// for tells.
func (a Approval) wouldRun(all []subject) subject {
	s := subject{kind: effectKind, about: "run", prompt: "Which of these would run?", worth: worthRun}
	parts := a.Subject().Parts
	for _, p := range parts {
		if p.Role == headline.Function || p.By == headline.Ours && p.Role == headline.Label && p.Text != "…" {
			return s.byVerb(p.Text, a.verb())
		}
		if headline.Written(p.Role) || p.Role == headline.Request {
			break
		}
	}
	s.value = firstWords(writtenIn(parts))
	s.make = func(_ around, n int, random *rand.Rand) []string {
		var inside []string
		for _, o := range all {
			if o.ofCall && strings.Contains(s.value, o.value) {
				inside = append(inside, o.value)
			}
		}
		return commands(s.value, inside, n, random)
	}
	return s
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

// byVerb asks for the verb of a name: one of a set of like verbs, or that of the effect. Of a name
// without one the first word is asked for where nothing else can be.
func (s subject) byVerb(name, verb string) subject {
	words := strings.Fields(name)
	if len(words) == 0 {
		return s
	}
	s.value = name
	at, set := 0, anyVerb
	for i, w := range slices.Backward(words) {
		for _, like := range verbs {
			if slices.Contains(like, strings.ToLower(w)) {
				at, set = i, like
			}
		}
	}
	if !slices.Contains(set, strings.ToLower(words[at])) {
		if at = slices.IndexFunc(words, func(w string) bool { return strings.EqualFold(w, verb) }); at < 0 {
			at, s.worth = 0, worthLast
		}
	}
	s.make = func(_ around, n int, random *rand.Rand) []string {
		all := []string{name}
		for _, w := range fromSet(strings.ToLower(words[at]), set, nil, n, random) {
			if w == strings.ToLower(words[at]) {
				continue
			}
			if at == 0 {
				w = strings.ToUpper(w[:1]) + w[1:]
			}
			changed := slices.Clone(words)
			changed[at] = w
			all = append(all, strings.Join(changed, " "))
		}
		return all
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
	return slices.DeleteFunc(all, func(p string) bool { return utf8.RuneCountInString(p) < 2 || untold[p] })
}

// untold are words of values that say nothing of which one it is.
var untold = map[string]bool{"it": true, "com": true, "example": true, "org": true, "net": true, "https": true, "http": true, "arn": true, "aws": true, "or": true, "of": true, "in": true, "something": true, "the": true}
