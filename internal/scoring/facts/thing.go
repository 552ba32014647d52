package facts

import (
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
			switch {
			case isAside(m):
				continue
			case m.Kind() == canon.KindObject && depth < 2 && wrappers[finalWord(m)]:
				look(m, depth)
				continue
			case m.Kind() == canon.KindObject && depth < 2:
				look(m, depth+1)
				continue
			case m.Kind() == canon.KindArray && len(m.Nodes) > 0 && m.Nodes[0].Kind() == canon.KindObject:
				if id := idOf(m.Nodes[0]); id != nil && (singularOf(finalWord(m)) == singularOf(object[len(object)-1]) || vague[singularOf(object[len(object)-1])] && wrappers[finalWord(m)]) && rank < 7 {
					best, rank = id, 7
				}
				continue
			}
			if slices.ContainsFunc(facts, func(f Fact) bool { return f.Kind == Count && f.Pointer == m.Pointer }) {
				continue // how many says not which
			}
			if isSecret(m.Words) && !slices.Contains([]string{"id", "ids", "name", "arn"}, finalWord(m)) && !(m.Kind() == canon.KindString && finalWord(m) == "secret" && d.effect.Kind != effects.Read && len(m.Words) == 1) || isAside(m) {
				continue
			}
			r := d.fit(m, object, depth)
			if m.Kind() == canon.KindArray && len(m.Nodes) > 0 {
				m = m.Nodes[0]
			}
			if r > rank && nameable(m) && !strings.EqualFold(m.Text(), d.effect.Verb) {
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
			if wrappers[f.Label] || f.Label == "pr" || f.Label == "mr" {
				f.Label = strings.Join(object, " ")
			}
			return f, true
		}
	}
	value := best.Text() + best.Number()
	if vague[singularOf(object[len(object)-1])] {
		return Fact{Kind: Target, Value: value, Label: object[len(object)-1], Pointer: best.Pointer, End: len(value), Source: FromKey}, true
	}
	return Fact{Kind: Target, Value: value, Label: labelOf(best.Words, object), Pointer: best.Pointer, End: len(value), Source: FromKey}, true
}

// becoming are words before a name that say what becomes of a thing, and not which one it is.
var becoming = words("add remove new old from to")

// isAside reports whether an object or a list is about the act and no part of it, or holds secrets.
func isAside(n *call.Node) bool {
	return (n.Kind() == canon.KindObject || n.Kind() == canon.KindArray) && (asides[singularOf(finalWord(n))] || isSecret(n.Words))
}

// vague are objects that say nothing of what they are.
var vague = words("object record item resource entity element row thing")

// idOf is what names one thing of a list.
func idOf(n *call.Node) *call.Node {
	if _, value := pair(n); value != nil {
		return nil
	}
	for _, m := range n.Nodes {
		if len(m.Words) > 0 && len(m.Words) <= 2 && slices.Contains([]string{"id", "key", "uid", "name"}, finalWord(m)) && nameable(m) {
			return m
		}
	}
	return nil
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
	name := call.Words(lastName(f.Pointer))
	if stem, _ := stemOf(name); f.Source == FromKey && (len(stem) > 1 && becoming[stem[0]] || len(stem) > len(object) && f.Kind != Recipient) {
		return false // acting_user_id
	}
	if f.Kind == Path && f.Source == FromKey && len(name) > 1 && name[0] != "file" && name[len(name)-1] != "path" {
		return false // log_file
	}
	return len(label) > 0 && singular(label[len(label)-1]) == singularOf(object[len(object)-1]) || isFileWord(d.object) && f.Kind == Path ||
		f.Label == "target" && strings.Count(f.Pointer, "/") == 2 || f.Kind == Recipient && d.effect.Kind == effects.Message
}

