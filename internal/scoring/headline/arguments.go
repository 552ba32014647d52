package headline

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/effects"
)

// Argument is one argument of a call, by the path of its names, with its value or, of a list,
// its values. Headlines say them and quizzes ask for them.
type Argument struct {
	Name   string // "a.b"
	Words  []string
	Role   Role
	Weight int
	Values []*call.Node
	Secret bool // it may be one: nothing says it
	Target bool // the call acts on it

	label    string // Name, without what only wraps
	element  string // of several in a list: the path of the one in which it stands
	of       int    // how many they are
	currency string // of an amount, where an argument beside it says that
	minor    bool   // a whole number of it counts cents
	unit     bool   // an amount says it
	sure     bool   // a target that needs no name beside it
	does     string // a consequence that it has whatever the function does: "Makes it public"
}

// Arguments are those of a call, in its order. all are its effects.
func Arguments(in *call.Call, all []effects.Effect) []Argument {
	var found []Argument
	_, name := split(in.Function)
	function := call.Words(name)
	var look func(n *call.Node, path string)
	element, of, lists := "", 0, 0
	for _, m := range in.Tree().Nodes {
		if m.Kind() == canon.KindArray && len(m.Nodes) > 0 && m.Nodes[0].Kind() == canon.KindObject {
			lists++
		}
	}
	keep := func(path string, values []*call.Node) {
		a := weigh(path, values, call.Words(in.Function), all)
		a.element, a.of = element, of
		found = append(found, a)
	}
	look = func(n *call.Node, path string) {
		if n.Kind() == canon.KindString { // an object that is sent as a text
			if inner := call.Tree(document(in, n), n.Pointer); inner.Len() > 0 && (n.Text()[0] == '{' || len(slices.Collect(inner.Leaves())) <= maxLeaves) {
				n = inner
			}
		}
		switch n.Kind() {
		case canon.KindObject:
			if len(n.Nodes) == 0 && path != "" { // an empty filter is all
				keep(path, []*call.Node{n})
			}
			members := n.Nodes
			if key, value := pair(n); key != nil && of > 0 { // {name: "retention.ms", value: "60000"}
				members = slices.DeleteFunc(slices.Clone(members), func(m *call.Node) bool { return m == key || m == value })
				look(renamed(value, key.Text()), path+"."+key.Text())
			}
			for _, m := range members {
				name := m.Name
				if path != "" {
					name = path + "." + name
				}
				look(m, name)
			}
		case canon.KindArray:
			if len(n.Nodes) == 0 { // nobody is allowed
				keep(path, []*call.Node{n})
				return
			}
			scalars := !slices.ContainsFunc(n.Nodes, func(e *call.Node) bool { return e.Kind() == canon.KindObject || e.Kind() == canon.KindArray })
			if scalars {
				keep(path, n.Nodes)
				return
			}
			if ones := onlyMembers(n); ones != nil { // [{id: 1}, {id: 2}]
				keep(strings.TrimPrefix(path+"."+ones[0].Name, "."), ones)
				return
			}
			outermost := (len(n.Nodes) > 1 || lists > 1) && of == 0
			for i, e := range n.Nodes {
				at := strings.TrimPrefix(path+"."+strconv.Itoa(i), ".")
				if outermost {
					element, of = at, len(n.Nodes)
				}
				look(e, at)
			}
			if outermost {
				element, of = "", 0
			}
		case canon.KindAbsent:
		default:
			keep(path, []*call.Node{n})
		}
	}
	look(in.Tree(), "")
	if env := in.Environment; env != "" && !slices.ContainsFunc(found, func(a Argument) bool { return a.Values[0].Text() == env }) {
		n := call.Tree(canon.String(env), "/environment")
		found = append(found, Argument{Name: "environment", Words: []string{"environment"}, Role: Where, Weight: weights[Where], Values: []*call.Node{n}})
	}
	withoutSecrets(call.Words(in.Function), found)
	label(found)
	odd(found)
	said := &call.Node{}
	for _, a := range found {
		said.Nodes = append(said.Nodes, a.Values...)
	}
	minor := effects.MinorUnits(in.Function, said)
	for i := range found {
		found[i].minor = found[i].Role == Amount && minor
	}
	currencies(found)
	for i, a := range found { // value_minor beside a currency
		found[i].minor = a.minor || a.currency != "" && effects.CountsCents(a.Words)
	}
	does := effects.Kind("")
	if len(all) > 0 {
		does = all[0].Kind
	}
	if i, sure, guessed := target(function, found, does); i >= 0 {
		found[i].Target, found[i].sure, found[i].Weight = true, sure, max(found[i].Weight, OfTarget)
		if guessed && found[i].Weight == OfTarget { // what a program names is more
			found[i].Weight--
		}
	}
	return found
}

