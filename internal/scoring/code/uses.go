package code

import (
	"regexp"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// use is one place at which a program uses a name that it does not define itself.
type use struct {
	// path is the name as its module has it, whatever it is called here: "subprocess.run",
	// "requests.Session().post"; "().unlink" where nobody knows of what it is a part.
	path string
	// called says that it is called there, and indexed that one part of it is taken.
	called, indexed bool
	// at is its token, first the one at which its chain begins, and call where the brackets
	// open.
	at, first, call int
}

// uses notes the use of a name that ends with the token at; from is where its chain begins,
// or the last token of the value that it is a part of. next is what follows it.
func (p *Program) uses(o origin, from, at, next int) {
	if o.class == isLocal && o.path == "" {
		return
	}
	after := p.at(next)
	if (after.Is(".") || after.Is("?.")) && p.at(next+1).Kind == Name {
		return // a longer name says more
	}
	if p.at(from).Kind != Name && p.opening[from] > 0 {
		from = int(p.opening[from])
	}
	u := use{path: o.path, at: at, first: from}
	if u.path == "" {
		u.path = "()." + strings.Trim(p.at(at).Text, `'"`)
	}
	switch {
	case after.Is("("):
		u.called, u.call = true, next
	case p.js && after.Kind == Text && p.code[after.From] == '`': // $`git status`
		u.called, u.call = true, next
	case after.Is("["):
		u.indexed = true
	case p.js && p.at(from-1).Is("=") && p.at(from-2).Is("}"): // const {A} = process.env
		u.indexed = true
	}
	p.used = append(p.used, u)
}

// tell adds what the tables say of a name that is used.
func (p *Program) tell(u use) {
	switch path := u.path; {
	case p.Made.has(path):
		if args := p.arguments(u); path == "Function" && len(args) == 1 && args[0].text == "return this" {
			return // how libraries find what holds all names
		}
		if u.called || !p.js && (strings.HasSuffix(path, "eval") || strings.HasSuffix(path, "exec")) {
			p.says(u, act.Make, "it runs code that is made when it runs, with "+path)
		}
	case p.Parts.has(path):
		p.part(u)
	case p.Run.has(path):
		p.runs(u, 0)
	case p.Loads.has(path):
		p.says(u, act.Library, "it loads a library that can't be read, with "+path)
	case p.Environment.has(path):
		p.environment(u)
	case !u.called:
	case p.Clients.has(path):
		p.connects(u, "client", nil)
	case p.Services.has(path):
		p.connects(u, "service", tables().Hosts)
	case p.Bases.has(path):
		p.connects(u, "base", tables().Bases)
	case p.Requests.has(path):
		p.requests(u, 0)
	default:
		c, ok := p.changes[path]
		if !ok && strings.HasPrefix(path, "pathlib.") && strings.Contains(path, "().") { // Path(x).resolve().unlink()
			c, ok = p.changes["()"+path[strings.LastIndexByte(path, '.'):]]
		}
		if ok {
			p.change(u, c)
		}
		if p.js && strings.HasSuffix(p.receiver(u), "constructor.constructor") {
			p.says(u, act.Make, "it makes a function of a text")
		}
	}
	p.Decodes = p.Decodes || u.called && p.Decoders.has(u.path)
}

func (p *Program) says(u use, verb act.Verb, why string) {
	p.acts(act.Act{Verb: verb, Text: u.path, Reason: act.Because(why)}, u.at)
}

// runs reads what runs a command: a text, or the words of one. Of many named $ only that of
// a text behind it does.
func (p *Program) runs(u use, flags act.Flags) {
	args := p.arguments(u)
	if strings.HasSuffix(u.path, "$") && (len(args) != 1 || !strings.HasPrefix(args[0].source, "`")) {
		return
	}
	a := act.Act{Verb: act.Run, Text: u.path, Flags: flags}
	if !u.called {
		a.Flags |= act.Handed
	}
	args = slices.DeleteFunc(args, func(a argument) bool { return a.name != "" && a.name != "*" && !oneOf(a.name, "args cmd command") })
	if len(args) > 0 {
		a.Target, a.From = p.command(u.path[strings.LastIndexByte(u.path, '.')+1:], args)
	}
	p.acts(a, u.at)
}

// command is what a function runs: a text that a shell splits, or words.
func (p *Program) command(name string, args []argument) (text shell.Word, words []shell.Word) {
	starts := func(names ...string) bool {
		return slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(name, n) })
	}
	first, js := args[0], p.js
	switch {
	case first.isList:
		return text, wordsOf(first.list)
	case !starts("spawn", "execFile", "posix_spawn", "execa") && !(starts("exec") && !js && name != "exec_command") && !oneOf(name, "fork create_subprocess_exec Command sync"):
		return first.word(), nil
	case starts("spawn") && !js: // os.spawnlp(mode, file, …)
		if args = args[1:]; len(args) == 0 {
			return text, nil
		}
		first = args[0]
	case name == "fork":
		first = argument{text: "node", literal: true}
		args = append([]argument{first}, args[0])
		return text, wordsOf(args)
	}
	if len(args) > 1 && args[1].isList {
		list := args[1].list
		if !js && len(list) > 0 && starts("exec", "spawn", "posix") {
			list = list[1:] // the name that it is told
		}
		return text, wordsOf(append([]argument{first}, list...))
	}
	if js { // spawn("git status", {shell: true})
		if strings.Contains(first.text, " ") || len(args) == 1 {
			return first.word(), nil
		}
		return text, wordsOf([]argument{first, {name: "*"}})
	}
	if starts("execl", "spawnl") {
		args = slices.Delete(args, min(1, len(args)-1), min(2, len(args)))
	}
	return text, wordsOf(args)
}

