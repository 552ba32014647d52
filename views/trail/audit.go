package trail

import (
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// Audit is a page of the audit trail, newest first.
type Audit struct {
	// Summary stands under the heading, for example "48,213 entries".
	Summary   string
	Integrity Integrity
	// Checkpoint is the newest that was signed; nil for none.
	Checkpoint *Checkpoint
	Filter     views.Filter
	Downloads  []views.Download
	// Exports says what the files leave out; empty for nothing.
	Exports string
	// Looked says how far a search went, for example "Searched entries 48,213 to
	// 43,213, 3 found"; empty where an index answered.
	Looked string
	Tabs   []views.Window
	Rows   []AuditRow
	Pages  Pages
	Empty  *views.Empty
}

// Pages are the neighbours of a page of a list.
type Pages struct {
	// Label is for example "48,213 to 48,164, newest first"; End is said where
	// nothing is left.
	Label, End string
	// Newer and Older are addresses; empty for none. OlderLabel is "Older", or
	// "Search further" where the look ended before the page was full.
	Newer, Older           string
	NewerLabel, OlderLabel string
}

// Integrity is what is known about the trail as a whole.
type Integrity struct {
	Notice views.Notice
	// Size and Root describe the log as it is now; Root is hex.
	Size, Root string
	// Verify is where a new verification is started (POST); empty for those who may not.
	Verify string
}

// Checkpoint is a signed note of the log's size and root.
type Checkpoint struct {
	// Size is for example "48,213 entries"; When is its time with "UTC", ISO the same
	// as RFC 3339, Ago for example "20 s ago".
	Size, When, ISO, Ago string
	// Note is the signed text, Keys are what verifies it, one a line, the signing key first.
	Note, Keys string
	// URL is the note as a file.
	URL string
}

// AuditRow is one entry of the trail.
type AuditRow struct {
	// Index is for example "48,213"; URL leads to the entry.
	Index, URL string
	// Time is for example "20 Nov 09:42:31.104", ISO the same as RFC 3339, Ago for
	// example "3 min ago".
	Time, ISO, Ago string
	// Kind is for example "approval.approved".
	Kind  string
	Level views.Level
	Actor []views.Run
	// ActorNote says what sort of actor it is, where the name does not.
	ActorNote string
	What      []views.Run
	// Request leads to the request that the entry is about; empty for none.
	Request string
	// Earlier are the other entries of that request on this page.
	Earlier []AuditRow
}

// AuditEntry is one entry with its bytes and its proof.
type AuditEntry struct {
	// Title is for example "Entry 48,212: Priya Raman, Approved delete_user".
	Title []views.Run
	// When is the full time with "UTC", ISO the same as RFC 3339, Ago for example
	// "3 min ago".
	When, ISO, Ago string
	Level          views.Level
	// Fields are kind, approval, actor, agent, digest, policy.
	Fields []views.Pair
	// Canonical is the stored canonical JSON; Size is for example "330 bytes".
	Canonical []views.Run
	Size      string
	Proof     AuditProof
	// Patterns is the evaluation of the pattern model that the entry tells of; nil for none.
	Patterns *views.PatternModel
	// Reviewed is the review that the entry tells of; nil for none.
	Reviewed *views.Reviewed
	// Sealed, when not empty, stands in the place of Canonical and Proof.
	Sealed string
	// Neighbours are the entries around this one, newest first.
	Neighbours []views.TrailStep
	// TrailURL leads back to the list. Newer and Older are the neighbours; empty
	// for none.
	TrailURL, Newer, Older string
}

// AuditProof leads from an entry to the root of the log.
type AuditProof struct {
	// Leaf, Stored and Root are hex: the hash of the bytes shown, the one that is
	// stored beside them, and the root of the log at Size.
	Leaf, Stored, Root string
	Size               string
	Steps              []ProofStep
	// Holds says that the server found the proof right; Wrong says why not.
	Holds bool
	Wrong string
	// Command recomputes the leaf in a shell; Plain says that the bytes stand in it
	// as they are, else they are in base64.
	Command string
	Plain   bool
}

// ProofStep is one sibling on the way to the root.
type ProofStep struct {
	// Hash is hex; Left says on which side the sibling stands.
	Hash string
	Left bool
}

// History is a page of what was decided, newest first.
type History struct {
	// Tabs part the decisions by who made them.
	Tabs      []views.Window
	Summary   string
	Filter    views.Filter
	Downloads []views.Download
	// Report leads to what is counted over it; nil for those who may not see that.
	Report *views.Link
	Looked string
	Rows   []HistoryRow
	Pages  Pages
	Empty  *views.Empty
}

// HistoryRow is one decided approval.
type HistoryRow struct {
	ID, URL  string
	Level    views.Level
	Sentence []views.Run
	Agent    string
	// Verdict is for example "Denied"; Tone colours its chip.
	Verdict string
	Tone    views.Tone
	// Reason is what was said with it; may be empty.
	Reason []views.Run
	// Who is for example "Mei Tanaka", "policy" or "clock".
	Who string
	// When is for example "20 Nov 09:42:19", ISO the same as RFC 3339, Ago for
	// example "3 min ago".
	When, ISO, Ago string
	// Entry leads to the audit event of the decision; empty for those who may not
	// read it.
	Entry string
}

// Verification is the page of a verification that runs.
type Verification struct {
	// Note says how far it is, for example "120,000 of 480,000 entries".
	Note string
	// Percent is how much is done, 0 to 100.
	Percent int
	// TrailURL leads back to the list, URL to this page.
	TrailURL, URL string
}

func (s ProofStep) side() string {
	if s.Left {
		return "left"
	}

	return "right"
}

// sibling names the step, the nth one from the entry.
func (s ProofStep) sibling(say texts.Printer, n int) string {
	if s.Left {
		return say.Say("Sibling %d, left", n)
	}

	return say.Say("Sibling %d, right", n)
}
