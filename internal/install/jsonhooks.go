package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

type claudeHook struct {
	Type      string `json:"type"`
	Command   string `json:"command"`
	Timeout   int    `json:"timeout"` // seconds
	OnFailure string `json:"onFailure,omitempty"`
}

type geminiHook struct {
	Name    string `json:"name"`
	Type    string `json:"type"`
	Command string `json:"command"`
	Timeout int    `json:"timeout"` // milliseconds
}

type cursorHook struct {
	Command    string `json:"command"`
	Timeout    int    `json:"timeout"` // seconds
	FailClosed bool   `json:"failClosed,omitempty"`
}

type copilotHook struct {
	Type       string `json:"type"`
	Bash       string `json:"bash"`
	TimeoutSec int    `json:"timeoutSec"`
}

type hookGroup struct {
	Matcher string `json:"matcher"`
	Hooks   []any  `json:"hooks"`
}

// jsonEvent is one event of an agent, and what our entry looks like there.
type jsonEvent struct {
	name string
	hook func(command string) any
}

// jsonHooks is a settings file with “hooks”: {EVENT: […]}: of groups with a matcher each, or
// of hooks.
type jsonHooks struct {
	agent   string
	form    form
	group   bool
	version bool // “version”: 1 has to stand there
	only    map[string]any
	events  []jsonEvent
}

func (f jsonHooks) want(e jsonEvent, command string) any {
	if f.group {
		return hookGroup{"*", []any{e.hook(command)}}
	}
	return e.hook(command)
}

func (f jsonHooks) add(text []byte, command string) ([]byte, error) {
	d, err := parseJSON(text, f.form)
	if err != nil {
		return nil, err
	}
	if err := f.shape(d); err != nil {
		return nil, err
	}
	if f.version && d.at("version") == nil {
		if err := d.set(1, "version"); err != nil {
			return nil, err
		}
	}
	for _, e := range f.events {
		if list := d.at("hooks", e.name); list != nil && f.asWanted(list, f.want(e, command)) {
			continue
		}
		if _, err := f.take(d, e.name); err != nil {
			return nil, err
		}
		if err := d.appendTo(f.want(e, command), "hooks", e.name); err != nil {
			return nil, err
		}
	}
	if !d.changed {
		return text, nil
	}
	return d.bytes(), nil
}

// asWanted says whether the list has exactly one entry of ours, and that one as it should be.
func (f jsonHooks) asWanted(list *hujson.Value, want any) bool {
	n, same := 0, false
	for _, e := range list.Value.(*hujson.Array).Elements {
		if f.holdsOurs(&e) {
			n++
			same = equal(&e, want)
		}
	}
	return n == 1 && same
}

// equal compares a value of a file with one of ours, as JSON.
func equal(v *hujson.Value, want any) bool {
	var is, should any
	b, err := json.Marshal(want)
	if err != nil || json.Unmarshal(b, &should) != nil || decode(v, &is) != nil {
		return false
	}
	return reflect.DeepEqual(is, should)
}

// shape refuses hooks that the agent would not read either: a wrong entry beside ours and it
// loads none of them.
func (f jsonHooks) shape(d *jsonText) error {
	hooks := d.at("hooks")
	if hooks == nil {
		return nil
	}
	o, ok := hooks.Value.(*hujson.Object)
	if !ok {
		return fmt.Errorf("its member “hooks” is not an object")
	}
	for _, m := range o.Members {
		list, ok := m.Value.Value.(*hujson.Array)
		if !ok && slices.ContainsFunc(f.events, func(e jsonEvent) bool { return e.name == name(m) }) {
			return fmt.Errorf("its “hooks.%s” is not a list", name(m))
		}
		if !ok || !f.group {
			continue
		}
		for i, e := range list.Elements {
			var g struct {
				Matcher *string
				Hooks   []map[string]any
			}
			if err := decode(&e, &g); err != nil || g.Hooks == nil {
				return fmt.Errorf("its “hooks.%s” has an entry (number %d) that is not {“matcher”: text, “hooks”: […]}, with which the agent may load none of them", name(m), i+1)
			}
		}
	}
	return nil
}

