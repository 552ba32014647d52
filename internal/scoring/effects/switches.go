package effects

import (
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/canon"
)

// flag reads an argument that is true or false: unlock: true, private: false.
func (r *reader) flag(set bool, pointer string, key []string) {
	name := strings.Join(key, "_")
	at := Evidence{Pointer: pointer, Why: "the argument " + strings.Join(key, "_") + " is " + strconv.FormatBool(set)}
	if r.weakens(set, pointer, key) || r.own {
		return // of the agent's own the shape was reviewed: {task_id: …, block: true}
	}
	if !set {
		if !r.changes() && (says("dry", name) || name == r.name.verb && (name == "preview" || name == "simulate")) {
			r.tell(r.effect(named{kind: Write, verb: "apply", object: r.name.object}, at, true)) // what would only be tried is done
		}
		if says("keeping_out", name) && r.changes() {
			r.tell(r.effect(named{kind: Permission, verb: "expose", object: r.name.object}, at, true))
		}
		if says("switched_on", name) && r.changes() && r.guards() {
			r.tell(r.effect(named{kind: Permission, verb: "disable", object: r.name.object}, at, true))
		}
		return
	}
	if says("all", key[len(key)-1]) || says("all_of", key[0]) {
		r.widen(All)
	}
	if !r.changes() && slices.ContainsFunc(key, func(w string) bool { return r.words.isOf("secret", w) }) && !says("leaving_out", key[0]) {
		r.tell(r.effect(named{kind: Read, verb: "read", object: "secrets", sensitive: true}, at, true))
		return
	}
	if says("trashing", name) && r.named.Kind != Read {
		r.tell(r.effect(named{kind: Delete, verb: "trash", object: r.name.object}, at, true))
		return
	}
	if !r.changes() && !r.speaks(pointer) {
		return // {"where": {"update": true}}
	}
	if kind, verb := r.words.switchedOn(key); kind != "" && !r.changes() {
		r.tell(r.effect(named{kind: kind, verb: verb, object: r.name.object}, at, true))
		return
	}
	if len(key) == 2 && key[0] == "is" && says("throwing_away", key[1]) {
		key = key[1:] // is_destroy
	}
	switch first := key[0]; {
	case says("throwing_away", first) && (r.changes() || r.name.kind == Read && len(key) == 1 && !says("tidyAlone", first)):
		r.tell(r.effect(named{kind: Delete, verb: first, object: r.name.object}, at, true))
	case says("letting_in", first) && (r.changes() || len(key) == 1 && (first == "unlock" || first == "grant")):
		r.tell(r.effect(named{kind: Permission, verb: map[string]string{"public": "publish", "publicly": "publish", "admin": "make admin"}[first], object: r.name.object}, at, true))
	case (first == "disabled" || first == "disable") && r.changes() && r.guards():
		r.tell(r.effect(named{kind: Permission, verb: "disable", object: r.name.object}, at, true))
	}
}

// switchedOn is what an argument that is true does beside a read: then_delete, send_email,
// make_public, auto_book.
func (l *lexicon) switchedOn(key []string) (Kind, string) {
	if says("showing_first", key[0]) {
		return "", ""
	}
	led := false
	for len(key) > 1 && says("leading", key[0]) { // then_delete, auto_book
		key, led = key[1:], true
	}
	if key[0] == "allow" || key[0] == "enable" || key[0] == "permit" { // allow_delete, not enable_delete_protection
		if len(key) != 2 {
			return "", ""
		}
		key = key[1:]
	}
	last := key[len(key)-1]
	if len(key) > 1 && says("tidying", key[0]) && !l.isOf("identity", last) && !l.isOf("contract", last) && !l.isOf("bulk_secret", last) &&
		!saysAny("originals", key) {
		return "", "" // strip_html, drop_duplicates, clear_cache
	}
	if len(key) == 1 && !led && says("tidying", key[0]) && says("tidyAlone", key[0]) {
		return "", ""
	}
	if kind, ok := l.verbs[key[0]]; ok && kind == Write && len(key) > 1 && !says("either", key[0]) && key[0] != "turn" {
		if n := l.phrase(wordsOf(key)); n.kind == Permission { // make_public
			return Permission, n.verb
		}
	}
	if kind := l.verbs[key[0]]; len(key) == 1 && kind == Write && !says("either", key[0]) && !says("showing", key[0]) {
		return Write, key[0] // renew: true
	}
	for i, w := range key {
		kind, ok := l.verbs[w]
		if kind.severity() >= Message.severity() && kind != Execute && i == 0 && i < len(key)-1 && (key[1] == "now" || len(key[1]) > 4 && strings.HasSuffix(key[1], "ly")) {
			return kind, w // post_publicly
		}
		if i < len(key)-1 && says("described", key[i+1]) {
			continue // delete_protection
		}
		switch {
		case !ok, says("either", w) && !says("acting", w) && !(led && i == 0 && kind.severity() >= Message.severity()) && !says("booking", w):
		case kind == Message && says("either", w) && i > 0:
		case kind.severity() >= Message.severity() && kind != Execute:
			return kind, w
		case says("switching", w) && (i == 0 || w != "save"):
			if len(key) > 1 && i < len(key)-1 && says("shown", key[i+1]) {
				continue // save_screenshot, update_cache
			}
			return Write, w
		}
	}
	return "", ""
}

// written reads a switch that is written as a number or a text: force_delete: 1, delete: "yes".
func (r *reader) written(v canon.Value, pointer string, key []string) {
	var said string
	switch v.Kind() {
	case canon.KindNumber:
		said = v.Number()
	case canon.KindString:
		said = strings.ToLower(strings.TrimSpace(v.Text()))
	default:
		return
	}
	switch last := key[len(key)-1]; {
	case (last == "status" || last == "state" || last == "mode" || last == "level") && says("stopped", said) && r.changes(): // {status: paused}
		r.weakens(false, pointer, []string{last})
	case says("waived", said) && slices.ContainsFunc(key, func(w string) bool { return r.words.isOf("guard", w) }): // {safety_check: waived}
		r.weakens(true, pointer, append([]string{"skip"}, key...))
	case len(said) > 8:
	case says("truths", said) && !says("counting", last) && r.words.switchable(key):
		r.flag(true, pointer, key)
	case says("falsities", said):
		r.flag(false, pointer, key)
	}
}

// switchable reports whether an argument may be a switch that is written, as its name says
// what it does.
func (l *lexicon) switchable(key []string) bool {
	if says("filters", key[0]) {
		return false
	}
	kind, _ := l.switchedOn(key)
	return kind != "" || says("written_switches", key[0])
}
