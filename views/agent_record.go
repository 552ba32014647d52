package views

// AgentRecord is what is known of an agent's calls.
type AgentRecord struct {
	// Note says what is counted, Use what the policy makes of it.
	Note, Use string
	// Loss says when and why it began again; nil where it never did.
	Loss *Notice
	Rows []RecordRow
	// None stands in place of the rows where there are none.
	None string
}

// RecordRow is what is known of one function.
type RecordRow struct {
	Function []Run
	// Succeeded and Failed are for example "62.2", Bound is for example "0.953".
	Succeeded, Failed, Bound string
	// Since is the first day that counts, for example "2026-11-20".
	Since string
	// Does is for example "MEDIUM becomes LOW".
	Does string
}
