package approvals

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/scoring/level"
	"github.com/countersign/countersign/internal/scoring/patterns"
)

// What a tenant's rollups say, as the insights page shows it. No approval is read
// for it: a window of any size costs a few hundred rows. Only what a filter chooses is
// counted from the requests themselves; see insights_filter.go.

const (
	// InsightValues is how many rules, patterns, functions and operators are told, those
	// that ended most.
	InsightValues = 100
	// insightSessions is how many sessions are looked at, the latest ones, and
	// toldSessions how many of them are told.
	insightSessions = 2000
	toldSessions    = 20
)

// InsightDays are the windows, in days; the second is the usual one. The last day is
// today, in UTC.
func InsightDays() []int { return []int{7, 30, 90} }

// Insights is what happened in a window of days.
type Insights struct {
	Days []string // 2006-01-02, oldest first, without gaps
	// Counted and Size are how many events of the trail the figures count, and how
	// many there are: until they are equal, the newest are missing.
	Counted, Size int64
	Total, Before Tally   // of the window, and of the one of equal length before it
	Daily         []Tally // one a day
	// Levels are what was submitted on each day, by level, lowest first.
	Levels  [][]int64
	ByLevel []Rollup // lowest first, each once
	Scores  []Tally  // by tenths, 0 to 9
	// BySeverity is what ended by the worst severity that matched, the worst first and at last without
	// a match, and by the tenth in which its pattern score lies.
	BySeverity                 [][]int64
	Rules, Patterns, Functions []Rollup // those that ended most, first
	HeldBy                     []HeldBy
	Operators                  []Rollup // empty unless the member may read about people
	Trend                      []ScoreDay
	Points                     []ScoreDay     // the same of the pattern model, from 0 to 100
	Sessions                   []SessionScore // those above first, then those that rose, then the highest mean
	Alerts                     SessionAlerts
	// Uncompared says that a filter chose too much to count the days before as well.
	Uncompared bool
	Weighing   patterns.Weighing // that of the policy in force
}

// Empty reports whether nothing happened.
func (i Insights) Empty() bool { return i.Total == Tally{} }

// Insights reports on the days of q, and on the part of them that it chooses.
func (s *Service) Insights(ctx context.Context, m auth.Member, q InsightsQuery) (Insights, error) {
	if err := may(m, auth.ReadQueue); err != nil {
		return Insights{}, err
	}
	if err := mayNarrow(m, q); err != nil {
		return Insights{}, err
	}
	var all Insights
	err := s.store.Read(ctx, m.Tenant, func(r Reader) error {
		from, to, err := q.window(r.Now(), s.keepFigures)
		if err == nil {
			all, err = insights(r, q, from, to, m.May(auth.ReadPeople))
		}
		return err
	})
	return all, err
}

func insights(r Reader, q InsightsQuery, from, to time.Time, people bool) (i Insights, err error) {
	if i.Counted, i.Size, err = r.RolledUp(); err != nil {
		return i, err
	}
	i.Days = daysOf(from, to)
	first := from.AddDate(0, 0, -max(len(i.Days), bandDays))
	whole := r // sessions are held against everything that happened
	if q.Narrowed() {
		n, compared, err := narrow(r, q, first, from, to)
		if err != nil {
			return i, err
		}
		r, i.Uncompared, i.Counted = n, !compared, i.Size
	}
	for _, read := range []func() error{
		func() error { return i.readDaily(r, first, from, to) },
		func() error { return i.readLevels(r) },
		func() error { return i.readScores(r) },
		func() error { return i.readPoints(r) },
		func() (err error) { i.Rules, err = i.most(r, ByRule); return err },
		func() (err error) { i.Patterns, err = i.most(r, ByPattern); return err },
		func() (err error) { i.Functions, err = i.most(r, ByFunction); return err },
		func() (err error) { i.HeldBy, err = i.heldBy(r); return err },
		func() (err error) {
			if people || q.Person != "" {
				i.Operators, err = i.most(r, ByOperator)
			}
			if q.Person != "" { // and not those who signed with them
				i.Operators = slices.DeleteFunc(i.Operators, func(o Rollup) bool { return o.Value != q.Person })
			}
			return err
		},
		func() error {
			p, _, err := r.Policy()
			i.Weighing = p.Weighing()
			return err
		},
		func() error { return i.readSessions(whole, q, from, to) },
	} {
		if err := read(); err != nil {
			return i, err
		}
	}
	return i, nil
}

// Recent is what became of the actions of the usual window and what held them, and nothing else of [Insights].
func (s *Service) Recent(ctx context.Context, m auth.Member) (i Insights, err error) {
	if err := may(m, auth.ReadQueue); err != nil {
		return Insights{}, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) error {
		from, to, err := InsightsQuery{Days: InsightDays()[1]}.window(r.Now(), s.keepFigures)
		if err != nil {
			return err
		}
		i.Days = daysOf(from, to)
		q := i.window(ByAll)
		q.Sum = true
		rows, err := r.Rollups(q)
		if err != nil {
			return err
		}
		for _, row := range rows {
			i.Total.Add(row.Tally)
		}
		i.HeldBy, err = i.heldBy(r)
		return err
	})
	return i, err
}

