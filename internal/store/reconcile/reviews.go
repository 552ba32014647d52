package reconcile

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/store/logstate"
	"github.com/countersign/countersign/internal/store/tables"
)

// reviewBatch is how many approvals' views and challenges are held against their
// events at once: most have none, one that waits for long some hundred.
const reviewBatch = 200

// loggedReview is what the events say of how one approval was read and answered.
type loggedReview struct {
	last          int64 // index of the last event
	views         []string
	sections      []string
	challenges    map[string]*loggedChallenge
	inOrder       []string // ids of challenges, as issued
	withoutIssued string   // the first challenge that was graded and never issued
}

// loggedChallenge is what they say of one challenge.
type loggedChallenge struct {
	at                             int64 // of its last event
	person, version, kind, attempt string
	digest, core, issued, expires  string
	state, sum                     string
	graded                         bool
}

// verifyReviews holds first views, acknowledged sections and challenges against
// their events: who would wait less, read less or be asked something else than the
// trail says is found. An open quiz is held by its questions; its answers are logged,
// and held, when it is graded.
func (t Checks) verifyReviews(size int64) (at int64, problem string, err error) {
	last := ""
	for {
		var ids []string
		if err := t.Of("approvals").Where("approval_id > ?", last).Order("approval_id").Limit(reviewBatch).Pluck("approval_id", &ids).Error; err != nil || len(ids) == 0 {
			return 0, "", err
		}
		last = ids[len(ids)-1]
		if at, problem, err := t.verifyReviewsOf(ids, size); problem != "" || err != nil {
			return at, problem, err
		}
	}
}

// verifyReviewsOf is verifyReviews for these approvals.
func (t Checks) verifyReviewsOf(ids []string, size int64) (at int64, problem string, err error) {
	logged, err := t.loggedReviews(ids)
	if err != nil {
		return 0, "", err
	}
	return t.reviewsMismatch(ids, logged, size)
}

// reviewsMismatch names the first thing that the tables have otherwise of these approvals.
func (t Checks) reviewsMismatch(ids []string, logged map[string]*loggedReview, size int64) (at int64, problem string, err error) {
	first, read, asked := t.requests.ViewsOf(ids), t.requests.SectionReadsOf(ids), t.requests.ChallengesOf(ids)
	if err := t.Fetch(first, read, asked); err != nil {
		return 0, "", err
	}
	views, sections, challenges := map[string][]string{}, map[string][]string{}, map[string]map[string]approvals.Challenge{}
	for _, r := range first.Found {
		views[r.ApprovalID] = append(views[r.ApprovalID], view(r.PersonID, strconv.FormatInt(r.Version, 10), audit.FormatTime(r.ViewedAt)))
	}
	for _, r := range read.Found {
		sections[r.ApprovalID] = append(sections[r.ApprovalID],
			section(r.PersonID, strconv.FormatInt(r.Version, 10), strconv.FormatInt(r.Section, 10), audit.FormatTime(r.AcknowledgedAt)))
	}
	for _, r := range asked.Found {
		c, unreadable := r.Challenge()
		if unreadable != nil { // which its sum shows
			c.Questions, c.Salt = nil, ""
		}
		if challenges[r.ApprovalID] == nil {
			challenges[r.ApprovalID] = map[string]approvals.Challenge{}
		}
		challenges[r.ApprovalID][r.ChallengeID] = c
	}
	for _, id := range ids {
		e := logged[id]
		if e == nil {
			e = &loggedReview{last: size}
		}
		problem := differ("first views", views[id], e.views)
		if problem == "" {
			problem = differ("acknowledged sections", sections[id], e.sections)
		}
		if problem != "" {
			return e.last, id + ": " + problem, nil
		}
		if at, problem := e.mismatch(challenges[id]); problem != "" {
			return at, id + ": " + problem, nil
		}
	}
	return 0, "", nil
}

// loggedReviews reads the events of these approvals in order.
func (t Checks) loggedReviews(ids []string) (map[string]*loggedReview, error) {
	var rows []tables.EventRow
	err := t.Of("audit_events").Where("approval_id IN ? AND kind IN ?", ids, logstate.ReviewKinds).Order("approval_id, idx").Find(&rows).Error
	if err != nil {
		return nil, err
	}
	events, err := t.Verified(rows)
	return applyReviews(events), err
}

