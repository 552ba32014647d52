package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/internal/tenants"
)

// notify is the door of notices.
func (p place) notify(t *testing.T, fn func(w notices.Writer) error) {
	t.Helper()
	if err := p.db.Store.Notices().Write(t.Context(), p.tenant, fn); err != nil {
		t.Fatalf("write: %v", err)
	}
}

// channel stores one that tells of everything.
func (p place) channel(t *testing.T, name string) notices.SealedChannel {
	t.Helper()
	c := notices.SealedChannel{Sealed: "sealed " + name, Channel: notices.Channel{
		ID: auth.NewID("chn"), Kind: "webhook", Name: name, Tells: notices.Kinds(), State: notices.Active,
		Settings: notices.Settings{Fields: map[string]string{"room": "#" + name}},
	}}
	p.notify(t, func(w notices.Writer) error { return w.KeepNoticeChannel(c, 0) })
	c.Version = 1
	return c
}

// unrouted are the kinds of notices that wait for being routed.
func (p place) unrouted(t *testing.T) (all []notices.Notice, kinds []notices.Kind) {
	t.Helper()
	p.notify(t, func(w notices.Writer) (err error) {
		all, err = w.UnroutedNotices(100)
		return err
	})
	for _, n := range all {
		kinds = append(kinds, n.Kind)
	}
	return all, kinds
}

// The outbox is written with what it tells of, where there is somebody to tell; not
// where the transaction fails, and not for another tenant.
func testOutbox(t *testing.T, w world) {
	p := w.acme
	p.submit(t, nil)
	if all, _ := p.unrouted(t); len(all) != 0 {
		t.Errorf("without a channel there is %v", all)
	}
	p.channel(t, "ops")
	a := p.submit(t, nil)
	stop := errors.New("stop")
	err := p.try(t.Context(), func(w approvals.Writer) error {
		b := p.propose(t, w.Now())
		return errors.Join(w.Create(b, "", ""), w.Append(submitted(b)), stop)
	})
	if !errors.Is(err, stop) {
		t.Fatal(err)
	}
	p.write(t, func(w approvals.Writer) error {
		done := p.denied(a, "no", w.Now())
		return errors.Join(w.Decide(done, 1), w.Append(about(done, audit.Denied)))
	})
	w.beta.submit(t, nil)
	all, kinds := p.unrouted(t)
	if want := []notices.Kind{notices.Held, notices.Decided}; !slices.Equal(kinds, want) || all[0].Approval != a.ID || all[1].Approval != a.ID {
		t.Fatalf("the outbox has %+v, want %v of %s", all, want, a.ID)
	}
	if others, _ := w.beta.unrouted(t); len(others) != 0 {
		t.Errorf("beta, without a channel, has %v", others)
	}
}

// What is for later is not routed, and no call, before it is due.
func testLaterNotices(t *testing.T, w world) {
	p := w.acme
	p.channel(t, "ops")
	a := p.submit(t, nil)
	post := func(at time.Time) {
		n := notices.New(notices.Ending)
		n.Approval, n.At = a.ID, at
		p.notify(t, func(w notices.Writer) error { return w.PostNotice(n) })
	}
	calls := func() (n int) {
		p.notify(t, func(w notices.Writer) (err error) {
			_, n, _, err = w.DeliveriesOf(a.ID)
			return err
		})
		return n
	}
	post(time.Now().Add(time.Hour))
	if all, kinds := p.unrouted(t); !slices.Equal(kinds, []notices.Kind{notices.Held}) || calls() != 1 {
		t.Errorf("before it is due: %+v, %d calls", all, calls())
	}
	post(time.Now().Add(-time.Hour))
	if all, kinds := p.unrouted(t); !slices.Equal(kinds, []notices.Kind{notices.Held, notices.Ending}) || calls() != 2 {
		t.Errorf("when it is: %+v, %d calls", all, calls())
	}
}

