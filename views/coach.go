package views

// Coach lists functions that people always approve.
type Coach struct {
	Summary string
	Rows    []CoachRow
}

// CoachRow is one function of one agent.
type CoachRow struct {
	Function []Run
	Agent    string
	// Approved and Held are numbers.
	Approved, Held string
	// Propose leads to the form of an entry; empty for those who may propose none.
	Propose string
}