// applyReviews is what these events say; those of other kinds say nothing.
func applyReviews(events []audit.Event) map[string]*loggedReview {
	logged := map[string]*loggedReview{}
	for _, e := range events {
		if !slices.Contains(logstate.ReviewKinds, e.Kind) {
			continue
		}
		if logged[e.Approval] == nil {
			logged[e.Approval] = &loggedReview{challenges: map[string]*loggedChallenge{}}
		}
		logged[e.Approval].apply(e)
	}
	return logged
}

// apply adds one event.
func (r *loggedReview) apply(e audit.Event) {
	r.last = e.Index
	d := e.Data
	switch e.Kind {
	case audit.Viewed:
		r.views = append(r.views, view(e.Actor.ID, d.Get("version").Number(), audit.FormatTime(e.At)))
		return
	case audit.SectionRead:
		r.sections = append(r.sections, section(e.Actor.ID, d.Get("version").Number(), d.Get("section").Number(), audit.FormatTime(e.At)))
		return
	case audit.ChallengeIssued:
		id := d.Get("challenge").Text()
		r.inOrder = append(r.inOrder, id)
		r.challenges[id] = &loggedChallenge{
			at: e.Index, person: e.Actor.ID, version: d.Get("version").Number(), kind: d.Get("kind").Text(), attempt: d.Get("attempt").Number(),
			digest: d.Get("shown_digest").Text(), core: d.Get("core").Text(), issued: audit.FormatTime(e.At), expires: d.Get("expires_at").Text(),
			state: string(approvals.ChallengeOpen), sum: d.Get("questions_sha256").Text(),
		}
		return
	}
	id := d.Get("challenge").Text()
	if e.Kind == audit.Signed || e.Kind == audit.Approved {
		evidence := d.Get("evidence")
		if id = evidence.Get("challenge").Text(); id == "" || !evidence.Get("with").IsAbsent() {
			return // no challenge, or that of an identical request
		}
	}
	c := r.challenges[id]
	if c == nil {
		if r.withoutIssued == "" {
			r.withoutIssued = id
		}
		return
	}
	c.at = e.Index
	switch e.Kind {
	case audit.ChallengePassed:
		c.state, c.sum, c.expires, c.graded = string(approvals.ChallengePassed), d.Get("questions_sha256").Text(), d.Get("expires_at").Text(), true
	case audit.ChallengeFailed:
		c.state, c.sum, c.graded = string(approvals.ChallengeFailed), d.Get("questions_sha256").Text(), true
	default:
		c.state = string(approvals.ChallengeSpent)
	}
}

// mismatch names the first thing that the rows have otherwise, and the event that
// says so.
func (r *loggedReview) mismatch(rows map[string]approvals.Challenge) (at int64, problem string) {
	if r.withoutIssued != "" {
		return r.last, fmt.Sprintf("its events mention the challenge %.60q, which was never issued", r.withoutIssued)
	}
	for _, id := range r.inOrder {
		e := r.challenges[id]
		c, ok := rows[id]
		if !ok {
			return e.at, fmt.Sprintf("the challenge %s was issued but is missing from the database", id)
		}
		if problem := e.differs(c); problem != "" {
			return e.at, fmt.Sprintf("the challenge %s: %s", id, problem)
		}
	}
	for id := range rows {
		if r.challenges[id] == nil {
			return r.last, fmt.Sprintf("the challenge %s is in the database, but no event says that it was issued", id)
		}
	}
	return 0, ""
}

func (e *loggedChallenge) differs(c approvals.Challenge) string {
	// No event tells of going back to reading, which costs nothing.
	state := string(c.State)
	if c.State == approvals.ChallengeLeft {
		state = string(approvals.ChallengeOpen)
	}
	sum := c.Unanswered().Sum()
	if e.graded {
		sum = c.Sum()
	}
	logged := []comparison{
		{"operator", c.Person, e.person},
		{"version", strconv.FormatInt(c.Version, 10), e.version},
		{"kind", string(c.Kind), e.kind},
		{"attempt", strconv.Itoa(c.Attempt), e.attempt},
		{"digest", c.Digest, e.digest},
		{"time of issue", audit.FormatTime(c.IssuedAt), e.issued},
		{"end", audit.FormatTime(c.ExpiresAt), e.expires},
		{"state", state, e.state},
		{"sum of the questions", sum, e.sum},
	}
	if e.core != "" { // an older event does not tell it
		logged = append(logged, comparison{"core", c.Core, e.core})
	}
	return firstDifference(logged)
}

func view(person, version, at string) string {
	return person + " first saw version " + version + " at " + at
}

func section(person, version, number, at string) string {
	return person + " acknowledged section " + number + " of version " + version + " at " + at
}
