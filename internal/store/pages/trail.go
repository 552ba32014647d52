package pages

import (
	"database/sql"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"gorm.io/gorm"

	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/store/tables"
)

// How the trail is searched. No statement here reads more than a bounded number
// of rows, whatever the size of the log and whichever filters come together:
//
//  1. One condition leads: the one that leaves the fewest events. Its index ends
//     with idx, so candidates come in the order of the page. Where it has several
//     values each has its own arm, and the arms are merged.
//  2. The candidates' rows are read by their key, and every condition of the
//     filter is asked of them, text in Go.
//  3. Where the leading index answers the whole filter, one step is enough.
//     Otherwise steps follow until the page is full or the query's window was read;
//     then the page says how far it looked.

const (
	searchStep = 500 // candidates of one step
	// sessionReach is how many of a session's requests are looked at.
	sessionReach = 5000
	// prefixArms is how many functions with a common beginning are looked up one by
	// one; more of them are searched for.
	prefixArms = 50
	// timeReach is how far time bounds look for events that stand out of order.
	// See timeBounds.
	timeReach = 10_000
)

// narrow adds a filter's conditions; text is asked in Go. A field that is not set
// adds none.
func narrow(q *gorm.DB, f audit.Filter) *gorm.DB {
	if len(f.Kinds) > 0 {
		q = q.Where("kind IN ?", f.Kinds)
	}
	if f.Actor.Kind != "" {
		q = q.Where("actor_kind = ?", f.Actor.Kind)
		if f.Actor.ID != "" {
			q = q.Where("actor_id = ?", f.Actor.ID)
		}
	}
	if f.Agent != "" {
		q = q.Where("agent_id = ?", f.Agent)
	}
	if f.Approval != "" {
		q = q.Where("approval_id = ?", f.Approval)
	}
	if f.About != "" {
		q = q.Where("approval_id IN ?", f.Among)
	}
	if len(f.Levels) > 0 {
		q = q.Where("level IN ?", f.Levels)
	}
	if len(f.Effects) > 0 {
		q = q.Where("effect IN ?", f.Effects)
	}
	switch {
	case f.Function == "":
	case f.Prefix:
		q = q.Where("substr(function, 1, ?) = ?", utf8.RuneCountInString(f.Function), f.Function)
	default:
		q = q.Where("function = ?", f.Function)
	}
	if !f.From.IsZero() {
		q = q.Where("at >= ?", tables.Stamp(f.From))
	}
	if !f.To.IsZero() {
		q = q.Where("at < ?", tables.Stamp(f.To))
	}
	return q
}

// arm begins the statement for the candidates of one value.
type arm func() *gorm.DB

// each is one filter for each value.
func each[T any](values []T, one func(T) audit.Filter) []audit.Filter {
	all := make([]audit.Filter, len(values))
	for i, v := range values {
		all[i] = one(v)
	}
	return all
}

// lead chooses the condition that leads. whole says that nothing else is to ask.
func (t Pages) lead(f audit.Filter, session string) (arms []arm, whole bool, err error) {
	by := func(leading ...audit.Filter) []arm {
		all := make([]arm, len(leading))
		for i, one := range leading {
			all[i] = func() *gorm.DB { return narrow(t.Of("audit_events"), one) }
		}
		return all
	}
	rest := f
	switch {
	case f.Approval != "":
		rest.Approval = ""
		arms = by(audit.Filter{Approval: f.Approval})
	case session != "":
		// In no column of an event: through the session's newest requests.
		arms = []arm{func() *gorm.DB {
			ids := t.Of("approvals").Select("approval_id").Where("session_id = ?", session).Order("approval_id DESC").Limit(sessionReach)
			return narrow(t.Of("audit_events").Where("approval_id IN (?)", t.DB.Table("(?) AS s", ids).Select("approval_id")), f)
		}}
	case f.About != "":
		rest.About = ""
		if len(f.Among) > 0 {
			arms = by(audit.Filter{About: f.About, Among: f.Among})
		}
	case f.Actor.Kind != "" && f.Actor.ID != "":
		rest.Actor = audit.Actor{}
		arms = by(audit.Filter{Actor: f.Actor})
	case f.Function != "" && !f.Prefix:
		rest.Function = ""
		arms = by(audit.Filter{Function: f.Function})
	case f.Agent != "":
		rest.Agent = ""
		arms = by(audit.Filter{Agent: f.Agent})
	case f.Function != "":
		names, complete, err := t.functions(f.Function)
		if err != nil {
			return nil, false, err
		}
		if complete {
			rest.Function = ""
			return by(each(names, func(name string) audit.Filter { return audit.Filter{Function: name} })...), rest.Whole(), nil
		}
		arms = by(audit.Filter{})
	case len(f.Kinds) > 0:
		rest.Kinds = nil
		arms = by(each(f.Kinds, func(one audit.Kind) audit.Filter { return audit.Filter{Kinds: []audit.Kind{one}} })...)
	case len(f.Levels) > 0:
		rest.Levels = nil
		arms = by(each(f.Levels, func(one string) audit.Filter { return audit.Filter{Levels: []string{one}} })...)
	case len(f.Effects) > 0:
		rest.Effects = nil
		arms = by(each(f.Effects, func(one string) audit.Filter { return audit.Filter{Effects: []string{one}} })...)
	case f.Actor.Kind != "":
		rest.Actor = audit.Actor{}
		arms = by(audit.Filter{Actor: f.Actor})
	default:
		arms = by(audit.Filter{})
	}
	return arms, rest.Whole(), nil
}

