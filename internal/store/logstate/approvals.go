package logstate

import (
	"maps"
	"slices"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
)

// Finals says which status an event leaves.
var Finals = map[audit.Kind]approvals.Status{
	audit.Approved: approvals.Approved, audit.Blocked: approvals.Blocked, audit.Denied: approvals.Denied,
	audit.ChangesRequested: approvals.ChangesRequested, audit.Expired: approvals.Expired, audit.Cancelled: approvals.Cancelled,
}

// ApprovalKinds are the kinds that say how an approval was asked for and decided: a handful for each.
var ApprovalKinds = append(slices.Collect(maps.Keys(Finals)), audit.Submitted, audit.Restated, audit.Edited, audit.Extended, audit.Signed, audit.GrantConsumed, audit.GrantVoided, audit.Reported)

// ReviewKinds are the kinds that say how it was read.
var ReviewKinds = []audit.Kind{audit.Viewed, audit.SectionRead, audit.ChallengeIssued, audit.ChallengePassed, audit.ChallengeFailed, audit.Signed, audit.Approved}
