package storetest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/long"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
)

// at is an edit of a proposal: its level and when it expires.
func at(l level.Level, left time.Duration) func(a *approvals.Approval) {
	return func(a *approvals.Approval) {
		a.Assessment.Level, a.Treatment.Level, a.Assessment.Treatment.Level = l, l, l
		a.ExpiresAt = a.CreatedAt.Add(left)
	}
}

func (p place) waiting(t *testing.T, q approvals.LineQuery) (lines []approvals.Line) {
	t.Helper()
	p.read(t, func(r approvals.Reader) (err error) {
		lines, err = r.Waiting(q)
		return err
	})
	return lines
}

func idsOf(lines []approvals.Line) (ids []string) {
	for _, l := range lines {
		ids = append(ids, l.ID)
	}
	return ids
}

// A line says what its approval says, whether it was kept or is drawn from the
// whole of it, before and after an edit, a signature and the end.
func testLines(t *testing.T, w world) {
	p := w.acme
	a := p.submit(t, nil)
	long := p.submit(t, func(a *approvals.Approval) {
		a.Action = parse(t, `{"function":"delete_user","arguments":{"user_id":"`+strings.Repeat("é", 4000)+`"},"environment":"`+strings.Repeat("x", 256)+`"}`).Canonical()
		a.Assessment.Facts = nil
	})
	signed := p.severally(t, 2)
	p.sign(t, signed, p.ada)
	changed := p.submit(t, nil)
	p.edit(t, changed, p.ada)
	done := p.approve(t, p.submit(t, nil))
	var auto approvals.Approval
	p.write(t, func(w approvals.Writer) error {
		auto = p.approved(p.propose(t, w.Now()), w.Now())
		return w.Create(auto, "", "")
	})
	ids := []string{a.ID, long.ID, signed.ID, changed.ID, done.ID, auto.ID, "apr_no"}
	list := func() (lines []approvals.Line) {
		p.read(t, func(r approvals.Reader) (err error) {
			lines, err = r.Lines(ids)
			slices.SortFunc(lines, func(a, b approvals.Line) int { return strings.Compare(a.ID, b.ID) })
			return err
		})
		return lines
	}
	var want []approvals.Line
	for _, id := range ids[:5] {
		want = append(want, p.get(t, id).Line())
	}
	slices.SortFunc(want, func(a, b approvals.Line) int { return strings.Compare(a.ID, b.ID) })
	same(t, "the lines", list(), want)
	for _, l := range want {
		if n := len([]rune(l.Words.Text() + l.Words.Environment)); n > 2*approvals.MaxWords+1 {
			t.Errorf("%s has %d characters", l.ID, n)
		}
	}
	// One of another version is not believed, and one that is missing is made up for.
	w.mustRaw(t, "UPDATE approval_lines SET words = '{\"parts\":null,\"consequence\":\"old\"}', version = version + 1 WHERE approval_id IN ('%s', '%s')", a.ID, changed.ID)
	w.mustRaw(t, "DELETE FROM approval_lines WHERE approval_id IN ('%s', '%s')", signed.ID, long.ID)
	same(t, "the lines without what was kept", list(), want)
	if got := idsOf(p.waiting(t, approvals.LineQuery{Limit: 10})); len(got) != 4 || slices.Contains(got, done.ID) {
		t.Errorf("what waits is %q", got)
	}
	// A stricter version has a line of its own.
	strict := p.get(t, a.ID)
	strict.Version, strict.Assessment.Level = 2, level.Critical
	strict.Treatment = scoring.Treatment{Level: level.Critical, Response: scoring.Hold, Challenge: scoring.ChallengeExplicit, ApprovalsRequired: 2}
	strict.Assessment.Treatment = strict.Treatment
	p.write(t, func(w approvals.Writer) error { return w.Restate(strict, 1) })
	same(t, "the stricter one", p.waiting(t, approvals.LineQuery{Levels: []level.Level{level.Critical}, Limit: 10}), []approvals.Line{strict.Line()})
	var version int64
	if err := w.Raw.QueryRowContext(t.Context(), "SELECT version FROM approval_lines WHERE approval_id = '"+a.ID+"'").Scan(&version); err != nil || version != 2 {
		t.Errorf("the line that is kept is of version %d, %v", version, err)
	}
}

