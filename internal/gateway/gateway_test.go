package gateway_test

//lint:file-ignore SA1019 Clients and servers of before 2026-07-28 speak what is deprecated since.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/countersign/countersign/client"
	"github.com/countersign/countersign/internal/gateway"
)

// The eras that a client and a server can be of.
const (
	legacy = "2025-11-25"
	modern = "2026-07-28"
	mixed  = modern + " before an older server"
)

// gate answers as a test says; without an answer it says yes.
type gate struct {
	answer func(ctx context.Context, call client.Call, held func(client.Approval)) (client.Outcome, error)

	mu    sync.Mutex
	asked []client.Call
	by    []client.Program
	said  []string
	tools chan string
}

func newGate() *gate { return &gate{tools: make(chan string, 100)} }

func answering(answer func(ctx context.Context, call client.Call, held func(client.Approval)) (client.Outcome, error)) *gate {
	g := newGate()
	g.answer = answer
	return g
}

const approval = "apr_00000000000000000000000000000001"

func yes(call client.Call) client.Outcome {
	return client.Outcome{Run: true, Act: call.Act, Approval: client.Approval{ID: approval, Status: client.Approved}}
}

// pending is an approval that waits.
func pending() client.Approval {
	return client.Approval{ID: approval, Status: client.Pending, ConsoleURL: console}
}

const console = "https://console.example/t/acme/approvals/" + approval

func (g *gate) Ask(ctx context.Context, call client.Call, by client.Program, held func(client.Approval)) (client.Outcome, error) {
	g.mu.Lock()
	g.asked, g.by = append(g.asked, call), append(g.by, by)
	g.mu.Unlock()
	if g.answer == nil {
		return yes(call), nil
	}
	return g.answer(ctx, call, held)
}

func (g *gate) note(format string, args ...any) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.said = append(g.said, fmt.Sprintf(format, args...))
	return nil
}

func (g *gate) Open() (gateway.API, gateway.Memory, error) { return g, gateway.Memory{}, nil }

func (g *gate) Get(context.Context, string) (client.Approval, error) {
	return client.Approval{}, client.ErrNoAnswer
}

func (g *gate) Report(_ context.Context, id string, ok bool, detail string) error {
	return g.note("report %s %v %s", id, ok, detail)
}

func (g *gate) Cancel(_ context.Context, id string) error { return g.note("cancel %s", id) }

func (g *gate) Tools(_ context.Context, server string, tools json.RawMessage) (client.Imported, error) {
	g.tools <- server + " " + string(tools)
	return client.Imported{}, nil
}

func (g *gate) calls() []client.Call {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.asked)
}

func (g *gate) told() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.said)
}

// link is a client that speaks to a server through a gateway.
type link struct {
	*mcp.ClientSession
	client *mcp.Client
	up     *upstream
	gate   *gate
	ended  chan error
	notes  chan string // what the client was told
	line   *line
}

// line is a transport that can be cut.
type line struct {
	mcp.Transport
	mcp.Connection
}

func (l *line) Connect(ctx context.Context) (mcp.Connection, error) {
	var err error
	l.Connection, err = l.Transport.Connect(ctx)
	return l.Connection, err
}

// through connects a client of an era with a server by a gateway.
func through(t *testing.T, era string, g gateway.Gate, change ...func(*mcp.ClientOptions)) *link {
	t.Helper()
	l := &link{up: newUpstream(era), ended: make(chan error, 1), notes: make(chan string, 100)}
	l.gate, _ = g.(*gate)
	near, far := mcp.NewInMemoryTransports()
	l.line = &line{Transport: near}
	front, back := mcp.NewInMemoryTransports()
	ctx, stop := context.WithCancel(context.Background())
	if _, err := l.up.Connect(ctx, back, nil); err != nil {
		t.Fatal(err)
	}
	gw := &gateway.Gateway{Gate: g, Log: slog.New(slog.DiscardHandler)}
	go func() { l.ended <- gw.Run(ctx, far, front); close(l.ended) }()
	options := &mcp.ClientOptions{
		ToolListChangedHandler:     func(context.Context, *mcp.ToolListChangedRequest) { l.notes <- "tools changed" },
		PromptListChangedHandler:   func(context.Context, *mcp.PromptListChangedRequest) { l.notes <- "prompts changed" },
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) { l.notes <- "resources changed" },
		ResourceUpdatedHandler: func(_ context.Context, q *mcp.ResourceUpdatedNotificationRequest) {
			l.notes <- "updated " + q.Params.URI
		},
		LoggingMessageHandler: func(_ context.Context, q *mcp.LoggingMessageRequest) { l.notes <- fmt.Sprint("log ", q.Params.Data) },
		ProgressNotificationHandler: func(_ context.Context, q *mcp.ProgressNotificationClientRequest) {
			l.notes <- fmt.Sprint("progress ", q.Params.ProgressToken, " ", q.Params.Message)
		},
		ElicitationHandler: func(_ context.Context, q *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"which": "that"}}, nil
		},
		CreateMessageWithToolsHandler: func(context.Context, *mcp.CreateMessageWithToolsRequest) (*mcp.CreateMessageWithToolsResult, error) {
			return &mcp.CreateMessageWithToolsResult{Role: "assistant", Model: "m", Content: []mcp.Content{&mcp.TextContent{Text: "4"}}}, nil
		},
	}
	for _, c := range change {
		c(options)
	}
	l.client = mcp.NewClient(&mcp.Implementation{Name: "desk", Version: "9"}, options)
	l.client.AddRoots(&mcp.Root{URI: "file:///srv"})
	var err error
	version, _, _ := strings.Cut(era, " ")
	if l.ClientSession, err = l.client.Connect(ctx, l.line, &mcp.ClientSessionOptions{ProtocolVersion: version}); err != nil {
		t.Fatal(err)
	}
	if got := l.InitializeResult().ProtocolVersion; got != version {
		t.Errorf("the client speaks %s, want %s", got, version)
	}
	t.Cleanup(func() {
		l.Close()
		stop()
		<-l.ended
	})
	return l
}

