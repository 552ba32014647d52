package approvals

import (
	"context"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/authority"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/trust"
	"github.com/countersign/countersign/internal/scoring/workspace"
	"github.com/countersign/countersign/internal/tenants"
)

// Store is the database as this package needs it: two doors, each one
// transaction on one tenant's data.
type Store interface {
	// Read runs fn on one consistent state.
	Read(ctx context.Context, tenant string, fn func(Reader) error) error
	// Write runs fn and commits everything it did, its audit events included, or
	// nothing. When it returns nil the commit is on disk. It has the tenant's log for itself,
	// so nothing that events tell of changes meanwhile. fn may run again, after a deadlock,
	// so it must not act outside its Writer.
	Write(ctx context.Context, tenant string, fn func(Writer) error) error
	// Aside is Write for what no event tells of: nothing is appended, nothing is held against
	// the log, and nobody waits for it.
	Aside(ctx context.Context, tenant string, fn func(Writer) error) error
	// WriteAs is Write for an agent, with the key that it came with: what it does with
	// one that was revoked or has expired by then is refused with fault.Unauthorized.
	WriteAs(ctx context.Context, agent auth.Agent, of Call, fn func(Writer) error) error
	// SayNo is Write, and SayNoAs is WriteAs, that go on while the log is refused, for what
	// gives nobody anything: nothing can be asked of the log then, and only a denial, a request
	// for changes or a cancellation can be appended. It comes into the log later.
	SayNo(ctx context.Context, tenant string, fn func(Writer) error) error
	SayNoAs(ctx context.Context, agent auth.Agent, fn func(Writer) error) error
	// Tenants lists every tenant, for the jobs that walk tenant by tenant.
	Tenants(ctx context.Context) ([]string, error)
}

// Deciding is what says who may decide.
type Deciding interface {
	Now() time.Time
	Policy() (scoring.Policy, int64, error)
	Authority() (authority.State, error)
	KeyMakers(agent string, at time.Time) ([]string, error)
}

