package approvals

import (
	"time"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/deciders"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/tenants"
)

// Status is where an approval is on its way. Every status but Pending is final.
type Status string

const (
	Pending          Status = "pending"
	Approved         Status = "approved"
	Blocked          Status = "blocked"
	Denied           Status = "denied"
	ChangesRequested Status = "changes_requested"
	Expired          Status = "expired"
	Cancelled        Status = "cancelled"
)

// Text is the status as programs read it, to be said in the language of a reader.
func (s Status) Text() fault.Text {
	switch s {
	case Pending:
		return fault.Textf("pending")
	case Approved:
		return fault.Textf("approved")
	case Blocked:
		return fault.Textf("blocked")
	case Denied:
		return fault.Textf("denied")
	case ChangesRequested:
		return fault.Textf("changes_requested")
	case Expired:
		return fault.Textf("expired")
	case Cancelled:
		return fault.Textf("cancelled")
	}
	return fault.Verbatim(string(s))
}

// Statuses lists every status, for filters and documents.
func Statuses() []Status {
	return []Status{Pending, Approved, Blocked, Denied, ChangesRequested, Expired, Cancelled}
}

// Final reports whether nothing can change the status any more.
func (s Status) Final() bool { return s != Pending }

// Approval is the record of one action's way through the console. It is a
// value: the methods in decide.go return what it becomes, the store decides
// whether it may.
type Approval struct {
	Tenant string
	ID     string // "apr_" + UUIDv7 in hex: sorts by time of creation
	Agent  Agent
	// Revises is the id of the approval whose requested changes this one answers.
	Revises string

	// Action is the canonical bytes of the whole action, masked where a redacting
	// pattern matched: what is stored, shown and logged. What was submitted never
	// changes; where an operator edited it, this is what the last edit made of it.
	Action []byte
	// Digest is over the original act, ShownDigest over the masked one. They are
	// equal when nothing was masked.
	Digest, ShownDigest string
	// Carried are the matches whose spans were masked: the stored bytes no longer
	// show them, so every later assessment is given them.
	Carried    []patterns.Match
	CallNumber int // 1 and how many calls of (agent, session, function) there were before: see Reader.Calls
	// Function and Session are members of the action, beside it for filters.
	Function, Session string

	Status  Status
	Version int64 // counts what an operator could have seen: 1 at submission, +1 when treated more strictly
	// Assessment and Treatment are what scoring said under PolicyVersion.
	Assessment scoring.Assessment
	Treatment  scoring.Treatment
	// Asks is the challenge that an operator will get; only where its agent is told.
	Asks          scoring.ChallengeKind
	PolicyVersion int64

	// Proposed is what the agent sent where an operator edited it since, else nil.
	Proposed *Proposal
	Edits    []Edit // oldest first; the last one is in force

	// Signatures are those under this version, oldest first; none where one approval is enough.
	Signatures []Signature
	// Needed and NoOne are who has to approve it and why no one can, where somebody looks (judged).
	Needed []deciders.Needed
	NoOne  fault.Text

	CreatedAt time.Time // UTC, microseconds, the database's clock; so are all times here
	ExpiresAt time.Time
	Extension *Extension      // nil: nobody gave it more time
	HoursOnly bool            // time outside working hours did not count; only where somebody reads it alone
	Newer     string          // id of the newest request for the same target, of which a reader is told
	Questions []AgentQuestion // to its agent, oldest first; only where somebody reads it alone
	Comments  []Comment       // of people, oldest first; only where a person reads it
	Decision  *Decision       // nil while pending
	Grant     *Grant          // nil unless approved
	Execution *Execution      // nil until the agent reported
}

// Agent is who submitted, as it was then.
type Agent struct {
	ID, Name string
	Owner    string // person id; empty for an agent made on the command line
}

// Parsed returns the stored action. The bytes passed the gate when they were
// stored, so an error means that somebody edited the database.
func (a Approval) Parsed() (scoring.Action, error) {
	tree, err := canon.ParseStored(a.Action)
	if err != nil {
		return scoring.Action{}, err
	}
	return scoring.NewAction(tree)
}

