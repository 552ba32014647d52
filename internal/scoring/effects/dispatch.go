package effects

import (
	"slices"

	"github.com/countersign/countersign/internal/canon"
)

// dispatch reads the call of another tool that stands in the arguments, as a call of its
// own.
func (r *reader) dispatch(args canon.Value, pointer string) {
	if r.depth >= maxInner {
		return
	}
	var function, at string
	var inner, whole canon.Value
	for name, value := range args.Members() {
		key := lowered(name)
		if says("tool_keys", key) || says("maybe_tool_keys", key) && function == "" && r.calls(args) {
			function, at = value.Text(), pointer+"/"+canon.PointerEscape(name)
		}
		if isInner(key) && inner.IsAbsent() {
			inner = value
		}
	}
	if function == "" || len(function) > 200 || inner.IsAbsent() && r.name.kind == Read && r.name.known && !r.name.executor {
		return
	}
	if whole = inner; whole.Kind() == canon.KindString {
		whole = r.in.Call.Text(whole.Text()).Document()
	}
	if whole.Kind() != canon.KindObject && whole.Kind() != canon.KindArray {
		whole = canon.Value{}
	}
	called := examine(Input{Function: function, Arguments: whole, Call: r.in.Call.Inner(function, whole)}, r.depth+1)
	all := called.told
	if !called.silent {
		all = append(slices.Clone(all), called.named)
	}
	for i := range all { // their places are the outer call's
		all[i].Evidence = slices.Clone(all[i].Evidence)
		for j := range all[i].Evidence {
			all[i].Evidence[j].Pointer, all[i].Evidence[j].Start, all[i].Evidence[j].End = at, 0, len(function)
		}
	}
	if len(all) > 0 && all[0].Kind == Unknown && pointer != "/arguments" {
		return // an object that only looks like a call
	}
	r.dispatched = true
	r.tell(all...)
}

// calls reports whether arguments of another call stand beside a name.
func (r *reader) calls(args canon.Value) bool {
	for name, value := range args.Members() {
		if isInner(lowered(name)) && (value.Kind() == canon.KindObject || value.Kind() == canon.KindString && len(value.Text()) > 0 && value.Text()[0] == '{') {
			return true
		}
	}
	return false
}

func isInner(key string) bool {
	return says("inner_arguments", key)
}
