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

	"gopkg.in/yaml.v3"

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
	within := func(a Argument) string { return a.element[:strings.LastIndexByte(a.element, '.')+1] + strings.TrimPrefix(a.Name, a.element) }
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

// heaviest are the values, those first that reach further.
func (a Argument) heaviest() []*call.Node {
	of, most := map[string]int{}, 0
	kind := func(n *call.Node) string { // light of light.hall
		at := strings.IndexAny(n.Text(), ".:/@")
		return n.Text()[:max(0, at)]
	}
	for _, n := range a.Values {
		of[kind(n)]++
		most = max(most, of[kind(n)])
	}
	rank := func(n *call.Node) int {
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
	return slices.SortedStableFunc(slices.Values(a.Values), func(x, y *call.Node) int { return rank(x) - rank(y) })
}

// target is the argument that a call acts on, where one says so: that which its function is
// named after, who gets access, or what only names itself. It is -1 for none. sure says that the
// value needs no name beside it: nobody takes it for something else; guessed, that nothing says so, and it only looks
// like one.
func target(function []string, all []Argument, does effects.Kind) (best int, sure, guessed bool) {
	best, rank := -1, 0
	creates, making := making, len(function) > 0 && making[function[0]]
	object := "" // the last word of the function, where no argument is named after it
	if n := len(function); n > 2 && !slices.ContainsFunc(all, func(a Argument) bool { return slices.Contains(a.Words, singular(function[n-1])) }) {
		object = function[n-1]
	}
	setting := slices.ContainsFunc(function, func(w string) bool { return setting[w] })
	many := several(all)
	files := slices.ContainsFunc(function, func(w string) bool { return fileWords[singular(w)] })
	other, least := -1, 0 // what else may be it, where nothing says so
	for i, a := range all {
		one := a.Values[0]
		if positional := a.Name == "" || argv[strings.ToLower(a.Name)]; positional && rank < 70 {
			best, rank, sure = i, 70, true
			continue
		}
		if one.Kind() != canon.KindString && one.Kind() != canon.KindNumber || a.Secret || isProse(one) ||
			utf8.RuneCountInString(one.Text()) > longest && strings.Contains(one.Text(), " ") || len(a.Words) == 0 || strings.TrimSpace(one.Text()+one.Number()) == "" ||
			a.Weight <= weightShown || a.Own() || a.of > 0 || isVariable(one.Name) {
			continue
		}
		r, certain := 0, false
		s := stem(a.Words)
		last, final := singular(s[len(s)-1]), a.Words[len(a.Words)-1]
		named := slices.IndexFunc(function, func(w string) bool { return singular(w) == last })
		certainly := named >= 0 && (named == len(function)-1 || named == 0) && (!making || len(s) < len(a.Words) || named == 0)
		switch {
		case len(a.Values) > 1 && (named < 0 || a.Role == Given): // several of what the function is named after
		case many && a.Role == Recipient && strings.Contains(one.Text(), "@"): // everybody stands together
		case (does == effects.Permission || does == effects.Delete && persons[singular(object)]) && a.Role == Recipient && !setting:
			r, certain = 100, named >= 0
		case certainly && len(s) < len(a.Words): // role_name of create_role
			r, certain = 90, true
		case object != "" && !making && len(a.Words) == 1 && keys[final] && a.Role == Value: // key of delete_project_variable
			r, certain = 89, final == "id" || final == "name"
		case does == effects.Message && final == "username": // under which name it's sent
		case a.Role == Recipient && (does == effects.Money || does == effects.Message) && named < 0:
			r = 66
		case title[final] && (does == effects.Money || does == effects.Message):
		case a.Role == Given || a.Role == Amount || a.Role == Count || a.Role == Text:
		case a.Role == Target:
			r = 65
			if does == effects.Money {
				r = 95
			}
		case tables[last] && one.Kind() == canon.KindString:
			r, certain = 63, named >= 0
		case named >= 0 && !certainly && slices.ContainsFunc(function[named:], func(w string) bool { return creates[w] }): // calendar_id of calendar_create_event
			r = 55
		case named >= 0:
			r, certain = 80+min(named, 8), certainly
		case len(a.Words) == 1 && final == "id":
			r, certain = 64, !making
		case final == "path" || final == "file" || final == "filename":
			r, certain = 62, files && len(a.Words) <= 2
		case len(a.Words) == 1 && (final == "name" || final == "title"):
			r, certain = 61, true
		case len(a.Words) == 1 && generic[final]:
			r = 60
		case naming[final] && a.Role == Value && !machineMade(one.Text()+one.Number()):
			r = 50 + len(a.Words) - len(s)
		}
		if opaque(one.Text()) && does != effects.Delete && slices.ContainsFunc(all, func(b Argument) bool {
			return b.Name == "name" && b.Weight > weightShown && strings.Contains(b.Values[0].Text(), ".")
		}) {
			r = min(r, 60) // login.example.com, and not the id of its record
		}
		deep := 20 * strings.Count(a.Name, ".")
		if r -= deep; r > rank && (r >= 40 || !making) && (r >= 60 || !opaque(one.Text()) && does != effects.Money) {
			best, rank, sure = i, r, certain
		}
		if r = a.spare(last) - deep - 2*len(s); r > least && len(a.Values) == 1 {
			other, least = i, r
		}
	}
	if best < 0 && does != effects.Message && !(many && does == effects.Money) {
		best, guessed = other, true
	}
	return called(all, best), sure, guessed
}

// spare is how much a value looks like what a call acts on, where its function isn't named after it: a name, rather
// than a place, rather than a person.
func (a Argument) spare(last string) int {
	text := a.Values[0].Text()
	switch {
	case text == "" || strings.Contains(a.label, ".") || kinds[last] || asides[last] || executed[last] || no[strings.ToLower(text)] || when[strings.ToLower(text)] || isDate(text) || isURL(text) || strings.Contains(text, "\n") || measures[last]:
		return 0
	case containers[last]:
		return 60
	case a.Role == Value && len(a.Words) > 1 && naming[a.Words[len(a.Words)-1]]:
		return 55
	case a.Role == Value && a.Weight > Cheap:
		return 50
	case a.Role == Where && !outermost[last]:
		return 45
	case a.Role == Where, a.Role == Recipient, a.Role == Value:
		return 40
	}
	return 0
}

// isVariable reports whether a name is that of a variable of an environment.
func isVariable(name string) bool {
	return name == strings.ToUpper(name) && strings.Contains(name, "_")
}

// called is the argument by which people call the target, where it is an identifier that a machine made and
// beside it stands its name: policyName beside policyId.
func called(all []Argument, target int) int {
	if target < 0 || len(all[target].Words) == 0 {
		return target
	}
	t := all[target]
	machine := machineMade(t.Values[0].Text()+t.Values[0].Number()) || opaque(t.Values[0].Text())
	beside := func(a Argument) bool {
		within := func(name string) string { return name[:strings.LastIndexByte(name, '.')+1] }
		return len(a.Words) > 0 && titles[a.Words[len(a.Words)-1]] && (within(a.Name) == within(t.Name) || machine && a.of < 2 && strings.Count(a.Name, ".") == 1) && len(a.Values) == 1 && a.Values[0].Text() != "" &&
			(len(t.Words) > 1 && slices.Equal(stem(a.Words), stem(t.Words)) || machine && (len(a.Words) == 1 || len(t.Words) == 1 || a.Words[0] == "display"))
	}
	if i := slices.IndexFunc(all, beside); i >= 0 {
		return i
	}
	return target
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
