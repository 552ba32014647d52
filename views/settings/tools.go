package settings

import "github.com/countersign/countersign/views"

// ToolsSettings are the tools that were imported for an agent.
type ToolsSettings struct {
	Items   []views.SettingsItem
	Back    views.Link
	Title   string
	Summary string
	Notices []views.Notice
	Errors  []views.FieldError
	Groups  []ToolGroup
	Empty   *views.Empty
	// Accept proposes what is chosen in the groups; nil for readers, and without tools.
	Accept *views.PlainForm
	// Import is the form of a list; nil for readers.
	Import *ToolImport
	// Removals take the tools of a server away.
	Removals []views.Panel
}

// ToolGroup are the tools of one server.
type ToolGroup struct {
	// ID is that of its heading.
	ID, Server string
	Note       []views.Run
	Rows       []ToolRow
}

// ToolRow is one tool.
type ToolRow struct {
	Name, About []views.Run
	// News is for example "changed"; may be empty.
	News string
	Tone views.Tone
	// Read is the effect that is read, Why what it was read from, Level what the policy
	// makes of it now.
	Read, Why string
	Level     views.Level
	// Says are the annotations of its server, for example "read-only: yes".
	Says []string
	// Reviewed is the effect in the catalogue; empty where it does not know the tool.
	Reviewed string
	// State is what was accepted; may be empty.
	State string
	// Stale says that what was accepted lowers nothing any more.
	Stale bool
	// Choice corrects the effect; nil for readers.
	Choice *views.SelectField
}

// ToolImport is the form of a list, as a file or pasted.
type ToolImport struct {
	URL    string
	Lines  []views.LineField
	File   views.LineField // of the type file
	Text   views.AreaField
	Button views.Button
}
