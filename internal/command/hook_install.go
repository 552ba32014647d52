package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/countersign/countersign/internal/install"
)

// hookInstallCmd is “countersign hook install”.
type hookInstallCmd struct {
	changing

	Agent   string `arg:"" help:"claude-code, codex, gemini, opencode, cursor or copilot."`
	User    bool   `help:"Change the settings of this user (the default)."`
	Project string `placeholder:"DIR" help:"Change the settings of the project in this folder instead."`
	Managed bool   `help:"Print the settings file with which an administrator forces the hook on all users. Nothing is written."`
	Program string `placeholder:"PATH" help:"The agent's program, if it isn't the first one on the PATH."`
}

// changing are the flags of a command that changes settings of other programs.
type changing struct {
	Print bool `help:"Print the file as it would be. Nothing is written."`
	Yes   bool `help:"Don't ask."`
	Undo  bool `help:"Take out what was added."`
	JSON  bool `name:"json" help:"Print what was done as JSON."`
}

// carryOut shows a change, asks, applies it, and says what was done.
func (c changing) carryOut(s streams, change install.Change, done installed, apply func() (next []string, err error)) error {
	if c.Print {
		_, err := io.WriteString(s.out, change.Text())
		return err
	}
	if change.Changed() && !c.Yes && !agreed(s, change.Diff()) {
		return errors.New("nothing was changed")
	}
	next, err := apply()
	if err != nil {
		return err
	}
	done.Next = append(done.Next, next...)
	done.Files = []installedFile{{change.Path, change.Changed(), change.Backup()}}
	return done.tell(s.out, c.JSON)
}

// installedFile and installed are what --json prints.
type installedFile struct {
	Path    string `json:"path"`
	Changed bool   `json:"changed"`
	Backup  string `json:"backup"`
}

type installed struct {
	Agent string          `json:"agent"`
	Files []installedFile `json:"files"`
	Next  []string        `json:"next"`
}

func (c *hookInstallCmd) Run(ctx context.Context, s streams) error {
	a, err := install.AgentNamed(c.Agent)
	if err != nil {
		return exitWith(2, err)
	}
	where := 0
	for _, given := range []bool{c.User, c.Project != "", c.Managed} {
		if given {
			where++
		}
	}
	if where > 1 || c.Managed && c.Undo {
		return exitWith(2, errors.New("give one of --user, --project and --managed; --managed only prints"))
	}
	if c.Project != "" {
		if c.Project, err = filepath.Abs(c.Project); err == nil {
			_, err = os.ReadDir(c.Project)
		}
		if err != nil {
			return exitWith(2, err)
		}
	}
	m, err := thisMachine()
	if err != nil {
		return err
	}
	done := installed{Agent: a.Name, Next: []string{}}
	if c.Managed {
		path, text, err := a.Managed(m)
		if install.IsUsage(err) {
			return exitWith(2, err)
		}
		if err != nil {
			return err
		}
		done.Files = []installedFile{{Path: path}}
		done.Next = append(done.Next, "Write this to "+path+" as an administrator, on each machine:\n"+text)
		if c.JSON {
			return done.tell(s.out, true)
		}
		fmt.Fprintf(s.err, "Write this to %s as an administrator, on each machine:\n", path)
		_, err = io.WriteString(s.out, text)
		return err
	}
	change, err := a.Plan(m, a.File(m, c.Project), c.Undo)
	if err != nil {
		return err
	}
	return c.carryOut(s, change, done, func() ([]string, error) {
		if c.Undo {
			return nil, change.Apply()
		}
		return a.Install(ctx, m, change, c.Program, c.Project)
	})
}

// tell prints what was done, for people or for programs.
func (d installed) tell(w io.Writer, asJSON bool) error {
	if asJSON {
		e := json.NewEncoder(w)
		e.SetEscapeHTML(false)
		return e.Encode(d)
	}
	for _, f := range d.Files {
		switch {
		case !f.Changed:
			fmt.Fprintf(w, "%s: nothing to change\n", f.Path)
		case f.Backup != "":
			fmt.Fprintf(w, "%s: changed; as it was before: %s\n", f.Path, f.Backup)
		default:
			fmt.Fprintf(w, "%s: changed\n", f.Path)
		}
	}
	for _, n := range d.Next {
		fmt.Fprintln(w, "-", n)
	}
	return nil
}

// agreed shows a change and asks. No answer is a no.
func agreed(s streams, diff string) bool {
	fmt.Fprintf(s.err, "%s\nChange it? [y/N] ", diff)
	return yes(s.in)
}

// yes reads one line, and no byte of the next question's answer.
func yes(in io.Reader) bool {
	var answer []byte
	for b := make([]byte, 1); len(answer) < 100; answer = append(answer, b[0]) {
		if n, err := in.Read(b); n == 0 || err != nil || b[0] == '\n' {
			break
		}
	}
	said := strings.ToLower(strings.TrimSpace(string(answer)))
	return said == "y" || said == "yes"
}

// thisMachine is where the command runs.
func thisMachine() (install.Machine, error) {
	m := install.Machine{OS: runtime.GOOS, Getenv: os.Getenv, LookPath: exec.LookPath}
	var err error
	if m.Home, err = os.UserHomeDir(); err != nil {
		return m, err
	}
	m.Executable, err = os.Executable()
	return m, err
}
