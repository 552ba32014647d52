package effects

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/usage"
)

//go:embed programs.yaml
var programsYAML []byte

// toolbox is what is known of programs; programs.yaml says what each member is.
type toolbox struct {
	harmless set
	testers  set // they run the tests of a project: its own code
	builders set // some of their subcommands do
	verbs    map[string]deed
	guarded  set
	secrets  set
	programs map[string]*knownProgram
	hazards  map[string][]hazard
}

// hazard is a word of a program that does more than the program is known for.
type hazard struct {
	deed deed
	word string
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
type knownProgram struct {
	values    set // options that take the next word
	rules     usage.Rules[deed]
	all       []usage.Pattern // that reach everything
	otherwise deed
	alone     deed // without any words
	object    string
}

var tools = sync.OnceValue(func() *toolbox {
	t, err := loadPrograms(programsYAML)
	if err != nil {
		panic("effects: the embedded programs: " + err.Error()) // a test loads them
	}
	return t
})

func loadPrograms(text []byte) (*toolbox, error) {
	var file struct {
		Harmless string
		Testers  string
		Builders string
		Verbs    map[deed]string
		Guarded  string
		Secrets  string
		Hazards  map[deed]map[string]string
		Programs map[string]map[string]string
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	t := &toolbox{
		harmless: setOf(file.Harmless), testers: setOf(file.Testers), builders: setOf(file.Builders), verbs: map[string]deed{}, guarded: setOf(file.Guarded), secrets: setOf(file.Secrets),
		programs: map[string]*knownProgram{}, hazards: map[string][]hazard{},
	}
	for d, programs := range file.Hazards {
		if !d.kind().Valid() {
			return nil, fmt.Errorf("hazards: %q is no effect", d)
		}
		for names, words := range programs {
			for _, n := range strings.Fields(names) {
				for _, w := range strings.Fields(words) {
					t.hazards[n] = append(t.hazards[n], hazard{d, w})
				}
			}
		}
	}
	for n := range t.hazards { // a map has no order
		slices.SortFunc(t.hazards[n], func(a, b hazard) int {
			return strings.Compare(a.word+" "+string(a.deed), b.word+" "+string(b.deed))
		})
	}
	for d, list := range file.Verbs {
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
	for names, members := range file.Programs {
		p := &knownProgram{values: setOf(members["values"]), otherwise: deed(members["otherwise"]), alone: deed(members["alone"]), object: members["object"]}
		for member, patterns := range members {
			switch member {
			case "values", "otherwise", "alone", "object":
				continue
			}
			if member != "all" && !deed(member).kind().Valid() {
				return nil, fmt.Errorf("%s: %q is no effect", names, member)
			}
			for _, pattern := range strings.Split(patterns, ",") {
				if rule, ok := usage.Parse(pattern, isOptionPattern); !ok {
				} else if member == "all" {
					p.all = append(p.all, rule)
				} else {
					p.rules.Add(rule, deed(member))
				}
			}
		}
		p.rules.Sort(func(a, b deed) int { return b.worse() - a.worse() })
		for _, n := range strings.Fields(names) {
			if t.programs[n] != nil || t.harmless[n] {
				return nil, fmt.Errorf("the program %q appears twice", n)
			}
			t.programs[n] = p
		}
	}
	return t, nil
}

// isOptionPattern reports whether part of a pattern may stand anywhere: an option, or what
// Windows takes for one.
func isOptionPattern(s string) bool { return s[0] == '-' || s[0] == '/' && len(s) > 1 }

// cut is a command's words, taken apart as a program does.
type cut struct {
	operands []shell.Word
	// doubtful are operands that may be the value of the option before: they never make
	// anything harmless.
	doubtful map[int]bool
	options  []shell.Word // each as it stands, with its value behind "=" where that is the next word
	dashes   bool
}

// take takes words apart. An option of which nobody says that it takes a value takes none.
func (p *knownProgram) take(args []shell.Word) cut {
	var c cut
	for i := 0; i < len(args); i++ {
		w := args[i]
		switch {
		case c.dashes || len(w.Text) < 2 || w.Text[0] != '-':
			c.operands = append(c.operands, w)
		case w.Text == "--":
			c.dashes = true
			c.options = append(c.options, w)
		default:
			if i+1 < len(args) {
				next := args[i+1]
				if p != nil && p.values[w.Text] {
					w.Text += "=" + next.Text
					i++
				} else if !strings.Contains(w.Text, "=") && !strings.HasPrefix(next.Text, "-") {
					if !flags[w.Text] {
						if c.doubtful == nil {
							c.doubtful = map[int]bool{}
						}
						c.doubtful[len(c.operands)] = true
					}
					// It may be its value, or an operand: it counts as both.
					c.options = append(c.options, shell.Word{Text: w.Text + "=" + next.Text, Literal: w.Literal && next.Literal})
				}
			}
			c.options = append(c.options, w)
		}
	}
	return c
}

// flags are options that take no value in any program that people know.
var flags = setOf(`--no-pager --silent --quiet -q -s -v --verbose --debug -d -y --yes --json --no-color --color --no-cli-pager --paginate --bare --no-optional-locks --offline --batch-mode
	-B -ntp -T -it -t -i --rm -f --force -r -R --recursive -a -A --all -n --dry-run --no-verify --no-input --non-interactive --watch -w -l --list -g --global --save-dev -D -e -x -X -u
	--user --system --version --help -h --no-ansi -br -brief -4 -6 -j -auto-approve --auto-approve --staged --cached --stat --oneline --decorate --graph --name-only --hard --soft --mixed --delete --mirror --now --nocolor`)

// matches reports whether a command is as a pattern says. Letters of a cluster count for what
// is worse than a read only: -n of another meaning must not make anything harmless.
func (c cut) matches(p *usage.Pattern, d deed) bool {
	for i := range p.Operands {
		if d == "read" && c.doubtful[i] {
			return false
		}
	}
	operand := func(i int) usage.Operand { return usage.Operand{Text: c.operands[i].Text} }
	return p.Matches(len(c.operands), operand, func(option string) bool { return c.has(option, d != "read") }, false)
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
	reads := t.verbs[last] == "read" || l.verbs[last] == Read || l.endings[last] || !l.isThing(last)
	for _, w := range operands[n:] {
		d := t.verbs[w.Text]
		switch {
		case !w.Literal:
		case slices.Contains([]Kind{Delete, Permission, Money}, d.kind()) && !(reads && (l.either[w.Text] || l.isThing(w.Text))):
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
	listed    = setOf("list ls describe search help validate check status find log logs")
)

// first is the first operand; "" for none.
func (c cut) first() string {
	if len(c.operands) == 0 {
		return ""
	}
	return c.operands[0].Text
}

// has reports whether an option stands there.
func (c cut) has(option string, clusters bool) bool {
	if option[0] == '/' {
		return slices.ContainsFunc(c.operands, func(w shell.Word) bool { return usage.Like(option, strings.ToLower(w.Text)) })
	}
	return slices.ContainsFunc(c.options, func(w shell.Word) bool {
		text := w.Text
		if usage.Like(option, text) {
			return true
		}
		name, _, valued := strings.Cut(text, "=")
		if valued && name == option {
			return true
		}
		if !clusters || len(option) != 2 || len(text) < 3 || len(text) > 6 || text[1] == '-' || strings.ContainsFunc(text[1:], func(r rune) bool { return !isLetter(r) }) {
			return false
		}
		return strings.IndexByte(text[1:], option[1]) >= 0
	})
}

// does is what a program does with these words: the pattern that says so, or what its
// verbs say. ok is false where nothing does.
func (p *knownProgram) does(c cut) (d deed, called string, ok bool) {
	if p.alone != "" && len(c.operands)+len(c.options) == 0 {
		return p.alone, "", true
	}
	for _, rule := range p.rules.For(c.first()) {
		if !c.matches(&rule.Pattern, rule.Says) {
			continue
		}
		if rule.Says == "read" {
			if d, word, ended := endsRead(&rule.Pattern, c.operands); ended {
				return d, word, true
			}
		}
		return rule.Says, c.called(&rule.Pattern), true
	}
	if p.otherwise != "" {
		return p.otherwise, "", true
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
			all = append(all, c.operands[i].Text)
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
	return slices.ContainsFunc(p.all, func(pattern usage.Pattern) bool { return c.matches(&pattern, "") })
}

// said is what the words of a subcommand say by themselves: `compute instances delete x`.
// Only the first few count: what follows are names of things.
func (t *toolbox) said(c cut) (d deed, called string, at int, ok bool) {
	operands := c.operands
	first := operands[:min(len(operands), 5)]
	for i, w := range first {
		if !w.Literal || strings.ContainsAny(w.Text, "/=. ") || len(w.Text) > 60 {
			break
		}
		verb, ok := t.verbOf(w.Text)
		if !ok || verb == "read" && c.doubtful[i] {
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
