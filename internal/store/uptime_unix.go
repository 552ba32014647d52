//go:build linux || darwin

package store

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// uptime goes on evenly whatever the clock is set to, and in a machine that sleeps, where
// Go's own monotonic time stands still.
func uptime() time.Duration {
	id := int32(unix.CLOCK_MONOTONIC)
	if runtime.GOOS == "linux" {
		id = 7 // CLOCK_BOOTTIME
	}
	var t unix.Timespec
	if err := unix.ClockGettime(id, &t); err != nil {
		return time.Since(started)
	}
	return time.Duration(t.Nano())
}
