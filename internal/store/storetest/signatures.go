package storetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

// severally is a pending approval that needs n people.
func (p place) severally(t *testing.T, n int) approvals.Approval {
	t.Helper()
	return p.submit(t, func(a *approvals.Approval) {
		a.Treatment.ApprovalsRequired = n
		a.Assessment.Treatment = a.Treatment
	})
}

func signature(person auth.Person, version int64, now time.Time) approvals.Signature {
	return approvals.Signature{
		Person: person.ID, Name: person.Name, Version: version, SignedAt: now,
		Evidence: approvals.Evidence{Kind: "quiz", Attempt: 2, ReviewSeconds: 12.5},
	}
}

// signed is the event of a signature.
func signed(a approvals.Approval, person auth.Person) audit.Event {
	e := about(a, audit.Signed, canon.Member{Name: "version", Value: canon.Int(a.Version)}, evidenceSum(signature(person, a.Version, time.Time{}).Evidence))
	e.Actor = audit.Actor{Kind: "person", ID: person.ID}
	return e
}

func (p place) sign(t *testing.T, a approvals.Approval, person auth.Person) (all []approvals.Signature) {
	t.Helper()
	p.write(t, func(w approvals.Writer) (err error) {
		if all, err = w.Sign(a.ID, signature(person, a.Version, w.Now())); err != nil {
			return err
		}
		return w.Append(signed(a, person))
	})
	return all
}

func testSignatures(t *testing.T, w world) {
	p := w.acme
	a := p.severally(t, 3)
	if first := p.sign(t, a, p.ada); len(first) != 1 || first[0].Person != p.ada.ID {
		t.Errorf("after the first: %+v", first)
	}
	all := p.sign(t, a, p.ben)
	if len(all) != 2 || all[0].Person != p.ada.ID || all[1].Evidence.ReviewSeconds != 12.5 {
		t.Errorf("after the second: %+v", all)
	}
	same(t, "what comes back", p.get(t, a.ID).Signatures, all)

	for _, c := range []struct {
		what     string
		approval string
		version  int64
		code     fault.Code
	}{
		{"the same person again", a.ID, 1, fault.AlreadyExists},
		{"another version", a.ID, 2, fault.Changed},
		{"what does not exist", "apr_no", 1, fault.Missing},
	} {
		err := p.try(t.Context(), func(w approvals.Writer) error {
			_, err := w.Sign(c.approval, signature(p.ada, c.version, w.Now()))
			return err
		})
		wantFault(t, c.what, err, c.code)
	}
	err := w.beta.try(t.Context(), func(w approvals.Writer) error {
		_, err := w.Sign(a.ID, signature(p.ada, 1, w.Now()))
		return err
	})
	wantFault(t, "another organisation", err, fault.Missing)

	restated := a
	restated.Version = 2
	p.write(t, func(w approvals.Writer) error {
		return errors.Join(w.Restate(restated, 1), w.Append(about(restated, audit.Restated, canon.Member{Name: "version", Value: canon.Int(restated.Version)})))
	})
	if got := p.get(t, a.ID).Signatures; len(got) != 0 {
		t.Errorf("signatures of an older version count: %+v", got)
	}
	p.deny(t, restated, "no")
	err = p.try(t.Context(), func(w approvals.Writer) error {
		_, err := w.Sign(a.ID, signature(p.ada, 2, w.Now()))
		return err
	})
	wantFault(t, "what is decided", err, fault.AlreadyDecided)
	report, err := w.Store.Audit().Verify(t.Context(), p.tenant)
	if err != nil || !report.OK {
		t.Errorf("the trail: %+v, %v", report, err)
	}
}

// Everybody who signs at once is counted by those after them.
func testParallelSignatures(t *testing.T, w world) {
	p := w.acme
	const people = 8
	a := p.severally(t, people)
	counts := make([]atomic.Int32, people+1)
	won := race(t, people, "", func(ctx context.Context, i int) error {
		return p.try(ctx, func(w approvals.Writer) error {
			person := auth.Person{ID: fmt.Sprintf("per_%d", i), Name: "Somebody"}
			all, err := w.Sign(a.ID, signature(person, 1, w.Now()))
			if err != nil {
				return err
			}
			counts[len(all)].Add(1)
			return w.Append(signed(a, person))
		})
	})
	if won != people || len(p.get(t, a.ID).Signatures) != people {
		t.Errorf("%d of %d signed, %d are stored", won, people, len(p.get(t, a.ID).Signatures))
	}
	if counts[people].Load() == 0 {
		t.Error("nobody saw that it was complete")
	}
}

// A signature is insert-only, needs a pending approval, and is held against the trail.
func testSignaturesHold(t *testing.T, w world) {
	p := w.acme
	a := p.severally(t, 2)
	p.sign(t, a, p.ada)
	for _, statement := range []string{
		"UPDATE signatures SET person_id = 'per_mallory'",
		"DELETE FROM signatures",
		"INSERT INTO signatures (tenant_id, approval_id, version, person_id, person_name, signed_at, evidence) SELECT tenant_id, approval_id, 7, person_id, person_name, signed_at, evidence FROM signatures",
	} {
		if err := w.raw(t, statement); err == nil {
			t.Errorf("%s: nothing refused it", statement)
		}
	}
	if report, err := w.Store.Audit().Verify(t.Context(), p.tenant); err != nil || !report.OK {
		t.Errorf("untouched: %s, %v", report, err)
	}
	undo := w.keep(t, "signatures")
	arm := w.Disarm(t, w.Raw)
	w.mustRaw(t, "%s", `UPDATE signatures SET evidence = replace(evidence, '12.5', '99.5')`)
	arm()
	if report, err := w.Store.Audit().Verify(t.Context(), p.tenant); err != nil || report.OK || !strings.Contains(report.Problem, "stored signatures") {
		t.Errorf("a longer look: %s, %v", report, err)
	}
	arm = w.Disarm(t, w.Raw)
	undo(t)
	arm()
	if err := w.raw(t, "INSERT INTO signatures (tenant_id, approval_id, version, person_id, person_name, signed_at, evidence) SELECT tenant_id, approval_id, version, 'per_mallory', person_name, signed_at, evidence FROM signatures"); err != nil {
		t.Fatal(err)
	}
	report, err := w.Store.Audit().Verify(t.Context(), p.tenant)
	if err != nil || report.OK || !strings.Contains(report.Problem, "per_mallory") {
		t.Errorf("a forged signature: %+v, %v", report, err)
	}
}
