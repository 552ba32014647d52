package approvals

import (
	"math/rand/v2"
	"slices"
	"strings"
)

// How the wrong options of a question are chosen, so that nothing tells the right
// one, neither the options nor what is known of the tenant's other actions:
//
//   - A value that other actions hold stands among values that other actions hold;
//     one that nothing else holds among such. So it says nothing that a value is
//     known, or new.
//   - The set of values out of which an option could come (its cell) is the same for
//     each value in it, and so is the way in which three are taken: it is no star
//     around the right one. So no option is the one that the others resemble.
//   - A value that is twice as common as another is twice as likely to be the right
//     one, before anything is asked. It is offered twice as often too: that evens it
//     out (see sample). Nothing can even out a value that is right more often than
//     once in four; such a question is weak, and asked when there is no other.

// strength is how well a question holds against somebody who knows the tenant.
type strength int

const (
	weak strength = iota // some value is right more often than once in four, or made ones may show
	fair                 // the alternatives are words that could stand there
	even                 // nothing is known that tells
)

// of is the strength where ok, and weak otherwise.
func (strength) of(s strength, ok bool) strength {
	if ok {
		return s
	}
	return weak
}

// candidate is one value of a cell and how likely it is, in any unit.
type candidate struct {
	value  string
	weight float64
}

// sample chooses four of the cell's values, the one at index right among them, such
// that each of the four is equally likely to be the right one for somebody who
// knows the cell and its weights: systematic sampling with inclusion probabilities
// in proportion to the weights (Madow 1949). strong is false where a weight is too
// large for that, or there are fewer than four.
//
// Why it is even: a value v is right with probability p(v), is offered with 4p(v),
// and which others are offered with it depends on a number that is drawn uniformly
// and has nothing to do with v. So every set of four comes with each of its values
// as the right one equally often.
func sample(cell []candidate, right int, random *rand.Rand) (chosen []string, strong bool) {
	if len(cell) < quizOptions {
		for _, c := range cell {
			chosen = append(chosen, c.value)
		}
		return chosen, false
	}
	width, strong := widths(cell)
	order := random.Perm(len(cell))
	start, at := 0.0, 0.0
	for _, i := range order {
		if i == right {
			start = at + random.Float64()*width[i]
		}
		at += width[i]
	}
	start -= float64(int(start))
	at = 0
	for _, i := range order {
		next := at + width[i]
		if hit := start + float64(len(chosen)); len(chosen) < quizOptions && at <= hit && hit < next {
			chosen = append(chosen, cell[i].value)
		}
		at = next
	}
	if len(chosen) != quizOptions || !slices.Contains(chosen, cell[right].value) {
		return evenly(cell, right, random), strong // the last digit of a sum; as good as never
	}
	return chosen, strong
}

// widths are the probabilities with which each value is offered: four in sum, none
// above one.
func widths(cell []candidate) (width []float64, fit bool) {
	width = make([]float64, len(cell))
	sure := make([]bool, len(cell))
	room, fit := quizOptions, true
	for range quizOptions + 1 {
		sum := 0.0
		for i, c := range cell {
			if !sure[i] {
				sum += c.weight
			}
		}
		again := false
		for i, c := range cell {
			if sure[i] {
				continue
			}
			width[i] = float64(room) * c.weight / sum
			if width[i] > 1 {
				again = true
			}
		}
		if !again {
			break
		}
		for i := range cell {
			if !sure[i] && width[i] > 1 {
				fit = fit && width[i] < 1+slack
				sure[i], width[i], room = true, 1, room-1
			}
		}
	}
	return width, fit
}

// slack is by how much a value may be too common before its question counts as weak.
const slack = 0.15

// evenly takes any three beside the right one.
func evenly(cell []candidate, right int, random *rand.Rand) []string {
	chosen := []string{cell[right].value}
	for _, i := range random.Perm(len(cell)) {
		if i != right && len(chosen) < quizOptions {
			chosen = append(chosen, cell[i].value)
		}
	}
	return chosen
}

// looks sort values into groups that look alike, finest first; the last one takes any.
var looks = []func(string) string{shape, form, category, func(string) string { return "" }}

// alike are those of them after which an option could be the right one by its looks.
var alike = looks[:2]

// cell is the group of the tally's values in which v is offered: values of the same
// shape where there are enough of them, otherwise of the same form, otherwise of the
// same category, otherwise any.
// Which group that is does not depend on v: it is the same for each value in it. Nil
// where nothing looks like v.
func (t tally) cell(v string, looks []func(string) string) []candidate {
	var cells [][]candidate
	rest := t.values()
	for _, look := range looks {
		groups := t.groups(rest, look)
		rest = nil
		for _, g := range groups {
			if enough(g) {
				cells = append(cells, g)
				continue
			}
			for _, c := range g {
				rest = append(rest, c.value)
			}
		}
	}
	if len(rest) > 0 && looks[len(looks)-1]("") == looks[len(looks)-1]("a") { // too few to stand alone: they go with the coarsest that is there
		left := t.groups(rest, looks[len(looks)-1])[0]
		for len(cells) > 0 && !enough(left) {
			left = append(left, cells[len(cells)-1]...)
			cells = cells[:len(cells)-1]
		}
		cells = append(cells, left)
	}
	for _, g := range cells {
		if slices.ContainsFunc(g, func(c candidate) bool { return c.value == v }) {
			return g
		}
	}
	return nil
}

func enough(cell []candidate) bool {
	if len(cell) < quizOptions {
		return false
	}
	_, fit := widths(cell)
	return fit
}

// groups sorts members by their look, in the order of the first of each.
func (t tally) groups(members []string, look func(string) string) (groups [][]candidate) {
	at := map[string]int{}
	for _, m := range members {
		key := look(m)
		i, ok := at[key]
		if !ok {
			i = len(groups)
			at[key], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], candidate{m, float64(t[m])})
	}
	return groups
}

// candidates are values by how often they are there.
func (t tally) candidates(values []string) []candidate {
	all := make([]candidate, len(values))
	for i, v := range values {
		all[i] = candidate{v, float64(t[v])}
	}
	return all
}

// joins reports whether the few values of a tally, too few to stand alone, stand
// among the wrong options of a new one: as often as makes each option even, since
// they have to stand beside each other when one of them is the right one. How often
// it is one of them is estimated from how many of them there are only once (Good
// and Turing).
func (t tally) joins(random *rand.Rand) bool {
	n, once, sum, ids := len(t), 0, 0, 0
	for v, c := range t {
		c = (c + nearer) / (nearer + 1) // of the same label, each counts more than once
		sum += c
		if c <= 1 {
			once++
		}
		if strings.ContainsAny(v, "0123456789/") {
			ids++
		}
	}
	if n == 0 || n >= quizOptions {
		return false
	}
	before := 0.5
	if 2*ids > n { // numbers and paths seldom come again
		before = 0.02
	}
	again := (float64(sum-once) + before) / float64(sum+1)
	return random.Float64() < again*float64(quizOptions-n)/(float64(n)*(1-again))
}
