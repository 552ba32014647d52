package console

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/internal/scoring/worktime"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
)

// One approval: reading it, answering about it, deciding it.

// requestPage shows an approval. It writes the first view and the challenge that
// the page carries, and nothing else.
func (s *Console) requestPage(c edge.Call) error {
	if is, err := s.Cover(c, present.ApprovalID(c.Param("id"))); is || err != nil {
		return err // what was refused is kept for the page itself
	}
	t, err := s.takeRefusal(c)
	if err != nil {
		return err
	}
	id, err := s.RequestID(c)
	if err != nil {
		return err
	}
	return s.drawRequest(c, id, http.StatusOK, t)
}

// showRequest draws the page as it is now, after a refusal with what was typed.
func (s *Console) showRequest(c edge.Call, status int, t request.Typed) error {
	id, err := s.RequestID(c)
	if err != nil {
		return err
	}
	if is, err := s.Cover(c, id); is || err != nil {
		return err
	}
	return s.drawRequest(c, id, status, t)
}

func (s *Console) drawRequest(c edge.Call, id string, status int, t request.Typed) error {
	ctx := c.Request().Context()
	v, err := s.Approvals.Show(ctx, c.Member, id)
	if err != nil {
		return err
	}
	if v.LookDue {
		s.feeds.look(ctx, c.Member, id)
	}
	q, err := s.waiting(ctx, c.Member, request.Filter{}, id)
	if err != nil {
		return err
	}
	here := func(one tenants.Mention) bool { return one.Approval == id }
	if slices.ContainsFunc(c.Mentions, here) && v.Stage != approvals.StageAsking {
		if err := s.Approvals.SeeMention(ctx, c.Member, id); err != nil {
			return err
		}
		c.Mentions = slices.DeleteFunc(c.Mentions, here)
	}
	unused := v.Unused(v.Now) == nil
	withdrew, err := s.Withdrew(ctx, c.Member, slices.Concat(v.SessionTrail, v.Chain, []approvals.Approval{v.Approval})...)
	if err != nil {
		return err
	}
	p := s.livePage(c, request.TitleOf(c.Say, v, withdrew), q, id)
	switch {
	case unused:
		p.Live.Feed += "&" + unusedQuery
	case v.Status.Final():
		p.Live.Feed += "&" + overQuery
	}
	if err := s.ShowDisplay(c, &p); err != nil {
		return err
	}
	p.Critical, p.SkipTo = request.IsCritical(v), "request"
	own, err := s.Tenants.Reasons(ctx, c.Member)
	if err != nil {
		return err
	}
	who := request.Reader{Member: c.Member, Own: own, Locked: c.Locked, Section: sectionAsked(c), Withdraws: c.QueryParams().Has(request.WithdrawQuery), Withdrew: withdrew}
	r := request.Page(c.Say, v, who, t)
	if err := s.trail.TellOfAgent(c, v, &r); err != nil {
		return err
	}
	if r.Rail.Told, err = s.feeds.toldOf(ctx, c.Say, c.Member, id, v.Status.Final()); err != nil {
		return err
	}
	r.Waiting, r.Next = q.Page.Total, nextAfter(q.Page.Lines, id)
	if v.Status.Final() && r.Next == "" {
		guide, err := s.firstSteps(c, q)
		if err != nil {
			return err
		}
		if guide != nil {
			r.Guide = &views.Link{URL: urls.Queue(c.Member.Tenant), Label: c.Say.Say("Back to Get started: %d of %s done", guide.Done, strconv.Itoa(len(guide.Steps)))}
		}
	}
	if t.Fault != nil && r.Withdraw == nil && !request.CanDecide(v.Stage) && !request.Repeats(v, t, c.Member.Person.ID) {
		r.Kept = t.Reason
	}
	if !v.Status.Final() {
		who := request.AttentionTo(q.Page.Attention, id, c.Member.Person.ID)
		r.Rail.Looking = who.People(c.Say, r.Rail.Looking[0], v.Agent.Name)
		r.Claim = who.Box(c.Say, c.Member.Tenant, id, v.MayClaim && !c.Locked)
		if v.Stage != approvals.StageAsking {
			r.Snooze = request.SnoozeOf(c.Say, v, who.Snoozed(), c.Zone())
		}
		if !c.Locked && v.Stage != approvals.StageAsking { // names may be what is asked for
			r.Assign = request.AssignOf(c.Say, v, who.Claim.Person, q.Page.Attention.Away)
		}
	}
	return edge.Show(c, status, review.RequestPage(p, q.View(), r))
}

