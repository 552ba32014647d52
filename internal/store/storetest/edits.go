package storetest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
)

// edited is a with other arguments, by somebody.
func edited(a approvals.Approval, by auth.Person, now time.Time) approvals.Approval {
	a.Version++
	action := `{"arguments":{"id":"usr_` + string('0'+rune(a.Version)) + `"},"environment":"production","function":"delete_user","session_id":"s1"}`
	sum := sha256.Sum256([]byte(action))
	a.Apply(approvals.Edit{
		Version: a.Version, Person: by.ID, Name: by.Name, At: now,
		Action: []byte(action), Digest: "sha256:" + hex.EncodeToString(sum[:]),
	})
	return a
}

func editedEvent(a approvals.Approval) audit.Event {
	e := a.Edits[len(a.Edits)-1]
	sum := sha256.Sum256(e.Action)
	event := about(a, audit.Edited,
		canon.Member{Name: "version", Value: canon.Int(e.Version)},
		canon.Member{Name: "digest", Value: canon.String(e.Digest)},
		canon.Member{Name: "action_sha256", Value: canon.String(hex.EncodeToString(sum[:]))},
		canon.Member{Name: "assessment_sha256", Value: kept(a.Assessment)},
		canon.Member{Name: "treatment_sha256", Value: kept(a.Treatment)})
	event.Actor = audit.Actor{Kind: "person", ID: e.Person}
	return event
}

func (p place) edit(t *testing.T, a approvals.Approval, by auth.Person) (done approvals.Approval) {
	t.Helper()
	p.write(t, func(w approvals.Writer) error {
		done = edited(a, by, w.Now())
		if err := w.Edit(done, a.Version); err != nil {
			return err
		}
		return w.Append(editedEvent(done))
	})
	return done
}

func testEdits(t *testing.T, w world) {
	p := w.acme
	a := p.severally(t, 2)
	p.sign(t, a, p.ben)
	once := p.edit(t, a, p.ada)
	twice := p.edit(t, once, p.ben)
	twice.Signatures = nil
	got := p.get(t, a.ID)
	same(t, "what comes back", got, twice)
	if len(got.Edits) != 2 || got.Digest != got.Edits[1].Digest || got.ShownDigest != got.Digest || string(got.Proposed.Action) != string(a.Action) || got.Proposed.Digest != a.Digest || got.Carried != nil {
		t.Errorf("in force is %s with %d edits of %+v", got.Digest, len(got.Edits), got.Proposed)
	}
	same(t, "listed", p.list(t, approvals.Filter{Digest: a.Digest}), []approvals.Approval{got})
	if found := p.list(t, approvals.Filter{Digest: got.Digest}); len(found) != 0 {
		t.Errorf("found by the digest of an edit: %+v", found)
	}

	late := edited(a, p.ada, a.CreatedAt)
	try := func(a approvals.Approval, was int64) error {
		return p.try(t.Context(), func(w approvals.Writer) error { return w.Edit(a, was) })
	}
	wantFault(t, "what was edited meanwhile", try(late, 1), fault.Changed)
	late.ID = "apr_no"
	wantFault(t, "what does not exist", try(late, 1), fault.Missing)
	late.Edits = nil
	if err := try(late, 1); err == nil {
		t.Error("an edit without one was written")
	}
	err := w.beta.try(t.Context(), func(w approvals.Writer) error { return w.Edit(edited(got, p.ada, a.CreatedAt), 3) })
	wantFault(t, "another organisation", err, fault.Missing)

	restated := got
	restated.Version++
	p.write(t, func(w approvals.Writer) error {
		return errors.Join(w.Restate(restated, got.Version), w.Append(about(restated, audit.Restated, canon.Member{Name: "version", Value: canon.Int(restated.Version)})))
	})
	if now := p.get(t, a.ID); now.Digest != got.Digest || len(now.Edits) != 2 {
		t.Errorf("after a stricter policy %s is in force", now.Digest)
	}
	p.approve(t, p.get(t, a.ID))
	wantFault(t, "what is decided", try(edited(p.get(t, a.ID), p.ada, a.CreatedAt), 4), fault.AlreadyDecided)
	if now := p.get(t, a.ID); now.Status != approvals.Approved || now.Digest != got.Digest || string(now.Effective()) != string(got.Action) {
		t.Errorf("approved is %s", now.Digest)
	}
	report, err := w.Store.Audit().Verify(t.Context(), p.tenant)
	if err != nil || !report.OK {
		t.Errorf("the trail: %+v, %v", report, err)
	}
}

