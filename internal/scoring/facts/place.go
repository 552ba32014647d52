package facts

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/effects"
)

// Where the thing is that a call is about: in a repository, on a host, in a group.

// containers are things that others are in, the narrowest first.
var containers = ordered("page dag table collection index repository repo channel namespace folder bucket calendar spreadsheet zone database schema base project board dataset cluster guild group vault " +
	"site store drive app application server environment space team account workspace organization organisation org")

// running are what a command runs in.
var running = []string{"pod", "container", "host", "server", "instance", "machine", "node", "vm", "device", "database", "app"}

// place says what all that is in: what the function's name says ("add_user_to_group"), a
// host, or the first argument that names a container.
func (d *deed) place(in *call.Call, facts []Fact) {
	if !d.specific || d.effect.Kind == effects.Money {
		return
	}
	if f, joint, ok := d.towards(in); ok {
		d.within, d.joint = &f, joint
		return
	}
	if i := slices.IndexFunc(facts, func(f Fact) bool {
		return f.Source == FromShell && f.Kind == Target && slices.Contains([]string{"namespace", "cluster", "project", "resource group"}, f.Label) && f.Pointer == d.target.Pointer && f.Value != d.target.Value && nameableValue(f.Value)
	}); i >= 0 && d.target.Source == FromShell && d.target.Label != facts[i].Label {
		d.within = &facts[i]
		return
	}
	if d.executes() && !runsElsewhere(in.Function) {
		return // what no shell takes says nothing of where it runs
	}
	if f, ok := runsIn(in); ok && d.executes() && f.Pointer != d.target.Pointer {
		d.within = &f
		return
	}
	var found *Fact
	best := len(containers) + 1
	take := func(f Fact, word string) {
		rank, ok := containers[word]
		if persons[f.Label] && d.named && (d.effect.Kind == effects.Permission || d.effect.Kind == effects.Delete) && !ok {
			rank, ok = len(containers), true
		}
		if ok && rank < best && nameableValue(f.Value) && !isSecretPath(f.Pointer) && !strings.Contains(f.Pointer, "/data/") && !strings.Contains(f.Pointer, "/stringData/") && !(d.keepsSecrets(in.Function) && strings.Count(f.Pointer, "/") > 2) && f.Value != d.target.Value && f.Pointer != d.target.Pointer && f.Label != d.target.Label && (lastOf(d.object) != word || d.object == "" || word == "channel") &&
			!slices.ContainsFunc(call.Words(lastName(f.Pointer)), isPerson) {
			found, best = &f, rank
		}
	}
	for _, f := range facts {
		if f.Source == FromKey && (f.Kind == Target || f.Kind == Table || f.Kind == Recipient && f.Label == "channel") {
			take(f, f.Label)
		}
	}
	for _, m := range in.Tree().Nodes { // a word of which no fact is made
		stem, _ := stemOf(m.Words)
		if len(stem) == 0 || !nameable(m) || slices.ContainsFunc(facts, func(f Fact) bool { return f.Pointer == m.Pointer && f.Source == FromKey }) {
			continue
		}
		word, value := stem[len(stem)-1], m.Text()+m.Number()
		if full := humanWords[word]; full != "" {
			word = full
		}
		take(Fact{Kind: Target, Value: value, Label: word, Pointer: m.Pointer, End: len(value), Source: FromKey}, word)
	}
	d.within = found
}

func isPerson(word string) bool {
	_, ok := roles[who][singularOf(word)]
	return ok && !persons[word]
}

// runsElsewhere reports whether a function's name says that what it executes runs in something
// that an argument names: kubectl_exec, execute_sql, but not bash.
func runsElsewhere(function string) bool {
	return slices.ContainsFunc(call.Words(function), func(w string) bool { return !shells[w] })
}

// shells are words of names that say only that a command is run.
var shells = words("bash sh zsh shell terminal powershell cmd command commands run execute exec start process script code tool python call use")

// towards is the argument that the function's name says something goes to or comes from:
// add_user_to_group {group_id}.
func (d *deed) towards(in *call.Call) (f Fact, joint string, ok bool) {
	all := call.Words(in.Function)
	at := slices.IndexFunc(all, func(w string) bool { return slices.Contains([]string{"to", "from", "into", "in", "on"}, w) })
	if at < 1 || at == len(all)-1 || d.effect.Kind == effects.Money {
		return Fact{}, "", false
	}
	noun := singularOf(all[len(all)-1])
	var best *call.Node
	for _, m := range in.Tree().Nodes {
		if stem, _ := stemOf(m.Words); len(stem) > 0 && singularOf(stem[len(stem)-1]) == noun && nameable(m) && m.Pointer != d.target.Pointer {
			best = m
		}
	}
	if best == nil || best.Text()+best.Number() == d.target.Value || !effects.PlainWords(noun) {
		return Fact{}, "", false
	}
	value := best.Text() + best.Number()
	return Fact{Kind: Target, Value: value, Label: noun, Pointer: best.Pointer, End: len(value), Source: FromKey}, all[at], true
}

// runsIn is what a command runs in: kubectl_exec {pod: db-0, command: …}.
func runsIn(in *call.Call) (f Fact, ok bool) {
	for _, label := range running {
		for _, m := range in.Tree().Nodes {
			if stem, _ := stemOf(m.Words); len(stem) > 0 && stem[len(stem)-1] == label && nameable(m) {
				value := m.Text() + m.Number()
				return Fact{Kind: Target, Value: value, Label: label, Pointer: m.Pointer, End: len(value), Source: FromKey}, true
			}
		}
	}
	return Fact{}, false
}

