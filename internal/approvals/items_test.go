package approvals

import (
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/countersign/countersign/internal/quiz"
)

// shelf is a reader that has quizzes only, newest first.
type shelf struct {
	Reader
	all   []Challenge
	asked []int
}

func (s *shelf) Quizzes(q QuizQuery) (page []Challenge, err error) {
	s.asked = append(s.asked, q.Limit)
	begun := q.BeforeID == ""
	for _, c := range s.all {
		if begun && len(page) < q.Limit && !c.IssuedAt.Before(q.From) {
			page = append(page, c)
		}
		begun = begun || c.ID == q.BeforeID
	}
	return page, nil
}

var itemsNow = time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC)

// graded is a quiz with one question: right or wrong after so many seconds, negative
// for a time that was not kept.
func graded(n int, person string, attempt int, prompt string, right bool, seconds float64) Challenge {
	issued := itemsNow.Add(-time.Duration(n) * time.Minute)
	q := quiz.Question{Prompt: prompt, Kind: "target", Right: "a", Answer: "a"}
	if seconds >= 0 {
		at := issued.Add(time.Duration(seconds * float64(time.Second)))
		q.AnsweredAt = &at
	}
	c := Challenge{ID: fmt.Sprintf("chl_%05d", 99999-n), Person: person, State: ChallengeSpent, Attempt: attempt, Questions: []quiz.Question{q}, IssuedAt: issued}
	if !right {
		c.State, c.Questions[0].Answer = ChallengeFailed, "b"
	}
	return c
}

