package headline

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/edits"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

var (
	granting = words("granting")
	revoking = words("revoking")
	access   = words("access")
	paying   = words("paying")
	stopping = words("stopping")
	persons  = words("persons")
	making   = words("making")
	// members are those whose access ends where they are taken off, controls what guards something,
	// posted what is said to people, and channels what many listen to.
	members    = words("members")
	controls   = words("controls")
	offs       = words("offs")
	posted     = words("posted")
	channels   = words("channels")
	groups     = words("groups")
	rooms      = words("rooms")
	replacing  = words("replacing")
	publishing = words("publishing")
	// processes are what runs, and repeated what runs again once what is known of it is cleared.
	processes = words("processes")
	repeated  = words("repeated")
	// telling are verbs by which people are told something, prices what is paid later, payees what says who is paid, losses
	// words of flags that lose something, and stopped names of states that stop something.
	scaled, sharing = words("scaled"), words("sharing")
	// admins are names of those who decide over others, grouping of options that put into a group, and powers of what an
	// account of a database may have.
	admins, grouping, powers = words("admins"), words("grouping"), words("powers")
	// monies are things of money, doubtful verbs that mean it only beside one, and preludes of what is done before something else.
	monies, doubtful, preludes                       = words("monies"), words("doubtful"), words("preludes")
	switches, barring, keyed                         = words("switches"), words("barring"), words("keyed")
	buying, telling, prices, payees, losses, stopped = words("buying"), words("telling"), words("prices"), words("payees"), words("losses"), words("stopped")
	// acts are what follows from an act or a state of this name.
	acts = func() map[string]string {
		all := map[string]string{}
		for does, words := range vocabulary().Acts {
			for w := range strings.FieldsSeq(words) {
				all[w] = does
			}
		}
		return all
	}()
	mutes = "Mutes alerts"
)

// consequence is what follows, from the effect that decides: so it says nothing else than the
// level does.
func (a *act) consequence() string {
	if len(a.Effects) == 0 {
		return "Passes content on"
	}
	e := a.Effects[0]
	if w := a.written; w != nil && w.role == Statement && !w.says(e) { // the role in which a statement is run
		if at := slices.IndexFunc(a.Effects, w.says); at > 0 && a.Effects[at].Kind != effects.Read {
			e = a.Effects[at]
		}
	}
	switch e.Kind {
	case effects.Read:
		switch {
		case e.Sensitive && slices.ContainsFunc(a.Effects, func(e effects.Effect) bool { return e.Audience == effects.Outside }):
			return "Reads, and sends data"
		case e.Sensitive:
			return "Reads what is sensitive"
		}
		return "Only reads"
	case effects.Delete:
		return a.deletesBeside(e)
	case effects.Permission:
		return a.access(e)
	case effects.Money:
		return a.pays(e)
	case effects.Message:
		switch {
		case e.Audience == effects.Public && a.hasWord(channels):
			return "Sends to subscribers"
		case e.Audience == effects.Public:
			return "Publishes to everyone"
		case e.Audience == effects.Outside && a.leaves():
			return "Sends to people outside"
		case e.Audience == effects.Inside:
			return "Sends to people inside"
		case a.written != nil:
			return "Sends data to an address"
		case a.hasAny(telling) || a.leaves() || slices.ContainsFunc(a.arguments, func(arg Argument) bool {
			return arg.Role == Recipient || arg.Role == Text && !anyOf(arg.Words, remarks) || anyOf(arg.Words, rooms)
		}):
			return "Sends to people"
		}
		return a.writes(e)
	case effects.Execute:
		if a.written == nil && (!e.Certain || a.acts(e) != "") { // a click, a task: what follows stands nowhere
			return cmp.Or(a.acts(e), "Not known what it does")
		}
		switch w := a.written; {
		case w != nil && acts[strings.ToLower(w.text)] != "": // the command of a machine
			return acts[strings.ToLower(w.text)]
		case w != nil && sends.MatchString(w.text):
			return "Runs code that sends data"
		case w != nil && w.mayDelete(a):
			return "Runs code that may delete"
		}
		if a.written != nil && a.written.role == Command && e.Object == "program" { // which no table knows
			return "Runs what isn't understood"
		}
		return "Runs code that isn't understood"
	case effects.Write:
		return cmp.Or(a.opens(), a.writes(e))
	case effects.Unknown:
		last := len(a.words) - 1
		if last > 0 && (a.words[last] == "on" || a.words[last] == "off") {
			return "May switch it " + a.words[last]
		}
		if a.hasAny(offs) && a.hasAny(controls) {
			return "Switches off a control"
		}
		if a.written != nil && a.written.worst == effects.Delete { // what a program or a request of GraphQL calls
			return "Deletes"
		}
		return cmp.Or(a.opens(), a.acts(e), "Not known what it does")
	}
	return "Not known what it does"
}

