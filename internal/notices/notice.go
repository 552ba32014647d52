package notices

import (
	"slices"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
)

// Kind is what a notice tells. It is the type of a webhook's payload, so a kind is never
// renamed.
type Kind string

const (
	Held      Kind = "request.held"      // it waits for a person
	Claimed   Kind = "request.claimed"   // somebody is on it
	Assigned  Kind = "request.assigned"  // somebody asked this person to decide it
	Mentioned Kind = "request.mentioned" // somebody mentioned this person in a comment
	Escalated Kind = "request.escalated" // nobody was on it in time
	Ending    Kind = "request.ending"    // most of its time is over, and nobody decided
	Decided   Kind = "request.decided"   // approved, denied, changes requested, blocked or cancelled
	Withdrawn Kind = "request.withdrawn" // approved, and a person took that back before it was used
	Expired   Kind = "request.expired"   // nobody decided: a no
	Proposed  Kind = "proposal.waiting"  // a change of the settings waits for another person
	Silent    Kind = "gate.silent"       // an agent's gate let a test through, or nothing is heard of it
	Disabled  Kind = "channel.disabled"  // a receiver does not want notices any more
	Test      Kind = "test"              // somebody pressed the button
)

// Kinds are those that a channel can be asked to tell of. Test is none: it goes where the
// button was pressed; nor are Assigned and Mentioned, which go to the person's own channels.
func Kinds() []Kind {
	return []Kind{Held, Escalated, Ending, Claimed, Decided, Withdrawn, Expired, Proposed, Silent, Disabled}
}

// Calls reports whether somebody is asked to come: people are told of it at once or never.
func (k Kind) Calls() bool { return k == Held || k == Escalated || k == Assigned || k == Ending }

// Ends reports whether a request is over by then.
func (k Kind) Ends() bool { return k == Decided || k == Withdrawn || k == Expired }

// Notice is one thing that is to be told.
type Notice struct {
	ID       string // "ntc_" + UUIDv7 in hex; the same however often it is sent
	Kind     Kind
	Approval string    // id; "" where it is about no request
	Subject  string    // the id of what else it is about: a proposal, a channel
	Only     string    // the channel that it is for; "": those that tell of its kind
	At       time.Time // of one in the outbox: from when on it is routed
}

// New returns a notice with a new id.
func New(k Kind) Notice { return Notice{ID: auth.NewID("ntc"), Kind: k} }

// finals are the events that end a request.
var finals = map[audit.Kind]Kind{
	audit.Approved: Decided, audit.Blocked: Decided, audit.Denied: Decided, audit.ChangesRequested: Decided, audit.Cancelled: Decided,
	audit.Expired: Expired,
}

// Of is what is to be told of the events of one transaction. A request that ended as it
// came in never waited, so nobody is told.
func Of(events ...audit.Event) (all []Notice) {
	came := map[string]bool{}
	for _, e := range events {
		if e.Kind == audit.Submitted {
			came[e.Approval] = true
		}
	}
	ended := func(id string) bool {
		return slices.ContainsFunc(events, func(e audit.Event) bool { return e.Approval == id && finals[e.Kind] != "" })
	}
	for _, e := range events {
		for _, person := range e.Data.Get(audit.Mentions).Elements() {
			n := New(Mentioned)
			n.Approval, n.Subject = e.Approval, person.Text()
			all = append(all, n)
		}
		n := Notice{Approval: e.Approval}
		switch k, final := finals[e.Kind]; {
		case final && !came[e.Approval]:
			n.Kind = k
		case e.Kind == audit.Submitted && !ended(e.Approval):
			n.Kind = Held
		case e.Kind == audit.GrantVoided && e.Actor.Kind == "person":
			n.Kind = Withdrawn
		case e.Kind == audit.Claimed:
			n.Kind = Claimed
		case e.Kind == audit.Assigned:
			n.Kind, n.Subject = Assigned, e.Data.Get("to").Text()
		case e.Kind == audit.PolicyProposed, e.Kind == audit.PeopleProposed:
			n.Kind, n.Subject = Proposed, e.Data.Get("proposal").Text()
		case e.Kind == audit.AgentBindingAsked:
			n.Kind, n.Subject = Proposed, e.Agent
		case e.Kind == audit.AgentSilent, e.Kind == audit.AgentCanary && e.Data.Get("failed").Text() != "" && !e.Data.Get("again").Bool():
			n.Kind, n.Subject = Silent, e.Agent
		case e.Kind == audit.ChannelDisabled:
			n.Kind, n.Subject = Disabled, e.Data.Get("channel").Text()
		default:
			continue
		}
		n.ID = auth.NewID("ntc")
		all = append(all, n)
	}
	return all
}

// ParseKinds reads what JoinKinds wrote; what is no kind is left out.
func ParseKinds(joined string) (kinds []Kind) {
	for _, k := range Kinds() {
		if slices.Contains(strings.Split(joined, ","), string(k)) {
			kinds = append(kinds, k)
		}
	}
	return kinds
}

// JoinKinds writes kinds as one text.
func JoinKinds(kinds []Kind) string {
	all := make([]string, len(kinds))
	for i, k := range kinds {
		all[i] = string(k)
	}
	return strings.Join(all, ",")
}
