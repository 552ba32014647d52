//go:build !linux && !darwin

package store

import "time"

// uptime goes on evenly whatever the clock is set to.
func uptime() time.Duration { return time.Since(started) }
