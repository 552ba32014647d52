package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/countersign/countersign/grant"
)

// demoAgent works through its script again and again, as an agent of yours
// would: submit, wait, spend the grant, "execute" (print), report.
type demoAgent struct {
	name   string
	base   string // where it connects
	key    string
	script demoScript
	out    io.Writer
	client *http.Client
	round  int
}

// demoWait is how long an agent holds one request open; it asks again after that.
const demoWait = 30 * time.Second

// demoOpen is how many answers one agent waits for at once. Its script stops
// there, so that nobody comes back from lunch to a thousand requests.
const demoOpen = 6

func newDemoAgent(listening net.Addr, public, key string, s demoScript, out io.Writer) *demoAgent {
	base := "http://" + listening.String()
	if u, err := url.Parse(public); err == nil && u.Scheme == "http" {
		base = public
	}
	return &demoAgent{name: s.name, base: base, key: key, script: s, out: out, client: &http.Client{Timeout: 2 * demoWait}}
}

// run submits the first actions at once, so that the queue is alive from the
// first look, and the rest at the pace of the script. It returns when ctx ends.
func (d *demoAgent) run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	open := make(chan struct{}, demoOpen)
	for ; ctx.Err() == nil; d.round++ {
		session := fmt.Sprintf("%s-%d", d.script.session, d.round+1)
		for i, action := range d.script.actions {
			select {
			case open <- struct{}{}:
			case <-ctx.Done():
				return
			}
			body := action.body(d.round, session)
			running.Go(func() {
				defer func() { <-open }()
				if err := d.carryOut(ctx, body); err != nil && ctx.Err() == nil {
					fmt.Fprintf(d.out, "%s: %v\n", d.name, err)
				}
			})
			if d.round > 0 || i >= d.script.atOnce {
				pause(ctx, d.script.pace/2+rand.N(d.script.pace))
			}
		}
	}
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// approvalReply is what an agent needs of an approval.
type approvalReply struct {
	ID       string `json:"id"`
	Status   string `json:"status"`
	Level    string `json:"level"`
	Digest   string `json:"digest"`
	Decision *struct {
		Reason    string          `json:"reason"`
		Effective json.RawMessage `json:"effective"` // null unless an operator edited it
	} `json:"decision"`
}

// carryOut takes one action through its whole life.
func (d *demoAgent) carryOut(ctx context.Context, body map[string]any) error {
	var a approvalReply
	if err := d.call(ctx, http.MethodPost, "/api/v1/approvals?wait=30", body, &a); err != nil {
		return fmt.Errorf("submit: %w", err)
	}
	for a.Status == "pending" {
		if err := d.call(ctx, http.MethodGet, "/api/v1/approvals/"+a.ID+"?wait=30", nil, &a); err != nil {
			return fmt.Errorf("wait: %w", err)
		}
	}
	call := fmt.Sprint(body["function"])
	if a.Status != "approved" {
		reason := ""
		if a.Decision != nil && a.Decision.Reason != "" {
			reason = ": " + a.Decision.Reason
		}
		fmt.Fprintf(d.out, "%-16s %-8s %-20s not run, %s%s\n", d.name, a.Level, call, a.Status, reason)
		return nil
	}
	digest, how, err := a.approved()
	if err != nil {
		return err
	}
	if err := d.call(ctx, http.MethodPost, "/api/v1/approvals/"+a.ID+"/consume", map[string]any{"digest": digest}, nil); err != nil {
		return fmt.Errorf("consume: %w", err)
	}
	fmt.Fprintf(d.out, "%-16s %-8s %-20s executed%s\n", d.name, a.Level, call, how)
	outcome := map[string]any{"status": "succeeded", "detail": "demo: nothing was really done"}
	if err := d.call(ctx, http.MethodPost, "/api/v1/approvals/"+a.ID+"/result", outcome, nil); err != nil {
		return fmt.Errorf("report: %w", err)
	}
	return nil
}

// approved is the digest of what may be run: of what was proposed, or of what an
// operator made of it, which is then what is "executed".
func (a approvalReply) approved() (digest, how string, err error) {
	if a.Decision == nil || len(a.Decision.Effective) == 0 || string(a.Decision.Effective) == "null" {
		return a.Digest, "", nil
	}
	act, err := grant.Act(a.Decision.Effective)
	if err != nil {
		return "", "", err
	}
	digest, err = grant.Digest(act)
	return digest, ", as edited: " + string(act), err
}

// call sends one request and reads its answer; a problem becomes an error.
func (d *demoAgent) call(ctx context.Context, method, path string, body, into any) error {
	var r io.Reader
	if body != nil {
		b, err := json.Marshal(body)
		if err != nil {
			return err
		}
		r = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, d.base+path, r)
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+d.key)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := d.client.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	if err != nil {
		return err
	}
	if res.StatusCode >= 300 {
		return errors.New(strings.TrimSpace(res.Status + " " + string(answer)))
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(answer, into)
}
