package policy

import "github.com/countersign/countersign/views"

// Judgement is the table of floors: at which level each effect is held at least.
type Judgement struct {
	Preset ChoiceField
	// Columns head the table, for example "several".
	Columns []string
	Rows    []JudgementRow
	Money   []NumberField
	// Currency is of Money.
	Currency       views.LineField
	Domains, Names TextField
	Remember       NumberField
}

// JudgementRow is one effect.
type JudgementRow struct {
	// Label is for example "Deletes".
	Label string
	Cells []JudgementCell
}

// JudgementCell is one floor.
type JudgementCell struct {
	// ID is the name of its field, too; Label names it for those who do not see the table.
	ID, Label string
	// Column heads the cell where the table is folded.
	Column string
	// Level is the one that counts; Own says that it is the policy's own.
	Level views.Level
	Own   bool
	// Note stands before the level, for example "by amount; without one".
	Note    string
	Options []views.Choice
	// Was and Now are the value in force, in words and as the field has it, where the
	// draft has another one.
	Was, Now string
	Error    string
}

// BalancedOffer shows an organisation without floors what they would change.
type BalancedOffer struct {
	// Replay is nil until somebody asks for it: it takes seconds where actions are large.
	// Try asks.
	Replay *views.Replay
	Try    string
	// URL saves or proposes what Hidden carries; Button is empty for those who may not.
	URL    string
	Hidden []views.Hidden
	Button string
}