// fit says how well the name of an argument fits the object; 0 is not at all.
func (d deed) fit(n *call.Node, object []string, depth int) int {
	if len(n.Words) == 0 {
		return 0
	}
	stem, named := stemOf(n.Words)
	if len(stem) > 1 && becoming[stem[0]] {
		return 0 // what becomes of it
	}
	last, makes := singularOf(object[len(object)-1]), making[strings.ToLower(d.verb)]
	rank := 0
	switch {
	case people[last] && depth == 0 && len(stem) == 1 && callers[singularOf(stem[0])]:
		rank = 8
	case isFileWord(last) && keyKinds[n.Words[len(n.Words)-1]] == Path:
		if rank = 10; len(n.Words) > 1 && n.Words[0] != "file" {
			rank = 6 // log_file
		}
	case makes && depth == 0 && len(n.Words) == 1 && titles[n.Words[0]]:
		if d.target.Kind == Recipient {
			return 0 // for whom it is made says as much
		}
		rank = 4
	case len(stem) == 0:
		switch {
		case makes || depth > 0 || n.Words[0] == "key":
			return 0
		case n.Words[0] == "name" && strings.Count(n.Pointer, "/") > 2:
			return 0
		case n.Words[0] == "name":
			rank = 6 // delete_database {name, backup_database}
		default:
			rank = 7 // id, number, uid
		}
	case strings.Join(stem, "") == strings.Join(object, ""):
		rank = 10
	case last == "request" && len(stem) == 1 && slices.Contains([]string{"pull", "pr", "mr", "merge"}, stem[0]):
		rank = 8
	case singularOf(stem[len(stem)-1]) == last:
		switch {
		case len(stem) > len(object) && !makes:
			rank = 5 // acting_user_id
		case named || len(object) == 1 && !makes || makes && keyKinds[last] != "":
			rank = 8
		default:
			rank = 2
		}
	case (named || !makes && isContainer(singularOf(stem[len(stem)-1]))) && slices.ContainsFunc(object, func(w string) bool { return singularOf(w) == singularOf(stem[len(stem)-1]) }):
		rank = 6
	default:
		return 0
	}
	return max(rank-depth, 1)
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
	kind := kindNamed(in.Arguments)
	if d.object == "" && d.specific && d.target.Label == "target" {
		d.object = kind
	}
	if kind != "" && (vague[singularOf(lastOf(d.object))] || d.object == kind || d.object == "") {
		defer func() {
			if d.object = kind; d.named {
				d.target.Label = kind
			}
		}()
		if n := nameOf(in.Tree()); n != nil && !(d.specific && d.target.Label == kind) {
			value := n.Text() + n.Number()
			d.target, d.specific, d.named = Fact{Kind: Target, Value: value, Label: kind, Pointer: n.Pointer, End: len(value), Source: FromKey}, true, true
			d.place(in, facts)
			return
		}
	}
	before := d.target
	if f, ok := d.thing(in, facts); ok {
		d.target, d.specific, d.named = f, true, true
	} else if f, ok := d.direction(in, facts); ok && !(d.verb == "Update" && d.specific && d.target.Label == "target") {
		d.target, d.specific = f, true
	} else if f, ok := guest(in); d.verb == "Invite" && ok {
		d.target, d.specific = f, true
	} else if i := slices.IndexFunc(facts, func(f Fact) bool { return f.Kind == Table && f.Source == FromKey }); d.object == "" && d.specific && isContainer(before.Label) && i >= 0 {
		d.target = facts[i] // delete-many(database, collection)
		d.items = slices.ContainsFunc(call.Words(in.Function), func(w string) bool { return w == "many" || w == "one" || w == "multiple" })
	} else if f, n, grants, ok := manifest(in, d.object); ok && (d.object == "" || strings.ReplaceAll(f.Label, " ", "") == strings.ReplaceAll(d.object, " ", "") || d.target.Label == "namespace") {
		d.target, d.specific, d.named, d.manifests, d.bound = f, true, true, n, grants
		d.object = f.Label
	}
	host := -1
	for i, f := range facts {
		if f.Kind == Host && f.Source == FromKey && f.Label == "host" && (host < 0 || strings.Count(f.Pointer, "/") < strings.Count(facts[host].Pointer, "/")) {
			host = i
		}
	}
	if d.specific && host >= 0 && d.target.Kind == Target && d.effect.Kind == effects.Write && nameableValue(facts[host].Value) {
		d.within = &facts[host]
		return
	}
	d.to = d.effect.Kind == effects.Money && d.target != before && !d.named
	d.place(in, facts)
}

// nameOf is the argument that names a thing whose kind another one says.
func nameOf(n *call.Node) *call.Node {
	for _, names := range [][]string{{"name"}, {"resource name", "object name", "resource id", "object id"}, {"id", "identifier"}} {
		for _, m := range n.Nodes {
			if slices.Contains(names, strings.Join(m.Words, " ")) && nameable(m) {
				return m
			}
		}
	}
	return nil
}

// sending are words of names for who does it.
var sending = words("from sender sent reply source acting caller requested created updated")

// guest is who is invited, where an argument says that.
func guest(in *call.Call) (Fact, bool) {
	best, rank := (*call.Node)(nil), 0
	for _, m := range in.Tree().Nodes {
		stem, _ := stemOf(m.Words)
		if m.Kind() == canon.KindArray && len(m.Nodes) > 0 {
			m = m.Nodes[0]
		}
		if len(stem) == 0 || !nameable(m) || sending[stem[0]] {
			continue
		}
		at, ok := roles[who][singularOf(stem[len(stem)-1])]
		if stem[len(stem)-1] == "email" {
			at = -1
		}
		if ok && (best == nil || at < rank) {
			best, rank = m, at
		}
	}
	if best == nil {
		return Fact{}, false
	}
	value := best.Text() + best.Number()
	return Fact{Kind: Recipient, Value: value, Label: "guest", Pointer: best.Pointer, End: len(value), Source: FromKey}, true
}

