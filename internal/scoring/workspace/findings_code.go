package workspace

import (
	"regexp"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/code"
	"github.com/countersign/countersign/internal/scoring/effects"
	paths "github.com/countersign/countersign/internal/scoring/path"
)

// codeReader reads what a program in Python or JavaScript uses.
type codeReader struct {
	*textFindings
	b     Binding
	code  *code.Program
	names *languageNames
	js    bool
	// away are the names of values that are made of paths outside.
	away map[string]bool
	// commands are those that it starts and that were read.
	commands map[string]bool
	// credentials says that the program has a credential in it, or reads one.
	credentials bool
}

// readCode reads a program. What stands outside of literals in a part of one may stand in
// a literal of the whole, and the other way round: where that cannot be told, both count.
func readCode(f *textFindings, language, name, text string, b Binding) {
	js := language == "javascript"
	if !js && (strings.Contains(text, "!") || strings.HasPrefix(strings.TrimSpace(text), "%") || strings.Contains(text, "\n%")) {
		text = withoutCommands(f, text, b)
	}
	markup := js && (b.part || strings.Contains(text, "</") || strings.Contains(text, "/>"))
	quotes := []string{""}
	if b.part {
		for _, q := range map[bool][]string{true: {"`"}, false: {`"""`, "'''"}}[js] {
			if strings.Count(text, q)%2 == 1 {
				quotes = append(quotes, q)
			}
		}
	}
	whole := !b.part && !markup
	for _, q := range quotes {
		r := codeReader{textFindings: f, b: b, js: js, names: &findingWords().Python, code: code.ReadUses(language, q+text, b.part || markup), away: map[string]bool{}, commands: map[string]bool{}}
		whole = whole && r.code.Broken == "" && effects.Harmless(effects.ProgramEffects(r.code, r.code.Source(), ""))
		if js {
			r.names = &findingWords().Javascript
		}
		r.read(len(q))
	}
	f.harmless = whole && len(f.all) == 0
}

// withoutCommands is a cell of a notebook without the lines that are commands, which are
// read as what they are.
func withoutCommands(f *textFindings, text string, b Binding) string {
	var rest strings.Builder
	if first, rest, ok := strings.Cut(strings.TrimSpace(text), "\n"); ok {
		switch strings.Fields(first + " x")[0] {
		case "%%bash", "%%sh", "%%script", "%%!", "%%system", "%%sx", "%%cmd":
			readShell(f, rest, 0, len(text), b)
			return strings.Repeat(" ", len(text))
		}
	}
	at := 0
	for line := range strings.Lines(text) {
		start := at
		at += len(line)
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "!")
		for _, magic := range []string{"%pip", "%conda", "%mamba", "%uv", "%sx ", "%system ", "%env"} {
			if rest, is := strings.CutPrefix(strings.TrimSpace(line), magic); is {
				command, ok = strings.TrimPrefix(strings.TrimSpace(magic), "%")+" "+rest, true
				if magic == "%sx " || magic == "%system " {
					command = rest
				}
			}
		}
		if !ok || strings.HasPrefix(command, "=") {
			rest.WriteString(line)
			continue
		}
		readShell(f, command, start, at, b)
		rest.WriteString(strings.Repeat(" ", len(line)-1) + "\n")
	}
	return rest.String()[:len(text)]
}

func (r *codeReader) read(offset int) {
	before := len(r.all)
	texts := r.code.Texts()
	for _, t := range texts {
		r.credentials = r.credentials || isCredential(t.Text)
	}
	for _, u := range r.code.Uses {
		r.marksAway(u)
	}
	for _, u := range r.code.Uses {
		r.use(u)
		r.decodes = r.decodes || u.Called && r.names.Decoders.has(u.Path)
	}
	for _, t := range texts {
		r.text(t)
	}
	for i := before; i < len(r.all); i++ { // places are those of the text without the quote in front
		r.all[i].start, r.all[i].end = max(0, r.all[i].start-offset), max(0, r.all[i].end-offset)
	}
}

// use reads one use of a name.
func (r *codeReader) use(u code.Use) {
	n := r.names
	at := func(what Finding, why string) { r.found(what, u.Start, u.End, why) }
	switch path := u.Path; {
	case n.Hidden.has(path):
		if args := r.code.Arguments(u); path == "Function" && len(args) == 1 && args[0].Text == "return this" {
			return // how libraries find what holds all names
		}
		if u.Called || !r.js && (strings.HasSuffix(path, "eval") || strings.HasSuffix(path, "exec")) {
			at(Hidden, "it runs code that is made when it runs, with "+path)
		}
	case n.Parts.has(path):
		r.part(u)
	case n.Child.has(path):
		r.child(u)
	case n.Loads.has(path):
		at(Child, "it loads a library that can't be read, with "+path)
	case n.Environment.has(path):
		r.environment(u)
	case !u.Called:
	case n.Clients.has(path):
		if !slices.ContainsFunc(r.code.Arguments(u), func(a code.Argument) bool { return isLocal(a.Text) }) {
			at(Network, "it is a client of another service: "+path)
		}
	case n.Services.has(path):
		r.service(u)
	case n.Bases.has(path):
		r.base(u)
	case n.HTTP.has(path):
		r.request(u)
	default:
		c, ok := n.changes[path]
		if !ok && strings.HasPrefix(path, "pathlib.") && strings.Contains(path, "().") { // Path(x).resolve().unlink()
			c, ok = n.changes["()"+path[strings.LastIndexByte(path, '.'):]]
		}
		if ok {
			r.changes(u, c)
		}
		if r.js && strings.HasSuffix(r.code.Receiver(u), "constructor.constructor") {
			at(Hidden, "it makes a function of a text")
		}
	}
}

