package effects

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/countersign/countersign/internal/scoring/program"
	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/usage"
	"github.com/countersign/countersign/internal/scoring/wordlist"
)

// toolbox is what is known of programs; programs.yaml of package program says what each member is.
type toolbox struct {
	harmless set
	listing  set // those that show names, not what stands in files
	testers  set // they run the tests of a project: its own code
	builders set // some of their subcommands do
	verbs    map[string]deed
	guarded  set
	secrets  set
	programs map[string]*knownProgram
}

// deed is what programs.yaml calls an effect: a kind, and what it says of a read or a message.
type deed string

// The deeds that are no kinds.
const (
	sensitiveRead deed = "sensitive"
	publicMessage deed = "public"
)

func (d deed) kind() Kind {
	switch d {
	case sensitiveRead:
		return Read
	case publicMessage:
		return Message
	}
	return Kind(d)
}

// worse orders deeds of patterns that match alike.
func (d deed) worse() int {
	n := 2 * d.kind().severity()
	if d == sensitiveRead || d == publicMessage {
		n++
	}
	return n
}

// knownProgram is what one program does.
type knownProgram struct{ *program.Entry[deed] }

var tools = sync.OnceValue(func() *toolbox {
	t, err := loadPrograms(program.Of())
	if err != nil {
		panic("effects: the embedded programs: " + err.Error()) // a test loads them
	}
	return t
})

func loadPrograms(file *program.Table) (*toolbox, error) {
	t := &toolbox{
		harmless: setOf(file.Harmless + " " + file.HarmlessAnywhere), testers: setOf(file.Testers), builders: setOf(file.Builders), listing: setOf(file.Listing + " " + file.ListingAnywhere),
		verbs: map[string]deed{}, guarded: setOf(file.Guarded), secrets: setOf(file.Secrets), programs: map[string]*knownProgram{},
	}
	for d := range file.Hazards {
		if !deed(strings.TrimSuffix(d, " anywhere")).kind().Valid() {
			return nil, fmt.Errorf("hazards: %q is no effect", d)
		}
	}
	for d, list := range file.Verbs {
		d := deed(d)
		if !d.kind().Valid() {
			return nil, fmt.Errorf("verbs: %q is no effect", d)
		}
		for v := range setOf(list) {
			if before, twice := t.verbs[v]; twice {
				return nil, fmt.Errorf("the verb %q is %q and %q", v, before, d)
			}
			t.verbs[v] = d
		}
	}
	entries, err := program.Entries(file.Anywhere, "-/", newDeed, deed.worse)
	for n, e := range entries {
		if t.harmless[n] {
			return nil, fmt.Errorf("the program %q appears twice", n)
		}
		t.programs[n] = &knownProgram{e}
	}
	return t, err
}

func newDeed(text string) (deed, error) {
	if d := deed(strings.TrimSpace(text)); d.kind().Valid() {
		return d, nil
	}
	return "", fmt.Errorf("%q is no effect", text)
}

// cut is a command's words, taken apart as its program does.
type cut struct{ program.Cut }

// take takes words apart.
func (p *knownProgram) take(args []shell.Word) cut {
	if p == nil {
		return taken("", args)
	}
	return cut{p.Options.Take(args)}
}

// taken are the words of a program, taken apart.
func taken(name string, args []shell.Word) cut { return cut{program.OptionsOf(name).Take(args)} }

// matches reports whether a command is as a pattern says. Letters of a cluster count for what
// is worse than a read only: -n of another meaning must not make anything harmless.
func (c cut) matches(p *usage.Pattern, d deed) bool {
	for i := range p.Operands {
		if d == "read" && c.Doubtful[i] {
			return false
		}
	}
	operand := func(i int) usage.Operand { return usage.Operand{Text: c.Operands[i].Text} }
	return p.Matches(len(c.Operands), operand, func(option string) bool { return c.has(option, d != "read") }, false)
}

// EndsRead reports whether a word behind those that a pattern of a read names deletes, gives
// access, pays or is a secret. The pattern covers only the words that it names (`apps`), and
// where it ends in a verb (`logs`) the names of what is read, which may be nouns that are
// verbs as often: `docker logs proxy`.
func EndsRead(p *usage.Pattern, operands []shell.Word) bool {
	_, _, ended := endsRead(p, operands)
	return ended
}

// endsRead is EndsRead with the word, and what it says.
func endsRead(p *usage.Pattern, operands []shell.Word) (d deed, word string, ended bool) {
	n := len(p.Operands)
	if n == 0 || n >= len(operands) || len(p.Options) > 0 {
		return "", "", false
	}
	t, l, last := tools(), words(), p.Operands[n-1][0]
	if last == "*" || searching[last] {
		return "", "", false
	}
	reads := t.verbs[last] == "read" || l.verbs[last] == Read || says("endings", last) || !l.isThing(last)
	for _, w := range operands[n:] {
		d := t.verbs[w.Text]
		switch {
		case !w.Literal:
		case slices.Contains([]Kind{Delete, Permission, Money}, d.kind()) && !(reads && (says("either", w.Text) || l.isThing(w.Text))):
			return d, w.Text, true
		case t.secrets[w.Text] && !listed[last]:
			return sensitiveRead, w.Text, true
		}
	}
	return "", "", false
}

