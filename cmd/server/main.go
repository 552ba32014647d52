// Command server is Countersign: the approval console, its command line and its demo.
//
// Run without arguments it serves. See README.md for the settings.
package main

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
	"github.com/countersign/countersign/internal/httpserver"
)

// commands is the command line of product.md.
type commands struct {
	Settings

	PrintVersion kong.VersionFlag `name:"version" help:"Print the version and what it was built from."`

	Serve   serveCmd   `cmd:"" default:"withargs" help:"Serve the console and the agent API (the default). Makes database and keys at the first start."`
	Demo    demoCmd    `cmd:"" help:"Serve a living console with scripted agents, and print a link to sign in. Its database and keys are temporary, whatever the settings say, and go when it ends."`
	Version versionCmd `cmd:"" help:"Print the version and what it was built from."`
	Migrate migrateCmd `cmd:"" help:"Bring the database to the current schema. Every command that writes does so by itself."`
	Tenant  struct {
		Create tenantCreateCmd `cmd:"" help:"Create an organisation."`
	} `cmd:"" help:"Organisations."`
	Agent struct {
		Create  agentCreateCmd  `cmd:"" help:"Create an agent and print its key: once, alone on standard output."`
		List    agentListCmd    `cmd:"" help:"List the agents of an organisation, with their keys by id."`
		Tools   agentToolsCmd   `cmd:"" help:"Import a server's list of tools for an agent, and accept the effects that are suggested."`
		Bind    agentBindCmd    `cmd:"" help:"Bind an agent to a workspace, an environment, both, or nothing."`
		StopAll agentStopAllCmd `cmd:"" name:"stop-all" help:"Stop all agents of an organisation at once: until agent resume they may only read."`
		Resume  agentResumeCmd  `cmd:"" help:"Let the agents of an organisation act again."`
	} `cmd:"" help:"Agents."`
	Person struct {
		Create   personCreateCmd   `cmd:"" help:"Create somebody who can sign in."`
		Grant    personGrantCmd    `cmd:"" help:"Give somebody who can sign in roles in an organisation, past every rule of the console; the audit trail says so."`
		Password personPasswordCmd `cmd:"" help:"Set somebody's password and end all their sign-ins."`
	} `cmd:"" help:"People."`
	Keys struct {
		List       keysListCmd       `cmd:"" help:"List the keys that sign grants: id, state, since when, until when."`
		Rotate     keysRotateCmd     `cmd:"" help:"Add a key for grants that signs an hour from now; the old one stays published for a day after."`
		Checkpoint keysCheckpointCmd `cmd:"" help:"Print the public keys that verify checkpoints of the audit trail, the one that signs first."`
		Trail      keysTrailCmd      `cmd:"" help:"Say whether the key of the data directory seals the audit trails of this database, or replace it."`
	} `cmd:"" help:"The keys that sign grants and checkpoints."`
	Policy struct {
		Export policyExportCmd `cmd:"" help:"Print the policy of an organisation as YAML, for policy import."`
		Import policyImportCmd `cmd:"" help:"Make a policy in YAML the next version; says what it changes, and what it would have done to the newest 200 actions."`
	} `cmd:"" help:"Policies as files."`
	Score scoreCmd `cmd:"" help:"Assess actions from standard input, one JSON object a line, and print one assessment a line; uses no database. Exit code 1 if a line was refused."`
	Audit struct {
		Verify     auditVerifyCmd     `cmd:"" help:"Check the audit trail, or an exported file, reading only; exit code 1 if it does not hold."`
		Export     auditExportCmd     `cmd:"" help:"Write the whole audit trail to standard output, reading only."`
		Checkpoint auditCheckpointCmd `cmd:"" help:"Sign the trail as it is now and print the note; kept elsewhere, it shows later whether anything was changed or cut off."`
	} `cmd:"" help:"The audit trail."`
}

// description stands above the list of commands.
const description = "The approval console for AI agents. To look around: countersign demo. To begin: countersign, which serves and prints a link for the first person; " +
	"or tenant create, person create and agent create. A tenant is an organisation, named by a short name in small letters (SLUG). README.md and docs/ say the rest."

// streams is what a command reads and writes, so that tests can look at it.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr})
	stop()
	os.Exit(code)
}

// errFailed ends a command with exit code 1 after it said everything itself.
var errFailed = errors.New("failed")

// run is the program as a value: arguments in, exit code out: 0 fine, 1 it did not
// work or cannot be done as asked, with one line that says why.
func run(ctx context.Context, args []string, io streams) (code int) {
	var c commands
	parser, err := kong.New(&c,
		kong.Name("countersign"), kong.Description(description),
		kong.Vars{"version": version()}, kong.Writers(io.out, io.err), kong.Exit(func(n int) { panic(exit(n)) }), kong.UsageOnError())
	if err != nil {
		fmt.Fprintln(io.err, "countersign:", err)
		return 1
	}
	defer func() { // kong exits from --help
		if e, ok := recover().(exit); ok {
			code = int(e)
		}
	}()
	k, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintln(io.err, "countersign:", err)
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
	return 1
}

// logLevel is what was asked for. Where nothing was, a demo says only what goes wrong: its
// terminal tells what the agents do.
func logLevel(k *kong.Context, level string) string {
	asked := slices.ContainsFunc(k.Path, func(p *kong.Path) bool { return p.Flag != nil && p.Flag.Name == "log-level" })
	if k.Command() == "demo" && !asked && os.Getenv("COUNTERSIGN_LOG_LEVEL") == "" {
		return "warn"
	}
	return level
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
