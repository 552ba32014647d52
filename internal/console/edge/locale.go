package edge

import (
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/views/texts"
)

// locale is the language of a request's answer: that of the catalogues which suits
// its reader best, by Accept-Language. It goes with the context of the request from
// here on.
func (s *Console) locale(c echo.Context) texts.Printer {
	if !s.Choice {
		return texts.Printer{}
	}
	if vary := c.Response().Header(); !slices.Contains(vary.Values(echo.HeaderVary), acceptLanguage) {
		vary.Add(echo.HeaderVary, acceptLanguage)
	}
	say := s.Match(c.Request().Header.Get(acceptLanguage))
	c.SetRequest(c.Request().WithContext(texts.With(c.Request().Context(), say)))
	return say
}

// InFile says what stands in an exported file: it reads the
// same whoever asks for it.
var InFile texts.Printer

const acceptLanguage = "Accept-Language"
