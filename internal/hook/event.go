package hook

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/canon"
)

// maxEventBytes bounds what is read. An event before a call may have as much as the
// server takes; one after it holds the tool's output.
const maxEventBytes = 32 << 20

// call is what an agent wants to run.
type call struct {
	function string
	input    canon.Value // to be judged
	came     canon.Value // as the agent has it
	session  string
	id       string
	subagent string
	folder   string // what was added as cwd, "" where nothing was
}

// read reads standard input to its end, or until ctx ends.
func read(ctx context.Context, in io.Reader) ([]byte, error) {
	type result struct {
		content []byte
		err     error
	}
	done := make(chan result, 1)
	go func() {
		content, err := io.ReadAll(io.LimitReader(in, maxEventBytes+1))
		done <- result{content, err}
	}()
	select {
	case <-ctx.Done():
		return nil, fmt.Errorf("the event did not come: %w", context.Cause(ctx))
	case r := <-done:
		switch {
		case r.err != nil:
			return nil, fmt.Errorf("the event can't be read: %w", r.err)
		case len(r.content) > maxEventBytes:
			return nil, fmt.Errorf("the event has more than %d bytes", maxEventBytes)
		}
		return r.content, nil
	}
}

// kind says which event it is, from its name alone.
func (d *dialect) kind(event []byte) (name string, members map[string]json.RawMessage, err error) {
	if json.Unmarshal(event, &members) != nil || members == nil {
		return "", nil, errors.New("the event is no JSON object")
	}
	if d.names.event == "" {
		if _, ran := members["toolResult"]; ran {
			return d.after[0], members, nil
		}
		return d.before[0], members, nil
	}
	if json.Unmarshal(members[d.names.event], &name) != nil || name == "" {
		return "", nil, fmt.Errorf("the event has no %s", d.names.event)
	}
	return name, members, nil
}

// read makes a call of an event. Nothing of it is left out and nothing is rounded:
// what one reader could understand in another way than the next is refused.
func (d *dialect) read(name string, event []byte) (call, error) {
	e, err := canon.Parse(event)
	if err != nil {
		return call{}, fmt.Errorf("the event can't be sent: %w", err)
	}
	c, special := call{}, false
	if d.special != nil {
		c, special = d.special(name, e)
	}
	if !special {
		c = call{function: e.Get(d.names.tool).Text(), input: e.Get(d.names.input)}
	}
	if text := c.input.Text(); text != "" { // some agents send JSON inside a string
		if c.input, err = canon.Parse([]byte(text)); err != nil {
			return call{}, fmt.Errorf("the arguments can't be sent: %w", err)
		}
	}
	switch k := c.input.Kind(); {
	case c.function == "":
		return call{}, errors.New("the event names no tool")
	case k == canon.KindAbsent || k == canon.KindNull:
		c.input = canon.Object()
	case k != canon.KindObject:
		return call{}, fmt.Errorf("the arguments are %s, not an object", k)
	}
	c.came = c.input
	c.session, c.id = e.Get(d.names.session).Text(), ""
	if d.names.call != "" {
		c.id = e.Get(d.names.call).Text()
	}
	c.subagent = strings.TrimSpace(e.Get("agent_type").Text() + " " + e.Get("agent_id").Text())
	if len(c.subagent) > 128 {
		c.subagent = strings.ToValidUTF8(c.subagent[:128], "")
	}
	return c, d.locate(&c, e.Get("cwd").Text())
}

// locate makes a call say from which folder the server has to read it.
func (d *dialect) locate(c *call, cwd string) error {
	own := c.input.Get("cwd")
	switch {
	case strings.HasPrefix(c.function, "mcp__"): // its server knows, and nobody here
		return nil
	case slices.Contains(d.shells, c.function):
		if name := decoy(c.input); d.loose && name != "" {
			return fmt.Errorf("the call has %q next to its command, which this tool doesn't read; leave it out", name)
		}
		return d.place(c, cwd)
	case d.loose && !own.IsAbsent():
		return errors.New("the call names a folder as \"cwd\", which this tool doesn't read; leave it out")
	case cwd != "" && own.IsAbsent() && relative(c.input):
		c.folder, c.input = cwd, with(c.input, "cwd", canon.String(cwd))
	}
	return nil
}

// plain is the name of an argument in small letters and without marks, as the server
// compares names.
func plain(member string) string {
	return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(member))
}

// decoys are arguments that the server reads as a command, or as a part of one. A shell that
// ignores them would run another command than was judged.
var decoys = []string{"cmd", "shellcommand", "commandline", "commands", "argv", "args", "arguments", "code", "script"}

