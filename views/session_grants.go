package views

// SessionGrants is what a session may do without asking.
type SessionGrants struct {
	// None says that it is nothing.
	None string
	Rows []SessionGrant
	// All leads to what else of the agent runs without asking; nil for those who may not
	// read it.
	All *Link
}

// SessionGrant is one thing that a session may do.
type SessionGrant struct {
	URL string
	// Session is that of one of several; nil on the page of the session.
	Session *Link
	// What is a sentence that says what is covered.
	What []Run
	By   string
	Used string
	// Last and LastISO are the last use; empty: never.
	Last, LastISO string
	Ends, EndsISO string
	State         string
	Tone          Tone
	Icon          Icon
	End           *WithoutEnd
}

// WithoutEnd is the form that ends one; it has no field to fill.
type WithoutEnd struct {
	URL    string
	Hidden []Hidden
	Label  string
	// Of completes the label for those who do not see the row.
	Of string
}
