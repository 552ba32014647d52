package fairqueue_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/countersign/countersign/internal/fairqueue"
)

// Whoever sends much waits behind themselves: another sender's work is next, whatever waits of
// the first, and heavy work counts as much light work.
func TestInTurnBySender(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		sent []string // by whom, in order; upper case is heavy
		want string   // in which order they have their turn
	}{
		"one alone":                       {[]string{"a", "a", "a"}, "aaa"},
		"one that came later":             {[]string{"a", "a", "a", "a", "b"}, "abaaa"},
		"two in turn":                     {[]string{"a", "a", "a", "b", "b", "b"}, "ababab"},
		"heavy work and light work":       {[]string{"A", "A", "b", "b", "b", "b", "b"}, "AbbbbAb"},
		"who was served is not preferred": {[]string{"a", "b", "a", "b"}, "abab"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				q := fairqueue.New(1, 100)
				first, _, err := q.Enter(t.Context(), "zero", 1)
				if err != nil {
					t.Fatal(err)
				}
				var got []byte
				for _, by := range c.sent {
					weight := int64(1)
					if by[0] < 'a' {
						weight = 4
					}
					go func() {
						leave, ok, err := q.Enter(t.Context(), by, weight)
						if err != nil || !ok {
							t.Errorf("%s: %t, %v", by, ok, err)
							return
						}
						got = append(got, by...)
						leave()
					}()
					synctest.Wait()
				}
				first()
				synctest.Wait()
				if string(got) != c.want {
					t.Errorf("the turns are %s, want %s", got, c.want)
				}
			})
		})
	}
}

// Of one sender only so many wait; others still may.
func TestTooManyOfOneSender(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := fairqueue.New(1, 2)
		first, _, _ := q.Enter(t.Context(), "a", 1)
		for range 2 {
			go func() {
				leave, ok, err := q.Enter(t.Context(), "a", 1)
				if !ok || err != nil {
					t.Errorf("one that waits: %t, %v", ok, err)
					return
				}
				leave()
			}()
		}
		synctest.Wait()
		if _, ok, err := q.Enter(t.Context(), "a", 1); ok || err != nil {
			t.Errorf("a third: %t, %v", ok, err)
		}
		go first()
		leave, ok, err := q.Enter(t.Context(), "b", 1)
		if !ok || err != nil {
			t.Fatalf("another sender: %t, %v", ok, err)
		}
		leave()
		synctest.Wait()
	})
}

// Whoever leaves while they wait takes no place with them.
func TestWhoeverGivesUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		q := fairqueue.New(1, 2)
		leave, _, _ := q.Enter(t.Context(), "a", 1)
		var turns []string
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, ok, err := q.Enter(ctx, "b", 1); !ok || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("one that gave up: %t, %v", ok, err)
		}
		for _, by := range []string{"b", "b", "c"} {
			go func() {
				leave, _, _ := q.Enter(t.Context(), by, 1)
				turns = append(turns, by)
				leave()
			}()
			synctest.Wait()
		}
		leave()
		synctest.Wait()
		if want := []string{"b", "c", "b"}; !slices.Equal(turns, want) {
			t.Errorf("the turns are %v, want %v", turns, want)
		}
	})
}