// commands are the command lines of an entry: one, or those of a group.
func (f jsonHooks) commands(e *hujson.Value) []string {
	var one struct {
		Command, Bash string
		Hooks         []struct{ Command string }
	}
	_ = decode(e, &one)
	all := []string{one.Command + one.Bash}
	if f.group {
		all = nil
		for _, h := range one.Hooks {
			all = append(all, h.Command)
		}
	}
	return all
}

func (f jsonHooks) holdsOurs(e *hujson.Value) bool { return slices.ContainsFunc(f.commands(e), isOurs) }

// take takes our entries out of one event's list; the list stays, if only empty.
func (f jsonHooks) take(d *jsonText, event string) (found bool, err error) {
	for {
		list := d.at("hooks", event)
		if list == nil {
			return found, nil
		}
		array, ok := list.Value.(*hujson.Array)
		if !ok {
			return found, nil
		}
		i := slices.IndexFunc(array.Elements, func(e hujson.Value) bool { return f.holdsOurs(&e) })
		if i < 0 {
			return found, nil
		}
		found = true
		commands := f.commands(&array.Elements[i])
		if len(commands) == 1 {
			err = d.drop(list, i)
		} else { // somebody put a hook of theirs beside ours
			err = d.drop(member(&array.Elements[i], "hooks"), slices.IndexFunc(commands, isOurs))
		}
		if err != nil {
			return found, err
		}
	}
}

func (f jsonHooks) remove(text []byte) ([]byte, bool, error) {
	d, err := parseJSON(text, lenient)
	if err != nil {
		return nil, false, err
	}
	found := false
	for _, e := range f.events {
		took, err := f.take(d, e.name)
		if err != nil {
			return nil, false, err
		}
		if !took {
			continue
		}
		found = true
		if err := d.dropEmpty("hooks", e.name); err != nil {
			return nil, false, err
		}
	}
	if !found {
		return text, false, nil
	}
	if err := d.dropEmpty("hooks"); err != nil {
		return nil, false, err
	}
	return d.bytes(), true, nil
}

// dropEmpty takes out the member at a path if nothing is left in it.
func (d *jsonText) dropEmpty(path ...string) error {
	v := d.at(path...)
	if v == nil {
		return nil
	}
	if _, n, after := inner(v); n > 0 || strings.TrimSpace(after) != "" {
		return nil
	}
	return d.dropMember(path...)
}

func (f jsonHooks) hooks(text []byte) (ours, others []entry, err error) {
	d, err := parseJSON(text, f.form)
	if err != nil {
		return nil, nil, err
	}
	if err := f.shape(d); err != nil {
		return nil, nil, err
	}
	for _, e := range f.events {
		list := d.at("hooks", e.name)
		if list == nil {
			continue
		}
		for _, one := range list.Value.(*hujson.Array).Elements {
			for _, command := range f.commands(&one) {
				if !isOurs(command) {
					others = append(others, entry{Event: e.name, Command: command})
					continue
				}
				o := entry{Event: e.name, Command: command}
				if programOf(command) == "" {
					o.Wrong = append(o.Wrong, "the command is not wrapped so that a failure blocks")
				}
				if !equal(&one, f.want(e, command)) {
					o.Wrong = append(o.Wrong, "the entry is not as installed (matcher, time-out or what happens on a failure)")
				}
				ours = append(ours, o)
			}
		}
	}
	return ours, others, nil
}

func (f jsonHooks) managed(command string) string {
	d := &jsonText{text: []byte("{}\n")}
	_ = d.parse()
	for member, value := range f.only {
		_ = d.set(value, member)
	}
	text, err := f.add(d.bytes(), command)
	if err != nil {
		panic(err) // our own text
	}
	return string(bytes.TrimSuffix(text, []byte("\n"))) + "\n"
}
