package trailui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/canon"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/filter"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring/effects"
	"github.com/countersign/countersign/views/texts"
)

// What is filtered, as a file. Taking data out is an act that the trail tells of,
// with the filter and the count, so it is a POST and never a GET; and the event is
// committed before the first byte leaves (docs/audit.md).
//
// An export is bounded by the size that the log had when it was asked for: events
// below that never change, so counting them first and sending them afterwards
// gives the same ones, without one long transaction. Oldest first, page by page:
// memory does not grow with the log.
//
// What is sealed for a reader (see seal) is sealed in their files too: a table has
// those entries without the score. Lines are exact or nothing: those of the whole trail end before the first such
// entry, with the head of that moment, and a part of the trail that has one is refused.

// exportPause is how long a client may take for one stretch of a file.
const exportPause = time.Minute

// exportFilter reads a posted filter of the trail; pages have no place in a file.
func exportFilter(c edge.Call) (audit.Filter, error) {
	a := filter.Take(c.Say, c.Request().PostForm, trailOrder[:len(trailOrder)-2]...)
	q := trailQuery(a)
	return q.Filter, refusal(a)
}

// refusal is what was wrong with posted parameters.
func refusal(a *filter.Address) error {
	if a.OK() {
		return nil
	}
	var all []fault.Text
	if !a.Problem.Empty() {
		all = append(all, a.Problem)
	}
	for _, name := range a.Order {
		if m := a.Errors[name]; !m.Empty() {
			all = append(all, fault.Textf("%s: %s", filter.FilterLabels[name], m))
		}
	}
	return fault.New(fault.InvalidForm, "%s", fault.Join(all, "; "))
}

// exportCSV sends the filtered trail as a table.
func (s *Pages) exportCSV(c edge.Call) error {
	return s.exportTrail(c, "csv", func(w io.Writer, t taken) error {
		names, err := s.Tenants.Names(c.Request().Context(), c.Member)
		if err != nil {
			return err
		}
		table := audit.NewCSV(w)
		table.EventHead()
		for r, err := range t.records {
			if err != nil {
				return err
			}
			if err := s.Tenants.FormerNames(c.Request().Context(), names, r.Event.People()...); err != nil {
				return err
			}
			table.Event(r, names.Of)
		}
		return table.Flush()
	})
}

// exportLines sends the bytes of the events, one a line. Without a filter the head
// is the last line, and the file can be verified by itself.
func (s *Pages) exportLines(c edge.Call) error {
	return s.exportTrail(c, "jsonl", func(w io.Writer, t taken) error {
		if t.filter.Whole() {
			return audit.Export(w, c.Member.Tenant, t.head, t.records)
		}
		for r, err := range t.records {
			if err != nil {
				return err
			}
			if _, err := w.Write(append(r.Bytes, '\n')); err != nil {
				return err
			}
		}
		return nil
	})
}

// taken is what an export takes out.
type taken struct {
	filter audit.Filter
	head   audit.Head
	// records are the chosen ones below the head, as the reader reads them.
	records iter.Seq2[audit.Record, error]
}

// take finds what a filter chooses, and what of it is sealed at this moment: a
// request that is opened while the file is sent changes nothing in it.
func (s *Pages) take(ctx context.Context, m auth.Member, f audit.Filter) (taken, error) {
	if _, err := s.among(ctx, m, &f); err != nil {
		return taken{}, err
	}
	head, err := s.Audit.Head(ctx, m.Tenant)
	if err != nil {
		return taken{}, err
	}
	sealed, err := s.Approvals.AllSealed(ctx, m)
	if err != nil {
		return taken{}, err
	}
	return taken{f, head, func(yield func(audit.Record, error) bool) {
		stop := errors.New("stopped")
		err := s.Audit.Walk(ctx, m.Tenant, f, head.Size, func(r audit.Record) error {
			r, found, err := withoutScores(r, sealed, f.Text)
			if err != nil || !found {
				return err
			}
			if !yield(r, nil) {
				return stop
			}
			return nil
		})
		if err != nil && !errors.Is(err, stop) {
			yield(audit.Record{}, err)
		}
	}}, nil
}

