package facts

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/effects"
)

// What tells an act from others of its kind, besides what it is about (judgement.md section 4):
// which of several, who gets something, what is given, what something becomes, what is said.
// The names of arguments say which is which, and of any other tool the first few are taken as
// they are.

// role is what an argument says about an act.
type role uint8

const (
	other   role = iota
	picks        // in a filter: which ones
	counted      // how many
	who          // member, assignee
	given        // role, permissions
	becomes      // status, enabled
	said         // subject, text, query
)

// detail is one argument for a sentence.
type detail struct {
	name, value string // as the sentence shows them
	role        role
	rank        int // among those of its role, by the word that says which it is
	pointer     string
}

const (
	maxDetails = 3   // of one sentence
	maxTail    = 104 // characters of them, of which the first may use all
	maxDetail  = 48  // characters of a value
	maxSaid    = 64  // characters of what is said, or of a command
	maxListed  = 3   // values of a list, of which the others are counted
	maxVisited = 256
	maxDeep    = 7
)

// details are the arguments that are not in the sentence yet, the most telling first.
func (d deed) details(in *call.Call, facts []Fact, sentence string) []detail {
	if d.brief && d.specific {
		return nil
	}
	c := details{in: in, deed: d, facts: facts, sentence: sentence, secrets: d.keepsSecrets(in.Function)}
	switch text, ok := d.executed(in); {
	case ok:
		c.options(in, text)
	default:
		c.read(in.Tree(), around{})
	}
	order := d.roles()
	rank := func(x detail) int { return slices.Index(order, x.role) }
	c.found = slices.DeleteFunc(c.found, func(x detail) bool { return rank(x) < 0 })
	slices.SortStableFunc(c.found, func(a, b detail) int {
		return cmp.Or(rank(a)-rank(b), a.rank-b.rank, strings.Count(a.pointer, "/")-strings.Count(b.pointer, "/"))
	})
	most := maxDetails
	switch {
	case d.brief:
		most = 1
	case d.effect.Kind == effects.Read, d.effect.Kind == effects.Delete:
		most = 2
	}
	var kept []detail
	size := 0
	for _, x := range c.found {
		length := len(x.name) + len(x.value) + 4
		switch {
		case len(kept) == most, len(kept) > 0 && size+length > maxTail,
			slices.ContainsFunc(kept, func(k detail) bool {
				return k.value == x.value || k.role == said && x.role == said && d.effect.Kind != effects.Write
			}):
			continue
		}
		size += length
		kept = append(kept, x)
	}
	return kept
}

// roles are those that tell acts of an effect apart, the first one most.
func (d deed) roles() []role {
	switch {
	case d.effect.Kind == effects.Message:
		return []role{who, said, picks, counted, becomes}
	case d.effect.Kind == effects.Permission:
		return []role{given, who, picks, counted, becomes, other, said}
	case d.effect.Kind == effects.Money:
		return []role{who, counted, becomes, other, said}
	case d.effect.Kind == effects.Delete && d.specific && !d.text:
		return []role{picks, counted, who, becomes}
	case d.effect.Kind == effects.Delete, d.effect.Kind == effects.Read && !d.specific:
		return []role{said, picks, becomes, other, who, counted}
	case d.effect.Kind == effects.Read:
		return []role{said, picks, other, becomes}
	}
	if making[strings.ToLower(d.verb)] {
		return []role{said, picks, counted, becomes, given, who, other} // its title first
	}
	return []role{picks, counted, becomes, given, who, other, said}
}

// details gathers them.
type details struct {
	in       *call.Call
	deed     deed
	facts    []Fact
	sentence string
	secrets  bool
	found    []detail
	visited  int
}

// around is what stands around a value: its name, whether it picks what is acted on and how
// that is compared, and how deep it is.
type around struct {
	name  string
	picks bool
	sign  string
	depth int
}

// signs are comparisons of filters.
var signs = map[string]string{"lt": "<", "lte": "<=", "gt": ">", "gte": ">=", "$lt": "<", "$lte": "<=", "$gt": ">", "$gte": ">=", "$ne": "!=", "$in": "in", "$nin": "not in"}