func daysOf(from, to time.Time) (all []string) {
	for at := from; !at.After(to); at = at.AddDate(0, 0, 1) {
		all = append(all, day(at))
	}
	return all
}

// window is a query over the days of i.
func (i Insights) window(d Dimension) RollupQuery {
	return RollupQuery{Dimension: d, From: i.Days[0], To: i.Days[len(i.Days)-1]}
}

// readDaily reads everything by day: the window, the one before it, and what the band of
// scores needs.
func (i *Insights) readDaily(r Reader, first, from, to time.Time) error {
	q := i.window(ByAll)
	past := max(len(i.Days), bandDays)
	q.From = day(first)
	rows, err := r.Rollups(q)
	if err != nil {
		return err
	}
	byDay := make(map[string]Tally, len(rows))
	for _, row := range rows {
		one := byDay[row.Day]
		one.Add(row.Tally)
		byDay[row.Day] = one
	}
	all, points := make([]ScoreDay, 0, past+len(i.Days)), make([]ScoreDay, 0, past+len(i.Days))
	before := day(from.AddDate(0, 0, -len(i.Days)))
	for at := first; !at.After(to); at = at.AddDate(0, 0, 1) {
		on := day(at)
		t := byDay[on]
		all = append(all, ScoreDay{Day: on, Scored: t.Scored, Mean: t.MeanScore()})
		points = append(points, ScoreDay{Day: on, Scored: t.Evaluated, Mean: t.MeanPoints()})
		switch {
		case on >= i.Days[0]:
			i.Daily = append(i.Daily, t)
			i.Total.Add(t)
		case on >= before:
			i.Before.Add(t)
		}
	}
	i.Trend, i.Points = banded(all, 1)[past:], banded(points, patterns.MaxScore)[past:]
	return nil
}

// readLevels reads what was submitted and what became of it, by level.
func (i *Insights) readLevels(r Reader) error {
	rows, err := r.Rollups(i.window(ByLevel))
	if err != nil {
		return err
	}
	at := make(map[string]int, len(i.Days))
	for n, d := range i.Days {
		at[d] = n
		i.Levels = append(i.Levels, make([]int64, len(level.All())))
	}
	for n, l := range level.All() {
		sum := Rollup{Dimension: ByLevel, Value: l.String()}
		for _, row := range rows {
			if row.Value == l.String() {
				sum.Add(row.Tally)
				i.Levels[at[row.Day]][n] += row.Submitted
			}
		}
		i.ByLevel = append(i.ByLevel, sum)
	}
	return nil
}

// readScores reads what became of actions by the tenth in which their score lies.
func (i *Insights) readScores(r Reader) error {
	q := i.window(ByScore)
	q.Sum = true
	rows, err := r.Rollups(q)
	i.Scores = make([]Tally, 10)
	for _, row := range rows {
		if n, err := strconv.Atoi(row.Value); err == nil && n >= 0 && n < len(i.Scores) {
			i.Scores[n].Add(row.Tally)
		}
	}
	return err
}

// readPoints reads what ended by severity and pattern score.
func (i *Insights) readPoints(r Reader) error {
	q := i.window(ByPoints)
	q.Sum = true
	rows, err := r.Rollups(q)
	for _, severity := range append(patterns.Severities(), "") {
		tenths := make([]int64, 10)
		for _, row := range rows {
			for n := range tenths {
				if !row.Others && row.Value == pointsValue(severity, 10*n) {
					tenths[n] += row.Ended()
				}
			}
		}
		i.BySeverity = append(i.BySeverity, tenths)
	}
	return err
}

func (i *Insights) most(r Reader, d Dimension) ([]Rollup, error) {
	q := i.window(d)
	q.Sum, q.Limit = true, InsightValues
	return r.Rollups(q)
}

// ScoreDay is the mean score of what ended on a day, and the band in which it is
// expected.
type ScoreDay struct {
	Day    string
	Scored int64
	Mean   float64
	// Banded says that there is a band, from Low to High.
	Banded    bool
	Low, High float64
}

// The band is a control chart for single values (Shewhart 1931; NIST Handbook
// 6.3.2): the mean of the daily means before, and three standard deviations of them
// to either side.
const (
	bandDays  = 28 // how many days before a day its band looks at
	bandLeast = 7  // how many of them must have scores
	bandEach  = 5  // how many scores a day needs, to have a part in it and to be judged by it
	bandWidth = 3.0
	// bandDeviation is the least that the deviation is taken to be, as a share of the
	// highest score: days that are almost alike must not make an alert of a hundredth.
	bandDeviation = 0.01
)

// Outside says on which side of its band the day is: 1 above, −1 below, 0 within, or
// not judged.
func (d ScoreDay) Outside() int {
	switch {
	case !d.Banded || d.Scored < bandEach:
		return 0
	case d.Mean > d.High:
		return 1
	case d.Mean < d.Low:
		return -1
	default:
		return 0
	}
}

