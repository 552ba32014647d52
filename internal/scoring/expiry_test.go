package scoring

import (
	"testing"

	"github.com/countersign/countersign/internal/scoring/level"
)

// The function's limit wins over the level's, the shortest of several counts, and
// an agent can shorten a limit but not lengthen it.
func TestExpiry(t *testing.T) {
	t.Parallel()
	c := compiled(t, func(p *Policy) {
		p.ExpirySeconds, p.LongestExpirySeconds = 900, 604_800
		p.ExpirySecondsByLevel = PerLevel[int]{High: 600, Critical: 120}
		p.Functions = []Function{{Glob: "sign_*", ExpirySeconds: 2_592_000}, {Glob: "pay_*", ExpirySeconds: 1800}, {Glob: "*_NOW", ExpirySeconds: 30}, {Glob: "pay*"}}
	})
	for _, one := range []struct {
		what, function string
		level          level.Level
		asked, want    int
	}{
		{"the default", "read", level.Low, 0, 900},
		{"what the agent asks where nothing limits it", "read", level.Medium, 3600, 3600},
		{"and less", "read", level.Medium, 5, 5},
		{"as long as the longest", "read", level.Medium, 604_800, 604_800},
		{"not longer than the longest", "read", level.Medium, 604_801, 604_800},
		{"the level's", "read", level.High, 0, 600},
		{"not longer than the level's", "read", level.High, 3600, 600},
		{"shorter than the level's", "read", level.Critical, 60, 60},
		{"the longest over the function's", "sign_off", level.High, 0, 604_800},
		{"the longest over both", "sign_off", level.High, 2_592_000, 604_800},
		{"the function's over the level's", "pay_out", level.Critical, 0, 1800},
		{"not longer than the function's", "pay_out", level.Critical, 86400, 1800},
		{"shorter than the function's", "pay_out", level.Low, 7, 7},
		{"the shortest of two", "pay_now", level.High, 0, 30},
	} {
		e := c.Examine(action(t, `{"function":"`+one.function+`"}`), nil)
		if got := e.Expiry(one.level, one.asked); got != one.want {
			t.Errorf("%s: %d, want %d", one.what, got, one.want)
		}
	}
}
