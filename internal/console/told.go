package console

import (
	"context"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// toldOf says who was called to a request; nil where nobody is.
func (s *Feed) toldOf(ctx context.Context, say texts.Printer, m auth.Member, approval string, over bool) (*review.ToldBlock, error) {
	d, err := s.Notices.Deliveries(ctx, m, approval)
	if err != nil {
		return nil, err
	}
	return toldBlockOf(say, d, over), nil
}

// toldBlockOf says who was called to a request.
func toldBlockOf(say texts.Printer, d notices.Deliveries, over bool) *review.ToldBlock {
	if len(d.All) == 0 && d.Reach == notices.NoCall {
		return nil
	}
	b := &review.ToldBlock{}
	switch {
	case d.Reach == notices.Unreached:
		b.Summary, b.Tone, b.Icon = say.Say("No one was reached"), views.ToneWarn, views.IconAlert
	case d.Reach == notices.Calling && !over:
		b.Summary, b.Tone, b.Icon = say.Say("Calling"), views.TonePlain, views.IconClock
	}
	for _, t := range d.All {
		channel := t.ChannelName
		if name := d.People[t.Person]; name != "" {
			channel = say.Say("%s (%s)", name, channel)
		}
		row := review.ToldRow{Channel: untrusted.Runs(channel), What: say.Key(present.NoticeWords[t.Kind]), State: present.DeliveryState(say, t.Delivery, d.Now)}
		if t.LastError != "" {
			row.Why = untrusted.Runs(t.LastError)
		}
		b.Rows = append(b.Rows, row)
	}
	return b
}
