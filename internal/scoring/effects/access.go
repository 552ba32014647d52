package effects

import (
	"net/netip"
	"net/url"
	"slices"
	"strings"

	paths "github.com/countersign/countersign/internal/scoring/path"
)

// What a single value says of access: a role that is given, a path that guards
// something, an address that only the inside can reach.

// access reads values that give access: role: admin, visibility: public.
func (r *reader) access(s, pointer string, key []string) {
	if !r.changes() || len(s) > 100 {
		return
	}
	last := key[len(key)-1]
	value := strings.ToLower(strings.TrimSpace(s))
	said := func(verb string) {
		r.tell(r.effect(named{kind: Permission, verb: verb, object: r.name.object},
			Evidence{Pointer: pointer, End: len(s), Why: "the argument " + strings.Join(key, "_") + " gives access"}, true))
	}
	if says("conditions", last) && r.opens(value, last) {
		said("open")
		return
	}
	if len(s) < 16 && says("stages_of_work", last) && says("live", value) && r.named.Kind == Write && says("deploying", r.name.verb) {
		r.named.Breadth, r.named.Certain = r.named.Breadth.wider(All), true // everybody uses it
		r.named.Evidence = append(r.named.Evidence, Evidence{Pointer: pointer, End: len(s), Why: "the argument " + strings.Join(key, "_") + " says " + value})
		return
	}
	switch {
	case says("shown_to", last) && Publishes(key, value):
		said("publish")
	case says("role_keys", last) && Rules(value):
		said("grant")
	case says("address_ranges", last) && Publishes(key, value):
		said("expose")
	case (last == "status" || last == "state") && r.named.Kind == Write && says("publicly", value):
		e := r.effect(named{kind: Message, verb: "publish", object: r.name.object}, Evidence{Pointer: pointer, End: len(s), Why: "the argument " + last + " says " + value}, true)
		e.Audience = Public
		r.tell(e)
	}
}

// opens reports whether a value lets somebody in, or stops what guards: disarmed of anything,
// open of a lock.
func (r *reader) opens(value, key string) bool {
	l := r.words
	if says("opening", value) {
		return true
	}
	keepsOut := func(text string) bool {
		return slices.ContainsFunc(split(text), func(w word) bool { return l.isOf("barred", w.text) })
	}
	if !says("opened", value) {
		return false
	}
	if keepsOut(r.in.Function) {
		return true
	}
	for name, v := range r.in.Arguments.Members() {
		if text := v.Text(); text != "" && len(text) < 64 && lowered(name) != key && keepsOut(text) {
			return true
		}
	}
	return false
}

// path reads a path: what guards something is changed, what is secret is read.
func (r *reader) path(s, pointer string, key []string) {
	if !says("path_keys", key[len(key)-1]) || len(s) > 4096 || strings.Contains(s, "://") {
		return
	}
	clean := cleanPath(s)
	at := Evidence{Pointer: pointer, End: len(s)}
	switch kind := r.named.Kind; {
	case kind == Read && isSecretPath(clean):
		at.Why = "the path is one of secrets"
		e := r.effect(named{kind: Read, verb: "read", object: "secret file", sensitive: true}, at, true)
		r.tell(e)
	case kind == Read || kind == Message || kind == Money:
	case clean == "/dev/null" && says("destinations", key[len(key)-1]):
		at.Why = "what goes there is gone"
		r.tell(r.effect(named{kind: Delete, verb: "discard", object: "file"}, at, true))
	case isGuardingPath(clean):
		at.Why = "the path decides who may do what, or what is run"
		r.tell(r.effect(named{kind: Permission, verb: "change", object: "protected file"}, at, true))
	}
}

// cleanPath normalises a path: separators, "." and "..", a home directory.
func cleanPath(s string) string {
	s = strings.ToLower(strings.ReplaceAll(strings.TrimSpace(s), "\\", "/"))
	s = strings.TrimPrefix(s, "file:")
	if isCleanPath(s) {
		return s
	}
	rooted := strings.HasPrefix(s, "/")
	var parts []string
	for _, part := range strings.Split(s, "/") {
		switch part {
		case "", ".":
		case "..":
			if n := len(parts); n > 0 && parts[n-1] != ".." {
				parts = parts[:n-1]
			} else if !rooted {
				parts = append(parts, part)
			}
		default:
			parts = append(parts, part)
		}
	}
	clean := strings.Join(parts, "/")
	if rooted {
		return "/" + clean
	}
	return clean
}

// isCleanPath reports whether nothing of a path would be left out: most paths are written so.
func isCleanPath(s string) bool {
	for s = strings.TrimPrefix(s, "/"); s != ""; {
		part, rest, more := strings.Cut(s, "/")
		if part == "" || part == "." || part == ".." || more && rest == "" {
			return false
		}
		s = rest
	}
	return true
}

// isSecretPath reports whether a file holds secrets.
func isSecretPath(clean string) bool { return paths.Of().Secret(clean, paths.Anywhere) != "" }

// isGuardingPath reports whether a file decides who may do what, or what is run.
func isGuardingPath(clean string) bool { return paths.Of().Guards(clean) }

// address reads a URL that a read fetches: what only the inside can reach is sensitive.
func (r *reader) address(s, pointer string, key []string) {
	if r.named.Kind != Read || len(s) > 8192 || !isInsideAddress(s) {
		return
	}
	r.tell(r.effect(named{kind: Read, verb: "fetch", object: "internal address", sensitive: true},
		Evidence{Pointer: pointer, End: len(s), Why: "the address can only be reached from inside"}, true))
}

// isInsideAddress reports whether a URL is link-local, private, of a metadata service,
// or a file.
func isInsideAddress(s string) bool {
	if !strings.Contains(s, ":/") && !strings.HasPrefix(strings.ToLower(strings.TrimSpace(s)), "javascript:") && !strings.HasPrefix(strings.ToLower(strings.TrimSpace(s)), "data:text/html") {
		return false
	}
	u, err := url.Parse(strings.TrimSpace(s))
	if err != nil {
		return false
	}
	switch strings.ToLower(u.Scheme) {
	case "file", "javascript", "data":
		return true
	case "http", "https", "ftp", "gopher", "ws", "wss", "dict":
	default:
		return false
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if host == "localhost" || host == "metadata" || strings.HasSuffix(host, ".internal") || strings.HasSuffix(host, ".local") || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".nip.io") || strings.HasSuffix(host, ".sslip.io") || strings.HasSuffix(host, ".localtest.me") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	if err != nil {
		return isOddNumber(host)
	}
	ip = ip.Unmap()
	return ip.IsLoopback() || ip.IsPrivate() || ip.IsLinkLocalUnicast() || ip.IsUnspecified()
}

// isOddNumber reports whether a host is an address in a form that only browsers and C
// libraries read: 2130706433, 0x7f.1, 0177.0.0.1.
func isOddNumber(host string) bool {
	return host != "" && strings.Trim(host, "0123456789.xabcdef") == "" && host[0] >= '0' && host[0] <= '9' && !strings.ContainsAny(strings.TrimPrefix(host, "0x"), "ghijklmnopqrstuvwyz")
}
