package workspace

import (
	"path"
	"strings"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/program"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// Programs that send requests: curl, wget and httpie.

// curl judges curl.
func curl(w *walk, name string, args []shell.Word) {
	r := request{literal: true}
	var urls []shell.Word
	var outs []shell.Word
	remoteName := false
	get := false
	for i := 0; i < len(args); i++ {
		a := args[i]
		text := a.Text
		option, value, joined := strings.Cut(text, "=")
		take := func() shell.Word {
			if joined && strings.HasPrefix(option, "--") {
				return shell.Word{Text: value, Literal: a.Literal}
			}
			if !strings.HasPrefix(text, "--") && len(text) > 2 {
				return shell.Word{Text: text[2:], Literal: a.Literal}
			}
			if i+1 < len(args) {
				i++
				return args[i]
			}
			return shell.Word{Literal: true}
		}
		if len(text) > 2 && text[0] == '-' && text[1] != '-' { // -sSLo file
			at := strings.IndexAny(text[1:], curlLetters)
			if at < 0 {
				remoteName = remoteName || strings.Contains(text, "O")
				get = get || strings.Contains(text, "G")
				continue
			}
			remoteName = remoteName || strings.Contains(text[:at+1], "O")
			get = get || strings.Contains(text[:at+1], "G")
			a.Text = "-" + text[at+1:]
			text, option, joined = a.Text, a.Text[:2], false
		}
		switch option {
		case "-o", "--output":
			outs = append(outs, take())
		case "-O", "--remote-name", "--remote-name-all":
			remoteName = true
		case "--output-dir":
			w.writes(take(), "it writes")
		case "-X", "--request":
			r.method = strings.ToUpper(take().Text)
		case "-I", "--head":
			r.method = "HEAD"
		case "-G", "--get":
			get = true
		case "-d", "--data", "--data-raw", "--data-binary", "--data-ascii", "--data-urlencode", "--json":
			r.body = true
			body := take()
			if strings.HasPrefix(body.Text, "@") && option != "--data-raw" {
				body.Text = body.Text[1:]
				w.reads(body)
			} else if !body.Literal {
				r.literal = r.literal && !get
			}
		case "-F", "--form", "-T", "--upload-file":
			r.body = true
			body := take()
			if _, file, ok := strings.Cut(body.Text, "=@"); ok {
				body.Text, _, _ = strings.Cut(file, ";")
				w.reads(body)
			} else if option == "-T" || option == "--upload-file" {
				w.reads(body)
			}
		case "-H", "--header", "--proxy-header":
			h := take()
			if secretHeader(h.Text) {
				r.secret = true
			}
			if strings.Contains(h.Text, "$(") || strings.Contains(h.Text, "`") {
				r.literal = false
			}
			if strings.HasPrefix(h.Text, "@") {
				w.reads(shell.Word{Text: h.Text[1:], Literal: h.Literal})
				r.secret = true
			}
		case "-u", "--user", "--oauth2-bearer", "-E", "--cert", "--key", "--proxy-user", "--aws-sigv4", "--netrc-file":
			take()
			r.secret = true
		case "-b", "--cookie":
			take()
			r.secret = true
		case "-n", "--netrc", "--netrc-optional", "--negotiate", "--ntlm", "--delegation":
			r.secret = true
		case "-K", "--config", "-x", "--proxy", "--preproxy", "--socks5", "--socks4", "--socks5-hostname", "--resolve", "--connect-to", "--interface", "--doh-url", "--unix-socket", "--abstract-unix-socket", "--engine", "--dns-servers", "--local-port":
			v := take()
			if option == "--resolve" || option == "--connect-to" || option == "--unix-socket" && !strings.Contains(v.Text, "docker") {
				if strings.HasSuffix(v.Text, ":127.0.0.1") || strings.HasSuffix(v.Text, "localhost") {
					continue
				}
			}
			w.held(level.Medium, effects.Execute, "option", "curl "+option+" decides where it connects")
		case "-D", "--dump-header", "-c", "--cookie-jar", "--trace", "--trace-ascii", "--stderr", "--hsts", "--alt-svc", "--etag-save", "--libcurl":
			v := take()
			if v.Text != "-" {
				w.writes(v, "it writes")
			}
		case "--url":
			urls = append(urls, take())
		case "-w", "--write-out", "-m", "--max-time", "--connect-timeout", "--retry", "--retry-delay", "--retry-max-time", "-A", "--user-agent", "-e", "--referer", "-r", "--range", "--max-redirs", "--limit-rate", "-y", "-Y", "--cacert", "--capath", "--ciphers", "--tls-max", "--max-filesize", "-z", "--time-cond", "-C", "--continue-at", "--proto", "--proto-redir", "--proto-default", "--parallel-max", "--keepalive-time", "--expect100-timeout", "--etag-compare", "--noproxy", "--rate", "--variable", "-P", "--ftp-port", "-Q", "--quote", "-t":
			v := take()
			if (option == "-A" || option == "--user-agent" || option == "-e" || option == "--referer") && (!v.Literal || hasLongRun(strings.ReplaceAll(v.Text, " ", "/"))) {
				r.literal = false
			}
			if option == "-Q" || option == "--quote" || option == "--variable" {
				r.body = true
			}
		default:
			if strings.HasPrefix(text, "-") && len(text) > 1 {
				continue
			}
			urls = append(urls, a)
		}
	}
	if get {
		r.body = false
		if !r.literal {
			r.body = true
		}
	}
	w.requests(name, r, urls, outs, remoteName)
}

// curlLetters are letters of curl's options that take a value.
const curlLetters = "oXdFTHubEKxDcwmAeryYzCPQt"

// requests judges each address of a command, and the files that they are kept in.
func (w *walk) requests(name string, r request, urls, outs []shell.Word, remoteName bool) {
	if len(urls) == 0 {
		w.harmless(effects.Read, "read", name+" is given no address")
		return
	}
	for i, u := range urls {
		if strings.HasPrefix(u.Text, "file:") {
			w.reads(shell.Word{Text: strings.TrimPrefix(u.Text, "file://"), Literal: u.Literal})
			continue
		}
		one := r
		one.url, one.literal = u.Text, r.literal && u.Literal
		w.web(one)
		var to shell.Word
		switch {
		case i < len(outs):
			to = outs[i]
		case len(outs) > 0:
			to = outs[len(outs)-1]
		case remoteName:
			base, _, _ := strings.Cut(u.Text, "?")
			to = shell.Word{Text: path.Base(base), Literal: u.Literal}
		default:
			for _, d := range w.c.Redirects {
				if strings.HasPrefix(d.Op, ">") || d.Op == "&>" {
					w.downloads(u, d.File, true)
				}
			}
			continue
		}
		if to.Text == "-" || to.Text == "" {
			continue
		}
		w.writes(to, "it saves to")
		w.downloads(u, to, false)
	}
}

// downloads judges what is kept: data is plain, scripts and archives are code of others.
func (w *walk) downloads(from, to shell.Word, redirect bool) {
	s := w.word(to)
	if s.zone != inside && s.zone != temporary {
		return
	}
	host := from.Text
	if _, rest, ok := strings.Cut(host, "://"); ok {
		host = rest
	}
	host, _, _ = strings.Cut(host, "/")
	host, _, _ = strings.Cut(host, ":")
	if isThisMachine(host) {
		return
	}
	if redirect {
		w.fetched = append(w.fetched, s.path)
	}
	w.k.foreign(s.path, false)
	base, _, _ := strings.Cut(from.Text, "?")
	if isCode(base) || isCode(s.path) {
		w.found(verdict{level: level.Medium, cause: "foreign", because: "it downloads " + brief(path.Base(s.path)) + ", which is a script, a program or an archive", kind: effects.Write, verb: "download", object: "file", finding: Network, covers: &Scope{Of: "program", To: w.c.Program()}})
	}
}

// isCode reports whether a file may run, or hold what may.
func isCode(p string) bool {
	p = strings.ToLower(p)
	for _, end := range []string{
		".sh", ".bash", ".zsh", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".php", ".lua", ".ps1", ".bat", ".cmd", ".exe", ".msi", ".dmg", ".pkg", ".deb", ".rpm", ".apk", ".jar", ".war", ".whl", ".egg", ".gem", ".crate", ".nupkg",
		".zip", ".tar", ".tgz", ".tar.gz", ".tar.xz", ".tar.bz2", ".tbz", ".txz", ".tar.zst", ".gz", ".xz", ".bz2", ".zst", ".7z", ".rar", ".appimage", ".bin", ".run", ".so", ".dylib", ".dll", ".wasm", ".node", ".vsix", ".pkl", ".pickle", ".ipynb", ".mk",
	} {
		if strings.HasSuffix(p, end) {
			return true
		}
	}
	return false
}

func secretHeader(header string) bool {
	name, value, _ := strings.Cut(strings.ToLower(header), ":")
	name = strings.TrimSpace(name)
	switch name {
	case "accept", "content-type", "user-agent", "accept-language", "accept-encoding", "cache-control", "origin", "host", "range", "if-none-match", "referer", "connection", "pragma", "x-requested-with":
		return len(value) > 200
	case "authorization", "cookie", "proxy-authorization":
		return true
	}
	for _, word := range []string{"token", "key", "secret", "auth", "session", "password", "signature", "csrf"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return len(value) > 80
}

// wget judges wget: it keeps what it gets.
func wget(w *walk, name string, args []shell.Word) {
	r := request{literal: true}
	c := program.OptionsOf("wget").Take(args)
	var outs []shell.Word
	dir := ""
	spider := c.Has("--spider", false)
	for _, o := range c.Options {
		switch o.Name {
		case "--output-document":
			outs = append(outs, o.Value)
		case "--directory-prefix":
			dir = o.Value.Text + "/"
		case "--output-file", "--append-output", "--save-cookies", "--warc-file", "--rejected-log", "--hsts-file":
			w.writes(o.Value, "it writes")
		case "--post-data", "--body-data":
			r.body = true
		case "--post-file", "--body-file":
			r.body = true
			w.reads(o.Value)
		case "--method":
			r.method = strings.ToUpper(o.Value.Text)
		case "--header":
			r.secret = r.secret || secretHeader(o.Value.Text)
		case "--user", "--password", "--http-user", "--http-password", "--load-cookies", "--certificate", "--private-key":
			r.secret = true
		case "--recursive", "--mirror":
			w.held(level.Medium, effects.Read, "http", "wget follows links to whatever they lead to")
		case "--input-file", "--execute", "--config", "--use-askpass", "--base":
			w.held(level.Medium, effects.Execute, "option", "wget "+o.Name+" decides where it connects")
		}
	}
	urls := c.Operands
	for len(outs) == 0 && !spider && len(urls) > 0 {
		for _, u := range urls {
			base, _, _ := strings.Cut(strings.TrimSuffix(u.Text, "/"), "?")
			outs = append(outs, shell.Word{Text: dir + path.Base(base), Literal: u.Literal})
		}
	}
	w.requests(name, r, urls, outs, false)
}

// httpie is http and https: METHOD, address, and items that are sent.
func httpie(w *walk, name string, args []shell.Word) {
	all, c := operands("http", args)
	r := request{literal: true, secret: c.Any(false, "-a", "--auth", "--session", "--cert")}
	if c.Has("--proxy", false) {
		w.held(level.Medium, effects.Execute, "option", name+" --proxy decides where it connects")
	}
	if len(all) > 0 && strings.ToUpper(all[0].Text) == all[0].Text && strings.Trim(all[0].Text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "" {
		r.method = all[0].Text
		all = all[1:]
	}
	if len(all) == 0 {
		w.harmless(effects.Read, "read", name+" is given no address")
		return
	}
	for _, item := range all[1:] {
		switch {
		case strings.Contains(item.Text, "=="):
			r.literal = r.literal && item.Literal
		case strings.Contains(item.Text, "=") || strings.Contains(item.Text, "@"):
			r.body = true
		case strings.Contains(item.Text, ":"):
			r.secret = r.secret || secretHeader(item.Text)
		}
	}
	if w.c.Input != nil || w.c.From >= 0 {
		r.body = true
	}
	if strings.HasPrefix(all[0].Text, ":") {
		all[0].Text = "localhost" + all[0].Text
	}
	var outs []shell.Word
	if o, ok := c.Value("-o", "--output"); ok {
		outs = append(outs, o)
	}
	w.requests(name, r, all[:1], outs, false)
}
