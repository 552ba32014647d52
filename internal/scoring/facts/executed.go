package facts

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/shell"
)

// What a statement, a command or a program tells of itself, where that decides.

// executes reports whether what decides was read from a statement, a command or a program, whose
// words say more than the arguments beside it.
func (d deed) executes() bool {
	if !d.text {
		return false
	}
	if d.target.Source == FromSQL || d.target.Source == FromShell || d.target.Source == FromCode {
		return true
	}
	at := d.effect.Evidence[0].Pointer
	return executedName(lastName(at)) && !strings.HasPrefix(d.effect.Evidence[0].Why, "the argument ")
}

// executedName reports whether an argument of this name is executed.
func executedName(name string) bool {
	switch lastWordOf(name) {
	case "code", "command", "cmd", "commands", "script", "sql", "query", "statement", "args", "argv", "program", "shell":
		return true
	}
	return false
}

// elsewhere reports whether the target is an argument beside what is executed.
func (d deed) elsewhere() bool {
	return d.executes() && d.target.Source == FromKey && !strings.HasPrefix(d.target.Pointer, d.effect.Evidence[0].Pointer)
}

// lastName is the last name of a pointer that is no place in a list.
func lastName(pointer string) string {
	pointer = strings.TrimRight(pointer, "/0123456789")
	return pointer[strings.LastIndexByte(pointer, '/')+1:]
}

// executed is what the effect was read from: the node of an argument; ok is false where it was
// read from something else.
func (d deed) executed(in *call.Call) (n *call.Node, ok bool) {
	if !d.executes() || d.effect.Evidence[0].Pointer == CodePointer {
		return nil, d.executes()
	}
	return nodeAt(in.Tree(), d.effect.Evidence[0].Pointer), true
}

// nodeAt is the value at a pointer.
func nodeAt(n *call.Node, pointer string) *call.Node {
	for n != nil && n.Pointer != pointer {
		at := slices.IndexFunc(n.Nodes, func(m *call.Node) bool { return pointer == m.Pointer || strings.HasPrefix(pointer, m.Pointer+"/") })
		if at < 0 {
			return nil
		}
		n = n.Nodes[at]
	}
	return n
}

// options takes what the options of a command say of who gets what (--member, --role), and all
// of it where nothing in it is named.
func (c *details) options(in *call.Call, n *call.Node) {
	if n == nil || slices.ContainsFunc(append(argvOf(in, n), call.Words(wholeText(n)[:min(len(wholeText(n)), 400)])...), func(w string) bool {
		return namesSecret(w) || w == "parameter" || w == "appsettings" || w == "mysql" || w == "pass" || w == "pwd"
	}) {
		return // what it sets may be a secret
	}
	for _, m := range in.Tree().Nodes[:min(len(in.Tree().Nodes), maxVisited)] { // UPDATE … WHERE id = ?
		if name := strings.ToLower(m.Name); c.deed.target.Source == FromSQL && m.Pointer != n.Pointer && (name == "params" || name == "parameters" || name == "values" || name == "bindings") && m.Kind() == canon.KindArray {
			c.keep(detail{name: m.Name, value: c.valueOf(m, picks), role: counted, pointer: m.Pointer}, m)
		}
	}
	if c.deed.verb == "Run" || !c.deed.specific && (c.deed.effect.Kind == effects.Read || c.deed.effect.Breadth != effects.All && c.deed.effect.Kind != "") || c.deed.specific && c.deed.elsewhere() {
		c.keep(detail{name: lastName(n.Pointer), value: ofValue(canon.String(wholeText(n)), said), role: said, pointer: n.Pointer}, n)
		return
	}
	argv := argvOf(in, n)
	takes := len(argv) > 0 && slices.Contains([]string{"aws", "az", "gcloud", "kubectl", "helm"}, argv[0]) // a value behind each long option, but for switches
	for i, w := range argv {
		name, value, joined := strings.Cut(w, "=")
		all := call.Words(name)
		stem, _ := stemOf(all)
		if !strings.HasPrefix(name, "-") || len(stem) == 0 || isSecret(all) || slices.ContainsFunc(all, func(w string) bool {
			return unsaid[w] || w == c.deed.effect.Verb || w == "region" || w == "profile" || w == "output"
		}) {
			continue
		}
		r, rank := c.roleOf(stem)
		if !joined && i+1 < len(argv) && !strings.HasPrefix(argv[i+1], "-") && (r == who || r == given || takes && strings.HasPrefix(name, "--") && !cloudSwitches.has(name)) {
			value = argv[i+1]
		}
		if value != "" && len(stem[0]) > 1 && (r == who || r == given || telling[singularOf(stem[len(stem)-1])]) && !strings.Contains(value, "=") {
			c.keep(detail{name: strings.TrimLeft(name, "-"), value: ofValue(canon.String(value), r), role: r, rank: rank, pointer: n.Pointer}, &call.Node{Value: canon.String(value), Pointer: n.Pointer + "#" + w})
		}
	}
	if len(argv) > 2 && (argv[0] == "chmod" || argv[0] == "chown") && !strings.HasPrefix(argv[len(argv)-2], "-") {
		c.keep(detail{name: map[string]string{"chmod": "mode", "chown": "owner"}[argv[0]], value: ofValue(canon.String(argv[len(argv)-2]), other), role: other, pointer: n.Pointer}, &call.Node{Value: canon.String(argv[len(argv)-2]), Pointer: n.Pointer + "#"})
	}
}

