package workspace

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/program"
	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// Reading is what was read of a call before anything is known of earlier ones. It never
// changes.
type Reading struct {
	binding Binding
	input   Input
	acts    []step
	start   folder        // from which relative paths are meant
	alone   func() walked // the walk over the acts with nothing remembered; nil without acts
}

// act is one thing that a call does: it stands at a place of the call.
type step struct {
	pointer string
	// script is the shell text that it runs; nil for another act. placed says that bytes of
	// text are bytes of what stands at pointer.
	script *shell.Script
	text   string
	placed bool
	// judge judges what is no shell text.
	judge func(*walk)
}

// Examine reads a call of an agent that is bound to a workspace.
func Examine(b Binding, in Input) Reading {
	r := Reading{binding: b, input: in}
	args := in.Arguments
	if args.Kind() == canon.KindArray && args.Len() == 1 && args.Element(0).Kind() == canon.KindObject {
		args = args.Element(0)
	}
	if args.Kind() != canon.KindObject && !args.IsAbsent() {
		return r
	}
	tool := newCall(in, args)
	r.start = tool.start(b)
	r.acts = tool.acts()
	if at := tool.unboxed(); at != "" && b.Sandboxed {
		r.binding.Sandboxed = false
		if len(r.acts) > 0 { // what this page says nothing of is judged as if there were no workspace
			r.acts = append(r.acts, step{pointer: at, judge: func(w *walk) {
				w.held(level.Medium, effects.Permission, "outside", "it asks to leave the sandbox")
			}})
		}
	}
	r.alone = sync.OnceValue(func() walked { return r.walk(newKnown(r.binding, Memory{})) })
	return r
}

// toolCall is a call of a tool, as its name and arguments say what it is.
type toolCall struct {
	input Input
	args  canon.Value
	name  string   // in lower case, without what parts its words
	words []string // of the name
	at    map[string]string
	twice bool // two spellings of one argument say different things
}

func newCall(in Input, args canon.Value) toolCall {
	if in.Call == nil {
		in.Call = &call.Call{Function: in.Function, Arguments: in.Arguments, Code: in.Code}
	}
	c := toolCall{input: in, args: args, words: nameWords(in.Function), at: map[string]string{}}
	c.name = strings.Join(c.words, "")
	for name := range args.Members() {
		key := simple(name)
		if first, twice := c.at[key]; !twice {
			c.at[key] = name
		} else if !strings.Contains(key, "sandbox") && !args.Get(first).Equal(args.Get(name)) { // unboxed looks at each of those
			c.twice = true
		}
	}
	return c
}

// simple is the name of an argument in lower case, without what parts its words.
func simple(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}

// nameWords are the words of a tool's name, what is in front of the last dot or of a
// server's prefix set aside.
func nameWords(name string) []string {
	if at := strings.LastIndex(name, "__"); at >= 0 {
		name = name[at+2:]
	}
	if at := strings.LastIndexAny(name, "./:"); at >= 0 {
		name = name[at+1:]
	}
	var words []string
	var word strings.Builder
	flush := func() {
		if word.Len() > 0 {
			words = append(words, strings.ToLower(word.String()))
			word.Reset()
		}
	}
	for i, c := range name {
		switch {
		case c == '_' || c == '-' || c == ' ':
			flush()
			continue
		case c >= 'A' && c <= 'Z' && i > 0 && (name[i-1] < 'A' || name[i-1] > 'Z'):
			flush()
		}
		word.WriteRune(c)
	}
	flush()
	return words
}

// get is the first of some arguments, and its pointer.
func (c toolCall) get(keys ...string) (canon.Value, string) {
	for _, k := range keys {
		if name, ok := c.at[k]; ok {
			if v := c.args.Get(name); v.Kind() != canon.KindNull {
				return v, "/arguments/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
			}
		}
	}
	return canon.Value{}, ""
}

func (c toolCall) text(keys ...string) (string, string) {
	v, at := c.get(keys...)
	if v.Kind() != canon.KindString {
		return "", ""
	}
	return v.Text(), at
}

func (c toolCall) has(words ...string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(c.words, w) })
}

// unclear reports whether two arguments say different things of the same: an agent reads one
// of them and ignores the other, and nobody here knows which.
func (c toolCall) unclear() bool {
	_, clear := c.folder()
	return !clear || c.twice || c.differ(toolNames().commands) || c.verb() != "" && c.verb() != "read" && c.differ(toolNames().targets)
}

// differ reports whether more than one of some arguments is there, with different values.
func (c toolCall) differ(keys []string) bool {
	said := canon.Value{}
	for _, key := range keys {
		v, at := c.get(key)
		if at == "" || v.Kind() == canon.KindString && v.Text() == "" {
			continue
		}
		if !said.IsAbsent() && !said.Equal(v) {
			return true
		}
		said = v
	}
	return false
}

