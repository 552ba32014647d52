package lifetest

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/scoring"
)

// The decision tells what was shown, what was asked and answered, and how long each
// answer took.
func TestEvidenceOfAQuiz(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.waiting(asking, scoring.ChallengeQuiz)
	v := h.show(h.ada, a.ID)
	h.clock.advance(time.Minute)
	h.start(h.ada, a.ID)
	_ = h.answer(h.ada, a.ID, 1) // one is wrong
	h.start(h.ada, a.ID)
	h.clock.advance(7 * time.Second)
	if err := h.answer(h.ada, a.ID, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := h.decide(h.ada, a.ID, form(h.show(h.ada, a.ID))); err != nil {
		t.Fatal(err)
	}
	e := h.get(a.ID).Decision.Evidence
	if e.TextSHA256 != v.Reading.SHA256 || e.TextSHA256 == "" || e.SectionCount != 1 || len(e.Sections) != 0 {
		t.Errorf("shown: %+v", e)
	}
	if len(e.Quizzes) != 2 || e.Quizzes[0].Passed || !e.Quizzes[1].Passed || e.Quizzes[1].Attempt != 2 {
		t.Fatalf("quizzes: %+v", e.Quizzes)
	}
	wrong := 0
	for i, z := range e.Quizzes {
		if len(z.Questions) != 3 {
			t.Fatalf("%d questions", len(z.Questions))
		}
		for _, q := range z.Questions {
			if len(q.Options) != 4 && !strings.HasPrefix(q.Prompt, "Type the ") || q.Right < 1 || q.Answer < 1 || q.Prompt == "" {
				t.Errorf("a question: %+v", q)
			}
			if q.Right != q.Answer {
				wrong++
				if i != 0 {
					t.Error("the set that was passed has a wrong answer")
				}
			}
		}
	}
	if told := h.evidenceTold(a.ID); !sameJSON(t, told, *e) {
		t.Errorf("the event tells %+v, want %+v", told, *e)
	}
	if wrong == 0 || e.Quizzes[1].Questions[0].Seconds != 7 {
		t.Errorf("%d wrong, the first answer took %v s", wrong, e.Quizzes[1].Questions[0].Seconds)
	}
}

func TestEvidenceOfSectionsAndTarget(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	a := h.waiting(strings.Replace(explicit, `"docstring"`, `"code":"`+strings.Repeat(`-- x\n`, 300)+`","docstring"`, 1), scoring.ChallengeExplicit)
	v := h.show(h.ada, a.ID)
	for n := range v.Reading.Sections {
		h.clock.advance(10 * time.Second)
		if err := h.Acknowledge(t.Context(), h.ada, a.ID, approvals.AcknowledgeInput{Section: n + 1, Version: 1, Digest: a.ShownDigest}); err != nil {
			t.Fatal(err)
		}
	}
	h.clock.advance(time.Minute)
	in := form(h.show(h.ada, a.ID))
	if _, err := h.decide(h.ada, a.ID, in); err != nil {
		t.Fatal(err)
	}
	e := h.get(a.ID).Decision.Evidence
	if len(e.Sections) != len(v.Reading.Sections) || e.SectionCount != len(v.Reading.Sections) || e.Sections[1].At.Sub(e.Sections[0].At) != 10*time.Second {
		t.Errorf("sections: %+v", e.Sections)
	}
	if told := h.evidenceTold(a.ID); !sameJSON(t, told, *e) {
		t.Errorf("the event tells %+v, want %+v", told, *e)
	}
	if e.Target == nil || e.Target.Text != in.Target || len(e.Consequences) == 0 {
		t.Errorf("typed %+v, ticked %q", e.Target, e.Consequences)
	}
}

// evidenceTold is the evidence in the event of the decision, read back.
func (h *house) evidenceTold(id string) approvals.Evidence {
	h.t.Helper()
	records, err := h.db.Audit().Events(h.t.Context(), "acme", -1, 1000)
	if err != nil {
		h.t.Fatal(err)
	}
	for _, r := range records {
		if r.Event.Approval == id && r.Event.Kind == audit.Approved {
			return approvals.EvidenceOf(r.Event.Data.Get("evidence"))
		}
	}
	h.t.Fatalf("nothing tells of the decision about %s", id)
	return approvals.Evidence{}
}

func sameJSON(t *testing.T, a, b any) bool {
	t.Helper()
	x, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	return string(x) == string(y)
}
