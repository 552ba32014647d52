package console

import (
	"bytes"
	"net/http"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"
)

// show renders a page into memory, then sends status and body.
func show(c echo.Context, status int, page templ.Component) error {
	var b bytes.Buffer
	if err := page.Render(c.Request().Context(), &b); err != nil {
		return err
	}
	return c.HTMLBlob(status, b.Bytes())
}

// goTo answers a POST, or an address that is none, with the page to read next.
func goTo(c echo.Context, path string) error { return c.Redirect(http.StatusSeeOther, path) }
