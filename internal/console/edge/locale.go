package edge

import (
	"slices"
	"strconv"
	"time"

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

// maxOffset is how many minutes a clock is off UTC at most.
const maxOffset = 14 * 60

// Zone is where the reader's clock is: UTC until a script said how many minutes it is behind it.
func (c Call) Zone() *time.Location {
	cookie, err := c.Request().Cookie("zone")
	if err != nil {
		return time.UTC
	}
	behind, err := strconv.Atoi(cookie.Value)
	if err != nil || behind == 0 || behind < -maxOffset || behind > maxOffset {
		return time.UTC
	}
	return time.FixedZone("", -60*behind)
}
