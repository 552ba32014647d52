package request

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/countersign/countersign/internal/approvals"
	"github.com/countersign/countersign/internal/console/present"
	"github.com/countersign/countersign/internal/console/untrusted"
	"github.com/countersign/countersign/internal/console/urls"
	"github.com/countersign/countersign/internal/fault"
	"github.com/countersign/countersign/internal/scoring"
	shown "github.com/countersign/countersign/internal/scoring/headline"
	"github.com/countersign/countersign/internal/tenants"
	"github.com/countersign/countersign/views"
	"github.com/countersign/countersign/views/review"
	"github.com/countersign/countersign/views/texts"
)

// SelectingOf is the queue with boxes: the first rows of it, highest level first.
func SelectingOf(q Queue, own tenants.Reasons, sel Selecting) review.Selecting {
	s := review.Selecting{
		Live: q.Rows(""), Search: urls.Queue(q.Tenant), Query: q.Filter.text, URL: urls.Queue(q.Tenant) + "/deny",
		Reason: review.ReasonForm{Text: sel.Reason, Reasons: ReasonsFor(q.Say, own, approvals.VerdictDeny)},
	}
	if f := sel.Fault; f != nil {
		s.Errors = []views.FieldError{{Text: present.Because(q.Say, f) + "."}}
		if f.Member == "reason" {
			s.Errors[0].Field, s.Reason.Error = "reason", present.Because(q.Say, f)+"."
		}
	}
	known := make(map[string]approvals.Line, len(q.Page.Lines))
	for _, l := range q.Page.Lines {
		known[l.ID] = l
	}
	list := q.View()
	s.Empty = list.Empty
	shown := 0
	for _, g := range list.Groups {
		group := review.SelectGroup{Title: g.Title, Note: g.Note}
		for _, row := range g.Rows {
			shown++
			group.Rows = append(group.Rows, selectRowOf(row, known[row.ID], sel.Ticked[row.ID]))
		}
		s.Groups = append(s.Groups, group)
	}
	s.Note = q.Say.Say("Showing %d of %s pending requests.", shown, countText(q.Say, q.Page.Total))
	if q.Page.Next != nil {
		s.Note += " " + q.Say.Say("Search to find others, or come back after these.")
	}
	return s
}

func selectRowOf(row review.QueueRow, l approvals.Line, ticked bool) review.SelectRow {
	r := review.SelectRow{ID: "pick-" + row.ID, Pick: pickValue(l), Checked: ticked, URL: row.URL, Level: row.Level, Sentence: row.Sentence, Rest: row.Rest, Left: row.Left}
	for _, text := range []string{row.Agent, row.Environment, row.Alike, row.Given} {
		if text != "" {
			r.Sub = append(r.Sub, text)
		}
	}
	return r
}

// outcomeWords say in short why one of several was not decided.
var outcomeWords = map[fault.Code]texts.Key{
	fault.AlreadyDecided: texts.Key("already decided"), fault.Changed: texts.Key("changed"), fault.StricterNow: texts.Key("changed"), fault.Expired: texts.Key("expired"),
	fault.NotEligible: texts.Key("not eligible"), fault.Missing: texts.Key("not found"), fault.ChallengeRequired: texts.Key("needs more"),
}

// batchRow is what became of one; while its reader answers questions, not what it says.
func batchRow(say texts.Printer, tenant string, o approvals.Outcome, covered bool) review.BatchRow {
	r := review.BatchRow{Level: views.LevelLow, Sentence: untrusted.Runs(say.Say("Request not found"))}
	if o.Approval.ID != "" {
		r.URL, r.Level, r.Sentence = urls.Request(tenant, o.ID), present.LevelOf(o.Approval.Assessment.Level), present.HeadlineOf(say, o.Approval.Subject().Row(shown.MaxLine))
		if covered {
			r.Sentence = untrusted.Runs(say.Say("A request"))
		}
	}
	if o.Refused == nil {
		r.State, r.Tone, r.Icon = say.Key(present.EndWords[o.Approval.Status]), present.VerdictTone(o.Approval.Status), views.IconCheck
		if r.Tone == views.ToneBad {
			r.Icon = views.IconX
		}
		if o.Approval.Status == approvals.Pending {
			r.State, r.Note = say.Say("approved by you"), untrusted.Runs(say.Say("%s. It takes effect with the last approval.", given(say, o.Approval)))
		}
		return r
	}
	r.State, r.Tone, r.Icon = say.Key(outcomeWords[o.Refused.Code]), views.ToneWarn, views.IconInfo
	if r.State == "" {
		r.State = say.Say("not decided")
	}
	r.Note = untrusted.Runs(present.Because(say, o.Refused) + ".")
	return r
}

