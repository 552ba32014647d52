// Package path says what paths are: which hold secrets, which decide what runs or who may do
// what, which are scratch. paths.yaml is the one list of them.
package path

import (
	_ "embed"
	"path"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/internal/scoring/usage"
)

//go:embed paths.yaml
var pathsYAML []byte

// Lists is paths.yaml.
type Lists struct {
	Guarded, Settings, Secrets, Artefacts, Tools, Paths, Skills, Boot, Homes List
	Sinks, Programs, Temporary                                               map[string]bool

	home, open, openInside, examples, examplesInside, connections List
	system, machine, disks                                        []string
}

// Of are the lists.
var Of = sync.OnceValue(func() *Lists {
	l, err := load(pathsYAML)
	if err != nil {
		panic("path: the embedded list: " + err.Error()) // a test loads it
	}
	return l
})

func load(text []byte) (*Lists, error) {
	var all map[string]string
	if err := yaml.Unmarshal(text, &all); err != nil {
		return nil, err
	}
	l := func(name string) List { return newList(all[name]) }
	lower := func(name string) []string { return strings.Fields(strings.ToLower(all[name])) }
	return &Lists{
		Guarded: l("guarded"), Settings: l("settings"), Secrets: l("secrets"), Artefacts: l("artefacts"), Tools: l("tools"), Paths: l("paths"), Skills: l("skills"), Boot: l("boot"), Homes: l("homes"),
		Sinks: setOf(all["sinks"]), Programs: setOf(all["programs"]), Temporary: setOf(all["temporary"]),
		home: l("home"), open: l("open"), openInside: l("open_inside"), examples: l("examples"), examplesInside: l("examples_inside"), connections: l("connections"),
		system: lower("system"), machine: lower("machine"), disks: lower("disks"),
	}, nil
}

// Where says from where a path is seen.
type Where int

const (
	Anywhere Where = iota // nobody knows of a workspace
	Inside                // in the workspace
	Outside               // outside of it
)

// Secret is the part of a clean path that makes it one of secrets, or that may, where it has
// wildcards; "" for none.
func (l *Lists) Secret(clean string, where Where) string {
	named := l.Secrets.Match(clean, false)
	if named == "" && (where == Outside || where == Anywhere && (strings.HasPrefix(clean, "/") || strings.HasPrefix(clean, "~"))) {
		named = l.home.Match(clean, false)
	}
	if named == "" && strings.ContainsAny(clean, "*?[") {
		named = l.Secrets.May(clean)
	}
	switch { // of most there is none; the exceptions are looked through only for the others
	case named == "", l.open.Match(clean, false) != "", l.IsExample(clean, where), where == Inside && l.openInside.Match(clean, false) != "":
		return ""
	}
	return named
}

// IsExample reports whether nothing of a file is real.
func (l *Lists) IsExample(clean string, where Where) bool {
	return l.examples.Match(clean, false) != "" || where == Inside && l.examplesInside.Match(clean, false) != ""
}

// Guards reports whether a file that nobody knows a workspace of decides who may do what, or
// what is run.
func (l *Lists) Guards(clean string) bool {
	if l.IsExample(clean, Anywhere) {
		return false
	}
	return l.IsSystem(clean) || l.Guarded.Match(clean, false) != "" || l.Settings.Match(clean, false) != "" || l.Boot.Match(clean, false) != "" ||
		(l.Secrets.Match(clean, false) != "" || l.Secret(clean, Anywhere) != "") && l.connections.Match(clean, false) == ""
}

// IsSystem reports whether a path is below a folder of the system.
func (l *Lists) IsSystem(clean string) bool { return below(l.system, clean) }

// IsMachine reports whether it is, or is below one that belongs to the machine's own programs.
func (l *Lists) IsMachine(clean string) bool { return l.IsSystem(clean) || below(l.machine, clean) }

func below(folders []string, clean string) bool {
	clean = strings.ToLower(clean)
	for _, f := range folders {
		if rest, ok := strings.CutPrefix(clean, f); ok && (rest == "" || rest[0] == '/') {
			return true
		}
	}
	return false
}

// IsScratch reports whether a path is below a shared temporary folder.
func (l *Lists) IsScratch(clean string) bool {
	for t := range l.Temporary {
		if strings.HasPrefix(clean, t+"/") {
			return true
		}
	}
	return strings.HasPrefix(clean, "$tmpdir")
}

// IsSink reports whether what is written there goes nowhere but to who asked.
func (l *Lists) IsSink(text string) bool {
	return text == "-" || l.Sinks[text] || strings.HasPrefix(text, "/dev/fd/")
}

// IsDisk reports whether a path is a disk as a whole.
func (l *Lists) IsDisk(clean string) bool {
	for _, d := range l.disks {
		if strings.HasPrefix(clean, d) {
			return true
		}
	}
	return false
}

func setOf(list string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(list) {
		all[w] = true
	}
	return all
}

// List are names and ends of paths.
type List struct {
	exact map[string]bool // without a star; whether the list says that it may be a folder
	wild  []wildPattern
	parts int // the most slashes of one
}

// wildPattern is a name with a star, and how many slashes stand in it.
type wildPattern struct {
	text    string
	slashes int
}

func newList(list string) List {
	p := List{exact: map[string]bool{}}
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

// Match is the part of a path that a pattern names, from the front; "" for none. Names
// count whatever their case: some file systems do not tell them apart. A name that
// begins with a dot, or ends with a slash in the list, may be a folder on the way, and so
// may any name where anywhere is set.
func (p List) Match(clean string, anywhere bool) string {
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

// Exact reports whether a name stands in the list as it is.
func (p List) Exact(name string) bool {
	_, ok := p.exact[name]
	return ok
}

// May is a name that a path with wildcards may stand for: of one as wide as src/* or *.json
// that says nothing, so it must share letters with the name; "" for none.
func (p List) May(clean string) string {
	folder, base := path.Split(strings.ReplaceAll(strings.ToLower(clean), "[!", "[^"))
	if m := p.Match(strings.TrimSuffix(folder, "/"), false); m != "" {
		return m
	}
	for part := range strings.SplitSeq(folder, "/") {
		if strings.HasPrefix(part, ".") && strings.ContainsAny(part, "*?[") {
			if m := p.like(part); m != "" {
				return m
			}
		}
	}
	stem := strings.TrimSuffix(base, path.Ext(base))
	if strings.HasPrefix(base, ".") {
		stem = base
	}
	if !strings.ContainsAny(base, "*?[") || len(strings.Trim(stem, "*?")) < 2 && base[0] != '.' {
		return ""
	}
	return p.like(base)
}

// like is the first name of one part that a pattern of a shell stands for.
func (p List) like(pattern string) (found string) {
	for name := range p.exact {
		if strings.Contains(name, "/") || name == "" || (name[0] == '.') != (pattern[0] == '.') {
			continue
		}
		if ok, err := path.Match(pattern, name); ok && err == nil && (found == "" || name < found) {
			found = name
		}
	}
	return found
}