// count counts the records; sealed is the first that is sealed, nil for none.
func (t taken) count() (n int64, sealed *audit.Event, err error) {
	for r, err := range t.records {
		if err != nil {
			return 0, sealed, err
		}
		n++
		if r.Bytes == nil && sealed == nil {
			sealed = &r.Event
		}
	}
	return n, sealed, nil
}

// before is the log as it was with so many entries: with its own head it can be verified by itself.
func (t taken) before(size int64) (taken, error) {
	records, head := t.records, audit.Head{}
	t.records = func(yield func(audit.Record, error) bool) {
		for r, err := range records {
			if err == nil && r.Event.Index >= size || !yield(r, err) {
				return
			}
		}
	}
	for r, err := range t.records {
		if err == nil {
			head, err = head.Append(audit.Leaf(r.Bytes))
		}
		if err != nil {
			return t, err
		}
	}
	t.head = head
	return t, nil
}

// exportTrail counts what will be sent, writes the event, and sends.
func (s *Pages) exportTrail(c edge.Call, format string, send func(io.Writer, taken) error) error {
	ctx := c.Request().Context()
	f, err := exportFilter(c)
	if err != nil {
		return err
	}
	t, err := s.take(ctx, c.Member, f)
	if err != nil {
		return err
	}
	count, sealed, err := t.count()
	if err != nil {
		return err
	}
	if format == "jsonl" && sealed != nil && sealed.Index > 0 && f.Whole() {
		if t, err = t.before(sealed.Index); err != nil {
			return err
		}
		count = t.head.Size
	} else if format == "jsonl" && sealed != nil {
		return fault.New(fault.ChallengeRequired, "some of these entries belong to requests you can still decide, so their score is hidden from you and an exact JSON lines export isn't possible. Decide those requests first, choose entries before %s UTC, export CSV, or ask a member who doesn't decide requests",
			sealed.At.UTC().Format("2006-01-02 15:04"))
	}
	if err := s.Tenants.TellExport(ctx, c.Member, s.exportedEvent(c, "trail", format, f.Data(), count, t.head)); err != nil {
		return err
	}
	return s.sendFile(c, "audit", format, func(w io.Writer) error { return send(w, t) })
}

func (s *Pages) exportedEvent(c edge.Call, list, format string, filter canon.Value, count int64, head audit.Head) audit.Event {
	return audit.Event{
		Tenant: c.Member.Tenant, Kind: audit.Exported, Actor: audit.Actor{Kind: "person", ID: c.Member.Person.ID},
		Data: canon.Object(
			canon.Member{Name: "list", Value: canon.String(list)},
			canon.Member{Name: "format", Value: canon.String(format)},
			canon.Member{Name: "filter", Value: filter},
			canon.Member{Name: "count", Value: canon.Int(count)},
			canon.Member{Name: "size", Value: canon.Int(head.Size)},
		),
	}
}

// exportHistory sends the filtered history as a table.
func (s *Pages) exportHistory(c edge.Call) error {
	ctx, tenant := c.Request().Context(), c.Member.Tenant
	a := filter.Take(c.Say, c.Request().PostForm, historyOrder[:len(historyOrder)-2]...)
	f := historyQuery(a).HistoryFilter
	if err := refusal(a); err != nil {
		return err
	}
	head, err := s.Audit.Head(ctx, tenant)
	if err != nil {
		return err
	}
	var count int64
	if err := s.Approvals.WalkHistory(ctx, c.Member, f, head.Size, func(approvals.Decided) error { count++; return nil }); err != nil {
		return err
	}
	if err := s.Tenants.TellExport(ctx, c.Member, s.exportedEvent(c, "history", "csv", historyData(a), count, head)); err != nil {
		return err
	}
	return s.sendFile(c, "history", "csv", func(w io.Writer) error {
		table := audit.NewCSV(w)
		table.Row(slices.Concat(historyHead, audit.PatternHead)...)
		err := s.Approvals.WalkHistory(ctx, c.Member, f, head.Size, func(d approvals.Decided) error {
			withdrew, err := s.Withdrew(ctx, c.Member, d.Approval)
			if err != nil {
				return err
			}
			table.Row(append(historyCells(d, withdrew[d.ID]), audit.PatternCells(d.PatternData())...)...)
			return nil
		})
		return errors.Join(err, table.Flush())
	})
}

