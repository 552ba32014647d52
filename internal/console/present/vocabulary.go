package present

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/scoring/patterns"
	"github.com/countersign/countersign/internal/scoring/workspace"
	"github.com/countersign/countersign/views/texts"
)

// Words of the record and of the library that are drawn as words. A word that is not
// here (of another version of the program, or an organisation's own) is drawn as it is.

func Word[T ~string](say texts.Printer, table map[T]texts.Key, w T) string {
	if key, ok := table[w]; ok {
		return say.Key(key)
	}
	return string(w)
}

func SeverityWord(say texts.Printer, s patterns.Severity) string { return Word(say, severityWords, s) }

func ActionWord(say texts.Printer, a patterns.Action) string { return Word(say, actionWords, a) }

func CategoryWord(say texts.Printer, category string) string {
	return Word(say, categoryWords, category)
}

// FamilyWord is the first half of a kind of event, kindWord the second.
func FamilyWord(say texts.Printer, family string) string {
	if key, ok := familyWords[family]; ok {
		return say.Key(key)
	}
	return Sentence(strings.ReplaceAll(family, "_", " "))
}

func KindWord(say texts.Printer, k audit.Kind) string {
	if key, ok := kindWords[k]; ok {
		return say.Key(key)
	}
	_, rest, _ := strings.Cut(string(k), ".")
	return strings.ReplaceAll(rest, "_", " ")
}

var severityWords = map[patterns.Severity]texts.Key{
	patterns.Critical: texts.Key("critical"), patterns.High: texts.Key("high"), patterns.Medium: texts.Key("medium"), patterns.Low: texts.Key("low"),
}

var actionWords = map[patterns.Action]texts.Key{
	patterns.Block: texts.Key("block"), patterns.Redact: texts.Key("redact"), patterns.Confirm: texts.Key("confirm"),
	patterns.Warn: texts.Key("warn"), patterns.Log: texts.Key("log"), patterns.Allow: texts.Key("allow"),
}

var categoryWords = map[string]texts.Key{
	patterns.Secrets: texts.Key("Secrets"), patterns.PersonalData: texts.Key("Personal data"), patterns.Injection: texts.Key("Injection"), patterns.Exfiltration: texts.Key("Exfiltration"),
	patterns.Shell: texts.Key("Shell"), patterns.SQL: texts.Key("SQL"), patterns.Cloud: texts.Key("Cloud"), patterns.Kubernetes: texts.Key("Kubernetes"),
	patterns.Persistence: texts.Key("Persistence"), patterns.Privilege: texts.Key("Privilege"), patterns.Paths: texts.Key("Paths"), patterns.Custom: texts.Key("Custom"),
}

var familyWords = map[string]texts.Key{
	"sign_in": texts.Key("Sign-in"), "assessment": texts.Key("Assessment"), "agent_session": texts.Key("Session of an agent"), "approval": texts.Key("Request"), "challenge": texts.Key("Challenge"), "grant": texts.Key("Grant"),
	"tenant": texts.Key("Organisation"), "agent": texts.Key("Agent"), "enrolment": texts.Key("Enrolment"), "agents": texts.Key("Agents"), "tools": texts.Key("Tools"), "person": texts.Key("Person"), "people": texts.Key("People"), "waiting": texts.Key("Waiting changes"), "session": texts.Key("Session"),
	"execution": texts.Key("Execution"), "audit": texts.Key("Audit trail"), "trail": texts.Key("Trail"), "policy": texts.Key("Policy"), "standing_grant": texts.Key("Standing approval"), "signing_key": texts.Key("Signing key"), "notices": texts.Key("Notices"), "reasons": texts.Key("Reasons"),
}

