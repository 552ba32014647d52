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
	"github.com/countersign/countersign/internal/scoring/wordlist"
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
type entry struct{ *program.Entry[deed] }

type cut = program.Cut

// deed is what a rule says: what the command is, and the word for it where it is held.
type deed struct {
	is    string // read, edit, build, own, restore, install, medium, high
	cause string
}

// severity orders deeds: of two rules that match alike the worse one counts.
func (d deed) severity() int {
	return slices.Index(wordlist.List("workspace.deeds"), d.is)
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
	entries, err := program.Entries(file.Workspace, "-", newDeed, deed.severity)
	for n, e := range entries {
		if t.harmless[n] {
			return nil, fmt.Errorf("the program %q appears twice", n)
		}
		t.programs[n] = &entry{e}
	}
	return t, err
}

func newDeed(text string) (deed, error) {
	is, cause, _ := strings.Cut(strings.TrimSpace(text), " ")
	d := deed{is, cause}
	if d.severity() < 1 || (d.is == "medium" || d.is == "high") && cause == "" {
		return d, fmt.Errorf("%q says nothing", text)
	}
	return d, nil
}

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
func (p *entry) take(args []shell.Word) cut { return p.Options.Take(args) }

// does is what a program does with these words, and the operands that said so.
func (p *entry) does(c cut) (d deed, called []string) {
	if p.Alone.is != "" && len(c.Operands)+len(c.Options) == 0 {
		return p.Alone, nil
	}
	for _, rule := range p.Rules.For(c.First()) {
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
	return p.Otherwise, nil
}

func setOf(list string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.Fields(list) {
		all[w] = true
	}
	return all
}
