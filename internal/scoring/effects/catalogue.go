package effects

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

//go:embed catalogue.yaml
var catalogueYAML []byte

// catalogued is a tool that was reviewed by hand.
type catalogued struct {
	Server string `yaml:"server"`
	Tool   string `yaml:"tool"`
	Effect Kind   `yaml:"effect"`
	// Own says that the tool changes nothing but the agent's own notes: it lowers for everybody,
	// where the arguments have exactly this shape.
	Own       bool     `yaml:"own"`
	Arguments []string `yaml:"arguments"`
	Needs     []string `yaml:"needs"` // those of them that must be there
	Sensitive bool     `yaml:"sensitive"`
	Source    string   `yaml:"source"`
}

var catalogue = sync.OnceValue(func() map[string][]catalogued {
	all, err := loadCatalogue(catalogueYAML)
	if err != nil {
		panic("effects: the embedded catalogue: " + err.Error()) // a test loads it
	}
	return all
})

func loadCatalogue(text []byte) (map[string][]catalogued, error) {
	var list []catalogued
	if err := yaml.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	all := map[string][]catalogued{}
	for _, c := range list {
		all[lowered(c.Tool)] = append(all[lowered(c.Tool)], c)
	}
	return all, nil
}

// catalogued looks the tool up. What is reviewed raises for everybody; it lowers only
// what an admin imported (Given.Tool), but for the agent's own notes.
func (r *reader) catalogued() {
	acting := r.in.Function[actingPart(r.in.Function):]
	for _, c := range catalogue()[lowered(acting)] {
		raises := c.Effect.severity() > r.named.Kind.severity() || c.Sensitive && r.named.Kind == Read
		if !raises && !(c.Own && r.shapedAs(c.Arguments, c.Needs)) {
			continue
		}
		r.own = r.own || c.Own
		r.named.Kind, r.named.Sensitive = c.Effect, c.Sensitive
		r.named.Evidence = []Evidence{{Pointer: "/function", End: len(r.in.Function), Why: "a known tool of " + c.Server}}
		r.named.Reversible, r.named.Audience = c.Effect.reversible(), ""
		r.name.known = true
	}
}

// shapedAs reports whether the arguments are among these names, and no others, and those that
// are needed are there.
func (r *reader) shapedAs(names, needs []string) bool {
	if slices.ContainsFunc(needs, func(name string) bool { return r.in.Arguments.Get(name).IsAbsent() }) {
		return false
	}
	for name := range r.in.Arguments.Members() {
		found := false
		for _, n := range names {
			found = found || strings.EqualFold(n, name)
		}
		if !found {
			return false
		}
	}
	return true
}

// Reviewed is what the catalogue says of a tool of a server; "" where it does not know it.
func Reviewed(server, tool string) Kind {
	for _, c := range catalogue()[lowered(tool)] {
		if strings.EqualFold(c.Server, server) {
			return c.Effect
		}
	}
	return ""
}

// ServerOf is the reviewed server that knows most of these tools; "" where none knows two.
func ServerOf(tools []string) string {
	known, best := map[string]int{}, ""
	for _, tool := range tools {
		for _, c := range catalogue()[lowered(tool)] {
			known[c.Server]++
		}
	}
	for _, server := range slices.Sorted(maps.Keys(known)) {
		if server != "any" && known[server] >= 2 && known[server] > known[best] {
			best = server
		}
	}
	return best
}
