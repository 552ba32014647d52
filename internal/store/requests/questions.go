package requests

import (
	"slices"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/store/logstate"
	"github.com/countersign/countersign/internal/store/tables"
)

// Questions are read from the events that tell of them: no table has them, so none can say
// something else.
func (t Requests) Questions(of ...string) (map[string][]approvals.AgentQuestion, error) {
	all := map[string][]approvals.AgentQuestion{}
	for part := range slices.Chunk(of, tables.Batch) {
		var rows []tables.EventRow
		// What else is asked stands in a CASE: the events of a request are a handful, those of a kind are not.
		err := t.Of("audit_events").Where("approval_id IN ?", part).
			Where("CASE WHEN kind IN ? THEN 1 ELSE 0 END = 1", logstate.QuestionKinds).Order("approval_id, idx").Find(&rows).Error
		if err != nil {
			return nil, err
		}
		events, err := t.Verified(rows)
		if err != nil {
			return nil, err
		}
		for _, e := range events {
			all[e.Approval] = hearQuestion(all[e.Approval], e)
		}
	}
	return all, t.askers(all)
}

func hearQuestion(all []approvals.AgentQuestion, e audit.Event) []approvals.AgentQuestion {
	id, text, at := e.Data.Get("question").Text(), e.Data.Get("text").Text(), e.At
	if e.Kind == audit.QuestionAsked {
		return append(all, approvals.AgentQuestion{ID: id, Text: text, Person: e.Actor.ID, AskedAt: at})
	}
	if i := slices.IndexFunc(all, func(q approvals.AgentQuestion) bool { return q.ID == id }); i >= 0 {
		all[i].Answer, all[i].AnsweredAt = text, &at
	}
	return all
}

// askers adds the names of those who asked, as they are now.
func (t Requests) askers(all map[string][]approvals.AgentQuestion) error {
	var ids []string
	for _, of := range all {
		for _, q := range of {
			ids = append(ids, q.Person)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	var people []struct{ PersonID, Name string }
	if err := t.DB.Table("people").Select("person_id, name").Where("person_id IN ?", ids).Find(&people).Error; err != nil {
		return err
	}
	names := map[string]string{}
	for _, p := range people {
		names[p.PersonID] = p.Name
	}
	for _, of := range all {
		for i := range of {
			of[i].Name = names[of[i].Person]
		}
	}
	return nil
}
