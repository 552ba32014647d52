package reconcile

import (
	"encoding/json"
	"fmt"
	"strings"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/store/logstate"
	"github.com/countersign/countersign/internal/store/organisation"
	"github.com/countersign/countersign/internal/store/tables"
	"github.com/countersign/countersign/internal/tenants"
)

// policyBatch is how many versions are held against their events at once.
const policyBatch = 50

// verifyPolicies holds every version of the policy, and every proposal, against
// its events, as verifyApprovals does with approvals.
func (t Checks) verifyPolicies(size int64) (at int64, problem string, err error) {
	if at, problem, err = t.verifyVersions(size); err != nil || problem != "" {
		return at, problem, err
	}
	return t.verifyProposals(size)
}

// verifyVersions walks the events that made versions: they count up without gaps,
// and each says what is stored.
func (t Checks) verifyVersions(size int64) (at int64, problem string, err error) {
	last, version := int64(-1), int64(0)
	for {
		events, err := t.EventsIn(t.Of("audit_events").Where("idx > ? AND kind IN ?", last, []audit.Kind{audit.TenantCreated, audit.PolicyChanged}).Order("idx"), policyBatch)
		if err != nil {
			return 0, "", err
		}
		var rows []organisation.PolicyRow
		err = t.Of("policies").Where("version > ? AND version <= ?", version, version+int64(len(events))).Order("version").Find(&rows).Error
		if err != nil {
			return 0, "", err
		}
		for i, e := range events {
			last, version = e.Index, version+1
			if i >= len(rows) || rows[i].Version != version {
				return e.Index, fmt.Sprintf("version %d of the policy was created but is missing from the database", version), nil
			}
			if problem := policyMismatch(rows[i], e); problem != "" {
				return e.Index, fmt.Sprintf("version %d of the policy: %s", version, problem), nil
			}
		}
		if len(events) < policyBatch {
			break
		}
	}
	var more []int64
	if err := t.Of("policies").Where("version > ? OR version < 1", version).Order("version").Limit(1).Pluck("version", &more).Error; err != nil {
		return 0, "", err
	}
	if len(more) > 0 {
		return size, fmt.Sprintf("version %d of the policy is in the database, but no event says that it was created", more[0]), nil
	}
	return 0, "", nil
}

// policyMismatch names the first thing that a version has otherwise than the event
// that made it.
func policyMismatch(r organisation.PolicyRow, e audit.Event) string {
	number, of := e.Data.Get("version"), fmt.Sprint(r.Version)
	if e.Kind == audit.TenantCreated {
		number = e.Data.Get("policy_version")
	}
	logged := []comparison{
		{"number", of, number.Number()},
		{"policy", tables.SHA256(r.Policy), e.Data.Get("policy_sha256").Text()},
		{"time", tables.Instant(&r.CreatedAt), audit.FormatTime(e.At)},
		{"reason", r.Reason, e.Data.Get("reason").Text()},
		{"author", r.AuthorID, e.Data.Get("author").Text()},
		{"accepter", r.AcceptedBy, e.Data.Get("accepted_by").Text()},
		{"single person", fmt.Sprint(r.SinglePerson), fmt.Sprint(e.Data.Get("single_person").Bool())},
	}
	if e.Kind == audit.TenantCreated { // logs from before there was a second version say neither
		if number.IsAbsent() {
			logged[0].logged = of
		}
		if e.Data.Get("policy_sha256").IsAbsent() {
			logged[1].logged = logged[1].stored
		}
	}
	return firstDifference(logged)
}

// comparison is one thing as a table and an event have it.
type comparison struct{ what, stored, logged string }

func firstDifference(all []comparison) string {
	for _, c := range all {
		if c.stored != c.logged {
			return fmt.Sprintf("the stored %s is %.80q, but its event says %.80q", c.what, c.stored, c.logged)
		}
	}
	return ""
}

// verifyProposals keeps one short text for each proposal: people write them, and
// somebody reads them.
func (t Checks) verifyProposals(size int64) (at int64, problem string, err error) {
	logged := map[string]*logstate.Proposal{}
	if err := t.EachEvent(func(e audit.Event) { logstate.ApplyProposal(logged, e) }, "kind IN ?", logstate.PolicyProposalKinds); err != nil {
		return 0, "", err
	}
	return t.proposalsMismatch(logged, false, size)
}

// openOf are the rows of a table of proposals that are compared.
func (t Checks) openOf(table string, openOnly bool) *gorm.DB {
	if openOnly {
		return t.Of(table).Where("state = ?", string(tenants.ProposalOpen))
	}
	return t.Of(table)
}

// proposalsMismatch names the first thing that the table has otherwise than what is logged, of
// which it leaves nothing; openOnly: of those that are open.
func (t Checks) proposalsMismatch(logged map[string]*logstate.Proposal, openOnly bool, size int64) (at int64, problem string, err error) {
	last := ""
	for {
		var rows []organisation.ProposalRow
		if err := t.openOf("policy_proposals", openOnly).Where("proposal_id > ?", last).Order("proposal_id").Limit(policyBatch).Find(&rows).Error; err != nil {
			return 0, "", err
		}
		for _, r := range rows {
			last = r.ProposalID
			e := logged[r.ProposalID]
			if e == nil {
				return size, fmt.Sprintf("the proposal %s is in the database, but no event says that it was created", r.ProposalID), nil
			}
			delete(logged, r.ProposalID)
			opened, closed := loggedProposal(r)
			if problem := firstDifference([]comparison{{"beginning", opened, e.Opened}, {"end", closed, e.Closed}}); problem != "" {
				return e.At, fmt.Sprintf("the proposal %s: %s", r.ProposalID, problem), nil
			}
		}
		if len(rows) < policyBatch {
			break
		}
	}
	for id, e := range logged {
		return e.At, fmt.Sprintf("the proposal %s was created but is missing from the database", id), nil
	}
	return 0, "", nil
}

// loggedProposal is the row in the words of its events.
func loggedProposal(r organisation.ProposalRow) (opened, closed string) {
	var weakens []string
	_ = json.Unmarshal([]byte(r.Weakens), &weakens) // what is no list weakens nothing, and is logged otherwise
	opened = logstate.Joined(fmt.Sprint(r.Base), tables.SHA256(r.Policy), r.AuthorID, tables.Instant(&r.CreatedAt), r.Reason, logstate.Weakening(len(weakens)))
	if r.State == string(tenants.ProposalOpen) {
		return opened, strings.Trim(logstate.Joined(tables.Instant(r.ClosedAt), r.ClosedBy, r.Answer), " ")
	}
	return opened, logstate.Joined(r.State, r.ClosedBy, tables.Instant(r.ClosedAt), r.Answer)
}
