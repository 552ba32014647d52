package gateway

//lint:file-ignore SA1019 Clients and servers of before 2026-07-28 speak what is deprecated since.

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Gateway stands between one MCP client and one MCP server.
type Gateway struct {
	Name string // what the server is called in mcp__NAME__TOOL; "" is the server's own name
	Gate Gate
	Log  *slog.Logger
}

// ErrServerEnded says that the server went away by itself.
var ErrServerEnded = errors.New("the MCP server ended")

// revision is the first one without a handshake.
const revision = "2026-07-28"

// relay is one run of a gateway: one client, one server.
type relay struct {
	*Gateway
	name   string // of the server, in functions
	hello  hello
	up     *mcp.ClientSession
	server *mcp.Server
	client *mcp.ServerSession
	ready  chan struct{} // closed when all of the above is there
	open   chan struct{} // closed when the client may be spoken to
	opened sync.Once
	tools  toolbox
	calls  flights

	base           context.Context // of the run; calls of several requests live in it
	session, nonce string          // of this process
	level          atomic.Value    // of the server's log, as a client of 2026-07-28 asked for it
	logs           atomic.Pointer[context.Context]

	mu     sync.Mutex
	untold map[string]string // requests that wait, of calls that have no answer yet, with their digests
}

// Run passes messages between client and server until one of them ends or ctx
// does. It returns nil when the client is the one that left.
func (g *Gateway) Run(ctx context.Context, client, server mcp.Transport) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	conn, err := client.Connect(ctx)
	if err != nil {
		return err
	}
	in := follow(ctx, conn, stop)
	hi, err := in.greeting()
	if errors.Is(err, io.EOF) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("the client's first message: %w", err)
	}
	base, halt := context.WithCancel(ctx)
	defer halt()
	r := &relay{Gateway: g, hello: hi, open: make(chan struct{}), base: base, nonce: nonce()}
	r.level.Store("")
	r.ready, r.tools.r, r.tools.again = make(chan struct{}), r, make(chan struct{}, 1)
	r.calls.parked, r.untold = map[string]*flight{}, map[string]string{}
	if r.up, err = r.dial(ctx, server); err != nil {
		if in.gone() && errors.Is(err, context.Canceled) {
			return nil
		}
		return fmt.Errorf("connect to the MCP server: %w", err)
	}
	defer r.up.Close()
	about := r.up.InitializeResult()
	r.name = sanitised(g.Name, about.ServerInfo)
	r.session = "mcp-" + r.name + "-" + r.nonce
	r.server = r.face(about)
	// Every message of the server's log goes on: the server has its own level.
	state := &mcp.ServerSessionState{LogLevel: "debug"}
	if hi.modern {
		state.LogLevel = ""
	}
	if r.client, err = r.server.Connect(ctx, in, &mcp.ServerSessionOptions{State: state}); err != nil {
		return err
	}
	close(r.ready)
	if hi.modern {
		r.opened.Do(func() { close(r.open) })
	}
	r.tools.follow(ctx)
	ended := make(chan error, 2)
	go func() { r.client.Wait(); ended <- nil }()
	go func() { r.up.Wait(); ended <- ErrServerEnded }()
	select {
	case err = <-ended:
	case <-ctx.Done():
	}
	halt() // calls that wait for a person stop waiting
	if err != nil && ctx.Err() == nil {
		r.client.Close() // after the answers to calls that the server left
		return err
	}
	stop()
	r.client.Wait()
	r.withdraw()
	return nil
}

// nonce tells processes apart. It is hexadecimal, which no pattern takes for a secret.
func nonce() string {
	b := make([]byte, 8)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}

// dial greets the server as the client greeted us: by the same name, with the same
// capabilities and in the same era. A server that is older than the client is
// greeted in its own.
func (r *relay) dial(ctx context.Context, t mcp.Transport) (*mcp.ClientSession, error) {
	c := mcp.NewClient(r.hello.info, &mcp.ClientOptions{
		Capabilities:                r.hello.capabilities,
		MultiRoundTrip:              &mcp.MultiRoundTripOptions{Disabled: true},
		Logger:                      r.Log,
		ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { r.changed("tools") },
		PromptListChangedHandler:    func(context.Context, *mcp.PromptListChangedRequest) { r.changed("prompts") },
		ResourceListChangedHandler:  func(context.Context, *mcp.ResourceListChangedRequest) { r.changed("resources") },
		ResourceUpdatedHandler:      func(ctx context.Context, q *mcp.ResourceUpdatedNotificationRequest) { r.tell(ctx, q.Params) },
		LoggingMessageHandler:       func(ctx context.Context, q *mcp.LoggingMessageRequest) { r.tell(ctx, q.Params) },
		ProgressNotificationHandler: func(ctx context.Context, q *mcp.ProgressNotificationClientRequest) { r.tell(ctx, q.Params) },
		ElicitationCompleteHandler:  func(ctx context.Context, q *mcp.ElicitationCompleteNotificationRequest) { r.tell(ctx, q.Params) },
	})
	c.AddReceivingMiddleware(r.fromServer)
	r.tools.roots = func() { c.AddRoots(&mcp.Root{URI: "file:///"}) }
	if _, http := t.(*mcp.StreamableClientTransport); !http {
		t = exactly{t}
	}
	return c.Connect(ctx, t, &mcp.ClientSessionOptions{ProtocolVersion: r.hello.version})
}

