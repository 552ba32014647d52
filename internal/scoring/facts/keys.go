package facts

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/scan"
)

// keyKinds is source 1: what the last word of an argument's name says about its
// value (facts.md). Where it is a plural, its singular decides.
var keyKinds = func() map[string]Kind {
	kinds := map[string]Kind{}
	for kind, words := range map[Kind]string{
		Target: "id name user account customer database db bucket cluster namespace service repo repository " +
			"project resource key",
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
var humanWords = map[string]string{
	"db": "database", "repo": "repository", "env": "environment", "dir": "directory", "src": "source",
	"dst": "destination", "ref": "reference", "n": "count", "to": "recipient", "uri": "address", "url": "address",
	"filename": "file", "id": "target", "name": "target", "key": "key", "resource": "resource",
}

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
func readKey(name, parent string) key {
	var few [3]string
	words := lowerWords(few[:0], name, len(few))
	if len(words) == 0 {
		return key{}
	}
	last := words[len(words)-1]
	before := parent
	if len(words) > 1 {
		before = words[len(words)-2]
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
		if before != "" {
			k.label = before
			if word, ok := humanWords[before]; ok && before != "key" {
				k.label = word
			}
		}
	}
	return k
}

// lowerWords gives the last n words of a name, in lower case, in place of words.
func lowerWords(words []string, name string, n int) []string {
	if isLowerASCII(name) { // its words are its letters
		words = words[:0]
		for end := len(name); len(words) < n; {
			for end > 0 && !isLetter(name[end-1]) {
				end--
			}
			start := end
			for start > 0 && isLetter(name[start-1]) {
				start--
			}
			if start == end {
				break
			}
			words = append(words, name[start:end])
			end = start
		}
		slices.Reverse(words)
		return words
	}
	var few [8]scan.Span
	spans := scan.AppendWords(few[:0], name)
	words = words[:0]
	for _, s := range spans[max(len(spans)-n, 0):] {
		words = append(words, strings.ToLower(name[s.Start:s.End]))
	}
	return words
}

// isLowerASCII reports whether a name has neither capitals nor characters beyond ASCII.
func isLowerASCII(name string) bool {
	for i := range len(name) {
		if b := name[i]; b >= utf8.RuneSelf || isCapital(b) {
			return false
		}
	}
	return true
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

// arguments walks the arguments depth first in canonical order.
func (c *collector) arguments(arguments canon.Value) {
	c.value(arguments, []byte("/arguments"), key{}, "")
}

// value walks one value. k is what the name over it says; elements of an array
// inherit it. path is a buffer: what keeps it copies it.
func (c *collector) value(v canon.Value, path []byte, k key, currency string) {
	switch v.Kind() {
	case canon.KindObject:
		currency := currencyOf(v)
		for name, member := range v.Members() {
			below := append(append(path, '/'), canon.PointerEscape(name)...)
			c.value(member, below, readKey(name, k.last), currency)
		}
	case canon.KindArray:
		before := c.as
		if c.positional(v, path, k) {
			c.as.shell = false // its words are no commands by themselves
		}
		for i, element := range v.Elements() {
			c.value(element, strconv.AppendInt(append(path, '/'), int64(i), 10), k, currency)
		}
		c.as = before
	case canon.KindString:
		r := c.wholeAt(v.Text(), path)
		c.keyed(k, FromKey, r, currency)
		before := c.as
		c.as = before.named(k)
		c.text(r)
		c.as = before
	case canon.KindNumber:
		if k.kind != "" && k.kind != Flag {
			c.keyed(k, FromKey, c.wholeAt(v.Number(), path), currency)
		}
	case canon.KindBool:
		if k.kind == Flag {
			text := strconv.FormatBool(v.Bool())
			c.add(Flag, k.label, FromKey, c.wholeAt(text, path), 0, len(text))
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
		if !strings.ContainsFunc(r.text, unicode.IsDigit) {
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
func currencyOf(object canon.Value) string {
	for name, member := range object.Members() {
		if !namesCurrency(name) {
			continue
		}
		var few [2]string
		words := lowerWords(few[:0], name, len(few))
		if len(words) > 0 && (words[len(words)-1] == "currency" || len(words) == 2 && words[0] == "currency" && words[1] == "code") {
			if text := strings.TrimSpace(member.Text()); text != "" && len(text) <= 16 {
				return text
			}
		}
	}
	return ""
}

// namesCurrency reports whether the word currency may stand in a name.
func namesCurrency(name string) bool {
	const word = "CURRENCY"
	for i := range len(name) - len(word) + 1 {
		if name[i]&^0x20 == word[0] && strings.EqualFold(word, name[i:i+len(word)]) {
			return true
		}
	}
	return false
}

// positional reads an array that its name says to be a list of positional
// arguments: the first string that is no flag is the target. An array that is a
// command line is read as one instead, and then known is true.
func (c *collector) positional(array canon.Value, path []byte, k key) (known bool) {
	depth := bytes.Count(path, []byte("/"))
	switch {
	case depth == 1:
	case k.last == "arg" || k.last == "args" || k.last == "argv" || k.last == "positional":
	case k.last == "command" || k.last == "cmd":
		depth = 3 // it is a command or nothing
	default:
		return false
	}
	var words []word
	for i, element := range array.Elements() {
		if element.Kind() != canon.KindString && element.Kind() != canon.KindNumber {
			continue
		}
		text := element.Text() + element.Number()
		pointer := string(strconv.AppendInt(append(path, '/'), int64(i), 10))
		words = append(words, word{reading: whole(text, pointer), number: element.Kind() == canon.KindNumber})
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

// isNumber reports whether a text is a decimal number, as an agent may send one
// that a double cannot hold.
func isNumber(text string) bool {
	text = strings.TrimSpace(text)
	text = strings.TrimPrefix(strings.TrimPrefix(text, "-"), "+")
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
