package storetest

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/notices"
	"github.com/countersign/countersign/internal/tenants"
)

// A look counts for a while by the database's clock, is renewed at most now and
// then, has a grace when its page closes, and goes with the approval's decision.
func testLooks(t *testing.T, w world) {
	p := w.acme
	a, b := p.submit(t, nil), p.submit(t, nil)
	look := func(approval, person string) {
		t.Helper()
		p.write(t, func(w approvals.Writer) error { return w.Look(approval, person) })
	}
	age := func(by time.Duration) {
		t.Helper()
		p.read(t, func(r approvals.Reader) error {
			_, err := w.Raw.ExecContext(t.Context(), "UPDATE presences SET since_at = $1, seen_at = $1 WHERE tenant_id = 'acme'", r.Now().Add(-by).Format("2006-01-02 15:04:05.999999-07:00")) // as the store writes it
			return err
		})
	}
	who := func(want ...string) {
		t.Helper()
		p.read(t, func(r approvals.Reader) error {
			looks, err := r.Looks()
			var got []string
			for _, l := range looks {
				got = append(got, l.Approval+" "+l.Name)
				if l.Since.After(l.Seen) || r.Now().Sub(l.Seen) >= approvals.LookFor {
					t.Errorf("a look that cannot be: %+v at %s", l, r.Now())
				}
			}
			same(t, "who looks", got, want)
			return err
		})
	}
	seen := func() (at time.Time) {
		t.Helper()
		p.read(t, func(r approvals.Reader) (err error) {
			at, _, err = r.LookedAt(a.ID, p.ada.ID)
			return err
		})
		return at
	}
	who()
	look(a.ID, p.ada.ID)
	look(b.ID, p.ben.ID)
	look(a.ID, p.ben.ID)
	who(a.ID+" "+p.ada.Name, b.ID+" "+p.ben.Name, a.ID+" "+p.ben.Name)

	was := seen()
	look(a.ID, p.ada.ID)
	if !seen().Equal(was) {
		t.Error("a fresh look was written again")
	}
	age(approvals.LookAgain)
	was = seen()
	look(a.ID, p.ada.ID)
	if !seen().After(was) {
		t.Error("an old look was not renewed")
	}
	who(a.ID+" "+p.ada.Name, a.ID+" "+p.ben.Name, b.ID+" "+p.ben.Name)

	p.write(t, func(w approvals.Writer) error {
		return errors.Join(w.LookAway(a.ID, p.ada.ID), w.LookAway(a.ID, "nobody"), w.LookAway("apr_no", p.ada.ID))
	})
	p.read(t, func(r approvals.Reader) error {
		if left := approvals.LookFor - r.Now().Sub(seen()); left > approvals.LookGrace {
			t.Errorf("a look that ended has %s left", left)
		}
		return nil
	})
	age(approvals.LookFor)
	who()
	look(a.ID, p.ben.ID)
	who(a.ID + " " + p.ben.Name)
	p.read(t, func(r approvals.Reader) error {
		if _, ok, err := r.LookedAt(b.ID, p.ben.ID); ok || err != nil {
			t.Errorf("a look that is over is kept: %v, %v", ok, err)
		}
		return nil
	})
	p.deny(t, a, "no")
	who()
	wantFault(t, "a look at nothing", p.try(t.Context(), func(w approvals.Writer) error { return w.Look("apr_no", p.ada.ID) }), fault.Missing)
	wantFault(t, "a look of nobody", p.try(t.Context(), func(w approvals.Writer) error { return w.Look(b.ID, "nobody") }), fault.Missing)
}

func claimed(a approvals.Approval, by auth.Person, at time.Time) approvals.Claim {
	return approvals.Claim{Approval: a.ID, Person: by.ID, At: at, Until: at.Add(approvals.ClaimFor)}
}

