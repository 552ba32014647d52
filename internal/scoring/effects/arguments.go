package effects

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/code"
)

// reader reads one call.
type reader struct {
	in       Input
	words    *lexicon
	function []word // those of the function's name
	name     named
	depth    int // calls around this one
	named    Effect
	told     []Effect
	raised   []Effect

	executed   bool // something that is executed was found
	operated   bool // an argument names the operation
	looked     bool // and it is a read
	edits      bool // it is an editor's command, such as view
	own        bool // it is the agent's own notes, whatever its description says
	dispatched bool // another tool is called
	reached    reached
	scripts    []scripted // the texts that a shell runs
	statements []coded
	programs   []coded
	patched    map[string]bool // pointers of the texts that are patches
}

func (r *reader) read() {
	r.named = r.effect(r.name, Evidence{Pointer: "/function", Start: r.name.start, End: r.name.end, Why: r.name.why}, false)
	r.hands()
	r.catalogued()
	if r.handsOver() {
		r.own, r.name.known, r.named.Kind, r.named.Reversible, r.named.Sensitive = true, true, Read, nil, false
		r.named.Evidence[0].Why = "it hands over to a person"
	}
	if r.looksAtRun() {
		r.named.Kind, r.name.executor, r.name.kind, r.named.Evidence[0].Why = Read, false, Read, "it looks at a run by its id"
	}
	if r.prints() {
		r.named.Kind, r.named.Reversible = Write, known(true)
		r.named.Evidence[0].Why = "what is printed goes to a file"
	}
	if r.adds() {
		r.name.known, r.named.Kind, r.named.Reversible = true, Read, nil
	}
	r.code()
	r.edited()
	args := r.in.Arguments
	r.call(args, "/arguments")
	for name, value := range args.Members() { // {"params": {…}}
		if value.Kind() == canon.KindObject && (isWrapper(name) || names(value)) {
			r.call(value, "/arguments/"+canon.PointerEscape(name))
		}
	}
	r.walk(r.in.Call.Tree(), nil)
	r.named.Breadth = r.named.Breadth.wider(r.name.breadth)
	r.listed(args)
	r.paid()
	r.described()
}

// hands takes a name that is only a thing for no read where something is handed over with it:
// email_report {to: …}, user_posts {content: …}.
func (r *reader) hands() {
	if !r.name.thing {
		return
	}
	for name, v := range r.in.Arguments.Members() {
		key := lowered(name)
		if v.Kind() == canon.KindNull || key == "to" && whereTo(v) != anAddress || !says("handed", key) && !(r.name.list && says("contents_handed", key)) {
			continue
		}
		r.named.Kind, r.named.Reversible = Unknown, nil
		if first := r.function; len(first) > 0 {
			if kind := r.words.verbs[first[0].text]; kind.severity() > Unknown.severity() {
				r.named.Kind, r.named.Verb = kind, first[0].text
			}
		}
		r.named.Evidence[0].Why = "the name has no verb, and " + key + " is handed over"
		return
	}
}

// looksAtRun reports whether a name is the noun of what ran, and the arguments say which one:
// workflow-run {runId: …}.
func (r *reader) looksAtRun() bool {
	last := len(r.function) - 1
	if last < 1 || r.name.verb != "run" || r.function[last].text != "run" || !r.words.isNoun(r.function[last-1].text) {
		return false
	}
	which := false
	for name := range r.in.Arguments.Members() {
		key := strings.Split(lowered(name), "_")
		if !says("ids", key[len(key)-1]) {
			return false
		}
		which = which || slices.Contains(key, "run")
	}
	return which
}

// prints reports whether a call that only prints does so to a file: echo {content, file_name}.
func (r *reader) prints() bool {
	if r.name.verb != "echo" && r.name.verb != "print" && r.name.verb != "dump" {
		return false
	}
	for name, v := range r.in.Arguments.Members() {
		if v.Text() != "" && says("printed_to", lowered(name)) {
			return true
		}
	}
	return false
}

// adds reports whether the call only adds numbers: add {a: 1, b: 2}.
func (r *reader) adds() bool {
	if r.name.verb != "add" || r.name.object != "" || r.in.Arguments.Len() == 0 {
		return false
	}
	for name, v := range r.in.Arguments.Members() {
		if !says("added", lowered(name)) || v.Kind() != canon.KindNumber && v.Kind() != canon.KindArray {
			return false
		}
	}
	return true
}

// names reports whether an object names an operation itself: {"select": {"operation": …}}.
func names(v canon.Value) bool {
	return !v.Get("operation").IsAbsent() || !v.Get("action").IsAbsent()
}

// silent reports whether the name adds nothing to what arguments and code say: it says
// only that something is run or called, or nothing at all.
func (r *reader) silent() bool {
	if len(r.told) == 0 {
		return false
	}
	switch {
	case r.name.executor:
		return r.executed || r.dispatched
	case r.dispatched:
		return r.name.dispatch
	case r.named.Kind == Unknown:
		return r.executed || r.operated
	case r.edits && r.named.Kind == Write: // str_replace_editor {command: view}
		return true
	case r.name.weak && r.named.Kind != Money: // mail {operation: search}
		return r.looked
	}
	return false
}

