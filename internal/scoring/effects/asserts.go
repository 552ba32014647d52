package effects

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/call"
)

// asserts reads a text that by itself says what is done, wherever it stands beside a read: a
// method (options: {method: DELETE}), an operation (requests: [{op: delete}]), an option
// (flags: [--delete]), a switch that is written ("true"), arguments as JSON.
func (r *reader) asserts(s, pointer string, key []string) {
	if len(s) > 64<<10 {
		return
	}
	last := key[len(key)-1]
	if r.changes() {
		// Beside a write only an operation that deletes says more: git_stash {mode: drop}.
		if says("operating", last) && len(s) < 20 {
			if kind := r.words.verbs[strings.ToLower(s)]; kind == Delete && r.named.Kind != Delete {
				r.tell(r.effect(named{kind: Delete, verb: strings.ToLower(s), object: r.name.object}, Evidence{Pointer: pointer, End: len(s), Why: "the argument " + strings.Join(key, "_") + " says " + strings.ToLower(s)}, true))
			}
		}
		if last == "type" && strings.EqualFold(s, "delete") && r.named.Kind != Delete { // {operations: [{type: delete}]}
			r.tell(r.effect(named{kind: Delete, verb: "delete", object: r.name.object}, Evidence{Pointer: pointer, End: len(s), Why: "the argument type says delete"}, true))
		}
		if last == "mode" && s == "hard" && r.pushes() {
			r.weakens(true, pointer, []string{"hard"})
		}
		return
	}
	if says("kinds", last) && (strings.EqualFold(s, "secret") || strings.EqualFold(s, "secrets")) {
		r.tell(r.effect(named{kind: Read, verb: "read", object: "secrets", sensitive: true}, Evidence{Pointer: pointer, End: len(s), Why: "secrets are asked for"}, true))
	}
	at := Evidence{Pointer: pointer, End: len(s), Why: "the argument " + strings.Join(key, "_") + " says " + shortValue(s)}
	method := strings.ToUpper(strings.TrimSpace(s))
	switch {
	case (last == "method" || last == "verb" || last == "override") && says("deleting_methods", method), last == "type" && s == "DELETE":
		r.tell(r.effect(named{kind: Delete, verb: "delete", object: r.name.object}, at, true))
	case (last == "method" || last == "verb" || last == "override") && says("writing_methods", method) && !r.operated:
		r.tell(r.effect(named{kind: Write, verb: "send", object: "request"}, at, true))
	case !r.own && says("operations", last) && len(s) < 40 && len(split(s)) > 0 && len(split(s)) < 4:
		n := readName(s)
		if _, plain := r.words.verbs[split(s)[0].text]; !plain {
			return
		}
		if r.recalls() {
			return
		}
		serious := n.kind == Delete || last != "type" && last != "kind" && last != "event" && last != "name" && n.kind.severity() >= Money.severity()
		if n.known && !n.weak && serious && (last != "name" || strings.ContainsAny(s, "_-")) && !(len(key) == 1 && last == "name") {
			r.tell(r.effect(n, at, true))
		}
	case r.name.verb == "review" && (last == "event" || last == "state" || last == "vote") && strings.EqualFold(strings.TrimSuffix(s, "d"), "approve"):
		r.tell(r.effect(named{kind: Permission, verb: "approve", object: r.name.object}, at, true))
	case strings.HasPrefix(s, "curl "):
		r.tell(r.shellText(s, pointer)...)
	case strings.HasPrefix(s, "DELETE /") || strings.HasPrefix(s, "DELETE http"): // {endpoint: "DELETE /users/1"}
		r.tell(r.effect(named{kind: Delete, verb: "delete", object: r.name.object}, at, true))
	case strings.HasPrefix(s, "POST /"), strings.HasPrefix(s, "PUT /"), strings.HasPrefix(s, "PATCH /"):
		r.tell(r.effect(named{kind: Write, verb: "send", object: "request"}, at, true))
	case s == "--delete", s == "--purge", s == "--prune", s == "--remove", strings.HasPrefix(s, "--delete "), strings.HasPrefix(s, "--purge "):
		r.tell(r.effect(named{kind: Delete, verb: "delete", object: r.name.object}, at, true))
	case strings.HasPrefix(s, "{") || strings.HasPrefix(s, "[{"):
		if v := r.in.Call.Text(s).Document(); !v.IsAbsent() {
			inner := reader{in: Input{Function: r.in.Function, Arguments: v, Call: r.in.Call.Inner(r.in.Function, v)}, words: r.words, function: r.function, name: r.name, named: r.named, depth: maxInner}
			inner.call(v, pointer)
			inner.walk(call.Tree(v, pointer), key)
			for _, e := range inner.told {
				if e.Kind != Read && e.Kind != Unknown {
					for j := range e.Evidence {
						e.Evidence[j].Pointer, e.Evidence[j].Start, e.Evidence[j].End = pointer, 0, len(s)
					}
					r.tell(e)
				}
			}
		}
	}
}

// shortValue is a value for a reason.
func shortValue(s string) string {
	if len(s) > 20 {
		return strings.ToValidUTF8(s[:20], "") + "…"
	}
	return s
}
