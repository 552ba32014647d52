package effects

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/canon"
)

// A call whose name reads may say in its arguments that it does something else: get_report
// {share_with: …}, get_user {update: {…}}, list_item {price: 5}. The name of an argument is
// read like the name of a function, by the same lexicon, together with the kind of its value:
// an address, a place, an object. What filters a read stays one: updated_since, shared_with_me.

// maxKeyWords bounds how many words of an argument's name are read.
const maxKeyWords = 6

// beside reads an argument of a read.
func (r *reader) beside(key []string, v canon.Value, pointer string) {
	if len(key) > 1 && key[0] == "on" && whereTo(v) == aURL { // on_complete_url
		key = []string{"callback"}
	}
	if len(key) == 0 || len(key) > maxKeyWords || v.Kind() == canon.KindBool || v.Kind() == canon.KindNull || r.follows(key, v, pointer) || r.words.filters(key) {
		return
	}
	at := Evidence{Pointer: pointer, Why: "the argument " + strings.Join(key, "_") + " says more than a read"}
	if v.Kind() == canon.KindString {
		at.End = len(v.Text())
		if said := strings.ToLower(v.Text()); said == "" || (says("truths", said) || says("falsities", said)) && !(len(key) > 1 && key[0] == "set") {
			return // a switch
		}
	}
	for _, reads := range []func([]string, canon.Value, Evidence) (Effect, bool){r.sends, r.places, r.alters} {
		if e, ok := reads(key, v, at); ok {
			r.tell(e)
			return
		}
	}
}

// follows reads what is done with what is read, where the argument says when and its value says
// what: {then: close}, {on_match: disable}.
func (r *reader) follows(key []string, v canon.Value, pointer string) bool {
	text, last := v.Text(), key[len(key)-1]
	if len(text) > maxFollowed || !says("sequels", key[0]) || len(key) == 1 && !says("sequels_alone", last) || says("happenings", last) || r.recalls() {
		return false
	}
	said := split(text)
	if len(said) == 0 || r.words.verbs[said[0].text].severity() <= Read.severity() || says("either", said[0].text) && !says("acting", said[0].text) && len(said) == 1 {
		return false
	}
	n := readName(text)
	if n.object == "" {
		n.object = r.name.object
	}
	r.tell(r.effect(n, Evidence{Pointer: pointer, End: len(text), Why: "the argument " + strings.Join(key, "_") + " says " + n.verb}, true))
	return true
}

// maxFollowed bounds the text that says what follows.
const maxFollowed = 64

// maxBesides is how deep in the arguments names of arguments are read.
const maxBesides = 6

// speaks reports whether the names in an object say what is done, not what is looked for.
func (r *reader) speaks(pointer string) bool {
	parts := strings.Split(pointer, "/")
	return len(parts) < maxBesides && !slices.ContainsFunc(parts, func(p string) bool { return says("quiet", p) })
}

// filters reports whether the words of an argument's name say which of the things are read, or
// how they are shown: updated_since, created_by, include_deleted, order_by, shared_with_me.
func (l *lexicon) filters(key []string) bool {
	for i, w := range key {
		if says("filters", w) || i == 0 && says("describing", w) {
			return true
		}
		if stem := strings.TrimSuffix(w, "ed"); stem != w && i < len(key) {
			if _, known := l.verbs[stem]; known || l.verbs[stem+"e"] != "" || len(stem) > 2 && l.verbs[stem[:len(stem)-1]] != "" {
				return true // shared_with, deleted_ids
			}
		}
	}
	return false
}

