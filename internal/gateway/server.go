package gateway

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// patience is how long a server may take to end once its input is closed, and again
// once it is told to. Clients give a gateway about twice that.
const patience = time.Second

// Program is a server that is started by its command. It is the transport to it.
type Program struct {
	cmd    *exec.Cmd
	cancel context.CancelFunc
	in     io.Closer
	out    *bufio.Reader
	line   []byte // what is left of a message
}

// Command is a server's program. It gets the environment but for Countersign's own
// variables, which hold keys and passwords. stderr is safe for concurrent use.
func Command(command, environ []string, stderr io.Writer) *Program {
	ctx, cancel := context.WithCancel(context.Background())
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	c.Cancel = func() error { return c.Process.Signal(syscall.SIGTERM) }
	c.WaitDelay = patience // then it is killed
	c.Stderr = stderr
	c.Env = []string{} // nil would be everything
	for _, v := range environ {
		if !strings.HasPrefix(strings.ToUpper(v), "COUNTERSIGN_") {
			c.Env = append(c.Env, v)
		}
	}
	return &Program{cmd: c, cancel: cancel}
}

// Connect starts the program.
func (p *Program) Connect(ctx context.Context) (mcp.Connection, error) {
	in, err := p.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	p.in, p.out = in, bufio.NewReader(out)
	return (&mcp.IOTransport{Reader: p, Writer: in, MaxLineLength: -1}).Connect(ctx)
}

// Read reads messages. What else a program says on its standard output, a banner for
// example, goes to standard error, as clients have it.
func (p *Program) Read(b []byte) (int, error) {
	for len(p.line) == 0 {
		line, err := p.out.ReadBytes('\n')
		if json.Valid(line) {
			p.line = line
		} else if len(bytes.TrimSpace(line)) > 0 {
			_, _ = p.cmd.Stderr.Write(line)
		}
		if len(p.line) == 0 && err != nil {
			return 0, err
		}
	}
	n := copy(b, p.line)
	p.line = p.line[n:]
	return n, nil
}

// Close ends the program: its input ends, then it is told to, then it is killed.
func (p *Program) Close() error {
	_ = p.in.Close()
	defer time.AfterFunc(patience, p.cancel).Stop()
	return p.cmd.Wait()
}

// ExitCode is that of a program that ended; 128 and the number for one that a signal
// ended, as in a shell.
func (p *Program) ExitCode() int {
	state := p.cmd.ProcessState
	if state == nil {
		return 1
	}
	if w, ok := state.Sys().(syscall.WaitStatus); ok && w.Signaled() {
		return 128 + int(w.Signal())
	}
	return state.ExitCode()
}

// Remote is a server at an address. headers are lines "Name: value"; they are for
// secrets, so they come from the environment, and they are sent to this host only.
func Remote(address, headers string) (*mcp.StreamableClientTransport, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return nil, errors.New("--url is no http address")
	}
	if u.User != nil {
		return nil, errors.New("--url has a password in it, which everybody on this machine can read; send an Authorization header by COUNTERSIGN_MCP_HEADERS instead")
	}
	header := http.Header{}
	for line := range strings.Lines(headers) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		name, value, ok := strings.Cut(line, ":")
		if name = strings.TrimSpace(name); !ok || name == "" {
			return nil, errors.New("COUNTERSIGN_MCP_HEADERS: each line is a header, “Name: value”")
		}
		header.Add(name, strings.TrimSpace(value))
	}
	next := http.DefaultTransport.(*http.Transport).Clone()
	return &mcp.StreamableClientTransport{
		Endpoint: address, HTTPClient: &http.Client{Transport: &exactHTTP{header: header, host: u.Host, next: next}},
	}, nil
}
