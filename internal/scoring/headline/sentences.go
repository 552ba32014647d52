package headline

import (
	_ "embed"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/internal/scoring/call"
)

//go:embed sentences.yaml
var sentencesYAML []byte

// phrase is how the call of a tool is said in a whole sentence: words of ours, and arguments in
// braces. What stands in brackets is left out where an argument of it is missing.
type phrase struct {
	Tools   []string `yaml:"tools"`
	Says    string   `yaml:"says"`
	Example string   `yaml:"example"` // arguments, as JSON
	Reads   string   `yaml:"reads"`   // what the example reads like
}

var phrases = sync.OnceValue(func() map[string]phrase {
	all, err := loadPhrases(sentencesYAML)
	if err != nil {
		panic("headline: the embedded sentences: " + err.Error()) // a test loads them
	}
	return all
})

func loadPhrases(text []byte) (map[string]phrase, error) {
	var list []phrase
	if err := yaml.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	all := map[string]phrase{}
	for _, p := range list {
		for _, tool := range p.Tools {
			all[tool] = p
		}
	}
	return all, nil
}

// sentence is the one of the catalogue; ok is false where the tool has none, or an argument that
// it needs is missing or no single value.
func (a *act) sentence() (item, bool) {
	p, ok := phrases()[strings.Join(call.Words(a.function), "_")]
	if !ok {
		return item{}, false
	}
	var it item
	if a.tool != "" {
		it.parts = append(it.parts, Part{Role: Tool, Text: legible(a.tool), By: Theirs})
	}
	used := map[int]bool{}
	for rest := p.Says; rest != ""; {
		open, optional := strings.IndexByte(rest, '['), ""
		must := rest
		if open >= 0 {
			end := strings.IndexByte(rest, ']')
			must, optional, rest = rest[:open], rest[open+1:end], rest[end+1:]
		} else {
			rest = ""
		}
		parts, ok := a.filled(must, used)
		if !ok {
			return item{}, false
		}
		it.parts = append(it.parts, parts...)
		if parts, ok := a.filled(optional, used); ok {
			it.parts = append(it.parts, parts...)
		}
	}
	for i := range used {
		a.said[i] = true
	}
	return it, true
}

// filled is a stretch of a sentence with its arguments; words that stand together are one part.
func (a *act) filled(text string, used map[int]bool) (parts []Part, ok bool) {
	taken := map[int]bool{}
	for _, word := range strings.Fields(text) {
		if !strings.Contains(word, "{") {
			if n := len(parts); n > 0 && parts[n-1].By == Ours {
				parts[n-1].Text += " " + word
			} else {
				parts = append(parts, Part{Role: Label, Text: word, By: Ours, Weight: OfTarget})
			}
			continue
		}
		p := Part{By: Theirs, Weight: OfTarget}
		for word != "" {
			before, behind, more := strings.Cut(word, "{")
			p.Text += before
			if !more {
				break
			}
			var name string
			name, word, _ = strings.Cut(behind, "}")
			if !a.fill(&p, name, taken) {
				return nil, false
			}
		}
		parts = append(parts, p)
	}
	for i := range taken {
		used[i] = true
	}
	return parts, true
}

// fill adds the value of an argument to a part.
func (a *act) fill(p *Part, name string, taken map[int]bool) bool {
	at := a.argument(name)
	if at < 0 || len(a.arguments[at].Values) != 1 || a.arguments[at].Secret {
		return false
	}
	arg := a.arguments[at]
	said := arg.said(arg.Values[0])
	if said.Text == "" {
		return false
	}
	taken[at] = true
	p.Role, p.leaves, p.Weight = said.Role, p.leaves+said.leaves, max(p.Weight, arg.Weight)
	p.Text += said.Text
	return true
}

// argument is the index of the argument of this name; -1 for none.
func (a *act) argument(name string) int {
	for i, arg := range a.arguments {
		if strings.EqualFold(strings.ReplaceAll(arg.label, "_", ""), strings.ReplaceAll(name, "_", "")) {
			return i
		}
	}
	return -1
}
