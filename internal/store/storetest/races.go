package storetest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/tenants"
)

// Whoever writes about an approval is alone with it: what is counted stays true
// until the commit, so that nobody gets a third attempt by asking for several at
// once.
func testAttemptsAreCounted(t *testing.T, w world) {
	p := w.acme
	a := p.submit(t, nil)
	const attempts = 2
	won := race(t, 12, fault.LockedOut, func(ctx context.Context, _ int) error {
		return p.try(ctx, func(w approvals.Writer) error {
			if _, err := w.Approval(a.ID); err != nil {
				return err
			}
			n, err := w.FailedAttempts(a, p.ada.ID, time.Time{})
			if err != nil {
				return err
			}
			if n >= attempts {
				return fault.New(fault.LockedOut, "enough")
			}
			c := p.challenge(a, w.Now())
			c.State = approvals.ChallengeFailed
			return w.Issue(c)
		})
	})
	if won != attempts {
		t.Errorf("%d attempts at once, want %d", won, attempts)
	}
}

// Of several links that are made at once, each voids the others of its kind: one
// is left.
func testLinksVoidEachOther(t *testing.T, w world) {
	s := w.open(t).Store.Tenants() // where there is nobody: the link is for the first person
	now := must(s.Now(t.Context()))
	const links = 8
	if made := race(t, links, "", func(ctx context.Context, i int) error {
		return s.CreateLink(ctx, tenants.Link{Hash: fmt.Sprint(i), Kind: tenants.LinkFirstRun, ExpiresAt: now.Add(time.Hour)}, true)
	}); made != links {
		t.Errorf("%d of %d were made", made, links)
	}
	left := 0
	for i := range links {
		_, err := s.Link(t.Context(), fmt.Sprint(i))
		if err == nil {
			left++
		} else if !fault.Is(err, fault.Missing) {
			t.Error(err)
		}
	}
	if left != 1 {
		t.Errorf("%d links work, want 1", left)
	}
}

// Bytes that no database takes as text name nothing; they are no failure.
func testNamesThatAreNoText(t *testing.T, w world) {
	ctx, p, s := t.Context(), w.acme, w.Store.Tenants()
	for _, name := range []string{"\x00", "a\x00b", "\xff", "apr_\xc3", "\xed\xa0\x80"} {
		p.read(t, func(r approvals.Reader) error {
			_, err := r.Approval(name)
			wantFault(t, fmt.Sprintf("approval %q", name), err, fault.Missing)
			return nil
		})
		for what, err := range map[string]error{
			"an approval, to write": p.try(ctx, func(w approvals.Writer) error { _, err := w.Approval(name); return err }),
			"a key":                 p.try(ctx, func(w approvals.Writer) error { _, _, err := w.ApprovalByKey(p.agent.ID, name); return err }),
			"a challenge":           p.try(ctx, func(w approvals.Writer) error { _, err := w.Challenge(name, name); return err }),
			"a tenant":              s.Read(ctx, name, func(r tenants.Reader) error { _, _, err := r.Policy(); return err }),
			"an agent's key":        s.Read(ctx, p.tenant, func(r tenants.Reader) error { _, err := r.AgentByKeyHash(name); return err }),
			"a member":              s.Read(ctx, p.tenant, func(r tenants.Reader) error { _, err := r.Membership(name); return err }),
			"a person":              errorOf(s.Person(ctx, name)),
			"a link":                errorOf(s.Link(ctx, name)),
			"a used link":           errorOf(s.UseLink(ctx, name)),
			"a trail":               errorOf(w.Store.Audit().Head(ctx, name)),
		} {
			wantFault(t, fmt.Sprintf("%s %q", what, name), err, fault.Missing)
		}
		_, _, err := s.PersonByEmail(ctx, name)
		wantFault(t, fmt.Sprintf("the address %q", name), err, fault.Missing)
		if _, found, err := w.Store.Sessions().FindCtx(ctx, name); found || err != nil {
			t.Errorf("a session %q: %v, %v", name, found, err)
		}
		err = s.Write(ctx, p.tenant, func(w tenants.Writer) error {
			return w.CreatePerson(auth.Person{ID: auth.NewID("per"), Email: "x@y.example", Name: name}, "")
		})
		var f *fault.Error
		if err != nil && (!errors.As(err, &f) || f.Kind() != fault.Invalid && f.Code != fault.AlreadyExists) {
			t.Errorf("a person called %q: %v, want it stored or refused", name, err)
		}
	}
}

func errorOf[T any](_ T, err error) error { return err }
