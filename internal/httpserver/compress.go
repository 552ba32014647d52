package httpserver

import (
	"strings"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
)

// compress sends the static texts with gzip: the styles and scripts of a first
// visit, which are most of its bytes. Nothing else is compressed: the length of a
// compressed page tells what is in it to whoever can put words of his own on the
// same page, as an agent can (BREACH, 2013). Fonts are compressed already.
func compress() echo.MiddlewareFunc {
	return middleware.GzipWithConfig(middleware.GzipConfig{
		Level:     9, // a browser asks once for each version
		MinLength: 1 << 10,
		Skipper: func(c echo.Context) bool {
			path := c.Request().URL.Path
			return !strings.HasPrefix(path, "/static/") || strings.HasSuffix(path, ".woff2")
		},
	})
}
