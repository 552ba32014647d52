package headline

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
)

// Elements of lists: what names what, and which one is unlike the others.

// pair is the member of an object that names what another one sets, and that one; nil for none.
func pair(n *call.Node) (key, value *call.Node) {
	for _, m := range n.Nodes {
		switch name := strings.ToLower(m.Name); {
		case name == "value" && (m.Kind() != canon.KindNull):
			value = m
		case naming[name] && m.Kind() == canon.KindString && len(call.Words(m.Text())) > 0 && len(m.Text()) <= longest && (key == nil || name == "key" || name == "name"), name == "field" && m.Kind() == canon.KindString:
			key = m
		}
	}
	if key == nil || value == nil {
		return nil, nil
	}
	return key, value
}

// renamed is a value under another name.
func renamed(n *call.Node, name string) *call.Node {
	one := *n
	one.Name, one.Words, one.Nodes = name, call.Words(name), nil
	for _, e := range n.Nodes {
		if n.Kind() == canon.KindArray {
			e = renamed(e, name)
		}
		one.Nodes = append(one.Nodes, e)
	}
	return &one
}

// onlyMembers are the members of a list of objects that have one each, all of one name; nil for
// other lists.
func onlyMembers(list *call.Node) (all []*call.Node) {
	for _, e := range list.Nodes {
		if len(e.Nodes) != 1 || len(e.Nodes[0].Nodes) > 0 || e.Kind() != canon.KindObject || len(all) > 0 && e.Nodes[0].Name != all[0].Name {
			return nil
		}
		all = append(all, e.Nodes[0])
	}
	return all
}

// label shortens the names of arguments: by what only wraps them all, and to a.b where no other ends so.
func label(all []Argument) {
	for i, a := range all {
		if wrapper, rest, _ := strings.Cut(a.Name, "."); len(all) > 1 && !slices.ContainsFunc(all, func(b Argument) bool { return !strings.HasPrefix(b.Name, wrapper+".") }) {
			a.Name = rest
		}
		for all[i].label = a.Name; ; all[i].label = a.Name {
			if _, a.Name, _ = strings.Cut(a.Name, "."); !strings.Contains(strings.Trim(a.Name, ".0123456789"), ".") || slices.ContainsFunc(all, func(b Argument) bool { return b.Name != all[i].Name && strings.HasSuffix("."+b.Name, "."+a.Name) }) {
				break
			}
		}
		all[i].label = a.negated(all[i].label)
	}
}

// negated is a short name with that around it which turns its meaning round: must_not.gte.
func (a Argument) negated(short string) string {
	for of := range strings.SplitSeq(strings.TrimSuffix(strings.TrimPrefix(a.Name, a.element), short), ".") {
		if anyOf(call.Words(of), negating) && !strings.Contains(short, of) {
			return of + "." + short
		}
	}
	return short
}

// odd raises what only one element of a list has, where the others are alike.
func odd(all []Argument) {
	within := func(a Argument) string {
		return a.element[:strings.LastIndexByte(a.element, '.')+1] + strings.TrimPrefix(a.Name, a.element)
	}
	said := func(a Argument) string { return within(a) + "=" + a.Values[0].Text() + a.Values[0].Number() }
	names, values, alike, few := map[string]int{}, map[string]int{}, map[string]bool{}, map[string]map[string]bool{}
	for _, a := range all {
		names[within(a)]++
		values[said(a)]++
		alike[within(a)] = alike[within(a)] || values[said(a)] > 1
	}
	var found []int
	for i, a := range all {
		if a.of > 2 && a.Weight > Cheap && (names[within(a)] == 1 || alike[within(a)] && names[within(a)] > 2 && values[said(a)] == 1) {
			list := a.element[:strings.LastIndexByte(a.element, '.')+1]
			if few[list] == nil {
				few[list] = map[string]bool{}
			}
			few[list][a.element], found = true, append(found, i)
		}
	}
	for _, i := range found {
		if list := all[i].element[:strings.LastIndexByte(all[i].element, '.')+1]; len(few[list])*2 <= all[i].of {
			all[i].Weight = max(all[i].Weight, weightChosen)
		}
	}
}
