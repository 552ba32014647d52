package approvals

import (
	"encoding/json"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring"
)

// seeded is a source that is the same in every run.
func seeded(n uint64) *rand.Rand { return rand.New(rand.NewPCG(n, 2026)) }

// compiled is the default policy, once for all tests.
var compiled = sync.OnceValue(func() *scoring.Compiled {
	c, err := scoring.Compile(scoring.DefaultPolicy())
	if err != nil {
		panic(err)
	}
	return c
})

// proposed is an approval as scoring makes it, without a store.
func proposed(t *testing.T, id, agent string, body map[string]any) Approval {
	t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	tree, err := canon.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	action, err := scoring.NewAction(tree)
	if err != nil {
		t.Fatal(err)
	}
	exam := compiled().Examine(action, nil)
	shown, carried, as := exam.Mask(exam.Assess(1))
	as.Treatment.Challenge = scoring.ChallengeQuiz // whatever its level: lists show it without what its quiz asks for
	return Approval{
		ID: id, Agent: Agent{Name: agent}, Action: shown.Canonical(), Digest: action.Digest(), ShownDigest: shown.Digest(), Carried: carried,
		Function: action.Function(), Assessment: as, Treatment: as.Treatment,
	}
}

type (
	body = map[string]any
	args = map[string]any
)

// offered are the options of a set by what is asked.
func offered(set []Question) map[string][]string {
	all := map[string][]string{}
	for _, q := range set {
		for _, o := range q.Options {
			all[q.Prompt] = append(all[q.Prompt], o.Text)
		}
	}
	return all
}