func batchRows(say texts.Printer, tenant string, all []approvals.Outcome, covered bool) (rows []review.BatchRow, done int) {
	for _, o := range all {
		rows = append(rows, batchRow(say, tenant, o, covered))
		if o.Refused == nil {
			done++
		}
	}
	return rows, done
}

// DenialsOf says what became of what was ticked.
func DenialsOf(say texts.Printer, tenant string, all []approvals.Outcome, covered bool) review.Batch {
	b := review.Batch{Back: views.Link{Label: say.Say("Go to the queue"), URL: urls.Queue(tenant)}, Again: &views.Link{Label: say.Say("Deny more"), URL: urls.Select(tenant)}}
	var done int
	b.Rows, done = batchRows(say, tenant, all, covered)
	b.Title = say.Say("%d requests denied", done)
	b.Summary = say.Say("Each has its own decision and audit entry.")
	if rest := len(all) - done; rest > 0 {
		b.Summary = say.Say("%d requests weren't denied. Each shows why.", rest)
	}
	return b
}

// AlikeOf says what became of identical requests.
func AlikeOf(say texts.Printer, tenant string, all []approvals.Outcome, covered bool) review.Batch {
	b := review.Batch{Back: views.Link{Label: say.Say("Go to the queue"), URL: urls.Queue(tenant)}}
	var done int
	b.Rows, done = batchRows(say, tenant, all, covered)
	b.Title = say.Say("%d of %d identical requests approved", done, len(all))
	b.Summary = say.Say("Each has its own decision, approval and audit entry.")
	if done < len(all) {
		b.Summary = say.Say("%d requests weren't approved. Each shows why.", len(all)-done)
	}
	return b
}

// alsoOf offers to decide identical requests too; nil where there are none, and
// before the questions are answered.
func alsoOf(say texts.Printer, v approvals.Review, t Typed) *review.Also {
	n := len(v.Twins)
	if n == 0 || v.Kind == scoring.ChallengeQuiz && v.Stage != approvals.StagePassed {
		return nil
	}
	also := &review.Also{
		Count: n + 1, Value: twinsValue(v.Twins), Checked: t.Also, Runs: approvals.Runs(n + 1),
		Label: say.Say("Approve the %d identical requests too (runs %d times)", n, n+1),
		Name:  fmt.Sprintf("consequence-%d", len(v.Confirmation.Consequences)+1),
	}
	if n == 1 {
		also.Label = say.Say("Approve the identical request too (runs twice)")
	}
	for _, number := range t.Ticked {
		also.RunsChecked = also.RunsChecked || number == len(v.Confirmation.Consequences)+1
	}
	return also
}

// Selecting is the list with boxes: what was ticked and typed.
type Selecting struct {
	Reason string
	Ticked map[string]bool
	Fault  *fault.Error
}

// PicksOf reads the ticked boxes: id, version and digest of each.
func PicksOf(values []string) ([]approvals.Pick, error) {
	picks := make([]approvals.Pick, 0, len(values))
	for _, value := range values {
		parts := strings.Fields(value)
		if len(parts) != 3 || present.ApprovalID(parts[0]) == "" {
			return nil, fault.Member(fault.InvalidForm, "pick", "one selection isn't in the list any more; reload it")
		}
		version, err := strconv.ParseInt(parts[1], 10, 64)
		if err != nil {
			return nil, fault.Member(fault.InvalidForm, "pick", "one selection isn't in the list any more; reload it")
		}
		picks = append(picks, approvals.Pick{ID: parts[0], Version: version, Digest: strings.TrimPrefix(parts[2], noDigest)})
	}
	return picks, nil
}

func pickValue(l approvals.Line) string {
	if l.Asking {
		l.ShownDigest = noDigest
	}
	return fmt.Sprintf("%s %d %s", l.ID, l.Version, l.ShownDigest)
}

// TwinsOf reads the box for identical requests: id:version of each. What is none
// names no request, and is answered as one that changed.
func TwinsOf(value string) (twins []approvals.Twin) {
	for _, part := range strings.Fields(value) {
		id, version, _ := strings.Cut(part, ":")
		n, _ := strconv.ParseInt(version, 10, 64)
		twins = append(twins, approvals.Twin{ID: present.ApprovalID(id), Version: n})
	}
	return twins
}

func twinsValue(twins []approvals.Twin) string {
	parts := make([]string, len(twins))
	for i, t := range twins {
		parts[i] = t.ID + ":" + strconv.FormatInt(t.Version, 10)
	}
	return strings.Join(parts, " ")
}

// noDigest stands for the digest of a request whose quiz is open: a question may ask for it.
const noDigest = "-"