// sends reads whom the result goes to: share_with, recipients, notify, webhook_url.
func (r *reader) sends(key []string, v canon.Value, at Evidence) (Effect, bool) {
	l, last, to := r.words, key[len(key)-1], whereTo(v)
	message := named{kind: Message, verb: "send", object: r.name.object}
	talks := says("talking", r.name.verb) && len(key) == 1 && says("recipient_keys", last) && to == anAddress // ask {to: …}
	give := func() (Effect, bool) {
		r.reach(v, last)
		return r.effect(message, at, true), true
	}
	if len(key) > 1 && says("towards", last) {
		verb := key[len(key)-2]
		if l.verbs[verb] == "" || len(key) > 2 && says("either", verb) && !says("either", key[0]) {
			verb = key[0] // send_request_to
		}
		kind := l.verbs[verb]
		switch {
		case to == noPlace && v.Kind() != canon.KindString && v.Kind() != canon.KindArray, kind == Message && says("either", verb) && r.about("messages") && to != aPlace && (verb != "forward" || says("naming", r.name.verb)):
			return Effect{}, false // search_emails {reply_to: …} looks for it
		case kind == Permission || verb == "share":
			message.kind, message.verb = Permission, verb
			return give()
		case kind == Message, says("delivering", verb) && (to == anAddress || to == aURL):
			return give()
		case kind == Money && !says("either", verb) || says("acting", verb) && kind == Money && to != aPath:
			message.kind, message.verb = Money, verb
			return r.effect(message, at, true), true
		case kind == Delete && !says("either", verb): // overwrite_with
			message.kind, message.verb = Delete, verb
			return r.effect(message, at, true), true
		case says("moving", verb) || (to == aPlace || to == aURL || to == anAddress) && kind != "" && kind != Read && !says("pointing", verb):
			message.kind, message.verb = Write, verb
			return r.effect(message, at, true), true
		}
		return Effect{}, false
	}
	switch {
	case talks, len(key) == 1 && key[0] == "forward" && to == anAddress:
		return give()
	case saysAny("hooks", key):
		if (to == aURL || to == anAddress) && !r.about("hooks") && !r.about("links") {
			return give()
		}
	case !saysAny("recipients", key) || r.about("messages"):
	case to == anAddress || to == aURL || key[0] == "notify" && v.Kind() != canon.KindNumber:
		return give()
	}
	return Effect{}, false
}

// places reads where the result is written: output_path, save_to, dest. A name in the working
// folder, in a temporary one or in somebody's own stays what such a read is.
func (r *reader) places(key []string, v canon.Value, at Evidence) (Effect, bool) {
	l, first, last, text := r.words, key[0], key[len(key)-1], v.Text()
	writes := saysAny("outputs", key)
	if !writes && r.brings() && (last == "path" || last == "file" || last == "filename") {
		writes = true // download_file {url, path}
	}
	if len(key) > 1 && says("towards", last) && (l.verbs[key[0]] == Write || says("delivering", key[0])) && !says("pointing", key[0]) {
		writes = true // backup_to
	}
	if len(key) == 1 && strings.HasPrefix(first, "dest") && says("naming", r.name.verb) {
		return Effect{}, false // list_backups {destination: …}
	}
	if !writes || len(key) > 1 && !says("places", last) && !says("towards", last) || slices.Contains(key, "download") && last == "url" {
		return Effect{}, false
	}
	written := func() (Effect, bool) {
		if !says("exporting", r.name.verb) {
			return r.effect(named{kind: Write, verb: "write", object: "file"}, at, true), true
		}
		e := r.effect(named{kind: Write, verb: r.name.verb, object: r.name.object}, r.named.Evidence[0], true)
		e.Evidence = append(e.Evidence, at) // Export table users: the name says what, the argument where to
		return e, true
	}
	if last == "bucket" && len(key) > 1 && text != "" {
		return written()
	}
	switch whereTo(v) {
	case anAddress, aURL:
		if r.about("hooks") || r.about("links") {
			return Effect{}, false
		}
		r.reach(v, last)
		return r.effect(named{kind: Message, verb: "send", object: r.name.object}, at, true), true
	case aPlace:
		return written()
	case aPath:
		clean := cleanPath(text)
		switch {
		case clean == "/dev/null" || clean == "/dev/stdout" || clean == "-":
		case isGuardingPath(clean) || clean == "/":
			at.Why = "what is found is written where it decides who may do what, or what is run"
			return r.effect(named{kind: Permission, verb: "change", object: "protected file"}, at, true), true
		case !isOwnPlace(clean):
			return written()
		}
	default:
	}
	return Effect{}, false
}

// brings reports whether a call fetches a file to a path that stands beside its address, or
// takes a picture.
func (r *reader) brings() bool {
	if r.name.verb == "take" || r.name.verb == "screenshot" || r.name.verb == "capture" {
		return true
	}
	return says("bringing", r.name.verb) && !r.in.Arguments.Get("url").IsAbsent()
}

