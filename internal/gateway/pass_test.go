package gateway_test

//lint:file-ignore SA1019 Clients and servers of before 2026-07-28 speak what is deprecated since.

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// wait waits for one of the notes; others before it are lost.
func wait(t *testing.T, notes <-chan string, want string) {
	t.Helper()
	for {
		select {
		case got := <-notes:
			if got == want {
				return
			}
		case <-t.Context().Done():
			t.Fatalf("never heard %q", want)
		}
	}
}

func TestListsThatChange(t *testing.T) {
	t.Parallel()
	eras(t, func(t *testing.T, era string) {
		l := through(t, era, newGate())
		first := <-l.gate.tools
		if !strings.HasPrefix(first, `My-Server [{`) || !strings.Contains(first, `"Says it back."`) || !strings.Contains(first, "12345678901234567890") {
			t.Errorf("the console was told %s", first)
		}
		l.up.tool(&mcp.Tool{Name: "late"}, nil)
		wait(t, l.notes, "tools changed")
		if second := <-l.gate.tools; !strings.Contains(second, `"late"`) {
			t.Errorf("then the console was told %s", second)
		}
		tools, err := l.ListTools(t.Context(), nil)
		if err != nil || len(tools.Tools) != 5 || slices.ContainsFunc(tools.Tools, func(t *mcp.Tool) bool { return t.Name == "changed" }) {
			t.Errorf("tools %v, %v", tools, err)
		}
		l.up.AddPrompt(&mcp.Prompt{Name: "late"}, nil)
		wait(t, l.notes, "prompts changed")
		l.up.AddResource(&mcp.Resource{URI: "note://9", Name: "nine"}, nil)
		wait(t, l.notes, "resources changed")
		// A list that is the same again is not told again.
		l.up.tool(&mcp.Tool{Name: "late"}, nil)
		wait(t, l.notes, "tools changed")
		l.up.RemoveTools("late")
		wait(t, l.notes, "tools changed")
		if third := <-l.gate.tools; strings.Contains(third, `"late"`) {
			t.Errorf("the same list was told twice: %s", third)
		}
	})
}

func TestSubscriptions(t *testing.T) {
	t.Parallel()
	eras(t, func(t *testing.T, era string) {
		l := through(t, era, newGate())
		if err := l.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "note://1"}); err != nil {
			t.Fatal(err)
		}
		wait(t, l.up.seen, "subscribed")
		done := make(chan struct{})
		defer close(done)
		go func() { // the server's own subscription may be a moment behind its handler
			for {
				select {
				case <-done:
					return
				default:
					_ = l.up.ResourceUpdated(context.Background(), &mcp.ResourceUpdatedNotificationParams{URI: "note://1"})
				}
			}
		}()
		wait(t, l.notes, "updated note://1")
		if err := l.Unsubscribe(t.Context(), &mcp.UnsubscribeParams{URI: "note://1"}); err != nil {
			t.Fatal(err)
		}
		wait(t, l.up.seen, "unsubscribed")
	})
}

func TestTheServerAsksTheClient(t *testing.T) {
	t.Parallel()
	eras(t, func(t *testing.T, era string) {
		l := through(t, era, newGate())
		res, err := l.call(t, "asks", `{}`)
		if err != nil || text(res) != "that 4 file:///srv" {
			t.Errorf("%v, %v", text(res), err)
		}
		if len(l.gate.asked) != 1 {
			t.Errorf("the gate was asked %d times", len(l.gate.asked))
		}
		want := []string{"report " + approval + " true "}
		if got := l.gate.told(); !slices.Equal(got, want) {
			t.Errorf("the gate was told %q, want %q", got, want)
		}
	})
}

func TestProgressLogAndCancel(t *testing.T) {
	t.Parallel()
	eras(t, func(t *testing.T, era string) {
		l := through(t, era, newGate())
		ctx, cancel := context.WithCancel(t.Context())
		params := &mcp.CallToolParams{Name: "slow", Arguments: json.RawMessage(`{}`), Meta: mcp.Meta{"progressToken": "p1"}}
		if era != legacy {
			params.Meta[mcp.MetaKeyLogLevel] = "info"
		} else if err := l.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: "info"}); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error)
		go func() { _, err := l.CallTool(ctx, params); ended <- err }()
		wait(t, l.notes, "progress p1 half")
		wait(t, l.notes, "log slow goes")
		wait(t, l.up.seen, "slow runs")
		cancel()
		wait(t, l.up.seen, "slow was cancelled")
		if err := <-ended; err == nil {
			t.Error("the call ended well")
		}
	})
}

func TestRootsThatChange(t *testing.T) {
	t.Parallel()
	l := through(t, legacy, newGate())
	l.client.AddRoots(&mcp.Root{URI: "file:///other"})
	wait(t, l.up.seen, "roots changed")
}

// A server is greeted as the client greets: what a client cannot do is not asked.
func TestWhatTheClientCannot(t *testing.T) {
	t.Parallel()
	l := through(t, legacy, newGate(), func(o *mcp.ClientOptions) {
		o.ElicitationHandler = nil
	})
	for s := range l.up.Sessions() {
		p := s.InitializeParams()
		if p.ClientInfo.Name != "desk" || p.Capabilities.Elicitation != nil || p.Capabilities.Sampling == nil || p.Capabilities.RootsV2 == nil {
			t.Errorf("the server was greeted with %+v", p.Capabilities)
		}
	}
	if res, err := l.call(t, "asks", `{}`); err == nil && !res.IsError {
		t.Errorf("the server got an answer: %s", text(res))
	}
}
