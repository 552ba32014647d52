package lifetest

import (
	"fmt"
	"slices"
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/scoring"
)

// revise answers a request for changes, and asks for changes again.
func (h *house) revise(id string, n int) approvals.Approval {
	h.t.Helper()
	body := fmt.Sprintf(`{"function":"deploy_service","arguments":{"service":"checkout","env":"staging","replicas":%d},"docstring":"Deploy to production."}`, n)
	a, _, err := h.Submit(h.t.Context(), h.agent, approvals.Submission{Action: action(h.t, body), Revises: id})
	if err != nil {
		h.t.Fatal(err)
	}
	return a
}

func ids(all []approvals.Approval) (ids []string) {
	for _, a := range all {
		ids = append(ids, a.ID)
	}
	return ids
}

// Every request of a chain shows the chain, both ways; others show none.
func TestRevisionChain(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	alone := h.waiting(confirm, scoring.ChallengeConfirm)
	if v := h.show(h.ada, alone.ID); v.Chain != nil || v.Answers() != nil || v.SupersededBy() != nil {
		t.Errorf("one by itself has the chain %v", ids(v.Chain))
	}
	first := h.refuse(h.ada, h.waiting(confirm, scoring.ChallengeConfirm), approvals.VerdictRequestChanges)
	if v := h.show(h.ada, first.ID); v.Chain != nil {
		t.Errorf("one that nothing answers has the chain %v", ids(v.Chain))
	}
	second := h.refuse(h.ben, h.revise(first.ID, 1), approvals.VerdictRequestChanges)
	other := h.revise(first.ID, 2) // the same request answered twice
	third := h.revise(second.ID, 3)
	for _, c := range []struct {
		what             string
		of               approvals.Approval
		chain            []string
		answers, succeed string
	}{
		{"the first", first, []string{first.ID, second.ID, other.ID, third.ID}, "", third.ID},
		{"the second", second, []string{first.ID, second.ID, third.ID}, first.ID, third.ID},
		{"the last", third, []string{first.ID, second.ID, third.ID}, second.ID, ""},
		{"the other answer", other, []string{first.ID, other.ID}, first.ID, ""},
	} {
		v := h.show(h.ada, c.of.ID)
		id := func(a *approvals.Approval) string {
			if a == nil {
				return ""
			}
			return a.ID
		}
		if !slices.Equal(ids(v.Chain), c.chain) || id(v.Answers()) != c.answers || id(v.SupersededBy()) != c.succeed {
			t.Errorf("%s: %v, answers %q, superseded by %q", c.what, ids(v.Chain), id(v.Answers()), id(v.SupersededBy()))
		}
	}
}

// A long chain is read in part, whichever end one looks from.
func TestLongChainsAreBounded(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	chain := []approvals.Approval{h.refuse(h.ada, h.waiting(confirm, scoring.ChallengeConfirm), approvals.VerdictRequestChanges)}
	for n := range 29 {
		chain = append(chain, h.refuse(h.ada, h.revise(chain[n].ID, n), approvals.VerdictRequestChanges))
	}
	for at, want := range map[int][2]int{0: {0, 20}, 15: {5, 25}, 29: {19, 30}} {
		if v := h.show(h.ada, chain[at].ID); !slices.Equal(ids(v.Chain), ids(chain[want[0]:want[1]])) {
			t.Errorf("from %d: %d links", at, len(v.Chain))
		}
	}
}
