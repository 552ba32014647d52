package request

import (
	"net/url"
	"slices"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/urls"
	shown "github.com/countersign/countersign/internal/scoring/headline"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// What else the session did: the steps that led to a request, and those behind it.

const (
	sessionSteps = 20 // so many are shown, this one included
	stepsBehind  = 5  // so many of them at most came after it, where enough came before
)

// sessionOf is the timeline beside a request. Where past approvals are sealed, so is how the
// calls of the same function ended: what was approved before is no argument.
func sessionOf(say texts.Printer, v approvals.Review, withdrew map[string]string) *review.Session {
	here := slices.IndexFunc(v.SessionTrail, func(a approvals.Approval) bool { return a.ID == v.ID })
	to := min(len(v.SessionTrail), max(here+1+stepsBehind, sessionSteps))
	from := max(0, to-sessionSteps)
	s := &review.Session{Note: say.Say("%d actions", len(v.SessionTrail)), All: views.Link{Label: say.Say("The whole session"), URL: sessionURL(v)}}
	if len(v.SessionTrail) == approvals.SessionTrail {
		s.Note = say.Say("the last %d actions", len(v.SessionTrail))
	}
	if from > 0 {
		s.Earlier = &views.Link{Label: say.Say("%d earlier actions", from), URL: sessionURL(v)}
		if len(v.SessionTrail) == approvals.SessionTrail {
			s.Earlier.Label = say.Say("%d earlier actions or more", from)
		}
	}
	if later := len(v.SessionTrail) - to; later > 0 {
		s.Later = &views.Link{Label: say.Say("%d later actions", later), URL: sessionURL(v)}
	}
	sealed := pastIsNoArgument(v)
	for _, a := range v.SessionTrail[from:to] {
		step, hides := sessionStep(say, v, a, sealed, withdrew)
		if hides {
			s.Sealed = say.Say("Hidden at %s: how other calls of this function ended isn't a reason to approve.", present.LevelWord(say, v.Assessment.Level))
		}
		s.Steps = append(s.Steps, step)
	}
	return s
}

// sessionStep is one action of the session; hides says that its end is left out.
func sessionStep(say texts.Printer, v approvals.Review, a approvals.Approval, sealed bool, withdrew map[string]string) (step views.TrailStep, hides bool) {
	step = views.TrailStep{
		Text: present.HeadlineOf(say, a.Subject().Row(shown.MaxLine)), Note: say.Key(present.EndWords[a.Status]),
		End: a.CreatedAt.Format(present.ClockForm), EndISO: a.CreatedAt.Format(present.IsoForm), Level: present.LevelOf(a.Assessment.Level), Current: a.ID == v.ID,
	}
	if step.Current {
		step.Note = say.Say("you're here")
		return step, false
	}
	step.URL = urls.Request(a.Tenant, a.ID)
	switch {
	case sealed && a.Status.Final() && a.Function == v.Function:
		step.Note, hides = say.Say("ended, hidden"), true
	case a.Decision != nil:
		step.Note = endedBy(say, a, withdrew)
	}
	return step, hides
}

// sessionURL leads to the whole session.
func sessionURL(v approvals.Review) string { return urls.Session(v.Tenant, v.Agent.ID, v.Session) }

// HistoryOfSession leads to what was decided of a session.
func HistoryOfSession(tenant, agent, session string) string {
	return "/t/" + tenant + "/history?agent=" + url.QueryEscape(agent) + "&session=" + url.QueryEscape(session)
}
