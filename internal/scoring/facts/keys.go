package facts

import (
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// keyKinds is source 1: what the last word of an argument's name says about its
// value (docs/facts.md). Where it is a plural, its singular decides.
var keyKinds = func() map[string]Kind {
	kinds := map[string]Kind{}
	for kind, words := range map[Kind]string{
		Target:      wordlist.Text("facts.targetKeys"),
		Recipient:   "to recipient email channel phone iban",
		Table:       "table collection index topic queue",
		Path:        "path file filename dir directory src dst destination",
		Host:        "url uri host endpoint domain",
		Branch:      "branch ref tag",
		Amount:      "amount price total cost sum limit quantity",
		Count:       "count rows n size replicas",
		Environment: "env environment stage region",
		Flag:        "force recursive cascade hard confirm",
	} {
		for word := range strings.FieldsSeq(words) {
			kinds[word] = kind
		}
	}
	return kinds
}()

// humanWords says what a short name means.
var humanWords = wordlist.Map("facts.humanWords")

// secretKeys are words before "key" that make it a secret, which is nothing to
// show, to ask about or to type.
var secretKeys = []string{"api", "secret", "access", "private", "auth", "encryption", "signing"}

// key is what an argument's name says.
type key struct {
	kind  Kind // "" for nothing
	label string
	last  string // the last word, lower case
}

// readKey reads the name of an argument. parent is the last word of the name
// around it, for names such as id that say nothing by themselves.
func readKey(name, parent string) key { return keyOf(call.Words(name), parent) }

// keyOf is readKey for the words of a name.
func keyOf(words []string, parent string) key {
	if len(words) == 0 {
		return key{}
	}
	last := words[len(words)-1]
	before := parent
	if len(words) > 1 {
		before = words[len(words)-2]
	}
	if before == "or" && len(words) > 2 { // branchIdOrName
		return keyOf(words[:len(words)-2], parent)
	}
	if last == "run" && len(words) > 1 && before == "dry" {
		return key{kind: Flag, label: "dry run", last: last}
	}
	kind, known := keyKinds[last]
	if !known {
		last = singular(last)
		kind = keyKinds[last]
	}
	k := key{kind: kind, last: last, label: last}
	if word, ok := humanWords[last]; ok {
		k.label = word
	}
	switch last {
	case "id", "name", "key", "resource":
		if last == "key" && slices.Contains(secretKeys, before) {
			return key{last: last}
		}
		if before != "" && !calling[before] {
			k.label = before
			if word, ok := humanWords[before]; ok && before != "key" {
				k.label = word
			}
		}
	}
	return k
}

// calling are words before a name that say only which of several it is: displayName.
var calling = words(wordlist.Text("facts.calling"))

// measures are plural words of names whose numbers count no things that are acted on, and
// limits those that say no more than how far something may go.
var measures, limits = words(wordlist.Text("facts.measures")),
	words(wordlist.Text("facts.limits"))

func words(list string) map[string]bool {
	all := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		all[w] = true
	}
	return all
}

// counting is what a number is whose name is that of several things: {"documents": 214}.
func counting(name []string, k key) key {
	if len(name) == 0 {
		return k
	}
	last := name[len(name)-1]
	if !strings.HasSuffix(last, "s") || len(last) < 4 || strings.HasSuffix(last, "ss") || strings.HasSuffix(last, "us") || strings.HasSuffix(last, "is") || measures[last] {
		return k
	}
	for _, w := range name {
		if limits[w] {
			return k
		}
	}
	return key{kind: Count, label: strings.Join(name, " "), last: last}
}

// singular undoes the three ways in which English makes the plural of the words
// of keyKinds.
func singular(word string) string {
	for _, end := range []struct{ plural, singular string }{{"ies", "y"}, {"ches", "ch"}, {"s", ""}} {
		if stem, ok := strings.CutSuffix(word, end.plural); ok {
			if _, known := keyKinds[stem+end.singular]; known && stem != "" {
				return stem + end.singular
			}
		}
	}
	return word
}

// value reads one value of the arguments, and those in it. k is what the name over it says;
// elements of an array inherit it.
func (c *collector) value(n *call.Node, k key, currency string) {
	switch n.Kind() {
	case canon.KindObject:
		currency := currencyOf(n)
		for _, member := range n.Nodes {
			named := keyOf(member.Words, k.last)
			if member.Kind() == canon.KindNumber && named.kind == "" {
				named = counting(member.Words, named)
			}
			c.value(member, named, currency)
		}
	case canon.KindArray:
		before := c.as
		if c.positional(n, k) {
			c.as.shell = false // its words are no commands by themselves
		}
		for _, element := range n.Nodes {
			c.value(element, k, currency)
		}
		c.as = before
	case canon.KindString:
		r := whole(n.Text(), n.Pointer)
		c.keyed(k, FromKey, r, currency)
		before := c.as
		c.as = before.named(k)
		c.text(r)
		c.as = before
	case canon.KindNumber:
		if k.kind != "" && k.kind != Flag {
			c.keyed(k, FromKey, whole(n.Number(), n.Pointer), currency)
		}
	case canon.KindBool:
		if k.kind == Flag {
			text := strconv.FormatBool(n.Bool())
			c.add(Flag, k.label, FromKey, whole(text, n.Pointer), 0, len(text))
		}
	case canon.KindAbsent, canon.KindNull:
	}
}

