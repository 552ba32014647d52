package fault

// Code names one failure for good: clients match on it, so a code is never
// renamed and never reused. The problem type of a code is
// "urn:countersign:problem:" + code.
type Code string

const (
	MalformedJSON     Code = "malformed-json"     // the bytes are not strict I-JSON
	InvalidMember     Code = "invalid-member"     // a member is unknown, missing, of the wrong type or out of range
	SecretInName      Code = "secret-in-name"     // a name or an id holds a secret, and cannot be masked
	InvalidParameter  Code = "invalid-parameter"  // the same for the query or the path
	IdempotencyReused Code = "idempotency-reused" // the key was used before with another body
	InvalidSetting    Code = "invalid-setting"    // a flag or COUNTERSIGN_* variable cannot work
	InvalidForm       Code = "invalid-form"       // a form field in the console
	BodyTooLarge      Code = "body-too-large"     // more than 256 KiB
	UnsupportedMedia  Code = "unsupported-media"  // not application/json, or a Content-Encoding
	MethodNotAllowed  Code = "method-not-allowed" // the Allow header lists what works
	Misdirected       Code = "misdirected"        // a Host that this server does not answer to
	Unauthorized      Code = "unauthenticated"    // no key, an unknown key, no session
	WrongPassword     Code = "wrong-password"     // somebody who is known gave another password than theirs
	SignInFailed      Code = "sign-in-failed"     // wrong e-mail or password, or a used link
	Denied            Code = "forbidden"          // signed in, but the role does not allow it
	CrossSite         Code = "cross-site"         // a form sent from another origin
	NotEligible       Code = "not-eligible"       // an operator, but not for this approval
	WrongAnswer       Code = "wrong-answer"       // a challenge was not passed
	StaleSignIn       Code = "sign-in-too-old"    // the policy asks for a younger sign-in
	LockedOut         Code = "locked-out"         // two failed attempts: another operator decides
	AgentsStopped     Code = "agents-stopped"     // an admin stopped this agent, or all of them
	Missing           Code = "not-found"          // it does not exist for this caller
	AlreadyExists     Code = "already-exists"     // a name is taken
	AlreadyDecided    Code = "already-decided"    // the approval is final
	Changed           Code = "changed"            // version or digest differ from what was seen
	StricterNow       Code = "stricter-now"       // the current policy treats this action more strictly
	InProgress        Code = "in-progress"        // the same idempotency key is still running
	NotApproved       Code = "not-approved"       // there is no grant to spend
	AlreadyConsumed   Code = "already-consumed"   // the grant was spent
	DigestMismatch    Code = "digest-mismatch"    // the digest is not the approved one
	GrantExpired      Code = "grant-expired"      // the grant's time is over
	GrantVoid         Code = "grant-void"         // somebody took the grant back
	GrantUnproven     Code = "grant-unproven"     // the grant is not what was signed and recorded
	NotConsumed       Code = "not-consumed"       // a result was reported before the grant was spent
	AlreadyReported   Code = "already-reported"   // the result was reported, with other content
	ChallengeRequired Code = "challenge-required" // no valid challenge came with the decision
	NotEditable       Code = "not-editable"       // an operator may decide it, but not change its arguments
	Expired           Code = "expired"            // too late: the approval's time is over
	TooEarly          Code = "too-early"          // the minimum review time has not passed
	Unread            Code = "unread-sections"    // a section of a large act was not acknowledged
	LastAdmin         Code = "last-admin"         // an organisation keeps at least one admin
	RateLimited       Code = "rate-limited"       // too many requests; see RetryAfter
	NotReady          Code = "unavailable"        // the database or the signer does not answer
	ClockBack         Code = "clock-set-back"     // the database's clock is behind its own records
	ClockAhead        Code = "clock-set-ahead"    // the database's clock is ahead of the time that passed
	Unexpected        Code = "internal"           // our bug
)

// kinds is the one table that says what a code is.
var kinds = map[Code]Kind{
	MalformedJSON: Invalid, InvalidMember: Invalid, SecretInName: Invalid, InvalidParameter: Invalid, IdempotencyReused: Invalid,
	InvalidSetting: Invalid, InvalidForm: Invalid, BodyTooLarge: Invalid, UnsupportedMedia: Invalid,
	MethodNotAllowed: Invalid, Misdirected: Invalid,
	Unauthorized: Unauthenticated, SignInFailed: Unauthenticated,
	Denied: Forbidden, CrossSite: Forbidden, NotEligible: Forbidden, WrongPassword: Forbidden, WrongAnswer: Forbidden, StaleSignIn: Forbidden, LockedOut: Forbidden, AgentsStopped: Forbidden,
	Missing:       NotFound,
	AlreadyExists: Conflict, AlreadyDecided: Conflict, Changed: Conflict, StricterNow: Conflict, InProgress: Conflict,
	NotApproved: Conflict, AlreadyConsumed: Conflict, DigestMismatch: Conflict, GrantExpired: Conflict,
	NotConsumed: Conflict, AlreadyReported: Conflict, ChallengeRequired: Conflict, Expired: Conflict, TooEarly: Conflict, Unread: Conflict,
	GrantVoid: Conflict, GrantUnproven: Conflict, LastAdmin: Conflict, NotEditable: Conflict,
	RateLimited: Unavailable, NotReady: Unavailable, ClockBack: Unavailable, ClockAhead: Unavailable,
	Unexpected: Internal,
}

// Kind returns what the code is; a code that is not in the table is Internal.
func (c Code) Kind() Kind { return kinds[c] }

// Codes lists every code, for tables and documents that must be complete.
func Codes() []Code {
	all := make([]Code, 0, len(kinds))
	for c := range kinds {
		all = append(all, c)
	}
	return all
}
