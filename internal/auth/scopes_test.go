package auth_test

import (
	"slices"
	"testing"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
)

func TestScopes(t *testing.T) {
	t.Parallel()
	both := []auth.Scope{auth.ScopeSubmit, auth.ScopeAssess}
	for name, c := range map[string]struct{ named, want []auth.Scope }{
		"none":               {nil, both[:1]},
		"one":                {both[1:], both[1:]},
		"twice and reversed": {[]auth.Scope{auth.ScopeAssess, auth.ScopeSubmit, auth.ScopeAssess}, both},
	} {
		got, err := auth.CheckScopes(c.named)
		if err != nil || !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, %v; want %q", name, got, err, c.want)
		}
		if again := auth.SplitScopes(auth.JoinScopes(got)); !slices.Equal(again, c.want) {
			t.Errorf("%s: stored and read it is %q", name, again)
		}
	}
	if _, err := auth.CheckScopes([]auth.Scope{"submit", "admin"}); !fault.Is(err, fault.InvalidForm) {
		t.Errorf("an unknown scope: %v", err)
	}
	if got := auth.SplitScopes("later,assess,"); !slices.Equal(got, both[1:]) {
		t.Errorf("with unknown ones: %q", got)
	}
	a := auth.Agent{Scopes: both[:1]}
	if !a.May(auth.ScopeSubmit) || a.May(auth.ScopeAssess) || (auth.Agent{}).May(auth.ScopeSubmit) {
		t.Error("an agent may what its key has not, or not what it has")
	}
}
