package storetest

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring/level"
)

// denies denies a new request, and keeps that for acts that are alike in these ways.
func (p place) denies(t *testing.T, l level.Level, asked int, after time.Time, like ...string) (a approvals.Approval, kept approvals.Denial) {
	t.Helper()
	a = p.submit(t, nil)
	p.write(t, func(w approvals.Writer) (err error) {
		done := p.denied(a, "no", w.Now())
		if err := w.Decide(done, a.Version); err != nil {
			return err
		}
		if kept, err = w.KeepDenial(p.agent.ID, like, approvals.Denial{Approval: a.ID, Level: l, Asked: asked}, after); err != nil {
			return err
		}
		a = done
		return w.Append(about(done, audit.Denied, canon.Member{Name: "reason", Value: canon.String("no")},
			audit.DenialKept(audit.Kept{Like: like, Level: kept.Level.String(), Asked: int64(kept.Asked)})))
	})
	return a, kept
}

func (p place) denials(t *testing.T, after time.Time, like ...string) (all []approvals.Denial) {
	t.Helper()
	p.read(t, func(r approvals.Reader) (err error) {
		all, err = r.Denials(p.agent.ID, like, after)
		return err
	})
	return all
}

// asksAgain submits an act that is like what was denied.
func (p place) asksAgain(t *testing.T, like ...string) {
	t.Helper()
	a := p.propose(t, p.now(t))
	p.write(t, func(w approvals.Writer) error {
		e := submitted(a)
		e.Data = canon.Object(append(membersOf(e.Data), audit.DenialRecalled("apr_x", "deny", like))...)
		return errors.Join(w.AskAgain(p.agent.ID, like), w.Create(a, "", ""), w.Append(e))
	})
}

func membersOf(v canon.Value) (all []canon.Member) {
	for name, m := range v.Members() {
		all = append(all, canon.Member{Name: name, Value: m})
	}
	return all
}

// forgets approves a new request, which ends the denials of acts that it is like.
func (p place) forgets(t *testing.T, like ...string) (forgotten []string) {
	t.Helper()
	a := p.submit(t, nil)
	p.write(t, func(w approvals.Writer) (err error) {
		done := p.approved(a, w.Now())
		if err := w.Decide(done, a.Version); err != nil {
			return err
		}
		if forgotten, err = w.ForgetDenials(p.agent.ID, like); err != nil {
			return err
		}
		e := about(done, audit.Approved)
		e.Data = canon.Object(append(membersOf(e.Data), audit.DenialsForgotten(forgotten))...)
		return w.Append(e)
	})
	return forgotten
}

func testDenials(t *testing.T, w world) {
	p := w.acme
	var none time.Time
	if all := p.denials(t, none, "digest", "like"); len(all) != 0 {
		t.Errorf("of a new agent are kept %+v", all)
	}
	first, kept := p.denies(t, level.High, 1, none, "digest", "like")
	if kept.Level != level.High || kept.Asked != 1 {
		t.Errorf("the first is kept as %+v", kept)
	}
	want := func(what string, a approvals.Approval, l level.Level, asked int, like ...string) {
		t.Helper()
		all := p.denials(t, none, like...)
		if len(all) != len(like) {
			t.Errorf("%s: of %q are kept %+v", what, like, all)
		}
		for _, d := range all {
			if d.Approval != a.ID || d.Level != l || d.Asked != asked || d.Verdict != approvals.VerdictDeny || !d.At.Equal(a.Decision.DecidedAt) || len(d.By) != 1 || d.By[0].Name != "Ada" || !slices.Contains(like, d.Likeness) {
				t.Errorf("%s: it is kept as %+v", what, d)
			}
		}
	}
	want("denied", first, level.High, 1, "digest", "like")
	p.asksAgain(t, "digest", "like")
	want("asked again", first, level.High, 2, "digest", "like")
	if all := p.denials(t, first.Decision.DecidedAt, "digest", "like"); len(all) != 0 {
		t.Errorf("after its time are kept %+v", all)
	}
	if all := w.beta.denials(t, none, "digest", "like"); len(all) != 0 {
		t.Errorf("of another tenant are kept %+v", all)
	}

	// A later one of its like takes its place, at the highest level while that counts.
	second, kept := p.denies(t, level.Medium, 0, none, "like", "other")
	if kept.Level != level.High || kept.Asked != 2 {
		t.Errorf("the second is kept as %+v", kept)
	}
	want("of the first", first, level.High, 2, "digest")
	want("of the second", second, level.High, 2, "like", "other")
	third, kept := p.denies(t, level.Medium, 1, second.Decision.DecidedAt, "like", "other")
	if kept.Level != level.Medium || kept.Asked != 1 {
		t.Errorf("after the time of the others it is kept as %+v", kept)
	}
	want("of the third", third, level.Medium, 1, "like", "other")

	// An approval ends a denial in every way in which acts are like it.
	if got := p.forgets(t, "nothing"); got != nil {
		t.Errorf("forgotten are %q", got)
	}
	if got := p.forgets(t, "other", "nothing"); !slices.Equal(got, []string{"like", "other"}) {
		t.Errorf("forgotten are %q", got)
	}
	if all := p.denials(t, none, "like", "other"); len(all) != 0 {
		t.Errorf("after an approval are kept %+v", all)
	}
	want("not like it", first, level.High, 2, "digest")

	stop := errors.New("stop")
	_ = p.try(t.Context(), func(tx approvals.Writer) error {
		_, err := tx.ForgetDenials(p.agent.ID, []string{"digest"})
		return errors.Join(err, stop)
	})
	want("an approval that was rolled back", first, level.High, 2, "digest")
	if r, err := w.Store.Audit().Verify(t.Context(), p.tenant); err != nil || !r.OK {
		t.Errorf("the trail: %+v, %v", r, err)
	}
}

