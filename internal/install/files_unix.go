//go:build unix

package install

import (
	"os"
	"os/exec"
	"syscall"
)

// keepOwner gives a new file the owner of the one that it replaces, where root changes the
// settings of somebody else.
func keepOwner(f *os.File, target string) error {
	info, err := os.Stat(target)
	if err != nil {
		return nil // there was none
	}
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok || os.Geteuid() == int(s.Uid) {
		return nil
	}
	return f.Chown(int(s.Uid), int(s.Gid))
}

// ownGroup lets a program be ended with all that it starts.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