// read looks at what stands in a value.
func (c *details) read(n *call.Node, in around) {
	if c.visited++; c.visited > maxVisited || in.depth > maxDeep {
		return
	}
	if name, value := pair(n); value != nil {
		c.add(value, name, in)
		return
	}
	for i, m := range n.Nodes {
		if c.visited++; c.visited > maxVisited {
			return
		}
		name, last := m.Name, finalWord(m)
		switch {
		case n.Kind() == canon.KindArray:
			if i == maxListed {
				return
			}
			name = in.name
		case in.name != "" && (strings.HasPrefix(m.Name, "$") || in.picks && signs[m.Name] != "" || len(m.Words) <= 2 && (generic[last] || moments[last] && len(n.Nodes) <= 3 && !slices.ContainsFunc(n.Nodes, func(b *call.Node) bool { return b != m && finalWord(b) != "zone" && finalWord(b) != "timezone" }))):
			name = in.name
		}
		if isAside(m) {
			continue
		}
		inner := around{name: name, picks: in.picks || n.Kind() != canon.KindArray && (filtering[singularOf(last)] || last == "query" && m.Kind() == canon.KindObject), sign: cmp.Or(signs[m.Name], in.sign), depth: in.depth + 1}
		switch {
		case strings.HasPrefix(m.Name, "/") && in.name != "": // volumes: {"/": {"bind": "/host"}}
			c.keep(detail{name: in.name, value: inQuotes(m.Name, maxDetail, isOneWord(m.Name)), role: becomes, pointer: m.Pointer}, m)
		case m.Kind() == canon.KindObject:
			if n.Kind() != canon.KindArray && wrappers[last] || inner.picks && (!in.picks || slices.Contains([]string{"range", "term", "terms", "match", "bool", "must"}, last)) {
				inner.name = ""
			}
			c.read(m, inner)
		case m.Kind() == canon.KindArray && len(m.Nodes) > 0 && (m.Nodes[0].Kind() == canon.KindObject || m.Nodes[0].Kind() == canon.KindArray):
			if wrappers[last] && m.Nodes[0].Kind() == canon.KindObject {
				inner.name = ""
			}
			c.read(m, inner)
		default:
			if doc := c.document(m); doc != nil {
				c.read(doc, around{picks: inner.picks, depth: inner.depth})
				continue
			}
			c.add(m, name, inner)
		}
	}
}

// document is the JSON object that a text is: a policy.
func (c *details) document(n *call.Node) *call.Node {
	text := strings.TrimSpace(n.Text())
	if !strings.HasPrefix(text, "{") {
		return nil
	}
	v := c.in.Text(text).Document()
	if v.Kind() != canon.KindObject {
		return nil
	}
	return call.Tree(v, n.Pointer)
}

func finalWord(n *call.Node) string {
	if len(n.Words) == 0 {
		return ""
	}
	return n.Words[len(n.Words)-1]
}

// pair is a name and a value that stand side by side: {"name": "retention.ms", "value": 3600000}.
func pair(n *call.Node) (name string, value *call.Node) {
	if n.Kind() != canon.KindObject || len(n.Nodes) > 4 || strings.Count(n.Pointer, "/") < 2 {
		return "", nil
	}
	for _, m := range n.Nodes {
		switch strings.ToLower(m.Name) {
		case "name", "key", "field", "path", "option":
			name = m.Text()
		case "value", "val":
			value = m
		}
	}
	if name == "" || value == nil || value.Kind() == canon.KindObject {
		return "", nil
	}
	return strings.TrimLeft(name, "/$."), value
}

