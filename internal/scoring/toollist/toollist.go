// Package toollist reads what a server of the Model Context Protocol says of its tools:
// the result of tools/list, as somebody saved or pasted it.
package toollist

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/effects"
)

// Tool is one of them.
type Tool struct {
	Name        string // the exact name by which the agent calls it, with its client's prefix
	Own         string // its server's name for it
	Description string
	Annotations Annotations
	// SHA256 is the digest of the server's name, schema, description and annotations.
	SHA256 string
	// Raises is what description and annotations add to the name; "" for nothing.
	Raises effects.Kind
}

// Annotations are what the server says of a tool's effect; nil where it says nothing.
type Annotations struct {
	ReadOnly    *bool `json:"readOnlyHint,omitempty"`
	Destructive *bool `json:"destructiveHint,omitempty"`
	Idempotent  *bool `json:"idempotentHint,omitempty"`
	OpenWorld   *bool `json:"openWorldHint,omitempty"`
}

// SaysReadOnly reports whether the server says that the tool only reads.
func (a Annotations) SaysReadOnly() bool { return a.ReadOnly != nil && *a.ReadOnly }

const (
	// MaxBytes bounds a list, MaxTools how many tools it has: the largest public servers
	// have about 200.
	MaxBytes = 1 << 20
	MaxTools = 500

	maxName   = 128
	maxPrefix = 64
)

// Parse reads a list: the result itself, the whole reply, or the array of tools alone.
// The error says what is wrong with it, and where.
func Parse(text []byte, prefix string) ([]Tool, error) {
	if wrong, ok := unusual(prefix); len(prefix) > maxPrefix || !ok {
		if wrong == "" {
			wrong = prefix
		}
		return nil, fault.Member(fault.InvalidForm, "prefix", "the prefix contains %q; expected at most %d letters, digits and . _ - / : @, such as mcp__github__", wrong, maxPrefix)
	}
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte("\ufeff")))
	switch {
	case len(text) == 0:
		return nil, refuse(fault.Textf("it's empty; expected the result of tools/list"))
	case len(text) > MaxBytes:
		return nil, refuse(fault.Textf("it has %d KB; at most %d KB are accepted", len(text)>>10+1, MaxBytes>>10))
	case !utf8.Valid(text):
		return nil, refuse(fault.Textf("it isn't UTF-8"))
	}
	found, err := find(text)
	if err != nil {
		return nil, err
	}
	switch {
	case len(found) == 0:
		return nil, refuse(fault.Textf("it has no tools; expected 1 to %d", MaxTools))
	case len(found) > MaxTools:
		return nil, refuse(fault.Textf("it has %d tools; at most %d are accepted", len(found), MaxTools))
	}
	tools := make([]Tool, len(found))
	first := map[string]int{}
	for i, one := range found {
		if tools[i], err = read(one, i+1, prefix); err != nil {
			return nil, err
		}
		if before, twice := first[tools[i].Own]; twice {
			return nil, refuse(fault.Textf("tool %s is named %s, like tool %s; expected each name once", ordinal(i+1), tools[i].Own, ordinal(before)))
		}
		first[tools[i].Own] = i + 1
	}
	return tools, nil
}

func refuse(wrong fault.Text) error { return fault.Member(fault.InvalidForm, "list", "%s", wrong) }

// ordinal is a place, which is no count.
func ordinal(n int) string { return strconv.Itoa(n) }

// find is the array of tools.
func find(text []byte) (tools []json.RawMessage, err error) {
	var whole json.RawMessage
	if err := json.Unmarshal(text, &whole); err != nil {
		return nil, notJSON(text, err)
	}
	at := "it"
	for range 2 {
		if whole[0] == '[' {
			break
		}
		var object map[string]json.RawMessage
		if whole[0] != '{' || json.Unmarshal(whole, &object) != nil {
			return nil, refuse(fault.Textf("%s is neither an object nor an array; expected {\"tools\": […]}", at))
		}
		if _, failed := object["error"]; failed {
			return nil, refuse(fault.Textf("it's an error reply; expected one with a result"))
		}
		if next := string(object["nextCursor"]); next != "" && next != "null" && next != `""` {
			return nil, refuse(fault.Textf("it's one page of several (it has nextCursor); expected the tools of all pages in one list"))
		}
		switch result, list := object["result"], object["tools"]; {
		case list != nil:
			whole, at = list, "tools"
		case result != nil && at == "it":
			whole, at = result, "result"
			continue
		default:
			return nil, refuse(fault.Textf("%s has no member tools; expected {\"tools\": […]}, {\"result\": {\"tools\": […]}} or the array alone", at))
		}
		break
	}
	if err := json.Unmarshal(whole, &tools); err != nil || whole[0] != '[' {
		return nil, refuse(fault.Textf("%s isn't an array; expected an array of tools", at))
	}
	return tools, nil
}