// Rest is the text of a word that is any number of words that are known only when it runs.
const Rest = "$@"

// wordsOf are arguments as the words of a command.
func wordsOf(args []argument) []shell.Word {
	words := make([]shell.Word, len(args))
	for i, a := range args {
		switch {
		case a.literal:
			words[i] = a.word()
		case a.name == "*":
			words[i].Text = Rest
		case a.source == "sys.executable":
			words[i].Text = "python3"
		case oneOf(a.source, "process.execPath process.argv[0] process.argv0"):
			words[i].Text = "node"
		}
	}
	return words
}

func isAssembled(a argument) bool {
	return a.joined && a.literal || tables().Assembling.in(a.source)
}

// part reads what takes a part of a module by a name, or a module by one: a name that is
// put together of literals, or decoded, is there to be hidden.
func (p *Program) part(u use) {
	args, at := p.arguments(u), 0
	if strings.HasSuffix(u.path, "getattr") || u.path == "Reflect.get" {
		at = 1
	}
	if len(args) <= at {
		return
	}
	name := args[at]
	text := name.text
	if value, ok := p.value(name.source); ok {
		text = value
	}
	switch {
	case isAssembled(name) && !strings.Contains(name.source, "path.join") && !strings.Contains(name.source, "os.path"):
		p.says(u, act.Make, "it uses what has a name that is put together")
	case !p.js && at == 0 && tables().Imports[text]:
		p.says(u, act.Make, "it imports "+text+" in a way that hides it")
	case at == 1 && tables().Powers[args[0].source] && !name.literal:
		p.says(u, act.Make, "it uses a part of "+args[0].source+" by a name that is made when it runs")
	case at == 1 && tables().Taken[text]:
		p.says(u, act.Library, "it takes "+name.text+" by its name")
	}
}

// environment reads what uses all variables of the environment at once, unless it hands
// them on to a process that has them anyway, or picks those that it knows.
func (p *Program) environment(u use) {
	in := p.inArgument(u)
	copied := p.at(u.first-1).Is("(") && p.at(u.first-2).Named("dict") && !p.at(u.first-3).Is(".")
	if u.indexed || in == "env" || in == "runtimeEnv" || tables().Picking[p.callAround(u.first)] && !copied || p.at(u.first-1).Named("in") {
		return
	}
	if targets := p.targetsOf(u); len(targets) == 1 && p.onlyHanded(targets[0], "env") {
		return
	}
	p.acts(act.Act{Verb: act.Show}, u.at)
}

// connects reads what makes a client: of somebody else, of a service, or of one address.
func (p *Program) connects(u use, what string, names set) {
	a := act.Act{Verb: act.Connect, Text: u.path, Reason: act.Because(what)}
	for i, arg := range p.arguments(u) {
		first := arg.name == "" && i == 0 && arg.source != "" && (what != "base" || strings.HasPrefix(u.path, "http") && strings.Contains(u.path, "Connection"))
		if what != "client" && !first && !names[strings.ToLower(arg.name)] {
			continue
		}
		w := p.address(arg)
		if what == "service" && !w.Literal && w.Text == "" {
			w.Text = arg.source
		}
		a.From = append(a.From, w)
	}
	p.acts(a, u.at)
}

// change reads what writes, deletes or changes a file.
func (p *Program) change(u use, c change) {
	args := p.arguments(u)
	a := act.Act{Verb: act.Change, Text: u.path}
	if c.Mode != nil {
		mode := argument{text: "r", literal: true}
		for i, m := range args {
			if m.name == "mode" || m.name == "" && i == *c.Mode {
				mode = m
			}
		}
		if mode.literal && !strings.ContainsAny(mode.text, "wax+") {
			return
		}
		a.Flags |= act.Opens
	}
	targets := []int{c.At}
	if c.Also != nil {
		targets = append(targets, *c.Also)
	}
	for _, at := range targets {
		switch {
		case at < 0:
			source := p.receiver(u)
			w := shell.Word{Text: p.begins(source)}
			if text, ok := firstLiteral(source); ok && !strings.Contains(source, "/ ") && !strings.Contains(source, "joinpath") {
				w.Literal = true
				if w.Text == "" {
					w.Text = text
				}
			}
			a.From = append(a.From, w)
		case at < len(args):
			w := args[at].word()
			if !w.Literal {
				w.Text = p.begins(args[at].source)
			}
			a.From = append(a.From, w)
		}
	}
	p.acts(a, u.at)
}

