package approvals

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/deciders"
)

// What the audit trail is told. Names of people are never in it, only ids.

func member(name string, v canon.Value) canon.Member { return canon.Member{Name: name, Value: v} }

// text is a string, or Absent when it is empty.
func text(s string) canon.Value {
	if s == "" {
		return canon.Value{}
	}
	return canon.String(s)
}

// float is a number; scores are finite and small, so it always is one.
func float(f float64) canon.Value {
	v, _ := canon.Float(f)
	return v
}

// event is about this approval.
func (a Approval) event(k audit.Kind, by audit.Actor, data ...canon.Member) audit.Event {
	return audit.Event{
		Tenant: a.Tenant, Kind: k, Actor: by, Approval: a.ID, Agent: a.Agent.ID,
		Level: a.Assessment.Level.String(), Function: a.Function, Effect: string(a.Effect()), Data: canon.Object(data...),
	}
}

func (a Approval) agentActor() audit.Actor { return audit.Actor{Kind: "agent", ID: a.Agent.ID} }

func personActor(m auth.Member) audit.Actor { return audit.Actor{Kind: "person", ID: m.Person.ID} }

// submittedEvent carries the digests of what was submitted and of what is
// stored, so that an edit of the stored action shows; and in which ways it is like what
// was denied or blocked.
func (a Approval) submittedEvent(like []string) audit.Event {
	sum := sha256.Sum256(a.Action)
	var recalled []canon.Member
	if r := a.Assessment.Remembered; r != nil {
		recalled = []canon.Member{audit.DenialRecalled(r.Approval, r.Verdict, like)}
	}
	return a.event(audit.Submitted, a.agentActor(), append([]canon.Member{
		member("digest", canon.String(a.Digest)),
		member("shown_digest", canon.String(a.ShownDigest)),
		member("action_sha256", canon.String(hex.EncodeToString(sum[:]))),
		member("session", text(a.Session)),
		member("call_number", canon.Int(int64(a.CallNumber))),
		member("revises", text(a.Revises)),
		member("agent_name", canon.String(a.Agent.Name)),
		member("agent_owner", text(a.Agent.Owner)),
		member("expires_at", canon.String(audit.FormatTime(a.ExpiresAt))),
		member("treatment", a.treatmentData()),
		member("assessment_sha256", kept(a.Assessment)),
		member("treatment_sha256", kept(a.Treatment)),
	}, recalled...)...)
}

// kept is the SHA-256 of what the store keeps of v, which is its JSON: the whole of
// it is beside the trail, and an edit of it shows.
func kept(v any) canon.Value {
	b, err := json.Marshal(v)
	if err != nil { // our own types can always be written; without a sum nothing is held against it
		return canon.Value{}
	}
	digest := sha256.Sum256(b)
	return canon.String(hex.EncodeToString(digest[:]))
}

// treatmentData is what scoring said, in short; the whole is with the approval.
func (a Approval) treatmentData() canon.Value {
	return canon.Object(
		member("policy_version", canon.Int(a.PolicyVersion)),
		member("score", float(a.Assessment.Score)),
		member("level", canon.String(a.Assessment.Level.String())),
		member("challenge", canon.String(string(a.Treatment.Challenge))),
		member("approvals_required", canon.Int(int64(a.Treatment.ApprovalsRequired))),
		member("needs", needsData(a.Treatment.Needs)),
		member("explanation", canon.String(a.Assessment.Explanation)),
		member("effects", a.effectsData()),
		member("floor", a.floorData()),
		member("patterns", a.PatternData()),
		member("rules", a.rulesData()),
		member("scorers", a.scorersData()),
	)
}

// needsData is who has to approve; absent where it does not matter.
func needsData(needs []deciders.Need) canon.Value {
	if len(needs) == 0 {
		return canon.Value{}
	}
	all := make([]canon.Value, len(needs))
	for i, n := range needs {
		all[i] = canon.Object(member("team", text(n.Team)), member("people", list(deciders.Ids(n.People))), member("at_least", canon.Int(int64(n.AtLeast))))
	}
	return canon.Array(all...)
}

