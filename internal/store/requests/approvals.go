package requests

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/store/drivers"
	"github.com/countersign/countersign/internal/store/tables"
)

// ApprovalRow is a row of approvals.
type ApprovalRow struct {
	TenantID, ApprovalID           string
	AgentID, AgentName, AgentOwner string
	Revises                        string
	IdempotencyKey                 *string
	BodyHash                       string
	Action, Digest, ShownDigest    string
	Carried                        string // JSON
	CallNumber                     int64
	Function, SessionID            string
	CreatedAt, ExpiresAt           time.Time
	Extended                       int64 // 1: extensions has it
	Status                         string
	Version, LevelRank             int64
	Assessment, Treatment          string // JSON
	PolicyVersion                  int64
}

type decisionRow struct {
	TenantID, ApprovalID, Verdict, Reason string
	DecidedAt                             time.Time
	DecidedBy                             string  // JSON
	Evidence                              *string // JSON
}

type grantRow struct {
	TenantID, ApprovalID, GrantID, Token string
	ExpiresAt                            time.Time
	ConsumedAt                           *time.Time
	ConsumeKey                           string
	VoidedAt                             *time.Time
	VoidReason                           string
}

type executionRow struct {
	TenantID, ApprovalID, Status, Detail string
	ReportedAt                           time.Time
}

func (ApprovalRow) TableName() string  { return "approvals" }
func (decisionRow) TableName() string  { return "decisions" }
func (grantRow) TableName() string     { return "grants" }
func (executionRow) TableName() string { return "executions" }

func rowOf(a approvals.Approval, key, bodyHash string) (ApprovalRow, error) {
	r := ApprovalRow{
		TenantID: a.Tenant, ApprovalID: a.ID, AgentID: a.Agent.ID, AgentName: a.Agent.Name, AgentOwner: a.Agent.Owner,
		Revises: a.Revises, BodyHash: bodyHash, Action: string(a.Action), Digest: a.Digest, ShownDigest: a.ShownDigest,
		CallNumber: int64(a.CallNumber), Function: a.Function, SessionID: a.Session,
		CreatedAt: tables.Stamp(a.CreatedAt), ExpiresAt: tables.Stamp(a.ExpiresAt), Status: string(a.Status), Version: a.Version,
		LevelRank: int64(a.Assessment.Level), PolicyVersion: a.PolicyVersion,
	}
	if key != "" {
		r.IdempotencyKey = &key
	}
	var err error
	if r.Carried, err = tables.JSON(a.Carried); err != nil {
		return r, err
	}
	if r.Assessment, err = tables.JSON(a.Assessment); err != nil {
		return r, err
	}
	r.Treatment, err = tables.JSON(a.Treatment)
	return r, err
}

// Kept is what no other event tells: what repeats a submission, and what was masked.
func (r ApprovalRow) Kept() []string {
	return []string{tables.Text(r.IdempotencyKey), r.BodyHash, r.Carried}
}

func (r ApprovalRow) approval() (approvals.Approval, error) {
	a := approvals.Approval{
		Tenant: r.TenantID, ID: r.ApprovalID, Revises: r.Revises,
		Agent:  approvals.Agent{ID: r.AgentID, Name: r.AgentName, Owner: r.AgentOwner},
		Action: []byte(r.Action), Digest: r.Digest, ShownDigest: r.ShownDigest,
		CallNumber: int(r.CallNumber), Function: r.Function, Session: r.SessionID,
		Status: approvals.Status(r.Status), Version: r.Version, PolicyVersion: r.PolicyVersion,
		CreatedAt: tables.Stamp(r.CreatedAt), ExpiresAt: tables.Stamp(r.ExpiresAt),
	}
	for _, part := range []struct {
		text string
		into any
	}{{r.Carried, &a.Carried}, {r.Assessment, &a.Assessment}, {r.Treatment, &a.Treatment}} {
		if err := json.Unmarshal([]byte(part.text), part.into); err != nil {
			return a, fmt.Errorf("stored approval %s: %w", r.ApprovalID, err)
		}
	}
	a.Assessment.Treatment = a.Treatment // kept once
	return a, nil
}

func (t Requests) row(id string) *tables.Rows[ApprovalRow] {
	return about[ApprovalRow](t, "approvals", []string{id}, nil)
}

