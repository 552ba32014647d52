// Package command is Countersign: the approval console, its command line and its demo.
// cmd/countersign and cmd/server are its doors.
//
// Run without arguments it serves. See README.md for the settings.
package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/hook"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/version"
)

// commands is the command line.
type commands struct {
	Settings

	PrintVersion kong.VersionFlag `name:"version" help:"Print the version and the build it comes from."`

	Serve   serveCmd   `cmd:"" default:"withargs" help:"Serve the console and the agent API (the default). Creates the database and keys on the first start."`
	Setup   setupCmd   `cmd:"" help:"Connect a coding agent on this machine: finds or starts a server, creates what is missing, installs the hook and tests it."`
	Demo    demoCmd    `cmd:"" help:"Serve a demo console with scripted agents and print a sign-in link. Its database and keys are always temporary and deleted at the end."`
	Version versionCmd `cmd:"" help:"Print the version and the build it comes from."`
	Migrate migrateCmd `cmd:"" help:"Migrate the database to the current schema. Commands that write do this automatically."`
	Backup  backupCmd  `cmd:"" help:"Copy the database and the data directory to a new directory, under running servers, and verify the copy."`
	Restore restoreCmd `cmd:"" help:"Put a backup into an empty database and data directory. Nothing that was open is decided or spent afterwards."`
	Tenant  struct {
		Create tenantCreateCmd `cmd:"" help:"Create an organisation."`
	} `cmd:"" help:"Organisations."`
	Agent struct {
		Create  agentCreateCmd  `cmd:"" help:"Create an agent and print its key to standard output, once."`
		Enroll  agentEnrollCmd  `cmd:"" help:"Create a token that many machines exchange for keys of their own, each once, and print it to standard output, once."`
		List    agentListCmd    `cmd:"" help:"List an organisation's agents and the IDs of their keys."`
		Tools   agentToolsCmd   `cmd:"" help:"Import a server's tools for an agent and accept the suggested effects."`
		Bind    agentBindCmd    `cmd:"" help:"Bind an agent to a workspace, an environment or both, or unbind it."`
		StopAll agentStopAllCmd `cmd:"" name:"stop-all" help:"Stop all agents of an organisation: they can only read until “agent resume”."`
		Resume  agentResumeCmd  `cmd:"" help:"Resume the agents of an organisation."`
	} `cmd:"" help:"Agents."`
	Person struct {
		Create   personCreateCmd   `cmd:"" help:"Create a person who can sign in."`
		Grant    personGrantCmd    `cmd:"" help:"Give a person roles in an organisation, bypassing the console's rules; the audit trail records it."`
		Password personPasswordCmd `cmd:"" help:"Set a person's password and sign them out everywhere."`
	} `cmd:"" help:"People."`
	Keys struct {
		List       keysListCmd       `cmd:"" help:"List the keys that sign grants."`
		Rotate     keysRotateCmd     `cmd:"" help:"Add a grant key that starts signing in an hour; the old one stays published for another day."`
		Checkpoint keysCheckpointCmd `cmd:"" help:"Print the public keys that verify audit trail checkpoints, the signing key first."`
		Recover    keysRecoverCmd    `cmd:"" help:"Make a new key that signs audit trails, after the data directory was lost. Stop all servers first."`
	} `cmd:"" help:"The keys that sign grants and checkpoints."`
	Policy struct {
		Export policyExportCmd `cmd:"" help:"Print an organisation's policy as YAML, for “policy import”."`
		Import policyImportCmd `cmd:"" help:"Save a YAML policy as the next version; prints what changes and how the newest 200 actions would have ended."`
	} `cmd:"" help:"Policies as files."`
	Hook struct {
		Ask     hookCmd        `cmd:"" default:"withargs" help:"Answer a coding agent's event from standard input: may this tool call run? Exits with 0 or 2."`
		Install hookInstallCmd `cmd:"" help:"Put the hook into a coding agent's settings, so that every tool call asks first."`
		Enroll  hookEnrollCmd  `cmd:"" help:"Exchange an enrolment token for this machine's key, and write the settings file of the hook."`
		Doctor  hookDoctorCmd  `cmd:"" help:"Look whether a coding agent's gate holds, and fire a canary that has to be refused. Exits with 0 only if the gate is closed."`
	} `cmd:"" help:"Hooks of coding agents."`
	Score scoreCmd `cmd:"" help:"Score actions from standard input, one JSON object per line, and print one assessment per line, without a database. Exits with 1 if a line was refused."`
	Audit struct {
		Verify     auditVerifyCmd     `cmd:"" help:"Verify the audit trail or an exported file, read-only. Exits with 1 if it doesn't hold."`
		Export     auditExportCmd     `cmd:"" help:"Write the whole audit trail to standard output, read-only."`
		Checkpoint auditCheckpointCmd `cmd:"" help:"Sign the current trail and print the checkpoint. Kept elsewhere, it later shows whether anything was changed or cut off."`
	} `cmd:"" help:"The audit trail."`
	MCP struct {
		Run     mcpCmd        `cmd:"" default:"withargs" help:"Run an MCP server whose tools wait for approval (docs/mcp.md)."`
		Install mcpInstallCmd `cmd:"" help:"Put the gateway in front of each MCP server of a client."`
	} `cmd:"" name:"mcp" help:"A gateway in front of an MCP server."`
}

