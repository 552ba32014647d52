package edge

import (
	"net/http"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
)

// What a person chose for the console itself: going on to the next request after a
// decision, and from which level on an arrival is heard. The menu of a live page shows and
// changes it, by a script, as both need one.

const DisplayPath = "/t/:tenant/account/display"

// ShowDisplay puts it on a page.
func (s *Console) ShowDisplay(c Call, p *views.Page) error {
	d, err := s.Tenants.Display(c.Request().Context(), c.Member)
	if err != nil {
		return err
	}
	p.Display = &views.Display{URL: "/t/" + c.Member.Tenant + "/account/display", Chosen: d.Chosen, Advance: d.Advance, Sound: d.Sound}
	return nil
}

// SetDisplay takes both choices and answers without a page.
func (s *Console) SetDisplay(c Call) error {
	advance := c.Field("advance")
	if advance != "on" && advance != "off" {
		return fault.Member(fault.InvalidForm, "advance", "is %.20q; expected on or off", advance)
	}
	if err := s.Tenants.SetDisplay(c.Request().Context(), c.Member, tenants.Display{Advance: advance == "on", Sound: c.Field("sound")}); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
