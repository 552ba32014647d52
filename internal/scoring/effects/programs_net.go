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
}

func (x *commands) curl(_ shell.Command, args []shell.Word) {
	var t transfer
	for i := 0; i < len(args); i++ {
		w := args[i]
		name, value, inline := curlOption(w.Text)
		if name == "" {
			t.urls = append(t.urls, w)
			continue
		}
		takes := curlValues[name]
		if takes && !inline && i+1 < len(args) {
			i++
			value = args[i].Text
			w = args[i]
		}
		w.Text = value
		switch name {
		case "-X", "--request":
			t.method = strings.ToUpper(value)
		case "-d", "--data", "--data-raw", "--data-binary", "--data-urlencode", "--data-ascii", "--json", "-F", "--form", "--form-string", "--url-query":
			if name == "--url-query" {
				break
			}
			t.sends = true
			if at := strings.IndexAny(value, "@<"); at >= 0 && name != "--data-raw" && name != "--form-string" && (at == 0 || value[at-1] == '=') {
				file := w
				file.Text, _, _ = strings.Cut(value[at+1:], ";")
				t.uploads = append(t.uploads, file)
			}
		case "-T", "--upload-file":
			t.uploads = append(t.uploads, w)
			if t.method == "" {
				t.method = "PUT"
			}
		case "-G", "--get":
			t.method = "GET"
		case "-I", "--head":
			t.method = "HEAD"
		case "-o", "--output", "-D", "--dump-header", "-c", "--cookie-jar", "--trace", "--trace-ascii", "--stderr", "--hsts", "--alt-svc", "--etag-save":
			t.saves = append(t.saves, w)
		case "-O", "--remote-name", "--remote-name-all", "-J":
			t.saves = append(t.saves, shell.Word{Text: "download", Literal: true})
		case "-K", "--config":
			x.found("execute", "read", "settings", "curl does what a file says")
		case "--url":
			t.urls = append(t.urls, w)
		case "--mail-rcpt", "--mail-from":
			x.found("message", "send", "mail", "curl sends mail")
		case "-Q", "--quote":
			x.found("delete", "command", "server", "curl gives a server commands")
		case "-u", "--user", "-H", "--header", "-b", "--cookie", "--cert", "-E", "--key":
		}
	}
	x.transfers(t, "curl")
}

// curlOption is an option of curl and the value that stands in the same word.
func curlOption(text string) (name, value string, inline bool) {
	switch {
	case len(text) < 2 || text[0] != '-':
		return "", "", false
	case strings.HasPrefix(text, "--"):
		return text, "", false
	}
	for i := 1; i < len(text); i++ { // -sSLo file
		option := "-" + text[i:i+1]
		if curlValues[option] {
			return option, text[i+1:], i+1 < len(text)
		}
		if slices.Contains([]string{"-O", "-G", "-I", "-J"}, option) {
			name = option
		}
	}
	if name == "" {
		name = text[:2]
	}
	return name, "", false
}

var curlValues = func() set {
	all := set{}
	for _, v := range strings.Fields(`-X --request -d --data --data-raw --data-binary --data-urlencode --data-ascii --json -F --form --form-string --url-query -T --upload-file -o --output
		-D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --hsts --alt-svc --etag-save --etag-compare -K --config --url --mail-rcpt --mail-from --mail-auth -Q --quote -u --user -H
		--header -b --cookie -E --cert --cert-type --key --key-type --cacert --capath -A --user-agent -e --referer -x --proxy -U --proxy-user -m --max-time --connect-timeout --retry
		--retry-delay --retry-max-time -w --write-out --resolve --connect-to -r --range -z --time-cond -y -Y -C --continue-at --limit-rate --max-filesize --interface --local-port
		--ciphers --tls-max --tlsv --dns-servers --doh-url --unix-socket --abstract-unix-socket --socks5 --socks5-hostname --socks4 --oauth2-bearer --aws-sigv4 --output-dir
		--create-file-mode --rate --parallel-max --max-redirs --proto --proto-default --proto-redir --pass --noproxy --keepalive-time --ftp-port -P --variable --expand-url --netrc-file --krb`) {
		all[v] = true
	}
	return all
}()