// effect makes one of what a name says.
func (r *reader) effect(n named, at Evidence, certain bool) Effect {
	e := Effect{
		Kind: n.kind, Verb: n.verb, Object: n.object, Breadth: One.wider(n.breadth), Sensitive: n.sensitive && n.kind == Read,
		Certain: certain, Reversible: n.reversible, Evidence: []Evidence{at},
	}
	if e.Reversible == nil {
		e.Reversible = n.kind.reversible()
	}
	if n.kind == Message && r.words.publishes(n) {
		e.Audience = Public
	}
	return e
}

// reversible is what is known of a kind.
func (k Kind) reversible() *bool {
	switch k {
	case Write, Permission:
		return known(true)
	case Delete, Message:
		return known(false)
	default:
		return nil
	}
}

func known(b bool) *bool { return &b }

func (r *reader) tell(all ...Effect) { r.told = append(r.told, all...) }

// isWrapper reports whether an argument only holds the arguments.
func isWrapper(name string) bool {
	return says("wrappers", strings.ToLower(name))
}

// call reads an object of arguments as a whole: what is executed, the operation that is
// named, the tool that is called, the request that is sent.
func (r *reader) call(args canon.Value, pointer string) {
	if args.Kind() == canon.KindArray {
		r.argv(args, pointer)
		return
	}
	r.request(args, pointer)
	r.dispatch(args, pointer)
	r.container(args, pointer)
	for name, value := range args.Members() {
		at := pointer + "/" + canon.PointerEscape(name)
		switch key := lowered(name); {
		case r.patched[at] && isCommand(key): // apply_patch {command: "*** Begin Patch …"}
		case isOperation(key):
			if name := value.Get("name"); value.Kind() == canon.KindObject && name.Kind() == canon.KindString {
				r.operation(key, name, args, at+"/name") // {"operation": {"name": "delete"}}
			} else {
				r.operation(key, value, args, at)
			}
		case isProgram(key) && len(words2(args)) > 0 && value.Text() != "" && !r.about("program_nouns"):
			r.command(value, args, at)
		case isCommand(key):
			r.command(value, args, at)
		case (key == "args" || key == "argv") && value.Kind() == canon.KindArray && r.programName() != "" && len(words2(args)) > 0 && !hasCommand(args):
			r.argv(value, at)
		default:
			r.executable(key, value, args, at)
		}
	}
}

// hasCommand reports whether a command stands among arguments.
func hasCommand(args canon.Value) bool {
	for name := range args.Members() {
		if isCommand(lowered(name)) {
			return true
		}
	}
	return false
}

// lowered is a name in lower-case words with "_" between them: "toolName" is tool_name.
func lowered(name string) string {
	if len(name) < 2*maxNameWords && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz_") == "" && !strings.HasPrefix(name, "_") && !strings.HasSuffix(name, "_") && !strings.Contains(name, "__") {
		return name // as most are
	}
	all := split(name)
	texts := make([]string, len(all))
	for i, w := range all {
		texts[i] = w.text
	}
	return strings.Join(texts, "_")
}

// isOperation reports whether an argument names what is done.
func isOperation(key string) bool {
	return says("operation_keys", key)
}

// operation reads an argument that names what is done.
func (r *reader) operation(key string, value, args canon.Value, at string) {
	text := value.Text()
	if text == "" || len(text) > 200 || strings.Count(text, " ") > 3 || key == "method" && code.IsHTTPMethod(text) {
		return
	}
	n := readName(text)
	if !n.known || r.recalls() {
		return
	}
	if n.object == "" {
		n.object = r.name.object
	}
	r.words.withName(&n, r.in.Function)
	for name, v := range args.Members() { // {method: create, service: payments}
		if of := readName(text + "_" + v.Text()); says("services", lowered(name)) && len(v.Text()) < 40 && of.kind.severity() > n.kind.severity() {
			n = of
		}
	}
	r.operated = true
	r.looked = r.looked || n.kind == Read && key != "method"
	r.tell(r.effect(n, Evidence{Pointer: at, End: len(text), Why: "the argument " + key + " says " + n.verb}, true))
}

// recalls reports whether the call looks at what was done, so that an operation is one that is
// looked for: search_audit_logs {action: delete}.
func (r *reader) recalls() bool {
	return r.name.kind == Read && (r.name.thing || says("naming", r.name.verb) || says("looking", r.name.verb)) && r.about("records")
}

// withName says what an operation means with the words of the function's name:
// manage_users {action: create}.
func (l *lexicon) withName(n *named, function string) {
	all := split(function)
	if at := len(all) - 1; at >= 0 && n.kind != Read {
		nouns := slices.DeleteFunc(all, func(w word) bool {
			_, verb := l.verbs[w.text]
			return verb && !says("either", w.text) || says("products", w.text)
		})
		if len(nouns) > 0 {
			object := n.object
			l.withObject(n, nouns)
			if object != "" {
				n.object = object
			}
		}
	}
}

