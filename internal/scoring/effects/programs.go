package effects

import (
	"cmp"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/program"
	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// shellEffects is what a command text does: each simple command for itself, the worst
// first. Pointer is that of the text in the action.
func shellEffects(t *call.Text, pointer string) []Effect {
	script := t.Script()
	x := &commands{source: t, script: script, pointer: pointer, tools: tools()}
	for _, u := range script.Unreadable {
		x.all = append(x.all, Effect{
			Kind: Execute, Verb: "run", Object: "command", Breadth: One, Certain: true,
			Evidence: []Evidence{{Pointer: pointer, Start: u.Start, End: u.End, Why: "the command " + u.Why.String()}},
		})
	}
	for _, c := range script.Commands {
		x.command(c)
		if len(x.all) > maxEffects {
			x.all = merged(x.all)
		}
	}
	x.leaking()
	if len(x.all) == 0 {
		x.all = append(x.all, Effect{Kind: Read, Verb: "run", Object: "command", Breadth: One, Certain: true, Evidence: []Evidence{{Pointer: pointer, Why: "nothing is changed"}}})
	}
	return merged(x.all)
}

// maxEffects is how many are kept before they are put together.
const maxEffects = 64

// commands collects what the commands of a script do.
type commands struct {
	source  *call.Text
	script  shell.Script
	pointer string
	tools   *toolbox
	all     []Effect
	current shell.Command // the one that is read
	// leaks is where something is sent that stands in no word; leaked says that there is one.
	leaks  shell.Command
	leaked bool
}

// leaking adds that a secret is sent away: one is read, and what is sent comes from
// another command.
func (x *commands) leaking() {
	if !x.leaked || !slices.ContainsFunc(x.all, func(e Effect) bool { return e.Sensitive }) {
		return
	}
	x.current = x.leaks
	x.found("permission", "send", "secret", x.name()+" sends what another command prints, and that may be a secret")
}

// sendsOutput notes that a command sends what another one prints.
func (x *commands) sendsOutput(c shell.Command) {
	if x.leaked {
		return
	}
	substituted := slices.ContainsFunc(c.Words, func(w shell.Word) bool {
		return !w.Literal && (strings.Contains(w.Text, "$") || strings.Contains(w.Text, "`"))
	})
	if c.From >= 0 || substituted {
		x.leaks, x.leaked = c, true
	}
}

// found adds an effect of the command that is read.
func (x *commands) found(d deed, verb, object, why string) *Effect {
	c := x.current
	why = strings.TrimSuffix(strings.TrimSpace(why), ":") // nothing is named
	if bare, ok := strings.CutSuffix(why, " reads"); ok && !strings.HasSuffix(bare, " only") {
		why = bare + " only reads"
	}
	x.all = append(x.all, Effect{
		Kind: d.kind(), Verb: verb, Object: object, Breadth: One, Certain: true, Sensitive: d == sensitiveRead,
		Reversible: d.kind().reversible(), Evidence: []Evidence{{Pointer: x.pointer, Start: c.Start, End: c.End, Why: why}},
	})
	e := &x.all[len(x.all)-1]
	if d == publicMessage {
		e.Audience = Public
	}
	return e
}

// verbsOf are the words for people of what a deed does, to begin a sentence with.
var verbsOf = map[deed]struct{ verb, phrase string }{
	"read": {"read", "reads"}, sensitiveRead: {"read", "reads secrets or exports data:"}, "write": {"change", "creates or changes"},
	"delete": {"delete", "removes, overwrites or stops"}, "permission": {"change", "changes access, security or the network:"},
	"message": {"send", "sends"}, publicMessage: {"publish", "publishes"}, "money": {"pay", "moves money:"},
	"execute": {"run", "runs what can't be read:"}, "unknown": {"run", "does something unknown:"},
}

// command reads one command.
func (x *commands) command(c shell.Command) {
	x.current = c
	x.redirected(c)
	x.assigned(c)
	if len(c.Words) == 0 {
		return
	}
	name := strings.ToLower(c.Program())
	args := c.Words[1:]
	switch {
	case c.Role == shell.Function:
		return
	case c.Role == shell.Outer:
		x.outer(c, name, args)
		return
	case name == "":
		return // it stands among what cannot be read
	case program.AsksItself(args) || len(args) == 1 && (args[0].Text == "--Version" || args[0].Text == "/?"):
		x.found("read", "read", "", c.Program()+" is only asked about itself")
		return
	}
	if c.Role == shell.Alias && !x.tools.knows(name) {
		return
	}
	if cmdlet := cmdlets().Aliases[name]; cmdlet != "" && !x.tools.knows(name) {
		c.Words = slices.Clone(c.Words)
		c.Words[0].Text = cmdlet
		x.current = c
	}
	x.showsVariables(strings.ToLower(c.Program()), args)
	if shell.IsCmdlet(c.Program()) {
		x.cmdlet(c)
		return
	}
	if strings.Contains(c.Words[0].Text, "/") && !isProgramFolder(c.Words[0].Text) && !isRunner(name) {
		x.found("execute", "run", "program", c.Words[0].Text+" is a program of its own")
		return
	}
	x.hazardous(name, args)
	if program.Evaluates(name, args) {
		x.found("execute", "run", "command", name+" runs what an index holds")
	}
	x.readsFound(c)
	x.expands(name, c, args)
	if acts, ok := program.Read(name, args, c); ok {
		x.acts(acts)
		return
	}
	if read, ok := special[name]; ok {
		read(x, c, args)
		return
	}
	if strings.HasPrefix(name, "mkfs.") || strings.HasPrefix(name, "fsck.") {
		name = name[:4]
	}
	if x.tools.testers[name] {
		x.found("write", "run", "tests", name+" runs the project's own code")
		return
	}
	if x.tools.harmless[name] {
		x.found("read", "read", "", name+" changes nothing")
		if !x.tools.listing[name] {
			x.readsFiles(args)
		}
		return
	}
	p := x.tools.programs[name]
	if name == "bq" && len(args) > 1 && args[0].Text == "query" {
		for _, w := range taken("bq", args[1:]).Operands {
			x.asked(name, w)
		}
		return
	}
	before := len(x.all)
	if p == nil {
		x.unknown(c, name, args)
	} else {
		x.byRules(p, name, args)
	}
	own := name == "git" || x.tools.builders[name] // its checks are of the project: npm ci --no-audit
	if !own && slices.ContainsFunc(x.all[before:], func(e Effect) bool { return e.Kind == Write }) {
		x.weakened(name, args)
	}
}

// weakened reads the options of what changes something as the arguments of a function are read:
// --skip-approval, --public-access-type ObjectRead.
func (x *commands) weakened(name string, args []shell.Word) {
	for _, o := range taken(name, args).Options {
		key := strings.Split(lowered(strings.TrimLeft(o.Name, "-")), "_")
		value := strings.ToLower(o.Value.Text)
		if Weakens(!says("falsities", value), key, nil) || Publishes(key, cmp.Or(value, "true")) {
			x.found("permission", "weaken", "", name+" "+short(o.Word.Text)+" weakens what protects or opens it")
			return
		}
	}
}

// hazardous adds what single words of a program do beside what it is known for.
func (x *commands) hazardous(name string, args []shell.Word) {
	if name == "git" {
		x.gitSettings(args)
	}
	for _, h := range program.Hazards(name, args) {
		switch d := deed(h.Does); d {
		case "write":
			if h.Value.Text != "" && !isSink(h.Value.Text) {
				x.writes(h.Value, "writes")
			}
		case "load":
			x.found("unknown", "run", "option", name+" "+short(h.Word.Text)+" runs or loads what it is given")
		default:
			x.found(d, verbsOf[d].verb, "", name+" "+short(h.Word.Text)+" "+verbsOf[d].phrase+" "+short(h.Value.Text))
		}
	}
}

// gitSettings reads `git -c name=value`: most settings are harmless, some run a program.
func (x *commands) gitSettings(args []shell.Word) {
	cut := taken("git", args)
	for _, o := range cut.Options {
		if o.Name == "-c" && (len(cut.At) == 0 || o.At < cut.At[0]) && !program.MildGitSetting(o.Value.Text) {
			x.found("execute", "run", "setting", "git -c "+short(o.Value.Text)+" may run a program")
		}
	}
}

// knows reports whether a program is known.
func (t *toolbox) knows(name string) bool {
	_, isSpecial := special[name]
	return isSpecial || program.Reads(name) || t.harmless[name] || t.programs[name] != nil
}

// isProgramFolder reports whether a program stands where the system's do.
func isProgramFolder(path string) bool {
	for _, folder := range []string{"/bin/", "/usr/bin/", "/sbin/", "/usr/sbin/", "/usr/local/bin/", "/opt/homebrew/bin/", "/usr/local/sbin/", "/snap/bin/"} {
		if rest, ok := strings.CutPrefix(path, folder); ok && !strings.Contains(rest, "/") {
			return true
		}
	}
	folded := strings.ToLower(strings.ReplaceAll(path, `\`, "/"))
	return strings.Contains(folded, "/windows/system32/") || strings.HasPrefix(folded, "node_modules/.bin/") || strings.HasPrefix(folded, "./node_modules/.bin/") ||
		strings.HasPrefix(folded, "vendor/bin/") || strings.HasPrefix(folded, "./vendor/bin/")
}

// isRunner reports whether a name is that of a project's own copy of a known program.
func isRunner(name string) bool {
	return slices.Contains(wordlist.List("effects.projectRunners"), name)
}

// byRules reads what programs.yaml says.
func (x *commands) byRules(p *knownProgram, name string, args []shell.Word) {
	c := p.take(args)
	d, called, ok := p.does(c)
	rest := c.Operands[min(len(c.Operands), len(strings.Fields(called))):]
	if !ok || called == "" || strings.HasSuffix(called, " "+anything) {
		words := c
		if name == "gcloud" && len(c.Operands) > 0 && c.Operands[0].Text == "run" {
			words.Operands = c.Operands[1:] // a product
		}
		said, verb, at, found := x.tools.said(words)
		if found && (!ok || called == "" && said.worse() > d.worse() || called != "" && said.kind() == Read && d.kind() != Read) {
			d, called, ok, rest = said, verb, true, words.Operands[at+1:]
		}
	}
	called = strings.TrimSuffix(called, " "+anything)
	if !ok {
		switch {
		case len(args) == 0:
			d = "read"
		default:
			d, called = "execute", "with a subcommand that isn't known"
		}
	}
	object := p.Object
	if d == "read" && x.tools.builders[name] && testsOrChecks(c.Operands) {
		x.found("write", "run", "tests", strings.TrimSpace(name+" "+called)+" runs the project's own code")
		return
	}
	e := x.found(d, calledVerb(name, called, d), object, strings.TrimSpace(name+" "+called)+" "+verbsOf[d].phrase+" "+named1(rest, object))
	e.Breadth = e.Breadth.wider(x.breadth(rest))
	if d != "read" && d != sensitiveRead && slices.Contains([]string{"files", "file", "archive", "document", "source files", "build"}, object) {
		for _, w := range c.Operands {
			if clean := x.at(w.Text); strings.ContainsAny(clean, "/~") && isGuardingPath(clean) {
				x.guards(w, "writes")
			}
		}
		e = &x.all[len(x.all)-1]
	}
	if p.reaches(c) || d != "read" && d != "write" && c.everything() {
		e.Breadth = All
	}
	x.readsFiles(args)
}

// testsOrChecks reports whether a subcommand of a builder runs a target, a script or the
// tests of the project: its own code, which nobody read.
func testsOrChecks(operands []shell.Word) bool {
	if len(operands) == 0 {
		return false
	}
	first := strings.ToLower(operands[0].Text)
	if first == "run" || first == "run-script" {
		return true
	}
	for _, word := range strings.FieldsFunc(first, func(r rune) bool { return r == ':' || r == '-' || r == '_' || r == '/' }) {
		switch word {
		case wordlist.OneOf("effects.testWords", word):
			return true
		}
	}
	return false
}

// calledVerb is the verb of a subcommand, where it is a word that people know, and of several the one
// that does most: "terminate" of terminate-instances, "stop" of compute instances stop. Without a
// subcommand it may be the program's name.
func calledVerb(name, called string, d deed) string {
	if name == "git" && strings.HasPrefix(called, "push") && (strings.Contains(called, "-f") || strings.Contains(called, "+") || strings.Contains(called, "mirror")) {
		return "force-push"
	}
	verb, worst := "", Kind("")
	for _, part := range strings.FieldsFunc(cmp.Or(called, name), func(r rune) bool { return r == ' ' || r == ':' }) {
		for _, w := range split(part) {
			if short, ok := map[string]string{"rm": "remove", "rmi": "remove", "rb": "remove", "del": "delete"}[w.text]; ok {
				return short
			}
			kind := words().verbs[w.text]
			if kind == "" || strings.HasPrefix(part, "-") && kind == Permission || slices.Contains(wordlist.List("effects.noVerbs"), w.text) {
				continue // apply -auto-approve
			}
			if (called != "" || kind != Read) && (verb == "" || kind.severity() > worst.severity()) {
				verb, worst = w.text, kind
			}
		}
	}
	return cmp.Or(verb, verbsOf[d].verb)
}

// named1 is the first thing that is acted on, for a sentence.
func named1(rest []shell.Word, object string) string {
	switch {
	case len(rest) == 0:
		return object
	case len(rest) == 1:
		return short(rest[0].Text)
	}
	return short(rest[0].Text) + " and others"
}

// short is a text for a sentence.
func short(text string) string {
	const most = 80
	switch text {
	case "{}":
		return "what is found"
	case "-":
		return "its input"
	}
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}

// everything reports whether an option says that all is meant.
func (c cut) everything() bool {
	return c.Any(false, "--all", "--all-namespaces", "--all-projects", "--all-regions", "--everything")
}

// breadth is how much operands name.
func (x *commands) breadth(operands []shell.Word) Breadth {
	b := One
	for _, w := range operands {
		switch w.Text {
		case "*", "/", "--all":
			return All
		}
		if w.Glob {
			b = Several
		}
	}
	return b
}

// unknown reads a program that nobody knows. What leads its words may say that it reads:
// `x list`, `x projects list`.
func (x *commands) unknown(c shell.Command, name string, args []shell.Word) {
	var none *knownProgram
	cut := none.take(args)
	d, called, at, ok := x.tools.said(cut)
	if ok && at < 2 && (d == "read" || d == sensitiveRead || d.kind().severity() > Execute.severity()) {
		e := x.found(d, verbsOf[d].verb, "", name+" "+called+" "+verbsOf[d].phrase+" "+named1(cut.Operands[at+1:], ""))
		if d.kind() != Read && cut.everything() {
			e.Breadth = All
		}
		x.readsFiles(args)
		return
	}
	x.found("execute", "run", "program", short(c.Program())+" isn't a known program")
}

// outer reads a command that only runs another one: what it does beside that.
func (x *commands) outer(c shell.Command, name string, args []shell.Word) {
	switch name {
	case "docker", "podman", "nerdctl", "docker-compose":
		if slices.ContainsFunc(args, func(w shell.Word) bool { return w.Text == "exec" }) && !slices.ContainsFunc(args, func(w shell.Word) bool { return w.Text == "--privileged" }) {
			return
		}
		x.byRules(x.tools.programs[name], name, args)
	case "ssh", "autossh", "mosh":
		x.found("write", "log in", "machine", "ssh logs in on another machine")
		x.sshOptions(args)
	case wordlist.OneOf("effects.packageRunners", name):
		if slices.ContainsFunc(args, func(w shell.Word) bool {
			return slices.Contains([]string{"-p", "--package", "--from", "--with", "dlx"}, w.Text) || strings.HasPrefix(w.Text, "--package=") || strings.HasPrefix(w.Text, "--with=") || strings.HasPrefix(w.Text, "--from=")
		}) {
			x.found("execute", "run", "package", name+" runs a package that it fetches")
		}
	case "systemd-run":
		x.found("execute", "run", "service", "systemd-run starts a service")
	}
}
