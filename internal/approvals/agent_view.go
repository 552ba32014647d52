package approvals

import (
	"cmp"
	"time"

	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/deciders"
	"github.com/countersign/countersign/internal/scoring/headline"
)

// AgentView is an approval as the agent that asked is told of it. It has no action but
// the one to go on with, because a page of actions can be fifty megabytes.
type AgentView struct {
	Tenant, ID string
	Revises    string
	Newer      string // id of the newest request for the same target, where this one waits or was ended by it
	// Digest and ShownDigest are those of what was submitted, edited since or not.
	Digest, ShownDigest string
	// InForce is the digest that the grant binds, that of an edit where there is one; ""
	// without a grant.
	InForce    string
	Status     Status
	Headline   headline.Headline // of the action in force
	Assessment scoring.Assessment
	Treatment  scoring.Treatment
	// Asks is the challenge that an operator will get.
	Asks      scoring.ChallengeKind
	Signed    int // how many approved it while it waits for others
	Needed    []deciders.Needed
	CreatedAt time.Time
	ExpiresAt time.Time
	Extension *Extension
	Questions []AgentQuestion
	Decision  *Decision
	Grant     *Grant
	Execution *Execution
	// Effective is the whole action that the agent goes on with, where it is not the
	// one that it sent, else nil: what an operator made of it before it was approved,
	// which is what the grant binds then; a tool's result without the secrets that were
	// found in it; and, where the policy rewrites calls, a call without them.
	Effective []byte
}

// MaxEffective bounds, in bytes, the effective actions of a page, which ends earlier
// because of it. One view is on each page, whatever its size.
const MaxEffective = 1 << 20

// AgentView is a as its agent is told of it.
func (a Approval) AgentView() AgentView {
	sent := a.Proposal()
	v := AgentView{
		Tenant: a.Tenant, ID: a.ID, Headline: a.Subject().Headline, Revises: a.Revises, Newer: a.Newer, Digest: sent.Digest, ShownDigest: sent.ShownDigest, Status: a.Status,
		Assessment: a.Assessment, Treatment: a.Treatment, Signed: len(a.Signatures), Needed: a.Needed, CreatedAt: a.CreatedAt, ExpiresAt: a.ExpiresAt, Extension: a.Extension, Questions: a.Questions,
		Asks: cmp.Or(a.Asks, a.Treatment.Challenge), Decision: a.Decision, Grant: a.Grant, Execution: a.Execution,
	}
	if a.Status == Approved {
		v.InForce = a.Digest
	}
	if v.HandsBack(a.Proposed != nil) {
		v.Effective = a.Action
	}
	return v
}

// HandsBack reports whether there is an effective action.
func (v AgentView) HandsBack(edited bool) bool {
	masked := v.Digest != v.ShownDigest
	redacted := masked && (v.Assessment.Patterns.LifecyclePoint == scoring.PostToolResult || v.Assessment.Rewrites)
	return v.Status == Approved && (edited || redacted)
}

// Effective is that of its AgentView.
func (a Approval) Effective() []byte { return a.AgentView().Effective }
