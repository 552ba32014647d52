package main

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
	"github.com/countersign/countersign/internal/scoring/trust"
)

// scoreCmd assesses actions without a database.
type scoreCmd struct {
	Policy string `type:"existingfile" placeholder:"FILE" help:"Policy in YAML. Unset: the default policy."`
}

// Run writes one assessment a line. A refused line answers with its problem in
// its place, and the exit code is 1 at the end.
func (c scoreCmd) Run(ctx context.Context, io streams) error {
	policy, err := c.compile(io.err)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(io.out)
	refused := false
	for line, err := range lines(io.in) {
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("score: %w", errors.Join(err, out.Flush()))
		}
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		answer, err := assessLine(ctx, policy, line)
		refused = refused || err != nil
		if err := writeLine(out, answer); err != nil {
			return fmt.Errorf("score: %w", err)
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("score: %w", err)
	}
	if refused {
		return errFailed
	}
	return nil
}

// lines reads them one by one. Of one that is longer than any action it keeps as much as
// the gate needs to refuse it.
func lines(in io.Reader) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		r := bufio.NewReaderSize(in, 64<<10)
		for line := []byte(nil); ; {
			piece, err := r.ReadSlice('\n')
			line = append(line, piece[:min(len(piece), canon.MaxBytes+1-len(line))]...)
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

// assessLine returns the assessment, or {"error": problem} and the error.
func assessLine(ctx context.Context, policy *scoring.Compiled, line []byte) (any, error) {
	as, err := assess(policy, line)
	if err != nil {
		return map[string]any{"error": httpserver.NewProblem(ctx, fault.As(err))}, err
	}
	return as, nil
}

func assess(policy *scoring.Compiled, line []byte) (scoring.Assessment, error) {
	tree, err := canon.Parse(line)
	if err != nil {
		return scoring.Assessment{}, err
	}
	inputs, err := scoring.ReadInputs(tree.Get("inputs"), "/inputs")
	if err != nil {
		return scoring.Assessment{}, err
	}
	n := int64(max(1, inputs.CallNumber))
	if v := tree.Get("call_number"); !v.IsAbsent() {
		var ok bool
		if n, ok = v.Int64(); !ok || n < 1 {
			return scoring.Assessment{}, fault.Member(fault.InvalidMember, "/call_number", "\"call_number\" must be a whole number from 1 on")
		}
		if inputs.CallNumber != 0 && int64(inputs.CallNumber) != n {
			return scoring.Assessment{}, fault.Member(fault.InvalidMember, "/call_number", "\"call_number\" is another one than in \"inputs\"; name one of the two")
		}
	}
	record, err := recordOf(tree.Get("trust"))
	if err != nil {
		return scoring.Assessment{}, err
	}
	action, err := scoring.NewAction(tree, "call_number", "trust", "inputs")
	if err != nil {
		return scoring.Assessment{}, err
	}
	return policy.Examine(action, nil).Given(inputs).Trusting(record).Assess(int(n)), nil
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
