package console

import (
	"net/http"

	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
)

// What a person chose for the console itself: going on to the next request after a
// decision, and from which level on an arrival is heard. The menu of a live page shows and
// changes it, by a script, as both need one.

const displayPath = "/t/:tenant/account/display"

// showDisplay puts it on a page.
func (s *Console) showDisplay(c call, p *views.Page) error {
	d, err := s.tenants.Display(c.Request().Context(), c.member)
	if err != nil {
		return err
	}
	p.Display = &views.Display{URL: "/t/" + c.member.Tenant + "/account/display", Chosen: d.Chosen, Advance: d.Advance, Sound: d.Sound}
	return nil
}

// setDisplay takes both choices and answers without a page.
func (s *Console) setDisplay(c call) error {
	advance := c.field("advance")
	if advance != "on" && advance != "off" {
		return fault.Member(fault.InvalidForm, "advance", "is %.20q; expected on or off", advance)
	}
	if err := s.tenants.SetDisplay(c.Request().Context(), c.member, tenants.Display{Advance: advance == "on", Sound: c.field("sound")}); err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}
