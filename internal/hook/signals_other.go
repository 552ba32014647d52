//go:build !unix

package hook

import (
	"os"
	"syscall"
)

// brokenPipe is not sent here.
const brokenPipe = syscall.SIGPIPE

// ends are the signals that would end the process with another exit code than 2.
var ends = []os.Signal{os.Interrupt, syscall.SIGTERM}
