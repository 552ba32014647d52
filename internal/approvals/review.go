package approvals

import (
	"context"
	"slices"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/quiz"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/fivefactor"
	"github.com/countersign/countersign/internal/tenants"
)

// What people see.

// Stage is what the decision area of a request shows this person.
type Stage string

const (
	StageReading     Stage = "reading"      // may decide; a quiz was not started, or another challenge is open
	StageAsking      Stage = "asking"       // answering questions: everything else is out of sight
	StagePassed      Stage = "passed"       // the quiz was passed; approve is open
	StageLocked      Stage = "locked"       // two failed attempts; may still refuse
	StageBlinded     Stage = "blinded"      // something else than who they are keeps them from approving; may refuse
	StageSigned      Stage = "signed"       // approved it, and waits for others to; may still refuse
	StageNotEligible Stage = "not-eligible" // an operator, but not for this one
	StageObserving   Stage = "observing"    // may read, is no operator
	StageFinal       Stage = "final"        // decided
	StageOverdue     Stage = "overdue"      // its time is over, the sweeper has not been there yet
)

// Review is one approval as one person sees it now.
type Review struct {
	Approval
	Action        scoring.Action
	about         *Subject
	Now           time.Time
	Stage         Stage
	Why           fault.Text    // StageNotEligible and StageObserving: why
	Eligible      []string      // names of the others who may decide
	SinglePerson  bool          // nobody else is eligible, so this person may
	MostExtension time.Duration // by how much they may extend its time; 0: not at all
	LastSnooze    time.Time     // until when they may put it aside; zero: not at all
	MayAsk        bool          // they may ask the agent
	Mentionable   []Assignee    // whom a comment can mention
	MayClaim      bool          // they may say that they are on it, and somebody else is there to be told
	Assignees     []Assignee    // whom they may ask to decide it in their place
	// Kind is the challenge that this operator gets, which can be stricter than the treatment's.
	Kind      scoring.ChallengeKind
	Challenge Challenge // the open or passed one; zero where none is needed or the quiz was not started
	Asking    *Asking   // StageAsking only
	Attempt   int       // the number of the next quiz attempt, 1-based
	// Sealed: score, factors and past approvals stay hidden until the quiz is passed.
	Sealed bool
	// SignInAgain: the sign-in is too old for this confirmation, which is refused until there is a newer one.
	SignInAgain bool
	// FreshSignIn is how young it must be, in minutes; 0: any will do.
	FreshSignIn      int
	Reading          Reading
	SectionsRead     map[int]time.Time // when this operator acknowledged which sections of this version
	EarliestApproval time.Time         // before it, an approval is refused as too early
	Confirmation     Confirmation
	SessionTrail     []Approval // of the same session, oldest first, at most 50; this one included
	Coverable        bool       // this person may allow calls like this one ahead
	Lowerable        bool       // an entry of the function registry could let calls like this one through
	MayNext          bool       // and with the decision, the next ones like it in its session
	NextScope        *Scope     // what that would cover in a workspace; nil elsewhere
	Chain            []Approval // of revisions, oldest first, at most 20, this one included; nil without any
	LastApproved     *Approval  // the last approved call of this agent and function that does the same; of a decided one, the last before it
	NewerRequest     *Approval  // the newest one for the same target, of one that waits or was ended by it; nil for none
	OlderRequest     *Approval  // the last one before it for the same target that waits, too; nil for none
	Denied           *Approval  // the request whose denial or block holds this one; nil for none
	MayEdit          bool       // this person may edit the arguments now
	Identical        []string   // ids of the others that wait and are the same act of the same agent, oldest first
	Twins            []Twin     // those of them for which this person's decision can stand too
	NoteRequired     bool       // approving this needs a note
	PolicyVersionNow int64
	LookDue          bool                  // that this person looks at it is to be noted
	Thresholds       fivefactor.Thresholds // of PolicyVersionNow
}

// Subject is that of the approval, which is read once for its page.
func (v Review) Subject() Subject {
	if v.about == nil {
		return v.Approval.Subject()
	}
	return *v.about
}

// Unread are the sections that this operator has yet to acknowledge before an
// approval, in order.
func (v Review) Unread() []int { return v.Reading.unread(v.SectionsRead) }

// Asking is the question to answer now.
type Asking struct {
	Number, Of int
	Prompt     string
	Options    []quiz.Option
}

