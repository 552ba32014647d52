// Package program is what is known of programs: programs.yaml, the one table of them, and
// how each takes its words apart.
package program

import (
	_ "embed"
	"fmt"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

//go:embed programs.yaml
var programsYAML []byte

// Table is programs.yaml, which says what each member is.
type Table struct {
	Harmless          string
	HarmlessAnywhere  string `yaml:"harmless_anywhere"`
	HarmlessWorkspace string `yaml:"harmless_workspace"`
	Listing           string
	ListingAnywhere   string `yaml:"listing_anywhere"`
	ListingWorkspace  string `yaml:"listing_workspace"`

	Testers, Builders, Guarded, Secrets string
	Verbs                               map[string]string
	Hazards                             map[string]map[string]string
	Variables, Packages                 map[string]string
	Environments, Risky                 string
	RiskyOptions                        string `yaml:"risky_options"`
	TestWords                           string `yaml:"test_words"`
	BuildWords                          string `yaml:"build_words"`

	Flags               string // options that take no value in any program that people know
	Anywhere, Workspace map[string]map[string]string
	Facts               map[string]string

	Options map[string]map[string]string
	Roles   string // the members of Options that say what an option is for

	Readers map[string]string

	options map[string]*Options
	readers map[string]reader
	flags   map[string]bool
	hazards map[string][]hazard
}

// Of is the table.
var Of = sync.OnceValue(func() *Table {
	t, err := Load(programsYAML)
	if err != nil {
		panic("program: the embedded programs: " + err.Error()) // a test loads them
	}
	return t
})

// Load reads such a table.
func Load(text []byte) (*Table, error) {
	t := &Table{options: map[string]*Options{}, hazards: map[string][]hazard{}}
	if err := yaml.Unmarshal(text, t); err != nil {
		return nil, err
	}
	t.flags = setOf(t.Flags)
	for names, members := range t.Options {
		o, err := newOptions(members, setOf(t.Roles))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", names, err)
		}
		split := strings.Fields
		if strings.Contains(names, "|") { // with a subcommand
			split = func(s string) []string { return strings.Split(s, "|") }
		}
		for _, n := range split(names) {
			if t.options[n] != nil {
				return nil, fmt.Errorf("the options of %q are there twice", n)
			}
			t.options[n] = o
		}
	}
	t.loadHazards()
	return t, t.loadReaders()
}

// newOptions are those of a program; a member "values commit|tag" is of these subcommands, and
// one that is among roles says what options are for.
func newOptions(members map[string]string, roles map[string]bool) (*Options, error) {
	o := &Options{roles: map[string]string{}, prose: map[string]bool{}, known: map[string]known{}, texts: setOf(members["texts"]), writes: setOf(members["writes"]), plain: setOf(members["plain"]), runs: strings.Fields(members["runs"]), strict: members["strict"] != ""}
	of := func(name string, o *Options) error {
		for _, special := range []bool{false, true} { // what is said of a subcommand counts there
			for member, list := range members {
				member, subs, _ := strings.Cut(member, " ")
				if special != (subs != "") || special && !isOneOf(subs, name) {
					continue
				}
				t, ok := map[string]takes{"values": next, "texts": next, "writes": next, "prose": next, "joined": joined, "numbers": number, "flags": nothing}[member]
				if !ok && member != "strict" && member != "runs" && member != "plain" && !roles[member] {
					return fmt.Errorf("%q says nothing of options", member)
				}
				if ok {
					o.add(list, t, special)
				}
				if member == "prose" {
					for n := range setOf(list) {
						o.prose[n] = true
					}
				}
			}
		}
		return nil
	}
	o.sub = map[string]*Options{}
	for member := range members {
		_, subs, _ := strings.Cut(member, " ")
		for sub := range strings.SplitSeq(subs, "|") {
			if sub != "" && o.sub[sub] == nil {
				one := *o
				one.known, one.prose, one.long, one.sub = map[string]known{}, map[string]bool{}, nil, nil
				o.sub[sub] = &one
				if err := of(sub, &one); err != nil {
					return nil, err
				}
			}
		}
	}
	if err := of("", o); err != nil {
		return nil, err
	}
	for role := range roles {
		for name := range setOf(members[role]) {
			if before := o.roles[name]; before != "" {
				return nil, fmt.Errorf("%s is %s and %s", name, before, role)
			}
			o.roles[name] = role
			if k, ok := o.known[name]; !ok {
				return nil, fmt.Errorf("%s is %s, and nothing says whether it takes a value", name, role)
			} else if o.strict && k.name != name {
				return nil, fmt.Errorf("%s is %s by its short name", name, role)
			}
		}
	}
	return o, nil
}

func isOneOf(list, word string) bool {
	for one := range strings.SplitSeq(list, "|") {
		if one == word {
			return true
		}
	}
	return false
}

// OptionsOf are those of a program; nil for one of whose options nothing is known.
func OptionsOf(name string) *Options { return Of().options[name] }

// IsText reports whether the value of an option is no path.
func (o *Options) IsText(name string) bool { return o != nil && o.texts[name] }

// IsWritten reports whether the value of an option is a file that is written.
func (o *Options) IsWritten(name string) bool { return o != nil && o.writes[name] }

// Loads are options and words by which it runs a program, or loads code or settings.
func (o *Options) Loads() []string {
	if o == nil {
		return nil
	}
	return o.runs
}

// TakesNext reports whether the value of an option is the next word.
func (o *Options) TakesNext(name string) bool {
	k, ok := o.find(name)
	return ok && k.takes == next
}
