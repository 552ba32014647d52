package present

import (
	"time"

	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

var NoticeWords = map[notices.Kind]texts.Key{
	notices.Held: texts.Key("A request is waiting for a decision"), notices.Escalated: texts.Key("No one claimed or decided in time"), notices.Ending: texts.Key("A request ends soon, which denies it"), notices.Claimed: texts.Key("A request is claimed"), notices.Assigned: texts.Key("A request was assigned"), notices.Mentioned: texts.Key("Mentioned in a comment"),
	notices.Decided: texts.Key("A request was decided"), notices.Withdrawn: texts.Key("An approval was withdrawn"), notices.Expired: texts.Key("A request expired"), notices.Proposed: texts.Key("A settings change is waiting for another person"),
	notices.Silent:   texts.Key("An agent's gate fell silent"),
	notices.Disabled: texts.Key("A channel was disabled"), notices.Test: texts.Key("Test"),
}

// DeliveryState is for example "delivered 14:03:05" or "retrying, next in 30 s".
func DeliveryState(say texts.Printer, d notices.Delivery, now time.Time) []views.Run {
	switch {
	case d.State == notices.Delivered && d.DeliveredAt != nil:
		return SayAt(say, ClockForm, texts.Key("delivered %s"), *d.DeliveredAt)
	case d.State == notices.Failed:
		return untrusted.Runs(say.Say("failed after %d attempts", d.Attempts))
	case d.State == notices.Skipped:
		return untrusted.Runs(say.Say("not sent"))
	case d.Failures > 0 && d.Next.After(now):
		return untrusted.Runs(say.Say("retrying, next in %s", Duration(say, d.Next.Sub(now))))
	case d.Failures > 0:
		return untrusted.Runs(say.Say("retrying now"))
	}
	return untrusted.Runs(say.Say("sending"))
}
