package requests

import (
	"cmp"
	"slices"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/store/logstate"
	"github.com/countersign/countersign/internal/store/tables"
)

// What is said about a request is read from the events that tell of it: no table has it, so none
// can say something else.

// Questions are those to agents. What people say to each other isn't even read.
func (t Requests) Questions(of ...string) (map[string][]approvals.AgentQuestion, error) {
	all := map[string][]approvals.AgentQuestion{}
	events, err := t.said(logstate.QuestionKinds, of)
	if err != nil {
		return nil, err
	}
	for _, e := range events {
		all[e.Approval] = hearQuestion(all[e.Approval], e)
	}
	names, err := t.callThem(events)
	for _, of := range all {
		for i := range of {
			of[i].Name = names[of[i].Person]
		}
	}
	return all, err
}

// Talk is what people read.
func (t Requests) Talk(of string) (asked []approvals.AgentQuestion, comments []approvals.Comment, err error) {
	events, err := t.said(append(slices.Clone(logstate.QuestionKinds), audit.Commented), []string{of})
	if err != nil {
		return nil, nil, err
	}
	names, err := t.callThem(events)
	for _, e := range events {
		if e.Kind != audit.Commented {
			asked = hearQuestion(asked, e)
			continue
		}
		said := audit.WithNames(e.Data.Get("text").Text(), func(_, id string) string { return cmp.Or(names[id], id) })
		comments = append(comments, approvals.Comment{ID: e.Data.Get("comment").Text(), Text: said, Person: e.Actor.ID, Name: names[e.Actor.ID], At: e.At})
	}
	for i := range asked {
		asked[i].Name = names[asked[i].Person]
	}
	return asked, comments, err
}

// said are the events of these kinds about these requests, in order.
func (t Requests) said(kinds []audit.Kind, of []string) (all []audit.Event, err error) {
	for part := range slices.Chunk(of, tables.Batch) {
		var rows []tables.EventRow
		// What else is asked stands in a CASE: the events of a request are a handful, those of a kind are not.
		err := t.Of("audit_events").Where("approval_id IN ?", part).
			Where("CASE WHEN kind IN ? THEN 1 ELSE 0 END = 1", kinds).Order("approval_id, idx").Find(&rows).Error
		if err != nil {
			return nil, err
		}
		events, err := t.Verified(rows)
		if err != nil {
			return nil, err
		}
		all = append(all, events...)
	}
	return all, nil
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

// callThem are the names of the people of these events, as they are now.
func (t Requests) callThem(events []audit.Event) (map[string]string, error) {
	var ids []string
	for _, e := range events {
		ids = append(ids, e.People()...)
	}
	names := map[string]string{}
	if len(ids) == 0 {
		return names, nil
	}
	var people []struct{ PersonID, Name string }
	err := t.DB.Table("people").Select("person_id, name").Where("person_id IN ?", ids).Find(&people).Error
	for _, p := range people {
		names[p.PersonID] = p.Name
	}
	return names, err
}