// keyed adds the fact that a name makes of a text or number.
func (c *collector) keyed(k key, source Source, r reading, currency string) {
	start, end := 0, len(r.text)
	switch k.kind {
	case "":
		return
	case Flag:
		if lower := strings.ToLower(strings.TrimSpace(r.text)); lower != "true" && lower != "false" {
			return
		}
	case Count:
		if !isNumber(r.text) {
			return
		}
	case Amount:
		if !isSum(r.text) {
			return
		}
	case Host:
		start, end = hostOf(r.text)
	}
	n := len(c.found)
	c.add(k.kind, k.label, source, r, start, end)
	if len(c.found) > n && k.kind == Amount && k.last != "quantity" && currency != "" && isNumber(r.text) {
		c.found[n].Value += " " + currency
	}
}

// currencyOf is the currency that an object names for the amounts beside it.
func currencyOf(object *call.Node) string {
	for _, member := range object.Nodes {
		words := member.Words
		if last := len(words) - 1; last >= 0 && (words[last] == "currency" || last > 0 && words[last-1] == "currency" && words[last] == "code") {
			if text := strings.TrimSpace(member.Text()); text != "" && len(text) <= 16 {
				return text
			}
		}
	}
	return ""
}

// positional reads an array that its name says to be a list of positional
// arguments: the first string that is no flag is the target. An array that is a
// command line is read as one instead, and then known is true.
func (c *collector) positional(array *call.Node, k key) (known bool) {
	depth := strings.Count(array.Pointer, "/")
	switch {
	case depth == 1:
	case k.last == "arg" || k.last == "args" || k.last == "argv" || k.last == "positional":
	case k.last == "command" || k.last == "cmd":
		depth = 3 // it is a command or nothing
	default:
		return false
	}
	var words []word
	for _, element := range array.Nodes {
		if element.Kind() != canon.KindString && element.Kind() != canon.KindNumber {
			continue
		}
		text := element.Text() + element.Number()
		words = append(words, word{reading: whole(text, element.Pointer), number: element.Kind() == canon.KindNumber})
	}
	if len(words) > 1 && knownProgram(words[0].text) {
		c.command(words)
		return true
	}
	for _, w := range words {
		if depth > 2 || w.text == "" || w.number || strings.HasPrefix(w.text, "-") {
			continue
		}
		if len(c.call.Text(w.text).SQL().Statements(c.as.sql)) > 0 || c.isCommand(w.text) {
			return false // the statement or command says what it acts on
		}
		label := c.object
		if label == "" {
			label = "target"
		}
		c.add(Target, label, FromKey, w.reading, 0, len(w.text))
		return false
	}
	return false
}

// named is how texts are read under a name: as statements, commands or a program.
func (as context) named(k key) context {
	as.shell = as.shell && k.kind == "" // a path or name beside the command is none
	switch k.last {
	case "cwd", "workdir":
		as.shell = false // the folder in which the command beside it runs
	case "description", "reason", "comment", "explanation":
		as.shell = false // words about the command beside it
	case "command", "cmd", "shell", "bash", "script":
		as.shell = true
	case "sql", "query", "statement", "stmt":
		as.sql = true
	}
	switch k.last {
	case "code", "script", "snippet", "program", "source":
		as.code = true
	}
	return as
}

// languageOf is what an argument says about the language of the others.
func languageOf(arguments canon.Value) context {
	named := false
	for name := range arguments.Members() {
		switch name {
		case "language", "lang", "interpreter", "runtime":
			named = true
		}
	}
	if !named {
		return context{}
	}
	for _, name := range []string{"language", "lang", "interpreter", "runtime"} {
		switch language := strings.ToLower(arguments.Get(name).Text()); language {
		case "bash", "sh", "shell", "zsh", "console", "terminal":
			return context{shell: true}
		case "sql", "postgresql", "postgres", "mysql", "sqlite", "tsql", "plsql":
			return context{sql: true}
		}
	}
	return context{}
}

// isSum reports whether a text begins or ends with a number, perhaps with its currency:
// "EUR 5", "49.99€", but not "price_1PqR8s".
func isSum(text string) bool {
	parts := strings.Fields(text)
	for i := range parts {
		part := strings.TrimFunc(parts[i], func(r rune) bool { return unicode.IsLetter(r) || unicode.Is(unicode.Sc, r) || r == ',' })
		if (i == 0 || i == len(parts)-1) && isNumber(part) {
			return true
		}
	}
	return false
}

// isNumber reports whether a text is a decimal number, as an agent may send one
// that a double cannot hold.
func isNumber(text string) bool {
	text = strings.TrimSpace(text)
	text = strings.TrimPrefix(strings.TrimPrefix(text, "-"), "+")
	if mantissa, exponent, ok := strings.Cut(text, "e"); ok && strings.Trim(exponent, "+-0123456789") == "" { // 1e+21, 1e-7
		text = mantissa
	}
	digits := 0
	for i := range len(text) {
		switch {
		case text[i] >= '0' && text[i] <= '9':
			digits++
		case text[i] != '.' && text[i] != ',' && text[i] != '_':
			return false
		}
	}
	return digits > 0
}
