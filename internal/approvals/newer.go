package approvals

import (
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/internal/scoring/level"
)

// An agent that has thought better of it asks again: the same function on the same target, with
// other arguments. Whoever decides the older request is told of the newer one, and where the policy
// says so the newer one ends it. A newer request never brings anything about but a no.

// MaxOlder is how far back a newer request is looked at: among the requests for its target that
// came last before it.
const MaxOlder = 100

// TargetKey, of an approval that is about that, is equal for calls of one function on one target in one environment. It is empty for a
// call without a target, for an edit, of which a file has many beside each other, and for a call that
// nobody was to be asked about.
func (a Approval) TargetKey(about Subject) string {
	if len(a.Assessment.Files) > 0 || !a.isCall() || a.Status != Pending && (a.Status != Approved || a.Assessment.Level <= level.Low) || !about.Specific {
		return ""
	}
	return canon.Digest(canon.Array(canon.String(a.Function), canon.String(about.Target), canon.String(about.Environment)))
}

// Superseded reports whether a newer request ended a.
func (a Approval) Superseded() bool { return superseded(a.Status, a.Decision) }

func superseded(s Status, d *Decision) bool {
	return s == Cancelled && d != nil && len(d.DecidedBy) > 0 && d.DecidedBy[0].Kind == ByPolicy
}

// supersede ends what waits because its agent asked again.
func (a Approval) supersede(w Writer, by Approval) (Approval, error) {
	now := w.Now()
	err := a.open(now)
	if fault.Is(err, fault.Expired) {
		return a.expire(now)
	}
	if err != nil {
		return a, err
	}
	const reason = "superseded: the agent asked again for the same target with other arguments, see "
	return a.decided(Cancelled, VerdictCancel, reason+by.ID, policyDecider(by.PolicyVersion), now), nil
}

// endOlder ends what a supersedes, where the policy says so. The list says only where to look:
// each is compared by what it asks for itself.
func endOlder(w Writer, a Approval, p scoring.Policy) (ended []Approval, err error) {
	if !p.NewerEndsOlder || a.Status != Pending {
		return nil, nil
	}
	key := a.TargetKey(a.Subject())
	if key == "" {
		return nil, nil
	}
	ids, err := w.Older([]string{a.ID})
	if err != nil {
		return nil, err
	}
	var events []audit.Event
	for _, id := range ids {
		older, err := w.Approval(id)
		if err != nil {
			return nil, err
		}
		if !a.follows(older, key) {
			continue
		}
		done, err := older.supersede(w, a)
		if err != nil {
			return nil, err
		}
		if err := w.Decide(done, older.Version); err != nil {
			return nil, err
		}
		var newer []canon.Member
		if done.Superseded() {
			newer = append(newer, member("newer", canon.String(a.ID)))
		}
		ended, events = append(ended, done), append(events, done.decisionEvent(newer...))
	}
	return ended, appendAny(w, events)
}

// follows reports whether older waits for the target of a, which has this key, with other arguments.
func (a Approval) follows(older Approval, key string) bool {
	return !older.Status.Final() && older.Agent.ID == a.Agent.ID && older.Digest != a.Digest && older.TargetKey(older.Subject()) == key
}

// older is the last request before a that a follows; nil for none.
func (a Approval) older(r Reader, about Subject) (*Approval, error) {
	key := a.TargetKey(about)
	if a.Status != Pending || key == "" {
		return nil, nil
	}
	ids, err := r.Older([]string{a.ID})
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	last := ids[0]
	if len(ids) > 1 {
		lines, err := r.Lines(ids)
		if err != nil {
			return nil, err
		}
		last = ""
		for _, l := range lines {
			if l.Digest != a.Digest {
				last = max(last, l.ID) // ids sort by time of creation
			}
		}
		if last == "" {
			return nil, nil
		}
	}
	older, err := r.Approval(last)
	if err != nil || !a.follows(older, key) {
		return nil, err
	}
	return &older, nil
}

// waiting are the ids of the lines that wait.
func waiting(lines []Line) (ids []string) {
	for _, l := range lines {
		if !l.Status.Final() {
			ids = append(ids, l.ID)
		}
	}
	return ids
}

// newerLines completes the newest request for the target of each line that waits.
func newerLines(r Reader, lines []Line) error {
	found, err := r.NewerOf(waiting(lines))
	for i, l := range lines {
		lines[i].Newer = found[l.ID]
	}
	return err
}

// withNewer is a with the newest request for its target.
func (a Approval) withNewer(r Reader) (Approval, error) {
	if a.Status.Final() && !a.Superseded() {
		return a, nil
	}
	found, err := r.NewerOf([]string{a.ID})
	a.Newer = found[a.ID]
	return a, err
}
