package program

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/scoring/shell"
	"github.com/countersign/countersign/internal/scoring/usage"
)

// Hazard is a word by which a program does more than it is known for.
type Hazard struct {
	Does        string // an effect, as the table writes it; "load" for what runs or loads code or settings
	Word, Value shell.Word
	Given       bool // the word is the value of an option
	Anywhere    bool // it counts where nobody knows of a workspace
}

// hazard is a word of the table; one with "!" before is an operand that is not so.
type hazard struct {
	does, word string
	anywhere   bool
}

// loadHazards gathers the words of each program, those that load something among them.
func (t *Table) loadHazards() {
	for does, programs := range t.Hazards {
		does, anywhere := strings.CutSuffix(does, " anywhere")
		for names, words := range programs {
			for n := range strings.FieldsSeq(names) {
				for w := range strings.FieldsSeq(words) {
					t.hazards[n] = append(t.hazards[n], hazard{does, w, anywhere})
				}
			}
		}
	}
	for n, o := range t.options {
		for _, w := range o.runs {
			if !slices.ContainsFunc(t.hazards[n], func(h hazard) bool { return h.word == w }) {
				t.hazards[n] = append(t.hazards[n], hazard{does: "load", word: w})
			}
		}
	}
	for n := range t.hazards { // a map has no order
		slices.SortFunc(t.hazards[n], func(a, b hazard) int {
			if (a.does == "load") != (b.does == "load") { // what says more counts first
				return map[bool]int{true: 1, false: -1}[a.does == "load"]
			}
			return strings.Compare(a.word+" "+a.does, b.word+" "+b.does)
		})
	}
}

// Hazards are those among the words of a program.
func Hazards(name string, args []shell.Word) (found []Hazard) {
	all := Of().hazards[name]
	if len(all) == 0 {
		return nil
	}
	cut := OptionsOf(name).Take(args)
	options, given := make([]*Option, len(args)), make([]bool, len(args))
	for i := range cut.Options {
		o := &cut.Options[i]
		options[o.At] = o
		if o.Joined && o.ValueAt != o.At {
			given[o.ValueAt] = true
		}
	}
	for i, w := range args {
		for _, h := range all {
			word, not := strings.CutPrefix(h.word, "!")
			is := usage.Like(word, w.Text) != not && !((not || word == "*") && strings.HasPrefix(w.Text, "-"))
			if o := options[i]; !is && !not && o != nil && len(word) > 2 {
				is = o.Is(word, true)
			}
			if !is {
				continue
			}
			one := Hazard{Does: h.does, Word: w, Anywhere: h.anywhere, Given: given[i]}
			_, value, ok := strings.Cut(w.Text, "=")
			if one.Value = w; ok {
				one.Value.Text = value
			} else if one.Value.Text = ""; i+1 < len(args) {
				one.Value = args[i+1]
			}
			found = append(found, one)
			break
		}
	}
	return found
}
