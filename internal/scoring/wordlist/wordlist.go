// Package wordlist has the lists of words that readers of calls look up. They stand in
// lists.yaml, by the room that asks for them: a list in Go is one that nobody compares with
// the others.
package wordlist

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

//go:embed lists.yaml
var listsYAML []byte

// list is a list as it stands in lists.yaml.
type list struct {
	all  []string
	has  map[string]bool
	text string
	says map[string]string // of a list of lists: a word → the name of the one that it stands in
}

// UnmarshalYAML reads words between spaces, a sequence, or a name for each of several lists.
func (l *list) UnmarshalYAML(n *yaml.Node) error {
	l.has, l.says = map[string]bool{}, map[string]string{}
	switch n.Kind {
	case yaml.ScalarNode:
		l.all = strings.Fields(n.Value)
	case yaml.MappingNode:
		var named map[string]string
		if err := n.Decode(&named); err != nil {
			return err
		}
		for name, words := range named {
			for w := range strings.FieldsSeq(words) {
				l.says[w] = name
			}
		}
		l.all = slices.Sorted(maps.Keys(l.says))
	default:
		if err := n.Decode(&l.all); err != nil {
			return err
		}
	}
	l.text = strings.Join(l.all, " ")
	for _, w := range l.all {
		l.has[w] = true
	}
	return nil
}

var lists = sync.OnceValue(func() map[string]*list {
	var file map[string]map[string]*list
	if err := yaml.Unmarshal(listsYAML, &file); err != nil {
		panic("wordlist: the embedded lists: " + err.Error()) // a test loads them
	}
	all := map[string]*list{}
	for room, lists := range file {
		for name, l := range lists {
			all[room+"."+name] = l
		}
	}
	return all
})

func of(name string) *list {
	l := lists()[name]
	if l == nil {
		panic("wordlist: there is no list " + name) // a test looks for each that is named
	}
	return l
}

// List are the words of a list, in its order. The caller leaves it as it is.
func List(name string) []string { return of(name).all }

// Text are the words of a list with spaces between.
func Text(name string) string { return of(name).text }

// Map says for each word of a list of lists in which of them it stands.
func Map(name string) map[string]string { return of(name).says }

// Is reports whether a word stands in a list.
func Is(name, word string) bool { return of(name).has[word] }

// OneOf is a word itself where it stands in a list: a case of a switch on the word.
func OneOf(name, word string) string {
	if Is(name, word) {
		return word
	}
	return "\x00" // no word is that
}

// In reports whether a word of a list stands anywhere in a text.
func In(name, text string) bool {
	return slices.ContainsFunc(of(name).all, func(w string) bool { return strings.Contains(text, w) })
}
