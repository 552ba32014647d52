package install

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// jsonText is a settings file as its bytes: every change is made in the text, so that order,
// indentation, comments, line ends and a byte-order mark stay as they are.
type jsonText struct {
	bom  []byte
	text []byte
	root hujson.Value

	changed bool
}

var byteOrderMark = []byte("\xef\xbb\xbf")

// form is the JSON that an agent reads. With anything more it loads nothing of the file (Claude
// Code, and goes on without its hooks) or does not start (Gemini).
type form int

const (
	strictJSON   form = iota
	withComments      // but no comma at the end of a list
	lenient
)

// parseJSON reads a settings file, and refuses what its agent refuses.
func parseJSON(b []byte, f form) (*jsonText, error) {
	d := &jsonText{text: b}
	if bytes.HasPrefix(b, byteOrderMark) {
		d.bom, d.text = b[:3], b[3:]
	}
	if len(bytes.TrimSpace(d.text)) == 0 {
		d.text = []byte("{}\n")
	}
	if err := d.parse(); err != nil {
		return nil, err
	}
	if f == strictJSON && !d.root.IsStandard() {
		return nil, errors.New("it has comments or a comma at the end, with which this agent loads nothing of the file")
	}
	for v := range d.root.All() {
		if f == withComments && commaAtEnd(v) {
			return nil, errors.New("it has a comma at the end of an object or list, which this agent does not read")
		}
	}
	return d, nil
}

// commaAtEnd says whether the last member or element is followed by a comma.
func commaAtEnd(v *hujson.Value) bool {
	switch c := v.Value.(type) {
	case *hujson.Object:
		return len(c.Members) > 0 && c.Members[len(c.Members)-1].Value.AfterExtra != nil
	case *hujson.Array:
		return len(c.Elements) > 0 && c.Elements[len(c.Elements)-1].AfterExtra != nil
	}
	return false
}

// parse reads the text again, after each change.
func (d *jsonText) parse() error {
	var err error
	if d.root, err = hujson.Parse(slices.Clone(d.text)); err != nil {
		return fmt.Errorf("it is not JSON: %w", err)
	}
	if _, ok := d.root.Value.(*hujson.Object); !ok {
		return errors.New("it is not a JSON object")
	}
	for v := range d.root.All() {
		if o, ok := v.Value.(*hujson.Object); ok {
			if name, twice := repeated(o); twice {
				return fmt.Errorf("it names %q twice in one object, of which an agent takes one", name)
			}
		}
	}
	return nil
}

// repeated is a name that an object has twice.
func repeated(o *hujson.Object) (string, bool) {
	seen := map[string]bool{}
	for _, m := range o.Members {
		n := name(m)
		if seen[n] {
			return n, true
		}
		seen[n] = true
	}
	return "", false
}

func (d *jsonText) bytes() []byte { return append(slices.Clone(d.bom), d.text...) }

func name(m hujson.ObjectMember) string { return m.Name.Value.(hujson.Literal).String() }

// member is the value of a name, or nil.
func member(v *hujson.Value, key string) *hujson.Value {
	o, ok := v.Value.(*hujson.Object)
	if !ok {
		return nil
	}
	for i := range o.Members {
		if name(o.Members[i]) == key {
			return &o.Members[i].Value
		}
	}
	return nil
}

// at is the value at a path of names, or nil.
func (d *jsonText) at(path ...string) *hujson.Value {
	v := &d.root
	for _, key := range path {
		if v = member(v, key); v == nil {
			return nil
		}
	}
	return v
}

// decode is a value as encoding/json sees it.
func decode(v *hujson.Value, into any) error {
	c := v.Clone()
	c.Standardize()
	return json.Unmarshal(c.Pack(), into)
}

// splice replaces the bytes from start to end and reads the text again.
func (d *jsonText) splice(start, end int, with string) error {
	d.changed = true
	d.text = slices.Concat(d.text[:start], []byte(with), d.text[end:])
	return d.parse()
}

// style is how a file is written: the end of its lines and one step of indentation; all on one
// line if lineEnd is empty.
type style struct{ lineEnd, step string }

func (d *jsonText) style() style {
	o := d.root.Value.(*hujson.Object)
	if len(o.Members) == 0 {
		if bytes.Contains(d.text, []byte("\r\n")) {
			return style{"\r\n", "  "}
		}
		return style{"\n", "  "}
	}
	before := string(o.Members[0].Name.BeforeExtra)
	at := strings.LastIndexByte(before, '\n')
	if at < 0 {
		return style{}
	}
	s := style{lineEnd: "\n", step: before[at+1:]}
	if at > 0 && before[at-1] == '\r' {
		s.lineEnd = "\r\n"
	}
	if s.step == "" || strings.Trim(s.step, " \t") != "" {
		s.step = "  "
	}
	return s
}