func eras(t *testing.T, test func(t *testing.T, era string)) {
	for _, era := range []string{legacy, modern, mixed} {
		t.Run(era, func(t *testing.T) { t.Parallel(); test(t, era) })
	}
}

func (l *link) call(t *testing.T, tool, arguments string) (*mcp.CallToolResult, error) {
	t.Helper()
	return l.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
}

func text(res *mcp.CallToolResult) string {
	if res == nil || len(res.Content) == 0 {
		return ""
	}
	return res.Content[0].(*mcp.TextContent).Text
}

func TestEverythingPasses(t *testing.T) {
	t.Parallel()
	eras(t, func(t *testing.T, era string) {
		l := through(t, era, newGate())
		ctx := t.Context()
		about := l.InitializeResult()
		if about.Instructions != "Be careful." || about.ServerInfo.Name != "My Server" || about.ServerInfo.Title != "Mine" || about.Capabilities.Completions == nil {
			t.Errorf("the server's greeting came as %+v", about)
		}
		tools, err := l.ListTools(ctx, nil)
		if err != nil || len(tools.Tools) != 4 {
			t.Fatalf("tools %v, %v", tools, err)
		}
		echo := tools.Tools[1]
		if a := echo.Annotations; echo.Name != "echo" || echo.Description != "Says it back." || a == nil || *a.DestructiveHint || !a.IdempotentHint {
			t.Errorf("echo came as %+v", echo)
		}
		prompt, err := l.GetPrompt(ctx, &mcp.GetPromptParams{Name: "greet", Arguments: map[string]string{"who": "Priya"}})
		if err != nil || prompt.Messages[0].Content.(*mcp.TextContent).Text != "Hello Priya" {
			t.Errorf("prompt %v, %v", prompt, err)
		}
		if p, err := l.ListPrompts(ctx, nil); err != nil || len(p.Prompts) != 1 || p.Prompts[0].Arguments[0].Name != "who" {
			t.Errorf("prompts %v, %v", p, err)
		}
		if r, err := l.ListResources(ctx, nil); err != nil || len(r.Resources) != 1 {
			t.Errorf("resources %v, %v", r, err)
		}
		if r, err := l.ListResourceTemplates(ctx, nil); err != nil || len(r.ResourceTemplates) != 1 || r.ResourceTemplates[0].URITemplate != "note://{n}" {
			t.Errorf("templates %v, %v", r, err)
		}
		if r, err := l.ReadResource(ctx, &mcp.ReadResourceParams{URI: "note://7"}); err != nil || r.Contents[0].Text != "note" {
			t.Errorf("read %v, %v", r, err)
		}
		_, err = l.ReadResource(ctx, &mcp.ReadResourceParams{URI: "note://0"})
		if w := (*jsonrpc.Error)(nil); !errors.As(err, &w) || w.Code != mcp.CodeResourceNotFound || !strings.Contains(string(w.Data), "note://0") {
			t.Errorf("a resource that is not there: %v", err)
		}
		c, err := l.Complete(ctx, &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "greet"}, Argument: mcp.CompleteParamsArgument{Name: "who", Value: "Pri"}})
		if err != nil || c.Completion.Values[0] != "Pri!" {
			t.Errorf("completion %v, %v", c, err)
		}
		if got := l.gate.told(); len(got) > 0 || len(l.gate.asked) > 0 {
			t.Errorf("the gate was asked: %v", got)
		}
	})
}

// dial connects to a server through a gateway, by hand.
func dial(t *testing.T, u *upstream, g ...*gate) wireClient {
	t.Helper()
	near, far := mcp.NewInMemoryTransports()
	front, back := mcp.NewInMemoryTransports()
	ctx, stop := context.WithCancel(context.Background())
	if _, err := u.Connect(ctx, back, nil); err != nil {
		t.Fatal(err)
	}
	gw := &gateway.Gateway{Gate: append(g, newGate())[0], Log: slog.New(slog.DiscardHandler)}
	ended := make(chan error)
	go func() { ended <- gw.Run(ctx, far, front) }()
	c, err := near.Connect(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close(); stop(); <-ended })
	return wireClient{c}
}
