package gateway_test

//lint:file-ignore SA1019 Clients and servers of before 2026-07-28 speak what is deprecated since.

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// upstream is a server with everything that has to pass.
type upstream struct {
	*mcp.Server
	mu    sync.Mutex
	calls []string // tool and arguments as they arrived
	seen  chan string
	go_   chan struct{} // lets slow end
}

const schema = `{"type":"object","properties":{"n":{"type":"integer","maximum":12345678901234567890},"x":{"$comment":"kept"}},"additionalProperties":true}`

// big has integers that no double holds, and a text that needs escapes.
const big = `{"n":1234567890123456789012345678901234567890,"id":9007199254740993,"s":"<a&b>\u2028"}`

func newUpstream(era string) *upstream {
	versions := mcp.SupportedProtocolVersions()
	if era == mixed {
		versions = []string{legacy}
	}
	u := &upstream{seen: make(chan string, 100), go_: make(chan struct{})}
	u.Server = mcp.NewServer(&mcp.Implementation{Name: "My Server", Version: "3.1", Title: "Mine"}, &mcp.ServerOptions{
		Instructions:              "Be careful.",
		SupportedProtocolVersions: versions,
		CompletionHandler: func(_ context.Context, q *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
			return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{q.Params.Argument.Value + "!"}}}, nil
		},
		SubscribeHandler:        func(context.Context, *mcp.SubscribeRequest) error { u.seen <- "subscribed"; return nil },
		UnsubscribeHandler:      func(context.Context, *mcp.UnsubscribeRequest) error { u.seen <- "unsubscribed"; return nil },
		RootsListChangedHandler: func(context.Context, *mcp.RootsListChangedRequest) { u.seen <- "roots changed" },
	})
	closed := false
	u.tool(&mcp.Tool{
		Name: "echo", Title: "Echo", Description: "Says it back.",
		Annotations: &mcp.ToolAnnotations{DestructiveHint: &closed, IdempotentHint: true},
	}, func(_ context.Context, q *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{
			Content:           []mcp.Content{&mcp.TextContent{Text: string(q.Params.Arguments)}},
			StructuredContent: json.RawMessage(big), Meta: mcp.Meta{"trace": "kept"},
		}, nil
	})
	u.tool(&mcp.Tool{Name: "fails"}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: "no such ticket"}}}, nil
	})
	u.tool(&mcp.Tool{Name: "slow"}, func(ctx context.Context, q *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		_ = q.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: q.Params.GetProgressToken(), Progress: 1, Message: "half"})
		_ = q.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "warning", Data: "slow goes"})
		u.seen <- "slow runs"
		select {
		case <-ctx.Done():
			u.seen <- "slow was cancelled"
			return nil, ctx.Err()
		case <-u.go_:
			return &mcp.CallToolResult{}, nil
		}
	})
	u.tool(&mcp.Tool{Name: "asks"}, func(ctx context.Context, q *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return u.asks(ctx, q)
	})
	u.AddPrompt(&mcp.Prompt{Name: "greet", Arguments: []*mcp.PromptArgument{{Name: "who"}}}, func(_ context.Context, q *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: "Hello " + q.Params.Arguments["who"]}}}}, nil
	})
	read := func(_ context.Context, q *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		if q.Params.URI == "note://0" {
			return nil, mcp.ResourceNotFoundError(q.Params.URI)
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: q.Params.URI, Text: "note"}}}, nil
	}
	u.AddResource(&mcp.Resource{URI: "note://1", Name: "one"}, read)
	u.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "note://{n}", Name: "any"}, read)
	return u
}

func (u *upstream) tool(t *mcp.Tool, h mcp.ToolHandler) {
	t.InputSchema = json.RawMessage(schema)
	u.AddTool(t, func(ctx context.Context, q *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		u.mu.Lock()
		u.calls = append(u.calls, t.Name+string(q.Params.Arguments))
		u.mu.Unlock()
		return h(ctx, q)
	})
}

// ran is what reached the server.
func (u *upstream) ran() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return append([]string{}, u.calls...)
}

// asks asks the client for its roots, a form and a text, in the form of its era.
func (u *upstream) asks(ctx context.Context, q *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	form := &mcp.ElicitParams{Mode: "form", Message: "Which?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{"which":{"type":"string"}}}`)}
	sample := &mcp.CreateMessageWithToolsParams{MaxTokens: 5, Messages: []*mcp.SamplingMessageV2{{Role: "user", Content: []mcp.Content{&mcp.TextContent{Text: "2+2"}}}}}
	var which *mcp.ElicitResult
	var said *mcp.CreateMessageWithToolsResult
	var roots *mcp.ListRootsResult
	if q.ProtocolVersion() >= "2026-07-28" {
		if q.Params.InputResponses == nil {
			return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{"f": form, "s": sample, "r": &mcp.ListRootsParams{}}, RequestState: "where I was"}, nil
		}
		if q.Params.RequestState != "where I was" {
			return nil, errors.New("the state did not come back")
		}
		which, _ = q.Params.InputResponses["f"].(*mcp.ElicitResult)
		said, _ = q.Params.InputResponses["s"].(*mcp.CreateMessageWithToolsResult)
		roots, _ = q.Params.InputResponses["r"].(*mcp.ListRootsResult)
	} else {
		var err [3]error
		which, err[0] = q.Session.Elicit(ctx, form)
		said, err[1] = q.Session.CreateMessageWithTools(ctx, sample)
		roots, err[2] = q.Session.ListRoots(ctx, nil)
		if e := errors.Join(err[:]...); e != nil {
			return nil, e
		}
	}
	if which == nil || said == nil || roots == nil || len(roots.Roots) == 0 {
		return nil, fmt.Errorf("answers missing: %v %v %v", which, said, roots)
	}
	text := fmt.Sprint(which.Content["which"], " ", said.Content[0].(*mcp.TextContent).Text, " ", roots.Roots[0].URI)
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, nil
}
