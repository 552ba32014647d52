package approvals

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// Editing before approving: an operator changes the arguments of what waits, where
// the policy allows it. What the agent proposed is kept for good; what comes of it
// is a new version, scored again, which nobody has read, signed or been asked about
// yet. Nothing that an operator types is treated less strictly than the proposal.

// Proposal is what an agent sent.
type Proposal struct {
	Action              []byte // canonical, masked: see Approval.Action
	Digest, ShownDigest string
}

// Edit is what one operator made of an action.
type Edit struct {
	Version      int64 // of the approval, which it made
	Person, Name string
	At           time.Time
	Action       []byte // canonical; nothing in it is masked, so its digest is also the shown one
	Digest       string
}

// Proposal is what the agent sent, edited since or not.
func (a Approval) Proposal() Proposal {
	if a.Proposed != nil {
		return *a.Proposed
	}
	return Proposal{Action: a.Action, Digest: a.Digest, ShownDigest: a.ShownDigest}
}

// Apply puts an edit in force. The store calls it, in the order of the versions.
func (a *Approval) Apply(e Edit) {
	proposed := a.Proposal()
	a.Proposed, a.Edits = &proposed, append(slices.Clip(a.Edits), e)
	a.Action, a.Digest, a.ShownDigest, a.Carried = e.Action, e.Digest, e.Digest, nil
}

// edit is the action with other arguments. Everything that belonged to the version
// before is void.
func (a Approval) edit(e Edit, as scoring.Assessment, policy int64) (Approval, error) {
	if err := a.open(e.At); err != nil {
		return a, err
	}
	a.Version++
	e.Version = a.Version
	a.Apply(e)
	a.Assessment, a.Treatment, a.PolicyVersion, a.Signatures = as, as.Treatment, policy, nil
	return a, nil
}

// EditInput is the form of an edit.
type EditInput struct {
	Arguments string // JSON, an object or an array
	Digest    string // the shown digest, as the operator saw it
	Version   int64  // of the approval, as the operator saw it
}

// noEdit is for what can be decided but not edited.
func noEdit(format string, args ...any) error {
	return fault.New(fault.NotEditable, format, args...)
}

// editable says why the arguments of a cannot be edited by this operator, or nil. own are
// the people whose agent asks.
func (a Approval) editable(m auth.Member, own []string, p scoring.Policy) error {
	switch {
	case slices.Contains(own, m.Person.ID):
		return fault.New(fault.NotEligible, "you own the agent %s or one of its keys, so you can't edit its requests; request changes instead", a.Agent.Name)
	case !p.EditBeforeApprove.At(a.Assessment.Level):
		return noEdit("the policy doesn't let operators edit at %s; request changes instead", a.Assessment.Level)
	case a.Assessment.Patterns.LifecyclePoint != scoring.PreToolCall:
		return noEdit("this isn't a call, so it has no arguments to edit")
	case len(a.Carried) > 0 || a.Digest != a.ShownDigest:
		return noEdit("something in it is masked, and an edit would put the mask in place of the value; request changes instead")
	}
	return nil
}

// Edit replaces the arguments of a pending approval and returns its new version.
// Somebody who edits may approve afterwards, after reading and passing the challenge
// of the new version as anybody else.
func (s *Service) Edit(ctx context.Context, m auth.Member, id string, in EditInput) (Approval, error) {
	var done Approval
	err := s.store.Write(ctx, m.Tenant, func(w Writer) (err error) {
		done, err = s.edit(w, m, id, in)
		return err
	})
	if err != nil {
		return Approval{}, err
	}
	s.changed(done)
	return done, nil
}

func (s *Service) edit(w Writer, m auth.Member, id string, in EditInput) (Approval, error) {
	a, who, err := s.operating(w, m, id)
	if err != nil {
		return a, err
	}
	if in.Digest != a.ShownDigest || in.Version != a.Version {
		return a, errChanged(a)
	}
	p, version, err := w.Policy()
	if err != nil {
		return a, err
	}
	if err := s.mayEdit(w, m, a, who, p); err != nil {
		return a, err
	}
	action, err := a.withArguments(in.Arguments)
	if err != nil {
		return a, err
	}
	c, err := s.policies.compiled(a.Tenant, version, p)
	if err != nil {
		return a, err
	}
	given, err := a.inputs(w)
	if err != nil {
		return a, err
	}
	from := s.now()
	exam, err := remembering(w, c.Examine(action, nil), given, a.Agent.ID, a.ID)
	if err != nil {
		return a, err
	}
	as, err := edited(exam, a)
	if err != nil {
		return a, err
	}
	if !p.EditBeforeApprove.At(as.Level) { // else whoever may edit at a level writes what is above it, and approves it
		return a, wrongArguments("this makes it %s, and the policy doesn't let operators edit at that level", as.Level)
	}
	e := Edit{Person: m.Person.ID, Name: m.Person.Name, At: w.Now(), Action: action.Canonical(), Digest: action.Digest()}
	done, err := a.edit(e, as, version)
	if err != nil {
		return a, err
	}
	done.stampRecord(s.now().Sub(from), w.Now())
	if err := w.Edit(done, a.Version); err != nil {
		return a, err
	}
	if err := done.addFiles(w); err != nil {
		return a, err
	}
	return done, w.Append(done.editedEvent(a.Digest))
}