// MaxAttempts is how many quiz attempts an operator has for one approval.
const MaxAttempts = maxAttempts

// ChallengeLife is how long a challenge can be answered.
const ChallengeLife = challengeLife

func may(m auth.Member, p auth.Permission) error {
	if !m.May(p) {
		return fault.New(fault.Denied, "your roles in %s don't allow this; an admin can change them", m.Tenant)
	}
	return nil
}

// writeFor is the door for what a member does beside deciding. Who decides is asked
// more (eligible), and told more when they may not.
func (s *Service) writeFor(ctx context.Context, m auth.Member, p auth.Permission, fn func(w Writer) error) error {
	if err := may(m, p); err != nil {
		return err
	}
	return s.store.Write(ctx, m.Tenant, func(w Writer) error {
		if _, err := tenants.Presently(w, m, p); err != nil {
			return err
		}
		return fn(w)
	})
}

// MaxIdentical bounds how many identical requests are counted.
const MaxIdentical = 99

// Identical lists the requests that wait and are the same act of the same agent as
// a (the same digest), a itself included while it waits: oldest first, at most 99.
// None of them is hidden by that or decided with another one.
func (s *Service) Identical(ctx context.Context, m auth.Member, a Approval) (ids []string, err error) {
	if err := may(m, auth.ReadQueue); err != nil {
		return nil, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) (err error) {
		ids, err = identical(r, a)
		return err
	})
	return ids, err
}

func identical(r Reader, a Approval) ([]string, error) {
	all, err := r.WaitingDuplicates(a.act(), MaxIdentical)
	ids := make([]string, 0, len(all))
	for _, one := range all {
		ids = append(ids, one.ID)
	}
	if a.Proposed != nil && !a.Status.Final() && !slices.Contains(ids, a.ID) { // found by what was submitted, which was another act
		ids = append(ids, a.ID)
		slices.Sort(ids)
	}
	return ids, err
}

// Show is the request page. The first time an operator opens a version is
// written down, because the minimum review time counts from it, and so is the
// challenge that the page carries; otherwise nothing is written.
func (s *Service) Show(ctx context.Context, m auth.Member, id string) (Review, error) {
	if err := may(m, auth.ReadQueue); err != nil {
		return Review{}, err
	}
	var v Review
	var write bool
	err := s.store.Read(ctx, m.Tenant, func(r Reader) (err error) {
		v, write, err = s.review(r, m, id)
		return err
	})
	if err != nil || !write {
		return v, err
	}
	err = s.store.Write(ctx, m.Tenant, func(w Writer) error {
		if err := s.prepare(w, m, id); err != nil {
			return err
		}
		v, _, err = s.review(w, m, id)
		return err
	})
	if fault.Is(err, fault.GrantUnproven) { // nothing is written, so nobody begins to read
		v.Stage, v.Why, err = StageBlinded, fault.Textf("the audit trail isn't what was signed, so no one can approve this"), nil
	}
	return v, err
}

// prepare writes the first view and issues the challenge, where they are missing.
func (s *Service) prepare(w Writer, m auth.Member, id string) error {
	v, write, err := s.review(w, m, id)
	if err != nil || !write {
		return err
	}
	_, first, err := w.Viewed(v.ID, m.Person.ID, v.Version)
	if err != nil {
		return err
	}
	if first {
		if err := w.Append(v.event(audit.Viewed, personActor(m), member("version", canon.Int(v.Version)), member("shown_digest", canon.String(v.ShownDigest)))); err != nil {
			return err
		}
	}
	if v.Kind != scoring.ChallengeQuiz && v.Challenge.ID == "" {
		_, err = s.issue(w, m, v.Approval, v.Kind, 1, nil)
	}
	return err
}

