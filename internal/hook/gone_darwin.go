package hook

import (
	"os"
	"syscall"
)

// watch remembers who started this process and returns a function that says whether
// that is over. Between the agent and this process there can be a shell, which outlives
// the agent; so the pipe to the agent counts, too: when nobody reads it any more, the
// agent is gone.
func watch() func() bool {
	parent := os.Getppid()
	queue, err := syscall.Kqueue()
	return func() bool {
		if os.Getppid() != parent {
			return true
		}
		if err != nil {
			return false
		}
		var change [1]syscall.Kevent_t
		syscall.SetKevent(&change[0], syscall.Stdout, syscall.EVFILT_WRITE, syscall.EV_ADD|syscall.EV_ONESHOT)
		var events [1]syscall.Kevent_t
		n, err := syscall.Kevent(queue, change[:], events[:], &syscall.Timespec{})
		return err == nil && n > 0 && events[0].Flags&syscall.EV_ERROR == 0 && events[0].Flags&syscall.EV_EOF != 0
	}
}
