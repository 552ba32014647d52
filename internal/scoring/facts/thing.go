package facts

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/effects"
)

// What a call is about where a name's object says it: merge_pull_request(repo, pullNumber) is
// about the pull request, and the repository is where that is.

// naming are words behind a thing in the name of what names it: pullNumber, page_id.
var naming = words("id ids number no num key keys name names slug uid uuid iid arn identifier")

// titles name what is about to be made.
var titles = words("title summary subject name")

// persons are those whom a thing is made for, given to or taken from.
var persons = words("user customer member role group")

// making are verbs whose object does not exist yet, so that what an argument names is where
// it comes to be, or its title.
var making = words("create add insert append open post put upload file compose draft")

// containers are things that others are in.
var containers = words("repository project namespace database bucket cluster workspace organization organisation org owner team app application base board " +
	"space folder calendar table collection zone account schema dataset server environment group")

// thing is the argument that the object is named after; ok is false where none is, or the
// target is that already.
func (d deed) thing(in *call.Call, facts []Fact) (f Fact, ok bool) {
	object := strings.Fields(d.object)
	if len(object) == 0 && !making[strings.ToLower(d.verb)] {
		for _, w := range call.Words(in.Function) {
			if keyKinds[singular(w)] != "" || len(w) > 3 && w != strings.ToLower(d.verb) {
				object = append(object, w)
			}
		}
	}
	if len(object) == 0 || d.specific && d.fitsObject(object, d.target) {
		return Fact{}, false
	}
	best, rank := (*call.Node)(nil), 0
	var look func(n *call.Node, depth int)
	look = func(n *call.Node, depth int) {
		for _, m := range n.Nodes {
			if m.Kind() == canon.KindObject && depth < 2 {
				look(m, depth+1)
				continue
			}
			if slices.ContainsFunc(facts, func(f Fact) bool { return f.Kind == Count && f.Pointer == m.Pointer }) {
				continue // how many says not which
			}
			r := d.fit(m, object, depth)
			if m.Kind() == canon.KindArray && len(m.Nodes) > 0 {
				m = m.Nodes[0]
			}
			if r > rank && nameable(m) {
				best, rank = m, r
			}
		}
	}
	look(in.Tree(), 0)
	if best == nil {
		return Fact{}, false
	}
	for _, f := range facts {
		if f.Pointer == best.Pointer && f.Kind.salient() {
			return f, true
		}
	}
	value := best.Text() + best.Number()
	return Fact{Kind: Target, Value: value, Label: labelOf(best.Words, object), Pointer: best.Pointer, End: len(value), Source: FromKey}, true
}

// nameable reports whether a value can name something in a sentence.
func nameable(n *call.Node) bool {
	if n.Kind() != canon.KindString && n.Kind() != canon.KindNumber {
		return false
	}
	value := n.Text() + n.Number()
	return strings.TrimSpace(value) != "" && len(value) <= maxShown && !strings.Contains(value, "[REDACTED:") && !strings.ContainsAny(value, "\n\r")
}

// fitsObject reports whether a fact is what the object says already.
func (d deed) fitsObject(object []string, f Fact) bool {
	label := strings.Fields(f.Label)
	return len(label) > 0 && singular(label[len(label)-1]) == singularOf(object[len(object)-1]) || isFileWord(d.object) && f.Kind == Path ||
		f.Label == "target" && strings.Count(f.Pointer, "/") == 2 || f.Kind == Recipient && d.effect.Kind == effects.Message
}

// fit says how well the name of an argument fits the object; 0 is not at all.
func (d deed) fit(n *call.Node, object []string, depth int) int {
	if len(n.Words) == 0 {
		return 0
	}
	if people[singularOf(object[len(object)-1])] && depth == 0 && callers[singularOf(n.Words[0])] && len(n.Words) == 1 {
		return 4
	}
	stem, named := stemOf(n.Words)
	last, makes := singularOf(object[len(object)-1]), making[strings.ToLower(d.verb)]
	switch {
	case isFileWord(last) && keyKinds[n.Words[len(n.Words)-1]] == Path:
		return 5
	case makes && depth == 0 && len(n.Words) == 1 && titles[n.Words[0]]:
		if d.target.Kind == Recipient {
			return 0 // for whom it is made says as much
		}
		return 2
	case len(stem) == 0:
		if !makes && depth == 0 && n.Words[0] != "name" && n.Words[0] != "key" {
			return 2 // id, number, uid
		}
		return 0
	case strings.Join(stem, "") == strings.Join(object, ""):
		return 5
	case last == "request" && len(stem) == 1 && slices.Contains([]string{"pull", "pr", "mr", "merge"}, stem[0]):
		return 4
	case singularOf(stem[len(stem)-1]) == last:
		if named || len(object) == 1 && !makes || makes && keyKinds[last] != "" {
			return 4
		}
		return 1
	case named && slices.ContainsFunc(object, func(w string) bool { return singularOf(w) == singularOf(stem[len(stem)-1]) }):
		return 3
	}
	return 0
}

