package headline

import (
	"cmp"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
)

// methods are those of HTTP; addresses are names of arguments that say where a request goes.
var (
	methods   = strings.Fields("GET HEAD OPTIONS POST PUT PATCH DELETE PURGE")
	addresses = strings.Fields("url uri endpoint path href route api_path request_url")
)

// request is the line of an HTTP request whose method an argument says: without its scheme and
// without what somebody signs in with.
func (a *act) request() (item, bool) {
	method, address := -1, -1
	for i, arg := range a.arguments {
		text := strings.ToUpper(strings.TrimSpace(arg.Values[0].Text()))
		switch name := strings.ToLower(arg.Name); {
		case slices.Contains([]string{"method", "http_method", "httpmethod", "request_method", "verb"}, name) && slices.Contains(methods, text):
			method = i
		case slices.Contains(addresses, name) && arg.Values[0].Kind() == canon.KindString && (address < 0 || slices.Index(addresses, name) < slices.Index(addresses, strings.ToLower(a.arguments[address].Name))):
			address = i
		}
	}
	if method < 0 || address < 0 {
		return item{}, false
	}
	a.said[method], a.said[address] = true, true
	line := strings.ToUpper(strings.TrimSpace(a.arguments[method].Values[0].Text())) + " " + withoutScheme(a.arguments[address].Values[0].Text())
	return item{parts: []Part{{Role: Request, Text: legible(line), By: Theirs, Weight: max(OfTarget, a.arguments[method].Weight), leaves: 2}}}, true
}

// withoutScheme is an address without scheme, credentials and fragment.
func withoutScheme(address string) string {
	_, rest, ok := strings.Cut(address, "://")
	if !ok {
		return address
	}
	rest, _, _ = strings.Cut(rest, "#")
	authority := rest
	if end := strings.IndexAny(rest, `/?\`); end >= 0 { // a browser ends the host at a backslash, too
		authority = rest[:end]
	}
	if at := strings.LastIndexByte(authority, '@'); at >= 0 {
		rest = rest[at+1:]
	}
	return rest
}

// Bounds on manifests, as the effects read them.
const (
	maxManifestBytes = 64 << 10
	maxManifests     = 32
)

// manifest is what the Kubernetes manifests of a call create or change: kind and name of each, and who gets
// which role. What else decides in them stands behind that, as other arguments do.
func (a *act) manifest() (item, bool) {
	var all []*call.Node
	var look func(n *call.Node)
	look = func(n *call.Node) {
		if n.Kind() == canon.KindString {
			if inner := document(a.in, n); inner.Len() > 0 {
				n = call.Tree(inner, n.Pointer)
			}
		}
		if n.Get("apiVersion").Text() != "" && n.Get("kind").Text() != "" && len(all) < maxManifests {
			all = append(all, n)
			return
		}
		for _, inner := range n.Nodes {
			look(inner)
		}
	}
	look(a.in.Tree())
	if len(all) == 0 {
		return item{}, false
	}
	object := ""
	if len(a.Effects) > 0 {
		object = strings.ReplaceAll(a.Effects[0].Object, " ", "")
	}
	rank := func(m *call.Node) int { // what binds a role first, and the kind that decides before the rest
		switch {
		case m.Get("roleRef").Len() > 0:
			return 0
		case strings.EqualFold(m.Get("kind").Text(), object):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(all, func(x, y *call.Node) int { return rank(x) - rank(y) })
	it := item{parts: a.named()}
	said := map[string]bool{}
	for k, m := range all {
		if k > 0 {
			it.parts = append(it.parts, Part{Role: Name, Text: "and", By: Ours, Weight: OfTarget})
		}
		it.parts = append(it.parts, manifestParts(m.Value)...)
		for _, path := range []string{"apiVersion", "kind", "name", "namespace", "metadata/name", "metadata/namespace", "roleRef", "subjects"} {
			said[m.Pointer+"/"+path] = true
		}
	}
	it.parts[len(it.parts)-1].leaves = 1
	for i, arg := range a.arguments {
		for at := arg.Values[0].Pointer; at != ""; at = at[:max(0, strings.LastIndexByte(at, '/'))] {
			a.said[i] = a.said[i] || said[at]
		}
	}
	return it, true
}

func manifestParts(m canon.Value) []Part {
	named := func(v canon.Value) string {
		if space := v.Get("namespace").Text(); space != "" {
			return space + "/" + v.Get("name").Text()
		}
		return v.Get("name").Text()
	}
	parts := []Part{{Role: Function, Text: legible(m.Get("kind").Text()), By: Theirs, Weight: OfTarget}}
	if name := cmp.Or(named(m.Get("metadata")), named(m)); name != "" {
		parts = append(parts, Part{Role: Target, Text: legible(name), By: Theirs, Weight: OfTarget})
	}
	say := func(name, value string, role Role) {
		if value != "" {
			parts = append(parts, Part{Role: Name, Text: name, By: Ours, Weight: weights[role]}, Part{Role: role, Text: legible(value), By: Theirs, Weight: weights[role]})
		}
	}
	say("role", m.Get("roleRef").Get("name").Text(), Given)
	for _, s := range m.Get("subjects").Elements() {
		say("subject", named(s), Recipient)
	}
	return parts
}
