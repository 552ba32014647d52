package auth

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/fault"
)

// Scope is a part of the agents' API that one key opens. A key has what it was
// made with for good; a new key has what is asked for then.
type Scope string

const (
	ScopeSubmit Scope = "submit" // everything that is not named below
	ScopeAssess Scope = "assess" // dry runs: what would happen to an action
)

// Scopes lists every scope.
func Scopes() []Scope { return []Scope{ScopeSubmit, ScopeAssess} }

// May reports whether the agent's key has the scope. An agent without scopes may
// nothing.
func (a Agent) May(s Scope) bool { return slices.Contains(a.Scopes, s) }

// CheckScopes returns what a new key is to have: the named scopes, each once and
// in the order of Scopes; ScopeSubmit where none is named.
func CheckScopes(named []Scope) ([]Scope, error) {
	if len(named) == 0 {
		return []Scope{ScopeSubmit}, nil
	}
	for _, s := range named {
		if !slices.Contains(Scopes(), s) {
			return nil, fault.Member(fault.InvalidForm, "scopes", "%.60q isn't a scope; name any of %s", string(s), strings.ReplaceAll(JoinScopes(Scopes()), ",", ", "))
		}
	}
	return slices.DeleteFunc(Scopes(), func(s Scope) bool { return !slices.Contains(named, s) }), nil
}

// JoinScopes writes scopes as they are stored: separated by commas.
func JoinScopes(scopes []Scope) string {
	var b strings.Builder
	for i, s := range scopes {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(string(s))
	}
	return b.String()
}

// SplitScopes reads what JoinScopes wrote. A scope that this version does not
// know opens nothing and is left out.
func SplitScopes(stored string) []Scope {
	var scopes []Scope
	for name := range strings.SplitSeq(stored, ",") {
		if s := Scope(name); slices.Contains(Scopes(), s) {
			scopes = append(scopes, s)
		}
	}
	return scopes
}
