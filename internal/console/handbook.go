package console

import (
	"net/http"
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/handbook"
	"github.com/countersign/countersign/views"
)

const handbookPath = "/t/:tenant/help/:page"

func handbookURL(tenant, page string) string { return urls.Help(tenant) + "/" + page }

// handbookPage is a page of docs/.
func (s *Console) handbookPage(c call) error {
	pages, err := handbook.Pages()
	if err != nil {
		return err
	}
	i := slices.IndexFunc(pages, func(p handbook.Page) bool { return p.Name == c.Param("page") })
	if i < 0 {
		return fault.New(fault.Missing, "the handbook has no page with this name")
	}
	h := views.Handbook{Title: pages[i].Title, Body: pages[i]}
	for _, part := range pages[i].Parts {
		h.Parts = append(h.Parts, views.Link{Label: part.Title, URL: "#" + part.ID})
	}
	return show(c, http.StatusOK, views.HandbookPage(s.page(c, h.Title, views.PlaceNone), h))
}

// handbookLinks lead to all pages of docs/.
func handbookLinks(tenant string) ([]views.Link, error) {
	pages, err := handbook.Pages()
	if err != nil {
		return nil, err
	}
	links := make([]views.Link, len(pages))
	for i, p := range pages {
		links[i] = views.Link{Label: p.Title, URL: handbookURL(tenant, p.Name)}
	}
	return links, nil
}

// explains says which page of the handbook is about an address and those below it; the first
// that fits.
var explains = []struct{ path, page string }{
	{rulesPath, "models"},
	{patternsPath, "patterns"},
	{noticesPath, "notices"},
	{ownPath, "notices"},
	{toolsPath, "plug-in"},
	{withoutPath, "trust"},
	{"/t/:tenant/settings/agents/new", "plug-in"},
	{"/t/:tenant/settings/agents", "workspace"},
	{"/t/:tenant/settings/people", "operate"},
	{"/t/:tenant/settings", "policy"},
	{itemsPath, "quiz"},
	{insightsPath, "insights"},
	{sessionPath, "evaluations"},
	{overviewPath, "trust"},
	{"/t/:tenant/audit", "audit"},
	{"/t/:tenant/queue", "reading"},
	{"/t/:tenant/approvals", "reading"},
	{"/t/:tenant/history", "insights"},
}

// explained is the page of the handbook about the page that c shows, or nil.
func explained(c call) *views.Link {
	links, err := handbookLinks(c.member.Tenant)
	if err != nil {
		return nil
	}
	for _, e := range explains {
		if rest, ok := strings.CutPrefix(c.Path(), e.path); ok && (rest == "" || rest[0] == '/') {
			i := slices.IndexFunc(links, func(l views.Link) bool { return l.URL == handbookURL(c.member.Tenant, e.page) })
			return &links[i]
		}
	}
	return nil
}