// unsets matches a statement that takes away what guards.
var unsets = regexp.MustCompile(`(?i)\b(?:unset|disable|drop)\b[^;]*(?:policy|row level security|audit|masking)`)

// sends matches what sends data in a program.
var sends = regexp.MustCompile(`\.(?:post|put|upload)\(\s*['"f]*https?://|\bcurl\b.* (?:-d|--data\S*|-F|-T|-X POST) `)

// hasAny reports whether the function's name has a word of a list.
func (a *act) hasAny(list map[string]bool) bool { return anyOf(a.words, list) }

// pays is what follows from an effect of money. A word that means money as often as not (an order, an enrolment that is
// withdrawn) does so only beside a thing of money.
func (a *act) pays(e effects.Effect) string {
	amount := e.Amount != nil || slices.ContainsFunc(a.arguments, func(arg Argument) bool { return arg.Role == Amount && arg.Weight > Cheap })
	sets, pays := a.hasAny(setting), paying[e.Verb] || a.hasAny(paying)
	switch {
	case e.Verb == "transfer" && a.written == nil && !amount:
		return "Hands it over" // a domain, a repository
	case (a.hasAny(prices) || sets && slices.ContainsFunc(a.arguments, func(arg Argument) bool { return arg.Role == Amount && anyOf(arg.Words, prices) })) && !pays:
		return "Changes a price or limit"
	case a.written == nil && (sets && a.hasWord(payees) || !amount && a.hasAny(payees)), a.written != nil && e.Verb == "change" && anyOf(call.Words(a.written.text[a.written.within:a.written.until]), payees):
		return "Changes where money goes"
	case amount && pays && (e.Amount != nil && paying[e.Verb] || making[e.Verb]):
		return "Moves money"
	case amount, a.written != nil, e.Verb == "grant", anyOf(a.words[:min(1, len(a.words))], buying), slices.ContainsFunc(append(a.words, e.Verb), func(w string) bool { return paying[w] && !doubtful[w] }), (pays || buying[e.Verb] || a.hasAny(buying)) && (a.hasAny(monies) || a.hasWord(monies)):
		return "Moves or promises money"
	}
	return a.writes(e)
}

// acts is what the state that is set says, or the verb, or the words of the function's name.
func (a *act) acts(e effects.Effect) string {
	for _, arg := range a.arguments {
		if len(arg.Words) == 0 || arg.of > 0 || strings.Contains(arg.label, ".") || arg.Role != Manner && arg.Role != Count && !running[arg.Words[len(arg.Words)-1]] && !deciding[arg.Words[len(arg.Words)-1]] {
			continue
		}
		last, text := arg.Words[len(arg.Words)-1], strings.ToLower(arg.Values[0].Text()+arg.Values[0].Number())
		on, off := arg.Values[0].Bool() || text == "true" || text == "1", arg.Role == Flag && !arg.Values[0].Bool() || text == "false" || text == "0"
		switch stops := stopped[last]; {
		case off && anyOf(arg.Words, scaled): // to nothing
			return "Stops it"
		case off && strings.Contains(last, "lock"):
			return "Opens what was locked"
		case switches[last] && (on && stops || off && !stops):
			return "Switches it off"
		case switches[last] && (on || off) && e.Kind == effects.Write && !making[e.Verb]:
			return "Switches it on"
		case acts[text] != "":
			return acts[text]
		}
	}
	if a.written == nil && !a.hasAny(persons) && (acts[e.Verb] == "" || acts[e.Verb] == "Books it" || acts[e.Verb] == mutes) && slices.ContainsFunc(a.words, func(w string) bool { return acts[w] == mutes }) {
		return mutes
	}
	if does := acts[e.Verb]; does != "" && (!making[e.Verb] || e.Verb == "open") {
		if a.written == nil && len(a.words) > 0 && a.words[0] != e.Verb && slices.ContainsFunc(a.words, func(w string) bool { return acts[w] != "" && acts[w] != does }) {
			return "" // quarantine_release: which of them is done?
		}
		return does
	}
	if making[e.Verb] || e.Kind == effects.Write && (a.written == nil || a.written.role != Code) { // the name of a shell says nothing
		return ""
	}
	does := ""
	for _, w := range a.words {
		if acts[w] != "" && does != "" && does != acts[w] {
			return ""
		}
		does = cmp.Or(does, acts[w])
	}
	return does
}

