package edge

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

// RequestPages begin the addresses that may show requests, or say what was read of them.
var RequestPages = []string{
	"/approvals/", "/history", "/agents/", "/sessions/", "/insights", "/evaluations.csv", "/audit", "/queue/filters", "/guide/",
	"/settings/policy/preview", "/settings/rules", "/settings/patterns", "/settings/functions", "/settings/standing-grants", "/settings/agents/:agent",
}

// ShownWhileAnswering are those of them that go on: of requests, the one that asks, and those of
// other agents (cover). Whatever is posted there either leads on, or comes back as that page.
var ShownWhileAnswering = []string{
	"GET /t/:tenant/approvals/:id",
	"POST /t/:tenant/approvals/:id/acknowledge", "POST /t/:tenant/approvals/:id/start", "POST /t/:tenant/approvals/:id/answer", "POST /t/:tenant/approvals/:id/leave",
	"POST /t/:tenant/approvals/:id/decide", "POST /t/:tenant/approvals/:id/claim", "POST /t/:tenant/approvals/:id/extend", "POST /t/:tenant/approvals/:id/release",
}

// Covered reports whether an address of a tenant is covered while its reader answers.
func Covered(n Route) bool {
	below, of := strings.CutPrefix(n.Path, "/t/:tenant")
	return of && n.Permission != SignedIn && !slices.Contains(ShownWhileAnswering, n.Method+" "+n.Path) &&
		slices.ContainsFunc(RequestPages, func(begins string) bool { return strings.HasPrefix(below, begins) })
}

// Cover answers with another page in place of one that is covered, and reports whether it did.
// Of an id, only that of a request is covered whose agent is asked about by another one. To
// leave the questions leads to the page that was asked for.
func (s *Console) Cover(c Call, id string) (bool, error) {
	asking, err := s.Approvals.Answering(c.Request().Context(), c.Member)
	if _, own := asking[id]; err != nil || len(asking) == 0 || own {
		return false, err
	}
	if id != "" {
		a, _, err := s.Approvals.Peek(c.Request().Context(), c.Member, id)
		if err != nil || !asking.Covers(a.Agent.ID) {
			return false, err
		}
	}
	questions := urls.Questions(c.Member.Tenant, asking)
	leave := views.PlainForm{URL: questions + "/leave", Button: views.Button{Label: c.Say.Say("Leave the questions")}}
	if c.Request().Method == http.MethodGet {
		leave.Hidden = []views.Hidden{{Name: "to", Value: c.Request().URL.RequestURI()}}
	}
	page := views.Failure{
		Status: http.StatusConflict, Title: c.Say.Say("You're answering questions"), Assets: s.PageAssets(),
		Meaning: c.Say.Say("This page could give an answer away, so it stays closed until you've answered or left the questions."),
		Do:      c.Say.Say("Leaving doesn't use an attempt. You get the same questions again."),
		Back:    &views.Link{Label: c.Say.Say("Back to the questions"), URL: questions}, Other: &leave,
	}
	if c.Request().Method == http.MethodPost {
		page.Meaning += " " + c.Say.Say("Nothing was changed.")
	}
	around := s.Page(c, page.Title, views.PlaceNone)
	page.Page = &around
	return true, Show(c, page.Status, views.FailurePage(page))
}

// AnsweringBanner says on the queue why its rows are covered, and leads back; none to who answers none.
func (s *Console) AnsweringBanner(c Call) ([]views.Notice, error) {
	asking, err := s.Approvals.Answering(c.Request().Context(), c.Member)
	if err != nil || len(asking) == 0 {
		return nil, err
	}
	return []views.Notice{{
		Tone: views.ToneWarn, Icon: views.IconInfo, Title: c.Say.Say("You're answering questions"),
		Text:   untrusted.Runs(c.Say.Say("The other requests of this agent stay hidden until you've answered or left them.")),
		Action: &views.Link{Label: c.Say.Say("Back to the questions"), URL: urls.Questions(c.Member.Tenant, asking)},
	}}, nil
}
