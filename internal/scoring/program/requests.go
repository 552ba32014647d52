package program

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// Programs that send requests: curl, wget and httpie.

// curl reads curl.
func curl(name string, args []shell.Word, _ shell.Command) []act.Act {
	args = slices.Clone(args)
	for i := range args { // --expand-data reads variables in what --data sends
		if rest, ok := strings.CutPrefix(args[i].Text, "--expand-"); ok {
			args[i].Text = "--" + rest
		}
	}
	c := OptionsOf("curl").Take(args)
	r := &act.HTTP{}
	var all []act.Act
	add := func(v act.Verb, target shell.Word, option string) {
		all = append(all, act.Act{Verb: v, Target: target, Reason: act.Because("option", name, option)})
	}
	if c.Unknown != "" {
		add(act.Unknown, shell.Word{Text: c.Unknown, Literal: true}, c.Unknown)
	}
	inURL, override := false, ""
	for _, o := range c.Options {
		w := o.Value
		switch o.Name {
		case "--request":
			r.Method = strings.ToUpper(w.Text)
		case "--url-query":
			if file, ok := curlFile("--data-urlencode", w.Text); ok {
				w.Text = file
				r.Uploads = append(r.Uploads, w)
			}
			r.Said = append(r.Said, w)
		case "--etag-compare": // what stands there is sent
			r.Uploads = append(r.Uploads, w)
		case "--cookie":
			if r.Secret = true; !strings.Contains(w.Text, "=") { // a file of them
				r.Uploads = append(r.Uploads, w)
			}
		case "--data", "--data-raw", "--data-binary", "--data-urlencode", "--data-ascii", "--json", "--form", "--form-string":
			r.Body = true
			if file, ok := curlFile(o.Name, w.Text); ok {
				w.Text = file
				r.Uploads = append(r.Uploads, w)
			} else {
				r.Data = append(r.Data, w)
				r.Made = r.Made || !w.Literal && inURL
			}
		case "--upload-file":
			r.Body, r.Uploads = true, append(r.Uploads, w)
			if r.Method == "" {
				r.Method = "PUT"
			}
		case "--get":
			inURL = true
			r.Made = r.Made || slices.ContainsFunc(r.Data, func(w shell.Word) bool { return !w.Literal })
		case "--head":
			r.Method = "HEAD"
		case "--output":
			r.Outputs = append(r.Outputs, w)
		case "--dump-header", "--cookie-jar", "--trace", "--trace-ascii", "--stderr", "--hsts", "--alt-svc", "--etag-save", "--libcurl", "--output-dir", "--ssl-sessions":
			r.Saves = append(r.Saves, w)
		case "--write-out":
			for _, part := range strings.Split(w.Text, "%output{")[1:] {
				w.Text, _, _ = strings.Cut(part, "}")
				r.Saves = append(r.Saves, w)
			}
		case "--remote-name", "--remote-name-all", "--remote-header-name":
			r.Named = true
		case "--config":
			add(act.Load, w, o.Name)
		case "--url":
			r.URLs = append(r.URLs, w)
		case "--mail-rcpt", "--mail-from":
			add(act.Mail, w, o.Name)
		case "--quote":
			r.Body = true
			add(act.Command, w, o.Name)
		case "--header", "--proxy-header":
			if file, ok := strings.CutPrefix(w.Text, "@"); ok {
				w.Text = file
				r.Secret, r.Uploads = true, append(r.Uploads, w)
			}
			override = cmpOr(overrideOf(w.Text), override)
			header(r, w.Text)
		case "--user-agent", "--referer":
			r.Said = append(r.Said, w)
		case "--variable":
			r.Body = true
			if _, file, ok := strings.Cut(w.Text, "@"); ok {
				w.Text = file
				r.Uploads = append(r.Uploads, w)
			}
		case "--user", "--oauth2-bearer", "--cert", "--key", "--proxy-user", "--aws-sigv4", "--netrc-file", "--netrc", "--netrc-optional", "--negotiate", "--ntlm", "--delegation":
			r.Secret = true
		case "--proxy", "--preproxy", "--socks5", "--socks4", "--socks4a", "--socks5-hostname", "--proxy1.0", "--resolve", "--connect-to", "--interface", "--doh-url", "--unix-socket", "--abstract-unix-socket", "--engine",
			"--dns-servers", "--local-port":
			add(act.Connect, w, o.Name)
		}
	}
	r.URLs = append(c.Operands, r.URLs...)
	if name == "curlie" {
		override = cmpOr(items(r), override)
	}
	if inURL {
		if r.Method == "" || r.Method == "POST" {
			r.Method = "GET"
		}
		r.Body = r.Made
	}
	r.Method = cmpOr(override, r.Method)
	return append(all, act.Act{Verb: act.Request, HTTP: r, Reason: act.Because("request", name)})
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// curlFile is the file that an option of curl sends: @file, name=@file or name@file.
func curlFile(name, value string) (string, bool) {
	at := strings.IndexAny(value, "@<")
	switch {
	case at < 0 || name == "--data-raw" || name == "--form-string":
		return "", false
	case name == "--data-urlencode" && !strings.Contains(value[:at], "=") && value[at] == '@', at == 0, value[at-1] == '=' && name != "--data-urlencode":
		file, _, _ := strings.Cut(value[at+1:], ";")
		return file, true
	}
	return "", false
}

// overrides are the headers and parameters by which a request asks to be taken for one of
// another method.
var overrides = setOf("x-http-method-override x-http-method x-method-override _method")

// overrideOf is the method that a header asks for, "" for none.
func overrideOf(header string) string {
	if name, value, ok := strings.Cut(header, ":"); ok && overrides[strings.ToLower(strings.TrimSpace(name))] {
		return strings.ToUpper(strings.TrimSpace(value))
	}
	return ""
}

// OverriddenBy is the method that the address of a request asks for, "" for none.
func OverriddenBy(address string) string {
	_, query, _ := strings.Cut(address, "?")
	for _, pair := range strings.FieldsFunc(query, func(r rune) bool { return r == '&' || r == ';' || r == '#' }) {
		if name, value, _ := strings.Cut(pair, "="); overrides[strings.ToLower(name)] {
			return strings.ToUpper(value)
		}
	}
	return ""
}

// wget reads wget: it keeps what it gets.
func wget(name string, args []shell.Word, _ shell.Command) []act.Act {
	c := OptionsOf(name).Take(args)
	r := &act.HTTP{URLs: c.Operands, Named: true}
	var all []act.Act
	add := func(v act.Verb, o Option) {
		all = append(all, act.Act{Verb: v, Target: o.Value, Reason: act.Because("option", name, o.Name)})
	}
	override := ""
	for _, o := range c.Options {
		w := o.Value
		switch o.Name {
		case "--post-data", "--body-data":
			r.Body, r.Data = true, append(r.Data, w)
		case "--post-file", "--body-file":
			r.Body, r.Uploads = true, append(r.Uploads, w)
		case "--method":
			r.Method = strings.ToUpper(w.Text)
		case "--header":
			override = cmpOr(overrideOf(w.Text), override)
			header(r, w.Text)
		case "--execute", "--use-askpass", "--config":
			add(act.Load, o)
		case "--input-file", "--base":
			add(act.Connect, o)
		case "--output-document":
			r.Outputs = append(r.Outputs, w)
		case "--directory-prefix":
			r.Folder = w.Text + "/"
		case "--output-file", "--append-output", "--save-cookies", "--warc-file", "--rejected-log", "--hsts-file":
			r.Saves = append(r.Saves, w)
		case "--spider":
			r.Named = false
		case "--recursive", "--mirror":
			all = append(all, act.Act{Verb: act.Read, Reason: act.Because("links", name)})
		case "--user", "--password", "--http-user", "--http-password", "--load-cookies", "--certificate", "--private-key":
			r.Secret = true
		}
	}
	r.Method = cmpOr(override, r.Method)
	return append(all, act.Act{Verb: act.Request, HTTP: r, Reason: act.Because("request", name)})
}

// httpie reads http, https and xh: METHOD, address, and items that are sent.
func httpie(name string, args []shell.Word, c shell.Command) []act.Act {
	cut := OptionsOf("http").Take(args)
	r := &act.HTTP{URLs: cut.Operands, Secret: cut.Any(true, "-a", "--auth", "--session", "--session-read-only", "--cert")}
	var all []act.Act
	if proxy, ok := cut.Value("--proxy"); ok {
		all = append(all, act.Act{Verb: act.Connect, Target: proxy, Reason: act.Because("option", name, "--proxy")})
	}
	if to, ok := cut.Value("-o", "--output"); ok {
		r.Outputs = []shell.Word{to}
	}
	r.Named = cut.Any(true, "-d", "--download")
	r.Body = c.Input != nil || c.From >= 0
	r.Method = cmpOr(items(r), r.Method)
	return append(all, act.Act{Verb: act.Request, HTTP: r, Reason: act.Because("request", name)})
}

// items takes the method in front of the address, and the items behind it, from the operands of
// httpie: name=value, name==value, name:value and name@file. It returns the method that a
// header asks for.
func items(r *act.HTTP) (override string) {
	if len(r.URLs) > 0 && (methods[strings.ToUpper(r.URLs[0].Text)] || strings.Trim(r.URLs[0].Text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == "") {
		r.Method, r.URLs = strings.ToUpper(r.URLs[0].Text), r.URLs[1:]
	}
	if len(r.URLs) == 0 {
		return ""
	}
	rest := r.URLs[1:]
	r.URLs = r.URLs[:1:1]
	if strings.HasPrefix(r.URLs[0].Text, ":") {
		r.URLs[0].Text = "localhost" + r.URLs[0].Text
	}
	for _, w := range rest {
		override = cmpOr(overrideOf(w.Text), override)
		switch at := strings.IndexAny(w.Text, "=:@"); {
		case at < 0:
			r.Body = true
		case strings.HasPrefix(w.Text[at:], "=="):
			r.Made = r.Made || !w.Literal
		case w.Text[at] == ':' && !strings.HasPrefix(w.Text[at:], ":="):
			header(r, w.Text)
		default:
			r.Body = true
			if name, file, ok := strings.Cut(w.Text, "@"); ok && !strings.ContainsAny(strings.TrimRight(name, ":="), ":=") {
				w.Text = file
				r.Uploads = append(r.Uploads, w)
			} else {
				r.Data = append(r.Data, w)
			}
		}
	}
	return override
}

var methods = setOf("GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT PURGE")

// header reads a header: whether it is a credential, or known only when it runs.
func header(r *act.HTTP, text string) {
	r.Secret = r.Secret || SecretHeader(text)
	r.Made = r.Made || strings.Contains(text, "$(") || strings.Contains(text, "`")
}

// SecretHeader reports whether a header is a credential, or as long as one.
func SecretHeader(header string) bool {
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
