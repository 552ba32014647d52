package approvals

import (
	"time"

	"github.com/countersign/countersign/internal/canon"
)

// EvidenceOf reads the evidence of an event back: the inverse of what the events of
// decisions and signatures are told. What is not there stays zero. The trail can have
// been tampered with, so nothing is taken for granted.
func EvidenceOf(v canon.Value) Evidence {
	e := Evidence{
		Challenge: v.Get("challenge").Text(), Kind: v.Get("kind").Text(), Attempt: wholeOf(v.Get("attempt")),
		ReviewSeconds: v.Get("review_seconds").Float(), Early: v.Get("early").Bool(), SinglePerson: v.Get("single_person").Bool(),
		With: v.Get("with").Text(), TextSHA256: v.Get("text_sha256").Text(), SectionCount: wholeOf(v.Get("section_count")),
	}
	if at := instantOf(v.Get("first_viewed_at")); !at.IsZero() {
		e.FirstViewedAt = &at
	}
	for _, c := range v.Get("consequences").Elements() {
		e.Consequences = append(e.Consequences, c.Text())
	}
	for _, s := range v.Get("sections").Elements() {
		e.Sections = append(e.Sections, SectionRead{wholeOf(s.Get("section")), instantOf(s.Get("at"))})
	}
	for _, q := range v.Get("quizzes").Elements() {
		e.Quizzes = append(e.Quizzes, quizOf(q))
	}
	if target := v.Get("target"); !target.IsAbsent() {
		typed := saidOf(target)
		e.Target = &typed
	}
	return e
}

func quizOf(v canon.Value) QuizTaken {
	version, _ := v.Get("version").Int64()
	q := QuizTaken{
		Challenge: v.Get("challenge").Text(), Version: version, Attempt: wholeOf(v.Get("attempt")),
		Passed: v.Get("passed").Bool(), StartedAt: instantOf(v.Get("started_at")),
	}
	for _, one := range v.Get("questions").Elements() {
		t := QuestionTaken{
			Prompt: one.Get("prompt").Text(), Kind: one.Get("kind").Text(),
			Right: wholeOf(one.Get("right")), Answer: wholeOf(one.Get("answer")), Seconds: one.Get("seconds").Float(),
		}
		for _, o := range one.Get("options").Elements() {
			t.Options = append(t.Options, saidOf(o))
		}
		q.Questions = append(q.Questions, t)
	}
	return q
}

func saidOf(v canon.Value) Said {
	if v.Kind() == canon.KindObject {
		return Said{Bytes: wholeOf(v.Get("bytes")), SHA256: v.Get("sha256").Text()}
	}
	return Said{Text: v.Text()}
}

func wholeOf(v canon.Value) int {
	n, _ := v.Int64()
	return int(n)
}

func instantOf(v canon.Value) time.Time {
	at, err := time.Parse(time.RFC3339Nano, v.Text())
	if err != nil {
		return time.Time{}
	}
	return at
}
