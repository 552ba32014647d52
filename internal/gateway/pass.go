package gateway

//lint:file-ignore SA1019 Clients and servers of before 2026-07-28 speak what is deprecated since.

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// fromClient hands what a client asks to the server, and holds tools/call. What it
// leaves to the SDK is of the connection: greetings, pings, subscriptions.
func (r *relay) fromClient(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		<-r.ready
		if method != "initialize" && method != "ping" {
			r.opened.Do(func() { close(r.open) })
		}
		switch method {
		case "tools/call":
			return r.called(ctx, req.(*mcp.CallToolRequest))
		case "tools/list":
			return ask(ctx, r, req, r.up.ListTools)
		case "prompts/list":
			return ask(ctx, r, req, r.up.ListPrompts)
		case "prompts/get":
			return ask(ctx, r, req, r.up.GetPrompt)
		case "resources/list":
			return ask(ctx, r, req, r.up.ListResources)
		case "resources/templates/list":
			return ask(ctx, r, req, r.up.ListResourceTemplates)
		case "resources/read":
			return ask(ctx, r, req, r.up.ReadResource)
		case "completion/complete":
			return ask(ctx, r, req, r.up.Complete)
		case "logging/setLevel":
			if err := r.up.SetLoggingLevel(ctx, req.GetParams().(*mcp.SetLoggingLevelParams)); err != nil {
				return nil, wire(err)
			}
		}
		return next(ctx, method, req)
	}
}

// ask sends a request on and brings the answer back as it came.
func ask[P interface {
	*T
	mcp.Params
}, R mcp.Result, T any](ctx context.Context, r *relay, req mcp.Request, call func(context.Context, P) (R, error),
) (mcp.Result, error) {
	params, _ := req.GetParams().(P)
	if params == nil {
		params = new(T)
	}
	modern := r.forServer(ctx, params)
	var c caught
	res, err := call(catching(ctx, &c), params)
	if err != nil {
		return nil, wire(err)
	}
	return pass(c, res, modern)
}

// forServer makes the metadata of a request fit the server's era, and reports
// whether the client speaks that of 2026-07-28.
func (r *relay) forServer(ctx context.Context, p mcp.Params) (modern bool) {
	meta := p.GetMeta()
	version, _ := meta[mcp.MetaKeyProtocolVersion].(string)
	level, _ := meta[mcp.MetaKeyLogLevel].(string)
	for _, own := range []string{mcp.MetaKeyProtocolVersion, mcp.MetaKeyClientInfo, mcp.MetaKeyClientCapabilities} {
		delete(meta, own) // the connection to the server says its own
	}
	about := r.up.InitializeResult()
	if level != "" {
		r.logs.Store(&ctx)
	}
	if level != "" && about.ProtocolVersion < revision {
		delete(meta, mcp.MetaKeyLogLevel)
		if about.Capabilities != nil && about.Capabilities.Logging != nil && r.level.Swap(level) != level {
			_ = r.up.SetLoggingLevel(ctx, &mcp.SetLoggingLevelParams{Level: mcp.LoggingLevel(level)})
		}
	}
	return version >= revision
}

// wire is the error that the server answered, with its code and data.
func wire(err error) error {
	if w := (*jsonrpc.Error)(nil); errors.As(err, &w) {
		return w
	}
	return err
}

// fromServer brings what a server asks of the client to it.
func (r *relay) fromServer(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		var want mcp.InputRequest
		switch method {
		case "roots/list":
			want = &mcp.ListRootsParams{}
		case "sampling/createMessage":
			want = req.GetParams().(*mcp.CreateMessageWithToolsParams)
		case "elicitation/create":
			want = req.GetParams().(*mcp.ElicitParams)
		default:
			return next(ctx, method, req)
		}
		got, err := r.inquire(ctx, mcp.InputRequestMap{"server": want})
		if err != nil {
			return nil, wire(err)
		}
		return got["server"].(mcp.Result), nil
	}
}

// inquire asks the client itself. A client of 2026-07-28 can be asked only through
// the answer to a call of its own.
func (r *relay) inquire(ctx context.Context, wants mcp.InputRequestMap) (mcp.InputResponseMap, error) {
	if !r.awaitClient(ctx) {
		return nil, context.Canceled
	}
	if r.hello.modern {
		return r.calls.inquire(ctx, wants)
	}
	got := mcp.InputResponseMap{}
	for id, want := range wants {
		var err error
		switch w := want.(type) {
		case *mcp.ElicitParams:
			got[id], err = r.client.Elicit(ctx, w)
		case *mcp.CreateMessageWithToolsParams:
			got[id], err = r.client.CreateMessageWithTools(ctx, w)
		default:
			got[id], err = r.client.ListRoots(ctx, nil)
		}
		if err != nil {
			return nil, err
		}
	}
	return got, nil
}

// tell passes a notification of the server on. It waits until the client may be
// spoken to; the server's messages stay in their order.
func (r *relay) tell(ctx context.Context, params mcp.Params) {
	if !r.awaitClient(ctx) {
		return
	}
	var err error
	switch p := params.(type) {
	case *mcp.LoggingMessageParams:
		if latest := r.logs.Load(); latest != nil {
			ctx = context.WithoutCancel(*latest) // the level that this client asked for is in it
		}
		err = r.client.Log(ctx, p)
	case *mcp.ProgressNotificationParams:
		err = r.client.NotifyProgress(ctx, p)
	case *mcp.ElicitationCompleteParams:
		err = r.client.NotifyElicitationComplete(ctx, p)
	case *mcp.ResourceUpdatedNotificationParams:
		err = r.server.ResourceUpdated(ctx, p)
	}
	if err != nil {
		r.Log.Debug("a notification did not reach the client", "error", err)
	}
}

func (r *relay) awaitClient(ctx context.Context) bool {
	select {
	case <-r.open:
		return true
	case <-ctx.Done():
		return false
	case <-r.base.Done(): // it left before it could be spoken to
		return false
	}
}

// changed says that a list of the server changed. The SDK tells clients so, in the
// form of their era, when one of its own lists changes; nobody ever sees those.
func (r *relay) changed(list string) {
	if !r.awaitClient(r.base) {
		return
	}
	switch list {
	case "tools":
		r.tools.refresh()
		r.server.AddTool(&mcp.Tool{Name: "changed", InputSchema: json.RawMessage(`{"type":"object"}`)}, nil)
	case "prompts":
		r.server.AddPrompt(&mcp.Prompt{Name: "changed"}, nil)
	case "resources":
		r.server.AddResource(&mcp.Resource{URI: "changed:", Name: "changed"}, nil)
	}
}

// numbered writes a call's JSON-RPC id where its handler can read it.
func numbered(msg jsonrpc.Message) {
	if req, ok := msg.(*jsonrpc.Request); ok && req.Method == "tools/call" && req.IsCall() {
		id, _ := json.Marshal(req.ID.Raw())
		req.Extra = &mcp.RequestExtra{Header: http.Header{"Id": {string(id)}}}
	}
}
