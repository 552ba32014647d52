package requests

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/store/tables"
)

// unedited keeps what is pending as it was submitted.
func (t Requests) unedited() *gorm.DB {
	return t.Of("approvals").Where(IsPending + " AND (approvals.version = 1 OR NOT EXISTS (SELECT 1 FROM edits WHERE edits.tenant_id = approvals.tenant_id AND edits.approval_id = approvals.approval_id))")
}

type actRow struct {
	AgentID, Digest string
	N               int
}

// counts are how many are pending of each of these acts.
func (t Requests) counts(acts []approvals.Act) (all []*tables.Rows[actRow]) {
	for part := range slices.Chunk(acts, CompleteBatch) {
		agents, digests := map[string]bool{}, map[string]bool{}
		for _, a := range part {
			agents[a.Agent], digests[a.Digest] = true, true
		}
		all = append(all, tables.Chosen[actRow]("approvals alike"+fmt.Sprint(part), []string{"approvals", "edits"}, nil,
			t.unedited().Select("agent_id, digest, count(*) AS n").Where("agent_id IN ? AND digest IN ?", slices.Sorted(maps.Keys(agents)), slices.Sorted(maps.Keys(digests))).
				Group("agent_id, digest")))
	}
	return all
}

// Duplicates counts what is pending of each of these acts.
func (t Requests) Duplicates(acts []approvals.Act) ([]int, error) {
	count := map[approvals.Act]int{}
	for _, part := range t.counts(acts) {
		rows, err := part.Read(t.Tx)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			count[approvals.Act{Agent: r.AgentID, Digest: r.Digest}] = r.N
		}
	}
	counts := make([]int, len(acts))
	for i, a := range acts {
		counts[i] = count[a]
	}
	return counts, nil
}

// DuplicateIDs are the ids of what is pending of one act, oldest first.
func (t Requests) DuplicateIDs(act approvals.Act, limit int) (ids []string, err error) {
	err = t.unedited().Where("agent_id = ? AND digest = ?", act.Agent, act.Digest).
		Order("approval_id").Limit(min(max(limit, 1), MaxLimit)).Pluck("approval_id", &ids).Error
	return ids, err
}

// inForce keeps what an operator did not edit, or edited back to what was submitted.
const inForce = `approvals.version = 1 OR approvals.digest = coalesce((SELECT edits.digest FROM edits WHERE edits.tenant_id = approvals.tenant_id
	AND edits.approval_id = approvals.approval_id AND edits.version <= approvals.version ORDER BY edits.version DESC LIMIT 1), approvals.digest)`

type waitingRow struct {
	ApprovalID, ShownDigest, Treatment string
	Version                            int64
	ExpiresAt                          time.Time
}

func (t Requests) waitingDuplicates(act approvals.Act, limit int) *tables.Rows[waitingRow] {
	return tables.Chosen(fmt.Sprint("approvals in force ", act, limit), []string{"approvals", "edits"}, func(a, b waitingRow) int { return strings.Compare(a.ApprovalID, b.ApprovalID) },
		t.Of("approvals").Where(IsPending+" AND ("+inForce+")").Where("agent_id = ? AND digest = ?", act.Agent, act.Digest).
			Select("approval_id, version, shown_digest, treatment, expires_at").Order("approval_id DESC").Limit(min(max(limit, 1), MaxLimit)))
}

// WaitingDuplicates is what is pending and in force of one act, without the actions.
func (t Requests) WaitingDuplicates(act approvals.Act, limit int) ([]approvals.WaitingAct, error) {
	rows, err := t.waitingDuplicates(act, limit).Read(t.Tx)
	if err != nil {
		return nil, err
	}
	all := make([]approvals.WaitingAct, len(rows))
	at := map[string]*approvals.WaitingAct{}
	var signed []string
	for i, r := range rows {
		all[i] = approvals.WaitingAct{ID: r.ApprovalID, Version: r.Version, ShownDigest: r.ShownDigest, ExpiresAt: tables.Stamp(r.ExpiresAt)}
		if err := json.Unmarshal([]byte(r.Treatment), &all[i].Treatment); err != nil {
			return nil, fmt.Errorf("stored approval %s: %w", r.ApprovalID, err)
		}
		if all[i].Treatment.ApprovalsRequired > 1 {
			at[r.ApprovalID] = &all[i]
			signed = append(signed, r.ApprovalID)
		}
	}
	return all, t.Signers(signed, func(s SignatureRow) {
		if a := at[s.ApprovalID]; s.Version == a.Version {
			a.Signers = append(a.Signers, s.PersonID)
		}
	})
}

// Beside is what the page of a request asks of those that are like it, and of the denial that holds it.
func (t Requests) Beside(a approvals.Approval) []tables.Wanted {
	act := approvals.Act{Agent: a.Agent.ID, Digest: a.Digest}
	all := t.AboutLines(nil, []string{a.ID})
	if held := a.Assessment.Remembered; held != nil {
		row, of := t.whole(held.Approval)
		all = append(append(all, row), of.parts...)
	}
	if all = append(all, t.waitingDuplicates(act, approvals.MaxIdentical)); !a.Status.Final() {
		all = append(all, t.edited(a.Function), t.older(a.ID)) // of what ended nobody asks these
	}
	return all
}