// document is the object that a text is, as JSON or as YAML of several lines, and of several documents the list.
func document(in *call.Call, n *call.Node) canon.Value {
	text := n.Text()
	if strings.HasPrefix(text, "{") {
		if v := in.Text(text).Document(); v.Kind() == canon.KindObject {
			return v
		}
	}
	if !yamlBegins.MatchString(text) || len(text) > maxManifestBytes || roleOf(n) == Text && !strings.Contains(text, "apiVersion:") {
		return canon.Value{}
	}
	return call.Made(in.Text(text), yamlKey{}, fromYAML)
}

type yamlKey struct{}

// fromYAML is what the documents of a text are, where one has lists or objects in it, and none stands in for another.
func fromYAML(text string) canon.Value {
	if anchor.MatchString(text) {
		return canon.Value{}
	}
	var all []canon.Value
	decoder := yaml.NewDecoder(strings.NewReader(text))
	for err := error(nil); err == nil && len(all) < maxManifests; {
		var one map[string]any
		if err = decoder.Decode(&one); err != nil && !errors.Is(err, io.EOF) {
			return canon.Value{}
		}
		body, _ := json.Marshal(one)
		if v, wrong := canon.Parse(body); wrong == nil && v.Len() > 0 {
			all = append(all, v)
		}
	}
	nested := slices.ContainsFunc(all, func(v canon.Value) bool {
		for _, m := range v.Members() {
			if m.Len() > 0 {
				return true
			}
		}
		return false
	})
	switch {
	case !nested: // a letter
		return canon.Value{}
	case len(all) == 1:
		return all[0]
	}
	return canon.Array(all...)
}

// maxLeaves bounds how many values of a document in YAML are said one by one.
const maxLeaves = 300

// yamlBegins matches the first line of a document with members, and anchor what others stand in for.
var (
	yamlBegins = regexp.MustCompile(`^(?:---[^\n]*\n|#[^\n]*\n)*[\w.-]+:(?: [^\n]*)?\n`)
	anchor     = regexp.MustCompile(`[\s:\[{,-]&\w`)
)

// opaque reports whether a value is an identifier that a machine made, of which nobody knows what it
// is of: 372e67954025e0ba6aaa6d586b9e0b59.
func opaque(text string) bool {
	bare := strings.ToLower(strings.TrimPrefix(text, "0x"))
	if len(bare) >= 12 && strings.Trim(bare, "0123456789abcdef-") == "" && strings.ContainsAny(bare, "0123456789") && strings.ContainsAny(bare, "abcdef") {
		return true
	}
	digits, letters := 0, 0
	for _, r := range text {
		if letters++; r < 'a' || r > 'z' {
			letters = 0
		}
		switch {
		case letters > 4: // a word
			return false
		case r >= '0' && r <= '9':
			digits++
		case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r == '-', r == '_':
		default:
			return false
		}
	}
	return len(text) >= 17 && digits >= 4
}