// code reads the action's code.
func (r *reader) code() {
	if r.in.Code == "" {
		return
	}
	r.executed = true
	r.tell(r.program(r.in.Code, r.language(""), "/code")...)
}

// walk reads every value by itself: flags, recipients, sums, paths, how much.
func (r *reader) walk(n *call.Node, key []string) {
	v, pointer := n.Value, n.Pointer
	switch v.Kind() {
	case canon.KindObject:
		r.manifest(v, pointer)
		if len(key) > 0 && r.depth < maxInner && r.calls(v) {
			r.dispatch(v, pointer)
		}
		r.filter(v, key)
		beside := !r.changes() && r.speaks(pointer)
		for _, member := range n.Nodes {
			at, name := member.Pointer, member.Name
			if name == "$out" || name == "$merge" { // an aggregation of MongoDB that writes
				r.tell(r.effect(named{kind: Delete, verb: "overwrite", object: "collection"}, Evidence{Pointer: at, Why: "what the pipeline finds is written with " + name}, true))
			}
			inner := member.Words[:min(len(member.Words), maxNameWords)]
			if len(inner) == 0 {
				inner = []string{""} // {"1": …}
			}
			if beside {
				r.beside(inner, member.Value, at)
			} else {
				r.empowers(inner, member.Value, at, v)
				r.erases(inner, member.Value, at)
			}
			r.walk(member, inner)
		}
	case canon.KindArray:
		r.list(v, key)
		for _, element := range n.Nodes {
			r.walk(element, key)
		}
	default:
		r.value(v, pointer, key)
	}
}

// value reads a scalar with the words of its name.
func (r *reader) value(v canon.Value, pointer string, key []string) {
	if len(key) == 0 {
		return
	}
	switch v.Kind() {
	case canon.KindBool:
		r.flag(v.Bool(), pointer, key)
	case canon.KindNumber:
		r.written(v, pointer, key)
	case canon.KindString:
		r.written(v, pointer, key)
		r.text(v.Text(), pointer, key)
	default:
	}
}

// changes reports whether the call is no read by its name.
func (r *reader) changes() bool { return r.named.Kind != Read || r.name.executor }

// guards reports whether the call is about monitoring or a security control.
func (r *reader) guards() bool {
	return slices.ContainsFunc(r.function, func(w word) bool { return r.words.isOf("guard", w.text) })
}

// widen says that the call acts on so much.
func (r *reader) widen(b Breadth) {
	if r.named.Kind != Read || r.named.Sensitive {
		r.named.Breadth = r.named.Breadth.wider(b)
	}
	for i := range r.told {
		if e := &r.told[i]; e.Kind != Read && !r.executed {
			e.Breadth = e.Breadth.wider(b)
		}
	}
}

// text reads a string.
func (r *reader) text(s, pointer string, key []string) {
	last := key[len(key)-1]
	r.asserts(s, pointer, key)
	if says("targets", last) {
		switch {
		case isEverything(s, last):
			r.widen(All)
		case strings.ContainsAny(s, "*") && len(s) < 200:
			r.widen(Several)
		}
	}
	if r.named.Kind == Read && !r.name.executor && !r.looksFor() && !isOperation(strings.Join(key, "_")) && r.in.Call.Text(s).SQL().IsStatement() {
		r.tell(statementEffects(r.in.Call.Text(s), pointer, 0)...) // list_users {filter: "DROP TABLE users"}
	}
	if says("manifests", last) || r.words.kubernetes(r.in.Function) {
		r.manifestText(s, pointer)
	}
	r.path(s, pointer, key)
	r.address(s, pointer, key)
	r.recipient(s, key)
	r.access(s, pointer, key)
}

// isEverything reports whether a target is all there is.
func isEverything(s, key string) bool {
	s = strings.ToLower(strings.TrimSpace(s))
	return says("all_there_is", s) || strings.HasPrefix(s, "all_") || strings.HasPrefix(s, "all-") || strings.HasPrefix(s, "all ") || key != "path" && strings.HasPrefix(s, "everyone")
}

// looksFor reports whether the texts of a call are words to look for or to talk about, or a
// statement that is explained and not run.
func (r *reader) looksFor() bool {
	return says("worded", r.name.verb)
}

// list reads an array: several things are acted on.
func (r *reader) list(v canon.Value, key []string) {
	if len(key) == 0 || v.Len() < 2 {
		return
	}
	if last := key[len(key)-1]; says("targets", last) && (strings.HasSuffix(last, "s") || last == "to") {
		r.widen(Several)
	}
}

// filter reads a condition that is empty: everything is acted on.
func (r *reader) filter(v canon.Value, key []string) {
	if len(key) > 0 && v.Len() == 0 && says("conditions_of", key[len(key)-1]) &&
		(r.named.Kind == Write || r.named.Kind == Delete) && slices.ContainsFunc(r.function, func(w word) bool {
		return says("acting_on_all", w.text)
	}) {
		r.widen(All)
	}
}
