package effects

import (
	"net/url"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/shell"
)

// What commands send and fetch.

// transfer is a request of curl, wget or the like.
type transfer struct {
	method  string
	urls    []shell.Word
	sends   bool // it has a body
	uploads []shell.Word
	saves   []shell.Word // files that it writes
	// override is the method that a header asks for instead.
	override string
}

func (x *commands) wget(_ shell.Command, args []shell.Word) {
	c := taken("wget", args)
	t := transfer{urls: c.Operands}
	stdout, saved := false, false
	for _, o := range c.Options {
		name, w, value := o.Name, o.Value, o.Value.Text
		switch name {
		case "--post-data", "--body-data":
			t.sends = true
		case "--post-file", "--body-file":
			t.sends, t.uploads = true, append(t.uploads, w)
		case "--method":
			t.method = strings.ToUpper(value)
		case "--header":
			t.header(value)
		case "--execute", "--use-askpass", "--config":
			x.found("execute", "read", "settings", "wget does what "+name+" says")
		case "--output-document":
			saved = true
			stdout = stdout || isSink(value)
			if value != "-" {
				t.saves = append(t.saves, w)
			}
		case "--output-file", "--append-output", "--save-cookies", "--warc-file", "--rejected-log", "--hsts-file":
			t.saves = append(t.saves, w)
		case "--spider":
			stdout = true
		case "--input-file":
			t.saves = append(t.saves, shell.Word{Text: "download", Literal: true})
		}
	}
	if !stdout && !saved {
		t.saves = append(t.saves, shell.Word{Text: "download", Literal: true})
	}
	x.transfers(t, "wget")
}

// httpie is http POST url name=value.
func (x *commands) httpie(c shell.Command, args []shell.Word) {
	operands := taken("http", args).Operands
	t := transfer{}
	if len(operands) > 0 && isHTTPMethod(strings.ToUpper(operands[0].Text)) {
		t.method = strings.ToUpper(operands[0].Text)
		operands = operands[1:]
	}
	if len(operands) > 0 {
		t.urls, operands = operands[:1], operands[1:]
	}
	for _, w := range operands {
		t.header(w.Text)
		if strings.Contains(w.Text, "==") || strings.Contains(w.Text, ":") && !strings.Contains(w.Text, "=") {
			continue
		}
		t.sends = true
		if _, file, ok := strings.Cut(w.Text, "@"); ok {
			w.Text = file
			t.uploads = append(t.uploads, w)
		}
	}
	if c.Input != nil || c.From >= 0 {
		t.sends = true
	}
	x.transfers(t, "http")
}

// transfers adds what a request does.
func (x *commands) transfers(t transfer, name string) {
	if t.override != "" {
		t.method = t.override
	}
	if t.method == "" {
		t.method = "GET"
		if t.sends || len(t.uploads) > 0 {
			t.method = "POST"
		}
	}
	x.sendsOutput(x.current)
	if len(t.urls) == 0 {
		t.urls = []shell.Word{{Text: "", Literal: true}}
	}
	for i, w := range t.urls {
		method := t.method
		if said := overriddenBy(w.Text); said != "" {
			method = said
		}
		x.requests(method, w, name)
		if i == maxEvidence {
			break
		}
	}
	for _, w := range t.uploads {
		if x.isSecret(w.Text) {
			x.found("permission", "send", "secret file", name+" sends "+short(w.Text)+" away")
		}
		x.found("message", "send", "file", name+" sends the file "+short(w.Text)).Audience = Outside
	}
	for _, w := range t.saves {
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

// hostAPI is gh api and glab api: a request with a method, or with fields, which make it
// a POST.
func (x *commands) hostAPI(name string, args []shell.Word) {
	c := taken(name+" api", args)
	t := transfer{urls: c.Operands}
	for _, o := range c.Options {
		switch o.Name {
		case "--method":
			t.method = strings.ToUpper(o.Value.Text)
		case "--raw-field", "--field", "--input":
			t.sends = true
		}
	}
	if len(c.Operands) > 0 && c.Operands[0].Text == "graphql" {
		if strings.Contains(strings.ToLower(joinWords(args)), "mutation") {
			x.found("write", "change", "", name+" api sends a mutation")
		} else {
			x.found("read", "query", "", name+" api sends a query")
		}
		return
	}
	x.transfers(t, name+" api")
}

func joinWords(all []shell.Word) string {
	var b strings.Builder
	for _, w := range all {
		b.WriteString(w.Text + " ")
	}
	return b.String()
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
var askers = setOf("ping ping6 traceroute tracepath tracert pathping mtr dig nslookup host whois drill gping dog doggo nc ncat netcat telnet curl wget http https xh httpie curlie")

// clients are programs that speak with a server that an option or a URL among their words
// may choose.
var clients = setOf("git aws kubectl oc gcloud az helm gh glab docker podman rclone")

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
	return slices.Contains([]string{"--endpoint", "--endpoint-url", "--server", "-s", "--token", "--kube-apiserver", "--host", "-H", "--hostname"}, name)
}

// carried is what an expansion puts into a word, for a sentence; "" for nothing that
// matters.
func (x *commands) carried(text string) string {
	if printed(text) {
		return "what a command prints"
	}
	for _, part := range strings.Split(text, "$")[1:] {
		part = strings.TrimLeft(part, "{!")
		if end := strings.IndexFunc(part, func(r rune) bool { return r != '_' && !isLetter(r) && (r < '0' || r > '9') }); end >= 0 {
			part = part[:end]
		}
		if part != "" && (isSecretName(part) || x.fromCommand(part)) {
			return "the variable " + short(part)
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