// marksPaths notes the names that get a value made of a path.
func (p *Program) marksPaths(u use) {
	if !u.called || !p.Paths.has(u.path) {
		return
	}
	for _, name := range p.targetsOf(u) {
		begins := p.begins(p.receiver(u))
		if strings.HasSuffix(u.path, "Path.home") || strings.HasSuffix(u.path, "homedir") {
			begins = "~"
		}
		for i, a := range p.arguments(u) {
			switch {
			case a.literal && (i == 0 || strings.HasPrefix(a.text, "/") || strings.HasPrefix(a.text, "~")):
				begins = a.text
			case i == 0 && begins == "":
				begins = p.begins(a.source)
			}
		}
		if p.paths[name] == "" {
			p.paths[name] = begins
		}
	}
}

// leads tells an expression that begins with a literal, maybe as the first argument of what
// makes a path of it, from one in which something stands before.
var leads = regexp.MustCompile("^[A-Za-z0-9_.( ]*['\"`]")

// begins is the path with which the value of an expression begins, as far as that is known:
// a home, a literal from the root on, or what a name has.
func (p *Program) begins(source string) string {
	if strings.Contains(source, "Path.home()") || strings.Contains(source, "homedir()") || strings.Contains(source, "expanduser(") && strings.Contains(source, "~") {
		return "~"
	}
	if literal, ok := firstLiteral(source); ok && leads.MatchString(source) && (strings.HasPrefix(literal, "/") || strings.HasPrefix(literal, "~")) {
		return literal
	}
	name := firstName(source)
	if begins := p.paths[name]; begins != "" {
		return begins
	}
	text, _ := p.value(name)
	return text
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
	end := 0
	for end < len(source) && source[end] < 0x80 && IsNameByte(source[end]) {
		end++
	}
	return source[:end]
}

// receiver is how the value is written of which a use is a part, with the use itself.
func (p *Program) receiver(u use) string {
	start, end := p.at(u.first).From, p.at(u.at).To
	return p.code[start:max(start, min(end, start+maxSource, len(p.code)))]
}

// targetsOf are the names that get the value of a use: x = …, for x in …, x = {**…}.
func (p *Program) targetsOf(u use) []string {
	at := p.outward(u)
	if n := p.at(at - 1); p.isEntry(at) && n.Kind == Name {
		return nil
	}
	switch t := p.at(at); {
	case t.Is("=") || t.Is(":="):
		return p.targets(at)
	case (t.Named("in") || t.Named("of")) && p.at(at-1).Kind == Name:
		return []string{p.at(at - 1).Text}
	}
	return nil
}

// inArgument is the name of the argument for which a use is given: env of run(env=x).
func (p *Program) inArgument(u use) string {
	if at := p.outward(u); p.isEntry(at) {
		return p.at(at - 1).Text
	}
	return ""
}

// callAround is the name of the function of which the token i is an argument; "" for none.
func (p *Program) callAround(i int) string {
	if open := int(p.around[i]); open > 0 && p.at(open).Is("(") && p.at(open-1).Kind == Name {
		return p.at(open - 1).Text
	}
	return ""
}

// outward is the token before a value, past what only copies it.
func (p *Program) outward(u use) int {
	at := u.first - 1
	for n := 0; n < 6; n++ {
		switch t := p.at(at); {
		case t.Is("{") || t.Is("**") || t.Is("...") || oneOf(t.Text, "await new dict"):
		case t.Is("(") && p.at(at-1).Named("dict"):
		default:
			return at
		}
		at--
	}
	return at
}

// isEntry reports whether the mark at a token gives an argument or a member its value.
func (p *Program) isEntry(at int) bool {
	t := p.at(at)
	return at > 0 && (t.Is("=") && !p.js || t.Is(":")) && p.at(at-1).Kind == Name && p.around[at-1] >= 0
}

// onlyHanded reports whether a name is only changed in its parts and handed over as the
// argument of that name: env["A"] = "1"; run(env=env).
func (p *Program) onlyHanded(name, argument string) bool {
	for i, t := range p.tokens {
		if !t.Named(name) || p.at(i-1).Is(".") {
			continue
		}
		next := p.at(i + 1)
		switch {
		case next.Is("=") || next.Is(":") || next.Is("[") || next.Is("."):
		case p.isEntry(i-1) && p.at(i-2).Named(argument):
		case p.js && name == argument && p.around[i] >= 0 && p.at(int(p.around[i])).Is("{") && (next.Is(",") || next.Is("}")):
		default:
			return false
		}
	}
	return true
}

// value is the text that a name was given, where that is one literal.
func (p *Program) value(name string) (string, bool) {
	at, ok := p.texts[name]
	if !ok || at < 0 {
		return "", false
	}
	text, _, known := p.literal(at)
	return text, known
}
