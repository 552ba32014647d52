package headline

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/edits"
	"github.com/countersign/countersign/internal/scoring/effects"
)

// act is a call, read for its headline.
type act struct {
	in *call.Call
	Reading
	arguments []Argument
	tool      string   // the server or product in front of the function's name
	function  string   // the name without it
	words     []string // of that
	target    int      // in arguments; -1 for none
	written   *written // what is executed; nil for none, and where files are edited
	said      map[int]bool
	domains   map[string]int // how often addresses of the call are of each
}

func actOf(in *call.Call, r Reading) *act {
	a := &act{in: in, Reading: r, arguments: Arguments(in, r.Effects)}
	a.said = map[int]bool{}
	for i, arg := range a.arguments {
		a.said[i] = arg.unit
	}
	a.target = slices.IndexFunc(a.arguments, func(arg Argument) bool { return arg.Target })
	a.tool, a.function = split(in.Function)
	a.words = call.Words(a.function)
	if a.written = a.findWritten(); a.written != nil {
		for i, arg := range a.arguments { // who signs in where it runs
			if arg.Role == Recipient && arg.Weight < Decisive {
				a.arguments[i].Weight = Place
			}
		}
	}
	return a
}

func (a *act) kind() effects.Kind {
	if len(a.Effects) == 0 {
		return ""
	}
	return a.Effects[0].Kind
}

// split takes a server's or product's name off that of a function: mcp__github__get_me.
func split(name string) (tool, function string) {
	at := 0
	for _, separator := range []string{"__", ".", "/", ":"} {
		if i := strings.LastIndex(name, separator); i > 0 && strings.ContainsFunc(name[i:], unicode.IsLetter) && isIdentifier(strings.NewReplacer("/", "_", ":", "_").Replace(name)) {
			at = max(at, i+len(separator))
		}
	}
	tool = strings.Trim(name[:at], "_./:")
	for _, prefix := range []string{"mcp__", "mcp.", "mcp/", "mcp:"} {
		tool = strings.TrimPrefix(tool, prefix)
	}
	return tool, name[at:]
}

// items are what the headline says, in its order.
func (a *act) items() []item {
	first := a.first()
	var rest []item
	if it, ok := a.everybody(); ok {
		rest = append(rest, it)
	}
	for i, arg := range a.arguments {
		if !a.said[i] {
			rest = append(rest, a.together(i, arg))
		}
	}
	return append([]item{first}, sorted(rest)...)
}

// together is an argument, with the others of one element of a list: what is done to each of several
// things stands beside that thing.
func (a *act) together(i int, arg Argument) item {
	it := arg.item()
	if arg.of == 0 {
		return it
	}
	all := []Argument{arg}
	for k := i + 1; k < len(a.arguments); k++ {
		if a.arguments[k].element == arg.element && !a.said[k] {
			all, a.said[k] = append(all, a.arguments[k]), true
		}
	}
	access := a.kind() == effects.Permission
	// What it is stands before what is done to it.
	inside := func(a Argument) int {
		last := a.Words[max(0, len(a.Words)-1):]
		switch {
		case a.Role == Manner && a.Weight < Decisive && !(access && strings.ContainsAny(a.Values[0].Text(), ":*")), len(last) > 0 && kinds[last[0]] && a.Weight < Danger:
			return weightUnset
		case a.Role != Text && a.Weight > Cheap && len(last) > 0 && (naming[last[0]] || generic[last[0]]):
			return max(a.Weight, weightSaid)
		}
		return a.Weight
	}
	slices.SortStableFunc(all, func(x, y Argument) int { return inside(y) - inside(x) })
	it = item{}
	for k, arg := range all {
		weight := arg.Weight
		if arg.Role == Recipient && weight > Cheap && a.outside(arg.Values[0].Text()) {
			weight++
		}
		if arg.Weight == weightEveryone { // whatever else made the level
			weight = Decisive + 1
		}
		it.weight = max(it.weight, weight)
		if arg.Role == Amount && slices.Contains(arg.Words, "price") { // of prices the lowest first
			it.size = -number(arg.Values[0])
		} else if arg.Role == Amount {
			it.size = max(it.size, number(arg.Values[0]))
		}
		one := arg.item()
		if k > 0 {
			one.parts[0].Text, one.parts[0].last = legible(strings.TrimPrefix(arg.Name, arg.element)), "."+one.parts[0].last
		}
		it.parts, it.unsaid = append(it.parts, one.parts...), it.unsaid+one.unsaid
	}
	if slices.ContainsFunc(all, func(a Argument) bool { return strings.EqualFold(a.Values[0].Text(), "deny") }) { // it takes nothing away but access
		it.weight = weightOpen
	}
	it.list, it.of = arg.element[:strings.LastIndexByte(arg.element, '.')+1], arg.of
	return it
}