// alters reads what is changed: {update: {…}}, {new_role: admin}, {deleteSheet: {…}}.
func (r *reader) alters(key []string, v canon.Value, at Evidence) (Effect, bool) {
	l, first, last := r.words, key[0], key[len(key)-1]
	if !says("fetching", r.name.verb) {
		return Effect{}, false // preview {changes: …} is about them
	}
	structured := (v.Kind() == canon.KindObject || v.Kind() == canon.KindArray) && v.Len() > 0
	kind, plain := l.verbs[first]
	plain = plain && !says("either", first) && !l.isNoun(first) && !l.isOf("money", first) // payout_id
	n := named{kind: Write, verb: "change", object: r.name.object}
	switch {
	case first == "target" && len(key) > 1 && says("stages", last) && v.Kind() == canon.KindString:
		return r.effect(n, at, true), true
	case first == "new" && (len(key) < 2 || says("versions", last) || l.isOf("computed", last) || r.words.isOf("computed", r.lastObject()) || r.name.verb == "check"):
		return Effect{}, false // check_name {new_name: …}, get_quote {new_price: …}
	case first == "new" && (v.Kind() == canon.KindString || v.Kind() == canon.KindNumber || structured),
		first == "set" && len(key) > 1 && (l.isOf("access", last) || l.isOf("identity", last) || says("settable", last)):
		if l.isOf("access", last) || l.isOf("identity", last) || last == "visibility" {
			n.kind = Permission
		}
		return r.effect(n, at, true), true
	case len(key) == 1 && says("erased", first) && v.Kind() == canon.KindArray && structured:
		n.kind, n.verb = Delete, "delete"
		return r.effect(n, at, true), true
	case len(key) == 1 && says("changes", first) && (v.Kind() == canon.KindObject && structured || holdsObjects(v)):
		return r.effect(n, at, true), true
	case len(key) == 1 && first == "mode" && says("writing", strings.ToLower(v.Text())):
		n.verb = "write"
		return r.effect(n, at, true), true
	case first == "replace" && last == "with", first == "replacement":
		n.verb = "replace"
		return r.effect(n, at, true), true
	case first == "change" && len(key) > 1 && v.Kind() == canon.KindString && (says("settable", last) || says("reachable", last)):
		return r.effect(n, at, true), true
	case !plain && !(len(key) == 1 && says("bare", first)) && !(says("changing", first) && (len(key) == 1 || says("contents", last))) || kind == Read || kind == Unknown || kind == Execute || kind == "":
		return Effect{}, false
	case structured && (v.Kind() == canon.KindObject || holdsObjects(v) || says("ids", last) || l.isOf("identity", last) || len(key) == 1 && kind.severity() >= Message.severity()) && (len(key) == 1 || !says("option_nouns", last)),
		v.Kind() == canon.KindArray && len(key) > 1 && (first == "add" && !says("columns", last) || first != "add" && says("contents", last)),
		!structured && v.Kind() == canon.KindString && len(key) == 1 && says("bare", first),
		v.Kind() != canon.KindObject && len(key) > 1 && says("giving", first) && l.isOf("access", last), // add_role: admin
		!structured && len(key) > 1 && (says("ids", last) || l.isOf("identity", last)) && kind.severity() >= Message.severity():
		if len(key) > 1 {
			n = l.phrase(wordsOf(key))
		} else {
			n.kind, n.verb = kind, first
		}
		if n.object == "" {
			n.object = r.name.object
		}
		return r.effect(n, at, true), n.kind != Read && n.kind != Unknown
	}
	return Effect{}, false
}

// listed reads an offer: list_item {price: 5} puts it up for sale, list_items {price: 5} looks
// for what costs that.
func (r *reader) listed(args canon.Value) {
	if r.name.verb != "list" || r.changes() {
		return
	}
	object := r.lastObject()
	if strings.HasSuffix(object, "s") && !strings.HasSuffix(object, "ss") || says("uncountable", object) {
		return
	}
	for name, v := range args.Members() {
		if key := lowered(name); says("asked", key) && (v.Kind() == canon.KindNumber || v.Text() != "") {
			r.tell(r.effect(named{kind: Money, verb: "sell", object: r.name.object}, Evidence{Pointer: "/arguments/" + canon.PointerEscape(name), Why: "the argument " + key + " says for how much it is offered"}, true))
			return
		}
	}
}

// lastObject is the last word of what the name says is acted on.
func (r *reader) lastObject() string {
	return r.name.object[strings.LastIndexByte(r.name.object, ' ')+1:]
}

// about reports whether the function's name is about such things, so that arguments of that
// kind say which of them are meant.
func (r *reader) about(class string) bool {
	return slices.ContainsFunc(r.function, func(w word) bool { return saysSingular(class, w.text) })
}

func wordsOf(key []string) []word {
	all := make([]word, len(key))
	for i, w := range key {
		all[i] = word{text: w}
	}
	return all
}

// holdsObjects reports whether a list is of objects.
func holdsObjects(v canon.Value) bool {
	return v.Kind() == canon.KindArray && v.Len() > 0 && v.Element(0).Kind() == canon.KindObject
}
