package approvals

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
)

// Rollups count by one dimension, so what two of them have in common cannot be read
// from them. Insights of one agent, function or person are counted from the trail and
// the requests instead, by what counts the rollups too, so that the figures mean the
// same. That reads each request, so it is bounded.

const (
	// InsightEvents is how many submissions, ends and reports a filter may choose: what
	// has more is told to choose fewer days.
	InsightEvents = 20_000
	// signedBefore is how long before a request ends somebody may have signed it: longer
	// than the longest that one waits, extended once.
	signedBefore = 3 * 24 * time.Hour
)

// InsightsQuery chooses what insights count.
type InsightsQuery struct {
	// Days is one of InsightDays, today being the last; 0 where From and To say which.
	Days int
	// From and To are days of UTC as 2006-01-02, both included. Without To it is today,
	// without From the thirty days up to To.
	From, To string
	// Agent is an id, Function a whole name, Person the id of somebody who decided or
	// signed; empty for any.
	Agent, Function, Person string
}

// Narrowed reports whether q asks for a part of what happened in its days.
func (q InsightsQuery) Narrowed() bool { return q.Agent != "" || q.Function != "" || q.Person != "" }

// OccurrenceQuery chooses what rollups count, of one agent, function or person at least.
type OccurrenceQuery struct {
	From, To        time.Time // From ≤ at < To
	Kinds           []audit.Kind
	Agent, Function string // empty: any
	Person          string // who did it; empty: any
	Limit           int
}

// window is the first and the last day of q, today being the day of now. Figures are kept
// for so many days, 0 being for good; the days before are compared, so they must be kept too.
func (q InsightsQuery) window(now time.Time, keep int) (from, to time.Time, err error) {
	today := now.UTC().Truncate(24 * time.Hour)
	if q.From == "" && q.To == "" {
		if !slices.Contains(InsightDays(), q.Days) {
			return from, to, fault.Member(fault.InvalidParameter, "days", "insights cover the last 7, 30 or 90 days, or the days from one to another")
		}
		return today.AddDate(0, 0, 1-q.Days), today, nil
	}
	to = today
	if q.To != "" {
		if to, err = time.Parse(time.DateOnly, q.To); err != nil {
			return from, to, fault.Member(fault.InvalidParameter, "to", "write a day like 2026-11-20")
		}
	}
	from = to.AddDate(0, 0, 1-InsightDays()[1])
	if q.From != "" {
		if from, err = time.Parse(time.DateOnly, q.From); err != nil {
			return from, to, fault.Member(fault.InvalidParameter, "from", "write a day like 2026-11-20")
		}
	}
	most := slices.Max(InsightDays())
	switch length := int(to.Sub(from)/(24*time.Hour)) + 1; {
	case from.After(to):
		return from, to, fault.Member(fault.InvalidParameter, "to", "this day is before the first one")
	case to.After(today):
		return from, to, fault.Member(fault.InvalidParameter, "to", "choose a day up to today, which is %s in UTC", day(today))
	case length > most:
		return from, to, fault.Member(fault.InvalidParameter, "from", "that's %d days; choose at most %d", length, most)
	case keep > 0 && from.Before(today.AddDate(0, 0, 1-keep+length)):
		return from, to, fault.Member(fault.InvalidParameter, "from", "figures are kept for %d days, including the days yours are compared with; choose %s or later", keep, day(today.AddDate(0, 0, 1-keep+length)))
	}
	return from, to, nil
}

// mayNarrow refuses what the member may not ask for.
func mayNarrow(m auth.Member, q InsightsQuery) error {
	if q.Person != "" && q.Person != m.Person.ID && !m.May(auth.ReadPeople) {
		return fault.Member(fault.Denied, "person", "you can only filter by your own decisions; other people's figures need the permission to see people")
	}
	return nil
}

// narrowed is a reader whose rollups are those of the chosen part alone.
type narrowed struct {
	Reader
	rows []Rollup
}

// narrow counts what q chooses since a day before the window that is compared and judged,
// or from its first day on, where there is too much: then whole is false.
func narrow(r Reader, q InsightsQuery, first, from, to time.Time) (n narrowed, whole bool, err error) {
	n.Reader = r
	ask := OccurrenceQuery{From: first, To: to.AddDate(0, 0, 1), Agent: q.Agent, Function: q.Function, Person: q.Person, Limit: InsightEvents + 1}
	ask.Kinds = append(ends(), audit.Submitted, audit.Reported, audit.GrantVoided)
	if q.Person != "" {
		ask.Kinds, ask.From = append(ends(), audit.Signed), first.Add(-signedBefore)
	}
	all, err := r.Occurrences(ask)
	if err != nil {
		return n, false, err
	}
	if whole = len(all) <= InsightEvents; !whole {
		if all[len(all)-1].At.After(from.Add(-signedBefore)) {
			return n, false, fault.Member(fault.InvalidParameter, "from", "more than %d entries of the audit trail match; choose fewer days or another filter", InsightEvents)
		}
	}
	c := rollCount{rows: map[rollKey]int{}, sessions: map[[2]string]int{}}
	seen := map[string]bool{}
	for part := range slices.Chunk(all, rollStep) {
		if q.Person != "" { // one end, however many of its steps are theirs
			part = slices.DeleteFunc(part, func(o Occurrence) bool { was := seen[o.ApprovalID]; seen[o.ApprovalID] = true; return was })
		}
		if part, err = r.WithApprovals(part); err != nil {
			return n, whole, err
		}
		for _, o := range part {
			switch {
			case q.Person == "":
				c.add(o)
			case o.Approval != nil && o.Approval.decidedBy(q.Person):
				o.Kind = kinds[o.Approval.Status]
				c.add(o)
				if o.Approval.Void() {
					o.Kind = audit.GrantVoided
					c.add(o)
				}
			}
		}
	}
	n.rows = c.batch.Rows
	if !whole { // of the days before, some are missing
		n.rows = slices.DeleteFunc(n.rows, func(row Rollup) bool { return row.Day < day(from) })
	}
	return n, whole, nil
}

// ends are the kinds of events that end a request.
func ends() []audit.Kind { return slices.Collect(maps.Values(kinds)) }

// decidedBy reports whether this person ended a, or signed it before somebody did.
func (a Approval) decidedBy(person string) bool {
	return a.Decision != nil && a.byPerson() && slices.ContainsFunc(a.Decision.DecidedBy, func(d Decider) bool { return d.Kind == ByPerson && d.ID == person })
}

// Rollups answers like the database.
func (n narrowed) Rollups(q RollupQuery) ([]Rollup, error) {
	var all []Rollup
	at := map[string]int{}
	for _, row := range n.rows {
		if row.Dimension != q.Dimension || row.Day < q.From || row.Day > q.To || len(q.Values) > 0 && !slices.Contains(q.Values, row.Value) {
			continue
		}
		if !q.Sum {
			all = append(all, row)
			continue
		}
		i, ok := at[row.Value]
		if !ok {
			i = len(all)
			at[row.Value] = i
			all = append(all, Rollup{Dimension: row.Dimension, Value: row.Value})
		}
		all[i].Add(row.Tally)
	}
	slices.SortFunc(all, func(a, b Rollup) int {
		if !q.Sum {
			return cmp.Or(cmp.Compare(a.Day, b.Day), cmp.Compare(a.Value, b.Value))
		}
		return cmp.Or(cmp.Compare(b.Scored, a.Scored), cmp.Compare(b.Decided(), a.Decided()), cmp.Compare(a.Value, b.Value))
	})
	if q.Limit > 0 {
		all = all[:min(len(all), q.Limit)]
	}
	return all, nil
}
