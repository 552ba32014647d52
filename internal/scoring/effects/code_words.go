package effects

import (
	_ "embed"
	"strings"
	"sync"
)

//go:embed code.yaml
var codeYAML []byte

// codeWords is what the names of a language mean; code.yaml says what each member is.
type codeWords struct {
	Modules                                map[string]set // what may be used of each; "*" for all
	Inherited                              set            // names of modules that other modules import
	Builtins, Constants, Methods, Mutators set
	Handles, SQL, Shell                    set
	Unreadable, Listing, Keywords          set
	Functions, Effects                     effectNames

	packages set // in which known modules stand
}

// codeFile is code.yaml.
type codeFile struct {
	Python, Javascript *codeWords
	Other              effectNames
}

var codeLanguages = sync.OnceValue(func() (all codeFile) {
	if err := decodeKnown(codeYAML, &all); err != nil {
		panic("effects: code.yaml: " + err.Error()) // a test loads it
	}
	for _, w := range []*codeWords{all.Python, all.Javascript} {
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
func (w *codeWords) allows(path string) bool {
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
func (w *codeWords) lists(module, name string) bool { return w.Modules[module][name] }

// firstOf is the entry of the longest beginning of a dotted path that is in the set.
func (s set) firstOf(path string) (string, bool) {
	for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '.') {
		if s[path[:end]] {
			return path[:end], true
		}
	}
	return "", false
}
