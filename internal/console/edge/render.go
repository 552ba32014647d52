package edge

import (
	"bytes"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/internal/httpserver"
)

// Show renders a page into memory, then sends status and body.
func Show(c echo.Context, status int, page templ.Component) error {
	var b bytes.Buffer
	if err := page.Render(c.Request().Context(), &b); err != nil {
		return err
	}
	return c.HTMLBlob(status, httpserver.Addresses(c.Request().Context(), b.Bytes()))
}

// GoTo answers a POST, or an address that is none, with the page to read next. A page that stays
// open until the answer is here cannot see where a redirect leads, so it is told.
func GoTo(c echo.Context, path string) error {
	path = httpserver.Address(c.Request().Context(), path)
	if Stays(c) {
		c.Response().Header().Set("Content-Location", path)
		return c.NoContent(http.StatusNoContent)
	}
	return c.Redirect(http.StatusSeeOther, path)
}

// Stays reports whether the form was sent by a script (web/js/send.js), whose page stays as it
// is when no answer comes.
func Stays(c echo.Context) bool { return c.Request().Header.Get("Countersign-Page") == "stays" }
