package scoring

import (
	"slices"
	"strings"
	"unicode"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

// Limits of the members that name something, in bytes. The other strings are
// bounded by the gate only.
const (
	MaxFunctionBytes = 512
	MaxNameBytes     = 256 // session_id, tool_call_id, environment, action_type
	MaxClientBytes   = 128 // each member of client
)

// The lifecycle points at which an agent may submit.
const (
	PreAgentStart  = "pre-agent-start"  // content is the prompt; only the pattern model runs
	PreToolCall    = "pre-tool-call"    // the default: a function is about to be called
	PostToolResult = "post-tool-result" // content is the tool's result; only the pattern model runs
)

// Action is what an agent wants to do: a tree that passed the gate and whose
// members are known, of the right type and in range. It never changes, so it is
// safe to share. The zero Action is no action; NewAction makes them.
type Action struct {
	tree canon.Value // an object, without null members
}

// member describes one member of an action body.
type member struct {
	name     string
	accepts  *fault.Text // what would be accepted, for the refusal
	kinds    []canon.Kind
	maxBytes int  // of a string; 0: only the gate bounds it
	nonEmpty bool // a string must not be ""
}

var (
	stringKind = []canon.Kind{canon.KindString}
	objectKind = []canon.Kind{canon.KindObject}
)

// What a member can be.
var (
	aFunction  = fault.Textf("a non-empty string of at most 512 bytes without control characters")
	aStructure = fault.Textf("an object or an array")
	aString    = fault.Textf("a string")
	aName      = fault.Textf("a string of at most 256 bytes")
	anObject   = fault.Textf("an object")
	aClient    = fault.Textf("an object with at most \"name\", \"version\" and \"subagent\", each a string of at most %d bytes", MaxClientBytes)
	aPoint     = fault.Textf("one of %s, %s, %s", PreAgentStart, PreToolCall, PostToolResult)
	aContent   = fault.Textf("a string, at %s and %s only", PreAgentStart, PostToolResult)
)

// members lists what an action may have, in the order in which they are checked.
// It is also the list that a refusal of an unknown member prints.
func members() []member {
	return []member{
		{name: "function", accepts: &aFunction, kinds: stringKind, maxBytes: MaxFunctionBytes, nonEmpty: true},
		{name: "arguments", accepts: &aStructure, kinds: []canon.Kind{canon.KindObject, canon.KindArray}},
		{name: "docstring", accepts: &aString, kinds: stringKind},
		{name: "code", accepts: &aString, kinds: stringKind},
		{name: "action_type", accepts: &aName, kinds: stringKind, maxBytes: MaxNameBytes},
		{name: "hints", accepts: &anObject, kinds: objectKind},
		{name: "session_id", accepts: &aName, kinds: stringKind, maxBytes: MaxNameBytes},
		{name: "tool_call_id", accepts: &aName, kinds: stringKind, maxBytes: MaxNameBytes},
		{name: "lifecycle_point", accepts: &aPoint, kinds: stringKind},
		{name: "content", accepts: &aContent, kinds: stringKind},
		{name: "environment", accepts: &aName, kinds: stringKind, maxBytes: MaxNameBytes},
		{name: "justification", accepts: &aString, kinds: stringKind},
		{name: "metadata", accepts: &anObject, kinds: objectKind},
		{name: "client", accepts: &aClient, kinds: objectKind},
	}
}

// actMembers are the members that the digest covers: the semantic act, never
// free text about it (docs/api.md, "The digest").
var actMembers = [...]string{"function", "arguments", "code", "action_type", "environment", "content"}

// NewAction checks the members of an action body and returns the action. Members
// named in besides belong to the submission (expires_in_seconds, revises) and
// are left out unchecked. A member that is null counts as absent and is left out;
// {}, [] and "" stay.
//
// The error is a fault.InvalidMember that names the first member that does not
// fit, what was wrong and what would be accepted.
func NewAction(tree canon.Value, besides ...string) (Action, error) {
	if tree.Kind() != canon.KindObject {
		return Action{}, fault.Member(fault.InvalidMember, "", "the body is %s; expected a JSON object with at least \"function\"", describe(tree))
	}
	known := members()
	kept := make([]canon.Member, 0, tree.Len())
	for name, value := range tree.Members() {
		if slices.Contains(besides, name) {
			continue
		}
		if !slices.ContainsFunc(known, func(m member) bool { return m.name == name }) {
			return Action{}, unknownMember(name, known, besides)
		}
		if value.Kind() != canon.KindNull {
			kept = append(kept, canon.Member{Name: name, Value: value})
		}
	}
	a := Action{tree: canon.Object(kept...)}
	for _, m := range known {
		if err := m.check(a.tree.Get(m.name)); err != nil {
			return Action{}, err
		}
	}
	if err := a.checkPoint(); err != nil {
		return Action{}, err
	}
	return a, nil
}

func unknownMember(name string, known []member, besides []string) error {
	names := make([]string, 0, len(known)+len(besides))
	for _, m := range known {
		names = append(names, m.name)
	}
	names = append(names, besides...)
	return fault.Member(fault.InvalidMember, "/"+canon.PointerEscape(name),
		"the member %q isn't known; expected %s", told(name), strings.Join(names, ", "))
}

// check refuses a value that is there but does not fit.
func (m member) check(v canon.Value) error {
	if v.IsAbsent() {
		return nil
	}
	refuse := func(was fault.Text) error {
		return fault.Member(fault.InvalidMember, "/"+m.name, "%q %s; expected %s", m.name, was, *m.accepts)
	}
	switch text := v.Text(); {
	case !slices.Contains(m.kinds, v.Kind()):
		return refuse(fault.Textf("is %s", describe(v)))
	case m.nonEmpty && text == "":
		return refuse(fault.Textf("is empty"))
	case m.maxBytes > 0 && len(text) > m.maxBytes:
		return refuse(fault.Textf("is too long"))
	case m.name == "function" && strings.ContainsFunc(text, unicode.IsControl):
		return refuse(fault.Textf("contains a control character"))
	case m.name == "client":
		return checkClient(v, refuse)
	}
	return nil
}

// checkClient refuses what does not name a program.
func checkClient(v canon.Value, refuse func(was fault.Text) error) error {
	for name, said := range v.Members() {
		switch {
		case !slices.Contains([]string{"name", "version", "subagent"}, name):
			return refuse(fault.Textf("has the member %q", told(name)))
		case said.Kind() == canon.KindNull:
		case said.Kind() != canon.KindString || len(said.Text()) > MaxClientBytes || strings.ContainsFunc(said.Text(), unicode.IsControl):
			return refuse(fault.Textf("has %q as %s that doesn't fit", name, describe(said)))
		}
	}
	return nil
}

// Client is the program that submitted, in its own words: "claude-code 2.1.332", and the
// part of the agent that made the call where it names one.
func (a Action) Client() (program, subagent string) {
	c := a.tree.Get("client")
	return strings.TrimSpace(c.Get("name").Text() + " " + c.Get("version").Text()), c.Get("subagent").Text()
}

// checkPoint refuses what does not go together with the lifecycle point.
func (a Action) checkPoint() error {
	switch point := a.LifecyclePoint(); point {
	case PreToolCall:
		if a.tree.Get("function").IsAbsent() {
			return fault.Member(fault.InvalidMember, "/function", "\"function\" is missing; at %s it must be %s", point, aFunction)
		}
		if !a.tree.Get("content").IsAbsent() {
			return fault.Member(fault.InvalidMember, "/content", "\"content\" is present at %s; it's expected only at %s or %s, as a string", point, PreAgentStart, PostToolResult)
		}
	case PreAgentStart, PostToolResult:
	default:
		return fault.Member(fault.InvalidMember, "/lifecycle_point", "\"lifecycle_point\" is %q; expected one of %s, %s, %s",
			told(point), PreAgentStart, PreToolCall, PostToolResult)
	}
	return nil
}

// describe says what a value is, with its article.
func describe(v canon.Value) fault.Text {
	switch v.Kind() {
	case canon.KindObject, canon.KindArray:
		return fault.Textf("an %s", v.Kind())
	case canon.KindNull, canon.KindAbsent:
		return fault.Verbatim(v.Kind().String())
	default:
		return fault.Textf("a %s", v.Kind())
	}
}

// cut keeps a name that a stranger chose short enough for a message.
func cut(s string, runes int) string {
	n := 0
	for i := range s {
		if n == runes {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// The members that are strings, "" where absent.

func (a Action) Function() string      { return a.tree.Get("function").Text() }
func (a Action) Docstring() string     { return a.tree.Get("docstring").Text() }
func (a Action) Code() string          { return a.tree.Get("code").Text() }
func (a Action) ActionType() string    { return a.tree.Get("action_type").Text() }
func (a Action) Environment() string   { return a.tree.Get("environment").Text() }
func (a Action) Justification() string { return a.tree.Get("justification").Text() }
func (a Action) Content() string       { return a.tree.Get("content").Text() }
func (a Action) SessionID() string     { return a.tree.Get("session_id").Text() }
func (a Action) ToolCallID() string    { return a.tree.Get("tool_call_id").Text() }

// LifecyclePoint is where in the agent's run the action stands; PreToolCall
// where the action does not say.
func (a Action) LifecyclePoint() string {
	if v := a.tree.Get("lifecycle_point"); !v.IsAbsent() {
		return v.Text()
	}
	return PreToolCall
}

// Arguments is an object, an array or absent.
func (a Action) Arguments() canon.Value { return a.tree.Get("arguments") }

// Hints is an object or absent.
func (a Action) Hints() canon.Value { return a.tree.Get("hints") }

// Metadata is an object or absent. No model reads it.
func (a Action) Metadata() canon.Value { return a.tree.Get("metadata") }

// Tree is the whole action: an object without null members and without the
// submission's own members.
func (a Action) Tree() canon.Value { return a.tree }

// Canonical is the RFC 8785 form of the whole action: what is stored, once it is masked.
func (a Action) Canonical() []byte { return a.tree.Canonical() }

// Act is the part that the digest covers: {function, arguments, code,
// action_type, environment, content}, absent members left out.
func (a Action) Act() canon.Value {
	act := make([]canon.Member, len(actMembers))
	for i, name := range actMembers {
		act[i] = canon.Member{Name: name, Value: a.tree.Get(name)}
	}
	return canon.Object(act...)
}

// Digest is "sha256:" and 64 hex digits over the canonical bytes of Act.
func (a Action) Digest() string { return canon.Digest(a.Act()) }

// Core is the digest of what would run alone: function, arguments, code and content. It stays
// the same whatever else a request says, which costs an agent nothing to change.
func (a Action) Core() string {
	core := make([]canon.Member, 0, len(actMembers))
	for _, name := range actMembers {
		if name != "environment" && name != "action_type" {
			core = append(core, canon.Member{Name: name, Value: a.tree.Get(name)})
		}
	}
	return canon.Digest(canon.Object(core...))
}