// review reads what one person sees of one approval. write says that the first
// view or the challenge still has to be written.
func (s *Service) review(r Reader, m auth.Member, id string) (v Review, write bool, err error) {
	if err = r.ReviewAhead(id); err != nil {
		return v, false, err
	}
	if v.Approval, err = r.Approval(id); err != nil {
		return v, false, err
	}
	if v.Action, err = v.Parsed(); err != nil {
		return v, false, err
	}
	about := v.subject(v.Action)
	v.about = &about
	if v.Questions, v.Comments, err = r.Talk(id); err != nil {
		return v, false, err
	}
	if err = r.AroundAhead(v.Approval, v.listsBeside()...); err != nil {
		return v, false, err
	}
	if v.LookDue, err = lookDue(r, m, v.Approval); err != nil {
		return v, false, err
	}
	v.Now, v.Reading = r.Now(), v.Approval.Reading(v.Action)
	policy, version, err := r.Policy()
	if err != nil {
		return v, false, err
	}
	v.PolicyVersionNow, v.Thresholds = version, policy.Thresholds
	if v.Approval, err = v.timed(r); err != nil {
		return v, false, err
	}
	if err := v.surroundings(r, m.Person.ID); err != nil {
		return v, false, err
	}
	who, err := v.eligibleNow(r, m)
	if err != nil {
		return v, false, err
	}
	v.Approval = v.judged(who.circle)
	for _, p := range who.state.Members() {
		if p.ID != m.Person.ID {
			v.Mentionable = append(v.Mentionable, Assignee{p.ID, p.Name})
		}
	}
	v.Eligible, v.Why, v.SinglePerson = who.others, who.why, who.singlePerson
	v.MayClaim = who.mayClaim() && v.open(v.Now) == nil
	if last, ok := lastSnooze(v.Approval, policy, v.Now); ok {
		v.LastSnooze = last
	}
	if v.open(v.Now) == nil {
		v.MayAsk = who.mayRefuse
		if v.MostExtension, err = s.offerExtension(r, v.Approval, who); err != nil {
			return v, false, err
		}
		if v.Assignees, err = who.assignees(r, v.Approval); err != nil {
			return v, false, err
		}
	}
	v.Coverable = who.may && v.uncoverable().Empty()
	v.Lowerable = v.unlowerable().Empty()
	if v.MayNext = who.may && v.noNext(v.Action).Empty(); v.MayNext && v.inWorkspace() {
		v.NextScope, _ = v.Approval.Scope(v.Action)
	}
	v.Confirmation = v.confirmation(about)
	switch {
	case v.Status.Final():
		v.Stage, v.Why = StageFinal, fault.Text{}
		return v, false, nil
	case !v.Now.Before(v.ExpiresAt):
		v.Stage = StageOverdue
		return v, false, nil
	case !m.May(auth.Refuse):
		v.Stage = StageObserving
		return v, false, nil
	case v.signedBy(m.Person.ID) != nil && !who.may:
		v.Stage = StageSigned
		return v, false, nil
	case who.blinded:
		v.Stage, v.Sealed = StageBlinded, who.challenge == scoring.ChallengeQuiz
		return v, false, nil
	case !who.may:
		v.Stage = StageNotEligible
		return v, false, nil
	}
	return s.deciding(r, m, v, who, policy)
}

// deciding completes the review of somebody who may decide.
func (s *Service) deciding(r Reader, m auth.Member, v Review, who eligibility, policy scoring.Policy) (Review, bool, error) {
	kind := who.challenge
	v.Kind, v.Stage, v.NoteRequired = kind, StageReading, policy.NoteRequired.At(v.Assessment.Level)
	v.SignInAgain = kind == scoring.ChallengeExplicit && stale(policy, m, v.Approval, v.Now)
	v.FreshSignIn = freshMinutes(policy, v.Approval)
	failed, err := failures(r, m, v.Approval)
	if err != nil {
		return v, false, err
	}
	v.Attempt = failed + 1
	viewed, seen, err := r.FirstView(v.ID, m.Person.ID, v.Version)
	if err != nil {
		return v, false, err
	}
	if !seen {
		viewed = v.Now
	}
	if v.Reading.Large() {
		if v.SectionsRead, err = r.SectionsRead(v.ID, m.Person.ID, v.Version); err != nil {
			return v, false, err
		}
	}
	v.EarliestApproval = viewed.Add(reviewTime(policy, v.Approval))
	c, err := r.LatestChallenge(v.ID, m.Person.ID)
	if err != nil && !fault.Is(err, fault.Missing) {
		return v, false, err
	}
	v.take(c, m.Person.ID, failed)
	v.MayEdit = v.Stage != StageAsking && v.Stage != StageLocked && v.editable(m, who.own, policy) == nil
	return v, !seen || (kind != scoring.ChallengeQuiz && v.Challenge.ID == ""), nil
}

