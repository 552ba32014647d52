package console

import (
	"strconv"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/request"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
)

// More time for a request, once.

// extend takes the form.
func (s *Console) extend(c call) error {
	id, err := s.requestID(c)
	if err != nil {
		return err
	}
	in := approvals.ExtendInput{Reason: c.field("reason")}
	if err = c.unlocked(); err == nil {
		if in.Seconds, err = strconv.Atoi(c.field("seconds")); err != nil {
			err = fault.Member(fault.InvalidForm, "seconds", "the time is a whole number of seconds")
		}
	}
	if err == nil {
		err = s.approvals.Extend(c.Request().Context(), c.member, id, in)
	}
	if err != nil {
		return s.refused(c, err, request.Typed{Verdict: request.VerdictExtend, Reason: in.Reason})
	}
	return goTo(c, urls.Request(c.member.Tenant, id))
}
