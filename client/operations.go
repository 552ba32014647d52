package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"
)

// The operations of the agent API. Each tries again by itself until a final answer
// comes or ctx ends, so give ctx a deadline.

// longestWait is how many seconds one request may wait; then it is made anew.
const longestWait = 50

// Program says which program asks. People see it; no digest covers it.
type Program struct {
	Name     string `json:"name,omitempty"`
	Version  string `json:"version,omitempty"`
	Subagent string `json:"subagent,omitempty"`
}

// Submission is an act and what goes with it.
type Submission struct {
	Act           json.RawMessage // {function, arguments, code, action_type, environment, content}
	Docstring     string
	Justification string
	SessionID     string
	ToolCallID    string
	Hints         json.RawMessage
	Metadata      json.RawMessage
	Program       Program
	ExpiresIn     time.Duration // 0: the policy's time
	Attach        bool          // answers the agent's own open approval of the same session and act
	Consume       bool          // spends at once what the policy approves at once
	Wait          time.Duration // how long the answer may take while it is pending
	Key           string        // Idempotency-Key: with the same one a repeated call is the same submission
}

// Submitted is the answer to a submission.
type Submitted struct {
	Approval
	Created bool // false: attached to an earlier one, or an earlier attempt was stored
	Spent   bool // the policy approved it at once and this answer spent the grant: act
	lost    int  // attempts before this answer that may have been heard
}

// Submit submits an act.
func (c *Client) Submit(ctx context.Context, s Submission) (Submitted, error) {
	body, err := s.body()
	if err != nil {
		return Submitted{}, err
	}
	var a Submitted
	path := "/api/v1/approvals?consume=" + strconv.FormatBool(s.Consume)
	if s.Wait > 0 {
		path += "&wait=" + waitSeconds(s.Wait)
	}
	status, lost, err := c.try(ctx, request{method: http.MethodPost, path: path, key: s.Key, body: body, timeout: attemptTimeout + s.Wait}, &a.Approval)
	if err != nil {
		return Submitted{}, err
	}
	a.Created = status == http.StatusCreated
	// An answer that is not new and says "spent" may tell of somebody else's: Consume
	// with the same key knows.
	a.Spent, a.lost = s.Consume && a.Created && a.Status == Approved && a.spent(), lost
	return a, nil
}

// body adds the members of the submission to those of the act.
func (s Submission) body() ([]byte, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(s.Act, &members); err != nil || members == nil {
		return nil, errors.New("the act is no JSON object")
	}
	var failed error
	set := func(name string, value any, given bool) {
		if !given {
			return
		}
		text, err := plain(value)
		if _, twice := members[name]; twice && err == nil {
			err = fmt.Errorf("the act has a member %q of the submission", name)
		}
		members[name], failed = text, errors.Join(failed, err)
	}
	set("docstring", s.Docstring, s.Docstring != "")
	set("justification", s.Justification, s.Justification != "")
	set("session_id", s.SessionID, s.SessionID != "")
	set("tool_call_id", s.ToolCallID, s.ToolCallID != "")
	set("hints", s.Hints, s.Hints != nil)
	set("metadata", s.Metadata, s.Metadata != nil)
	set("client", s.Program, s.Program != Program{})
	set("attach", true, s.Attach)
	set("expires_in_seconds", min(max(1, int64(s.ExpiresIn/time.Second)), maxExpirySeconds), s.ExpiresIn > 0)
	if failed != nil {
		return nil, failed
	}
	return plain(members)
}

// plain is json.Marshal without escapes for web pages, which would make a call larger
// than the server takes.
func plain(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return b.Bytes(), err
}

func waitSeconds(d time.Duration) string {
	return strconv.FormatInt(min(max(1, int64(d/time.Second)), longestWait), 10)
}