// isProse reports whether a value is several words that name nothing.
func isProse(n *call.Node) bool {
	return n.Kind() == canon.KindString && utf8.RuneCountInString(n.Text()) > longest && strings.Count(strings.TrimSpace(n.Text()), " ") > 2
}

const (
	longest     = 40  // characters of a value that is always said whole
	longestName = 120 // and of an identifier, a path or an address
)

// Text is a value as a headline says it: of a sum the currency too, and of one in cents both figures.
func (a Argument) Text(i int) string { return a.said(a.Values[i]).Text }

// said is a value as a headline says it, and how many leaves of the call that is: none where it
// is not said whole.
func (a Argument) said(n *call.Node) Part {
	p := Part{Role: a.Role, By: Theirs, Weight: a.Weight, leaves: 1}
	switch n.Kind() {
	case canon.KindString:
		p.Text = cmp.Or(n.Text(), `""`)
	case canon.KindNumber:
		p.Text = n.Digits()
	case canon.KindBool:
		p.Text = strconv.FormatBool(n.Bool())
	case canon.KindObject:
		p.Text, p.leaves = "{}", 0
	case canon.KindArray:
		p.Text, p.leaves = "[]", 0
	default:
		p.Text = "null"
	}
	if a.Role == Amount || a.Role == Count {
		p.Text = group(p.Text)
	}
	sum := p.Text
	if a.minor && effects.HasMinorUnits(a.currency) && n.Kind() == canon.KindNumber && n.Float() == math.Trunc(n.Float()) && math.Abs(n.Float()) < 1e15 {
		p.Text = group(strconv.FormatFloat(n.Float()/100, 'f', 2, 64))
	}
	if a.currency != "" {
		p.Text, p.leaves = p.Text+" "+a.currency, 2
	}
	if !strings.HasPrefix(p.Text, sum) {
		p.Text += " (" + sum + " minor units)"
	}
	if level := vocabulary().Levels[p.Text]; level != "" && len(a.Words) == 2 && a.Words[1] == "level" && a.Words[0] == "access" {
		p.Text += " (" + level + ")"
	}
	switch length := utf8.RuneCountInString(p.Text); {
	case length <= longest:
	case !utf8.ValidString(p.Text) || strings.ContainsRune(p.Text, 0):
		p.Text, p.leaves = strconv.Itoa(len(p.Text))+" bytes", 0
	case strings.ContainsAny(strings.TrimSpace(p.Text), " \n\t<") || length > longestName:
		text := strings.Join(strings.Fields(withoutTags(p.Text)), " ")
		if first := begin(text, longest+20); first != text || text != p.Text {
			p.Text = first + "…"
		}
	}
	p.Text = legible(p.Text)
	return p
}

// withoutTags is what HTML says: its first words are those of a page, not of its head.
func withoutTags(text string) string {
	if !strings.Contains(text, "</") {
		return text
	}
	var b strings.Builder
	for {
		open := strings.IndexByte(text, '<')
		if open < 0 {
			return b.String() + text
		}
		b.WriteString(text[:open] + " ")
		end := strings.IndexByte(text[open:], '>')
		if end < 0 {
			return b.String()
		}
		text = text[open+end+1:]
	}
}

// currencies gives amounts the currency beside them, which is that of the same prefix
// (source_amount, source_currency).
func currencies(all []Argument) {
	for i, a := range all {
		if a.Role != Amount || len(a.Values) != 1 {
			continue
		}
		path := a.Name[:strings.LastIndexByte(a.Name, '.')+1]
		best := -1
		for k, c := range all {
			code, last := strings.ToUpper(c.Values[0].Text()), len(c.Words)-1
			if last < 0 || c.Words[last] != "currency" || len(code) != 3 || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "" || c.Name[:strings.LastIndexByte(c.Name, '.')+1] != path {
				continue
			}
			if last == 0 && best < 0 || last > 0 && slices.Equal(c.Words[:last], a.Words[:len(a.Words)-1]) {
				best = k
			}
		}
		if best >= 0 {
			all[i].currency, all[best].unit = strings.ToUpper(all[best].Values[0].Text()), true
		}
	}
}

