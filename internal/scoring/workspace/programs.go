package workspace

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/program"
	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/usage"
)

// toolbox is what programs.yaml says of a workspace.
type toolbox struct {
	harmless, listing    map[string]bool
	variables            map[string]string // the name → how its value counts
	environments         map[string]bool
	risky, riskyOptions  map[string]bool
	packages             map[string]string // what npx and the like run → the program that it is
	programs             map[string]*entry
	testWords, buildWord map[string]bool
}

// entry is what one program does.
type entry struct {
	options   *program.Options
	rules     usage.Rules[deed]
	otherwise deed
	alone     deed
}

type cut = program.Cut

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
	t, err := loadPrograms(program.Of())
	if err != nil {
		panic("workspace: the embedded programs: " + err.Error()) // a test loads them
	}
	return t
})

func loadPrograms(file *program.Table) (*toolbox, error) {
	t := &toolbox{
		harmless: setOf(file.Harmless + " " + file.HarmlessWorkspace), listing: setOf(file.Listing + " " + file.ListingWorkspace), environments: setOf(file.Environments), risky: setOf(file.Risky), riskyOptions: setOf(file.RiskyOptions),
		testWords: setOf(file.TestWords), buildWord: setOf(file.BuildWords), packages: map[string]string{}, variables: map[string]string{}, programs: map[string]*entry{},
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
	for names, members := range file.Workspace {
		p, err := newProgram(members)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", names, err)
		}
		for _, n := range strings.Fields(names) {
			if t.programs[n] != nil || t.harmless[n] {
				return nil, fmt.Errorf("the program %q appears twice", n)
			}
			one := *p
			one.options = program.OptionsOf(strings.TrimSuffix(n, "-subcommands"))
			t.programs[n] = &one
		}
	}
	return t, nil
}

func newProgram(members map[string]string) (*entry, error) {
	p := &entry{}
	for member, patterns := range members {
		switch member {
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

// matches reports whether a command is as a pattern says.
func matches(c *cut, p *usage.Pattern, d deed) bool {
	if d.is == "read" && effects.EndsRead(p, c.Operands) {
		return false
	}
	low := d.level() == level.Low
	operand := func(i int) usage.Operand {
		return usage.Operand{Text: c.Operands[i].Text, Unsure: c.Doubtful[i] || !c.Operands[i].Literal}
	}
	return p.Matches(len(c.Operands), operand, func(option string) bool { return !low && c.Has(option, true) || c.Only(option) }, low)
}

// take takes words apart.
func (p *entry) take(args []shell.Word) cut { return p.options.Take(args) }

// does is what a program does with these words, and the operands that said so.
func (p *entry) does(c cut) (d deed, called []string) {
	if p.alone.is != "" && len(c.Operands)+len(c.Options) == 0 {
		return p.alone, nil
	}
	for _, rule := range p.rules.For(c.First()) {
		if !matches(&c, &rule.Pattern, rule.Says) {
			continue
		}
		for i, all := range rule.Operands {
			if all[0] != "*" {
				called = append(called, c.Operands[i].Text)
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
