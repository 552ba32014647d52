package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/client"
	"github.com/countersign/countersign/internal/hook"
	"github.com/countersign/countersign/internal/install"
)

// hookCmd describes “hook AGENT” for the help text. It never runs: main hands the
// command to the hook before anything else can end with an exit code that makes an
// agent run its tool.
type hookCmd struct {
	Agent string `arg:"" help:"claude-code, codex, gemini, opencode, cursor or copilot."`
	Low   string `enum:"allow,pass" default:"allow" help:"What a LOW call gets: allow, or pass, which leaves it to the agent's own rules."`
	Wait  string `help:"How long to wait for a person; default wait_seconds of the settings, else 59m30s."`
}

func (hookCmd) Run() error {
	return errors.New("put “hook” first: countersign " + hook.Usage)
}

// asksHook reports whether a command line is “hook AGENT”, whatever comes after it. The
// other commands below hook are named.
func asksHook(args []string) bool {
	if len(args) == 0 || args[0] != "hook" {
		return false
	}
	return len(args) == 1 || !slices.Contains([]string{"install", "doctor", "enroll", "-h", "--help"}, args[1])
}

// hookEnrollCmd is “countersign hook enroll”: one of many machines gets a key of its own.
type hookEnrollCmd struct {
	URL       string `name:"url" required:"" placeholder:"URL" help:"The server's public URL."`
	TokenFile string `name:"token-file" placeholder:"FILE" help:"File with the token, or - for standard input. Unset: the environment variable COUNTERSIGN_ENROLMENT, else standard input. A token is never an argument: others can read those."`
	Host      string `placeholder:"NAME" help:"This machine's name in the name of its agent. Unset: its host name."`
	CA        string `name:"ca" placeholder:"FILE" help:"PEM file of the authorities that sign the server's certificate. Unset: those of the system."`
}

// Run asks only where no settings are: a machine that has a key keeps it.
func (c hookEnrollCmd) Run(ctx context.Context, s streams) error {
	path := client.SettingsPath(os.Getenv)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("this machine has settings already: %s; move them away to enroll it anew", path)
	}
	token, err := c.token(s.in)
	if err != nil {
		return err
	}
	host := c.Host
	if host == "" {
		if host, err = os.Hostname(); err != nil {
			return fmt.Errorf("%w; name this machine with --host", err)
		}
	}
	// A file that can't be written has to show before the token is used: it works once for a host.
	if err := install.SaveSettings(path, client.Settings{URL: c.URL, CA: c.CA}); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	e, err := client.Enrol(ctx, client.Settings{URL: c.URL, CA: c.CA}, token, host)
	if err != nil {
		return errors.Join(err, os.Remove(path))
	}
	if err := install.SaveSettings(path, client.Settings{URL: c.URL, CA: c.CA, Key: e.Key}); err != nil {
		return fmt.Errorf("the key of %s couldn't be written and is lost; an admin gives the agent another one (%w)", e.Agent, err)
	}
	fmt.Fprintf(s.err, "%s has a key in %s\n", e.Agent, path)
	return nil
}

// token reads it from where others can't see it.
func (c hookEnrollCmd) token(in io.Reader) (string, error) {
	token := ""
	switch {
	case c.TokenFile == "" && os.Getenv("COUNTERSIGN_ENROLMENT") != "":
		token = os.Getenv("COUNTERSIGN_ENROLMENT")
	case c.TokenFile != "" && c.TokenFile != "-":
		b, err := os.ReadFile(c.TokenFile)
		if err != nil {
			return "", err
		}
		token = string(b)
	default:
		b, err := io.ReadAll(io.LimitReader(in, 4096))
		if err != nil {
			return "", err
		}
		token = string(b)
	}
	if token = strings.TrimSpace(token); token == "" {
		return "", errors.New("there is no token; write it to standard input, or name a file with --token-file")
	}
	return token, nil
}
