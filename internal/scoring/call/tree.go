package call

import (
	"iter"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// Node is one value of the arguments, with where it stands.
type Node struct {
	canon.Value
	Pointer string // JSON pointer
	// Name is the member's, and Words are those of it, in lower case; an element has the name
	// of its array.
	Name  string
	Words []string
	// Nodes are the members in canonical order, or the elements.
	Nodes []*Node
}

// Tree is a value that stands at a pointer, with all that stands in it.
func Tree(v canon.Value, pointer string) *Node { return node(v, pointer, "", nil) }

func node(v canon.Value, pointer, name string, words []string) *Node {
	n := &Node{Value: v, Pointer: pointer, Name: name, Words: words}
	if v.Len() > 0 {
		n.Nodes = make([]*Node, 0, v.Len())
	}
	for i, e := range v.Elements() {
		n.Nodes = append(n.Nodes, node(e, pointer+"/"+strconv.Itoa(i), name, words))
	}
	for name, m := range v.Members() {
		n.Nodes = append(n.Nodes, node(m, pointer+"/"+canon.PointerEscape(name), name, Words(name)))
	}
	return n
}

// Leaves are the values that have nothing below them, depth first in canonical order.
func (n *Node) Leaves() iter.Seq[*Node] {
	return func(yield func(*Node) bool) { n.leaves(yield) }
}

func (n *Node) leaves(yield func(*Node) bool) bool {
	if len(n.Nodes) == 0 {
		return n.IsAbsent() || yield(n)
	}
	for _, below := range n.Nodes {
		if !below.leaves(yield) {
			return false
		}
	}
	return true
}

// Words are those of a name, in lower case.
func Words(name string) []string {
	spans := scan.Words(name)
	words := make([]string, len(spans))
	for i, s := range spans {
		words[i] = strings.ToLower(name[s.Start:s.End])
	}
	return words
}
