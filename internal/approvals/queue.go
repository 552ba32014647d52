package approvals

import (
	"context"
	"slices"
	"time"

	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/level"
)

// The queue, page by page. However many requests wait, a page reads the lines that it
// shows; one that is narrowed reads on until it is full, at most maxLooked lines.

const (
	// MaxCounted is how far the requests that wait are counted; MaxCounted + 1 means more.
	MaxCounted = 5000
	// maxLooked bounds how many lines a page that is narrowed looks at, and lookStep how
	// many of them are in memory at once.
	maxLooked = 5000
	lookStep  = 250
	// maxFolded bounds how many lines a page that is not narrowed looks at to fill its rows:
	// an agent in a loop must not make every page slow.
	maxFolded = 1000
	// maxLines bounds how many lines are asked for at once.
	maxLines = 500
)

// QueueQuery chooses a page of the queue.
type QueueQuery struct {
	Levels []level.Level // none: every one
	After  *Place        // where the page before ended; nil: the beginning
	Limit  int           // 1 to 200
	// Keep narrows the list further; nil keeps everything. It is asked of a line as this
	// reader sees it: Covered is told, so that it looks at nothing that is out of sight.
	Keep func(l Line, at Attention) bool
	// Fold is equal for lines that are one row, and empty for one that is a row of its own;
	// nil folds nothing. Of those that are equal the page has the first, or Open.
	Fold func(l Line) string
	Open string
	// About is the approval that Attention.MayClaim is told of; it may be empty.
	About string
}

// QueuePage is what was found, by level (highest first), then by time left.
type QueuePage struct {
	Lines     []Line // its rows
	Snoozed   []Line // what the reader put aside; on the first page of the queue only
	Found     int    // how many lines they stand for
	Next      *Place // where the next page goes on; nil when nothing is left
	Looked    int    // how many lines were looked at, where that and not the page's size ended it
	Total     int    // how many wait in all, at most MaxCounted + 1
	Now       time.Time
	Answering bool // the reader answers a quiz: the lines of its agent are covered
	Attention Attention
	Alerts    SessionAlerts // of the last day; on a page of the queue only

	acts map[Act]int // how often each was looked at, edited ones left out
}

// Queue is one page of what waits. It is bounded in memory, whatever waits.
func (s *Service) Queue(ctx context.Context, m auth.Member, q QueueQuery) (page QueuePage, err error) {
	if err := may(m, auth.ReadQueue); err != nil {
		return page, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) (err error) {
		page = QueuePage{Now: r.Now(), acts: map[Act]int{}}
		recent := r.Now().Add(-alertHours * time.Hour)
		if err = r.QueueAhead(m.Person.ID, q.lines(), recent); err != nil {
			return err
		}
		if page.Attention, err = attention(r, m, q.About); err != nil {
			return err
		}
		if page.Alerts, err = alertsSince(r, recent); err != nil {
			return err
		}
		asking, err := answering(r, m)
		if err != nil {
			return err
		}
		page.Answering = len(asking) > 0
		aside := page.Attention.SnoozedBy(m.Person.ID)
		if err := page.look(r, q, asking, aside); err != nil {
			return err
		}
		if q.After == nil {
			if page.Snoozed, err = linesOf(r, aside); err != nil {
				return err
			}
			for i := range page.Snoozed {
				page.Snoozed[i].cover(asking)
			}
			page.Snoozed = slices.DeleteFunc(page.Snoozed, func(l Line) bool {
				return len(q.Levels) > 0 && !slices.Contains(q.Levels, l.Level) || q.Keep != nil && !q.Keep(l, page.Attention)
			})
		}
		if err := tellNeeded(r, page.Lines); err != nil {
			return err
		}
		if q.Keep == nil && q.After == nil && len(q.Levels) == 0 && page.Next == nil { // that is all there is
			page.Total = page.Found + len(aside)
			page.count()
			return newerLines(r, page.Lines)
		}
		if page.Total, err = r.CountWaiting(MaxCounted + 1); err != nil {
			return err
		}
		return alike(r, page.Lines)
	})
	return page, err
}

// count counts the identical ones of a page that holds everything.
func (p *QueuePage) count() {
	for i, l := range p.Lines {
		if p.Lines[i].Identical = p.acts[l.Act()]; l.Edited {
			p.Lines[i].Identical++
		}
	}
}

// begin reads what stands around every list.
func begin(r Reader, m auth.Member, about string) (page QueuePage, err error) {
	page.Now = r.Now()
	if page.Total, err = r.CountWaiting(MaxCounted + 1); err != nil {
		return page, err
	}
	page.Attention, err = attention(r, m, about)
	return page, err
}