// At most one claim holds, it is changed only by who knows it, and it ends with its
// time, on release and with the decision.
func testClaims(t *testing.T, w world) {
	p := w.acme
	a := p.submit(t, nil)
	claim := func(person, was string) error {
		return p.try(t.Context(), func(w approvals.Writer) error {
			return w.Claim(approvals.Claim{Approval: a.ID, Person: person, At: w.Now(), Until: w.Now().Add(approvals.ClaimFor)}, was)
		})
	}
	holder := func(want ...string) {
		t.Helper()
		p.read(t, func(r approvals.Reader) error {
			all, err := r.Claims()
			var got []string
			for _, c := range all {
				got = append(got, c.Name)
				if c.Approval != a.ID || c.Until.Sub(c.At) != approvals.ClaimFor {
					t.Errorf("%+v", c)
				}
			}
			same(t, "who is on it", got, want)
			return err
		})
	}
	well := func(err error) {
		t.Helper()
		if err != nil {
			t.Error(err)
		}
	}
	wantFault(t, "taken over from nobody", claim(p.ben.ID, p.ada.ID), fault.Changed)
	holder()
	well(claim(p.ada.ID, ""))
	holder(p.ada.Name)
	wantFault(t, "claimed twice", claim(p.ben.ID, ""), fault.Changed)
	wantFault(t, "taken over from another one", claim(p.ben.ID, p.ben.ID), fault.Changed)
	well(claim(p.ben.ID, p.ada.ID))
	holder(p.ben.Name)
	release := func(person string, want bool) {
		t.Helper()
		p.write(t, func(w approvals.Writer) error {
			got, err := w.Release(a.ID, person)
			if got != want {
				t.Errorf("%s released it: %v", person, got)
			}
			return err
		})
	}
	release(p.ada.ID, false)
	holder(p.ben.Name)
	release(p.ben.ID, true)
	release(p.ben.ID, false)
	holder()
	well(claim(p.ben.ID, ""))
	p.read(t, func(r approvals.Reader) error {
		_, err := w.Raw.ExecContext(t.Context(), "UPDATE claims SET claimed_at = $1, until_at = $2 WHERE tenant_id = 'acme'", r.Now().Add(-approvals.ClaimFor), r.Now())
		return err
	})
	holder()
	release(p.ben.ID, false)
	wantFault(t, "taken over from a claim that is over", claim(p.ada.ID, p.ben.ID), fault.Changed)
	well(claim(p.ada.ID, ""))
	holder(p.ada.Name)
	well(p.try(t.Context(), func(w approvals.Writer) error {
		return w.Claim(approvals.Claim{Approval: a.ID, Person: p.ben.ID, By: p.ada.ID, At: w.Now(), Until: w.Now().Add(approvals.ClaimFor)}, p.ada.ID)
	}))
	assigned := func(by, name string) {
		t.Helper()
		p.read(t, func(r approvals.Reader) error {
			all, err := r.Claims()
			if len(all) != 1 || all[0].Person != p.ben.ID || all[0].By != by || all[0].ByName != name {
				t.Errorf("%+v, want one of ben, assigned by %q", all, name)
			}
			return err
		})
	}
	assigned(p.ada.ID, p.ada.Name)
	well(claim(p.ben.ID, p.ben.ID))
	assigned("", "")
	p.deny(t, a, "no")
	holder()
	wantFault(t, "a claim of nothing", p.try(t.Context(), func(w approvals.Writer) error {
		return w.Claim(approvals.Claim{Approval: "apr_no", Person: p.ada.ID, At: w.Now(), Until: w.Now().Add(time.Minute)}, "")
	}), fault.Missing)
}

// A snooze is one person's, holds until its time and until something happens, and goes with the
// membership.
func testSnoozes(t *testing.T, w world) {
	p := w.acme
	a, b := p.submit(t, nil), p.submit(t, nil)
	snooze := func(approval, person string, d time.Duration) {
		t.Helper()
		p.write(t, func(w approvals.Writer) error {
			return w.Snooze(approvals.Snooze{Approval: approval, Person: person, Until: w.Now().Add(d)})
		})
	}
	has := func(what string, of place, want ...string) {
		t.Helper()
		of.read(t, func(r approvals.Reader) error {
			all, err := r.Snoozes()
			var got []string
			for _, s := range all {
				got = append(got, s.Approval+" "+s.Person)
			}
			slices.Sort(want)
			slices.Sort(got)
			same(t, what, got, want)
			return err
		})
	}
	mine, bens := a.ID+" "+p.ada.ID, a.ID+" "+p.ben.ID
	snooze(a.ID, p.ada.ID, time.Hour)
	snooze(a.ID, p.ben.ID, time.Hour)
	snooze(b.ID, p.ben.ID, time.Hour)
	has("each of their own", p, mine, bens, b.ID+" "+p.ben.ID)
	has("another tenant", w.beta)
	p.write(t, func(w approvals.Writer) error { return w.Wake(p.ben.ID, []string{b.ID, a.ID}) })
	has("woken", p, mine)
	p.write(t, func(w approvals.Writer) error { return w.Append(said(a, audit.Claimed, "", "")) })
	has("after a look", p, mine)
	p.write(t, func(w approvals.Writer) error { return w.Append(said(a, audit.QuestionAsked, "qst_1", "Why?")) })
	has("after a question", p)
	snooze(a.ID, p.ada.ID, time.Hour)
	snooze(a.ID, p.ben.ID, time.Hour)
	has("once more", p, mine, bens)
	p.write(t, func(w approvals.Writer) error {
		return w.Claim(approvals.Claim{Approval: a.ID, Person: p.ada.ID, By: p.ben.ID, At: w.Now(), Until: w.Now().Add(time.Hour)}, "")
	})
	has("assigned", p, bens)
	if _, err := w.Raw.ExecContext(t.Context(), "UPDATE snoozes SET since_at = $1, until_at = $2 WHERE tenant_id = 'acme'", time.Now().UTC().Add(-time.Hour), time.Now().UTC().Add(-time.Minute)); err != nil {
		t.Fatal(err)
	}
	has("after its time", p)
	snooze(a.ID, p.ben.ID, time.Hour)
	p.deny(t, a, "no")
	has("decided", p)
}

