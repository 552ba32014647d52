package scoring

import (
	"cmp"

	"github.com/countersign/countersign/internal/scoring/level"
)

// Expiry is how many seconds the action waits when it is held at this level; asked
// is what its agent asked for, 0 where it did not.
//
// The policy's limit is that of the function, the shortest of all entries that
// match, or else that of the level. An agent can only shorten it. Where there is no
// limit it may choose, and expiry_seconds is what an agent gets that does not. None of
// it is longer than longest_expiry_seconds.
func (e Examination) Expiry(l level.Level, asked int) int {
	if asked == 0 {
		return e.compiled.Expiry(e.action.Function(), l)
	}
	longest := e.compiled.policy.LongestExpirySeconds
	return min(asked, cmp.Or(e.compiled.expiryLimit(e.action.Function(), l), longest), longest)
}

// Expiry is how many seconds a request waits whose agent asks for no time of its own.
func (c *Compiled) Expiry(function string, l level.Level) int {
	return min(cmp.Or(c.expiryLimit(function, l), c.policy.ExpirySeconds), c.policy.LongestExpirySeconds)
}

// expiryLimit is the policy's limit; 0: none.
func (c *Compiled) expiryLimit(function string, l level.Level) int {
	return cmp.Or(c.functionLimit(function), c.policy.ExpirySecondsByLevel.At(l))
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