// The queue is read in its order, page by page, also where times are equal, and the
// one that matters comes before a flood.
func testQueueOrder(t *testing.T, w world) {
	p := w.acme
	flood := long.Count(1000, 5000)
	var last approvals.Approval
	for first := 0; first < flood; first += 500 {
		p.write(t, func(w approvals.Writer) error {
			a := p.propose(t, w.Now())
			for i := range 500 {
				a.ID = auth.NewID("apr")
				at(level.Low, time.Duration(1+(first+i)%7)*time.Minute)(&a)
				if err := w.Create(a, "", ""); err != nil {
					return err
				}
				last = a
			}
			return nil
		})
	}
	high := p.submit(t, at(level.High, time.Hour))
	urgent := p.submit(t, at(level.High, time.Minute))
	critical := p.submit(t, at(level.Critical, 24*time.Hour))
	p.deny(t, p.submit(t, at(level.Critical, time.Minute)), "no")
	w.beta.submit(t, at(level.Critical, time.Second))

	if got := idsOf(p.waiting(t, approvals.LineQuery{Limit: 3})); !slices.Equal(got, []string{critical.ID, urgent.ID, high.ID}) {
		t.Errorf("before a flood of %d stand %q", flood, got)
	}
	var walked []approvals.Line
	seen := map[string]bool{}
	for q := (approvals.LineQuery{Limit: 177}); ; {
		page := p.waiting(t, q)
		for i, l := range page {
			if seen[l.ID] {
				t.Fatalf("%s comes twice", l.ID)
			}
			seen[l.ID] = true
			if walked = append(walked, l); len(walked) > 1 {
				before, after := walked[len(walked)-2].Place(), l.Place()
				if after.Level > before.Level || after.Level == before.Level && (after.ExpiresAt.Before(before.ExpiresAt) || after.ExpiresAt.Equal(before.ExpiresAt) && after.ID <= before.ID) {
					t.Fatalf("%+v stands before %+v, number %d of a page", before, after, i)
				}
			}
		}
		if len(page) < q.Limit {
			break
		}
		end := page[len(page)-1].Place()
		q.After = &end
	}
	if len(walked) != flood+3 {
		t.Errorf("%d were walked through", len(walked))
	}
	if got := p.waiting(t, approvals.LineQuery{Levels: []level.Level{level.Medium, level.High}, Limit: 9}); len(got) != 2 {
		t.Errorf("MEDIUM and HIGH are %q", idsOf(got))
	}
	p.read(t, func(r approvals.Reader) error {
		for most, want := range map[int]int{1: 1, flood + 1: flood + 1, flood + 1000: flood + 3} {
			if n, err := r.CountWaiting(most); n != want || err != nil {
				t.Errorf("counted to %d: %d, %v", most, n, err)
			}
		}
		pending, err := r.PendingByLevel()
		if err != nil {
			t.Error(err)
		}
		total := 0
		for _, c := range pending {
			total += c.Count
			listed, err := r.Waiting(approvals.LineQuery{Levels: []level.Level{c.Level}, Limit: flood + 9})
			if err != nil || len(listed) != min(c.Count, 2000) { // a page has no more
				t.Errorf("pending at %s are %d, listed are %d, %v", c.Level, c.Count, len(listed), err)
			}
			for _, l := range listed {
				if l.CreatedAt.Before(c.Oldest) {
					t.Errorf("the oldest at %s is said to be of %s, %s is of %s", c.Level, c.Oldest, l.ID, l.CreatedAt)
				}
			}
		}
		if total != flood+3 || len(pending) < 3 {
			t.Errorf("pending: %+v", pending)
		}
		counts, err := r.Duplicates([]approvals.Act{{Agent: last.Agent.ID, Digest: last.Digest}, {Agent: "agt_no", Digest: last.Digest}})
		if err != nil || fmt.Sprint(counts) != fmt.Sprint([]int{flood + 3, 0}) {
			t.Errorf("identical: %v, %v", counts, err)
		}
		return nil
	})
}

// What an operator edited is no longer the act that was submitted.
func testDuplicates(t *testing.T, w world) {
	p := w.acme
	a, b, c := p.submit(t, nil), p.severally(t, 2), p.submit(t, nil)
	p.sign(t, b, p.ada)
	p.edit(t, c, p.ada)
	p.deny(t, p.submit(t, nil), "no")
	act := approvals.Act{Agent: p.agent.ID, Digest: a.Digest}
	p.read(t, func(r approvals.Reader) error {
		counts, err := r.Duplicates([]approvals.Act{act, {Agent: p.agent.ID, Digest: p.get(t, c.ID).Digest}})
		same(t, "the counts", counts, []int{2, 0})
		ids, err2 := r.DuplicateIDs(act, 9)
		same(t, "the ids", ids, []string{a.ID, b.ID})
		waiting, err3 := r.WaitingDuplicates(act, 9)
		same(t, "what waits", waiting, []approvals.WaitingAct{waitingAct(a), waitingAct(b, p.ada.ID)})
		if one, err := r.WaitingDuplicates(act, 1); err != nil || len(one) != 1 || one[0].ID != b.ID {
			t.Errorf("the newest that waits is %+v, %v", one, err)
		}
		if one, err := r.DuplicateIDs(act, 1); err != nil || len(one) != 1 {
			t.Errorf("one of them is %q, %v", one, err)
		}
		return errors.Join(err, err2, err3)
	})
	back := p.get(t, c.ID)
	back.Version++
	back.Apply(approvals.Edit{Version: back.Version, Person: p.ada.ID, Name: p.ada.Name, At: back.CreatedAt, Action: a.Action, Digest: a.Digest})
	p.write(t, func(w approvals.Writer) error { return w.Edit(back, back.Version-1) })
	p.read(t, func(r approvals.Reader) error {
		waiting, err := r.WaitingDuplicates(act, 9)
		again := waitingAct(back)
		again.ShownDigest = c.ShownDigest
		same(t, "what waits when one is edited back", waiting, []approvals.WaitingAct{waitingAct(a), waitingAct(b, p.ada.ID), again})
		return err
	})
}

