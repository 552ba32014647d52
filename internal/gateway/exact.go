package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The SDK's types round integers beyond 2^53 and drop members that they do not
// know. So a result is caught as it came off the wire, and handed on as it is.

// caught is the result of one call to the upstream as it came; nil if the SDK
// answered from its cache.
type caught struct{ raw json.RawMessage }

type caughtKey struct{}

// catching returns a context in which the next call to the upstream fills c.
func catching(ctx context.Context, c *caught) context.Context {
	return context.WithValue(ctx, caughtKey{}, c)
}

// exactly catches results on a transport that is a stream of messages.
type exactly struct{ mcp.Transport }

func (t exactly) Connect(ctx context.Context) (mcp.Connection, error) {
	conn, err := t.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &exactConn{Connection: conn, calls: map[jsonrpc.ID]*caught{}}, nil
}

type exactConn struct {
	mcp.Connection
	mu    sync.Mutex
	calls map[jsonrpc.ID]*caught
}

func (c *exactConn) Write(ctx context.Context, msg jsonrpc.Message) error {
	req, ok := msg.(*jsonrpc.Request)
	if into, want := ctx.Value(caughtKey{}).(*caught); ok && want && req.IsCall() {
		c.mu.Lock()
		c.calls[req.ID] = into
		c.mu.Unlock()
	}
	return c.Connection.Write(ctx, msg)
}

func (c *exactConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	msg, err := c.Connection.Read(ctx)
	if res, ok := msg.(*jsonrpc.Response); ok && err == nil {
		c.mu.Lock()
		into := c.calls[res.ID]
		delete(c.calls, res.ID)
		c.mu.Unlock()
		if into != nil {
			into.raw = res.Result
		}
	}
	return msg, err
}

// exactHTTP catches results of streamable HTTP, and sends the headers that the
// upstream wants. Headers go to the upstream's own host only.
type exactHTTP struct {
	header http.Header
	host   string
	next   http.RoundTripper
}

func (t *exactHTTP) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.URL.Host == t.host {
		req = req.Clone(req.Context())
		for name, values := range t.header {
			req.Header[name] = values
		}
	}
	res, err := t.next.RoundTrip(req)
	if into, ok := req.Context().Value(caughtKey{}).(*caught); ok && err == nil {
		stream := strings.HasPrefix(res.Header.Get("Content-Type"), "text/event-stream")
		res.Body = &followed{ReadCloser: res.Body, into: into, stream: stream}
	}
	return res, err
}

// followed is a body that is read along: one JSON message, or a stream of events.
// What it caught is there before the reader has the bytes that end the message.
type followed struct {
	io.ReadCloser
	into   *caught
	stream bool
	line   []byte // what is not a whole line yet; of a JSON message, all
	data   []byte // of the event that is being read
}

func (f *followed) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	f.line = append(f.line, p[:n]...)
	for f.stream {
		line, rest, whole := bytes.Cut(f.line, []byte("\n"))
		if !whole {
			break
		}
		f.line = rest
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok {
			f.data = append(append(f.data, data...), '\n')
		} else if len(bytes.TrimSpace(line)) == 0 {
			f.into.keep(f.data)
			f.data = nil
		}
	}
	if err != nil && !f.stream {
		f.into.keep(f.line)
	}
	return n, err
}

func (c *caught) keep(message []byte) {
	msg, err := jsonrpc.DecodeMessage(bytes.TrimSpace(message))
	if res, ok := msg.(*jsonrpc.Response); ok && err == nil && res.Error == nil {
		c.raw = res.Result
	}
}

// passed is a result as it came, with what the SDK adds to it.
type passed struct {
	mcp.ResultBase
	members map[string]json.RawMessage
}

// pass makes an answer of what was caught. To a client of 2026-07-28, defaults are
// what its revision requires and an older upstream does not send.
func pass(c caught, typed mcp.Result, modern bool) (mcp.Result, error) {
	raw := c.raw
	if raw == nil {
		var err error
		if raw, err = json.Marshal(typed); err != nil {
			return nil, err
		}
	}
	p := &passed{}
	if err := json.Unmarshal(raw, &p.members); err != nil {
		return nil, err
	}
	if modern {
		p.add("resultType", `"complete"`)
		if _, cacheable := typed.(mcp.CacheableResult); cacheable {
			p.add("ttlMs", `0`)
			p.add("cacheScope", `"private"`)
		}
	}
	return p, nil
}

// add sets a member that is not there.
func (p *passed) add(name, value string) {
	if _, there := p.members[name]; !there {
		p.members[name] = json.RawMessage(value)
	}
}

// MarshalJSON writes the members, and of the SDK's metadata what they have not.
func (p *passed) MarshalJSON() ([]byte, error) {
	if len(p.Meta) == 0 {
		return json.Marshal(p.members)
	}
	meta := map[string]any{}
	for k, v := range p.Meta {
		meta[k] = v
	}
	var own map[string]json.RawMessage
	_ = json.Unmarshal(p.members["_meta"], &own)
	for k, v := range own {
		meta[k] = v
	}
	all := maps.Clone(p.members)
	raw, err := json.Marshal(meta)
	if err != nil {
		return nil, err
	}
	all["_meta"] = raw
	return json.Marshal(all)
}
