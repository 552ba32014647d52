package quiz

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Other names: of as many words as one is, for the same kind of thing, written alike.

// ofKind is a short beginning of an identifier that says of what it is one.
var ofKind = regexp.MustCompile(`^([a-z]{2,3}[-_])(?:[a-z]+[-_]){2}`)

// like is another name of this kind, of as many words, written as it is.
func (n *noun) like(name string, random *rand.Rand) string {
	switch n.Kind {
	case "person":
		return person(name, random)
	case "code":
		return ""
	case "role": // one word is one of a few that the tool knows, and others are no roles
		parts := pieces.FindAllString(name, -1)
		last := parts[len(parts)-1]
		if words(name) < 2 || !slices.Contains(n.Ends, last) {
			return ""
		}
		return strings.TrimSuffix(name, last) + without(n.Ends, []string{last}, random)[0]
	}
	if len(name) > 14 && len(pieces.FindAllString(name, -1)) == 1 { // letters of a machine
		return identifier(name, nil, random)
	}
	if kept := ofKind.FindStringSubmatch(name); kept != nil { // br-cool-harbor
		return kept[1] + n.like(name[len(kept[1]):], random)
	}
	var b strings.Builder
	left, used := words(name), []string{}
	for _, p := range pieces.FindAllString(name, -1) {
		switch {
		case !letter(p) && strings.Trim(p, "0123456789") != "", len(p) == 1:
			b.WriteString(p)
			continue
		case !letter(p) && len(p) == 4 && p >= "1990" && p <= "2039": // a year
			b.WriteString(p)
			continue
		case !letter(p):
			b.WriteString(amount(p, random))
			continue
		}
		list := n.Of
		if left--; left == 0 && len(used) > 0 && len(n.Ends) > 0 {
			list = n.Ends
		}
		w := without(list, used, random)[0]
		used = append(used, w)
		if p == strings.ToUpper(p) && name != strings.ToUpper(name) { // Global MFA Policy
			b.WriteString(capital(w))
		} else {
			b.WriteString(written(w, p))
		}
	}
	return b.String()
}

func letter(p string) bool { return p[0] >= 'a' && p[0] <= 'z' || p[0] >= 'A' && p[0] <= 'Z' }

// person is a name of a person, an account or a mailbox, of the shape of another one.
func person(name string, random *rand.Rand) string {
	if strings.ContainsFunc(name, func(r rune) bool { return r > unicode.MaxASCII }) {
		return ""
	}
	any := func(list []string) string { return list[random.IntN(len(list))] }
	parts := pieces.FindAllString(name, -1)
	if strings.Contains(name, ",") && setOf(parts[0], []string{"user"}) != nil { // root,oracle
		return ""
	}
	for _, l := range lists.Accounts { // ci-deployer, finance-team, of which other words stay
		if !slices.ContainsFunc(parts, func(p string) bool { return slices.Contains(l.Named, strings.ToLower(p)) }) {
			continue
		}
		for i, p := range parts {
			list := l.Of
			if i > 0 && i == len(parts)-1 && len(l.Ends) > 0 {
				list = l.Ends
			}
			if slices.Contains(slices.Concat(l.Named, l.Of, l.Ends), strings.ToLower(p)) {
				parts[i] = written(any(list), p)
			}
		}
		return strings.Join(parts, "")
	}
	var words []int
	for i, p := range parts {
		if letter(p) && !slices.Contains(lists.Titles, strings.ToLower(p)) {
			words = append(words, i)
		} else if strings.Trim(p, "0123456789") == "" {
			parts[i] = amount(p, random)
		}
	}
	for k, i := range words {
		w := any(lists.First)
		switch {
		case len(parts[i]) == 1:
			w = w[:1]
		case k > 0:
			w = any(lists.Last)
		case len(words) == 1 && !slices.Contains(lists.First, strings.ToLower(parts[i])) && parts[i] == strings.ToLower(parts[i]): // mlowell
			w = w[:1] + any(lists.Last)
		}
		parts[i] = written(w, parts[i])
	}
	return strings.Join(parts, "")
}