// nextAfter leads to the request that waits behind this one in the queue, or to the first one;
// empty where no other waits.
func nextAfter(lines []approvals.Line, id string) string {
	at := slices.IndexFunc(lines, func(l approvals.Line) bool { return l.ID == id })
	if at >= 0 && len(lines[at].Also) > 0 {
		return urls.Request(lines[at].Tenant, lines[at].Also[0])
	}
	for _, l := range slices.Concat(lines[at+1:], lines[:max(at, 0)]) {
		if l.ID != id && !l.Status.Final() {
			return urls.Request(l.Tenant, l.ID)
		}
	}
	return ""
}

// decide takes the decision form.
func (s *Console) decide(c edge.Call) error {
	id, err := s.RequestID(c)
	if err != nil {
		return err
	}
	in, err := decisionForm(c)
	if err == nil {
		err = c.Unlocked()
	}
	var decided approvals.Approval
	var others []approvals.Outcome
	if err == nil {
		decided, others, err = s.Approvals.DecideAlike(c.Request().Context(), c.Member, id, in)
	}
	if err != nil {
		return s.refused(c, err, request.Typed{Verdict: in.Verdict, Reason: in.Reason, Target: in.Target, Ticked: in.Consequences, Also: len(in.Also) > 0})
	}
	if len(others) > 0 {
		return s.showAlike(c, decided, others)
	}
	return edge.GoTo(c, urls.Request(c.Member.Tenant, id))
}

// decisionForm reads the form of a decision.
func decisionForm(c edge.Call) (approvals.DecideInput, error) {
	in := approvals.DecideInput{
		Verdict: approvals.Verdict(c.Field("verdict")), Reason: c.Field("reason"), Digest: c.Field("digest"),
		Challenge: c.Field("challenge"), Target: c.Field("target"),
	}
	in.Consequences = boxes(c.Request().PostForm)
	in.Also = request.TwinsOf(c.Field("also"))
	var err error
	if next := c.Field(request.FieldNext); next != "" {
		if in.Next, err = strconv.Atoi(next); err != nil {
			return in, fault.Member(fault.InvalidForm, request.FieldNext, "the number of further calls must be a whole number")
		}
	}
	if in.Version, err = strconv.ParseInt(c.Field("version"), 10, 64); err != nil {
		return in, fault.Member(fault.InvalidForm, "version", "the version is the number that the page carries")
	}
	return in, nil
}

