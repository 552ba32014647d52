//go:build unix

package hook

import (
	"os"
	"syscall"
)

// brokenPipe would end the process by itself.
const brokenPipe = syscall.SIGPIPE

// ends are the signals that would end the process with another exit code than 2.
var ends = []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM, brokenPipe}