// whole are one approval and everything that may belong to it.
func (t Requests) whole(id string) (*tables.Rows[ApprovalRow], *belongings) {
	one := []string{id}
	return t.row(id), t.belongings(one, one, one, one)
}

// Approval returns one approval with everything that belongs to it.
func (t Requests) Approval(id string) (a approvals.Approval, err error) {
	rows, of := t.whole(id)
	err = t.Fetch(append(of.parts, rows)...)
	if errors.Is(err, drivers.ErrNoText) || err == nil && len(rows.Found) == 0 { // nothing can have such a name
		return a, fault.New(fault.Missing, "no such approval")
	}
	if err != nil {
		return a, err
	}
	all, err := read(rows.Found)
	if err != nil {
		return a, err
	}
	err = of.complete(all)
	return all[0], err
}

// ApprovalsOf returns those of these approvals that there are.
func (t Requests) ApprovalsOf(ids []string) (all []approvals.Approval, err error) {
	for some := range slices.Chunk(ids, readAtOnce) {
		var rows []ApprovalRow
		if err := t.Of("approvals").Where("approval_id IN ?", some).Find(&rows).Error; err != nil {
			return nil, err
		}
		page, err := t.Complete(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, page...)
	}
	return all, nil
}

// readAtOnce is how many ids stand in one statement.
const readAtOnce = 500

// ApprovalByKey returns what an agent submitted with this idempotency key.
func (t Requests) ApprovalByKey(agent, key string) (approvals.Approval, string, error) {
	row, err := tables.One[ApprovalRow](t.Of("approvals").Where("agent_id = ? AND idempotency_key = ?", agent, key), "no such approval")
	if err != nil {
		return approvals.Approval{}, "", err
	}
	all, err := t.Complete([]ApprovalRow{row})
	if err != nil {
		return approvals.Approval{}, "", err
	}
	return all[0], row.BodyHash, nil
}

// CompleteBatch bounds how many ids one statement names.
const CompleteBatch = 500

// belongings are the rows that belong to approvals.
type belongings struct {
	decisions  *tables.Rows[decisionRow]
	grants     *tables.Rows[grantRow]
	executions *tables.Rows[executionRow]
	signatures *tables.Rows[SignatureRow]
	edits      *tables.Rows[EditRow]
	extensions *tables.Rows[extensionRow]
	parts      []tables.Wanted // those of which there are approvals
}

// belongings are those of approvals that are final, signed, edited and extended. Of one, what was
// read is known from then on.
func (t Requests) belongings(final, signed, edited, extended []string) *belongings {
	b := &belongings{
		decisions: about[decisionRow](t, "decisions", final, nil), grants: about[grantRow](t, "grants", final, nil), executions: about[executionRow](t, "executions", final, nil),
		signatures: t.SignaturesOf(signed), edits: t.EditsOf(edited), extensions: t.ExtensionsOf(extended),
	}
	if len(final) > 0 {
		b.parts = append(b.parts, b.decisions, b.grants, b.executions)
	}
	if len(signed) > 0 {
		b.parts = append(b.parts, b.signatures)
	}
	if len(edited) > 0 {
		b.parts = append(b.parts, b.edits)
	}
	if len(extended) > 0 {
		b.parts = append(b.parts, b.extensions)
	}
	return b
}

// about are the rows of a table about approvals.
func about[R any](t Requests, table string, ids []string, order func(a, b R) int) *tables.Rows[R] {
	name := ""
	if len(ids) == 1 {
		name = table + " " + ids[0]
	}
	return tables.Want(t.Tx, name, order, table, " AND approval_id IN ?", ids)
}

// Complete reads the signatures, edits, decisions, grants and executions of these rows.
func (t Requests) Complete(rows []ApprovalRow) (complete []approvals.Approval, err error) {
	for some := range slices.Chunk(rows, CompleteBatch) {
		all, err := read(some)
		if err != nil {
			return nil, err
		}
		var final, signed, edited, extended []string
		for i, r := range some {
			if approvals.Status(r.Status).Final() { // a pending one has none of them
				final = append(final, r.ApprovalID)
			}
			if r.Version > 1 { // an edit makes a version
				edited = append(edited, r.ApprovalID)
			}
			if r.Extended != 0 {
				extended = append(extended, r.ApprovalID)
			}
			if all[i].Treatment.ApprovalsRequired > 1 { // one signature is the decision
				signed = append(signed, r.ApprovalID)
			}
		}
		of := t.belongings(final, signed, edited, extended)
		if err := t.Fetch(of.parts...); err != nil {
			return nil, err
		}
		if err := of.complete(all); err != nil {
			return nil, err
		}
		complete = append(complete, all...)
	}
	return complete, nil
}

