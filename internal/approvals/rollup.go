package approvals

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
)

// Rollups are what insights read in place of the approvals: counts by day and by
// one dimension, added up as the trail grows. What is in them can be counted again
// from the rows that they are made of, and says nothing of a request that waits but
// that it was submitted: its score is sealed until it ends.

// Dimension is what a rollup counts by.
type Dimension string

const (
	ByAll      Dimension = "all" // one value, ""
	ByLevel    Dimension = "level"
	ByFunction Dimension = "function"
	ByAgentID  Dimension = "agent"
	ByRule     Dimension = "rule"
	ByPattern  Dimension = "pattern"
	ByScore    Dimension = "score" // the tenth in which the score lies, "0" to "9"
	// ByPoints counts by the worst severity of the patterns that matched and the tenth in which the
	// pattern score lies; see pointsValue. ByHour by the hour of the day in UTC, "00" to "23".
	ByPoints Dimension = "points"
	ByHour   Dimension = "hour"
	// ByOperator counts what people decided. Its times are those of the review: from
	// the first look to the decision.
	ByOperator Dimension = "operator"
	// BySession counts by agent and session; see sessionValue.
	BySession Dimension = "session"
	// ByCause counts what was held, by agent and by what held it; see heldValue.
	ByCause Dimension = "cause"
)

// Dimensions lists them.
func Dimensions() []Dimension {
	return []Dimension{ByAll, ByLevel, ByFunction, ByAgentID, ByRule, ByPattern, ByScore, ByPoints, ByHour, ByOperator, BySession, ByCause}
}

// MaxRolledValues is how many values of one dimension a day keeps apart: an agent
// can name as many functions as it likes. Those that come later that day are
// counted together, as Others.
const MaxRolledValues = 200

// waitBuckets is how many buckets the histogram of times has.
const waitBuckets = 27

// WaitBounds are the upper bounds of the buckets, in seconds; a time lies in the
// first bucket whose bound it does not exceed. The last bound is the longest that a
// policy lets a request wait; the last bucket has what got more time, too.
func WaitBounds() [waitBuckets]float64 {
	return [waitBuckets]float64{
		1, 2, 3, 5, 7, 10, 15, 20, 30, 45, 60, 90,
		120, 180, 300, 450, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400,
		3 * 86400, 7 * 86400, 30 * 86400,
	}
}

// FastSeconds is below what time of review an approval counts as fast: twice the
// minimum review time that a new tenant has, and 3 seconds at LOW.
func FastSeconds(l level.Level) float64 {
	switch l {
	case level.Medium:
		return 6
	case level.High:
		return 20
	case level.Critical:
		return 60
	default:
		return 3
	}
}

// Tally is what was counted of one value on one day, or over several days.
type Tally struct {
	Submitted                                              int64
	Allowed, Blocked                                       int64 // by the policy; nobody was asked before Allowed
	Approved, Denied, ChangesRequested, Expired, Cancelled int64 // after being held
	Fast                                                   int64 // of Approved: in less than FastSeconds
	Succeeded, Failed                                      int64 // what the agents reported
	Waited, WaitMicros                                     int64 // decisions by people, and the sum of their times
	Scored, ScoreMicros, ScoreSquares                      int64 // ended ones, the sum of their scores and of the squares, in millionths
	Evaluated, Points                                      int64 // ended ones, and the sum of their pattern scores from 0 to 100
	Waits                                                  [waitBuckets]int64
}

// Cells are all counts of t, in the order of the columns of the table.
func (t *Tally) Cells() []*int64 {
	all := []*int64{
		&t.Submitted, &t.Allowed, &t.Blocked, &t.Approved, &t.Denied, &t.ChangesRequested, &t.Expired, &t.Cancelled, &t.Fast,
		&t.Succeeded, &t.Failed, &t.Waited, &t.WaitMicros, &t.Scored, &t.ScoreMicros, &t.ScoreSquares, &t.Evaluated, &t.Points,
	}
	for i := range t.Waits {
		all = append(all, &t.Waits[i])
	}
	return all
}