// text is a value as it stands depth steps inside.
func (s style) text(value any, depth int) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if s.lineEnd != "" {
		e.SetIndent(strings.Repeat(s.step, depth), s.step)
	}
	if err := e.Encode(value); err != nil {
		panic(err) // strings, numbers, lists and members only
	}
	return strings.ReplaceAll(strings.TrimSuffix(b.String(), "\n"), "\n", s.lineEnd)
}

// gap is what stands between two values depth steps inside.
func (s style) gap(depth int) string { return s.lineEnd + strings.Repeat(s.step, depth) }

// inner says where the members or elements of a composite are: the end of the last one, or 0,
// and how many there are.
func inner(v *hujson.Value) (last, n int, after string) {
	switch c := v.Value.(type) {
	case *hujson.Object:
		if n = len(c.Members); n > 0 {
			last = c.Members[n-1].Value.EndOffset
		}
		after = string(c.AfterExtra)
	case *hujson.Array:
		if n = len(c.Elements); n > 0 {
			last = c.Elements[n-1].EndOffset
		}
		after = string(c.AfterExtra)
	}
	return last, n, after
}

// add puts a text behind the last member or element of a composite.
func (d *jsonText) add(v *hujson.Value, text string, depth int) error {
	s := d.style()
	last, n, after := inner(v)
	if n > 0 {
		comma := ","
		if s.lineEnd == "" {
			comma = ", "
		}
		return d.splice(last, last, comma+s.gap(depth)+text)
	}
	end := ""
	if !strings.Contains(after, "\n") {
		end = s.gap(depth - 1)
	}
	return d.splice(v.StartOffset+1, v.StartOffset+1, s.gap(depth)+text+end)
}

// set gives the member at a path a value, and makes the objects above it.
func (d *jsonText) set(value any, path ...string) error {
	depth := len(path) - 1
	above := &d.root
	for i, key := range path {
		v := member(above, key)
		if v == nil {
			for _, missing := range slices.Backward(path[i+1:]) {
				value = map[string]any{missing: value}
			}
			s := d.style()
			if _, ok := above.Value.(*hujson.Object); !ok {
				return fmt.Errorf("%q is not an object", strings.Join(path[:i], "."))
			}
			return d.add(above, s.text(key, 0)+": "+s.text(value, i+1), i+1)
		}
		above = v
	}
	return d.splice(above.StartOffset, above.EndOffset, d.style().text(value, depth+1))
}

// appendTo adds an element to the list at a path, which is made if it is missing.
func (d *jsonText) appendTo(value any, path ...string) error {
	v := d.at(path...)
	if v == nil {
		return d.set([]any{value}, path...)
	}
	if _, ok := v.Value.(*hujson.Array); !ok {
		return fmt.Errorf("%q is not a list", strings.Join(path, "."))
	}
	depth := len(path) + 1
	return d.add(v, d.style().text(value, depth), depth)
}

// span is a piece of a text.
type span struct{ start, end int }

// drop takes the i-th member or element out, with its comma and the blanks before it.
// Comments around it stay.
func (d *jsonText) drop(v *hujson.Value, i int) error {
	type part struct {
		span
		before, after hujson.Extra
	}
	var parts []part
	var end hujson.Extra
	switch c := v.Value.(type) {
	case *hujson.Object:
		for _, m := range c.Members {
			parts = append(parts, part{span{m.Name.StartOffset, m.Value.EndOffset}, m.Name.BeforeExtra, m.Value.AfterExtra})
		}
		end = c.AfterExtra
	case *hujson.Array:
		for _, e := range c.Elements {
			parts = append(parts, part{span{e.StartOffset, e.EndOffset}, e.BeforeExtra, e.AfterExtra})
		}
		end = c.AfterExtra
	}
	one := parts[i]
	switch {
	case i > 0:
		return d.splice(parts[i-1].end, one.end, comments(parts[i-1].after, one.before))
	case len(parts) > 1:
		return d.splice(one.start, parts[1].start, comments(one.after, parts[1].before))
	}
	return d.splice(v.StartOffset+1, v.EndOffset-1, comments(one.before, one.after, end))
}

// comments is what stands between values, if there is a comment in it.
func comments(extras ...hujson.Extra) string {
	all := string(slices.Concat(extras...))
	if strings.TrimSpace(all) == "" {
		return ""
	}
	return all
}
