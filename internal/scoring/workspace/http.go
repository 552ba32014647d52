package workspace

import (
	"strings"

	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/program"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// HTTP (rule 9): what is sent, to where.

// request is what a program or a tool sends.
type request struct {
	url     string
	literal bool
	method  string // upper case; "" for GET
	body    bool
	secret  bool // a credential
}

// web judges a request.
func (w *walk) web(r request) {
	for _, v := range webVerdicts(r) {
		w.found(v)
	}
}

// webVerdicts says what a request is.
func webVerdicts(r request) []verdict {
	held := func(l level.Level, cause, because string, covers *Scope) []verdict {
		return []verdict{{level: l, cause: cause, because: because, kind: effects.Write, verb: "send", object: "request", finding: Network, covers: covers}}
	}
	scheme, rest, found := strings.Cut(r.url, "://")
	if !found {
		scheme, rest = "http", r.url
	}
	scheme = strings.ToLower(scheme)
	authority, tail := rest, ""
	if at := strings.IndexAny(rest, "/?#"); at >= 0 {
		authority, tail = rest[:at], rest[at:]
	}
	user := ""
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		user, authority = authority[:at], authority[at+1:]
	}
	host := strings.ToLower(authority)
	if strings.HasPrefix(host, "[") {
		host, _, _ = strings.Cut(host[1:], "]")
	} else {
		host, _, _ = strings.Cut(host, ":")
	}
	if said := program.OverriddenBy(r.url); said != "" {
		r.method = said
	}
	writes := r.body || r.method != "" && r.method != "GET" && r.method != "HEAD" && r.method != "OPTIONS"
	kind := effects.Read
	if writes {
		kind = effects.Write
	}
	covers := &Scope{Of: "http", To: host}
	switch {
	case scheme == "file":
		return nil
	case strings.ContainsAny(host, "$`{*") || host == "":
		return held(level.Medium, "http", "where the request goes is known only when it runs", nil)
	case isThisMachine(host):
		return []verdict{{level: level.Low, cause: "localhost", because: "it talks to a server on this machine", kind: kind}}
	case isMetadata(host):
		return held(level.High, "metadata", "it asks "+brief(host)+", which gives credentials away", nil)
	case r.method == "DELETE":
		return held(level.High, "http", "it deletes at "+brief(host), nil)
	case scheme != "http" && scheme != "https":
		return held(level.Medium, "http", "it talks to "+brief(host)+" by "+brief(scheme), nil)
	case writes:
		return held(level.Medium, "http", "it sends something to "+brief(host), covers)
	case r.secret || user != "" || secretQuery(tail):
		return held(level.Medium, "http", "it sends a credential to "+brief(host), covers)
	case isPrivate(host):
		return held(level.Medium, "http", "it asks "+brief(host)+", which is in a private network", covers)
	case !r.literal || strings.ContainsAny(rest, "$`"):
		return held(level.Medium, "http", "a part of the address is put together when it runs", nil)
	case hasLongRun(rest):
		return held(level.Medium, "http", "the address to "+brief(host)+" may carry something away", nil)
	}
	return []verdict{{level: level.Low, cause: "http", because: "it only asks for a public page", kind: effects.Read}}
}

// secretQuery reports whether a query names a credential.
func secretQuery(tail string) bool {
	_, query, _ := strings.Cut(tail, "?")
	for _, part := range strings.Split(query, "&") {
		name, value, _ := strings.Cut(part, "=")
		if value == "" {
			continue
		}
		if wordlist.Is("workspace.credentialKeys", strings.ToLower(name)) {
			return true
		}
	}
	return false
}

// hasLongRun reports whether a run of more than 40 characters that is no word stands in an
// address: what is carried away in one looks so.
func hasLongRun(address string) bool {
	for _, part := range strings.FieldsFunc(address, func(r rune) bool { return strings.ContainsRune("/?&=#:;,", r) }) {
		if len(part) <= 40 {
			continue
		}
		wordy := true
		for _, word := range strings.FieldsFunc(part, func(r rune) bool { return strings.ContainsRune("-_.+~@()!'", r) }) {
			letters, digits := 0, 0
			upper := 0
			for _, c := range word {
				switch {
				case c >= '0' && c <= '9':
					digits++
				case c >= 'A' && c <= 'Z':
					upper++
					letters++
				default:
					letters++
				}
			}
			if len(word) > 24 || digits > 0 && letters > 0 && len(word) > 8 || digits > 8 || upper > 3 && upper < letters && len(word) > 12 || strings.Contains(word, "%") && len(word) > 12 {
				wordy = false
			}
		}
		if !wordy {
			return true
		}
	}
	return false
}

// forge judges a request to the host of a repository.
func (w *walk) forge(shown string, a act.Act) {
	r := a.HTTP
	switch {
	case a.Reason.Code == "mutation":
	case r.Method == "DELETE":
		w.held(level.High, effects.Delete, "merge", shown+" deletes at the host of the repository")
		return
	case r.Method == "GET" || r.Method == "HEAD" || r.Method == "" && !r.Body:
		w.harmless(effects.Read, "read", shown+" only reads")
		return
	}
	l := level.Medium
	if len(r.URLs) > 0 && wordlist.In("workspace.forgePaths", r.URLs[0].Text) {
		l = level.High
	}
	w.found(verdict{level: l, cause: "review", because: shown + " changes something at the host of the repository", kind: effects.Message, finding: Network, covers: w.scopeOf(deed{"medium", "review"}, shown, nil)})
}
