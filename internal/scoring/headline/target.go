package headline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/edits"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/facts"
)

// TargetOf is the most specific value that a call has, which a person types at CRITICAL: a
// payment, a table, a file. Where it has no argument at all, it is the function's name and ok is
// false.
func TargetOf(in *call.Call, r Reading) (value string, ok bool) {
	a := actOf(in, r)
	if all := edits.Read(in); len(all) > 0 {
		return slices.MinFunc(all, func(x, y edits.File) int { return cmp.Compare(losing[x.Does], losing[y.Does]) }).Path, true
	}
	if value, ok := a.touched(); ok {
		return value, true
	}
	if a.written == nil && a.target >= 0 && typable(a.arguments[a.target].Values[0]) {
		return text(a.arguments[a.target].Values[0]), true
	}
	for _, f := range r.Facts { // a command in another argument, or taken apart into a list
		if isName(f.Kind) && (f.Source == facts.FromShell || f.Source == facts.FromSQL) {
			return f.Value, true
		}
	}
	best := -1
	for i, arg := range a.arguments {
		if arg.Secret || !typable(arg.Values[0]) || slices.Contains([]Role{Amount, Count, Flag, Text, Manner}, arg.Role) || arg.Weight <= weightShown || a.written != nil && slices.Contains(a.written.of, i) {
			continue
		}
		if best < 0 || arg.Weight > a.arguments[best].Weight {
			best = i
		}
	}
	if best >= 0 {
		n := a.arguments[best].Values[0]
		for _, f := range r.Facts {
			if f.Kind == facts.Host && f.Pointer == n.Pointer && strings.Contains(n.Text(), "@") { // not what somebody signs in with
				return f.Value, true
			}
		}
		return text(n), true
	}
	for _, f := range r.Facts {
		if isName(f.Kind) {
			return f.Value, true
		}
	}
	return in.Function, false
}

// touched is what the command, statement or program acts on: of what stands where the level was
// made the best fact, else of the whole text.
func (a *act) touched() (string, bool) {
	w := a.written
	if w == nil {
		return "", false
	}
	// Of a grant it is who gets it.
	grants := a.kind() == effects.Permission && slices.ContainsFunc(a.Facts, func(f facts.Fact) bool { return f.Kind == facts.Recipient })
	for _, near := range []bool{true, false} {
		for _, f := range a.Facts {
			if grants && f.Kind != facts.Recipient || !isName(f.Kind) || f.Value == "" || f.Value[0] == '-' {
				continue
			}
			from, to, ok := w.place(f.Pointer, f.Start, f.End)
			if near && ok && w.end > 0 && from >= w.within && to <= w.until || !near && (ok || w.pieces[0].pointer == "" && strings.HasPrefix(f.Pointer, "/arguments")) {
				return f.Value, true
			}
		}
	}
	return "", false
}

// isName reports whether facts of a kind name a thing.
func isName(k facts.Kind) bool {
	return slices.Contains([]facts.Kind{facts.Target, facts.Recipient, facts.Table, facts.Path, facts.Host, facts.Branch}, k)
}

func text(n *call.Node) string { return strings.TrimSpace(n.Text() + n.Digits()) }

func typable(n *call.Node) bool {
	return (n.Kind() == canon.KindString || n.Kind() == canon.KindNumber) && text(n) != "" && text(n)[0] != '-' && !strings.Contains(n.Text(), "[REDACTED:")
}
