package effects

import (
	"bytes"
	_ "embed"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"
)

//go:embed statements.yaml
var statementsYAML []byte

// statementWords is what the functions, tables and columns of SQL mean;
// statements.yaml says what each member is.
type statementWords struct {
	harmless, controls   nameSet
	statements           map[string]Effect // by the first word, in upper case
	functions            map[string]Effect
	procedures           map[string]Effect
	sqlTexts, shellTexts nameSet // functions whose literals are statements or commands
	tables, columns      map[string]nameSet
}

// nameSet is a set of names in lower case.
type nameSet map[string]bool

func namesOf(list string) nameSet {
	s := nameSet{}
	for name := range strings.FieldsSeq(list) {
		s[name] = true
	}
	return s
}

// hasLast reports whether a dotted name, or its last part, is in the set.
func (s nameSet) hasLast(name string) bool {
	return s[name] || s[name[strings.LastIndexByte(name, '.')+1:]]
}

// hasEnd reports whether the last words of a name are in the set: db_password.
func (s nameSet) hasEnd(name string) bool {
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
	Names     string `yaml:"names"`
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

func effectsByName(all []namedEffects) map[string]Effect {
	by := map[string]Effect{}
	for _, n := range all {
		for name := range strings.FieldsSeq(n.Names) {
			by[name] = n.effect()
		}
	}
	return by
}

// decodeKnown decodes YAML and refuses members that nobody reads.
func decodeKnown(text []byte, to any) error {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	return decoder.Decode(to)
}

var sqlWords = sync.OnceValue(func() *statementWords {
	var file struct {
		Harmless   string
		Statements []namedEffects
		Functions  []namedEffects
		Literals   struct{ SQL, Shell string }
		Procedures []namedEffects
		Controls   string
		Tables     map[string]string
		Columns    map[string]string
	}
	if err := decodeKnown(statementsYAML, &file); err != nil {
		panic("effects: statements.yaml: " + err.Error()) // a test loads it
	}
	w := &statementWords{
		harmless: namesOf(file.Harmless), controls: namesOf(file.Controls),
		statements: effectsByName(file.Statements), functions: effectsByName(file.Functions), procedures: effectsByName(file.Procedures),
		sqlTexts: namesOf(file.Literals.SQL), shellTexts: namesOf(file.Literals.Shell),
		tables: map[string]nameSet{}, columns: map[string]nameSet{},
	}
	for class, list := range file.Tables {
		w.tables[class] = namesOf(list)
	}
	for class, list := range file.Columns {
		w.columns[class] = namesOf(list)
	}
	return w
})
