package approvals

import (
	"fmt"
	"slices"
	"testing"

	"github.com/countersign/countersign/internal/scoring"
)

// The policies that were last used are kept, one of each tenant, and no more than mostPolicies.
func TestPoliciesAreBounded(t *testing.T) {
	t.Parallel()
	var p policies
	use := func(tenant string, version int64) { p.entry(tenant, version, scoring.Policy{}) }
	kept := func(tenant string) (versions []int64) {
		for _, c := range p.kept {
			if c.tenant == tenant {
				versions = append(versions, c.version)
			}
		}
		return versions
	}
	use("first", 1)
	use("second", 1)
	for n := range mostPolicies - 2 {
		use(fmt.Sprint(n), 1)
	}
	use("first", 1)
	use("one more", 1)
	if len(p.kept) != mostPolicies || kept("second") != nil || len(kept("first")) != 1 || p.kept[0].tenant != "one more" || p.kept[1].tenant != "first" {
		t.Errorf("%d are kept, of the first %v, of the second %v", len(p.kept), kept("first"), kept("second"))
	}
	use("first", 3)
	use("first", 2)
	if got := kept("first"); !slices.Equal(got, []int64{3}) || len(p.kept) != mostPolicies {
		t.Errorf("of the first %v are kept, %d in all", got, len(p.kept))
	}
}

// A policy is compiled once for each version.
func TestPolicyIsCompiledOnce(t *testing.T) {
	t.Parallel()
	var p policies
	own := scoring.DefaultPolicy()
	own.Functions = []scoring.Function{{Glob: "read_*", Docstring: "Reads."}}
	compile := func(version int64) *scoring.Compiled {
		c, err := p.compiled("a", version, own)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	first, older := compile(2), compile(1)
	if first == older || compile(2) != first || compile(3) == first {
		t.Error("a version is compiled again, or stands for another one")
	}
	if _, err := p.compiled("b", 1, scoring.Policy{}); err == nil {
		t.Error("a policy that is wrong is compiled")
	}
	if c, err := p.compiled("c", 1, scoring.DefaultPolicy()); err != nil || c == nil || len(p.kept) != 1 {
		t.Errorf("%d are kept with a policy that costs nothing to compile: %v", len(p.kept), err)
	}
}