// functions lists the functions whose name begins so, one seek in the index for
// each. complete is false when there are too many, or too many others among them
// (a database may sort by the rules of a language).
func (t Pages) functions(prefix string) (names []string, complete bool, err error) {
	last, comparison := prefix, "function >= ?"
	for range 2 * prefixArms {
		var next []string
		err := t.Of("audit_events").Where(comparison, last).Order("function").Limit(1).Pluck("function", &next).Error
		if err != nil || len(next) == 0 {
			return names, err == nil, err
		}
		last, comparison = next[0], "function > ?"
		if !strings.HasPrefix(last, prefix) {
			continue
		}
		if names = append(names, last); len(names) > prefixArms {
			break
		}
	}
	return nil, false, nil
}

// bounds are the lowest and the highest index to look at, both inclusive.
type bounds struct{ low, high int64 }

// timeBounds turns a time range into a range of indexes, so that a look into last
// month begins there. Times nearly follow indexes: transactions that run at once
// may commit in another order, and a clock can be set back. So the bounds are not
// the first and last event of the range, but the lowest index among its earliest
// timeReach events and the highest among its latest. Up to so many events in the
// range nothing can be missed; beyond it, only what a clock that was set back put
// further away than that. The events' own times are compared in any case.
func (t Pages) timeBounds(f audit.Filter) (b bounds, some bool, err error) {
	b = bounds{0, 1<<63 - 1}
	if f.From.IsZero() && f.To.IsZero() {
		return b, true, nil
	}
	span := audit.Filter{From: f.From, To: f.To}
	for _, side := range []struct {
		given            time.Time
		order, aggregate string
		into             *int64
	}{
		{f.From, "at, idx", "MIN(idx)", &b.low},
		{f.To, "at DESC, idx DESC", "MAX(idx)", &b.high},
	} {
		if side.given.IsZero() {
			continue
		}
		var found []sql.NullInt64
		within := narrow(t.Of("audit_events"), span).Select("idx").Order(side.order).Limit(timeReach)
		if err := t.DB.Table("(?) AS within", within).Pluck(side.aggregate, &found).Error; err != nil {
			return b, false, err
		}
		if len(found) == 0 || !found[0].Valid {
			return b, false, nil
		}
		*side.into = found[0].Int64
	}
	return b, true, nil
}

// SearchEvents finds one page. session narrows to events about a session's requests.
func (t Pages) SearchEvents(q audit.Query, session string) (audit.Page, error) {
	page := audit.Page{Next: q.Edge}
	within, some, err := t.timeBounds(q.Filter)
	if err != nil || !some {
		page.Done = true
		return page, err
	}
	arms, whole, err := t.lead(q.Filter, session)
	if err != nil {
		return page, err
	}
	window := q.Window
	if window <= 0 {
		window = audit.SearchWindow
	}
	for read := 0; read < window; {
		n := min(searchStep, window-read)
		if whole {
			n = q.Limit + 1
		}
		candidates, err := t.candidates(arms, q, page.Next, within, n)
		if err != nil {
			return page, err
		}
		full, err := t.take(&page, q, candidates)
		if err != nil || full {
			return page, err
		}
		read += len(candidates)
		if !whole {
			page.Searched = read
		}
		if len(candidates) > 0 {
			page.Next = candidates[len(candidates)-1]
		}
		if len(candidates) < n {
			page.Done = true
			return page, nil
		}
	}
	return page, nil
}

// candidates are the next indexes that the leading condition allows.
func (t Pages) candidates(arms []arm, q audit.Query, edge int64, within bounds, n int) (found []int64, err error) {
	order := "idx DESC"
	if q.Upward {
		order = "idx"
	}
	parts := make([]string, len(arms))
	queries := make([]any, len(arms))
	for i, arm := range arms {
		one := arm().Select("idx")
		if within.low > 0 {
			one = one.Where("idx >= ?", within.low)
		}
		if within.high < 1<<63-1 {
			one = one.Where("idx <= ?", within.high)
		}
		switch {
		case q.Upward:
			one = one.Where("idx > ?", edge)
		case edge >= 0:
			one = one.Where("idx < ?", edge)
		}
		queries[i] = one.Order(order).Limit(n)
		parts[i] = "SELECT idx FROM (?) AS arm"
	}
	if len(arms) == 0 {
		return nil, nil
	}
	queries = append(queries, n)
	err = t.DB.Raw(strings.Join(parts, " UNION ALL ")+" ORDER BY "+order+" LIMIT ?", queries...).Scan(&found).Error
	return found, err
}

// take reads the candidates' rows and adds those that the whole filter chooses.
// full says that there are more than the page holds.
func (t Pages) take(page *audit.Page, q audit.Query, candidates []int64) (full bool, err error) {
	if len(candidates) == 0 {
		return false, nil
	}
	order := "idx DESC"
	if q.Upward {
		order = "idx"
	}
	// The range says nothing that the list does not; it tells the planner how little
	// there is to read where the candidates are neighbours.
	low, high := slices.Min(candidates), slices.Max(candidates)
	chosen := narrow(t.Of("audit_events").Where("idx BETWEEN ? AND ? AND idx IN ?", low, high, candidates), q.Filter).Order(order)
	if q.Text == "" {
		chosen = chosen.Limit(q.Limit - len(page.Records) + 1)
	}
	var rows []tables.EventRow
	if err := chosen.Find(&rows).Error; err != nil {
		return false, err
	}
	for _, r := range rows {
		if !q.HoldsText(r.Bytes) {
			continue
		}
		if len(page.Records) == q.Limit {
			page.Next = page.Records[q.Limit-1].Event.Index
			return true, nil
		}
		page.Records = append(page.Records, r.Record())
	}
	return false, nil
}
