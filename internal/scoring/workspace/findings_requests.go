package workspace

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/shell"
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

// isHere reports whether an address is of this machine, or of what the program itself serves.
func isHere(w shell.Word) bool {
	if isRelative(w.Text) || isLocal(w.Text) {
		return true
	}
	return w.Literal && !strings.Contains(w.Text, "://") && !strings.Contains(w.Text, ".") || !w.Literal && startsLocal(w.Text)
}

// request judges a request.
func (r *codeFold) request(a act.Act) {
	known := len(a.HTTP.URLs) > 0
	switch {
	case known && isHere(a.HTTP.URLs[0]):
	case !slices.Contains([]string{"GET", "HEAD", "OPTIONS"}, a.HTTP.Method):
		r.found(Network, a.Start, a.End, "it sends data with "+a.Text)
	case !known || !a.HTTP.URLs[0].Literal:
		r.found(Network, a.Start, a.End, "it asks an address that is known only when it runs, with "+a.Text)
	case a.HTTP.Secret:
		r.found(Network, a.Start, a.End, "it sends a credential with "+a.Text)
	}
}

// connects judges what makes a client: one of somebody else's is held but for this machine,
// others where an address leads elsewhere.
func (r *codeFold) connects(a act.Act) {
	switch a.Reason.Code {
	case "client":
		if slices.ContainsFunc(a.From, func(w shell.Word) bool { return isLocal(w.Text) }) {
			return
		}
	case "base":
		if !slices.ContainsFunc(a.From, func(w shell.Word) bool { return !isHere(w) }) {
			return
		}
	default:
		if !slices.ContainsFunc(a.From, func(w shell.Word) bool { return !isOwnService(w.Text) }) {
			return
		}
	}
	r.found(Network, a.Start, a.End, "it is a client of another service: "+a.Text)
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
