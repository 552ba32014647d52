package pages

import (
	"github.com/countersign/countersign/internal/store/tables"
	"github.com/countersign/countersign/internal/tenants"
)

type offeredReasonRow struct {
	TenantID, Act string
	Place         int
	Reason        string
}

func (offeredReasonRow) TableName() string { return "offered_reasons" }

// reasonLists are the lists of r by the name of their act.
func reasonLists(r *tenants.Reasons) map[string]*[]string {
	return map[string]*[]string{"deny": &r.Deny, "request_changes": &r.RequestChanges, "extend": &r.Extend}
}

// Reasons lists what forms offer.
func (t Pages) Reasons() (all tenants.Reasons, err error) {
	var rows []offeredReasonRow
	err = t.Of("offered_reasons").Order("act, place").Find(&rows).Error
	lists := reasonLists(&all)
	for _, r := range rows {
		if list := lists[r.Act]; list != nil {
			*list = append(*list, r.Reason)
		}
	}
	return all, err
}

// SetReasons writes them in place of what there was.
func (t Pages) SetReasons(all tenants.Reasons) error {
	if err := t.Of("offered_reasons").Delete(&offeredReasonRow{}).Error; err != nil {
		return err
	}
	var rows []offeredReasonRow
	for act, list := range reasonLists(&all) {
		for place, reason := range *list {
			rows = append(rows, offeredReasonRow{TenantID: t.Tenant, Act: act, Place: place, Reason: reason})
		}
	}
	if len(rows) == 0 {
		return nil
	}
	return tables.Classify(t.DB.Create(&rows).Error)
}
