package storetest

import (
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
)

// testRollupsAreForgotten deletes what is old, little by little, and nothing else.
func testRollupsAreForgotten(t *testing.T, w world) {
	r := rand.New(rand.NewPCG(7, 7))
	p := w.acme
	p.history(t, r, 40)
	w.beta.history(t, r, 10)
	p.rollUp(t)
	w.beta.rollUp(t)
	sessions := func(p place) (all []approvals.SessionRollup) {
		p.read(t, func(r approvals.Reader) (err error) {
			all, err = r.SessionRollups(approvals.SessionRollupQuery{From: time.Unix(0, 0), Limit: 2000})
			return err
		})
		return all
	}
	ends := sessions(p)
	if len(ends) < 2 {
		t.Fatalf("%d sessions are too few to forget some", len(ends))
	}
	before := ends[len(ends)/2].LastAt // the sessions come latest first: half of them is older
	today := before.UTC().Format(time.DateOnly)
	kept, keptSessions, beta := p.rolled(t), ends[:len(ends)/2+1], w.beta.rolled(t)
	gone := 0
	for k := range kept {
		if strings.Fields(k)[1] < today {
			delete(kept, k)
			gone++
		}
	}
	if gone == 0 || len(kept) == 0 {
		t.Fatalf("%d rows are old and %d are not: both must be tried", gone, len(kept))
	}
	const limit = 7
	for forgotten := limit; forgotten > 0; {
		p.write(t, func(w approvals.Writer) (err error) {
			forgotten, err = w.ForgetRollups(before, limit)
			return err
		})
		if forgotten > limit {
			t.Errorf("%d rows at once, want at most %d", forgotten, limit)
		}
		gone -= forgotten
	}
	if got := p.rolled(t); !maps.Equal(got, kept) || gone > 0 {
		t.Errorf("%d rollups are left, want %d; %d old ones were not counted", len(got), len(kept), gone)
	}
	if got := sessions(p); !slices.Equal(got, keptSessions) {
		t.Errorf("sessions %+v are left, want %+v", got, keptSessions)
	}
	if got := w.beta.rolled(t); !maps.Equal(got, beta) {
		t.Error("rollups of another tenant were forgotten")
	}
	p.rollUp(t)
	if got := p.rolled(t); !maps.Equal(got, kept) {
		t.Error("what was forgotten is counted again")
	}
}