// boxes are the 1-based numbers of the ticked consequences.
func boxes(form url.Values) []int {
	var all []int
	for name := range form {
		number, is := strings.CutPrefix(name, "consequence-")
		if n, err := strconv.Atoi(number); is && err == nil {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return all
}

// start begins a set of questions.
func (s *Console) start(c edge.Call) error {
	return s.answering(c, func(id string) error {
		return s.Approvals.StartQuiz(c.Request().Context(), c.Member, id)
	})
}

// answer takes one answer; after the third one the set is graded.
func (s *Console) answer(c edge.Call) error {
	return s.answering(c, func(id string) error {
		n, err := strconv.Atoi(c.Field("question"))
		if err != nil {
			return fault.Member(fault.InvalidForm, "question", "the number of the question is the one that the page carries")
		}
		return s.Approvals.Answer(c.Request().Context(), c.Member, id, approvals.AnswerInput{
			Challenge: c.Field("challenge"), Question: n, Option: c.Field("option"),
		})
	})
}

// leave goes back to reading; a new start asks the same questions.
func (s *Console) leave(c edge.Call) error {
	return s.answering(c, func(id string) error {
		return s.Approvals.LeaveQuiz(c.Request().Context(), c.Member, id)
	})
}

// answering does one step of a quiz and shows the page as it is afterwards.
func (s *Console) answering(c edge.Call, step func(id string) error) error {
	id, err := s.RequestID(c)
	if err != nil {
		return err
	}
	if err = c.Unlocked(); err == nil {
		err = step(id)
		// This person's other pages cover the row, or show it again.
		s.Live.Publish(c.Member.Tenant, id)
	}
	if err != nil {
		return s.refused(c, err, request.Typed{})
	}
	return edge.GoTo(c, cmp.Or(edge.LocalPath(c.Field("to")), urls.Request(c.Member.Tenant, id)))
}

// refused shows the page again with the message, the right status and everything
// that was typed. What is our bug, or about an approval that is not there, is an
// ordinary error.
func (s *Console) refused(c edge.Call, err error, t request.Typed) error {
	f := fault.As(err)
	if f.Kind() == fault.Internal || f.Kind() == fault.NotFound {
		return err
	}
	edge.NoteRefusal(c, f)
	t.Fault = f
	if edge.Stays(c) {
		return s.keepRefusal(c, t)
	}
	return s.showRequest(c, httpserver.Status(f.Code), t)
}

// claim takes a request over from nobody, or from the person that the form names.
func (s *Console) claim(c edge.Call) error {
	return s.claiming(c, func(id string) error {
		return s.Approvals.Claim(c.Request().Context(), c.Member, id, present.Trim(c.Field("from"), 64))
	})
}

// assign asks somebody else to decide.
func (s *Console) assign(c edge.Call) error {
	return s.claiming(c, func(id string) error {
		return s.Approvals.Assign(c.Request().Context(), c.Member, id, present.Trim(c.Field("to"), 64), present.Trim(c.Field("from"), 64))
	})
}

// snooze puts a request aside in this person's queue, and wake brings it back.
func (s *Console) snooze(c edge.Call) error {
	id, err := s.RequestID(c)
	if err != nil {
		return err
	}
	until, err := s.Visits.Now(c.Request().Context())
	if err != nil {
		return err
	}
	switch what := c.Field("for"); what {
	case "900", "3600":
		seconds, _ := strconv.Atoi(what)
		until = until.Add(time.Duration(seconds) * time.Second)
	case "tomorrow":
		until = request.Tomorrow(until, c.Zone())
	case "change":
		until = until.Add(worktime.Longest) // until the last time that it can be
	default:
		err = fault.Member(fault.InvalidForm, "for", "choose one of the times that the page offers")
	}
	if err == nil {
		err = s.Approvals.Snooze(c.Request().Context(), c.Member, id, until)
	}
	if err != nil {
		return s.refused(c, err, request.Typed{})
	}
	s.Did(c, edge.DeedSnoozed)
	return edge.GoTo(c, urls.Queue(c.Member.Tenant))
}

func (s *Console) wake(c edge.Call) error {
	id, err := s.RequestID(c)
	if err == nil {
		err = s.Approvals.Wake(c.Request().Context(), c.Member, id)
	}
	if err != nil {
		return err
	}
	return edge.GoTo(c, cmp.Or(edge.LocalPath(c.Field("to")), urls.Queue(c.Member.Tenant)))
}

// release gives it back.
func (s *Console) release(c edge.Call) error {
	return s.claiming(c, func(id string) error { return s.Approvals.Release(c.Request().Context(), c.Member, id) })
}

func (s *Console) claiming(c edge.Call, step func(id string) error) error {
	id, err := s.RequestID(c)
	if err != nil {
		return err
	}
	if err = c.Unlocked(); err == nil {
		err = step(id)
	}
	if err != nil {
		return s.refused(c, err, request.Typed{})
	}
	return edge.GoTo(c, urls.Request(c.Member.Tenant, id))
}

// sectionAsked reads which section an address names; 0 where none is named that
// could be.
func sectionAsked(c edge.Call) int {
	asked := c.QueryParam("section")
	if asked == "json" {
		return request.JSONSection
	}
	n, err := strconv.Atoi(asked)
	if err != nil || n < 0 {
		return 0
	}
	return n
}

// acknowledge takes "I have read section 2" and leads to the next one.
func (s *Console) acknowledge(c edge.Call) error {
	id, err := s.RequestID(c)
	if err != nil {
		return err
	}
	if err = c.Unlocked(); err == nil {
		var in approvals.AcknowledgeInput
		if in, err = acknowledgeForm(c); err == nil {
			err = s.Approvals.Acknowledge(c.Request().Context(), c.Member, id, in)
		}
	}
	if err != nil {
		return s.refused(c, err, request.Typed{})
	}
	return edge.GoTo(c, urls.Request(c.Member.Tenant, id)+"#sections")
}

func acknowledgeForm(c edge.Call) (in approvals.AcknowledgeInput, err error) {
	in.Digest = c.Field("digest")
	if in.Section, err = strconv.Atoi(c.Field("section")); err != nil {
		return in, fault.Member(fault.InvalidForm, "section", "the section is the number that the page carries")
	}
	if in.Version, err = strconv.ParseInt(c.Field("version"), 10, 64); err != nil {
		return in, fault.Member(fault.InvalidForm, "version", "the version is the number that the page carries")
	}
	return in, nil
}
