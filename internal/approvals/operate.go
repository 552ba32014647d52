package approvals

import (
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
)

// How an operator decides.

// DecideInput is the decide form.
type DecideInput struct {
	Verdict      Verdict
	Reason       string // 1–2,000 characters; to approve, where the policy asks for a note
	Digest       string // the shown digest, as the operator saw it
	Version      int64  // of the approval, as the operator saw it
	Challenge    string // id; approve only
	Target       string // explicit confirmation only: what was typed
	Consequences []int  // explicit confirmation only: the 1-based numbers that were ticked
	// Also are identical approvals for which this approval stands; see DecideAlike.
	Also []Twin
	// Next allows so many calls like it ahead, in its session; approve only. 0 is none.
	Next  int
	batch string // of a denial in one go; see DenyAll
}

func (in DecideInput) ticked(n int) bool { return slices.Contains(in.Consequences, n) }

// maxReason bounds a reason, in characters.
const maxReason = 2000

// reasonOf is a reason as it is kept and told: without secrets.
func reasonOf(typed string) string { return scoring.MaskText(strings.TrimSpace(typed)) }

// saysSomething reports whether a reason of at most maxReason characters can be read: blank and
// invisible characters alone say nothing.
func saysSomething(reason string) bool {
	return utf8.RuneCountInString(strings.TrimSpace(reason)) <= maxReason && visible(reason)
}

// visible reports whether a text can be read.
func visible(text string) bool {
	return utf8.ValidString(text) && strings.ContainsFunc(text, func(r rune) bool {
		return unicode.IsGraphic(r) && !unicode.IsSpace(r) && r != brailleBlank && !unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r)
	})
}

// brailleBlank is a symbol to Unicode, and empty.
const brailleBlank = '\u2800'

// check refuses a form that can never work, before anything is read.
func (in DecideInput) check() error {
	if in.Next < 0 || in.Next > MaxNext || in.Next > 0 && in.Verdict != VerdictApprove {
		return fault.Member(fault.InvalidForm, "next", "approve the next 1 to %d like it, or leave it empty", MaxNext)
	}
	switch in.Verdict {
	case VerdictApprove:
		if strings.TrimSpace(in.Reason) != "" && !saysSomething(in.Reason) {
			return fault.Member(fault.InvalidForm, "reason", "enter a note of 1 to %d characters, or none; the agent receives it", maxReason)
		}
		return nil
	case VerdictDeny, VerdictRequestChanges:
	default:
		return fault.Member(fault.InvalidForm, "verdict", "the verdict is one of approve, deny, request_changes")
	}
	if !saysSomething(in.Reason) {
		return fault.Member(fault.InvalidForm, "reason", "enter a reason of 1 to %d characters; the agent receives it", maxReason)
	}
	return nil
}

// Decide gives the one verdict of an approval, or says why it cannot. On
// fault.StricterNow the approval has a new version: show it again.
func (s *Service) Decide(ctx context.Context, m auth.Member, id string, in DecideInput) (Approval, error) {
	if err := in.check(); err != nil {
		return Approval{}, err
	}
	var done Approval
	var moved fault.Text
	write := s.store.Write
	if in.Verdict != VerdictApprove {
		write = s.store.SayNo
	}
	err := write(ctx, m.Tenant, func(w Writer) (err error) {
		done, moved, err = s.decide(w, m, id, in)
		return err
	})
	if err != nil {
		return Approval{}, err
	}
	s.changed(done)
	if !moved.Empty() {
		return done, fault.New(fault.StricterNow, "%s: this action now needs stricter review, so your decision wasn't recorded; read it again", moved)
	}
	return done, nil
}

// decidable is open for people, and for agents that take something back: an
// approval that the sweeper expired is too late in the same words as one that it
// has yet to reach.
func (a Approval) decidable(now time.Time) error {
	if a.Status == Expired {
		a.Status, now = Pending, a.ExpiresAt
	}
	return a.open(now)
}

// decide is Decide inside its transaction. moved is why the action is treated more strictly
// now, and no error: what that changed must be committed.
func (s *Service) decide(w Writer, m auth.Member, id string, in DecideInput) (done Approval, moved fault.Text, err error) {
	a, err := w.Approval(id)
	if err != nil {
		return a, moved, err
	}
	if err := a.decidable(w.Now()); err != nil {
		return a, moved, err
	}
	if in.Verdict != VerdictApprove && in.Digest == "" {
		// While questions are asked the page says no digest, which an option could be held
		// against. The challenge was issued for it.
		c, err := w.LatestChallenge(a.ID, m.Person.ID)
		if err != nil && !fault.Is(err, fault.Missing) {
			return a, moved, err
		}
		if c.Kind == scoring.ChallengeQuiz {
			in.Digest = c.Digest
		}
	}
	if in.Digest != a.ShownDigest || in.Version != a.Version {
		return a, moved, errChanged(a)
	}
	who, err := a.eligibleNow(w, m)
	if err != nil {
		return a, moved, err
	}
	if in.Verdict != VerdictApprove && who.mayRefuse {
		done, err = s.refuse(w, m, a, in)
		return done, moved, err
	}
	if !who.may {
		return a, moved, who.refusal()
	}
	if err := s.held(w, a); err != nil {
		return a, moved, err
	}
	as, t, policy, err := s.reassess(w, a)
	if err != nil {
		return a, moved, err
	}
	if t.StricterThan(a.Treatment) {
		done, err = s.restate(w, a, as, t, policy)
		return done, a.moved(as, policy), err
	}
	if done, err = s.approve(w, m, a, who, in); err == nil && in.Next > 0 {
		err = s.allowNext(w, m, done, who, in.Next)
	}
	return done, moved, err
}

