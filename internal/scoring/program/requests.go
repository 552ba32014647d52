package program

import (
	"cmp"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/wordlist"
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
	q := sending{name: name, r: &act.HTTP{}}
	r := q.r
	if c.Unknown != "" {
		q.add(act.Unknown, shell.Word{Text: c.Unknown, Literal: true}, c.Unknown)
	}
	inURL := false
	for _, o := range c.Options {
		w := o.Value
		switch o.Name {
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
		case "--get":
			inURL = true
			r.Made = r.Made || slices.ContainsFunc(r.Data, func(w shell.Word) bool { return !w.Literal })
		case "--head":
			r.Method = "HEAD"
		case "--write-out":
			for _, part := range strings.Split(w.Text, "%output{")[1:] {
				w.Text, _, _ = strings.Cut(part, "}")
				r.Saves = append(r.Saves, w)
			}
		case "--url":
			r.URLs = append(r.URLs, w)
		case "--quote":
			r.Body = true
			q.add(act.Command, w, o.Name)
		case "--variable":
			r.Body = true
			if _, file, ok := strings.Cut(w.Text, "@"); ok {
				w.Text = file
				r.Uploads = append(r.Uploads, w)
			}
		default:
			q.option(o, inURL)
		}
	}
	r.URLs = append(c.Operands, r.URLs...)
	if name == "curlie" {
		q.override = cmp.Or(items(r), q.override)
	}
	if inURL {
		if r.Method == "" || r.Method == "POST" {
			r.Method = "GET"
		}
		r.Body = r.Made
	}
	return q.acts()
}

// sending is a request whose options are read.
type sending struct {
	name     string
	r        *act.HTTP
	all      []act.Act // beside it
	override string    // the method that a header asks for
}

func (q *sending) add(v act.Verb, target shell.Word, option string) {
	q.all = append(q.all, act.Act{Verb: v, Target: target, Reason: act.Because("option", q.name, option)})
}

func (q *sending) acts() []act.Act {
	q.r.Method = cmp.Or(q.override, q.r.Method)
	return append(q.all, act.Act{Verb: act.Request, HTTP: q.r, Reason: act.Because("request", q.name)})
}

// option reads an option by what it is for. inURL says that what is sent goes into the address.
func (q *sending) option(o Option, inURL bool) {
	r, w := q.r, o.Value
	switch o.Role() {
	case "method":
		r.Method = strings.ToUpper(w.Text)
	case "header":
		if file, ok := strings.CutPrefix(w.Text, "@"); ok {
			w.Text = file
			r.Secret, r.Uploads = true, append(r.Uploads, w)
		}
		q.override = cmp.Or(overrideOf(w.Text), q.override)
		header(r, w.Text)
	case "body":
		r.Body = true
		if file, ok := curlFile(o.Name, w.Text); ok && q.name != "wget" {
			w.Text = file
			r.Uploads = append(r.Uploads, w)
		} else {
			r.Data = append(r.Data, w)
			r.Made = r.Made || !w.Literal && inURL
		}
	case "upload":
		if r.Body, r.Uploads = true, append(r.Uploads, w); r.Method == "" && q.name != "wget" {
			r.Method = "PUT"
		}
	case "said":
		r.Said = append(r.Said, w)
	case "secret":
		r.Secret = true
	case "document":
		r.Outputs = append(r.Outputs, w)
	case "output":
		r.Saves = append(r.Saves, w)
	case "named":
		r.Named = true
	case "script":
		q.add(act.Load, w, o.Name)
	case "mail":
		q.add(act.Mail, w, o.Name)
	case "connection":
		q.add(act.Connect, w, o.Name)
	case "follows":
		q.all = append(q.all, act.Act{Verb: act.Read, Reason: act.Because("links", q.name)})
	}
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
	q := sending{name: name, r: &act.HTTP{URLs: c.Operands, Named: true}}
	for _, o := range c.Options {
		switch o.Name {
		case "--directory-prefix":
			q.r.Folder = o.Value.Text + "/"
		case "--spider":
			q.r.Named = false
		default:
			q.option(o, false)
		}
	}
	return q.acts()
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
	r.Method = cmp.Or(items(r), r.Method)
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
		override = cmp.Or(overrideOf(w.Text), override)
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

var methods = setOf(wordlist.Text("program.methods"))

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
	case wordlist.OneOf("program.plainHeaders", name):
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
