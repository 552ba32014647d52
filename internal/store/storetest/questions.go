package storetest

import (
	"testing"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
)

// Questions come back with their answers, in order, each with its request, and for no other
// organisation.
func testQuestions(t *testing.T, w world) {
	p := w.acme
	a, b := p.submit(t, nil), p.submit(t, nil)
	said := func(of approvals.Approval, k audit.Kind, id, text string) audit.Event {
		e := about(of, k)
		e.Data = canon.Object(canon.Member{Name: "question", Value: canon.String(id)}, canon.Member{Name: "text", Value: canon.String(text)})
		return e
	}
	p.write(t, func(w approvals.Writer) error {
		return w.Append(said(a, audit.QuestionAsked, "qst_1", "Why?"), said(b, audit.QuestionAsked, "qst_2", "When?"), said(a, audit.QuestionAsked, "qst_3", "Who?"))
	})
	p.write(t, func(w approvals.Writer) error { return w.Append(said(a, audit.QuestionAnswered, "qst_3", "I do")) })
	read := func(p place) (all map[string][]approvals.AgentQuestion) {
		p.read(t, func(r approvals.Reader) (err error) {
			all, err = r.Questions(a.ID, b.ID, "apr_no")
			return err
		})
		return all
	}
	all := read(p)
	if of := all[a.ID]; len(of) != 2 || of[0].ID != "qst_1" || of[0].Text != "Why?" || of[0].AnsweredAt != nil || of[0].AskedAt.IsZero() ||
		of[1].Answer != "I do" || of[1].AnsweredAt == nil || of[1].AnsweredAt.Before(of[1].AskedAt) {
		t.Errorf("of the first: %+v", of)
	}
	if of := all[b.ID]; len(of) != 1 || of[0].Text != "When?" || len(all) != 2 {
		t.Errorf("of all: %+v", all)
	}
	if others := read(w.beta); len(others) != 0 {
		t.Errorf("another organisation reads %+v", others)
	}
}