func decider(m auth.Member) Decider {
	return Decider{Kind: ByPerson, ID: m.Person.ID, Name: m.Person.Name}
}

// refuse writes a deny or a request for changes. It needs no challenge and no
// reading time: saying no is always one step away.
func (s *Service) refuse(w Writer, m auth.Member, a Approval, in DecideInput) (Approval, error) {
	e, err := evidence(w, m, a)
	if err != nil {
		return a, err
	}
	e.Batch = in.batch
	done, err := a.refuse(in.Verdict, reasonOf(in.Reason), decider(m), e, w.Now())
	if err != nil {
		return a, err
	}
	if err := w.Decide(done, a.Version); err != nil {
		return a, err
	}
	learned, err := s.ended(w, done)
	if err != nil {
		return a, err
	}
	return done, w.Append(done.decisionEvent(learned...))
}

// approve checks the challenge and the reading time. The last approval that is
// needed signs the grant; one before it is a signature, and a stays pending.
func (s *Service) approve(w Writer, m auth.Member, a Approval, who eligibility, in DecideInput) (Approval, error) {
	if err := s.allRead(w, m, a); err != nil {
		return a, err
	}
	if p, _, err := w.Policy(); err != nil {
		return a, err
	} else if p.NoteRequired.At(a.Assessment.Level) && strings.TrimSpace(in.Reason) == "" {
		return a, fault.Member(fault.InvalidForm, "reason", "the policy asks for a note with each approval at %s; the agent receives it", a.Assessment.Level.String())
	}
	c, kind, err := s.passed(w, m, a, who, in)
	if err != nil {
		return a, err
	}
	e, err := evidence(w, m, a)
	if err != nil {
		return a, err
	}
	e.Challenge, e.Kind, e.Attempt, e.SinglePerson = c.ID, string(kind), c.Attempt, who.singlePerson
	if err := s.longEnough(w, a, e); err != nil {
		return a, err
	}
	if kind == scoring.ChallengeExplicit {
		if err := s.freshSignIn(w, m, a); err != nil {
			return a, err
		}
		action, err := a.Parsed()
		if err != nil {
			return a, err
		}
		e.Consequences = a.confirmation(a.subject(action)).ticked(in)
		typed := said(in.Target)
		e.Target = &typed
	}
	was := c.State
	c.State = ChallengeSpent
	if err := w.Progress(c, was); err != nil {
		return a, err
	}
	return s.complete(w, m, a, who, e, reasonOf(in.Reason))
}

// complete signs, and with the last signature that is needed approves. The agent receives the
// note of the last one; the trail has all.
func (s *Service) complete(w Writer, m auth.Member, a Approval, who eligibility, e *Evidence, note string) (Approval, error) {
	a, complete, err := s.sign(w, m, a, who, *e, note)
	if err != nil || !complete {
		return a, err
	}
	done, err := a.countedOnly(who).approve(note, decider(m), e, w.Now())
	if err != nil {
		return a, err
	}
	if done, err = s.grant(w, done); err != nil {
		return a, err
	}
	if err := w.Decide(done, a.Version); err != nil {
		return a, err
	}
	learned, err := s.ended(w, done)
	if err != nil {
		return a, err
	}
	return done, w.Append(done.decisionEvent(learned...))
}

// passed returns the challenge that this decision was made with, if it was passed.
func (s *Service) passed(w Writer, m auth.Member, a Approval, who eligibility, in DecideInput) (Challenge, scoring.ChallengeKind, error) {
	kind := who.challenge
	state := ChallengeOpen
	if kind == scoring.ChallengeQuiz {
		state = ChallengePassed
	}
	c, err := w.Challenge(a.ID, in.Challenge)
	if fault.Is(err, fault.Missing) || (err == nil && !c.valid(a, m.Person.ID, kind, state, w.Now())) {
		if kind == scoring.ChallengeQuiz {
			return c, kind, fault.New(fault.ChallengeRequired, "answer the three questions first; answers are valid for five minutes")
		}
		return c, kind, errRenew()
	}
	if err != nil {
		return c, kind, err
	}
	if kind == scoring.ChallengeExplicit {
		action, err := a.Parsed()
		if err != nil {
			return c, kind, err
		}
		return c, kind, a.confirmation(a.subject(action)).check(in)
	}
	return c, kind, nil
}

