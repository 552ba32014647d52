package scoring

import "github.com/countersign/countersign/internal/scoring/level"

// Expiry is how many seconds the action waits when it is held at this level; asked
// is what its agent asked for, 0 where it did not.
//
// The policy's limit is that of the function, the shortest of all entries that
// match, or else that of the level. An agent can only shorten it. Where there is no
// limit it may choose, and expiry_seconds is what an agent gets that does not.
func (e Examination) Expiry(l level.Level, asked int) int {
	limit := e.compiled.functionLimit(e.action.Function())
	if limit == 0 {
		limit = e.compiled.policy.ExpirySecondsByLevel.At(l)
	}
	switch {
	case asked == 0 && limit == 0:
		return e.compiled.policy.ExpirySeconds
	case asked == 0:
		return limit
	case limit == 0:
		return asked
	}
	return min(asked, limit)
}

// functionLimit is the shortest that the registry says about a function; 0: nothing.
func (c *Compiled) functionLimit(function string) (limit int) {
	for _, f := range c.functions {
		if f.ExpirySeconds > 0 && (limit == 0 || f.ExpirySeconds < limit) && f.glob.MatchString(function) {
			limit = f.ExpirySeconds
		}
	}
	return limit
}
