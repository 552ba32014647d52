//go:build unix

package service

import (
	"os/exec"
	"syscall"
)

// detach keeps a program running when the terminal that started it is closed.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