func errChanged(a Approval) error {
	return fault.New(fault.Changed, "this request has changed since you opened it (now version %s); read it again", strconv.FormatInt(a.Version, 10))
}

// mayEdit is editable, and not for somebody whose attempts are used up: whoever did
// not understand it does not write it.
func (s *Service) mayEdit(r Reader, m auth.Member, a Approval, who eligibility, p scoring.Policy) error {
	if err := a.editable(m, who.own, p); err != nil {
		return err
	}
	if who.challenge != scoring.ChallengeQuiz {
		return nil
	}
	failed, err := failures(r, m, a)
	if err == nil && failed >= maxAttempts {
		return lockedOut()
	}
	return err
}

// wrongArguments is about the one field of the form.
func wrongArguments(format string, args ...any) error {
	return fault.Member(fault.InvalidForm, "arguments", format, args...)
}

// withArguments is the action of a with what was typed, through the same gate as
// what agents send.
func (a Approval) withArguments(typed string) (scoring.Action, error) {
	if strings.TrimSpace(typed) == "" {
		return scoring.Action{}, wrongArguments("the arguments are empty; write {} for none")
	}
	tree, err := canon.Parse([]byte(typed))
	if err != nil {
		return scoring.Action{}, wrongArguments("this isn't strict JSON: %s", fault.As(err).Text())
	}
	if k := tree.Kind(); k != canon.KindObject && k != canon.KindArray {
		return scoring.Action{}, wrongArguments("this is a JSON %s; arguments are an object or an array", k)
	}
	now, err := a.Parsed()
	if err != nil {
		return now, err
	}
	action, err := now.WithArguments(tree)
	if err != nil {
		return action, wrongArguments("with these arguments the action isn't acceptable: %s", fault.As(err).Text())
	}
	if mask := "[REDACTED:"; strings.Count(string(action.Canonical()), mask) > strings.Count(string(now.Canonical()), mask) {
		return action, wrongArguments("this contains a secret or a masked one; enter it without secrets")
	}
	if action.Digest() == a.Digest {
		return action, wrongArguments("nothing would change: these are the current arguments")
	}
	return action, nil
}

// edited is what scoring says about an edited action: never less than about what is
// held. What the policy blocks or would have to mask is no edit.
func edited(exam scoring.Examination, a Approval) (scoring.Assessment, error) {
	if err := exam.Unnamable(); err != nil {
		return scoring.Assessment{}, wrongArguments("%s", fault.As(err).Text())
	}
	as := exam.Assess(a.CallNumber)
	if as.Treatment.Blocked() {
		return as, wrongArguments("the policy blocks this: %s", as.Explanation)
	}
	if _, carried, _ := exam.Mask(as); len(carried) > 0 {
		return as, wrongArguments("this contains something that gets masked (%s); secrets can't be entered here", carried[0].ID)
	}
	as.Trust = nil // what somebody else wrote is not the agent's record to speak for
	return as.HeldAs(a.Treatment), nil
}

// editedEvent carries the digests before and after, and the sum of the bytes, so
// that a change of the stored edit shows.
func (a Approval) editedEvent(was string) audit.Event {
	e := a.Edits[len(a.Edits)-1]
	sum := sha256.Sum256(e.Action)
	return a.event(audit.Edited, audit.Actor{Kind: "person", ID: e.Person},
		member("version", canon.Int(e.Version)),
		member("was_digest", canon.String(was)),
		member("digest", canon.String(e.Digest)),
		member("proposed_digest", canon.String(a.Proposal().Digest)),
		member("action_sha256", canon.String(hex.EncodeToString(sum[:]))),
		member("treatment", a.treatmentData()),
		member("assessment_sha256", kept(a.Assessment)),
		member("treatment_sha256", kept(a.Treatment)),
	)
}
