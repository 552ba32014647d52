package console

import (
	"maps"
	"net/http"
	"slices"

	"github.com/countersign/countersign/views"
)

// While somebody answers a quiz, nothing else here may tell what it asks for: not another
// request, a list, a search, a figure or a file. No page is searched for what it must not say,
// since what is missing in it would tell that, too. They are covered as a whole, but for the
// few that are listed here.

// shownWhileAnswering are the addresses that go on meanwhile. A list there says the level and
// the time left of each request (rowOf); of requests, only those whose quiz is open are shown
// (showRequest). Whatever is posted there either leads on, or comes back as one of these pages.
var shownWhileAnswering = []string{
	"GET /t/:tenant", "GET /t/:tenant/queue", "GET /t/:tenant/queue/rows", "POST /t/:tenant/queue/deny",
	"GET /t/:tenant/live", "GET /t/:tenant/session", "POST /t/:tenant/session", "GET /t/:tenant/help",
	"GET /t/:tenant/approvals/:id",
	"POST /t/:tenant/approvals/:id/acknowledge", "POST /t/:tenant/approvals/:id/start", "POST /t/:tenant/approvals/:id/answer", "POST /t/:tenant/approvals/:id/leave",
	"POST /t/:tenant/approvals/:id/decide", "POST /t/:tenant/approvals/:id/claim", "POST /t/:tenant/approvals/:id/extend", "POST /t/:tenant/approvals/:id/release",
	"POST /t/:tenant/settings/agents/stop-all", // an emergency waits for nothing
}

// coveredPage reports whether an address of a tenant is covered while its reader answers.
func coveredPage(n Need) bool {
	return n.Permission != SignedIn && !slices.Contains(shownWhileAnswering, n.Method+" "+n.Path)
}

// cover answers with another page in place of one that is covered, and reports whether it did.
// Not covered is the request of this id while its own questions are open. To leave the
// questions leads to the page that was asked for.
func (s *Console) cover(c call, id string) (bool, error) {
	asking, err := s.approvals.Answering(c.Request().Context(), c.member)
	if err != nil || len(asking) == 0 || asking[id] {
		return false, err
	}
	questions := questionsURL(c.member.Tenant, asking)
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

// questionsURL is the page with the questions; the first one where several requests ask some.
func questionsURL(tenant string, asking map[string]bool) string {
	return requestURL(tenant, slices.Min(slices.Collect(maps.Keys(asking))))
}

// answeringBanner says on the queue why its rows are covered, and leads back; none to who answers none.
func (s *Console) answeringBanner(c call) ([]views.Notice, error) {
	asking, err := s.approvals.Answering(c.Request().Context(), c.member)
	if err != nil || len(asking) == 0 {
		return nil, err
	}
	return []views.Notice{{
		Tone: views.ToneWarn, Icon: views.IconInfo, Title: c.say.Say("You're answering questions"),
		Text:   runs(c.say.Say("Other requests stay hidden until you've answered or left them.")),
		Action: &views.Link{Label: c.say.Say("Back to the questions"), URL: questionsURL(c.member.Tenant, asking)},
	}}, nil
}