// stemOf are the words of a name without those that say that it names something.
func stemOf(words []string) (stem []string, named bool) {
	stem = words
	for len(stem) > 0 && naming[stem[len(stem)-1]] {
		stem, named = stem[:len(stem)-1], true
	}
	return stem, named
}

// singularOf is a word without the s of several.
func singularOf(w string) string {
	switch {
	case strings.HasSuffix(w, "ies") && len(w) > 4:
		return w[:len(w)-3] + "y"
	case strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !strings.HasSuffix(w, "us") && len(w) > 3:
		return w[:len(w)-1]
	}
	return w
}

// labelOf is the word for what an argument names: the object, or its own stem where that is
// only a part of the object.
func labelOf(words, object []string) string {
	if len(words) == 1 && titles[words[0]] {
		return strings.Join(object, " ")
	}
	stem, _ := stemOf(words)
	if len(stem) == 0 || singularOf(stem[len(stem)-1]) == singularOf(object[len(object)-1]) || object[len(object)-1] == "request" {
		return strings.Join(object, " ")
	}
	if label := strings.Join(stem, " "); effects.PlainWords(label) {
		return label
	}
	return "target"
}

// find says what the deed is about by the words of its name and those of the arguments: the
// thing that it names, who receives, what is moved, and what all that is in.
func (d *deed) find(in *call.Call, facts []Fact) {
	if d.object == "" && d.specific && d.target.Label == "target" {
		d.object = kindNamed(in.Arguments)
	}
	before := d.target
	if f, ok := d.thing(in, facts); ok {
		d.target, d.specific, d.named = f, true, true
	} else if f, ok := d.direction(in, facts); ok {
		d.target, d.specific = f, true
	} else if i := slices.IndexFunc(facts, func(f Fact) bool { return f.Kind == Recipient && f.Source == FromKey }); d.verb == "Invite" && i >= 0 {
		d.target, d.specific = facts[i], true
	} else if i := slices.IndexFunc(facts, func(f Fact) bool { return f.Kind == Table && f.Source == FromKey }); d.object == "" && d.specific && containers[before.Label] && i >= 0 {
		d.target = facts[i] // delete-many(database, collection)
		d.items = slices.ContainsFunc(call.Words(in.Function), func(w string) bool { return w == "many" || w == "one" || w == "multiple" })
	} else if f, n, ok := manifest(in); ok && (d.object == "" || f.Label == d.object) {
		d.target, d.specific, d.named, d.manifests = f, true, true, n
		d.object = f.Label
	}
	if i := slices.IndexFunc(facts, func(f Fact) bool { return f.Kind == Host && f.Source == FromKey && f.Label == "host" }); d.specific && i >= 0 && d.target.Kind == Target && d.effect.Kind == effects.Write && nameableValue(facts[i].Value) {
		d.within = &facts[i]
		return
	}
	d.to = d.effect.Kind == effects.Money && d.target != before && !d.named
	if !d.specific || d.target == before && !containers[d.target.Label] && d.target.Label != "target" && !d.named {
		return
	}
	for _, f := range facts {
		if (f.Kind == Target || f.Kind == Table) && f.Source == FromKey && (containers[f.Label] && !slices.Contains(strings.Fields(d.object), f.Label) || persons[f.Label] && d.named && (d.effect.Kind == effects.Permission || d.effect.Kind == effects.Delete)) &&
			f.Pointer != d.target.Pointer && f.Label != d.target.Label && nameableValue(f.Value) {
			d.within = &f
			return
		}
	}
}

