package install

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
)

// tomlHooks is Codex' config.toml: [[hooks.EVENT]] with a matcher, and [[hooks.EVENT.hooks]]
// below it. As with JSON, every change is made in the text.
type tomlHooks struct{}

var codexEvents = []string{"PreToolUse", "PostToolUse"}

type codexHook struct {
	Type    string `toml:"type"`
	Command string `toml:"command"`
	Timeout int    `toml:"timeout"` // seconds
}

type codexGroup struct {
	Matcher string      `toml:"matcher"`
	Hooks   []codexHook `toml:"hooks"`
}

func (g codexGroup) ours() bool {
	return slices.ContainsFunc(g.Hooks, func(h codexHook) bool { return isOurs(h.Command) })
}

// remark stands above what we add.
const remark = "# Countersign decides about every tool call. Added by “countersign hook install codex”.\n"

// parseTOML reads the hooks, and refuses what Codex refuses.
func parseTOML(text []byte) (map[string][]codexGroup, error) {
	var file struct {
		Hooks map[string]any `toml:"hooks"`
	}
	if err := toml.Unmarshal(bytes.TrimPrefix(text, byteOrderMark), &file); err != nil {
		var where *toml.DecodeError
		if errors.As(err, &where) {
			line, column := where.Position()
			return nil, fmt.Errorf("it is not TOML: line %d, column %d: %w", line, column, err)
		}
		return nil, fmt.Errorf("it is not TOML: %w", err)
	}
	groups := map[string][]codexGroup{}
	for _, event := range codexEvents {
		b, err := toml.Marshal(map[string]any{"g": file.Hooks[event]})
		if err != nil || file.Hooks[event] == nil {
			continue
		}
		var g struct {
			G []codexGroup `toml:"g"`
		}
		if err := toml.Unmarshal(b, &g); err != nil {
			return nil, fmt.Errorf("its hooks.%s are not what Codex reads: %w", event, err)
		}
		groups[event] = g.G
	}
	return groups, nil
}

// wantTOML is the text of one event's entry.
func wantTOML(event, command string) string {
	return fmt.Sprintf("[[hooks.%s]]\nmatcher = \".*\"\n\n[[hooks.%s.hooks]]\ntype = \"command\"\ncommand = %s\ntimeout = 3600\n", event, event, tomlString(command))
}

// tomlString is a text as a basic string; commands hold no control characters.
func tomlString(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(s) + `"`
}

func (f tomlHooks) add(text []byte, command string) ([]byte, error) {
	groups, err := parseTOML(text)
	if err != nil {
		return nil, err
	}
	var missing []string
	for _, event := range codexEvents {
		want := codexGroup{".*", []codexHook{{"command", command, 3600}}}
		n, same := 0, false
		for _, g := range groups[event] {
			if g.ours() {
				n++
				same = g.Matcher == want.Matcher && slices.Equal(g.Hooks, want.Hooks)
			}
		}
		if n != 1 || !same {
			missing = append(missing, event)
		}
	}
	if len(missing) == 0 {
		return text, nil
	}
	// Trust is for a whole entry, and an entry's place is part of its name: so both are written anew.
	bare, _, err := f.remove(text)
	if err != nil {
		return nil, err
	}
	lineEnd := "\n"
	if bytes.Contains(bare, []byte("\r\n")) {
		lineEnd = "\r\n"
	}
	var b strings.Builder
	if len(bare) > 0 {
		if !bytes.HasSuffix(bare, []byte("\n")) {
			b.WriteString("\n")
		}
		b.WriteString("\n")
	}
	b.WriteString(remark)
	for i, event := range codexEvents {
		if i > 0 {
			b.WriteString("\n")
		}
		b.WriteString(wantTOML(event, command))
	}
	out := append(slices.Clone(bare), strings.ReplaceAll(b.String(), "\n", lineEnd)...)
	if _, err := parseTOML(out); err != nil {
		return nil, fmt.Errorf("its hooks are written in a form that nothing can be added to: write them as [[hooks.PreToolUse]] blocks (%w)", err)
	}
	return out, nil
}

