package console

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/httpserver"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
)

// One approval: reading it, answering about it, deciding it.

// requestPage shows an approval. It writes the first view and the challenge that
// the page carries, and nothing else.
func (s *Console) requestPage(c call) error {
	if is, err := s.cover(c, present.ApprovalID(c.Param("id"))); is || err != nil {
		return err // what was refused is kept for the page itself
	}
	t, err := s.takeRefusal(c)
	if err != nil {
		return err
	}
	return s.showRequest(c, http.StatusOK, t)
}

// showRequest draws the page as it is now, after a refusal with what was typed.
func (s *Console) showRequest(c call, status int, t request.Typed) error {
	ctx := c.Request().Context()
	id, err := s.requestID(c)
	if err != nil {
		return err
	}
	if is, err := s.cover(c, id); is || err != nil {
		return err
	}
	v, err := s.approvals.Show(ctx, c.member, id)
	if err != nil {
		return err
	}
	if !v.Status.Final() {
		s.look(ctx, c.member, id)
	}
	q, err := s.waiting(ctx, c.member, request.Filter{}, id)
	if err != nil {
		return err
	}
	open, unused := "", v.Unused(v.Now) == nil
	if !v.Status.Final() || unused {
		open = id
	}
	p := s.livePage(c, request.TitleOf(c.say, v), q, open)
	if unused {
		p.Live.Feed += "&" + unusedQuery
	}
	if err := s.showDisplay(c, &p); err != nil {
		return err
	}
	p.Critical, p.SkipTo = request.IsCritical(v), "request"
	own, err := s.tenants.Reasons(ctx, c.member)
	if err != nil {
		return err
	}
	who := request.Reader{Member: c.member, Own: own, Locked: c.locked, Section: sectionAsked(c), Withdraws: c.QueryParams().Has(request.WithdrawQuery)}
	if who.Withdrew, err = s.withdrew(ctx, c.member, v.Approval); err != nil {
		return err
	}
	r := request.Page(c.say, v, who, t)
	if err := s.tellOfAgent(c, v, &r); err != nil {
		return err
	}
	if r.Rail.Told, err = s.toldOf(ctx, c.say, c.member, id, v.Status.Final()); err != nil {
		return err
	}
	r.Waiting, r.Next = q.Page.Total, nextAfter(q.Page.Lines, id)
	if v.Status.Final() && r.Next == "" {
		guide, err := s.firstSteps(c, q)
		if err != nil {
			return err
		}
		if guide != nil {
			r.Guide = &views.Link{URL: urls.Queue(c.member.Tenant), Label: c.say.Say("Back to Get started: %d of %s done", guide.Done, strconv.Itoa(len(guide.Steps)))}
		}
	}
	if t.Fault != nil && r.Withdraw == nil && !request.CanDecide(v.Stage) && !request.Repeats(v, t, c.member.Person.ID) {
		r.Kept = t.Reason
	}
	if !v.Status.Final() {
		who := request.AttentionTo(q.Page.Attention, id, c.member.Person.ID)
		r.Rail.Looking = who.People(c.say, r.Rail.Looking[0], v.Agent.Name)
		r.Claim = who.Box(c.say, c.member.Tenant, id, v.MayClaim && !c.locked)
		if !c.locked && v.Stage != approvals.StageAsking { // names may be what is asked for
			r.Assign = request.AssignOf(v, who.Claim.Person)
		}
	}
	return show(c, status, review.RequestPage(p, q.View(), r))
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

func (s *Console) requestID(c call) (string, error) {
	id := present.ApprovalID(c.Param("id"))
	if id == "" {
		return "", fault.New(fault.Missing, "there is no request with this ID in this organisation")
	}
	return id, nil
}

// decide takes the decision form.
func (s *Console) decide(c call) error {
	id, err := s.requestID(c)
	if err != nil {
		return err
	}
	in, err := decisionForm(c)
	if err == nil {
		err = c.unlocked()
	}
	var decided approvals.Approval
	var others []approvals.Outcome
	if err == nil {
		decided, others, err = s.approvals.DecideAlike(c.Request().Context(), c.member, id, in)
	}
	if err != nil {
		return s.refused(c, err, request.Typed{Verdict: in.Verdict, Reason: in.Reason, Target: in.Target, Ticked: in.Consequences, Also: len(in.Also) > 0})
	}
	if len(others) > 0 {
		return s.showAlike(c, decided, others)
	}
	return goTo(c, urls.Request(c.member.Tenant, id))
}

// decisionForm reads the form of a decision.
func decisionForm(c call) (approvals.DecideInput, error) {
	in := approvals.DecideInput{
		Verdict: approvals.Verdict(c.field("verdict")), Reason: c.field("reason"), Digest: c.field("digest"),
		Challenge: c.field("challenge"), Target: c.field("target"),
	}
	in.Consequences = boxes(c.Request().PostForm)
	in.Also = request.TwinsOf(c.field("also"))
	var err error
	if next := c.field(request.FieldNext); next != "" {
		if in.Next, err = strconv.Atoi(next); err != nil {
			return in, fault.Member(fault.InvalidForm, request.FieldNext, "the number of further calls must be a whole number")
		}
	}
	if in.Version, err = strconv.ParseInt(c.field("version"), 10, 64); err != nil {
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
func (s *Console) start(c call) error {
	return s.answering(c, func(id string) error {
		return s.approvals.StartQuiz(c.Request().Context(), c.member, id)
	})
}

// answer takes one answer; after the third one the set is graded.
func (s *Console) answer(c call) error {
	return s.answering(c, func(id string) error {
		n, err := strconv.Atoi(c.field("question"))
		if err != nil {
			return fault.Member(fault.InvalidForm, "question", "the number of the question is the one that the page carries")
		}
		return s.approvals.Answer(c.Request().Context(), c.member, id, approvals.AnswerInput{
			Challenge: c.field("challenge"), Question: n, Option: c.field("option"),
		})
	})
}

// leave goes back to reading; a new start asks the same questions.
func (s *Console) leave(c call) error {
	return s.answering(c, func(id string) error {
		return s.approvals.LeaveQuiz(c.Request().Context(), c.member, id)
	})
}

// answering does one step of a quiz and shows the page as it is afterwards.
func (s *Console) answering(c call, step func(id string) error) error {
	id, err := s.requestID(c)
	if err != nil {
		return err
	}
	if err = c.unlocked(); err == nil {
		err = step(id)
		// This person's other pages cover the row, or show it again.
		s.hub.Publish(c.member.Tenant, id)
	}
	if err != nil {
		return s.refused(c, err, request.Typed{})
	}
	return goTo(c, cmp.Or(localPath(c.field("to")), urls.Request(c.member.Tenant, id)))
}

// unlocked refuses to decide after so much idle time as the policy says.
func (c call) unlocked() error {
	if c.locked {
		return fault.New(fault.Unauthorized, "your decision wasn't recorded because you've been inactive for a while; sign in and try again")
	}
	return c.ownPage()
}

// ownPage refuses a form of somebody else's page: after another person signed in, in another tab of
// the same browser, what the first one typed would be theirs.
func (c call) ownPage() error {
	if c.reader != "" && c.reader != c.member.Person.ID {
		return fault.New(fault.ChallengeRequired, "someone else opened this page, and you're signed in as %s now; check it and try again", c.member.Person.Name)
	}
	return nil
}

// refused shows the page again with the message, the right status and everything
// that was typed. What is our bug, or about an approval that is not there, is an
// ordinary error.
func (s *Console) refused(c call, err error, t request.Typed) error {
	f := fault.As(err)
	if f.Kind() == fault.Internal || f.Kind() == fault.NotFound {
		return err
	}
	noteRefusal(c, f)
	t.Fault = f
	if stays(c) {
		return s.keepRefusal(c, t)
	}
	return s.showRequest(c, httpserver.Status(f.Code), t)
}

// claim takes a request over from nobody, or from the person that the form names.
func (s *Console) claim(c call) error {
	return s.claiming(c, func(id string) error {
		return s.approvals.Claim(c.Request().Context(), c.member, id, present.Trim(c.field("from"), 64))
	})
}

// assign asks somebody else to decide.
func (s *Console) assign(c call) error {
	return s.claiming(c, func(id string) error {
		return s.approvals.Assign(c.Request().Context(), c.member, id, present.Trim(c.field("to"), 64), present.Trim(c.field("from"), 64))
	})
}

// release gives it back.
func (s *Console) release(c call) error {
	return s.claiming(c, func(id string) error { return s.approvals.Release(c.Request().Context(), c.member, id) })
}

func (s *Console) claiming(c call, step func(id string) error) error {
	id, err := s.requestID(c)
	if err != nil {
		return err
	}
	if err = c.unlocked(); err == nil {
		err = step(id)
	}
	if err != nil {
		return s.refused(c, err, request.Typed{})
	}
	return goTo(c, urls.Request(c.member.Tenant, id))
}

// sectionAsked reads which section an address names; 0 where none is named that
// could be.
func sectionAsked(c call) int {
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
func (s *Console) acknowledge(c call) error {
	id, err := s.requestID(c)
	if err != nil {
		return err
	}
	if err = c.unlocked(); err == nil {
		var in approvals.AcknowledgeInput
		if in, err = acknowledgeForm(c); err == nil {
			err = s.approvals.Acknowledge(c.Request().Context(), c.member, id, in)
		}
	}
	if err != nil {
		return s.refused(c, err, request.Typed{})
	}
	return goTo(c, urls.Request(c.member.Tenant, id)+"#sections")
}

func acknowledgeForm(c call) (in approvals.AcknowledgeInput, err error) {
	in.Digest = c.field("digest")
	if in.Section, err = strconv.Atoi(c.field("section")); err != nil {
		return in, fault.Member(fault.InvalidForm, "section", "the section is the number that the page carries")
	}
	if in.Version, err = strconv.ParseInt(c.field("version"), 10, 64); err != nil {
		return in, fault.Member(fault.InvalidForm, "version", "the version is the number that the page carries")
	}
	return in, nil
}
