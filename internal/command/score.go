package command

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/headline"
	"github.com/countersign/countersign/internal/scoring/trust"
	"github.com/countersign/countersign/internal/scoring/workspace"
)

// scoreCmd assesses actions without a database.
type scoreCmd struct {
	Policy     string `type:"existingfile" placeholder:"FILE" help:"Policy in YAML. Unset: the default policy."`
	Workspace  string `placeholder:"DIR" help:"Judge every call as if the agent were bound to this folder (docs/workspace.md), and print a summary to standard error. DIR needn't exist on this machine."`
	Sandboxed  bool   `help:"The workspace is a sandbox: code there can only reach things that matter over the network."`
	Transcript string `placeholder:"FILE" help:"Read a Claude Code session transcript (JSON lines) instead of actions; - reads standard input. Without --workspace, the folder in its first line is the workspace."`
}

// Help stands below the flags' own.
func (scoreCmd) Help() string {
	return `Each line is an action as for POST /approvals. It may also have call_number, trust, inputs, and workspace (a folder) with sandboxed (true or false), which replace the flags for that line.

In a workspace the lines are calls in order: what one call writes counts for what a later one runs. A call that is approved automatically counts as consumed and done; a call that is held or blocked counts only by what it would write, because no one decides here. session_id keeps sessions apart, each with its own memory, as if it were everything its agent ever did. On the server the memory belongs to the agent and outlasts its sessions; so it does here for lines that name the agent ("inputs": {"agent": "..."}).`
}

// Run writes one assessment a line. A refused line answers with its problem in
// its place, and the exit code is 1 at the end.
func (c scoreCmd) Run(ctx context.Context, io streams) error {
	bound, err := c.bound()
	if err != nil {
		return err
	}
	policy, err := c.compile(io.err)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(io.out)
	s := scorer{ctx: ctx, policy: policy, bound: bound, sandboxed: c.Sandboxed, out: out, err: io.err}
	if c.Transcript == "" {
		err = s.actions(io.in)
	} else {
		err = s.transcript(c.Transcript, io.in)
	}
	if err := errors.Join(err, out.Flush()); err != nil {
		return fmt.Errorf("score: %w", err)
	}
	if c.Transcript != "" || s.sums.bound > 0 {
		s.sums.print(io.err)
	}
	if s.sums.refused > 0 {
		return errFailed
	}
	return nil
}

// bound is the workspace that the flags name, nil for none.
func (c scoreCmd) bound() (*workspace.Binding, error) {
	if c.Workspace == "" {
		if c.Sandboxed && c.Transcript == "" {
			return nil, errors.New("score: --sandboxed needs --workspace DIR")
		}
		return nil, nil
	}
	b, err := workspace.NewBinding(c.Workspace, c.Sandboxed)
	if err != nil {
		return nil, fmt.Errorf("score: %w", err)
	}
	return &b, nil
}

// scorer assesses what comes in and writes what is said of it.
type scorer struct {
	ctx       context.Context
	policy    *scoring.Compiled
	bound     *workspace.Binding // of calls that name none
	sandboxed bool
	out, err  io.Writer
	rehearsal scoring.Rehearsal
	sums      tally
}

// submission is an action with what an assessment is given beside it.
type submission struct {
	action scoring.Action
	inputs scoring.Inputs
	record trust.Evidence
	number int
}

// actions reads an action a line.
func (s *scorer) actions(in io.Reader) error {
	for line, err := range lines(in, canon.MaxBytes+1) {
		if err == nil {
			err = s.ctx.Err()
		}
		if err != nil {
			return err
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := s.answer(readLine(line)); err != nil {
			return err
		}
	}
	return nil
}

// answer writes what is said of a submission, or the problem for which it was refused.
func (s *scorer) answer(sub submission, refused error) error {
	if refused != nil {
		s.sums.refused++
		return writeLine(s.out, map[string]any{"error": httpserver.NewProblem(s.ctx, fault.As(refused))})
	}
	if sub.inputs.Workspace == nil {
		sub.inputs.Workspace = s.bound
	}
	exam := s.policy.Examine(sub.action, nil)
	if err := exam.Unnamable(); err != nil {
		return s.answer(sub, err)
	}
	a := s.rehearsal.Next(exam, sub.inputs, sub.record, sub.number)
	s.sums.count(sub.action.SessionID(), a)
	shown, _, a := exam.Mask(a)
	return writeLine(s.out, struct {
		scoring.Assessment
		Headline headline.Headline `json:"headline"`
	}{a, shown.Headline(a)})
}

// lines reads them one by one. Of one that is longer than most it keeps no more: of an
// action as much as the gate needs to refuse it.
func lines(in io.Reader, most int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		r := bufio.NewReaderSize(in, 64<<10)
		for line := []byte(nil); ; {
			piece, err := r.ReadSlice('\n')
			line = append(line, piece[:min(len(piece), most-len(line))]...)
			switch {
			case errors.Is(err, bufio.ErrBufferFull):
				continue
			case err != nil && !errors.Is(err, io.EOF):
				yield(nil, err)
				return
			case !yield(line, nil) || err != nil:
				return
			}
			line = line[:0]
		}
	}
}

