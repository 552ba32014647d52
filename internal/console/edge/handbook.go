package edge

import (
	"slices"
	"strings"

	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/handbook"
	"github.com/countersign/countersign/views"
)

// HandbookLinks lead to all pages of docs/.
func HandbookLinks(tenant string) ([]views.Link, error) {
	pages, err := handbook.Pages()
	if err != nil {
		return nil, err
	}
	links := make([]views.Link, len(pages))
	for i, p := range pages {
		links[i] = views.Link{Label: p.Title, URL: urls.Handbook(tenant, p.Name)}
	}
	return links, nil
}

// explains says which page of the handbook is about an address and those below it; the first
// that fits.
var explains = []struct{ path, page string }{
	{"/t/:tenant/settings/rules", "models"},
	{"/t/:tenant/settings/patterns", "patterns"},
	{"/t/:tenant/settings/notices", "notices"},
	{"/t/:tenant/account/notices", "notices"},
	{"/t/:tenant/settings/agents/:agent/tools", "plug-in"},
	{"/t/:tenant/settings/agents/:agent/without-asking", "trust"},
	{"/t/:tenant/settings/agents/new", "plug-in"},
	{"/t/:tenant/settings/agents", "workspace"},
	{"/t/:tenant/settings/people", "operate"},
	{"/t/:tenant/settings", "policy"},
	{"/t/:tenant/insights/questions", "quiz"},
	{"/t/:tenant/insights", "insights"},
	{"/t/:tenant/sessions/:agent", "evaluations"},
	{"/t/:tenant/agents/:agent", "trust"},
	{"/t/:tenant/audit", "audit"},
	{"/t/:tenant/queue", "reading"},
	{"/t/:tenant/approvals", "reading"},
	{"/t/:tenant/history", "insights"},
}

// explained is the page of the handbook about the page that c shows, or nil.
func explained(c Call) *views.Link {
	links, err := HandbookLinks(c.Member.Tenant)
	if err != nil {
		return nil
	}
	for _, e := range explains {
		if rest, ok := strings.CutPrefix(c.Path(), e.path); ok && (rest == "" || rest[0] == '/') {
			i := slices.IndexFunc(links, func(l views.Link) bool { return l.URL == urls.Handbook(c.Member.Tenant, e.page) })
			return &links[i]
		}
	}
	return nil
}