// Whether an agent waits is known while its approval is pending, and of one that is named
// whatever became of it.
func testWaits(t *testing.T, w world) {
	p := w.acme
	a, b := p.submit(t, nil), p.submit(t, nil)
	var until time.Time
	for _, d := range []time.Duration{time.Minute, 0, time.Hour} { // the last one counts
		p.write(t, func(w approvals.Writer) error {
			until = w.Now().Add(d)
			return w.WaitUntil(a.ID, until)
		})
	}
	p.read(t, func(r approvals.Reader) error {
		all, err := r.Waits(nil)
		if len(all) != 1 || !all[a.ID].Equal(until) {
			t.Errorf("waits %v, want that of %s until %s", all, a.ID, until)
		}
		named, err2 := r.Waits([]string{b.ID, "apr_no"})
		if len(named) != 0 {
			t.Errorf("waits of one for which nobody waits: %v", named)
		}
		return errors.Join(err, err2)
	})
	p.deny(t, a, "no")
	p.read(t, func(r approvals.Reader) error {
		all, err := r.Waits(nil)
		named, err2 := r.Waits([]string{a.ID})
		if len(all) != 0 || len(named) != 1 {
			t.Errorf("once it ended: %v, by name %v", all, named)
		}
		return errors.Join(err, err2)
	})
	w.beta.read(t, func(r approvals.Reader) error {
		all, err := r.Waits([]string{a.ID})
		if len(all) != 0 {
			t.Errorf("another tenant sees %v", all)
		}
		return err
	})
}

// said is an event that tells of a question, or of its answer.
func said(of approvals.Approval, k audit.Kind, id, text string) audit.Event {
	e := about(of, k)
	e.Data = canon.Object(canon.Member{Name: "question", Value: canon.String(id)}, canon.Member{Name: "text", Value: canon.String(text)})
	return e
}

// Questions come back with their answers, in order, each with its request, and for no other
// organisation.
func testQuestions(t *testing.T, w world) {
	p := w.acme
	a, b := p.submit(t, nil), p.submit(t, nil)
	p.write(t, func(w approvals.Writer) error {
		return w.Append(said(a, audit.QuestionAsked, "qst_1", "Why?"), said(b, audit.QuestionAsked, "qst_2", "When?"), said(a, audit.QuestionAsked, "qst_3", "Who?"))
	})
	p.write(t, func(w approvals.Writer) error { return w.Append(said(a, audit.QuestionAnswered, "qst_3", "I do")) })
	read := func(p place) (all map[string][]approvals.AgentQuestion) {
		p.read(t, func(r approvals.Reader) (err error) {
			all, err = r.Questions(a.ID, b.ID, "apr_no")
			return err
		})
		return all
	}
	all := read(p)
	if of := all[a.ID]; len(of) != 2 || of[0].ID != "qst_1" || of[0].Text != "Why?" || of[0].AnsweredAt != nil || of[0].AskedAt.IsZero() ||
		of[1].Answer != "I do" || of[1].AnsweredAt == nil || of[1].AnsweredAt.Before(of[1].AskedAt) {
		t.Errorf("of the first: %+v", of)
	}
	if of := all[b.ID]; len(of) != 1 || of[0].Text != "When?" || len(all) != 2 {
		t.Errorf("of all: %+v", all)
	}
	if others := read(w.beta); len(others) != 0 {
		t.Errorf("another organisation reads %+v", others)
	}
}