// evidence begins with what is known of every decision: since when this operator
// could read.
func evidence(r Reader, m auth.Member, a Approval) (*Evidence, error) {
	at, ok, err := r.FirstView(a.ID, m.Person.ID, a.Version)
	if err != nil {
		return nil, err
	}
	e := &Evidence{}
	if ok {
		e.FirstViewedAt, e.ReviewSeconds = &at, r.Now().Sub(at).Seconds()
	}
	if e.For, err = standsIn(r, m, a); err != nil {
		return nil, err
	}
	return e, e.reviewed(r, m, a)
}

// standsIn is in whose place somebody decides: who is away, and to whom the request was assigned, or
// who was called to it. nil where it is nobody. It says so, and lets nobody decide.
func standsIn(r Reader, m auth.Member, a Approval) (*tenants.Named, error) {
	all, err := r.Absences()
	if err != nil {
		return nil, err
	}
	away := slices.DeleteFunc(tenants.AwayNow(all, r.Now()), func(a tenants.Absence) bool { return a.Deputy.ID != m.Person.ID || !a.Gone.Empty() })
	if len(away) == 0 {
		return nil, nil
	}
	held, err := holder(r, a.ID)
	if err != nil {
		return nil, err
	}
	called, err := r.StoodIn(a.ID, m.Person.ID)
	for _, id := range append([]string{held.Person}, called...) {
		if one, ok := tenants.AbsenceOf(away, id); ok {
			return &one.Person, err
		}
	}
	return nil, err
}

// longEnough holds an approval back until the minimum review time has passed.
func (s *Service) longEnough(r Reader, a Approval, e *Evidence) error {
	p, _, err := r.Policy()
	if err != nil {
		return err
	}
	least := reviewTime(p, a)
	if e.FirstViewedAt != nil && r.Now().Sub(*e.FirstViewedAt) >= least {
		return nil
	}
	if p.EarlyAnswer == scoring.EarlyFlag {
		e.Early = true
		return nil
	}
	left := least
	if e.FirstViewedAt != nil {
		left = least - r.Now().Sub(*e.FirstViewedAt)
	}
	f := fault.New(fault.TooEarly, "read it for at least %s before approving; %s to go", least, left.Round(time.Second))
	f.RetryAfter = left
	return f
}

// freshSignIn asks for a recent sign-in where the policy does: a page that was
// left open is not the person who opened it.
func (s *Service) freshSignIn(r Reader, m auth.Member, a Approval) error {
	p, _, err := r.Policy()
	if err != nil || !stale(p, m, a, r.Now()) {
		return err
	}
	return fault.New(fault.StaleSignIn, "approving this needs a sign-in from the last %d minutes; sign in again and approve it then", p.FreshSignInMinutes)
}

// freshMinutes is how young the sign-in must be of who approves: 0 for any. What asks for
// the typed target only because somebody is alone, or because no questions could be made,
// is no explicit confirmation of the policy's.
func freshMinutes(p scoring.Policy, a Approval) int {
	if a.Treatment.Challenge != scoring.ChallengeExplicit {
		return 0
	}
	return p.FreshSignInMinutes
}

// stale reports whether the member's sign-in is too old to approve this.
func stale(p scoring.Policy, m auth.Member, a Approval, now time.Time) bool {
	fresh := freshMinutes(p, a)
	return fresh > 0 && now.Sub(m.SignedInAt) > time.Duration(fresh)*time.Minute
}

// reviewTime is how long an operator must have had this level in view.
func reviewTime(p scoring.Policy, a Approval) time.Duration {
	return time.Duration(p.MinReview(a.Assessment.Level)) * time.Second
}

// restate writes the stricter treatment, as a new version or as blocked.
func (s *Service) restate(w Writer, a Approval, as scoring.Assessment, t scoring.Treatment, policy int64) (Approval, error) {
	done, err := a.restate(as, t, policy, w.Now())
	if err != nil {
		return a, err
	}
	if done.Status.Final() {
		if err := w.Decide(done, a.Version); err != nil {
			return a, err
		}
		learned, err := s.ended(w, done)
		if err != nil {
			return a, err
		}
		return done, w.Append(done.decisionEvent(learned...))
	}
	if err := w.Restate(done, a.Version); err != nil {
		return a, err
	}
	return done, w.Append(done.event(audit.Restated, audit.Actor{Kind: "policy"}, member("version", canon.Int(done.Version)), member("treatment", done.treatmentData()),
		member("assessment_sha256", kept(done.Assessment)), member("treatment_sha256", kept(done.Treatment))))
}
