package quiz

import (
	"maps"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/internal/scoring/headline"
	"github.com/countersign/countersign/internal/scoring/program"
	"github.com/countersign/countersign/internal/scoring/scan"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// What is asked of the commands of a shell: what the program is told to do, what it names and the values of its
// options. Which command is meant follows from where the effect that decides was read; who only runs another one (sudo,
// ssh, npx) is looked through.

// command is a simple command of the call, where it stands, and whether it made the level.
type command struct {
	shell.Command
	in      stretch
	decides bool
}

// commands are those that shells run.
func (c Call) commands() (all []command) {
	if c.ran != nil {
		return *c.ran
	}
	languages := c.Action.Languages()
	for _, pointer := range slices.Sorted(maps.Keys(languages)) {
		text := c.Action.At(pointer)
		if languages[pointer] != facts.Shell {
			continue
		}
		if list := listed.ReplaceAllString(pointer, ""); list != pointer { // a list of words is one command
			if pointer = list; slices.ContainsFunc(all, func(one command) bool { return one.in.pointer == list }) {
				continue
			}
			text = writtenIn(c.headline().Parts)
		}
		ran := c.Action.Commands(text[:min(len(text), maxExecuted)])
		is := func(one shell.Command) bool { // the effect was read from it, and not from one in which it stands
			all := c.Assessment.Effects
			if len(all) > 1 && all[0].Verb == "login" && all[1].Kind != effects.Read { // it's the harmless half
				all = all[1:2]
			}
			return slices.ContainsFunc(all, func(e effects.Effect) bool {
				return (slices.Contains(acting, e.Kind) || reflect.DeepEqual(e, all[0])) && slices.ContainsFunc(e.Evidence, func(e effects.Evidence) bool {
					return e.Pointer == pointer && e.Start == one.Start && e.End == one.End
				})
			})
		}
		exact := slices.ContainsFunc(ran, is)
		for _, one := range ran {
			if one.Role != shell.Outer && len(one.Words) > 0 {
				all = append(all, command{one, stretch{pointer, text}, is(one) || !exact && c.decides(pointer, one.Start, one.End)})
			}
		}
	}
	return all
}

// deciding are the commands from which the effect that decides was read, the last first: people read the beginning.
func (c Call) deciding() []command {
	all := slices.DeleteFunc(slices.Clone(c.commands()), func(one command) bool { return !one.decides })
	slices.Reverse(all)
	return all
}

// does asks what a program is told to do: "zfs rollback", "apt-get purge". The others are what else it can be told.
func (c Call) does(one command) subject {
	words, others := effects.Told(one.Command)
	said := one.Program()
	verb := said
	for i, w := range one.Words[1:min(len(one.Words), 4)] { // aliyun kms ScheduleKeyDeletion
		if _, ok := doing(w.Text, nil); ok && words == nil && camel.MatchString(w.Text) {
			words = one.Words[1 : i+2]
		}
	}
	if words == nil && !camel.MatchString(said) { // Add-MailboxPermission
		return subject{}
	}
	if words != nil {
		for _, w := range words {
			said += " " + w.Text
		}
		verb = words[len(words)-1].Text
	}
	before := strings.TrimSuffix(said, verb)
	var like []string // a name that has a verb, or one behind its object
	if at := slices.IndexFunc(lists.Verbs, func(v verbs) bool { return slices.Contains(v.Of, verb) }); at >= 0 {
		others = slices.DeleteFunc(others, func(o string) bool { return slices.Contains(lists.Verbs[at].Of, o) })
		if len(words) > 1 || len(others) > 0 {
			like = lists.Verbs[at].others()
		}
	}
	if s, ok := doing(verb, nil); ok && !slices.ContainsFunc(strings.Split(verb, "-"), func(w string) bool { return slices.Contains(lists.Joining, w) }) { // add-scc-to-user
		for _, o := range s.others {
			like = append(like, verb[:s.from]+o+verb[s.to:])
		}
		others = slices.DeleteFunc(others, func(o string) bool { return !strings.HasSuffix(o, verb[s.to:]) || !strings.HasPrefix(o, verb[:s.from]) })
	}
	does := func(o string) bool { return says(c.shown(), o) || slices.Contains(lists.Implied[verb], o) }
	others = slices.DeleteFunc(others, does)
	for _, o := range append(like, lists.Any[:min(len(lists.Any), len(lists.Any)*len(like))]...) {
		if !slices.Contains(others, o) && !does(o) && len(others) < wideOptions-1 {
			others = append(others, o)
		}
	}
	if len(others) < quizOptions-1 {
		return subject{}
	}
	s := subject{kind: effectKind, about: "run", prompt: "What does the command do?", value: said, worth: headline.Decisive + 3, verb: true}
	s.make = func(_ Corpus, n int, random *rand.Rand) []string {
		var all []string
		for _, o := range others {
			all = append(all, before+o)
		}
		return fromSet(s.value, all, nil, n, random)
	}
	return s
}

// asks reports whether a place is the program, or the value of an option that is asked for by its name.
func (one command) asks(p scan.Place) bool {
	at := slices.IndexFunc(one.Words, func(w shell.Word) bool { return w.Start <= p.Start && p.Start < w.End })
	return p.Pointer == one.in.pointer && at >= 0 && (at == 0 || strings.HasPrefix(one.Words[at-1].Text, "-") && len(one.Words[at-1].Text) > 5 || strings.HasPrefix(one.Words[at].Text, "--"))
}

// ofCommand asks for the values of a command's options, and for what it names behind its verb.
func (c Call) ofCommand(one command, noted func(value string) bool, note func(subject, stretch, int)) {
	cut := program.OptionsOf(strings.ToLower(one.Program())).Take(one.Words[1:])
	told, _ := effects.Told(one.Command)
	value := func(label, prompt string, w shell.Word) {
		if before, after, ok := strings.Cut(w.Text, "="); ok && member.MatchString(before) { // policies=pki-issue
			label, prompt, w.Text = before, "Which value goes with “"+before+"”?", strings.Trim(after, `"'`)
		}
		if prompt == "" || strings.Contains(w.Text, ";") {
			return
		}
		s := subject{kind: string(headline.Value), label: label, name: strings.Fields(strings.ToLower(headline.Words(label))), prompt: prompt, value: w.Text}
		s.noun, _ = nounOf(s.name)
		if s.worth = min(c.weighed(label, w.Text), headline.OfTarget-1); slices.ContainsFunc(s.name, func(w string) bool {
			return slices.Contains(lists.Consent, w) || s.worth < headline.Danger && slices.Contains(lists.Unasked, w)
		}) || !w.Literal || s.value == "0" || s.value == "1" {
			return
		}
		s.about = strings.Join(s.name, " ") + " of what runs"
		note(s, one.in, w.Start)
	}
	if ran := c.deciding(); len(ran) > 0 && ran[0].Words[0] == one.Words[0] && ran[0].decides { // people read the beginning
		before := note
		note = func(s subject, t stretch, from int) {
			s.worth += 8
			before(s, t, from)
		}
	}
	for _, o := range cut.Options {
		name, _, _ := strings.Cut(strings.TrimLeft(o.Word.Text, "-"), "=")
		dashes := o.Word.Text[:len(o.Word.Text)-len(strings.TrimLeft(o.Word.Text, "-"))]
		flag := slices.Contains(lists.Flags, name) || slices.ContainsFunc(lists.Verbs, func(v verbs) bool { return slices.Contains(v.Of, name) }) ||
			slices.ContainsFunc(lists.Said, func(of set) bool { return slices.Contains(of.Of, dashes+name) })
		if did, ok := doing(name, nil); ok && !strings.HasPrefix(name, "accept") && !slices.Contains(lists.Joining, strings.TrimLeft(name[did.to:], "-_:")) && (o.ValueAt < 0 || !o.Joined) && one.decides { // --delete-after-revoke
			s := subject{kind: string(headline.Value), about: "flag of what runs", prompt: "Which flag is given?", value: dashes + name, worth: headline.Danger}
			s.make = func(_ Corpus, n int, random *rand.Rand) (texts []string) {
				var all []string
				for _, v := range did.others {
					all = append(all, dashes+name[:did.from]+v+name[did.to:])
				}
				return fromSet(s.value, all, nil, n, random)
			}
			note(s, one.in, o.Word.Start)
		} else if o.ValueAt >= 0 && (o.Joined || !flag) && (len(dashes) == 2 && len(name) > 1 || len(name) > 3) {
			value(name, "Which value does "+dashes+name+" have?", o.Value)
		} else if name == "X" && o.ValueAt >= 0 {
			value("method", "Which method?", o.Value)
		} else if o.ValueAt >= 0 && strings.Contains(o.Value.Text, "=") {
			value("", "", o.Value)
		}
	}
	for i, w := range cut.Operands {
		if slices.ContainsFunc(told, func(v shell.Word) bool { return v.Start == w.Start }) || cut.Doubtful[i] || !w.Literal || strings.HasPrefix(one.Words[cut.At[i]].Text, "--") { // after an option it may be its value
			continue
		}
		if strings.Contains(w.Text, "=") {
			value("", "", w)
			continue
		}
		if s, ok := file(w.Text); ok {
			note(s, one.in, w.Start)
		} else if told != nil && one.decides && !noted(w.Text) {
			s := subject{kind: string(headline.Target), about: "operand of what runs", prompt: "What does the command name?", value: w.Text, worth: headline.OfTarget}
			for _, v := range told { // purge_queue invoices.outbound
				words := strings.FieldsFunc(strings.ToLower(v.Text), func(r rune) bool { return strings.ContainsRune("-_:", r) })
				if of, ok := nounOf(words); ok && of.Kind != "person" {
					if s.noun = of; of.Kind == "company" { // npm owner add
						s.noun = &lists.Nouns[0]
					} else {
						s.prompt = "Which " + words[len(words)-1] + " does the command name?"
					}
				}
			}
			if number.MatchString(s.value) {
				s.prompt = "Which number does the command name?"
			}
			if isHost(s.value) {
				s.noun = &lists.Company
			} else if s.noun == nil {
				s.noun = nounLike(s.value)
			}
			note(s, one.in, w.Start)
		}
	}
}

// member is the name before a "=", and listed what follows the pointer to a list.
var (
	member = regexp.MustCompile(`^[A-Za-z_][\w.-]{1,40}$`)
	listed = regexp.MustCompile(`/\d+$`)
)
