package code

import (
	"bytes"
	_ "embed"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/internal/scoring/act"
	"github.com/countersign/countersign/internal/scoring/sql"
)

//go:embed code.yaml
var wordsYAML []byte

// table is what the names of a language mean; code.yaml says what each member is.
type table struct {
	Modules                                map[string]set // what may be used of each; "*" for all
	Inherited                              set            // names of modules that other modules import
	Builtins, Constants, Methods, Mutators set
	Handles, SQL                           set
	Unreadable, Listing, Keywords          set
	Functions, Effects                     deeds

	Requests, Bases, Services, Clients, Run, Loads, Made, Parts, Environment, Paths, Decoders nameList
	Changes                                                                                   []change

	packages set // in which known modules stand
	changes  map[string]change
}

// codeFile is code.yaml.
type codeFile struct {
	Python, Javascript *table
	Other              deeds
	Languages          map[string]*otherWords
	HTTP               set // its methods

	Imports, Powers, Taken, Picking, Hosts, Bases, Channels, Requesters, Data, Guessed, Shells, Magics, Handing, Symbols, Outputs, Leading set

	Assembling, Local marks
	Changing          string
}

// change is a function that writes, deletes or changes a file: At and Also are the
// arguments with its path, of which -1 is what it is a method of. Mode is the argument that
// says whether it writes.
type change struct {
	Names      set
	At         int
	Also, Mode *int
}

// nameList are names of functions, and beginnings of names: "boto3.client", "paramiko.*".
type nameList struct {
	exact  set
	starts []string
}

func (l *nameList) UnmarshalYAML(node *yaml.Node) error {
	l.exact = set{}
	for name := range strings.FieldsSeq(node.Value) {
		if start, ok := strings.CutSuffix(name, "*"); ok {
			l.starts = append(l.starts, start)
		} else {
			l.exact[name] = true
		}
	}
	return nil
}

func (l nameList) has(path string) bool {
	return l.exact[path] || slices.ContainsFunc(l.starts, func(start string) bool { return strings.HasPrefix(path, start) })
}

// marks are pieces of texts.
type marks []string

func (m *marks) UnmarshalYAML(node *yaml.Node) error {
	*m = strings.Fields(node.Value)
	return nil
}

func (m marks) in(text string) bool {
	return slices.ContainsFunc(m, func(mark string) bool { return strings.Contains(text, mark) })
}

func (f codeFile) of(language string) (w *table, js bool) {
	switch language {
	case "python":
		return f.Python, false
	case "javascript":
		return f.Javascript, true
	}
	return nil, false
}

// IsHTTPMethod reports whether a text is a method of HTTP.
func IsHTTPMethod(s string) bool { return tables().HTTP[strings.ToUpper(strings.TrimSpace(s))] }

var tables = sync.OnceValue(func() (all codeFile) {
	decoder := yaml.NewDecoder(bytes.NewReader(wordsYAML))
	decoder.KnownFields(true)
	if err := decoder.Decode(&all); err != nil {
		panic("code: code.yaml: " + err.Error()) // a test loads it
	}
	for _, w := range []*table{all.Python, all.Javascript} {
		w.changes = map[string]change{}
		for _, c := range w.Changes {
			for name := range c.Names {
				w.changes[name] = c
			}
		}
		w.packages = set{}
		for name := range w.Modules {
			for end := strings.LastIndexByte(name, '.'); end > 0; end = strings.LastIndexByte(name[:end], '.') {
				w.packages[name[:end]] = true
			}
		}
	}
	return all
})

// allows reports whether what a path names is a harmless part of a known module. A module
// vouches for the names that are listed of it, and for the methods of those: not for what
// else can be reached through it, such as the modules that it imports itself.
func (w *table) allows(path string) bool {
	for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '.') {
		part, ok := w.Modules[path[:end]]
		if !ok {
			continue
		}
		if end == len(path) {
			return true
		}
		rest := path[end+1:]
		if part[rest] {
			return true
		}
		first, last, more := strings.Cut(rest, ".")
		if !part[first] && !(part["*"] && !strings.HasPrefix(first, "_") && !w.Inherited[first]) {
			return false
		}
		for more {
			var step string
			if step, last, more = strings.Cut(last, "."); !w.Methods[step] {
				return false
			}
		}
		return true
	}
	return false
}

// lists reports whether a module's list itself has a name: "*" does not count.
func (w *table) lists(module, name string) bool { return w.Modules[module][name] }

// firstOf is the entry of the longest beginning of a dotted path that is in the set.
func (s set) firstOf(path string) (string, bool) {
	for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '.') {
		if s[path[:end]] {
			return path[:end], true
		}
	}
	return "", false
}

// set are words, with spaces between them in YAML.
type set map[string]bool

func (s *set) UnmarshalYAML(node *yaml.Node) error {
	*s = setOf(node.Value)
	return nil
}

func setOf(list string) set {
	s := set{}
	for word := range strings.FieldsSeq(list) {
		s[word] = true
	}
	return s
}

func oneOf(word, list string) bool { return sql.OneOf(word, list) }

// deeds are those of functions, by their names.
type deeds map[string]act.Deed

func (d *deeds) UnmarshalYAML(node *yaml.Node) error {
	var all []struct {
		Names    set
		act.Deed `yaml:",inline"`
	}
	if err := node.Decode(&all); err != nil {
		return err
	}
	*d = deeds{}
	for _, n := range all {
		for name := range n.Names {
			(*d)[name] = n.Deed
		}
	}
	return nil
}