// notJSON says where the text stops being JSON.
func notJSON(text []byte, err error) error {
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return refuse(fault.Textf("it isn't JSON: %s", err.Error()))
	}
	before := text[:max(0, min(int(syntax.Offset)-1, len(text)))]
	line, start := 1+bytes.Count(before, []byte("\n")), bytes.LastIndexByte(before, '\n')+1
	return refuse(fault.Textf("it isn't JSON at line %s, character %s: %s", ordinal(line), ordinal(1+utf8.RuneCount(before[start:])), syntax.Error()))
}

// read is the tool that stands at a place, counted from 1.
func read(text []byte, place int, prefix string) (t Tool, err error) {
	wrong := func(what fault.Text) (Tool, error) {
		of := ordinal(place)
		if t.Own != "" {
			of += " (" + t.Own + ")"
		}
		return Tool{}, refuse(fault.Textf("tool %s: %s", of, what))
	}
	v, err := canon.Parse(text)
	if err != nil {
		return wrong(fault.As(err).Text())
	}
	if v.Kind() != canon.KindObject {
		return wrong(fault.Textf("it isn't an object; expected one with a name"))
	}
	name := v.Get("name")
	if name.Kind() != canon.KindString || name.Text() == "" {
		return wrong(fault.Textf("it has no name; expected a string"))
	}
	if c, ok := unusual(name.Text()); !ok || len(name.Text()) > maxName {
		return wrong(fault.Textf("its name is %q, of %d bytes; expected at most %d letters, digits and . _ - / : @ (not %q)", name.Text(), len(name.Text()), maxName, c))
	}
	t.Own, t.Name = name.Text(), prefix+name.Text()
	if d := v.Get("description"); !d.IsAbsent() && d.Kind() != canon.KindNull {
		if d.Kind() != canon.KindString {
			return wrong(fault.Textf("its description isn't a string"))
		}
		t.Description = d.Text()
	}
	if s := v.Get("inputSchema"); !s.IsAbsent() && s.Kind() != canon.KindObject {
		return wrong(fault.Textf("its inputSchema isn't an object"))
	}
	annotations := v.Get("annotations")
	if annotations.Kind() == canon.KindNull {
		annotations = canon.Value{}
	}
	if !annotations.IsAbsent() && annotations.Kind() != canon.KindObject {
		return wrong(fault.Textf("its annotations aren't an object"))
	}
	for _, hint := range []struct {
		name string
		to   **bool
	}{
		{"readOnlyHint", &t.Annotations.ReadOnly},
		{"destructiveHint", &t.Annotations.Destructive},
		{"idempotentHint", &t.Annotations.Idempotent},
		{"openWorldHint", &t.Annotations.OpenWorld},
	} {
		switch said := annotations.Get(hint.name); said.Kind() {
		case canon.KindAbsent, canon.KindNull:
		case canon.KindBool:
			yes := said.Bool()
			*hint.to = &yes
		case canon.KindString, canon.KindNumber, canon.KindArray, canon.KindObject:
			return wrong(fault.Textf("its annotation %s is neither true nor false", hint.name))
		}
	}
	t.SHA256 = strings.TrimPrefix(canon.Digest(canon.Object(
		canon.Member{Name: "name", Value: name}, canon.Member{Name: "description", Value: v.Get("description")},
		canon.Member{Name: "inputSchema", Value: v.Get("inputSchema")}, canon.Member{Name: "annotations", Value: annotations},
	)), "sha256:")
	t.Raises = effects.Described(t.Name, t.Description, annotations)
	return t, nil
}

// unusual is the first character of a name that names of tools do not have. Without such
// ones a name is the same wherever it is shown, and never a glob.
func unusual(name string) (string, bool) {
	i := strings.IndexFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-/:@", r))
	})
	if i < 0 {
		return "", true
	}
	_, n := utf8.DecodeRuneInString(name[i:])
	return name[i : i+n], false
}
