package command

import (
	"context"
	"errors"
	"fmt"
	stdio "io"
	"log/slog"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/countersign/countersign/internal/gateway"
	"github.com/countersign/countersign/internal/install"
)

// mcpCmd stands between an MCP client and one MCP server.
type mcpCmd struct {
	Name    string        `placeholder:"N" help:"What to call the server: its tools are the functions mcp__N__TOOL. Unset: the server's own name."`
	Wait    time.Duration `default:"50s" help:"How long a held call waits for a person. Then the model is told to call again, which gets the answer. Stay below the client's own time-out; many have 60s."`
	URL     string        `name:"url" env:"COUNTERSIGN_MCP_URL" placeholder:"URL" help:"Address of a server that speaks streamable HTTP. Its headers, one “Name: value” a line, come from COUNTERSIGN_MCP_HEADERS."`
	Command []string      `arg:"" optional:"" help:"The server's command, after --."`
}

// Help stands below the flags' own.
func (mcpCmd) Help() string {
	return `Put it in front of a server in the client's configuration: “npx -y some-server /srv” becomes “countersign mcp --name files -- npx -y some-server /srv”. The settings come from ~/.config/countersign/config.json (docs/mcp.md).`
}

// Run speaks MCP on standard input and output until the client leaves or the server
// ends. Its exit code is the server's.
func (c mcpCmd) Run(ctx context.Context, io streams, log *slog.Logger) error {
	if (c.URL == "") == (len(c.Command) == 0) {
		return exitWith(2, errors.New("name one MCP server: its command after --, or --url and its address"))
	}
	if c.Wait < time.Second {
		return exitWith(2, errors.New("--wait is at least 1s"))
	}
	gate := &gateway.Server{Getenv: os.Getenv, Wait: c.Wait}
	if _, _, err := gate.Open(); err != nil {
		fmt.Fprintln(io.err, "countersign: every call will be refused until this is repaired:", err)
	}
	client := &mcp.IOTransport{Reader: stdio.NopCloser(io.in), Writer: open{io.out}, MaxLineLength: -1}
	g := &gateway.Gateway{Name: c.Name, Gate: gate, Log: log}
	if c.URL != "" {
		server, err := gateway.Remote(c.URL, os.Getenv("COUNTERSIGN_MCP_HEADERS"))
		if err != nil {
			return exitWith(2, err)
		}
		return g.Run(ctx, client, server)
	}
	server := gateway.Command(c.Command, os.Environ(), io.err)
	err := g.Run(ctx, client, server)
	if errors.Is(err, gateway.ErrServerEnded) {
		if code := server.ExitCode(); code != 0 {
			return exitWith(code, fmt.Errorf("the MCP server ended with exit code %d", code))
		}
		return nil
	}
	return err
}

// open is a writer that stays open: it is the process's.
type open struct{ stdio.Writer }

func (open) Close() error { return nil }

// mcpInstallCmd is “countersign mcp install”.
type mcpInstallCmd struct {
	changing

	Client string `required:"" placeholder:"CLIENT" help:"claude-desktop, cursor, claude-code, or the file that holds the servers."`
}

func (c *mcpInstallCmd) Run(s streams) error {
	m, err := thisMachine()
	if err != nil {
		return err
	}
	path, err := install.ClientFile(m, c.Client)
	if err != nil {
		return exitWith(2, err)
	}
	change, notes, err := install.PlanMCP(m, path, c.Undo)
	if err != nil {
		return err
	}
	if change.Changed() && !c.Undo {
		notes = append(notes, "Start the client anew. Its servers then ask Countersign before each call.")
	}
	return c.carryOut(s, change, installed{Agent: c.Client, Next: []string{}}, func() ([]string, error) {
		return notes, change.Apply()
	})
}
