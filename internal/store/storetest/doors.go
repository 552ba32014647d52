package storetest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/tenants"
)

type tenantWriter = tenants.Writer

// What belongs to acme does not exist for beta, whichever method is asked, and
// nothing that beta does changes acme.
func testIsolation(t *testing.T, w world) {
	p, other := w.acme, w.beta
	a := p.submit(t, nil)
	done := p.approve(t, p.submit(t, nil))
	var c approvals.Challenge
	p.write(t, func(w approvals.Writer) error {
		c = p.challenge(a, w.Now())
		if _, _, err := w.Viewed(a.ID, p.ada.ID, 1); err != nil {
			return err
		}
		if _, err := w.ReadSection(a.ID, p.ada.ID, 1, 1); err != nil {
			return err
		}
		keyed := p.propose(t, w.Now())
		if err := w.Create(keyed, "key", "hash"); err != nil {
			return err
		}
		if err := w.Append(submitted(keyed)); err != nil {
			return err
		}
		return w.Issue(c)
	})
	size := p.size(t)

	for name, act := range map[string]func(w approvals.Writer) error{
		"Approval":      func(w approvals.Writer) error { _, err := w.Approval(a.ID); return err },
		"ApprovalByKey": func(w approvals.Writer) error { _, _, err := w.ApprovalByKey(p.agent.ID, "key"); return err },
		"Challenge":     func(w approvals.Writer) error { _, err := w.Challenge(c.Approval, c.ID); return err },
		"LatestChallenge": func(w approvals.Writer) error {
			_, err := w.LatestChallenge(a.ID, p.ada.ID)
			return err
		},
		"Create":  func(w approvals.Writer) error { b := a; b.ID = "apr_new"; return w.Create(b, "", "") }, // names acme's agent
		"Decide":  func(w approvals.Writer) error { return w.Decide(p.denied(a, "no", w.Now()), 1) },
		"Restate": func(w approvals.Writer) error { b := a; b.Version = 2; return w.Restate(b, 1) },
		"Consume": func(w approvals.Writer) error { return w.Consume(done.ID, "") },
		"Void":    func(w approvals.Writer) error { return w.Void(done.ID) },
		"Report":  func(w approvals.Writer) error { return w.Report(done.ID, approvals.Execution{Status: "failed"}) },
		"Issue":   func(w approvals.Writer) error { return w.Issue(other.challenge(a, w.Now())) },
		"Progress": func(w approvals.Writer) error {
			d := c
			d.State = approvals.ChallengeSpent
			return w.Progress(d, c.State)
		},
		"Viewed":      func(w approvals.Writer) error { _, _, err := w.Viewed(a.ID, other.ada.ID, 1); return err },
		"ReadSection": func(w approvals.Writer) error { _, err := w.ReadSection(a.ID, p.ada.ID, 1, 1); return err },
	} {
		wantFault(t, name+" with an id of another tenant", other.try(t.Context(), act), fault.Missing)
	}
	other.read(t, func(r approvals.Reader) error {
		for name, f := range map[string]approvals.Filter{"everything": {}, "its agent": {Agent: p.agent.ID}, "its session": {Session: a.Session}} {
			if all, err := r.Approvals(f); err != nil || len(all) != 0 {
				t.Errorf("%s: beta lists %d approvals, %v", name, len(all), err)
			}
		}
		if all, err := r.Asked(a); err != nil || len(all) != 0 {
			t.Errorf("beta lists %d challenges, %v", len(all), err)
		}
		if n, err := r.FailedAttempts(a, p.ada.ID, time.Time{}); err != nil || n != 0 {
			t.Errorf("beta counts %d attempts, %v", n, err)
		}
		if n, err := r.Calls(p.agent.ID, a.Session, a.Function); err != nil || n != 0 {
			t.Errorf("beta counts %d calls, %v", n, err)
		}
		if _, seen, err := r.FirstView(a.ID, p.ada.ID, 1); err != nil || seen {
			t.Errorf("beta sees a first view: %v, %v", seen, err)
		}
		if read, err := r.SectionsRead(a.ID, p.ada.ID, 1); err != nil || len(read) != 0 {
			t.Errorf("beta sees what was read: %v, %v", read, err)
		}
		return nil
	})
	s := w.Store.Tenants()
	_ = s.Read(t.Context(), other.tenant, func(r tenants.Reader) error {
		_, err := r.AgentByKeyHash(p.key)
		wantFault(t, "AgentByKeyHash", err, fault.Missing)
		_, err = r.Membership(p.ada.ID)
		wantFault(t, "Membership", err, fault.Missing)
		for _, m := range must(r.Members()) {
			if m.Person.ID == p.ada.ID || m.Person.ID == p.ben.ID {
				t.Errorf("beta lists %s as a member", m.Person.Email)
			}
		}
		for _, a := range must(r.Agents()) {
			if a.ID == p.agent.ID {
				t.Error("beta lists acme's agent")
			}
		}
		return nil
	})
	_, err := w.Store.Audit().Event(t.Context(), other.tenant, size-1)
	wantFault(t, "Event", err, fault.Missing)
	for _, r := range must(w.Store.Audit().Events(t.Context(), other.tenant, -1, 100)) {
		if r.Event.Tenant != other.tenant {
			t.Errorf("beta reads an event of %s", r.Event.Tenant)
		}
	}
	if err := other.try(t.Context(), func(w approvals.Writer) error {
		e := submitted(a)
		e.Tenant = p.tenant
		return w.Append(e)
	}); err == nil {
		t.Error("beta's transaction took an event of acme")
	}
	same(t, "the pending approval afterwards", p.get(t, a.ID), a)
	same(t, "the approved one afterwards", p.get(t, done.ID), done)
	if p.size(t) != size {
		t.Errorf("acme's log grew from %d to %d", size, p.size(t))
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// State and event are there together, or neither is.
func testRollback(t *testing.T, w world) {
	p := w.acme
	a := p.submit(t, nil)
	size := p.size(t)
	stop := errors.New("stop")
	for name, fn := range map[string]func(w approvals.Writer) error{
		"the caller fails after both": func(w approvals.Writer) error {
			done := p.denied(a, "no", w.Now())
			return errors.Join(w.Decide(done, 1), w.Append(about(done, audit.Denied)), stop)
		},
		"the event cannot be written": func(w approvals.Writer) error {
			done := p.denied(a, "no", w.Now())
			if err := w.Decide(done, 1); err != nil {
				t.Error(err)
			}
			return w.Append(audit.Event{Kind: audit.Denied}) // no actor
		},
		"the state cannot be written": func(w approvals.Writer) error {
			if err := w.Append(about(a, audit.Denied)); err != nil {
				t.Error(err)
			}
			return w.Decide(p.denied(a, "no", w.Now()), 7)
		},
	} {
		if err := p.try(t.Context(), fn); err == nil {
			t.Errorf("%s: committed", name)
		}
		same(t, name+": the approval", p.get(t, a.ID), a)
		if p.size(t) != size {
			t.Errorf("%s: %d events, want %d", name, p.size(t), size)
		}
	}
	func() {
		defer func() { _ = recover() }()
		_ = p.try(t.Context(), func(w approvals.Writer) error {
			_ = w.Decide(p.denied(a, "no", w.Now()), 1)
			panic("a mistake in fn")
		})
	}()
	same(t, "after a panic the approval", p.get(t, a.ID), a)
	p.deny(t, a, "the door still opens")
}

func testCancelledContext(t *testing.T, w world) {
	p := w.acme
	a := p.submit(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	err := p.try(ctx, func(w approvals.Writer) error {
		done := p.denied(a, "no", w.Now())
		err := w.Decide(done, 1)
		cancel()
		return errors.Join(err, w.Append(about(done, audit.Denied)))
	})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("a context that ended inside: %v", err)
	}
	if err := p.try(ctx, func(approvals.Writer) error { t.Error("fn ran"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("a context that had ended: %v", err)
	}
	if err := w.Store.Approvals().Read(ctx, "acme", func(approvals.Reader) error { t.Error("fn ran"); return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("a read with it: %v", err)
	}
	same(t, "the approval", p.get(t, a.ID), a)

	// Who waits for the writer gives up when told to.
	inside, release := make(chan struct{}), make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- p.try(context.WithoutCancel(ctx), func(w approvals.Writer) error {
			err := w.Append(happened(audit.SignedIn))
			close(inside)
			<-release
			return err
		})
	}()
	<-inside
	short, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := p.try(short, func(w approvals.Writer) error { return w.Append(happened(audit.SignedIn)) }); !errors.Is(err, context.DeadlineExceeded) && !fault.Is(err, fault.NotReady) {
		t.Errorf("waiting for the writer: %v", err)
	}
	close(release)
	if err := <-ended; err != nil {
		t.Errorf("who held it: %v", err)
	}
}

// An instant is the same whichever zone it was written in.
func testZones(t *testing.T, w world) {
	p := w.acme
	zone := time.FixedZone("+03:00", 3*3600)
	base := time.Date(2026, 7, 1, 1, 30, 0, 123456789, zone) // the day before in UTC
	want := base.UTC().Truncate(time.Microsecond)
	a := p.submit(t, func(a *approvals.Approval) { a.CreatedAt, a.ExpiresAt = base, base.Add(time.Hour) })
	p.write(t, func(w approvals.Writer) error {
		done := p.approved(a, base)
		done.Grant.ExpiresAt = base
		if err := w.Decide(done, 1); err != nil {
			return err
		}
		c := p.challenge(a, base)
		if err := w.Issue(c); err != nil {
			return err
		}
		if err := w.Report(a.ID, approvals.Execution{Status: "failed", ReportedAt: base}); err != nil {
			return err
		}
		got, err := w.Challenge(a.ID, c.ID)
		check(t, "challenge issued", got.IssuedAt, want)
		check(t, "challenge expires", got.ExpiresAt, want.Add(5*time.Minute))
		return err
	})
	got := p.get(t, a.ID)
	check(t, "created", got.CreatedAt, want)
	check(t, "expires", got.ExpiresAt, want.Add(time.Hour))
	check(t, "decided", got.Decision.DecidedAt, want)
	check(t, "grant expires", got.Grant.ExpiresAt, want)
	check(t, "reported", got.Execution.ReportedAt, want)

	s := w.Store.Tenants()
	now := must(s.Now(t.Context()))
	if err := s.CreateLink(t.Context(), tenants.Link{Hash: "z", Kind: tenants.LinkSignIn, ExpiresAt: now.Add(time.Minute).In(zone)}, false); err != nil {
		t.Fatal(err)
	}
	l, err := s.Link(t.Context(), "z")
	if err != nil {
		t.Fatalf("a link that lives a minute more: %v", err)
	}
	check(t, "link expires", l.ExpiresAt, now.Add(time.Minute))
	if err := s.CreateLink(t.Context(), tenants.Link{Hash: "y", Kind: tenants.LinkSignIn, ExpiresAt: now.Add(-time.Minute).In(zone)}, false); err != nil {
		t.Fatal(err)
	}
	_, err = s.Link(t.Context(), "y")
	wantFault(t, "a link that ended a minute ago", err, fault.Missing)
}

func check(t *testing.T, what string, got, want time.Time) {
	t.Helper()
	if !got.Equal(want) || got.Location() != time.UTC {
		t.Errorf("%s came back as %v, want %v", what, got, want)
	}
}

func testAppend(t *testing.T, w world) {
	p := w.acme
	size := p.size(t)
	var now time.Time
	p.write(t, func(w approvals.Writer) error {
		now = w.Now()
		e := happened(audit.SignedIn)
		e.Index, e.At = 99, now.Add(time.Hour) // both are the log's to give
		e.Data = canon.Object(canon.Member{Name: "how", Value: canon.String("link 📁")})
		if err := w.Append(e, happened(audit.SignedOut)); err != nil {
			return err
		}
		if err := w.Append(); err != nil {
			return err
		}
		return w.Append(happened(audit.LinkIssued))
	})
	log := w.Store.Audit()
	all := must(log.Events(t.Context(), p.tenant, -1, 3))
	wantKinds := []audit.Kind{audit.LinkIssued, audit.SignedOut, audit.SignedIn}
	if len(all) != 3 || p.size(t) != size+3 {
		t.Fatalf("%d events came back, the log has %d; want 3 and %d", len(all), p.size(t), size+3)
	}
	for i, r := range all {
		e, err := audit.Parse(r.Bytes)
		if err != nil || e.Kind != wantKinds[i] || e.Index != size+2-int64(i) || !e.At.Equal(now) || e.Tenant != p.tenant {
			t.Errorf("event %d is %s, %v", i, r.Bytes, err)
		}
		if r.Event.Index != e.Index || r.Event.Kind != e.Kind || !r.Event.At.Equal(e.At) || !r.Event.Data.Equal(e.Data) {
			t.Errorf("its columns are %+v", r.Event)
		}
		leaf := audit.Leaf(r.Bytes)
		if string(leaf[:]) != string(r.Leaf) {
			t.Errorf("its leaf is %x", r.Leaf)
		}
	}
	if how := all[2].Event.Data.Get("how").Text(); how != "link 📁" {
		t.Errorf("the data came back as %q", how)
	}
	older := must(log.Events(t.Context(), p.tenant, size+1, 100))
	if int64(len(older)) != size+1 || older[0].Event.Index != size {
		t.Errorf("before %d: %d events from %d", size+1, len(older), older[0].Event.Index)
	}
	if none := must(log.Events(t.Context(), p.tenant, 0, 100)); len(none) != 0 {
		t.Errorf("before the first: %d events", len(none))
	}
	if r, err := log.Event(t.Context(), p.tenant, size); err != nil || r.Event.Kind != audit.SignedIn {
		t.Errorf("event %d: %+v, %v", size, r.Event, err)
	}
	for _, index := range []int64{-1, size + 3} {
		_, err := log.Event(t.Context(), p.tenant, index)
		wantFault(t, "an index that is not there", err, fault.Missing)
	}
	_, err := log.Head(t.Context(), "gone")
	wantFault(t, "the head of no tenant", err, fault.Missing)
}

func testEventTooLarge(t *testing.T, w world) {
	p := w.acme
	size := p.size(t)
	var a approvals.Approval
	err := p.try(t.Context(), func(w approvals.Writer) error {
		a = p.propose(t, w.Now())
		if err := w.Create(a, "", ""); err != nil {
			return err
		}
		return w.Append(submitted(a), about(a, audit.Viewed, canon.Member{Name: "x", Value: canon.String(strings.Repeat("x", audit.MaxBytes))}))
	})
	wantFault(t, "an event above 1 MiB", err, fault.BodyTooLarge)
	if p.size(t) != size {
		t.Error("part of the act was written")
	}
	wantFault(t, "its approval", p.db.Store.Approvals().Read(t.Context(), p.tenant, func(r approvals.Reader) error {
		_, err := r.Approval(a.ID)
		return err
	}), fault.Missing)
}