// kindNamed is the kind of thing that an argument of a usual name says, where that is a word
// of ours: kubectl_delete(resourceType: deployment).
func kindNamed(arguments canon.Value) string {
	for name, v := range arguments.Members() {
		switch strings.Join(call.Words(name), " ") {
		case "kind", "resource type", "object type", "object name", "entity type":
			if full := kinds[strings.ToLower(v.Text())]; full != "" {
				return full
			}
			if kind := strings.ToLower(v.Text()); kind != "" && len(kind) <= maxShort && !strings.Contains(kind, " ") && effects.PlainWords(kind) {
				return singularOf(kind)
			}
		}
	}
	return ""
}

// receiving are words of arguments for who or what something goes to.
var (
	receiving   = words("to destination dest dst recipient payee beneficiary receiver new")
	overwritten = words("to destination dest dst target")
	leaving     = words("from source src old")
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
	best, weight := Fact{}, 1<<10
	for _, f := range facts { // the one that stands furthest out, by the shortest name
		at := call.Words(lastName(f.Pointer))
		if w := 8*strings.Count(f.Pointer, "/") + len(at); f.Kind.salient() && f.Kind != Host && len(at) > 0 && wanted[at[0]] && w < weight {
			best, weight = f, w
		}
	}
	return best, weight < 1<<10
}

func nameableValue(value string) bool {
	return len(value) <= maxShort && !strings.Contains(value, "[REDACTED:") && !strings.ContainsAny(value, "\n\r")
}

// others says how many more are acted on in the same way: " and 3 more".
func (d deed) others(in *call.Call, facts []Fact) string {
	if !d.specific || d.effect.Kind == effects.Read || d.verb == "Run" && d.executes() {
		return ""
	}
	n, what, second := max(d.manifests-1, 0), " more", ""
	at := d.target.Place()
	switch {
	case !d.text || d.named:
		parent := at.Pointer[:max(strings.LastIndexByte(at.Pointer, '/'), 0)]
		if list := nodeAt(in.Tree(), parent[:max(strings.LastIndexByte(parent, '/'), 0)]); list != nil && list.Kind() == canon.KindArray { // [{"id": …}, …]
			if n = len(list.Nodes) - 1; n == 1 {
				if id := idOf(list.Nodes[1]); id != nil {
					second = quoted(id.Text() + id.Number())
				}
			}
			break
		}
		list := nodeAt(in.Tree(), parent)
		if known := slices.ContainsFunc(facts, func(f Fact) bool { return f.Pointer == at.Pointer && f.Kind.salient() }); !known && list != nil && list.Kind() == canon.KindArray {
			if n = len(list.Nodes) - 1; n == 1 && nameable(list.Nodes[1]) {
				second = quoted(list.Nodes[1].Text() + list.Nodes[1].Number())
			}
			break
		}
		if index := at.Pointer[len(parent):]; strings.Trim(index, "/0123456789") != "" {
			break
		}
		for _, f := range facts {
			if p := f.Place().Pointer; f.Kind.salient() && f.Source == FromKey && p != at.Pointer && strings.HasPrefix(p, parent+"/") && !strings.Contains(p[len(parent)+1:], "/") {
				n++
				if nameableValue(f.Value) {
					second = quoted(f.Value)
				}
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
				if nameableValue(f.Value) {
					second = quoted(f.Value)
				}
			}
		}
		if n == 0 {
			n = d.places() - 1
			if what = " more commands"; n == 1 {
				what = " more command"
			}
		}
	}
	switch {
	case n < 1:
		return ""
	case n == 1 && second != "" && !d.brief:
		return " and " + second
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

// sets says where what is moved goes, and what something is set to: " = true".
func (d deed) sets(in *call.Call, facts []Fact) string {
	switch {
	case !d.specific || d.text:
	case slices.Contains([]string{"Move", "Rename", "Copy"}, d.verb):
		if to, ok := directed(facts, receiving); ok && to.Value != d.target.Value && to.Pointer != d.target.Pointer {
			return " to " + quoted(to.Value)
		}
	case d.verb == "Set":
		return d.setTo(in)
	}
	return ""
}

// titled reports whether a fact is a title, which is words of the agent's and no name.
func titled(f Fact) bool {
	last := f.Pointer[strings.LastIndexByte(f.Pointer, '/')+1:]
	return last != "name" && titles[strings.ToLower(last)]
}
