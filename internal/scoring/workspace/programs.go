package workspace

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"gopkg.in/yaml.v3"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/usage"
)

//go:embed programs.yaml
var programsYAML []byte

// toolbox is programs.yaml.
type toolbox struct {
	harmless, listing    map[string]bool
	variables            map[string]string // the name → how its value counts
	environments         map[string]bool
	risky, riskyOptions  map[string]bool
	packages             map[string]string // what npx and the like run → the program that it is
	programs             map[string]*program
	testWords, buildWord map[string]bool
}

// program is what one program does.
type program struct {
	values    map[string]bool // options that take the next word
	flags     map[string]bool // options that take none, where people put them before a subcommand
	rules     usage.Rules[deed]
	otherwise deed
	alone     deed
	runs      []string        // options that run a program or load code
	writes    map[string]bool // options whose value is a file that is written
	texts     map[string]bool // options whose value is no path
	tasks     string          // how its tasks are named: npm, make
}

// deed is what a rule says: what the command is, and the word for it where it is held.
type deed struct {
	is    string // read, edit, build, own, restore, install, medium, high
	cause string
}

// severity orders deeds: of two rules that match alike the worse one counts.
func (d deed) severity() int {
	return slices.Index([]string{"", "read", "edit", "build", "restore", "own", "install", "medium", "high"}, d.is)
}

func (d deed) level() level.Level {
	switch d.is {
	case "install", "medium":
		return level.Medium
	case "high":
		return level.High
	}
	return level.Low
}

var tools = sync.OnceValue(func() *toolbox {
	t, err := loadPrograms(programsYAML)
	if err != nil {
		panic("workspace: the embedded programs: " + err.Error()) // a test loads them
	}
	return t
})

func loadPrograms(text []byte) (*toolbox, error) {
	var file struct {
		Harmless, Listing, Environments, Risky string
		RiskyOptions                           string `yaml:"risky_options"`
		TestWords                              string `yaml:"test_words"`
		BuildWords                             string `yaml:"build_words"`
		Variables                              map[string]string
		Packages                               map[string]string
		Programs                               map[string]map[string]string
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	t := &toolbox{
		harmless: setOf(file.Harmless), listing: setOf(file.Listing), environments: setOf(file.Environments), risky: setOf(file.Risky), riskyOptions: setOf(file.RiskyOptions),
		testWords: setOf(file.TestWords), buildWord: setOf(file.BuildWords), packages: map[string]string{}, variables: map[string]string{}, programs: map[string]*program{},
	}
	for how, names := range file.Variables {
		for _, n := range strings.Fields(names) {
			t.variables[n] = how
		}
	}
	for is, names := range file.Packages {
		for _, n := range strings.Fields(names) {
			t.packages[n] = is
			if is == "itself" {
				t.packages[n] = n
			}
		}
	}
	for names, members := range file.Programs {
		p, err := newProgram(members)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", names, err)
		}
		for _, n := range strings.Fields(names) {
			if t.programs[n] != nil || t.harmless[n] {
				return nil, fmt.Errorf("the program %q appears twice", n)
			}
			t.programs[n] = p
		}
	}
	return t, nil
}

func newProgram(members map[string]string) (*program, error) {
	p := &program{values: setOf(members["values"]), flags: setOf(members["flags"]), writes: setOf(members["writes"]), texts: setOf(members["texts"]), runs: strings.Fields(members["runs"]), tasks: members["tasks"]}
	for member, patterns := range members {
		switch member {
		case "values", "flags", "writes", "texts", "runs", "tasks":
			continue
		case "otherwise", "alone":
			d, err := newDeed(patterns)
			if err != nil {
				return nil, err
			}
			if member == "alone" {
				p.alone = d
			} else {
				p.otherwise = d
			}
			continue
		}
		d, err := newDeed(member)
		if err != nil {
			return nil, err
		}
		for _, pattern := range strings.Split(patterns, ",") {
			if parsed, ok := usage.Parse(pattern, isOptionPattern); ok {
				p.rules.Add(parsed, d)
			}
		}
	}
	p.rules.Sort(func(a, b deed) int { return b.severity() - a.severity() })
	return p, nil
}

func newDeed(text string) (deed, error) {
	is, cause, _ := strings.Cut(strings.TrimSpace(text), " ")
	d := deed{is, cause}
	if d.severity() < 1 || (d.is == "medium" || d.is == "high") && cause == "" {
		return d, fmt.Errorf("%q says nothing", text)
	}
	return d, nil
}

func isOptionPattern(word string) bool { return len(word) > 1 && word[0] == '-' }

