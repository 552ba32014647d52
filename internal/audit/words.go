package audit

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/fault"
)

// What an event says in one sentence, for people who do not read JSON. Texts of
// agents and people stand in it as they are: whoever shows it makes them safe. The
// sentence is a template and its arguments: exports, the API and the command line have
// it in English, and the console says it in the language of its reader.

// Names says what an id stands for: kind is person, agent or approval, and an approval
// has the sentence of its request. Where it knows none it returns the id.
type Names func(kind, id string) string

// People are the ids of the people that the event names: who did it, and whom its
// data tells of.
func (e Event) People() (ids []string) {
	if e.Actor.Kind == "person" && e.Actor.ID != "" {
		ids = append(ids, e.Actor.ID)
	}
	for _, v := range e.Data.Members() {
		if strings.HasPrefix(v.Text(), "per_") {
			ids = append(ids, v.Text())
		}
	}
	if e.Kind == Commented {
		for _, at := range mention.FindAllString(e.Data.Get("text").Text(), -1) {
			ids = append(ids, at[1:])
		}
	}
	return ids
}

// Mentions is the member of a comment that has the ids of whom it mentions and who are told.
const Mentions = "mentions"

var mention = regexp.MustCompile(`@per_[0-9a-f]{32}`)

// WithNames is the text of a comment, which has its people by id, with what they are called.
func WithNames(text string, names Names) string {
	return mention.ReplaceAllStringFunc(text, func(id string) string { return "@" + names("person", id[1:]) })
}

// Kinds lists every kind that this program writes, sorted.
func Kinds() []Kind { return slices.Sorted(maps.Keys(sentences)) }

// Sentence is [Event.Text] in English.
func (e Event) Sentence(names Names) string { return e.Text(names).String() }

// Text says what happened, without who did it: it begins with the verb. A kind
// of another version of this program is told by its name and its data.
func (e Event) Text(names Names) fault.Text {
	if say, ok := sentences[e.Kind]; ok {
		return say(teller{e, names})
	}
	s := string(e.Kind)
	if e.Data.Len() > 0 {
		s += " " + string(e.Data.Canonical())
	}
	return fault.Verbatim(s)
}

// Words of the record, as sentences say them.
var (
	challenges = map[string]fault.Text{"confirm": fault.Textf("one click"), "quiz": fault.Textf("the questions"), "explicit_confirmation": fault.Textf("the typed target")}
	roleWords  = map[string]fault.Text{"operator": fault.Textf("operator"), "compliance": fault.Textf("compliance"), "admin": fault.Textf("admin")}
	ways       = map[string]fault.Text{"password": fault.Textf("password"), "link": fault.Textf("link"), "session": fault.Textf("an earlier sign-in")}
	endings    = map[string]fault.Text{"succeeded": fault.Textf("succeeded"), "failed": fault.Textf("failed")}
	lists      = map[string]fault.Text{"questions": fault.Textf("questions"), "operators": fault.Textf("operators")}
	uses       = map[string]fault.Text{"grants": fault.Textf("grants"), "checkpoints": fault.Textf("checkpoints")}
)

