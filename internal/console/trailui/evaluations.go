package trailui

import (
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/audit"
	"github.com/countersign/countersign/internal/auth"
	"github.com/countersign/countersign/internal/console/edge"
	"github.com/countersign/countersign/internal/console/filter"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/texts"
)

// The records of evaluations as a file: of a window of days, of a session, or of dry
// runs alone.

const evaluationsPath = "/t/:tenant/evaluations.csv"

var (
	evaluationsOrder = []string{"days", "agent", "session", "dry_run"}
	dryRunForm       = regexp.MustCompile(`^1$`)
)

// evaluationFile is a button that sends records, for those who may; fields are names and
// values.
func evaluationFile(m auth.Member, label string, fields ...string) []views.Download {
	if !m.May(auth.ExportAudit) {
		return nil
	}
	d := views.Download{URL: "/t/" + m.Tenant + "/evaluations.csv", Label: label}
	for n := 0; n+1 < len(fields); n += 2 {
		d.Fields = append(d.Fields, views.HiddenField{Name: fields[n], Value: fields[n+1]})
	}
	return []views.Download{d}
}

// evaluationFiles are the buttons of the insights page.
func evaluationFiles(say texts.Printer, m auth.Member, days int) []views.Download {
	of := strconv.Itoa(days)
	return append(evaluationFile(m, say.Say("Evaluations as CSV"), "days", of), evaluationFile(m, say.Say("Dry runs as CSV"), "days", of, "dry_run", "1")...)
}

// exportEvaluations sends the chosen records as a table.
func (s *Pages) exportEvaluations(c edge.Call) error {
	ctx := c.Request().Context()
	a := filter.Take(c.Say, c.Request().PostForm, evaluationsOrder...)
	q := approvals.EvaluationQuery{Agent: a.One("agent"), Session: a.One("session")}
	q.DryRun = a.Form("dry_run", dryRunForm, fault.Textf("expected 1 for dry runs only, or nothing")) != ""
	if days, err := strconv.Atoi(a.Form("days", daysForm, fault.Textf("the file covers the last 7, 30 or 90 days, or all that are kept where it is left out"))); err == nil {
		q.From = s.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-days)
	}
	if err := refusal(a); err != nil {
		return err
	}
	head, err := s.Audit.Head(ctx, c.Member.Tenant)
	if err != nil {
		return err
	}
	names, err := s.Tenants.Names(ctx, c.Member)
	if err != nil {
		return err
	}
	var count int64
	var newest time.Time
	if err := s.Approvals.WalkEvaluations(ctx, c.Member, q, func(e approvals.Evaluated) error {
		count++
		if e.At.After(newest) {
			newest = e.At
		}
		return nil
	}); err != nil {
		return err
	}
	q.To = newest.Add(time.Microsecond) // what comes meanwhile is not of this file
	if err := s.Tenants.TellExport(ctx, c.Member, s.exportedEvent(c, "evaluations", "csv", historyData(a), count, head)); err != nil {
		return err
	}
	return s.sendFile(c, "evaluations", "csv", func(w io.Writer) error {
		table := audit.NewCSV(w)
		table.Row(evaluationHead...)
		err := s.Approvals.WalkEvaluations(ctx, c.Member, q, func(e approvals.Evaluated) error {
			table.Row(evaluationCells(e, names)...)
			return nil
		})
		return errors.Join(err, table.Flush())
	})
}

var evaluationHead = strings.Split("evaluation_id timestamp approval_id dry_run agent agent_id session_id tool_call_id function lifecycle_point policy_version pattern_library_version "+
	"scan_duration_ms match_count critical high medium low raw_score numeric_score categorical_severity base_action action action_reason score_override_threshold score_override_exceeded matched_patterns", " ")

func evaluationCells(e approvals.Evaluated, names tenants.Names) []string {
	cells := []string{
		e.ID, audit.FormatTime(e.At), e.Approval, strconv.FormatBool(e.DryRun), names.Of("agent", e.Agent), e.Agent, e.Session, e.ToolCall, e.Function, e.LifecyclePoint,
		strconv.FormatInt(e.PolicyVersion, 10), e.LibraryVersion,
	}
	if e.Sealed {
		return append(cells, make([]string, len(evaluationHead)-len(cells))...)
	}
	matched := ""
	if b, err := json.Marshal(e.Matches); err == nil && len(e.Matches) > 0 {
		matched = string(b)
	}
	count := e.Counts
	return append(cells,
		strconv.FormatFloat(float64(e.ScanTook.Microseconds())/1000, 'f', -1, 64), strconv.Itoa(count.Critical+count.High+count.Medium+count.Low),
		strconv.Itoa(count.Critical), strconv.Itoa(count.High), strconv.Itoa(count.Medium), strconv.Itoa(count.Low),
		strconv.FormatFloat(e.RawScore, 'f', -1, 64), strconv.Itoa(e.NumericScore), string(e.Severity), string(e.BaseAction), string(e.Action), e.ActionReason,
		strconv.Itoa(e.Threshold), strconv.FormatBool(e.Exceeded), matched)
}
