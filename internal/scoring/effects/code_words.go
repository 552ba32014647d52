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
	modules    map[string]nameSet // what may be used of each; "*" for all
	packages   nameSet            // in which known modules stand
	inherited  nameSet            // names of modules that other modules import
	builtins   nameSet
	constants  nameSet
	methods    nameSet
	mutators   nameSet
	handles    nameSet
	functions  map[string]Effect
	effects    map[string]Effect
	sql, shell nameSet
	unreadable nameSet
	listing    nameSet
	keywords   nameSet
}

var codeLanguages = sync.OnceValue(func() (all struct {
	python, javascript *codeWords
	other              map[string]Effect
},
) {
	type language struct {
		Modules                                            map[string]string
		Inherited                                          string
		Builtins, Constants, Methods, Mutators             string
		Handles, SQL, Shell, Unreadable, Listing, Keywords string
		Functions, Effects                                 []namedEffects
	}
	var file struct {
		Python, Javascript language
		Other              []namedEffects
	}
	if err := decodeKnown(codeYAML, &file); err != nil {
		panic("effects: code.yaml: " + err.Error()) // a test loads it
	}
	words := func(l language) *codeWords {
		w := &codeWords{
			modules: map[string]nameSet{}, packages: nameSet{}, inherited: namesOf(l.Inherited), builtins: namesOf(l.Builtins), constants: namesOf(l.Constants), methods: namesOf(l.Methods), mutators: namesOf(l.Mutators),
			handles: namesOf(l.Handles), functions: effectsByName(l.Functions), effects: effectsByName(l.Effects), sql: namesOf(l.SQL), shell: namesOf(l.Shell),
			unreadable: namesOf(l.Unreadable), listing: namesOf(l.Listing), keywords: namesOf(l.Keywords),
		}
		for name, list := range l.Modules {
			w.modules[name] = namesOf(list)
			for end := strings.LastIndexByte(name, '.'); end > 0; end = strings.LastIndexByte(name[:end], '.') {
				w.packages[name[:end]] = true
			}
		}
		return w
	}
	all.python, all.javascript, all.other = words(file.Python), words(file.Javascript), effectsByName(file.Other)
	return all
})

// allows reports whether what a path names is a harmless part of a known module. A module
// vouches for the names that are listed of it, and for the methods of those: not for what
// else can be reached through it, such as the modules that it imports itself.
func (w *codeWords) allows(path string) bool {
	for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '.') {
		part, ok := w.modules[path[:end]]
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
		if !part[first] && !(part["*"] && !strings.HasPrefix(first, "_") && !w.inherited[first]) {
			return false
		}
		for more {
			var step string
			if step, last, more = strings.Cut(last, "."); !w.methods[step] {
				return false
			}
		}
		return true
	}
	return false
}

// lists reports whether a module's list itself has a name: "*" does not count.
func (w *codeWords) lists(module, name string) bool { return w.modules[module][name] }

// firstOf is the entry of the longest beginning of a dotted path that is in the set.
func (s nameSet) firstOf(path string) (string, bool) {
	for end := len(path); end > 0; end = strings.LastIndexByte(path[:end], '.') {
		if s[path[:end]] {
			return path[:end], true
		}
	}
	return "", false
}