func (q QueueQuery) limit() int { return min(max(q.Limit, 1), MaxBatch) }

// lines are those that a page reads first.
func (q QueueQuery) lines() LineQuery {
	lq := LineQuery{Levels: q.Levels, After: q.After, Limit: q.limit() + 1}
	if q.Keep != nil {
		lq.Limit = lookStep
	}
	return lq
}

// look fills the page.
func (p *QueuePage) look(r Reader, q QueueQuery, asking Asked, aside []string) error {
	limit, most, lq := q.limit(), maxFolded, q.lines()
	if q.Keep != nil {
		most = maxLooked
	}
	rows := map[string]int{} // where the row of a fold is
	for {
		lines, err := r.Waiting(lq)
		if err == nil {
			err = recount(r, lines)
		}
		if err != nil {
			return err
		}
		for _, l := range lines {
			l.cover(asking)
			keeps := !slices.Contains(aside, l.ID) && (q.Keep == nil || q.Keep(l, p.Attention))
			fold := ""
			if q.Fold != nil && keeps {
				fold = q.Fold(l)
			}
			at, folded := rows[fold]
			folded = folded && fold != ""
			if !folded && len(p.Lines) == limit {
				return nil // Next is the place of the last line that was looked at
			}
			p.saw(l)
			switch {
			case !keeps:
			case folded:
				p.fold(at, l, q.Open)
			default:
				rows[fold] = len(p.Lines)
				p.Lines = append(p.Lines, l)
				p.Found++
			}
		}
		if len(lines) < lq.Limit {
			p.Next = nil
			return nil
		}
		if p.Looked >= most {
			return nil
		}
		lq.After, lq.Limit = p.Next, lookStep
	}
}

func (p *QueuePage) saw(l Line) {
	place := l.Place()
	p.Looked, p.Next = p.Looked+1, &place
	if !l.Edited {
		p.acts[l.Act()]++
	}
}

// fold takes a line into the row at at, which the open one stands for.
func (p *QueuePage) fold(at int, l Line, open string) {
	p.Found++
	row := &p.Lines[at]
	also := append(row.Also, l.ID)
	if l.ID == open {
		also[len(also)-1] = row.ID
		*row = l
	}
	row.Also = also
}

// identicals counts, for each line, those that wait and are the same act.
func identicals(r Reader, lines []Line) error {
	counts, err := r.Duplicates(actsOf(lines))
	if err != nil {
		return err
	}
	for i, l := range lines {
		lines[i].Identical = counts[i]
		if l.Edited && l.Status == Pending { // it was counted as what was submitted, which was another act
			lines[i].Identical++
		}
	}
	return nil
}

// Lines are these approvals as a list shows them, whatever became of them, in the
// order of the ids; those that are not there are left out. It records nothing.
func (s *Service) Lines(ctx context.Context, m auth.Member, ids []string, about string) (page QueuePage, err error) {
	if err := may(m, auth.ReadQueue); err != nil {
		return page, err
	}
	ids = ids[:min(len(ids), maxLines)]
	err = s.store.Read(ctx, m.Tenant, func(r Reader) (err error) {
		if page, err = begin(r, m, about); err != nil || len(ids) == 0 {
			return err
		}
		if page.Lines, err = linesOf(r, ids); err != nil {
			return err
		}
		asking, err := answering(r, m)
		page.Answering = len(asking) > 0
		for i := range page.Lines {
			page.Lines[i].cover(asking)
		}
		return err
	})
	return page, err
}

// linesOf reads lines in the order of their ids.
func linesOf(r Reader, ids []string) ([]Line, error) {
	if len(ids) == 0 {
		return nil, nil
	}
	lines, err := r.Lines(ids)
	if err != nil {
		return nil, err
	}
	slices.SortStableFunc(lines, func(a, b Line) int { return slices.Index(ids, a.ID) - slices.Index(ids, b.ID) })
	if err := recount(r, lines); err != nil {
		return nil, err
	}
	if err := tellNeeded(r, lines); err != nil {
		return nil, err
	}
	return lines, alike(r, lines)
}

// alike tells of each line how many are identical, and which request is newer.
func alike(r Reader, lines []Line) error {
	if err := r.LinesAhead(actsOf(lines), waiting(lines)); err != nil {
		return err
	}
	if err := identicals(r, lines); err != nil {
		return err
	}
	return newerLines(r, lines)
}

func actsOf(lines []Line) []Act {
	acts := make([]Act, len(lines))
	for i, l := range lines {
		acts[i] = l.Act()
	}
	return acts
}

