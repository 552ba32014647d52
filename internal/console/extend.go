package console

import (
	"strconv"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
)

// More time for a request, once.

// extend takes the form.
func (s *Console) extend(c edge.Call) error {
	id, err := s.RequestID(c)
	if err != nil {
		return err
	}
	in := approvals.ExtendInput{Reason: c.Field("reason")}
	if err = c.Unlocked(); err == nil {
		if in.Seconds, err = strconv.Atoi(c.Field("seconds")); err != nil {
			err = fault.Member(fault.InvalidForm, "seconds", "the time is a whole number of seconds")
		}
	}
	if err == nil {
		err = s.Approvals.Extend(c.Request().Context(), c.Member, id, in)
	}
	if err != nil {
		return s.refused(c, err, request.Typed{Verdict: request.VerdictExtend, Reason: in.Reason})
	}
	return edge.GoTo(c, urls.Request(c.Member.Tenant, id))
}
