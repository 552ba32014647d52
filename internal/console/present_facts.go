package console

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/approvals"
	scoringcall "github.com/countersign/countersign/internal/scoring/call"
	"github.com/countersign/countersign/internal/scoring/facts"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// namesProduction reports whether a fact is a place that is called production, which is no
// environment that the call names.
func namesProduction(f facts.Fact) bool {
	return slices.Contains([]string{"namespace", "cluster", "project", "database", "workspace", "host"}, f.Label) && facts.IsProduction(f.Value)
}

// factsOf is the grid: target and environment always, count and money where the call says
// some, then the rest. Where there is a last approved call, each says how it differs from that one's,
// and what that one had and this one has not stands at the end.
func factsOf(say texts.Printer, v approvals.Review, d *facts.Difference) []views.Fact {
	grid := []views.Fact{
		{Label: say.Say("Target"), Value: runs(say.Say("No target identified")), Wide: true},
		{Label: say.Say("Environment"), Value: runs(say.Say("Not specified")), Doubt: true, Note: runs(say.Say("may be production"))},
		{},
		{},
	}
	first := map[facts.Kind]int{facts.Environment: 1, facts.Count: 2, facts.Amount: 3}
	filled := [4]bool{}
	for i, f := range v.Assessment.Facts {
		cell := factCell(say, f)
		if d != nil {
			cell.Change = changeOf(say, d.Facts[i])
		}
		if way, ok := directed(say, f); ok { // to_account, from_account
			cell.Label = way
		}
		n, four := first[f.Kind]
		if !four && f.Value == v.Confirmation.Target && v.Confirmation.Specific {
			n, four = 0, true
			cell.Note = runs(factWord(say, f))
			if way, ok := directed(say, f); ok {
				cell.Note = runs(lowerFirst(way))
			}
			if !filled[0] {
				cell.Label = say.Say("Target")
			}
		}
		if !four && f.Label == "target" { // {name: …} that is not the target
			cell.Label = flat(say, sentence(f.Pointer[strings.LastIndexByte(f.Pointer, '/')+1:]))
		}
		if four && !filled[n] {
			cell.Wide = n == 0
			grid[n], filled[n] = cell, true
			continue
		}
		grid = append(grid, cell)
	}
	if !filled[0] && v.Confirmation.Specific { // a number that no name makes a fact
		grid[0].Value, filled[0] = runs(v.Confirmation.Target), true
	}
	if i := slices.IndexFunc(v.Assessment.Facts, namesProduction); !filled[1] && i >= 0 {
		f := v.Assessment.Facts[i]
		grid[1].Note = runs(say.Say("its %s is “%s”", factWord(say, f), f.Value))
	}
	if !filled[2] && facts.EveryRow(v.Assessment.Facts) {
		grid[2], filled[2] = views.Fact{Label: say.Say("Count"), Value: runs(say.Say("Every row"))}, true
	}
	if bound := v.Assessment.Inputs.Environment; bound != "" {
		if !filled[1] {
			grid[1].Doubt, grid[1].Note = false, nil
		}
		if len(grid[1].Note) > 0 {
			grid[1].Note = append(grid[1].Note, runs("; ")...)
		}
		grid[1].Note = append(grid[1].Note, runs(say.Say("the agent is bound to %s", bound))...)
	}
	if w := v.Assessment.Workspace; w != nil {
		grid = append(grid, workspaceCell(say, *w))
	}
	if d != nil {
		for _, change := range d.Facts[len(v.Assessment.Facts):] {
			cell := factCell(say, change.Was)
			cell.Value, cell.Note, cell.Mono = runs(say.Say("Removed")), nil, false
			cell.Change = changeOf(say, change)
			grid = append(grid, cell)
		}
	}
	absent := absentOf(say, filled[2], filled[3])
	grid = slices.DeleteFunc(grid, func(f views.Fact) bool { return f.Label == "" })
	return apart(append(grid, absent...))
}

// directed is the label of a fact whose name says that something goes there or comes from
// there; ok is false for others.
func directed(say texts.Printer, f facts.Fact) (label string, ok bool) {
	words := scoringcall.Words(f.Pointer[strings.LastIndexByte(f.Pointer, '/')+1:])
	if len(words) < 2 || f.Label == words[0] {
		return "", false
	}
	switch words[0] {
	case "to", "destination":
		return say.Say("To %s", factWord(say, f)), true
	case "from", "source":
		return say.Say("From %s", factWord(say, f)), true
	}
	return "", false
}

// absentOf says in one line what the call does not say.
func absentOf(say texts.Printer, count, money bool) []views.Fact {
	switch {
	case !count && !money:
		return []views.Fact{{Label: say.Say("Not stated"), Value: runs(say.Say("No count, no amount")), Absent: true}}
	case !count:
		return []views.Fact{{Label: say.Say("Not stated"), Value: runs(say.Say("No count")), Absent: true}}
	case !money:
		return []views.Fact{{Label: say.Say("Not stated"), Value: runs(say.Say("No amount")), Absent: true}}
	}
	return nil
}

// apart counts the cells whose label stands there already, so that each can be named.
func apart(grid []views.Fact) []views.Fact {
	drawn := map[string]int{}
	for i, cell := range grid {
		label := cell.Label
		for drawn[label] > 0 {
			drawn[cell.Label]++
			label = cell.Label + " " + strconv.Itoa(drawn[cell.Label])
		}
		drawn[label]++
		grid[i].Label = label
	}
	return grid
}

// changeOf says how a fact differs from the last approved call; nothing where it
// is the same.
func changeOf(say texts.Printer, change facts.FactChange) []views.Run {
	switch change.How {
	case facts.Added:
		return runs(say.Say("New"))
	case facts.Changed, facts.Removed:
		return views.Sentence(say, texts.Key("was {1}"), runs(change.Was.Value))
	}
	return nil
}

// shortFact is how many characters fit into a cell of the grid.
const shortFact = 36

func factCell(say texts.Printer, f facts.Fact) views.Fact {
	return views.Fact{
		Label: factLabel(say, f), Value: runs(f.Value), Source: flat(say, say.Say("in %s", strings.TrimPrefix(f.Pointer, "/"))),
		Mono: utf8.RuneCountInString(f.Value) > shortFact, // a row of its own
	}
}
