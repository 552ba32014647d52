package trail

import "github.com/countersign/countersign/views"

// ItemStatistics is the report about the questions of quizzes.
type ItemStatistics struct {
	// Summary says what is counted; Note what is not, empty where everything is.
	Summary string
	Note    []views.Run
	// Back leads to the history.
	Back      views.Link
	Windows   []views.Window
	Downloads []views.Download
	Questions ItemTable
	Operators ItemTable
	Empty     *views.Empty
	Problems  []views.FieldError
}

// ItemTable is one table of an [ItemStatistics]. Its first column is a row header.
type ItemTable struct {
	ID, Title, Caption string
	Heads              []string
	Rows               []ItemRow
	// More says that not all rows are here, and where they are.
	More string
}

// ItemRow is what one row says.
type ItemRow struct {
	Name []views.Run
	// Note stands under the name.
	Note string
	// Mark names what is wrong with it, Why is the reason in words; empty for nothing.
	Mark  string
	Why   string
	Cells []ItemCell // as many as there are heads behind the first
}

// ItemCell is a figure with what stands under it.
type ItemCell struct{ Text, Note string }

// Insights is the page with figures about what happened.
type Insights struct {
	// Summary says what is counted; Note what is not yet, empty where everything is.
	Summary, Note string
	// Did says what happened in a sentence or two.
	Did       string
	Windows   []views.Window
	Links     []views.Link // to pages with more
	Downloads []views.Download
	Stats     []views.Stat
	Alerts    []views.Notice
	Figures   []views.Figure
	// Coach is nil where nothing happened.
	Coach *views.Coach
	Empty *views.Empty
	// Filter narrows the figures; its problems are those of the page.
	Filter views.Filter
}
