package approvals

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/quiz"
)

// How good the questions of quizzes are (item statistics): one that everybody
// answers at once measures nothing, and one that most get wrong measures the
// question. Only quizzes about requests that ended are counted: as long as one
// waits, nothing may tell which of its answers was wrong, and a count that moves by
// one would.

const (
	// maxItems is how many quizzes are counted, the newest ones.
	maxItems = 5000
	// itemStep is how many are held at once.
	itemStep = 250
	// instantAsked and instantSeconds: so often asked, always right and always faster,
	// a question is not read.
	instantAsked   = 20
	instantSeconds = 3.0
	// hardAsked: so often asked and right in fewer than half, a question is in doubt.
	hardAsked = 10
)

// ItemDays are the windows of the report, in days; the second is the usual one.
func ItemDays() []int { return []int{7, 30, 90} }

// QuizQuery is one page of graded quizzes, newest first.
type QuizQuery struct {
	From time.Time // when they were issued: at From or later
	// Before and BeforeID continue behind this quiz: when it was issued, and its id.
	// An empty BeforeID begins at the newest.
	Before   time.Time
	BeforeID string
	Limit    int
}

// ItemReport is what a window of quizzes says about its questions and about who
// answered them. Every number is a count unless its name says otherwise.
type ItemReport struct {
	From, To time.Time
	Quizzes  int
	// Cut says that the window had more quizzes than are counted; Since is then when
	// the oldest one that is counted was issued.
	Cut       bool
	Since     time.Time
	Questions []ItemQuestion // suspicious ones first, then the lowest share first
	Operators []ItemOperator // who took the most first
}

// ItemQuestion is one question, by its kind and the words it was asked with.
type ItemQuestion struct {
	Kind, Prompt        string
	Asked, Right        int
	AskedFirst          int // in first attempts
	RightFirst          int
	Timed               int     // answers whose time is known
	Seconds             float64 // median of those
	Suspicion           Suspicion
	slowest             float64
	secondsOfEachAnswer []float64
}

// ItemOperator is one operator's quizzes.
type ItemOperator struct {
	Person                    string // id
	Quizzes                   int
	PassedFirst, PassedSecond int
	LockedOut                 int     // requests for which both attempts failed
	Timed                     int     // answers whose time is known
	Seconds                   float64 // median of those, for one question
	secondsOfEachAnswer       []float64
}

// Suspicion is why a question should be looked at.
type Suspicion string

const (
	NotSuspicious Suspicion = ""
	TooEasy       Suspicion = "too-easy" // asked 20 times or more, each right in under 3 s
	TooHard       Suspicion = "too-hard" // asked 10 times or more, fewer than half right
)

// Items reports on the quizzes of the last days, one of ItemDays, for who may read
// about people.
func (s *Service) Items(ctx context.Context, m auth.Member, days int) (ItemReport, error) {
	if err := may(m, auth.ReadPeople); err != nil {
		return ItemReport{}, err
	}
	if !slices.Contains(ItemDays(), days) {
		return ItemReport{}, fault.Member(fault.InvalidParameter, "days", "the report covers the last 7, 30 or 90 days")
	}
	var report ItemReport
	err := s.store.Read(ctx, m.Tenant, func(r Reader) (err error) {
		to := r.Now()
		report, err = countItems(r, to.AddDate(0, 0, -days), to, maxItems)
		return err
	})
	return report, err
}

// countItems walks the quizzes since from, at most most of them. Only the counts and
// the times of the answers are kept.
func countItems(r Reader, from, to time.Time, most int) (ItemReport, error) {
	count := newItemCount()
	q := QuizQuery{From: from}
	for {
		q.Limit = min(itemStep, most+1-count.quizzes) // one more says that there are more
		page, err := r.Quizzes(q)
		if err != nil {
			return ItemReport{}, err
		}
		for _, c := range page {
			if count.quizzes == most {
				report := count.report(from, to)
				report.Cut, report.Since = true, q.Before
				return report, nil
			}
			count.add(c)
			q.Before, q.BeforeID = c.IssuedAt, c.ID
		}
		if len(page) < q.Limit {
			return count.report(from, to), nil
		}
	}
}

// itemCount adds quizzes up.
type itemCount struct {
	quizzes   int
	questions map[[2]string]*ItemQuestion
	operators map[string]*ItemOperator
}

func newItemCount() *itemCount {
	return &itemCount{questions: map[[2]string]*ItemQuestion{}, operators: map[string]*ItemOperator{}}
}

