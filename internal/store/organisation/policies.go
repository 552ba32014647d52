package organisation

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/store/tables"
	"github.com/countersign/countersign/internal/tenants"
)

// PolicyRow is a row of policies.
type PolicyRow struct {
	TenantID                     string
	Version                      int64
	Policy                       string // JSON
	CreatedAt                    time.Time
	Reason, AuthorID, AcceptedBy string
	SinglePerson                 bool
}

// ProposalRow is a row of policy_proposals.
type ProposalRow struct {
	TenantID, ProposalID     string
	Base                     int64
	Policy, Reason, AuthorID string
	Weakens                  string // JSON
	CreatedAt                time.Time
	State                    string
	ClosedAt                 *time.Time
	ClosedBy, Answer         string
}

func (PolicyRow) TableName() string   { return "policies" }
func (ProposalRow) TableName() string { return "policy_proposals" }

// PolicyRowOf is a version as it is stored.
func PolicyRowOf(tenant string, v tenants.PolicyVersion) (PolicyRow, error) {
	policy, err := v.Policy.Stored()
	if err != nil {
		return PolicyRow{}, fmt.Errorf("policy: %w", err)
	}
	return PolicyRow{
		TenantID: tenant, Version: v.Version, Policy: string(policy), CreatedAt: v.CreatedAt,
		Reason: v.Reason, AuthorID: v.Author.ID, AcceptedBy: v.Accepted.ID, SinglePerson: v.SinglePerson,
	}, nil
}

// readPolicy reads what PolicyRowOf wrote, by this program or by one that had fewer
// settings.
func readPolicy(stored string) (p scoring.Policy, err error) {
	without := scoring.DefaultPolicy() // where they are absent
	p.IdleLockMinutes, p.LongestExpirySeconds, p.RemindAtPercent = scoring.OldIdleLockMinutes, without.LongestExpirySeconds, without.RemindAtPercent
	if err := json.Unmarshal([]byte(stored), &p); err != nil {
		return p, fmt.Errorf("stored policy: %w", err)
	}
	return p.Tidy(), nil
}

// NewestPolicy is the row of the version in force.
func (t Organisation) NewestPolicy() *tables.Rows[PolicyRow] {
	return tables.Want[PolicyRow](t.Tx, "policies newest", nil, "policies", " ORDER BY version DESC LIMIT 1")
}

// PolicyRow is the version in force.
func (t Organisation) PolicyRow() (row PolicyRow, err error) {
	rows, err := t.NewestPolicy().Read(t.Tx)
	if err == nil && len(rows) == 0 {
		err = fault.New(fault.Missing, "no such organisation")
	}
	if err != nil {
		return row, err
	}
	return rows[0], nil
}

// Policy is the tenant's current policy and its version.
func (t Organisation) Policy() (p scoring.Policy, version int64, err error) {
	row, err := t.PolicyRow()
	if err != nil {
		return p, 0, err
	}
	p, err = tables.Once(t.Tx, "parsed policy", []string{"policies"}, func() (scoring.Policy, error) { return readPolicy(row.Policy) })
	return p, row.Version, err
}

// PolicyVersion returns one version of the policy.
func (t Organisation) PolicyVersion(version int64) (tenants.PolicyVersion, error) {
	row, err := tables.One[PolicyRow](t.Of("policies").Where("version = ?", version), "no such version of the policy")
	if err != nil {
		return tenants.PolicyVersion{}, err
	}
	all, err := t.policyVersions([]PolicyRow{row})
	if err != nil {
		return tenants.PolicyVersion{}, err
	}
	return all[0], nil
}

// PolicyVersions lists versions, newest first.
func (t Organisation) PolicyVersions(before int64, limit int) ([]tenants.PolicyVersion, error) {
	q := t.Of("policies")
	if before > 0 {
		q = q.Where("version < ?", before)
	}
	var rows []PolicyRow
	if err := q.Order("version DESC").Limit(limit).Find(&rows).Error; err != nil {
		return nil, err
	}
	return t.policyVersions(rows)
}

func (t Organisation) policyVersions(rows []PolicyRow) ([]tenants.PolicyVersion, error) {
	var ids []string
	for _, r := range rows {
		ids = append(ids, r.AuthorID, r.AcceptedBy)
	}
	people, err := t.people(ids)
	if err != nil {
		return nil, err
	}
	waited, err := t.waited(rows)
	if err != nil {
		return nil, err
	}
	all := make([]tenants.PolicyVersion, len(rows))
	for i, r := range rows {
		all[i] = tenants.PolicyVersion{
			Version: r.Version, Reason: r.Reason, Author: people[r.AuthorID], Accepted: people[r.AcceptedBy],
			SinglePerson: r.SinglePerson, Waited: slices.Contains(waited, r.Version-1), CreatedAt: tables.Stamp(r.CreatedAt),
		}
		if all[i].Policy, err = readPolicy(r.Policy); err != nil {
			return nil, fmt.Errorf("version %d: %w", r.Version, err)
		}
	}
	return all, nil
}