// deletesBeside is what is lost, or what is done beside that where only a flag says that something is lost.
func (a *act) deletesBeside(e effects.Effect) string {
	flagged := a.written == nil && len(e.Evidence) > 0
	for _, at := range e.Evidence {
		flagged = flagged && at.End == 0 && strings.HasPrefix(at.Pointer, "/arguments/")
	}
	if e.Verb == "trash" || e.Verb == "archive" || !flagged && !(e.Verb == "overwrite" && a.written == nil) {
		for _, o := range a.Effects[1:] {
			switch {
			case a.written == nil || !a.written.says(o):
			case o.Kind == effects.Permission && wordlist.OneOf("headline.endingVerbs", e.Verb) == e.Verb: // what is stopped can be started
				return a.access(o)
			case o.Kind == effects.Permission && !preludes[o.Verb]:
				return "Deletes, and changes access"
			case o.Kind == effects.Message && o.Audience != effects.Inside:
				return "Deletes, and sends data"
			}
		}
		return a.deletes(e)
	}
	for _, o := range a.Effects[1:] {
		switch {
		case o.Kind == effects.Permission:
			return a.access(o)
		case o.Kind == effects.Money:
			return a.pays(o)
		}
	}
	if e.Verb == "overwrite" {
		return a.deletes(e)
	}
	return "Changes, and deletes"
}

// opens is what an argument does, whatever the function's name says.
func (a *act) opens() string {
	for _, o := range a.options() { // --visibility public
		if o.does != "" {
			return o.does
		}
	}
	for _, does := range []string{"Makes it public", "Changes where money goes", "Switches off a control", "Sends data to an address"} {
		if slices.ContainsFunc(a.arguments, func(arg Argument) bool { // beside a command {requires_approval: false} says how that is run
			return arg.does == does && (a.written == nil || a.written.role != Command || arg.Values[0].Bool())
		}) {
			if does == "Makes it public" && slices.ContainsFunc(a.words, func(w string) bool { return posted[w] && w != "post" }) {
				return "Sends to people"
			}
			return does
		}
	}
	return ""
}

// options are those of the command that decides, with their values.
func (a *act) options() (all []Argument) {
	w := a.written
	if w == nil || w.role != Command || w.end == 0 {
		return nil
	}
	words := w.words(a, false)
	for i, word := range words {
		name, value, sets := strings.Cut(word.Text, "=")
		if !sets && i > 0 {
			name, value = words[i-1].Text, strings.Replace(word.Text, "$true", "true", 1)
		}
		if strings.HasPrefix(name, "-") {
			all = append(all, a.option(name, value))
		}
	}
	return all
}

func (a *act) writes(e effects.Effect) string {
	set := func(name string) bool {
		i := a.argument(name)
		return i >= 0 && a.arguments[i].Weight != weightUnset && a.arguments[i].Weight != weightShown
	}
	switch {
	case e.Object == "request" && e.Certain:
		return "Sends a request"
	case set("archived"):
		return "Archives"
	case slices.ContainsFunc(a.arguments, func(arg Argument) bool {
		return arg.Role == Flag && arg.Weight >= weightFar && arg.Values[0].Bool() && anyOf(arg.Words, losses)
	}):
		return "Changes, and deletes"
	case set("sha") && len(edits.Read(a.in)) > 0, replacing[e.Verb]:
		return "Overwrites"
	case e.Verb == "reset":
		return "Resets"
	case making[e.Verb] && a.written == nil && slices.ContainsFunc(a.arguments, func(arg Argument) bool { return arg.Secret && anyOf(arg.Words, keyed) }):
		return "Grants access"
	case !making[e.Verb] || a.written != nil || e.Verb == "open":
		return cmp.Or(a.acts(e), "Changes")
	case slices.ContainsFunc(a.words, func(w string) bool { return setting[w] }):
		return "Creates or changes"
	case slices.ContainsFunc(a.arguments, Argument.invites):
		return "Creates, and may tell people"
	}
	return "Creates"
}

