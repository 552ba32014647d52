package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// client speaks the agent API: five calls, each with the agent's key.
type client struct {
	base, key string
	http      *http.Client
	once      string // makes a repeated submission or consumption the same one
}

// waitSeconds is how long one request may wait for a person; then it asks again.
const waitSeconds = 60

func newClient(server, key string) *client {
	return &client{
		base: strings.TrimRight(server, "/") + "/api/v1/approvals", key: key,
		http: &http.Client{Timeout: (waitSeconds + 30) * time.Second}, once: rand.Text(),
	}
}

// approval is what this program needs of one.
type approval struct {
	ID         string  `json:"id"`
	Status     string  `json:"status"`
	Level      string  `json:"level"`
	Score      float64 `json:"score"`
	ConsoleURL string  `json:"console_url"`
	Decision   *struct {
		Reason string `json:"reason"`
		Grant  string `json:"grant"`
		// Effective is the whole action to go on with where an operator edited it,
		// else null.
		Effective json.RawMessage `json:"effective"`
	} `json:"decision"`
}

func (a approval) reason() string {
	if a.Decision == nil {
		return ""
	}
	return a.Decision.Reason
}

// submit adds to the act what people want to know about it. None of that is in
// the digest, and none of it is run.
func (c *client) submit(ctx context.Context, action []byte) (a approval, err error) {
	var submission map[string]json.RawMessage
	if err := json.Unmarshal(action, &submission); err != nil {
		return a, err
	}
	submission["docstring"] = json.RawMessage(`"Keeps short notes in one directory."`)
	submission["session_id"] = json.RawMessage(`"example"`)
	err = c.call(ctx, http.MethodPost, "", submission, &a)
	return a, err
}

func (c *client) wait(ctx context.Context, id string) (a approval, err error) {
	err = c.call(ctx, http.MethodGet, fmt.Sprintf("/%s?wait=%d", id, waitSeconds), nil, &a)
	return a, err
}

func (c *client) consume(ctx context.Context, id, digest string) error {
	return c.call(ctx, http.MethodPost, "/"+id+"/consume", map[string]any{"digest": digest}, nil)
}

func (c *client) report(ctx context.Context, id, status, detail string) error {
	return c.call(ctx, http.MethodPost, "/"+id+"/result", map[string]any{"status": status, "detail": detail}, nil)
}

// call makes one request. Whatever is not a 2xx answer is an error.
func (c *client) call(ctx context.Context, method, path string, body, into any) error {
	var content io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, c.base+path, content)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+c.key)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Idempotency-Key", c.once)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return err
	}
	if res.StatusCode/100 != 2 {
		return fmt.Errorf("%s: %s", res.Status, bytes.TrimSpace(answer))
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(answer, into)
}
