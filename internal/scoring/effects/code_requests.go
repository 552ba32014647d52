package effects

import (
	"strings"
)

// requests reads a call that sends an HTTP request. method is "" where an argument says
// it, and urlAt is which argument is the address. A request that fetches is a read only
// where it brings nothing out: see brings.
func (p *codeProgram) requests(l link, method string, urlAt int) {
	said := method != ""
	if !said {
		method = "GET"
	}
	if !said && urlAt == 1 {
		at, _ := p.argument(l, 0, "method")
		if method = p.methodAt(at); method == "" {
			p.methodNotKnown(l)
			return
		}
	}
	body := false
	end := min(int(p.closing[l.call]), len(p.tokens))
	for i := l.call + 1; i < end; i++ {
		t, before := p.at(i), p.at(i-1)
		if key := t.text; (t.kind == codeName || p.js && t.kind == codeText) && (p.js && p.at(i+1).is(":") || !p.js && p.at(i+1).is("=")) {
			switch {
			case key == "method" && !said:
				if method = p.methodAt(i + 2); method == "" {
					p.methodNotKnown(l)
					return
				}
			case oneOf(key, "data body json files content"):
				body = true
			}
		}
		if p.hidesArguments(i) {
			p.methodNotKnown(l)
			return
		}
		if p.closing[i] > 0 && !(p.js && t.is("{") && !before.is(":")) {
			i = int(p.closing[i])
		}
	}
	if second, ok := p.argument(l, urlAt+1, ""); ok && !said {
		switch {
		case !p.js:
			body = true // urlopen(address, data)
		case !p.at(second).is("{"):
			p.methodNotKnown(l)
			return
		}
	}
	fetches := oneOf(method, "GET HEAD OPTIONS")
	if fetches && body {
		method = "POST"
	}
	n := named{kind: Read, verb: strings.ToLower(method), object: "request"}
	switch method {
	case "POST", "PUT", "PATCH":
		n.kind = Write
	case "DELETE", "PURGE":
		n.kind = Delete
	}
	if at, ok := p.argument(l, urlAt, "url uri"); ok {
		text, _, _ := p.literal(at)
		words().requested(&n, text, method)
	}
	e := Effect{Kind: n.kind, Verb: n.verb, Object: "request"}
	if e.Kind == Message {
		e.Audience = Outside
	}
	p.found(e, l.at, "sends a "+method+" request")
	if fetches {
		p.brings(l.call+1, end, l.at, 0)
	}
}

// hidesArguments reports whether arguments stand at i of which the names are known only
// when it runs.
func (p *codeProgram) hidesArguments(i int) bool {
	t, before, next := p.at(i), p.at(i-1), p.at(i+1)
	if !p.js {
		return (t.is("**") || t.is("*")) && (before.is(",") || before.is("("))
	}
	inObject := p.at(int(p.around[i])).is("{")
	return t.is("...") || inObject && t.is("[") && (before.is("{") || before.is(",")) || inObject && t.named("method") && !next.is(":")
}

// methodAt is the HTTP method that the literal at i is; "" where that is not known.
func (p *codeProgram) methodAt(i int) string {
	if text, _, known := p.literal(i); known && isHTTPMethod(text) {
		return strings.ToUpper(text)
	}
	return ""
}

func (p *codeProgram) methodNotKnown(l link) {
	p.found(Effect{Kind: Execute, Verb: "send", Object: "request"}, l.at, "the method of the request isn't known")
}

// brings looks at what a request that fetches is made of. What the text made itself may
// stand in it: a page's number. What it read, or what is defined nowhere, goes out with
// the request. calls is how many of the names that read stand for the request itself.
func (p *codeProgram) brings(from, to, at, calls int) {
	own := false
	for i := from; i < to; i++ {
		t := p.at(i)
		if t.kind != codeName || p.Keywords[t.text] || p.at(i-1).is(".") || p.at(i-1).is("?.") || p.isDefinition(i) {
			continue
		}
		o, _ := p.rootOf(i)
		text, named := p.texts[t.text]
		switch {
		case named && text >= 0 && endsArgument(p.at(text+1)), p.Constants[t.text] && p.names[t.text].class == isValue:
		case o.class == isUnknown:
			p.found(Effect{Kind: Message, Verb: "send", Object: "data", Audience: Outside}, at, "sends "+plainCode(t.text)+", which isn't defined here, with the request")
			return
		case o.class == isHandle && isRequestPath(o.path), o.class == isModule && isRequestPath(o.path):
		default:
			own = true
		}
	}
	if own && p.readsData() > calls {
		p.found(Effect{Kind: Message, Verb: "send", Object: "data", Audience: Outside}, at, "sends what it read with the request")
	}
}

// isRequestPath reports whether a path is of what makes requests, and so no data.
func isRequestPath(path string) bool {
	first, _, _ := strings.Cut(path, ".")
	return oneOf(first, "requests httpx urllib urllib3 aiohttp axios")
}

// readsData is how often the text reads anything of its surroundings, which may then stand
// in any of its values.
func (p *codeProgram) readsData() int {
	if p.reads < 0 {
		p.reads = 0
		for i, t := range p.tokens {
			if t.kind == codeName && (dataNames[t.text] || strings.HasPrefix(t.text, "read_")) && !p.isDefinition(i) {
				p.reads++
			}
		}
	}
	return p.reads
}

var dataNames = setOf("open input environ environb getenv stdin argv Path glob iglob listdir scandir walk connect subprocess check_output popen load safe_load load_workbook loadtxt genfromtxt getlogin expanduser uname hostname " +
	"readFileSync readFile createReadStream readdir localStorage sessionStorage document env cookie navigator clipboard readText indexedDB homedir")

// readsAddress reads a call that reads a file, or what stands at an address.
func (p *codeProgram) readsAddress(l link) {
	at, ok := p.argument(l, 0, "filepath_or_buffer io path_or_buf source fname url")
	if !ok {
		return
	}
	if text, _, known := p.literal(at); known || !strings.Contains(text, "://") {
		return
	}
	end := at
	for end < len(p.tokens) && !endsArgument(p.at(end)) {
		if p.closing[end] > 0 {
			end = int(p.closing[end])
		}
		end++
	}
	p.brings(at, end, l.at, 1)
}