// banded gives each of these days, which follow each other, the band that the days
// before it make; highest is the highest score that there is.
func banded(all []ScoreDay, highest float64) []ScoreDay {
	for n := range all {
		var means []float64
		for _, d := range all[max(0, n-bandDays):n] {
			if d.Scored >= bandEach {
				means = append(means, d.Mean)
			}
		}
		if len(means) < bandLeast {
			continue
		}
		mean, deviation := spread(means)
		reach := bandWidth * max(bandDeviation*highest, deviation)
		all[n].Banded, all[n].Low, all[n].High = true, max(0, mean-reach), min(highest, mean+reach)
	}
	return all
}

// spread is the mean of at least two numbers, and their standard deviation as a sample.
func spread(all []float64) (mean, deviation float64) {
	for _, v := range all {
		mean += v / float64(len(all))
	}
	for _, v := range all {
		deviation += (v - mean) * (v - mean)
	}
	return mean, math.Sqrt(deviation / float64(len(all)-1))
}

// SessionScore is a session against the rest of the tenant.
type SessionScore struct {
	SessionRollup
	Mean, Peak float64
	// Limit is what a mean of so many actions exceeds by chance about once in a
	// thousand times: the tenant's mean and three standard errors. Rose says that this
	// one does, over at least bandEach actions.
	Limit float64
	Rose  bool
	// Above says that its score is above what the policy accepts.
	Above bool
	// Now and Before are what ended in it in the window and in the one before.
	Now, Before Tally
}

// readSessions reads the sessions of the chosen agent, or of all; of a function or a person
// there is nothing to say, since a session has several.
func (i *Insights) readSessions(r Reader, q InsightsQuery, from, to time.Time) (err error) {
	if q.Function != "" || q.Person != "" {
		return nil
	}
	if i.Alerts, err = alertsSince(r, from); err != nil {
		return err
	}
	if q.Agent != "" {
		i.Alerts.Sessions = slices.DeleteFunc(i.Alerts.Sessions, func(s SessionTotal) bool { return s.Agent != q.Agent })
	}
	if i.Sessions, err = i.sessionScores(r, q.Agent, from, to); err != nil {
		return err
	}
	return i.readSessionDays(r, from)
}

// sessionScores holds the latest sessions against the scores of the window, whoever's they
// are.
func (i Insights) sessionScores(r Reader, agent string, from, to time.Time) ([]SessionScore, error) {
	of := i.window(ByAll)
	of.Sum = true
	sums, err := r.Rollups(of)
	if err != nil {
		return nil, err
	}
	var total Tally
	for _, sum := range sums {
		total.Add(sum.Tally)
	}
	rows, err := r.SessionRollups(SessionRollupQuery{Agent: agent, From: from, To: to.AddDate(0, 0, 1), Limit: insightSessions})
	if err != nil {
		return nil, err
	}
	mean, deviation := total.MeanScore(), max(bandDeviation, total.ScoreDeviation())
	var all []SessionScore
	for _, row := range rows {
		n := float64(max(1, row.Scored))
		s := SessionScore{SessionRollup: row, Mean: float64(row.ScoreMicros) / 1e6 / n, Peak: float64(row.PeakMicros) / 1e6}
		s.Limit = min(1, mean+bandWidth*deviation/math.Sqrt(n))
		s.Rose = row.Scored >= bandEach && s.Mean > s.Limit
		s.Above = i.Alerts.Of(row.Agent, row.Session)
		all = append(all, s)
	}
	slices.SortStableFunc(all, func(a, b SessionScore) int {
		return cmp.Or(-compareBool(a.Above, b.Above), -compareBool(a.Rose, b.Rose), cmp.Compare(b.Mean, a.Mean))
	})
	return all[:min(len(all), toldSessions)], nil
}

// readSessionDays reads of the sessions that are told what ended in the window, and in
// the one before.
func (i *Insights) readSessionDays(r Reader, from time.Time) error {
	if len(i.Sessions) == 0 {
		return nil
	}
	at := make(map[string]int, len(i.Sessions))
	q := i.window(BySession)
	q.Sum = true
	for n, s := range i.Sessions {
		value := sessionValue(s.Agent, s.Session)
		at[value] = n
		q.Values = append(q.Values, value)
	}
	now, err := r.Rollups(q)
	if err != nil {
		return err
	}
	q.From, q.To = day(from.AddDate(0, 0, -len(i.Days))), day(from.AddDate(0, 0, -1))
	before, err := r.Rollups(q)
	if err != nil {
		return err
	}
	for _, row := range now {
		if n, ok := at[row.Value]; ok && !row.Others {
			i.Sessions[n].Now = row.Tally
		}
	}
	for _, row := range before {
		if n, ok := at[row.Value]; ok && !row.Others {
			i.Sessions[n].Before = row.Tally
		}
	}
	return nil
}