func (x *commands) wget(_ shell.Command, args []shell.Word) {
	p := knownProgram{values: setOf(`-O --output-document -P --directory-prefix --post-data --post-file --body-data --body-file --header --method -o --output-file -a --append-output -i --input-file -U
		--user-agent --user --password -e --execute -t --tries -T --timeout -w --wait -A -R -D -l --level -Q --limit-rate --ca-certificate --load-cookies --save-cookies --http-user --http-password --referer -X -I`)}
	c := p.take(args)
	t := transfer{urls: c.operands}
	stdout, saved := false, false
	for _, o := range c.options {
		name, value, _ := strings.Cut(o.Text, "=")
		w := o
		w.Text = value
		switch {
		case name == "--post-data" || name == "--body-data":
			t.sends = true
		case name == "--post-file" || name == "--body-file":
			t.sends, t.uploads = true, append(t.uploads, w)
		case name == "--method":
			t.method = strings.ToUpper(value)
		case name == "-e" || name == "--execute" || name == "--use-askpass":
			x.found("execute", "read", "settings", "wget does what "+name+" says")
		case name == "-O" || name == "--output-document":
			saved = true
			stdout = stdout || value == "-" || value == "/dev/stdout" || value == "/dev/null"
			if value != "-" {
				t.saves = append(t.saves, w)
			}
		case strings.HasPrefix(o.Text, "-") && !strings.HasPrefix(o.Text, "--") && strings.HasSuffix(name, "O") && len(name) > 2: // -qO file, -qO-
			saved = true
			stdout = stdout || value == "-" || value == ""
			if value != "-" && value != "" {
				t.saves = append(t.saves, w)
			}
		case strings.HasSuffix(o.Text, "O-"), o.Text == "--spider":
			stdout = true
		case name == "-i" || name == "--input-file":
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
	operands := plain(args, "-a --auth -A --auth-type -o --output --session --proxy --timeout --verify --cert").operands
	t := transfer{}
	if len(operands) > 0 && strings.ToUpper(operands[0].Text) == operands[0].Text && isHTTPMethod(operands[0].Text) {
		t.method = operands[0].Text
		operands = operands[1:]
	}
	if len(operands) > 0 {
		t.urls, operands = operands[:1], operands[1:]
	}
	for _, w := range operands {
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
		x.requests(t.method, w, name, t.sends)
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
func (x *commands) requests(method string, target shell.Word, name string, body bool) {
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
	if !target.Literal && (strings.Contains(text, "$(") || strings.Contains(text, "`")) {
		x.found("message", "send", "data", name+" sends what another command prints in its address").Audience = Outside
	}
}

// hostAPI is gh api and glab api: a request with a method, or with fields, which make it
// a POST.
func (x *commands) hostAPI(name string, args []shell.Word) {
	p := knownProgram{values: setOf("-X --method -f --raw-field -F --field -H --header --input -q --jq -t --template -p --preview --cache --hostname")}
	c := p.take(args)
	t := transfer{urls: c.operands}
	for _, o := range c.options {
		option, value, _ := strings.Cut(o.Text, "=")
		switch option {
		case "-X", "--method":
			t.method = strings.ToUpper(value)
		case "-f", "--raw-field", "-F", "--field", "--input":
			t.sends = true
		default:
			if strings.HasPrefix(option, "-X") {
				t.method = strings.ToUpper(option[2:])
			}
		}
	}
	if len(c.operands) > 0 && c.operands[0].Text == "graphql" {
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
	p := knownProgram{values: setOf("-b -B -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w")}
	for _, o := range p.take(args).options {
		if n := o.Text[:min(2, len(o.Text))]; slices.Contains([]string{"-L", "-R", "-D", "-W", "-w"}, n) {
			x.found("permission", "open", "tunnel", "ssh "+n+" opens a tunnel")
		}
		if low := strings.ToLower(o.Text); strings.Contains(low, "proxycommand") || strings.Contains(low, "localcommand") {
			x.found("execute", "run", "command", "ssh -o runs a command of its own")
		}
	}
}
