package install

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"pgregory.net/rapid"
)

// same is what a file means, without empty hooks, and without a version that cursor needs.
func same(t rapid.TB, a *Agent, text string) string {
	var v map[string]any
	if a.Name == "codex" {
		if err := toml.Unmarshal([]byte(text), &v); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	} else {
		d, err := parseJSON([]byte(text), lenient)
		if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if err := decode(&d.root, &v); err != nil {
			t.Fatal(err)
		}
	}
	if hooks, ok := v["hooks"].(map[string]any); ok {
		for event, list := range hooks {
			if l, ok := list.([]any); ok && len(l) == 0 {
				delete(hooks, event)
			}
		}
		if len(hooks) == 0 {
			delete(v, "hooks")
		}
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestAnyJSON draws files with any members, blanks and comments.
func TestAnyJSON(t *testing.T) {
	t.Parallel()
	m, any := machine(t), *agentNamed(t, "gemini")
	f := any.format.(jsonHooks)
	f.form = lenient
	any.format = f
	a := &any
	rapid.Check(t, func(r *rapid.T) {
		dir, err := os.MkdirTemp(m.Home, "")
		if err != nil {
			r.Fatal(err)
		}
		defer os.RemoveAll(dir)
		here := m
		here.Home = dir
		path := a.File(here, "")
		text := drawJSON(r, 0, true)
		put(r, path, text, 0o600)
		apply(r, a, here, false)
		installed := get(r, path)
		if !kept(text, installed) {
			r.Fatalf("not every byte is kept: %q → %q", text, installed)
		}
		if apply(r, a, here, false).Changed() {
			r.Fatalf("twice is not once: %q", installed)
		}
		bare, found, err := a.format.remove([]byte(installed))
		if err != nil || !found || same(r, a, string(bare)) != same(r, a, text) {
			r.Fatalf("taken out: %q, %v", bare, err)
		}
		apply(r, a, here, true)
		if got := get(r, path); got != text {
			r.Fatalf("undo gives %q, want %q", got, text)
		}
	})
}

// drawJSON is any value as text; the outermost one is an object.
func drawJSON(r *rapid.T, depth int, object bool) string {
	blank := func() string {
		return rapid.SampledFrom([]string{"", "", " ", "\n", "\n\t", "\r\n  ", " /* c, } */ ", " // c {\n"}).Draw(r, "blank")
	}
	kind := rapid.IntRange(0, 4).Draw(r, "kind")
	if depth > 2 && kind > 2 {
		kind = 0
	}
	if object {
		kind = 4
	}
	var b strings.Builder
	switch kind {
	case 0:
		return rapid.SampledFrom([]string{"1", "-0.50E+3", "true", "null", `""`}).Draw(r, "scalar")
	case 1, 2:
		s, _ := json.Marshal(rapid.String().Draw(r, "text"))
		return string(s)
	case 3, 4:
		n := rapid.IntRange(0, 3).Draw(r, "n")
		open, end := "[", "]"
		if kind == 4 {
			open, end = "{", "}"
		}
		if depth == 0 {
			b.WriteString(blank())
		}
		b.WriteString(open)
		for i := range n {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString(blank())
			if kind == 4 {
				key := fmt.Sprintf("k%d", i)
				if i == n-1 && rapid.Bool().Draw(r, "ours") {
					key = map[int]string{0: "hooks"}[depth]
				}
				if key == "" {
					key = "k"
				}
				b.WriteString(`"` + key + `"` + blank() + ":" + blank())
				if key == "hooks" && depth == 0 {
					b.WriteString(drawHooks(r, blank))
					b.WriteString(blank())
					continue
				}
			}
			b.WriteString(drawJSON(r, depth+1, false) + blank())
		}
		if n > 0 && rapid.Bool().Draw(r, "comma") {
			b.WriteString("," + blank())
		} else if n == 0 {
			b.WriteString(blank())
		}
		b.WriteString(end)
		if depth == 0 {
			b.WriteString(blank())
		}
	}
	return b.String()
}

// drawHooks are hooks of others.
func drawHooks(r *rapid.T, blank func() string) string {
	one := func() string {
		return blank() + `{` + blank() + `"hooks":` + blank() + `[{"type":"command","command":"mine"}` + blank() + `]}` + blank()
	}
	event := rapid.SampledFrom([]string{"BeforeTool", "AfterTool", "SessionStart"}).Draw(r, "event")
	var all []string
	for range rapid.IntRange(0, 2).Draw(r, "hooks") {
		all = append(all, one())
	}
	return `{` + blank() + `"` + event + `":[` + strings.Join(all, ",") + blank() + `]` + blank() + `}`
}

// TestAnyTOML puts files together from pieces, with what Codex notes about trust.
func TestAnyTOML(t *testing.T) {
	t.Parallel()
	m, a := machine(t), agentNamed(t, "codex")
	pieces := []string{
		"# a remark\n", "\n", "[a]\nx = 1\n", "[b.c]\ny = '''\n[[hooks.PreToolUse]]\n'''\n", "[[d]]\nz = [1,\n 2]\n[[d]]\n",
		"[[hooks.PreToolUse]]\nmatcher = \"x\"\n[[hooks.PreToolUse.hooks]]\ntype = \"command\"\ncommand = \"mine\"\n",
		"[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"mine\"\n",
		"[hooks.state.\"/home/x/.codex/config.toml:stop:0:0\"]\ntrusted_hash = \"sha256:1\"\n",
	}
	rapid.Check(t, func(r *rapid.T) {
		dir, err := os.MkdirTemp(m.Home, "")
		if err != nil {
			r.Fatal(err)
		}
		defer os.RemoveAll(dir)
		here := m
		here.Home = dir
		path := a.File(here, "")
		text := strings.Join(rapid.SliceOfNDistinct(rapid.SampledFrom(pieces), 0, 8, rapid.ID).Draw(r, "pieces"), "")
		if rapid.Bool().Draw(r, "cut") {
			text = strings.TrimSuffix(text, "\n")
		}
		put(r, path, text, 0o600)
		apply(r, a, here, false)
		installed := get(r, path)
		if !strings.HasPrefix(installed, text) {
			r.Fatalf("not every byte is kept: %q", installed)
		}
		if apply(r, a, here, false).Changed() {
			r.Fatal("twice is not once")
		}
		groups, _ := parseTOML([]byte(installed))
		state := "\n"
		if !strings.Contains(text, "hooks.state") {
			state += "[hooks.state]\n\n"
		}
		for event, g := range groups {
			state += fmt.Sprintf("[hooks.state.\"%s:%s:%d:0\"]\ntrusted_hash = \"sha256:2\"\n\n", path, snake(event), len(g)-1)
		}
		put(r, path, installed+state, 0o600)
		apply(r, a, here, true)
		if got := strings.TrimRight(get(r, path), "\n"); got != strings.TrimRight(text, "\n") {
			r.Fatalf("undo gives %q, want %q", got, text)
		}
	})
}