// Add adds o to t.
func (t *Tally) Add(o Tally) {
	from := o.Cells()
	for i, c := range t.Cells() {
		*c += *from[i]
	}
}

// Held is how many ended after they had been held for a person.
func (t Tally) Held() int64 {
	return t.Approved + t.Denied + t.ChangesRequested + t.Expired + t.Cancelled
}

// Decided is how many people decided.
func (t Tally) Decided() int64 { return t.Approved + t.Denied + t.ChangesRequested }

// Ended is how many ended, held or not.
func (t Tally) Ended() int64 { return t.Allowed + t.Blocked + t.Held() }

// MeanScore is between 0 and 1; 0 of none.
func (t Tally) MeanScore() float64 {
	return float64(t.ScoreMicros) / 1e6 / float64(max(1, t.Scored))
}

// MeanPoints is the mean pattern score, between 0 and 100; 0 of none.
func (t Tally) MeanPoints() float64 { return float64(t.Points) / float64(max(1, t.Evaluated)) }

// ScoreDeviation is the standard deviation of the scores.
func (t Tally) ScoreDeviation() float64 {
	mean := t.MeanScore()
	return math.Sqrt(max(0, float64(t.ScoreSquares)/1e6/float64(max(1, t.Scored))-mean*mean))
}

// wait counts a time.
func (t *Tally) wait(d time.Duration) {
	d = max(0, d)
	t.Waited++
	t.WaitMicros += d.Microseconds()
	bounds := WaitBounds()
	at, _ := slices.BinarySearch(bounds[:], d.Seconds())
	t.Waits[min(at, waitBuckets-1)]++
}

// Quantile is the time in seconds below which the share q of the decisions lies,
// taken from the histogram: within a bucket, times are taken to be spread evenly.
// ok is false when there are none.
func (t Tally) Quantile(q float64) (seconds float64, ok bool) {
	if t.Waited == 0 {
		return 0, false
	}
	rank, below, low := q*float64(t.Waited), 0.0, 0.0
	bounds := WaitBounds()
	for i, n := range t.Waits {
		if n > 0 && below+float64(n) >= rank {
			return low + (bounds[i]-low)*(rank-below)/float64(n), true
		}
		below += float64(n)
		low = bounds[i]
	}
	return low, true
}

// Rollup is one row: what was counted of one value on one day.
type Rollup struct {
	Dimension Dimension
	Day       string // 2006-01-02, UTC; empty over several days
	Value     string
	// Others says that Value is none: it is what lies beyond MaxRolledValues.
	Others bool
	Tally
}

// RollupQuery chooses rollups of one dimension.
type RollupQuery struct {
	Dimension Dimension
	From, To  string // days, both included
	// Sum adds the days up, and lists values by how many ended, the most first, then
	// by value; otherwise rows come by day, then value.
	Sum    bool
	Limit  int      // 0: all
	Values []string // only these; none: all
}

// SessionRollupQuery chooses sessions by when something ended in them last.
type SessionRollupQuery struct {
	Agent    string    // empty: any
	From, To time.Time // From ≤ last < To; a zero To is no bound
	Limit    int
}

// SessionRollup is what was scored in one session of an agent.
type SessionRollup struct {
	Agent, Session                  string
	LastAt                          time.Time
	Scored, ScoreMicros, PeakMicros int64
	// Of the pattern model: how many have its score, and what it comes to.
	Evaluated, Points, PeakPoints int64
	Counts                        patterns.Counts
}

// Occurrence is one event that rollups count.
type Occurrence struct {
	Kind                   audit.Kind
	At                     time.Time
	Agent, Level, Function string
	ApprovalID             string // empty where it is about none
	// Approval is what it is about, with its decision and execution; nil for a submission.
	Approval *Approval
}

// Unrolled is a stretch of the trail that is not counted yet.
type Unrolled struct {
	From, To    int64 // its indexes: From included, To not; equal when there is nothing
	Occurrences []Occurrence
}

// RollupBatch is what one stretch of the trail comes to.
type RollupBatch struct {
	From, To int64
	Rows     []Rollup // each value of a day once, in the order in which they came
	Sessions []SessionRollup
}

