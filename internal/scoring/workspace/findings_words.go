package workspace

import (
	"bytes"
	_ "embed"
	"sync"

	"gopkg.in/yaml.v3"
)

//go:embed findings.yaml
var findingsYAML []byte

// otherWords are the words of a language of which no more is read. Comment begins a line
// of one, and Puts what is put into a literal. Argv says that a program is never started by
// a text that a shell splits, and Bare that calls need no brackets.
type otherWords struct {
	Network, Outside, Child, Hidden []string
	Comment, Puts                   string
	Argv, Bare                      bool
}

type findingLists struct{ Other map[string]otherWords }

var findingWords = sync.OnceValue(func() *findingLists {
	l := &findingLists{}
	decoder := yaml.NewDecoder(bytes.NewReader(findingsYAML))
	decoder.KnownFields(true)
	if err := decoder.Decode(l); err != nil {
		panic("workspace: the embedded findings: " + err.Error()) // a test loads them
	}
	return l
})
