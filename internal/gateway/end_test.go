package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/countersign/countersign/client"
	"github.com/countersign/countersign/internal/gateway"
)

// holding is a gate that says when a call is held, and holds it as long as it is waited for.
func holding() (*gate, chan client.Call) {
	asked := make(chan client.Call, 9)
	g := answering(func(ctx context.Context, c client.Call, told func(client.Approval)) (client.Outcome, error) {
		return held(nil)(ctx, c, func(a client.Approval) { told(a); asked <- c })
	})
	return g, asked
}

// A client that cancels a held call may call again: the request stays. A client that
// leaves does not: what it was not told of is taken back.
func TestHeldCallsWhenTheClientLeaves(t *testing.T) {
	t.Parallel()
	eras(t, func(t *testing.T, era string) {
		g, asked := holding()
		l := through(t, era, g)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() {
			_, err := l.CallTool(ctx, &mcp.CallToolParams{Name: "echo", Arguments: json.RawMessage(`{}`)})
			ended <- err
		}()
		<-asked
		cancel()
		<-ended
		if got := g.told(); len(got) > 0 {
			t.Errorf("a cancelled call: %v", got)
		}
		go func() { _, err := l.call(t, "echo", `{}`); ended <- err }()
		<-asked
		l.line.Close()
		<-ended
		if err := <-l.ended; err != nil {
			t.Errorf("the gateway ended with %v", err)
		}
		if got := g.told(); !slices.Equal(got, []string{"cancel " + approval}) {
			t.Errorf("the client left: %v", got)
		}
		if ran := l.up.ran(); len(ran) > 0 {
			t.Errorf("the server ran %v", ran)
		}
	})
}

// A client that was told to call again may do so from another process.
func TestWhatTheClientWasToldOfStays(t *testing.T) {
	t.Parallel()
	l := through(t, legacy, answering(func(_ context.Context, _ client.Call, told func(client.Approval)) (client.Outcome, error) {
		told(pending())
		return client.Outcome{Approval: pending()}, nil
	}))
	if _, err := l.call(t, "echo", `{}`); err != nil {
		t.Fatal(err)
	}
	l.line.Close()
	<-l.ended
	if got := l.gate.told(); len(got) > 0 {
		t.Errorf("the client left: %v", got)
	}
}

func TestTheServerEnds(t *testing.T) {
	t.Parallel()
	eras(t, func(t *testing.T, era string) {
		g, asked := holding()
		l := through(t, era, g)
		ended := make(chan error)
		go func() { _, err := l.call(t, "echo", `{}`); ended <- err }()
		<-asked
		for s := range l.up.Sessions() {
			s.Close()
		}
		if err := <-l.ended; !errors.Is(err, gateway.ErrServerEnded) {
			t.Errorf("the gateway ended with %v", err)
		}
		if err := <-ended; err == nil {
			t.Error("the call ended well")
		}
		if got := g.told(); len(got) > 0 {
			t.Errorf("a new gateway would attach to it, but: %v", got)
		}
	})
}

// A client that leaves before it said anything starts no server.
func TestNobodyCame(t *testing.T) {
	t.Parallel()
	near, far := mcp.NewInMemoryTransports()
	c, err := near.Connect(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	if err := (&gateway.Gateway{Gate: newGate(), Log: slog.New(slog.DiscardHandler)}).Run(t.Context(), far, nil); err != nil {
		t.Error(err)
	}
}

// A call that a client of 2026-07-28 was asked about and never came back for ends by
// itself, unspent.
func TestTheClientNeverComesBack(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		decide := make(chan struct{})
		g := answering(held(decide))
		u := newUpstream(modern)
		c := dial(t, u, g)
		c.send(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{`+meta+`,"name":"echo","arguments":{}}}`)
		synctest.Wait()
		close(decide)
		synctest.Wait()
		if ran := u.ran(); len(ran) > 0 {
			t.Errorf("nobody waits, but the server ran %v", ran)
		}
	})
}

// A client that leaves before the end of its greeting leaves a server that has something
// to say to it. Both end.
func TestTheClientLeavesInTheMiddle(t *testing.T) {
	t.Parallel()
	u := newUpstream(legacy)
	c := dial(t, u, newGate())
	c.send(t, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{"roots":{}},"clientInfo":{"name":"raw","version":"1"}}}`)
	for s := range u.Sessions() {
		if err := s.NotifyProgress(t.Context(), &mcp.ProgressNotificationParams{ProgressToken: "p", Progress: 1}); err != nil {
			t.Error(err)
		}
	}
	c.Close() // the end of the test waits for the gateway's
}
