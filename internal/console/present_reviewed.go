package console

import (
	"strconv"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/views"
)

// How people came to their decision, as the trail tells of it: on the page of a
// request that was decided and on the entries of its decision and signatures, for
// those who may read the trail.

const reviewForm = "2 Jan 2006 15:04:05 UTC"

// saidWords name a verdict as something that somebody did.
var saidWords = map[approvals.Status]string{
	approvals.Approved: "approved", approvals.Denied: "denied", approvals.ChangesRequested: "asked for changes", approvals.Cancelled: "stopped the agent",
}

// reviewsOf are the reviews behind a decision: those of everybody who signed, and of
// whoever decided.
func reviewsOf(v approvals.Review, m auth.Member) []views.Reviewed {
	if !v.Status.Final() || v.Decision == nil || !m.May(auth.ReadAudit) {
		return nil
	}
	var all []views.Reviewed
	told := map[string]bool{}
	add := func(person, name, did string, e approvals.Evidence) {
		if !told[person] {
			told[person] = true
			r := reviewed(v.Tenant, name+" "+did, e)
			if e.TextSHA256 != "" {
				r.Same, r.Other = e.TextSHA256 == v.Reading.SHA256, e.TextSHA256 != v.Reading.SHA256
			}
			all = append(all, r)
		}
	}
	by := v.Decision.DecidedBy
	if e := v.Decision.Evidence; e != nil && len(by) > 0 && v.Status != approvals.Approved { // who denies may have signed before
		last := by[len(by)-1]
		add(last.ID+" refused", last.Name, saidWords[v.Status], *e)
	}
	for _, s := range v.Signatures {
		add(s.Person, s.Name, saidWords[approvals.Approved], s.Evidence)
	}
	if e := v.Decision.Evidence; e != nil && len(by) > 0 && v.Status == approvals.Approved {
		last := by[len(by)-1]
		add(last.ID, last.Name, saidWords[v.Status], *e)
	}
	return all
}

// reviewOfEvent is the review that an event tells of; nil where it tells of none, or
// of one that is sealed.
func reviewOfEvent(tenant, who string, e audit.Event) *views.Reviewed {
	told := e.Data.Get("evidence")
	if told.IsAbsent() {
		return nil
	}
	r := reviewed(tenant, who, approvals.EvidenceOf(told))
	return &r
}

func reviewed(tenant, title string, e approvals.Evidence) views.Reviewed {
	r := views.Reviewed{Title: headline(title), Summary: reviewSummary(e), Hash: e.TextSHA256}
	add := func(label string, value []views.Run, mono bool, url string) {
		r.Fields = append(r.Fields, views.Pair{Label: label, Value: value, Mono: mono, URL: url})
	}
	if e.FirstViewedAt != nil {
		add("First opened", runs(e.FirstViewedAt.Format(reviewForm)), false, "")
		add("Read for", runs(took(e.ReviewSeconds)), false, "")
	} else {
		add("First opened", runs("never: it was decided without its page"), false, "")
	}
	if e.Kind != "" {
		add("Challenge", runs(challengeWords[scoring.ChallengeKind(e.Kind)]), false, "")
	}
	if e.Target != nil {
		add("Typed", orEmpty(saidRuns(*e.Target)), true, "")
	}
	if id := approvalID(e.With); id != "" {
		add("Decided with", runs(id), true, requestURL(tenant, id))
	}
	if e.Early {
		r.Tags = append(r.Tags, "earlier than the minimum")
	}
	if e.SinglePerson {
		r.Tags = append(r.Tags, "single person")
	}
	if e.SectionCount > 1 {
		r.SectionsOf = strconv.Itoa(len(e.Sections)) + " of " + plural(e.SectionCount, "section") + " acknowledged, times in UTC"
	}
	for _, s := range e.Sections {
		r.Sections = append(r.Sections, views.ReviewedSection{Number: strconv.Itoa(s.Section), When: s.At.Format(clockForm), ISO: s.At.Format(isoForm)})
	}
	for _, q := range e.Quizzes {
		r.Quizzes = append(r.Quizzes, quizReviewed(q))
	}
	for _, c := range e.Consequences {
		r.Ticked = append(r.Ticked, runs(c))
	}
	return r
}

// reviewSummary is in one line what a review was.
func reviewSummary(e approvals.Evidence) string {
	s := "without opening it"
	if e.FirstViewedAt != nil {
		s = "after " + took(e.ReviewSeconds)
	}
	if e.SectionCount > 1 {
		s += ", " + strconv.Itoa(len(e.Sections)) + " of " + plural(e.SectionCount, "section") + " read"
	}
	switch n := len(e.Quizzes); {
	case n == 1 && e.Quizzes[0].Passed:
		s += ", questions passed at once"
	case n > 0:
		s += ", " + plural(n, "set") + " of questions answered"
	}
	return s
}

func quizReviewed(q approvals.QuizTaken) views.ReviewedQuiz {
	right := 0
	v := views.ReviewedQuiz{Title: "Questions, attempt " + strconv.Itoa(q.Attempt), Passed: q.Passed, When: q.StartedAt.Format(reviewForm), ISO: q.StartedAt.Format(isoForm)}
	for _, one := range q.Questions {
		if one.Right == one.Answer {
			right++
		}
		put := views.ReviewedQuestion{Prompt: runs(one.Prompt), Took: "answered after " + took(one.Seconds)}
		for i, o := range one.Options {
			put.Options = append(put.Options, views.ReviewedOption{Text: orEmpty(saidRuns(o)), Right: i+1 == one.Right, Chosen: i+1 == one.Answer})
		}
		v.Questions = append(v.Questions, put)
	}
	v.Result = strconv.Itoa(right) + " of " + strconv.Itoa(len(q.Questions)) + " right"
	return v
}

// saidRuns is a text of the evidence, or how a long one is named.
func saidRuns(s approvals.Said) []views.Run {
	if s.SHA256 != "" {
		return runs("a text of " + bytesOf(s.Bytes) + ", SHA-256 " + s.SHA256)
	}
	return runs(s.Text)
}

// took is a span of time in words: "7.4 s", "1 min 12 s", "2 h 3 min".
func took(seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d < time.Minute:
		return strconv.FormatFloat(max(0, d.Seconds()), 'f', 1, 64) + " s"
	case d < time.Hour:
		return strconv.Itoa(int(d.Minutes())) + " min " + strconv.Itoa(int(d.Seconds())%60) + " s"
	default:
		return strconv.Itoa(int(d.Hours())) + " h " + strconv.Itoa(int(d.Minutes())%60) + " min"
	}
}
