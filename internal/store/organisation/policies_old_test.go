package organisation

import (
	"strings"
	"testing"

	"github.com/countersign/countersign/internal/scoring"
)

// A policy from before there were settings for them keeps the lock and the longest wait that there
// were.
func TestAnOldPolicyKeepsItsLock(t *testing.T) {
	t.Parallel()
	stored, err := scoring.DefaultPolicy().Stored()
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]int{ // minutes of the lock
		string(stored): 60,
		strings.Replace(string(stored), `"idle_lock_minutes":60,`, "", 1):         15,
		strings.Replace(string(stored), `"longest_expiry_seconds":86400,`, "", 1): 60,
	} {
		p, err := readPolicy(text)
		if err != nil || p.IdleLockMinutes != want || p.LongestExpirySeconds != 86_400 {
			t.Errorf("%d minutes, %d seconds, %v; want %d and 86400", p.IdleLockMinutes, p.LongestExpirySeconds, err, want)
		}
	}
}
