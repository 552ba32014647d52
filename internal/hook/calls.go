package hook

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/countersign/countersign/client"
	"github.com/countersign/countersign/internal/canon"
)

// The process that asks and the one that reports are two. A small file in between says
// which approval a call had. Losing it loses a report, nothing else.

const (
	maxDetail = 300 // characters of a failure that are reported
	forgotten = 24 * time.Hour
)

// folder is where the files are, "" where there is no place for them.
func (p Process) folder() string {
	base := p.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(base) {
		home := p.Getenv("HOME")
		if home == "" {
			return ""
		}
		base = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(base, "countersign", "calls")
}

// callFile names a call: by the agent's id, else by what was to be run.
func (d *dialect) callFile(session, id, function string, input []byte) string {
	if id == "" {
		id = function + "\x00" + string(input)
	}
	sum := sha256.Sum256([]byte(d.agent + "\x00" + session + "\x00" + id))
	return hex.EncodeToString(sum[:16])
}

// remember keeps which approval a call had.
func (p Process) remember(d *dialect, c call, out client.Outcome, changed []byte) {
	dir := p.folder()
	if dir == "" || len(d.after) == 0 || os.MkdirAll(dir, 0o700) != nil {
		return
	}
	inputs := [][]byte{c.came.Canonical()}
	if changed != nil && c.id == "" {
		inputs = append(inputs, changed) // some agents tell the call as it ran
	}
	for _, input := range inputs {
		_ = os.WriteFile(filepath.Join(dir, d.callFile(c.session, c.id, c.function, input)), []byte(out.Approval.ID), 0o600)
	}
}

// report tells the server how a call went, as far as that is known. It takes at most
// reportTimeout and fails in silence: the tool has run.
func (p Process) report(ctx context.Context, d *dialect, event string, members map[string]json.RawMessage) {
	dir := p.folder()
	if dir == "" {
		return
	}
	file := filepath.Join(dir, d.fileOf(members))
	id, err := os.ReadFile(file)
	if err != nil {
		return
	}
	_ = os.Remove(file)
	prune(dir)
	settings, err := client.Load(p.Getenv)
	if err != nil {
		return
	}
	server, err := client.New(settings)
	if err != nil {
		return
	}
	succeeded, detail := true, ""
	if d.ran != nil {
		succeeded, detail = d.ran(members)
	}
	for _, name := range d.failed {
		if name == event {
			succeeded, detail = false, message(members["error"])
		}
	}
	ctx, stop := context.WithTimeout(ctx, reportTimeout)
	defer stop()
	_ = server.Report(ctx, strings.TrimSpace(string(id)), succeeded, client.OneLine(detail, maxDetail))
}

// fileOf is the file of the call that an event after it tells of.
func (d *dialect) fileOf(members map[string]json.RawMessage) string {
	text := func(name string) (s string) { _ = json.Unmarshal(members[name], &s); return s }
	session, id := text(d.names.session), ""
	if d.names.call != "" {
		id = text(d.names.call)
	}
	raw := []byte(members[d.names.input])
	if s := text(d.names.input); s != "" {
		raw = []byte(s)
	}
	function := text(d.names.tool)
	if context, err := canon.Parse(members["mcp_context"]); err == nil && d.special != nil {
		if c, ok := d.special("", canon.Object(canon.Member{Name: "mcp_context", Value: context})); ok {
			function = c.function
		}
	}
	input, err := canon.Parse(raw)
	if err != nil {
		input = canon.Object()
	}
	return d.callFile(session, id, function, input.Canonical())
}

// prune removes what nobody reported on.
func prune(dir string) {
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > forgotten {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