// cut is a command's words, taken apart as its program does.
type cut struct {
	operands []shell.Word
	options  []option
	// doubtful are operands that may be the value of the option before: they never make
	// anything harmless.
	doubtful map[int]bool
}

// option is one option, with its value where it has one.
type option struct {
	name  string
	value shell.Word
	// joined says that the value stands in the same word, or certainly in the next;
	// otherwise it may be an operand.
	joined bool
}

// take takes words apart.
func (p *program) take(args []shell.Word) cut {
	var c cut
	dashes := false
	for i := 0; i < len(args); i++ {
		word := args[i]
		text := word.Text
		switch {
		case dashes || len(text) < 2 || text[0] != '-':
			c.operands = append(c.operands, word)
			continue
		case text == "--":
			dashes = true
			continue
		}
		name, value, joined := strings.Cut(text, "=")
		o := option{name: name, joined: joined}
		if joined {
			o.value = word
			o.value.Text = value
		} else if i+1 < len(args) {
			o.value = args[i+1]
			next := args[i+1].Text
			switch {
			case p.values[text] || p.writes[text] || p.texts[text]:
				o.joined = true
				i++
			case strings.HasPrefix(next, "-") && len(next) > 1:
				o.value = shell.Word{}
			case p.flags[text] || plainFlags[text]:
				o.value = shell.Word{}
			default:
				if c.doubtful == nil {
					c.doubtful = map[int]bool{}
				}
				c.doubtful[len(c.operands)] = true
			}
		}
		c.options = append(c.options, o)
	}
	return c
}

// plainFlags are options that take no value in any program that people know.
var plainFlags = setOf(`--no-pager --silent --quiet -q -s -v -vv --verbose --debug -y --yes --json --no-color --color --no-cli-pager --paginate --bare --offline --batch-mode -f --force
	-r -R --recursive -a -A --all --dry-run --no-verify --no-input --non-interactive -l --list -g --global --save-dev -D -e -x -X -u --version --help -h --no-ansi --auto-approve
	--staged --cached --stat --oneline --decorate --graph --name-only --hard --soft --mixed --delete --mirror --now --frozen-lockfile --locked --no-cache --release --workspace --if-present
	--no-install --prefer-offline --short --porcelain --no-daemon --console=plain --stacktrace --info --watch --fix --check --write --strict --ci --production --prod -B`)

// matches reports whether a command is as a pattern says.
func (c cut) matches(p *usage.Pattern, d deed) bool {
	if d.is == "read" && effects.EndsRead(p, c.operands) {
		return false
	}
	low := d.level() == level.Low
	return p.Matches(len(c.operands), c.operand, func(option string) bool { return c.has(option, !low) }, low)
}

func (c cut) operand(i int) usage.Operand {
	return usage.Operand{Text: c.operands[i].Text, Unsure: c.doubtful[i] || !c.operands[i].Literal}
}

// first is the first operand; "" for none.
func (c cut) first() string {
	if len(c.operands) == 0 {
		return ""
	}
	return c.operands[0].Text
}

// has reports whether an option stands there; a letter also among those of a cluster.
func (c cut) has(name string, clusters bool) bool {
	return slices.ContainsFunc(c.options, func(o option) bool { return o.is(name, clusters) })
}

func (o option) is(name string, clusters bool) bool {
	if want, value, ok := strings.Cut(name, "="); ok {
		return usage.Like(want, o.name) && usage.Like(value, o.value.Text)
	}
	if usage.Like(name, o.name) {
		return true
	}
	if !clusters || len(name) != 2 || len(o.name) < 3 || len(o.name) > 6 || o.name[1] == '-' {
		return false
	}
	for i := 1; i < len(o.name); i++ {
		c := o.name[i]
		if c == name[1] {
			return true
		}
		if c < 'A' || c > 'z' || c > 'Z' && c < 'a' {
			return false
		}
	}
	return false
}

// value is that of the first of some options.
func (c cut) value(names ...string) (shell.Word, bool) {
	for _, o := range c.options {
		if slices.Contains(names, o.name) {
			return o.value, true
		}
	}
	return shell.Word{}, false
}

// does is what a program does with these words, and the operands that said so.
func (p *program) does(c cut) (d deed, called []string) {
	if p.alone.is != "" && len(c.operands)+len(c.options) == 0 {
		return p.alone, nil
	}
	for _, rule := range p.rules.For(c.first()) {
		if !c.matches(&rule.Pattern, rule.Says) {
			continue
		}
		for i, all := range rule.Operands {
			if all[0] != "*" {
				called = append(called, c.operands[i].Text)
			}
		}
		return rule.Says, called
	}
	return p.otherwise, nil
}

func setOf(list string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(list) {
		all[w] = true
	}
	return all
}