// Comments stand among what people read, with the names of whom they mention, and nowhere else.
func testComments(t *testing.T, w world) {
	p := w.acme
	a := p.submit(t, nil)
	p.write(t, func(w approvals.Writer) error {
		return errors.Join(w.Mention(a.ID, p.ben.ID, p.ada.ID), w.Append(said(a, audit.QuestionAsked, "qst_1", "Why?"), said(a, audit.Commented, "", "Ask @"+p.ben.ID)))
	})
	p.read(t, func(r approvals.Reader) error {
		asked, said, err := r.Talk(a.ID)
		only, err2 := r.Questions(a.ID)
		if len(asked) != 1 || len(said) != 1 || said[0].Text != "Ask @"+p.ben.Name || said[0].At.IsZero() || len(only[a.ID]) != 1 || only[a.ID][0].Text != "Why?" {
			t.Errorf("read %+v and %+v, an agent %+v", asked, said, only)
		}
		return errors.Join(err, err2)
	})
	told := func(people ...string) (all map[string][]tenants.Mention) {
		err := w.Store.Tenants().Read(t.Context(), "acme", func(r tenants.Reader) (err error) {
			all, err = r.Mentions(people...)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	if all := told(p.ada.ID, p.ben.ID); len(all) != 1 || len(all[p.ben.ID]) != 1 || all[p.ben.ID][0].Approval != a.ID || all[p.ben.ID][0].By != p.ada.Name {
		t.Errorf("told are %+v", all)
	}
	p.write(t, func(w approvals.Writer) error { return w.MentionSeen(a.ID, p.ben.ID) })
	if all := told(p.ben.ID); len(all) != 0 {
		t.Errorf("after it was seen told are %+v", all)
	}
}

// away is somebody's absence that began, with a deputy.
func away(who, deputy auth.Person, now time.Time) tenants.Absence {
	return tenants.Absence{Person: tenants.Named{ID: who.ID, Name: who.Name}, Deputy: tenants.Named{ID: deputy.ID, Name: deputy.Name}, By: who.ID, From: now.Add(-time.Minute)}
}

// An absence holds until its time or until it is ended, and says of a deputy who can't stand in why.
func testAbsences(t *testing.T, w world) {
	p := w.acme
	a := p.submit(t, nil)
	keep := func(fn func(w tenants.Writer) error) {
		t.Helper()
		if err := w.Store.Tenants().Write(t.Context(), "acme", fn); err != nil {
			t.Fatal(err)
		}
	}
	read := func() (all []tenants.Absence) {
		p.read(t, func(r approvals.Reader) (err error) {
			all, err = r.Absences()
			return err
		})
		return all
	}
	keep(func(w tenants.Writer) error {
		return errors.Join(w.Grant(p.ben.ID, []auth.Role{auth.Operator}), w.KeepAbsence(away(p.ada, p.ben, w.Now())))
	})
	if all := read(); len(all) != 1 || all[0].Person.Name != p.ada.Name || all[0].Deputy.ID != p.ben.ID || !all[0].Gone.Empty() || !all[0].Until.IsZero() || !all[0].Decides {
		t.Errorf("away are %+v", all)
	}
	p.notify(t, func(w notices.Writer) error {
		return errors.Join(w.StandIn(a.ID, p.ada.ID, p.ben.ID), w.StandIn(a.ID, p.ada.ID, p.ben.ID))
	})
	p.read(t, func(r approvals.Reader) error {
		people, err := r.StoodIn(a.ID, p.ben.ID)
		if len(people) != 1 || people[0] != p.ada.ID {
			t.Errorf("Ben stands in for %v", people)
		}
		return err
	})
	keep(func(w tenants.Writer) error { return w.Suspend(p.ben.ID, p.ada.ID, "ill") })
	if all := read(); len(all) != 1 || all[0].Gone.Empty() {
		t.Errorf("with a suspended deputy %+v", all)
	}
	keep(func(w tenants.Writer) error {
		over := away(p.ada, p.ben, w.Now())
		over.Until = w.Now().Add(-time.Second)
		return w.KeepAbsence(over)
	})
	if all := read(); len(all) != 0 {
		t.Errorf("after its time away are %+v", all)
	}
}
