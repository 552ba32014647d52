package approvals

import (
	"testing"
	"time"

	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
)

// What is put aside is back before it ends, and what is critical soon.
func TestLastSnooze(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		level      level.Level
		left, last time.Duration
		ok         bool
	}{
		{level.High, 24 * time.Hour, 24*time.Hour - snoozeBack, true},
		{level.Critical, 24 * time.Hour, criticalSnooze, true},
		{level.Medium, 20 * time.Minute, 15 * time.Minute, true},
		{level.Medium, time.Minute, 45 * time.Second, false},
		{level.Medium, -time.Minute, 0, false},
	} {
		a := Approval{Status: Pending, CreatedAt: now.Add(-time.Hour), ExpiresAt: now.Add(c.left)}
		a.Assessment.Level = c.level
		policy := scoring.DefaultPolicy()
		policy.RemindAtPercent = 0
		last, ok := lastSnooze(a, policy, now)
		if ok != c.ok || ok && last.Sub(now) != c.last {
			t.Errorf("%s with %s left: until %s, %v", c.level, c.left, last.Sub(now), ok)
		}
	}
}
