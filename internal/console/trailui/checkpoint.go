package trailui

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/fault"
)

const checkpointPath = "/t/:tenant/audit/checkpoint"

// checkpoint is the newest signed checkpoint as a file, to be kept where nobody
// can reach who can write to the database.
func (s *Pages) checkpoint(c edge.Call) error {
	signed := s.Checkpoints.Newest(c.Member.Tenant)
	if signed.Note == nil {
		return fault.New(fault.Missing, "no checkpoint is signed yet; a server signs one within a minute")
	}
	h := c.Response().Header()
	h.Set("Content-Disposition", `attachment; filename="`+c.Member.Tenant+"-checkpoint-"+strconv.FormatInt(signed.Size, 10)+`.txt"`)
	h.Set("Cache-Control", "no-store")
	return c.Blob(http.StatusOK, echo.MIMETextPlainCharsetUTF8, signed.Note)
}
