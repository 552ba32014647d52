package effects

import (
	"bytes"
	_ "embed"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

//go:embed statements.yaml
var statementsYAML []byte

// statementWords is what the functions, tables and columns of SQL mean;
// statements.yaml says what each member is.
type statementWords struct {
	Harmless, Controls                set
	Statements, Functions, Procedures effectNames              // statements by the first word, in upper case
	Literals                          struct{ SQL, Shell set } // functions whose literals are statements or commands
	Tables, Columns                   map[string]set
	Mongo, Redis                      effectNames // methods of the shell, commands
}

// hasLast reports whether a dotted name, or its last part, is in the set.
func (s set) hasLast(name string) bool {
	return s[name] || s[name[strings.LastIndexByte(name, '.')+1:]]
}

// hasEnd reports whether the last words of a name are in the set: db_password.
func (s set) hasEnd(name string) bool {
	for {
		if s[name] {
			return true
		}
		_, rest, more := strings.Cut(name, "_")
		if !more {
			return false
		}
		name = rest
	}
}

// namedEffects is what calls of some names do, as the YAML files beside say it.
type namedEffects struct {
	Names     set    `yaml:"names"`
	Kind      Kind   `yaml:"kind"`
	Verb      string `yaml:"verb"`
	Object    string `yaml:"object"`
	Sensitive bool   `yaml:"sensitive"`
	Outside   bool   `yaml:"outside"`
	All       bool   `yaml:"all"`
}

func (n namedEffects) effect() Effect {
	e := Effect{Kind: n.Kind, Verb: n.Verb, Object: n.Object, Breadth: One, Sensitive: n.Sensitive, Certain: true}
	if n.Outside {
		e.Audience = Outside
	}
	if n.All {
		e.Breadth = All
	}
	return e
}

// effectNames are those by their names.
type effectNames map[string]Effect

func (e *effectNames) UnmarshalYAML(node *yaml.Node) error {
	var all []namedEffects
	if err := node.Decode(&all); err != nil {
		return err
	}
	*e = effectNames{}
	for _, n := range all {
		for name := range n.Names {
			(*e)[name] = n.effect()
		}
	}
	return nil
}

// decodeKnown decodes YAML and refuses members that nobody reads.
func decodeKnown(text []byte, to any) error {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	return decoder.Decode(to)
}

var sqlWords = sync.OnceValue(func() *statementWords {
	w := &statementWords{}
	if err := decodeKnown(statementsYAML, w); err != nil {
		panic("effects: statements.yaml: " + err.Error()) // a test loads it
	}
	return w
})