// Wait waits until an approval is final or ctx ends, over as many requests as that
// takes. When the deadline comes first it returns the last answer and no error.
func (c *Client) Wait(ctx context.Context, a Approval) (Approval, error) {
	for a.Status == Pending && ctx.Err() == nil {
		patience := longestWait * time.Second
		if end, ends := ctx.Deadline(); ends {
			patience = min(patience, time.Until(end))
		}
		var next Approval
		_, _, err := c.try(ctx, request{method: http.MethodGet, path: "/api/v1/approvals/" + a.ID + "?wait=" + waitSeconds(patience), timeout: attemptTimeout + patience}, &next)
		switch {
		case ctx.Err() != nil:
			// The time is over. Only what was heard in time counts.
		case err != nil:
			return a, err
		case next.ID != a.ID || next.Digest != a.Digest:
			return a, errors.New("the server answered for another approval")
		default:
			a = next
		}
	}
	if err := ctx.Err(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return a, err
	}
	return a, nil
}

// Get reads an approval.
func (c *Client) Get(ctx context.Context, id string) (a Approval, err error) {
	_, _, err = c.try(ctx, request{method: http.MethodGet, path: "/api/v1/approvals/" + id}, &a)
	return a, err
}

type consumed struct {
	Status   string `json:"status"`
	Replayed *bool  `json:"replayed"`
}

func (c *consumed) check() error {
	if c.Status != "consumed" || c.Replayed == nil {
		return errors.New("it does not say whether the grant was consumed")
	}
	return nil
}

// Consume spends a grant. It returns nil only where this call spent it: a replayed
// answer counts where an earlier attempt of the same call got no answer, else it is
// ErrReplayed. So key must be of this call alone.
func (c *Client) Consume(ctx context.Context, id, digest, key string) error {
	return c.consume(ctx, id, digest, key, 0)
}

// consume is Consume with the attempts of this very call, with this key, that got no
// answer before.
func (c *Client) consume(ctx context.Context, id, digest, key string, before int) error {
	body, err := json.Marshal(map[string]string{"digest": digest})
	if err != nil {
		return err
	}
	var spent consumed
	_, lost, err := c.try(ctx, request{method: http.MethodPost, path: "/api/v1/approvals/" + id + "/consume", key: key, body: body}, &spent)
	if err == nil && *spent.Replayed && lost+before == 0 {
		return ErrReplayed
	}
	return err
}

// Report says how the act went. Secrets in detail are masked by the server.
func (c *Client) Report(ctx context.Context, id string, succeeded bool, detail string) error {
	status := "failed"
	if succeeded {
		status = "succeeded"
	}
	body, err := json.Marshal(map[string]string{"status": status, "detail": detail})
	if err != nil {
		return err
	}
	_, _, err = c.try(ctx, request{method: http.MethodPost, path: "/api/v1/approvals/" + id + "/result", body: body}, &Approval{})
	return err
}

// Answer answers a question about a pending approval, once. People read it as the agent's words.
func (c *Client) Answer(ctx context.Context, id, question, text string) error {
	body, err := json.Marshal(map[string]string{"question": question, "text": text})
	if err != nil {
		return err
	}
	_, _, err = c.try(ctx, request{method: http.MethodPost, path: "/api/v1/approvals/" + id + "/answers", body: body}, &Approval{})
	return err
}

// Cancel takes a pending approval back.
func (c *Client) Cancel(ctx context.Context, id string) error {
	_, _, err := c.try(ctx, request{method: http.MethodPost, path: "/api/v1/approvals/" + id + "/cancel", body: []byte("{}")}, &Approval{})
	return err
}

// Assessed is what a submission of the act would be at once.
type Assessed struct {
	Status string `json:"status"` // pending, approved or blocked
	Level  string `json:"level"`
	Digest string `json:"digest"`
}

func (a *Assessed) check() error {
	if a.Status == "" || a.Level == "" || !digestForm.MatchString(a.Digest) {
		return errors.New("it is no assessment")
	}
	return nil
}

// Assess judges an act and submits nothing. The key needs the scope assess.
func (c *Client) Assess(ctx context.Context, act json.RawMessage) (a Assessed, err error) {
	_, _, err = c.try(ctx, request{method: http.MethodPost, path: "/api/v1/assessments", body: act}, &a)
	return a, err
}

