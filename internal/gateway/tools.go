package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// toolbox is what is known of a server's tools. None of it decides: descriptions and
// annotations are the server's own words.
type toolbox struct {
	roots func() // tells the server that the client's roots changed

	mu    sync.Mutex
	known map[string]tool
	sent  []byte // what the console was told last
	r     *relay
	again chan struct{}
}

type tool struct {
	Name        string          `json:"name"`
	Title       string          `json:"title"`
	Description string          `json:"description"`
	Annotations json.RawMessage `json:"annotations"`
}

// follow reads the tools in the background: the client does not wait for it.
func (b *toolbox) follow(ctx context.Context) {
	about := b.r.up.InitializeResult()
	if about.Capabilities == nil || about.Capabilities.Tools == nil {
		return
	}
	b.refresh()
	go func() {
		for {
			select {
			case <-b.again:
				b.read(ctx)
			case <-ctx.Done():
				return
			}
		}
	}()
}

// refresh asks for the list to be read again. It does not wait.
func (b *toolbox) refresh() {
	select {
	case b.again <- struct{}{}:
	default: // it is going to be
	}
}

// read takes in the whole list and tells the console, once for each new state of it.
// Nothing depends on that: a console that is away learns of tools by their calls.
func (b *toolbox) read(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	all, err := b.list(ctx)
	if err != nil {
		b.r.Log.Warn("the server's tools could not be listed", "error", err)
		return
	}
	text, err := json.Marshal(all)
	b.mu.Lock()
	old := bytes.Equal(text, b.sent)
	b.mu.Unlock()
	if err != nil || old {
		return
	}
	api, _, err := b.r.Gate.Open()
	if err == nil {
		_, err = api.Tools(ctx, b.r.name, text)
	}
	if err != nil {
		b.r.Log.Warn("the console was not told of the server's tools", "error", err)
		return
	}
	b.mu.Lock()
	b.sent = text
	b.mu.Unlock()
}

func (b *toolbox) list(ctx context.Context) (all []json.RawMessage, err error) {
	known := map[string]tool{}
	for cursor := ""; ; {
		var c caught
		page, err := b.r.up.ListTools(catching(ctx, &c), &mcp.ListToolsParams{Cursor: cursor})
		if err != nil {
			return nil, err
		}
		answer, err := pass(c, page, false)
		if err != nil {
			return nil, err
		}
		var some []json.RawMessage
		if err := json.Unmarshal(answer.(*passed).members["tools"], &some); err != nil {
			return nil, err
		}
		for _, text := range some {
			var t tool
			if json.Unmarshal(text, &t) == nil {
				known[t.Name] = t
			}
		}
		all = append(all, some...)
		if cursor = page.NextCursor; cursor == "" {
			break
		}
	}
	b.mu.Lock()
	b.known = known
	b.mu.Unlock()
	return all, nil
}

// about is what the server says of a tool. A tool that is not known yet is looked
// for once.
func (b *toolbox) about(ctx context.Context, name string) tool {
	for range 2 {
		b.mu.Lock()
		t, ok := b.known[name]
		b.mu.Unlock()
		if ok {
			return t
		}
		if _, err := b.list(ctx); err != nil {
			break
		}
	}
	return tool{Name: name}
}

var unfit = regexp.MustCompile(`[^A-Za-z0-9_.-]+`)

// sanitised is what a server is called in the names of functions. Two underscores end
// a name, so it has none.
func sanitised(name string, info *mcp.Implementation) string {
	if name == "" && info != nil {
		name = info.Name
	}
	name = unfit.ReplaceAllString(name, "-")
	for strings.Contains(name, "__") {
		name = strings.ReplaceAll(name, "__", "_")
	}
	if name = strings.Trim(name, "-_."); name == "" {
		return "server"
	}
	return name[:min(len(name), 64)]
}
