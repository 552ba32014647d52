package logstate

import (
	"strings"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/tenants"
)

// Proposal is what the events say about one proposal.
type Proposal struct {
	At     int64 // of the last event
	Opened string
	Closed string
}

// StillOpen are those that nobody closed.
func StillOpen(logged map[string]*Proposal) map[string]*Proposal {
	open := map[string]*Proposal{}
	for id, p := range logged {
		if p.Closed == "" {
			open[id] = p
		}
	}
	return open
}

// PolicyProposalKinds are what a proposal of a policy follows from.
var PolicyProposalKinds = []audit.Kind{audit.PolicyProposed, audit.PolicyChanged, audit.ProposalRejected, audit.ProposalWithdrawn}

// ApplyProposal adds one event.
func ApplyProposal(logged map[string]*Proposal, e audit.Event) {
	id := e.Data.Get("proposal").Text()
	p := logged[id]
	switch {
	case id == "": // a version that nobody proposed
	case e.Kind == audit.PolicyProposed:
		logged[id] = &Proposal{At: e.Index, Opened: Joined(e.Data.Get("base").Number(), e.Data.Get("policy_sha256").Text(), e.Actor.ID, audit.FormatTime(e.At), e.Data.Get("reason").Text(), Weakening(e.Data.Get("weakens").Len()))}
	case p != nil:
		p.At, p.Closed = e.Index, Joined(proposalEnds[e.Kind], e.Actor.ID, audit.FormatTime(e.At), answer(e.Kind, e.Data))
	}
}

// proposalEnds says which state an event leaves.
var proposalEnds = map[audit.Kind]string{
	audit.PolicyChanged: string(tenants.ProposalAccepted), audit.ProposalRejected: string(tenants.ProposalRejected), audit.ProposalWithdrawn: string(tenants.ProposalWithdrawn),
}

// answer is why a proposal was rejected; the reason of a version is its author's.
func answer(k audit.Kind, data canon.Value) string {
	if k == audit.ProposalRejected {
		return data.Get("reason").Text()
	}
	return ""
}

// Weakening says whether a proposal weakens anything; an event may have less of it than the
// table.
func Weakening(settings int) string {
	if settings > 0 {
		return "weakens"
	}
	return "weakens nothing"
}

// Joined is one text of several, as rows and events are compared.
func Joined(parts ...string) string { return strings.Join(parts, " ") }