// deploys makes an approval one of a version of a service.
func deploys(t *testing.T, service, version string) func(*approvals.Approval) {
	action := parse(t, `{"function":"deploy_service","arguments":{"service":"`+service+`","version":"`+version+`"}}`)
	return func(a *approvals.Approval) {
		a.Action, a.Digest, a.ShownDigest, a.Function = action.Canonical(), action.Digest(), action.Digest(), action.Function()
		a.Assessment.Facts, a.Assessment.Effects = nil, nil
	}
}

// A later request of the same agent for the same target, with another act, is the newer one: of what
// came last, whatever became of it.
func testNewer(t *testing.T, w world) {
	p := w.acme
	deploy := func(service, version string) approvals.Approval { return p.submit(t, deploys(t, service, version)) }
	a, other, b := deploy("checkout", "v41"), deploy("search", "v41"), deploy("checkout", "v42")
	newer := func(want map[string]string) {
		t.Helper()
		p.read(t, func(r approvals.Reader) error {
			found, err := r.NewerOf([]string{a.ID, b.ID, other.ID, "apr_no"})
			same(t, "the newer ones", found, want)
			return err
		})
	}
	older := func(of []string, want ...string) {
		t.Helper()
		p.read(t, func(r approvals.Reader) error {
			found, err := r.Older(of)
			same(t, "the older ones", append([]string{}, found...), append([]string{}, want...))
			return err
		})
	}
	newer(map[string]string{a.ID: b.ID})
	older([]string{b.ID, other.ID}, a.ID)
	older([]string{a.ID})
	p.deny(t, b, "no")
	newer(map[string]string{a.ID: b.ID})
	again := deploy("checkout", "v41") // the last word is what the first one says
	newer(map[string]string{b.ID: again.ID})
	older([]string{again.ID, b.ID}, a.ID)
	p.deny(t, a, "no")
	older([]string{again.ID})
}

func waitingAct(a approvals.Approval, signers ...string) approvals.WaitingAct {
	return approvals.WaitingAct{ID: a.ID, Version: a.Version, ShownDigest: a.ShownDigest, Treatment: a.Treatment, ExpiresAt: a.ExpiresAt, Signers: signers}
}

// Whose quiz is open is told until it is over or left.
func testAnswering(t *testing.T, w world) {
	p := w.acme
	a, b, c := p.submit(t, nil), p.submit(t, nil), p.submit(t, nil)
	var left, click approvals.Challenge
	p.write(t, func(w approvals.Writer) error {
		open, over := p.challenge(a, w.Now()), p.challenge(b, w.Now())
		click = p.challenge(c, w.Now())
		click.Kind, click.Questions = scoring.ChallengeConfirm, nil // no quiz: nothing of it is out of sight
		if err := w.Issue(click); err != nil {
			return err
		}
		over.ID, over.ExpiresAt = auth.NewID("chl"), w.Now()
		left = p.challenge(b, w.Now())
		if err := w.Issue(open); err != nil {
			return err
		}
		if err := w.Issue(over); err != nil {
			return err
		}
		return w.Issue(left)
	})
	who := func(person string, want ...string) {
		t.Helper()
		p.read(t, func(r approvals.Reader) error {
			ids, err := r.Answering(person)
			slices.Sort(ids)
			slices.Sort(want)
			same(t, "what is answered", append([]string{}, ids...), append([]string{}, want...))
			return err
		})
	}
	who(p.ada.ID, a.ID, b.ID)
	who(p.ben.ID)
	people := func(of place, want ...string) {
		t.Helper()
		of.read(t, func(r approvals.Reader) error {
			ids, err := r.AnsweringPeople()
			same(t, "who answers", append([]string{}, ids...), append([]string{}, want...))
			return err
		})
	}
	people(p, p.ada.ID)
	people(w.beta)
	p.write(t, func(w approvals.Writer) error {
		click.State = approvals.ChallengeLeft
		if err := w.Progress(click, approvals.ChallengeOpen); err != nil {
			return err
		}
		left.State = approvals.ChallengeLeft
		return w.Progress(left, approvals.ChallengeOpen)
	})
	who(p.ada.ID, a.ID)
	p.write(t, func(w approvals.Writer) error {
		c, err := w.LatestChallenge(a.ID, p.ada.ID)
		if err != nil {
			return err
		}
		c.State = approvals.ChallengeLeft
		return w.Progress(c, approvals.ChallengeOpen)
	})
	people(p)
}
