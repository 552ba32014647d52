package install

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// headersVariable is how the gateway gets the headers of a server at an address: lines of
// “Name: value”. They often hold a key, which would be in everybody's process list as an argument.
const headersVariable = "COUNTERSIGN_MCP_HEADERS"

// urlVariable is how it gets an address that may hold a secret: every user of the machine
// can read arguments.
const urlVariable = "COUNTERSIGN_MCP_URL"

// Clients are the MCP clients whose settings are known by name.
var Clients = []string{"claude-desktop", "cursor", "claude-code"}

// ClientFile is the settings file of a client, or the file that was named.
func ClientFile(m Machine, client string) (string, error) {
	switch client {
	case "claude-desktop":
		other := filepath.Join(m.folder("XDG_CONFIG_HOME", ".config"), "Claude")
		windows := filepath.Join(m.folder("APPDATA", `AppData\Roaming`), "Claude")
		return filepath.Join(byOS(m.OS, other, filepath.Join(m.Home, "Library", "Application Support", "Claude"), windows), "claude_desktop_config.json"), nil
	case "cursor":
		return filepath.Join(m.Home, ".cursor", "mcp.json"), nil
	case "claude-code":
		return filepath.Join(m.folder("CLAUDE_CONFIG_DIR", ""), ".claude.json"), nil
	}
	if filepath.Base(client) == client && filepath.Ext(client) == "" {
		return "", usageError{fmt.Sprintf("there is no client %q: name %s or a file", client, strings.Join(Clients, ", "))}
	}
	return filepath.Abs(client)
}

// PlanMCP says what putting the gateway in front of every MCP server of a file would do, or
// taking it away again. What stays ungated comes back as sentences.
func PlanMCP(m Machine, path string, undo bool) (Change, []string, error) {
	var notes []string
	c, err := plan(m, path, undo, func(text []byte) ([]byte, error) {
		var out []byte
		var err error
		out, notes, err = addGateway(m, text)
		return out, err
	}, removeGateway)
	if err == nil && c.before == nil {
		err = fmt.Errorf("%s: there is no such file", path)
	}
	if undo {
		notes = nil
	}
	return c, notes, err
}

// mcpEntry is one server of a settings file.
type mcpEntry struct {
	Command, Type, URL string
	Args               []string
	Headers            map[string]string
	Env                map[string]string
}

// servers are the paths of all entries: of the user, and in Claude Code's file of each project.
func servers(d *jsonText) [][]string {
	var paths [][]string
	in := func(path ...string) {
		if v := d.at(path...); v != nil {
			if o, ok := v.Value.(*hujson.Object); ok {
				for _, m := range o.Members {
					paths = append(paths, append(slices.Clone(path), name(m)))
				}
			}
		}
	}
	in("mcpServers")
	in("servers") // VS Code's
	if v := d.at("projects"); v != nil {
		if o, ok := v.Value.(*hujson.Object); ok {
			for _, m := range o.Members {
				in("projects", name(m), "mcpServers")
			}
		}
	}
	return paths
}

// gated says whether an entry starts our gateway.
func (e mcpEntry) gated() bool {
	program := strings.TrimSuffix(filepath.Base(filepath.ToSlash(e.Command)), ".exe")
	return program == "countersign" && len(e.Args) > 0 && e.Args[0] == "mcp"
}

// behind is the entry that a gated one stands in front of.
func (e mcpEntry) behind() (mcpEntry, error) {
	if at := slices.Index(e.Args, "--"); at >= 0 && at+1 < len(e.Args) {
		return mcpEntry{Command: e.Args[at+1], Args: e.Args[at+2:], Type: e.Type, Env: e.Env}, nil
	}
	was := mcpEntry{URL: e.Env[urlVariable], Headers: map[string]string{}, Env: e.Env}
	if at := slices.Index(e.Args, "--url"); at >= 0 && at+1 < len(e.Args) {
		was.URL = e.Args[at+1]
	}
	if was.URL == "" {
		return e, errors.New("its arguments name no server")
	}
	for line := range strings.Lines(e.Env[headersVariable]) {
		if name, value, ok := strings.Cut(strings.TrimRight(line, "\n"), ": "); ok {
			was.Headers[name] = value
		}
	}
	return was, nil
}

// front are the arguments of the gateway for an entry.
func (e mcpEntry) front(name string) []string {
	args := []string{"mcp", "--name", name}
	switch {
	case strings.Contains(e.URL, "?"): // a key, often
		return args
	case e.URL != "":
		return append(args, "--url", e.URL)
	}
	return append(append(args, "--", e.Command), e.Args...)
}