// sentences is the one table of kinds and their words. A kind without a row here
// fails a test.
var sentences = map[Kind]func(teller) fault.Text{
	TenantCreated: func(t teller) fault.Text {
		return with(fault.Textf("Created the organisation"), "%s with policy version %s", t.get("policy_version"))
	},
	AgentCreated: func(t teller) fault.Text {
		s := fault.Textf("Created the agent %s", t.or("name", withoutName))
		if t.get("owner") != "" {
			s = fault.Textf("%s, owned by %s", s, t.person("owner"))
		}
		if t.get("enrolment") != "" {
			s = fault.Textf("%s, for a machine that enrolled", s)
		}
		return s
	},
	EnrolmentOpened: func(t teller) fault.Text {
		return with(fault.Textf("Created an enrolment token for agents %s@…", t.or("name", withoutName)), "%s, valid until %s", t.moment("expires_at"))
	},
	EnrolmentEnded: func(teller) fault.Text { return fault.Textf("Ended an enrolment token") },
	AgentKeyRotated: func(t teller) fault.Text {
		return with(fault.Textf("Created a new key for the agent %s", t.agent()), "%s; the old one works until %s", t.moment("replaced_until"))
	},
	AgentKeyRevoked: func(t teller) fault.Text { return fault.Textf("Revoked a key of the agent %s", t.agent()) },
	AgentKeyExpiry: func(t teller) fault.Text {
		return with(fault.Textf("Set an expiry for a key of the agent %s", t.agent()), "%s: %s", t.moment("expires_at"))
	},
	AgentStopped: func(t teller) fault.Text { return t.because(fault.Textf("Stopped the agent %s", t.agent())) },
	IncidentRecorded: func(t teller) fault.Text {
		return t.because(fault.Textf("Recorded an incident for the agent %s: its track record starts over", t.agent()))
	},
	AgentBound: func(t teller) fault.Text {
		switch {
		case t.get("workspace") != "" && t.get("environment") != "":
			return t.because(fault.Textf("Bound the agent %s to %s and to the environment %s", t.agent(), t.workspace(), t.get("environment")))
		case t.get("workspace") != "":
			return t.because(fault.Textf("Bound the agent %s to %s", t.agent(), t.workspace()))
		case t.get("environment") != "":
			return t.because(fault.Textf("Bound the agent %s to the environment %s", t.agent(), t.get("environment")))
		case t.get("was_workspace") != "":
			return t.because(fault.Textf("Unbound the agent %s", t.agent()))
		}
		return t.because(fault.Textf("Unbound the agent %s from its environment", t.agent()))
	},
	ReasonsChanged: func(teller) fault.Text { return fault.Textf("Changed the suggested reasons") },
	AgentCanary: func(t teller) fault.Text {
		if t.get("failed") != "" {
			return fault.Textf("Tried the gate of the agent %s: it let a call through that must not run (%s)", t.agent(), t.get("failed"))
		}
		return fault.Textf("Tried the gate of the agent %s: it refused", t.agent())
	},
	AgentSilent: func(t teller) fault.Text {
		return with(fault.Textf("No call came from the agent %s for a day", t.agent()), "%s: since %s", t.get("since"))
	},
	AgentDescribed: func(t teller) fault.Text {
		return fault.Textf("Changed the contact and the ticket link of the agent %s", t.agent())
	},
	AgentBindingAsked: func(t teller) fault.Text {
		switch {
		case t.get("workspace") != "" && t.get("environment") != "":
			return t.because(fault.Textf("Asked to bind the agent %s to %s and to the environment %s", t.agent(), t.workspace(), t.get("environment")))
		case t.get("workspace") != "":
			return t.because(fault.Textf("Asked to bind the agent %s to %s", t.agent(), t.workspace()))
		}
		return t.because(with(fault.Textf("Asked to bind the agent %s to an environment", t.agent()), "%s: %s", t.get("environment")))
	},
	AgentBindingDropped: func(t teller) fault.Text {
		if t.get("workspace") != "" {
			return fault.Textf("Withdrew the request to bind the agent %s to %s", t.agent(), t.workspace())
		}
		return with(fault.Textf("Withdrew the request about the environment of the agent %s", t.agent()), "%s: %s", t.get("environment"))
	},
	ToolsImported: func(t teller) fault.Text {
		if t.get("tools") == "" {
			return fault.Textf("Imported tools for the agent %s", t.agent())
		}
		return fault.Textf("Imported tools of the server %s for the agent %s: %s in total, %s new, %s changed, %s gone",
			t.get("server"), t.agent(), t.get("tools"), t.many("added"), t.many("changed"), t.many("gone"))
	},
	ToolsRemoved: func(t teller) fault.Text {
		return with(fault.Textf("Removed imported tools from the agent %s", t.agent()), "%s, from the server %s", t.get("server"))
	},
	AgentStarted:  func(t teller) fault.Text { return fault.Textf("Started the agent %s again", t.agent()) },
	AgentsStopped: func(t teller) fault.Text { return t.because(fault.Textf("Stopped all agents")) },
	AgentsResumed: func(t teller) fault.Text { return t.because(fault.Textf("Resumed all agents")) },
	PersonCreated: func(t teller) fault.Text {
		return with(fault.Textf("Added %s", t.person("person")), "%s as %s", t.roles())
	},
	RolesGranted: func(t teller) fault.Text {
		if t.roles().Empty() {
			return fault.Textf("Removed all roles from %s", t.person("person"))
		}
		return fault.Textf("Gave %s the roles %s", t.person("person"), t.roles())
	},
	PersonInvited:   func(t teller) fault.Text { return with(fault.Textf("Invited someone"), "%s as %s", t.roles()) },
	InviteWithdrawn: func(teller) fault.Text { return fault.Textf("Withdrew an invitation") },
	InviteRefused:   func(teller) fault.Text { return fault.Textf("Invitation failed: wrong password") },
	PersonJoined: func(t teller) fault.Text {
		return with(fault.Textf("%s joined", t.person("person")), "%s as %s", t.roles())
	},
	RolesChanged: func(t teller) fault.Text {
		return with(fault.Textf("Changed the roles of %s", t.person("person")), "%s to %s", t.roles())
	},
	PersonRemoved: func(t teller) fault.Text { return t.because(fault.Textf("Removed %s", t.person("person"))) },
	ResetIssued: func(t teller) fault.Text {
		return fault.Textf("Issued a password link for %s", t.person("person"))
	},
	PasswordChanged: func(t teller) fault.Text {
		if t.get("link_by") != "" {
			return fault.Textf("Changed the password of %s with a link from %s", t.person("person"), t.person("link_by"))
		}
		return fault.Textf("Changed the password of %s", t.person("person"))
	},
	PersonSuspended: func(t teller) fault.Text { return t.because(fault.Textf("Suspended %s", t.person("person"))) },
	PersonReinstated: func(t teller) fault.Text {
		return with(fault.Textf("Reinstated %s", t.person("person")), "%s as %s", t.roles())
	},
	AwaySet: func(t teller) fault.Text {
		s := with(fault.Textf("Said that %s is away, and that %s decides in their place", t.person("person"), t.person("deputy")), "%s, from %s", t.moment("from"))
		return with(s, "%s until %s", t.moment("until"))
	},
	AwayEnded:      func(t teller) fault.Text { return fault.Textf("Said that %s is back", t.person("person")) },
	PeopleProposed: func(t teller) fault.Text { return fault.Textf("Asked for %s", t.change()) },
	PeopleAccepted: func(t teller) fault.Text {
		if t.Data.Get("waited").Bool() {
			return fault.Textf("Put %s in force, requested by %s: no one objected in time", t.change(), t.person("author"))
		}
		return fault.Textf("Accepted %s, as %s asked", t.change(), t.person("author"))
	},
	PeopleRejected: func(t teller) fault.Text {
		return t.because(fault.Textf("Objected to what %s asked for", t.person("author")))
	},
	PeopleWithdrawn: func(t teller) fault.Text { return t.because(fault.Textf("Withdrew a request")) },
	WaitingOpened:   func(teller) fault.Text { return fault.Textf("Viewed a change waiting for another admin") },
	SinglePersonEnded: func(t teller) fault.Text {
		return fault.Textf("Single-person mode ended: %s signed in", t.person("person"))
	},
	ModeStated: func(t teller) fault.Text {
		if t.Data.Get("single_person_mode").Bool() {
			return fault.Textf("Entered single-person mode with an upgrade")
		}
		return fault.Textf("Left single-person mode with an upgrade")
	},
	SessionsRevoked: func(t teller) fault.Text { return fault.Textf("Ended sessions of %s", t.person("person")) },
	AssessmentMade: func(t teller) fault.Text {
		return with(fault.Textf("Asked what would happen to %s", t.what()), "%s: scored %s", t.get("treatment", "score"))
	},
	SessionScoreRose: func(t teller) fault.Text {
		s := with(with(fault.Textf("Alert: a session's score rose"), "%s above %s", t.get("session_alert_above")), "%s, to %s", t.get("session_score", "numeric_score"))
		return with(s, "%s: %s", t.get("session"))
	},
	SessionAcknowledged: func(t teller) fault.Text {
		return with(fault.Textf("Acknowledged the alert of a session"), "%s: %s", t.get("session"))
	},
	Edited: func(t teller) fault.Text {
		return with(fault.Textf("Edited the arguments of %s", t.what()), "%s, which created version %s", t.get("version"))
	},
	Signed: func(t teller) fault.Text {
		return t.because(with(with(t.standingIn(fault.Textf("Signed %s", t.what())), "%s, %s", t.get("given")), "%s of %s", t.get("required")))
	},
	PolicyProposed: func(t teller) fault.Text { return t.because(t.weakening(fault.Textf("Proposed another policy"))) },
	PolicyChanged: func(t teller) fault.Text {
		s := t.weakening(with(fault.Textf("Changed the policy"), "%s to version %s", t.get("version")))
		if t.get("proposal") != "" {
			s = fault.Textf("%s, as %s proposed", s, t.person("author"))
		}
		if t.Data.Get("single_person").Bool() {
			s = fault.Textf("%s, with no second reviewer", s)
		}
		if t.Data.Get("waited").Bool() {
			s = fault.Textf("%s; no one objected in the waiting time", s)
		}
		return t.because(s)
	},
	ProposalRejected: func(t teller) fault.Text {
		return t.because(fault.Textf("Rejected the policy that %s proposed", t.person("author")))
	},
	ProposalWithdrawn: func(teller) fault.Text { return fault.Textf("Withdrew a proposed policy") },

	StandingCreated: func(t teller) fault.Text {
		s := fault.Textf("%s times", with(fault.Textf("Created a standing approval of %s for the agent %s", t.what(), t.agent()), "%s, %s", t.get("uses")))
		if t.Data.Get("single_person").Bool() {
			s = fault.Textf("%s, with no second reviewer", s)
		}
		return t.because(s)
	},
	StandingUsed: func(t teller) fault.Text {
		return fault.Textf("%s left", with(fault.Textf("Used a standing approval for %s", t.what()), "%s, %s", t.get("left")))
	},
	StandingRevoked: func(t teller) fault.Text {
		return t.because(fault.Textf("Revoked the standing approval for %s", t.what()))
	},

	LinkIssued: func(t teller) fault.Text { return fault.Textf("Issued a sign-in link for %s", t.person("person")) },
	SignedIn: func(t teller) fault.Text {
		return with(fault.Textf("Signed in"), "%s by %s", wordOf(ways, t.get("how")))
	},
	SignInRefused: func(t teller) fault.Text {
		return with(fault.Textf("Sign-in failed"), "%s by %s", wordOf(ways, t.get("how")))
	},
	SignedOut: func(teller) fault.Text { return fault.Textf("Signed out") },

	Submitted: func(t teller) fault.Text {
		s := with(fault.Textf("Proposed %s", t.what()), "%s, scored %s", t.get("treatment", "score"))
		s = with(s, "%s, revises %s", t.get("revises"))
		return with(s, "%s, similar to %s, which was refused", t.get(remembered, "approval"))
	},
	Viewed: func(t teller) fault.Text { return fault.Textf("Viewed %s", t.what()) },
	SectionRead: func(t teller) fault.Text {
		return with(with(fault.Textf("Acknowledged a section of %s", t.what()), "%s: %s", t.get("section")), "%s of %s", t.get("of"))
	},
	Claimed: func(t teller) fault.Text {
		if t.get("from") == "" {
			return fault.Textf("Claimed %s", t.what())
		}
		return fault.Textf("Took over %s from %s", t.what(), t.person("from"))
	},
	Released: func(t teller) fault.Text { return fault.Textf("Released %s", t.what()) },
	Assigned: func(t teller) fault.Text {
		if t.get("from") == "" {
			return fault.Textf("Assigned %s to %s", t.what(), t.person("to"))
		}
		return fault.Textf("Assigned %s to %s, in place of %s", t.what(), t.person("to"), t.person("from"))
	},
	Extended: func(t teller) fault.Text {
		return fault.Textf("Gave %s more time, until %s: “%s”", t.what(), t.moment("expires_at"), t.get("reason"))
	},
	QuestionAsked: func(t teller) fault.Text {
		return fault.Textf("Asked the agent about %s: “%s”", t.what(), t.get("text"))
	},
	QuestionAnswered: func(t teller) fault.Text {
		return fault.Textf("Answered a question about %s: “%s”", t.what(), t.get("text"))
	},
	Commented: func(t teller) fault.Text {
		return fault.Textf("Commented on %s: “%s”", t.what(), WithNames(t.get("text"), t.names))
	},
	ChallengeIssued: func(t teller) fault.Text {
		switch t.get("kind") {
		case "confirm":
			return fault.Textf("Was asked to confirm %s", t.what())
		case "quiz":
			return fault.Textf("Was asked 3 questions about %s", t.what())
		case "explicit_confirmation":
			return fault.Textf("Was asked to type the target of %s", t.what())
		}
		return fault.Textf("Was given a challenge for %s", t.what())
	},
	ChallengePassed: func(t teller) fault.Text {
		return with(fault.Textf("Passed the questions about %s", t.what()), "%s, attempt %s", t.get("attempt"))
	},
	ChallengeFailed: func(t teller) fault.Text {
		return with(fault.Textf("Failed the questions about %s", t.what()), "%s, attempt %s", t.get("attempt"))
	},
	Approved: func(t teller) fault.Text {
		if t.Actor.Kind == "policy" && strings.HasPrefix(t.Actor.ID, "stg_") {
			return fault.Textf("Auto-approved %s: covered by a standing approval", t.what())
		}
		if t.Actor.Kind == "policy" {
			return with(fault.Textf("Auto-approved %s", t.what()), "%s: “%s”", t.get("because"))
		}
		s := t.standingIn(fault.Textf("Approved %s", t.what()))
		if t.get("evidence", "kind") != "" {
			s = fault.Textf("%s after %s", s, t.challenge("evidence", "kind"))
		}
		if t.Data.Get("evidence").Get("single_person").Bool() {
			s = fault.Textf("%s, with no one else to decide", s)
		}
		if len(t.DenialsForgotten()) > 0 {
			s = fault.Textf("%s, which clears an earlier denial", s)
		}
		return t.because(s)
	},
	Blocked: func(t teller) fault.Text { return t.because(fault.Textf("Blocked %s", t.what())) },
	Denied:  func(t teller) fault.Text { return t.because(t.standingIn(fault.Textf("Denied %s", t.what()))) },
	ChangesRequested: func(t teller) fault.Text {
		return t.because(t.standingIn(fault.Textf("Requested changes to %s", t.what())))
	},
	Expired:   func(t teller) fault.Text { return fault.Textf("%s expired: no one decided in time", t.what()) },
	Cancelled: func(t teller) fault.Text { return t.because(fault.Textf("Cancelled %s", t.what())) },
	Restated: func(t teller) fault.Text {
		return with(fault.Textf("Raised the review of %s", t.what()), "%s: %s", t.challenge("treatment", "challenge"))
	},
	GrantConsumed: func(t teller) fault.Text { return fault.Textf("Used the approval for %s", t.what()) },
	GrantVoided: func(t teller) fault.Text {
		if t.Actor.Kind == "person" {
			return t.because(fault.Textf("Withdrew the approval for %s", t.what()))
		}
		if t.get("reason") != "" {
			return t.because(fault.Textf("Voided the approval for %s", t.what()))
		}
		return fault.Textf("Voided the approval for %s: it now needs stricter review", t.what())
	},
	Reported: func(t teller) fault.Text {
		ended := wordOf(endings, t.get("status"))
		if ended.Empty() {
			ended = fault.Textf("ended")
		}
		return with(fault.Textf("Reported that %s %s", t.what(), ended), "%s: %s", t.get("detail"))
	},

	ChannelAdded:   func(t teller) fault.Text { return fault.Textf("Added the channel %s for notices", t.channel()) },
	ChannelChanged: func(t teller) fault.Text { return fault.Textf("Changed the channel %s for notices", t.channel()) },
	ChannelRotated: func(t teller) fault.Text { return fault.Textf("Rotated the secret of the channel %s", t.channel()) },
	ChannelPaused:  func(t teller) fault.Text { return fault.Textf("Paused the channel %s", t.channel()) },
	ChannelResumed: func(t teller) fault.Text { return fault.Textf("Resumed the channel %s", t.channel()) },
	ChannelDisabled: func(t teller) fault.Text {
		return fault.Textf("Disabled the channel %s: its receiver wants no more notices", t.channel())
	},
	ChannelRemoved: func(t teller) fault.Text { return fault.Textf("Deleted the channel %s for notices", t.channel()) },
	ChannelTested:  func(t teller) fault.Text { return fault.Textf("Sent a test to the channel %s", t.channel()) },
	NoticesSay: func(t teller) fault.Text {
		if t.Data.Get("more").Bool() {
			return fault.Textf("Allowed details in notices: what would happen, the target and the reason")
		}
		return fault.Textf("Limited notices to level, agent and link")
	},

	RoutingChanged: routingChanged, OwnNoticesChanged: ownNoticesChanged, CalledNext: calledNext, NobodyCame: nobodyCame,

	HeadSigned: func(t teller) fault.Text {
		switch {
		case t.Data.Get("recovered").Bool() && t.get("checkpoint") == "":
			return fault.Textf("The trail is signed with a new key, %s; no checkpoint shows that it was whole before", fault.Verbatim(t.get("key")))
		case t.Data.Get("recovered").Bool():
			return fault.Textf("The trail is signed with a new key, %s; it begins with the checkpoint of %s events", fault.Verbatim(t.get("key")), t.get("checkpoint"))
		case t.get("key") != "":
			return fault.Textf("The trail is signed with the key %s", fault.Verbatim(t.get("key")))
		}
		return fault.Textf("The trail is signed from here on")
	},
	Restored: func(t teller) fault.Text {
		switch {
		case t.get("checkpoint") == "":
			return fault.Textf("Restored from a backup; there was no checkpoint that could say whether entries are missing")
		case t.get("missing") == "0":
			return fault.Textf("Restored from a backup; nothing is missing up to the checkpoint of %s entries", t.get("checkpoint"))
		}
		return fault.Textf("Restored from a backup that lacks the newest %s entries: the checkpoint signed at %s has %s", t.get("missing"), t.moment("signed_at"), t.get("checkpoint"))
	},
	SigningKeyPublished: func(t teller) fault.Text {
		return with(fault.Textf("Published the key %s that signs %s", t.or("key", ofTheServer), t.use()), "%s, from %s", t.moment("from"))
	},
	SigningKeyWithdrawn: func(t teller) fault.Text {
		return fault.Textf("Withdrew the key %s that signed %s", t.or("key", ofTheServer), t.use())
	},

	Exported: exported,
	Verified: func(t teller) fault.Text {
		if t.Data.Get("holds").Bool() {
			return fault.Textf("Verified the trail: %s entries hold", t.or("size", fault.Textf("all")))
		}
		return with(fault.Textf("Verified the trail: it doesn't hold"), "%s, %s", t.get("problem"))
	},
}
