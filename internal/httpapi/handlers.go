package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
)

// Handlers, in the order of the routes in Register.

type submitInput struct {
	Key     string `header:"Idempotency-Key" doc:"A value of your choice, bare or as a quoted string, at most 255 visible characters. The same key with the same body answers the same approval again."`
	Wait    wait   `query:"wait"`
	Consume flag   `query:"consume"`
	RawBody []byte `contentType:"application/json"`
}

type submitOutput struct {
	Status   int
	Location string `header:"Location" doc:"Where the approval is; with 201 only."`
	Body     any
}

func (s *server) submit(ctx context.Context, in *submitInput) (*submitOutput, error) {
	agent := principal(ctx)
	key, err := parseKey(in.Key)
	if err != nil {
		return nil, err
	}
	patience, err := in.Wait.parse()
	if err != nil {
		return nil, err
	}
	if nonce, failed, ok, err := parseCanary(in.RawBody); ok || err != nil {
		return s.canary(ctx, agent, nonce, failed, err)
	}
	submission, err := parseSubmission(in.RawBody)
	if err != nil {
		return nil, err
	}
	submission.IdempotencyKey = key
	if submission.Consume, err = in.Consume.parse("consume"); err != nil {
		return nil, err
	}

	a, created, err := s.submitOnce(ctx, agent, submission)
	if err != nil {
		return nil, err
	}
	if patience > 0 && !a.Status.Final() {
		// It is stored, so the agent hears of it even if the waiting fails.
		if later, err := s.hold(ctx, agent, a.ID, patience); err == nil {
			a = later
		} else if ctx.Err() == nil && !fault.Is(err, fault.RateLimited) {
			s.Log.WarnContext(ctx, "wait after submission", "request", httpserver.RequestID(ctx), "error", err)
		}
	}
	out := &submitOutput{Status: http.StatusOK}
	if created {
		out.Status, out.Location = http.StatusCreated, httpserver.Address(ctx, "/api/v1/approvals/"+a.ID)
	}
	body, err := s.wire(a.AgentView())
	if created {
		body.Limited = limited(a, submission.ExpiresIn)
	}
	out.Body = body
	return out, err
}

// canary denies a call that must not run, and remembers that it came.
func (s *server) canary(ctx context.Context, agent auth.Agent, nonce, failed string, err error) (*submitOutput, error) {
	if err != nil {
		return nil, err
	}
	c, err := s.Agents.TryGate(ctx, agent, nonce, failed)
	if err != nil {
		return nil, err
	}
	return &submitOutput{Status: http.StatusOK, Body: wireCanary(c)}, nil
}

// hold waits for the decision, unless the agent waits too often already.
func (s *server) hold(ctx context.Context, agent auth.Agent, id string, patience time.Duration) (approvals.Approval, error) {
	leave, err := s.waiting.enter(agent)
	if err != nil {
		s.Metrics.limited(limitWait)
		return approvals.Approval{}, err
	}
	defer leave()
	return s.Approvals.Wait(ctx, agent, id, min(patience, max(0, answerWithin-time.Since(arrival(ctx)))))
}

// submitOnce refuses a submission whose key still runs. The key is free again
// once it is stored, so that a client that lost its connection while it waited is
// answered with the approval.
func (s *server) submitOnce(ctx context.Context, agent auth.Agent, sub approvals.Submission) (a approvals.Approval, created bool, err error) {
	leave, err := s.running.enter(agent, sub.IdempotencyKey)
	if err != nil {
		return a, false, err
	}
	defer leave()
	return s.Approvals.Submit(ctx, agent, sub)
}

type listInput struct {
	Status  string `query:"status" enum:"pending,approved,blocked,denied,changes_requested,expired,cancelled" doc:"Only approvals with this status."`
	Session string `query:"session_id" doc:"Only approvals of this session."`
	Cursor  string `query:"cursor" doc:"next_cursor of the page before. It carries status and session_id; those sent with it must be the same."`
	Limit   limit  `query:"limit"`
}

type listOutput struct {
	Body page
}

func (s *server) list(ctx context.Context, in *listInput) (*listOutput, error) {
	filter, err := in.filter()
	if err != nil {
		return nil, err
	}
	found, next, err := s.Approvals.List(ctx, principal(ctx), filter)
	if err != nil {
		return nil, err
	}
	out := &listOutput{Body: page{Approvals: make([]approval, len(found))}}
	for i, v := range found {
		if out.Body.Approvals[i], err = s.wire(v); err != nil {
			return nil, err
		}
	}
	if next != "" {
		cursor := in.cursor(next)
		out.Body.NextCursor = &cursor
	}
	return out, nil
}

type getInput struct {
	ID   id   `path:"id"`
	Wait wait `query:"wait"`
}

type approvalOutput struct {
	Body approval
}

func (s *server) get(ctx context.Context, in *getInput) (*approvalOutput, error) {
	if err := in.ID.check(); err != nil {
		return nil, err
	}
	patience, err := in.Wait.parse()
	if err != nil {
		return nil, err
	}
	var a approvals.Approval
	if patience > 0 {
		a, err = s.hold(ctx, principal(ctx), string(in.ID), patience)
	} else {
		a, err = s.Approvals.Get(ctx, principal(ctx), string(in.ID))
	}
	return s.show(in.ID, a, err)
}

type cancelInput struct {
	ID      id     `path:"id"`
	RawBody []byte `contentType:"application/json"`
}

