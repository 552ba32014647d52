package scoring

import (
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
)

// ReadInputs reads inputs as an assessment has them; absent ones are none. Everything that
// does not fit is refused by its name below at, a JSON pointer.
func ReadInputs(v canon.Value, at string) (Inputs, error) {
	r := inputReader{at: at}
	in := Inputs{}
	if v.IsAbsent() || v.Kind() == canon.KindNull {
		return in, nil
	}
	r.known(v, "", "call_number", "at", "agent", "environment", "tool", "remembered", "workspace", "memory")
	in.CallNumber = r.whole(v, "/call_number", 1)
	in.At = r.moment(v, "/at")
	in.Agent = r.text(v, "/agent")
	if in.Environment = r.text(v, "/environment"); in.Environment != "" && !EnvironmentName(in.Environment) {
		r.refuse("/environment", fault.Textf("the name of an environment: lowercase letters, digits and . _ - of at most 64 bytes"))
	}
	if t := v.Get("tool"); !t.IsAbsent() && t.Kind() != canon.KindNull {
		in.Tool = r.tool(t)
	}
	if m := v.Get("remembered"); !m.IsAbsent() && m.Kind() != canon.KindNull {
		in.Remembered = r.remembered(m)
	}
	if w := v.Get("workspace"); !w.IsAbsent() && w.Kind() != canon.KindNull {
		in.Workspace = r.workspace(w)
	}
	if m := v.Get("memory"); !m.IsAbsent() && m.Kind() != canon.KindNull {
		in.Memory = r.memory(m)
	}
	return in, r.err
}

// inputReader keeps the first thing that does not fit.
type inputReader struct {
	at  string
	err error
}

func (r *inputReader) refuse(member string, accepted fault.Text) {
	if r.err == nil {
		r.err = fault.Member(fault.InvalidMember, r.at+member, "%q must be %s", strings.TrimPrefix(r.at+member, "/"), accepted)
	}
}

// known holds v to be an object of these members.
func (r *inputReader) known(v canon.Value, member string, names ...string) {
	if v.Kind() != canon.KindObject {
		r.refuse(member, fault.Textf("an object of %s", strings.Join(names, ", ")))
		return
	}
	for name := range v.Members() {
		if !slices.Contains(names, name) {
			r.refuse(member+"/"+canon.PointerEscape(told(name)), fault.Textf("left out; expected %s", strings.Join(names, ", ")))
		}
	}
}

// last is the name of the member that a pointer ends in.
func last(member string) string { return member[strings.LastIndex(member, "/")+1:] }

func (r *inputReader) text(v canon.Value, member string) string {
	s := v.Get(last(member))
	if s.IsAbsent() {
		return ""
	}
	if s.Kind() != canon.KindString || len(s.Text()) > maxInputText {
		r.refuse(member, fault.Textf("a string of at most %d bytes", maxInputText))
	}
	return s.Text()
}

const maxInputText = 2000

func (r *inputReader) whole(v canon.Value, member string, least int64) int {
	s := v.Get(last(member))
	if s.IsAbsent() {
		return 0
	}
	n, ok := s.Int64()
	if !ok || n < least {
		r.refuse(member, fault.Textf("a whole number of %d or more", least))
	}
	return int(n)
}

func (r *inputReader) moment(v canon.Value, member string) (at time.Time) {
	s := v.Get(last(member))
	if s.IsAbsent() {
		return at
	}
	at, err := time.Parse(time.RFC3339Nano, s.Text())
	if err != nil || s.Kind() != canon.KindString {
		r.refuse(member, fault.Textf("an RFC 3339 time such as 2026-05-31T18:00:00Z"))
	}
	return at
}

func (r *inputReader) flag(v canon.Value, member string) bool {
	b := v.Get(last(member))
	if !b.IsAbsent() && b.Kind() != canon.KindBool {
		r.refuse(member, fault.Textf("true or false"))
	}
	return b.Bool()
}

func (r *inputReader) tool(v canon.Value) *effects.Tool {
	r.known(v, "/tool", "name", "sha256", "effect", "read_only", "raises")
	t := effects.Tool{
		Name: r.text(v, "/tool/name"), SHA256: r.text(v, "/tool/sha256"),
		Effect: effects.Kind(r.text(v, "/tool/effect")), Raises: effects.Kind(r.text(v, "/tool/raises")),
	}
	if t.SHA256 != "" && !isToolDigest(t.SHA256) {
		r.refuse("/tool/sha256", fault.Textf("64 hexadecimal digits"))
	}
	for _, k := range []struct {
		member string
		kind   effects.Kind
	}{{"/tool/effect", t.Effect}, {"/tool/raises", t.Raises}} {
		if k.kind != "" && !k.kind.Valid() {
			r.refuse(k.member, fault.Textf("one of %s", strings.Join(wordsOf(effects.Kinds()...), ", ")))
		}
	}
	t.ReadOnly = r.flag(v, "/tool/read_only")
	return &t
}

func (r *inputReader) remembered(v canon.Value) *Remembered {
	r.known(v, "/remembered", "approval", "verdict", "level", "at", "by", "times")
	m := Remembered{
		Approval: r.text(v, "/remembered/approval"), Verdict: r.text(v, "/remembered/verdict"), At: r.moment(v, "/remembered/at"),
		By: r.text(v, "/remembered/by"), Times: r.whole(v, "/remembered/times", 0),
	}
	if m.Verdict != "deny" && m.Verdict != "block" {
		r.refuse("/remembered/verdict", fault.Textf("deny or block"))
	}
	l, err := level.Parse(r.text(v, "/remembered/level"))
	if m.Level = l; err != nil || l == level.Safe {
		r.refuse("/remembered/level", fault.Textf("one of LOW, MEDIUM, HIGH, CRITICAL"))
	}
	return &m
}
