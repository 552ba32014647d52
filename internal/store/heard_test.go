package store_test

import (
	"path/filepath"
	"testing"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store"
	"github.com/countersign/countersign/internal/store/headstest"
	"github.com/countersign/countersign/internal/store/sqlitetest"
	"github.com/countersign/countersign/internal/tenants"
)

// What an agent tells of before a restore stops nobody, also where a process hears it before it read
// anything. What it tells of since does.
func TestHeardOfBeforeARestore(t *testing.T) {
	t.Parallel()
	path, heads := sqlitetest.Create(t, filepath.Join(t.TempDir(), "db")), headstest.New()
	first := openAt(t, store.Config{Path: path, Heads: heads})
	if err := tenants.NewService(tenants.Config{Store: first.Tenants()}).CreateTenant(t.Context(), "acme"); err != nil {
		t.Fatal(err)
	}
	if err := first.Sign(t.Context(), "acme", audit.Event{Kind: audit.Restored, Actor: audit.Actor{Kind: "system"}}); err != nil {
		t.Fatal(err)
	}
	_, note, err := first.Audit().Signed(t.Context(), "acme")
	if err != nil {
		t.Fatal(err)
	}
	now, err := heads.Open(note)
	if err != nil {
		t.Fatal(err)
	}
	for _, epoch := range []int64{now.Epoch, now.Epoch - 1} {
		stops := epoch == now.Epoch
		told := now
		told.Epoch, told.Size = epoch, now.Size+1
		note, err := heads.Sign(told)
		if err != nil {
			t.Fatal(err)
		}
		next := openAt(t, store.Config{Path: path, Heads: heads})
		next.Hear("acme", note)
		for range 2 {
			err = next.Sign(t.Context(), "acme", audit.Event{Kind: audit.HeadSigned, Actor: audit.Actor{Kind: "system"}}) // which moves the head
			if fault.Is(err, fault.GrantUnproven) != stops || !stops && err != nil {
				t.Errorf("told of epoch %d, and it is epoch %d: %v", epoch, now.Epoch, err)
			}
		}
	}
}
