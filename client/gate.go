package client

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/countersign/countersign/grant"
	"github.com/countersign/countersign/internal/canon"
)

// Gate asks for one act after another and says of each whether it may run. It is safe
// for concurrent use.
type Gate struct {
	Client   *Client
	Patience time.Duration // how long to wait for an answer, and for a person
	// Expires is after which time nobody can approve; 0: the policy's time. Who does
	// not come back after Patience sets it to Patience.
	Expires time.Duration
	Program Program
	// Ready is asked right before anything is spent; an error ends it. nil: always.
	Ready func() error
	// Held is told once that people are asked. nil: nobody needs to know.
	Held func(Approval)
}

// Call is an act and what goes with it. People see the other members; no digest
// covers them.
type Call struct {
	Act           json.RawMessage // {function, arguments, code, action_type, environment, content}
	Docstring     string
	Justification string
	SessionID     string
	ToolCallID    string
	Subagent      string
	Hints         json.RawMessage
	Metadata      json.RawMessage
}

// Outcome is what became of a call.
type Outcome struct {
	Run bool // approved, verified and spent by this very call; run Act, once
	// Act is what to run, in RFC 8785 form: the call's own act, or what an operator
	// made of its arguments, or the same without its secrets.
	Act      json.RawMessage
	Changed  bool     // Act is not the call's own
	Approval Approval // as last seen; its status is pending where nobody decided in time
	Reason   string   // why not, in one line
}

// errTaken says that the approval that a call was attached to is used up.
var errTaken = errors.New("the approval is used up")

// Ask submits a call, waits for the answer, proves it and spends it. An error means
// that nobody knows; the outcome then has the approval as far as one is known, and
// nothing may run. Ask cancels nothing: the identical call of the same session finds
// the open approval again.
func (g *Gate) Ask(ctx context.Context, call Call) (Outcome, error) {
	own, err := canon.Parse(call.Act)
	if err != nil {
		return Outcome{Reason: "the call can't be sent: " + OneLine(err.Error(), 300)}, nil
	}
	digest, err := grant.Digest(call.Act)
	if err != nil {
		return Outcome{Reason: "the call can't be sent: " + OneLine(err.Error(), 300)}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, g.Patience)
	defer cancel()
	q := question{g, call, without(own, ""), digest} // null means absent
	outcome, err := q.ask(ctx, true)
	if errors.Is(err, errTaken) {
		// Another process with the identical call was faster. This one needs its own.
		outcome, err = q.ask(ctx, false)
	}
	var p *Problem
	switch {
	case err == nil:
		return outcome, nil
	case errors.As(err, &p) && !p.Temporary():
		return Outcome{Approval: outcome.Approval, Reason: p.Error()}, nil
	case errors.Is(err, ErrReplayed), errors.Is(err, errTaken), isProof(err):
		return Outcome{Approval: outcome.Approval, Reason: OneLine(err.Error(), 600)}, nil
	}
	return Outcome{Approval: outcome.Approval}, fmt.Errorf("%s: %w", g.Client.base, err)
}

// question is one call on its way.
type question struct {
	*Gate
	call   Call
	own    canon.Value
	digest string
}

func (q question) ask(ctx context.Context, attach bool) (Outcome, error) {
	if err := q.ready(ctx); err != nil {
		return Outcome{}, err
	}
	// A key of this call in this process alone: an answer to it is an answer to us.
	sum := sha256.Sum256([]byte(q.call.SessionID + "\x00" + q.call.ToolCallID + "\x00" + rand.Text()))
	key := hex.EncodeToString(sum[:])
	program := q.Program
	program.Subagent = q.call.Subagent
	s, err := q.Client.Submit(ctx, Submission{
		Act: q.own.Canonical(), Docstring: q.call.Docstring, Justification: q.call.Justification,
		SessionID: q.call.SessionID, ToolCallID: q.call.ToolCallID, Hints: q.call.Hints, Metadata: q.call.Metadata,
		Program: program, ExpiresIn: q.Expires, Attach: attach, Consume: true, Key: key,
	})
	if err != nil {
		return Outcome{}, err
	}
	a := s.Approval
	if a.Digest != q.digest {
		return Outcome{}, fmt.Errorf("%w: the server answered for another act", errProof)
	}
	if a.Status == Pending {
		if q.Held != nil {
			q.Held(a)
		}
		if a, err = q.Client.Wait(ctx, a); err != nil {
			return Outcome{Approval: a}, err
		}
	}
	switch {
	case a.Status == Pending:
		return Outcome{Approval: a, Reason: fmt.Sprintf("nobody decided within %v", q.Patience)}, nil
	case a.Status == Cancelled && attach: // by another process that was attached to it
		return Outcome{Approval: a}, errTaken
	case a.Status != Approved, a.Void():
		return Outcome{Approval: a, Reason: a.Why()}, nil
	}
	act, changed, err := q.prove(ctx, a)
	if err != nil {
		return Outcome{Approval: a}, err
	}
	if !s.Spent {
		if err := q.ready(ctx); err != nil {
			return Outcome{Approval: a}, err
		}
		if err := q.Client.consume(ctx, a.ID, a.Decision.Digest, key, s.lost); err != nil {
			var p *Problem
			if errors.As(err, &p) && p.Code == "already-consumed" && attach {
				err = errTaken
			}
			return Outcome{Approval: a}, err
		}
	}
	return Outcome{Run: true, Act: act, Changed: changed, Approval: a}, nil
}

// ready reports why nothing may be spent.
func (g *Gate) ready(ctx context.Context) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if g.Ready != nil {
		return g.Ready()
	}
	return nil
}
