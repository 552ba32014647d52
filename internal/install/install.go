package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/aymanbagabas/go-udiff"

	"github.com/countersign/countersign/client"
)

// Change is what is to be done to one file.
type Change struct {
	Path   string
	before []byte // nil: there is no such file
	after  []byte // nil: the file is removed
	mode   fs.FileMode
	backup bool // keep what was there beside it
	// spent says that the backup goes: the file is again what it holds.
	spent bool
}

// Changed says whether there is anything to do.
func (c Change) Changed() bool {
	return !bytes.Equal(c.before, c.after) || (c.before == nil) != (c.after == nil)
}

// Text is the file as it will be.
func (c Change) Text() string { return string(c.after) }

// Diff shows what will change.
func (c Change) Diff() string {
	from, to := c.Path, c.Path
	if c.before == nil {
		from = "/dev/null"
	}
	if c.after == nil {
		to = "/dev/null"
	}
	return udiff.Unified(from, to, string(c.before), string(c.after))
}

// Backup is the path of the backup that belongs to the file after the change, or "".
func (c Change) Backup() string {
	if c.spent {
		return ""
	}
	if _, err := os.Stat(backupOf(c.Path)); err == nil || c.backup && c.Changed() {
		return backupOf(c.Path)
	}
	return ""
}

// Plan says what installing, or taking out, would do to the settings file at path. Nothing is
// written. A file that does not parse is an error.
func (a *Agent) Plan(m Machine, path string, undo bool) (Change, error) {
	return plan(m, path, undo, func(text []byte) ([]byte, error) {
		command, err := a.Command(m)
		if err != nil {
			return nil, err
		}
		return a.format.add(text, command)
	}, a.format.remove)
}

func plan(m Machine, path string, undo bool, add func([]byte) ([]byte, error), remove func([]byte) ([]byte, bool, error)) (Change, error) {
	text, mode, err := read(path)
	if err != nil {
		return Change{}, err
	}
	c := Change{Path: path, before: text, after: text, mode: mode}
	bare, found, err := remove(text)
	if text == nil {
		bare, found, err = nil, false, nil
	}
	if err != nil {
		return Change{}, fmt.Errorf("%s: %w", path, err)
	}
	if !undo {
		// What is there with our hook in it is no backup of how it was without.
		c.backup = text != nil && !found
		if c.after, err = add(text); err != nil {
			return Change{}, fmt.Errorf("%s: %w", path, err)
		}
		return c, nil
	}
	if !found {
		return c, nil
	}
	c.after = bare
	was, _, err := read(backupOf(path))
	if err != nil {
		return Change{}, err
	}
	// If only our entries differ from what installing made of the backup, the file gets its
	// very bytes back; and it goes if there was none.
	if made, err := add(was); err == nil {
		if without, _, err := remove(made); err == nil && bytes.Equal(without, bare) {
			c.after, c.spent = was, was != nil
		}
	}
	return c, nil
}

// Apply writes what was planned.
func (c Change) Apply() error {
	if !c.Changed() {
		return nil
	}
	if c.backup {
		old, _, err := read(backupOf(c.Path))
		if err != nil {
			return err
		}
		if err := write(backupOf(c.Path), old, c.before, c.mode); err != nil {
			return fmt.Errorf("keep a backup: %w", err)
		}
		if err := os.Chmod(backupOf(c.Path), c.mode); err != nil {
			return fmt.Errorf("keep a backup: %w", err)
		}
	}
	if c.after == nil {
		return os.Remove(c.Path)
	}
	if err := write(c.Path, c.before, c.after, c.mode); err != nil {
		return err
	}
	if c.spent {
		return os.Remove(backupOf(c.Path))
	}
	return nil
}

// takeBack undoes Apply, after something that had to follow it failed.
func (c Change) takeBack() error {
	now, _, err := read(c.Path)
	if err != nil {
		return err
	}
	if c.backup {
		err = os.Remove(backupOf(c.Path))
	}
	if c.before == nil {
		return errors.Join(err, os.Remove(c.Path))
	}
	return errors.Join(err, write(c.Path, now, c.before, c.mode))
}

// Install does what was planned and makes the agent run the hook. What is left to a person
// comes back as sentences. After an error nothing is changed.
func (a *Agent) Install(ctx context.Context, m Machine, c Change, program, project string) (next []string, err error) {
	if err := c.Apply(); err != nil {
		return nil, err
	}
	if a.Name == "codex" {
		folder := project
		if folder == "" {
			folder = m.Home
		}
		if program == "" {
			program, err = m.LookPath(a.Program)
		}
		if err != nil {
			next = append(next, "No codex program was found, so nobody could make it trust the hook. "+pressCodex)
		} else if err := trustCodex(ctx, program, folder, c.Path); err != nil {
			err = fmt.Errorf("%w. Nothing was changed. Is %s the codex that you use? --program names another one", err, program)
			if project != "" {
				err = fmt.Errorf("%w. A project's hooks count only where Codex trusts the folder: start it there once, and say yes", err)
			}
			return nil, errors.Join(err, c.takeBack())
		} else if c.before != nil { // Codex wrote its note about trust for the owner only
			if err := os.Chmod(c.Path, c.mode); err != nil {
				return nil, err
			}
		}
	}
	if _, err := client.Load(m.Getenv); err != nil {
		next = append(next, "Until the hook has settings, it blocks every call: "+err.Error())
	}
	if a.Untried != "" {
		next = append(next, a.Untried)
	}
	next = append(next, a.limits(project)...)
	return append(next, fmt.Sprintf("Check it: countersign hook doctor %s --live", a.Name)), nil
}

// limits are what an installation cannot close.
func (a *Agent) limits(project string) []string {
	var all []string
	if project != "" && a.Name == "gemini" {
		all = append(all, "Gemini silently runs no hooks of a project whose folder it doesn't trust: only the doctor's --live shows it.")
	}
	if a.Name == "gemini" {
		all = append(all, "Gemini runs the tool if it ends the hook itself: its own time-out is an hour, and the hook gives up before.")
	}
	return append(all, "Whoever can edit this file can take the hook out. Managed settings cannot be edited by users: --managed prints them.")
}

// Managed is the file of an administrator, and its text.
func (a *Agent) Managed(m Machine) (path, text string, err error) {
	if a.managed == nil {
		return "", "", usageError{a.Name + " has no settings that an administrator can force on users"}
	}
	command, err := a.Command(m)
	if err != nil {
		return "", "", err
	}
	return a.managed(m), a.format.managed(command), nil
}

// usageError is a command that nobody can carry out as it was given.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

// IsUsage says whether an error is one of the command line.
func IsUsage(err error) bool {
	var u usageError
	return errors.As(err, &u)
}