// However denials, approvals and submissions of acts that are alike meet, what is kept is
// what the trail tells, and all submissions are counted that found something.
func testDenialsMeet(t *testing.T, w world) {
	p := w.acme
	const n = 18
	var acts []approvals.Approval
	for range n {
		acts = append(acts, p.submit(t, nil))
	}
	like := []string{"digest", "like"}
	race(t, n, "", func(ctx context.Context, i int) error {
		a := acts[i]
		return p.try(ctx, func(tx approvals.Writer) error {
			switch i % 3 {
			case 0:
				done := p.denied(a, "no", tx.Now())
				if err := tx.Decide(done, 1); err != nil {
					return err
				}
				kept, err := tx.KeepDenial(p.agent.ID, like, approvals.Denial{Approval: a.ID, Level: level.High, Asked: 1}, time.Time{})
				if err != nil {
					return err
				}
				return tx.Append(about(done, audit.Denied, canon.Member{Name: "reason", Value: canon.String("no")},
					audit.DenialKept(audit.Kept{Like: like, Level: kept.Level.String(), Asked: int64(kept.Asked)})))
			case 1:
				done := p.approved(a, tx.Now())
				if err := tx.Decide(done, 1); err != nil {
					return err
				}
				forgotten, err := tx.ForgetDenials(p.agent.ID, like)
				if err != nil {
					return err
				}
				e := about(done, audit.Approved)
				e.Data = canon.Object(append(membersOf(e.Data), audit.DenialsForgotten(forgotten))...)
				return tx.Append(e)
			}
			found, err := tx.Denials(p.agent.ID, like, time.Time{})
			if err != nil || len(found) == 0 {
				return err
			}
			if err := tx.AskAgain(p.agent.ID, like); err != nil {
				return err
			}
			again := p.propose(t, tx.Now())
			e := submitted(again)
			e.Data = canon.Object(append(membersOf(e.Data), audit.DenialRecalled(found[0].Approval, "deny", like))...)
			return errors.Join(tx.Create(again, "", ""), tx.Append(e))
		})
	})
	if r, err := w.Store.Audit().Verify(t.Context(), p.tenant); err != nil || !r.OK {
		t.Errorf("the trail: %+v, %v", r, err)
	}
}

// Who takes a denial out by hand, or makes it less, is found.
func testDenialsHold(t *testing.T, w world) {
	p := w.acme
	p.denies(t, level.High, 1, time.Time{}, "digest", "like")
	other, _ := p.denies(t, level.Medium, 1, time.Time{}, "other")
	undo := w.keep(t, "denials")
	for what, edit := range map[string]string{
		"a lower level":    "UPDATE denials SET level_rank = 1 WHERE likeness = 'like'",
		"none":             "DELETE FROM denials WHERE likeness = 'like'",
		"another likeness": "UPDATE denials SET likeness = 'x' WHERE likeness = 'digest'",
		"another denial":   "UPDATE denials SET approval_id = '" + other.ID + "' WHERE likeness = 'digest'",
		"another count":    "UPDATE denials SET asked = 7 WHERE likeness = 'digest'",
		"an invented one":  "INSERT INTO denials SELECT tenant_id, agent_id, 'x', approval_id, level_rank, asked FROM denials WHERE likeness = 'digest'",
	} {
		w.mustRaw(t, "%s", edit)
		if r, err := w.Store.Audit().Verify(t.Context(), p.tenant); err != nil || r.OK {
			t.Errorf("%s is not found: %+v, %v", what, r, err)
		}
		undo(t)
	}
	if r, err := w.Store.Audit().Verify(t.Context(), p.tenant); err != nil || !r.OK {
		t.Errorf("every edit was taken back, and still: %+v, %v", r, err)
	}
}
