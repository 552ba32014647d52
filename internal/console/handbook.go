package console

import (
	"net/http"
	"slices"

	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/handbook"
	"github.com/countersign/countersign/views"
)

const handbookPath = "/t/:tenant/help/:page"

// handbookPage is a page of docs/.
func (s *Console) handbookPage(c edge.Call) error {
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
	return edge.Show(c, http.StatusOK, views.HandbookPage(s.Page(c, h.Title, views.PlaceNone), h))
}
