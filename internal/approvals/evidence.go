package approvals

import (
	"crypto/sha256"
	"encoding/hex"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/scoring"
)

// What is written down about how somebody came to a decision: what they were shown,
// which sections they acknowledged and when, every set of questions with every
// answer, and what they typed. It goes into the event of the decision or signature,
// where people who may read the trail find it; agents never see it.

// SectionRead is one acknowledged section.
type SectionRead struct {
	Section int       `json:"section"`
	At      time.Time `json:"at"`
}

// QuizTaken is one set of questions that was answered to its end.
type QuizTaken struct {
	Challenge string          `json:"challenge"`
	Version   int64           `json:"version"`
	Attempt   int             `json:"attempt"`
	Passed    bool            `json:"passed"`
	StartedAt time.Time       `json:"started_at"`
	Questions []QuestionTaken `json:"questions"`
}

// QuestionTaken is one question as it was put. Right and Answer are 1-based places in
// Options.
type QuestionTaken struct {
	Prompt  string  `json:"prompt"`
	Kind    string  `json:"kind"`
	Options []Said  `json:"options"`
	Right   int     `json:"right"`
	Answer  int     `json:"answer"`
	Seconds float64 `json:"seconds"` // from when it was put to its answer
}

// Said is a text: itself, or where it is longer than saidBytes its size and its
// SHA-256 in hex, so that an event stays small.
type Said struct {
	Text   string `json:"text,omitempty"`
	Bytes  int    `json:"bytes,omitempty"`
	SHA256 string `json:"sha256,omitempty"`
}

const (
	saidBytes = 256
	// quizzesTaken bounds how many sets are told of, the newest: two can fail, and one
	// that was passed lives five minutes.
	quizzesTaken = 12
)

func said(text string) Said {
	if len(text) <= saidBytes {
		return Said{Text: text}
	}
	sum := sha256.Sum256([]byte(text))
	return Said{Bytes: len(text), SHA256: hex.EncodeToString(sum[:])}
}

func (s Said) data() canon.Value {
	if s.SHA256 == "" {
		return canon.String(s.Text)
	}
	return canon.Object(member("bytes", canon.Int(int64(s.Bytes))), member("sha256", canon.String(s.SHA256)))
}

// reviewed adds to e what this operator read and answered.
func (e *Evidence) reviewed(r Reader, m auth.Member, a Approval) error {
	reading, err := a.reading()
	if err != nil {
		return err
	}
	e.TextSHA256, e.SectionCount = reading.SHA256, len(reading.Sections)
	if reading.Large() {
		read, err := r.SectionsRead(a.ID, m.Person.ID, a.Version)
		if err != nil {
			return err
		}
		for n := range reading.Sections {
			if at, ok := read[n+1]; ok {
				e.Sections = append(e.Sections, SectionRead{n + 1, at})
			}
		}
	}
	graded, err := r.Graded(a.ID, m.Person.ID, quizzesTaken)
	for _, c := range graded {
		if c.Kind == scoring.ChallengeQuiz {
			e.Quizzes = append(e.Quizzes, c.taken())
		}
	}
	return err
}

// taken is a graded set of questions as the trail tells of it.
func (c Challenge) taken() QuizTaken {
	q := QuizTaken{Challenge: c.ID, Version: c.Version, Attempt: c.Attempt, Passed: c.State != ChallengeFailed, StartedAt: c.IssuedAt}
	put := c.IssuedAt
	for _, one := range c.Questions {
		t := QuestionTaken{Prompt: said(one.Prompt).short(), Kind: one.Kind}
		if one.Typed { // what was to be typed, and what was typed where that was wrong
			t.Options, t.Right = append(t.Options, said(one.Right)), 1
			if one.Correct() {
				t.Answer = 1
			} else if one.Answer != "" {
				t.Options, t.Answer = append(t.Options, said(one.Answer)), 2
			}
		}
		for i, o := range one.Options {
			t.Options = append(t.Options, said(o.Text))
			if o.ID == one.Right {
				t.Right = i + 1
			}
			if o.ID == one.Answer {
				t.Answer = i + 1
			}
		}
		if one.AnsweredAt != nil {
			t.Seconds = one.AnsweredAt.Sub(put).Seconds()
			put = *one.AnsweredAt
		}
		q.Questions = append(q.Questions, t)
	}
	return q
}

// short is the text, or how it is named where it is too long.
func (s Said) short() string {
	if s.SHA256 != "" {
		return "sha256:" + s.SHA256
	}
	return s.Text
}

// readData is the part of the evidence about reading and answering, as the trail
// keeps it.
func (e Evidence) readData() []canon.Member {
	sections := make([]canon.Value, len(e.Sections))
	for i, s := range e.Sections {
		sections[i] = canon.Object(member("section", canon.Int(int64(s.Section))), member("at", canon.String(audit.FormatTime(s.At))))
	}
	quizzes := make([]canon.Value, len(e.Quizzes))
	for i, q := range e.Quizzes {
		quizzes[i] = q.data()
	}
	data := []canon.Member{
		member("text_sha256", text(e.TextSHA256)), member("section_count", canon.Int(int64(e.SectionCount))),
		member("sections", canon.Array(sections...)), member("quizzes", canon.Array(quizzes...)),
	}
	if e.Target != nil {
		data = append(data, member("target", e.Target.data()))
	}
	return data
}

func (q QuizTaken) data() canon.Value {
	questions := make([]canon.Value, len(q.Questions))
	for i, one := range q.Questions {
		options := make([]canon.Value, len(one.Options))
		for j, o := range one.Options {
			options[j] = o.data()
		}
		questions[i] = canon.Object(
			member("prompt", canon.String(one.Prompt)), member("kind", canon.String(one.Kind)), member("options", canon.Array(options...)),
			member("right", canon.Int(int64(one.Right))), member("answer", canon.Int(int64(one.Answer))), member("seconds", float(one.Seconds)))
	}
	return canon.Object(
		member("challenge", canon.String(q.Challenge)), member("version", canon.Int(q.Version)), member("attempt", canon.Int(int64(q.Attempt))),
		member("passed", canon.Bool(q.Passed)), member("started_at", canon.String(audit.FormatTime(q.StartedAt))), member("questions", canon.Array(questions...)))
}

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
