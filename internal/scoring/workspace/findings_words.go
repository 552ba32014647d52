package workspace

import (
	"bytes"
	_ "embed"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"
)

//go:embed findings.yaml
var findingsYAML []byte

// nameList are names of functions, and beginnings of names: "boto3.client", "paramiko.*".
type nameList struct {
	exact  map[string]bool
	starts []string
}

// UnmarshalYAML reads names with spaces between.
func (l *nameList) UnmarshalYAML(node *yaml.Node) error {
	l.exact = map[string]bool{}
	var text string
	if err := node.Decode(&text); err != nil {
		return err
	}
	for name := range strings.FieldsSeq(text) {
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

// change is a function that writes, deletes or changes a file: At and Also are the
// arguments with its path, of which -1 is what it is a method of. Mode is the argument that
// says whether it writes.
type change struct {
	Names      string
	At         int
	Also, Mode *int
}

// languageNames are the functions of a language that findings are made of; findings.yaml
// says what each list is.
type languageNames struct {
	HTTP, Bases, Services, Clients, Child, Loads, Hidden, Parts, Environment, Paths, Decoders nameList
	Changes                                                                                   []change

	changes map[string]change
}

// otherWords are the words of a language of which no more is read. Comment begins a line
// of one, and Puts what is put into a literal. Argv says that a program is never started by
// a text that a shell splits, and Bare that calls need no brackets.
type otherWords struct {
	Network, Outside, Child, Hidden []string
	Comment, Puts                   string
	Argv, Bare                      bool
}

type findingLists struct {
	Python, Javascript languageNames
	Other              map[string]otherWords
}

var findingWords = sync.OnceValue(func() *findingLists {
	l, err := loadFindings(findingsYAML)
	if err != nil {
		panic("workspace: the embedded findings: " + err.Error()) // a test loads them
	}
	return l
})

func loadFindings(text []byte) (*findingLists, error) {
	l := &findingLists{}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(l); err != nil {
		return nil, err
	}
	for _, names := range []*languageNames{&l.Python, &l.Javascript} {
		names.changes = map[string]change{}
		for _, c := range names.Changes {
			for name := range strings.FieldsSeq(c.Names) {
				names.changes[name] = c
			}
		}
	}
	return l, nil
}
