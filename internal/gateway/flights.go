package gateway

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// left is how long a call stays open for a client that was asked something and did
// not come back.
const left = 10 * time.Minute

// flights are the calls of a client of 2026-07-28 that are on their way. Such a
// client is asked by an answer "input_required" to its call, and calls again with
// what it knows; the call itself goes on where it was.
type flights struct {
	mu      sync.Mutex
	running []*flight          // those that the server works on, the newest last
	parked  map[string]*flight // by the state that the client has to bring back
}

type flight struct {
	tool      string
	arguments json.RawMessage
	ctx       context.Context
	cancel    context.CancelFunc
	ask       chan inquiry
	done      chan landing
	open      inquiry // what the client was asked last
}

type inquiry struct {
	wants mcp.InputRequestMap
	got   chan mcp.InputResponseMap
}

type landing struct {
	result mcp.Result
	err    error
}

// fly carries a call out, or goes on with one that the client was asked about. base
// outlives the request: between two requests the call is parked.
func (f *flights) fly(ctx, base context.Context, p *mcp.CallToolParamsRaw, carryOut func(context.Context) (mcp.Result, error)) (mcp.Result, error) {
	c, err := f.resume(p)
	if err != nil {
		return nil, err
	}
	if c == nil {
		c = &flight{tool: p.Name, arguments: p.Arguments, ask: make(chan inquiry), done: make(chan landing, 1)}
		c.ctx, c.cancel = context.WithCancel(context.WithValue(base, flightKey{}, c))
		go func() {
			defer c.cancel()
			result, err := carryOut(c.ctx)
			c.done <- landing{result, err}
		}()
	}
	select {
	case l := <-c.done:
		return l.result, l.err
	case c.open = <-c.ask:
		return f.park(c)
	case <-ctx.Done():
		c.cancel()
		return nil, ctx.Err()
	}
}

type flightKey struct{}

// atServer notes that the server works on the call of ctx, until the function that it
// returns is called.
func (f *flights) atServer(ctx context.Context) func() {
	c, ok := ctx.Value(flightKey{}).(*flight)
	if !ok {
		return func() {}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.running = append(f.running, c)
	return func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		f.running = slices.DeleteFunc(f.running, func(other *flight) bool { return other == c })
	}
}

// resume finds the call that a client comes back to. It is the same one only with
// the same tool and arguments: what was approved is what runs.
func (f *flights) resume(p *mcp.CallToolParamsRaw) (*flight, error) {
	f.mu.Lock()
	c := f.parked[p.RequestState]
	delete(f.parked, p.RequestState)
	f.mu.Unlock()
	if c == nil {
		return nil, nil // a new call, or one from before a restart: it is held anew
	}
	if c.tool != p.Name || !bytes.Equal(c.arguments, p.Arguments) {
		c.cancel()
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "requestState belongs to another call"}
	}
	c.open.got <- p.InputResponses
	return c, nil
}

// park answers a call with what the client is to say first.
func (f *flights) park(c *flight) (mcp.Result, error) {
	state := rand.Text()
	f.mu.Lock()
	f.parked[state] = c
	f.mu.Unlock()
	time.AfterFunc(left, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.parked[state] == c {
			delete(f.parked, state)
			c.cancel()
		}
	})
	wants, err := json.Marshal(c.open.wants)
	if err != nil {
		c.cancel()
		return nil, err
	}
	token, _ := json.Marshal(state)
	return &passed{members: map[string]json.RawMessage{
		"resultType": json.RawMessage(`"input_required"`), "inputRequests": wants, "requestState": token,
	}}, nil
}

// inquire asks the client through the call that ctx belongs to, else through the
// newest one: a server of the older era does not say for which call it asks.
func (f *flights) inquire(ctx context.Context, wants mcp.InputRequestMap) (mcp.InputResponseMap, error) {
	c, _ := ctx.Value(flightKey{}).(*flight)
	if c == nil {
		f.mu.Lock()
		if n := len(f.running); n > 0 {
			c = f.running[n-1]
		}
		f.mu.Unlock()
	}
	if c == nil {
		return nil, errors.New("this client can be asked only while a tool runs")
	}
	q := inquiry{wants: wants, got: make(chan mcp.InputResponseMap, 1)}
	select {
	case c.ask <- q:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.ctx.Done():
		return nil, c.ctx.Err()
	}
	select {
	case got := <-q.got:
		for id := range wants {
			if got[id] == nil {
				return nil, errors.New("the client came back without an answer")
			}
		}
		return got, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.ctx.Done():
		return nil, c.ctx.Err()
	}
}
