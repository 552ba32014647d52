package store

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/scoring"
)

// A policy from before there was a setting for it keeps the lock that there was.
func TestAnOldPolicyKeepsItsLock(t *testing.T) {
	t.Parallel()
	stored, err := scoring.DefaultPolicy().Stored()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{
		string(stored): 60,
		strings.Replace(string(stored), `"idle_lock_minutes":60,`, "", 1): 15,
	} {
		p, err := readPolicy(text)
		if err != nil || p.IdleLockMinutes != want {
			t.Errorf("%d minutes, %v; want %d", p.IdleLockMinutes, err, want)
		}
	}
}