// add takes a value unless it says nothing, is secret, or the sentence has it.
func (c *details) add(n *call.Node, name string, in around) {
	all := call.Words(name)
	stem, _ := stemOf(all)
	if len(stem) == 0 {
		stem = all
	}
	if len(all) == 0 || isSecret(all) || isSecret(call.Words(lastName(n.Pointer))) || len(all) == 1 && all[0] == "code" {
		return
	}
	r, rank := c.roleOf(stem)
	last := singularOf(stem[len(stem)-1])
	switch value := n.Text(); {
	case in.picks:
		r = picks
		if filtering[last] {
			name = ""
		} else if in.sign == "" {
			in.sign = "="
		}
	case claims[last] && r == said && c.deed.effect.Kind != effects.Message && c.deed.effect.Kind != effects.Read && !slices.ContainsFunc(strings.Fields(c.deed.object), func(w string) bool { return spoken[singularOf(w)] }):
		return
	case last == "owner" && c.inRepository():
		return
	case c.paid() && slices.ContainsFunc(c.facts, func(f Fact) bool {
		return f.Kind == Amount && f.Pointer == n.Pointer && strings.HasPrefix(strings.ReplaceAll(c.deed.sum(c.facts), ",", ""), strings.TrimSuffix(strings.TrimRight(n.Text()+n.Number(), "0"), "."))
	}):
		return
	case unsaid[all[0]] || unsaid[last] && r == other, slices.Contains(all, "by") && r == other, value != "" && (strings.EqualFold(value, c.deed.effect.Verb) || singularOf(strings.ToLower(value)) == c.deed.object), len(all) == 1 && last == "limit", keyOf(all, "").kind == Environment:
		return
	case r == other && slices.ContainsFunc(c.facts, func(f Fact) bool { return f.Kind == Count && f.Pointer == n.Pointer }):
		r = counted
	case content[lastWordOf(lastName(n.Pointer))] && (strings.ContainsAny(value, "\n\r") || c.deed.holdsContent() || last == "file"):
		return // the beginning of a file tells nothing
	case (c.secrets || c.besideSecret(n)) && (content[last] || last == "value" || in.depth > 1 && r == other):
		return
	case slices.ContainsFunc(c.facts, func(f Fact) bool { return f.Kind == Environment && f.Pointer == n.Pointer }):
		return
	}
	if last == "type" && len(stem) > 1 && vague[stem[len(stem)-2]] && vague[singularOf(lastOf(c.deed.object))] { // delete_resource {resource_type: …}
		r, rank = becomes, 0
	}
	if n.Kind() == canon.KindBool && !n.Bool() && r == other {
		rank++
	}
	x := detail{name: inQuotes(name, maxShort, consistsOf(name, "_-.$")), value: c.valueOf(n, r), role: r, rank: rank, pointer: n.Pointer}
	if in.sign != "" && in.picks {
		x.name += " " + in.sign
	}
	c.keep(x, n)
}

// paid reports whether the sentence has the sum.
func (c *details) paid() bool {
	sum := c.deed.sum(c.facts)
	return c.deed.effect.Kind == effects.Money && sum != "" && strings.Contains(c.sentence, sum)
}

// inRepository reports whether the call names a repository, so that its owner tells nothing.
func (c *details) inRepository() bool {
	return slices.ContainsFunc(c.facts, func(f Fact) bool { return f.Label == "repository" })
}

// keep takes a detail that the sentence does not have. Values of one name in a list are one.
func (c *details) keep(x detail, n *call.Node) {
	target := c.deed.target.Pointer
	if x.value == "" || c.deed.specific && (n.Pointer == target && c.deed.target.Source == FromSQL || n.Pointer == target && strings.ContainsAny(n.Text(), "\n\r") || beside(n.Pointer, target) || strings.HasPrefix(target, n.Pointer+"/") || n.Text()+n.Number() == c.deed.target.Value) || c.has(x.value) {
		return
	}
	for i := range c.found {
		if y := &c.found[i]; y.name == x.name && y.role == x.role && beside(y.pointer, x.pointer) {
			if strings.Count(y.value, ", ") < maxListed-1 && len(y.value)+len(x.value) <= 3*maxDetail {
				y.value += ", " + x.value
			}
			return
		}
	}
	c.found = append(c.found, x)
}

// beside reports whether two pointers differ in one place of a list only.
func beside(a, b string) bool {
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	at = strings.LastIndexByte(a[:at], '/') + 1
	left, afterLeft, _ := strings.Cut(a[at:], "/")
	right, afterRight, _ := strings.Cut(b[at:], "/")
	return a != b && at > 0 && strings.Trim(left, "0123456789") == "" && strings.Trim(right, "0123456789") == "" && afterLeft == afterRight
}

// roleOf is what an argument says by its name, and how telling that is.
func (c *details) roleOf(stem []string) (role, int) {
	last := singularOf(stem[len(stem)-1])
	if len(stem) > 1 && slices.Contains([]string{"reference", "definition", "set", "account", "address", "level", "sid", "alias", "list", "arn", "email"}, last) {
		before := singularOf(stem[len(stem)-2])
		_, isWho := roles[who][before]
		if _, isGiven := roles[given][before]; isWho || isGiven {
			last = before
		}
	}
	if len(stem) > 1 && last == "address" {
		last = singularOf(stem[len(stem)-2])
	}
	speaks := c.deed.effect.Kind == effects.Message || c.deed.effect.Kind == effects.Read
	for _, r := range []role{said, who, given, becomes} {
		rank, ok := roles[r][last]
		switch {
		case !ok, r == said && last == "content" && !speaks, last == "owner" && c.deed.effect.Kind != effects.Permission, last == "to" && c.deed.effect.Kind == effects.Read:
		default:
			return r, rank
		}
	}
	switch last {
	case "start", "date", "schedule":
		return other, -2 // first of what no list has
	case "end", "until", "expires":
		return other, -1
	case "type", "mode", "option":
		return other, 2
	}
	return other, 0
}

