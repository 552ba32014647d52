// Command executor is a small executor: it asks Countersign before it writes or
// deletes a note, and acts only on a grant that it verified itself.
//
//	export COUNTERSIGN_KEY=csk_…     # printed by: server agent create --tenant acme executor
//	go run ./examples/executor -server http://localhost:8080 -tenant acme -agent agt_… write hello.txt "Hello."
//	go run ./examples/executor -server http://localhost:8080 -tenant acme -agent agt_… delete hello.txt
//
// The order is what matters: submit, wait, take what an operator made of it if
// somebody edited it, verify the grant against the very bytes that will be run,
// consume it, run those bytes, report. docs/grants.md says
// why each step is there.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/countersign/countersign/grant"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Getenv("COUNTERSIGN_KEY"), os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "executor:", err)
		os.Exit(1)
	}
}

// executor is who may do what: one agent of one organisation, in one directory.
type executor struct {
	server   *client
	verifier *grant.Verifier
	dir      string
	out      io.Writer
}

func run(ctx context.Context, args []string, key string, out io.Writer) error {
	flags := flag.NewFlagSet("executor", flag.ContinueOnError)
	flags.SetOutput(out)
	server := flags.String("server", "http://localhost:8080", "public URL of Countersign")
	tenant := flags.String("tenant", "", "short name of the organisation")
	agent := flags.String("agent", "", "id of the agent whose key this is, agt_…")
	dir := flags.String("dir", "notes", "where notes are kept")
	if err := flags.Parse(args); err != nil {
		return err
	}
	action, err := action(flags.Args())
	if err != nil {
		return err
	}
	keys, err := grant.FetchKeys(grant.Remote{Issuer: *server})
	if err != nil {
		return err
	}
	verifier, err := grant.NewVerifier(grant.Config{Keys: keys, Issuer: *server, Tenant: *tenant, Agent: *agent})
	if err != nil {
		return err
	}
	e := &executor{server: newClient(*server, key), verifier: verifier, dir: *dir, out: out}
	return e.carryOut(ctx, action)
}

// action is the JSON of the act. From here on these bytes are the act: what is
// submitted, what is verified and what is run.
func action(args []string) ([]byte, error) {
	switch {
	case len(args) == 3 && args[0] == "write":
		return json.Marshal(act{Function: "write_note", Arguments: arguments{Name: args[1], Text: args[2]}})
	case len(args) == 2 && args[0] == "delete":
		return json.Marshal(act{Function: "delete_note", Arguments: arguments{Name: args[1]}})
	}
	return nil, errors.New(`say what to do: write NAME TEXT, or delete NAME`)
}

type act struct {
	Function  string    `json:"function"`
	Arguments arguments `json:"arguments"`
}

type arguments struct {
	Name string `json:"name"`
	Text string `json:"text,omitempty"`
}

// carryOut takes an action from the question to the report.
func (e *executor) carryOut(ctx context.Context, action []byte) error {
	fmt.Fprintf(e.out, "action   %s\n", action)
	a, err := e.server.submit(ctx, action)
	if err != nil {
		return fmt.Errorf("submit: %w", err)
	}
	fmt.Fprintf(e.out, "asked    %s, %s %.3f, %s\n", a.ID, a.Level, a.Score, a.Status)
	for a.Status == "pending" {
		fmt.Fprintf(e.out, "waiting  someone decides at %s\n", a.ConsoleURL)
		if a, err = e.server.wait(ctx, a.ID); err != nil {
			return fmt.Errorf("wait: %w", err)
		}
	}
	if a.Status != "approved" || a.Decision == nil {
		return fmt.Errorf("not run: %s %s", a.Status, a.reason())
	}

	// 0. An operator may have edited it. Then the act is another one from here on.
	if action, err = inForce(action, a.Decision.Effective); err != nil {
		return fmt.Errorf("not run: %w", err)
	}
	if edited(a.Decision.Effective) {
		fmt.Fprintf(e.out, "edited   %s\n", action)
	}

	// 1. Is this grant for this act? Nothing is asked or spent if it is not.
	claims, err := e.verifier.VerifyContext(ctx, a.Decision.Grant, action)
	if err != nil {
		return fmt.Errorf("not run: %w", err)
	}
	fmt.Fprintf(e.out, "verified %s for %s until %s\n", claims.ID, claims.Digest, claims.Expires.Format("15:04:05"))

	// 2. Is it the first time, and still allowed? Only the server knows. Anything
	// but its yes means no.
	if err := e.server.consume(ctx, claims.Approval, claims.Digest); err != nil {
		return fmt.Errorf("not run: consume: %w", err)
	}
	fmt.Fprintln(e.out, "consumed")

	// 3. Run the bytes that were verified, and say how it went.
	detail, failed := e.run(action)
	status := "succeeded"
	if failed != nil {
		status, detail = "failed", failed.Error()
	}
	fmt.Fprintf(e.out, "ran      %s: %s\n", status, detail)
	if err := e.server.report(ctx, claims.Approval, status, detail); err != nil {
		return errors.Join(failed, fmt.Errorf("report: %w", err))
	}
	fmt.Fprintln(e.out, "reported")
	return failed
}

// edited reports whether the server answered another action than was proposed.
func edited(effective json.RawMessage) bool { return len(effective) > 0 && string(effective) != "null" }

// inForce is what to run: the act of the effective action where there is one, else
// what was proposed. That it is approved is for the grant to say.
func inForce(proposed []byte, effective json.RawMessage) ([]byte, error) {
	if !edited(effective) {
		return proposed, nil
	}
	return grant.Act(effective)
}

// run does what the action says. It reads the action strictly: a member that is
// not known here was approved by somebody and would be left undone.
func (e *executor) run(action []byte) (detail string, err error) {
	var a act
	d := json.NewDecoder(bytes.NewReader(action))
	d.DisallowUnknownFields()
	if err := d.Decode(&a); err != nil {
		return "", err
	}
	if !filepath.IsLocal(a.Arguments.Name) || filepath.Base(a.Arguments.Name) != a.Arguments.Name {
		return "", fmt.Errorf("%q isn't the name of a note", a.Arguments.Name)
	}
	path := filepath.Join(e.dir, a.Arguments.Name)
	switch a.Function {
	case "write_note":
		if err := os.MkdirAll(e.dir, 0o700); err != nil {
			return "", err
		}
		return fmt.Sprintf("wrote %d bytes to %s", len(a.Arguments.Text), path), os.WriteFile(path, []byte(a.Arguments.Text), 0o600)
	case "delete_note":
		return "deleted " + path, os.Remove(path)
	}
	return "", fmt.Errorf("there is no function %q", a.Function)
}