// Reader sees one tenant.
type Reader interface {
	// Now is the database's clock, UTC, microseconds; the same all through one
	// transaction.
	Now() time.Time
	// Policy is the tenant's current policy and its version.
	Policy() (scoring.Policy, int64, error)
	// PolicyVersion is what the policy was at a version. fault.Missing.
	PolicyVersion(version int64) (tenants.PolicyVersion, error)
	// AgentBound is what an admin bound an agent to. fault.Missing.
	AgentBound(agent string) (tenants.Bound, error)
	// Approval returns one approval with its signatures, decision, grant and execution.
	// fault.Missing when this tenant has none of that id.
	Approval(id string) (Approval, error)
	// ApprovalsOf returns those of these approvals that there are, in no order.
	ApprovalsOf(ids []string) ([]Approval, error)
	// ApprovalByKey returns the approval that an agent submitted with this
	// idempotency key, and the hash of the body it came with. fault.Missing when
	// there is none.
	ApprovalByKey(agent, key string) (a Approval, bodyHash string, err error)
	// Approvals lists newest first.
	Approvals(f Filter) ([]Approval, error)
	// AgentViews lists newest first, as far as MaxEffective goes; more says that there
	// are others behind them.
	AgentViews(f Filter) (page []AgentView, more bool, err error)
	// QueueAhead, LinesAhead, ReviewAhead and AroundAhead read at once what pages ask one after the
	// other: what waits, with alerts since a time; what lists say beside their lines; an approval;
	// and what stands beside one, with these lists of at most SessionTrail.
	QueueAhead(person string, q LineQuery, since time.Time) error
	LinesAhead(acts []Act, ids []string) error
	ReviewAhead(id string) error
	AroundAhead(a Approval, lists ...Filter) error
	// IDs are those of what Approvals lists, in its order.
	IDs(f Filter) ([]string, error)
	// Waiting lists lines of what is pending, by level (highest first), then by expiry
	// (soonest first), then by id.
	Waiting(q LineQuery) ([]Line, error)
	// Lines are those of these approvals (at most 500) that there are, whatever became of
	// them, in no order; but for those that ended as they came in.
	Lines(ids []string) ([]Line, error)
	// CountWaiting is how many are pending, at most most.
	CountWaiting(most int) (int, error)
	// PendingByLevel counts all that is pending, a level at most once.
	PendingByLevel() ([]PendingCount, error)
	// Duplicates counts what is pending of each of these acts, as it was submitted; what an
	// operator edited since does not count. The counts stand in the order of the acts.
	Duplicates(acts []Act) ([]int, error)
	// DuplicateIDs are the ids of what Duplicates counts for one act, oldest first, at most limit.
	DuplicateIDs(act Act, limit int) ([]string, error)
	// WaitingDuplicates lists the newest that are pending and this act, oldest first, at most
	// limit: as it was submitted, or edited back to that.
	WaitingDuplicates(act Act, limit int) ([]WaitingAct, error)
	// NewerOf says which request for the same target (Approval.TargetKey) of the same agent came last,
	// of each of these approvals after which another act came; whatever became of that.
	NewerOf(ids []string) (map[string]string, error)
	// Older are the pending approvals for the same targets that came before these, as far as
	// MaxOlder goes for each, the oldest first.
	Older(ids []string) ([]string, error)
	// Answering lists the approvals about which a quiz of this person is open.
	Answering(person string) ([]string, error)
	// AnsweringPeople are those of whom Answering says anything.
	AnsweringPeople() ([]string, error)
	// SavedFilters lists those that a person has of a list, by name.
	SavedFilters(person string, of List) ([]SavedFilter, error)
	// Holding lists the newest requests that hold a text, at most SearchMost of the newest
	// SearchReach; whole says that there are no others.
	Holding(q TextQuery) (found []TextFound, whole bool, err error)
	// Decided lists what ended, by the order of the decisions.
	Decided(q HistoryQuery) (HistoryPage, error)
	// Challenge returns one challenge about an approval. fault.Missing when there is none.
	Challenge(approval, id string) (Challenge, error)
	// LatestChallenge returns the newest challenge of this operator for this
	// approval. fault.Missing when there is none.
	LatestChallenge(approval, person string) (Challenge, error)
	// LatestChallenges is LatestChallenge of each of these approvals of which there is one.
	LatestChallenges(approvals []string, person string) (map[string]Challenge, error)
	// Asked lists the challenges about what a would run (Approval.Core), in whatever approval
	// of whichever agent, of every operator: the newest 500, oldest first.
	Asked(a Approval) ([]Challenge, error)
	// FailedAttempts counts this operator's quizzes that failed after a time, about a or
	// about what it would run in another approval of whichever agent.
	FailedAttempts(a Approval, person string, after time.Time) (int, error)
	// FirstView is when this operator first saw this version; ok is false when
	// they have not.
	FirstView(approval, person string, version int64) (at time.Time, ok bool, err error)
	// Graded lists this operator's challenges on this approval that failed, passed or
	// were spent: the newest, at most limit, oldest first.
	Graded(approval, person string, limit int) ([]Challenge, error)
	// Quizzes lists graded quizzes about requests that wait no more, of every operator,
	// newest first.
	Quizzes(q QuizQuery) ([]Challenge, error)
	// SectionsRead is when this operator acknowledged which sections of this version,
	// by their 1-based number.
	SectionsRead(approval, person string, version int64) (map[int]time.Time, error)
	// Looks lists who has a pending approval open (their look is younger than LookFor),
	// the longest look first, at most 2,000.
	Looks() ([]Look, error)
	// LookedAt is when the look of this person at this approval was written last; ok is
	// false when there is none.
	LookedAt(approval, person string) (at time.Time, ok bool, err error)
	// Claims lists the claims on pending approvals that hold, oldest first, at most 2,000.
	Claims() ([]Claim, error)
	// Snoozes lists those on pending approvals that hold, at most 2,000.
	Snoozes() ([]Snooze, error)
	// Unreached are the pending approvals to which nobody was called, although the
	// organisation has channels for notices, at most 2,000.
	Unreached() ([]string, error)
	// Waits says until when the agents of these approvals wait, or waited, for an answer; nil
	// asks for all that are pending, at most 2,000. Those that never did are left out.
	Waits(ids []string) (map[string]time.Time, error)
	// Questions are those about these approvals and their answers, oldest first.
	Questions(approvals ...string) (map[string][]AgentQuestion, error)
	// Talk is what was asked and answered about one, and what people said to each other.
	Talk(approval string) ([]AgentQuestion, []Comment, error)
	// Absences lists who is away and who will be.
	Absences() ([]tenants.Absence, error)
	// StoodIn are those in whose place a deputy was called to a request, by id.
	StoodIn(approval, deputy string) ([]string, error)
	// WorkingKeys are those of these keys of agents, by their ids, that still open anything.
	WorkingKeys(keys ...string) ([]string, error)
	// StillPending are those of these approvals that wait for a decision.
	StillPending(ids ...string) ([]string, error)
	// Unspent lists at most limit approvals of an agent whose grant is neither spent
	// nor void and has not expired.
	Unspent(agent string, limit int) ([]Approval, error)
	// Calls is how many calls of (agent, session, function) there were: grants that were
	// spent, but for those of calls that were reported failed. 0 without a session.
	Calls(agent, session, function string) (int, error)
	// TrustDays is what is known of an agent and a function from a day (2006-01-02) on;
	// who writes keeps it as it is until the commit. Of a Reader all of it is of one state.
	TrustDays(agent, function, from string) ([]trust.Day, error)
	// TrustFunctions is TrustDays of the functions of which most speaks for the agent.
	TrustFunctions(agent, from string, limit int) ([]FunctionDays, error)
	// FileMemory is what is remembered of the files of an agent that are asked about, and
	// maybe of others; full says that more were written than are kept. Who writes keeps all
	// of the agent's as they are until the commit.
	FileMemory(agent string, asks workspace.Asks) (rows []FileMemory, full bool, err error)
	// ImportedTool is the tool of this exact name that was imported for an agent; nil
	// where there is none.
	ImportedTool(agent, name string) (*effects.Tool, error)
	// TrustLoss is the last one of an agent, nil where there was none; who writes keeps
	// it as it is until the commit.
	TrustLoss(agent string) (*trust.Loss, error)
	// Denials are the denials and blocks that acts of an agent are like in one of these
	// ways, decided after a time, the last first. Who writes and finds some keeps all of
	// the agent's as they are until the commit.
	Denials(agent string, like []string, after time.Time) ([]Denial, error)
	// Membership returns what this person may do here. fault.Missing.
	Membership(person string) (tenants.Membership, error)
	// Authority is what it depends on who may sign; where that changed before an event is
	// written, the transaction runs again.
	Authority() (authority.State, error)
	// KeyMakers are the people who made a key of an agent that worked at this time.
	KeyMakers(agent string, at time.Time) ([]string, error)
	// Standing returns one standing grant; who writes holds it until the commit.
	// fault.Missing when this tenant has none of that id.
	Standing(id string) (Standing, error)
	// StandingGrants lists them, newest first.
	StandingGrants(q StandingQuery) ([]Standing, error)
	// HeldCalls counts what became of the newest calls, at most so many, that were
	// submitted since a time, by agent and function; what was held, since another. Groups of
	// which none was held are left out, and so are those beyond the limit.
	HeldCalls(since, lately time.Time, calls, groups int) ([]HeldCalls, error)
	// AgentCalls counts what became of an agent's newest calls since a time, at most so many,
	// by function, those it asks most first; of one function where one is named.
	AgentCalls(agent, function string, since time.Time, calls, functions int) ([]AgentCalls, error)
	// SessionCounts counts what became of the newest calls, at most so many, of a session.
	SessionCounts(agent, session string, calls int) (SessionCounts, error)
	// SessionWrites is what those of them wrote that were allowed, newest first.
	SessionWrites(agent, session string, calls int) ([]CallWrites, error)
	// SessionTotal is what the evaluations of a session come to; of none its zero value.
	SessionTotal(agent, session string) (SessionTotal, error)
	// SessionsAbove are those whose score was above what the policy accepts at their last
	// evaluation, if that came since then, the latest first.
	SessionsAbove(since time.Time, limit int) ([]SessionTotal, error)
	// SessionDays are the days of a session, the latest first, without the evaluations of
	// these requests (at most 500).
	SessionDays(agent, session string, without []string, limit int) ([]SessionDay, error)
	// Evaluations lists the records that are kept.
	Evaluations(q EvaluationQuery) ([]Evaluation, error)
	// Unrolled is the stretch of the trail, at most so many events long, that comes
	// after what the rollups count.
	Unrolled(limit int) (Unrolled, error)
	// RolledUp is how many events the rollups count, and how many there are.
	RolledUp() (counted, size int64, err error)
	// Rollups lists what was counted.
	Rollups(q RollupQuery) ([]Rollup, error)
	// SessionRollups lists the sessions in which something ended last then, the latest
	// first.
	SessionRollups(q SessionRollupQuery) ([]SessionRollup, error)
	// Occurrences lists what the trail tells, the latest first, without the approvals.
	Occurrences(q OccurrenceQuery) ([]Occurrence, error)
	// WithApprovals gives them with their approvals, where those count: all but submissions.
	WithApprovals(all []Occurrence) ([]Occurrence, error)
}

