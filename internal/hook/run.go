package hook

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/client"
)

const (
	// defaultWait is the agent's time-out as it is installed (3600 s) less 30 s.
	defaultWait   = 3570 * time.Second
	reportTimeout = 5 * time.Second
	cancelTimeout = 5 * time.Second
	lookEvery     = 500 * time.Millisecond // for an agent that is gone
	maxReason     = 1500
)

// Process is one run, with everything that it touches, so that tests can look at it.
type Process struct {
	Args    []string // AGENT and flags
	Version string
	In      io.Reader
	Out     io.WriteCloser
	Err     io.Writer
	Getenv  func(string) string
	Gone    func() bool // whether the agent that started it is gone
}

// Main runs the hook with the process's own streams and returns its exit code, which is
// 0 or 2.
func Main(args []string, version string) int {
	gone := watch() // first: from here on a new parent is noticed
	ctx, cancel := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 32)
	signal.Notify(signals) // all: one that is not caught ends the process with another exit code
	go func() {
		for s := range signals {
			if !slices.Contains(harmless, s.String()) {
				cancel(fmt.Errorf("ended by the signal %q", s))
			}
		}
	}()
	p := Process{Args: args, Version: version, In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Gone: gone}
	// Go opens the null device in place of a stream that is closed, and a decision that
	// goes there looks like a yes.
	if null(os.Stderr) {
		p.Err = unread{}
	}
	if null(os.Stdout) {
		return p.fail(nil, true, errUnread)
	}
	return p.Run(ctx)
}

// harmless are the signals that would end nothing, by the names that all systems share.
// A broken pipe is seen as an error of the write.
var harmless = []string{"urgent I/O condition", "child exited", "window changed", "window size changes", "continued", "stopped", "suspended", "stopped (tty input)", "stopped (tty output)", "broken pipe"}

var errUnread = errors.New("standard output is closed or the null device, so nobody reads the answer")

// null reports whether a stream goes nowhere.
func null(f *os.File) bool {
	there, err := os.Stat(os.DevNull)
	if err != nil {
		return false
	}
	here, err := f.Stat()
	return err != nil || os.SameFile(here, there)
}

// unread is a stream that nobody reads.
type unread struct{}

func (unread) Write([]byte) (int, error) { return 0, errUnread }

var errGone = errors.New("the agent that asked is gone")

// Run reads an event and answers it.
func (p Process) Run(ctx context.Context) (code int) {
	d, written := (*dialect)(nil), false
	defer func() {
		if r := recover(); r != nil {
			code = p.fail(d, written, fmt.Errorf("a bug in the hook: %v", r))
		}
	}()
	o, err := parse(p.Args)
	if err != nil {
		return p.fail(nil, false, err)
	}
	d = o.dialect
	answer, err := p.decide(ctx, o)
	if err == nil {
		written = true
		err = p.write(answer)
	}
	if err != nil {
		return p.fail(d, written, err)
	}
	return 0
}

// write hands the answer over, whole and once.
func (p Process) write(answer any) error {
	text, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	_, err = p.Out.Write(append(text, '\n'))
	if err := errors.Join(err, p.Out.Close()); err != nil {
		return fmt.Errorf("the answer can't be written: %w", err)
	}
	return nil
}

// fail says in one line why nothing may run. Where nobody can read that, it denies in
// the agent's words: some agents run the tool after an exit 2 without a reason.
func (p Process) fail(d *dialect, written bool, err error) int {
	said := "Countersign: " + client.OneLine(err.Error(), maxReason)
	if _, failed := io.WriteString(p.Err, said+"\n"); failed != nil && d != nil && !written {
		if p.write(d.answer(d.before[0], decision{reason: said})) == nil {
			return 0
		}
	}
	return 2
}

// options are the command line.
type options struct {
	dialect *dialect
	pass    bool          // a LOW call is left to the agent's own rules
	wait    time.Duration // 0: as the settings say
}

// Usage is how the command is called.
const Usage = "hook AGENT [--low allow|pass] [--wait DURATION]"

func parse(args []string) (options, error) {
	var o options
	agent := ""
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		agent, args = args[0], args[1:]
	}
	flags := flag.NewFlagSet("hook", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	low := flags.String("low", "allow", "")
	flags.DurationVar(&o.wait, "wait", 0, "")
	if err := flags.Parse(args); err != nil {
		return o, fmt.Errorf("%w; usage: %s", err, Usage)
	}
	if agent == "" && flags.NArg() == 1 {
		agent = flags.Arg(0)
	} else if flags.NArg() > 0 {
		return o, fmt.Errorf("%q is one word too many; usage: %s", flags.Arg(0), Usage)
	}
	if *low != "allow" && *low != "pass" || o.wait < 0 || o.wait > 24*time.Hour {
		return o, fmt.Errorf("--low is allow or pass, and --wait at most 24h; usage: %s", Usage)
	}
	o.pass = *low == "pass"
	i := slices.IndexFunc(dialects, func(d dialect) bool { return d.agent == agent })
	if i < 0 {
		return o, fmt.Errorf("no agent %q is known; one of %s", agent, agents())
	}
	o.dialect = &dialects[i]
	return o, nil
}

