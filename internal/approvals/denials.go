package approvals

import (
	"slices"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
)

// Asking again never helps: what a person denied or the policy blocked holds its like
// for as long as the policy says, or until a person approves its like. Alike are acts of
// one agent with the same digest, or with the same likeness (scoring.Action.Likeness).
//
// What holds a submission is read in the transaction that admits it, and recorded with
// its assessment: later assessments are given the same again, so that a denial of another
// act changes nothing about one that was admitted before it (docs/policy.md).

// Denial is a denial or a block that holds its like.
type Denial struct {
	Likeness string
	Approval string
	Level    level.Level // the highest of its like
	Asked    int         // how often its like was asked for, the first time included
	// Of its decision:
	Verdict Verdict
	At      time.Time
	By      []Decider
}

// recall is what holds a at its submission, and in which ways it is like that; nil for
// nothing.
func (a Approval) recall(r Reader, p scoring.Policy, action scoring.Action) (held *scoring.Remembered, like []string, err error) {
	since := p.Judgement.Remembers()
	if since == 0 || !a.isCall() {
		return nil, nil, nil
	}
	found, err := r.Denials(a.Agent.ID, a.like(action), r.Now().Add(-since))
	if err != nil || len(found) == 0 {
		return nil, nil, err
	}
	last := found[0]
	held = &scoring.Remembered{Approval: last.Approval, Verdict: string(last.Verdict), At: last.At, By: "policy"}
	if by := last.By; len(by) > 0 && by[0].Kind == ByPerson {
		held.By = by[0].Name
	}
	for _, d := range found {
		held.Level, held.Times = max(held.Level, d.Level), max(held.Times, d.Asked)
		like = append(like, d.Likeness)
	}
	slices.Sort(like)
	return held, like, nil
}

// like are the ways in which others can be like the act of a that is in force.
func (a Approval) like(action scoring.Action) []string {
	all := []string{a.Digest}
	if l := action.Likeness(a.Assessment); l != "" {
		all = append(all, l)
	}
	return all
}

// ended does what the end of a brings with it beside its state: what is learned of its
// agent, and what is remembered of it or no longer. It returns what the event tells.
func (s *Service) ended(w Writer, a Approval) ([]canon.Member, error) {
	learned, err := a.learnDecision(w)
	if err != nil {
		return nil, err
	}
	if err := a.reviewFiles(w); err != nil {
		return nil, err
	}
	remembered, err := s.remember(w, a)
	return append(learned, remembered...), err
}

// remember keeps a denial or a block, and lets a person's approval end those that a is
// like. A request for changes, silence and what is taken back are no denials. What is
// blocked only for what was denied before is not denied once more: it would never end.
func (s *Service) remember(w Writer, a Approval) ([]canon.Member, error) {
	byMemory := a.Assessment.Remembered != nil && a.Assessment.Remembered.Decides
	if !a.isCall() {
		return nil, nil
	}
	switch {
	case a.Status == Denied, a.Status == Blocked && !byMemory:
		return s.keep(w, a)
	case a.Status == Approved && a.byPerson():
		action, err := a.Parsed()
		if err != nil {
			return nil, err
		}
		forgotten, err := w.ForgetDenials(a.Agent.ID, a.like(action))
		if err != nil || len(forgotten) == 0 {
			return nil, err
		}
		return []canon.Member{audit.DenialsForgotten(forgotten)}, nil
	}
	return nil, nil
}

// keep remembers a denied or blocked a: what people saw, and where they edited that, what
// the agent sent, which is what it would ask for again.
func (s *Service) keep(w Writer, a Approval) ([]canon.Member, error) {
	p, version, err := w.Policy()
	if err != nil || p.Judgement.Remembers() == 0 {
		return nil, err
	}
	action, err := a.Parsed()
	if err != nil {
		return nil, err
	}
	like := a.like(action)
	if a.Proposed != nil {
		proposed, err := s.asProposed(a, p, version)
		if err != nil {
			return nil, err
		}
		like = append(like, proposed...)
	}
	slices.Sort(like)
	like = slices.Compact(like)
	d := Denial{Approval: a.ID, Level: max(a.Assessment.Level, a.Treatment.Level)}
	if a.Assessment.Remembered == nil {
		d.Asked = 1 // of what was held by memory, its submission was counted
	}
	d, err = w.KeepDenial(a.Agent.ID, like, d, w.Now().Add(-p.Judgement.Remembers()))
	return []canon.Member{audit.DenialKept(audit.Kept{Like: like, Level: d.Level.String(), Asked: int64(d.Asked)})}, err
}

// asProposed are the ways in which others can be like what the agent sent. Nothing in it
// is masked: what is, cannot be edited.
func (s *Service) asProposed(a Approval, p scoring.Policy, version int64) ([]string, error) {
	c, err := s.policies.compiled(a.Tenant, version, p)
	if err != nil {
		return nil, err
	}
	a.Action, a.Digest = a.Proposed.Action, a.Proposed.Digest
	action, err := a.Parsed()
	if err != nil {
		return nil, err
	}
	a.Assessment = c.Examine(action, nil).Given(a.Assessment.Inputs).Assess(a.CallNumber)
	return a.like(action), nil
}
