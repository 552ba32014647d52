package effects

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/canon"
)

// An argument of a write may weaken what protects: update_settings {mfa_required: false},
// deploy {skip_verification: true}, git_push {force: true}; or say who has access:
// update_user {role: member}.

// weakens reads a switch of a write, and reports whether it weakens something.
func (r *reader) weakens(set bool, pointer string, key []string) bool {
	if r.named.Kind != Write && r.named.Kind != Unknown && r.named.Kind != Message {
		return false
	}
	at := Evidence{Pointer: pointer, Why: "the argument " + strings.Join(key, "_") + " is " + map[bool]string{true: "true", false: "false"}[set]}
	switch {
	case set && (key[0] == "force" || len(key) == 1 && key[0] == "hard") && r.pushes():
		r.tell(r.effect(named{kind: Delete, verb: "force-push", object: "history"}, at, true))
		return true
	case !r.words.weaker(set, key, outer(pointer)) && !(r.guards() && r.words.stopped(set, key)):
		return false
	}
	r.tell(r.effect(named{kind: Permission, verb: "weaken", object: r.name.object}, at, true))
	return true
}

// pushes reports whether the call is git's, or another's, that overwrites history if it is forced.
func (r *reader) pushes() bool {
	return slices.ContainsFunc(r.function, func(w word) bool { return w.text == "push" || w.text == "reset" && r.programName() == "git" })
}

// weaker reports whether a switch weakens a control: mfa_required: false, skip_verification:
// true, audit_log: {enabled: false}.
func (l *lexicon) weaker(set bool, key, around []string) bool {
	of := func(words []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return saysSingular("controls", w) })
	}
	off := slices.IndexFunc(key, func(w string) bool { return says("disabling", w) })
	guards := func(words []string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return l.isOf("guard", w) })
	}
	switch {
	case slices.Contains(key, "block") && slices.Contains(key, "public"): // block_public_access: false
		return !set
	case off >= 0:
		return set && (of(key) || guards(key) || saysAny("asks", key))
	case set:
		return false
	case of(key), guards(key) && slices.ContainsFunc(key, func(w string) bool { return strings.HasPrefix(w, "enable") }):
		return true
	case len(key) == 1 && says("enabling", key[0]): // {audit_log: {enabled: false}}
		return of(around) || guards(around)
	}
	// Where something has to be asked for: require_review: false.
	return saysAny("requiring", key) && slices.ContainsFunc(key, func(w string) bool { return saysSingular("required", w) })
}

// Weakens reports whether a switch of this name, in words, weakens a control; around are the words of
// the name of the object that it stands in.
func Weakens(set bool, key, around []string) bool {
	return words().weaker(set, key, around) || !set && says("keeping_out", strings.Join(key, "_"))
}

// Rules reports whether a role decides what others may do: owner, admin, write.
func Rules(role string) bool {
	role = strings.ToLower(strings.TrimSpace(role))
	return says("ruling_roles", role) || saysPart("rulers", role)
}

// Stops reports whether a value says that something is stopped: disabled, off, bypass.
func Stops(value string) bool { return says("stopped", value) }

// Publishes reports whether an argument of this name, in words, opens something to everybody:
// visibility: public, acl: public-read, all_public: true, private: false, public_access: container.
func Publishes(key []string, value string) bool {
	switch value {
	case "true":
		return (slices.Contains(key, "public") || slices.Contains(key, "publicly")) && !slices.Contains(key, "block")
	case "false":
		return slices.Contains(key, "private")
	}
	last := key[len(key)-1]
	if slices.Contains(key, "public") && slices.Contains(key, "access") && !slices.Contains(key, "block") {
		return !says("falsities", value) && !says("stopped", value) && !says("closed", value)
	}
	return says("shown_to", last) && (says("world", value) || value == "*" && (last == "principal" || last == "grantee")) ||
		says("address_ranges", last) && (value == "0.0.0.0/0" || value == "::/0")
}

// stopped reports whether a switch of a control itself stops it: is_paused: true.
func (l *lexicon) stopped(set bool, key []string) bool {
	last := key[len(key)-1]
	return set && says("stopping", last) || !set && says("enabling", last)
}

// outer is the name of the object in which a value stands, in words.
func outer(pointer string) []string {
	parts := strings.Split(pointer, "/")
	if len(parts) < 4 { // "", arguments, name
		return nil
	}
	return strings.Split(lowered(parts[len(parts)-2]), "_")
}

// empowers reads who gets or loses access by an argument of a change: role, owner, visibility.
func (r *reader) empowers(key []string, v canon.Value, pointer string, siblings canon.Value) {
	l, last := r.words, key[len(key)-1]
	if r.named.Kind != Write && r.named.Kind != Unknown || v.Kind() != canon.KindString && v.Kind() != canon.KindArray || v.Len() == 0 && v.Text() == "" || l.filters(key) && last != "origins" {
		return
	}
	said := func(verb string) {
		r.tell(r.effect(named{kind: Permission, verb: verb, object: r.name.object}, Evidence{Pointer: pointer, End: len(v.Text()), Why: "the argument " + strings.Join(key, "_") + " says who has access"}, true))
	}
	forwards := slices.ContainsFunc(key, func(w string) bool { return w == "forward" || w == "forwarding" })
	switch {
	case (last == "origins" || last == "origin") && (v.Text() == "*" || v.Len() > 0 && v.Element(0).Text() == "*"):
		said("expose")
	case forwards && whereTo(v) == anAddress:
		said("forward")
	case !says("altering", r.name.verb):
	case says("signing_in", strings.Join(key, "_")):
		said("change")
	case says("roles", last) && !says("speakers", strings.ToLower(v.Text())) && !r.about("people"):
		said("grant")
	case (last == "visibility" || last == "sharing" || last == "privacy") && !r.about("tickets"):
		said("share")
	case slices.Contains(key, "ownership"), slices.Contains(key, "owner") && (key[0] == "new" || key[0] == "transfer" || !r.about("tickets") && siblings.Get("repo").IsAbsent() && siblings.Get("repository").IsAbsent()):
		said("transfer")
	}
}

// erases reads what a write deletes on the way: batch_update {requests: [{deleteSheet: {…}}]}.
func (r *reader) erases(key []string, v canon.Value, pointer string) {
	if r.named.Kind != Write && r.named.Kind != Unknown || !says("erasing", key[0]) || v.Len() == 0 ||
		v.Kind() != canon.KindObject && !(v.Kind() == canon.KindArray && (len(key) == 1 || says("ids", key[len(key)-1]))) {
		return
	}
	n := r.words.phrase(wordsOf(key))
	if n.kind != Delete {
		return
	}
	r.tell(r.effect(n, Evidence{Pointer: pointer, Why: "the argument " + strings.Join(key, "_") + " says what is deleted"}, true))
}
