package settings

import (
	"slices"

	"github.com/countersign/countersign/views"
)

// AgentsSettings lists the agents of an organisation.
type AgentsSettings struct {
	Items []views.SettingsItem
	// Summary is for example "5 programs that may ask."
	Summary string
	// Create leads to the form; empty for readers.
	Create  string
	Notices []views.Notice
	Rows    []AgentRow
	Empty   *views.Empty
	// Stop is the kill switch, Resume its end; nil for readers, and only one at a time.
	Stop, Resume *views.Panel
}

// AgentRow is one agent.
type AgentRow struct {
	Name, URL string
	Owner     string
	// OwnerNote is for example "no member any more"; may be empty.
	OwnerNote string
	// Bound is what it is bound to, for example "the workspace /srv/shop"; may be empty.
	Bound string
	// Keys are the beginnings of the keys that work, for example "csk_acme_7Q2K…".
	Keys []string
	// More says how many others there are, for example "and 3 more"; may be empty.
	More string
	// Actions is for example "402" or "1,000+".
	Actions string
	Highest views.Level
	// Used is for example "4 min ago", UsedISO the same as RFC 3339; empty: never.
	Used, UsedISO string
	State         string
	Tone          views.Tone
	Icon          views.Icon
}

// NewAgentSettings is the form of a new agent.
type NewAgentSettings struct {
	Items  []views.SettingsItem
	Back   views.Link
	Errors []views.FieldError
	Form   views.PlainForm
}

// AgentSettings is one agent with its keys.
type AgentSettings struct {
	Items   []views.SettingsItem
	Back    views.Link
	Name    string
	Summary []views.Run
	Notices []views.Notice
	Errors  []views.FieldError
	Facts   []views.Fact
	Keys    []KeyRow
	// Connected says how far its program is.
	Connected Connected
	// Panels are what can be done; none for readers.
	Panels []views.Panel
	Record views.AgentRecord
	// Tools says what was imported, and leads there.
	Tools     string
	ToolsLink views.Link
	// Without leads to all that runs without asking.
	Without views.Link
	// About leads to what it asked for.
	About views.Link
	// Replay is what the binding that is asked for would have changed; nil for none.
	Replay *views.Replay
	// Incident takes away what Record tells; nil for readers.
	Incident *views.Panel
}

// KeyRow is one key of an agent.
type KeyRow struct {
	// ID is for example "key_0192…", Hint how the key begins, for example "csk_acme_7Q2K…".
	// Tail is the end of the id, which tells keys apart as well.
	ID, Hint, Tail string
	Scopes         string
	// Created, Used and Expires are times or words, with the time as RFC 3339 where there is one.
	Created, CreatedISO string
	Used, UsedISO       string
	Expires, ExpiresISO string
	State               string
	Tone                views.Tone
	Icon                views.Icon
	// Expiry and Revoke act on the key; nil for readers and for dead keys.
	Expiry, Revoke *views.PlainForm
}

// Connected says whether the agent's program reached the server, and whether its gate was tested.
type Connected struct {
	// URL is the page of the agent, which has the same block, newer.
	URL   string
	Steps []ConnectedStep
}

// ConnectedStep is for example "First call: 2 min ago".
type ConnectedStep struct {
	Text string
	Done bool
}

// done reports whether nothing is left to wait for.
func (c Connected) done() bool {
	return !slices.ContainsFunc(c.Steps, func(s ConnectedStep) bool { return !s.Done })
}

// KeyShown is the page that answers when a key was made: the one place and the
// one time where it can be read.
type KeyShown struct {
	Items []views.SettingsItem
	// Title is for example "The key of invoice-reader".
	Title string
	// Warn says that it is shown once.
	Warn    views.Notice
	Notices []views.Notice
	Key     views.Secret
	// Examples are the ways to connect a program with it.
	Examples  []views.Secret
	Connected Connected
	Facts     []views.Fact
	Done      views.Link
}