// block is our entry of one event as we write it, with the remark and the empty line above it.
func block(event string) *regexp.Regexp {
	return regexp.MustCompile(`(?m)(^\r?\n)?(^` + regexp.QuoteMeta(strings.TrimSpace(remark)) + `\r?\n)?` +
		`^\[\[hooks\.` + event + `\]\]\r?\nmatcher = ".*"\r?\n\r?\n\[\[hooks\.` + event + `\.hooks\]\]\r?\ntype = "command"\r?\ncommand = "(.*)"\r?\ntimeout = \d+(\r?\n|$)`)
}

// state is what Codex notes about the trust of a hook; an empty [hooks.state] may be left over.
var (
	state     = regexp.MustCompile(`(?m)(^\r?\n)?^\[hooks\.state\."[^"\n]*config\.toml(:(?:pre|post)_tool_use:\d+:\d+)"\]\r?\n(?:[a-z_]+ = [^\n]*(?:\r?\n|$))*`)
	stateHead = regexp.MustCompile(`(?m)(^\r?\n)?^\[hooks\.state\]\r?\n(\s*(?:\[[^h]|\[\[|\z))`)
)

// remove takes out our entries as we wrote them, and what Codex noted about their trust.
func (f tomlHooks) remove(text []byte) ([]byte, bool, error) {
	groups, err := parseTOML(text)
	if err != nil {
		return nil, false, err
	}
	bare, found := string(text), false
	for _, event := range codexEvents {
		for i, g := range groups[event] {
			for k, h := range g.Hooks {
				if !isOurs(h.Command) {
					continue
				}
				found = true
				// Codex names a hook by its event and place.
				key := fmt.Sprintf(":%s:%d:%d", snake(event), i, k)
				bare = state.ReplaceAllStringFunc(bare, func(s string) string {
					if state.FindStringSubmatch(s)[2] == key {
						return ""
					}
					return s
				})
			}
		}
		bare = block(event).ReplaceAllStringFunc(bare, func(s string) string {
			if isOurs(s) {
				return ""
			}
			return s
		})
	}
	if !found {
		return text, false, nil
	}
	bare = stateHead.ReplaceAllString(bare, "$2")
	left, err := parseTOML([]byte(bare))
	if err == nil && slices.ContainsFunc(slices.Concat(left["PreToolUse"], left["PostToolUse"]), codexGroup.ours) {
		err = errors.New("somebody wrote our hook in another form: take it out by hand")
	}
	if err != nil {
		return nil, false, err
	}
	return []byte(bare), true, nil
}

// snake is an event's name as in Codex' keys: pre_tool_use.
func snake(event string) string {
	var b strings.Builder
	for i, r := range event {
		if r >= 'A' && r <= 'Z' && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(r)
	}
	return strings.ToLower(b.String())
}

func (f tomlHooks) hooks(text []byte) (ours, others []entry, err error) {
	groups, err := parseTOML(text)
	if err != nil {
		return nil, nil, err
	}
	for _, event := range codexEvents {
		for _, g := range groups[event] {
			for _, h := range g.Hooks {
				e := entry{Event: event, Command: h.Command}
				if !isOurs(h.Command) {
					others = append(others, e)
					continue
				}
				if programOf(h.Command) == "" {
					e.Wrong = append(e.Wrong, "the command is not wrapped so that a failure blocks")
				}
				if g.Matcher != ".*" || h.Type != "command" || h.Timeout != 3600 {
					e.Wrong = append(e.Wrong, "the entry is not as installed (matcher or time-out)")
				}
				ours = append(ours, e)
			}
		}
	}
	return ours, others, nil
}

func (f tomlHooks) managed(command string) string {
	text := "allow_managed_hooks_only = true\n\n" + remark
	for i, event := range codexEvents {
		if i > 0 {
			text += "\n"
		}
		text += wantTOML(event, command)
	}
	return text
}
