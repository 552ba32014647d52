package command

import (
	"context"
	"encoding/json"
	"fmt"
	stdio "io"
	"log/slog"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/countersign/countersign/internal/gateway"
)

// demoDesk is an agent that has no hook and no code of ours: it knows a help desk's MCP
// server, and does not notice that a gateway stands before it.
const demoDesk = "desktop-assistant"

// helpDesk is that server.
func helpDesk() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "helpdesk", Version: "2.4.0"}, nil)
	for _, t := range []*mcp.Tool{
		{Name: "find_tickets", Description: "Find tickets by their words.", Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		{Name: "update_ticket", Description: "Change a ticket's status or assignee."},
		{Name: "refund_order", Description: "Refund an order to the card that paid it."},
		{Name: "delete_tickets", Description: "Delete tickets for good."},
	} {
		t.InputSchema = json.RawMessage(`{"type":"object"}`)
		s.AddTool(t, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "demo: nothing was really done"}}}, nil
		})
	}
	return s
}

// runDesk uses the server through a gateway until ctx ends. It does what the gateway
// tells a model: after a while it calls again.
func runDesk(ctx context.Context, base, key string, out stdio.Writer, log *slog.Logger) error {
	env := map[string]string{"COUNTERSIGN_URL": base, "COUNTERSIGN_KEY": key}
	gate := &gateway.Server{Wait: demoWait, Getenv: func(name string) string { return env[name] }}
	near, far := mcp.NewInMemoryTransports()
	front, back := mcp.NewInMemoryTransports()
	if _, err := helpDesk().Connect(ctx, back, nil); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- (&gateway.Gateway{Gate: gate, Log: log}).Run(ctx, far, front) }()
	session, err := mcp.NewClient(&mcp.Implementation{Name: demoDesk, Version: "1.2.0"}, nil).Connect(ctx, near, nil)
	if err != nil {
		return err
	}
	for n := 4100; ctx.Err() == nil; n++ {
		for _, c := range []mcp.CallToolParams{
			{Name: "find_tickets", Arguments: args{"query": "laptop", "limit": n % 40}},
			{Name: "update_ticket", Arguments: args{"ticket": fmt.Sprint("T-", n), "status": "closed"}},
			{Name: "refund_order", Arguments: args{"order": fmt.Sprint("ord_", n), "amount": 129.5, "currency": "EUR"}},
			{Name: "delete_tickets", Arguments: args{"tickets": []string{fmt.Sprint("T-", n), fmt.Sprint("T-", n+1)}}},
		} {
			said := "Not run yet"
			for strings.HasPrefix(said, "Not run yet") && ctx.Err() == nil {
				res, err := session.CallTool(ctx, &c)
				if err != nil {
					break
				}
				said = res.Content[0].(*mcp.TextContent).Text
			}
			fmt.Fprintf(out, "%-16s %-8s %-20s %s\n", demoDesk, "MCP", c.Name, said)
			pause(ctx, 8*time.Second)
		}
	}
	return <-ended
}