// searching are subcommands behind which stands what is looked for, and listed those that
// show the names of secrets only.
var (
	searching = setOf("grep search find help explain lookup query")
	listed    = setOf(wordlist.Text("effects.listed"))
)

// has reports whether an option stands there.
func (c cut) has(option string, worse bool) bool {
	if option[0] == '/' {
		return slices.ContainsFunc(c.Operands, func(w shell.Word) bool { return usage.Like(option, strings.ToLower(w.Text)) })
	}
	if option == "--" {
		return c.Dashes
	}
	return worse && c.Has(option, true) || c.Only(option)
}

// does is what a program does with these words: the pattern that says so, or what its
// verbs say. ok is false where nothing does.
func (p *knownProgram) does(c cut) (d deed, called string, ok bool) {
	if p.Alone != "" && len(c.Operands)+len(c.Options) == 0 && !c.Dashes {
		return p.Alone, "", true
	}
	for _, rule := range p.Rules.For(c.First()) {
		if !c.matches(&rule.Pattern, rule.Says) {
			continue
		}
		if rule.Says == "read" {
			if d, word, ended := endsRead(&rule.Pattern, c.Operands); ended {
				return d, word, true
			}
		}
		return rule.Says, c.called(&rule.Pattern), true
	}
	if p.Otherwise != "" {
		return p.Otherwise, "", true
	}
	return "", "", false
}

// anything stands at the end of what was called where the pattern ends in any word: there
// a verb behind it may still say that it only reads.
const anything = "*"

// called is how the words that decided stand in the command.
func (c cut) called(p *usage.Pattern) string {
	var all []string
	for i, alternatives := range p.Operands {
		if alternatives[0] != "*" {
			all = append(all, c.Operands[i].Text)
		}
	}
	if n := len(p.Operands); n > 0 && p.Operands[n-1][0] == "*" && len(p.Options) == 0 {
		return strings.Join(append(all, anything), " ")
	}
	for _, alternatives := range p.Options {
		for _, a := range alternatives {
			if c.has(a, true) {
				if before, _, wild := strings.Cut(a, "*"); wild {
					a = strings.TrimSuffix(before, "=")
				}
				all = append(all, a)
				break
			}
		}
	}
	return strings.Join(all, " ")
}

// reaches reports whether the command acts on everything.
func (p *knownProgram) reaches(c cut) bool {
	return slices.ContainsFunc(p.All, func(pattern usage.Pattern) bool { return c.matches(&pattern, "") })
}

// said is what the words of a subcommand say by themselves: `compute instances delete x`.
// Only the first few count: what follows are names of things.
func (t *toolbox) said(c cut) (d deed, called string, at int, ok bool) {
	operands := c.Operands
	first := operands[:min(len(operands), 5)]
	for i, w := range first {
		if !w.Literal || strings.ContainsAny(w.Text, "/=. ") || len(w.Text) > 60 {
			break
		}
		verb, ok := t.verbOf(w.Text)
		if !ok || verb == "read" && c.Doubtful[i] {
			continue
		}
		if verb == "read" && i+1 < len(first) && first[i+1].Literal { // aws logs delete-log-group
			if next, ok := t.verbOf(first[i+1].Text); ok && next != "read" {
				i, w, verb = i+1, first[i+1], next
			}
		}
		return t.onObject(verb, w.Text, operands, i), w.Text, i, true
	}
	return "", "", 0, false
}

// verbOf is what a word of a subcommand does: its first part, or its last behind a colon.
func (t *toolbox) verbOf(text string) (deed, bool) {
	if d, ok := t.verbs[text]; ok {
		return d, true
	}
	if _, last, ok := strings.Cut(text, ":"); ok {
		if i := strings.LastIndexByte(last, ':'); i >= 0 {
			last = last[i+1:]
		}
		if d, ok := t.verbOf(last); ok {
			return d, true
		}
	}
	parts := strings.FieldsFunc(text, func(r rune) bool { return r == '-' || r == '_' || r == ':' })
	if len(parts) < 2 {
		return "", false
	}
	if slices.Contains([]string{"batch", "bulk", "force", "admin", "transact", "async"}, parts[0]) {
		parts = parts[1:]
	}
	d, ok := t.verbs[parts[0]]
	return d, ok
}

// onObject is what a verb does to what the words name: to create a role is permission, to
// get a secret a sensitive read.
func (t *toolbox) onObject(d deed, verb string, operands []shell.Word, at int) deed {
	if d != "write" && d != "read" {
		return d
	}
	objects := strings.FieldsFunc(strings.ToLower(verb), func(r rune) bool { return r == '-' || r == '_' || r == ':' })
	for i, w := range operands[:min(len(operands), at+2)] {
		if i != at && w.Literal {
			objects = append(objects, strings.ToLower(w.Text))
		}
	}
	if _, rest, ok := strings.Cut(verb, "-"); ok {
		objects = append(objects, rest)
	}
	first := objects[0]
	for _, o := range objects {
		switch {
		case d == "write" && t.guarded[o]:
			return "permission"
		case d == "read" && t.secrets[o] && !listed[first]:
			return sensitiveRead
		}
	}
	return d
}