// telling are last words of options that say what becomes of something; the value of no other
// option is told, since it may be anything.
var telling = words("replica port cidr protocol mode class size count capacity server group period version revision image tag tier sku zone status state enabled visibility schedule file range ip priority")

// wholeText is a command or the words of one, as one text.
func wholeText(n *call.Node) string {
	text := n.Text()
	for i, e := range n.Nodes {
		if i > 0 {
			text += " "
		}
		text += e.Text() + e.Number()
	}
	return text
}

// argvOf are the words of the only command of a text, or of a list of words; nil where there
// are several, since no word of theirs may stand for the one that decides.
func argvOf(in *call.Call, n *call.Node) []string {
	var script shell.Script
	if n.Kind() == canon.KindArray {
		var argv []string
		for _, e := range n.Nodes {
			argv = append(argv, e.Text()+e.Number())
		}
		script = in.Argv(argv).Script()
	} else {
		script = in.Text(n.Text()).Script()
	}
	if len(script.Commands) != 1 || len(script.Unreadable) > 0 {
		return nil
	}
	var all []string
	for _, w := range script.Commands[0].Words[:min(len(script.Commands[0].Words), maxVisited)] {
		all = append(all, w.Text)
	}
	return all
}

// argv is argvOf the command that decides.
func (d deed) argv(in *call.Call) []string {
	if n, ok := d.executed(in); ok && n != nil {
		return argvOf(in, n)
	}
	return nil
}

// rest is what a statement says behind its table, where that is what matters: ALTER TABLE t
// "DISABLE ROW LEVEL SECURITY"; of a grant it is all of it.
func (d deed) rest(in *call.Call) string {
	if d.brief || d.target.Source != FromSQL || d.ofRows() {
		return ""
	}
	s, ok := d.statement(in)
	if !ok {
		return ""
	}
	text := s.Text[s.Tokens[0].Start():s.Tokens[len(s.Tokens)-1].End()]
	if isSecret(call.Words(text[:min(len(text), 2000)])) || strings.Contains(strings.ToUpper(text), "IDENTIFIED") {
		return ""
	}
	switch s.Tokens[s.At].Word() {
	case "GRANT", "REVOKE":
	case "ALTER":
		_, after, found := strings.Cut(text, d.target.Value)
		if text = strings.TrimLeft(after, "\"`] "); !found || text == "" {
			return ""
		}
	default:
		return ""
	}
	return ": " + inQuotes(begin(strings.Join(strings.Fields(text), " "), maxSaid, false), 2*maxSaid, false)
}