// Core is what a's quizzes are counted by: see scoring.Action.Core. It is over the masked
// action, since a challenge is about that.
func (a Approval) Core() (string, error) {
	action, err := a.Parsed()
	return action.Core(), err
}

// Cores are what quizzes about a count for: what it would run now, and what the agent sent where
// an operator edited that. Whoever edits gets no attempt more by it.
func (a Approval) Cores() ([]string, error) {
	core, err := a.Core()
	if err != nil || a.Proposed == nil {
		return []string{core}, err
	}
	proposed := a
	proposed.Action = a.Proposed.Action
	sent, err := proposed.Core()
	return []string{core, sent}, err
}

// Verdict is what ended an approval.
type Verdict string

const (
	VerdictApprove        Verdict = "approve"
	VerdictDeny           Verdict = "deny"
	VerdictRequestChanges Verdict = "request_changes"
	VerdictBlock          Verdict = "block"
	VerdictExpire         Verdict = "expire"
	VerdictCancel         Verdict = "cancel"
)

// Decision is the one terminal verdict.
type Decision struct {
	Verdict   Verdict
	Reason    string
	DecidedAt time.Time
	DecidedBy []Decider
	Evidence  *Evidence // nil unless a person decided
}

// DeciderKind says what sort of actor decided.
type DeciderKind string

const (
	ByPerson DeciderKind = "person"
	ByPolicy DeciderKind = "policy"
	ByAgent  DeciderKind = "agent"
	ByClock  DeciderKind = "clock"
)

// Decider is one who decided.
type Decider struct {
	Kind DeciderKind `json:"kind"`
	ID   string      `json:"id"`
	Name string      `json:"name"`
	// For is who was away, where this one decided in their place. It is kept with the evidence.
	For *tenants.Named `json:"-"`
}

// Evidence is how a person came to the decision. It is in the audit event and
// nowhere shown to the agent.
type Evidence struct {
	Challenge     string     `json:"challenge,omitempty"`       // id of the challenge that was passed
	Kind          string     `json:"kind,omitempty"`            // confirm, quiz, explicit_confirmation
	Attempt       int        `json:"attempt,omitempty"`         // 1-based
	FirstViewedAt *time.Time `json:"first_viewed_at,omitempty"` // this operator, this version
	ReviewSeconds float64    `json:"review_seconds,omitempty"`  // from the first view to the decision
	Early         bool       `json:"early,omitempty"`           // before the minimum review time, where the policy only flags it
	SinglePerson  bool       `json:"single_person,omitempty"`   // nobody else was eligible
	Consequences  []string   `json:"consequences,omitempty"`    // the sentences that were ticked
	Batch         string     `json:"batch,omitempty"`           // shared by what was denied in one go
	With          string     `json:"with,omitempty"`            // id of the identical approval whose challenge stands for this one

	// For is who was away: the request was assigned to them, or they were called to it.
	For *tenants.Named `json:"for,omitempty"`

	TextSHA256   string        `json:"text_sha256,omitempty"`   // of the text that was shown: docs/reading.md
	SectionCount int           `json:"section_count,omitempty"` // how many it was shown in
	Sections     []SectionRead `json:"sections,omitempty"`      // those that were acknowledged
	Quizzes      []QuizTaken   `json:"quizzes,omitempty"`       // of this operator on this approval, oldest first
	Target       *Said         `json:"target,omitempty"`        // what was typed
}

// Grant is the signed, single-use permission that an approved agent spends.
type Grant struct {
	ID         string // jti
	Token      string // compact JWS
	ExpiresAt  time.Time
	ConsumedAt *time.Time // nil until spent
	ConsumeKey string     // the idempotency key of the call that spent it
	VoidedAt   *time.Time // set when the current policy treats the action more strictly, or somebody took it back
	VoidReason string     // why somebody took it back; empty: the policy
}

// Execution is what the agent says happened.
type Execution struct {
	Status     string // succeeded or failed
	Detail     string
	ReportedAt time.Time
}