// item is the name of an argument and its values.
func (a Argument) item() item {
	it := item{weight: a.Weight}
	if a.Name != "" { // of a list of arguments none has one
		it.parts = append(it.parts, Part{Role: Name, Text: legible(a.label), By: Theirs, Weight: a.Weight, last: a.last()})
	}
	if a.Secret {
		it.parts = append(it.parts, Part{Role: Label, Text: "masked", By: Ours, leaves: len(a.Values)})
		return it
	}
	for _, n := range a.heaviest() {
		it.parts = append(it.parts, a.said(n))
	}
	return it
}

// last is the innermost name that says what a value is: salary of salary.value.
func (a Argument) last() string { return a.negated(a.innermost()) }

func (a Argument) innermost() string {
	name := a.Values[0].Name
	before := strings.TrimRight(strings.TrimSuffix(a.Name, name), ".0123456789")
	switch outer := before[strings.LastIndexByte(before, '.')+1:]; {
	case before == "", strings.TrimSuffix(a.Name, "."+name) == a.element:
	case name == "value" || name == "key" || name == "id" || len(name) == 1:
		return legible(outer)
	case name == "all" || name == "enabled":
		return legible(outer + "." + name)
	}
	return legible(name)
}

// Alike reports whether none of the values reaches further than another one.
func (a Argument) Alike() bool {
	reach := a.reach()
	return !slices.ContainsFunc(a.Values, func(n *call.Node) bool { return reach(n) != reach(a.Values[0]) })
}

// heaviest are the values, those first that reach further.
func (a Argument) heaviest() []*call.Node {
	reach := a.reach()
	return slices.SortedStableFunc(slices.Values(a.Values), func(x, y *call.Node) int { return reach(x) - reach(y) })
}

// reach is how far a value reaches, beside the others; 0 is furthest.
func (a Argument) reach() func(n *call.Node) int {
	of, most := map[string]int{}, 0
	kind := func(n *call.Node) string { // light of light.hall
		at := strings.IndexAny(n.Text(), ".:/@")
		return n.Text()[:max(0, at)]
	}
	for _, n := range a.Values {
		of[kind(n)]++
		most = max(most, of[kind(n)])
	}
	return func(n *call.Node) int {
		switch text := strings.ToLower(n.Text()); {
		case everyone[text] || slices.ContainsFunc(call.Words(text), func(w string) bool { return far[w] || namesSecret(w) }):
			return 0
		case strings.Contains(text, "*"):
			return 1
		case strings.Contains(text, "localhost"):
			return 4
		case strings.HasPrefix(text, "http://"), strings.HasSuffix(text, "=true"), of[kind(n)] < most: // it is none of those
			return 2
		}
		return 3
	}
}

// several reports whether more than one person is named.
func several(all []Argument) bool {
	n := 0
	for _, a := range all {
		for _, v := range a.Values {
			if a.Role == Recipient && !a.Own() {
				n += strings.Count(v.Text(), "@")
			}
		}
	}
	return n > 1
}

// Own reports whether an argument says on whose account the call is made.
func (a Argument) Own() bool {
	return slices.ContainsFunc(slices.Concat(a.Words, call.Words(a.Name)), func(w string) bool { return ownWords[w] })
}

// sorted orders items by weight, of several amounts the largest first; the others of one weight stay as the call has
// them.
func sorted(items []item) []item {
	slices.SortStableFunc(items, func(a, b item) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(b.size, a.size))
	})
	return items
}

// number is that of a value, also where it is a text.
func number(n *call.Node) float64 {
	value, err := strconv.ParseFloat(n.Text()+n.Number(), 64)
	if err != nil {
		return 0
	}
	return value
}
