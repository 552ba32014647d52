package pages

import (
	"maps"
	"slices"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/store/requests"
)

// handed is where an effective action stands, and how large it is.
type handed struct {
	edit  int64 // version of the edit that made it; 0: what was submitted
	bytes int64
}

// effective says of each view that hands an action back which one.
type effective map[string]handed

// effectiveOf finds the effective actions of these views, and reads none.
func (t Pages) effectiveOf(rows []viewRow, page []approvals.AgentView) (effective, error) {
	versions := map[string]int64{}
	for _, r := range rows {
		if r.Version > 1 && approvals.Status(r.Status) == approvals.Approved { // an edit makes a version
			versions[r.ApprovalID] = r.Version
		}
	}
	actions, err := t.lastEdits(versions)
	if err != nil {
		return nil, err
	}
	for i, v := range page {
		if _, edited := actions[v.ID]; !edited && v.HandsBack(false) {
			actions[v.ID] = handed{bytes: rows[i].Bytes}
		}
	}
	return actions, nil
}

// lastEdits are those that are in force in these versions of approvals.
func (t Pages) lastEdits(versions map[string]int64) (effective, error) {
	last := effective{}
	for part := range slices.Chunk(slices.Sorted(maps.Keys(versions)), requests.CompleteBatch) {
		var edits []struct {
			ApprovalID     string
			Version, Bytes int64
		}
		if err := t.Of("edits").Select("approval_id, version, octet_length(action) AS bytes").Where("approval_id IN ?", part).
			Order("approval_id, version").Find(&edits).Error; err != nil {
			return nil, err
		}
		for _, e := range edits {
			if e.Version <= versions[e.ApprovalID] {
				last[e.ApprovalID] = handed{e.Version, e.Bytes}
			}
		}
	}
	return last, nil
}

// fit is how many of these views a page has place for; it is one at least.
func (actions effective) fit(page []approvals.AgentView) int {
	var sum int64
	for i, v := range page {
		if sum += actions[v.ID].bytes; sum > approvals.MaxEffective && i > 0 {
			return i
		}
	}
	return len(page)
}

// fill reads the effective actions of these views.
func (t Pages) fill(page []approvals.AgentView, actions effective) error {
	at := map[string]*approvals.AgentView{}
	var submitted []string
	var edited [][]any
	for i, v := range page {
		at[v.ID] = &page[i]
		if h, some := actions[v.ID]; some && h.edit == 0 {
			submitted = append(submitted, v.ID)
		} else if some {
			edited = append(edited, []any{v.ID, h.edit})
		}
	}
	var all, more []actionRow
	if len(submitted) > 0 {
		if err := t.Of("approvals").Select("approval_id, action").Where("approval_id IN ?", submitted).Find(&all).Error; err != nil {
			return err
		}
	}
	if len(edited) > 0 {
		if err := t.Of("edits").Select("approval_id, action, digest").Where("(approval_id, version) IN ?", edited).Find(&more).Error; err != nil {
			return err
		}
	}
	for _, r := range append(all, more...) {
		at[r.ApprovalID].Effective = []byte(r.Action)
		if r.Digest != "" {
			at[r.ApprovalID].InForce = r.Digest
		}
	}
	return nil
}

// actionRow is an action, and its digest where an edit made it.
type actionRow struct{ ApprovalID, Action, Digest string }
