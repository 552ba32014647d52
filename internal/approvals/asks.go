package approvals

import (
	"context"
	"slices"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
)

// What is asked of an operator is not always what the policy says for the level: somebody who
// decides alone types the target where there is no quiz. Agents are told what will really be
// asked, as far as that is the same for all who could decide.

// asks is the challenge that whoever may decide a will get: the policy's where several get
// different ones, or nobody may decide yet.
func (s *Service) asks(r Reader, a Approval) (scoring.ChallengeKind, error) {
	if a.Status != Pending {
		return a.Treatment.Challenge, nil
	}
	c, err := a.circle(r)
	if err != nil {
		return "", err
	}
	kinds := map[scoring.ChallengeKind]bool{}
	for _, p := range c.state.People {
		m := auth.Member{Tenant: a.Tenant, Person: auth.Person{ID: p.ID, Name: p.Name}, Roles: []auth.Role{auth.Operator}}
		if e := a.eligible(m, c); e.may {
			kinds[e.challenge] = true
		}
	}
	kind := a.Treatment.Challenge
	if len(kinds) == 1 {
		for only := range kinds {
			kind = only
		}
	}
	return kind, nil
}

// telling is a with what an operator will be asked, and with the questions to the agent. Where
// that cannot be read any more, since the server stops, what the policy says for the level is told.
func (s *Service) telling(ctx context.Context, a Approval, err error) (Approval, error) {
	if err != nil || !a.mayHaveQuestions() && !a.Superseded() {
		return a, err
	}
	_ = s.store.Read(ctx, a.Tenant, func(r Reader) (err error) {
		if a, err = s.asked(r, a); err != nil {
			return err
		}
		if a, err = a.withNewer(r); err != nil {
			return err
		}
		a, err = a.questioned(r)
		return err
	})
	return a, nil
}

// asked is a with what an operator will be asked, and who is missing.
func (s *Service) asked(r Reader, a Approval) (_ Approval, err error) {
	if a.Asks, err = s.asks(r, a); err != nil {
		return a, err
	}
	return a.Judged(r)
}

// tellingNew is that for a call of which nobody has asked anything yet.
func (s *Service) tellingNew(ctx context.Context, a Approval) Approval {
	if !a.mayHaveQuestions() {
		return a
	}
	_ = s.store.Read(ctx, a.Tenant, func(r Reader) (err error) {
		a, err = s.asked(r, a)
		return err
	})
	return a
}

// tellingAll is that for views, with the headline: a view has no action, so each is read, one
// after the other.
func (s *Service) tellingAll(r Reader, page []AgentView) error {
	ids := make([]string, len(page))
	var asked []string
	for i, v := range page {
		if ids[i] = v.ID; v.Status == Pending || superseded(v.Status, v.Decision) {
			asked = append(asked, v.ID)
		}
	}
	questions, err := r.Questions(ids...)
	if err != nil {
		return err
	}
	newer, err := r.NewerOf(asked)
	if err != nil {
		return err
	}
	for i, v := range page {
		page[i].Questions, page[i].Newer = questions[v.ID], newer[v.ID]
		a, err := r.Approval(v.ID)
		if err != nil {
			return err
		}
		page[i].Headline = a.Subject().Headline
		if a, err = s.asked(r, a); err != nil {
			return err
		}
		page[i].Asks, page[i].Needed = a.Asks, a.Needed
	}
	return nil
}

// Somebody who decides asks the agent. The request waits on, and what is said is no part of the
// act: an answer is a text of the agent as any other, and changes neither level nor digest.

// AgentQuestion is one, and what the agent answered.
type AgentQuestion struct {
	ID, Text     string
	Person, Name string // who asked, and what they are called now
	AskedAt      time.Time
	Answer       string
	AnsweredAt   *time.Time // nil while there is no answer
}

const (
	// MostQuestions is how many questions one request can have.
	MostQuestions = 20
	// MaxAnswer bounds an answer, in bytes.
	MaxAnswer = 4096
)

// Ask puts a question to the agent of a request that waits. Who may refuse it may ask.
func (s *Service) Ask(ctx context.Context, m auth.Member, id, question string) error {
	if !saysSomething(question) {
		return fault.Member(fault.InvalidForm, "question", "enter a question of 1 to %d characters; the agent receives it", maxReason)
	}
	err := s.store.Write(ctx, m.Tenant, func(w Writer) error {
		a, _, err := refusable(w, m, id)
		if err != nil {
			return err
		}
		asked, err := w.Questions(id)
		if err != nil {
			return err
		}
		if len(asked[id]) >= MostQuestions {
			return fault.New(fault.Changed, "%d questions were asked about this request, which is the limit; approve it, deny it or request changes", MostQuestions)
		}
		return w.Append(a.event(audit.QuestionAsked, personActor(m), member("question", canon.String(auth.NewID("qst"))), member("text", canon.String(reasonOf(question)))))
	})
	if err == nil {
		s.live.Publish(m.Tenant, id)
	}
	return err
}

// AnswerQuestion is what an agent says to a question about its own request, once; the same answer again
// is that one.
func (s *Service) AnswerQuestion(ctx context.Context, agent auth.Agent, id, question, answer string) (a Approval, err error) {
	if len(answer) > MaxAnswer || !visible(answer) {
		return a, fault.Member(fault.InvalidMember, "/text", "the answer has %d bytes; send 1 to %d bytes that can be read", len(answer), MaxAnswer)
	}
	err = s.writeAs(ctx, agent, func(w Writer) error {
		a, err = w.Approval(id)
		if a, err = own(a, agent, err); err != nil {
			return err
		}
		if err := a.decidable(w.Now()); err != nil {
			return err
		}
		asked, err := w.Questions(id)
		if err != nil {
			return err
		}
		a.Questions = asked[id]
		at := slices.IndexFunc(a.Questions, func(q AgentQuestion) bool { return q.ID == question })
		if at < 0 {
			return fault.Member(fault.InvalidMember, "/question", "%.60q isn't the ID of a question about this request; they are in its questions", question)
		}
		masked, err := s.maskResult(w, a, answer)
		if err != nil {
			return err
		}
		q := &a.Questions[at]
		if q.AnsweredAt != nil {
			if q.Answer == masked {
				return nil
			}
			return fault.New(fault.Changed, "this question was answered at %s, and an answer can't be changed", q.AnsweredAt.Format(time.RFC3339))
		}
		now := w.Now()
		q.Answer, q.AnsweredAt = masked, &now
		return w.Append(a.event(audit.QuestionAnswered, a.agentActor(), member("question", canon.String(q.ID)), member("text", canon.String(masked))))
	})
	if err != nil {
		return Approval{}, err
	}
	s.live.Publish(agent.Tenant, id)
	return s.telling(ctx, a, nil)
}

// mayHaveQuestions reports whether a waited for a person: nobody asks about what did not.
func (a Approval) mayHaveQuestions() bool {
	return a.Status == Pending || a.Decision == nil || len(a.Decision.DecidedBy) == 0 || a.Decision.DecidedBy[0].Kind != ByPolicy
}

// questioned is a with its questions.
func (a Approval) questioned(r Reader) (Approval, error) {
	if !a.mayHaveQuestions() {
		return a, nil
	}
	all, err := r.Questions(a.ID)
	a.Questions = all[a.ID]
	return a, err
}