// decoy is an argument of a shell call that could be taken for its command; "" where there
// is none.
func decoy(input canon.Value) string {
	for name := range input.Members() {
		if name != "command" && (plain(name) == "command" || slices.Contains(decoys, plain(name))) {
			return name
		}
	}
	return ""
}

// fileNames are arguments that name a file or a folder.
var fileNames = []string{"filepath", "path", "file", "filename", "absolutepath", "notebookpath", "dirpath", "directory", "targetfile", "paths", "include", "patchtext", "patch"}

// relative reports whether a call names a file from where the agent works.
func relative(input canon.Value) bool {
	is := func(v canon.Value) bool { return v.Text() != "" && !filepath.IsAbs(v.Text()) }
	for name, v := range input.Members() {
		if !slices.Contains(fileNames, plain(name)) {
			continue
		}
		if is(v) {
			return true
		}
		for _, element := range v.Elements() {
			if is(element) {
				return true
			}
		}
	}
	return false
}

// namesFolder reports whether the server believes that a member says where the call runs.
func namesFolder(member string) bool {
	return slices.Contains([]string{"cwd", "workdir", "directory", "workingdirectory", "workingdir", "dirpath", "dir"}, plain(member))
}

// place makes a shell call say in which folder it runs: as cwd, where it does not say it
// itself, and as a full path, where it says it relative to the agent's. A folder that the
// tool would ignore is refused where the agent lets it through: the call would be judged
// in one place and run in another.
func (d *dialect) place(c *call, cwd string) error {
	for name, v := range c.input.Members() {
		if name == d.folder || !namesFolder(name) || v.Kind() == canon.KindNull {
			continue
		}
		if d.loose {
			return fmt.Errorf("the call names a folder as %q, which this tool doesn't read; leave it out", name)
		}
		return nil
	}
	own := canon.Value{}
	if d.folder != "" {
		own = c.input.Get(d.folder)
	}
	switch {
	case own.IsAbsent() || own.Kind() == canon.KindNull || own.Kind() == canon.KindString && own.Text() == "":
		if cwd != "" {
			c.folder, c.input = cwd, with(c.input, "cwd", canon.String(cwd))
		}
	case own.Kind() != canon.KindString:
		return fmt.Errorf("%q isn't text", d.folder)
	case !filepath.IsAbs(own.Text()):
		c.input = with(c.input, d.folder, canon.String(filepath.Join(cwd, own.Text())))
	}
	return nil
}

// act is what the digest covers.
func (c call) act() []byte {
	return canon.Object(canon.Member{Name: "function", Value: canon.String(c.function)}, canon.Member{Name: "arguments", Value: c.input}).Canonical()
}

// changed returns the arguments to run, without what was added, or says why this
// agent cannot run them.
func (d *dialect) changed(event string, c call, act []byte) (json.RawMessage, error) {
	tree, err := canon.Parse(act)
	if err != nil {
		return nil, errors.New("what was approved can't be read")
	}
	input := tree.Get("arguments")
	if input.Kind() != canon.KindObject {
		return nil, errors.New("an operator left no arguments")
	}
	if c.folder != "" {
		if input.Get("cwd").Text() != c.folder {
			return nil, errors.New("an operator changed the folder, and this agent can't do that")
		}
		input = with(input, "cwd", canon.Value{})
	}
	if own := input.Get(d.folder).Text(); d.folder != "" && own != "" && !filepath.IsAbs(own) {
		return nil, errors.New("an operator changed the folder to a relative path, and this agent could take it from another place")
	}
	if d.edits != nil && !slices.Contains(d.edits, event) {
		return nil, errors.New("an operator changed the call, and this agent can't do that")
	}
	if d.merges {
		for name := range c.came.Members() {
			if input.Get(name).IsAbsent() {
				return nil, errors.New("an operator took an argument away, and this agent can't do that")
			}
		}
	}
	if !exact(input) {
		return nil, errors.New("what was approved has a number that this agent would round")
	}
	return input.Canonical(), nil
}

// with is an object with a member set, or taken away where the value is absent.
func with(o canon.Value, name string, v canon.Value) canon.Value {
	members := []canon.Member{{Name: name, Value: v}}
	for n, value := range o.Members() {
		if n != name {
			members = append(members, canon.Member{Name: n, Value: value})
		}
	}
	return canon.Object(members...)
}

// exact reports whether every number is what a double says: agents read our answer
// with JavaScript, which would round an integer that is not.
func exact(v canon.Value) bool {
	if n := v.Number(); n != "" && !strings.ContainsAny(n, ".e") {
		return strconv.FormatFloat(v.Float(), 'f', -1, 64) == n
	}
	for _, element := range v.Elements() {
		if !exact(element) {
			return false
		}
	}
	for _, member := range v.Members() {
		if !exact(member) {
			return false
		}
	}
	return true
}
