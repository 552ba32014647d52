package headline

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/countersign/countersign/internal/canon"
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

// applied is one Kubernetes manifest.
type applied struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string `yaml:"kind"`
	Metadata   named  `yaml:"metadata"`
	RoleRef    named  `yaml:"roleRef"`
	Subjects   []named
	Spec       struct {
		Replicas *int `yaml:"replicas"`
	} `yaml:"spec"`
}

type named struct {
	Name      string `yaml:"name"`
	Namespace string `yaml:"namespace"`
}

func (n named) String() string {
	if n.Namespace != "" {
		return n.Namespace + "/" + n.Name
	}
	return n.Name
}

// Bounds on manifests, as the effects read them.
const (
	maxManifestBytes = 64 << 10
	maxManifests     = 32
)

// manifest is what the Kubernetes manifests of an argument create or change: kind and name of
// each, and who gets which role.
func (a *act) manifest() (item, bool) {
	for i, arg := range a.arguments {
		text := arg.Values[0].Text()
		if !strings.Contains(text, "apiVersion") || len(text) > maxManifestBytes {
			continue
		}
		var all []applied
		decoder := yaml.NewDecoder(strings.NewReader(text))
		for len(all) < maxManifests {
			var one applied
			if decoder.Decode(&one) != nil {
				break
			}
			if one.APIVersion != "" && one.Kind != "" {
				all = append(all, one)
			}
		}
		if len(all) == 0 {
			continue
		}
		object := ""
		if len(a.Effects) > 0 {
			object = strings.ReplaceAll(a.Effects[0].Object, " ", "")
		}
		slices.SortStableFunc(all, func(x, y applied) int { return rankOf(x, object) - rankOf(y, object) })
		it := item{parts: a.named()}
		for k, one := range all {
			if k > 0 {
				it.parts = append(it.parts, Part{Role: Name, Text: "and", By: Ours, Weight: OfTarget})
			}
			it.parts = append(it.parts, one.parts()...)
		}
		it.parts[len(it.parts)-1].leaves = 1
		a.said[i] = true
		return it, true
	}
	return item{}, false
}

// rankOf puts the kind first that decides, and what binds a role before the rest.
func rankOf(m applied, object string) int {
	switch {
	case strings.EqualFold(m.Kind, object):
		return 0
	case m.RoleRef.Name != "":
		return 1
	}
	return 2
}

func (m applied) parts() []Part {
	parts := []Part{
		{Role: Function, Text: legible(m.Kind), By: Theirs, Weight: OfTarget},
		{Role: Target, Text: legible(m.Metadata.String()), By: Theirs, Weight: OfTarget},
	}
	say := func(name, value string, role Role, weight int) {
		parts = append(parts, Part{Role: Name, Text: name, By: Ours, Weight: weight}, Part{Role: role, Text: legible(value), By: Theirs, Weight: weight})
	}
	if m.RoleRef.Name != "" {
		say("role", m.RoleRef.Name, Given, weights[Given])
	}
	for _, s := range m.Subjects {
		say("subject", s.String(), Recipient, weights[Recipient])
	}
	return parts
}
