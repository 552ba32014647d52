package store

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/tenants"
)

type policyRow struct {
	TenantID                     string
	Version                      int64
	Policy                       string // JSON
	CreatedAt                    time.Time
	Reason, AuthorID, AcceptedBy string
	SinglePerson                 bool
}

type proposalRow struct {
	TenantID, ProposalID     string
	Base                     int64
	Policy, Reason, AuthorID string
	Weakens                  string // JSON
	CreatedAt                time.Time
	State                    string
	ClosedAt                 *time.Time
	ClosedBy, Answer         string
}

func (policyRow) TableName() string   { return "policies" }
func (proposalRow) TableName() string { return "policy_proposals" }

func policyRowOf(tenant string, v tenants.PolicyVersion) (policyRow, error) {
	policy, err := v.Policy.Stored()
	if err != nil {
		return policyRow{}, fmt.Errorf("policy: %w", err)
	}
	return policyRow{
		TenantID: tenant, Version: v.Version, Policy: string(policy), CreatedAt: v.CreatedAt,
		Reason: v.Reason, AuthorID: v.Author.ID, AcceptedBy: v.Accepted.ID, SinglePerson: v.SinglePerson,
	}, nil
}

// readPolicy reads what policyRowOf wrote, by this program or by one that had fewer
// settings.
func readPolicy(stored string) (p scoring.Policy, err error) {
	without := scoring.DefaultPolicy() // where they are absent
	p.IdleLockMinutes, p.LongestExpirySeconds, p.RemindAtPercent = scoring.OldIdleLockMinutes, without.LongestExpirySeconds, without.RemindAtPercent
	if err := json.Unmarshal([]byte(stored), &p); err != nil {
		return p, fmt.Errorf("stored policy: %w", err)
	}
	return p.Tidy(), nil
}

func (t *tx) policyRow() (policyRow, error) {
	return once(t, &t.known.policy, func() (policyRow, error) {
		return one[policyRow](t.of("policies").Order("version DESC"), "no such organisation")
	})
}

// Policy is the tenant's current policy and its version.
func (t *tx) Policy() (p scoring.Policy, version int64, err error) {
	row, err := t.policyRow()
	if err != nil {
		return p, 0, err
	}
	p, err = once(t, &t.known.parsed, func() (scoring.Policy, error) { return readPolicy(row.Policy) })
	return p, row.Version, err
}

// PolicyVersion returns one version of the policy.
func (t *tx) PolicyVersion(version int64) (tenants.PolicyVersion, error) {
	row, err := one[policyRow](t.of("policies").Where("version = ?", version), "no such version of the policy")
	if err != nil {
		return tenants.PolicyVersion{}, err
	}
	all, err := t.policyVersions([]policyRow{row})
	if err != nil {
		return tenants.PolicyVersion{}, err
	}
	return all[0], nil
}

// PolicyVersions lists versions, newest first.
func (t *tx) PolicyVersions(before int64, limit int) ([]tenants.PolicyVersion, error) {
	q := t.of("policies")
	if before > 0 {
		q = q.Where("version < ?", before)
	}
	var rows []policyRow
	if err := q.Order("version DESC").Limit(limit).Find(&rows).Error; err != nil {
		return nil, err
	}
	return t.policyVersions(rows)
}

func (t *tx) policyVersions(rows []policyRow) ([]tenants.PolicyVersion, error) {
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
			SinglePerson: r.SinglePerson, Waited: slices.Contains(waited, r.Version-1), CreatedAt: stamp(r.CreatedAt),
		}
		if all[i].Policy, err = readPolicy(r.Policy); err != nil {
			return nil, fmt.Errorf("version %d: %w", r.Version, err)
		}
	}
	return all, nil
}

// waited are the versions from which proposals were made that became the next one because
// their waiting time had passed.
func (t *tx) waited(rows []policyRow) (bases []int64, err error) {
	if len(rows) == 0 {
		return nil, nil
	}
	from := make([]int64, len(rows))
	for i, r := range rows {
		from[i] = r.Version - 1
	}
	err = t.of("policy_proposals").Where("base IN ? AND state = ? AND closed_by = ''", from, string(tenants.ProposalAccepted)).Pluck("base", &bases).Error
	return bases, err
}

// people are those of these ids; one that is not known any more has its id only.
func (t *tx) people(ids []string) (map[string]auth.Person, error) {
	known := map[string]auth.Person{}
	for _, id := range ids {
		if id != "" {
			known[id] = auth.Person{ID: id}
		}
	}
	if len(known) == 0 {
		return known, nil
	}
	var rows []personRow
	err := t.db.Table("people").Where("person_id IN ?", ids).Find(&rows).Error
	for _, r := range rows {
		known[r.PersonID] = r.person()
	}
	return known, err
}

// CreatePolicy stores a version; of two who make the same one wins.
func (t *tx) CreatePolicy(v tenants.PolicyVersion) error {
	row, err := policyRowOf(t.tenant, v)
	if err != nil {
		return err
	}
	if err := classify(t.db.Create(&row).Error); fault.Is(err, fault.AlreadyExists) {
		return fault.New(fault.Changed, "someone else saved version %s of the policy first; check it, then make your change again", strconv.FormatInt(v.Version, 10))
	} else if err != nil {
		return err
	}
	return nil
}

// Proposal returns one proposal.
func (t *tx) Proposal(id string) (tenants.Proposal, error) {
	row, err := one[proposalRow](t.of("policy_proposals").Where("proposal_id = ?", id), "no such proposal")
	if err != nil {
		return tenants.Proposal{}, err
	}
	all, err := t.proposals([]proposalRow{row})
	if err != nil {
		return tenants.Proposal{}, err
	}
	return all[0], nil
}

// Proposals lists the open ones, oldest first.
func (t *tx) Proposals() ([]tenants.Proposal, error) {
	var rows []proposalRow
	err := t.of("policy_proposals").Where("state = ?", string(tenants.ProposalOpen)).Order("proposal_id").Limit(tenants.MaxProposals).Find(&rows).Error
	if err != nil {
		return nil, err
	}
	return t.proposals(rows)
}

func (t *tx) proposals(rows []proposalRow) ([]tenants.Proposal, error) {
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
			ID: r.ProposalID, Base: r.Base, Reason: r.Reason, Author: people[r.AuthorID], CreatedAt: stamp(r.CreatedAt),
			State: tenants.ProposalState(r.State), ClosedAt: stampPointer(r.ClosedAt), ClosedBy: people[r.ClosedBy], Answer: r.Answer,
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
func (t *tx) CreateProposal(p tenants.Proposal) error {
	policy, err := p.Policy.Stored()
	if err != nil {
		return fmt.Errorf("policy: %w", err)
	}
	weakens, err := encode(p.Weakens)
	if err != nil {
		return err
	}
	row := proposalRow{
		TenantID: t.tenant, ProposalID: p.ID, Base: p.Base, Policy: string(policy), Reason: p.Reason, AuthorID: p.Author.ID,
		Weakens: weakens, CreatedAt: stamp(p.CreatedAt), State: string(tenants.ProposalOpen),
	}
	return classify(t.db.Create(&row).Error)
}

// CloseProposal ends an open proposal, once.
func (t *tx) CloseProposal(p tenants.Proposal) error {
	ended := t.of("policy_proposals").Where("proposal_id = ? AND state = ?", p.ID, string(tenants.ProposalOpen)).
		Updates(map[string]any{"state": string(p.State), "closed_at": t.now, "closed_by": p.ClosedBy.ID, "answer": p.Answer})
	return changed(ended, fault.New(fault.Changed, "this proposal isn't open any more"))
}