// take sets the stage from the newest challenge of this operator.
func (v *Review) take(c Challenge, person string, failed int) {
	if v.Kind != scoring.ChallengeQuiz {
		if c.valid(v.Approval, person, v.Kind, ChallengeOpen, v.Now) {
			v.Challenge = c
		}
		return
	}
	v.Sealed = true
	switch {
	case c.valid(v.Approval, person, v.Kind, ChallengePassed, v.Now):
		v.Challenge, v.Stage, v.Sealed = c, StagePassed, false
	case failed >= maxAttempts:
		v.Stage = StageLocked
	case c.valid(v.Approval, person, v.Kind, ChallengeOpen, v.Now) && len(c.Questions[c.next()-1].Options) > 0: // in older sets one was typed
		v.Challenge, v.Stage = c, StageAsking
		n := c.next()
		q := c.Questions[n-1]
		v.Asking = &Asking{Number: n, Of: len(c.Questions), Prompt: q.Prompt, Options: q.Options}
		v.Needed, v.NoOne = nil, fault.Text{} // a team can tell where the call runs
	}
}

// SessionTrail bounds the timeline of a session.
const SessionTrail = 50

// surroundings reads what stands beside an approval: its session, and the last
// approved call of the same function by the same agent.
func (v *Review) surroundings(r Reader, person string) error {
	if err := v.session(r); err != nil {
		return err
	}
	var err error
	if v.Chain, err = revisions(r, v.Approval); err != nil {
		return err
	}
	same, err := r.WaitingDuplicates(v.act(), MaxIdentical)
	if err != nil {
		return err
	}
	v.alike(same, person)
	if v.Approval, err = v.withNewer(r); err != nil {
		return err
	}
	if v.Newer != "" {
		newer, err := r.Approval(v.Newer)
		if err != nil {
			return err
		}
		v.NewerRequest = &newer
	}
	if v.OlderRequest, err = v.older(r, v.Subject()); err != nil {
		return err
	}
	if held := v.Assessment.Remembered; held != nil {
		denied, err := r.Approval(held.Approval)
		if err != nil {
			return err
		}
		v.Denied = &denied
	}
	if v.Function == "" { // content, not a call
		return nil
	}
	last, err := r.Approvals(v.approvedLike())
	if err != nil {
		return err
	}
	for _, a := range last {
		if a.ID != v.ID && !a.Void() && sameDeed(a.Assessment, v.Assessment) {
			v.LastApproved = &a
			break
		}
	}
	return nil
}

// listsBeside are those that its page shows of others.
func (a Approval) listsBeside() (all []Filter) {
	if a.Session != "" {
		all = append(all, a.inSession())
	}
	if a.Function != "" { // else it is content, not a call
		all = append(all, a.approvedLike())
	}
	return all
}

// approvedLike are the last approved calls of its function.
func (a Approval) approvedLike() Filter {
	f := Filter{Agent: a.Agent.ID, Function: a.Function, Statuses: []Status{Approved}, Limit: MaxCompared}
	if a.Status.Final() {
		f.Before = a.ID
	}
	return f
}

// inSession are the newest requests of its session.
func (a Approval) inSession() Filter {
	return Filter{Agent: a.Agent.ID, Session: a.Session, Limit: SessionTrail}
}

// MaxCompared is among how many of the last approved calls of a function one is looked for
// that does the same. Further back nobody remembers it.
const MaxCompared = 10

// sameDeed reports whether two calls do the same sort of thing: a function that runs SQL may
// count rows once and drop their table the next time, and what differs there says nothing.
func sameDeed(a, b scoring.Assessment) bool {
	if len(a.Effects) == 0 || len(b.Effects) == 0 {
		return len(a.Effects) == len(b.Effects)
	}
	return a.Effects[0].Kind == b.Effects[0].Kind && a.Effects[0].Verb == b.Effects[0].Verb
}

// session reads what else the session did: its newest requests, or, where this one is
// older than those, it and what came before it.
func (v *Review) session(r Reader) error {
	if v.Session == "" {
		return nil
	}
	f := v.inSession()
	newest, err := r.Approvals(f)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(newest, func(a Approval) bool { return a.ID == v.ID }) {
		f.Before, f.Limit = v.ID, SessionTrail-1
		if newest, err = r.Approvals(f); err != nil {
			return err
		}
		newest = slices.Insert(newest, 0, v.Approval)
	}
	slices.Reverse(newest)
	v.SessionTrail = newest
	return nil
}