// kindNamed is the kind of thing that an argument of a usual name says, where that is a word
// of ours: kubectl_delete(resourceType: deployment).
func kindNamed(arguments canon.Value) string {
	for name, v := range arguments.Members() {
		switch strings.Join(call.Words(name), " ") {
		case "kind", "resource type", "object type", "entity type":
			if kind := strings.ToLower(v.Text()); kind != "" && len(kind) <= maxShort && !strings.Contains(kind, " ") && effects.PlainWords(kind) {
				return kind
			}
		}
	}
	return ""
}

// receiving are words of arguments for who or what something goes to.
var (
	receiving   = words("to destination dest dst recipient payee beneficiary receiver")
	overwritten = words("to destination dest dst target")
	leaving     = words("from source src")
)

// callers are names of arguments for who is given something or loses it, and people what
// names of functions call them.
var (
	callers = words("username login user member email assignee")
	people  = words("collaborator member reviewer assignee guest admin owner maintainer")
)

// direction is what leaves where something is moved, and who receives where something is paid:
// both have names of one kind.
func (d deed) direction(in *call.Call, facts []Fact) (Fact, bool) {
	wanted := leaving
	switch {
	case d.effect.Kind == effects.Money:
		wanted = receiving
	case d.effect.Kind == effects.Delete && d.verb != "Discard": // what is not in the source goes from there
		if _, ok := directed(facts, leaving); !ok {
			return Fact{}, false
		}
		wanted = overwritten
	case !slices.Contains([]string{"Move", "Rename", "Copy", "Discard"}, d.verb):
		return Fact{}, false
	}
	return directed(facts, wanted)
}

func directed(facts []Fact, wanted map[string]bool) (Fact, bool) {
	for _, f := range facts {
		at := call.Words(f.Pointer[strings.LastIndexByte(f.Pointer, '/')+1:])
		if f.Kind.salient() && f.Kind != Host && len(at) > 0 && wanted[at[0]] {
			return f, true
		}
	}
	return Fact{}, false
}

// inside is what the thing is in: " in repository payments-api".
func (d deed) inside() string {
	if d.within == nil {
		return ""
	}
	if d.within.Kind == Host {
		return " on " + quoted(d.within.Value)
	}
	if persons[d.within.Label] {
		return " for " + shown(d.within.Label) + " " + quoted(d.within.Value)
	}
	return " in " + shown(d.within.Label) + " " + quoted(d.within.Value)
}

func nameableValue(value string) bool {
	return len(value) <= maxShort && !strings.Contains(value, "[REDACTED:") && !strings.ContainsAny(value, "\n\r")
}

// others says how many more are acted on in the same way: " and 3 more".
func (d deed) others(in *call.Call, facts []Fact) string {
	if !d.specific || d.verb == "Run" || d.effect.Kind == effects.Read {
		return ""
	}
	n, what := max(d.manifests-1, 0), " more"
	at := d.target.Place()
	switch {
	case !d.text || d.named:
		parent := at.Pointer[:max(strings.LastIndexByte(at.Pointer, '/'), 0)]
		if index := at.Pointer[len(parent):]; strings.Trim(index, "/0123456789") != "" {
			break
		}
		for _, f := range facts {
			if p := f.Place().Pointer; f.Kind == d.target.Kind && f.Source == FromKey && p != at.Pointer && strings.HasPrefix(p, parent+"/") && !strings.Contains(p[len(parent)+1:], "/") {
				n++
			}
		}
	case d.target.Source == FromSQL:
		if text := in.At(at.Pointer); !d.ofRows() && d.effect.Kind == effects.Delete {
			for end := d.target.End; ; n++ { // DROP TABLE a, b
				i := slices.IndexFunc(facts, func(f Fact) bool {
					return f.Kind == Table && f.Source == FromSQL && f.Pointer == d.target.Pointer && f.Start > end && f.End <= len(text) && strings.Trim(text[end:f.Start], " \t\r\n\"`[]") == ","
				})
				if i < 0 {
					break
				}
				end = facts[i].End
			}
		}
		if n == 0 {
			n = d.places() - 1
			if what = " more statements"; n == 1 {
				what = " more statement"
			}
		}
	case d.manifests > 0:
	case d.target.Source == FromShell && d.effect.Kind == effects.Delete && slices.Contains([]string{"Delete", "Remove", "Terminate", "Stop", "Destroy", "Drop", "Uninstall", "End", "Reset", "Clean"}, d.verb):
		e := d.effect.Evidence[0]
		for _, f := range facts {
			if p := f.Place(); f.Kind == d.target.Kind && f.Label == d.target.Label && f.Source == FromShell && f.Value != d.target.Value && (p.Start >= at.End || p.End <= at.Start) && p.Pointer == e.Pointer && p.Start >= e.Start && p.End <= e.End {
				n++
			}
		}
		if n == 0 {
			n = d.places() - 1
			if what = " more commands"; n == 1 {
				what = " more command"
			}
		}
	}
	if n < 1 {
		return ""
	}
	return " and " + strconv.Itoa(n) + what
}