// inside is what the thing is in: " in repository payments-api".
func (d deed) inside() string {
	if d.within == nil {
		return ""
	}
	joint, label := "in", cased(shown(d.within.Label))+" "
	switch {
	case d.joint != "":
		joint = d.joint
	case d.within.Kind == Host:
		joint, label = "on", ""
	case d.within.Label == "page":
		joint = "on"
	case d.verb == "Invite":
		joint = "to"
	case persons[d.within.Label] && !isContainer(d.within.Label):
		joint = "for"
	}
	return " " + joint + " " + label + quoted(d.within.Value)
}

// A role or permission that somebody gets or loses.
var (
	giving   = words("grant add create attach assign put set grant insert authorize share bind give update invite allow")
	takingOf = words("remove revoke delete detach unassign unbind deny")
	granting = words("binding bindings role roles permission permissions privilege privileges access grant assignment assignments")
)

// grants says of a grant who gets what on what: "Grant roles/owner on acme-prod to user:eve".
func (d *deed) grants(in *call.Call, facts []Fact) {
	if d.effect.Kind != effects.Permission && d.effect.Kind != effects.Write && d.effect.Kind != effects.Delete && d.effect.Kind != effects.Unknown ||
		!slices.ContainsFunc(d.naming(in), func(w string) bool { return granting[w] || w == "policy" && d.executes() }) {
		return
	}
	c := details{in: in, deed: deed{effect: effects.Effect{Kind: effects.Permission}, specific: true}, facts: facts}
	if n, ok := d.executed(in); ok {
		c.options(in, n)
	} else {
		c.read(in.Tree(), around{})
	}
	best := map[role]detail{}
	for _, x := range c.found {
		if all := call.Words(x.name); len(all) > 1 && (becoming[all[0]] || sending[all[0]] || all[0] == "previous" || all[0] == "current") {
			continue
		}
		depth := func(x detail) int { return strings.Count(x.pointer, "/") }
		if old, ok := best[x.role]; !ok || depth(x) < depth(old) || depth(x) == depth(old) && x.rank < old.rank {
			best[x.role] = x
		}
	}
	what, to := best[given], best[who]
	if what.value == "" || to.value == "" {
		return
	}
	verb, joint := "", " to "
	makes := slices.ContainsFunc(d.naming(in), func(w string) bool { return w == "create" || w == "update" || w == "set" || w == "put" })
	if makes && !slices.ContainsFunc(d.naming(in), func(w string) bool { return granting[w] && w != "role" && w != "roles" }) {
		return // create_role
	}
	for _, w := range d.naming(in) {
		switch {
		case verb == "" && takingOf[w]:
			verb, joint = "Revoke", " from "
		case verb == "" && giving[w]:
			verb = "Grant"
		}
	}
	if verb == "" || verb == "Revoke" && slices.ContainsFunc(d.naming(in), func(w string) bool { return w == "grant" || w == "add" || w == "assign" }) {
		return
	}
	on := ""
	switch node := nodeAt(in.Tree(), d.target.Pointer); {
	case d.executes() && d.specific && isContainer(d.target.Label) && d.target.Value != to.value && d.target.Value != what.value:
		on = d.target.Value
	case d.executes():
		on = d.behindGrant(in)
		if d.target.Value != to.value && d.target.Value != what.value {
			d.specific = d.specific && strings.Contains(to.value, d.target.Value)
		}
	case d.specific && d.target.Pointer != what.pointer && d.target.Pointer != to.pointer && node != nil && d.target.Value != "" && strings.Trim(to.value, `"`) != d.target.Value:
		on = d.target.Value
	default:
		best := 1 << 10
		for _, m := range in.Tree().Nodes {
			stem, _ := stemOf(m.Words)
			if len(stem) == 0 || !nameable(m) || m.Kind() != canon.KindString || m.Pointer == what.pointer || m.Pointer == to.pointer {
				continue
			}
			rank, ok := containers[stem[len(stem)-1]]
			if at := slices.Index([]string{"scope", "resource", "file", "document"}, stem[len(stem)-1]); at >= 0 {
				rank, ok = at-4, true
			}
			if ok && rank < best {
				best, on = rank, m.Text()
			}
		}
	}
	d.grant = verb + " " + what.value
	if on != "" {
		d.grant += " on " + quoted(on)
	}
	d.grant += joint + to.value
	if d.specific && !strings.Contains(d.grant, quoted(d.target.Value)) {
		d.grant = "" // it has to say what is to be typed
	}
}

// behindGrant is the word of a command behind the one that says that something is granted:
// projects add-iam-policy-binding acme-prod.
func (d deed) behindGrant(in *call.Call) string {
	all := d.argv(in)
	at := slices.IndexFunc(all, func(w string) bool {
		return slices.ContainsFunc(call.Words(w), func(w string) bool { return granting[w] })
	})
	if at < 0 || at+1 >= len(all) || strings.HasPrefix(all[at+1], "-") || !nameableValue(all[at+1]) || len(call.Words(all[at])) < 2 {
		return ""
	}
	return all[at+1]
}

// naming are the words that say what is done: those of the function, or of the command before
// its options.
func (d deed) naming(in *call.Call) []string {
	if !d.executes() {
		return call.Words(in.Function)
	}
	var all []string
	for _, w := range d.argv(in) {
		if strings.HasPrefix(w, "-") {
			break
		}
		all = append(all, call.Words(w)...)
	}
	return all
}

func isContainer(word string) bool {
	_, ok := containers[word]
	return ok
}