func (c scoreCmd) compile(wrongs io.Writer) (*scoring.Compiled, error) {
	p := scoring.DefaultPolicy()
	if c.Policy != "" {
		b, err := os.ReadFile(c.Policy)
		if err != nil {
			return nil, fmt.Errorf("policy: %w", err)
		}
		if p, err = parsePolicy(b, wrongs); err != nil {
			return nil, err
		}
	}
	return scoring.Compile(p)
}

// readLine reads an action and what stands beside it in its line.
func readLine(line []byte) (submission, error) {
	tree, err := canon.Parse(line)
	if err != nil {
		return submission{}, err
	}
	sub := submission{}
	if sub.inputs, err = scoring.ReadInputs(tree.Get("inputs"), "/inputs"); err != nil {
		return sub, err
	}
	if sub.number, err = numberOf(tree.Get("call_number"), sub.inputs); err != nil {
		return sub, err
	}
	if sub.inputs.Workspace, err = workspaceOf(tree, sub.inputs.Workspace); err != nil {
		return sub, err
	}
	if sub.record, err = recordOf(tree.Get("trust")); err != nil {
		return sub, err
	}
	sub.action, err = scoring.NewAction(tree, "call_number", "trust", "inputs", "workspace", "sandboxed")
	return sub, err
}

// numberOf is the number of the call, which a line may name in two places.
func numberOf(v canon.Value, in scoring.Inputs) (int, error) {
	if v.IsAbsent() {
		return max(1, in.CallNumber), nil
	}
	n, ok := v.Int64()
	if !ok || n < 1 {
		return 0, fault.Member(fault.InvalidMember, "/call_number", "\"call_number\" must be a whole number from 1 on")
	}
	if in.CallNumber != 0 && int64(in.CallNumber) != n {
		return 0, fault.Member(fault.InvalidMember, "/call_number", "\"call_number\" is another one than in \"inputs\"; name one of the two")
	}
	return int(n), nil
}

// workspaceOf is the workspace of a line, which may stand in its inputs too; nil for none.
func workspaceOf(tree canon.Value, in *workspace.Binding) (*workspace.Binding, error) {
	given := func(v canon.Value) bool { return !v.IsAbsent() && v.Kind() != canon.KindNull }
	folder, sandboxed := tree.Get("workspace"), tree.Get("sandboxed")
	switch {
	case given(sandboxed) && (sandboxed.Kind() != canon.KindBool || !given(folder)):
		return nil, fault.Member(fault.InvalidMember, "/sandboxed", "\"sandboxed\" must be true or false, and needs \"workspace\"")
	case !given(folder):
		return in, nil
	case folder.Kind() != canon.KindString || in != nil:
		return nil, fault.Member(fault.InvalidMember, "/workspace", "\"workspace\" must be the full path of a folder, given either here or in \"inputs\"")
	}
	b, err := workspace.NewBinding(folder.Text(), sandboxed.Bool())
	if err != nil {
		return nil, fault.Member(fault.InvalidMember, "/workspace", "%s", fault.As(err).Text())
	}
	return &b, nil
}

// recordOf reads the agent's record as an assessment has it: what is said there of
// what came of it is read over.
func recordOf(v canon.Value) (record trust.Evidence, err error) {
	if v.IsAbsent() || v.Kind() == canon.KindNull {
		return record, nil
	}
	succeeded, failed := v.Get("succeeded"), v.Get("failed")
	record = trust.Evidence{Succeeded: succeeded.Float(), Failed: failed.Float()}
	if v.Kind() != canon.KindObject || succeeded.Kind() != canon.KindNumber || failed.Kind() != canon.KindNumber || !record.Valid() {
		return record, fault.Member(fault.InvalidMember, "/trust", "\"trust\" must be an object with the numbers \"succeeded\" and \"failed\", none below 0")
	}
	return record, nil
}

func writeLine(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
