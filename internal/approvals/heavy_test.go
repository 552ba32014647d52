package approvals

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fairqueue"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// Long actions of one agent wait for their turn, and too many of them are refused; short ones, and
// those of others, are not.
func TestLongActionsWaitInTurn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		action := func(size int) scoring.Action {
			tree, err := canon.Parse([]byte(`{"function": "note", "arguments": {"text": "` + strings.Repeat("x", size) + `"}}`))
			if err != nil {
				t.Fatal(err)
			}
			a, err := scoring.NewAction(tree)
			if err != nil {
				t.Fatal(err)
			}
			return a
		}
		long, short := action(heavyFrom), action(heavyFrom/2)
		loud, quiet := auth.Agent{ID: "agt_loud"}, auth.Agent{ID: "agt_quiet"}
		s := NewService(Config{})
		s.heavy = fairqueue.New(1, heavyWaiting)
		first, err := s.turn(t.Context(), loud, long)
		if err != nil {
			t.Fatal(err)
		}
		for range heavyWaiting {
			go func() {
				if done, err := s.turn(t.Context(), loud, long); err != nil {
					t.Errorf("one that waits: %v", err)
				} else {
					done()
				}
			}()
		}
		synctest.Wait()
		_, err = s.turn(t.Context(), loud, long)
		wantFault(t, "one more", err, fault.RateLimited)
		if done, err := s.turn(t.Context(), loud, short); err != nil {
			t.Errorf("a short action: %v", err)
		} else {
			done()
		}
		go first()
		done, err := s.turn(t.Context(), quiet, long)
		if err != nil {
			t.Fatalf("another agent's: %v", err)
		}
		done()
		synctest.Wait()
	})
}