// valueOf is a value for a sentence; "" for none.
func (c *details) valueOf(n *call.Node, r role) string {
	if n.Kind() != canon.KindArray {
		return ofValue(n.Value, r)
	}
	var each []string
	for _, e := range n.Nodes[:min(len(n.Nodes), maxListed)] {
		if value := ofValue(e.Value, r); value != "" {
			each = append(each, value)
		}
	}
	value := strings.Join(each, ", ")
	if more := len(n.Nodes) - len(each); more > 0 && len(each) > 0 {
		value += " and " + strconv.Itoa(more) + " more"
	}
	return value
}

func ofValue(v canon.Value, r role) string {
	switch v.Kind() {
	case canon.KindNumber:
		return inQuotes(v.Number(), maxDetail, true)
	case canon.KindBool:
		return strconv.FormatBool(v.Bool())
	case canon.KindString:
	default:
		return ""
	}
	text := strings.TrimSpace(v.Text())
	switch {
	case text == "", strings.Contains(text, "[REDACTED:"), strings.Contains(text, "@") && strings.Contains(text[:strings.IndexByte(text, '@')], ":") && !strings.Contains(text, " ") && strings.ContainsAny(text, "/("):
		return ""
	case r == said:
		first, rest, _ := strings.Cut(text, "\n")
		return inQuotes(begin(strings.TrimSpace(first), maxSaid, rest != ""), 2*maxSaid, false)
	case strings.ContainsAny(text, "\n\r"):
		first, _, _ := strings.Cut(text, "\n")
		return inQuotes(begin(strings.TrimSpace(first), maxDetail, true), maxShown, false)
	}
	return inQuotes(text, maxDetail, isOneWord(text))
}

// begin is the beginning of a text, which may go on.
func begin(text string, most int, more bool) string {
	count := 0
	for i := range text {
		if count == most {
			text, more = strings.TrimSpace(text[:i]), true
			break
		}
		count++
	}
	if more {
		text += "…"
	}
	return text
}

// has reports whether the sentence has a value already, as words of its own.
func (c *details) has(value string) bool {
	for from := 0; ; {
		at := strings.Index(c.sentence[from:], value)
		if at < 0 {
			return false
		}
		start, end := from+at, from+at+len(value)
		if isolated(c.sentence, start, end) {
			return true
		}
		from = start + 1
	}
}

// tail is what a sentence says of them: ": status → closed, priority → 1" of what becomes of
// something, else " (mode: warm)"; which of several, " where age < 9"; and what is said stands
// alone: `: "Deploying."`.
func (d deed) tail(all []detail) string {
	sets := d.verb != "Run" && (d.object != "" || d.specific) && !d.executes() && (d.effect.Kind == effects.Write || d.effect.Kind == effects.Permission)
	where, after, inside := "", []string(nil), []string(nil)
	for _, x := range all {
		switch {
		case x.role == picks && d.verb != "Run" && d.effect.Kind != effects.Message:
			if where != "" {
				where += ","
			}
			where += " " + strings.TrimSpace(x.name+" "+x.value)
		case x.role == said && (d.effect.Kind == effects.Message || sets && !strings.ContainsFunc(x.name, isSeparator)):
			after = append(after, x.value)
		case sets && x.role != picks && x.role != counted:
			after = append(after, x.name+" → "+x.value)
		default:
			inside = append(inside, x.name+": "+x.value)
		}
	}
	tail := ""
	if where != "" {
		tail += " where" + where
	}
	if len(inside) > 0 && d.effect.Kind != effects.Message {
		tail += " (" + strings.Join(inside, ", ") + ")"
	}
	if len(after) > 0 {
		tail += ": " + strings.Join(after, ", ")
	}
	if len(inside) > 0 && d.effect.Kind == effects.Message {
		tail += " (" + strings.Join(inside, ", ") + ")"
	}
	return tail
}

// isSeparator reports whether a rune parts or begins a word of a name: replaceText, commit_title.
func isSeparator(r rune) bool { return r == '_' || r == '-' || r == '.' || r >= 'A' && r <= 'Z' }
