package shell

import (
	"path"
	"strings"
)

// scope is what a shell knows at a point of the text. A subshell, a branch and a loop have
// one of their own around which the outer one stands: what a subshell sets is lost behind
// it, and of what a branch sets nobody knows whether it was.
type scope struct {
	outer *scope
	names map[name]binding
	dir   place
	// cleared says that an unknown text ran here: nothing is known of the outer names.
	cleared bool
	// arguments are $1 and those behind it; nil where they are not known.
	arguments []Word
	// redirects are those of the groups around, input and from what they read.
	redirects []Redirect
	input     *Word
	from      int
	active    map[*declared]bool // functions that are being read
}

// place is a folder.
type place struct {
	path  string
	known bool
}

// name is that of a variable, a function or an alias.
type name struct {
	of   byte // one of these
	name string
}

const (
	variable = 'v'
	function = 'f'
	alias    = 'a'
)

// binding is what a name stands for.
type binding struct {
	known bool      // the values are; of a function or alias, that it is one here
	array bool      // it is a list
	words []Word    // its value, or values
	of    *declared // the function
	loop  *Word     // what a loop takes its value from, one by one
}

func newScope() *scope {
	return &scope{names: map[name]binding{}, dir: place{known: true}, from: -1, active: map[*declared]bool{}}
}

// inner is a scope inside of this one.
func (s *scope) inner() *scope {
	in := *s
	in.outer, in.names, in.cleared = s, map[name]binding{}, false
	return &in
}

// fresh is the scope of another shell, which sees no variables of this one.
func (s *scope) fresh() *scope {
	in := newScope()
	in.dir, in.redirects, in.from, in.active = s.dir, s.redirects, s.from, s.active
	return in
}

// find is what a name stands for.
func (s *scope) find(n name) (binding, bool) {
	for ; s != nil; s = s.outer {
		if b, ok := s.names[n]; ok {
			return b, true
		}
		if s.cleared {
			return binding{}, true
		}
	}
	return binding{}, false
}

func (s *scope) set(n name, b binding) { s.names[n] = b }

// forget says that nobody knows the value of a variable.
func (s *scope) forget(variableName string) {
	s.set(name{variable, variableName}, binding{})
}

// forgetAll says so of all of them.
func (s *scope) forgetAll() {
	s.names, s.cleared = map[name]binding{}, true
	s.arguments = nil
}

// merge takes over what a branch may have done.
func (s *scope) merge(branch *scope) {
	if branch.cleared {
		s.forgetAll()
	}
	for n, b := range branch.names {
		if before, ok := s.find(n); !ok || !before.equal(b) {
			b.known = false
			s.set(n, b)
		}
	}
	if branch.dir != s.dir {
		s.dir.known = false
	}
	if len(branch.arguments) != len(s.arguments) {
		s.arguments = nil
	}
}

func (b binding) equal(c binding) bool {
	if b.known != c.known || b.array != c.array || b.of != c.of || b.loop != c.loop || len(b.words) != len(c.words) {
		return false
	}
	for i := range b.words {
		if b.words[i].Text != c.words[i].Text || b.words[i].Literal != c.words[i].Literal {
			return false
		}
	}
	return true
}

// maxFolder is how long the name of a folder may get: one that goes deeper and deeper
// would cost more with each step.
const maxFolder = 512

// enter is the folder behind `cd to`. Of a pattern it is the pattern: any of the folders that
// it names, as in a loop over them.
func (p place) enter(to Word) place {
	switch text := to.Text; {
	case text == "-":
		return place{}
	case text == "~" || strings.HasPrefix(text, "~/"):
		return place{path.Clean(text), true}
	case !to.Literal:
		return place{}
	case strings.HasPrefix(text, "/"):
		return place{path.Clean(text), true}
	case strings.HasPrefix(text, "~"):
		return place{}
	default:
		to := path.Join(p.path, text)
		if to == "." {
			to = ""
		}
		if len(to) > maxFolder {
			return place{}
		}
		return place{to, p.known}
	}
}
