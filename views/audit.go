package views

// Audit is a page of the audit trail, newest first.
type Audit struct {
	// Summary stands under the heading, for example "48,213 entries".
	Summary string
	// Integrity is the banner about the last checkpoint; nil for none.
	Integrity *Notice
	Rows      []AuditRow
	// Range is for example "48,213 to 48,164, newest first".
	Range string
	// Newer and Older are the neighbouring pages; empty for none.
	Newer, Older string
	Empty        *Empty
}

// AuditRow is one entry of the trail.
type AuditRow struct {
	// Index is for example "48,213"; URL leads to the entry.
	Index, URL string
	// Time is for example "20 Nov 09:42:31.104", ISO the same as RFC 3339.
	Time, ISO string
	// Kind is for example "approval.approved".
	Kind  string
	Level Level
	Actor []Run
	What  []Run
}

// AuditEntry is one entry with its bytes.
type AuditEntry struct {
	// Title is for example "Entry 48,212: Priya Raman approved delete_user".
	Title []Run
	// When is the full time with "UTC".
	When  string
	Level Level
	// Fields are kind, approval, actor, agent, digest, policy.
	Fields []Pair
	// Canonical is the stored canonical JSON; Size is for example "330 bytes".
	Canonical []Run
	Size      string
	// Leaf is the leaf hash in lower-case hex.
	Leaf string
	// TrailURL leads back to the list. Newer and Older are the neighbours; empty
	// for none.
	TrailURL, Newer, Older string
}

// History is a page of what was decided, newest first.
type History struct {
	Summary      string
	Rows         []HistoryRow
	Range        string
	Newer, Older string
	Empty        *Empty
}

// HistoryRow is one decided approval.
type HistoryRow struct {
	ID, URL  string
	Level    Level
	Sentence []Run
	Agent    string
	// Verdict is for example "Denied"; Tone colours its chip.
	Verdict string
	Tone    Tone
	// Who is for example "Mei Tanaka", "policy" or "clock".
	Who string
	// When is for example "20 Nov 09:42:19", ISO the same as RFC 3339.
	When, ISO string
}