// historyData is a filter of the history as its event tells it.
func historyData(a *filter.Address) canon.Value {
	var members []canon.Member
	for _, name := range a.Order {
		if all := a.Clean[name]; len(all) > 0 {
			members = append(members, canon.Member{Name: name, Value: canon.String(strings.Join(all, ","))})
		}
	}
	return canon.Object(members...)
}

var historyHead = []string{
	"request", "submitted", "decided", "verdict", "by kind", "by", "by id", "reason", "level", "score", "what", "function",
	"agent", "agent id", "session", "digest", "entry", "outcome", "effect", "all effects", "because",
	"void since", "withdrawn by", "void because",
}

// historyCells has as the verdict of a yes that became void what it came to; the people "by" are those who said it.
func historyCells(d approvals.Decided, withdrew string) []string {
	verdict := string(d.Status)
	var at, reason, outcome, void, why string
	if d.Void() {
		verdict, void, why = "void", audit.FormatTime(*d.Grant.VoidedAt), d.Grant.VoidReason
	}
	if withdrew != "" {
		verdict = "withdrawn"
	}
	var kinds, who, ids []string
	if d.Decision != nil {
		at, reason = audit.FormatTime(d.Decision.DecidedAt), d.Decision.Reason
		for _, by := range d.Decision.DecidedBy {
			kinds, who, ids = append(kinds, string(by.Kind)), append(who, present.InPlaceOf(texts.Printer{}, by.Name, by.For)), append(ids, by.ID)
		}
	}
	if d.Execution != nil {
		outcome = d.Execution.Status
	}
	return []string{
		d.ID, audit.FormatTime(d.CreatedAt), at, verdict, strings.Join(kinds, " "), strings.Join(who, ", "), strings.Join(ids, " "), reason,
		d.Assessment.Level.String(), strconv.FormatFloat(d.Assessment.Score, 'f', -1, 64), d.Approval.Subject().Text, d.Function,
		d.Agent.Name, d.Agent.ID, d.Session, d.Digest, strconv.FormatInt(d.Entry, 10), outcome,
		string(d.Effect()), kindsOf(d.Assessment.Effects), d.Assessment.Floor.Because,
		void, withdrew, why,
	}
}

// kindsOf are the kinds of effects, the one that decides first.
func kindsOf(all []effects.Effect) string {
	kinds := make([]string, len(all))
	for i, e := range all {
		kinds[i] = string(e.Kind)
	}
	return strings.Join(kinds, " ")
}

var contentTypes = map[string]string{"csv": "text/csv; charset=utf-8; header=present", "jsonl": "application/x-ndjson; charset=utf-8"}

// sendFile streams a file. What breaks after the first byte cuts the connection,
// so that half a file never looks like a whole one.
func (s *Pages) sendFile(c edge.Call, name, format string, send func(io.Writer) error) error {
	h := c.Response().Header()
	h.Set("Content-Type", contentTypes[format])
	file := fmt.Sprintf("%s-%s-%s.%s", c.Member.Tenant, name, s.Now().UTC().Format("20060102T150405Z"), format)
	h.Set("Content-Disposition", `attachment; filename="`+file+`"`)
	w := &patient{w: c.Response(), control: http.NewResponseController(c.Response())}
	if err := send(w); err != nil {
		if !c.Response().Committed {
			h.Del("Content-Type")
			h.Del("Content-Disposition")
			return err
		}
		s.Log.WarnContext(c.Request().Context(), "an export was cut", "tenant", c.Member.Tenant, "error", err)
		panic(http.ErrAbortHandler)
	}
	if !c.Response().Committed { // nothing was chosen: an empty file
		c.Response().WriteHeader(http.StatusOK)
	}
	return nil
}

// patient gives a slow client as long as it keeps reading: the server's limit is
// for one answer, and a file may be long.
type patient struct {
	w       io.Writer
	control *http.ResponseController
	since   time.Time
}

func (p *patient) Write(b []byte) (int, error) {
	if now := time.Now(); now.Sub(p.since) > exportPause/4 {
		p.since = now
		// Without it, the server's own limit holds: a file is cut, never wrong.
		_ = p.control.SetWriteDeadline(now.Add(exportPause))
	}
	return p.w.Write(b)
}