// description comes before the list of commands.
const description = "The approval console for AI agents. To try it: “countersign demo”. To start: “countersign”, which serves the console and prints a link for the first person, " +
	"or “tenant create”, “person create” and “agent create”. A tenant is an organisation with a short name in lowercase letters (SLUG). See README.md and docs/ for more."

// streams is what a command reads and writes, so that tests can look at it.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// Main is the program: arguments in, exit code out.
func Main(args []string) int {
	if asksHook(args) {
		return hook.Main(args[1:], version.Number())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return run(ctx, args, streams{os.Stdin, os.Stdout, os.Stderr})
}

// errFailed ends a command with exit code 1 after it said everything itself.
var errFailed = errors.New("failed")

// exitError ends a command with a code of its own.
type exitError struct {
	error
	code int
}

func exitWith(code int, err error) error { return exitError{err, code} }

// exited takes the code with which kong exits, from --help for example. Whatever else panics, panics on.
func exited(code *int) {
	switch e := recover().(type) {
	case nil:
	case exit:
		*code = int(e)
	default:
		panic(e)
	}
}

// run is the program as a value: arguments in, exit code out: 0 fine, 1 it did not
// work or cannot be done as asked, with one line that says why. Commands that agents' settings
// and scripts rely on exit with 2 for a wrong command line.
func run(ctx context.Context, args []string, io streams) (code int) {
	var c commands
	parser, err := kong.New(&c,
		kong.Name("countersign"), kong.Description(description),
		kong.Vars{"version": version.Line("countersign")}, kong.Writers(io.out, io.err), kong.Exit(func(n int) { panic(exit(n)) }), kong.UsageOnError())
	if err != nil {
		fmt.Fprintln(io.err, "countersign:", err)
		return 1
	}
	defer exited(&code)
	k, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintln(io.err, "countersign:", err)
		if args[0] == "hook" || args[0] == "mcp" {
			return 2
		}
		return 1
	}
	k.BindTo(ctx, (*context.Context)(nil))
	err = k.Run(c.Settings, io, logger(io.err, logLevel(k, c.LogLevel)))
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errFailed):
	default:
		fmt.Fprintln(io.err, "countersign:", oneLine(err))
	}
	if e, ok := errors.AsType[exitError](err); ok {
		return e.code
	}
	return 1
}

// logLevel is what was asked for. Where nothing was, a demo, a gateway and setup say only what
// goes wrong: a terminal tells what agents do, or what was set up, and a gateway's is a client's log.
func logLevel(k *kong.Context, level string) string {
	quiet := slices.Contains([]string{"demo", "mcp", "setup"}, strings.Fields(k.Command())[0])
	if quiet && !asked(k, "log-level", "COUNTERSIGN_LOG_LEVEL") {
		return "warn"
	}
	return level
}

// asked reports whether somebody gave a flag, or its variable.
func asked(k *kong.Context, flag, variable string) bool {
	return os.Getenv(variable) != "" || slices.ContainsFunc(k.Path, func(p *kong.Path) bool { return p.Flag != nil && p.Flag.Name == flag })
}

// exit carries an exit code out of kong.
type exit int

// oneLine says what went wrong and what to do, without what only the log needs.
func oneLine(err error) string {
	text := err.Error()
	var f *fault.Error
	if errors.As(err, &f) {
		said := f.Detail
		if f.Member != "" {
			said = f.Member + ": " + f.Detail
		}
		before, _, _ := strings.Cut(text, f.Error())
		text = before + said
	}
	return strings.ReplaceAll(text, "\n", "; ")
}

func logger(w io.Writer, level string) *slog.Logger {
	var l slog.Level
	_ = l.UnmarshalText([]byte(level)) // the command line accepts only its four names
	return slog.New(httpserver.MaskedLog(slog.NewTextHandler(w, &slog.HandlerOptions{Level: l})))
}