func addGateway(m Machine, text []byte) ([]byte, []string, error) {
	if err := m.stays(); err != nil {
		return nil, nil, err
	}
	d, err := parseJSON(text, lenient)
	if err != nil {
		return nil, nil, err
	}
	var notes []string
	for _, path := range servers(d) {
		called := path[len(path)-1]
		var e mcpEntry
		if err := decode(d.at(path...), &e); err != nil {
			return nil, nil, fmt.Errorf("the server %q is not what a client reads: %w", called, err)
		}
		had := e
		if e.gated() {
			if e, err = e.behind(); err != nil {
				return nil, nil, fmt.Errorf("the server %q: %w", called, err)
			}
		}
		switch {
		case e.URL != "" && e.Type == "sse":
			notes = append(notes, fmt.Sprintf("%q stays ungated: it speaks the old SSE, and the gateway speaks streamable HTTP", called))
			continue
		case e.URL != "" && strings.Contains(e.URL, "@"), strings.HasPrefix(called, "-"):
			notes = append(notes, fmt.Sprintf("%q stays ungated: its name begins with - or its address holds a password, which would be an argument that everybody can read", called))
			continue
		case e.URL == "" && e.Command == "":
			notes = append(notes, fmt.Sprintf("%q stays ungated: it has neither a command nor an address", called))
			continue
		}
		if had.Command == m.Executable && slices.Equal(had.Args, e.front(called)) {
			continue
		}
		if err := d.setAll(path, m.Executable, e.front(called)); err != nil {
			return nil, nil, err
		}
		if had.URL == "" {
			continue
		}
		if err := d.toCommand(path, e); err != nil {
			return nil, nil, err
		}
	}
	if !d.changed {
		return text, notes, nil
	}
	return d.bytes(), notes, nil
}

// setAll sets an entry's command and arguments.
func (d *jsonText) setAll(path []string, command string, args []string) error {
	return errors.Join(d.set(command, append(slices.Clone(path), "command")...), d.set(args, append(slices.Clone(path), "args")...))
}

// toCommand makes an entry with an address one with a command. Its headers go into the
// environment of the gateway alone.
func (d *jsonText) toCommand(path []string, e mcpEntry) error {
	at := func(member string) []string { return append(slices.Clone(path), member) }
	var lines []string
	for name, value := range e.Headers {
		if strings.ContainsAny(name+value, "\r\n") {
			return fmt.Errorf("the header %q has more than one line", name)
		}
		lines = append(lines, name+": "+value)
	}
	slices.Sort(lines)
	if len(lines) > 0 {
		if err := d.set(strings.Join(lines, "\n"), append(at("env"), headersVariable)...); err != nil {
			return err
		}
	}
	if strings.Contains(e.URL, "?") {
		if err := d.set(e.URL, append(at("env"), urlVariable)...); err != nil {
			return err
		}
	}
	if e.Type != "" {
		if err := d.set("stdio", at("type")...); err != nil {
			return err
		}
	}
	return errors.Join(d.dropMember(at("url")...), d.dropMember(at("headers")...))
}

// dropMember takes the member at a path out, if it is there.
func (d *jsonText) dropMember(path ...string) error {
	above := d.at(path[:len(path)-1]...)
	i := slices.IndexFunc(above.Value.(*hujson.Object).Members, func(m hujson.ObjectMember) bool { return name(m) == path[len(path)-1] })
	if i < 0 {
		return nil
	}
	return d.drop(above, i)
}

func removeGateway(text []byte) ([]byte, bool, error) {
	if text == nil {
		return nil, false, nil
	}
	d, err := parseJSON(text, lenient)
	if err != nil {
		return nil, false, err
	}
	found := false
	for _, path := range servers(d) {
		at := func(member string) []string { return append(slices.Clone(path), member) }
		var e mcpEntry
		if err := decode(d.at(path...), &e); err != nil || !e.gated() {
			continue
		}
		was, err := e.behind()
		if err != nil {
			continue
		}
		found = true
		if was.URL == "" {
			if err := d.setAll(path, was.Command, was.Args); err != nil {
				return nil, false, err
			}
			continue
		}
		steps := []error{d.dropMember(at("command")...), d.dropMember(at("args")...), d.set(was.URL, at("url")...)}
		if e.Type != "" {
			steps = append(steps, d.set("http", at("type")...))
		}
		if len(was.Headers) > 0 {
			steps = append(steps, d.set(was.Headers, at("headers")...), d.dropMember(append(at("env"), headersVariable)...))
		}
		if e.Env[urlVariable] != "" {
			steps = append(steps, d.dropMember(append(at("env"), urlVariable)...))
		}
		if len(was.Headers) > 0 || e.Env[urlVariable] != "" {
			steps = append(steps, d.dropEmpty(at("env")...))
		}
		if err := errors.Join(steps...); err != nil {
			return nil, false, err
		}
	}
	if !found {
		return text, false, nil
	}
	return d.bytes(), true, nil
}