// start is the folder from which the paths of the call are meant. Where a server reads a
// relative path nobody here knows; a coding agent's own tool reads it where the hook says.
func (c toolCall) start(b Binding) folder {
	text, _ := c.folder()
	if _, runs := c.runs(); runs == "" {
		if strings.HasPrefix(c.input.Function, "mcp__") {
			return folder{path: b.Folder}
		}
		text, _ = c.text("cwd")
	}
	return b.start(text)
}

// runs is the command of a call, and its pointer; "" where it has none.
func (c toolCall) runs() (canon.Value, string) {
	if v, at := c.get(toolNames().commands...); at != "" {
		return v, at
	}
	return c.get("argv")
}

// folder is where the call says that it runs. It is not clear where two arguments name two
// folders: an agent reads one of them, and nobody here knows which.
func (c toolCall) folder() (text string, clear bool) {
	if _, runs := c.runs(); runs == "" {
		return "", true
	}
	clear = true
	for name, v := range c.args.Members() {
		if s := v.Text(); s != "" && toolNames().folders[simple(name)] {
			text, clear = s, clear && (text == "" || text == s)
		}
	}
	return text, clear
}

// unboxed is where a call asks for more than the agent's sandbox allows; "" where it does
// not. Each argument is looked at, as of two spellings the agent reads one.
func (c toolCall) unboxed() string {
	for name, v := range c.args.Members() {
		asks := false
		switch simple(name) {
		case "dangerouslydisablesandbox":
			asks = v.Text() != "false" && (v.Kind() != canon.KindBool || v.Bool())
		case "sandboxpermissions":
			asks = v.Text() != "use_default"
		case "additionalpermissions":
			asks = v.Kind() != canon.KindObject || v.Len() > 0
		}
		if asks && v.Kind() != canon.KindNull {
			return "/arguments/" + canon.PointerEscape(name)
		}
	}
	if c.name == "requestpermissions" {
		return "/function"
	}
	return ""
}

// acts are what the call does, none where this page says nothing of it.
func (c toolCall) acts() []step {
	if c.changesElse() || c.unclear() {
		return nil
	}
	if all, ok := c.edited(); ok {
		return all
	}
	if v, at := c.runs(); at != "" {
		return c.commands(v, at)
	}
	if all, ok := c.code(); ok {
		return all
	}
	if all, ok := c.typed(); ok {
		return all
	}
	if all, ok := c.internal(); ok {
		return all
	}
	if all, ok := c.fetch(); ok {
		return all
	}
	if all, ok := c.files(); ok {
		return all
	}
	return nil
}

// elsewhere reports whether arguments say that a command runs on another machine.
func (c toolCall) elsewhere() bool {
	for _, key := range wordlist.List("workspace.machineKeys") {
		if v, at := c.get(key); at != "" && (v.Kind() != canon.KindString || v.Text() != "") {
			return true
		}
	}
	return false
}

func (c toolCall) commands(v canon.Value, at string) []step {
	if c.elsewhere() {
		return nil
	}
	switch v.Kind() {
	case canon.KindString:
		text := v.Text()
		if c.editor(text) {
			all, _ := c.files()
			return all
		}
		if more, _ := c.get("args", "arguments", "argv"); more.Kind() == canon.KindArray && at != "" {
			if rest, ok := texts(more); ok {
				return []step{c.argv(append([]string{text}, rest...), at)}
			}
		}
		if one := !strings.ContainsAny(text, " \t\n;|&$`<>(){}'\"\\/"); isKeys(text) || one && c.name != "monitor" && toolNames().harness[c.name] && !new(walk).knows(strings.ToLower(text)) {
			return []step{{pointer: at, judge: harmlessTool}}
		}
		return []step{c.shell(text, at)}
	case canon.KindArray:
		all, ok := texts(v)
		if !ok || len(all) == 0 {
			return nil
		}
		if !slices.ContainsFunc(all, func(s string) bool { return !strings.Contains(s, " ") }) {
			var acts []step
			for i, text := range all {
				acts = append(acts, c.shell(text, at+"/"+strconv.Itoa(i)))
			}
			return acts
		}
		return []step{c.argv(all, at)}
	default:
		return nil
	}
}

// shell is a text of a shell, and argv the words of one command.
func (c toolCall) shell(text, at string) step {
	script := c.input.Call.Text(text).Script()
	return step{pointer: at, script: &script, text: text, placed: true}
}

func (c toolCall) argv(words []string, at string) step {
	script := c.input.Call.Argv(words).Script()
	return step{pointer: at, script: &script, text: strings.Join(words, " ")}
}