// assembling are words of how a name is put together, so that nobody reads it.
var assembling = []string{"b64decode", "atob(", "fromCharCode", "chr(", "bytes.fromhex", "unhexlify", "[::-1]", "reverse()", ".decode(", "Buffer.from", ".join(", "rot13"}

func isAssembled(a code.Argument) bool {
	return a.Joined && a.Literal || slices.ContainsFunc(assembling, func(word string) bool { return strings.Contains(a.Source, word) })
}

// part reads what takes a part of a module by a name, or a module by one: a name that is
// put together of literals, or decoded, is there to be hidden.
func (r *codeReader) part(u code.Use) {
	if !u.Called {
		return
	}
	args := r.code.Arguments(u)
	at := 0
	if strings.HasSuffix(u.Path, "getattr") || u.Path == "Reflect.get" {
		at = 1
	}
	if len(args) <= at {
		return
	}
	name := args[at]
	text := name.Text
	if value, ok := r.code.Value(name.Source); ok {
		text = value
	}
	module := at == 1 && slices.Contains([]string{"os", "subprocess", "builtins", "__builtins__", "sys", "shutil", "importlib", "globalThis", "process", "global"}, args[0].Source)
	switch {
	case isAssembled(name) && !strings.Contains(name.Source, "path.join") && !strings.Contains(name.Source, "os.path"):
		r.found(Hidden, u.Start, u.End, "it uses what has a name that is put together")
	case !r.js && at == 0 && slices.Contains([]string{"os", "subprocess", "builtins", "ctypes", "pty"}, text):
		r.found(Hidden, u.Start, u.End, "it imports "+text+" in a way that hides it")
	case module && !name.Literal:
		r.found(Hidden, u.Start, u.End, "it uses a part of "+args[0].Source+" by a name that is made when it runs")
	case at == 1 && slices.Contains([]string{"system", "popen", "Popen", "exec", "eval", "execv", "execSync", "spawnSync", "check_output"}, text):
		r.found(Child, u.Start, u.End, "it takes "+name.Text+" by its name")
	}
}

// environment reads what uses all variables of the environment at once, unless it hands
// them on to a process that has them anyway, or picks those that it knows.
func (r *codeReader) environment(u code.Use) {
	switch {
	case u.Indexed, r.code.InArgument(u) == "env" || r.code.InArgument(u) == "runtimeEnv":
		return
	case slices.Contains([]string{"dict", "parse", "safeParse", "parseAsync", "validate", "cleanEnv", "createEnv", "defineEnv", "expand", "stubEnv", "patch", "object", "setattr"}, r.code.InCall(u)) && !r.code.IsCopied(u):
		return
	case r.code.Follows(u, "in"):
		return
	}
	targets := r.code.Targets(u)
	if len(targets) == 1 && r.code.OnlyHanded(targets[0], "env") {
		return
	}
	r.found(Outside, u.Start, u.End, "it reads the environment as a whole")
}

// marksAway notes the names that get a value made of a path outside.
func (r *codeReader) marksAway(u code.Use) {
	if !u.Called || !r.names.Paths.has(u.Path) {
		return
	}
	for _, name := range r.code.Targets(u) {
		for i, a := range r.code.Arguments(u) {
			if i == 0 && r.leaves(a) || a.Literal && (strings.HasPrefix(a.Text, "/") || strings.HasPrefix(a.Text, "~")) && r.leaves(a) {
				r.away[name] = true
			}
		}
		if r.isAway(r.code.Receiver(u)) || namesHome(u.Path) {
			r.away[name] = true
		}
	}
}

// leads tells an expression that begins with a literal, maybe as the first argument of what
// makes a path of it, from one in which something stands before.
var leads = regexp.MustCompile("^[A-Za-z0-9_.( ]*['\"`]")

func namesHome(path string) bool {
	return strings.HasSuffix(path, "Path.home") || strings.HasSuffix(path, "homedir")
}

// leaves reports whether an argument is a path outside, as far as that can be read.
func (r *codeReader) leaves(a code.Argument) bool {
	if a.Literal {
		return a.Text != "" && r.b.leavesFolder(a.Text)
	}
	return r.isAway(a.Source)
}