func read(rows []ApprovalRow) ([]approvals.Approval, error) {
	all := make([]approvals.Approval, len(rows))
	for i, r := range rows {
		var err error
		if all[i], err = r.approval(); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// complete adds to approvals what belongs to them.
func (of *belongings) complete(all []approvals.Approval) error {
	at := make(map[string]*approvals.Approval, len(all))
	for i, a := range all {
		at[a.ID] = &all[i]
	}
	ends, err := of.outcomes()
	if err != nil {
		return err
	}
	for id, e := range ends {
		a := at[id]
		if a.Extension = e.Extension; a.Status.Final() {
			a.Decision, a.Grant, a.Execution = e.Decision, e.Grant, e.Execution
		}
	}
	for _, r := range of.signatures.Found {
		if a := at[r.ApprovalID]; a.Treatment.ApprovalsRequired > 1 && r.Version == a.Version {
			s, err := r.signature()
			if err != nil {
				return err
			}
			a.Signatures = append(a.Signatures, s)
		}
	}
	for i := range all {
		all[i].InWhosePlace()
	}
	for _, r := range of.edits.Found {
		if a := at[r.ApprovalID]; a.Version > 1 && r.Version <= a.Version { // nobody but an intruder wrote another; verify says so
			a.Apply(approvals.Edit{
				Version: r.Version, Person: r.PersonID, Name: r.PersonName, At: tables.Stamp(r.EditedAt), Action: []byte(r.Action), Digest: r.Digest,
			})
		}
	}
	return nil
}

func (r decisionRow) decision() (*approvals.Decision, error) {
	d := approvals.Decision{Verdict: approvals.Verdict(r.Verdict), Reason: r.Reason, DecidedAt: tables.Stamp(r.DecidedAt)}
	if err := json.Unmarshal([]byte(r.DecidedBy), &d.DecidedBy); err != nil {
		return nil, fmt.Errorf("stored decision of %s: %w", r.ApprovalID, err)
	}
	if r.Evidence != nil {
		if err := json.Unmarshal([]byte(*r.Evidence), &d.Evidence); err != nil {
			return nil, fmt.Errorf("stored evidence of %s: %w", r.ApprovalID, err)
		}
	}
	if d.Evidence != nil && len(d.DecidedBy) > 0 {
		d.DecidedBy[len(d.DecidedBy)-1].For = d.Evidence.For
	}
	return &d, nil
}

// Create stores a new approval with its decision and grant.
func (t Requests) Create(a approvals.Approval, key, bodyHash string) error {
	a.Tenant = t.Tenant
	row, err := rowOf(a, key, bodyHash)
	if err != nil {
		return err
	}
	if err := t.DB.Create(&row).Error; err != nil {
		return tables.Classify(err)
	}
	about := a.Subject()
	if err := t.keepText(a, about); err != nil {
		return err
	}
	if err := t.keepTarget(a, about); err != nil {
		return err
	}
	t.Sums.Set(a.ID, "kept_sha256", row.Kept()...)
	if a.Status.Final() {
		return t.conclude(a)
	}
	return t.keepLine(a, about)
}

// conclude inserts the decision and the grant.
func (t Requests) conclude(a approvals.Approval) error {
	by, err := tables.JSON(a.Decision.DecidedBy)
	if err != nil {
		return err
	}
	d := decisionRow{
		TenantID: t.Tenant, ApprovalID: a.ID, Verdict: string(a.Decision.Verdict), Reason: a.Decision.Reason,
		DecidedAt: tables.Stamp(a.Decision.DecidedAt), DecidedBy: by,
	}
	if a.Decision.Evidence != nil {
		e, err := tables.JSON(a.Decision.Evidence)
		if err != nil {
			return err
		}
		d.Evidence = &e
	}
	if err := tables.Classify(t.DB.Create(&d).Error); err != nil {
		if fault.Is(err, fault.AlreadyExists) {
			return fault.New(fault.AlreadyDecided, "someone else decided first")
		}
		return err
	}
	if a.Grant == nil {
		return nil
	}
	g := grantRow{TenantID: t.Tenant, ApprovalID: a.ID, GrantID: a.Grant.ID, Token: a.Grant.Token, ExpiresAt: tables.Stamp(a.Grant.ExpiresAt)}
	return t.DB.Create(&g).Error
}

// Decide writes the terminal state onto a row that is still pending with version was.
func (t Requests) Decide(a approvals.Approval, was int64) error {
	if err := t.replace(a, was); err != nil {
		return err
	}
	return t.conclude(a)
}

// Restate writes the stricter treatment onto a row that is still pending with version was.
func (t Requests) Restate(a approvals.Approval, was int64) error { return t.replace(a, was) }

func (t Requests) replace(a approvals.Approval, was int64) error {
	row, err := rowOf(a, "", "")
	if err != nil {
		return err
	}
	r := t.Of("approvals").Where("approval_id = ? AND status = ? AND version = ?", a.ID, string(approvals.Pending), was).
		Updates(map[string]any{
			"status": row.Status, "version": row.Version, "level_rank": row.LevelRank,
			"assessment": row.Assessment, "treatment": row.Treatment, "policy_version": row.PolicyVersion,
		})
	if r.Error != nil {
		return r.Error
	}
	if r.RowsAffected == 0 {
		return t.lost(a.ID)
	}
	if a.Status.Final() { // its line says what it was
		return nil
	}
	return t.keepLine(a, a.Subject())
}

// lost says why a conditional write found no row.
func (t Requests) lost(id string) error {
	now, err := t.Approval(id)
	if err != nil {
		return err
	}
	if now.Status.Final() {
		return fault.New(fault.AlreadyDecided, "%s: someone else decided first", now.Status.Text())
	}
	return fault.New(fault.Changed, "the request has changed (now version %s)", strconv.FormatInt(now.Version, 10))
}

// spend writes onto a grant that is neither spent nor void.
func (t Requests) spend(approval string, set map[string]any) error {
	r := t.Of("grants").Where("approval_id = ? AND consumed_at IS NULL AND voided_at IS NULL", approval).Updates(set)
	if r.Error != nil || r.RowsAffected > 0 {
		return r.Error
	}
	if _, err := tables.One[grantRow](t.Of("grants").Where("approval_id = ?", approval), "no such grant"); err != nil {
		return err
	}
	return fault.New(fault.AlreadyConsumed, "the grant was spent or is void")
}

// Consume marks the grant as spent, once, and counts the call.
func (t Requests) Consume(approval, key string) error {
	if err := t.spend(approval, map[string]any{"consumed_at": t.At, "consume_key": key}); err != nil {
		return err
	}
	t.Sums.Set(approval, "key_sha256", key)
	return t.countCall(approval, 1)
}

// Void marks the grant as void, if it was not spent.
func (t Requests) Void(approval string) error {
	return t.spend(approval, map[string]any{"voided_at": t.At})
}

// Revoke is Void with a reason.
func (t Requests) Revoke(approval, reason string) error {
	return t.spend(approval, map[string]any{"voided_at": t.At, "void_reason": reason})
}

// Unspent lists approvals of an agent whose grant could still be spent.
func (t Requests) Unspent(agent string, limit int) ([]approvals.Approval, error) {
	var rows []ApprovalRow
	err := t.Of("approvals").Select("approvals.*").
		Joins("JOIN grants ON grants.tenant_id = approvals.tenant_id AND grants.approval_id = approvals.approval_id").
		Where("grants.expires_at > ? AND grants.consumed_at IS NULL AND grants.voided_at IS NULL AND approvals.agent_id = ?", t.At, agent).
		Order("approvals.approval_id").Limit(limit).Find(&rows).Error
	if err != nil {
		return nil, err
	}
	return t.Complete(rows)
}

// Report stores what the agent says happened, once. A call that failed counts no more.
func (t Requests) Report(approval string, e approvals.Execution) error {
	row := executionRow{TenantID: t.Tenant, ApprovalID: approval, Status: e.Status, Detail: e.Detail, ReportedAt: tables.Stamp(e.ReportedAt)}
	err := tables.Classify(t.DB.Create(&row).Error)
	if fault.Is(err, fault.AlreadyExists) {
		return fault.New(fault.AlreadyReported, "a result was already reported")
	}
	if err != nil || e.Status != "failed" {
		return err
	}
	return t.countCall(approval, -1)
}
