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
	poll, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err == nil {
		// No event is asked for: errors and hang-ups are always told. It fails for
		// files, which have no reader.
		err = syscall.EpollCtl(poll, syscall.EPOLL_CTL_ADD, syscall.Stdout, &syscall.EpollEvent{Fd: int32(syscall.Stdout)})
	}
	return func() bool {
		if os.Getppid() != parent {
			return true
		}
		if err != nil {
			return false
		}
		var events [1]syscall.EpollEvent
		n, _ := syscall.EpollWait(poll, events[:], 0)
		return n > 0
	}
}