func texts(v canon.Value) ([]string, bool) {
	var all []string
	for _, e := range v.Elements() {
		switch e.Kind() {
		case canon.KindString:
			all = append(all, e.Text())
		case canon.KindNumber:
			all = append(all, e.Number())
		default:
			return nil, false
		}
	}
	return all, true
}

// isKeys reports whether a text is no command but keys for one that runs: nothing, or ^C.
func isKeys(text string) bool {
	switch strings.TrimSpace(text) {
	case "", "C-c", "C-d", "C-z", "\x03", "\x04", "q":
		return true
	}
	return false
}

// typed is what is typed into a session that runs: nothing, keys, or commands.
func (c toolCall) typed() ([]step, bool) {
	if !c.has("stdin") && c.name != "senddata" && c.name != "sendkeys" && c.name != "sendinput" {
		return nil, false
	}
	text, at := c.text("chars", "input", "text", "data", "keys")
	if at == "" || isKeys(text) || len(strings.TrimSpace(text)) <= 1 {
		return []step{{pointer: "/function", judge: harmlessTool}}, true
	}
	return []step{c.shell(text, at)}, true
}

// code is a tool that runs a program in another language.
func (c toolCall) code() ([]step, bool) {
	text, at := c.text("code", "script", "source")
	if at == "" && c.input.Code != "" {
		text, at = c.input.Code, "/code"
	}
	if at == "" || !c.has(wordlist.List("workspace.runsCode")...) {
		return nil, false
	}
	language, _ := c.text("language", "lang")
	language = strings.ToLower(language)
	for _, word := range append([]string{language}, c.words...) {
		switch word {
		case "python", "ipython", "jupyter", "py", "python3", "notebook":
			return []step{{pointer: at, judge: func(w *walk) { w.runsText("python", text, "a script in the call") }}}, true
		case "javascript", "js", "node", "typescript", "ts":
			return []step{{pointer: at, judge: func(w *walk) { w.runsText("javascript", text, "a script in the call") }}}, true
		case "bash", "shell", "sh", "zsh", "terminal":
			return []step{c.shell(text, at)}, true
		}
	}
	return nil, false
}

// pages is a tool that gets what stands at several addresses, or at those that stand in a
// text for it.
func (c toolCall) pages() ([]step, bool) {
	var urls []string
	v, at := c.get("urls")
	switch {
	case v.Kind() == canon.KindArray && len(c.at) <= 3:
		urls, _ = texts(v)
	case c.name == "webfetch" && len(c.at) == 1:
		text, prompt := c.text("prompt")
		at = prompt
		for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n<>\"'()`,", r) }) {
			if strings.HasPrefix(word, "http://") || strings.HasPrefix(word, "https://") {
				urls = append(urls, word)
			}
		}
	}
	if len(urls) == 0 || !c.has("fetch", "webfetch", "webpage", "read", "crawl", "scrape") {
		return nil, false
	}
	var all []step
	for _, url := range urls {
		all = append(all, step{pointer: at, judge: func(w *walk) { w.web(request{url: url, literal: true}) }})
	}
	return all, true
}

// fetch is a tool that gets what stands at an address.
func (c toolCall) fetch() ([]step, bool) {
	if all, ok := c.pages(); ok {
		return all, true
	}
	text, at := c.text("url", "uri", "targeturl")
	if at == "" || !c.has(wordlist.List("workspace.fetches")...) {
		return nil, false
	}
	if _, keeps := c.get("path", "filepath", "outputpath", "output", "destination", "filename"); keeps != "" {
		return nil, false
	}
	r := request{url: text, literal: true}
	method, _ := c.text("method", "httpmethod")
	r.method = strings.ToUpper(method)
	if v, has := c.get("body", "data", "json", "payload", "form", "files"); has != "" && (v.Kind() != canon.KindString || v.Text() != "") {
		r.body = true
	}
	if v, has := c.get("headers"); has != "" {
		for name, value := range v.Members() {
			r.secret = r.secret || program.SecretHeader(name+": "+value.Text())
		}
		r.secret = r.secret || v.Kind() != canon.KindObject
	}
	for key := range c.at {
		switch key {
		case wordlist.OneOf("workspace.requestKeys", key):
		default:
			return nil, false
		}
	}
	if action, _ := c.text("action", "type"); action != "" && action != "launch" && action != "navigate" && action != "goto" && action != "open" && action != "close" && action != "url" {
		return nil, false
	}
	return []step{{pointer: at, judge: func(w *walk) {
		if strings.HasPrefix(text, "file:") {
			w.reads(shell.Word{Text: strings.TrimPrefix(text, "file://"), Literal: true})
			return
		}
		w.web(r)
	}}}, true
}
