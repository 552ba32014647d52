package effects

import (
	"cmp"
	"net/url"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/program"
	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// What commands send and fetch.

// transfers adds what a request does.
func (x *commands) transfers(t *act.HTTP, name string) {
	method := t.Method
	if method == "" {
		method = "GET"
		if t.Body {
			method = "POST"
		}
	}
	x.sendsOutput(x.current)
	urls := t.URLs
	if len(urls) == 0 {
		urls = []shell.Word{{Text: "", Literal: true}}
	}
	for i, w := range urls {
		x.requests(cmp.Or(program.OverriddenBy(w.Text), method), w, name)
		if i == maxEvidence {
			break
		}
	}
	for _, w := range t.Uploads {
		if x.isSecret(w.Text) {
			x.found("permission", "send", "secret file", name+" sends "+short(w.Text)+" away")
		}
		x.found("message", "send", "file", name+" sends "+short(w.Text)).Audience = Outside
	}
	saves := append(t.Saves[:len(t.Saves):len(t.Saves)], t.Outputs...)
	if t.Named && len(t.Outputs) == 0 {
		saves = append(saves, shell.Word{Text: "download", Literal: true})
	}
	for _, w := range saves {
		if !isSink(w.Text) {
			x.writes(w, "saves")
		}
	}
}

// requests adds what one request does.
func (x *commands) requests(method string, target shell.Word, name string) {
	text := target.Text
	full := text
	if full != "" && !strings.Contains(full, "://") {
		full = "http://" + full
	}
	n := named{kind: Read, verb: "request"}
	switch method {
	case "POST", "PUT", "PATCH":
		n.kind, n.verb = Write, strings.ToLower(method)
	case "GET", "HEAD", "OPTIONS":
	case "DELETE", "PURGE":
		n.kind, n.verb = Delete, "delete"
	default:
		n.kind = Unknown
	}
	words().requested(&n, full, method)
	if method == "GET" || method == "HEAD" || method == "OPTIONS" {
		if n.kind == Execute || n.kind == Write {
			n.kind = Read
		}
	}
	why := name + " sends " + method + " to " + short(text)
	if n.kind == Read {
		why = name + " fetches " + short(text)
	}
	x.found(deed(n.kind), n.verb, n.object, why)
	if n.kind == Read && isInsideAddress(full) && !isOwnMachine(full) || strings.HasPrefix(strings.ToLower(text), "file:") {
		x.found(sensitiveRead, "fetch", "internal address", name+" fetches "+short(text)+", which can only be reached from inside")
	}
	if u, err := url.Parse(full); err == nil && slices.Contains([]string{"gopher", "dict", "ldap", "telnet", "smtp", "smtps"}, u.Scheme) {
		x.found("execute", "send", "request", name+" speaks "+u.Scheme)
	}
	if !target.Literal && printed(text) {
		x.found("message", "send", "data", name+" sends what another command prints in its address").Audience = Outside
	}
}

// isOwnMachine reports whether an address is of the machine itself.
func isOwnMachine(full string) bool {
	u, err := url.Parse(full)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && slices.Contains([]string{"localhost", "127.0.0.1", "::1", "0.0.0.0"}, u.Hostname())
}

// opensShell is a shell on another machine, or of another user, without a command.
func (x *commands) opensShell(c shell.Command, args []shell.Word) {
	if c.Program() == "sudo" && len(args) > 0 && slices.Contains([]string{"-l", "--list", "-v", "-k", "-K"}, args[0].Text) {
		x.found("read", "list", "rights", "sudo lists rights")
		return
	}
	if c.Program() == "ssh" {
		x.sshOptions(args)
	}
	x.found("execute", "open", "shell", c.Program()+" opens a shell")
}

// sshOptions adds what options of ssh do: tunnels, and commands of its own.
func (x *commands) sshOptions(args []shell.Word) {
	for _, o := range taken("ssh", args).Options {
		if n := o.Word.Text[:min(2, len(o.Word.Text))]; slices.Contains([]string{"-L", "-R", "-D", "-W", "-w"}, n) {
			x.found("permission", "open", "tunnel", "ssh "+n+" opens a tunnel")
		}
		if low := strings.ToLower(o.Word.Text + " " + o.Value.Text); strings.Contains(low, "proxycommand") || strings.Contains(low, "localcommand") {
			x.found("execute", "run", "command", "ssh -o runs a command of its own")
		}
	}
}

// askers are programs whose arguments travel: a name that they look up is sent to whoever
// answers for it.
var askers = setOf(wordlist.Text("effects.askers"))

// clients are programs that speak with a server that an option or a URL among their words
// may choose.
var clients = setOf(wordlist.Text("effects.clients"))

// expands adds that a network program is given what another command prints, or a secret
// variable, in its arguments.
func (x *commands) expands(name string, c shell.Command, args []shell.Word) {
	if name == "openssl" && len(args) > 0 && args[0].Text == "s_client" {
		file := slices.ContainsFunc(c.Redirects, func(d shell.Redirect) bool { return d.Op == "<" && !isSink(d.File.Text) })
		if file || c.From >= 0 && c.Input == nil {
			x.leaks, x.leaked = c, true
			x.found("message", "send", "data", "openssl s_client sends what it is given").Audience = Outside
		}
		return
	}
	if !askers[name] && !clients[name] {
		return
	}
	for i, w := range args {
		if w.Literal || clients[name] && !strings.Contains(w.Text, "://") && !(i > 0 && choosesServer(args[i-1].Text)) && !choosesServer(w.Text) {
			continue
		}
		what := x.carried(w.Text)
		if what == "" {
			continue
		}
		x.leaks, x.leaked = c, true
		x.found("message", "send", "data", name+" sends "+what+" to where it goes").Audience = Outside
		return
	}
}

// choosesServer reports whether an option says where to, or as whom.
func choosesServer(option string) bool {
	name, _, _ := strings.Cut(option, "=")
	return slices.Contains(wordlist.List("effects.serverOptions"), name)
}

// carried is what an expansion puts into a word, for a sentence; "" for nothing that
// matters.
func (x *commands) carried(text string) string {
	if printed(text) {
		return "what a command prints"
	}
	for _, name := range program.VariablesIn(text) {
		if program.IsSecretVariable(name) || x.fromCommand(name) {
			return "the variable " + short(name)
		}
	}
	return ""
}

// printed reports whether a command of which it matters what it prints stands in a word: a
// date or a number says nothing of the machine.
func printed(text string) bool {
	for _, substitution := range append(strings.Split(text, "$(")[1:], oddOnes(strings.Split(text, "`"))...) {
		if strings.HasPrefix(substitution, "(") {
			continue // arithmetic
		}
		command, _, _ := strings.Cut(strings.TrimLeft(substitution, " "), ")")
		first, _, _ := strings.Cut(command, " ")
		if strings.ContainsAny(command, "|;&<`\n") || !slices.Contains([]string{"date", "seq", "uuidgen", "mktemp", "nproc", "jot"}, first) {
			return true
		}
	}
	return false
}

func oddOnes(parts []string) []string {
	var odd []string
	for i := 1; i < len(parts); i += 2 {
		odd = append(odd, parts[i])
	}
	return odd
}

// fromCommand reports whether the text sets a variable to what a command prints.
func (x *commands) fromCommand(name string) bool {
	for _, c := range x.script.Commands {
		for _, a := range c.Assigns {
			if a.Name == name && !a.Value.Literal && printed(a.Value.Text) {
				return true
			}
		}
	}
	return false
}