// invites reports whether an argument is the address of somebody who is told.
func (a Argument) invites() bool {
	return a.Role == Recipient && strings.Contains(a.Values[0].Text(), "@") && slices.ContainsFunc(call.Words(a.Name), func(w string) bool { return people[w] || people[singular(w)] })
}

// hasWord reports whether the name of an argument has a word.
func (a *act) hasWord(of map[string]bool) bool {
	return slices.ContainsFunc(a.arguments, func(arg Argument) bool { return slices.ContainsFunc(arg.Words, func(w string) bool { return of[w] }) })
}

func (a *act) deletes(e effects.Effect) string {
	does := "Deletes"
	switch {
	case a.takesOff(e):
		return "Takes access away"
	case a.written != nil && (e.Object == "process" || e.Verb == "scale"): // pkill, and to no replicas
		return "Ends what runs"
	}
	if does := acts[e.Verb]; does == "Puts back an earlier state" || e.Verb == "release" {
		return does
	}
	switch e.Verb {
	case "archive":
		return "Archives"
	case "trash":
		return "Moves to the trash"
	case "force-push":
		if e.Breadth != effects.All {
			does = "Overwrites"
		}
	case "overwrite", "replace":
		does = "Overwrites"
	case "clear":
		if slices.ContainsFunc(strings.Fields(e.Object), func(w string) bool { return repeated[singular(w)] }) {
			return "Runs it again"
		}
	case wordlist.OneOf("headline.endingVerbs", e.Verb):
		if a.written == nil && acts[e.Verb] == "Stops it" && e.Verb != "stop" {
			return "Stops it"
		}
		if does = "Ends what runs"; a.written == nil && !slices.ContainsFunc(strings.Fields(e.Object), func(w string) bool { return processes[singular(w)] }) {
			does = "Ends or cancels it"
		}
	case "move":
		does = "Moves"
	case "reset", "discard":
		if a.written == nil || e.Object != "" { // heroku pg:reset
			does = "Deletes changes"
		}
	}
	if e.Breadth == effects.All && does == "Deletes" {
		does += " all of it"
	}
	if r := a.reversible(); r != nil && !*r {
		does += " for good"
	}
	return does
}

// takesOff reports whether only the access of somebody is deleted.
func (a *act) takesOff(e effects.Effect) bool {
	words := strings.Fields(e.Object)
	return e.Kind == effects.Delete && !e.Certain && len(words) > 0 && members[singular(words[len(words)-1])]
}

func (a *act) access(e effects.Effect) string {
	does := a.changesAccess(e)
	if does == "Grants access" && a.administers() {
		return "Grants access as administrator"
	}
	return does
}

// administers reports whether what is given is the right to decide over others.
func (a *act) administers() bool {
	if w := a.written; w != nil && w.role != Command {
		text, _, _ := strings.Cut(strings.ToLower(w.text[w.within:w.until]), " to ")
		text, _, _ = strings.Cut(text, " on ")
		return anyOf(strings.Fields(text), admins)
	}
	return slices.ContainsFunc(append(a.options(), a.arguments...), func(arg Argument) bool {
		return (arg.Role == Given || anyOf(arg.Words, grouping)) && slices.ContainsFunc(arg.Values, func(n *call.Node) bool { return anyOf(call.Words(n.Text()), admins) })
	})
}