// day is the day on which something happened.
func day(t time.Time) string { return t.UTC().Format(time.DateOnly) }

// rollUp counts a stretch of the trail. It is a pure function of it.
func rollUp(u Unrolled) RollupBatch {
	c := rollCount{rows: map[rollKey]int{}, sessions: map[[2]string]int{}, batch: RollupBatch{From: u.From, To: u.To}}
	for _, o := range u.Occurrences {
		c.add(o)
	}
	return c.batch
}

type rollKey struct {
	of         Dimension
	day, value string
}

type rollCount struct {
	rows     map[rollKey]int
	sessions map[[2]string]int
	batch    RollupBatch
}

func (c *rollCount) count(k rollKey, t Tally) {
	at, ok := c.rows[k]
	if !ok {
		at = len(c.batch.Rows)
		c.rows[k] = at
		c.batch.Rows = append(c.batch.Rows, Rollup{Dimension: k.of, Day: k.day, Value: k.value})
	}
	c.batch.Rows[at].Add(t)
}

func (c *rollCount) add(o Occurrence) {
	a := o.Approval
	switch {
	case o.Kind == audit.Submitted:
		one := Tally{Submitted: 1}
		on := day(o.At)
		for _, k := range []rollKey{{ByAll, on, ""}, {ByLevel, on, o.Level}, {ByFunction, on, o.Function}, {ByAgentID, on, o.Agent}} {
			c.count(k, one)
		}
	case a == nil, o.Kind == audit.Signed: // counted when it ends
	case o.Kind == audit.Reported:
		if e := a.Execution; e != nil {
			var one Tally
			if e.Status == "succeeded" {
				one.Succeeded = 1
			} else {
				one.Failed = 1
			}
			c.spread(*a, e.ReportedAt, one)
		}
	case o.Kind == audit.GrantVoided:
		if a.byPerson() { // a yes that was taken back before it was used is none
			took := Tally{Approved: -1, Cancelled: 1}
			if a.fast(a.Decision.Evidence) {
				took.Fast = -1
			}
			c.spread(*a, a.Decision.DecidedAt, took)
		}
	case a.Decision != nil:
		on := day(a.Decision.DecidedAt)
		c.spread(*a, a.Decision.DecidedAt, a.tally())
		c.people(*a, on)
		c.session(*a)
	}
}

// spread counts under everything that a has a value of.
func (c *rollCount) spread(a Approval, at time.Time, t Tally) {
	on := day(at)
	keys := []rollKey{
		{ByHour, on, at.UTC().Format("15")},
		{ByPoints, on, pointsValue(a.Assessment.Patterns.CategoricalSeverity, a.Assessment.Patterns.NumericScore)},
		{ByAll, on, ""},
		{ByLevel, on, a.Assessment.Level.String()},
		{ByFunction, on, a.Function},
		{ByAgentID, on, a.Agent.ID},
		{ByScore, on, strconv.Itoa(a.scoreTenth())},
	}
	if a.Session != "" {
		keys = append(keys, rollKey{BySession, on, sessionValue(a.Agent.ID, a.Session)})
	}
	if t.Held() > 0 || t.Approved < 0 {
		keys = append(keys, rollKey{ByCause, on, heldValue(a.Agent.ID, a.Assessment.Cause())})
	}
	for _, r := range a.Assessment.Rules.TriggeredRules {
		keys = append(keys, rollKey{ByRule, on, r})
	}
	for _, m := range a.Assessment.Patterns.MatchedPatterns {
		keys = append(keys, rollKey{ByPattern, on, m.ID})
	}
	seen := make(map[rollKey]bool, len(keys))
	for _, k := range keys {
		if !seen[k] {
			seen[k] = true
			c.count(k, t)
		}
	}
}

// pointsValue is a severity, empty without a match, and a pattern score as they stand in the rollups.
func pointsValue(worst patterns.Severity, points int) string {
	return string(worst) + " " + strconv.Itoa(max(0, min(9, points/10)))
}

// sessionValue is an agent and its session as they stand in the rollups.
func sessionValue(agent, session string) string { return agent + " " + session }

