package code

import (
	"regexp"
	"strings"

	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// requests reads a call that sends an HTTP request. A request that fetches is a read only
// where it brings nothing out: see brings.
func (p *Program) requests(u use, flags act.Flags) {
	name := u.path[strings.LastIndexAny(u.path, "./")+1:]
	args, request := p.arguments(u), &act.HTTP{}
	verb := strings.ToLower(strings.TrimSuffix(name, "Form"))
	request.Method = httpMethod(verb)
	said, method, urlAt := request.Method != "", "", 0
	switch first, _, _ := strings.Cut(u.path, "."); {
	case said:
	case tables().Channels[verb]:
		request.Method, said = "CONNECT", true // what is sent over it later nobody sees
	case verb == "sendbeacon":
		request.Method, said = "POST", true
	case verb == "del":
		request.Method, said = "DELETE", true
	case name == "open" || oneOf(name, "request stream urlopen") && (oneOf(first, "requests httpx aiohttp urllib3") || flags != 0):
		if len(args) > 0 && args[0].name == "" {
			method, urlAt, said = methodOf(args[0]), 1, true
			request.Method = method
		}
	}
	if !said {
		request.Method = "GET"
	}
	addressed := false
	for i, a := range args {
		switch key := strings.ToLower(a.name); {
		case key == "" && i == urlAt, oneOf(key, "url uri hostname host") && !addressed:
			request.URLs, addressed = append(request.URLs, p.address(a)), true
		case key == "method" && (!said || urlAt == 1 && i != 0) || key == "type" && strings.HasPrefix(u.path, "$"):
			request.Method, said = methodOf(a), true
		case oneOf(key, "data body json files content"):
			request.Body = true
		case oneOf(key, "auth cert cookies"):
			request.Secret = true
		case key == "headers":
			request.Secret = request.Secret || isCredential(a.source) || p.hasCredential()
		case key == "*":
			request.Method, said = "", true
		case key == "" && i == urlAt+1 && !p.js && (name == "urlopen" || name == "Request"): // urlopen(address, data)
			request.Body = true
		case key == "" && i > urlAt && p.js && !a.literal: // fetch(url, options), axios.get(url, config)
			request.Secret = request.Secret || isCredential(a.source) || p.hasCredential()
			if httpMethod(verb) == "" {
				request.Method, said = "", true
			}
		}
	}
	if len(args) == 0 {
		request.URLs = []shell.Word{{Literal: true}}
	}
	request.Secret = request.Secret || strings.Contains(u.path, "Session") && p.hasCredential()
	fetches := oneOf(request.Method, "GET HEAD OPTIONS")
	if fetches && request.Body {
		request.Method = "POST"
	}
	p.acts(act.Act{Verb: act.Request, Text: u.path, HTTP: request, Flags: flags}, u.at)
	if fetches && p.at(u.call).Is("(") {
		p.brings(u.call+1, min(int(p.closing[u.call]), len(p.tokens)), u.at, 0)
	}
}

// httpMethod is the method that a function's name is; "" for none.
func httpMethod(name string) string {
	if name == strings.ToLower(name) && IsHTTPMethod(name) && name != "purge" {
		return strings.ToUpper(name)
	}
	return ""
}

// methodOf is the HTTP method that an argument is; "" where that is not known.
func methodOf(a argument) string {
	if !a.literal || !IsHTTPMethod(a.text) {
		return ""
	}
	return strings.ToUpper(strings.TrimSpace(a.text))
}

// address is an argument that is an address: where it begins with a name that has a text,
// with that text.
func (p *Program) address(a argument) shell.Word {
	w := a.word()
	if value, ok := p.value(firstName(a.source)); ok && !w.Literal && (w.Text == "" || w.Text[0] == '{' || strings.HasPrefix(w.Text, putIn)) {
		w.Text = value
		w.Literal = strings.Count(a.source, "{") == 1 && strings.ContainsAny(a.source[:min(2, len(a.source))], "'\"`") && strings.Contains(value, "://") // f"{BASE}/items"
	}
	return w
}

var credential = regexp.MustCompile(`(?i)authorization|bearer |api[-_]?key|access[-_]?token|auth[-_]?token|secret|password|x-auth|session_?token|_token\b|\btoken\b|cookie`)

func isCredential(text string) bool { return len(text) < 4096 && credential.MatchString(text) }

// hasCredential reports whether a text of the program has one, or names one.
func (p *Program) hasCredential() bool {
	if p.credentials == nil {
		p.credentials = new(bool)
		for _, t := range p.tokens {
			*p.credentials = *p.credentials || t.Kind == Text && isCredential(t.Text)
		}
	}
	return *p.credentials
}

// brings looks at what a request that fetches is made of. What the text made itself may
// stand in it: a page's number. What it read, or what is defined nowhere, goes out with
// the request. calls is how many of the names that read stand for the request itself.
func (p *Program) brings(from, to, at, calls int) {
	own := false
	for i := from; i < to; i++ {
		t := p.at(i)
		if t.Kind != Name || p.Keywords[t.Text] || p.at(i-1).Is(".") || p.at(i-1).Is("?.") || p.isDefinition(i) {
			continue
		}
		o, _ := p.rootOf(i)
		text, named := p.texts[t.Text]
		switch {
		case named && text >= 0 && endsArgument(p.at(text+1)), p.Constants[t.Text] && p.names[t.Text].class == isValue:
		case o.class == isUnknown:
			p.does(act.Deed{Kind: "message", Verb: "send", Object: "data", Outside: true}, at, "sends "+Plain(t.Text)+", which isn't defined here, with the request")
			return
		case o.class == isHandle && isRequestPath(o.path), o.class == isModule && isRequestPath(o.path):
		default:
			own = true
		}
	}
	if own && p.readsData() > calls {
		p.does(act.Deed{Kind: "message", Verb: "send", Object: "data", Outside: true}, at, "sends what it read with the request")
	}
}

// isRequestPath reports whether a path is of what makes requests, and so no data.
func isRequestPath(path string) bool {
	first, _, _ := strings.Cut(path, ".")
	return tables().Requesters[first]
}

// readsData is how often the text reads anything of its surroundings, which may then stand
// in any of its values.
func (p *Program) readsData() int {
	if p.reads < 0 {
		p.reads = 0
		for i, t := range p.tokens {
			if t.Kind == Name && (tables().Data[t.Text] || strings.HasPrefix(t.Text, "read_")) && !p.isDefinition(i) {
				p.reads++
			}
		}
	}
	return p.reads
}

// readsAddress reads a call that reads a file, or what stands at an address.
func (p *Program) readsAddress(l link) {
	a, ok := p.argument(l, 0, "filepath_or_buffer io path_or_buf source fname url")
	if !ok || a.literal || !strings.Contains(a.text, "://") {
		return
	}
	end := a.at
	for end < len(p.tokens) && !endsArgument(p.at(end)) {
		end = p.past(end, len(p.tokens))
	}
	p.brings(a.at, end, l.at, 1)
}