// Agent is whose key it is.
type Agent struct {
	Name      string   `json:"name"`
	Tenant    string   `json:"tenant"`
	Scopes    []string `json:"scopes"`
	Workspace *struct {
		Folder    string `json:"folder"`
		Sandboxed bool   `json:"sandboxed"`
	} `json:"workspace"`
	Environment   string  `json:"environment"`
	ServerVersion string  `json:"server_version"`
	LastHeard     string  `json:"last_heard"`
	LastCanary    *Canary `json:"last_canary"`
	CanaryFailed  string  `json:"canary_failed"` // why the last one was not held back
	SilentSince   string  `json:"silent_since"`
}

// Canary is a proof that the gate was asked.
type Canary struct {
	Nonce string `json:"nonce"`
	At    string `json:"at"`
}

func (a *Agent) check() error {
	if a.Name == "" || a.Tenant == "" {
		return errors.New("it names no agent")
	}
	return nil
}

// Agent says whose key it is.
func (c *Client) Agent(ctx context.Context) (a Agent, err error) {
	_, _, err = c.try(ctx, request{method: http.MethodGet, path: "/api/v1/agent"}, &a)
	return a, err
}

// Imported says what became of a server's tools.
type Imported struct {
	New     *int `json:"new"`
	Changed *int `json:"changed"`
	Waiting *int `json:"waiting"`
}

func (i *Imported) check() error {
	if i.New == nil || i.Changed == nil || i.Waiting == nil {
		return errors.New("it does not count the tools")
	}
	return nil
}

// Tools tells the tools that an MCP server has, as its tools/list answers them. New
// and changed ones wait for an admin.
func (c *Client) Tools(ctx context.Context, server string, tools json.RawMessage) (i Imported, err error) {
	body, err := json.Marshal(map[string]any{"server": server, "tools": tools})
	if err != nil {
		return i, err
	}
	_, _, err = c.try(ctx, request{method: http.MethodPut, path: "/api/v1/tools", body: body}, &i)
	return i, err
}

type canaryAnswer struct {
	Status string `json:"status"`
	Canary Canary `json:"canary"`
}

func (c *canaryAnswer) check() error {
	if c.Status != Denied || c.Canary.Nonce == "" {
		return errors.New("it is no answer to a canary")
	}
	return nil
}

// Canary proves to whoever looks at the agent that the gate was asked; the answer is
// always no. failed is "", or why the gate did not hold the call back.
func (c *Client) Canary(ctx context.Context, nonce, failed string) error {
	members := map[string]string{"lifecycle_point": "canary", "nonce": nonce}
	if failed != "" {
		members["failed"] = failed
	}
	body, err := json.Marshal(members)
	if err != nil {
		return err
	}
	_, _, err = c.try(ctx, request{method: http.MethodPost, path: "/api/v1/approvals", body: body}, &canaryAnswer{})
	return err
}

// Enrolled is what an enrolment token was exchanged for.
type Enrolled struct {
	Agent string `json:"agent"`
	Key   Key    `json:"key"`
}

func (e *Enrolled) check() error {
	if e.Agent == "" || e.Key == "" {
		return errors.New("it names no agent or no key")
	}
	return nil
}

// Enrol exchanges an enrolment token for the key of a new agent of this host. It is sent once:
// what was answered and got lost gives no second key.
func Enrol(ctx context.Context, s Settings, token, host string) (Enrolled, error) {
	s.Key = Key(token) // it takes the place of a key, and goes to nobody else either
	var e Enrolled
	c, err := New(s)
	if err != nil {
		return e, err
	}
	body, err := json.Marshal(map[string]string{"token": token, "host": host})
	if err != nil {
		return e, err
	}
	_, err = c.once(ctx, request{method: http.MethodPost, path: "/api/v1/enrolments", body: body, public: true}, &e)
	return e, err
}