func (a Approval) scoreTenth() int { return max(0, min(9, int(a.scoreMicros()/100_000))) }

func (a Approval) scoreMicros() int64 { return int64(math.Round(a.Assessment.Score * 1e6)) }

// byPerson reports whether a person decided.
func (a Approval) byPerson() bool {
	switch a.Status {
	case Approved:
		return a.Decision.DecidedBy[0].Kind == ByPerson
	case Denied, ChangesRequested:
		return true
	default:
		return false
	}
}

// tally is what the end of a counts.
func (a Approval) tally() Tally {
	micros := a.scoreMicros()
	t := Tally{
		Scored: 1, ScoreMicros: micros, ScoreSquares: int64(math.Round(a.Assessment.Score * a.Assessment.Score * 1e6)),
		Evaluated: 1, Points: int64(a.Assessment.Patterns.NumericScore),
	}
	switch a.Status {
	case Approved:
		if a.byPerson() {
			t.Approved = 1
		} else {
			t.Allowed = 1
		}
	case Denied:
		t.Denied = 1
	case ChangesRequested:
		t.ChangesRequested = 1
	case Expired:
		t.Expired = 1
	case Cancelled:
		t.Cancelled = 1
	case Blocked:
		t.Blocked = 1
	case Pending:
	}
	if a.byPerson() {
		t.wait(a.Decision.DecidedAt.Sub(a.CreatedAt))
	}
	if a.fast(a.Decision.Evidence) {
		t.Fast = 1
	}
	return t
}

// fast reports whether a was approved on a review that was short.
func (a Approval) fast(e *Evidence) bool {
	return a.Status == Approved && e != nil && e.FirstViewedAt != nil && e.ReviewSeconds < FastSeconds(a.Assessment.Level)
}

// people counts what each person did about a: who decided, and who signed before.
func (c *rollCount) people(a Approval, on string) {
	if !a.byPerson() {
		return
	}
	last := a.Decision.DecidedBy[len(a.Decision.DecidedBy)-1].ID
	for _, by := range a.Decision.DecidedBy {
		e := a.Decision.Evidence
		if by.ID != last {
			e = nil
			if s := a.signedBy(by.ID); s != nil {
				e = &s.Evidence
			}
		}
		t := a.tally()
		t = Tally{Approved: t.Approved, Denied: t.Denied, ChangesRequested: t.ChangesRequested}
		if e != nil && e.FirstViewedAt != nil {
			t.wait(time.Duration(e.ReviewSeconds * float64(time.Second)))
		}
		if a.fast(e) {
			t.Fast = 1
		}
		c.count(rollKey{ByOperator, on, by.ID}, t)
	}
}

func (c *rollCount) session(a Approval) {
	if a.Session == "" {
		return
	}
	k := [2]string{a.Agent.ID, a.Session}
	at, ok := c.sessions[k]
	if !ok {
		at = len(c.batch.Sessions)
		c.sessions[k] = at
		c.batch.Sessions = append(c.batch.Sessions, SessionRollup{Agent: a.Agent.ID, Session: a.Session})
	}
	s, micros := &c.batch.Sessions[at], a.scoreMicros()
	s.Scored++
	s.ScoreMicros += micros
	s.PeakMicros = max(s.PeakMicros, micros)
	found := a.Assessment.Patterns
	s.Evaluated++
	s.Points += int64(found.NumericScore)
	s.PeakPoints = max(s.PeakPoints, int64(found.NumericScore))
	s.Counts = patterns.Plus(s.Counts, patterns.Count(found.MatchedPatterns))
	if a.Decision.DecidedAt.After(s.LastAt) {
		s.LastAt = a.Decision.DecidedAt
	}
}

// ApprovedShare is the share of approvals in what people decided, with its 95 %
// interval; ok is false when they decided nothing.
func (t Tally) ApprovedShare() (share, low, high float64, ok bool) {
	if t.Decided() == 0 {
		return 0, 0, 1, false
	}
	low, high = wilson(int(t.Approved), int(t.Decided()))
	return float64(t.Approved) / float64(t.Decided()), low, high, true
}