// scorersData is how own scorers changed the score; absent where there are none.
func (a Approval) scorersData() canon.Value {
	s := a.Assessment.Scorers
	if s == nil {
		return canon.Value{}
	}
	part := func(p scoring.ScorerPart, more ...canon.Member) canon.Value {
		return canon.Object(append(more, member("score", float(p.Score)), member("weight", float(p.Weight)), member("contribution", float(p.Contribution)))...)
	}
	own := make([]canon.Value, len(s.Own))
	for i, one := range s.Own {
		own[i] = part(one.ScorerPart, member("name", canon.String(one.Name)), member("failed", text(one.Failed)))
	}
	return canon.Object(member("mode", canon.String(string(s.Mode))), member("built_in", part(s.BuiltIn)), member("own", canon.Array(own...)))
}

// rulesData is what the rule model says of the action beside its rules.
func (a Approval) rulesData() canon.Value {
	r := a.Assessment.Rules
	return canon.Object(
		member("level", canon.String(r.Level.String())),
		member("reversible", canon.Bool(r.Reversible)),
		member("requires_approval", canon.Bool(r.RequiresApproval)),
		member("estimated_impact", text(r.EstimatedImpact)),
		member("affected_resources", list(r.AffectedResources)),
		member("recommendations", list(r.Recommendations)),
	)
}

// list is an array of strings, or Absent when there are none.
func list(all []string) canon.Value {
	if len(all) == 0 {
		return canon.Value{}
	}
	values := make([]canon.Value, len(all))
	for i, s := range all {
		values[i] = canon.String(s)
	}
	return canon.Array(values...)
}

// kinds says which event a final status is.
var kinds = map[Status]audit.Kind{
	Approved: audit.Approved, Blocked: audit.Blocked, Denied: audit.Denied,
	ChangesRequested: audit.ChangesRequested, Expired: audit.Expired, Cancelled: audit.Cancelled,
}

// decisionEvent is the one terminal event of a, with what was learned from it.
func (a Approval) decisionEvent(learned ...canon.Member) audit.Event {
	by := a.Decision.DecidedBy[len(a.Decision.DecidedBy)-1] // who completed it
	actor := audit.Actor{Kind: string(by.Kind), ID: by.ID}
	data := []canon.Member{
		member("version", canon.Int(a.Version)),
		member("policy_version", canon.Int(a.PolicyVersion)), // another one, where the policy blocks at the end
		member("reason", text(a.Decision.Reason)),
		member("shown_digest", canon.String(a.ShownDigest)),
		member("assessment_sha256", kept(a.Assessment)), // of another treatment, where the policy blocks at the end
		member("treatment_sha256", kept(a.Treatment)),
	}
	if all := a.Decision.DecidedBy; len(all) > 1 {
		ids := make([]canon.Value, len(all))
		for i, d := range all {
			ids[i] = canon.String(d.ID)
		}
		data = append(data, member("decided_by", canon.Array(ids...)))
	}
	if by.Kind == ByPolicy && a.Status == Approved { // that it was harmless, or what it does and is let through
		data = append(data, member("because", text(a.Assessment.Floor.Because)))
	}
	if e := a.Decision.Evidence; e != nil {
		data = append(data, e.forMember(), member("evidence", e.data()), member("evidence_sha256", kept(e)), member("batch", text(e.Batch)))
	}
	if g := a.Grant; g != nil {
		data = append(data, member("grant", canon.Object(
			member("jti", canon.String(g.ID)),
			member("digest", canon.String(a.Digest)),
			member("expires_at", canon.String(audit.FormatTime(g.ExpiresAt))))))
	}
	return a.event(kinds[a.Status], actor, append(data, learned...)...)
}

// forMember is in whose place it was decided, by id.
func (e Evidence) forMember() canon.Member {
	if e.For == nil {
		return member("for", canon.Value{})
	}
	return member("for", canon.String(e.For.ID))
}

// data is the evidence as the trail keeps it.
func (e Evidence) data() canon.Value {
	ticked := make([]canon.Value, len(e.Consequences))
	for i, c := range e.Consequences {
		ticked[i] = canon.String(c)
	}
	var viewed canon.Value
	if e.FirstViewedAt != nil {
		viewed = canon.String(audit.FormatTime(*e.FirstViewedAt))
	}
	return canon.Object(append(e.readData(),
		member("challenge", text(e.Challenge)),
		member("kind", text(e.Kind)),
		member("attempt", canon.Int(int64(e.Attempt))),
		member("first_viewed_at", viewed),
		member("review_seconds", float(e.ReviewSeconds)),
		member("early", canon.Bool(e.Early)),
		member("single_person", canon.Bool(e.SinglePerson)),
		member("consequences", canon.Array(ticked...)),
		member("with", text(e.With)),
	)...)
}
