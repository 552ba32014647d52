package console

import (
	"slices"
	"strconv"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// More time for a request, once.

// verdictExtend marks what was typed in the form of an extension. It is no verdict.
const verdictExtend approvals.Verdict = "extend"

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
		return s.refused(c, err, typed{verdict: verdictExtend, reason: in.Reason})
	}
	return goTo(c, requestURL(c.member.Tenant, id))
}

// extendOf is the form; nil where there is nothing to extend, or not for this reader.
func extendOf(say texts.Printer, v approvals.Review, own tenants.Reasons, t typed) *review.Extend {
	most := int(v.MostExtension / time.Second)
	if most == 0 {
		return nil
	}
	e := &review.Extend{URL: requestURL(v.Tenant, v.ID) + "/extend", Form: *reasonForm(say, t, verdictExtend, own)}
	for _, seconds := range []int{300, 900, 1800, 3600, 86_400} {
		if seconds < most {
			e.Times = append(e.Times, views.Choice{Value: strconv.Itoa(seconds), Label: say.Say("%d more minutes", seconds/60)})
		}
	}
	whole := views.Choice{Value: strconv.Itoa(most), Label: say.Say("%d more minutes", most/60), Checked: true}
	if most%60 != 0 || v.MostExtension >= inDays {
		whole.Label = say.Say("%s more", duration(say, v.MostExtension))
	}
	e.Times = append(e.Times, whole)
	slices.Reverse(e.Times)
	return e
}

// timeOf is what stands above a request about its time. While somebody answers questions, what a
// colleague wrote is out of their sight: it may say what they are asked for.
func timeOf(say texts.Printer, a approvals.Approval, now time.Time, may, asking bool) review.TimeBox {
	b := review.TimeBox{ID: a.ID, Left: timeLeft(say, a, now), May: may && a.Extension == nil}
	if e := a.Extension; e != nil && !asking {
		b.Extended = sayAt(say, momentForm, texts.Key("%s extended this until %s: “%s”"), e.Name, e.Until, e.Reason)
	}
	return b
}