// waited are the versions from which proposals were made that became the next one because
// their waiting time had passed.
func (t Organisation) waited(rows []PolicyRow) (bases []int64, err error) {
	if len(rows) == 0 {
		return nil, nil
	}
	from := make([]int64, len(rows))
	for i, r := range rows {
		from[i] = r.Version - 1
	}
	err = t.Of("policy_proposals").Where("base IN ? AND state = ? AND closed_by = ''", from, string(tenants.ProposalAccepted)).Pluck("base", &bases).Error
	return bases, err
}

// people are those of these ids; one that is not known any more has its id only.
func (t Organisation) people(ids []string) (map[string]auth.Person, error) {
	known := map[string]auth.Person{}
	for _, id := range ids {
		if id != "" {
			known[id] = auth.Person{ID: id}
		}
	}
	if len(known) == 0 {
		return known, nil
	}
	var rows []PersonRow
	err := t.DB.Table("people").Where("person_id IN ?", ids).Find(&rows).Error
	for _, r := range rows {
		known[r.PersonID] = r.Person()
	}
	return known, err
}

// CreatePolicy stores a version; of two who make the same one wins.
func (t Organisation) CreatePolicy(v tenants.PolicyVersion) error {
	row, err := PolicyRowOf(t.Tenant, v)
	if err != nil {
		return err
	}
	if err := tables.Classify(t.DB.Create(&row).Error); fault.Is(err, fault.AlreadyExists) {
		return fault.New(fault.Changed, "someone else saved version %s of the policy first; check it, then make your change again", strconv.FormatInt(v.Version, 10))
	} else if err != nil {
		return err
	}
	return nil
}

// Proposal returns one proposal.
func (t Organisation) Proposal(id string) (tenants.Proposal, error) {
	row, err := tables.One[ProposalRow](t.Of("policy_proposals").Where("proposal_id = ?", id), "no such proposal")
	if err != nil {
		return tenants.Proposal{}, err
	}
	all, err := t.proposals([]ProposalRow{row})
	if err != nil {
		return tenants.Proposal{}, err
	}
	return all[0], nil
}

// Proposals lists the open ones, oldest first.
func (t Organisation) Proposals() ([]tenants.Proposal, error) {
	var rows []ProposalRow
	err := t.Of("policy_proposals").Where("state = ?", string(tenants.ProposalOpen)).Order("proposal_id").Limit(tenants.MaxProposals).Find(&rows).Error
	if err != nil {
		return nil, err
	}
	return t.proposals(rows)
}

func (t Organisation) proposals(rows []ProposalRow) ([]tenants.Proposal, error) {
	var ids []string
	for _, r := range rows {
		ids = append(ids, r.AuthorID, r.ClosedBy)
	}
	people, err := t.people(ids)
	if err != nil {
		return nil, err
	}
	all := make([]tenants.Proposal, len(rows))
	for i, r := range rows {
		p := tenants.Proposal{
			ID: r.ProposalID, Base: r.Base, Reason: r.Reason, Author: people[r.AuthorID], CreatedAt: tables.Stamp(r.CreatedAt),
			State: tenants.ProposalState(r.State), ClosedAt: tables.StampPointer(r.ClosedAt), ClosedBy: people[r.ClosedBy], Answer: r.Answer,
		}
		if p.Policy, err = readPolicy(r.Policy); err != nil {
			return nil, fmt.Errorf("proposal %s: %w", r.ProposalID, err)
		}
		if err := json.Unmarshal([]byte(r.Weakens), &p.Weakens); err != nil {
			return nil, fmt.Errorf("stored proposal %s: %w", r.ProposalID, err)
		}
		all[i] = p
	}
	return all, nil
}

// CreateProposal stores an open proposal.
func (t Organisation) CreateProposal(p tenants.Proposal) error {
	policy, err := p.Policy.Stored()
	if err != nil {
		return fmt.Errorf("policy: %w", err)
	}
	weakens, err := tables.JSON(p.Weakens)
	if err != nil {
		return err
	}
	row := ProposalRow{
		TenantID: t.Tenant, ProposalID: p.ID, Base: p.Base, Policy: string(policy), Reason: p.Reason, AuthorID: p.Author.ID,
		Weakens: weakens, CreatedAt: tables.Stamp(p.CreatedAt), State: string(tenants.ProposalOpen),
	}
	return tables.Classify(t.DB.Create(&row).Error)
}

// CloseProposal ends an open proposal, once.
func (t Organisation) CloseProposal(p tenants.Proposal) error {
	ended := t.Of("policy_proposals").Where("proposal_id = ? AND state = ?", p.ID, string(tenants.ProposalOpen)).
		Updates(map[string]any{"state": string(p.State), "closed_at": t.At, "closed_by": p.ClosedBy.ID, "answer": p.Answer})
	return tables.Changed(ended, fault.New(fault.Changed, "this proposal isn't open any more"))
}