func counted(t *testing.T, most int, all ...Challenge) ItemReport {
	t.Helper()
	r, err := countItems(&shelf{all: all}, itemsNow.AddDate(0, 0, -7), itemsNow, most)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The numbers are computed by hand.
func TestItems(t *testing.T) {
	t.Parallel()
	after := func(seconds int) *time.Time { at := itemsNow.Add(time.Duration(seconds) * time.Second); return &at }
	three := Challenge{ID: "chl_9", Person: "ada", State: ChallengePassed, Attempt: 2, IssuedAt: itemsNow, Questions: []quiz.Question{
		{Prompt: "Which user?", Kind: "target", Right: "a", Answer: "a", AnsweredAt: after(4)},
		{Prompt: "Which user?", Kind: "recipient", Right: "a", Answer: "a", AnsweredAt: after(10)}, // 6 s
		{Prompt: "How many?", Kind: "count", Right: "a", Answer: "a", AnsweredAt: after(11)},       // 1 s
	}}
	got := counted(
		t, maxItems, three,
		graded(1, "ada", 1, "Which user?", false, 8),
		graded(2, "ben", 1, "Which user?", true, 2),
		graded(3, "ben", 2, "Which user?", false, 30), // locked out
		graded(4, "ben", 1, "Which user?", true, -1),  // no time
		graded(60*24*8, "ben", 1, "Which user?", true, 1),
	)
	if got.Quizzes != 5 || got.Cut || !got.To.Equal(itemsNow) {
		t.Errorf("%d quizzes, cut %v, to %v", got.Quizzes, got.Cut, got.To)
	}
	want := []ItemQuestion{
		{Kind: "target", Prompt: "Which user?", Asked: 5, Right: 3, AskedFirst: 3, RightFirst: 2, Timed: 4, Seconds: 6}, // 2 4 8 30
		{Kind: "count", Prompt: "How many?", Asked: 1, Right: 1, Timed: 1, Seconds: 1},
		{Kind: "recipient", Prompt: "Which user?", Asked: 1, Right: 1, Timed: 1, Seconds: 6},
	}
	if fmt.Sprint(got.Questions) != fmt.Sprint(want) {
		t.Errorf("questions\n%v, want\n%v", got.Questions, want)
	}
	operators := []ItemOperator{
		{Person: "ben", Quizzes: 3, PassedFirst: 2, LockedOut: 1, Timed: 2, Seconds: 16}, // 2 30
		{Person: "ada", Quizzes: 2, PassedSecond: 1, Timed: 4, Seconds: 5},               // 1 4 6 8
	}
	if fmt.Sprint(got.Operators) != fmt.Sprint(operators) {
		t.Errorf("operators\n%v, want\n%v", got.Operators, operators)
	}
}

func TestSuspicion(t *testing.T) {
	t.Parallel()
	many := func(right, wrong int, seconds float64) (all []Challenge) {
		for n := range right + wrong {
			all = append(all, graded(n, "ada", 1, "Which?", n < right, seconds))
		}
		return all
	}
	for name, c := range map[string]struct {
		all  []Challenge
		want Suspicion
	}{
		"20 at once":              {many(20, 0, 2.9), TooEasy},
		"19 at once":              {many(19, 0, 2.9), NotSuspicious},
		"20 in 3 s":               {many(20, 0, 3), NotSuspicious},
		"one slow":                {append(many(20, 0, 1), graded(20, "ada", 1, "Which?", true, 9)), NotSuspicious},
		"one wrong":               {many(20, 1, 1), NotSuspicious},
		"one without a time":      {append(many(20, 0, 1), graded(20, "ada", 1, "Which?", true, -1)), NotSuspicious},
		"4 of 10":                 {many(4, 6, 9), TooHard},
		"half":                    {many(5, 5, 9), NotSuspicious},
		"4 of 9":                  {many(4, 5, 9), NotSuspicious},
		"none of 10, all at once": {many(0, 10, 1), TooHard},
	} {
		if got := counted(t, maxItems, c.all...).Questions[0].Suspicion; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	first := counted(t, maxItems, append(many(20, 0, 1), graded(30, "ada", 1, "Other?", false, 1))...).Questions[0]
	if first.Prompt != "Which?" {
		t.Errorf("%q comes first, want the suspicious one", first.Prompt)
	}
}

// A clock that went back gives no time, and costs only the answers around it.
func TestItemsAfterTheClockWentBack(t *testing.T) {
	t.Parallel()
	c := graded(0, "ada", 1, "Which?", true, 5)
	before, later := c.IssuedAt.Add(-time.Minute), c.IssuedAt.Add(-58*time.Second)
	c.Questions = append(
		c.Questions, quiz.Question{Prompt: "Which?", Kind: "target", Right: "a", Answer: "a", AnsweredAt: &before},
		quiz.Question{Prompt: "Which?", Kind: "target", Right: "a", Answer: "a", AnsweredAt: &later})
	if q := counted(t, maxItems, c).Questions[0]; q.Asked != 3 || q.Timed != 2 || q.Seconds != 3.5 { // 5 and 2
		t.Errorf("%+v", q)
	}
}

func TestItemsAreBounded(t *testing.T) {
	t.Parallel()
	var all []Challenge
	for n := range 600 {
		all = append(all, graded(n, "ada", 1, "Which?", true, 5))
	}
	for most, cut := range map[int]bool{599: true, 600: false, 601: false, 250: true, 1: true} {
		s := &shelf{all: all}
		r, err := countItems(s, itemsNow.AddDate(0, 0, -7), itemsNow, most)
		if err != nil || r.Cut != cut || r.Quizzes != min(most, 600) || r.Questions[0].Asked != r.Quizzes {
			t.Errorf("at most %d: %d, cut %v, %v", most, r.Quizzes, r.Cut, err)
		}
		if since := all[min(most, 600)-1].IssuedAt; cut && !r.Since.Equal(since) {
			t.Errorf("at most %d: since %v, want %v", most, r.Since, since)
		}
		if slices.Max(s.asked) > itemStep {
			t.Errorf("pages of %v", s.asked)
		}
	}
}

// Expected values: the closed form, worked out by hand.
func TestWilson(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{
		{0, 0, 0, 1},
		{8, 10, 0.4902, 0.9433},
		{0, 10, 0, 0.2775},
		{10, 10, 0.7225, 1},
		{1, 1, 0.2065, 1},
		{50, 100, 0.4038, 0.5962},
	} {
		low, high := wilson(c.k, c.n)
		if math.Abs(low-c.low) > 0.00005 || math.Abs(high-c.high) > 0.00005 {
			t.Errorf("%d of %d: %.4f to %.4f, want %.4f to %.4f", c.k, c.n, low, high, c.low, c.high)
		}
	}
}
