package notices

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

const (
	// work names what the lease is for.
	work = "notices"
	// LeaseFor is for how long a server is in charge without being heard of.
	LeaseFor = 15 * time.Second
	// renewAfter is when it says again that it is there.
	renewAfter = 5 * time.Second
	// SendFor bounds one attempt: Standard Webhooks 1.0.0 recommends 15 to 30 seconds.
	SendFor = 20 * time.Second
	// takeFor is how long an attempt is left to who took it: longer than it can last, so
	// that only one that died is tried again.
	takeFor = 3 * SendFor
	// markFor bounds how long it may take to note what became of an attempt.
	markFor = 10 * time.Second
	// routeAtOnce bounds how many notices one round routes.
	routeAtOnce = 200
)

// Deliver is one round: it finds out who is told of what is new, and begins what is due, one
// attempt for each channel at a time. It does not wait for them; Wait does. Any number of
// servers may call it, one is in charge.
func (s *Service) Deliver(ctx context.Context) error {
	tenants, err := s.store.Tenants(ctx)
	if err != nil {
		return fmt.Errorf("deliver: %w", err)
	}
	var failed []error
	for _, t := range tenants {
		if err := s.deliverTenant(ctx, t); err != nil {
			failed = append(failed, fmt.Errorf("deliver for %s: %w", t, err))
		}
	}
	return errors.Join(failed...)
}

// Wait ends when every attempt that began has ended.
func (s *Service) Wait() { s.sending.Wait() }

// Close ends what Deliver began: attempts are cut off, noted, and tried again later by
// whoever is in charge then.
func (s *Service) Close(ctx context.Context) error {
	s.stop()
	s.sending.Wait()
	return s.store.EndLease(ctx, work, s.holder)
}

func (s *Service) deliverTenant(ctx context.Context, tenant string) error {
	news, due, calls, err := s.pending(ctx, tenant)
	if err != nil || len(news)+len(due)+len(calls) == 0 {
		return err
	}
	if held, err := s.inCharge(ctx); err != nil || !held {
		return err
	}
	if len(news)+len(calls) > 0 {
		if err := errors.Join(s.routeAll(ctx, tenant, news), s.escalateAll(ctx, tenant, calls)); err != nil {
			return err
		}
		if _, due, _, err = s.pending(ctx, tenant); err != nil {
			return err
		}
	}
	for _, job := range due {
		s.begin(tenant, job)
	}
	return nil
}

func (s *Service) pending(ctx context.Context, tenant string) (news []Notice, due []SealedJob, calls []Call, err error) {
	err = s.store.Read(ctx, tenant, func(r Reader) (err error) {
		if news, err = r.UnroutedNotices(routeAtOnce); err != nil {
			return err
		}
		if calls, err = r.DueNoticeCalls(callsAtOnce); err != nil {
			return err
		}
		due, err = r.DueDeliveries()
		return err
	})
	return news, due, calls, err
}

// inCharge holds the lease, or says that somebody else does.
func (s *Service) inCharge(ctx context.Context) (bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held && s.now().Before(s.renewAt) {
		return true, nil
	}
	began := s.now()
	held, err := s.store.Lease(ctx, work, s.holder, LeaseFor)
	if err != nil {
		s.held = false
		return false, err
	}
	s.held, s.renewAt = held, began.Add(renewAfter)
	return held, nil
}

// routeAll writes who is told of each notice.
func (s *Service) routeAll(ctx context.Context, tenant string, news []Notice) error {
	for _, n := range news {
		err := s.store.Write(ctx, tenant, func(w Writer) error {
			told, events, err := s.whom(w, n)
			if err != nil {
				return err
			}
			if err := w.RouteNotice(n, told); err != nil || len(events) == 0 {
				return err
			}
			return w.Append(events...)
		})
		if fault.Is(err, fault.Changed) {
			continue
		}
		if err != nil {
			return err
		}
		s.changed(tenant, n.Approval)
	}
	return nil
}

// follows asks the kind of a channel.
func (s *Service) follows(c Channel) bool {
	sender, ok := s.senders[c.Kind]
	return ok && sender.Follows(c.Settings)
}

// begin tries one delivery, unless its channel is busy.
func (s *Service) begin(tenant string, job SealedJob) {
	id := tenant + "/" + job.Channel.ID
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.busy[id] || s.ctx.Err() != nil {
		return
	}
	s.busy[id] = true
	s.sending.Go(func() {
		defer func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			delete(s.busy, id)
		}()
		if err := s.attempt(s.ctx, tenant, job); err != nil && s.ctx.Err() == nil {
			s.log.Error("a delivery failed here; it is tried again", "tenant", tenant, "notice", job.Notice.ID, "channel", job.Channel.ID, "error", err)
		}
	})
}

// attempt is one try: taken, sent, noted. It ends with an error only where the database or
// this server is at fault.
func (s *Service) attempt(ctx context.Context, tenant string, job SealedJob) error {
	sender, ok := s.senders[job.Channel.Kind]
	if why := useless(job.Job, sender); why != "" {
		return s.mark(ctx, tenant, job, "", &Failure{Text: why, Skip: true})
	}
	if !ok {
		return s.mark(ctx, tenant, job, "", &Failure{Text: "this server knows no channels of the kind " + job.Channel.Kind, Final: true})
	}
	var msg Message
	err := s.store.Aside(ctx, tenant, func(w Writer) error { return w.TakeDelivery(job.Delivery, w.Now().Add(takeFor)) })
	if fault.Is(err, fault.Changed) {
		return nil
	}
	if err != nil {
		return err
	}
	job.Delivery.Attempts++
	if job.Channel.Settings.Secrets, err = s.sealer.open(tenant, job.Channel.ID, job.Sealed); err != nil {
		return errors.Join(err, s.mark(ctx, tenant, job, "", &Failure{Text: err.Error()}))
	}
	if msg, err = s.compose(ctx, tenant, job.Job); err != nil {
		return err
	}
	ref, err := s.send(ctx, sender, job.Channel.Settings, msg)
	return s.mark(ctx, tenant, job, ref, err)
}

