package notices

import (
	"math/rand/v2"
	"time"
)

// The pauses before the second, third … attempt.

// ProgramRetries are those that Standard Webhooks 1.0.0 gives as its example ("Deliverability
// and reliability"): ten attempts in a little more than three days.
func ProgramRetries() []time.Duration {
	return []time.Duration{
		5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour, 5 * time.Hour,
		10 * time.Hour, 14 * time.Hour, 20 * time.Hour, 24 * time.Hour,
	}
}

// PeopleRetries are for channels that people read: a request lives 15 minutes by default, so
// seven attempts come before its end, and the last one within four hours.
func PeopleRetries() []time.Duration {
	return []time.Duration{
		5 * time.Second, 30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 6 * time.Minute,
		15 * time.Minute, 30 * time.Minute, time.Hour, 2 * time.Hour,
	}
}

// mostAsked bounds how long a receiver can put off the next attempt.
const mostAsked = 24 * time.Hour

// jitter adds up to a tenth, so that what failed together does not come again together.
func jitter(d time.Duration) time.Duration { return d + rand.N(d/10+1) }

// pause is how long to wait after so many failures; ok is false when that was the last.
func pause(retries []time.Duration, failures int, f *Failure) (d time.Duration, ok bool) {
	if failures < 1 || failures > len(retries) || f != nil && f.Final {
		return 0, false
	}
	d = jitter(retries[failures-1])
	if f != nil {
		d = max(d, min(f.RetryAfter, mostAsked))
	}
	return d, true
}