func (s *server) cancel(ctx context.Context, in *cancelInput) (*approvalOutput, error) {
	if err := in.ID.check(); err != nil {
		return nil, err
	}
	if err := parseCancel(in.RawBody); err != nil {
		return nil, err
	}
	a, err := s.Approvals.Cancel(ctx, principal(ctx), string(in.ID))
	return s.show(in.ID, a, err)
}

type consumeInput struct {
	ID      id     `path:"id"`
	Key     string `header:"Idempotency-Key" doc:"With the same key a repeated call gets the first one's answer instead of 409."`
	RawBody []byte `contentType:"application/json"`
}

type consumeOutput struct {
	Body consumed
}

func (s *server) consume(ctx context.Context, in *consumeInput) (*consumeOutput, error) {
	if err := in.ID.check(); err != nil {
		return nil, err
	}
	key, err := parseKey(in.Key)
	if err != nil {
		return nil, err
	}
	digest, err := parseConsume(in.RawBody)
	if err != nil {
		return nil, err
	}
	spent, err := s.Approvals.Consume(ctx, principal(ctx), string(in.ID), digest, key)
	if err != nil {
		return nil, in.ID.own(err)
	}
	return &consumeOutput{Body: consumed{Status: "consumed", ConsumedAt: instant(spent.At), Replayed: spent.Replayed}}, nil
}

type resultInput struct {
	ID      id     `path:"id"`
	RawBody []byte `contentType:"application/json"`
}

func (s *server) report(ctx context.Context, in *resultInput) (*approvalOutput, error) {
	if err := in.ID.check(); err != nil {
		return nil, err
	}
	status, detail, err := parseResult(in.RawBody)
	if err != nil {
		return nil, err
	}
	a, err := s.Approvals.Report(ctx, principal(ctx), string(in.ID), status, detail)
	return s.show(in.ID, a, err)
}

type answerInput struct {
	ID      id     `path:"id"`
	RawBody []byte `contentType:"application/json"`
}

func (s *server) answerQuestion(ctx context.Context, in *answerInput) (*approvalOutput, error) {
	if err := in.ID.check(); err != nil {
		return nil, err
	}
	question, text, err := parseAnswer(in.RawBody)
	if err != nil {
		return nil, err
	}
	a, err := s.Approvals.AnswerQuestion(ctx, principal(ctx), string(in.ID), question, text)
	return s.show(in.ID, a, err)
}

type sessionInput struct {
	Session string `query:"session_id" doc:"The session_id of an action that this agent submitted; required."`
}

type sessionOutput struct {
	Body sessionScore
}

func (s *server) sessionScore(ctx context.Context, in *sessionInput) (*sessionOutput, error) {
	if err := checkSession(in.Session); err != nil {
		return nil, err
	}
	if in.Session == "" {
		return nil, fault.Member(fault.InvalidParameter, "session_id", "session_id is missing; send the session_id of an action that this agent submitted")
	}
	found, err := s.Approvals.SessionScore(ctx, principal(ctx), in.Session)
	if err != nil {
		return nil, err
	}
	return &sessionOutput{Body: wireSession(found)}, nil
}

type selfOutput struct {
	Body self
}

// self tells an agent what its key opens.
func (s *server) self(ctx context.Context, _ *struct{}) (*selfOutput, error) {
	agent := principal(ctx)
	a, err := s.Agents.Self(ctx, agent)
	return &selfOutput{Body: wireSelf(agent, a, s.Version)}, err
}

type toolsInput struct {
	RawBody []byte `contentType:"application/json"`
}

type toolsOutput struct {
	Body toolsReceived
}

func (s *server) tools(ctx context.Context, in *toolsInput) (*toolsOutput, error) {
	list, err := parseTools(in.RawBody)
	if err != nil {
		return nil, err
	}
	r, err := s.Agents.ImportOwnTools(ctx, principal(ctx), list)
	if f := new(fault.Error); errors.As(err, &f) && f.Code == fault.InvalidForm { // it has no form here
		err = fault.Member(fault.InvalidMember, "/tools", "%s", f.Detail)
	}
	return &toolsOutput{Body: toolsReceived(r)}, err
}

type enrolInput struct {
	RawBody []byte `contentType:"application/json"`
}

type enrolOutput struct {
	Body enrolled
}

// enrol is limited by address (unknown), whatever comes of it.
func (s *server) enrol(ctx context.Context, in *enrolInput) (*enrolOutput, error) {
	token, host, err := parseEnrolment(in.RawBody)
	if err != nil {
		return nil, err
	}
	key, a, err := s.Agents.Enrol(ctx, token, host)
	if err != nil {
		return nil, err
	}
	return &enrolOutput{Body: enrolled{Agent: a.Name, Key: key}}, nil
}

type assessInput struct {
	RawBody []byte `contentType:"application/json"`
}

type assessOutput struct {
	Body dryRun
}

func (s *server) assess(ctx context.Context, in *assessInput) (*assessOutput, error) {
	action, err := parseAction(in.RawBody)
	if err != nil {
		return nil, err
	}
	d, err := s.Approvals.Assess(ctx, principal(ctx), action)
	if err != nil {
		return nil, err
	}
	body, err := wireDryRun(d)
	return &assessOutput{Body: body}, err
}

// show answers 200 with the approval that was asked for.
func (s *server) show(asked id, a approvals.Approval, err error) (*approvalOutput, error) {
	if err != nil {
		return nil, asked.own(err)
	}
	body, err := s.wire(a.AgentView())
	return &approvalOutput{Body: body}, err
}