// One attempt is taken once, whoever else tries; what is marked is read back.
func testDeliveries(t *testing.T, w world) {
	p := w.acme
	first, second := p.channel(t, "ops"), p.channel(t, "chat")
	a := p.submit(t, nil)
	all, _ := p.unrouted(t)
	n := all[0]
	unreached := func() (ids []string) {
		p.notify(t, func(w notices.Writer) (err error) {
			ids, err = w.Unreached()
			return err
		})
		return ids
	}
	if ids := unreached(); len(ids) != 0 {
		t.Errorf("before it is known who is told, %v are unreached", ids)
	}
	p.notify(t, func(w notices.Writer) error { return w.RouteNotice(n, []string{first.ID, second.ID}) })
	wantFault(t, "routing it twice", p.db.Store.Notices().Write(t.Context(), p.tenant, func(w notices.Writer) error { return w.RouteNotice(n, nil) }), fault.Changed)

	var due []notices.SealedJob
	look := func() {
		t.Helper()
		p.notify(t, func(w notices.Writer) (err error) {
			due, err = w.DueDeliveries()
			return err
		})
	}
	look()
	if len(due) != 2 || due[0].Channel.Name != "ops" || due[0].Sealed != "sealed ops" || due[0].Channel.Settings.Fields["room"] != "#ops" || due[0].Notice != n || due[0].Over {
		t.Fatalf("due are %+v", due)
	}
	take := func(d notices.Delivery) error {
		return p.db.Store.Notices().Write(t.Context(), p.tenant, func(w notices.Writer) error { return w.TakeDelivery(d, w.Now().Add(time.Hour)) })
	}
	job := due[0]
	if err := take(job.Delivery); err != nil {
		t.Fatal(err)
	}
	wantFault(t, "taking it again", take(job.Delivery), fault.Changed)
	if look(); len(due) != 1 || due[0].Channel.ID != second.ID {
		t.Errorf("while one is taken, due are %+v", due)
	}
	failed := job.Delivery
	failed.Attempts, failed.Failures, failed.LastError = 1, 1, "the receiver answered 500"
	p.notify(t, func(w notices.Writer) error {
		failed.Next = w.Now().Add(time.Hour)
		return w.MarkDelivery(failed)
	})
	wantFault(t, "marking an attempt that is not the last", p.db.Store.Notices().Write(t.Context(), p.tenant, func(w notices.Writer) error {
		stale := failed
		stale.Attempts, stale.State = 0, notices.Delivered
		return w.MarkDelivery(stale)
	}), fault.Changed)
	if ids := unreached(); len(ids) != 0 {
		t.Errorf("before the second channel was tried, %v are unreached", ids)
	}
	other := due[0].Delivery
	other.Failures, other.State, other.LastError = 1, notices.Failed, "gone"
	p.notify(t, func(w notices.Writer) error { return w.MarkDelivery(other) })
	if ids := unreached(); !slices.Equal(ids, []string{a.ID}) {
		t.Errorf("when every channel failed, %v are unreached, want %s", ids, a.ID)
	}
	failed.State, failed.Ref = notices.Delivered, "ref-1"
	p.notify(t, func(w notices.Writer) error {
		now := w.Now()
		failed.DeliveredAt = &now
		return w.MarkDelivery(failed)
	})
	if ids := unreached(); len(ids) != 0 {
		t.Errorf("when one channel took it, %v are unreached", ids)
	}
	p.notify(t, func(w notices.Writer) error {
		told, calls, routed, err := w.DeliveriesOf(a.ID)
		if err == nil && (len(told) != 2 || calls != 1 || !routed || told[0].State != notices.Delivered || told[0].ChannelName != "ops" || told[0].Attempts != 1 || told[1].LastError != "gone") {
			t.Errorf("of the request is told %+v, %d calls, routed %v", told, calls, routed)
		}
		return err
	})
	// What the receiver calls it comes back with the end of the same request, on the same channel.
	p.write(t, func(w approvals.Writer) error {
		done := p.denied(a, "no", w.Now())
		return errors.Join(w.Decide(done, 1), w.Append(about(done, audit.Denied)))
	})
	all, _ = p.unrouted(t)
	p.notify(t, func(w notices.Writer) error { return w.RouteNotice(all[0], []string{first.ID, second.ID}) })
	if look(); len(due) != 2 || !slices.Equal(due[0].Prior, []string{"ref-1"}) || len(due[1].Prior) != 0 || !due[0].Over {
		t.Errorf("after the end, due are %+v", due)
	}
	p.notify(t, func(w notices.Writer) error {
		for _, want := range []int{2, 0} {
			n, err := w.ForgetNotices(w.Now().Add(time.Second), 100)
			if err != nil || n != want {
				t.Errorf("forgot %d, want %d (%v)", n, want, err)
			}
		}
		return nil
	})
}

// A channel is changed by who saw its version; one that is deleted is there no more.
func testChannels(t *testing.T, w world) {
	p := w.acme
	c := p.channel(t, "ops")
	c.Name, c.State = "night", notices.Paused
	p.notify(t, func(w notices.Writer) error { return w.KeepNoticeChannel(c, 1) })
	wantFault(t, "a change of what somebody else changed", p.db.Store.Notices().Write(t.Context(), p.tenant, func(w notices.Writer) error { return w.KeepNoticeChannel(c, 1) }), fault.Changed)
	p.notify(t, func(w notices.Writer) error {
		all, err := w.NoticeChannels()
		if err == nil && (len(all) != 1 || all[0].Name != "night" || all[0].State != notices.Paused || all[0].Version != 2 || all[0].Sealed != "sealed ops" || len(all[0].Tells) != len(notices.Kinds())) {
			t.Errorf("channels are %+v", all)
		}
		return err
	})
	wantFault(t, "beta's look at it", w.beta.db.Store.Notices().Read(t.Context(), "beta", func(r notices.Reader) error {
		_, err := r.NoticeChannel(c.ID)
		return err
	}), fault.Missing)
	c.State = notices.Deleted
	p.notify(t, func(w notices.Writer) error { return w.KeepNoticeChannel(c, 2) })
	wantFault(t, "a look at a deleted one", p.db.Store.Notices().Read(t.Context(), p.tenant, func(r notices.Reader) error {
		_, err := r.NoticeChannel(c.ID)
		return err
	}), fault.Missing)
}

