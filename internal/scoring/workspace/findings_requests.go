package workspace

import (
	"net/netip"
	"regexp"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/code"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// isLocal reports whether a text names this machine, as the address of a service.
func isLocal(text string) bool {
	host := hostOf(text)
	switch {
	case host == "":
		return false
	case wordlist.Is("workspace.testHosts", host), strings.HasSuffix(host, ".localhost"), strings.HasSuffix(host, ".test"):
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// hostOf is the host of an address: of https://ana@example.org:8080/x example.org.
func hostOf(text string) string {
	text = strings.ToLower(strings.TrimSpace(text))
	if _, rest, ok := strings.Cut(text, "://"); ok {
		text = rest
	} else {
		text = strings.TrimPrefix(text, "//")
	}
	if end := strings.IndexAny(text, "/?#\\"); end >= 0 {
		text = text[:end]
	}
	if at := strings.LastIndexByte(text, '@'); at >= 0 {
		text = text[at+1:]
	}
	if strings.HasPrefix(text, "[") {
		if end := strings.IndexByte(text, ']'); end > 0 {
			return text[:end+1]
		}
	}
	if strings.Count(text, ":") == 1 {
		text, _, _ = strings.Cut(text, ":")
	}
	return text
}

// startsLocal reports whether an address that is put together begins with this machine, so
// that what follows cannot lead elsewhere: http://localhost:{port}/x.
func startsLocal(text string) bool {
	_, rest, ok := strings.Cut(text, "://")
	if !ok {
		rest = text
	}
	for _, host := range []string{"localhost", "127.0.0.1", "[::1]", "testserver", "0.0.0.0"} {
		if after, found := strings.CutPrefix(strings.ToLower(rest), host); found && (after == "" || strings.ContainsAny(after[:1], ":/?")) {
			return !strings.Contains(after, "@")
		}
	}
	return false
}

// isRelative reports whether an address is of whatever the program itself serves.
func isRelative(text string) bool {
	return strings.HasPrefix(text, "/") && !strings.HasPrefix(text, "//") || strings.HasPrefix(text, "./") || strings.HasPrefix(text, "../") || strings.HasPrefix(text, "?")
}

var credential = regexp.MustCompile(`(?i)authorization|bearer |api[-_]?key|access[-_]?token|auth[-_]?token|secret|password|x-auth|session_?token|_token\b|\btoken\b|cookie`)

func isCredential(text string) bool { return len(text) < 4096 && credential.MatchString(text) }

// address is what is known of the address of a request.
type address int

const (
	isHere      address = iota // this machine, or what the program itself serves
	isElsewhere                // a literal
	isMade                     // known only when it runs
)

// addressOf judges an argument that is an address.
func (r *codeReader) addressOf(a code.Argument) address {
	text := a.Text
	if a.Literal {
		if isRelative(text) || isLocal(text) || !strings.Contains(text, "://") && !strings.Contains(text, ".") {
			return isHere
		}
		return isElsewhere
	}
	if isRelative(text) || startsLocal(text) {
		return isHere
	}
	value, ok := r.code.Value(firstName(a.Source))
	switch {
	case !ok:
		return isMade
	case isLocal(value):
		return isHere
	case strings.Count(a.Source, "{") == 1 && strings.ContainsAny(a.Source[:min(2, len(a.Source))], "'\"`") && strings.Contains(value, "://"):
		return isElsewhere // f"{BASE}/items"
	}
	return isMade
}

// request reads a call that sends an HTTP request.
func (r *codeReader) request(u code.Use) {
	at := func(why string) { r.found(Network, u.Start, u.End, why) }
	args := r.code.Arguments(u)
	name := u.Path[strings.LastIndexAny(u.Path, "./")+1:]
	method, urlAt := "GET", 0
	switch strings.ToLower(strings.TrimSuffix(name, "Form")) {
	case "post", "put", "patch", "delete", "sendbeacon", "del":
		method = "POST"
	case "request", "open", "urlopen", "stream":
		if (strings.HasPrefix(u.Path, "requests.") || strings.HasPrefix(u.Path, "httpx.") || strings.HasPrefix(u.Path, "aiohttp.") || strings.HasPrefix(u.Path, "urllib3.") || name == "open") && len(args) > 0 && args[0].Name == "" {
			urlAt, method = 1, "POST"
			if slices.Contains([]string{"GET", "HEAD", "OPTIONS"}, strings.ToUpper(args[0].Text)) && args[0].Literal {
				method = "GET"
			}
		}
	case "ws_connect", "connect", "websocket", "create_connection", "io", "websocketapp":
		method = "POST" // what is sent over it later nobody sees
	}
	where, known := isMade, false
	secret := false
	for i, a := range args {
		switch key := strings.ToLower(a.Name); {
		case a.Name == "" && i == urlAt, slices.Contains([]string{"url", "uri", "hostname", "host"}, key) && !known:
			where, known = r.addressOf(a), true
		case key == "method" || key == "type" && strings.HasPrefix(u.Path, "$"):
			if !a.Literal || !slices.Contains([]string{"GET", "HEAD", "OPTIONS"}, strings.ToUpper(a.Text)) {
				method = "POST"
			}
		case key == "data" && (name == "urlopen" || name == "Request"):
			method = "POST"
		case key == "auth" || key == "cert" || key == "cookies":
			secret = true
		case key == "headers":
			secret = secret || isCredential(a.Source) || r.credentials
		case key == "*":
			method = "POST"
		case key == "" && i == urlAt+1 && (name == "urlopen" || name == "Request"):
			method = "POST"
		case key == "" && i > urlAt && !a.Literal: // fetch(url, options), axios.get(url, config)
			secret = secret || isCredential(a.Source) || r.credentials
			if r.js && (name == "fetch" || name == "axios" || name == "request") {
				method = "POST"
			}
		}
	}
	secret = secret || strings.Contains(u.Path, "Session") && r.credentials
	switch {
	case len(args) == 0, known && where == isHere:
	case method != "GET":
		at("it sends data with " + u.Path)
	case where == isMade:
		at("it asks an address that is known only when it runs, with " + u.Path)
	case secret:
		at("it sends a credential with " + u.Path)
	}
}

// base reads what makes a client of one address.
func (r *codeReader) base(u code.Use) {
	for i, a := range r.code.Arguments(u) {
		key := strings.ToLower(a.Name)
		isBase := key == "base_url" || key == "baseurl" || key == "prefixurl" || key == "host" || key == "" && i == 0 && strings.HasPrefix(u.Path, "http") && strings.Contains(u.Path, "Connection")
		switch {
		case isBase && r.addressOf(a) != isHere:
			r.found(Network, u.Start, u.End, "it is a client of another service: "+u.Path)
			return
		case isBase:
			return
		}
	}
}

// service reads what makes a client of a database or the like.
func (r *codeReader) service(u code.Use) {
	hosts := wordlist.List("workspace.serviceHosts")
	for i, a := range r.code.Arguments(u) {
		if !(a.Name == "" && i == 0 && a.Source != "") && !slices.Contains(hosts, strings.ToLower(a.Name)) {
			continue
		}
		text := a.Text
		if !a.Literal {
			if value, ok := r.code.Value(firstName(a.Source)); ok {
				text = value
			} else {
				text = a.Source
			}
		}
		if isOwnService(text) {
			continue
		}
		r.found(Network, u.Start, u.End, "it is a client of a service that may not be on this machine: "+u.Path)
		return
	}
}

// isOwnService reports whether what says where a service is names this machine, or a file.
func isOwnService(text string) bool {
	lower := strings.ToLower(text)
	for _, mark := range wordlist.List("workspace.ownServices") {
		if strings.Contains(lower, mark) {
			return true
		}
	}
	return lower == "" || strings.HasPrefix(lower, "dbname=") && !strings.Contains(lower, "host=") || isLocal(text)
}