// send bounds an attempt in time.
func (s *Service) send(ctx context.Context, sender Sender, c Settings, m Message) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, SendFor)
	defer cancel()
	return sender.Send(ctx, c, m)
}

// useless says why a delivery need not be tried; "" where it need.
func useless(job Job, sender Sender) string {
	n, c := job.Notice, job.Channel
	switch {
	case c.State == Deleted:
		return "the channel was deleted"
	case job.Left:
		return "the person it belongs to is no longer a member, or is suspended"
	case n.Only != "":
		return ""
	case c.State == Paused:
		return "the channel is paused"
	case c.State == Off:
		return "the channel is disabled"
	case sender == nil:
		return ""
	case n.Kind.Calls() && job.Over && !sender.About().Late:
		return "the request was over before it could be sent"
	case !n.Kind.Calls() && n.Kind != Mentioned && !c.Tell(n.Kind) && len(job.Prior) == 0:
		return "the channel was told nothing of this request"
	}
	return ""
}

// compose reads what is said to the channel, as it is set.
func (s *Service) compose(ctx context.Context, tenant string, job Job) (m Message, err error) {
	err = s.store.Read(ctx, tenant, func(r Reader) error {
		p, _, err := r.Policy()
		if err != nil {
			return err
		}
		more, err := s.detailed(p.Notices, tenant, job.Channel)
		if err != nil {
			return err
		}
		var of *approvals.Approval
		if job.Notice.Approval != "" {
			a, err := r.Approval(job.Notice.Approval)
			if err == nil {
				a, err = a.Judged(r)
			}
			if err != nil {
				return err
			}
			of = &a
		}
		m, err = message(s.base(), tenant, job.Notice, job.Channel, of, more, r.Now())
		return err
	})
	m.Prior, m.Asked = job.Prior, job.Channel.Tell(job.Notice.Kind) || job.Notice.Kind.Calls() || job.Notice.Only != ""
	return m, err
}

// retries are the pauses of a kind.
func (s *Service) retries(kind string) []time.Duration {
	if sender, ok := s.senders[kind]; ok {
		return sender.About().Retries
	}
	return nil
}

// maxErrorText bounds what is kept of an error, in bytes.
const maxErrorText = 500

// mark notes what became of an attempt, also where the server is about to end.
func (s *Service) mark(ctx context.Context, tenant string, job SealedJob, ref string, sent error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), markFor)
	defer cancel()
	err := s.store.Write(ctx, tenant, func(w Writer) error {
		d := job.Delivery
		d.Next, d.LastError = w.Now(), ""
		var f *Failure
		errors.As(sent, &f)
		gone, err := leaves(w, job, f)
		if err != nil {
			return err
		}
		switch {
		case sent == nil, f != nil && f.Taken:
			now := w.Now()
			d.State, d.Ref, d.DeliveredAt = Delivered, ref, &now
			if f != nil {
				d.LastError = shorten(f.Text)
			}
		case f != nil && f.Skip:
			d.State, d.LastError = Skipped, f.Text
		default:
			d.Failures++
			d.State, d.LastError = Failed, shorten(sent.Error())
			if wait, again := pause(s.retries(job.Channel.Kind), d.Failures, f); again && !gone {
				d.State, d.Next = Waiting, w.Now().Add(wait)
			}
		}
		if err := w.MarkDelivery(d); err != nil || !gone {
			return err
		}
		return disable(w, job.Channel.ID)
	})
	if fault.Is(err, fault.Changed) {
		return nil // it was taken for dead, and somebody else is at it
	}
	if err == nil {
		s.changed(tenant, job.Notice.Approval)
	}
	return err
}

// shorten keeps the beginning of a text.
func shorten(text string) string { return canon.String(text[:min(len(text), maxErrorText)]).Text() }

// leaves reports whether a receiver wants no more, ever. A channel that was changed since it
// was called may lead elsewhere now.
func leaves(w Writer, job SealedJob, f *Failure) (bool, error) {
	if f == nil || !f.Gone {
		return false, nil
	}
	c, err := w.NoticeChannel(job.Channel.ID)
	if fault.Is(err, fault.Missing) {
		return true, nil
	}
	return c.Version == job.Channel.Version, err
}

// disable ends a channel whose receiver wants no more: one of the organisation until an
// admin resumes it, a device for good.
func disable(w Writer, id string) error {
	c, err := w.NoticeChannel(id)
	if fault.Is(err, fault.Missing) || err == nil && c.State == Off {
		return nil
	}
	if err != nil {
		return err
	}
	if c.Kind == pushKind {
		return remove(w, c, audit.Actor{Kind: "system"})
	}
	c.State, c.Why = Off, "the receiver answered 410 Gone"
	if err := w.KeepNoticeChannel(c, c.Version); err != nil {
		return err
	}
	return w.Append(c.event(audit.ChannelDisabled, audit.Actor{Kind: "system"}))
}

// changed tells whoever looks at a request.
func (s *Service) changed(tenant, approval string) {
	if approval != "" {
		s.live.Publish(tenant, approval)
	}
}