func (a *act) changesAccess(e effects.Effect) string {
	verb, objects := e.Verb, strings.Fields(e.Object)
	if w := a.written; w != nil && w.role == Command && w.end > 0 { // what the subcommands say: add-iam-policy-binding
		for _, word := range strings.Fields(w.text[w.within:w.until]) {
			if strings.HasPrefix(word, "-") || strings.ToLower(word) != word {
				break
			}
			for _, part := range call.Words(word) {
				if granting[part] || revoking[part] || offs[part] {
					verb = part
				}
				objects = append(objects, part)
			}
		}
	}
	has := func(list map[string]bool) bool {
		return slices.ContainsFunc(objects, func(w string) bool { return list[singular(w)] })
	}
	given := slices.ContainsFunc(a.arguments, func(arg Argument) bool { return arg.Role == Given })
	about := has(access) || given || has(persons) && a.hasWord(groups)
	binds := slices.ContainsFunc(objects, func(w string) bool { return strings.HasSuffix(w, "binding") })
	switch {
	case preludes[e.Verb] && len(a.Effects) > 1 && a.Effects[1].Kind == effects.Write: // who signs in does that for something
		return a.writes(a.Effects[1])
	case e.Verb == "send" && e.Object == "secret":
		return "May send a secret out"
	case e.Object == "protected file":
		return "Changes access or what runs"
	case e.Object == "schedule" && a.written != nil:
		return "Changes what runs by itself"
	case a.written == nil && a.acts(e) == mutes:
		return mutes
	case a.written == nil && !about && (verb == "grant" && has(monies) || slices.ContainsFunc(a.arguments, func(arg Argument) bool { return arg.Role == Amount })):
		return cmp.Or(a.opens(), a.pays(effects.Effect{Verb: e.Verb}))
	case a.written == nil && barring[verb] || revoking[verb] && has(persons):
		return "Takes access away"
	case a.written == nil && a.hasAny(payees) && !about:
		return "Changes where money goes"
	case a.opens() == "Switches off a control" && a.hasAny(making):
		return "Creates it without a control"
	case verb == "grant":
		return "Grants access"
	case a.written != nil && unsets.MatchString(a.written.text):
		return "Switches off a control"
	case a.written != nil && (e.Verb == "alter" && anyOf(call.Words(a.written.text[a.written.within:a.written.until]), powers) || slices.ContainsFunc(a.options(), func(o Argument) bool {
		return anyOf(o.Words, grouping) && anyOf(call.Words(o.Values[0].Text()), admins)
	})):
		return "Grants access"
	case !revoking[verb] && a.opens() != "":
		return a.opens()
	case publishing[e.Verb]:
		return "Makes it public"
	case e.Verb == "weaken", has(controls) && offs[verb]:
		return "Switches off a control"
	case e.Verb == "open":
		return "Opens what was locked"
	case about && revoking[verb]:
		return "Takes access away"
	case offs[verb] && !about && !has(persons) && (a.written == nil || effects.Weakens(true, append(objects, verb), nil)), e.Object == "firewall" && e.Breadth == effects.All: // logging
		return "Switches off a control"
	case offs[verb] && !about && !has(persons): // a service
		return "Switches it off"
	case slices.ContainsFunc(a.arguments, func(arg Argument) bool {
		return arg.Role == Given && arg.Weight >= Danger && slices.ContainsFunc(arg.Values, func(n *call.Node) bool { return effects.Rules(n.Text()) })
	}), about && granting[verb], binds && !revoking[verb], e.Verb == "make admin", granting[verb] && given, sharing[verb] && a.leaves(), slices.ContainsFunc(a.words, effects.Rules) && granting[verb]:
		return "Grants access"
	case a.written == nil && !about:
		return cmp.Or(a.acts(e), "Changes access or security")
	}
	return "Changes access or security"
}

// leaves reports whether an address says who gets a message.
func (a *act) leaves() bool {
	return slices.ContainsFunc(a.arguments, func(arg Argument) bool {
		return arg.Role == Recipient && strings.Contains(arg.Values[0].Text(), "@") || arg.Words != nil && (slices.Contains(arg.Words, "phone") || slices.Contains(arg.Words, "sms"))
	})
}

// mayDelete reports whether a command or a statement has a word that deletes, or a line of a program calls what does.
func (w *written) mayDelete(a *act) bool {
	if w.role == Statement {
		return slices.ContainsFunc(call.Words(w.text), func(word string) bool { return effects.Does(word) == effects.Delete })
	}
	probe := written{role: w.role, text: w.text}
	probe.look(a)
	return probe.worst == effects.Delete
}
