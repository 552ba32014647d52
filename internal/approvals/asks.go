package approvals

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/authority"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/live"
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

// What people write to each other about a request, while it waits and afterwards. No agent reads
// it, and it decides nothing.

// Comment is one. The trail has those whom it mentions by id, as @per_…, and whoever reads it their names.
type Comment struct {
	ID, Text     string
	Person, Name string // who wrote it, and what they are called now
	At           time.Time
}

// MostComments is how many one request can have.
const MostComments = 200

// Comment adds one. Whoever may read the request may write, and whom they mention is told once.
func (s *Service) Comment(ctx context.Context, m auth.Member, id, typed string) error {
	if !saysSomething(typed) {
		return fault.Member(fault.InvalidForm, "comment", "enter a comment of 1 to %d characters; only people of this organisation read it", maxReason)
	}
	var told []string
	err := s.writeFor(ctx, m, auth.Comment, func(w Writer) error {
		told = nil // the transaction may run again
		a, err := w.Approval(id)
		if err != nil {
			return err
		}
		_, before, err := w.Talk(id)
		if err != nil {
			return err
		}
		if len(before) >= MostComments {
			return fault.New(fault.Changed, "there are %d comments on this request, which is the limit", MostComments)
		}
		masked, err := s.maskResult(w, a, strings.TrimSpace(typed))
		if err != nil {
			return err
		}
		people, err := w.Authority()
		if err != nil {
			return err
		}
		said, mentioned := mentions(masked, people.Members())
		for _, person := range mentioned {
			if person == m.Person.ID {
				continue
			}
			if err := w.Mention(id, person, m.Person.ID); err != nil {
				return err
			}
			told = append(told, person)
		}
		return w.Append(a.event(audit.Commented, personActor(m), member("comment", canon.String(auth.NewID("cmt"))), member("text", canon.String(said)), member(audit.Mentions, list(told))))
	})
	if err != nil {
		return err
	}
	s.live.Publish(m.Tenant, id)
	if len(told) > 0 {
		s.live.Publish(m.Tenant, live.Mentions)
	}
	return nil
}

// SeeMention notes that somebody opened the request in which they were mentioned.
func (s *Service) SeeMention(ctx context.Context, m auth.Member, id string) error {
	return s.store.Aside(ctx, m.Tenant, func(w Writer) error { return w.MentionSeen(id, m.Person.ID) })
}

var atSign = regexp.MustCompile(`@\S`)

// mentions is a text with the ids of those members whom it mentions, and those ids. After an @ comes
// a name, or the first word of a name that is of one member only; an address isn't one.
func mentions(text string, of []authority.Person) (said string, ids []string) {
	var b strings.Builder
	done := 0
	for _, place := range atSign.FindAllStringIndex(text, -1) {
		from := place[0]
		before, _ := utf8.DecodeLastRuneInString(text[:from])
		if from < done || from > 0 && inWord(before) {
			continue
		}
		person, length := mentioned(text[from+1:], of)
		if length == 0 {
			continue
		}
		b.WriteString(text[done:from] + "@" + person)
		if done = from + 1 + length; !slices.Contains(ids, person) {
			ids = append(ids, person)
		}
	}
	return b.String() + text[done:], ids
}

// mentioned is whom a text begins with, and how much of it says so: the longest name.
func mentioned(text string, of []authority.Person) (person string, length int) {
	first, _, _ := strings.Cut(strings.Map(wordsOnly, text), " ")
	alike := 0
	for _, p := range of {
		if n := len(p.Name); n > length && n <= len(text) && strings.EqualFold(text[:n], p.Name) && !goesOn(text[n:]) {
			person, length = p.ID, n
		}
	}
	if length > 0 || first == "" {
		return person, length
	}
	for _, p := range of {
		if begin, _, _ := strings.Cut(p.Name, " "); strings.EqualFold(begin, first) {
			person, alike = p.ID, alike+1
		}
	}
	if alike != 1 {
		return "", 0
	}
	return person, len(first)
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) }

func goesOn(rest string) bool {
	r, _ := utf8.DecodeRuneInString(rest)
	return rest != "" && inWord(r)
}

// wordsOnly ends a word where no letter, digit or hyphen is.
func wordsOnly(r rune) rune {
	if inWord(r) || r == '-' {
		return r
	}
	return ' '
}