// Changes is what became of some approvals, read once for everybody who may read the
// queue. It is nobody's view: who answers questions sees less than it has, so that they
// read for themselves.
type Changes struct {
	QueuePage                 // of these approvals
	IDs       []string        // of them
	Alike     map[Act][]Line  // the others that wait and are the same act as one of them that came or went
	Answering map[string]bool // the persons who may be answering questions
}

// Changes reads them for a server that tells many people at once; it checks for each of
// them that they may read the queue. Of the tenant it asks as little as Lines. What waits for the
// same targets is among them: it has a newer request, or what that was became another.
func (s *Service) Changes(ctx context.Context, tenant string, ids []string) (c Changes, err error) {
	ids = ids[:min(len(ids), maxLines)]
	err = s.store.Read(ctx, tenant, func(r Reader) (err error) {
		c = Changes{Alike: map[Act][]Line{}, Answering: map[string]bool{}}
		people, err := r.AnsweringPeople()
		if err != nil {
			return err
		}
		for _, id := range people {
			c.Answering[id] = true
		}
		if c.QueuePage, err = begin(r, auth.Member{}, ""); err != nil {
			return err
		}
		older, err := r.Older(ids)
		if err != nil {
			return err
		}
		older = slices.DeleteFunc(older, func(id string) bool { return slices.Contains(ids, id) })
		c.IDs = slices.Concat(ids, older[:min(len(older), maxLines-len(ids))])
		if c.Lines, err = linesOf(r, c.IDs); err != nil {
			return err
		}
		return c.others(r, c.IDs)
	})
	return c, err
}

// others reads the lines whose number of identical ones changed with these.
func (c *Changes) others(r Reader, ids []string) error {
	left := maxLines
	for _, l := range c.Lines {
		act := l.Act()
		if _, read := c.Alike[act]; read || !l.Moves() || left <= 0 {
			continue
		}
		others, err := r.DuplicateIDs(act, MaxIdentical)
		if err != nil {
			return err
		}
		others = slices.DeleteFunc(others, func(id string) bool { return slices.Contains(ids, id) })
		others = others[:min(len(others), left)]
		left -= len(others)
		if c.Alike[act], err = linesOf(r, others); err != nil {
			return err
		}
	}
	return nil
}

// Moves reports whether others are identical, whose number is another one when this one
// comes or goes.
func (l Line) Moves() bool {
	return l.Status.Final() && l.Identical > 0 || !l.Status.Final() && l.Identical > 1
}

// Alike lists the ids of requests that wait and are one of these acts, oldest first,
// at most MaxIdentical of each.
func (s *Service) Alike(ctx context.Context, m auth.Member, acts []Act) (ids []string, err error) {
	if err := may(m, auth.ReadQueue); err != nil {
		return nil, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) error {
		for _, act := range acts {
			some, err := r.DuplicateIDs(act, MaxIdentical)
			if err != nil {
				return err
			}
			ids = append(ids, some...)
		}
		return nil
	})
	return ids, err
}

// Peek reads one approval as a whole, with its questions. It records nothing. asking says that this
// operator is answering its quiz.
func (s *Service) Peek(ctx context.Context, m auth.Member, id string) (a Approval, asking bool, err error) {
	if err := may(m, auth.ReadQueue); err != nil {
		return a, false, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) (err error) {
		if a, err = r.Approval(id); err != nil {
			return err
		}
		if a, err = a.Judged(r); err != nil {
			return err
		}
		if asking, err = isAsking(r, m, a); err != nil {
			return err
		}
		if asking {
			a.Needed, a.NoOne = nil, fault.Text{}
		}
		if a, err = a.withNewer(r); err == nil {
			a.Questions, a.Comments, err = r.Talk(id)
		}
		if err == nil {
			a, err = a.timed(r)
		}
		return err
	})
	return a, asking, err
}

// Today is what ended since midnight where the reader is, as far as it is counted. It is counted by
// the hours of UTC, so where midnight is within one of them, that one counts as a whole.
func (s *Service) Today(ctx context.Context, m auth.Member, where *time.Location) (t Tally, err error) {
	if err := may(m, auth.ReadQueue); err != nil {
		return t, err
	}
	err = s.store.Read(ctx, m.Tenant, func(r Reader) error {
		year, month, date := r.Now().In(where).Date()
		midnight := time.Date(year, month, date, 0, 0, 0, 0, where).UTC()
		q := RollupQuery{Dimension: ByHour, From: day(midnight), To: day(r.Now())}
		if where == time.UTC {
			q.Dimension = ByAll
		}
		rows, err := r.Rollups(q)
		for _, row := range rows {
			if q.Dimension == ByAll || row.Day+row.Value >= midnight.Format(time.DateOnly+"15") {
				t.Add(row.Tally)
			}
		}
		return err
	})
	return t, err
}