var kindWords = map[audit.Kind]texts.Key{
	audit.TenantCreated: texts.Key("created"), audit.AgentCreated: texts.Key("created"), audit.EnrolmentOpened: texts.Key("opened"), audit.EnrolmentEnded: texts.Key("ended"), audit.AgentKeyRotated: texts.Key("key rotated"), audit.AgentKeyRevoked: texts.Key("key revoked"),
	audit.AgentKeyExpiry: texts.Key("key expiry set"), audit.AgentStopped: texts.Key("stopped"), audit.AgentStarted: texts.Key("started"), audit.AgentBound: texts.Key("binding changed"), audit.AgentDescribed: texts.Key("contact changed"), audit.AgentCanary: texts.Key("gate tried"), audit.AgentSilent: texts.Key("gate silent"),
	audit.AgentBindingAsked: texts.Key("binding requested"), audit.AgentBindingDropped: texts.Key("binding withdrawn"), audit.IncidentRecorded: texts.Key("incident recorded"),
	audit.ToolsImported: texts.Key("imported"), audit.ToolsRemoved: texts.Key("removed"), audit.AgentsStopped: texts.Key("stopped"), audit.AgentsResumed: texts.Key("resumed"), audit.PersonCreated: texts.Key("created"), audit.RolesGranted: texts.Key("roles granted"),
	audit.PersonInvited: texts.Key("invited"), audit.InviteWithdrawn: texts.Key("invitation withdrawn"), audit.InviteRefused: texts.Key("invitation failed"), audit.PersonJoined: texts.Key("joined"),
	audit.RolesChanged: texts.Key("roles changed"), audit.PersonRemoved: texts.Key("removed"), audit.ResetIssued: texts.Key("reset issued"), audit.PasswordChanged: texts.Key("password changed"),
	audit.PersonSuspended: texts.Key("suspended"), audit.PersonReinstated: texts.Key("reinstated"), audit.AwaySet: texts.Key("away"), audit.AwayEnded: texts.Key("back"), audit.PeopleProposed: texts.Key("proposed"), audit.PeopleAccepted: texts.Key("accepted"),
	audit.PeopleRejected: texts.Key("proposal rejected"), audit.PeopleWithdrawn: texts.Key("proposal withdrawn"), audit.WaitingOpened: texts.Key("opened"),
	audit.SinglePersonEnded: texts.Key("single-person mode ended"), audit.ModeStated: texts.Key("mode stated"),
	audit.SessionsRevoked: texts.Key("revoked"), audit.LinkIssued: texts.Key("link issued"), audit.SignedIn: texts.Key("succeeded"), audit.SignInRefused: texts.Key("refused"), audit.SignedOut: texts.Key("ended"),
	audit.AssessmentMade: texts.Key("created"), audit.SessionScoreRose: texts.Key("score rose"), audit.SessionAcknowledged: texts.Key("alert acknowledged"), audit.Submitted: texts.Key("submitted"), audit.Viewed: texts.Key("viewed"), audit.SectionRead: texts.Key("section read"), audit.Claimed: texts.Key("claimed"),
	audit.Released: texts.Key("released"), audit.Assigned: texts.Key("assigned"), audit.Extended: texts.Key("extended"), audit.QuestionAsked: texts.Key("question asked"), audit.QuestionAnswered: texts.Key("question answered"), audit.Commented: texts.Key("commented"), audit.ChallengeIssued: texts.Key("issued"), audit.ChallengePassed: texts.Key("passed"), audit.ChallengeFailed: texts.Key("failed"), audit.Signed: texts.Key("signed"),
	audit.Approved: texts.Key("approved"), audit.Blocked: texts.Key("blocked"), audit.Denied: texts.Key("denied"), audit.ChangesRequested: texts.Key("changes requested"), audit.Expired: texts.Key("expired"),
	audit.Cancelled: texts.Key("cancelled"), audit.Restated: texts.Key("restated"), audit.Edited: texts.Key("edited"), audit.GrantConsumed: texts.Key("used"), audit.GrantVoided: texts.Key("voided"),
	audit.Reported: texts.Key("reported"), audit.Exported: texts.Key("exported"), audit.Verified: texts.Key("verified"), audit.PolicyProposed: texts.Key("proposed"), audit.PolicyChanged: texts.Key("changed"), audit.ReasonsChanged: texts.Key("changed"),
	audit.ProposalRejected: texts.Key("proposal rejected"), audit.ProposalWithdrawn: texts.Key("proposal withdrawn"), audit.StandingCreated: texts.Key("created"), audit.StandingUsed: texts.Key("used"),
	audit.StandingRevoked: texts.Key("revoked"), audit.SigningKeyPublished: texts.Key("published"), audit.SigningKeyWithdrawn: texts.Key("withdrawn"), audit.HeadSigned: texts.Key("signed"), audit.Restored: texts.Key("restored"),
	audit.ChannelAdded: texts.Key("channel added"), audit.ChannelChanged: texts.Key("channel changed"), audit.ChannelRotated: texts.Key("secret rotated"), audit.ChannelPaused: texts.Key("channel paused"),
	audit.ChannelResumed: texts.Key("channel resumed"), audit.ChannelDisabled: texts.Key("channel disabled"), audit.ChannelRemoved: texts.Key("channel deleted"), audit.ChannelTested: texts.Key("channel tested"), audit.NoticesSay: texts.Key("detail changed"),
	audit.RoutingChanged: texts.Key("routing changed"), audit.OwnNoticesChanged: texts.Key("own notices changed"), audit.CalledNext: texts.Key("next called"), audit.NobodyCame: texts.Key("no one reached"),
}

// FindingWords are what speaks against running a file.
func FindingWords(say texts.Printer, f workspace.File) (all []string) {
	for _, one := range f.Findings {
		if key, known := findingKeys[one]; known {
			all = append(all, say.Key(key))
		}
	}
	if f.Foreign {
		all = append(all, say.Say("foreign: it was downloaded, cloned or unpacked"))
	}
	slices.Sort(all)
	return all
}

var findingKeys = map[workspace.Finding]texts.Key{
	workspace.Network: texts.Key("network: a client that is more than a plain download"),
	workspace.Outside: texts.Key("outside: secrets, the environment, or a change outside of the workspace"),
	workspace.Child:   texts.Key("child: a process that can't be inspected"),
	workspace.Hidden:  texts.Key("hidden: code that is decoded or put together, or a text that couldn't be computed"),
}
