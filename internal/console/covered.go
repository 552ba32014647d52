package console

import (
	"net/http"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/views"
)

// While somebody answers a quiz, what it asks about is out of sight: the request, the others of its
// agent (approvals, answering.go), and every page and file that may show one of these, as a
// whole. No page is searched for what it must not say, since what is missing in it would tell
// that, too. The rest of the console goes on.

// requestPages begin the addresses that may show requests, or say what was read of them.
var requestPages = []string{
	"/approvals/", "/history", "/agents/", "/sessions/", "/insights", "/evaluations.csv", "/audit", "/queue/filters", "/guide/",
	"/settings/policy/preview", "/settings/rules", "/settings/patterns", "/settings/functions", "/settings/standing-grants", "/settings/agents/:agent",
}

// shownWhileAnswering are those of them that go on: of requests, the one that asks, and those of
// other agents (cover). Whatever is posted there either leads on, or comes back as that page.
var shownWhileAnswering = []string{
	"GET /t/:tenant/approvals/:id",
	"POST /t/:tenant/approvals/:id/acknowledge", "POST /t/:tenant/approvals/:id/start", "POST /t/:tenant/approvals/:id/answer", "POST /t/:tenant/approvals/:id/leave",
	"POST /t/:tenant/approvals/:id/decide", "POST /t/:tenant/approvals/:id/claim", "POST /t/:tenant/approvals/:id/extend", "POST /t/:tenant/approvals/:id/release",
}

// coveredPage reports whether an address of a tenant is covered while its reader answers.
func coveredPage(n Route) bool {
	below, of := strings.CutPrefix(n.Path, "/t/:tenant")
	return of && n.Permission != SignedIn && !slices.Contains(shownWhileAnswering, n.Method+" "+n.Path) &&
		slices.ContainsFunc(requestPages, func(begins string) bool { return strings.HasPrefix(below, begins) })
}

// cover answers with another page in place of one that is covered, and reports whether it did.
// Of an id, only that of a request is covered whose agent is asked about by another one. To
// leave the questions leads to the page that was asked for.
func (s *Console) cover(c call, id string) (bool, error) {
	asking, err := s.approvals.Answering(c.Request().Context(), c.member)
	if _, own := asking[id]; err != nil || len(asking) == 0 || own {
		return false, err
	}
	if id != "" {
		a, _, err := s.approvals.Peek(c.Request().Context(), c.member, id)
		if err != nil || !asking.Covers(a.Agent.ID) {
			return false, err
		}
	}
	questions := urls.Questions(c.member.Tenant, asking)
	leave := views.PlainForm{URL: questions + "/leave", Button: views.Button{Label: c.say.Say("Leave the questions")}}
	if c.Request().Method == http.MethodGet {
		leave.Hidden = []views.Hidden{{Name: "to", Value: c.Request().URL.RequestURI()}}
	}
	page := views.Failure{
		Status: http.StatusConflict, Title: c.say.Say("You're answering questions"), Assets: s.pageAssets(),
		Meaning: c.say.Say("This page could give an answer away, so it stays closed until you've answered or left the questions."),
		Do:      c.say.Say("Leaving doesn't use an attempt. You get the same questions again."),
		Back:    &views.Link{Label: c.say.Say("Back to the questions"), URL: questions}, Other: &leave,
	}
	if c.Request().Method == http.MethodPost {
		page.Meaning += " " + c.say.Say("Nothing was changed.")
	}
	around := s.page(c, page.Title, views.PlaceNone)
	page.Page = &around
	return true, show(c, page.Status, views.FailurePage(page))
}

// answeringBanner says on the queue why its rows are covered, and leads back; none to who answers none.
func (s *Console) answeringBanner(c call) ([]views.Notice, error) {
	asking, err := s.approvals.Answering(c.Request().Context(), c.member)
	if err != nil || len(asking) == 0 {
		return nil, err
	}
	return []views.Notice{{
		Tone: views.ToneWarn, Icon: views.IconInfo, Title: c.say.Say("You're answering questions"),
		Text:   untrusted.Runs(c.say.Say("The other requests of this agent stay hidden until you've answered or left them.")),
		Action: &views.Link{Label: c.say.Say("Back to the questions"), URL: urls.Questions(c.member.Tenant, asking)},
	}}, nil
}
