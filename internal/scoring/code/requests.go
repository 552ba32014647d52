package code

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// requests reads a call that sends an HTTP request. method is "" where an argument says
// it, and urlAt is which argument is the address. A request that fetches is a read only
// where it brings nothing out: see brings.
func (p *Program) requests(l link, method string, urlAt int) {
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
		if key := t.Text; (t.Kind == Name || p.js && t.Kind == Text) && (p.js && p.at(i+1).Is(":") || !p.js && p.at(i+1).Is("=")) {
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
		if p.closing[i] > 0 && !(p.js && t.Is("{") && !before.Is(":")) {
			i = int(p.closing[i])
		}
	}
	if second, ok := p.argument(l, urlAt+1, ""); ok && !said {
		switch {
		case !p.js:
			body = true // urlopen(address, data)
		case !p.at(second).Is("{"):
			p.methodNotKnown(l)
			return
		}
	}
	fetches := oneOf(method, "GET HEAD OPTIONS")
	if fetches && body {
		method = "POST"
	}
	request := &act.HTTP{Method: method, Body: body}
	if at, ok := p.argument(l, urlAt, "url uri"); ok {
		text, _, known := p.literal(at)
		request.URLs = []shell.Word{{Text: text, Literal: known}}
	}
	p.acts(act.Act{Verb: act.Request, HTTP: request}, l.at)
	if fetches {
		p.brings(l.call+1, end, l.at, 0)
	}
}

// hidesArguments reports whether arguments stand at i of which the names are known only
// when it runs.
func (p *Program) hidesArguments(i int) bool {
	t, before, next := p.at(i), p.at(i-1), p.at(i+1)
	if !p.js {
		return (t.Is("**") || t.Is("*")) && (before.Is(",") || before.Is("("))
	}
	inObject := p.at(int(p.around[i])).Is("{")
	return t.Is("...") || inObject && t.Is("[") && (before.Is("{") || before.Is(",")) || inObject && t.Named("method") && !next.Is(":")
}

// methodAt is the HTTP method that the literal at i is; "" where that is not known.
func (p *Program) methodAt(i int) string {
	if text, _, known := p.literal(i); known && IsHTTPMethod(text) {
		return strings.ToUpper(strings.TrimSpace(text))
	}
	return ""
}

func (p *Program) methodNotKnown(l link) {
	p.does(act.Deed{Kind: "execute", Verb: "send", Object: "request"}, l.at, "the method of the request isn't known")
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
	return oneOf(first, "requests httpx urllib urllib3 aiohttp axios")
}

// readsData is how often the text reads anything of its surroundings, which may then stand
// in any of its values.
func (p *Program) readsData() int {
	if p.reads < 0 {
		p.reads = 0
		for i, t := range p.tokens {
			if t.Kind == Name && (dataNames[t.Text] || strings.HasPrefix(t.Text, "read_")) && !p.isDefinition(i) {
				p.reads++
			}
		}
	}
	return p.reads
}

var dataNames = setOf("open input environ environb getenv stdin argv Path glob iglob listdir scandir walk connect subprocess check_output popen load safe_load load_workbook loadtxt genfromtxt getlogin expanduser uname hostname " +
	"readFileSync readFile createReadStream readdir localStorage sessionStorage document env cookie navigator clipboard readText indexedDB homedir")

// readsAddress reads a call that reads a file, or what stands at an address.
func (p *Program) readsAddress(l link) {
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