// first is what it begins with: what is executed, a whole sentence, or function and target.
func (a *act) first() item {
	if it, ok := a.files(); ok {
		return it
	}
	if a.written != nil {
		return a.written.item(a)
	}
	if it, ok := a.request(); ok {
		return it
	}
	if it, ok := a.manifest(); ok {
		return it
	}
	if it, ok := a.sentence(); ok {
		return it
	}
	it := item{parts: a.named()}
	for i, arg := range a.arguments { // {action: "delete"}: what it does
		if arg.Role == Manner && arg.Weight >= Decisive && len(arg.Values) == 1 && arg.of == 0 {
			it.parts = append(it.parts, arg.item().parts...)
			a.said[i] = true
			break
		}
	}
	if a.target >= 0 && !a.said[a.target] {
		arg := a.arguments[a.target]
		arg.Role = Target
		if !arg.sure || len(it.parts) > 2 {
			it.parts = append(it.parts, Part{Role: Name, Text: legible(arg.label), By: Theirs, Weight: arg.Weight})
		}
		for _, n := range arg.heaviest() {
			it.parts = append(it.parts, arg.said(n))
		}
		a.said[a.target] = true
	}
	return it
}

// named are the words of the function's name.
func (a *act) named() (parts []Part) {
	if a.tool != "" {
		parts = append(parts, Part{Role: Tool, Text: legible(a.tool), By: Theirs})
	}
	if a.function == "" {
		return parts
	}
	return append(parts, Part{Role: Function, Text: Words(a.function), By: Theirs})
}

// Words is the name of a function as words; one that is no identifier is left as it is.
func Words(function string) string {
	if !isIdentifier(strings.NewReplacer("/", "_", ":", "_").Replace(function)) {
		return legible(function)
	}
	var b strings.Builder
	before := ' '
	for i, r := range function {
		next, _ := utf8.DecodeRuneInString(function[i+utf8.RuneLen(r):])
		switch {
		case strings.ContainsRune("_-./:", r):
			r = ' '
		case unicode.IsUpper(r) && (unicode.IsLower(before) || unicode.IsUpper(before) && unicode.IsLower(next)):
			b.WriteByte(' ')
			fallthrough
		case unicode.IsUpper(r) && before == ' ':
			if unicode.IsLower(next) {
				r = unicode.ToLower(r)
			}
		}
		b.WriteRune(r)
		before = rune(function[i])
		if r == ' ' {
			before = ' '
		}
	}
	all := strings.Join(strings.Fields(b.String()), " ")
	if all == "" {
		return legible(function)
	}
	r, size := utf8.DecodeRuneInString(all)
	return string(unicode.ToUpper(r)) + all[size:]
}

