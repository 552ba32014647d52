package workspace

import (
	_ "embed"
	"path"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/countersign/countersign/internal/scoring/usage"
)

//go:embed paths.yaml
var pathsYAML []byte

// pathLists is paths.yaml.
type pathLists struct {
	guarded, settings, examples, secrets, home, open, artefacts, tools, paths, skills patterns
	temporary, sinks, programs                                                        map[string]bool
}

var lists = sync.OnceValue(func() *pathLists {
	l, err := loadPaths(pathsYAML)
	if err != nil {
		panic("workspace: the embedded paths: " + err.Error()) // a test loads them
	}
	return l
})

func loadPaths(text []byte) (*pathLists, error) {
	var all map[string]string
	if err := yaml.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	return &pathLists{
		guarded: newPatterns(all["guarded"]), settings: newPatterns(all["settings"]), examples: newPatterns(all["examples"]),
		secrets: newPatterns(all["secrets"]), home: newPatterns(all["home"]), open: newPatterns(all["open"]),
		artefacts: newPatterns(all["artefacts"]), tools: newPatterns(all["tools"]), paths: newPatterns(all["paths"]), skills: newPatterns(all["skills"]),
		temporary: setOf(all["temporary"]), sinks: setOf(all["sinks"]), programs: setOf(all["programs"]),
	}, nil
}

func setOf(list string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(list) {
		all[w] = true
	}
	return all
}

// patterns are names and ends of paths.
type patterns struct {
	exact map[string]bool // without a star; whether the list says that it may be a folder
	wild  []wildPattern
	parts int // the most slashes of one
}

// wildPattern is a name with a star, and how many slashes stand in it.
type wildPattern struct {
	text    string
	slashes int
}

func newPatterns(list string) patterns {
	p := patterns{exact: map[string]bool{}}
	for _, w := range strings.Fields(strings.ToLower(list)) {
		p.parts = max(p.parts, strings.Count(strings.Trim(w, "/"), "/"))
		if strings.Contains(w, "*") {
			p.wild = append(p.wild, wildPattern{w, strings.Count(w, "/")})
		} else {
			p.exact[strings.TrimSuffix(w, "/")] = strings.HasSuffix(w, "/")
		}
	}
	return p
}

// match is the part of a path that a pattern names, from the front; "" for none. Names
// count whatever their case: some file systems do not tell them apart. A name that
// begins with a dot, or ends with a slash in the list, may be a folder on the way, and so
// may any name where anywhere is set.
func (p patterns) match(clean string, anywhere bool) string {
	text := strings.Trim(strings.ToLower(clean), "/")
	for start := 0; start <= len(text); {
		first := len(text) // where the part that begins here ends
		if at := strings.IndexByte(text[start:], '/'); at >= 0 {
			first = start + at
		}
		end := first
		for n := 0; n <= p.parts; n++ {
			name := text[start:end]
			if folder, known := p.exact[name]; known && (folder || end == len(text) || anywhere || name != "" && name[0] == '.') {
				return name
			}
			if end == len(text) {
				break
			}
			if at := strings.IndexByte(text[end+1:], '/'); at >= 0 {
				end += 1 + at
			} else {
				end = len(text)
			}
		}
		for _, w := range p.wild {
			end := first
			for range w.slashes {
				if end == len(text) {
					end = -1
					break
				}
				if at := strings.IndexByte(text[end+1:], '/'); at >= 0 {
					end += 1 + at
				} else {
					end = len(text)
				}
			}
			if end < 0 || end < len(text) && !anywhere && w.text[0] != '.' {
				continue
			}
			if usage.Like(w.text, text[start:end]) {
				return text[start:end]
			}
		}
		start = first + 1
	}
	return ""
}

// may reports whether a path with wildcards may name what a pattern names: of one as wide
// as src/* or *.json that says nothing, so that its name must begin with a letter or dot of it.
func (p patterns) may(clean string) string {
	folder, base := path.Split(strings.ToLower(clean))
	if m := p.match(strings.TrimSuffix(folder, "/"), false); m != "" {
		return m
	}
	at := strings.IndexAny(base, "*?[")
	if at < 2 && !(at == 1 && base[0] == '.') {
		return ""
	}
	for name := range p.exact {
		if strings.Contains(name, "/") {
			continue
		}
		if ok, _ := path.Match(base, name); ok {
			return name
		}
	}
	return ""
}
