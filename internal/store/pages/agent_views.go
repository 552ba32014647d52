package pages

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/store/requests"
	"github.com/countersign/countersign/internal/store/tables"
)

// viewRow is what an agent's list reads of an approval: how large the action is, but
// neither that nor what was masked in it.
type viewRow struct {
	TenantID, ApprovalID  string
	Revises               string
	Digest, ShownDigest   string
	Status                string
	Version               int64
	Assessment, Treatment string // JSON
	CreatedAt, ExpiresAt  time.Time
	Extended              int64
	Bytes                 int64 // of the action
}

const viewColumns = "tenant_id, approval_id, revises, digest, shown_digest, status, version, assessment, treatment, created_at, expires_at, extended, octet_length(action) AS bytes"

func (r viewRow) view() (approvals.AgentView, error) {
	v := approvals.AgentView{
		Tenant: r.TenantID, ID: r.ApprovalID, Revises: r.Revises, Digest: r.Digest, ShownDigest: r.ShownDigest,
		Status: approvals.Status(r.Status), CreatedAt: tables.Stamp(r.CreatedAt), ExpiresAt: tables.Stamp(r.ExpiresAt),
	}
	if v.Status == approvals.Approved {
		v.InForce = r.Digest
	}
	for _, part := range []struct {
		text string
		into any
	}{{r.Assessment, &v.Assessment}, {r.Treatment, &v.Treatment}} {
		if err := json.Unmarshal([]byte(part.text), part.into); err != nil {
			return v, fmt.Errorf("stored approval %s: %w", r.ApprovalID, err)
		}
	}
	v.Assessment.Treatment = v.Treatment // kept once
	return v, nil
}

// AgentViews lists by filter what an agent is told. The actions among it are read
// last, when it is known how many of them a page has place for.
func (t Pages) AgentViews(f approvals.Filter) (page []approvals.AgentView, more bool, err error) {
	limit := min(limitOf(f), requests.MaxLimit-1)
	f.Limit = limit + 1 // whether there are others
	var rows []viewRow
	if err := t.matching(f).Select(viewColumns).Find(&rows).Error; err != nil {
		return nil, false, err
	}
	if len(rows) > limit {
		rows, more = rows[:limit], true
	}
	page = make([]approvals.AgentView, len(rows))
	for i, r := range rows {
		if page[i], err = r.view(); err != nil {
			return nil, false, err
		}
	}
	actions, err := t.effectiveOf(rows, page)
	if err != nil {
		return nil, false, err
	}
	if fits := actions.fit(page); fits < len(page) {
		page, more = page[:fits], true
	}
	for from := 0; from < len(page); from += requests.CompleteBatch {
		to := min(from+requests.CompleteBatch, len(page))
		if err := t.tell(rows[from:to], page[from:to], actions); err != nil {
			return nil, false, err
		}
	}
	return page, more, nil
}

// tell completes views that are on the page.
func (t Pages) tell(rows []viewRow, page []approvals.AgentView, actions effective) error {
	if err := t.fill(page, actions); err != nil {
		return err
	}
	at := make(map[string]int, len(page))
	var ended, signed, extended []string
	for i, v := range page {
		at[v.ID] = i
		if v.Status.Final() { // a pending one has none of them
			ended = append(ended, v.ID)
		}
		if v.Treatment.ApprovalsRequired > 1 {
			signed = append(signed, v.ID)
		}
		if rows[i].Extended != 0 {
			extended = append(extended, v.ID)
		}
	}
	ends, err := t.Outcomes(ended, extended)
	if err != nil {
		return err
	}
	for id, e := range ends {
		v := &page[at[id]]
		v.Decision, v.Grant, v.Execution, v.Extension = e.Decision, e.Grant, e.Execution, e.Extension
	}
	return t.Signers(signed, func(s requests.SignatureRow) {
		if i := at[s.ApprovalID]; s.Version == rows[i].Version {
			page[i].Signed++
		}
	})
}
