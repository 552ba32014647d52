package effects

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

//go:embed lexicon.yaml
var lexiconYAML []byte

//go:embed words.yaml
var wordsYAML []byte

// lexicon is what the words of a name mean; lexicon.yaml says what each member is.
type lexicon struct {
	verbs    map[string]Kind
	phrases  map[string]Kind
	english  map[string]string // of verbs of other languages
	things   set               // every word that is a noun or common in names
	objects  map[string]set
	nominals map[string]string
	pairs    []pair
}

type set map[string]bool

// pair is what a verb means with an object of a class.
type pair struct {
	Verbs     set
	Objects   string
	Effect    Kind
	Sensitive bool
}

var words = sync.OnceValue(func() *lexicon {
	l, err := loadLexicon(lexiconYAML)
	if err != nil {
		panic("effects: the embedded lexicon: " + err.Error()) // a test loads it
	}
	return l
})

// said is what each word of lexicon.yaml and words.yaml says: the lists in which it stands.
var said = sync.OnceValue(func() map[string][]string {
	all, seen := map[string][]string{}, set{}
	for _, text := range [][]byte{lexiconYAML, wordsYAML} {
		var file map[string]yaml.Node
		if err := yaml.Unmarshal(text, &file); err != nil {
			panic("effects: the embedded words: " + err.Error()) // a test loads them
		}
		for class, list := range file {
			if list.Kind != yaml.ScalarNode {
				continue // loadLexicon reads it
			}
			if seen[class] {
				panic("effects: two lists of words are called " + class)
			}
			seen[class] = true
			for word := range setOf(list.Value) {
				all[word] = append(all[word], class)
			}
		}
	}
	return all
})

// says reports whether a word stands in a list.
func says(class, word string) bool { return slices.Contains(said()[word], class) }

// saysAny reports whether one of several words does.
func saysAny(class string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return says(class, w) })
}

// saysPart reports whether a word of a list is a part of a text.
func saysPart(class, text string) bool {
	return slices.ContainsFunc(lists()[class], func(w string) bool { return strings.Contains(text, w) })
}

// lists is said the other way round.
var lists = sync.OnceValue(func() map[string][]string {
	all := map[string][]string{}
	for word, classes := range said() {
		for _, class := range classes {
			all[class] = append(all[class], word)
		}
	}
	return all
})

// saysSingular reports whether a word, or its singular, does.
func saysSingular(class, word string) bool { return saysAny(class, singulars(word)) }

func loadLexicon(text []byte) (*lexicon, error) {
	var file struct {
		Verbs, Foreign map[Kind]set
		Phrases        map[string]Kind
		Objects        map[string]set
		Nominals       map[string]string
		Pairs          []pair
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	l := &lexicon{verbs: map[string]Kind{}, english: map[string]string{}, objects: file.Objects, phrases: file.Phrases, nominals: file.Nominals, pairs: file.Pairs, things: set{}}
	for _, kind := range Kinds() {
		for verb := range file.Verbs[kind] {
			if was, twice := l.verbs[verb]; twice && was != kind {
				return nil, fmt.Errorf("the verb %q is both %s and %s", verb, was, kind)
			}
			l.verbs[verb] = kind
		}
	}
	for noun, verb := range l.nominals {
		if l.verbs[verb] == "" {
			return nil, fmt.Errorf("%q is the doing of %q, which is no verb", noun, verb)
		}
	}
	for kind, list := range file.Foreign {
		for verb := range list {
			if _, ours := l.verbs[verb]; !ours {
				l.verbs[verb], l.english[verb] = kind, map[Kind]string{Delete: "delete", Money: "pay", Message: "send", Write: "change", Read: "read"}[kind]
			}
		}
	}
	for word, classes := range said() {
		if slices.ContainsFunc(classes, func(class string) bool { return says("thing_lists", class) }) {
			l.things[word] = true
		}
	}
	for _, words := range l.objects {
		maps.Copy(l.things, words)
	}
	for _, p := range file.Pairs {
		if l.objects[p.Objects] == nil || !p.Effect.Valid() {
			return nil, fmt.Errorf("a pair with %q has no objects or no effect", p.Objects)
		}
	}
	return l, nil
}

// UnmarshalYAML reads words with spaces between them.
func (s *set) UnmarshalYAML(node *yaml.Node) error {
	*s = setOf(node.Value)
	return nil
}

func setOf(list string) set {
	s := set{}
	for _, word := range strings.Fields(list) {
		s[word] = true
	}
	return s
}

// inflected is what a word of a description does, where verbs stand as "deletes" or "deleting".
func (l *lexicon) inflected(word string) (base string, kind Kind, ok bool) {
	for _, base := range bases(word) {
		if kind, ok := l.verbs[base]; ok {
			return base, kind, true
		}
	}
	return "", "", false
}

// bases are the words of which word may be a form, word itself first.
func bases(word string) []string {
	all := []string{word}
	for _, ending := range []struct{ from, to string }{{"ies", "y"}, {"es", ""}, {"es", "e"}, {"s", ""}, {"ing", ""}, {"ing", "e"}, {"ed", ""}, {"ed", "e"}} {
		if stem, ok := strings.CutSuffix(word, ending.from); ok && len(stem) > 1 {
			all = append(all, stem+ending.to)
			if n := len(stem); ending.to == "" && n > 2 && stem[n-1] == stem[n-2] {
				all = append(all, stem[:n-1])
			}
		}
	}
	return all
}

// isOf reports whether a word, or its singular, is of a class of objects.
func (l *lexicon) isOf(class, word string) bool {
	objects := l.objects[class]
	return slices.ContainsFunc(singulars(word), func(w string) bool { return objects[w] })
}

func (l *lexicon) isNoun(word string) bool {
	return slices.ContainsFunc(singulars(word), func(w string) bool { return says("nouns", w) || says("products", w) })
}

// singulars are the words of which word may be the plural, word itself first.
func singulars(word string) []string {
	all := []string{word}
	for _, ending := range []struct{ from, to string }{{"ies", "y"}, {"es", ""}, {"s", ""}} {
		if stem, ok := strings.CutSuffix(word, ending.from); ok && len(stem) > 1 && !strings.HasSuffix(word, "ss") {
			all = append(all, stem+ending.to)
		}
	}
	return all
}