// Writer also changes. Every method is conditional on what it says, so that a
// lost race is a fault and never a second effect.
type Writer interface {
	Reader
	// GrantTold is what the log says of the grant of an approval that is not over: that it
	// was approved, spent and made void, oldest first.
	GrantTold(approval string) ([]audit.Event, error)
	// StillOpen are the approvals that the log knows as pending, or with a grant that may be
	// unspent. It doesn't go by the clock.
	StillOpen() ([]string, error)
	// Open is how many of them aren't spent. Some whose grant has expired are among them.
	Open() (int, error)
	// Mismatch says what the tables have otherwise than the log of a pending approval, of how
	// it was read, or of who may decide it for its agent; "" where they agree.
	Mismatch(approval, agent string) (problem string, err error)
	// AgentMismatch is Mismatch for an agent, its keys, and whether it may act.
	AgentMismatch(agent string) (problem string, err error)
	// CallMismatch is Mismatch for what lets a call through without a person.
	CallMismatch(g ReadSet) (problem string, err error)
	// StandingMismatch is Mismatch for a standing grant.
	StandingMismatch(id string) (problem string, err error)
	// Create stores a new approval, pending or already final, with its decision and grant.
	// key and bodyHash may be empty. fault.AlreadyExists when the agent used the key before.
	Create(a Approval, key, bodyHash string) error
	// Decide writes the terminal state of a: Status, Version, Decision, Grant.
	// It happens only if the row is still pending with version was, and no
	// decision row exists; otherwise fault.AlreadyDecided or fault.Changed.
	// It never checks time: the caller compares ExpiresAt with Now.
	Decide(a Approval, was int64) error
	// Sign adds a signature to a pending approval with the signature's version, and
	// returns every signature of that version, oldest first. Until the transaction
	// ends nobody else signs it. fault.AlreadyExists when this person signed before,
	// otherwise fault.AlreadyDecided or fault.Changed.
	Sign(approval string, s Signature) ([]Signature, error)
	// Restate writes Assessment, Treatment, PolicyVersion and Version of a pending
	// approval that is now treated more strictly; same condition as Decide.
	Restate(a Approval, was int64) error
	// Edit writes what Restate does, and beside it the last of the edits of a, whose
	// action and digest are in force from then on; same condition as Decide.
	Edit(a Approval, was int64) error
	// Extend gives a pending approval that got no more time yet the time of e; otherwise
	// fault.AlreadyDecided or fault.Changed. It never checks time, as Decide.
	Extend(id string, e Extension) error
	// Consume marks the grant of an approval as spent at Now with this
	// idempotency key (may be empty) if it is neither spent nor void;
	// otherwise fault.AlreadyConsumed. It is a call from then on: see Calls.
	Consume(approval, key string) error
	// Void marks the grant as void at Now, if it was not spent.
	Void(approval string) error
	// Revoke is Void by a person, with the reason that the agent is told.
	Revoke(approval, reason string) error
	// Report stores what the agent says happened; once. fault.AlreadyReported. A call that
	// failed is none any more: see Calls.
	Report(approval string, e Execution) error
	// Issue stores a new challenge.
	Issue(c Challenge) error
	// Progress writes State and Questions of a challenge that is still in state was;
	// otherwise fault.Changed.
	Progress(c Challenge, was ChallengeState) error
	// Viewed remembers Now as the first view of this version by this operator,
	// unless there is one; it returns the first view either way, and whether it is new.
	Viewed(approval, person string, version int64) (at time.Time, first bool, err error)
	// ReadSection remembers Now as when this operator acknowledged a section of this
	// version, unless that is known; first says that it was not.
	ReadSection(approval, person string, version int64, section int) (first bool, err error)
	// Look notes that this person looks at an approval, at most once in LookAgain.
	Look(approval, person string) error
	// LookAway ends a look in LookGrace, unless it is renewed before.
	LookAway(approval, person string) error
	// Mention notes that somebody was mentioned in a comment, until MentionSeen.
	Mention(approval, person, by string) error
	MentionSeen(approval, person string) error
	// NoteClient writes which program submits for an agent, where it is another one.
	NoteClient(agent, client string) error
	// WaitUntil notes until when an agent waits for the answer to an approval.
	WaitUntil(approval string, until time.Time) error
	// Claim writes a claim if the one that holds is of the person was, or was is empty
	// and none holds; otherwise fault.Changed.
	Claim(c Claim, was string) error
	// Release ends the claim of this person; false when there is none that holds.
	Release(approval, person string) (bool, error)
	// Snooze puts an approval aside for a person, in place of what they said before; Wake ends that.
	Snooze(Snooze) error
	Wake(person string, approvals []string) error
	// SaveFilter writes a filter of a person, in place of that of the same list and name.
	SaveFilter(person string, f SavedFilter) error
	// DrawTexts writes the texts of requests before an id that have none, the newest first,
	// and returns where to go on; "" where nothing is left.
	DrawTexts(before string, limit int) (next string, err error)
	// ForgetFilter deletes a filter of a person, if it is there.
	ForgetFilter(person string, of List, name string) error
	// CreateStanding stores a new standing grant.
	CreateStanding(g Standing) error
	// UseStanding takes one use at Now if there is one left, it is not revoked and has
	// not ended, and returns how many are left; otherwise fault.Changed.
	UseStanding(id string) (left int, err error)
	// RevokeStanding marks it as revoked at Now, once; otherwise fault.Changed.
	RevokeStanding(id string, by Decider, reason string) error
	// AddTrust counts what was decided at that time, unless trust was lost since, and
	// says whether it did.
	AddTrust(agent, function string, d trust.Day, decided time.Time) (counted bool, err error)
	// LoseTrust forgets all that is known of an agent, and keeps why. It returns when:
	// at Now or later.
	LoseTrust(agent string, l trust.Loss) (at time.Time, err error)
	// KeepDenial keeps d (its Approval, Level, and by how much Asked grows) in place of what
	// is kept of acts that are alike in these ways, and returns it as it is kept: where
	// that was decided after a time, its level stays the highest and its asking counts on.
	KeepDenial(agent string, like []string, d Denial, after time.Time) (Denial, error)
	// AskAgain counts that an act was asked for that is like what was denied or blocked.
	AskAgain(agent string, like []string) error
	// ForgetDenials ends the denials and blocks that an act is like in one of these ways,
	// and returns in which ways acts were like them.
	ForgetDenials(agent string, like []string) (forgotten []string, err error)
	// KeepFiles writes what is remembered of these files of an agent. Beyond
	// workspace.MaxFiles nothing is kept, and the memory is full for good.
	KeepFiles(agent string, rows []FileMemory) error
	// KeepEvaluation stores the record of one. But for a dry run it counts it in its
	// session, which waits until the transaction ends, and returns what that comes to now.
	KeepEvaluation(e Evaluation) (SessionTotal, error)
	// MarkSession writes whether a session is above, since when, and who acknowledged it.
	MarkSession(s SessionTotal) error
	// ForgetEvaluations deletes records, and totals of sessions of which the last
	// evaluation was, before that time, limit of each at most, and says how many. Nothing
	// else is deleted.
	ForgetEvaluations(before time.Time, limit int) (int, error)
	// RollUp adds a batch to the rollups if they count exactly what comes before it;
	// otherwise fault.Changed.
	RollUp(b RollupBatch) error
	// ForgetRollups deletes rollups of days, and of sessions that ended, before that
	// time, limit of each at most, and says how many. Nothing else is deleted.
	ForgetRollups(before time.Time, limit int) (int, error)
	// Append writes audit events at the end of the tenant's log, in this
	// transaction. It gives each its index and time (Now). What an agent did while
	// it was stopped is refused with fault.AgentsStopped, so the whole transaction is.
	Append(events ...audit.Event) error
}

// Filter chooses approvals. Its zero value means "all of this tenant, newest
// first, at most 50"; a zero field never narrows and never widens another one.
type Filter struct {
	Agent    string // agent id
	Session  string
	Statuses []Status
	Function string // exact
	Digest   string // exact, of what was submitted: identical actions
	Revises  string // exact: what answers this one
	Held     HeldFilter
	// Before continues a listing: the id of the last approval of the page before.
	Before string
	// DueBefore keeps only approvals that expire at or before this time.
	DueBefore time.Time
	Limit     int // 1–2,000
}

// LineQuery chooses lines of what is pending.
type LineQuery struct {
	Levels []level.Level // none: every one
	After  *Place        // only what stands behind it; nil: all
	Limit  int           // 1–2,000
}

// Publisher is told, after the commit, that an approval changed. It is a hint:
// losing one costs nothing but time.
type Publisher interface {
	Publish(tenant, id string)
}

// Signer signs grants, and knows its own.
type Signer interface {
	// Sign returns the compact JWS over the claims.
	Sign(claims GrantClaims) (string, error)
	// Verify returns the claims of a token that a published key signed. ErrUnknownKey.
	Verify(token string) (GrantClaims, error)
}