// face is what the client sees: the server's own name, words and capabilities.
func (r *relay) face(about *mcp.InitializeResult) *mcp.Server {
	info, can := about.ServerInfo, about.Capabilities
	if info == nil {
		info = &mcp.Implementation{Name: r.name}
	}
	if can == nil {
		can = &mcp.ServerCapabilities{}
	}
	options := &mcp.ServerOptions{
		Instructions:            about.Instructions,
		Capabilities:            can,
		Logger:                  r.Log,
		RootsListChangedHandler: func(context.Context, *mcp.RootsListChangedRequest) { r.tools.roots() },
		ProgressNotificationHandler: func(ctx context.Context, q *mcp.ProgressNotificationServerRequest) {
			_ = r.up.NotifyProgress(ctx, q.Params)
		},
	}
	if can.Resources != nil && can.Resources.Subscribe {
		options.SubscribeHandler = func(ctx context.Context, q *mcp.SubscribeRequest) error {
			r.forServer(ctx, q.Params)
			return wire(r.up.Subscribe(ctx, q.Params))
		}
		options.UnsubscribeHandler = func(ctx context.Context, q *mcp.UnsubscribeRequest) error {
			r.forServer(ctx, q.Params)
			// The end of a stream is what unsubscribes; by then its request is over.
			return wire(r.up.Unsubscribe(context.WithoutCancel(ctx), q.Params))
		}
	}
	s := mcp.NewServer(info, options)
	s.AddReceivingMiddleware(r.fromClient)
	return s
}

// hello is what the first message of a client says about it.
type hello struct {
	info         *mcp.Implementation
	capabilities *mcp.ClientCapabilities
	version      string // in which the server is greeted
	modern       bool
}

// greet reads a first message: an initialize, or any request of 2026-07-28.
func greet(msg jsonrpc.Message) hello {
	type capabilities struct {
		mcp.ClientCapabilities
		Roots *mcp.RootCapabilities `json:"roots"`
	}
	var p struct {
		Version      string              `json:"protocolVersion"`
		Info         *mcp.Implementation `json:"clientInfo"`
		Capabilities capabilities        `json:"capabilities"`
		Meta         struct {
			Version      string              `json:"io.modelcontextprotocol/protocolVersion"`
			Info         *mcp.Implementation `json:"io.modelcontextprotocol/clientInfo"`
			Capabilities capabilities        `json:"io.modelcontextprotocol/clientCapabilities"`
		} `json:"_meta"`
	}
	if req, ok := msg.(*jsonrpc.Request); ok {
		_ = json.Unmarshal(req.Params, &p) // what it does not say stays empty
	}
	h := hello{info: p.Info, version: p.Version}
	can := p.Capabilities
	if p.Meta.Version >= revision {
		h = hello{info: p.Meta.Info, version: p.Meta.Version, modern: true}
		can = p.Meta.Capabilities
	}
	can.RootsV2 = can.Roots
	h.capabilities = &can.ClientCapabilities
	if h.info == nil {
		h.info = &mcp.Implementation{Name: "mcp-client"}
	}
	if known := mcp.SupportedProtocolVersions(); !slices.Contains(known, h.version) || h.version >= revision && !h.modern {
		h.version = "2025-11-25"
	}
	return h
}

// inbox reads the client ahead, so that its leaving is seen at once, whatever the
// gateway is doing then.
type inbox struct {
	mcp.Connection
	messages chan jsonrpc.Message
	first    jsonrpc.Message
	left     chan struct{}
	why      error
}

func follow(ctx context.Context, conn mcp.Connection, stop func()) *inbox {
	in := &inbox{Connection: conn, messages: make(chan jsonrpc.Message), left: make(chan struct{})}
	go func() {
		for {
			msg, err := conn.Read(ctx)
			if err != nil {
				in.why = err
				close(in.left)
				stop()
				return
			}
			numbered(msg)
			select {
			case in.messages <- msg:
			case <-ctx.Done():
				in.why = ctx.Err()
				close(in.left)
				return
			}
		}
	}()
	return in
}

// greeting is the client's first message, which stays to be read.
func (in *inbox) greeting() (hello, error) {
	msg, err := in.Read(context.Background())
	in.first = msg
	return greet(msg), err
}

func (in *inbox) gone() bool {
	select {
	case <-in.left:
		return errors.Is(in.why, io.EOF)
	default:
		return false
	}
}

// Connect makes of the inbox the transport of the server that faces the client.
func (in *inbox) Connect(context.Context) (mcp.Connection, error) { return in, nil }

func (in *inbox) Read(ctx context.Context) (jsonrpc.Message, error) {
	if msg := in.first; msg != nil {
		in.first = nil
		return msg, nil
	}
	select {
	case msg := <-in.messages:
		return msg, nil
	case <-in.left:
		return nil, in.why
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