// add counts one graded quiz.
func (n *itemCount) add(c Challenge) {
	n.quizzes++
	by := n.operators[c.Person]
	if by == nil {
		by = &ItemOperator{Person: c.Person}
		n.operators[c.Person] = by
	}
	by.Quizzes++
	switch failed := c.State == ChallengeFailed; {
	case failed && c.Attempt >= maxAttempts:
		by.LockedOut++
	case failed:
	case c.Attempt == 1:
		by.PassedFirst++
	default:
		by.PassedSecond++
	}
	put := &c.IssuedAt
	for _, one := range c.Questions {
		if one.Answer == "" {
			continue
		}
		q := n.question(one)
		q.add(one.Correct(), c.Attempt == 1)
		if seconds, known := between(put, one.AnsweredAt); known {
			by.Timed++
			by.secondsOfEachAnswer = append(by.secondsOfEachAnswer, seconds)
			q.Timed++
			q.secondsOfEachAnswer = append(q.secondsOfEachAnswer, seconds)
			q.slowest = max(q.slowest, seconds)
		}
		put = one.AnsweredAt
	}
}

func (n *itemCount) question(one quiz.Question) *ItemQuestion {
	name := [2]string{one.Kind, one.Prompt}
	q := n.questions[name]
	if q == nil {
		q = &ItemQuestion{Kind: one.Kind, Prompt: one.Prompt}
		n.questions[name] = q
	}
	return q
}

func (q *ItemQuestion) add(right, first bool) {
	q.Asked++
	if right {
		q.Right++
	}
	if first {
		q.AskedFirst++
		if right {
			q.RightFirst++
		}
	}
}

// between is how long a question stood; unknown for answers from before times were
// kept, and where the clock went back meanwhile.
func between(put, answered *time.Time) (seconds float64, known bool) {
	if put == nil || answered == nil || answered.Before(*put) {
		return 0, false
	}
	return answered.Sub(*put).Seconds(), true
}

// suspicion judges one question. Every answer must be known to be fast: where times
// are missing, nothing is suspected.
func (q *ItemQuestion) suspicion() Suspicion {
	switch {
	case q.Asked >= instantAsked && q.Right == q.Asked && q.Timed == q.Asked && q.slowest < instantSeconds:
		return TooEasy
	case q.Asked >= hardAsked && 2*q.Right < q.Asked:
		return TooHard
	default:
		return NotSuspicious
	}
}

// report orders what was counted.
func (n *itemCount) report(from, to time.Time) ItemReport {
	r := ItemReport{From: from, To: to, Quizzes: n.quizzes}
	for _, q := range n.questions {
		q.Suspicion, q.Seconds = q.suspicion(), median(q.secondsOfEachAnswer)
		q.secondsOfEachAnswer, q.slowest = nil, 0
		r.Questions = append(r.Questions, *q)
	}
	for _, o := range n.operators {
		o.Seconds, o.secondsOfEachAnswer = median(o.secondsOfEachAnswer), nil
		r.Operators = append(r.Operators, *o)
	}
	slices.SortFunc(r.Questions, func(a, b ItemQuestion) int {
		return cmp.Or(
			-compareBool(a.Suspicion != NotSuspicious, b.Suspicion != NotSuspicious),
			cmp.Compare(a.Right*b.Asked, b.Right*a.Asked), // a.Right/a.Asked, exactly
			cmp.Compare(b.Asked, a.Asked), cmp.Compare(a.Prompt, b.Prompt), cmp.Compare(a.Kind, b.Kind),
		)
	})
	slices.SortFunc(r.Operators, func(a, b ItemOperator) int {
		return cmp.Or(cmp.Compare(b.Quizzes, a.Quizzes), cmp.Compare(a.Person, b.Person))
	})
	return r
}

func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	default:
		return -1
	}
}

// median sorts what it is given; of an even number it is the mean of the two in the
// middle, of none 0.
func median(all []float64) float64 {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	middle := len(all) / 2
	if len(all)%2 == 1 {
		return all[middle]
	}
	return (all[middle-1] + all[middle]) / 2
}

// Share is the share of right answers with its 95 % interval.
func (q ItemQuestion) Share() (share, low, high float64) {
	low, high = wilson(q.Right, q.Asked)
	return float64(q.Right) / float64(max(1, q.Asked)), low, high
}

// wilson is the 95 % score interval of a share, k of n (Wilson 1927): unlike the
// usual one it holds for few answers and for shares of 0 and 1.
func wilson(k, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	const z = 1.959963984540054 // the 97.5th percentile of the normal distribution
	share, count := float64(k)/float64(n), float64(n)
	whole := 1 + z*z/count
	middle := (share + z*z/(2*count)) / whole
	reach := z / whole * math.Sqrt(share*(1-share)/count+z*z/(4*count*count))
	return max(0, middle-reach), min(1, middle+reach)
}