// isAway reports whether an expression begins with a path outside: a literal, a home, or
// a name that has one.
func (r *codeReader) isAway(source string) bool {
	if strings.Contains(source, "Path.home()") || strings.Contains(source, "homedir()") || strings.Contains(source, "expanduser(") && strings.Contains(source, "~") {
		return true
	}
	if literal, ok := firstLiteral(source); ok && leads.MatchString(source) && (strings.HasPrefix(literal, "/") || strings.HasPrefix(literal, "~")) {
		return r.b.leavesFolder(literal)
	}
	name := firstName(source)
	if r.away[name] {
		return true
	}
	text, ok := r.code.Value(name)
	return ok && text != "" && r.b.leavesFolder(text)
}

// firstLiteral is what stands between the first quotes of an expression.
func firstLiteral(source string) (string, bool) {
	open := strings.IndexAny(source, "'\"`")
	if open < 0 {
		return "", false
	}
	text, _, ok := strings.Cut(source[open+1:], source[open:open+1])
	return text, ok
}

// firstName is the name that an expression begins with, past brackets and quotes: x of
// f"{x}/y".
func firstName(source string) string {
	if rest := strings.TrimLeft(source, "fFrRbB"); rest != "" && strings.ContainsAny(rest[:1], "'\"`") {
		source = strings.TrimLeft(rest, "'\"`${( ")
	} else {
		source = strings.TrimLeft(source, "(")
	}
	end := strings.IndexFunc(source, func(r rune) bool {
		return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
	if end < 0 {
		end = len(source)
	}
	return source[:end]
}

// changes reads what writes, deletes or changes a file.
func (r *codeReader) changes(u code.Use, c change) {
	args := r.code.Arguments(u)
	if c.Mode != nil {
		mode := code.Argument{Text: "r", Literal: true}
		for i, a := range args {
			if a.Name == "mode" || a.Name == "" && i == *c.Mode {
				mode = a
			}
		}
		if mode.Literal && !strings.ContainsAny(mode.Text, "wax+") {
			return
		}
	}
	targets := []int{c.At}
	if c.Also != nil {
		targets = append(targets, *c.Also)
	}
	for _, at := range targets {
		var a code.Argument
		switch {
		case at < 0:
			a.Source = r.code.Receiver(u)
			a.Text, a.Literal = firstLiteral(a.Source)
			a.Literal = a.Literal && !strings.Contains(a.Source, "/ ") && !strings.Contains(a.Source, "joinpath")
		case at < len(args):
			a = args[at]
		default:
			continue
		}
		whole := strings.Contains(u.Path, "rm") || strings.Contains(u.Path, "remove") || strings.Contains(u.Path, "empty") || strings.Contains(u.Path, "del")
		switch {
		case at < 0 && r.isAway(a.Source), at >= 0 && r.leaves(a):
			r.found(Outside, u.Start, u.End, "it changes what is outside of the workspace, with "+u.Path)
		case a.Literal && whole && slices.Contains([]string{".", "./", "*", r.b.Folder}, a.Text):
			r.found(Outside, u.Start, u.End, "it deletes the whole workspace")
		case a.Literal && r.b.guarded(a.Text) != "":
			r.found(r.b.guarded(a.Text), u.Start, u.End, "it changes "+shown(a.Text, "")+", which isn't to be changed unseen")
		case a.Literal && a.Text != "" && len(r.writes) < maxFound && !slices.Contains(r.writes, a.Text):
			r.writes = append(r.writes, a.Text)
		}
	}
}

// prints are functions that only print what they are given.
var prints = setOf("log print info warn error debug")

// text looks at a literal: a path of secrets, an address that only the inside reaches, a
// text that may be written.
func (r *codeReader) text(t code.Literal) {
	text := t.Text
	if !prints[t.Call] && len(r.texts) < maxFound {
		r.texts = append(r.texts, text)
	}
	if strings.ContainsAny(text, " \n(") && len(r.literals) < maxFound {
		r.literals = append(r.literals, text)
	}
	if len(text) < 4 || len(text) > 1024 || strings.ContainsAny(text, " \n\t") {
		return
	}
	if strings.Contains(text, "169.254.169.254") || strings.Contains(text, "metadata.google.internal") {
		r.found(Outside, t.Start, t.End, "it asks the machine's own cloud for its identity")
		return
	}
	if strings.Contains(text, "://") || strings.Contains(text, "ca-bundle") || strings.Contains(text, "/certs/") || !r.b.holdsSecrets(text) {
		return
	}
	base := text[strings.LastIndexByte(text, '/')+1:]
	reads := slices.Contains([]string{"open", "readFile", "readFileSync", "read_text", "read_bytes", "Path", "createReadStream", "copy", "copyfile", "copyFileSync", "copyFile", "file", "readTextFile", "load_key", "from_file"}, t.Call)
	if strings.HasPrefix(base, ".env") && !reads {
		return // what settings are loaded from by those who load settings
	}
	exact := paths.Of().Secrets.Exact(base) // and no ending, such as a class of a style sheet: .key
	if reads || strings.Contains(text, "/") || exact && base[0] == '.' {
		r.found(Outside, t.Start, t.End, "it names "+shown(text, "")+", which holds secrets")
	}
}
