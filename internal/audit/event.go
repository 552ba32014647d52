package audit

import (
	"fmt"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

// MaxBytes is how large one event may be. What events carry is bounded (digests,
// a reason, a list of sentences), so a larger one is a mistake or an attack.
const MaxBytes = 1 << 20

// Kind says what happened. Kinds are never renamed: they are in the bytes.
type Kind string

const (
	TenantCreated       Kind = "tenant.created"
	AgentCreated        Kind = "agent.created"
	EnrolmentOpened     Kind = "enrolment.opened" // a token with which machines get keys of their own
	EnrolmentEnded      Kind = "enrolment.ended"
	AgentKeyRotated     Kind = "agent.key_rotated"
	AgentKeyRevoked     Kind = "agent.key_revoked"
	AgentKeyExpiry      Kind = "agent.key_expiry_set"
	AgentStopped        Kind = "agent.stopped"
	AgentStarted        Kind = "agent.started"
	AgentBound          Kind = "agent.bound"     // to an environment, or to none
	AgentCanary         Kind = "agent.canary"    // its gate was tried with a call that must not run
	AgentSilent         Kind = "agent.silent"    // no call came for a day
	AgentDescribed      Kind = "agent.described" // whom to ask, and where its tickets are
	AgentBindingAsked   Kind = "agent.binding_asked"
	AgentBindingDropped Kind = "agent.binding_dropped"
	IncidentRecorded    Kind = "agent.incident_recorded" // what was known in its favour counts no more
	ToolsImported       Kind = "tools.imported"          // a server's list, for an agent
	ToolsRemoved        Kind = "tools.removed"
	AgentsStopped       Kind = "agents.stopped" // all of the tenant
	AgentsResumed       Kind = "agents.resumed"
	PersonCreated       Kind = "person.created"
	RolesGranted        Kind = "person.roles_granted"
	PersonInvited       Kind = "person.invited"
	InviteWithdrawn     Kind = "person.invitation_withdrawn"
	InviteRefused       Kind = "person.invitation_refused" // somebody came with the link and the wrong password
	PersonJoined        Kind = "person.joined"
	RolesChanged        Kind = "person.roles_changed"
	PersonRemoved       Kind = "person.removed"
	ResetIssued         Kind = "person.reset_issued"
	PasswordChanged     Kind = "person.password_changed"
	PersonSuspended     Kind = "person.suspended"
	PersonReinstated    Kind = "person.reinstated"
	AwaySet             Kind = "person.away_set" // from when until when, and who stands in
	AwayEnded           Kind = "person.away_ended"
	PeopleProposed      Kind = "people.proposed" // rights, a link or a removal, for which it takes another
	PeopleAccepted      Kind = "people.accepted"
	PeopleRejected      Kind = "people.proposal_rejected"
	PeopleWithdrawn     Kind = "people.proposal_withdrawn"
	WaitingOpened       Kind = "waiting.opened"              // somebody saw what waits for others
	SinglePersonEnded   Kind = "tenant.single_person_ended"  // a second person has signed in
	ModeStated          Kind = "tenant.single_person_stated" // of one from before there was a mode
	SessionsRevoked     Kind = "session.revoked"
	LinkIssued          Kind = "sign_in.link_issued"
	SignedIn            Kind = "sign_in.succeeded"
	SignInRefused       Kind = "sign_in.refused"
	SignedOut           Kind = "sign_in.ended"
	SessionScoreRose    Kind = "agent_session.score_rose" // above what the policy accepts
	SessionAcknowledged Kind = "agent_session.acknowledged"
	AssessmentMade      Kind = "assessment.made" // a dry run: no approval came of it
	Submitted           Kind = "approval.submitted"
	Viewed              Kind = "approval.viewed"
	SectionRead         Kind = "approval.section_read" // one of a large act
	Claimed             Kind = "approval.claimed"      // somebody is on it
	Released            Kind = "approval.released"
	Assigned            Kind = "approval.assigned" // somebody was asked to decide it
	ChallengeIssued     Kind = "challenge.issued"
	ChallengePassed     Kind = "challenge.passed"
	ChallengeFailed     Kind = "challenge.failed"
	Signed              Kind = "approval.signed" // one of several that are needed
	Approved            Kind = "approval.approved"
	Blocked             Kind = "approval.blocked"
	Denied              Kind = "approval.denied"
	ChangesRequested    Kind = "approval.changes_requested"
	Expired             Kind = "approval.expired"
	Cancelled           Kind = "approval.cancelled"
	Restated            Kind = "approval.restated"
	Edited              Kind = "approval.edited"
	Extended            Kind = "approval.extended"       // it expires later, once
	QuestionAsked       Kind = "approval.question_asked" // of its agent, by who may decide it
	QuestionAnswered    Kind = "approval.question_answered"
	Commented           Kind = "approval.commented" // by a person, for people only
	GrantConsumed       Kind = "grant.consumed"
	GrantVoided         Kind = "grant.voided"
	Reported            Kind = "execution.reported"
	Exported            Kind = "audit.exported"
	Verified            Kind = "audit.verified"

	PolicyProposed    Kind = "policy.proposed"
	PolicyChanged     Kind = "policy.changed"
	ProposalRejected  Kind = "policy.proposal_rejected"
	ProposalWithdrawn Kind = "policy.proposal_withdrawn"

	ReasonsChanged Kind = "reasons.changed" // what the forms offer

	StandingCreated Kind = "standing_grant.created"
	StandingUsed    Kind = "standing_grant.used"
	StandingRevoked Kind = "standing_grant.revoked"

	ChannelAdded    Kind = "notices.channel_added" // one that is told outside of the console
	ChannelChanged  Kind = "notices.channel_changed"
	ChannelRotated  Kind = "notices.secret_rotated"
	ChannelPaused   Kind = "notices.channel_paused"
	ChannelResumed  Kind = "notices.channel_resumed"
	ChannelDisabled Kind = "notices.channel_disabled" // by its receiver
	ChannelRemoved  Kind = "notices.channel_removed"
	ChannelTested   Kind = "notices.channel_tested"
	NoticesSay      Kind = "notices.detail_changed" // what a notice may say

	RoutingChanged    Kind = "notices.routing_changed" // rules, teams, who is on call
	OwnNoticesChanged Kind = "notices.own_changed"     // when somebody is called themselves
	CalledNext        Kind = "notices.called_next"     // nobody claimed or decided in time
	NobodyCame        Kind = "notices.nobody_came"     // after the last step

	HeadSigned Kind = "trail.signed"   // from here on each head is signed
	Restored   Kind = "trail.restored" // from a backup: a new epoch begins

	SigningKeyPublished Kind = "signing_key.published" // of the server, for grants or checkpoints
	SigningKeyWithdrawn Kind = "signing_key.withdrawn"
)

// OfCalls reports whether events of this kind tell of what an agent asked for: its calls and what became of
// them. All others tell of people and settings.
func (k Kind) OfCalls() bool {
	family, _, _ := strings.Cut(string(k), ".")
	switch family {
	case "approval", "challenge", "grant", "execution", "assessment", "agent_session":
		return true
	default:
		return k == StandingUsed
	}
}

// Event is one line of a tenant's audit trail. Its bytes, once written, are the
// truth; every column beside them is derived and checked against them.
type Event struct {
	Tenant string
	Index  int64     // 0-based, without gaps; given by the log
	At     time.Time // UTC, microseconds, the database's clock; given by the log
	Kind   Kind
	Actor  Actor
	// What the event is about; empty where it is about nothing of that kind.
	Approval, Agent, Level, Function string
	// Effect is the kind of what the call does (scoring/effects); of events from before
	// effects were read it is empty.
	Effect string
	// Data is an object with what this kind needs. It holds no secret (those are
	// masked before they are stored), and people appear by id only, so that a name
	// can be erased without breaking a proof.
	Data canon.Value
}

// Actor is who did it. Kind is person, agent, policy, clock or system; ID is
// empty where there is no one to name.
type Actor struct {
	Kind, ID string
}

// format is the version of the bytes: a reader that does not know it must refuse.
const format = 1

// timeForm is RFC 3339 in UTC with exactly six decimals, so that one instant has
// one form and texts sort by time.
const timeForm = "2006-01-02T15:04:05.000000Z"

// FormatTime writes an instant as every event does.
func FormatTime(t time.Time) string { return t.UTC().Format(timeForm) }

// parseTime accepts exactly what FormatTime writes.
func parseTime(s string) (time.Time, error) {
	t, err := time.Parse(timeForm, s)
	if err == nil && FormatTime(t) != s {
		err = fmt.Errorf("%.40q isn't written as %s", s, timeForm)
	}
	return t.UTC(), err
}

// Bytes is the canonical JSON (RFC 8785) of
//
//	{"v":1, "tenant", "index", "at", "kind", "actor":{"kind","id"},
//	 "approval", "agent", "level", "function", "effect", "data":{…}}
//
// where empty texts are left out and Data is {} when absent. It refuses an event
// without tenant, kind or actor, one with a text that JSON cannot carry
// unchanged, and with fault.BodyTooLarge one of more than MaxBytes.
func (e Event) Bytes() ([]byte, error) {
	if e.Tenant == "" || e.Kind == "" || e.Actor.Kind == "" || e.Index < 0 {
		return nil, fmt.Errorf("audit event %q at index %d of tenant %q by %q: tenant, kind, actor and an index from 0 are required", e.Kind, e.Index, e.Tenant, e.Actor.Kind)
	}
	data := e.Data
	switch data.Kind() {
	case canon.KindAbsent:
		data = canon.Object()
	case canon.KindObject:
	default:
		return nil, fmt.Errorf("audit event %q: its data is %s, not an object", e.Kind, data.Kind())
	}
	for _, s := range []string{e.Tenant, string(e.Kind), e.Actor.Kind, e.Actor.ID, e.Approval, e.Agent, e.Level, e.Function, e.Effect} {
		if canon.String(s).Text() != s {
			return nil, fmt.Errorf("audit event %q: %.60q isn't a text that JSON can carry", e.Kind, s)
		}
	}
	if _, err := parseTime(FormatTime(e.At)); err != nil {
		return nil, fmt.Errorf("audit event %q: its time can't be written: %w", e.Kind, err)
	}
	b := canon.Object(
		canon.Member{Name: "v", Value: canon.Int(format)},
		canon.Member{Name: "tenant", Value: canon.String(e.Tenant)},
		canon.Member{Name: "index", Value: canon.Int(e.Index)},
		canon.Member{Name: "at", Value: canon.String(FormatTime(e.At))},
		canon.Member{Name: "kind", Value: canon.String(string(e.Kind))},
		canon.Member{Name: "actor", Value: canon.Object(
			canon.Member{Name: "kind", Value: canon.String(e.Actor.Kind)},
			canon.Member{Name: "id", Value: text(e.Actor.ID)})},
		canon.Member{Name: "approval", Value: text(e.Approval)},
		canon.Member{Name: "agent", Value: text(e.Agent)},
		canon.Member{Name: "level", Value: text(e.Level)},
		canon.Member{Name: "function", Value: text(e.Function)},
		canon.Member{Name: "effect", Value: text(e.Effect)},
		canon.Member{Name: "data", Value: data},
	).Canonical()
	if len(b) > MaxBytes {
		return nil, fault.New(fault.BodyTooLarge, "the audit record of this would be %d bytes; the limit is %d, so shorten what you send", len(b), MaxBytes)
	}
	return b, nil
}

// text is a string, or Absent when it is empty.
func text(s string) canon.Value {
	if s == "" {
		return canon.Value{}
	}
	return canon.String(s)
}

// Parse reads what Bytes wrote and nothing else: other member names, other
// types, another order, another way to write the same value are refused. The
// error says what is wrong and is for the verifier, never a *fault.Error.
func Parse(b []byte) (Event, error) {
	if len(b) > MaxBytes {
		return Event{}, fmt.Errorf("an event of %d bytes, more than %d", len(b), MaxBytes)
	}
	tree, err := canon.ParseStored(b)
	if err != nil {
		return Event{}, err
	}
	if v, ok := tree.Get("v").Int64(); !ok || v != format {
		return Event{}, fmt.Errorf("the member v isn't %d", format)
	}
	index, _ := tree.Get("index").Int64()
	at, err := parseTime(tree.Get("at").Text())
	if err != nil {
		return Event{}, fmt.Errorf("the member at: %w", err)
	}
	actor := tree.Get("actor")
	e := Event{
		Tenant: tree.Get("tenant").Text(), Index: index, At: at, Kind: Kind(tree.Get("kind").Text()),
		Actor:    Actor{Kind: actor.Get("kind").Text(), ID: actor.Get("id").Text()},
		Approval: tree.Get("approval").Text(), Agent: tree.Get("agent").Text(),
		Level: tree.Get("level").Text(), Function: tree.Get("function").Text(),
		Effect: tree.Get("effect").Text(),
		Data:   tree.Get("data"),
	}
	// Everything that was not read above (unknown members, wrong types, texts that
	// are there but empty) shows by writing the event again.
	again, err := e.Bytes()
	if err != nil {
		return Event{}, err
	}
	if string(again) != string(b) {
		return Event{}, fmt.Errorf("it has members, types or texts that an event doesn't have")
	}
	return e, nil
}