// places is how many statements or commands the effect was read from.
func (d deed) places() int {
	seen := map[effects.Evidence]bool{}
	for _, e := range d.effect.Evidence {
		if e.Pointer == d.effect.Evidence[0].Pointer && e.End > e.Start {
			e.Why = ""
			seen[e] = true
		}
	}
	return len(seen)
}

// settings are arguments whose value is what a change is about.
var settings = []string{"replicas", "state", "status", "role", "enabled", "paused", "active", "visibility", "desired_count"}

// sets says what the thing becomes, where an argument of a usual name does: ": state →
// closed"; and where what is moved goes.
func (d deed) sets(in *call.Call, facts []Fact) string {
	switch {
	case !d.specific:
		return ""
	case slices.Contains([]string{"Move", "Rename", "Copy"}, d.verb) && !d.text:
		if to, ok := directed(facts, receiving); ok && to.Value != d.target.Value {
			return " to " + quoted(to.Value)
		}
		return ""
	case d.text || !slices.Contains([]string{"Update", "Set", "Scale", "Change", "Modify", "Patch", "Edit", "Transition", "Invite", "Toggle"}, d.verb):
		return ""
	}
	if d.verb == "Set" {
		return setTo(in.Arguments)
	}
	for _, name := range settings {
		for member, v := range in.Arguments.Members() {
			if strings.Join(call.Words(member), "_") != name {
				continue
			}
			if value, ok := scalar(v); ok && value != "" && value != d.target.Value && (name != "state" || value == strings.ToLower(value)) {
				return ": " + strings.ReplaceAll(name, "_", " ") + " → " + quoted(value)
			}
		}
	}
	return ""
}

// manifest is what the first Kubernetes manifest of the arguments is about, and how many
// there are.
func manifest(in *call.Call) (f Fact, n int, ok bool) {
	for leaf := range in.Tree().Leaves() {
		text := leaf.Text()
		if !strings.Contains(text, "apiVersion:") {
			continue
		}
		kind, metadata := "", -1
		for at, line := range lines(text) {
			value, isKind := strings.CutPrefix(line, "kind:")
			if isKind {
				n++
				if kind == "" {
					kind = strings.ToLower(strings.TrimSpace(value))
				}
			}
			if strings.HasPrefix(line, "metadata:") && metadata < 0 {
				metadata = at
			}
			name, isName := strings.CutPrefix(strings.TrimLeft(line, " "), "name:")
			if name = strings.Trim(strings.TrimSpace(name), "\"'"); isName && f.Value == "" && metadata >= 0 && nameableValue(name) && name != "" {
				start := at + strings.Index(line, name)
				f = Fact{Kind: Target, Value: name, Pointer: leaf.Pointer, Start: start, End: start + len(name), Source: FromKey}
			}
		}
		if f.Value != "" && kind != "" && effects.PlainWords(kind) {
			f.Label = kind
			return f, n, true
		}
	}
	return Fact{}, 0, false
}

// lines are the lines of a text, with where each begins.
func lines(text string) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for at := 0; at < len(text); {
			line := text[at:]
			if end := strings.IndexByte(line, '\n'); end >= 0 {
				line = line[:end]
			}
			if !yield(at, line) {
				return
			}
			at += len(line) + 1
		}
	}
}

// titled reports whether a fact is a title, which is words of the agent's and no name.
func titled(f Fact) bool {
	last := f.Pointer[strings.LastIndexByte(f.Pointer, '/')+1:]
	return last != "name" && titles[strings.ToLower(last)]
}
