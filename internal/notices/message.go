package notices

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/deciders"
)

// What a notice says. It is made anew for each attempt, from what the database has then: so
// what an organisation stopped telling is not told by a retry.

// message is what a notice says to a channel; a is nil where it is about no request.
func message(base, tenant string, n Notice, to Channel, a *approvals.Approval, more bool, now time.Time) (Message, error) {
	m := Message{ID: n.ID, Kind: n.Kind, Tenant: tenant, At: n.At, Now: now, Approval: n.Approval, Link: base + link(tenant, n, to)}
	if a == nil {
		m.Title = general(n).String()
		return m, nil
	}
	m.Status, m.Level, m.Agent, m.Expires = string(a.Status), a.Assessment.Level.String(), a.Agent.Name, a.ExpiresAt
	m.Title = about(n.Kind, *a).String()
	if n.Kind == Ending {
		m.Title = ending(*a, now).String()
	}
	if !more || asks(*a) {
		return m, nil
	}
	action, err := a.Parsed()
	if err != nil {
		return m, fmt.Errorf("approval %s: %w", a.ID, err)
	}
	m.More = &More{Sentence: scoring.MaskText(action.Headline(a.Assessment).Text), Reason: scoring.MaskText(action.Justification()), Needs: deciders.Missing(a.Needed).String()}
	if target, specific := action.Target(a.Assessment); specific {
		m.More.Target = scoring.MaskText(target)
	}
	return m, nil
}

// asks reports whether an operator has to answer questions about the request. Then every
// value of it can be one that is asked for.
func asks(a approvals.Approval) bool { return a.Treatment.Challenge == scoring.ChallengeQuiz }

// link is the page to which a notice leads a reader of a channel. GET on it changes nothing.
func link(tenant string, n Notice, to Channel) string {
	at := "/t/" + url.PathEscape(tenant)
	switch {
	case n.Approval != "":
		return at + "/approvals/" + url.PathEscape(n.Approval)
	case n.Kind == Proposed && strings.HasPrefix(n.Subject, "agt_"):
		return at + "/settings/agents/" + url.PathEscape(n.Subject)
	case n.Kind == Silent:
		return at + "/agents/" + url.PathEscape(n.Subject)
	case n.Kind == Proposed:
		return at + "/settings/waiting"
	case to.Person != "": // they need not be one who may read the settings
		return at + "/account/notices"
	case strings.HasPrefix(n.Subject, "chn_"):
		return at + "/settings/notices/channels/" + url.PathEscape(n.Subject)
	}
	return at + "/settings/notices"
}

// general is the title of what is about no request.
func general(n Notice) fault.Text {
	switch n.Kind {
	case Proposed:
		return fault.Textf("A settings change is waiting for another person")
	case Silent:
		return fault.Textf("An agent's gate is silent: it failed its test, or no call came for a day")
	case Disabled:
		return fault.Textf("A channel was disabled: its receiver asked for no more notices")
	}
	return fault.Textf("This is a test. Countersign's notices will arrive here")
}

// ending says before a request ends what happens then.
func ending(a approvals.Approval, now time.Time) fault.Text {
	return fault.Textf("%s request from %s ends in %s; with no decision it is denied", a.Assessment.Level.String(), a.Agent.Name, left(a.ExpiresAt.Sub(now)))
}

// about is the title of what is about a request: its level and its agent.
func about(k Kind, a approvals.Approval) fault.Text {
	level, agent := a.Assessment.Level.String(), a.Agent.Name
	switch k {
	case Held:
		return fault.Textf("%s request from %s is waiting for a decision", level, agent)
	case Escalated:
		return fault.Textf("No one has claimed the %s request from %s", level, agent)
	case Assigned:
		return fault.Textf("%s request from %s is assigned to you", level, agent)
	case Mentioned:
		return fault.Textf("You were mentioned in a comment on the %s request from %s", level, agent)
	case Claimed:
		return fault.Textf("Someone has claimed the %s request from %s", level, agent)
	case Withdrawn:
		return fault.Textf("The approval of the %s request from %s was withdrawn", level, agent)
	case Expired:
		return fault.Textf("%s request from %s expired: no one decided", level, agent)
	}
	switch a.Status {
	case approvals.Approved:
		return fault.Textf("%s request from %s was approved", level, agent)
	case approvals.Denied:
		return fault.Textf("%s request from %s was denied", level, agent)
	case approvals.ChangesRequested:
		return fault.Textf("Changes were requested for the %s request from %s", level, agent)
	case approvals.Cancelled:
		if a.Superseded() {
			return fault.Textf("%s request from %s was superseded by a newer one", level, agent)
		}
		return fault.Textf("%s request from %s was cancelled by the agent", level, agent)
	}
	return fault.Textf("%s request from %s was blocked", level, agent)
}