// everybody is who gets it where that are several: those in bcc first, then those of other
// domains than most, so that nobody is among the many.
func (a *act) everybody() (item, bool) {
	type person struct {
		arg  Argument
		node *call.Node
		n    int // how many are in the text
	}
	var all []person
	n, of, addresses := 0, map[int]bool{}, false
	for i, arg := range a.arguments {
		last := ""
		if len(arg.Words) > 0 {
			last = arg.Words[len(arg.Words)-1]
		}
		if a.said[i] || !people[last] && !people[singular(last)] && !(len(arg.Words) == 1 && singular(last) == "email") || arg.Role != Recipient || arg.Own() ||
			arg.of > 0 && slices.ContainsFunc(a.arguments, func(b Argument) bool { return b.element == arg.element && b.Role == Given }) { // each has a role
			continue
		}
		for _, v := range arg.Values {
			if v.Kind() != canon.KindString || v.Text() == "" {
				continue
			}
			p := person{arg: arg, node: v, n: max(1, strings.Count(v.Text(), "@"))}
			all, n = append(all, p), n+p.n
			addresses = addresses || strings.Contains(v.Text(), "@") || strings.HasPrefix(v.Text(), "+")
			of[i] = true
		}
	}
	if n < 2 || !addresses {
		return item{}, false
	}
	rank := func(p person) int {
		names := call.Words(p.arg.Name)
		switch {
		case slices.Contains(names, "bcc"):
			return 0
		case a.outside(p.node.Text()):
			return 1
		case slices.Contains(names, "cc"):
			return 3
		}
		return 2
	}
	slices.SortStableFunc(all, func(x, y person) int { return rank(x) - rank(y) })
	weight := max(weights[Recipient], all[0].arg.Weight)
	it := item{weight: weight, parts: []Part{{Role: Label, Text: "to " + group(strconv.Itoa(n)) + " people:", By: Ours, Weight: weight}}}
	for i, p := range all {
		if i == mostPeople {
			left := 0
			for _, o := range all[i:] {
				left += o.n
			}
			it.parts = append(it.parts, Part{Role: Label, Text: "and " + group(strconv.Itoa(left)) + " more", By: Ours, leaves: len(all) - i})
			break
		}
		if i == 0 || all[i-1].arg.Name != p.arg.Name {
			it.parts = append(it.parts, Part{Role: Name, Text: legible(p.arg.label), By: Theirs, Weight: weight})
		}
		part := p.arg.said(p.node)
		part.Weight = weight
		it.parts = append(it.parts, part)
	}
	for i := range of {
		a.said[i] = true
	}
	return it, true
}

// outside reports whether an address is none of the domain that the call names most, which is taken for the own one.
func (a *act) outside(address string) bool {
	domain := domainOf(address)
	if domain == "" {
		return false
	}
	if a.domains == nil {
		a.domains = map[string]int{}
		for leaf := range a.in.Tree().Leaves() {
			of := domainOf(leaf.Text())
			if !strings.ContainsAny(of, " /") && !freemail[strings.Split(of, ".")[0]] {
				a.domains[of]++
			}
		}
		for _, arg := range a.arguments {
			if of := domainOf(arg.Values[0].Text()); of != "" && arg.Own() {
				a.domains[of] += 2
			}
		}
		delete(a.domains, "")
	}
	for _, n := range a.domains {
		if n > a.domains[domain] {
			return true
		}
	}
	return freemail[strings.Split(domain, ".")[0]]
}

// mostPeople is how many are named.
const mostPeople = 12

func domainOf(address string) string {
	at := strings.LastIndexByte(address, '@')
	if at < 0 {
		return ""
	}
	return strings.ToLower(strings.TrimRight(address[at+1:], "> "))
}

// reversible is whether it can be undone, where that is known: that it can only of an edit, whose old
// text is in the call.
func (a *act) reversible() *bool {
	no := false
	if len(a.Effects) == 0 || a.kind() == effects.Read {
		if a.Irreversible {
			return &no
		}
		return nil
	}
	e, files := a.Effects[0], edits.Read(a.in)
	switch {
	case a.takesOff(e), a.recovers(e): // the name alone says that it is deleted
		return nil
	case a.Irreversible:
		return &no
	case e.Reversible == nil, stopping[e.Verb], e.Verb == "archive", e.Verb == "trash": // what is stopped can be started
		return nil
	case *e.Reversible && (len(files) == 0 || slices.ContainsFunc(files, func(f edits.File) bool { return f.Whole || f.Does != edits.Change })):
		return nil
	}
	return e.Reversible
}

// recovers reports whether what is deleted can be had again: a file of a commit, what goes to a trash, and what is
// only released.
func (a *act) recovers(e effects.Effect) bool {
	if a.written != nil || e.Kind != effects.Delete {
		return false
	}
	return e.Verb == "release" || a.argument("path") >= 0 && a.argument("message") >= 0 && (a.argument("repo") >= 0 || a.argument("branch") >= 0) ||
		slices.ContainsFunc(a.arguments, func(arg Argument) bool {
			return arg.Role == Flag && (anyOf(arg.Words, lasting) && !arg.Values[0].Bool() || arg.Words[0] == "soft" && arg.Values[0].Bool())
		})
}
