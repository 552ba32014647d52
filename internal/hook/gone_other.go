//go:build !linux && !darwin

package hook

import "os"

// watch remembers who started this process and returns a function that says whether
// that is over.
func watch() func() bool {
	parent := os.Getppid()
	return func() bool { return os.Getppid() != parent }
}