func (p place) list(t *testing.T, f approvals.Filter) (all []approvals.Approval) {
	t.Helper()
	p.read(t, func(r approvals.Reader) (err error) {
		all, err = r.Approvals(f)
		return err
	})
	return all
}

// An edit is insert-only, needs a pending approval of its version, and is held
// against the trail.
func testEditsHold(t *testing.T, w world) {
	p := w.acme
	a := p.edit(t, p.submit(t, nil), p.ada)
	const columns = "tenant_id, approval_id, version, action, digest, person_id, person_name, edited_at"
	for _, statement := range []string{
		"UPDATE edits SET action = '{}'",
		"DELETE FROM edits",
		"INSERT INTO edits (" + columns + ") SELECT " + strings.Replace(columns, "version", "7", 1) + " FROM edits",
		"INSERT INTO edits (" + columns + ") SELECT " + columns + " FROM edits",
	} {
		if err := w.raw(t, statement); err == nil {
			t.Errorf("%s: nothing refused it", statement)
		}
	}
	done := p.deny(t, a, "no")
	if err := w.raw(t, "INSERT INTO edits ("+columns+") SELECT "+strings.Replace(columns, "version", "3", 1)+" FROM edits"); err == nil {
		t.Error("an edit of what is decided was stored")
	}
	undo := w.keep(t, "edits")
	for what, statement := range map[string]string{
		"an edited edit":    "UPDATE edits SET action = '{}'",
		"another digest":    "UPDATE edits SET digest = 'sha256:x'",
		"another editor":    "UPDATE edits SET person_id = 'per_mallory'",
		"another time":      "UPDATE edits SET edited_at = '2020-01-01 00:00:00+00:00'",
		"a removed edit":    "DELETE FROM edits",
		"a forged edit":     "INSERT INTO edits (" + columns + ") SELECT " + strings.Replace(columns, "version", "3", 1) + " FROM edits",
		"an edit elsewhere": "UPDATE edits SET version = 5",
	} {
		arm := w.Disarm(t, w.Raw)
		w.mustRaw(t, "%s", statement)
		arm()
		report, err := w.Store.Audit().Verify(t.Context(), p.tenant)
		if err != nil || report.OK || !strings.Contains(report.Problem, done.ID+": its stored edits") {
			t.Errorf("%s: %+v, %v", what, report, err)
		}
		arm = w.Disarm(t, w.Raw)
		undo(t)
		arm()
	}
	if report, err := w.Store.Audit().Verify(t.Context(), p.tenant); err != nil || !report.OK {
		t.Errorf("everything was taken back, and still: %+v, %v", report, err)
	}
}

// What answers a request for changes is found, newest first, and nobody else's.
func testRevisions(t *testing.T, w world) {
	p := w.acme
	first := p.deny(t, p.submit(t, nil), "narrow it down")
	answers := make([]string, 3)
	for i := range answers {
		answers[len(answers)-1-i] = p.submit(t, func(a *approvals.Approval) { a.Revises = first.ID }).ID
	}
	ids := func(all []approvals.Approval) (ids []string) {
		for _, a := range all {
			ids = append(ids, a.ID)
		}
		return ids
	}
	same(t, "the answers", ids(p.list(t, approvals.Filter{Revises: first.ID})), answers)
	same(t, "the newest two", ids(p.list(t, approvals.Filter{Revises: first.ID, Limit: 2})), answers[:2])
	if none := append(p.list(t, approvals.Filter{Revises: answers[0]}), w.beta.list(t, approvals.Filter{Revises: first.ID})...); len(none) != 0 {
		t.Errorf("answers of what has none: %v", ids(none))
	}
}
