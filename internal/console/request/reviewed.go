package request

import (
	"strconv"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/scoring"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// How people came to their decision, as the trail tells of it: on the page of a
// request that was decided and on the entries of its decision and signatures, for
// those who may read the trail.

const ReviewForm texts.Key = "2 Jan 2006 15:04:05 UTC"

// saidWords name a verdict as something that somebody did.
var saidWords = map[approvals.Status]texts.Key{
	approvals.Approved: texts.Key("%s approved"), approvals.Denied: texts.Key("%s denied"), approvals.ChangesRequested: texts.Key("%s requested changes"), approvals.Cancelled: texts.Key("%s stopped the agent"),
}

// reviewsOf are the reviews behind a decision: those of everybody who signed, and of
// whoever decided.
func reviewsOf(say texts.Printer, v approvals.Review, m auth.Member) []views.Reviewed {
	if !v.Status.Final() || v.Decision == nil || !m.May(auth.ReadAudit) {
		return nil
	}
	var all []views.Reviewed
	told := map[string]bool{}
	add := func(person, did string, e approvals.Evidence) {
		if !told[person] {
			told[person] = true
			r := reviewed(say, v.Tenant, did, e)
			if e.TextSHA256 != "" {
				r.Same, r.Other = e.TextSHA256 == v.Reading.SHA256, e.TextSHA256 != v.Reading.SHA256
			}
			all = append(all, r)
		}
	}
	by := v.Decision.DecidedBy
	if e := v.Decision.Evidence; e != nil && len(by) > 0 && v.Status != approvals.Approved { // who denies may have signed before
		last := by[len(by)-1]
		add(last.ID+" refused", say.Key(saidWords[v.Status], last.Name), *e)
	}
	for _, s := range v.Signatures {
		add(s.Person, say.Key(saidWords[approvals.Approved], s.Name), s.Evidence)
	}
	if e := v.Decision.Evidence; e != nil && len(by) > 0 && v.Status == approvals.Approved {
		last := by[len(by)-1]
		add(last.ID, say.Key(saidWords[v.Status], last.Name), *e)
	}
	return all
}

// ReviewOfEvent is the review that an event tells of; nil where it tells of none, or
// of one that is sealed.
func ReviewOfEvent(say texts.Printer, tenant, who string, e audit.Event) *views.Reviewed {
	told := e.Data.Get("evidence")
	if told.IsAbsent() {
		return nil
	}
	r := reviewed(say, tenant, who, approvals.EvidenceOf(told))
	return &r
}

func reviewed(say texts.Printer, tenant, title string, e approvals.Evidence) views.Reviewed {
	r := views.Reviewed{Title: present.Headline(say, title), Summary: reviewSummary(say, e), Hash: e.TextSHA256}
	add := func(label string, value []views.Run, mono bool, url string) {
		r.Fields = append(r.Fields, views.Pair{Label: label, Value: value, Mono: mono, URL: url})
	}
	if e.FirstViewedAt != nil {
		add(say.Say("First opened"), present.TimeRuns(say, ReviewForm, *e.FirstViewedAt), false, "")
		add(say.Say("Decided"), untrusted.Runs(say.Say("%s later", took(say, e.ReviewSeconds))), false, "")
	} else {
		add(say.Say("First opened"), untrusted.Runs(say.Say("never: decided without opening it")), false, "")
	}
	if e.Kind != "" {
		add(say.Say("Challenge"), untrusted.Runs(say.Key(ChallengeWords[scoring.ChallengeKind(e.Kind)])), false, "")
	}
	if e.Target != nil {
		add(say.Say("Typed"), untrusted.OrEmpty(saidRuns(say, *e.Target)), true, "")
	}
	if id := present.ApprovalID(e.With); id != "" {
		add(say.Say("Decided with"), untrusted.Runs(id), true, urls.Request(tenant, id))
	}
	if e.Early {
		r.Tags = append(r.Tags, say.Say("before the minimum"))
	}
	if e.SinglePerson {
		r.Tags = append(r.Tags, say.Say("single person"))
	}
	if e.SectionCount > 1 {
		r.SectionsOf = say.Say("%d of %d sections acknowledged, times in UTC", len(e.Sections), e.SectionCount)
	}
	for _, s := range e.Sections {
		r.Sections = append(r.Sections, views.ReviewedSection{Number: strconv.Itoa(s.Section), When: s.At.Format(present.ClockForm), ISO: s.At.Format(present.IsoForm)})
	}
	for _, q := range e.Quizzes {
		r.Quizzes = append(r.Quizzes, quizReviewed(say, q))
	}
	for _, c := range e.Consequences {
		r.Ticked = append(r.Ticked, untrusted.InEnglish(untrusted.Runs(c)))
	}
	return r
}

// reviewSummary is in one line what a review was.
func reviewSummary(say texts.Printer, e approvals.Evidence) string {
	s := say.Say("without opening it")
	if e.FirstViewedAt != nil {
		s = say.Say("%s after first opening", took(say, e.ReviewSeconds))
	}
	if e.SectionCount > 1 {
		s += ", " + sectionsRead(say, len(e.Sections), e.SectionCount)
	}
	switch n := len(e.Quizzes); {
	case n == 1 && e.Quizzes[0].Passed:
		s += ", " + say.Say("questions passed at the first attempt")
	case n > 0:
		s += ", " + say.Say("%d sets of questions answered", n)
	}
	return s
}

func quizReviewed(say texts.Printer, q approvals.QuizTaken) views.ReviewedQuiz {
	right := 0
	v := views.ReviewedQuiz{Title: say.Say("Questions, attempt %s", strconv.Itoa(q.Attempt)), Passed: q.Passed, When: present.InWords(say, ReviewForm, q.StartedAt), ISO: q.StartedAt.Format(present.IsoForm)}
	for _, one := range q.Questions {
		if one.Right == one.Answer {
			right++
		}
		put := views.ReviewedQuestion{Prompt: untrusted.InEnglish(untrusted.Runs(one.Prompt)), Took: say.Say("answered after %s", took(say, one.Seconds))}
		for i, o := range one.Options {
			put.Options = append(put.Options, views.ReviewedOption{Text: untrusted.OrEmpty(saidRuns(say, o)), Right: i+1 == one.Right, Chosen: i+1 == one.Answer})
		}
		v.Questions = append(v.Questions, put)
	}
	v.Result = say.Say("%d of %d correct", right, len(q.Questions))
	return v
}

// saidRuns is a text of the evidence, or how a long one is named.
func saidRuns(say texts.Printer, s approvals.Said) []views.Run {
	if s.SHA256 != "" {
		return untrusted.Runs(say.Say("a text of %d bytes, SHA-256 %s", s.Bytes, s.SHA256))
	}
	return untrusted.Runs(s.Text)
}

// took is a span of time in words: "7.4 s", "1 min 12 s", "2 h 3 min".
func took(say texts.Printer, seconds float64) string {
	d := time.Duration(seconds * float64(time.Second))
	switch {
	case d < time.Minute:
		return say.Say("%s s", strconv.FormatFloat(max(0, d.Seconds()), 'f', 1, 64))
	case d < time.Hour:
		return say.Say("%s min %s s", strconv.Itoa(int(d.Minutes())), strconv.Itoa(int(d.Seconds())%60))
	default:
		return say.Say("%s h %s min", strconv.Itoa(int(d.Hours())), strconv.Itoa(int(d.Minutes())%60))
	}
}