// decide answers the event, or says why it cannot.
func (p Process) decide(ctx context.Context, o options) (any, error) {
	d := o.dialect
	reading, stop := context.WithTimeout(ctx, defaultWait)
	event, err := read(reading, p.In)
	stop()
	if err != nil {
		return nil, err
	}
	name, members, err := d.kind(event)
	switch {
	case err != nil:
		return nil, err
	case slices.Contains(d.after, name), slices.Contains(d.failed, name):
		p.report(ctx, d, name, members)
		return d.neutral(name), nil
	case !slices.Contains(d.before, name):
		return nil, fmt.Errorf("the event %q isn't one that asks for a decision", client.OneLine(name, 60))
	}
	c, err := d.read(name, event)
	if err != nil {
		return nil, err
	}
	settings, err := client.Load(p.Getenv)
	if err != nil {
		return nil, err
	}
	server, err := client.New(settings)
	if err != nil {
		return nil, err
	}
	wait := settings.Wait
	if o.wait > 0 {
		wait = o.wait
	}
	if wait == 0 {
		wait = defaultWait
	}
	if nonce, ok := d.canary(c); ok {
		return p.canary(ctx, d, name, server, nonce, wait)
	}
	return p.ask(ctx, o, name, server, c, wait)
}

func (p Process) program(d *dialect) client.Program {
	return client.Program{Name: "countersign-hook " + d.agent, Version: p.Version}
}

// ask asks the server and turns its answer into the agent's words.
func (p Process) ask(ctx context.Context, o options, event string, server *client.Client, c call, wait time.Duration) (any, error) {
	d := o.dialect
	ctx, leave := p.watched(ctx)
	defer leave()
	gate := client.Gate{Client: server, Patience: wait, Expires: wait, Program: p.program(d), Ready: func() error {
		if p.Gone() {
			return errGone
		}
		return nil
	}}
	out, err := gate.Ask(ctx, client.Call{Act: c.act(), SessionID: c.session, ToolCallID: c.id, Subagent: c.subagent})
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		if out.Approval.ID != "" && (errors.Is(err, errGone) || p.Gone()) {
			// Nobody waits any more, so nobody should be asked.
			ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelTimeout)
			defer stop()
			_ = server.Cancel(ctx, out.Approval.ID)
		}
		return nil, err
	}
	if !out.Run {
		reason := "Countersign: " + out.Reason
		if out.Approval.Status == client.Pending {
			reason += "; the request has ended with that, and the same call asks anew"
		}
		return d.answer(event, decision{reason: client.OneLine(reason, maxReason)}), nil
	}
	yes := decision{allow: true, reason: "Countersign: approved"}
	if out.Changed {
		if yes.input, err = d.changed(event, c, out.Act); err != nil {
			return d.answer(event, decision{reason: "Countersign: " + err.Error()}), nil
		}
	}
	yes.pass = o.pass && !out.Changed && out.Approval.Level == "LOW" && out.Approval.ByPolicy()
	p.remember(d, c, out, yes.input)
	return d.answer(event, yes), nil
}

// watched ends the context when the agent is gone.
func (p Process) watched(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	done := make(chan struct{})
	ticks := time.NewTicker(lookEvery)
	go func() {
		defer close(done)
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticks.C:
				if p.Gone() {
					cancel(errGone)
				}
			}
		}
	}()
	return ctx, func() { cancel(nil); <-done; ticks.Stop() }
}

// Canary is the tool by which a doctor sees that the gate is asked. An agent that offers
// only its own tools asks for it in its shell: a command that begins with these words.
const (
	Canary      = "countersign_canary"
	shellCanary = "countersign canary "
)

// canary is the nonce of a call that is always refused.
func (d *dialect) canary(c call) (nonce string, ok bool) {
	if c.function == Canary || strings.HasSuffix(c.function, "__"+Canary) {
		return c.input.Get("nonce").Text(), true
	}
	words, ok := strings.CutPrefix(c.input.Get("command").Text(), shellCanary)
	if !ok || !slices.Contains(d.shells, c.function) {
		return "", false
	}
	nonce, _, _ = strings.Cut(words, ";")
	return strings.TrimSpace(nonce), true
}

// canary tells the server and denies, whatever it answers.
func (p Process) canary(ctx context.Context, d *dialect, event string, server *client.Client, nonce string, wait time.Duration) (any, error) {
	ctx, stop := context.WithTimeout(ctx, wait)
	defer stop()
	if err := server.Canary(ctx, nonce, ""); err != nil {
		return nil, fmt.Errorf("the canary %q was held back, but the server didn't hear of it: %w", client.OneLine(nonce, 80), err)
	}
	return d.answer(event, decision{reason: fmt.Sprintf("Countersign: the canary %q was held back, as always", client.OneLine(nonce, 80))}), nil
}
