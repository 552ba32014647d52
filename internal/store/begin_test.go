package store_test

import (
	"context"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/tenants"
)

// crowd lets several writes come at once, in a bubble whose time goes on when all of
// them wait, and checks that each is told in time that the database is busy.
func crowd(t *testing.T, s *store.Store) {
	t.Helper()
	const n = 8
	begun, told := time.Now(), make(chan error, n)
	for range n {
		go func() {
			told <- s.Tenants().Write(context.Background(), "acme", func(tenants.Writer) error { t.Error("fn ran"); return nil })
		}()
	}
	for range n {
		err := <-told
		if !fault.Is(err, fault.NotReady) || fault.As(err).RetryAfter <= 0 {
			t.Errorf("%v, want unavailable", err)
		}
	}
	if waited := time.Since(begun); waited > 5*time.Second {
		t.Errorf("the last of %d waited for %s", n, waited)
	}
}

// works checks that nothing is left behind: who comes next writes.
func works(t *testing.T, s *store.Store) {
	t.Helper()
	if err := s.Tenants().Write(context.Background(), "acme", func(tenants.Writer) error { return nil }); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// Another process holds the file: nobody waits for those who came before as well.
func TestNobodyQueuesBehindALockedFile(t *testing.T) {
	t.Parallel()
	long.Race(t)
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "x.db")
		s := openAt(t, store.Config{Path: path})
		tenant(t, s, "acme")
		other, err := rawAt(t, path).Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		if _, err := other.ExecContext(t.Context(), "BEGIN IMMEDIATE"); err != nil {
			t.Fatal(err)
		}
		crowd(t, s)
		// Readers do not wait for writers.
		if _, err := s.Audit().Head(t.Context(), "acme"); err != nil {
			t.Errorf("reading meanwhile: %v", err)
		}
		if _, err := other.ExecContext(t.Context(), "ROLLBACK"); err != nil {
			t.Fatal(err)
		}
		works(t, s)
	})
}

// Who comes while the queue goes on has a turn, however long that takes.
func TestAQueueThatMovesIsWaitedFor(t *testing.T) {
	t.Parallel()
	long.Race(t)
	synctest.Test(t, func(t *testing.T) {
		s := openAt(t, store.Config{Path: filepath.Join(t.TempDir(), "x.db")})
		tenant(t, s, "acme")
		told := make(chan error, 5)
		for range cap(told) {
			go func() {
				told <- s.Tenants().Write(context.Background(), "acme", func(tenants.Writer) error {
					time.Sleep(3 * time.Second) // in the bubble
					return nil
				})
			}()
		}
		for range cap(told) {
			if err := <-told; err != nil {
				t.Error(err)
			}
		}
	})
}

// So it is where a transaction of our own takes long, and that one may go on: only
// the beginning is limited.
func TestNobodyQueuesBehindALongWrite(t *testing.T) {
	t.Parallel()
	long.Race(t)
	synctest.Test(t, func(t *testing.T) {
		s := openAt(t, store.Config{Path: filepath.Join(t.TempDir(), "x.db")})
		tenant(t, s, "acme")
		inside, release, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
		go func() {
			ended <- s.Tenants().Write(context.Background(), "acme", func(w tenants.Writer) error {
				close(inside)
				<-release
				return w.Append(audit.Event{Kind: audit.SignedIn, Actor: audit.Actor{Kind: "system"}})
			})
		}()
		<-inside
		crowd(t, s)
		close(release)
		if err := <-ended; err != nil {
			t.Errorf("the long one: %v", err)
		}
		works(t, s)
	})
}