// One holds a lease until it ends or is given back.
func testLease(t *testing.T, w world) {
	leases := w.Store.Notices()
	lease := func(holder string, life time.Duration, want bool) {
		t.Helper()
		held, err := leases.Lease(context.WithoutCancel(t.Context()), "work", holder, life)
		if err != nil || held != want {
			t.Errorf("%s holds it: %v (%v), want %v", holder, held, err, want)
		}
	}
	lease("a", time.Hour, true)
	lease("b", time.Hour, false)
	lease("a", -time.Second, true) // renewed, and over at once
	lease("b", time.Hour, true)
	lease("a", time.Hour, false)
	if err := errors.Join(leases.EndLease(t.Context(), "work", "a"), leases.EndLease(t.Context(), "other", "b")); err != nil {
		t.Fatal(err)
	}
	lease("a", time.Hour, false)
	if err := leases.EndLease(t.Context(), "work", "b"); err != nil {
		t.Fatal(err)
	}
	lease("a", time.Hour, true)
}

// Channels of a person are deleted with their membership, secrets and all; those of others and
// of the organisation stay, and so do theirs in another organisation. What was on its way to
// somebody who left, or is suspended, says so.
func testChannelsOfPeople(t *testing.T, w world) {
	p, other := w.acme, w.beta
	p.house(t, func(w tenants.Writer) error { return w.Grant(other.ada.ID, []auth.Role{auth.Operator}) })
	own := func(p place, person string) notices.SealedChannel {
		c := notices.SealedChannel{Sealed: "sealed", Channel: notices.Channel{
			ID: auth.NewID("chn"), Kind: "push", Name: "Chrome", Person: person, Tells: notices.Kinds(), State: notices.Active,
			Settings: notices.Settings{Fields: map[string]string{"device": "x"}},
		}}
		p.notify(t, func(w notices.Writer) error { return w.KeepNoticeChannel(c, 0) })
		return c
	}
	gone, adas, shared, there := own(p, other.ada.ID), own(p, p.ada.ID), p.channel(t, "ops"), own(other, other.ada.ID)
	a := p.submit(t, nil)
	all, _ := p.unrouted(t)
	p.notify(t, func(w notices.Writer) error { return w.RouteNotice(all[0], []string{gone.ID, adas.ID, shared.ID}) })
	left := func() (ids []string) {
		p.notify(t, func(w notices.Writer) error {
			jobs, err := w.DueDeliveries()
			for _, j := range jobs {
				if j.Left {
					ids = append(ids, j.Channel.ID)
				}
			}
			return err
		})
		return ids
	}
	if ids := left(); len(ids) != 0 || a.ID != all[0].Approval {
		t.Errorf("while everybody is here, %v left", ids)
	}
	p.house(t, func(w tenants.Writer) error { return w.RemoveMember(other.ada.ID) })
	if ids := left(); !slices.Equal(ids, []string{gone.ID}) {
		t.Errorf("after one was removed, %v left; want %s", ids, gone.ID)
	}
	p.house(t, func(w tenants.Writer) error { return w.Suspend(p.ada.ID, p.ben.ID, "for this test") })
	if ids := left(); len(ids) != 2 {
		t.Errorf("after another one was suspended, %v left", ids)
	}
	has := func(p place) (ids []string) {
		p.notify(t, func(w notices.Writer) error {
			all, err := w.NoticeChannels()
			for _, c := range all {
				ids = append(ids, c.ID)
			}
			return err
		})
		return ids
	}
	if ids := has(p); len(ids) != 2 || slices.Contains(ids, gone.ID) {
		t.Errorf("acme still has %v", ids)
	}
	if ids := has(other); !slices.Equal(ids, []string{there.ID}) {
		t.Errorf("beta has %v, want %s", ids, there.ID)
	}
	p.notify(t, func(w notices.Writer) error {
		jobs, err := w.DueDeliveries()
		for _, j := range jobs {
			if j.Channel.ID == gone.ID && (j.Sealed != "" || len(j.Channel.Settings.Fields) != 0 || j.Channel.State != notices.Deleted) {
				t.Errorf("of a channel that is deleted there is still %+v", j)
			}
		}
		return err
	})
}
